"""Mutants of adjoints, for `bite.py`: the text of a CUDA completion with one edit where gradients are made.

Edits are made in the part of each function that runs backwards, and there of statements that handle floats
alone: what stands at indices has no gradient. Each mutant runs in a process of its own, as it may leave its
arrays.
"""

from __future__ import annotations

import os
import pickle
import re
import resource
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.compilers import cuda_on_cpu, units, warp
from warp_ir_dataset.compilers.units import Member
from warp_ir_dataset.compilers.warp import Library, Translation
from warp_ir_dataset.language import ir
from warp_ir_dataset.proof import verify
from warp_ir_dataset.proof.run import Runner
from warp_ir_dataset.proof.subject import Arrays

# Of the tolerance, what another order of a sum leaves of it; gradients that are nowhere further apart are the
# same.
ROUNDED = 0.05
SECONDS = 20  # of CPU, in which a mutant has to end

_CALL = re.compile(r"^(?P<indent>[ \t]*)(?P<name>(?:wp::)?adj_\w+)\((?P<operands>[\w, ]*)\);$")
_DECLARED = re.compile(
    r"^[ \t]*(?:const )?(?!return\b|goto\b)(?P<type>[A-Za-z_][\w:<>, ]*?(?: ?\*)?) ?&? ?"
    r"(?P<name>(?:var|adj)_\w+)(?: = .*)?[,;)]+$"
)
_SET = re.compile(r"^(?P<indent>[ \t]*)(?P<name>var_\w+) = ")
_CONDITION = re.compile(r"^([ \t]*if \()(!?)(var_\w+\) \{)$")
_ADDED = re.compile(r"^([ \t]*)(adj_\S+) \+= (adj_\w+);$")
_FLOAT = re.compile(r"\bfloat(?:32|64)?\b")
_LIKE = {"add": "sub", "sub": "add", "min": "max", "max": "min", "sin": "cos", "cos": "sin", "mul": "cw_mul"}


@dataclass(frozen=True)
class _Part:
    """A function's lines that run backwards, `first` to `last`, in a text of which it starts at `start`, and
    the types of what it declares."""

    start: int
    first: int
    last: int
    types: Mapping[str, str]

    def is_float(self, name: str) -> bool:
        return bool(_FLOAT.search(self.types.get(name, "")))


def _parts(lines: Sequence[str]) -> Iterator[_Part]:
    start, first = 0, None
    for number, line in enumerate(lines):
        if line.strip() == "// reverse":
            first = number + 1
        elif line == "}":
            if first is not None:
                declared = filter(None, map(_DECLARED.match, lines[start:first]))
                types = {each["name"]: each["type"] for each in declared}
                yield _Part(start, first, number, types)
            start, first = number + 1, None


Edit = Callable[[Sequence[str], int, _Part], Iterator[str]]  # what may stand in a line's place


def _called(line: str, part: _Part) -> tuple[str, str, list[str]] | None:
    """The indent, the name and the operands of a statement that hands gradients on, of floats."""
    found = _CALL.match(line)
    if found is None:
        return None
    operands = found["operands"].split(", ")
    slopes = [operand for operand in operands if operand.startswith("adj_")]
    if not slopes or not part.is_float(slopes[-1]):
        return None
    return found["indent"], found["name"], operands


def _deleted(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    if _called(lines[at], part) or _ADDED.match(lines[at]):
        yield ""


def _doubled(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    if _called(lines[at], part) or _ADDED.match(lines[at]):
        yield f"{lines[at]}\n{lines[at]}"


def _turned(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    """What comes in with the other sign, for this statement alone."""
    if called := _called(lines[at], part):
        indent, _, operands = called
        if "array" not in part.types[operands[-1]]:
            turn = f"{indent}{operands[-1]} = wp::neg({operands[-1]});"
            yield f"{turn}\n{lines[at]}\n{turn}"
    elif added := _ADDED.match(lines[at]):
        yield f"{added[1]}{added[2]} += wp::neg({added[3]});"


def _exchanged(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    """Two neighbouring gradients, of one type, each for the other; of the first ones, that are handed on to,
    and the last one, which comes in."""
    if called := _called(lines[at], part):
        indent, name, operands = called
        for place in range(len(operands) - 1):
            one, other = operands[place : place + 2]
            alike = part.is_float(one) and part.types[one] == part.types.get(other)
            if alike and one != other and one.startswith("adj_") and other.startswith("adj_"):
                changed = [*operands[:place], other, one, *operands[place + 2 :]]
                yield f"{indent}{name}({', '.join(changed)});"


def _with_another(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    """One value as another one of its type that is there by then."""
    if called := _called(lines[at], part):
        indent, name, operands = called
        for place, operand in enumerate(operands):
            if not operand.startswith("var_") or not part.is_float(operand):
                continue
            if "array" in part.types[operand]:
                continue
            for other in _known(lines, at, part):
                if other != operand and part.types[other] == part.types[operand]:
                    changed = [*operands[:place], other, *operands[place + 1 :]]
                    yield f"{indent}{name}({', '.join(changed)});"


def _known(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    """Values that a line finds set: above it, and in no block that it is not in."""
    depth = len(lines[at]) - len(lines[at].lstrip())
    for line in lines[part.start : at]:
        found = _SET.match(line)
        if found and len(found["indent"]) <= depth and "*" not in line and found["name"] in part.types:
            yield found["name"]


def _of_another(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    """The adjoint of another operation."""
    if called := _called(lines[at], part):
        indent, name, operands = called
        other = _LIKE.get(name.removeprefix("wp::adj_"))
        if other is not None:
            yield f"{indent}wp::adj_{other}({', '.join(operands)});"


def _kept(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    """A gradient that is not zero again in the next round."""
    name, equals, rest = lines[at].strip().partition(" = ")
    if rest == "{};" and equals and part.is_float(name):
        yield ""


def _stale(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    """A value that is not calculated again in a round that runs backwards."""
    found = _SET.match(lines[at])
    if found and part.is_float(found["name"]) and not re.search(r"wp::address\(|&", lines[at]):
        yield ""


def _negated(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    if found := _CONDITION.match(lines[at]):
        yield f"{found[1]}{'' if found[2] else '!'}{found[3]}"


def _forwards(lines: Sequence[str], at: int, part: _Part) -> Iterator[str]:
    """A loop that does not run backwards."""
    if "wp::iter_reverse(" in lines[at]:
        yield ""


EDITS: Mapping[str, Edit] = {
    "adjoint deleted": _deleted,
    "adjoint twice": _doubled,
    "adjoint of another sign": _turned,
    "adjoint of another operation": _of_another,
    "another value": _with_another,
    "gradients exchanged": _exchanged,
    "gradient not reset": _kept,
    "value not calculated again": _stale,
    "branch negated": _negated,
    "loop not reversed": _forwards,
}
DELETIONS = ("adjoint deleted",)


def mutated(text: str, rng: Rng, count: int) -> list[tuple[str, str]]:
    """So many mutants of a completion, or all, with the names of their edits: of each edit one, in an order
    that `rng` chooses, then of each another one."""
    lines = text.split("\n")
    offered: dict[str, list[str]] = {}
    for name, edit in EDITS.items():
        found = [
            "\n".join([*lines[:at], made, *lines[at + 1 :]])
            for part in _parts(lines)
            for at in range(part.first, part.last)
            for made in edit(lines, at, part)
        ]
        offered[name] = rng.shuffled(found)
    names = rng.shuffled(tuple(EDITS))
    rounds = ((name, offered[name][n]) for n in range(count) for name in names if n < len(offered[name]))
    return [found for _, found in zip(range(count), rounds, strict=False)]


class _Alone(Member):
    """A kernel of which a unit holds the CUDA text alone: its entries stand for those of the CPU text, which
    are asked for and never called."""

    @property
    def cpu_symbols(self) -> tuple[str, str | None]:
        return self.cuda_symbols


@dataclass(frozen=True)
class Told:
    """Which sets of inputs tell a mutant from the text it was made of by its gradients, one flag each, and
    whether all gradients are the `same` but for what is `ROUNDED`. One that does not compile is none: `seen`
    is None."""

    seen: np.ndarray | None
    same: bool = False


def bitten(
    signature: ir.Signature,
    own: Translation,
    text: str,
    mutants: Sequence[str],
    sets: Sequence[Arrays],
    seeds: Arrays,
) -> list[Told]:
    """What each of `sets` tells of mutants of `text`, the CUDA completion of `own`, with `seeds` arriving at
    the outputs."""
    members = [_Alone(f"k{n}", replace(own, cuda=made)) for n, made in enumerate([text, *mutants])]
    refused: set[str] = set()
    try:
        library = warp.compile_native(_unit(members))
    except warp.CompileError:
        refused = {member.prefix for member in members if not _compiles(member)}
        library = warp.compile_native(_unit([member for member in members if member.prefix not in refused]))
    runs = [None if m.prefix in refused else _run(signature, m, library, sets, seeds) for m in members]
    library.unload()
    wanted, *found = runs
    assert wanted is not None and None not in wanted, "the row's own text runs"
    return [_told(one, wanted) if one is not None else Told(None) for one in found]


def _unit(members: Sequence[Member]) -> str:
    whole = [units.cuda_alone(member).partition(cuda_on_cpu.prelude()) for member in members]
    head, prelude, _ = whole[0]
    return "\n".join([head, prelude, *(text for _, _, text in whole)])


def _compiles(member: Member) -> bool:
    try:
        warp.compile_native(_unit([member])).unload()
    except warp.CompileError:
        return False
    return True


Run = list["Arrays | None"]  # gradients for each set of inputs; None where the process ended


def _run(
    signature: ir.Signature, member: Member, library: Library, sets: Sequence[Arrays], seeds: Arrays
) -> Run:
    """The gradients, set by set, in a process of its own; one that ends leaves those that it had by then."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        os.close(reading)
        for number in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        runner = Runner(signature, member, library, cuda=True)
        with os.fdopen(writing, "wb") as file:
            for inputs in sets:
                pickle.dump(runner.run_cuda(inputs, seeds).gradients, file)
                file.flush()
        os._exit(0)
    os.close(writing)
    found: Run = []
    with os.fdopen(reading, "rb") as file:
        for _ in sets:
            try:
                found.append(pickle.load(file))
            except (EOFError, pickle.UnpicklingError):
                found.append(None)
    os.waitpid(child, 0)
    return found


def _told(found: Run, wanted: Run) -> Told:
    seen, same = [], True
    for one, other in zip(found, wanted, strict=True):
        assert other is not None
        seen.append(one is None or verify.compare(one, other).unequal is not None)
        same &= one is not None and all(_is_same(one[name], other[name]) for name in other)
    return Told(np.array(seen), same)


def _is_same(one: np.ndarray, other: np.ndarray) -> bool:
    return verify.relative_error(one, other) <= ROUNDED * verify.TOLERANCE[other.dtype.name]
