"""Searching sorted tables, merging sorted rows, choosing the largest."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp
from .parts.keys import interpolation_probe
from .parts.lookups import best_match_update

__all__ = ["best_match_update", "interpolation_probe"]


@idiom(
    level=3,
    names={
        "table": "table keys sorted_keys",
        "queries": "queries wanted targets",
        "low high": "low high | lo hi | left right",
        "mid": "mid middle m",
        "found": "found out slots",
        "kernel": "binary_search search_sorted",
    },
)
def lower_bound_search(c):
    """The {SAID} each query{QUERY} in {TABLE}, found by {SEARCH}."""
    n, count = c.size(), c.size(7, 12)
    WANTED = c.meaning("lower bound", "upper bound", "number of equal keys", "nearest key", "presence")
    SAID = {
        "number of equal keys": "number of keys equal to",
        "nearest key": "place of the key nearest to",
        "presence": "presence (1 or 0) of",
    }.get(WANTED, f"{WANTED} of")
    SEARCH = c.meaning("bisection", "binary lifting", "a linear scan")
    QUERY = c.meaning("", " shifted by its offset", " rounded down")
    TABLE = c.meaning("one sorted table", "its own sorted row")
    shape = (count,) if TABLE == "one sorted table" else (n, count)
    if WANTED != "lower bound" or SEARCH != "bisection":
        c.names({"kernel": "search_sorted find_in_table"})

    if WANTED in ("number of equal keys", "nearest key", "presence"):
        c.names(
            {
                "found": {
                    "number of equal keys": "counts out matches",
                    "nearest key": "nearest_places out nearest_slots",
                    "presence": "found out hits",
                }[WANTED]
            }
        )

    def bound(keys: wp.array[int], query: int) -> int:
        """How many keys lie below a query."""
        if SEARCH == "bisection":
            low = int(0)
            high = keys.shape[0]
            while low < high:
                mid = (low + high) // 2
                if keys[mid] < query:
                    low = mid + 1
                else:
                    high = mid
            return low
        elif SEARCH == "binary lifting":
            place = int(0)
            for step in (8, 4, 2, 1):
                if place + step <= keys.shape[0]:
                    if keys[wp.min(place + step, keys.shape[0]) - 1] < query:
                        place += step
            return wp.min(place, keys.shape[0])
        else:
            place = int(0)
            for k in range(keys.shape[0]):
                if keys[k] >= query:
                    break
                place += 1
            return place

    @c.kernel(n)
    def kernel(
        table: wp.array(dtype=int, ndim=len(shape)) = given(*shape, low=0, high=12, trait="sorted"),
        queries: wp.array[float if QUERY == " rounded down" else int] = given(n, low=0, high=12, of="value"),
        offsets: wp.array[int] = given(n, low=-2, high=2),
        found: wp.array[int] = result(n),
    ):
        tid = wp.tid()
        if QUERY == " rounded down":
            query = int(wp.floor(queries[tid]))
        elif QUERY == " shifted by its offset":
            query = queries[tid] + offsets[tid]
        else:
            query = queries[tid]
        if TABLE == "one sorted table":
            keys = table
        else:
            keys = table[tid]
        if WANTED == "lower bound":
            found[tid] = bound(keys, query)
        elif WANTED == "upper bound":
            # whole keys: what is at most the query is below the next one
            found[tid] = bound(keys, query + 1)
        elif WANTED == "number of equal keys":
            found[tid] = bound(keys, query + 1) - bound(keys, query)
        elif WANTED == "presence":
            place = bound(keys, query)
            present = int(0)
            if place < keys.shape[0]:
                if keys[place] == query:
                    present = 1
            found[tid] = present
        else:
            right = wp.min(bound(keys, query), keys.shape[0] - 1)
            left = wp.max(right - 1, 0)
            nearest = right
            if query - keys[left] < wp.abs(keys[right] - query):
                nearest = left
            found[tid] = nearest


@idiom(
    level=4,
    names={
        "scores": "scores logits values",
        "best": "best extreme candidate",
        "width": "width cols count",
        "row": "row tid query",
        "out": "out selected result",
        "kernel": "select_k k_selection extreme_entries",
    },
)
def top_k_of_rows(c):
    """The {WHICH} entries of each row by {METHOD}{KEY}, as {RETURNED}."""
    rows, cols, K = c.size(5, 8), c.count(6, 9), c.count(2, 3)
    WHICH, KEY = c.meaning("largest", "smallest"), c.meaning("", ", weighted by column")
    METHOD = c.meaning("repeated selection", "counting ranks", "insertion into a short list")
    RETURNED = c.meaning("values", "column indices", "their mean")
    Short = c.vec(K)
    FAR = -1.0e30 if WHICH == "largest" else 1.0e30

    @c.kernel(rows)
    def kernel(
        scores: wp.array2d[float] = given(rows, cols, low=-3.0, high=3.0),
        weights: wp.array[float] = given(cols, low=0.3, high=1.5),
        out: wp.array2d[int if RETURNED == "column indices" else float] = result(
            rows, 1 if RETURNED == "their mean" else K
        ),
    ):
        row = wp.tid()
        width = scores.shape[1]
        if RETURNED == "their mean":
            total = float(0.0)
        if METHOD == "repeated selection":
            # a bit for each column that is taken
            taken = int(0)
            for place in range(K if RETURNED == "their mean" else out.shape[1]):
                best = float(FAR)
                column = int(0)
                for k in range(width):
                    if (taken >> k) & 1 == 1:
                        continue
                    value = scores[row, k] * weights[k] if KEY else scores[row, k]
                    if value > best if WHICH == "largest" else value < best:
                        best = value
                        column = k
                taken = taken | (1 << column)
                if RETURNED == "column indices":
                    out[row, place] = column
                elif RETURNED == "values":
                    out[row, place] = best
                else:
                    total += best
        elif METHOD == "counting ranks":
            for k in range(width):
                mine = scores[row, k] * weights[k] if KEY else scores[row, k]
                rank = int(0)
                for j in range(width):
                    other = scores[row, j] * weights[j] if KEY else scores[row, j]
                    ahead = other > mine if WHICH == "largest" else other < mine
                    # of equal ones the earlier column comes first
                    if ahead or (other == mine and j < k):
                        rank += 1
                if rank < K:
                    if RETURNED == "column indices":
                        out[row, rank] = k
                    elif RETURNED == "values":
                        out[row, rank] = mine
                    else:
                        total += mine
        else:
            kept = Short()
            if RETURNED == "column indices":
                columns = Short()
            for place in range(K):
                kept[place] = float(FAR)
            for k in range(width):
                value = scores[row, k] * weights[k] if KEY else scores[row, k]
                if RETURNED == "column indices":
                    column = float(k)
                # what is better pushes the rest one place down
                for place in range(K):
                    if value > kept[place] if WHICH == "largest" else value < kept[place]:
                        pushed = kept[place]
                        kept[place] = value
                        value = pushed
                        if RETURNED == "column indices":
                            pushed_column = columns[place]
                            columns[place] = column
                            column = pushed_column
            for place in range(K):
                if RETURNED == "column indices":
                    out[row, place] = int(columns[place])
                elif RETURNED == "values":
                    out[row, place] = kept[place]
                else:
                    total += kept[place]
        if RETURNED == "their mean":
            out[row, 0] = total / float(K)


@idiom(
    level=5,
    names={
        "a b": "a b | left_rows right_rows | first second",
        "row": "row tid pair",
        "i j": "i j | ia ib | p q",
        "out": "out result listed",
        "kernel": "merge_sorted_rows sorted_row_sets",
        "filled": "filled length placed",
    },
)
def merge_path_split(c):
    """The {SET} of two sorted rows{KEY}{METHOD}, {GIVEN}."""
    rows, n, m = c.size(4, 7), c.count(4, 6), c.count(3, 6)
    SET = c.meaning("union", "intersection", "merged list", "difference", "symmetric difference")
    if SET == "merged list":
        METHOD = c.meaning(", entry by entry", ", by merge paths")
        GIVEN = c.meaning("as a list", "as a list and the row each entry is from")
    else:
        METHOD = ""
        if SET in ("intersection", "difference"):
            METHOD = c.meaning(", entry by entry", ", by looking entries up")
        GIVEN = c.meaning("as a list filled up with -1", "summed", "as a list and its length")
    SHIFT = c.count(1, 3)
    KEY = c.meaning("", f", the second shifted by {SHIFT}")
    FAR = 100_000_000
    if METHOD != ", by merge paths":
        c.names({"kernel": "merge_sorted_rows" if SET == "merged list" else "sorted_row_sets"})

    def entry(lists: wp.array2d[int], row: int, k: int) -> int:
        """An entry of a row, or a large number behind its end."""
        if k >= lists.shape[1] or k < 0 if METHOD == ", by merge paths" else k >= lists.shape[1]:
            # above all entries
            return FAR
        return lists[row, k]

    def shifted(b: wp.array2d[int], row: int, k: int) -> int:
        # the second row counts as shifted by {SHIFT}
        return entry(b, row, k) + SHIFT

    second = shifted if KEY else entry

    def crossing(a: wp.array2d[int], b: wp.array2d[int], row: int, diagonal: int) -> int:
        """How many of the first so many merged entries come from a."""
        low = wp.max(diagonal - b.shape[1], 0)
        high = wp.min(diagonal, a.shape[1])
        while low < high:
            mid = (low + high) // 2
            if entry(a, row, mid) <= second(b, row, diagonal - 1 - mid):
                low = mid + 1
            else:
                high = mid
        return low

    def is_among(b: wp.array2d[int], row: int, value: int) -> bool:
        """Whether a value is in the second row."""
        for k in range(b.shape[1]):
            if KEY:
                # the second row counts as shifted by {SHIFT}
                found = b[row, k] + SHIFT
            else:
                found = b[row, k]
            if found >= value:
                # what comes behind is no smaller
                return found == value
        return False

    @c.kernel(rows)
    def kernel(
        a: wp.array2d[int] = given(rows, n, low=0, high=9, trait="sorted"),
        b: wp.array2d[int] = given(rows, m, low=0, high=9, trait="sorted"),
        out: wp.array2d[int] = result(rows, n + m),
        from_second: wp.array2d[int] = result(rows, n + m),
        sums: wp.array[int] = result(rows),
        lengths: wp.array[int] = result(rows),
    ):
        row = wp.tid()
        if GIVEN == "summed":
            total = int(0)
        if METHOD == ", by looking entries up":
            if GIVEN != "summed":
                filled = int(0)
            for k in range(a.shape[1]):
                value = a[row, k]
                if is_among(b, row, value) if SET == "intersection" else not is_among(b, row, value):
                    if GIVEN == "summed":
                        total += value
                    elif filled < out.shape[1]:
                        out[row, filled] = value
                        filled += 1
            if GIVEN == "as a list and its length":
                lengths[row] = filled
        elif METHOD == ", by merge paths":
            for place in range(a.shape[1] + b.shape[1]):
                i = crossing(a, b, row, place)
                value = wp.min(entry(a, row, i), second(b, row, place - i))
                out[row, place] = value
                if GIVEN != "as a list":
                    from_second[row, place] = wp.where(value < entry(a, row, i), 1, 0)
        else:
            i = int(0)
            j = int(0)
            if SET != "merged list" and GIVEN != "summed":
                filled = int(0)
            for place in range(a.shape[1] + b.shape[1]):
                left = entry(a, row, i)
                right = second(b, row, j)
                value = wp.min(left, right)
                if SET == "merged list":
                    # equal entries come from the first row first
                    if left <= right:
                        i += 1
                    else:
                        j += 1
                    out[row, place] = value
                    if GIVEN != "as a list":
                        from_second[row, place] = wp.where(left <= right, 0, 1)
                else:
                    # behind both ends there is nothing to keep: {FAR} and more stand for it
                    if SET == "union":
                        kept = value < FAR
                    elif SET == "intersection":
                        kept = left == right and value < FAR
                    elif SET == "symmetric difference":
                        kept = left != right and value < FAR
                    else:
                        kept = left < right and left < FAR
                    if left <= right:
                        i += 1
                    if right <= left:
                        j += 1
                    if kept:
                        if GIVEN == "summed":
                            total += value
                        elif filled < out.shape[1]:
                            out[row, filled] = value
                            filled += 1
            if GIVEN == "as a list and its length":
                lengths[row] = filled
        if GIVEN == "as a list filled up with -1":
            for place in range(filled, out.shape[1]):
                out[row, place] = -1
        if GIVEN == "summed":
            sums[row] = total
