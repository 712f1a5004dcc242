"""Runs texts that Warp generates, CUDA or what it makes of Python, on the machine (`machine`), in the
sandbox: each hidden case once, in one order of threads and blocks."""

from __future__ import annotations

from functools import partial

from ...machine import check
from ...machine.check import Placed
from ...machine.machine import MOST_THREADS
from ...proof.run import Result
from ..cage.job import Ended
from ..candidate import Candidate
from ..launches import Launcher
from ..pages import Pages
from ..verdict import Status
from .plain import left, orders_of

FORWARD, BACKWARD = range(2)


def launches_of(pages: Pages, *, cuda: bool, racing: bool) -> tuple[Placed, ...]:
    """How each case is launched: an adjoint behind its forward pass, which does not see gradients. A text
    that is no CUDA reads its arguments' record itself. If threads may be `racing`, they run in turn."""
    found: list[Placed] = []
    for number, (case, order) in enumerate(zip(pages.cases, orders_of(pages), strict=True)):
        if racing:
            order = check.passes(number)[check.BACKWARD if cuda and case.grid.backwards else check.FORWARD]
        blocks, threads = case.grid.blocks, case.grid.threads
        if order[0] == check.RANDOM and blocks * threads <= MOST_THREADS:
            blocks, threads = 1, blocks * threads  # threads of one block are stopped for one another
        how = (blocks, 1, 1), (threads, 1, 1), order
        found.append(Placed(_passed(case.forward), pages.memory(case, arguments=not cuda), *how, FORWARD))
        if case.adjoint:
            memory = pages.memory(case, gradients=True)
            found.append(Placed(_passed(case.backward), memory, *how, BACKWARD))
    return tuple(found)


def _passed(addresses: tuple[int, ...]) -> list[bytes]:
    return [address.to_bytes(8, "little") for address in addresses]


def ran(
    launcher: Launcher, pages: Pages, launches: tuple[Placed, ...], made: Candidate, *, racing: bool
) -> list[Result] | tuple[Status, str] | Ended:
    """What an answer leaves of each case; or what is wrong with it; or how its process ended otherwise. If it
    may be `racing`, no race counts. Raises `Failure` where the machine cannot be trusted, `Short`."""
    entries = [made.forward, *filter(None, [made.backward])]
    how = {"racing": racing, "tiles": made.tiles}
    place = partial(check.placed_job_of_warp, made.unit, entries, launches, **how)
    return left(launcher, pages, place)
