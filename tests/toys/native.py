"""One-operation kernels: each row of the table, at operand types it promises, compiled and run by Warp.

A kernel loads the operands, applies the operation, stores the result, and then may overwrite operands and
result, in a loop whose length is an argument: the backward walk finds what the loop left. So a gradient is
right only if the row's derivative needs nothing of what was overwritten.

Arrays are handed on as they are. What an operation does to their elements is held against the meaning in the
order of threads; some elements are those of one thread, others of many.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from toys.operations import Sample, meant, samples_of
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.compilers.launch import launch
from warp_ir_dataset.compilers.units import Member, native_unit
from warp_ir_dataset.compilers.warp import CompileError, Library, Translation
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.operations.meanings import native
from warp_ir_dataset.language.operations.row import Operation
from warp_ir_dataset.language.operations.signatures import Operands, Result
from warp_ir_dataset.language.python.write import alias, expression, is_built_in, type_name
from warp_ir_dataset.language.types import SCALARS, Array, Handle, Several, Tile, Value, full_name, numpy_type

Entries = tuple[Any, Any]  # forward and, where there is one, adjoint
Ready = tuple["Case", Translation, Entries]

UNIT = 100
SAMPLES, COUNT = 4, 6
SELDOM = 5  # of the element types of arrays of several dimensions
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
        changed = (k for k in self.row.changed if not isinstance(self.operands[k], Array))
        return results | {f"changed{k}": self.operands[k] for k in changed}

    @property
    def backward(self) -> bool:
        floats = (types.is_float for types in self.outputs.values())
        return any(floats) and any(t.is_float for t in self.operands)

    @property
    def elements(self) -> int | None:
        """The array operand whose elements the operation changes."""
        changed = [k for k in self.row.changed if isinstance(self.operands[k], Array)]
        return changed[0] if changed else None

    def underived(self, place: int) -> bool:
        return place in self.row.underived or place - len(self.operands) in self.row.underived

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
    """A case for all operand types that a row promises, but for arrays of several dimensions only for some.

    Raises `LookupError` where none is legal.
    """
    for number, (operands, result) in enumerate(row.signature.instances):
        if any(isinstance(type, Tile | Handle) for type in operands):
            continue  # test_tiles_and_handles.py
        # Another dimension is another index to the same code.
        if number % SELDOM and any(type.ndim > 1 for type in operands):
            continue
        one = any(isinstance(operand, Array) for operand in operands)  # which all threads share
        sizes = (1, SAMPLES * COUNT) if one else (SAMPLES, COUNT)
        found = list(samples_of(row, operands, result, *sizes))
        if not found:
            raise LookupError(f"no legal operands for {row.name} of {operands}")
        values = [np.concatenate([s.values[place] for s in found], axis=1) for place in range(len(operands))]
        values = [_stored(v, t) for v, t in zip(values, operands, strict=True)]
        yield Case(row, operands, result, Sample(found[0].node, found[0].spans, values))


def _stored(values: np.ndarray, type: Value | Array) -> np.ndarray:
    """What is left of values in a type, in the type of the meaning's arithmetic."""
    type = type.element if isinstance(type, Array) else type
    return values.astype(numpy_type(type)).astype(np.float64 if type.is_float else np.int64)


def source(case: Case, name: str) -> str:
    """The module that holds a case's kernel."""
    node = case.sample.node
    lost, result_lost = case.overwritten() if case.backward else ((), False)
    shared = [k for k, operand in enumerate(node.operands) if isinstance(operand.type, Array)]
    places = [k for k, o in enumerate(node.operands) if not isinstance(o, ir.Literal) and k not in shared]
    lost = tuple(k for k in lost if k in places)
    arrays = [(f"a{k}", case.operands[k]) for k in places] + [(f"lost{k}", case.operands[k]) for k in lost]
    gone = [(f"gone{k}", type) for k, type in enumerate(case.results)] if result_lost else []
    arrays += [*gone, *case.outputs.items()]
    dimensions = [(f"x{k}", case.operands[k].element, case.operands[k].ndim) for k in shared]
    dimensions += [(name, type, 1) for name, type in arrays]
    aliases = dict.fromkeys(alias(t) for _, t, _ in dimensions if not is_built_in(t))
    arguments = ", ".join(f"{n}: wp.array(dtype={type_name(t)}, ndim={d})" for n, t, d in dimensions)
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
    count = max((values.shape[1] for values in case.sample.values), default=1)
    generator = np.random.default_rng(5)
    names = [name for name, *_ in translation.parameters]
    arguments = {name: _argument(case, name, count, generator) for name in names}
    gradients, weights = {}, {}
    if case.backward:
        floats = (name for name, a in arguments.items() if a.dtype.kind == "f" and a.ndim)
        gradients = {name: np.zeros_like(arguments[name]) for name in floats}
        for name in (*case.outputs, f"x{case.elements}"):
            if name in gradients:
                gradients[name][...] = generator.uniform(0.5, 1.5, gradients[name].shape)
            weights[name] = gradients.get(name, np.zeros(())).astype(float)
    given = [gradients.get(name) for name in names] if case.backward else None
    launch(translation, entries, (count,), list(arguments.values()), given)
    if case.row.meaning is native:
        return []
    found = _wrong_values(case, arguments)
    if not case.backward:
        return found
    if case.elements is not None:
        return found + _wrong_slopes_in_order(case, gradients, weights[f"x{case.elements}"])
    stored = [weights[name] for name in case.outputs]
    for place, type in enumerate(case.operands):
        if type.is_float:
            found += _wrong_slope(case, place, stored, gradients[f"a{place}"].astype(float))
    return found


def _argument(case: Case, name: str, count: int, generator: np.random.Generator) -> np.ndarray:
    if name == "trips":
        return np.array(2, np.int32)
    if name in case.outputs:
        return np.zeros((count, *case.outputs[name].shape), numpy_type(case.outputs[name]))
    if name.startswith("gone"):
        type = case.results[int(name.removeprefix("gone"))]
        return np.full((count, *type.shape), 0.34375, numpy_type(type))
    if name.startswith("x"):
        array, place = case.operands[int(name[1:])], int(name[1:])
        return np.ascontiguousarray(case.sample.values[place][0, 0].astype(numpy_type(array.element)))
    place = int(name.removeprefix("lost").removeprefix("a"))
    type, values = case.operands[place], case.sample.values[place][0]
    if name.startswith("lost"):
        values = np.roll(values, 1, axis=0) * (0.75 if type.is_float else 1)
    return np.ascontiguousarray(values.astype(numpy_type(type)))


def meaning(case: Case, values: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Results, then what operands are changed to; each of shape ``(n, *shape)``."""
    found = meant(case.row, case.result, case.operands, values)
    return tuple(np.asarray(part)[0] for part in found)


def in_order(case: Case, values: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The same of an operation on elements, one thread after another: results, and the array afterwards.

    Values and what is returned have an axis of tries in front.
    """
    place = case.elements
    assert place is not None
    array, first = values[place][:, 0].copy(), place + 1 + case.operands[place].ndim
    tries, results = np.arange(len(array)), []
    for thread in range(values[first].shape[1]):
        at = (tries, *(index[:, thread] for index in values[place + 1 : first]))
        given = [value[:, thread, None] for value in values[first:]]
        before, after = case.row.meaning(case.result, array[at][:, None], *given)
        results.append(before[:, 0])
        # Whole numbers wrap; floats are not rounded, slopes being taken of them.
        array[at] = after[:, 0] if case.result.is_float else _stored(after[:, 0], case.result)
    return np.stack(results, 1), array


def _wrong_values(case: Case, arrays: dict[str, np.ndarray]) -> list[str]:
    types = case.outputs
    if case.elements is None:
        expected = meaning(case, case.sample.values)
    else:
        result, array = in_order(case, case.sample.values)
        expected, types = (result[0], array[0]), types | {f"x{case.elements}": types["out0"]}
    found = []
    largest = max([1.0, *(float(np.abs(v).max()) for v in case.sample.values)])
    for (name, type), want in zip(types.items(), expected, strict=True):
        if type.scalar == "uint64":  # which wraps beyond the numbers of the meaning
            want = np.asarray(want).astype(np.uint64)
        got, want = arrays[name].astype(float), np.broadcast_to(want, arrays[name].shape).astype(float)
        # A product of many components rounds at the size of its terms.
        scale = np.maximum(np.abs(want), largest if type.is_float else 0.0)
        wrong = ~(np.abs(got - want) <= SCALARS[type.scalar].tolerance * scale)
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            given = [v[0, at[0] % v.shape[1]].tolist() for v in case.sample.values]
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
        if case.underived(place):
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


def _wrong_slopes_in_order(case: Case, gradients: dict[str, np.ndarray], weights: np.ndarray) -> list[str]:
    """Warp's gradients of an operation on elements, against slopes of the array afterwards.

    `weights` are the gradients of its elements; those of the result must not matter, though
    there are slopes. The array's own gradient is that of the elements before.
    """
    array, types = case.elements, case.operands
    assert array is not None
    found = []
    for place in (k for k, type in enumerate(types) if type == case.result or k == array):
        gradient = gradients[f"x{place}" if place == array else f"a{place}"]
        if place == array and case.underived(place):
            continue
        mine = gradient.astype(float).ravel()
        above, below = (_moved(case, place, by, weights) for by in (STEP, -STEP))
        slope = (above + below) / 2
        smooth = np.abs(above - below) < 1e-3
        want = np.zeros_like(slope) if case.underived(place) else slope
        tolerance = max(SLOPE_TOLERANCE, SCALARS[case.result.scalar].tolerance)
        wrong = smooth & ~(np.abs(mine - want) <= tolerance * np.maximum(np.abs(slope), 1.0))
        if wrong.any():
            at = int(np.argmax(wrong))
            found.append(f"{case}: gradient {place} is {mine[at]} for {want[at]}, component {at}")
    return found


def _moved(case: Case, place: int, by: float, weights: np.ndarray) -> np.ndarray:
    """Slopes of the weighted elements in each component of an operand: one try for each."""
    values = case.sample.values
    size = values[place].size
    tried = [np.repeat(v, size, axis=0) for v in values]
    tried[place].reshape(size, size)[...] += by * np.eye(size)
    after, before = in_order(case, tried)[1], in_order(case, values)[1]
    change = (after - before) * weights
    return change.reshape(size, -1).sum(1) / by
