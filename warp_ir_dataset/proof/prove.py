"""A batch of candidates through every room: render, compile, run, verify, record.

`example` in a row lets a stranger repeat the proof from `python_source` alone: import it, make an array
of zeros for every output and one from `inputs` for every input and inout argument (plain values are
passed as they are), launch the kernel over `launch_dim`, and compare with `outputs`. With gradients:
launch inside `wp.Tape` on arrays with `requires_grad=True`, call ``tape.backward(grads={...})`` with
`output_gradients`, and compare the arrays' ``.grad`` with `input_gradients`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..builds.plan.plan import Candidate
from ..builds.row import Checks, make_row
from ..common.address import Address
from ..common.configs import CONFIGS
from ..common.outcomes import BatchFailed, Outcome, Reason, Rejected
from ..compilers import units
from ..compilers import warp as toolchain
from ..compilers.ptx import slices
from ..compilers.units import Member
from ..compilers.warp import CompileError, Library
from ..language.analysis.interpreter import rehearse
from ..language.identity import kernel_id
from ..language.program import Program
from ..language.python.write import in_float64, render
from ..synthesis.draw import draw
from . import verify
from .inputs import make_inputs, make_output_gradients
from .run import Result, Runner

CPU_ARCH = "x86_64"
INPUT_SETS = 10


@dataclass(frozen=True)
class _Work:
    """A candidate on its way. `wide` is the same program in float64, where gradients are judged."""

    address: Address
    program: Program
    source: str
    member: Member
    wide: Member | None = None
    wide_program: Program | None = None


def prove(
    candidates: Sequence[Candidate], config: str, arch: str, notify: Callable[[int], None]
) -> list[Outcome]:
    """A row or a rejection for each candidate, in order.

    `arch` (``"sm_80"``) is what PTX is made for, if there is any. Calls `notify` with -1 before
    a step that concerns the whole batch and with an index before running that candidate's kernel. Raises
    `BatchFailed` when several candidates do not compile together, `UserError` for an impossible `arch`.
    """
    notify(-1)
    capability = toolchain.require_arch(arch) if CONFIGS[config].cuda else None
    works = [_translate(candidate, config, f"k{number}") for number, candidate in enumerate(candidates)]
    live = [work for work in works if isinstance(work, _Work)]
    if not live:
        return [work for work in works if isinstance(work, Rejected)]
    try:
        library, ptx = _compile(live, config, capability)
    except CompileError as error:
        if len(live) > 1:
            raise BatchFailed(str(error)) from error
        fault = Rejected(Reason.COMPILE_ERROR, str(error))
        return [work if isinstance(work, Rejected) else fault for work in works]
    slice_of = dict(zip((work.member.prefix for work in live), ptx, strict=True))
    outcomes: list[Outcome] = []
    try:
        for index, work in enumerate(works):
            if isinstance(work, Rejected):
                outcomes.append(work)
                continue
            notify(index)
            outcomes.append(_prove_one(work, library, slice_of[work.member.prefix], config, arch))
    finally:
        library.unload()
    return outcomes


def _translate(candidate: Candidate, config: str, prefix: str) -> _Work | Rejected:
    """Python source and code text. In any namespace of a unit the kernel goes by `prefix`."""
    program = candidate.program if candidate.program is not None else draw(candidate.address)
    source = render(program)
    backward = CONFIGS[config].adjoint
    try:
        text = toolchain.translate(source, program.name, backward=backward, cuda=CONFIGS[config].cuda)
        work = _Work(candidate.address, program, source, Member(prefix, text))
        if not backward:
            return work
        wide_program = in_float64(program)
        wide = toolchain.translate(render(wide_program), program.name, backward=True, cuda=False)
    except CompileError as error:
        return Rejected(Reason.COMPILE_ERROR, str(error))
    return _Work(
        candidate.address, program, source, work.member, Member(f"{prefix}_wide", wide), wide_program
    )


def _compile(
    live: Sequence[_Work], config: str, capability: int | None
) -> tuple[Library, Sequence[str | None]]:
    """The native code of the batch, loaded, and the PTX of each kernel."""
    members = [work.member for work in live]
    wides = [work.wide for work in live if work.wide is not None]
    ptx: Sequence[str | None] = [None] * len(live)
    if capability is not None:
        text = toolchain.compile_ptx(units.cuda_unit(members), capability)
        ptx = slices(text, [member.ptx for member in members])
    native = units.native_unit([*members, *wides], members if CONFIGS[config].cuda else ())
    return toolchain.compile_native(native), ptx


def _prove_one(work: _Work, library: Library, ptx: str | None, config: str, arch: str) -> Outcome:
    seed_text = kernel_id(work.source)
    drawn = [make_inputs(work.program, f"{seed_text}/{number}") for number in range(INPUT_SETS)]
    cuda = CONFIGS[config].cuda
    runner = Runner(work.program, work.member, library, cuda)
    sets = _telling_first(runner, drawn)
    seeds = make_output_gradients(work.program, seed_text) if work.wide is not None else None

    reference = runner.launch(sets[0], seeds)
    rejection = _degenerate(runner, sets, reference) or verify.gradient_not_finite(reference.gradients)
    if rejection is not None:
        return rejection
    meaning = rehearse(work.program, {name: value[None] for name, value in sets[0].items()}, 1)
    agreed = verify.meaning_agrees(reference.outputs, {name: value[0] for name, value in meaning.items()})
    if isinstance(agreed, Rejected):
        return agreed
    checks: dict[str, Any] = {
        "native_compile": True,
        "warp_launch": True,
        "numpy_matches": True,
        "numpy_error": agreed,
    }
    example: dict[str, Any] = {
        "launch_dim": work.program.launch_dim,
        "inputs": sets[0],
        "outputs": reference.outputs,
    }
    if cuda:
        found = _cuda_agrees(runner, sets, reference, seeds)
        if isinstance(found, Rejected):
            return found
        checks |= {"ptx_compile": True, **found}
    if seeds is not None:
        proof = _gradient_agrees(work, library, sets[0], reference, seeds)
        if isinstance(proof, Rejected):
            return proof
        checks |= proof
        example |= {"output_gradients": seeds, "input_gradients": reference.gradients}
    text = work.member.translation.cuda if cuda else work.member.translation.cpu
    return make_row(
        config=config,
        address=work.address,
        program=work.program,
        source=work.source,
        completion=text or "",
        ptx=ptx,
        arch=arch if cuda else CPU_ARCH,
        example=example,
        checks=Checks(**checks),
        warp_version=toolchain.versions().warp,
    )


def _telling_first(
    runner: Runner, sets: Sequence[Mapping[str, np.ndarray]]
) -> Sequence[Mapping[str, np.ndarray]]:
    """`sets` with the first whose outputs are not near zero in front. It is the one that the row's results
    are compared on, and zeros would be equal to what a kernel that does nothing leaves."""
    for index, inputs in enumerate(sets):
        if verify.near_zero([runner.run(inputs).outputs]) is None:
            return [inputs, *sets[:index], *sets[index + 1 :]]
    return sets


def _degenerate(
    runner: Runner, sets: Sequence[Mapping[str, np.ndarray]], reference: Result
) -> Rejected | None:
    """Outputs must be finite, vary with the inputs, depend on each of them, and not be near zero."""
    results = [reference.outputs, *(runner.run(inputs).outputs for inputs in sets[1:])]
    shown = results[:1]
    rejection = verify.not_finite(results) or verify.near_zero(shown) or verify.constant_output(results)
    if rejection is not None:
        return rejection
    for name in sets[0]:
        if rejection := verify.ignores_input(name, _with_replaced(runner, sets, results, name)):
            return rejection
    return None


def _with_replaced(
    runner: Runner, sets: Sequence[Mapping[str, np.ndarray]], results: Sequence[verify.Arrays], name: str
) -> Iterator[tuple[verify.Arrays, verify.Arrays]]:
    """Outputs for each set, and for the same set with the input `name` taken from each of the others."""
    for inputs, outputs in zip(sets, results, strict=True):
        for other in sets:
            if not np.array_equal(other[name], inputs[name]):
                yield outputs, runner.run({**inputs, name: other[name]}).outputs


def _cuda_agrees(
    runner: Runner,
    sets: Sequence[Mapping[str, np.ndarray]],
    reference: Result,
    seeds: Mapping[str, Any] | None,
) -> dict[str, Any] | Rejected:
    """The CUDA text, run thread by thread, against Warp's launch: outputs, and gradients if there are any."""
    result = runner.run_cuda(sets[0], seeds)
    outputs = verify.compare(result.outputs, reference.outputs)
    if outputs.unequal is not None:
        return Rejected(
            Reason.CUDA_DIFFERS, f"output {outputs.unequal} of the CUDA text is off by {outputs.error:.1e}"
        )
    found: dict[str, Any] = {"cuda_text_matches": True, "cuda_text_error": outputs.error}
    if seeds is not None:
        gradients = verify.compare(result.gradients, reference.gradients)
        if gradients.unequal is not None:
            return Rejected(
                Reason.ADJOINT_DIFFERS,
                f"the gradient of {gradients.unequal} in the CUDA text is off by {gradients.error:.1e}",
            )
        found |= {"adjoint_matches": True, "adjoint_error": gradients.error}
    return found


def _gradient_agrees(
    work: _Work,
    library: Library,
    inputs: Mapping[str, np.ndarray],
    reference: Result,
    seeds: Mapping[str, Any],
) -> dict[str, Any] | Rejected:
    """Warp's adjoint against the same kernel in float64, and that one against central differences."""
    assert work.wide is not None and work.wide_program is not None
    wide = Runner(work.wide_program, work.wide, library, cuda=False)
    exact = wide.run(inputs, seeds)
    proof = verify.differences_agree(exact.gradients, wide.differences(inputs, seeds), seeds, exact.outputs)
    if isinstance(proof, Rejected):
        return proof
    rejection = verify.no_gradient(exact.gradients) or verify.adjoint_precision(
        reference.gradients, exact.gradients
    )
    if rejection is not None:
        return rejection
    return {
        "finite_differences": True,
        "finite_difference_error": proof.error,
        "gradients_checked": proof.checked,
    }
