"""Compares a kernel's results with its other versions: numpy, CUDA text, plain CUDA, finite differences.

Each proof is made on every case; the errors are the worst of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from ..common.outcomes import Reason, Rejected
from ..language import ir
from ..language.operations.rounding import Rounding
from . import verify
from .cases import Case, rounded_otherwise
from .orders import differing
from .run import Result, Runner
from .subject import Arrays
from .verify import Unordered

Found = dict[str, Any]  # fields of `Checks`
Together = Collection[Collection[str]]  # groups of outputs, see `verify.compare`


def meaning_agrees(cases: Sequence[Case]) -> Found | Rejected:
    """Outputs against what the tree means in float64, where there is a tree."""
    worst = 0.0
    for case in cases:
        if case.meaning is None:
            return {}
        error = verify.meaning_agrees(case.result.outputs, case.meaning)
        if isinstance(error, Rejected):
            return error
        worst = max(worst, error)
    return {"numpy_matches": True, "numpy_error": worst}


def rounding_agrees(program: ir.Program, cases: Sequence[Case], *, adjoint: bool) -> Found | Rejected:
    """What the tree means, against the same with an error on every result: another processor may round so.

    Gradients are not compared: those of an `adjoint` may hang on no error. A GPU that fuses the product with
    the difference finds ``x * x - x * x`` above zero, and the square root of that as steep as it likes."""
    rounding = Rounding()
    others = rounded_otherwise(program, [case.inputs for case in cases], rounding)
    if others is None:
        return Rejected(Reason.ROUNDING_DECIDES, "rounded otherwise, it leaves an array or never ends")
    if adjoint and rounding.hangs is not None:
        return Rejected(Reason.ROUNDING_DECIDES, f"the derivative of {rounding.hangs} hangs on rounding")
    worst = 0.0
    for case, other in zip(cases, others, strict=True):
        assert case.meaning is not None
        error = verify.meaning_agrees(other, case.meaning)
        if isinstance(error, Rejected):
            return replace(error, detail=f"{error.detail} when it is rounded otherwise")
        worst = max(worst, error)
    return {"rounding_error": worst}


def cuda_agrees(
    runner: Runner, cases: Sequence[Case], allowed: Unordered, together: Together = ()
) -> Found | Rejected:
    """The CUDA text, run thread by thread, against Warp's launch: outputs, and gradients if there are any.
    Then once more with its threads in another order, where elements of `allowed` arrays may lie elsewhere,
    those of one group of `together` at the same places."""
    of_outputs = of_gradients = 0.0
    moved: set[str] = set()
    for case in cases:
        result = runner.run_cuda(case.inputs, case.output_gradients)
        outputs = verify.compare(result.outputs, case.result.outputs)
        if outputs.unequal is not None:
            what = f"output {outputs.unequal} of the CUDA text is off by {outputs.error:.1e}"
            return Rejected(Reason.CUDA_DIFFERS, what)
        gradients = verify.compare(result.gradients, case.result.gradients)
        if gradients.unequal is not None:
            what = f"the gradient of {gradients.unequal} in the CUDA text is off by {gradients.error:.1e}"
            return Rejected(Reason.ADJOINT_DIFFERS, what)
        of_outputs, of_gradients = max(of_outputs, outputs.error), max(of_gradients, gradients.error)
        other = runner.run_cuda(case.inputs, case.output_gradients, backwards=True)
        if rejection := _races(other, case.result, allowed, together):
            return rejection
        moved |= differing(other.outputs, case.result.outputs, allowed)
    found: Found = {"ptx_compile": True, "cuda_text_matches": True, "cuda_text_error": of_outputs}
    found |= {"thread_orders": 2, "unordered": moved}
    if any(case.result.gradients for case in cases):
        found |= {"adjoint_matches": True, "adjoint_error": of_gradients}
    return found


def _races(other: Result, result: Result, allowed: Unordered, together: Together) -> Rejected | None:
    """Whether what another order of threads left is more than elements in another order."""
    unequal = verify.compare(other.outputs, result.outputs, allowed, together).unequal
    if unequal is not None:
        return Rejected(Reason.RACE, f"output {unequal} is another one when threads come in another order")
    unequal = verify.compare(other.gradients, result.gradients).unequal
    if unequal is not None:
        what = f"the gradient of {unequal} is another one when threads come in another order"
        return Rejected(Reason.RACE, what)
    return None


def plain_agrees(
    runner: Runner, sets: Sequence[Arrays], allowed: Unordered, together: Together = ()
) -> Found | Rejected:
    """The text in plain CUDA, run thread by thread in both orders, against Warp's own code, on all inputs."""
    worst = 0.0
    moved: set[str] = set()
    for inputs in sets:
        expected = runner.run(inputs)
        outputs = verify.compare(runner.run_plain(inputs).outputs, expected.outputs)
        if outputs.unequal is not None:
            what = f"output {outputs.unequal} of the plain CUDA is off by {outputs.error:.1e}"
            return Rejected(Reason.PLAIN_DIFFERS, what)
        worst = max(worst, outputs.error)
        other = runner.run_plain(inputs, backwards=True)
        if rejection := _races(other, expected, allowed, together):
            return rejection
        moved |= differing(other.outputs, expected.outputs, allowed)
    found: Found = {"rendered": True, "plain_matches": True, "plain_error": worst, "plain_inputs": len(sets)}
    return found | {"thread_orders": 2, "unordered": moved}


def gradient_agrees(
    runner: Runner, wide: Runner | None, cases: Sequence[Case], wanted: Sequence[ir.Argument]
) -> Found | Rejected:
    """Warp's adjoint against central differences: of the twin in float64 and by way of its adjoint, or of the
    kernel itself where it has no twin. On some case a gradient must be visible, and each of the `wanted`
    arguments must have one."""
    worst, checked, unseen = 0.0, 0, []
    having: set[str] = set()
    for case in cases:
        seeds = case.output_gradients or {}
        exact = case.result if wide is None else wide.run(case.inputs, seeds)
        judge, how = (runner, verify.IN_OWN_PRECISION) if wide is None else (wide, verify.IN_FLOAT64)
        differences = judge.differences(case.inputs, seeds, how.steps)
        proof = verify.differences_agree(exact.gradients, differences, how)
        if isinstance(proof, Rejected):
            return proof
        worst, checked = max(worst, proof.error), checked + proof.checked
        if rejection := verify.adjoint_precision(case.result.gradients, exact.gradients):
            return rejection
        unseen.append(verify.no_gradient(exact.gradients))
        having |= {name.partition(".")[0] for name, gradient in exact.gradients.items() if gradient.any()}
    if all(unseen):
        return next(filter(None, unseen))
    for argument in wanted:
        if argument.name not in having:
            return Rejected(Reason.NO_GRADIENT, f"the gradient of {argument.name} is zero on every case")
    return {
        "finite_differences": True,
        "finite_difference_precision": "own" if wide is None else "double",
        "finite_difference_error": worst,
        "gradients_checked": checked,
    }
