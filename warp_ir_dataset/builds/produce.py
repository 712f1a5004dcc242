"""What worker processes do: rows of candidates. The story of a row, room by room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..common.configs import CONFIGS
from ..common.outcomes import Outcome, Rejected
from ..language.analysis.legality import check
from ..language.identity import identify
from ..language.python.write import write
from ..proof.inputs import draw_cases
from ..proof.prove import prove
from ..proof.subject import Subject
from ..synthesis.draw import draw
from .plan.plan import Candidate
from .row import make_row


def produce(
    candidates: Sequence[Candidate], config_name: str, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """A row or a rejection for each candidate, in order: the function of a `Task`, which see.

    A kernel's id decides what it is run on, so it runs on the same inputs in every config. Raises `Illegal`
    for a program that breaks a rule, which would be a bug of ours, and what `prove` raises.
    """
    config = CONFIGS[config_name]
    drawn = [candidate.drawn or draw(candidate.address) for candidate in candidates]
    subjects, identities = [], []
    for each in drawn:
        check(each.program)
        source = write(each.program)
        identity = identify(each.program)
        cases = draw_cases(each.program.signature, identity.id)
        subjects.append(Subject(source, each.program.signature, cases, each.program))
        identities.append(identity)
    proofs = prove(subjects, config, arch, notify)
    return [
        proof
        if isinstance(proof, Rejected)
        else make_row(config, candidate.address, each, subject.source, identity, arch, proof)
        for candidate, each, subject, identity, proof in zip(
            candidates, drawn, subjects, identities, proofs, strict=True
        )
    ]
