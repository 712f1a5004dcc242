"""The work of one process that runs a user's kernels: finds a launch for each, and proves it.

Whether a kernel stays inside of its arrays is seen first, in a process of its own that ends where it does
not; after that it is run like any other.
"""

from __future__ import annotations

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
from ...compilers.warp import CompileError
from ...language.analysis.interpreter import Endless, never_meet
from ...language.analysis.intervals import Illegal
from ...language.analysis.legality import Race, check, no_races
from ...language.program import Program, Role, Signature
from ...language.python.read import Unreadable, read
from ...proof.apart import exit_status
from ...proof.cases import rehearse
from ...proof.inputs import draw_cases, make_inputs
from ...proof.prove import prove
from ...proof.run import Runner
from ...proof.subject import Arrays, Cases, Proof, Subject, stacked
from .inputs import NoInputs, signatures
from .kernel import Failure, Kernel

# Exit statuses of a process in which a kernel changed nothing, or gave an infinity or a NaN.
IDLE, NOT_FINITE = 2, 3
SECONDS = 20  # for all runs of one launch
# Inputs that a kernel has to survive beside its cases. A divisor from 0 to 7 is zero in none of them once in
# five thousand kernels, and in none of ten cases in every fourth.
SURVIVED = 64
ENDLESS = f"did not end within {SECONDS} s"
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
    roles: Mapping[str, Role]
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

    signature: Signature
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


def tried(item: Candidate, arch: str, notify: Callable[[], None]) -> tuple[Run | Failure, Program | None]:
    """A kernel's run, and its tree if it is legal for all inputs of that launch. Calls `notify` before each
    step."""
    notify()
    tree = _tree(item)
    try:
        launch = _launch(item, tree)
    except (CompileError, NoInputs) as error:
        return Failure(str(error)), None
    if isinstance(launch, Failure):
        return launch, None
    cases = draw_cases(launch, item.id)
    program = _legal(tree, launch, cases)
    found = None if tree is None else replace(tree, signature=launch)
    subject = Subject(item.source, launch, cases, program, must_tell=False, found=found)
    return Run(launch, proofs_of(subject, arch, notify)), program


def _tree(item: Candidate) -> Program | None:
    """Its tree, without a launch; None where its source cannot be read."""
    try:
        return read(item.source, kernel=item.kernel)
    except Unreadable:
        return None


def _legal(tree: Program | None, launch: Signature, cases: Cases) -> Program | None:
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


def _launch(item: Candidate, tree: Program | None) -> Signature | Failure:
    """The first launch that the kernel can be run with and has an effect in, or why there is none. Raises
    `CompileError`, and `NoInputs`."""
    if found := UNWATCHED.search(item.source):
        return Failure(f"not run: it uses {found[0]}, with which it may reach memory that nothing watches")
    if found := OF_BLOCKS.search(item.source):
        return Failure(f"not run: it uses {found[0]}, and on a CPU there is one thread in a block")
    text, why = warp.translate(item.source, item.kernel, backward=False, cuda=False), ""
    member = Member("k0", text)
    library = warp.compile_native(units.native_unit([member]), checked=True)
    try:
        for signature in signatures(item.kernel, text.parameters, item.roles, text.tid_dims):
            runner = Runner(signature, member, library, cuda=False)
            cases = draw_cases(signature, item.id)
            others = (make_inputs(signature, f"{item.id}/survived/{number}") for number in range(SURVIVED))
            why = _fails(partial(_go_through, runner, cases, others)) or _race(tree, signature, cases)
            if not why:
                return signature
            if why == ENDLESS:
                break
    finally:
        library.unload()
    return Failure(f"no launch was found that it can be run with; in the last one it {why}")


def proofs_of(subject: Subject, arch: str, notify: Callable[[], None]) -> dict[str, Proof | Rejected]:
    """What comes of a proof in each task. Calls `notify` before each."""
    found = {}
    for config in compiled_tasks():
        notify()
        (found[config.name],) = prove([subject], config, arch, lambda _: None)
    return found


def _race(tree: Program | None, signature: Signature, cases: Cases) -> str:
    """What threads of the launch may race for, and do on some case; nothing where they do not, or there is no
    tree to see it by."""
    if tree is None:
        return ""
    program = replace(tree, signature=signature)
    try:
        no_races(program)
    except Race as error:
        try:
            met = not never_meet(program, stacked(cases.inputs), len(cases.inputs))
        except (IndexError, Endless, NotImplementedError, np.linalg.LinAlgError):
            met = True
        return f"has threads that race: {error}" if met else ""
    except (Illegal, NotImplementedError):
        pass
    return ""


def _go_through(runner: Runner, cases: Cases, others: Iterable[Arrays]) -> int:
    """Run all cases: 0 where some number is another one afterwards, or not zero in what was only written, and
    all are finite. Other inputs are run as well, whatever they give."""
    changed = False
    for inputs in cases.inputs:
        for name, after in runner.run(inputs).outputs.items():
            if not np.isfinite(after).all():
                return NOT_FINITE
            before = inputs[name].reshape(after.shape) if name in inputs else np.zeros_like(after)
            changed |= not np.array_equal(before, after)
    for inputs in others:
        runner.run(inputs)
    return 0 if changed else IDLE


def _fails(run: Callable[[], int]) -> str:
    """What happens in a process that does it; nothing where it ends well, with an effect."""
    status = exit_status(run, SECONDS)
    if status == 0:
        return ""
    if status in (IDLE, NOT_FINITE):
        return "changes nothing" if status == IDLE else "gives what is not finite"
    if -status == signal.SIGALRM:
        return ENDLESS
    return "leaves its arrays" if -status in (signal.SIGILL, signal.SIGTRAP, signal.SIGABRT) else "crashes"
