"""The plain language, end to end: legal, written and read back, compiled for both targets, run in every way,
held against its meaning and, where gradients are right, against differences."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from toys.constructs import PROGRAMS

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import BatchFailed, Reason, Rejected
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.subject import Proof, Subject


@pytest.mark.parametrize("title", PROGRAMS)
def test_legal(title: str) -> None:
    check(PROGRAMS[title])


@pytest.mark.parametrize("title", PROGRAMS)
def test_written_and_read_back(title: str) -> None:
    program = PROGRAMS[title]
    assert read(write(program), program.signature) == program


PAIRS = [title for title, program in PROGRAMS.items() if gradient_bar(program) is None]
OTHERS = [title for title in PROGRAMS if title not in PAIRS]
# What they store, and where, hangs on who comes first.
RACES = ["a ticket", "the largest so far", "a lock"]


def test_most_are_gradient_pairs() -> None:
    assert len(PAIRS) >= 30 and len(OTHERS) >= 10


def _proved(titles: Sequence[str], config: str) -> dict[str, Proof | Rejected]:
    subjects = []
    for title in titles:
        program = PROGRAMS[title]
        cases = draw_cases(program.signature, title)
        subjects.append(Subject(write(program), program.signature, cases, program))
    try:
        outcomes = prove(subjects, CONFIGS[config], "sm_80", lambda index: None)
    except BatchFailed:
        half = len(titles) // 2
        return {**_proved(titles[:half], config), **_proved(titles[half:], config)}
    return dict(zip(titles, outcomes, strict=True))


@pytest.fixture(scope="module")
def pairs() -> dict[str, Proof | Rejected]:
    return _proved(PAIRS, "cuda_backward")


@pytest.fixture(scope="module")
def others() -> dict[str, Proof | Rejected]:
    return _proved(OTHERS, "cuda")


@pytest.mark.compile
@pytest.mark.parametrize("title", PAIRS)
def test_run_and_differentiated(title: str, pairs: dict[str, Proof | Rejected]) -> None:
    proof = pairs[title]
    assert isinstance(proof, Proof), proof
    assert proof.ptx is not None and "_cuda_kernel_backward" in proof.ptx
    checks = proof.checks
    assert checks.numpy_matches and checks.cuda_text_matches and checks.adjoint_matches
    assert checks.finite_differences and (checks.gradients_checked or 0) >= 8
    leaves = [leaf for a in PROGRAMS[title].signature.inputs for leaf in a.leaves]
    wanted = {leaf.name for leaf in leaves if leaf.ndim and leaf.type.is_float}
    assert all(example["input_gradients"].keys() == wanted for example in proof.examples)


@pytest.mark.compile
@pytest.mark.parametrize("title", RACES)
def test_who_comes_first_may_not_matter(title: str, others: dict[str, Proof | Rejected]) -> None:
    proof = others[title]
    assert isinstance(proof, Rejected) and proof.reason is Reason.RACE


@pytest.mark.compile
@pytest.mark.parametrize("title", [title for title in OTHERS if title not in RACES])
def test_run(title: str, others: dict[str, Proof | Rejected]) -> None:
    proof = others[title]
    assert isinstance(proof, Proof), proof
    assert proof.ptx is not None and "_cuda_kernel_forward" in proof.ptx
    assert proof.checks.numpy_matches and proof.checks.cuda_text_matches
