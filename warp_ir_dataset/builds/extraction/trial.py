"""What a worker process does to run kernels of anybody's: it finds a launch for each, and proves it.

Whether a kernel stays inside of its arrays is seen first, in a process of its own that ends where it does
not; after that it is run like any other.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...common.configs import CONFIGS
from ...common.outcomes import Rejected
from ...compilers import units, warp
from ...compilers.units import Member
from ...compilers.warp import CompileError
from ...language.analysis.intervals import Illegal
from ...language.analysis.legality import check
from ...language.program import Program, Role, Signature
from ...language.python.read import Unreadable, read
from ...proof.inputs import draw_cases
from ...proof.prove import prove
from ...proof.run import Runner
from ...proof.subject import Cases, Proof, Subject
from .inputs import NoInputs, signatures

SECONDS = 20  # for all runs of one launch
ENDLESS = f"did not end within {SECONDS} s"


@dataclass(frozen=True)
class Candidate:
    """A kernel that was extracted: its source, its name there, the roles of its arguments, and its id."""

    source: str
    kernel: str
    roles: Mapping[str, Role]
    id: str

    def __str__(self) -> str:
        return self.kernel


@dataclass(frozen=True)
class Run:
    """A launch that a kernel can be run with, and what came of its proof in each config."""

    signature: Signature
    proofs: Mapping[str, Proof | Rejected]


def run_some(items: Sequence[Candidate], arch: str, notify: Callable[[int], None]) -> list[Run | str]:
    """The function of a `Task`: a run for each kernel, or why there is none."""
    notify(-1)
    warp.start()
    found: list[Run | str] = []
    for index, item in enumerate(items):
        notify(index)
        try:
            found.append(_run(item, arch))
        except (CompileError, NoInputs) as error:
            found.append(str(error))
    return found


def _run(item: Candidate, arch: str) -> Run | str:
    text = warp.translate(item.source, item.kernel, backward=False, cuda=False)
    member = Member("k0", text)
    library = warp.compile_native(units.native_unit([member]), checked=True)
    why = ""
    try:
        for signature in signatures(item.kernel, text.parameters, item.roles, text.tid_dims):
            runner = Runner(signature, member, library, cuda=False)
            why = _fails(partial(_go_through, runner, draw_cases(signature, item.id)))
            if why in ("", ENDLESS):
                break
    finally:
        library.unload()
    if why:
        return f"no launch was found that it can be run with; in the last one it {why}"
    subject = Subject(item.source, signature, draw_cases(signature, item.id), must_tell=False)
    program = _program(item, signature)
    try:
        return Run(signature, _proofs(replace(subject, program=program), arch))
    except NotImplementedError:  # it hands arrays around in structs, which has no meaning on numpy
        return Run(signature, _proofs(subject, arch))


def _proofs(subject: Subject, arch: str) -> dict[str, Proof | Rejected]:
    found = {}
    for config in CONFIGS.values():
        (found[config.name],) = prove([subject], config, arch, lambda _: None)
    return found


def _go_through(runner: Runner, cases: Cases) -> None:
    for inputs in cases.inputs:
        runner.run(inputs)


def _fails(run: Callable[[], None]) -> str:
    """What happens in a process that does it; nothing where it ends well."""
    child = os.fork()
    if not child:
        status = 1
        try:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(SECONDS)
            run()
            status = 0
        finally:
            os._exit(status)
    _, end = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(end)
    if code == 0:
        return ""
    if -code == signal.SIGALRM:
        return ENDLESS
    return "leaves its arrays" if -code in (signal.SIGILL, signal.SIGTRAP, signal.SIGABRT) else "crashes"


def _program(item: Candidate, signature: Signature) -> Program | None:
    """The kernel's tree, where it can be read and is legal for every input: it adds its own meaning."""
    try:
        program = replace(read(item.source, kernel=item.kernel), signature=signature)
        check(program)
    except (Unreadable, Illegal):
        return None
    return program
