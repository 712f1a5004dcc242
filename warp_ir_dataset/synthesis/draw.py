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
from .perform import perform
from .spelling import respelled
from .templates.template import Template


def draw(address: Address, decided: Decisions | None = None) -> Drawn:
    """The program at an address. Without a purpose, the draw number decides its difficulty.
    `decided` holds answers of an earlier draw of the same address, and gets the answers of this one.

    If a trial run shows that a program is degenerate (an input never matters, an output is constant), or if
    it is not of its kind, another one is drawn with the random numbers that follow. Raises `Barren` if a
    template gives no program, `KeyError` for a family or a purpose that there is none of.
    """
    decided = decided or Decisions()
    if address.purpose is not None:
        return perform(_template(address.category, address.purpose), address, decided)
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
    templates = IDIOMS[category]
    return Address(seed, category, turn // len(templates), templates[turn % len(templates)].purpose)


def _template(family: str, purpose: str) -> Template:
    for template in IDIOMS[family]:
        if template.purpose == purpose:
            return template
    raise KeyError(f"{family} has no purpose {purpose}")
