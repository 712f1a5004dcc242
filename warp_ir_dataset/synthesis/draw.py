"""From an address to a typed program."""

from __future__ import annotations

from ..common.address import Address
from ..common.rng import Rng
from ..language.analysis.degenerate import is_degenerate
from .difficulty import difficulty_of
from .drawn import Drawn
from .families import FAMILIES
from .spelling import respelled


def draw(address: Address) -> Drawn:
    """What lives at an address; the draw number also decides its difficulty.

    A program that a rehearsal shows to be degenerate (an input that never matters, a constant output) is
    drawn again from where the stream of choices stands.
    """
    rng = Rng(str(address))
    while True:
        drawn = FAMILIES[address.category].draw(rng, difficulty_of(address.draw))
        if not is_degenerate(drawn.program, str(address)):
            return respelled(drawn, Rng(f"{address}/spelling"))
