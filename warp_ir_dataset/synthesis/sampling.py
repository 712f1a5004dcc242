"""Samples the kernel at an address: makes its typed program."""

from __future__ import annotations

from functools import partial

from ..common.address import Address
from ..common.rng import Rng
from ..language.analysis.degenerate import is_degenerate
from .difficulty import difficulty_of
from .families import random_program
from .idioms import IDIOMS
from .kinds import KINDS
from .memo import PredicateMemo
from .sample import Sample
from .style import style_random_program
from .template_sampling import sample_template
from .templates.template import Template


def sample(address: Address, memo: PredicateMemo | None = None) -> Sample:
    """Make the kernel at an address.

    A random program is made again, with the random numbers that follow, if a trial run shows that it is
    degenerate (an input never matters, or an output is constant), or if it is not of its kind.

    Args:
        address: The address. If it has no purpose, its number decides the difficulty.
        memo: Holds the answers of an earlier sample at the same address, or gets those of this one.

    Returns:
        The sample: equal for equal addresses.

    Raises:
        GenerationFailed: The template makes no legal kernel.
        KeyError: There is no such family or purpose.
    """
    memo = memo or PredicateMemo()
    if address.purpose is not None:
        return sample_template(_template(address.category, address.purpose), address, memo)
    rng = Rng(str(address))
    while True:
        made = random_program(address.category, rng, difficulty_of(address.draw))
        if memo.holds(partial(is_degenerate, made.program, str(address))):
            continue
        made = style_random_program(made, Rng(f"{address}/spelling"))
        if KINDS[address.category](made.program):
            return made


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
