"""Places that threads claim, empty, or look for in vain."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
    names={
        "seen": "seen claimed visited",
        "cells": "cells keys labels",
        "cell": "cell key label",
        "before": "before was found",
    },
)
def distinct_claims(c):
    """Claims the flag of each {WHAT}{WHERE} and, where it was not yet set, {COUNTED} {INTO}."""
    n, room = c.size(11, 15), c.size(8, 11)
    WHAT = c.meaning("cell", "hashed cell", "hashed pair of cells")
    WHERE = c.meaning("", " of a marked item", " of a value in range")
    COUNTED = c.meaning("counts it", "adds its weight", "keeps the largest weight")
    INTO = c.meaning("overall", "for its group")
    groups = 1 if INTO == "overall" else 3
    FACTOR = c.spelling(31, 37, 41, 53, 61, 73)
    LOWEST, HIGHEST = c.constant(-0.7, -0.3), c.constant(0.5, 0.8)
    c.names(
        {
            "counts it": {
                "kernel": "count_distinct count_first_visits",
                "distinct": "distinct uniques fresh",
            },
            "adds its weight": {
                "kernel": "weigh_distinct weigh_first_visits",
                "distinct": "total gathered mass",
            },
            "keeps the largest weight": {
                "kernel": "largest_claim max_new_weight",
                "distinct": "largest greatest",
            },
        }[COUNTED]
    )

    def claimed(seen: wp.array[int], cell: int) -> bool:
        """Whether nobody was here before."""
        before = wp.atomic_exch(seen, cell, 1)
        return before == 0

    def noted(distinct: wp.array[float], group: int, worth: float):
        """Puts down what a claim is worth."""
        if COUNTED == "keeps the largest weight":
            wp.atomic_max(distinct, group, worth)
        else:
            wp.atomic_add(distinct, group, worth)

    @c.kernel(n)
    def kernel(
        cells: wp.array[int] = given(n, low=0, high=room - 1),
        others: wp.array[int] = given(n, low=0, high=room - 1),
        marks: wp.array[bool] = given(n, low=0, high=1),
        values: wp.array[float] = given(n, low=-1.0, high=1.0),
        weights: wp.array[float] = given(room, low=0.2, high=2.0),
        group: wp.array[int] = given(room, low=0, high=2),
        seen: wp.array[int] = updated(room, low=0, high=1),
        distinct: wp.array[float] = result(groups),
    ):
        tid = wp.tid()
        if WHERE == " of a marked item":
            if not marks[tid]:
                return
        elif WHERE == " of a value in range":
            if values[tid] < LOWEST or values[tid] > HIGHEST:
                return
        if WHAT == "cell":
            cell = cells[tid]
        elif WHAT == "hashed pair of cells":
            cell = (cells[tid] * FACTOR + others[tid]) % seen.shape[0]
        else:
            cell = ((cells[tid] + 1) * FACTOR) % seen.shape[0]
        # only who comes first finds the flag down
        if claimed(seen, cell):
            if COUNTED == "counts it":
                worth = 1.0
            else:
                worth = weights[cell]
            noted(distinct, 0 if INTO == "overall" else group[cell], worth)


@idiom(
    level=2,
    names={
        "inbox": "inbox pending mailbox",
        "taken": "taken waiting received",
        "stock": "stock store balance",
        "tid": "tid cell i",
        "kernel": "empty_inboxes collect_pending",
    },
)
def drained_inboxes(c):
    """Takes what waits in each cell’s inbox, leaving {LEFT}, and adds {SHARE} to its stock{LIMIT}{TELLS}."""
    n = c.size()
    LEFT = c.meaning("its first post for the next step", "a share of its stock")
    SHARE = c.meaning("all of it", "a fraction of it", "what a fee leaves", "as much as fits the room")
    LIMIT = c.meaning("", ", up to a limit", ", which leaks")
    TELLS = c.meaning("", " and stores what was taken")
    FRACTION, FEE, MOST = c.constant(0.3, 0.8), c.constant(0.05, 0.3), c.constant(2.0, 3.0)
    POSTED, STAYS = c.constant(0.05, 0.2), c.constant(0.8, 0.95)

    @c.kernel(n)
    def kernel(
        first: wp.array[float] = given(n, low=0.0, high=0.5),
        room: wp.array[float] = given(n, low=0.2, high=1.5),
        inbox: wp.array[float] = updated(n, low=0.0, high=2.0),
        stock: wp.array[float] = updated(n, low=0.5, high=2.0),
        out: wp.array[float] = result(n),
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
        if LIMIT == ", up to a limit":
            stock[tid] = wp.min(stock[tid] + share, MOST)
        elif LIMIT == ", which leaks":
            stock[tid] = STAYS * stock[tid] + share
        else:
            stock[tid] = stock[tid] + share
        if TELLS:
            out[tid] = taken


@idiom(
    level=2,
    names={
        "picks": "picks indices selected",
        "pick": "pick index source_row",
        "values": "values source pool",
        "out": "out gathered taken",
        "kernel": "gather_checked take_checked",
    },
)
def checked_gather(c):
    """Gathers {PART}, counted from {FROM} {END}{ADDED}; an index that names no value is reported."""
    n, room = c.size(), c.size(6, 9)
    PART = c.meaning(
        "values", "differences to the next value", "means with the next value", "weighted values"
    )
    FROM, END = c.meaning("zero", "one"), c.meaning("at the front", "at the back")
    ADDED = c.meaning("", ", and adds them to what is there", ", times a gain")
    GAIN = c.constant(0.4, 2.0)
    first = 0 if FROM == "zero" else 1

    @c.kernel(n)
    def kernel(
        picks: wp.array[int] = given(n, low=first - 1, high=room + first),
        values: wp.array[float] = given(room, low=0.2, high=2.0),
        weights: wp.array[float] = given(n, low=0.5, high=1.5),
        out: wp.array[float] = updated(n, low=0.1, high=0.9)
        if ADDED == ", and adds them to what is there"
        else result(n),
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
            wp.printf("entry %d asks for value %d of %d\n", tid, picks[tid], values.shape[0])
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
            value = 0.5 * (values[pick] + after) if PART[:5] == "means" else after - values[pick]
        if ADDED == ", and adds them to what is there":
            out[tid] += value
        elif ADDED:
            out[tid] = GAIN * value
        else:
            out[tid] = value
