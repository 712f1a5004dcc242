"""Samples the candidate at an address and returns the facts that planning needs. Depends on the address only.

That takes as long as sampling the kernel. The facts serve every config, so an address is scanned once for a
whole build.
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
from .near_duplicates import needs_fingerprint


class Facts(NamedTuple):
    """What planning needs of a candidate, so that it need not be sampled again.

    `meaning` is the skeleton of `identify_normal_form`. `withheld` kernels come near one that people wrote.
    `fingerprint` is that of the source if the near-duplicate filter needs it, else empty. `decided` is the
    code of the sample's `PredicateMemo`.
    """

    level: int
    skeleton: str
    meaning: str
    non_differentiable: bool
    withheld: bool
    fingerprint: str
    decided: int = 0


def facts_of(address: Address, *, fingerprinted: bool) -> Facts | None:
    """Facts of the kernel at an address, with its fingerprint if asked for; None if there is no kernel."""
    decided = PredicateMemo()
    try:
        drawn = sample(address, decided)
    except GenerationFailed:
        return None
    program = drawn.program
    withheld, text = False, ""
    if fingerprinted or may_be_withheld(program):
        own = fingerprint(write(program))
        withheld = may_be_withheld(program) and is_near_withheld(own)
        text = as_text(own) if fingerprinted else ""
    return Facts(
        drawn.difficulty,
        identify(program).skeleton,
        identify_normal_form(program).skeleton,
        gradient_bar(program) is not None,
        withheld,
        text,
        decided.code,
    )


def scan(items: Sequence[Address], rows: str, notify: Callable[[int], None]) -> list[Facts | None]:
    """Facts of candidates for a build of so many `rows`: the function of a `Task`, which see."""
    found = []
    for place, address in enumerate(items):
        notify(place)
        found.append(facts_of(address, fingerprinted=needs_fingerprint(int(rows), address.category)))
    return found
