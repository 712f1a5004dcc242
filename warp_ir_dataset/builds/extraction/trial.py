"""The work of one process that runs a user's kernels: finds a launch for each, and proves it.

Whether a kernel stays inside of its arrays is seen first, in a process of its own that ends where it does
not; after that it is run like any other.
"""

from __future__ import annotations

import ast
import re
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...common.configs import compiled_tasks
from ...common.outcomes import Rejected
from ...compilers import units, warp
from ...compilers.units import Member
from ...compilers.warp import CompileError, Library
from ...language import ir
from ...language.analysis.interpreter import NonTerminating, is_race_free
from ...language.analysis.intervals import Illegal
from ...language.analysis.legality import Race, check, no_races
from ...language.python.read import Unreadable, read
from ...proof import verify
from ...proof.apart import Disturbed, exit_status
from ...proof.cases import rehearse
from ...proof.inputs import draw_cases, make_inputs
from ...proof.orders import may_follow
from ...proof.prove import prove
from ...proof.run import Runner
from ...proof.subject import Arrays, Cases, Proof, Subject, stacked
from .inputs import NoInputs, signatures
from .kernel import Failure, Kernel

# Exit statuses of a process in which a kernel changed nothing, gave an infinity or a NaN, or left something
# else when its threads came in another order.
IDLE, NOT_FINITE, RACING = 2, 3, 4
SECONDS = 20  # of computing, for all runs of one launch
# Inputs that a kernel has to survive beside its cases. A divisor from 0 to 7 is zero in none of them once in
# five thousand kernels, and in none of ten cases in every fourth.
SURVIVED = 64
RACES = "has threads that race: an output is another one when they come in another order"
ENDLESS = f"did not end within {SECONDS} s of computing"
# What may reach memory that Warp's checks do not watch: native code, and the address of an array.
UNWATCHED = re.compile(r"@wp\.func_native|\.ptr\b")
# What works by blocks of threads: Warp's text is made for another number of them than a run on the CPU has.
OF_BLOCKS = re.compile(r"\bwp\.tile\w*|\bwp\.block_dim\b")


@dataclass(frozen=True)
class Candidate:
    """A kernel that was extracted: its source, its name there, the roles of its arguments, and its id.

    Its tree stays behind, as one that can be read may still be too deep to be pickled.
    """

    source: str
    kernel: str
    roles: Mapping[str, ir.Role]
    id: str

    @classmethod
    def of(cls, kernel: Kernel) -> Candidate:
        found = kernel.extraction
        roles = {parameter.name: parameter.role for parameter in found.signature}
        return cls(kernel.source, found.name, roles, kernel.identity.id)

    def __str__(self) -> str:
        return self.kernel


@dataclass(frozen=True)
class Run:
    """A launch that a kernel can be run with, and what came of its proof in each task."""

    signature: ir.Signature
    proofs: Mapping[str, Proof | Rejected]


def run_some(items: Sequence[Candidate], arch: str, notify: Callable[[int], None]) -> list[Run | Failure]:
    """The function of a `Task`: a run for each kernel, or why there is none."""
    notify(-1)
    warp.start()
    found: list[Run | Failure] = []
    for index, item in enumerate(items):
        run, _ = tried(item, arch, partial(notify, index))
        found.append(run)
    return found


def tried(item: Candidate, arch: str, notify: Callable[[], None]) -> tuple[Run | Failure, ir.Program | None]:
    """A kernel's run, and its tree if it is legal for all inputs of that launch. Calls `notify` before each
    step."""
    notify()
    tree = _tree(item)
    try:
        launch = _launch(item, tree, notify)
    except (CompileError, NoInputs, Disturbed) as error:
        return Failure(str(error)), None
    if isinstance(launch, Failure):
        return launch, None
    cases = draw_cases(launch, item.id)
    program = _legal(tree, launch, cases)
    found = None if tree is None else replace(tree, signature=launch)
    subject = Subject(item.source, launch, cases, program, must_tell=False, found=found)
    return Run(launch, proofs_of(subject, arch, notify)), program


def _tree(item: Candidate) -> ir.Program | None:
    """Its tree, without a launch; None where its source cannot be read."""
    try:
        return read(item.source, kernel=item.kernel)
    except Unreadable:
        return None


def _legal(tree: ir.Program | None, launch: ir.Signature, cases: Cases) -> ir.Program | None:
    """The tree with its launch; None where there is none, none that is legal for every input, or one that
    hands arrays around in structs: there is no meaning on numpy to hold the outputs against."""
    if tree is None:
        return None
    program = replace(tree, signature=launch)
    try:
        check(program)
        rehearse(program, cases.inputs)
    except (Illegal, NotImplementedError, np.linalg.LinAlgError):
        return None
    return program


def _launch(item: Candidate, tree: ir.Program | None, notify: Callable[[], None]) -> ir.Signature | Failure:
    """The first launch that the kernel can be run with and has an effect in, or why there is none. Calls
    `notify` before each that it tries. Raises `CompileError`, `NoInputs`, and `Disturbed`: that the machine
    is busy is no reason to choose a later launch."""
    if found := UNWATCHED.search(item.source):
        return Failure(f"not run: it uses {found[0]}, with which it may reach memory that nothing watches")
    if found := OF_BLOCKS.search(item.source):
        return Failure(f"not run: it uses {found[0]}, and on a CPU there is one thread in a block")
    member, library = _compiled(item)
    text, why = member.translation, ""
    alone = not _asks_which_thread(item.source)
    try:
        for signature in signatures(item.kernel, text.parameters, item.roles, text.tid_dims, alone):
            notify()
            runner = Runner(signature, member, library, cuda=text.cuda is not None)
            cases = draw_cases(signature, item.id)
            others = (make_inputs(signature, f"{item.id}/survived/{number}") for number in range(SURVIVED))
            why = _fails(partial(_go_through, runner, signature, cases, others))
            if why in ("", RACES):
                why = _race(tree, signature, cases) or why
            if not why:
                return signature
            if why == ENDLESS:
                break
    finally:
        library.unload()
    return Failure(f"no launch was found that it can be run with; in the last one it {why}")


def _compiled(item: Candidate) -> tuple[Member, Library]:
    """The kernel as native code whose accesses to memory are watched, with its CUDA text where it has one.
    Raises `CompileError`."""
    try:
        return _compiled_text(item, cuda=True)
    except CompileError:
        return _compiled_text(item, cuda=False)


def _compiled_text(item: Candidate, *, cuda: bool) -> tuple[Member, Library]:
    member = Member("k0", warp.translate(item.source, item.kernel, backward=False, cuda=cuda))
    unit = units.native_unit([member], [member] if cuda else ())
    return member, warp.compile_native(unit, checked=True)


def _asks_which_thread(source: str) -> bool:
    """Whether anything is made of a thread's index. If not, all threads do the same, and one may be meant."""
    nodes = [*ast.walk(ast.parse(source))]
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    kept = {node.value: _names(node.targets) for node in nodes if isinstance(node, ast.Assign)}
    asked = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "wp.tid"]
    return any(node not in kept or kept[node] & read for node in asked)


def _names(targets: Iterable[ast.expr]) -> set[str]:
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def proofs_of(subject: Subject, arch: str, notify: Callable[[], None]) -> dict[str, Proof | Rejected]:
    """What comes of a proof in each task. Calls `notify` before each."""
    found = {}
    for config in compiled_tasks():
        notify()
        (found[config.name],) = prove([subject], config, arch, lambda _: None)
    return found


def _race(tree: ir.Program | None, signature: ir.Signature, cases: Cases) -> str:
    """What threads of the launch may race for, and do on some case; nothing where they do not, or there is no
    tree to see it by."""
    if tree is None:
        return ""
    program = replace(tree, signature=signature)
    try:
        no_races(program)
    except Race as error:
        try:
            met = not is_race_free(program, stacked(cases.inputs), len(cases.inputs))
        except (IndexError, NonTerminating, NotImplementedError, np.linalg.LinAlgError):
            met = True
        return f"has threads that race: {error}" if met else ""
    except (Illegal, NotImplementedError):
        pass
    return ""


def _go_through(runner: Runner, signature: ir.Signature, cases: Cases, others: Iterable[Arrays]) -> int:
    """Run all cases: 0 where some number is another one afterwards, or not zero in what was only written, and
    all are finite, in both orders of threads if the CUDA text is there. Other inputs are run as well."""
    changed = False
    for inputs in cases.inputs:
        outputs = runner.run(inputs).outputs
        for name, after in outputs.items():
            if not np.isfinite(after).all():
                return NOT_FINITE
            before = inputs[name].reshape(after.shape) if name in inputs else np.zeros_like(after)
            changed |= not np.array_equal(before, after)
        if _races(runner, signature, inputs, outputs):
            return RACING
    for inputs in others:
        runner.run(inputs)
    return 0 if changed else IDLE


def _races(runner: Runner, signature: ir.Signature, inputs: Arrays, outputs: Arrays) -> bool:
    """Whether the CUDA text leaves something else than these when its threads come in the other order."""
    if not runner.has_cuda:
        return False
    other = runner.run_cuda(inputs, backwards=True).outputs
    return verify.compare(other, outputs, may_follow(signature, None)).unequal is not None


def _fails(run: Callable[[], int]) -> str:
    """What happens in a process that does it; nothing where it ends well, with an effect. Raises
    `Disturbed`."""
    status = exit_status(run, SECONDS)
    if status == 0:
        return ""
    if status > 0:
        return {IDLE: "changes nothing", NOT_FINITE: "gives what is not finite", RACING: RACES}[status]
    if -status == signal.SIGXCPU:
        return ENDLESS
    return "leaves its arrays" if -status in (signal.SIGILL, signal.SIGTRAP, signal.SIGABRT) else "crashes"
