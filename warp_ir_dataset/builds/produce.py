"""What worker processes do: rows of candidates. The story of a row, room by room."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..common.configs import CONFIGS, Config
from ..common.outcomes import Outcome, Reason, Rejected
from ..language.analysis.intervals import Illegal
from ..language.analysis.legality import check
from ..language.identity import Identity, identify
from ..language.python.write import write
from ..language.specification.refusals import Untold
from ..proof.inputs import draw_cases
from ..proof.prove import prove
from ..proof.subject import Proof, Subject
from ..synthesis.draw import draw
from .plan.plan import Candidate
from .repair.breaking import Right, broken
from .repair.mistake import Mistake
from .row import make_row


def produce(
    candidates: Sequence[Candidate], config_name: str, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """A row or a rejection for each candidate, in order: the function of a `Task`, which see.

    A kernel's id decides what it is run on, so it runs on the same inputs in every config. A program that
    breaks a rule is never compiled: it may write anywhere. Raises what `prove` raises.
    """
    config = CONFIGS[config_name]
    if not config.drawn:
        from .handwritten.collect import collect

        return collect(candidates, config, arch, notify)
    drawn = [candidate.drawn or draw(candidate.address) for candidate in candidates]
    outcomes: dict[int, Outcome] = {}
    subjects, identities = {}, {}
    for place, each in enumerate(drawn):
        try:
            check(each.program, sampled=each.purpose is not None)
        except Illegal as broken:
            # A drafter promised what does not hold: a bug of ours, which must not cost a build.
            outcomes[place] = Rejected(Reason.ILLEGAL, str(broken))
            continue
        identities[place] = identity = identify(each.program)
        signature = each.program.signature
        subjects[place] = Subject(
            write(each.program), signature, draw_cases(signature, identity.id), each.program
        )
    places = list(subjects)
    units = [candidates[place].unit for place in places]
    proofs = prove(
        [*subjects.values()], config, arch, lambda at: notify(places[at] if at >= 0 else at), units
    )
    passed = {}
    for place, proof in zip(places, proofs, strict=True):
        if isinstance(proof, Rejected):
            outcomes[place] = proof
        else:
            passed[place] = proof
    mistakes = _mistakes(config, passed, subjects, identities, notify)
    for place, proof in passed.items():
        mistake = mistakes.get(place)
        if isinstance(mistake, Rejected):
            outcomes[place] = mistake
            continue
        address, source, identity = candidates[place].address, subjects[place].source, identities[place]
        try:
            outcomes[place] = make_row(config, address, drawn[place], source, identity, arch, proof, mistake)
        except Untold as unsaid:
            outcomes[place] = Rejected(Reason.UNTOLD, str(unsaid))
    return [outcomes[place] for place in range(len(candidates))]


def _mistakes(
    config: Config,
    passed: Mapping[int, Proof],
    subjects: Mapping[int, Subject],
    identities: Mapping[int, Identity],
    notify: Callable[[int], None],
) -> dict[int, Mistake | Rejected]:
    """What is wrong with the broken twin of each kernel that passed, in configs that ask to repair it."""
    if not config.broken or not passed:
        return {}
    places = list(passed)
    rights = []
    for place, proof in passed.items():
        subject = subjects[place]
        assert subject.program is not None
        rights.append(Right(identities[place].id, subject.program, subject.source, proof.examples))
    found = broken(rights, lambda at: notify(places[at] if at >= 0 else at))
    return dict(zip(places, found, strict=True))
