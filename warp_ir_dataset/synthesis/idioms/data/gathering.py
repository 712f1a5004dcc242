"""Moving data by index: gathers, scatters, segments, compaction."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .parts.lookups import shifted_copy

__all__ = ["shifted_copy"]


@idiom(
    level=3,
    names={
        "order second": "order then | perm perm2 | first second | permutation next_permutation",
        "inverse": "inverse ranks where_from",
        "x": "x values data",
        "out": "out moved scattered",
        "kernel": "invert_permutation permute undo_order",
        "target": "target place slot",
        "source": "source start taken",
    },
)
def inverse_permutation(c):
    """Scatters {WHAT} by a permutation{THEN}{TAKEN}."""
    n, width = c.size(), c.size(3, 5)
    WHAT = c.meaning("indices", "entries", "rows", "vectors")
    THEN = c.meaning("", " and then by a second one")
    TAKEN = c.meaning("", ", from back to front", ", after a cyclic shift")
    Vec = c.vec(2) if WHAT == "vectors" else float
    if WHAT != "indices":
        c.names({"kernel": "permute scatter_by_permutation"})
    elif THEN or TAKEN:
        c.names({"kernel": "scatter_indices permute_indices", "inverse": "sources came_from where_from"})

    @c.kernel(*((n, width) if WHAT == "rows" else (n,)))
    def kernel(
        order: wp.array[int] = given(n, low=0, high=n - 1, trait="permutation"),
        second: wp.array[int] = given(n, low=0, high=n - 1, trait="permutation"),
        x: wp.array[Vec] = given(n, low=-2.0, high=2.0),
        rows: wp.array2d[float] = given(n, width, low=-2.0, high=2.0),
        shift: int = given(low=1, high=5),
        inverse: wp.array[int] = result(n),
        out: wp.array[Vec] = result(n),
        moved: wp.array2d[float] = result(n, width),
    ):
        if WHAT == "rows":
            i, k = wp.tid()
        else:
            i = wp.tid()
        if THEN:
            target = second[order[i]]
        else:
            target = order[i]
        if TAKEN == ", from back to front":
            source = order.shape[0] - 1 - i
        elif TAKEN == ", after a cyclic shift":
            source = (i + shift) % order.shape[0]
        else:
            source = i
        if WHAT == "indices":
            inverse[target] = source
        elif WHAT == "rows":
            moved[target, k] = rows[source, k]
        else:
            out[target] = x[source]


@idiom(
    level=3,
    names={
        "x": "x values items data",
        "keep": "keep flags mask",
        "counter": "counter count kept_count",
        "packed rows": "packed packed | compacted compacted | out out | kept kept",
        "counts": "counts block_counts",
        "slot": "slot place at",
        "kernel": "compact append_kept filter_items",
    },
)
def stream_compaction(c):
    """Packs the {WHAT} {KEPT} one after the other, slots {SLOTS}."""
    n = c.size(10, 14)
    WHAT = c.meaning("values", "indices", "points")
    if WHAT == "points":
        KEPT = c.meaning("that are marked", "within a radius", "in a ring", "in a half plane")
    elif WHAT == "values":
        KEPT = c.meaning("that are marked", "above a threshold", "of small magnitude", "in a range")
    else:
        KEPT = c.meaning("of marked entries", "of values above a threshold", "of local peaks")
    MARKED = KEPT in ("that are marked", "of marked entries")
    SLOTS = c.meaning("from an atomic counter", "from a counter for each block of threads")
    width = c.size(3, 5)
    blocks = (n + width - 1) // width
    LIMIT = c.constant(0.2, 0.6)
    Item = c.vec(2) if WHAT == "points" else float
    Packed = int if WHAT == "indices" else Item

    if KEPT == "of local peaks":

        def wanted(x: wp.array[Item], i: int) -> bool:
            before = x[wp.max(i - 1, 0)]
            after = x[wp.min(i + 1, x.shape[0] - 1)]
            return x[i] >= before and x[i] > after

    else:

        def wanted(item: Item) -> bool:
            if KEPT == "within a radius":
                return wp.length(item) < 2.0 * LIMIT
            elif KEPT == "in a ring":
                return wp.length(item) > LIMIT and wp.length(item) < 3.0 * LIMIT
            elif KEPT == "in a half plane":
                return item[0] + item[1] > LIMIT
            elif KEPT == "of small magnitude":
                return wp.abs(item) < 2.0 * LIMIT
            elif KEPT == "in a range":
                return item > -LIMIT and item < 2.0 * LIMIT
            else:
                return item > LIMIT

    @c.kernel(n)
    def kernel(
        x: wp.array[Item] = given(n, low=-1.0, high=1.5),
        keep: wp.array[int] = given(n, low=0, high=1),
        counter: wp.array[int] = result(1),
        packed: wp.array[Packed] = result(n),
        counts: wp.array[int] = result(blocks),
        rows: wp.array2d[Packed] = result(blocks, width),
    ):
        i = wp.tid()
        if MARKED:
            if keep[i] == 0:
                return
        elif KEPT == "of local peaks":
            if not wanted(x, i):
                return
        else:
            if not wanted(x[i]):
                return
        if SLOTS == "from an atomic counter":
            slot = wp.atomic_add(counter, 0, 1)
            if slot < 0 or slot >= packed.shape[0]:
                return
            packed[slot] = i if WHAT == "indices" else x[i]
        else:
            # each block has a row of its own, and a counter for it
            block = i // rows.shape[1]
            slot = wp.atomic_add(counts, block, 1)
            if slot < 0 or slot >= rows.shape[1]:
                return
            rows[block, slot] = i if WHAT == "indices" else x[i]


@idiom(
    level=3,
    names={
        "offsets": "offsets starts row_ptr",
        "values": "values x data",
        "s": "s segment row tid",
        "total": "total acc running",
        "out": "out reduced result",
        "kernel": "reduce_segments segment_reduce",
        "start stop": "start stop | begin end | first last",
    },
)
def segmented_reduction(c):
    """The {REDUCTION} of {TERM} in each segment, segments {BOUNDS}{AFTER}."""
    segments, n = c.size(5, 8), c.size(10, 14)
    REDUCTION = c.meaning("sum", "maximum", "mean", "log-sum-exp", "product", "norm")
    if REDUCTION == "norm":
        TERM = c.meaning("the values", "the weighted values", "the values at indices")
    else:
        TERM = c.meaning("the values", "the weighted values", "the squares", "the values at indices")
    BOUNDS = c.meaning("between offsets", "of one length", "with lengths of their own")
    AFTER = c.meaning("", ", added to what is there")
    c.names({"total": {"maximum": "largest peak", "product": "product running"}.get(REDUCTION, "total acc")})

    @c.kernel(segments)
    def kernel(
        values: wp.array[float] = given(n, low=0.2, high=2.0),
        weights: wp.array[float] = given(n, low=0.2, high=1.5),
        at: wp.array[int] = given(n, low=0, high=n - 1),
        offsets: wp.array[int] = given(segments + 1, low=0, high=n, trait="offsets"),
        starts: wp.array[int] = given(segments, low=0, high=n - 4),
        lengths: wp.array[int] = given(segments, low=0, high=4),
        out: wp.array[float] = updated(segments, low=-1.0, high=1.0)
        if AFTER
        else result(segments, of="value"),
    ):
        s = wp.tid()
        if BOUNDS == "between offsets":
            start = offsets[s]
            stop = offsets[s + 1]
        elif BOUNDS == "of one length":
            start = s * values.shape[0] // out.shape[0]
            stop = (s + 1) * values.shape[0] // out.shape[0]
        else:
            start = starts[s]
            stop = start + lengths[s]
        if REDUCTION == "product":
            total = float(1.0)
        elif REDUCTION == "maximum":
            total = float(-1.0e30)
        else:
            total = float(0.0)
        if REDUCTION == "log-sum-exp":
            peak = float(-1.0e30)
        for k in range(start, stop):
            if TERM == "the weighted values":
                entry = weights[k] * values[k]
            elif TERM == "the squares":
                entry = values[k] * values[k]
            elif TERM == "the values at indices":
                entry = values[at[k]]
            else:
                entry = values[k]
            if REDUCTION == "maximum":
                total = wp.max(total, entry)
            elif REDUCTION == "product":
                total *= entry
            elif REDUCTION == "log-sum-exp":
                # the sum so far is rescaled when a larger entry comes
                higher = wp.max(peak, entry)
                total = total * wp.exp(peak - higher) + wp.exp(entry - higher)
                peak = higher
            elif REDUCTION == "norm":
                total += entry * entry
            else:
                total += entry
        if REDUCTION == "maximum":
            # an empty segment has maximum zero
            if start >= stop:
                total = 0.0
        elif REDUCTION == "mean":
            # an empty segment has mean zero
            total /= float(wp.max(stop - start, 1))
        elif REDUCTION == "norm":
            total = wp.sqrt(total)
        elif REDUCTION == "log-sum-exp":
            if stop > start:
                total = peak + wp.log(total)
        if not AFTER:
            out[s] = total
        else:
            out[s] += total


@idiom(
    level=4,
    names={
        "x": "x rows_in values",
        "out": "out scanned prefix",
        "row": "row tid r",
        "running": "running carry acc",
        "kernel": "scan_rows cumulative_rows",
        "starts": "starts heads segment_start",
    },
)
def row_prefix_scan(c):
    """The {END} running {OPERATION} along each row{DIRECTION}{RESTART}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    OPERATION = c.meaning("sum", "maximum", "product", "mean", "decaying sum", "linear recurrence")
    END, DIRECTION = c.meaning("inclusive", "exclusive"), c.meaning("", ", from its end")
    if OPERATION == "mean":
        RESTART = c.meaning("", ", in place")
    else:
        RESTART = c.meaning("", ", restarted at flags", ", in place", ", with the row's total")
    DECAY = c.constant(0.5, 0.9)

    def accumulated(running: float, value: float) -> float:
        if OPERATION == "maximum":
            return wp.max(running, value)
        elif OPERATION == "product":
            return running * value
        elif OPERATION == "decaying sum":
            return DECAY * running + value
        else:
            return running + value

    @c.kernel(rows)
    def kernel(
        x: wp.array2d[float] = (
            updated(rows, cols, low=0.3, high=1.8)
            if RESTART == ", in place"
            else given(rows, cols, low=0.3, high=1.8)
        ),
        weights: wp.array2d[float] = given(rows, cols, low=0.2, high=0.9),
        starts: wp.array2d[int] = given(rows, cols, low=0, high=1),
        out: wp.array2d[float] = result(rows, cols),
        totals: wp.array[float] = result(rows),
    ):
        row = wp.tid()
        if OPERATION == "maximum":
            # no value is negative
            running = float(0.0)
        else:
            running = float(1.0 if OPERATION == "product" else 0.0)
        for k in range(x.shape[1]):
            if DIRECTION:
                j = x.shape[1] - 1 - k
            else:
                j = k
            value = x[row, j]
            if RESTART == ", restarted at flags":
                if starts[row, j] == 1:
                    running = 1.0 if OPERATION == "product" else 0.0
            if END == "exclusive":
                shown = running / float(wp.max(k, 1)) if OPERATION == "mean" else float(running)
            if OPERATION == "linear recurrence":
                running = weights[row, j] * running + value
            else:
                running = accumulated(running, value)
            if END == "inclusive":
                if OPERATION == "mean":
                    shown = running / float(k + 1)
                else:
                    shown = running
            if RESTART == ", in place":
                x[row, j] = shown
            else:
                out[row, j] = shown
        if RESTART == ", with the row's total":
            totals[row] = running
