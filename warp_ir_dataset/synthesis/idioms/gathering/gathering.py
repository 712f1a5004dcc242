"""Moving data by index: gathers, scatters, segments, compaction."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "order second": "order next_order | perm perm2 | first second | permutation next_permutation",
        "inverse": "inverse ranks where_from",
        "x": "x values data",
        "out": "out moved scattered",
        "kernel": "invert_permutation undo_order",
        "target": "target place slot",
        "source": "source start taken",
    },
)
def inverse_permutation(c):
    """{ACTION}{TAKEN} {BY}.

    {PURPOSE}. For every k, {GETS}, where p = {TARGET}{SOURCE}.
    """
    n, width = c.size(), c.size(3, 5)
    WHAT = c.meaning("indices", "entries", "rows", "vectors")
    THEN = c.meaning("", " and then by a second one")
    TAKEN = c.meaning("", ", taken from back to front,", ", cyclically shifted towards the front,")
    BY = f"by a permutation{THEN}"
    ACTION = f"Scatters {WHAT}"
    if WHAT == "indices" and TAKEN == "":
        ACTION = "Inverts"
        BY = "two permutations applied one after the other" if THEN else "a permutation"
    Vec = c.vec(2) if WHAT == "vectors" else float
    if WHAT != "indices":
        c.names({"kernel": "permute scatter_by_permutation"})
    elif TAKEN:
        c.names({"kernel": "scatter_indices permute_indices", "inverse": "sources came_from where_from"})
    TARGET = "`{second}[{order}[k]]`" if THEN else "`{order}[k]`"
    PERMUTATION = "two permutations, {order} and then {second}" if THEN else "the permutation {order}"
    PURPOSE = f"Scatter {WHAT} by {PERMUTATION}"
    if ACTION == "Inverts":
        PURPOSE = "Invert the permutation {order}"
        if THEN:
            PURPOSE = "Invert the permutation that {order} and then {second} make together"
    S = "s" if TAKEN else "k"
    GETS = f"`{{out}}[p]` is `{{x}}[{S}]`"
    if WHAT == "indices":
        GETS = f"`{{inverse}}[p]` is {S}"
    elif WHAT == "rows":
        GETS = f"row p of {{moved}} is row {S} of {{rows}}"
    SOURCE = ""
    if TAKEN == ", taken from back to front,":
        SOURCE = " and s counts from the back, from the last index of {order} for k = 0"
    elif TAKEN:
        SOURCE = " and s = (k + {shift}) mod the length of {order}"

    @c.kernel(*((n, width) if WHAT == "rows" else (n,)))
    def kernel(
        order: wp.array[int] = input(n, low=0, high=n - 1, trait="permutation"),
        second: wp.array[int] = input(n, low=0, high=n - 1, trait="permutation"),
        x: wp.array[Vec] = input(n, low=-2.0, high=2.0),
        rows: wp.array2d[float] = input(n, width, low=-2.0, high=2.0),
        shift: int = input(low=1, high=5),
        inverse: wp.array[int] = output(n),
        out: wp.array[Vec] = output(n),
        moved: wp.array2d[float] = output(n, width),
    ):
        if WHAT == "rows":
            i, k = wp.tid()
        else:
            i = wp.tid()
        if THEN:
            target = second[order[i]]
        else:
            target = order[i]
        if TAKEN == ", taken from back to front,":
            source = order.shape[0] - 1 - i
        elif TAKEN:
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
    differentiable=False,
    names={
        "x": "x values items data",
        "keep": "keep flags mask",
        "counter": "counter count kept_count",
        "packed": "packed compacted out kept",
        "rows": "rows packed compacted kept",
        "counts": "counts block_counts",
        "slot": "slot place at",
        "kernel": "compact append_kept filter_items",
    },
)
def stream_compaction(c):
    """Packs the {WHAT} {KEPT} one after the other{SLOTS}, in order of arrival.

    Stream compaction: pack the {WHAT} {KEEP} without gaps. {WHERE}
    """
    n = c.size(10, 14)
    WHAT = c.meaning("values", "indices", "points")
    if WHAT == "points":
        KEPT = c.meaning("that are marked", "within a radius", "in a ring", "beyond a diagonal line")
    elif WHAT == "values":
        KEPT = c.meaning("that are marked", "above a threshold", "of small magnitude", "in a range")
    else:
        KEPT = c.meaning("of marked entries", "of values above a threshold", "of local peaks")
    MARKED = KEPT in ("that are marked", "of marked entries")
    SLOTS = c.meaning("", ", each block of threads into a row of its own", ", the others into a second list")
    if SLOTS == ", the others into a second list":
        c.names({"kernel": "partition split_items divide_items"})
    width = c.size(3, 5)
    blocks = (n + width - 1) // width
    THRESHOLD, RADIUS = c.constant(0.1, 0.6), c.constant(0.6, 1.1)
    INNER, OUTER = c.constant(0.3, 0.6), c.constant(0.9, 1.4)
    LOW, HIGH = c.constant(-0.6, -0.2), c.constant(0.4, 1.0)
    Item = c.vec(2) if WHAT == "points" else float
    Packed = int if WHAT == "indices" else Item

    if KEPT == "of local peaks":

        def wanted(x: wp.array[Item], i: int) -> bool:
            """Whether no neighbour is larger; the ends have one each."""
            before = x[wp.max(i - 1, 0)]
            after = x[wp.min(i + 1, x.shape[0] - 1)]
            return x[i] >= before and x[i] >= after

    else:

        def wanted(item: Item) -> bool:
            if KEPT == "within a radius":
                return wp.length(item) < RADIUS
            elif KEPT == "in a ring":
                return wp.length(item) > INNER and wp.length(item) < OUTER
            elif KEPT == "beyond a diagonal line":
                return item[0] + item[1] > THRESHOLD
            elif KEPT == "of small magnitude":
                return wp.abs(item) < THRESHOLD
            elif KEPT == "in a range":
                return item > LOW and item < HIGH
            else:
                return item > THRESHOLD

    KEEP = {
        "that are marked": "of {x} that have a 1 in {keep}",
        "of marked entries": "of the entries with a 1 in {keep}",
        "within a radius": "in {x} that lie less than {RADIUS} from the origin",
        "in a ring": "in {x} whose distance from the origin lies strictly between {INNER} and {OUTER}",
        "beyond a diagonal line": "in {x} whose two coordinates add up to more than {THRESHOLD}",
        "above a threshold": "of {x} that exceed {THRESHOLD}",
        "of small magnitude": "of {x} whose magnitude is less than {THRESHOLD}",
        "in a range": "of {x} that lie strictly between {LOW} and {HIGH}",
        "of values above a threshold": "of the entries of {x} that exceed {THRESHOLD}",
        "of local peaks": "of local peaks of {x}, entries that are not less than either neighbour (an "
        "end has one)",
    }[KEPT]
    ORDER = "in order of arrival"
    WHERE = (
        "They fill {packed} from the start, {ORDER}, and {counter} is their number; the other "
        "entries stay zero."
    )
    if SLOTS == ", the others into a second list":
        WHERE = (
            "They fill {packed} from the start, {ORDER}, and {counter} is their number. Likewise "
            "the remaining "
        )
        WHERE += (
            f"{WHAT} fill {{others}} from the start, and {{other_count}} is their number. Unused "
            "entries stay zero."
        )
    elif SLOTS:
        WHERE = (
            "Divide the entries into blocks of successive ones, as many to a block as a row of "
            "{rows} is long. "
        )
        WHERE += (
            f"The {WHAT} that are kept of block b fill row b from the start, {{ORDER}}, and "
            f"`{{counts}}[b]` is "
        )
        WHERE += "their number. Unused entries stay zero."

    @c.kernel(n)
    def kernel(
        x: wp.array[Item] = input(n, low=-1.0, high=1.5),
        keep: wp.array[int] = input(n, low=0, high=1),
        counter: wp.array[int] = output(1),
        packed: wp.array[Packed] = output(n),
        other_count: wp.array[int] = output(1),
        others: wp.array[Packed] = output(n),
        counts: wp.array[int] = output(blocks),
        rows: wp.array2d[Packed] = output(blocks, width),
    ):
        i = wp.tid()
        if SLOTS == ", the others into a second list":
            if MARKED:
                kept = keep[i] == 1
            elif KEPT == "of local peaks":
                kept = wanted(x, i)
            else:
                kept = wanted(x[i])
            if kept:
                slot = wp.atomic_add(counter, 0, 1)
                if slot >= 0 and slot < packed.shape[0]:
                    packed[slot] = i if WHAT == "indices" else x[i]
            else:
                slot = wp.atomic_add(other_count, 0, 1)
                if slot >= 0 and slot < others.shape[0]:
                    others[slot] = i if WHAT == "indices" else x[i]
        elif MARKED:
            if keep[i] == 0:
                return
        elif KEPT == "of local peaks":
            if not wanted(x, i):
                return
        else:
            if not wanted(x[i]):
                return
        if SLOTS == "":
            slot = wp.atomic_add(counter, 0, 1)
            if slot < 0 or slot >= packed.shape[0]:
                return
            packed[slot] = i if WHAT == "indices" else x[i]
        elif SLOTS == ", each block of threads into a row of its own":
            # the counter of the block says where in the row
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
        "peak": "peak highest",
        "kernel": "reduce_segments segment_reduce",
        "start stop": "start stop | begin end | first last",
    },
)
def segmented_reduction(c):
    """The {REDUCTION} of {TERM} in each segment {BOUNDS}{AFTER}.

    For each segment, find the {WANTED} of {TERMS}. {STRETCH} {EMPTY} {PUT}
    """
    segments, n = c.size(5, 8), c.size(10, 14)
    REDUCTION = c.meaning("sum", "maximum", "mean", "log-sum-exp", "product", "Euclidean norm")
    if REDUCTION == "Euclidean norm":
        TERM = c.meaning("the values", "the weighted values", "the values at indices")
    else:
        TERM = c.meaning("the values", "the weighted values", "the squares", "the values at indices")
    BOUNDS = c.meaning("between offsets", "of nearly equal length", "of given start and length")
    if REDUCTION in ("sum", "product", "maximum"):
        WITH = {"sum": "added to", "product": "multiplied into", "maximum": "or"}[REDUCTION]
        AFTER = c.meaning("", f", {WITH} what is there" + (" if that is larger" if WITH == "or" else ""))
    else:
        AFTER = ""
    c.names({"total": {"maximum": "largest most", "product": "product running"}.get(REDUCTION, "total acc")})
    LOGARITHM = "log-sum-exp, the logarithm of the summed exponentials,"
    WANTED = LOGARITHM if REDUCTION == "log-sum-exp" else REDUCTION
    TERMS = {
        "the values": "the entries `{values}[k]`",
        "the weighted values": "the products `{weights}[k]` · `{values}[k]`",
        "the squares": "the squares `{values}[k]`²",
        "the values at indices": "the values `{values}[{at}[k]]`",
    }[TERM]
    STRETCH = {
        "between offsets": "Segment s has all k from `{offsets}[s]` up to but not including "
        "`{offsets}[s + 1]`.",
        "of nearly equal length": "The N {POSITIONS} are divided among the S segments, one for each entry "
        "of {out}: segment s has all k from ⌊s·N / S⌋ up to but not including ⌊(s + 1)·N / S⌋.",
        "of given start and length": "Segment s has `{lengths}[s]` successive k, the first of which is "
        "`{starts}[s]`.",
    }[BOUNDS]
    POSITIONS = "positions in {at}" if TERM == "the values at indices" else "positions in {values}"
    EMPTY = ""
    if BOUNDS != "of nearly equal length":
        EMPTY = "An empty segment gives 1." if REDUCTION == "product" else "An empty segment gives 0."
        if REDUCTION == "maximum" and AFTER:
            EMPTY = "An empty segment changes nothing."
    if REDUCTION in ("maximum", "log-sum-exp"):
        EMPTY += " (All entries exceed -1e30.)"
    PUT = "The results go to {out}."
    if AFTER:
        PUT = {
            "sum": "Each result is added to its entry of {out}.",
            "product": "Its entry of {out} is multiplied by the result.",
            "maximum": "Its entry of {out} becomes the larger of the result and its old value.",
        }[REDUCTION]

    @c.kernel(segments)
    def kernel(
        values: wp.array[float] = input(n, low=0.2, high=2.0),
        weights: wp.array[float] = input(n, low=0.2, high=1.5),
        at: wp.array[int] = input(n, low=0, high=n - 1),
        offsets: wp.array[int] = input(segments + 1, low=0, high=n, trait="offsets"),
        starts: wp.array[int] = input(segments, low=0, high=n - 4),
        lengths: wp.array[int] = input(segments, low=0, high=4),
        out: wp.array[float] = inout(segments, low=0.5, high=2.5) if AFTER else output(segments, of="value"),
    ):
        s = wp.tid()
        if BOUNDS == "between offsets":
            start = offsets[s]
            stop = offsets[s + 1]
        elif BOUNDS == "of nearly equal length":
            count = at.shape[0] if TERM == "the values at indices" else values.shape[0]
            start = s * count // out.shape[0]
            stop = (s + 1) * count // out.shape[0]
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
            elif REDUCTION == "Euclidean norm":
                total += entry * entry
            else:
                total += entry
        if REDUCTION == "maximum":
            if not AFTER:
                # an empty segment has maximum zero
                if start >= stop:
                    total = 0.0
        elif REDUCTION == "mean":
            # an empty segment has mean zero
            total /= float(wp.max(stop - start, 1))
        elif REDUCTION == "Euclidean norm":
            total = wp.sqrt(total)
        elif REDUCTION == "log-sum-exp":
            # an empty segment stays at zero
            if stop > start:
                total = peak + wp.log(total)
        if not AFTER:
            out[s] = total
        elif REDUCTION == "maximum":
            out[s] = wp.max(out[s], total)
        elif REDUCTION == "product":
            out[s] *= total
        else:
            out[s] += total


@idiom(
    level=4,
    differentiable=False,
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
    """The {END} {OPERATION} along each row{DIRECTION}{RESTART}.

    Scan each row of {x} for the {END} {OPERATION}{FROM}. {RULE} {SHOWN} {FLAGS} {PUT}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    OPERATION = c.meaning(
        "running sum",
        "running maximum",
        "running product",
        "running mean",
        "decaying sum",
        "linear recurrence",
    )
    END, DIRECTION = c.meaning("inclusive", "exclusive"), c.meaning("", ", from its end")
    LAST = ", and that of the whole row" if OPERATION[:7] == "running" else ", and its last value"
    if OPERATION == "running mean":
        RESTART = c.meaning("", ", in place")
    else:
        RESTART = c.meaning("", ", restarted at flags", ", in place", LAST)
    if OPERATION == "running maximum":
        c.names({"running": "running largest peak", "totals": "maxima row_maxima"})
    elif OPERATION == "running product":
        c.names({"running": "running product", "totals": "products row_products"})
    elif OPERATION == "decaying sum":
        c.names({"totals": "last final_sums"})
    elif OPERATION == "linear recurrence":
        c.names({"running": "state carry running", "totals": "last final_states"})
    if DIRECTION:
        c.names({"kernel": "scan_rows cumulative_rows scan_from_end", "out": "out scanned suffix"})
        c.names({"starts": "ends stops segment_end"})
    DECAY = c.constant(0.5, 0.9)
    FROM = ", going from its last entry to its first" if DIRECTION else ""
    RULE = {
        "running sum": "", "running product": "", "running mean": "",
        "running maximum": "No value is negative.",
        "decaying sum": "At each entry, {DECAY} times the sum so far plus the entry is the new sum; "
        "it is 0 before.",
        "linear recurrence": "The state is 0 before; at each entry it is multiplied by the entry's "
        "{weights}, and the entry is added.",
    }[OPERATION]  # fmt: skip
    THING = {"linear recurrence": "state"}.get(OPERATION, OPERATION)
    NOTHING = "1" if OPERATION == "running product" else "0"
    SHOWN = f"The result at an entry is the {THING} with that entry included."
    if END == "exclusive":
        SHOWN = (
            f"The result at an entry is the {THING} of all the entries that come before it in the scan, and "
        )
        SHOWN += f"{NOTHING} if there are none."
    FLAGS = ""
    if RESTART == ", restarted at flags":
        FLAGS = "If an entry's flag in {starts} is 1, the scan starts anew with it"
        FLAGS += f", so that its result is {NOTHING}." if END == "exclusive" else "."
    PUT = "Write the results to {out}."
    if RESTART == ", in place":
        PUT = "Write the results over the entries."
    elif RESTART == LAST:
        PUT = (
            f"Write the results to {{out}}, and to {{totals}} the {THING} with all entries of the "
            "row included."
        )

    @c.kernel(rows)
    def kernel(
        x: wp.array2d[float] = (
            inout(rows, cols, low=0.3, high=1.8)
            if RESTART == ", in place"
            else input(rows, cols, low=0.3, high=1.8)
        ),
        weights: wp.array2d[float] = input(rows, cols, low=0.2, high=0.9),
        starts: wp.array2d[int] = input(rows, cols, low=0, high=1),
        out: wp.array2d[float] = output(rows, cols),
        totals: wp.array[float] = output(rows),
    ):
        row = wp.tid()
        if OPERATION == "running maximum":
            # no value is negative
            running = float(0.0)
        else:
            running = float(1.0 if OPERATION == "running product" else 0.0)
        for k in range(x.shape[1]):
            if DIRECTION:
                j = x.shape[1] - 1 - k
            else:
                j = k
            value = x[row, j]
            if RESTART == ", restarted at flags":
                if starts[row, j] == 1:
                    running = 1.0 if OPERATION == "running product" else 0.0
            if END == "exclusive":
                # the entry itself does not count yet
                shown = running / float(wp.max(k, 1)) if OPERATION == "running mean" else float(running)
            if OPERATION == "linear recurrence":
                running = weights[row, j] * running + value
            elif OPERATION == "decaying sum":
                running = DECAY * running + value
            elif OPERATION == "running maximum":
                running = wp.max(running, value)
            elif OPERATION == "running product":
                running *= value
            else:
                running += value
            if END == "inclusive":
                if OPERATION == "running mean":
                    shown = running / float(k + 1)
                else:
                    shown = running
            if RESTART == ", in place":
                x[row, j] = shown
            else:
                out[row, j] = shown
        if RESTART == LAST:
            totals[row] = running
