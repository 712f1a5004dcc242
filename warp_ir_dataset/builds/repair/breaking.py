"""Breaks correct kernels, and checks that each fails as its message says: in Warp or in a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from ...common.outcomes import BatchFailed, Reason, Rejected
from ...common.rng import Rng
from ...compilers import units, warp
from ...compilers.units import Member
from ...compilers.warp import CompileError
from ...language import ir
from ...language.analysis.interpreter import NonTerminating, interpret_in_lockstep
from ...language.analysis.memory import ThreadConflict
from ...language.mutants.table import runs
from ...language.python.read import Unreadable, read
from ...proof.bite import Bitten
from ...proof.run import Runner
from .kinds import KINDS, Kind
from .mistake import Mistake
from .source import Module
from .telling import first_difference
from .typed import looks_typed

TRIES = 6  # edits by one function that are tried before it gives up on a kernel
# Of a kernel's cases, the share that must show what is wrong to the interpreter: on hidden inputs it has to
# show as well. A race must show in all of them.
SHOWN = 2 / 3
# What belongs to a machine, or to one run.
_LOCAL = re.compile(r"0x[0-9a-f]{4,}|site-packages|(?:^|\s)/\w+/")


@dataclass(frozen=True)
class Right:
    """A kernel that was proved, and its cases, as `Proof.examples` has them."""

    id: str
    program: ir.Program
    source: str
    examples: tuple[Mapping[str, Any], ...]

    @cached_property
    def module(self) -> Module:
        return Module(self.source)

    @cached_property
    def bitten(self) -> Bitten:
        return Bitten(self.program, [example["inputs"] for example in self.examples])


@dataclass(frozen=True)
class _Unrun:
    """A broken kernel that Warp takes, on its way."""

    kind: Kind
    program: ir.Program
    source: str
    member: Member


def broken(rights: Sequence[Right], notify: Callable[[int], None]) -> list[Mistake | Rejected]:
    """Each kernel with one mistake, in order. What kind it has is drawn by its id, among those that it can
    have.

    Calls `notify` as the function of a `Task` does. Raises `BatchFailed` when several kernels do not compile
    together.
    """
    found: dict[int, Mistake | Rejected] = {}
    unrun: dict[int, _Unrun] = {}
    for place, right in enumerate(rights):
        notify(place)
        mistake = _mistaken(right, f"k{place}")
        if isinstance(mistake, _Unrun):
            unrun[place] = mistake
        else:
            found[place] = mistake or Rejected(Reason.UNBROKEN, "no mistake was found that shows in it")
    notify(-1)
    found |= _run(rights, unrun, notify)
    return [found[place] for place in range(len(rights))]


def order(id: str) -> Iterator[Kind]:
    """All kinds, each as likely to come first as its weight says."""
    rng, left = Rng(f"repair/{id}"), list(KINDS.values())
    while left:
        kind = rng.weighted([(kind, kind.weight) for kind in left])
        left.remove(kind)
        yield kind


def _mistaken(right: Right, prefix: str) -> Mistake | _Unrun | None:
    for kind in order(right.id):
        rng = Rng(f"repair/{right.id}/{kind.name}")
        made = _refused(right, kind, rng) if kind.words else _wrong(right, kind, rng, prefix)
        if made is not None:
            return made
    return None


def _sources(right: Right, kind: Kind, rng: Rng) -> Iterator[str]:
    """Sources with a mistake of a kind, as far as the text tells; some of each function that offers them."""
    for offer in rng.shuffled(kind.offers):
        edits = rng.shuffled(list(offer(right.module)))
        sources = (right.module.edited(edit) for edit in edits)
        yield from islice((one for one in sources if looks_typed(right.source, one)), TRIES)


# ---- what Warp refuses


def _refused(right: Right, kind: Kind, rng: Rng) -> Mistake | None:
    for source in _sources(right, kind, rng):
        try:
            warp.translate(source, right.program.name, backward=False, cuda=False)
        except CompileError as error:
            message = str(error)
            if any(words in message for words in kind.words) and not _LOCAL.search(message):
                return Mistake(kind.name, source, f"Warp says: {message}")
    return None


# ---- what a run shows


def _wrong(right: Right, kind: Kind, rng: Rng, prefix: str) -> Mistake | _Unrun | None:
    for source in _sources(right, kind, rng):
        try:
            program = read(source, right.program.signature)
        except Unreadable:
            continue
        # What leaves its arrays, or does not end, must not be run by a processor.
        if program == right.program or not runs(program):
            continue
        told = None if kind.in_step else right.bitten.by(program)
        if told is not None and (told.seen.mean() < SHOWN or not told.ends):
            continue
        try:
            text = warp.translate(source, right.program.name, backward=False, cuda=False)
        except CompileError:
            continue
        if not kind.in_step:
            return _Unrun(kind, program, source, Member(prefix, text))
        if (message := _in_step(right, program)) is not None:
            return Mistake(kind.name, source, message)
    return None


def _in_step(right: Right, racing: ir.Program) -> str | None:
    """What the first case says if all threads run side by side; None unless every case shows something."""
    messages = []
    for example in right.examples:
        stacked = {name: np.asarray(value)[None] for name, value in example["inputs"].items()}
        try:
            results = interpret_in_lockstep(racing, stacked, 1)
        except (ThreadConflict, NonTerminating, IndexError, np.linalg.LinAlgError):
            return None
        outputs = {name: value[0] for name, value in results.items()}
        message = first_difference(
            example, outputs, "with its threads in step, as a GPU runs those of a warp"
        )
        if message is None:
            return None
        messages.append(message)
    return messages[0]


def _run(
    rights: Sequence[Right], unrun: Mapping[int, _Unrun], notify: Callable[[int], None]
) -> dict[int, Mistake | Rejected]:
    if not unrun:
        return {}
    try:
        library = warp.compile_native(units.native_unit([each.member for each in unrun.values()]))
    except CompileError as error:
        if len(unrun) > 1:
            raise BatchFailed(str(error)) from error
        return {place: Rejected(Reason.UNBROKEN, f"its mutant is refused: {error}") for place in unrun}
    try:
        found: dict[int, Mistake | Rejected] = {}
        for place, each in unrun.items():
            notify(place)
            runner = Runner(each.program.signature, each.member, library, cuda=False)
            found[place] = _seen(rights[place], each, runner)
        return found
    finally:
        library.unload()


def _seen(right: Right, unrun: _Unrun, runner: Runner) -> Mistake | Rejected:
    """What the first case says that shows the mistake."""
    for example in right.examples:
        outputs = runner.run(example["inputs"]).outputs
        message = first_difference(example, outputs, "compiled for the CPU")
        if message is not None:
            return Mistake(unrun.kind.name, unrun.source, message)
    return Rejected(Reason.UNBROKEN, f"a {unrun.kind.name} shows in the interpreter alone")
