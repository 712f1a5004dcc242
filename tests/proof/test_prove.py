"""A batch of kernels compiled, run and judged: what is proved, what is refused, what others pay."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from toys import programs as h
from toys import texts as toy_text

from warp_ir_dataset.builds.row import examples_text
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import BatchFailed, Reason, Rejected
from warp_ir_dataset.compilers import units
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof import prove as rooms
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.subject import Proof, Ran, Subject

pytestmark = pytest.mark.compile


def _prove(
    programs: Sequence[ir.Program], config: str = "cuda_backward", arch: str = "sm_80"
) -> list[Proof | Rejected]:
    return prove([_subject(program) for program in programs], CONFIGS[config], arch, lambda index: None)


def _subject(program: ir.Program, seed_text: str = "test") -> Subject:
    return Subject(write(program), program.signature, draw_cases(program.signature, seed_text), program)


def _reason(program: ir.Program, config: str = "cuda_backward") -> Reason:
    (outcome,) = _prove([program], config)
    assert isinstance(outcome, Rejected), "a proof"
    assert outcome.detail and "\n" not in outcome.detail
    return outcome.reason


# ---- gradients that Warp gets wrong, and right

WRONG = {
    "a product carried through a dynamic loop": h.DYNAMIC_LOOP,
    "a product carried through a loop too long to unroll": h.LONG_LOOP,
    "a product carried through a while loop": h.WHILE_LOOP,
    "an array element overwritten after use": h.OVERWRITTEN,
    "a loop left by break": h.BREAK_LOOP,
    "an inner accumulator of nested dynamic loops": h.NESTED_LOOP,
    "a vector component overwritten after use": h.OVERWRITTEN_COMPONENT,
    "a loop result squared in a function": h.SQUARED_IN_FUNCTION,
    "the divisor of a modulo": h.MODULO,
    "the result of a dynamic loop used other than linearly": h.LOOP_RESULT_USED,
    "an exponential that a dynamic loop adds to": h.SPOILED_START,
}
RIGHT = {
    "no loop": h.SQUARE,
    "a sum carried through a dynamic loop": h.LINEAR_SUM,
    "a product carried through a short static loop": h.SHORT_LOOP,
    "an atomic sum": h.ATOMIC_SUM,
    "an atomic maximum": h.ATOMIC_MAX,
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_gradient_is_refused(name: str) -> None:
    assert _reason(WRONG[name]) is Reason.WRONG_GRADIENT


@pytest.mark.parametrize("name", WRONG)
def test_the_tree_knows_it(name: str) -> None:
    assert gradient_bar(WRONG[name]) is not None


@pytest.mark.parametrize("name", RIGHT)
def test_the_tree_lets_the_right_ones_through(name: str) -> None:
    assert gradient_bar(RIGHT[name]) is None


@pytest.mark.parametrize("name", WRONG)
def test_its_forward_text_is_proved(name: str) -> None:
    (proof,) = _prove([WRONG[name]], "cuda")
    assert isinstance(proof, Proof)


@pytest.mark.parametrize("name", RIGHT)
def test_right_gradient_is_accepted(name: str) -> None:
    (proof,) = _prove([RIGHT[name]])
    assert isinstance(proof, Proof), proof
    assert proof.checks.finite_difference_error is not None
    assert proof.checks.finite_difference_error <= 1e-6 and proof.checks.gradients_checked == 3 * h.SIZE


def test_a_gradient_that_is_not_a_number_is_refused() -> None:
    """The derivative of the branch not taken is infinite at zero, and zero times infinity is no number."""
    root = h.op("sqrt", h.op("sub", h.read("a"), h.read("a")))
    positive = h.op("gt", h.read("a"), h.number(1.0), type=h.BOOL)
    program = h.kernel(h.write("o", h.op("where", positive, h.op("sin", h.read("a")), root)))
    assert _reason(program) is Reason.WRONG_GRADIENT
    (proof,) = _prove([program], "cuda")
    assert isinstance(proof, Proof)


# ---- degenerate kernels


@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward"])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (h.op("div", h.read("a"), h.op("sub", h.read("a"), h.read("a"))), Reason.NOT_FINITE),
        (h.op("add", h.op("mul", h.read("a"), h.number(0.0)), h.number(2.0)), Reason.CONSTANT_OUTPUT),
        (h.op("mul", h.read("a"), h.number(1e-9)), Reason.NEAR_ZERO),
        (h.op("max", h.read("a"), h.number(9.0)), Reason.CONSTANT_OUTPUT),
    ],
)
def test_degenerate(config: str, value: ir.Expr, reason: Reason) -> None:
    assert _reason(h.kernel(h.write("o", value)), config) is reason


@pytest.mark.parametrize("must_tell", [True, False])
def test_an_arm_that_never_runs(must_tell: bool) -> None:
    """Only what must tell is refused; a row of another says how little of it runs."""
    never = h.op("gt", h.read("a"), h.number(99.0), type=h.BOOL)
    program = h.kernel(
        ir.If(never, (h.write("o", h.number(1.0)),), (h.write("o", h.op("sin", h.read("a"))),))
    )
    (proof,) = prove(
        [replace(_subject(program), must_tell=must_tell)], CONFIGS["cpu"], "sm_80", lambda index: None
    )
    if must_tell:
        assert isinstance(proof, Rejected) and proof.reason is Reason.DEAD_ARM
    else:
        assert isinstance(proof, Proof) and proof.coverage == Ran(2, 1)


@pytest.mark.parametrize("config", ["cpu", "cuda_backward"])
def test_the_first_case_does_not_show_zeros(config: str) -> None:
    """Zeros are what a kernel that does nothing leaves."""
    rarely = h.op("gt", h.name("n", h.INT), ir.Literal(3, h.INT), type=h.BOOL)
    program = h.kernel(ir.If(rarely, (h.write("o", h.op("cos", h.read("a"))),)), arguments=h.WITH_COUNT)
    subject = _subject(program)
    assert subject.cases.inputs[0]["n"] < 4, "choose another text to draw from"
    (proof,) = prove([subject], CONFIGS[config], "sm_80", lambda index: None)
    assert isinstance(proof, Proof), proof
    first, *others = proof.examples
    assert first["inputs"]["n"] == 4 and first["outputs"]["o"].any()
    assert any(other["inputs"]["n"] < 4 for other in others)  # and both arms run


def test_ignored_input() -> None:
    arguments = (h.argument("a"), h.argument("b"), h.argument("o", "output"))
    unused = h.op("add", h.read("a"), h.op("mul", h.read("b"), h.number(1e-7)))
    assert _reason(h.kernel(h.write("o", unused), arguments=arguments), "cpu") is Reason.IGNORES_INPUT


COPY = h.kernel(h.write("o", h.read("a")))
IDLE = h.kernel(
    ir.Let(h.X, h.op("mul", h.read("a"), h.number(0.5))),
    h.write("o", h.op("add", h.op("mul", h.X, h.number(0.0)), h.op("exp", h.read("a")))),
)


@pytest.mark.parametrize("config", ["cpu", "cuda"])
def test_what_copies_or_computes_for_nobody_is_no_row(config: str) -> None:
    assert _reason(COPY, config) is Reason.ONLY_COPIES
    assert _reason(IDLE, config) is Reason.DEAD_STATEMENT


def test_an_input_that_may_have_a_gradient_must_have_one() -> None:
    arguments = (h.argument("a"), h.argument("b", lo=-9.0, hi=-5.0), h.argument("o", "output"))
    larger = h.op("add", h.op("max", h.read("a"), h.read("b")), h.op("floor", h.read("b")))
    assert _reason(h.kernel(h.write("o", larger), arguments=arguments)) is Reason.NO_GRADIENT
    (proof,) = _prove([h.kernel(h.write("o", larger), arguments=arguments)], "cuda")
    assert isinstance(proof, Proof)


def test_no_gradient() -> None:
    steps = h.op("floor", h.op("mul", h.read("a"), h.number(9.7)))
    assert _reason(h.kernel(h.write("o", steps))) is Reason.NO_GRADIENT


# ---- the three results must agree


def test_a_cuda_text_that_computes_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = toolchain.translate

    def changed(source: str, name: str, **options: Any) -> toolchain.Translation:
        text = honest(source, name, **options)
        return replace(text, cuda=text.cuda.replace("wp::add(", "wp::sub(")) if text.cuda else text

    monkeypatch.setattr(toolchain, "translate", changed)
    assert _reason(h.SQUARE, "cuda") is Reason.CUDA_DIFFERS


def test_a_cuda_adjoint_that_computes_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = toolchain.translate

    def changed(source: str, name: str, **options: Any) -> toolchain.Translation:
        text = honest(source, name, **options)
        return replace(text, cuda=text.cuda.replace("wp::adj_add(", "wp::adj_sub(")) if text.cuda else text

    # o = 0.25 + a * a: the adjoint of a subtraction has the other sign.
    program = h.kernel(h.write("o", h.op("add", h.number(0.25), h.op("mul", h.read("a"), h.read("a")))))
    monkeypatch.setattr(toolchain, "translate", changed)
    assert _reason(program) is Reason.ADJOINT_DIFFERS


def test_a_kernel_that_leaves_its_outputs_alone_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = toolchain.translate

    def empty(source: str, name: str, **options: Any) -> toolchain.Translation:
        text = honest(source, name, **options)
        return (
            replace(text, cuda=text.cuda.replace("wp::array_store(", "(void)sizeof(")) if text.cuda else text
        )

    monkeypatch.setattr(toolchain, "translate", empty)
    (outcome,) = _prove([h.SQUARE], "cuda")
    assert isinstance(outcome, Rejected)


def test_what_hangs_on_rounding_is_refused() -> None:
    assert _reason(h.ROUNDING, "cpu") is Reason.ROUNDING_DECIDES


# ---- what a proof holds


@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward"])
def test_proof(config: str) -> None:
    (proof,) = _prove([h.SQUARE], config)
    assert isinstance(proof, Proof)
    checks, example = asdict(proof.checks), proof.examples[0]
    assert checks["cases"] == len(proof.examples) == 3
    assert checks["native_compile"] is True and checks["warp_launch"] is True
    ran = {name for name, value in checks.items() if value is not None}
    cuda = {"ptx_compile", "cuda_text_matches", "cuda_text_error", "thread_orders"}
    gradient = {
        "adjoint_matches",
        "adjoint_error",
        "finite_differences",
        "finite_difference_precision",
        "finite_difference_error",
        "gradients_checked",
    }
    expected = {
        "native_compile",
        "warp_launch",
        "cases",
        "numpy_matches",
        "numpy_error",
        "rounding_error",
        "unordered",
    } | (cuda if config != "cpu" else set())
    assert ran == expected | (gradient if config == "cuda_backward" else set())
    assert (proof.ptx is None) == (config == "cpu")
    assert ("cuda_kernel" in proof.code) == (config != "cpu")
    assert ("_backward" in proof.code) == (config == "cuda_backward")
    assert proof.warp_version == toolchain.versions().warp
    a, o = example["inputs"]["a"], example["outputs"]["o"]
    assert a.dtype == o.dtype == np.float32 and example["launch_dim"] == (h.SIZE,)
    assert np.array_equal(a * a + np.float32(0.25), o)
    if config == "cuda_backward":
        seed, gradient_of_a = example["output_gradients"]["o"], example["input_gradients"]["a"]
        assert np.allclose(gradient_of_a, 2 * a * seed, rtol=1e-6)
        assert proof.ptx is not None and ".entry test_kernel_cuda_kernel_backward" in proof.ptx
    else:
        assert set(example) == {"launch_dim", "inputs", "outputs"}


def test_a_proof_is_the_same_alone_first_last_and_in_any_order() -> None:
    programs = [h.SQUARE, h.SHORT_LOOP, h.ATOMIC_SUM, h.LINEAR_SUM]
    together = _prove(programs)
    backwards = _prove(programs[::-1])[::-1]
    alone = [_prove([program])[0] for program in programs]
    assert all(isinstance(proof, Proof) for proof in together)
    assert _told(together) == _told(backwards) == _told(alone)


def _told(proofs: Sequence[Proof | Rejected]) -> list[Proof | Rejected]:
    """Proofs with their examples as text, since arrays have no plain equality."""
    return [replace(p, examples=examples_text(p.examples)) if isinstance(p, Proof) else p for p in proofs]


# ---- batches

# Warp takes a C++ keyword for an argument's name; the compilers do not.
NOT_COMPILED = h.kernel(
    h.write("o", h.op("add", h.read("new"), h.number(0.25))),
    arguments=(h.argument("new"), h.argument("o", "output")),
)
NOT_TRANSLATED = h.kernel(h.write("o", h.name("undefined")))


@pytest.mark.parametrize("config", ["cpu", "cuda", pytest.param("cuda_backward", marks=pytest.mark.long)])
def test_a_kernel_that_does_not_compile(config: str) -> None:
    with pytest.raises(BatchFailed, match="expected"):
        _prove([h.SQUARE, NOT_COMPILED, h.SHORT_LOOP], config)
    assert _reason(NOT_COMPILED, config) is Reason.COMPILE_ERROR


def test_a_kernel_that_warp_refuses_does_not_disturb_its_batch() -> None:
    proof, fault, other = _prove([h.SQUARE, NOT_TRANSLATED, h.SHORT_LOOP])
    assert isinstance(proof, Proof) and isinstance(other, Proof)
    assert (
        isinstance(fault, Rejected) and fault.reason is Reason.COMPILE_ERROR and "undefined" in fault.detail
    )
    assert [_.reason for _ in _prove([NOT_TRANSLATED]) if isinstance(_, Rejected)] == [Reason.COMPILE_ERROR]


def test_the_only_kernel_left_of_a_batch_is_the_one_to_blame() -> None:
    outcomes = _prove([NOT_TRANSLATED, NOT_COMPILED])
    assert all(isinstance(o, Rejected) and o.reason is Reason.COMPILE_ERROR for o in outcomes)


def test_every_risky_step_is_announced() -> None:
    announced: list[int] = []
    subjects = [_subject(program) for program in (h.SQUARE, NOT_TRANSLATED, h.SHORT_LOOP)]
    prove(subjects, CONFIGS["cpu"], "sm_80", announced.append)
    assert announced == [-1, 0, 2]


def test_unknown_architecture() -> None:
    with pytest.raises(UserError, match="sm_37"):
        _prove([h.SQUARE], "cuda", "sm_37")
    assert isinstance(_prove([h.SQUARE], "cpu", "sm_37")[0], Proof)


@pytest.mark.slow
@pytest.mark.long
def test_memory_stays_flat() -> None:
    programs = [h.SQUARE, h.SHORT_LOOP, h.LINEAR_SUM, h.ATOMIC_SUM] * 4

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(5):
        _prove(programs, "cpu")
    before = peak()
    for _ in range(60):
        _prove(programs, "cpu")
    assert peak() - before < 20_000  # kilobytes, over 960 kernels


def test_units_keep_the_text_untouched() -> None:
    text = toolchain.translate(write(h.SQUARE), "test_kernel", backward=True, cuda=True)
    member = units.Member("k0", text)
    assert text.cuda is not None
    assert text.cpu in units.native_unit([member])
    assert text.cuda in units.native_unit([member], [member])
    assert text.cuda in units.cuda_unit([member])


def test_a_literal_integer_output() -> None:
    """Integers have no gradient, and are compared exactly."""
    total = h.op("add", h.read("a", h.INT), ir.Literal(3, h.INT), type=h.INT)
    arguments = (h.argument("a", type=h.INT, lo=0, hi=9), h.argument("o", "output", h.INT))
    program = h.kernel(h.write("o", total), arguments=arguments)
    (proof,) = _prove([program], "cuda")
    assert isinstance(proof, Proof)
    for example in proof.examples:
        assert np.array_equal(example["outputs"]["o"], example["inputs"]["a"] + 3)
    assert _reason(program, "cuda_backward") is Reason.NO_GRADIENT


def test_what_its_tree_cannot_tell_is_no_row() -> None:
    """Natively it ends: that it was run shows nothing of what it should have given."""
    long = toy_text.program(
        "x = float(0.0)\nk = int(0)\nwhile k < 1000:\n    x += a[i]\n    k += 1\no[i] = x"
    )
    assert _reason(long, "cpu") is Reason.ILLEGAL


@pytest.mark.compile
def test_only_kernels_of_a_unit_become_ptx_together(monkeypatch: pytest.MonkeyPatch) -> None:
    subjects = [_subject(program) for program in (h.SQUARE, h.SQUARE, h.SQUARE)]
    together: list[int] = []

    def unit(members: Sequence[units.Member]) -> str:
        together.append(len(members))
        return units.cuda_unit(members)

    monkeypatch.setattr(rooms, "cuda_unit", unit)
    proofs = prove(subjects, CONFIGS["cuda"], "sm_80", lambda at: None, ["one", "two", "one"])
    assert together == [2, 1]
    assert all(isinstance(proof, Proof) and proof.ptx for proof in proofs)
    assert len({proof.ptx for proof in proofs if isinstance(proof, Proof)}) == 1
