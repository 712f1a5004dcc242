"""Sorting, and searching in sorted arrays."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "keys": "keys values data",
        "out": "out sorted_keys exchanged",
        "partner": "partner other mate",
        "mine theirs": "mine theirs | own far | here there",
        "ahead behind": "ahead behind | front back | low_end high_end",
        "keeps_first": "keeps_first keeps_ahead takes_first",
        "is_less": "is_less less comes_before",
        "kernel": "bitonic_step compare_exchange",
    },
)
def bitonic_exchange(c):
    """One {NETWORK} step{STRIDE} over {LAYOUT}, {ORDER} by {BY}{CARRIED}.

    Do one compare-exchange step of {NETWORKS} on {PLACES}, to sort keys {ORDER} by {BY}. Place i is compared
    with {PARTNER}. {RULE} Of the two keys the one that comes first in this order goes to the place in front;
    equal keys stay where they are.{BLOCKS}

    {out} holds the keys afterwards{MORE}.
    """
    n, rows = 8, c.size(4, 6)
    NETWORK = c.meaning("alternating bitonic", "bitonic merge", "mirrored merge", "odd")
    LAYOUT = c.meaning("each row", "one list")
    BY = c.meaning("value", "magnitude", "length")
    CARRIED = c.meaning("", ", carrying payloads", ", recording where each key is from")
    ORDER = c.meaning("ascending", "descending")
    # in blocks that alternate, two have to be there
    stride = 2 ** c.count(0, 1 if NETWORK == "alternating bitonic" else 2)
    Key = c.vec(2) if BY == "length" else float
    if NETWORK == "odd":
        STRIDE = " of odd-even transposition sort"
        c.names({"kernel": "odd_even_step compare_exchange"})
    elif NETWORK == "mirrored merge":
        STRIDE = f" in blocks of {2 * stride}"
        c.names({"kernel": "mirrored_merge_step compare_exchange"})
    else:
        STRIDE = f" at stride {stride}"

    def is_less(a: Key, b: Key) -> bool:
        if BY == "length":
            return wp.length_sq(a) < wp.length_sq(b)
        elif BY == "magnitude":
            return wp.abs(a) < wp.abs(b)
        else:
            return a < b

    if NETWORK == "odd":

        def partner_of(i: int, count: int) -> int:
            """The place that a place is compared with; at the ends it may be the place itself."""
            if i % 2 == 1:
                return wp.min(i + 1, count - 1)
            return wp.max(i - 1, 0)

    else:

        def partner_of(i: int) -> int:
            """The place that a place is compared with."""
            if NETWORK == "mirrored merge":
                return i ^ (2 * stride - 1)
            else:
                return i ^ stride

    NETWORKS = {
        "alternating bitonic": "a bitonic sort",
        "bitonic merge": "a bitonic merge",
        "mirrored merge": "a bitonic merge in its mirrored form",
        "odd": "an odd-even transposition sort (an odd step)",
    }[NETWORK]
    PLACES = "each row of {keys}" if LAYOUT == "each row" else "the list {keys}"
    LAST = 2 * stride - 1
    PARTNER = {
        "mirrored merge": "place i XOR {LAST}",
        "odd": "place i + 1 if i is odd and with place i - 1 if i is even; the first place, and a last one "
        "that is odd, have no partner and keep their key",
    }.get(NETWORK, "place i XOR {stride}")
    RULE = {
        "value": "",
        "magnitude": "Keys count by their absolute value.",
        "length": "Keys are vectors, which count by their length.",
    }[BY]
    BLOCK = 2 * stride
    BLOCKS = ""
    if NETWORK == "alternating bitonic":
        BLOCKS = (
            " In every other block of {BLOCK} places, from the second one on, the order is the other way "
            "round."
        )
    MORE = {
        "": "",
        ", carrying payloads": ", and {moved} the payloads in {payload}, which go with their keys",
        ", recording where each key is from": ", and {moved} the place that each of them comes from",
    }[CARRIED]

    if LAYOUT == "each row":

        @c.kernel(rows, n)
        def kernel(
            keys: wp.array2d[Key] = input(rows, n, low=-2.0, high=2.0),
            payload: wp.array2d[float] = input(rows, n, low=-1.0, high=1.0),
            out: wp.array2d[Key] = output(rows, n),
            moved: wp.array2d[float if CARRIED == ", carrying payloads" else int] = output(rows, n),
        ):
            row, i = wp.tid()
            if NETWORK == "odd":
                partner = partner_of(i, keys.shape[1])
            else:
                partner = partner_of(i)
            mine = keys[row, i]
            theirs = keys[row, partner]
            keeps_first = i < partner
            if NETWORK == "alternating bitonic":
                # every other block runs the other way
                keeps_first = keeps_first == ((i & (2 * stride)) == 0)
            ahead = wp.where(keeps_first, mine, theirs)
            behind = wp.where(keeps_first, theirs, mine)
            swap = is_less(ahead, behind) if ORDER == "descending" else is_less(behind, ahead)
            out[row, i] = wp.where(swap, theirs, mine)
            if CARRIED == ", carrying payloads":
                moved[row, i] = wp.where(swap, payload[row, partner], payload[row, i])
            elif CARRIED == ", recording where each key is from":
                moved[row, i] = wp.where(swap, partner, i)

    else:

        @c.kernel(n)
        def kernel(
            keys: wp.array[Key] = input(n, low=-2.0, high=2.0),
            payload: wp.array[float] = input(n, low=-1.0, high=1.0),
            out: wp.array[Key] = output(n),
            moved: wp.array[float if CARRIED == ", carrying payloads" else int] = output(n),
        ):
            i = wp.tid()
            if NETWORK == "odd":
                partner = partner_of(i, keys.shape[0])
            else:
                partner = partner_of(i)
            keeps_first = i < partner
            if NETWORK == "alternating bitonic":
                # every other block runs the other way
                keeps_first = keeps_first == ((i & (2 * stride)) == 0)
            ahead = wp.where(keeps_first, i, partner)
            behind = wp.where(keeps_first, partner, i)
            if ORDER == "descending":
                swap = is_less(keys[ahead], keys[behind])
            else:
                swap = is_less(keys[behind], keys[ahead])
            source = wp.where(swap, partner, i)
            out[i] = keys[source]
            if CARRIED == ", carrying payloads":
                moved[i] = payload[source]
            elif CARRIED == ", recording where each key is from":
                moved[i] = source


@idiom(
    level=4,
    differentiable=False,
    names={
        "a": "a rows_data values table",
        "row": "row tid r",
        "kernel": "sort_rows sort_each_row",
        "tmp": "tmp temp spare",
    },
)
def rows_sorted_in_place(c):
    """Sorts each row in place by {ALGORITHM}, {ORDER} by {KEY}{EXTRA}.

    Sort each row of {a} in place, {ORDER} by {KEY}, by {ALGORITHM}.{LABELLED}{COUNTED}
    """
    rows, cols = c.size(4, 6), c.count(5, 8)
    ALGORITHM = c.meaning(
        *("insertion sort", "selection sort", "bubble sort", "Shell sort", "odd-even sort", "cocktail sort")
    )
    ORDER, KEY = c.meaning("ascending", "descending"), c.meaning("value", "magnitude")
    if ALGORITHM == "Shell sort":
        # what the first round does shows in nothing else
        EXTRA = ", counting the exchanges"
    else:
        EXTRA = c.meaning("", ", counting the exchanges", ", carrying its labels along")
    GAPS = (c.count(3, 4), 1)

    def before(left: float, right: float) -> bool:
        """Whether one value belongs before another."""
        if KEY == "magnitude":
            return wp.abs(left) < wp.abs(right) if ORDER == "ascending" else wp.abs(left) > wp.abs(right)
        else:
            return left < right if ORDER == "ascending" else left > right

    def exchange(a: wp.array2d[float], row: int, first: int, second: int):
        tmp = a[row, first]
        a[row, first] = a[row, second]
        a[row, second] = tmp

    def exchange_labels(labels: wp.array2d[int], row: int, first: int, second: int):
        label = labels[row, first]
        labels[row, first] = labels[row, second]
        labels[row, second] = label

    LABELLED = " The row of {labels} is rearranged like it." if EXTRA.endswith("along") else ""
    GAP = GAPS[0]
    COUNTED = ""
    if EXTRA == ", counting the exchanges":
        COUNTED = " Store in {moves} the number of exchanges of two entries in the row. {WHICH}"
    WHICH = {
        "insertion sort": "Each entry in turn, from the second on, is exchanged with the one before it as "
        "long as it belongs before that.",
        "selection sort": "The first entry of those that are not sorted yet is exchanged with the one that "
        "belongs there, unless it is the same.",
        "bubble sort": "Only neighbours in the wrong order are exchanged.",
        "odd-even sort": "Only neighbours in the wrong order are exchanged.",
        "cocktail sort": "Only neighbours in the wrong order are exchanged.",
        "Shell sort": "There are two rounds of insertion, with the gaps {GAP} and 1: each entry in turn, "
        "from the first that has another one a gap before it, is exchanged with that one as long as it "
        "belongs before it.",
    }[ALGORITHM]

    @c.kernel(rows)
    def kernel(
        a: wp.array2d[float] = inout(rows, cols, low=-3.0, high=3.0),
        labels: wp.array2d[int] = inout(rows, cols, low=0, high=20),
        moves: wp.array[int] = output(rows),
    ):
        row = wp.tid()
        width = a.shape[1]
        if EXTRA == ", counting the exchanges":
            count = int(0)
        if ALGORITHM == "insertion sort":
            for i in range(1, width):
                for j in range(i, 0, -1):
                    if not before(a[row, j], a[row, j - 1]):
                        break
                    exchange(a, row, j, j - 1)
                    if EXTRA == ", carrying its labels along":
                        exchange_labels(labels, row, j, j - 1)
                    if EXTRA == ", counting the exchanges":
                        count += 1
        elif ALGORITHM == "selection sort":
            for i in range(width - 1):
                best = i
                for j in range(i + 1, width):
                    if before(a[row, j], a[row, best]):
                        best = j
                if best != i:
                    exchange(a, row, i, best)
                    if EXTRA == ", carrying its labels along":
                        exchange_labels(labels, row, i, best)
                    if EXTRA == ", counting the exchanges":
                        count += 1
        elif ALGORITHM == "bubble sort":
            for turn in range(width - 1):
                swapped = bool(False)
                for j in range(width - 1 - turn):
                    if before(a[row, j + 1], a[row, j]):
                        exchange(a, row, j, j + 1)
                        if EXTRA == ", carrying its labels along":
                            exchange_labels(labels, row, j, j + 1)
                        swapped = True
                        if EXTRA == ", counting the exchanges":
                            count += 1
                # a round without a swap is the last one
                if not swapped:
                    break
        elif ALGORITHM == "odd-even sort":
            for phase in range(width):
                for j in range(phase % 2, width - 1, 2):
                    if before(a[row, j + 1], a[row, j]):
                        exchange(a, row, j, j + 1)
                        if EXTRA == ", carrying its labels along":
                            exchange_labels(labels, row, j, j + 1)
                        if EXTRA == ", counting the exchanges":
                            count += 1
        elif ALGORITHM == "cocktail sort":
            for turn in range(width // 2):
                for j in range(turn, width - 1 - turn):
                    if before(a[row, j + 1], a[row, j]):
                        exchange(a, row, j, j + 1)
                        if EXTRA == ", carrying its labels along":
                            exchange_labels(labels, row, j, j + 1)
                        if EXTRA == ", counting the exchanges":
                            count += 1
                # and back, for what belongs at the front
                for j in range(width - 2 - turn, turn, -1):
                    if before(a[row, j], a[row, j - 1]):
                        exchange(a, row, j, j - 1)
                        if EXTRA == ", carrying its labels along":
                            exchange_labels(labels, row, j, j - 1)
                        if EXTRA == ", counting the exchanges":
                            count += 1
        else:
            for gap in GAPS:
                for i in range(gap, width):
                    j = int(i)
                    while j >= gap:
                        if not before(a[row, j], a[row, j - gap]):
                            break
                        exchange(a, row, j, j - gap)
                        j -= gap
                        count += 1
        if EXTRA == ", counting the exchanges":
            moves[row] = count


@idiom(
    level=4,
    differentiable=False,
    names={
        "a": "a values table keys",
        "row": "row tid r",
        "pivot": "pivot splitter threshold",
        "out": "out parted arranged",
        "front back": "front back | head tail | left right",
        "kernel": "partition_rows split_rows",
    },
)
def partition_around_pivot(c):
    """Partitions each row around {PIVOT}, {WAYS}{KEPT}{GIVEN}.

    Partition each row of {a} around a pivot P, as quicksort does; P is {CHOSEN}.

    {PARTS} Store the row in {out}.{SPLIT}
    """
    rows, cols = c.size(4, 7), c.count(5, 8)
    PIVOT = c.meaning("its first entry", "the median of three", "a number of its own", "its mean")
    THREE = "entries close to it in the middle"
    WAYS = c.meaning("smaller ones first", "larger ones first", THREE)
    if WAYS == THREE:
        KEPT = ", keeping their order"
    else:
        KEPT = c.meaning(", keeping their order", ", filling in from both ends")
    SHARE = ", and stores the share of the first part"
    GIVEN = c.meaning(", and stores where the first part ends", "", SHARE)
    BAND = c.constant(0.2, 0.6)

    def median(p: float, q: float, r: float) -> float:
        return wp.max(wp.min(p, q), wp.min(wp.max(p, q), r))

    CHOSEN = {
        "its first entry": "the first entry of the row",
        "the median of three": "the median of three of the row's n entries: the first, the one at ⌊n/2⌋ and "
        "the last",
        "a number of its own": "the row's entry of {pivots}",
        "its mean": "the mean of the row",
    }[PIVOT]
    FIRST = "larger than" if WAYS == "larger ones first" else "smaller than"
    PARTS = "Entries {FIRST} P come first, all others after them; both parts keep the order of the row."
    if WAYS == THREE:
        PARTS = (
            "Entries below P - {BAND} come first, those with |entry - P| ≤ {BAND} after them, and those "
            "above P + {BAND} last; all three parts keep the order of the row."
        )
    elif KEPT != ", keeping their order":
        PARTS = (
            "Entries {FIRST} P come first, in the order of the row; all others fill the row from its end, so "
            "that they come in the reverse order."
        )
    SPLIT = {
        "": "",
        ", and stores where the first part ends": " {border} is the number of entries in the first part.",
        SHARE: " {border} is the share of the row's entries that are in the first part.",
    }[GIVEN]

    @c.kernel(rows)
    def kernel(
        a: wp.array2d[float] = input(rows, cols, low=-2.0, high=2.0),
        pivots: wp.array[float] = input(rows, low=-1.0, high=1.0),
        out: wp.array2d[float] = output(rows, cols),
        border: wp.array[float if GIVEN == SHARE else int] = output(rows),
    ):
        row = wp.tid()
        width = a.shape[1]
        if PIVOT == "its first entry":
            pivot = a[row, 0]
        elif PIVOT == "the median of three":
            pivot = median(a[row, 0], a[row, width // 2], a[row, width - 1])
        elif PIVOT == "a number of its own":
            pivot = pivots[row]
        else:
            total = float(0.0)
            for k in range(width):
                total += a[row, k]
            pivot = total / float(width)
        front = int(0)
        if KEPT == ", keeping their order":
            for k in range(width):
                value = a[row, k]
                if WAYS == THREE:
                    early = value < pivot - BAND
                elif WAYS == "larger ones first":
                    early = value > pivot
                else:
                    early = value < pivot
                if early:
                    out[row, front] = value
                    front += 1
            if WAYS == THREE:
                middle = front
                for k in range(width):
                    value = a[row, k]
                    if wp.abs(value - pivot) <= BAND:
                        out[row, wp.min(middle, width - 1)] = value
                        middle += 1
            # backwards from the end, which keeps the order
            back = int(0)
            for k in range(width - 1, -1, -1):
                value = a[row, k]
                if WAYS == THREE:
                    late = value > pivot + BAND
                elif WAYS == "larger ones first":
                    late = value <= pivot
                else:
                    late = value >= pivot
                if late:
                    out[row, width - 1 - back] = value
                    back += 1
        else:
            back = int(0)
            for k in range(width):
                value = a[row, k]
                if value > pivot if WAYS == "larger ones first" else value < pivot:
                    out[row, front] = value
                    front += 1
                else:
                    # the other part grows from the end
                    out[row, width - 1 - back] = value
                    back += 1
        if GIVEN == ", and stores where the first part ends":
            border[row] = front
        elif GIVEN == SHARE:
            border[row] = float(front) / float(width)
