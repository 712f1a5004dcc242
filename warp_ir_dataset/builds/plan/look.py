"""Draws the kernel at an address and returns the facts that planning needs. Depends on the address only.

A look takes as long as drawing the kernel. It has all facts that planning needs, for every config, so an
address is looked at once for a whole build.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...common.address import Address
from ...language.analysis.gradients import gradient_bar
from ...language.identity import identify, identify_normal_form
from ...language.python.write import write
from ...synthesis.memo import PredicateMemo
from ...synthesis.sampling import sample
from ...synthesis.template_sampling import GenerationFailed
from ..handwritten.fingerprints import as_text, fingerprint
from ..handwritten.withheld import is_near_withheld, may_be_withheld
from .apart import is_strict


class Look(NamedTuple):
    """`meaning` is the skeleton of `identify_normal_form`, `likeness` the fingerprint of the source where a
    kernel is kept apart from near duplicates (see `Apart`), empty elsewhere. `barred` kernels cannot be
    differentiated, `withheld` ones come near a kernel that people wrote. `decided` is the code of the draw's
    `PredicateMemo`.
    """

    level: int
    skeleton: str
    meaning: str
    barred: bool
    withheld: bool
    likeness: str
    decided: int = 0


def look(address: Address, *, strictly: bool) -> Look | None:
    """Facts of the kernel at an address; None if there is no kernel. With `strictly` also its `likeness`."""
    decided = PredicateMemo()
    try:
        drawn = sample(address, decided)
    except GenerationFailed:
        return None
    program = drawn.program
    withheld, likeness = False, ""
    if strictly or may_be_withheld(program):
        own = fingerprint(write(program))
        withheld = may_be_withheld(program) and is_near_withheld(own)
        likeness = as_text(own) if strictly else ""
    return Look(
        drawn.difficulty,
        identify(program).skeleton,
        identify_normal_form(program).skeleton,
        gradient_bar(program) is not None,
        withheld,
        likeness,
        decided.code,
    )


def look_at(items: Sequence[Address], rows: str, notify: Callable[[int], None]) -> list[Look | None]:
    """Looks at addresses for a build of so many `rows`: the function of a `Task`, which see."""
    found = []
    for place, address in enumerate(items):
        notify(place)
        found.append(look(address, strictly=is_strict(int(rows), address.category)))
    return found
