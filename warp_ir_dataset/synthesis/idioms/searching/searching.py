"""Searching sorted tables, merging sorted rows, choosing the largest."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=3,
    differentiable=False,
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
    """The {SAID} each query{QUERY} in {TABLE}, by {SEARCH}.

    Look up integers in {KEYS} by {HOW}. Query k is {NUMBER}. Store in {found} {ANSWER}.
    """
    n, count = c.size(), c.size(8, 12)
    WANTED = c.meaning("lower bound", "upper bound", "number of equal keys", "nearest key", "presence")
    SAID = {
        "number of equal keys": "number of keys equal to",
        "nearest key": "place of the key nearest to",
        "presence": "presence (1 or 0) of",
    }.get(WANTED, f"{WANTED} of")
    SEARCH = c.meaning("bisection", "binary lifting", "a linear scan")
    QUERY = c.meaning("", " shifted by its offset", " rounded down")
    TABLE = c.meaning("a sorted table", "its own sorted row")
    shape = (count,) if TABLE == "a sorted table" else (n, count)
    KERNEL, FOUND = {
        "lower bound": ("lower_bounds search_sorted", "found out slots"),
        "upper bound": ("upper_bounds search_sorted", "found out slots"),
        "number of equal keys": ("count_equal_keys count_matches", "counts out matches"),
        "nearest key": ("find_nearest_keys nearest_keys", "nearest_places out nearest_slots"),
        "presence": ("contains_keys look_up_presence", "found out hits"),
    }[WANTED]
    if WANTED != "lower bound" or SEARCH != "bisection":
        c.names({"kernel": KERNEL})
    c.names({"found": FOUND})

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
            step = int(8)
            while step > 0:
                ahead = place + step
                if ahead <= keys.shape[0]:
                    if keys[ahead - 1] < query:
                        place = ahead
                step = step // 2
            return place
        else:
            place = int(0)
            for k in range(keys.shape[0]):
                if keys[k] >= query:
                    break
                place += 1
            return place

    KEYS = (
        "the rising {table}" if TABLE == "a sorted table" else "the rising rows of {table}, query k in row k,"
    )
    HOW = SEARCH
    if SEARCH == "binary lifting":
        HOW = "binary lifting, with steps of 8, 4, 2 and 1"
    NUMBER = {
        "": "`{queries}[k]`",
        " shifted by its offset": "`{queries}[k] + {offsets}[k]`",
        " rounded down": "⌊`{queries}[k]`⌋",
    }[QUERY]
    ANSWER = {
        "lower bound": "its lower bound, the number of keys below it",
        "upper bound": "its upper bound, the number of keys that are not above it",
        "number of equal keys": "how many keys equal it",
        "nearest key": "the place of the key nearest to it. Of two equally near keys the larger one wins; of "
        "keys that are equal to each other the first wins if they are not below the query, and otherwise the "
        "last",
        "presence": "1 if a key equals it, and 0 otherwise",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        table: wp.array(dtype=int, ndim=len(shape)) = input(*shape, low=0, high=12, trait="sorted"),
        queries: wp.array[float if QUERY == " rounded down" else int] = input(n, low=0, high=12, of="value"),
        offsets: wp.array[int] = input(n, low=-2, high=2),
        found: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        if QUERY == " rounded down":
            query = int(wp.floor(queries[tid]))
        elif QUERY == " shifted by its offset":
            query = queries[tid] + offsets[tid]
        else:
            query = queries[tid]
        if TABLE == "a sorted table":
            keys = table
        else:
            keys = table[tid]
        if WANTED == "lower bound":
            found[tid] = bound(keys, query)
        elif WANTED == "upper bound":
            # of whole keys, those up to the query lie below the query plus one
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
    differentiable=False,
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
    """The {RETURNED}{MANY} {WHICH} entries of each row{KEY}, by {METHOD}.

    Find the {MANY} {WHICH} entries of each row of {scores}{WEIGHTED}, by {METHOD}. {RESULT}
    """
    rows, cols = c.size(5, 8), c.count(6, 9)
    K, MANY = c.style((2, "two"), (3, "three"))
    WHICH, KEY = c.meaning("largest", "smallest"), c.meaning("", ", weighted by column")
    METHOD = c.meaning("repeated selection", "counting ranks", "insertion into a short list")
    if METHOD == "insertion into a short list":
        RETURNED = c.meaning("", "mean of the ")
    else:
        RETURNED = c.meaning("", "columns of the ", "mean of the ", "values and columns of the ")
    if RETURNED == "columns of the ":
        c.names({"kernel": "select_columns extreme_columns arg_select"})
    elif RETURNED == "mean of the ":
        c.names({"kernel": "mean_of_extremes extreme_means"})
    Short = c.vec(K)
    FAR = -1.0e30 if WHICH == "largest" else 1.0e30
    WEIGHTED = ", each multiplied by the entry of {weights} for its column" if KEY else ""
    ORDER = f"in order from the {WHICH} on"
    if RETURNED != "":
        ORDER += "; of equal entries the earlier column comes first"
    RESULT = {
        "": "Store them in {out}, {ORDER}.",
        "columns of the ": "Store their columns in {columns}, {ORDER}.",
        "mean of the ": "Store their mean in {means}.",
        "values and columns of the ": "Store the values in {out} and their columns in {columns}, {ORDER}.",
    }[RETURNED]

    @c.kernel(rows)
    def kernel(
        scores: wp.array2d[float] = input(rows, cols, low=-3.0, high=3.0),
        weights: wp.array[float] = input(cols, low=0.3, high=1.5),
        out: wp.array2d[float] = output(rows, K),
        columns: wp.array2d[int] = output(rows, K),
        means: wp.array[float] = output(rows),
    ):
        row = wp.tid()
        width = scores.shape[1]
        if RETURNED == "mean of the ":
            total = float(0.0)
        if METHOD == "repeated selection":
            # a bit for each column that is taken
            taken = int(0)
            for place in range(K):
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
                if RETURNED == "mean of the ":
                    total += best
                else:
                    if RETURNED != "columns of the ":
                        out[row, place] = best
                    if RETURNED != "":
                        columns[row, place] = column
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
                    if RETURNED == "mean of the ":
                        total += mine
                    else:
                        if RETURNED != "columns of the ":
                            out[row, rank] = mine
                        if RETURNED != "":
                            columns[row, rank] = k
        else:
            kept = Short()
            for place in range(K):
                kept[place] = float(FAR)
            for k in range(width):
                value = scores[row, k] * weights[k] if KEY else scores[row, k]
                # what is better pushes the rest one place down
                for place in range(K):
                    if value > kept[place] if WHICH == "largest" else value < kept[place]:
                        pushed = kept[place]
                        kept[place] = value
                        value = pushed
            for place in range(K):
                if RETURNED == "":
                    out[row, place] = kept[place]
                else:
                    total += kept[place]
        if RETURNED == "mean of the ":
            means[row] = total / float(K)


@idiom(
    level=5,
    differentiable=False,
    names={
        "a b": "a b | left_rows right_rows | first second",
        "row": "row tid pair",
        "i j": "i j | ia ib | p q",
        "out": "out result listed",
        "kernel": "merge_sorted_rows merge_by_paths",
        "filled": "filled length placed",
    },
)
def merge_path_split(c):
    """{DONE}{KEY}{METHOD}{GIVEN}.

    {PURPOSE}. Row r of {a} and row r of {b} rise, and equal entries may occur more than
    once{SHIFTED}.{COUNTS}

    {RESULT}
    """
    rows, n, m = c.size(4, 7), c.count(4, 6), c.count(3, 6)
    SET = c.meaning("union", "intersection", "merged list", "difference", "symmetric difference")
    if SET == "merged list":
        METHOD = c.meaning(", entry by entry", ", finding each place by its merge path")
        GIVEN = c.meaning("", ", and stores which row each entry is from")
        DONE = "Merges two sorted rows into one"
    else:
        METHOD = ""
        if SET in ("intersection", "difference"):
            METHOD = c.meaning("", ", by looking entries up")
        GIVEN = c.meaning(", filled up with -1", "", ", and its length")
        DONE = f"The {SET} of two sorted rows" if GIVEN else f"The sum of the {SET} of two sorted rows"
    SHIFT = c.count(1, 3)
    KEY = c.meaning("", f", the second shifted by {SHIFT}")
    FAR = 1_000_000
    PATHS = METHOD == ", finding each place by its merge path"
    SUMMED = SET != "merged list" and GIVEN == ""
    if not PATHS:
        KERNELS = {
            "union": "unite_rows union_of_rows",
            "intersection": "intersect_rows common_entries",
            "merged list": "merge_sorted_rows merge_rows",
            "difference": "subtract_rows row_differences",
            "symmetric difference": "symmetric_differences unshared_entries",
        }
        c.names({"kernel": KERNELS[SET]})

    def entry(lists: wp.array2d[int], row: int, k: int) -> int:
        """An entry of a row, or a large number behind its end."""
        if k >= lists.shape[1] or k < 0 if PATHS else k >= lists.shape[1]:
            # above all entries
            return FAR
        return lists[row, k]

    def shifted(b: wp.array2d[int], row: int, k: int) -> int:
        # the second row counts as shifted by {SHIFT}
        return entry(b, row, k) + SHIFT

    second = shifted if KEY else entry

    def crossing(a: wp.array2d[int], b: wp.array2d[int], row: int, diagonal: int) -> int:
        """How many of the first {diagonal} merged entries come from {a}."""
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

    PURPOSE = {
        "union": "Unite pairs of sorted rows",
        "intersection": "Intersect pairs of sorted rows",
        "difference": "Remove the entries of one sorted row from another",
        "symmetric difference": "Find the entries in which pairs of sorted rows differ",
        "merged list": "Merge pairs of sorted rows",
    }[SET] + METHOD
    SHIFTED = "; {SHIFT} is added to all entries of {b} first" if KEY else ""
    COUNTS = {
        "union": " A number that occurs m times in the one and n times in the other occurs max(m, n) times "
        "in their union.",
        "intersection": " A number that occurs m times in the one and n times in the other occurs min(m, n) "
        "times in their intersection.",
        "difference": " A number that occurs m times in the row of {a} and n times in that of {b} occurs "
        "max(m - n, 0) times in their difference.",
        "symmetric difference": " A number that occurs m times in the one and n times in the other occurs |m "
        "- n| times in their symmetric difference.",
        "merged list": "",
    }[SET]
    if METHOD == ", by looking entries up":
        COUNTS = " Each entry of {a} that is anywhere in the row of {b} belongs to the intersection."
        if SET == "difference":
            COUNTS = " Each entry of {a} that is nowhere in the row of {b} belongs to the difference."
    elif SET == "difference" and KEY:
        # as the ends count as numbers too, of which the second is shifted
        COUNTS += " Behind these entries {FAR} follows once for each pair of equal entries that cancel."
    RESULT = {
        "": "Store the sum of these entries in {sums}.",
        ", filled up with -1": "Store the entries in rising order in {out}, and -1 behind them.",
        ", and its length": "Store the entries in rising order in {out}, the rest of which stays zero, and "
        "their number in {lengths}.",
    }.get(GIVEN, "")
    if SET == "merged list":
        RESULT = "Store all entries in rising order in {out}."
        if GIVEN:
            RESULT = (
                "Store all entries in rising order in {out}, and in {from_second} for each whether it is "
                "from {a}, 0, or from {b}, 1; of equal entries those of {a} come first."
            )

    @c.kernel(rows)
    def kernel(
        a: wp.array2d[int] = input(rows, n, low=0, high=9, trait="sorted"),
        b: wp.array2d[int] = input(rows, m, low=0, high=9, trait="sorted"),
        out: wp.array2d[int] = output(rows, n + m),
        from_second: wp.array2d[int] = output(rows, n + m),
        sums: wp.array[int] = output(rows),
        lengths: wp.array[int] = output(rows),
    ):
        row = wp.tid()
        if SUMMED:
            total = int(0)
        if METHOD == ", by looking entries up":
            if not SUMMED:
                filled = int(0)
            for k in range(a.shape[1]):
                value = a[row, k]
                if is_among(b, row, value) if SET == "intersection" else not is_among(b, row, value):
                    if SUMMED:
                        total += value
                    else:
                        out[row, filled] = value
                        filled += 1
            if GIVEN == ", and its length":
                lengths[row] = filled
        elif PATHS:
            for place in range(a.shape[1] + b.shape[1]):
                i = crossing(a, b, row, place)
                value = wp.min(entry(a, row, i), second(b, row, place - i))
                out[row, place] = value
                if GIVEN:
                    from_second[row, place] = wp.where(value < entry(a, row, i), 1, 0)
        else:
            i = int(0)
            j = int(0)
            if SET != "merged list" and not SUMMED:
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
                    if GIVEN:
                        from_second[row, place] = wp.where(left <= right, 0, 1)
                else:
                    # {FAR} stands for the end of a row and is no entry
                    if SET == "union":
                        kept = value < FAR
                    elif SET == "intersection" and KEY:
                        # what stands for an end is shifted too, and never equal
                        kept = left == right
                    elif SET == "intersection":
                        kept = left == right and value < FAR
                    elif SET == "symmetric difference":
                        kept = left != right and value < FAR
                    else:
                        kept = left < right
                    if left <= right:
                        i += 1
                    if right <= left:
                        j += 1
                    if kept:
                        if SUMMED:
                            total += value
                        else:
                            out[row, filled] = value
                            filled += 1
            if GIVEN == ", and its length":
                lengths[row] = filled
        if GIVEN == ", filled up with -1":
            for place in range(filled, out.shape[1]):
                out[row, place] = -1
        if SUMMED:
            sums[row] = total
