"""Gradients of other people's kernels, element by element: what is wrong beside large ones is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toys.kernels.replayed import RIGHT, WRONG, kernel, signature

from warp_ir_dataset import prove as prove_one
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.subject import Proof, Subject

pytestmark = pytest.mark.compile

# No rule tells of it: an element that is overwritten.
AGAIN = """import warp as wp


@wp.kernel
def again(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tid()
    if t == 0:
        y[0] = y[0] * y[0]
        out[0] = y[0]
    else:
        out[t] = SCALE * x[t]
"""


def _again(source: str, scale: str) -> Subject:
    unit = Interval(0.1, 1.0)
    arguments = (
        ir.Argument("x", FLOAT, "input", (8,), unit),
        ir.Argument("y", FLOAT, "inout", (8,), unit),
        ir.Argument("out", FLOAT, "output", (8,), unit),
    )
    found = ir.Signature("again", arguments, (8,))
    source = source.replace("SCALE", scale)
    return Subject(source, found, draw_cases(found, "x"), must_tell=False)


def _outcome(subject: Subject) -> Proof | Rejected:
    (found,) = prove([subject], CONFIGS["cuda_backward"], "sm_80", lambda index: None)
    return found


@pytest.mark.parametrize("scale", ["1.0", "20000.0"])
def test_a_wrong_element_is_seen_beside_large_ones(scale: str) -> None:
    """In float64, of a tree that may be known to be legal or not."""
    subject = _again(AGAIN, scale)
    tree = replace(read(subject.source), signature=subject.signature)
    for known in (replace(subject, found=tree), replace(subject, program=tree)):
        outcome = _outcome(known)
        assert isinstance(outcome, Rejected) and outcome.reason is Reason.WRONG_GRADIENT
        assert "the gradient of y at element 0 is" in outcome.detail


def test_without_a_tree_it_is_seen_as_far_as_float32_lets_see() -> None:
    outcome = _outcome(_again(AGAIN, "1.0"))
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.WRONG_GRADIENT


def test_it_is_said_what_was_compared() -> None:
    right = _again(
        AGAIN.replace("y[0] = y[0] * y[0]", "b = y[0] * y[0]").replace("out[0] = y[0]", "out[0] = b"), "2e4"
    )
    tree = replace(read(right.source), signature=right.signature)
    for subject, precision in ((replace(right, found=tree), "double"), (right, "own")):
        proof = _outcome(subject)
        assert isinstance(proof, Proof), proof
        assert proof.checks.finite_difference_precision == precision
        assert proof.checks.finite_differences and proof.checks.numpy_matches is None


def _subjects(bodies: dict[str, str]) -> list[Subject]:
    found = []
    for name, body in bodies.items():
        tree = replace(read(kernel(body)), signature=signature())
        found.append(Subject(kernel(body), signature(), draw_cases(signature(), name), tree, must_tell=False))
    return found


def test_what_the_rules_let_through_is_right() -> None:
    """By differences and by the rules: twice right."""
    subjects = [replace(subject, found=subject.program) for subject in _subjects(RIGHT)]
    outcomes = prove(subjects, CONFIGS["cuda_backward"], "sm_80", lambda index: None)
    assert {n: str(o) for n, o in zip(RIGHT, outcomes, strict=True) if isinstance(o, Rejected)} == {}


def test_what_the_rules_refuse_is_wrong() -> None:
    racing = {"where an output is stored"}
    subjects = _subjects({name: body for name, body in WRONG.items() if name not in racing})
    reasons = [
        outcome.reason if isinstance(outcome, Rejected) else None
        for outcome in prove(subjects, CONFIGS["cuda_backward"], "sm_80", lambda index: None)
    ]
    assert reasons == [Reason.WRONG_GRADIENT] * len(subjects)
    refused = prove(
        [replace(s, found=s.program) for s in subjects], CONFIGS["cuda_backward"], "sm_80", lambda index: None
    )
    assert all(isinstance(o, Rejected) and "finite differences" not in o.detail for o in refused)


@pytest.mark.process
def test_prove_reads_the_source() -> None:
    """What the rules tell, for anybody who asks with a source alone."""
    name = "a product with a sum beside a stiff term"
    outcome = prove_one(kernel(WRONG[name]), signature(), config="cuda_backward")
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.WRONG_GRADIENT
    assert "a dynamic loop" in outcome.detail
    proof = prove_one(kernel(RIGHT["a sum"]), signature(), config="cuda_backward")
    assert isinstance(proof, Proof) and proof.checks.finite_difference_precision == "double"


LONG = """import warp as wp

HEAD


@wp.kernelOPTIONS
def k(x: wp.array[float], y: wp.array[float], c: wp.array[int], n: int, o: wp.array[float]):
    i = wp.tid()
    c[i] = i + 1
    a = float(1.0)
    for j in range(20):
        a = a * (1.0 + 0.2 * y[(i + j) % 4])
    o[i] = a * x[i]
"""


@pytest.mark.parametrize(
    ("head", "options", "right"),
    [
        ("", "", False),
        ('wp.set_module_options({"max_unroll": 20})', "", True),
        ("wp.config.max_unroll = 32", "(launch_bounds=(64, 1), cluster_dim=2)", True),
        ('wp.set_module_options({"max_unroll": 24, "fast_math": True})', "(cuda_max_registers=64)", True),
        ("wp.config.max_unroll = 20", "(enable_cuda_smem_spilling=True, grid_stride=False)", True),
    ],
)
def test_a_kernel_is_proved_with_its_options(head: str, options: str, right: bool) -> None:
    """Its twin too: a loop that is unrolled has a gradient, and another has none."""
    source = LONG.replace("HEAD", head).replace("OPTIONS", options)
    tree = replace(read(source), signature=signature())
    subject = Subject(source, signature(), draw_cases(signature(), "long"), tree, must_tell=False, found=tree)
    outcome = _outcome(subject)
    if right:
        assert isinstance(outcome, Proof), outcome
        assert outcome.checks.finite_difference_precision == "double"
    else:
        assert isinstance(outcome, Rejected) and outcome.reason is Reason.WRONG_GRADIENT
