"""Waves that run through cells with a few states."""

from __future__ import annotations

from enum import IntEnum

from ...templates.template import idiom, input, output, wp


@idiom(
    level=4,
    differentiable=False,
    names={
        "now": "now state cells",
        "later": "later next_state updated",
        "i j": "i j | row col | y x",
        "lit": "lit excited active",
        "kernel": "step_cells update_states",
    },
)
def excitable_cells(c):
    """Steps {MEDIUM} in which a resting cell with {BY} among {AROUND} {IS} excited, {RIM}{TELLS}.

    Advance an excitable medium by one step, as a Greenberg-Hastings automaton does. The states in {now} are 0
    resting, 1 excited, 2 refractory and 3 dead; {later} gets the states that follow. A resting cell becomes
    excited if {FIRES}, and otherwise stays resting. An excited cell becomes refractory, a refractory one
    {AFTER}, and dead cells stay dead.

    The neighbours of cell (i, j) are {RING}. {BEYOND}{TOLD}
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    MEDIUM = c.meaning("an excitable medium", "a medium that burns out,")
    BY = c.meaning(
        "one or more excited ones",
        "two or more excited ones",
        "excited ones",
        "more excited than refractory ones",
    )
    IS = "may be" if BY == "excited ones" else "is"
    AROUND = c.meaning("its four neighbours", "the three cells above", "its four diagonal neighbours")
    RIM = c.meaning("with periodic boundaries", "with resting boundaries")
    TELLS = c.meaning("", ", and counts the excited ones", ", and marks the newly excited")
    # how likely a cell is spared by each excited one
    SPARED = c.constant(0.4, 0.8)

    class Cell(IntEnum):
        RESTING = 0
        EXCITED = 1
        REFRACTORY = 2
        DEAD = 3

    def is_at(now: wp.array2d[int], i: int, j: int, state: int) -> int:
        """One where a cell is in a state."""
        if RIM == "with periodic boundaries":
            found = now[(i + now.shape[0]) % now.shape[0], (j + now.shape[1]) % now.shape[1]]
        else:
            if i < 0 or j < 0 or i >= now.shape[0] or j >= now.shape[1]:
                return 0
            found = now[i, j]
        return wp.where(found == state, 1, 0)

    def near(now: wp.array2d[int], i: int, j: int, state: int) -> int:
        """How many neighbours are in a state."""
        if AROUND == "its four neighbours":
            across = is_at(now, i, j - 1, state) + is_at(now, i, j + 1, state)
            return is_at(now, i - 1, j, state) + is_at(now, i + 1, j, state) + across
        elif AROUND == "the three cells above":
            count = int(0)
            for k in range(-1, 2):
                count += is_at(now, i - 1, j + k, state)
            return count
        else:
            above = is_at(now, i - 1, j - 1, state) + is_at(now, i - 1, j + 1, state)
            return above + is_at(now, i + 1, j - 1, state) + is_at(now, i + 1, j + 1, state)

    FIRES = {
        "one or more excited ones": "at least one of its neighbours is excited",
        "two or more excited ones": "at least two of its neighbours are excited",
        "excited ones": "`{dice}[i, j]` > {SPARED}^m, where m of its neighbours are excited",
        "more excited than refractory ones": "more of its neighbours are excited than refractory",
    }[BY]
    AFTER = "dead" if MEDIUM == "a medium that burns out," else "resting"
    RING = {
        "its four neighbours": "the four cells beside, above and below it",
        "the three cells above": "the three cells (i - 1, j - 1), (i - 1, j) and (i - 1, j + 1)",
        "its four diagonal neighbours": "the four cells diagonal to it",
    }[AROUND]
    BEYOND = "Beyond the edges all cells count as resting."
    if RIM == "with periodic boundaries":
        BEYOND = "The grid wraps around at its edges."
    TOLD = {
        "": "",
        ", and counts the excited ones": " `{counts}[0]`, zero at the start, gets the number of cells that "
        "are excited afterwards.",
        ", and marks the newly excited": " {fronts} is true for the cells that become excited, and false "
        "for others.",
    }[TELLS]

    @c.kernel(rows, cols)
    def kernel(
        now: wp.array2d[int] = input(rows, cols, low=0, high=3),
        dice: wp.array2d[float] = input(rows, cols, low=0.0, high=1.0),
        later: wp.array2d[int] = output(rows, cols),
        counts: wp.array[int] = output(1),
        fronts: wp.array2d[bool] = output(rows, cols),
    ):
        i, j = wp.tid()
        state = now[i, j]
        if TELLS == ", and marks the newly excited":
            fronts[i, j] = False
        if state == Cell.RESTING:
            lit = near(now, i, j, Cell.EXCITED)
            if BY == "one or more excited ones":
                fires = lit > 0
            elif BY == "two or more excited ones":
                fires = lit > 1
            elif BY == "excited ones":
                fires = dice[i, j] > wp.pow(SPARED, float(lit))
            else:
                fires = lit > near(now, i, j, Cell.REFRACTORY)
            if fires:
                state = Cell.EXCITED
            if TELLS == ", and marks the newly excited":
                fronts[i, j] = fires
        elif state == Cell.EXCITED:
            state = Cell.REFRACTORY
        elif state == Cell.DEAD:
            pass  # dead cells are not excited again
        else:
            if MEDIUM == "a medium that burns out,":
                state = Cell.DEAD
            else:
                state = Cell.RESTING
        later[i, j] = state
        if TELLS == ", and counts the excited ones":
            if state == Cell.EXCITED:
                wp.atomic_add(counts, 0, 1)
