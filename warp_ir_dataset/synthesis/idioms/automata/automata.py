"""Cellular automata: elementary rules, rules like Life's, forest fires."""

from __future__ import annotations

from enum import IntEnum

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "i j": "i j | row col | y x",
    "cells": "cells grid state",
    "following": "following next_cells new_state",
    "north south west east": "north south west east | up down left right | im ip jm jp",
    "count": "count neighbours living",
}


@idiom(
    level=2,
    differentiable=False,
    names={
        "cells": "cells state row",
        "following": "following next_cells new_state",
        "rule": "rule rule_number code",
        "pattern": "pattern neighbourhood index",
        "kernel": "apply_rule step_automaton",
    },
)
def binary_rule_step(c):
    """One generation of {KIND}, given by the number of its rule, with {BORDER}{ORDER}.

    Compute one generation of {KIND} of cells 0 and 1. With c for a cell of {cells}, l for the one before it
    and r for the one after it, the cell becomes bit {PATTERN} of the number {rule}, bit 0 being the
    lowest{XORED}. {ENDING} {following} gets the new cells.
    """
    n = c.size(10, 16)
    KIND = c.meaning(
        "an elementary cellular automaton",
        "a totalistic automaton of range one",
        "an outer totalistic automaton of range one",
    )
    BORDER = c.meaning("periodic ends", "ends repeated", "dead cells beyond its ends", "fixed ends")
    ORDER = c.meaning("", ", made reversible by xor with the generation before")
    BITS = {"a totalistic automaton of range one": 15, "an outer totalistic automaton of range one": 63}.get(
        KIND, 255
    )
    PATTERN = {
        "an elementary cellular automaton": "4·l + 2·c + r",
        "a totalistic automaton of range one": "l + c + r",
        "an outer totalistic automaton of range one": "2·(l + r) + c",
    }[KIND]
    XORED = ", XORed with its state in {before}, the generation before {cells}" if ORDER else ""
    ENDING = {
        "periodic ends": "The row is periodic.",
        "ends repeated": "Beyond either end, the cell at the end is repeated.",
        "dead cells beyond its ends": "Cells beyond the ends are 0.",
        "fixed ends": "The first and the last cell keep their states, without any rule.",
    }[BORDER]

    @c.kernel(n)
    def kernel(
        cells: wp.array[int] = input(n, low=0, high=1),
        before: wp.array[int] = input(n, low=0, high=1),
        rule: int = input(low=1, high=BITS - 1),
        following: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        if BORDER == "fixed ends":
            if tid == 0 or tid == cells.shape[0] - 1:
                following[tid] = cells[tid]
                return
            left = cells[tid - 1]
            right = cells[tid + 1]
        elif BORDER == "periodic ends":
            left = cells[(tid - 1 + cells.shape[0]) % cells.shape[0]]
            right = cells[(tid + 1) % cells.shape[0]]
        elif BORDER == "ends repeated":
            left = cells[wp.max(tid - 1, 0)]
            right = cells[wp.min(tid + 1, cells.shape[0] - 1)]
        else:
            left = int(0)
            right = int(0)
            if tid > 0:
                left = cells[tid - 1]
            if tid < cells.shape[0] - 1:
                right = cells[tid + 1]
        # which bit of the rule is the next state
        if KIND == "an elementary cellular automaton":
            pattern = 4 * left + 2 * cells[tid] + right
        elif KIND == "a totalistic automaton of range one":
            pattern = left + cells[tid] + right
        else:
            pattern = 2 * (left + right) + cells[tid]
        if ORDER:
            following[tid] = ((rule >> pattern) & 1) ^ before[tid]
        else:
            following[tid] = (rule >> pattern) & 1


@idiom(
    level=5,
    differentiable=False,
    names=NAMES
    | {
        "born_from born_to": "born_from born_to | birth_low birth_high | birth_min birth_max",
        "lives_from lives_to": "lives_from lives_to | survival_low survival_high | stay_min stay_max",
        "ages": "ages age lifetimes",
        "census": "census totals counts",
        "kernel": "step_life next_generation",
    },
)
def life_like_rule(c):
    """One generation of {KIND}{RULED} with {BORDER} border{ORDER}; {KEPT}.

    Compute one generation of {KIND} on the grid {cells}. {STATES} A cell has {NEIGHBOURS}; {OUTSIDE}. {RULES}

    {following} gets the new states.{SKIPPED}{AGED}{COUNTED}
    """
    rows, cols = c.size(7, 9), c.size(7, 9)
    KIND = c.meaning("a Life-like automaton", "a Generations automaton", "the game of Immigration")
    BORDER = c.meaning("a periodic", "a dead", "a replicated")
    ORDER = c.meaning(", where some cells are frozen", ", where each cell is updated by chance", "")
    KEPT = c.meaning(
        "keeps ages and a census",
        "keeps the ages of the living",
        "takes a census of births, deaths and the living",
    )
    AGES, CENSUS = "ages" in KEPT, "census" in KEPT
    if KIND == "the game of Immigration":
        AROUND, RULED = "Moore", " on Moore neighbours"
    else:
        AROUND = c.meaning("Moore", "von Neumann", "hexagonal")
        RULED = f" by ranges of {AROUND} neighbours"
    FEW = {"Moore": 3, "hexagonal": 2}.get(AROUND, 1)
    if KIND == "a Generations automaton":
        FEW = max(FEW - 1, 1)
    HIGHEST = 1 if KIND == "a Life-like automaton" else 2
    if KIND != "a Life-like automaton":
        c.names({"kernel": "next_generation step_cells"})
    STATES = {
        "a Life-like automaton": "Cells are 0 (dead) or 1 (living).",
        "a Generations automaton": (
            "Cells are 0 (dead), 1 (living) or in one of the states of decay from 2 to {states} - 1, in "
            "which they are neither living nor dead."
        ),
        "the game of Immigration": "Cells are 0 (dead) or living in one of two colours, 1 and 2.",
    }[KIND]
    NEIGHBOURS = {
        "Moore": "the eight Moore neighbours around it",
        "von Neumann": "the four von Neumann neighbours that share a side with it",
        "hexagonal": (
            "six hexagonal neighbours, in axial coordinates: the 3 × 3 block around it without the "
            "corners (i - 1, j - 1) "
            "and (i + 1, j + 1)"
        ),
    }[AROUND]
    OUTSIDE = {
        "a periodic": "the grid is periodic",
        "a dead": "cells beyond the border are dead",
        "a replicated": "beyond the border, the nearest cell of the grid is repeated",
    }[BORDER]
    LIVING = (
        "{born_from} to {born_to} living neighbours, and a living cell survives with {lives_from} to "
        "{lives_to}"
    )
    RULES = {
        "a Life-like automaton": (
            "A dead cell is born with {LIVING}, all of these inclusive; otherwise it is dead."
        ),
        "a Generations automaton": (
            "A dead cell is born with {LIVING}, all of these inclusive. A living cell that does not "
            "survive gets state 2. "
            "A decaying cell goes on to the next state, and from {states} - 1 to 0."
        ),
        "the game of Immigration": (
            "A living cell survives with 2 or 3 living neighbours and keeps its colour; a dead one is "
            "born with exactly 3 "
            "and gets the colour that most of them have. Other cells are dead."
        ),
    }[KIND]
    SKIPPED = ""
    NEITHER = "takes no part in this: it keeps its state{AGELESS}{LISTED}"
    AGELESS, LISTED = " and its age" if AGES else "", ", and is counted if it is living" if CENSUS else ""
    if ORDER == ", where some cells are frozen":
        SKIPPED = " A cell for which {frozen} is 1 {NEITHER}."
    elif ORDER:
        SKIPPED = (
            " Each cell is updated only by chance, if the first uniform number of its stream, wp.randf of "
            "wp.rand_init({seed}, index) with its row-major index in {cells}, is below {rate}. Otherwise "
            "it {NEITHER}."
        )
    AGED = (
        " The entry of {ages} grows by 1 for a cell that was living and still is; otherwise it becomes 0."
        if AGES
        else ""
    )
    COUNTED = (
        " {census} gets the numbers of births, of deaths and of cells that are living now." if CENSUS else ""
    )
    if CENSUS and KIND == "a Generations automaton":
        COUNTED = (
            " {census} gets the numbers of births, of deaths, which is the end of state 1, and of cells "
            "that are living "
            "now."
        )

    @c.kernel(rows, cols)
    def kernel(
        cells: wp.array2d[int] = input(rows, cols, low=0, high=HIGHEST),
        born_from: int = input(low=max(FEW - 1, 1), high=max(FEW, 2)),
        born_to: int = input(low=FEW, high=FEW + 2),
        lives_from: int = input(low=FEW, high=FEW + 1),
        lives_to: int = input(low=FEW + 1, high=FEW + 3),
        states: int = input(low=3, high=4),
        frozen: wp.array2d[int] = input(rows, cols, low=0, high=1),
        rate: float = input(low=0.3, high=0.9),
        seed: int = input(low=1, high=10000),
        ages: wp.array2d[int] = inout(rows, cols, low=0, high=9),
        following: wp.array2d[int] = output(rows, cols),
        census: wp.array[int] = output(3),
    ):
        i, j = wp.tid()
        rows = cells.shape[0]
        cols = cells.shape[1]
        cell = cells[i, j]
        if ORDER == ", where some cells are frozen":
            if frozen[i, j] == 1:
                following[i, j] = cell
                if CENSUS:
                    if cell == 1 if KIND == "a Generations automaton" else cell > 0:
                        wp.atomic_add(census, 2, 1)
                return
        elif ORDER:
            state = wp.rand_init(seed, i * cols + j)
            if wp.randf(state) >= rate:
                following[i, j] = cell
                if CENSUS:
                    if cell == 1 if KIND == "a Generations automaton" else cell > 0:
                        wp.atomic_add(census, 2, 1)
                return
        count = int(0)
        if KIND == "the game of Immigration":
            twos = int(0)
        for y in range(i - 1, i + 2):
            for x in range(j - 1, j + 2):
                if AROUND == "Moore":
                    if y == i and x == j:
                        continue
                elif AROUND == "von Neumann":
                    if wp.abs(y - i) + wp.abs(x - j) != 1:
                        continue
                else:
                    # in axial coordinates the cell itself and two of the corners are no neighbours
                    if y - i == x - j:
                        continue
                if BORDER == "a periodic":
                    neighbour = cells[(y + rows) % rows, (x + cols) % cols]
                elif BORDER == "a replicated":
                    neighbour = cells[wp.clamp(y, 0, rows - 1), wp.clamp(x, 0, cols - 1)]
                else:
                    if y < 0 or y >= rows or x < 0 or x >= cols:
                        continue
                    neighbour = cells[y, x]
                if KIND == "a Life-like automaton":
                    count += neighbour
                elif KIND == "a Generations automaton":
                    # what decays does not count
                    if neighbour == 1:
                        count += 1
                else:
                    if neighbour > 0:
                        count += 1
                    if neighbour == 2:
                        twos += 1
        after = int(0)
        if KIND == "the game of Immigration":
            if cell > 0:
                if count == 2 or count == 3:
                    after = cell
            elif count == 3:
                # the newborn has the colour of most of its parents
                after = 2 if twos > 1 else 1
        else:
            if cell == 0:
                if count >= born_from and count <= born_to:
                    after = 1
            elif KIND == "a Life-like automaton":
                if count >= lives_from and count <= lives_to:
                    after = 1
            elif cell == 1:
                # the first of the states of decay
                after = 2
                if count >= lives_from and count <= lives_to:
                    after = 1
            else:
                after = (cell + 1) % states
        following[i, j] = after
        if KIND == "a Generations automaton":
            lived = cell == 1
            lives = after == 1
        else:
            lived = cell > 0
            lives = after > 0
        if AGES:
            if lived and lives:
                ages[i, j] = ages[i, j] + 1
            else:
                ages[i, j] = 0
        if CENSUS:
            # births, deaths and the living
            if lives and not lived:
                wp.atomic_add(census, 0, 1)
            elif lived and not lives:
                wp.atomic_add(census, 1, 1)
            if lives:
                wp.atomic_add(census, 2, 1)


@idiom(
    level=5,
    differentiable=False,
    names={
        "i j": "i j | row col | y x",
        "forest": "forest land cells",
        "following": "following next_forest new_state",
        "state": "state rng random",
        "site": "site cell here",
        "growth": "growth p_grow regrowth",
        "lightning": "lightning p_strike strike_chance",
        "kernel": "burn_forest spread_fire",
    },
)
def forest_fire(c):
    """One step of {MODEL} forest-fire model on a {BORDER} lattice with {AROUND}
    neighbours{FUEL}{RECORD}.

    Do one step of {MODEL} forest-fire model. Sites of {forest} are 0 (bare), 1 (a tree){LAST}. Each site has
    a random stream, wp.rand_init({seed}, index) with its row-major index in {forest}, and draws at most one
    uniform number u from it (wp.randf). A bare site becomes a tree if u < {growth}{GROWN}. {CATCHES} A
    burning site {BURNS}.{BREAKS}

    Neighbours are the {MANY}; {OUTSIDE}. {following} gets the new sites.{RECORDED}
    """
    rows, cols = c.size(7, 9), c.size(7, 9)
    FUEL = c.meaning(
        ", where trees burn as long as their fuel lasts", "", ", where some sites are firebreaks"
    )
    MODEL = c.meaning("the Drossel-Schwabl", "a probabilistic", "a wind-driven")
    # lightning would hardly show where fire comes from eight sides
    AROUND = "von Neumann" if MODEL == "the Drossel-Schwabl" else c.meaning("Moore", "von Neumann")
    RECORD = c.meaning("", "; tallies how often each tree catches fire", "; counts trees and fires")
    BORDER = c.meaning("bounded", "periodic")
    BURNING, WIND = c.constant(0.2, 0.6), c.constant(0.4, 1.5)

    class Site(IntEnum):
        BARE = 0
        TREE = 1
        FIRE = 2
        FIREBREAK = 3

    FUELLED, BREAK = "fuel" in FUEL, "firebreaks" in FUEL
    LAST = ", 2 (on fire) or 3 (a firebreak)" if BREAK else " or 2 (on fire)"
    BREAKS = " A firebreak stays as it is." if BREAK else ""
    GROWN = ", and its {fuel} becomes 1" if FUELLED else ""
    CATCHES = "A tree catches fire if u < {lightning} or if any of its neighbours is on fire."
    if MODEL == "a probabilistic":
        CATCHES = (
            "A tree catches fire if u > (1 - {lightning})·(1 - {spread})ⁿ, where n is the number of its "
            "neighbours on "
            "fire."
        )
    elif MODEL == "a wind-driven":
        CATCHES = (
            "A tree catches fire if u > (1 - {lightning})·P, where P is the product of 1 - "
            "{spread}·exp({WIND}·({wind}·d "
            "- |{wind}|)) over its neighbours on fire; d is the unit vector from the neighbour towards "
            "the tree, with x "
            "along j and y along i."
        )
    BURNS = "becomes bare"
    if FUELLED:
        BURNS = (
            "uses up {BURNING} of its {fuel}, which does not fall below 0, and becomes bare once nothing is "
            "left"
        )
    MANY = "eight sites around a site" if AROUND == "Moore" else "four sites that share a side with a site"
    OUTSIDE = "there are none beyond the border"
    if BORDER == "periodic":
        OUTSIDE = "the lattice is periodic"
    RECORDED = ""
    if RECORD == "; tallies how often each tree catches fire":
        RECORDED = " The entry of {ignited} grows by 1 for each tree that catches fire."
    elif RECORD:
        RECORDED = " {census} gets the number of trees and that of burning sites, after the step."

    @c.kernel(rows, cols)
    def kernel(
        forest: wp.array2d[int] = input(rows, cols, low=0, high=3 if "firebreaks" in FUEL else 2),
        growth: float = input(low=0.1, high=0.9),
        lightning: float = input(low=0.01, high=0.9),
        spread: float = input(low=0.1, high=0.9),
        wind: wp.vec2 = input(low=-1.0, high=1.0),
        seed: int = input(low=1, high=10000),
        fuel: wp.array2d[float] = inout(rows, cols, low=0.1, high=1.0),
        ignited: wp.array2d[int] = inout(rows, cols, low=0, high=9),
        following: wp.array2d[int] = output(rows, cols),
        census: wp.array[int] = output(2),
    ):
        i, j = wp.tid()
        rows = forest.shape[0]
        cols = forest.shape[1]
        state = wp.rand_init(seed, i * cols + j)
        site = forest[i, j]
        after = site
        if site == Site.BARE:
            if wp.randf(state) < growth:
                after = Site.TREE
                if "fuel" in FUEL:
                    fuel[i, j] = 1.0
        elif site == Site.TREE:
            if MODEL == "the Drossel-Schwabl":
                exposed = wp.randf(state) < lightning
            else:
                # the chance that no fire reaches the tree
                spared = 1.0 - lightning
            for y in range(i - 1, i + 2):
                for x in range(j - 1, j + 2):
                    if AROUND == "von Neumann":
                        if wp.abs(y - i) + wp.abs(x - j) != 1:
                            continue
                    elif y == i and x == j:
                        continue
                    if BORDER == "bounded":
                        if y < 0 or y >= rows or x < 0 or x >= cols:
                            continue
                        neighbour = forest[y, x]
                    else:
                        neighbour = forest[(y + rows) % rows, (x + cols) % cols]
                    if neighbour != Site.FIRE:
                        continue
                    if MODEL == "the Drossel-Schwabl":
                        exposed = True
                    elif MODEL == "a probabilistic":
                        spared *= 1.0 - spread
                    else:
                        # flames lean with the wind
                        way = wp.normalize(wp.vec2(float(j - x), float(i - y)))
                        spared *= 1.0 - spread * wp.exp(WIND * (wp.dot(wind, way) - wp.length(wind)))
            if MODEL == "the Drossel-Schwabl":
                if exposed:
                    after = Site.FIRE
            elif wp.randf(state) > spared:
                after = Site.FIRE
        elif "firebreaks" in FUEL and site == Site.FIREBREAK:
            pass  # nothing grows there, nothing burns
        elif "fuel" in FUEL:
            left = fuel[i, j] - BURNING
            fuel[i, j] = wp.max(left, 0.0)
            if left <= 0.0:
                after = Site.BARE
        else:
            after = Site.BARE
        following[i, j] = after
        if RECORD == "; tallies how often each tree catches fire":
            if site == Site.TREE and after == Site.FIRE:
                ignited[i, j] += 1
        elif RECORD:
            if after == Site.TREE:
                wp.atomic_add(census, 0, 1)
            elif after == Site.FIRE:
                wp.atomic_add(census, 1, 1)
