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
from ...synthesis.sample_text import dump
from ...synthesis.sampling import sample
from ...synthesis.template_sampling import GenerationFailed
from ..handwritten.fingerprints import as_text, fingerprint
from ..handwritten.withheld import is_near_withheld, may_be_withheld
from .near_duplicates import needs_fingerprint

# Rows of a build up to which samples are kept as text, a kilobyte each, so that the proof need not sample a
# kernel again. Of more rows, memory and the scan cache would hold gigabytes.
KEPT_ROWS = 25_000


class Facts(NamedTuple):
    """What planning needs of a candidate, and the sample itself, so that it need not be sampled again.

    `meaning` is the skeleton of `identify_normal_form`. `withheld` kernels come near one that people wrote.
    `fingerprint` is that of the source if the near-duplicate filter needs it, else empty. `decided` is the
    code of the sample's `PredicateMemo`. `text` is the sample as `dump` writes it, empty if it is not kept.
    """

    level: int
    skeleton: str
    meaning: str
    non_differentiable: bool
    withheld: bool
    fingerprint: str
    decided: int = 0
    text: str = ""


def facts_of(address: Address, rows: int) -> Facts | None:
    """Facts of the kernel at an address for a build of so many `rows`; None if there is no kernel."""
    decided = PredicateMemo()
    try:
        sampled = sample(address, decided)
    except GenerationFailed:
        return None
    program, source = sampled.program, write(sampled.program)
    fingerprinted = needs_fingerprint(rows, address.category)
    withheld, fingerprint_text = False, ""
    if fingerprinted or may_be_withheld(program):
        own = fingerprint(source)
        withheld = may_be_withheld(program) and is_near_withheld(own)
        fingerprint_text = as_text(own) if fingerprinted else ""
    return Facts(
        sampled.difficulty,
        identify(program).skeleton,
        identify_normal_form(program).skeleton,
        gradient_bar(program) is not None,
        withheld,
        fingerprint_text,
        decided.code,
        dump(sampled, source) if rows <= KEPT_ROWS else "",
    )


def scan(items: Sequence[Address], rows: str, notify: Callable[[int], None]) -> list[Facts | None]:
    """Facts of candidates for a build of so many `rows`: the function of a `Task`, which see."""
    found = []
    for place, address in enumerate(items):
        notify(place)
        found.append(facts_of(address, int(rows)))
    return found
