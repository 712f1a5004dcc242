"""Proves a batch of kernels: compiles them together, runs them, and checks the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..common.configs import CONFIGS, Config
from ..common.outcomes import BatchFailed, Reason, Rejected
from ..compilers import plain, warp
from ..compilers.ptx import slices
from ..compilers.units import Member, cuda_unit, native_unit
from ..compilers.warp import CompileError, Library, Translation
from ..language import ir
from ..language.analysis.backward.replay import lost_on_the_way_back
from ..language.analysis.gradients import differentiable_inputs
from ..language.analysis.interpreter import NonTerminating
from ..language.analysis.intervals import Illegal
from ..language.analysis.legality import check
from ..language.analysis.liveness import dead, only_copies, target_name
from ..language.cuda.harness import harness
from ..language.cuda.refusals import NoPlainForm
from ..language.cuda.render import PlainCuda, render
from ..language.python.read import Unreadable, read
from ..language.python.write import write
from . import verify
from .agreement import Found, cuda_agrees, gradient_agrees, meaning_agrees, plain_agrees, rounding_agrees
from .cases import Case, Rehearsal, chosen, rehearse
from .checks import Checks
from .orders import may_follow, moved, race_in_step, together
from .run import Runner
from .subject import Arrays, PlainParts, Proof, Subject, stacked
from .twin import twin
from .verify import Unordered


@dataclass(frozen=True)
class _Twin:
    """The same kernel in float64, where gradients are judged."""

    signature: ir.Signature
    member: Member


@dataclass(frozen=True)
class _Work:
    """A kernel on its way."""

    subject: Subject
    member: Member
    module: str
    twin: _Twin | None = None
    plain: PlainCuda | None = None
    rehearsal: Rehearsal | None = None
    allowed: Unordered = field(default_factory=dict)
    moved: frozenset[str] = frozenset()
    together: tuple[frozenset[str], ...] = ()


def prove(
    subjects: Sequence[Subject],
    config: Config,
    arch: str,
    notify: Callable[[int], None],
    modules: Sequence[str] | None = None,
) -> list[Proof | Rejected]:
    """A proof or a rejection for each kernel, in order.

    `arch` (``"sm_80"``) is what PTX is made for, if there is any; kernels become PTX together with those of
    the same one of `modules`, all of them without that. Calls `notify` with -1 before a step that
    concerns the whole batch and with an index before running that kernel. Raises `BatchFailed` when several
    kernels do not compile together, `UserError` for an impossible `arch` and for a signature that is not the
    kernel's.
    """
    notify(-1)
    capability = warp.require_arch(arch) if config.cuda else None
    works = [
        _translate(subject, config, f"k{number}", modules[number] if modules else "")
        for number, subject in enumerate(subjects)
    ]
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
    """`prove` as the function of a `Task`, whose arguments are text; of sources that are read here."""
    notify(-1)
    return prove([*map(_read, subjects)], CONFIGS[config_name], arch, notify)


def _read(subject: Subject) -> Subject:
    """The same with the tree of its source, if that can be read."""
    try:
        tree = read(subject.source, kernel=subject.signature.name)
    except Unreadable:
        return subject
    described = [
        [(a.name, a.reference.type) for a in each] for each in (tree.arguments, subject.signature.arguments)
    ]
    if described[0] != described[1]:
        return subject  # refused when it is run
    return replace(subject, found=replace(tree, signature=subject.signature))


def _translate(subject: Subject, config: Config, prefix: str, module: str) -> _Work | Rejected:
    """Code text. In any namespace of a unit the kernel goes by `prefix`."""
    name = subject.signature.name
    try:
        text = warp.translate(subject.source, name, backward=config.adjoint, cuda=config.cuda)
        work = _rehearsed(_Work(subject, Member(prefix, text), module))
        if isinstance(work, Rejected):
            return work
        if config.plain:
            return _rendered(work)
        if not config.adjoint:
            return work
        found = subject.found
        if found is not None and (reason := lost_on_the_way_back(found, text.max_unroll)):
            return Rejected(Reason.WRONG_GRADIENT, reason)
        return replace(work, twin=_twin(subject, f"{prefix}_wide", text))
    except CompileError as error:
        return Rejected(Reason.COMPILE_ERROR, str(error))


def _twin(subject: Subject, prefix: str, kernel: Translation) -> _Twin | None:
    """The kernel in float64, where it has a tree that can be, with its options. Raises `CompileError`."""
    tree = subject.program or subject.found
    wide = None if tree is None else twin(tree)
    if wide is None:
        return None
    text = warp.translate(write(wide), subject.signature.name, backward=True, cuda=False, like=kernel)
    return _Twin(wide.signature, Member(prefix, text))


def _rehearsed(work: _Work) -> _Work | Rejected:
    """The same with what its tree says of its inputs, where there is one. Nothing is compiled of what must
    tell and has an arm that none of them runs."""
    subject = work.subject
    work = replace(work, allowed=may_follow(subject.signature, subject.program))
    if subject.program is None:
        return work
    sets = subject.cases.inputs
    try:
        rehearsal = rehearse(subject.program, sets)
        strided = work.member.translation.grid_stride
        other = moved(subject.program, work.allowed, sets, rehearsal.meaning, grid_stride=strided)
        followers = {name: work.allowed[name] for name in sorted(other.outputs)}
        paired = together(subject.program, followers, sets, rehearsal.meaning)
        racing = (
            None
            if subject.must_tell
            else race_in_step(subject.program, work.allowed, sets, rehearsal.meaning)
        )
    except (NonTerminating, IndexError):
        return work  # no legal program: it is none when it has run, if the worker survives that
    if subject.must_tell and rehearsal.coverage.dead:
        count = len(subject.cases.inputs)
        return Rejected(Reason.DEAD_ARM, f"an arm of a branch runs on none of {count} inputs")
    if subject.must_tell and (idle := _idle(subject.program, sets, rehearsal.meaning)):
        return idle
    for output in other.races.values():
        return Rejected(Reason.RACE, f"output {output} is another one when threads come in another order")
    if racing is not None:
        return Rejected(Reason.RACE, f"output {racing} is another one when threads run in step")
    return replace(work, rehearsal=rehearsal, moved=other.outputs, together=paired)


def _idle(program: ir.Program, sets: Sequence[Arrays], meaning: Sequence[Arrays]) -> Rejected | None:
    """A program that copies, or that computes what nobody sees."""
    inputs, outputs = stacked(sets), stacked(meaning)
    if only_copies(inputs, outputs):
        return Rejected(Reason.ONLY_COPIES, "every output is an input")
    if idle := dead(program, inputs, outputs, len(sets)):
        names = ", ".join(dict.fromkeys(target_name(statement) for statement in idle))
        return Rejected(Reason.DEAD_STATEMENT, f"what is computed for {names} shows in no output")
    return None


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
        ptx = _ptx(live, capability)
    native = native_unit([*members, *twins], members if config.cuda else ())
    return warp.compile_native(native), ptx


def _ptx(live: Sequence[_Work], capability: int) -> list[str]:
    """The PTX of each kernel, module by module, and of one by what NVRTC is told."""
    together: dict[Any, list[Member]] = {}
    for work in live:
        together.setdefault((work.module, work.member.translation.nvrtc), []).append(work.member)
    found: dict[str, str] = {}
    for (_, told), members in together.items():
        text = warp.compile_ptx(cuda_unit(members), capability, told)
        parts = slices(text, [member.ptx for member in members])
        found |= zip((member.prefix for member in members), parts, strict=True)
    return [found[work.member.prefix] for work in live]


def _prove_one(work: _Work, library: Library, ptx: str | None, config: Config) -> Proof | Rejected:
    subject, sets, rehearsal = work.subject, work.subject.cases.inputs, work.rehearsal
    runner = Runner(subject.signature, work.member, library, config.cuda)
    results = [runner.run(inputs).outputs for inputs in sets]
    if subject.program is not None and rehearsal is None:
        return Rejected(Reason.ILLEGAL, "by its tree it leaves an array, or never ends")
    telling = [
        place
        for place, (inputs, outputs) in enumerate(zip(sets, results, strict=True))
        if verify.near_zero([outputs]) is None and not verify.unchanged(outputs, inputs)
    ]
    shown = chosen(len(sets), telling, rehearsal)
    cases = list(_cases(work, runner, shown, config))
    rejection = _degenerate(runner, sets, [results[shown[0]], *results], subject) or _not_finite(cases)
    if rejection is not None:
        return rejection
    found = _agreed(work, runner, library, cases, config)
    if isinstance(found, Rejected):
        return found
    examples = tuple(_example(subject, case) for case in cases)
    translation = work.member.translation
    code = translation.cuda if config.cuda else subject.source if config.python else translation.cpu
    parts = None
    if work.plain is not None:
        code = work.plain.completion
        unordered = found.get("unordered", ())
        main = harness(work.plain, subject.signature, examples, unordered, work.together)
        parts = PlainParts(work.plain.interface, main)
    ran = None if rehearsal is None else rehearsal.ran(shown)
    return Proof(code or "", ptx, examples, Checks(**found), warp.versions().warp, parts, ran)


def _cases(work: _Work, runner: Runner, shown: Sequence[int], config: Config) -> Iterator[Case]:
    """The inputs that are shown, with what Warp's own launches make of them."""
    sets = work.subject.cases.inputs
    seeds = work.subject.cases.output_gradients if config.adjoint else None
    for place in shown:
        meaning = None if work.rehearsal is None else work.rehearsal.meaning[place]
        yield Case(sets[place], seeds, runner.launch(sets[place], seeds), meaning)


def _agreed(
    work: _Work, runner: Runner, library: Library, cases: Sequence[Case], config: Config
) -> Found | Rejected:
    """What all the texts of a kernel were found to do alike, or the first thing that they do not."""
    sets = work.subject.cases.inputs
    found: Found = {"native_compile": True, "warp_launch": True, "cases": len(cases)}
    proofs: list[Callable[[], Found | Rejected]] = [lambda: meaning_agrees(cases)]
    if (program := work.subject.program) is not None:
        proofs.append(lambda: rounding_agrees(program, cases, adjoint=config.adjoint))
    if config.cuda:
        proofs.append(lambda: cuda_agrees(runner, cases, work.allowed, work.together))
    if config.plain:
        proofs.append(lambda: plain_agrees(runner, sets, work.allowed, work.together))
    if config.adjoint:
        proofs.append(lambda: _gradient_agrees(work, runner, library, cases))
    for proof in proofs:
        passed = proof()
        if isinstance(passed, Rejected):
            return passed
        found |= passed
    if work.rehearsal is not None or "unordered" in found:
        found["unordered"] = tuple(sorted(work.moved.union(found.get("unordered", ()))))
    return found


def _example(subject: Subject, case: Case) -> dict[str, Any]:
    example = {
        "launch_dim": subject.signature.launch_dim,
        "inputs": case.inputs,
        "outputs": case.result.outputs,
    }
    if case.output_gradients is None:
        return example
    gradients = {"output_gradients": case.output_gradients, "input_gradients": case.result.gradients}
    return example | gradients


def _not_finite(cases: Sequence[Case]) -> Rejected | None:
    """What is not finite of what Warp's own launches left, beside their outputs."""
    found = (verify.gradient_not_finite(case.result.gradients) for case in cases)
    return next((rejection for rejection in found if rejection is not None), None)


def _degenerate(
    runner: Runner, sets: Sequence[Arrays], results: Sequence[Arrays], subject: Subject
) -> Rejected | None:
    """Outputs must be finite and not be near zero; where they must tell, also vary with the inputs and depend
    on each of them. `results` are those of the first case, and behind them those of all `sets`."""
    rejection = verify.not_finite(results) or verify.near_zero(results[:1])
    if rejection is None and subject.must_tell:
        rejection = verify.constant_output(results)
    if rejection is not None or not subject.must_tell:
        return rejection
    for argument in subject.signature.inputs:
        # A struct as a whole: a kernel may need some of its members only, and overwrite others.
        leaves = [leaf.name for leaf in argument.leaves]
        pairs = _with_replaced(runner, sets, results[1:], leaves)
        if rejection := verify.ignores_input(argument.name, pairs):
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


def _gradient_agrees(
    work: _Work, runner: Runner, library: Library, cases: Sequence[Case]
) -> Found | Rejected:
    """Nothing is held against differences where there is nothing to differentiate: whole numbers alone."""
    program = work.subject.program
    some = work.subject.cases.output_gradients and cases[0].result.gradients
    if program is None and not some:
        return {}
    wide = None
    if work.twin is not None:
        wide = Runner(work.twin.signature, work.twin.member, library, cuda=False)
        if program is None and not _same(wide, cases):
            wide = None
    wanted = () if program is None or not work.subject.must_tell else differentiable_inputs(program)
    return gradient_agrees(runner, wide, cases, wanted)


def _same(wide: Runner, cases: Sequence[Case]) -> bool:
    """Whether a twin of which no tree vouches does what the kernel does, on every case."""
    pairs = ((wide.run(case.inputs).outputs, case.result.outputs) for case in cases)
    return all(not isinstance(verify.meaning_agrees(kernel, meant), Rejected) for meant, kernel in pairs)
