"""Places that threads claim, empty, or look for in vain."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    differentiable=False,
    names={
        "seen": "seen claimed visited",
        "cells": "cells keys labels",
        "cell": "cell key label",
        "before": "before was found",
    },
)
def distinct_claims(c):
    """Claims the {WHAT} of each {ITEM} and {COUNTED} not claimed before{INTO}.

    Claim cells for items, each cell at most once, and {TELL}. {WHO} claims {CLAIM}. A flag of 1 in {seen}
    says that a cell was claimed earlier, 0 that it is free; every cell that is claimed here has the flag 1
    afterwards.

    {WORTH} cells {OF} that were free and are claimed now{NONE}; a cell that several items claim counts once.
    """
    n, room = c.size(11, 15), c.size(8, 11)
    WHAT = c.meaning("cell", "hashed cell", "hashed pair of cells")
    ITEM = c.meaning("item", "marked item", "item whose value is in a range")
    COUNTED = c.meaning("counts those", "sums the weights of those", "keeps the largest weight of those")
    INTO = c.meaning("", ", by group")
    groups = 3 if INTO else 1
    Worth = int if COUNTED == "counts those" else float
    FACTOR = c.style(31, 37, 41, 53, 61, 73)
    LOWEST, HIGHEST = c.constant(-0.7, -0.3), c.constant(0.5, 0.8)
    c.names(
        {
            "counts those": {
                "kernel": "count_distinct count_first_visits",
                "distinct": "distinct uniques fresh",
            },
            "sums the weights of those": {
                "kernel": "weigh_distinct weigh_first_visits",
                "distinct": "weight_sums gathered masses",
            },
            "keeps the largest weight of those": {
                "kernel": "largest_claim max_new_weight",
                "distinct": "largest greatest",
                "note_claim": "raise_largest keep_largest",
            },
        }[COUNTED]
    )

    def claimed(seen: wp.array[int], cell: int) -> bool:
        """Raises the flag of a cell, and says whether it was down before."""
        before = wp.atomic_exch(seen, cell, 1)
        return before == 0

    def note_claim(distinct: wp.array[Worth], group: int, worth: Worth):
        """Records a claim by what it is worth."""
        if COUNTED == "keeps the largest weight of those":
            wp.atomic_max(distinct, group, worth)
        else:
            wp.atomic_add(distinct, group, worth)

    TELL = {
        "counts those": "count the cells that were free",
        "sums the weights of those": "sum the weights of the cells that were free",
        "keeps the largest weight of those": "find the largest weight of the cells that were free",
    }[COUNTED]
    WHO = {
        "item": "Every item k", "marked item": "Every item k whose mark in {marks} is true",
        "item whose value is in a range": "Every item k with {LOWEST} ≤ `{values}[k]` ≤ {HIGHEST}",
    }[ITEM]  # fmt: skip
    CLAIM = {
        "cell": "the cell `{cells}[k]`",
        "hashed cell": "the cell {FACTOR} · (`{cells}[k]` + 1) mod the length of {seen}",
        "hashed pair of cells": "the cell ({FACTOR} · `{cells}[k]` + `{others}[k]`) mod the length of {seen}",
    }[WHAT]
    WORTH = "`{distinct}[g]`" if INTO else "`{distinct}[0]`"
    WORTH += {
        "counts those": " is the number of the",
        "sums the weights of those": " is the sum of the weights, in {weights}, of the",
        "keeps the largest weight of those": " is the largest weight, in {weights}, of the",
    }[COUNTED]
    OF = "of group g, as {group} says," if INTO else ""
    NONE = "" if COUNTED == "counts those" else " (0 if there are none)"

    @c.kernel(n)
    def kernel(
        cells: wp.array[int] = input(n, low=0, high=room - 1),
        others: wp.array[int] = input(n, low=0, high=room - 1),
        marks: wp.array[bool] = input(n, low=0, high=1),
        values: wp.array[float] = input(n, low=-1.0, high=1.0),
        weights: wp.array[float] = input(room, low=0.2, high=2.0),
        group: wp.array[int] = input(room, low=0, high=2),
        seen: wp.array[int] = inout(room, low=0, high=1),
        distinct: wp.array[Worth] = output(groups),
    ):
        tid = wp.tid()
        if ITEM == "marked item":
            if not marks[tid]:
                return
        elif ITEM == "item whose value is in a range":
            if values[tid] < LOWEST or values[tid] > HIGHEST:
                return
        if WHAT == "cell":
            cell = cells[tid]
        elif WHAT == "hashed pair of cells":
            cell = (cells[tid] * FACTOR + others[tid]) % seen.shape[0]
        else:
            cell = ((cells[tid] + 1) * FACTOR) % seen.shape[0]
        # only whoever comes first finds the flag down
        if claimed(seen, cell):
            if COUNTED == "counts those":
                note_claim(distinct, group[cell] if INTO else 0, 1)
            else:
                note_claim(distinct, group[cell] if INTO else 0, weights[cell])


@idiom(
    level=2,
    differentiable=False,
    names={
        "inbox": "inbox pending mailbox",
        "taken": "taken waiting received",
        "stock": "stock store balance",
        "tid": "tid cell i",
        "kernel": "empty_inboxes collect_pending",
        "posted": "posted passed_on sent",
        "out": "rest lost unused",
    },
)
def drained_inboxes(c):
    """Takes what waits in each cell's inbox, leaving {LEFT}, and adds {SHARE} to {STOCK}{TELLS}.

    Empty the inbox of each cell into its stock. A cell takes all that waits in its entry of {inbox} and
    leaves {LEAVES} there instead. It then adds {ADDS} to {stock}. {KEEPS} {REST}
    """
    n = c.size()
    LEFT = c.meaning("the next step's first post", "a share of its stock")
    SHARE = c.meaning("all of it", "a fraction of it", "what a fee leaves", "as much as there is room for")
    STOCK = c.meaning("its stock", "its stock up to a limit", "its leaking stock")
    if SHARE != "all of it":
        TELLS = c.meaning("", ", storing the rest")
    else:
        TELLS = c.meaning("", ", storing the excess") if STOCK == "its stock up to a limit" else ""
    if TELLS == ", storing the excess":
        c.names({"out": "excess overflow spilled"})
    elif SHARE == "what a fee leaves":
        c.names({"out": "fees withheld"})
    FRACTION, FEE, MOST = c.constant(0.3, 0.8), c.constant(0.2, 0.6), c.constant(2.0, 3.0)
    POSTED, STAYS = c.constant(0.05, 0.2), c.constant(0.8, 0.95)
    LEAVES = "the value of {first}"
    if LEFT == "a share of its stock":
        LEAVES = "{POSTED} times its stock, which first comes off the stock,"
    ADDS = {
        "all of it": "all that it took",
        "a fraction of it": "{FRACTION} times the amount that it took",
        "what a fee leaves": "the amount that it took less a fee of {FEE}, but not less than 0,",
        "as much as there is room for": "the amount that it took, but at most its {room},",
    }[SHARE]
    KEEPS = {
        "its stock": "",
        "its stock up to a limit": "The new stock is cut off at {MOST}.",
        "its leaking stock": "The stock leaks: it is multiplied by {STAYS} before this is added.",
    }[STOCK]
    REST = {
        "": "",
        ", storing the rest": "Write to {out} the difference between the amount taken and the amount to add.",
        ", storing the excess": "Write to {out} the part above {MOST} that is cut off, or 0.",
    }[TELLS]

    @c.kernel(n)
    def kernel(
        first: wp.array[float] = input(n, low=0.0, high=0.5),
        room: wp.array[float] = input(n, low=0.2, high=1.5),
        inbox: wp.array[float] = inout(n, low=0.0, high=2.0),
        stock: wp.array[float] = inout(n, low=0.5, high=2.0),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if LEFT == "a share of its stock":
            posted = POSTED * stock[tid]
            stock[tid] = stock[tid] - posted
            # what others post from now on waits for the next step
            taken = wp.atomic_exch(inbox, tid, posted)
        else:
            # what others post from now on waits for the next step
            taken = wp.atomic_exch(inbox, tid, first[tid])
        if SHARE == "all of it":
            share = taken
        elif SHARE == "a fraction of it":
            share = FRACTION * taken
        elif SHARE == "what a fee leaves":
            share = wp.max(taken - FEE, 0.0)
        else:
            share = wp.min(taken, room[tid])
        if STOCK == "its stock up to a limit":
            if TELLS == ", storing the excess":
                whole = stock[tid] + share
                stock[tid] = wp.min(whole, MOST)
                out[tid] = wp.max(whole - MOST, 0.0)
            else:
                stock[tid] = wp.min(stock[tid] + share, MOST)
        elif STOCK == "its leaking stock":
            stock[tid] = STAYS * stock[tid] + share
        else:
            stock[tid] = stock[tid] + share
        if TELLS == ", storing the rest":
            out[tid] = taken - share


@idiom(
    level=2,
    names={
        "picks": "picks indices selected",
        "pick": "pick index entry",
        "values": "values source pool",
        "out": "out gathered taken",
        "kernel": "gather_checked take_checked",
    },
)
def checked_gather(c):
    """Gathers {PART} by index, counted from {FROM} {END}{ADDED}; indices beyond are reported{REFUSED}.

    Gather values by index, with a check of the indices. Item k asks for the entry of {values} with the index
    `{picks}[k]`. The {END_ENTRY} entry has index {FIRST}, and indices grow towards the {OTHER}. {GIVES}

    If there is no such entry, {REFUSE} and print the line `thread %d asks for value %d of %d` with k, its
    index and the number of values.
    """
    n, room = c.size(), c.size(6, 9)
    PART = c.meaning(
        "values",
        "cyclic differences to the next value",
        "cyclic means with the next value",
        "weighted values",
    )
    FROM, END = c.meaning("zero", "one"), c.meaning("at the front", "at the back")
    ADDED = c.meaning("", ", and adds them to what is there", ", times a gain")
    REFUSED = " and skipped" if "adds" in ADDED else " and give zero"
    GAIN = c.constant(0.4, 2.0)
    first = 0 if FROM == "zero" else 1
    END_ENTRY, OTHER = ("last", "front") if END == "at the back" else ("first", "back")
    FIRST = str(first)
    GIVES = {
        "values": "Its value is that entry.",
        "weighted values": "Its value is that entry times `{weights}[k]`.",
        "cyclic differences to the next value": "Its value is the next entry less that entry",
        "cyclic means with the next value": "Its value is the mean of that entry and the next",
    }[PART]
    if "cyclic" in PART:
        GIVES += (
            "; the next entry is always the one behind it in {values}, and the first one follows the last."
        )
    PUT = "Write it to {out}."
    if ADDED == ", times a gain":
        PUT = "Write {GAIN} times it to {out}."
    elif ADDED:
        PUT = "Add it to {out}."
    GIVES += " {PUT}"
    REFUSE = "leave {out} as it is" if "adds" in ADDED else "write 0"

    @c.kernel(n)
    def kernel(
        picks: wp.array[int] = input(n, low=first - 1, high=room + first),
        values: wp.array[float] = input(room, low=0.2, high=2.0),
        weights: wp.array[float] = input(n, low=0.5, high=1.5),
        out: wp.array[float] = inout(n, low=0.1, high=0.9)
        if ADDED == ", and adds them to what is there"
        else output(n),
    ):
        tid = wp.tid()
        if END == "at the back":
            if FROM == "one":
                pick = values.shape[0] - picks[tid]
            else:
                pick = values.shape[0] - 1 - picks[tid]
        else:
            pick = picks[tid] - first
        if pick < 0 or pick >= values.shape[0]:
            wp.printf("thread %d asks for value %d of %d\n", tid, picks[tid], values.shape[0])
            if ADDED != ", and adds them to what is there":
                out[tid] = 0.0
            return
        if PART == "values":
            value = values[pick]
        elif PART == "weighted values":
            value = weights[tid] * values[pick]
        else:
            # after the last value the first one follows
            after = values[(pick + 1) % values.shape[0]]
            value = 0.5 * (values[pick] + after) if "means" in PART else after - values[pick]
        if ADDED == ", and adds them to what is there":
            out[tid] += value
        elif ADDED:
            out[tid] = GAIN * value
        else:
            out[tid] = value
