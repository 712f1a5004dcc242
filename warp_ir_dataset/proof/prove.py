"""A batch of kernels compiled together, run and judged. Where they come from is not known here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..common.configs import CONFIGS, Config
from ..common.outcomes import BatchFailed, Reason, Rejected
from ..compilers import plain, units, warp
from ..compilers.ptx import slices
from ..compilers.units import Member
from ..compilers.warp import CompileError, Library
from ..language.analysis.interpreter import interpret
from ..language.analysis.intervals import Illegal
from ..language.analysis.legality import check
from ..language.cuda.harness import harness
from ..language.cuda.refusals import NoPlainForm
from ..language.cuda.render import Plain, render
from ..language.program import Signature
from ..language.python.read import Unreadable, read
from ..language.python.write import write
from . import verify
from .checks import Checks
from .run import Result, Runner
from .subject import Arrays, PlainParts, Proof, Subject
from .twin import twin

Found = dict[str, Any]  # fields of `Checks`


@dataclass(frozen=True)
class _Twin:
    """The same kernel in float64, where gradients are judged."""

    signature: Signature
    member: Member


@dataclass(frozen=True)
class _Work:
    """A kernel on its way."""

    subject: Subject
    member: Member
    twin: _Twin | None = None
    plain: Plain | None = None


def prove(
    subjects: Sequence[Subject], config: Config, arch: str, notify: Callable[[int], None]
) -> list[Proof | Rejected]:
    """A proof or a rejection for each kernel, in order.

    `arch` (``"sm_80"``) is what PTX is made for, if there is any. Calls `notify` with -1 before a step that
    concerns the whole batch and with an index before running that kernel. Raises `BatchFailed` when several
    kernels do not compile together, `UserError` for an impossible `arch` and for a signature that is not the
    kernel's.
    """
    notify(-1)
    capability = warp.require_arch(arch) if config.cuda else None
    works = [_translate(subject, config, f"k{number}") for number, subject in enumerate(subjects)]
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
    outcomes: list[Proof | Rejected] = []
    try:
        for index, work in enumerate(works):
            if isinstance(work, Rejected):
                outcomes.append(work)
                continue
            notify(index)
            outcomes.append(_prove_one(work, library, slice_of[work.member.prefix], config))
    finally:
        library.unload()
    return outcomes


def prove_named(
    subjects: Sequence[Subject], config_name: str, arch: str, notify: Callable[[int], None]
) -> list[Proof | Rejected]:
    """`prove` as the function of a `Task`, whose arguments are text."""
    return prove(subjects, CONFIGS[config_name], arch, notify)


def _translate(subject: Subject, config: Config, prefix: str) -> _Work | Rejected:
    """Code text. In any namespace of a unit the kernel goes by `prefix`."""
    name = subject.signature.name
    try:
        text = warp.translate(subject.source, name, backward=config.adjoint, cuda=config.cuda)
        work = _Work(subject, Member(prefix, text))
        if config.plain:
            return _rendered(work)
        wide = twin(subject.program) if config.adjoint and subject.program is not None else None
        if wide is None:
            return work
        text = warp.translate(write(wide), name, backward=True, cuda=False)
    except CompileError as error:
        return Rejected(Reason.COMPILE_ERROR, str(error))
    return _Work(subject, work.member, _Twin(wide.signature, Member(f"{prefix}_wide", text)))


def _rendered(work: _Work) -> _Work | Rejected:
    """The same with its text in plain CUDA; of a kernel without a tree that of its source, if that is legal:
    an index that Warp would count from the end is one outside of an array there."""
    subject, member = work.subject, work.member
    try:
        program = subject.program
        if program is None:
            program = read(subject.source, subject.signature)
            check(program)
        found = render(program)
    except (NoPlainForm, Unreadable, Illegal) as error:
        return Rejected(Reason.NO_PLAIN_FORM, str(error))
    text = plain.runnable(found, subject.signature, member.prefix)
    return replace(work, member=replace(member, plain=text), plain=found)


def _compile(
    live: Sequence[_Work], config: Config, capability: int | None
) -> tuple[Library, Sequence[str | None]]:
    """The native code of the batch, loaded, and the PTX of each kernel."""
    members = [work.member for work in live]
    twins = [work.twin.member for work in live if work.twin is not None]
    ptx: Sequence[str | None] = [None] * len(live)
    if capability is not None:
        text = warp.compile_ptx(units.cuda_unit(members), capability)
        ptx = slices(text, [member.ptx for member in members])
    native = units.native_unit([*members, *twins], members if config.cuda else ())
    return warp.compile_native(native), ptx


def _prove_one(work: _Work, library: Library, ptx: str | None, config: Config) -> Proof | Rejected:
    subject = work.subject
    runner = Runner(subject.signature, work.member, library, config.cuda)
    sets = _telling_first(runner, subject.cases.inputs)
    seeds = subject.cases.output_gradients if config.adjoint else None

    reference = runner.launch(sets[0], seeds)
    rejection = _degenerate(runner, sets, reference, subject) or verify.gradient_not_finite(
        reference.gradients
    )
    if rejection is not None:
        return rejection
    found: Found = {"native_compile": True, "warp_launch": True}
    example: dict[str, Any] = {
        "launch_dim": subject.signature.launch_dim,
        "inputs": sets[0],
        "outputs": reference.outputs,
    }
    proofs: list[Callable[[], Found | Rejected]] = [lambda: _meaning_agrees(subject, sets[0], reference)]
    if config.cuda:
        proofs.append(lambda: _cuda_agrees(runner, sets[0], reference, seeds))
    if config.plain:
        proofs.append(lambda: _plain_agrees(runner, sets))
    if seeds is not None:
        proofs.append(lambda: _gradient_agrees(work, runner, library, sets[0], reference, seeds))
        example |= {"output_gradients": seeds, "input_gradients": reference.gradients}
    for proof in proofs:
        passed = proof()
        if isinstance(passed, Rejected):
            return passed
        found |= passed
    translation = work.member.translation
    code = translation.cuda if config.cuda else work.subject.source if config.python else translation.cpu
    parts = None
    if work.plain is not None:
        code = work.plain.completion
        parts = PlainParts(work.plain.interface, harness(work.plain, subject.signature, [example]))
    return Proof(code or "", ptx, example, Checks(**found), warp.versions().warp, parts)


def _telling_first(runner: Runner, sets: Sequence[Arrays]) -> Sequence[Arrays]:
    """`sets` with the first whose outputs are not near zero in front. It is the one that the kernel's results
    are compared on, and zeros would be equal to what a kernel that does nothing leaves."""
    for index, inputs in enumerate(sets):
        if verify.near_zero([runner.run(inputs).outputs]) is None:
            return [inputs, *sets[:index], *sets[index + 1 :]]
    return sets


def _degenerate(
    runner: Runner, sets: Sequence[Arrays], reference: Result, subject: Subject
) -> Rejected | None:
    """Outputs must be finite and not be near zero; where they must tell, also vary with the inputs and depend
    on each of them."""
    results = [reference.outputs, *(runner.run(inputs).outputs for inputs in sets[1:])]
    rejection = verify.not_finite(results) or verify.near_zero(results[:1])
    if rejection is None and subject.must_tell:
        rejection = verify.constant_output(results)
    if rejection is not None or not subject.must_tell:
        return rejection
    for argument in subject.signature.inputs:
        # A struct as a whole: a kernel may need some of its members only, and overwrite others.
        leaves = [leaf.name for leaf in argument.leaves]
        if rejection := verify.ignores_input(argument.name, _with_replaced(runner, sets, results, leaves)):
            return rejection
    return None


def _with_replaced(
    runner: Runner, sets: Sequence[Arrays], results: Sequence[Arrays], leaves: Sequence[str]
) -> Iterator[tuple[Arrays, Arrays]]:
    """Outputs for each set, and for the same set with an input's `leaves` taken from each of the others."""
    for inputs, outputs in zip(sets, results, strict=True):
        for other in sets:
            if not all(np.array_equal(other[leaf], inputs[leaf]) for leaf in leaves):
                yield outputs, runner.run({**inputs, **{leaf: other[leaf] for leaf in leaves}}).outputs


def _meaning_agrees(subject: Subject, inputs: Arrays, reference: Result) -> Found | Rejected:
    """Outputs against what the tree means in float64, where there is a tree."""
    if subject.program is None:
        return {}
    meaning = interpret(subject.program, {name: value[None] for name, value in inputs.items()}, 1)
    error = verify.meaning_agrees(reference.outputs, {name: value[0] for name, value in meaning.items()})
    return error if isinstance(error, Rejected) else {"numpy_matches": True, "numpy_error": error}


def _cuda_agrees(runner: Runner, inputs: Arrays, reference: Result, seeds: Arrays | None) -> Found | Rejected:
    """The CUDA text, run thread by thread, against Warp's launch: outputs, and gradients if there are any."""
    result = runner.run_cuda(inputs, seeds)
    outputs = verify.compare(result.outputs, reference.outputs)
    if outputs.unequal is not None:
        return Rejected(
            Reason.CUDA_DIFFERS, f"output {outputs.unequal} of the CUDA text is off by {outputs.error:.1e}"
        )
    found: Found = {"ptx_compile": True, "cuda_text_matches": True, "cuda_text_error": outputs.error}
    if not reference.gradients:
        return found
    gradients = verify.compare(result.gradients, reference.gradients)
    if gradients.unequal is not None:
        return Rejected(
            Reason.ADJOINT_DIFFERS,
            f"the gradient of {gradients.unequal} in the CUDA text is off by {gradients.error:.1e}",
        )
    return found | {"adjoint_matches": True, "adjoint_error": gradients.error}


def _plain_agrees(runner: Runner, sets: Sequence[Arrays]) -> Found | Rejected:
    """The text in plain CUDA, run thread by thread, against Warp's own code, on all inputs."""
    worst = 0.0
    for inputs in sets:
        outputs = verify.compare(runner.run_plain(inputs).outputs, runner.run(inputs).outputs)
        if outputs.unequal is not None:
            what = f"output {outputs.unequal} of the plain CUDA is off by {outputs.error:.1e}"
            return Rejected(Reason.PLAIN_DIFFERS, what)
        worst = max(worst, outputs.error)
    return {"rendered": True, "plain_matches": True, "plain_error": worst, "plain_inputs": len(sets)}


def _gradient_agrees(
    work: _Work, runner: Runner, library: Library, inputs: Arrays, reference: Result, seeds: Arrays
) -> Found | Rejected:
    """Warp's adjoint against central differences: of the twin in float64 and by way of its adjoint, or of the
    kernel itself where it has no twin."""
    if work.subject.program is None and not (seeds and reference.gradients):
        return {}  # nothing to differentiate: whole numbers alone
    if work.twin is None:
        judge, exact, how = runner, reference, verify.IN_OWN_PRECISION
    else:
        judge, how = Runner(work.twin.signature, work.twin.member, library, cuda=False), verify.IN_FLOAT64
        exact = judge.run(inputs, seeds)
    differences = judge.differences(inputs, seeds, how.steps)
    proof = verify.differences_agree(exact.gradients, differences, seeds, exact.outputs, how)
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
