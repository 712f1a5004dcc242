"""From an address to a typed program."""

from __future__ import annotations

from functools import partial

from ..common.address import Address
from ..common.rng import Rng
from ..language.analysis.degenerate import is_degenerate
from .decisions import Decisions
from .difficulty import difficulty_of
from .drawn import Drawn
from .families import random_program
from .idioms import IDIOMS
from .kinds import KINDS
from .pages.page import Page
from .perform import perform
from .spelling import respelled


def draw(address: Address, decided: Decisions | None = None) -> Drawn:
    """The program at an address. Without a purpose, the draw number decides its difficulty.
    `decided` holds answers of an earlier draw of the same address, and gets the answers of this one.

    If a trial run shows that a program is degenerate (an input never matters, an output is constant), or if
    it is not of its kind, another one is drawn with the random numbers that follow. Raises `Barren` if a page
    gives no program, `KeyError` for a family or a purpose that there is none of.
    """
    decided = decided or Decisions()
    if address.purpose is not None:
        return perform(_page(address.category, address.purpose), address, decided)
    rng = Rng(str(address))
    while True:
        drawn = random_program(address.category, rng, difficulty_of(address.draw))
        if decided.holds(partial(is_degenerate, drawn.program, str(address))):
            continue
        drawn = respelled(drawn, Rng(f"{address}/spelling"))
        if KINDS[address.category](drawn.program):
            return drawn


def address_of(seed: int, category: str, turn: int) -> Address:
    """The address of kernel number `turn` of a family, whose purposes take turns."""
    if category not in IDIOMS:
        return Address(seed, category, turn)
    pages = IDIOMS[category]
    return Address(seed, category, turn // len(pages), pages[turn % len(pages)].purpose)


def _page(family: str, purpose: str) -> Page:
    for page in IDIOMS[family]:
        if page.purpose == purpose:
            return page
    raise KeyError(f"{family} has no purpose {purpose}")
