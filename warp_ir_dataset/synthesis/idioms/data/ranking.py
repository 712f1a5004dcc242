"""Ranks of entries, and how far data are from order."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=2,
    names={
        "x": "x keys values scores",
        "out": "out ranks order",
        "rank": "rank place position",
        "mine": "mine key value",
        "kernel": "count_ranks enumeration_sort",
    },
)
def rank_by_counting(c):
    """The rank of each entry among {AMONG}, counting {COUNTED} ones, ties {TIES}, as {GIVEN}."""
    n = c.size()
    AMONG = c.meaning("all", "its group", "active entries")
    COUNTED = c.meaning("smaller", "larger")
    TIES = c.meaning("by place", "counted half", "sharing a rank")
    GIVEN = c.meaning("a number", "a share")

    @c.kernel(n)
    def kernel(
        x: wp.array[int] = given(n, low=0, high=8),
        group: wp.array[int] = given(n, low=0, high=2),
        active: wp.array[int] = given(n, low=0, high=1),
        out: wp.array[int if GIVEN == "a number" and TIES != "counted half" else float] = result(
            n, of="value"
        ),
    ):
        i = wp.tid()
        mine = x[i]
        if GIVEN == "a number" and TIES != "counted half":
            rank = int(0)
        else:
            rank = float(0.0)
        for j in range(x.shape[0]):
            if AMONG == "its group":
                if group[j] != group[i]:
                    continue
            elif AMONG == "active entries":
                if active[j] == 0:
                    continue
            other = x[j]
            if TIES == "by place":
                ahead = other < mine if COUNTED == "smaller" else other > mine
                if ahead or (other == mine and j < i):
                    rank += 1 if GIVEN == "a number" else 1.0
            elif TIES == "counted half":
                if other == mine:
                    rank += 0.5
                if other < mine if COUNTED == "smaller" else other > mine:
                    rank += 1.0
            else:
                if other < mine if COUNTED == "smaller" else other > mine:
                    rank += 1 if GIVEN == "a number" else 1.0
        if GIVEN == "a number":
            out[i] = rank
        else:
            out[i] = rank / float(n)


@idiom(
    level=3,
    names={
        "x": "x values series data",
        "out": "out disorder counts",
        "row": "row tid i",
        "count": "count total score",
        "kernel": "count_inversions measure_disorder",
    },
)
def inversion_count(c):
    """The {MEASURE} of each row, {PAIRS}, {WEIGHT}, {SCALE}."""
    rows, width = c.size(5, 9), c.count(5, 8)
    MEASURE = c.meaning("number of inversions", "Kendall correlation to a partner", "Spearman footrule")
    PAIRS = c.meaning("over all pairs", "over near pairs", "over active entries")
    WEIGHT = c.meaning("each counted once", "weighted by the gap", "weighted by distance")
    SCALE = c.meaning("as a sum", "as a share")
    REACH = c.count(2, 3)

    @c.kernel(rows)
    def kernel(
        x: wp.array2d[float] = given(rows, width, low=-2.0, high=2.0),
        y: wp.array2d[float] = given(rows, width, low=-2.0, high=2.0),
        active: wp.array[int] = given(width, low=0, high=1),
        out: wp.array[float] = result(rows, of="value"),
    ):
        row = wp.tid()
        count = float(0.0)
        if SCALE == "as a share":
            pairs = float(1.0)
        for i in range(width):
            if PAIRS == "over active entries":
                if active[i] == 0:
                    continue
            if MEASURE == "Spearman footrule":
                place = float(0.0)
                for j in range(width):
                    if PAIRS == "over active entries":
                        if active[j] == 0:
                            continue
                    elif PAIRS == "over near pairs":
                        if wp.abs(i - j) > REACH:
                            continue
                    if x[row, j] < x[row, i]:
                        place += 1.0
                # how far the entry is from where it belongs
                moved = wp.abs(place - float(i))
                if WEIGHT == "weighted by the gap":
                    moved *= wp.abs(x[row, i])
                elif WEIGHT == "weighted by distance":
                    moved *= moved
                count += moved
                if SCALE == "as a share":
                    pairs += float(i)
            else:
                for j in range(i + 1, width):
                    if PAIRS == "over active entries":
                        if active[j] == 0:
                            continue
                    elif PAIRS == "over near pairs":
                        if j - i > REACH:
                            break
                    gap = x[row, j] - x[row, i]
                    if WEIGHT == "weighted by the gap":
                        weight = wp.abs(gap)
                    elif WEIGHT == "weighted by distance":
                        weight = 1.0 / float(j - i)
                    else:
                        weight = float(1.0)
                    if MEASURE == "number of inversions":
                        if gap < 0.0:
                            count += weight
                    else:
                        other = y[row, j] - y[row, i]
                        count += wp.where(gap * other > 0.0, weight, -weight)
                    if SCALE == "as a share":
                        pairs += weight
        if SCALE == "as a share":
            out[row] = count / pairs
        else:
            out[row] = count


@idiom(
    level=2,
    names={
        "x": "x values series keys",
        "out": "out flags marks",
        "i": "i tid k",
        "kernel": "check_order mark_breaks",
        "here": "here value mine",
    },
)
def sortedness_check(c):
    """Marks {WHAT} of a list by {KEY}, {HOW}."""
    n = c.size()
    WHAT = c.meaning("descents", "local peaks", "entries out of order", "run starts", "repeated entries")
    KEY = c.meaning("value", "magnitude", "length", "scaled value")
    HOW = c.meaning("entry by entry", "counted in all", "with the size of the step")

    Item = c.vec(2) if KEY == "length" else float

    def key(x: wp.array[Item], i: int) -> float:
        k = wp.clamp(i, 0, x.shape[0] - 1)
        if KEY == "magnitude":
            return wp.abs(x[k])
        elif KEY == "length":
            return wp.length(x[k])
        elif KEY == "scaled value":
            return x[k] * (1.0 + 0.1 * float(k))
        else:
            return x[k]

    @c.kernel(n)
    def kernel(
        x: wp.array[Item] = given(n, low=-2.0, high=3.0),
        out: wp.array[float if HOW == "with the size of the step" else int] = result(n),
        count: wp.array[int] = result(1),
    ):
        i = wp.tid()
        here = key(x, i)
        if WHAT != "entries out of order" or HOW == "with the size of the step":
            step = here - key(x, i - 1)
        if WHAT == "descents":
            marked = step < 0.0
        elif WHAT == "local peaks":
            marked = step > 0.0 and key(x, i + 1) < here
        elif WHAT == "run starts":
            # a run goes on while it does not turn
            before = key(x, i - 1) - key(x, i - 2)
            marked = i == 0 or step * before < 0.0
        elif WHAT == "repeated entries":
            marked = i > 0 and wp.abs(step) < 0.5
        else:
            marked = bool(False)
            for j in range(i):
                if key(x, j) > here:
                    marked = True
                    break
        if HOW == "counted in all":
            if marked:
                wp.atomic_add(count, 0, 1)
        elif HOW == "with the size of the step":
            out[i] = wp.where(marked, step, 0.0)
        else:
            out[i] = wp.where(marked, 1, 0)
