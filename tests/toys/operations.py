"""Operations on values from their domain: legal applications, and values for their operands."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.intervals import ExpressionIntervals, Illegal
from warp_ir_dataset.language.domains import DOMINANCE, Interval, Trait
from warp_ir_dataset.language.operations.builtins import tile
from warp_ir_dataset.language.operations.row import Operation
from warp_ir_dataset.language.operations.signatures import Operands, Result
from warp_ir_dataset.language.operations.spelling import Subscript
from warp_ir_dataset.language.operations.table import GROUPS
from warp_ir_dataset.language.types import BOOL, INT, UNSIGNED_INTEGERS, Array, Value

# Rows by the file they stand in, but for tiles, which have tests of their own: test_tiles_and_handles.py.
BY_FILE = {group.__name__.rpartition(".")[2]: group.ROWS for group in GROUPS if group is not tile}
TRIES = 2000
ENDS = (-40, -6, -3, -2, -1, 0, 1, 2, 3, 5, 8)
SHAPES = {1: (24,), 2: (6, 4), 3: (3, 4, 2), 4: (2, 3, 2, 2)}  # of arrays, by their dimensions
CROWDED = 3  # elements that many threads share
DIGITS = 10  # after the binary point: every float type holds sampled values exactly


@dataclass(frozen=True)
class Sample:
    """A legal application to the names ``x0``, ``x1``, ..., and `count` values of each operand.

    Values have the shape ``(1, count, *operand.shape)``; those of an array ``(1, 1, *SHAPES[ndim], ...)``.
    """

    node: ir.Apply
    spans: ExpressionIntervals
    values: list[np.ndarray]


class Sized(ExpressionIntervals):
    """Intervals of names, among them arrays."""

    def sized(self, node: ir.Shape) -> Interval:
        size = SHAPES[node.array.type.ndim][node.axis]
        return Interval(size, size)


def samples_of(
    row: Operation, operands: Operands, result: Result, wanted: int, count: int
) -> Iterator[Sample]:
    """Up to `wanted` legal applications to operands of these types, each with `count` values."""
    rng = random.Random(f"{row.name}/{operands}")
    found = 0
    for _ in range(TRIES):
        spans, named, intervals = Sized(), [], []
        for place, type in enumerate(operands):
            trait = row.needs[place] if place < len(row.needs) else None
            axis = index_axis(row, operands, place)
            if axis is not None:
                intervals.append(Interval(0, axis[0][axis[1]] - 1))
            elif isinstance(type, Array):
                intervals.append(spanned(rng, type.element))
                spans.arrays[f"x{place}"] = intervals[-1]
            elif type == INT and isinstance(operands[0], Array):
                low, high = sorted(rng.randrange(SHAPES[operands[0].ndim][0] + 1) for _ in range(2))
                intervals.append(Interval(low, high))
            else:
                intervals.append(spanned(rng, type, trait))
            spans.names[f"x{place}"] = intervals[-1]
            if trait:
                spans.traits[f"x{place}"] = trait
            named.append(_operand(row, operands, place))
        try:
            node = spans.apply(row.name, *named, type=result)
        except Illegal:
            continue
        traits = [*row.needs, *[None] * len(operands)]
        values = [
            drawn(rng, operand, interval, trait, count)
            for operand, interval, trait in zip(named, intervals, traits, strict=False)
        ]
        _crowd(rng, row, operands, values, count)
        yield Sample(node, spans, values)
        found += 1
        if found == wanted:
            return


def index_axis(row: Operation, operands: Operands, place: int) -> tuple[tuple[int, ...], int] | None:
    """The shape that an operand indexes, and the dimension; None where it is no index."""
    for array in row.changed:
        type = operands[array]
        if isinstance(type, Array) and array < place <= array + type.ndim:
            return SHAPES[type.ndim], place - array - 1
    return None


def _crowd(
    rng: random.Random, row: Operation, operands: Operands, values: list[np.ndarray], count: int
) -> None:
    """Half of the threads get elements of their own, the others meet; elements are what threads bring."""
    for array in row.changed:
        type = operands[array]
        if not isinstance(type, Array):
            continue
        shape = SHAPES[type.ndim]
        last = int(np.prod(shape)) - 1
        flat = [last - t if t < count // 2 else rng.randrange(CROWDED) for t in range(count)]
        for axis, index in enumerate(np.unravel_index(flat, shape)):
            values[array + 1 + axis] = index[None].astype(np.int64)
        for brought in values[array + 1 + type.ndim :]:
            place = (0, 0, *np.unravel_index(rng.randrange(CROWDED + count // 4), shape))
            values[array][place] = brought[0, rng.randrange(count)]


def meant(
    row: Operation, type: Result, operands: Operands, values: Sequence[np.ndarray]
) -> tuple[np.ndarray, ...]:
    """Results, then what operands are changed to: the element, where that is an array's."""
    kept = list(values)
    for array in row.changed:
        of = operands[array]
        if isinstance(of, Array):
            index = kept[array + 1 : array + 1 + of.ndim]
            kept[array] = kept[array][0, 0][tuple(i[0] for i in index)][None]
            del kept[array + 1 : array + 1 + of.ndim]
    with np.errstate(all="ignore"):
        found = row.meaning(type, *kept)
    result, *after = found if row.changed else (found,)
    return (*(result if isinstance(result, tuple) else (result,)), *after)


def _operand(row: Operation, types: Operands, place: int) -> ir.Expr:
    """A name; a literal where it must be one: the last index of an axis, or the axes x, y, z in turn."""
    type = types[place]
    if place in row.signature.literal:
        if not isinstance(row.spelling, Subscript):
            return ir.Literal(place - 1, INT)
        base = types[0]
        assert not isinstance(base, Array)
        return ir.Literal(base.shape[place - 1] - 1, INT)
    return ir.Name(f"x{place}", type)


def spanned(rng: random.Random, type: Value, trait: Trait | None = None) -> Interval:
    """A random interval of simple ends, that values with a trait can fill."""
    if type == BOOL:
        return Interval(0, 1)
    if trait in ("unit", "rotation"):
        return Interval(-1.0, 1.0)
    if trait is not None:
        return Interval(-float(2 * type.shape[0]), float(2 * type.shape[0]))
    low, high = sorted(rng.choice(ENDS) for _ in range(2))
    if type.scalar in UNSIGNED_INTEGERS:
        low, high = sorted((abs(low), abs(high)))
    if type.is_integer:
        return Interval(low, high + 1)
    return Interval(low * 0.5, high * 0.5 + 0.25)


def drawn(
    rng: random.Random, operand: ir.Expr, interval: Interval, trait: Trait | None, count: int
) -> np.ndarray:
    """Values within an interval, its ends among them, or such as have a trait."""
    type = operand.type
    if isinstance(operand, ir.Literal):
        return np.full((1, count), operand.value)
    if isinstance(type, Array):
        shape = SHAPES[type.ndim]
        element = ir.Name("element", type.element)
        elements = drawn(rng, element, interval, None, int(np.prod(shape)))
        if trait == "sorted":
            elements = np.sort(elements, axis=1)
        return elements.reshape(1, 1, *shape, *type.element.shape)
    if trait is not None:
        generator = np.random.default_rng(rng.randrange(2**32))
        return np.stack([_with_trait(generator, trait, type) for _ in range(count)])[None]
    low, high = interval.lo, interval.hi
    if type.is_integer or type == BOOL:
        values: Sequence[float] = [
            rng.choice([low, high, rng.randint(int(low), int(high))]) for _ in range(count * type.size)
        ]
        return np.array(values, np.int64).reshape(1, count, *type.shape)
    values = [
        rng.choice([low, high, rng.uniform(low, high), rng.uniform(low, high)])
        for _ in range(count * type.size)
    ]
    rounded = np.clip(np.round(np.array(values) * 2**DIGITS) / 2**DIGITS, low, high)
    return rounded.reshape(1, count, *type.shape)


def _with_trait(generator: np.random.Generator, trait: Trait, type: Value) -> np.ndarray:
    """One value of a type that has a trait; its components lie within `spanned`."""
    raw = generator.uniform(-1.0, 1.0, type.shape)
    match trait:
        case "unit":
            part = raw[-4:]
            raw[-4:] = part / np.linalg.norm(part)
            return raw
        case "rotation":
            q, r = np.linalg.qr(raw)
            q = q * np.sign(np.diag(r))
            q[:, 0] *= np.linalg.det(q)
            return q
        case "symmetric":
            return (raw + raw.T) / 2
        case "positive definite":
            return raw @ raw.T / type.shape[0] + np.eye(type.shape[0])
        case "dominant":
            return raw + np.eye(type.shape[0]) * (type.shape[0] + DOMINANCE)
        case _:
            raise ValueError(f"no value of a fixed shape is {trait}")
