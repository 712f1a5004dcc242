"""One-operation kernels: each row of the table, at operand types it promises, compiled and run by Warp.

A kernel loads the operands, applies the operation, stores the result, and then may overwrite operands and
result, in a loop whose length is an argument: the backward walk finds what the loop left. So a gradient is
right only if the row's derivative needs nothing of what was overwritten.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from toys.operations import Sample, samples_of
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.units import Member, native_unit
from warp_ir_dataset.compilers.warp import CompileError, Library, Translation
from warp_ir_dataset.language.operations.meanings import native
from warp_ir_dataset.language.operations.row import Operation
from warp_ir_dataset.language.operations.signatures import Operands, Result
from warp_ir_dataset.language.program import Literal
from warp_ir_dataset.language.python.write import alias, expression, is_built_in, type_name
from warp_ir_dataset.language.types import SCALARS, Several, Value, full_name, numpy_type

Entries = tuple[Any, Any]  # forward and, where there is one, adjoint
Ready = tuple["Case", Translation, Entries]

UNIT = 100
SAMPLES, COUNT = 4, 6
STEP = 1e-6
# Central differences in float64 of values up to some tens: half of their digits are left.
SLOPE_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Case:
    """A row at operand types it promises; `values` have the shape ``(1, n, *operand.shape)``."""

    row: Operation
    operands: Operands
    result: Result
    sample: Sample

    @property
    def results(self) -> tuple[Value, ...]:
        return self.result.types if isinstance(self.result, Several) else (self.result,)

    @property
    def outputs(self) -> dict[str, Value]:
        """What the kernel stores: results, then operands as they are afterwards."""
        results = {f"out{k}": type for k, type in enumerate(self.results)}
        return results | {f"changed{k}": self.operands[k] for k in self.row.changed}

    @property
    def backward(self) -> bool:
        # Of what changes operands, only what does nothing else is differentiated.
        differentiated = not self.row.changed or not self.results
        floats = (types.is_float for types in self.outputs.values())
        return differentiated and any(floats) and any(t.is_float for t in self.operands)

    def __str__(self) -> str:
        types = ", ".join(full_name(t) for t in self.operands)
        return f"{self.row.name}({types}) -> {full_name(self.result)}"

    def overwritten(self) -> tuple[tuple[int, ...], bool]:
        """The operands, and whether the result, that the backward walk must not need."""
        every = tuple(range(len(self.operands)))
        match self.row.derivative:
            case "flat" | "linear":
                return every, True
            case "bilinear" | "operands":
                return (), True
            case "choice":
                return every[1:], True
            case "quotient":
                return every[:1], False
            case _:
                return (), False


def cases(row: Operation) -> Iterator[Case]:
    """A case for each operand types that a row promises. Raises `LookupError` where none is legal."""
    for operands, result in row.signature.instances:
        found = list(samples_of(row, operands, result, SAMPLES, COUNT))
        if not found:
            raise LookupError(f"no legal operands for {row.name} of {operands}")
        values = [np.concatenate([s.values[place] for s in found], axis=1) for place in range(len(operands))]
        values = [_stored(v, t) for v, t in zip(values, operands, strict=True)]
        yield Case(row, operands, result, Sample(found[0].node, found[0].spans, values))


def _stored(values: np.ndarray, type: Value) -> np.ndarray:
    """What is left of values in a type, in the type of the meaning's arithmetic."""
    return values.astype(numpy_type(type)).astype(np.float64 if type.is_float else np.int64)


def source(case: Case, name: str) -> str:
    """The module that holds a case's kernel."""
    node = case.sample.node
    lost, result_lost = case.overwritten() if case.backward else ((), False)
    places = [k for k, operand in enumerate(node.operands) if not isinstance(operand, Literal)]
    lost = tuple(k for k in lost if k in places)
    arrays = [(f"a{k}", case.operands[k]) for k in places] + [(f"lost{k}", case.operands[k]) for k in lost]
    gone = [(f"gone{k}", type) for k, type in enumerate(case.results)] if result_lost else []
    arrays += [*gone, *case.outputs.items()]
    aliases = dict.fromkeys(alias(t) for _, t in arrays if not is_built_in(t))
    arguments = ", ".join(f"{n}: wp.array(dtype={type_name(t)})" for n, t in arrays)
    lines = ["import warp as wp", *aliases, "@wp.kernel", f"def {name}(trips: int, {arguments}):"]
    made = ", ".join(f"r{k}" for k in range(len(case.results)))
    body = ["i = wp.tid()", *(f"x{k} = a{k}[i]" for k in places)]
    body.append(f"{made} = {expression(node)}" if made else expression(node))
    body += [f"{name}[i] = {name.replace('out', 'r').replace('changed', 'x')}" for name in case.outputs]
    if lost or gone:
        body.append("for _k in range(trips):")
        body += [f"    x{k} = lost{k}[i]" for k in lost] + [
            f"    r{k} = gone{k}[i]" for k in range(len(gone))
        ]
    return "\n".join([*lines, *(f"    {line}" for line in body)]) + "\n"


# ---- compiling


def compiled(batch: Sequence[Case]) -> tuple[list[Ready], list[str]]:
    """The cases that compile, with their native code, and a line for each that does not."""
    members, wrong = [], []
    for number, case in enumerate(batch):
        name = f"k{number}"
        try:
            made = toolchain.translate(source(case, name), name, backward=case.backward, cuda=False)
        except CompileError as error:
            wrong.append(f"{case}: {str(error)[:200]}")
            continue
        # Warp instantiates each kernel twice, for contiguous arrays too, with the same results.
        made = replace(made, cpu=made.cpu.replace("_tasks<true>(", "_tasks<false>("))
        members.append((case, Member(f"m{number}", made)))
    return _linked(members, wrong), wrong


def _linked(members: list[tuple[Case, Member]], wrong: list[str]) -> list[Ready]:
    if not members:
        return []
    try:
        library = toolchain.compile_native(native_unit([member for _, member in members]))
    except CompileError as error:
        if len(members) == 1:
            wrong.append(f"{members[0][0]}: {str(error)[:200]}")
            return []
        half = len(members) // 2
        return _linked(members[:half], wrong) + _linked(members[half:], wrong)
    return [(case, member.translation, _entries(library, member)) for case, member in members]


def _entries(library: Library, member: Member) -> Entries:
    forward, backward = member.cpu_symbols
    function = ctypes.CFUNCTYPE(None)
    return function(library.address(forward)), backward and function(library.address(backward))


# ---- running


def faults(case: Case, translation: Translation, entries: Entries) -> list[str]:
    """What is wrong with a case: a line for the result, and one for each gradient."""
    count = case.sample.values[0].shape[1] if case.sample.values else 1
    generator = np.random.default_rng(5)
    arguments: list[np.ndarray] = []
    names = [name for name, *_ in translation.parameters]
    for name in names:
        arguments.append(_argument(case, name, count, generator))
    gradients = None
    weights = {n: generator.uniform(0.5, 1.5, (count, *t.shape)) for n, t in case.outputs.items()}
    if case.backward:
        gradients = [np.zeros_like(a) if a.dtype.kind == "f" and a.ndim else None for a in arguments]
        for name, gradient in zip(names, gradients, strict=True):
            if gradient is not None and name in weights:
                gradient[...] = weights[name]
    toolchain.launch(translation, entries, (count,), arguments, gradients)
    if case.row.meaning is native:
        return []
    found = _wrong_values(case, dict(zip(names, arguments, strict=True)))
    if gradients is not None:
        by_name = dict(zip(names, gradients, strict=True))
        stored = [weights[n].astype(numpy_type(t)).astype(float) for n, t in case.outputs.items()]
        for place, type in enumerate(case.operands):
            if type.is_float:
                gradient = by_name[f"a{place}"]
                assert gradient is not None
                found += _wrong_slope(case, place, stored, gradient.astype(float))
    return found


def _argument(case: Case, name: str, count: int, generator: np.random.Generator) -> np.ndarray:
    if name == "trips":
        return np.array(2, np.int32)
    if name in case.outputs:
        return np.zeros((count, *case.outputs[name].shape), numpy_type(case.outputs[name]))
    if name.startswith("gone"):
        type = case.results[int(name.removeprefix("gone"))]
        return np.full((count, *type.shape), 0.34375, numpy_type(type))
    place = int(name.removeprefix("lost").removeprefix("a"))
    type, values = case.operands[place], case.sample.values[place][0]
    if name.startswith("lost"):
        values = np.roll(values, 1, axis=0) * (0.75 if type.is_float else 1)
    return np.ascontiguousarray(values.astype(numpy_type(type)))


def meaning(case: Case, values: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Results, then what operands are changed to; each of shape ``(n, *shape)``."""
    with np.errstate(all="ignore"):
        found = case.row.meaning(case.result, *values)
    result, *after = found if case.row.changed else (found,)
    several = result if isinstance(result, tuple) else (result,)
    return tuple(np.asarray(part)[0] for part in (*several, *after))


def _wrong_values(case: Case, arrays: dict[str, np.ndarray]) -> list[str]:
    expected = meaning(case, case.sample.values)
    found = []
    largest = max([1.0, *(float(np.abs(v).max()) for v in case.sample.values)])
    for (name, type), want in zip(case.outputs.items(), expected, strict=True):
        got, want = arrays[name].astype(float), np.broadcast_to(want, arrays[name].shape).astype(float)
        # A product of many components rounds at the size of its terms.
        scale = np.maximum(np.abs(want), largest if type.is_float else 0.0)
        wrong = ~(np.abs(got - want) <= SCALARS[type.scalar].tolerance * scale)
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            given = [v[0, at[0]].tolist() for v in case.sample.values]
            found.append(f"{case}: {name} is {got[at]} for {want[at]} of {given}")
    return found


def _directions(case: Case, place: int) -> np.ndarray:
    """Ways to move an operand, one a row: component by component; in pairs where it must stay symmetric."""
    shape = case.operands[place].shape
    moves = np.eye(int(np.prod(shape)))
    needs = case.row.needs[place] if place < len(case.row.needs) else None
    if needs == "symmetric":
        moves = moves.reshape(-1, *shape)
        moves = np.maximum(moves, moves.swapaxes(-1, -2)).reshape(len(moves), -1)
    return moves


def _wrong_slope(case: Case, place: int, weights: Sequence[np.ndarray], gradient: np.ndarray) -> list[str]:
    """Warp's gradient of one operand against slopes of the meaning, where it has no kink."""
    values = case.sample.values
    flat = values[place].reshape(values[place].shape[1], -1)
    mine = gradient.reshape(flat.shape)
    base = meaning(case, values)
    for component, direction in enumerate(_directions(case, place)):

        def moved(by: float, direction: np.ndarray = direction) -> np.ndarray:
            shifted = flat + by * direction
            tried = [*values]
            tried[place] = shifted.reshape(values[place].shape)
            parts = zip(meaning(case, tried), base, weights, strict=True)
            changes = [((after - before) * weight).reshape(len(flat), -1) for after, before, weight in parts]
            return np.concatenate(changes, 1).sum(1) / by

        above, below = moved(STEP), moved(-STEP)
        slope = (above + below) / 2
        scale = np.maximum(np.abs(slope), 1.0)
        smooth = np.abs(above - below) < 1e-3 * scale
        tolerance = max(
            SLOPE_TOLERANCE,
            *(SCALARS[t.scalar].tolerance for t in (*case.outputs.values(), *case.operands)),
        )
        want = slope
        if place in case.row.underived:
            # No derivative; of what the operation overwrites that of the new value, handed on.
            passed = dict(zip(case.outputs, weights, strict=True)).get(
                f"changed{place}", np.zeros(flat.shape)
            )
            want = passed.reshape(flat.shape)[:, component]
        got = mine @ direction
        wrong = smooth & ~(np.abs(got - want) <= tolerance * scale)
        if wrong.any():
            at = int(np.argmax(wrong))
            given = [v[0, at].tolist() for v in values]
            label = case.row.derivative
            return [f"{case}: gradient {place} is {got[at]} for {want[at]} of {given} ({label})"]
    return []
