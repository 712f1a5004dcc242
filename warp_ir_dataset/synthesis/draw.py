"""From an address to a typed program."""

from __future__ import annotations

from functools import partial

from ..common.address import Address
from ..common.rng import Rng
from ..language.analysis.degenerate import is_degenerate
from .decisions import Decisions
from .difficulty import difficulty_of
from .drawn import Drawn
from .families import FAMILIES
from .idioms import IDIOMS
from .pages.page import Page
from .pages.perform import perform
from .spelling import respelled


def draw(address: Address, decided: Decisions | None = None) -> Drawn:
    """The program at an address. The draw number also decides its purpose or, without one, its difficulty.
    `decided` holds answers of an earlier draw of the same address, and gets the answers of this one.

    If a trial run shows that a program is degenerate (an input never matters, an output is constant), another
    one is drawn with the random numbers that follow. Raises `Barren` if a page gives no program.
    """
    decided = decided or Decisions()
    if address.category in IDIOMS:
        page, number = page_at(address.category, address.draw)
        return perform(page, address.category, number, f"{address.seed}/{address.category}", decided)
    rng = Rng(str(address))
    while True:
        drawn = FAMILIES[address.category].draw(rng, difficulty_of(address.draw))
        if not decided.holds(partial(is_degenerate, drawn.program, str(address))):
            return respelled(drawn, Rng(f"{address}/spelling"))


def page_at(category: str, draw: int) -> tuple[Page, int]:
    """The page of a draw of an idiom family, and how often its turn came before: pages take turns."""
    pages = IDIOMS[category]
    return pages[draw % len(pages)], draw // len(pages)
