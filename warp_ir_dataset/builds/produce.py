"""Makes rows from candidates, in worker processes: each stage of a row is one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..common.configs import CONFIGS, Config
from ..common.outcomes import Outcome, Reason, Rejected
from ..language.analysis.intervals import Illegal
from ..language.analysis.legality import check
from ..language.identity import Identity, identify
from ..language.python.write import write
from ..language.specification.refusals import NotDescribable
from ..proof.inputs import draw_cases
from ..proof.prove import prove
from ..proof.subject import Proof, Subject
from ..synthesis.memo import PredicateMemo
from ..synthesis.sample import Sample
from ..synthesis.sample_text import load
from ..synthesis.sampling import sample
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
    tried = [_tried(candidate) for candidate in candidates]
    legal = [place for place, each in enumerate(tried) if isinstance(each, _Tried)]
    found = {place: each for place, each in enumerate(tried) if isinstance(each, _Tried)}
    subjects = [each.subject for each in found.values()]
    modules = [each.candidate.module for each in found.values()]
    proofs = prove(subjects, config, arch, lambda at: notify(legal[at] if at >= 0 else at), modules)
    outcomes: dict[int, Outcome] = {p: each for p, each in enumerate(tried) if isinstance(each, Rejected)}
    outcomes |= {p: proof for p, proof in zip(legal, proofs, strict=True) if isinstance(proof, Rejected)}
    passed = {p: proof for p, proof in zip(legal, proofs, strict=True) if isinstance(proof, Proof)}
    mistakes = _mistakes(config, passed, found, notify)
    for place, proof in passed.items():
        outcomes[place] = _row(config, arch, found[place], proof, mistakes.get(place))
    return [outcomes[place] for place in range(len(candidates))]


@dataclass(frozen=True)
class _Tried:
    """A candidate whose program is legal, and what is proved of it."""

    candidate: Candidate
    sampled: Sample
    identity: Identity
    subject: Subject


def _tried(candidate: Candidate) -> _Tried | Rejected:
    sampled = _sample(candidate)
    program = sampled.program
    try:
        check(program, sampled=sampled.purpose is not None)
    except Illegal as error:
        # A drafter promised what does not hold: a bug of ours, which must not cost a build.
        return Rejected(Reason.ILLEGAL, str(error))
    identity = identify(program)
    cases = draw_cases(program.signature, identity.id)
    return _Tried(candidate, sampled, identity, Subject(write(program), program.signature, cases, program))


def _sample(candidate: Candidate) -> Sample:
    """The sample that was kept, or made again at its address, which gives the same."""
    if candidate.text:
        return load(candidate.text, candidate.address)
    return sample(candidate.address, PredicateMemo(candidate.decided))


def _row(
    config: Config, arch: str, tried: _Tried, proof: Proof, mistake: Mistake | Rejected | None
) -> Outcome:
    if isinstance(mistake, Rejected):
        return mistake
    source, identity, address = tried.subject.source, tried.identity, tried.candidate.address
    try:
        return make_row(config, address, tried.sampled, source, identity, arch, proof, mistake)
    except NotDescribable as error:
        return Rejected(Reason.UNTOLD, str(error))


def _mistakes(
    config: Config,
    passed: Mapping[int, Proof],
    found: Mapping[int, _Tried],
    notify: Callable[[int], None],
) -> dict[int, Mistake | Rejected]:
    """What is wrong with the broken twin of each kernel that passed, in configs that ask to repair it."""
    if not config.broken or not passed:
        return {}
    places = list(passed)
    rights = []
    for place, proof in passed.items():
        tried = found[place]
        rights.append(Right(tried.identity.id, tried.sampled.program, tried.subject.source, proof.examples))
    mistakes = broken(rights, lambda at: notify(places[at] if at >= 0 else at))
    return dict(zip(places, mistakes, strict=True))
