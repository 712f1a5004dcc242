"""Interval analysis of the expressions of a program: reads, places, and results of its own functions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from typing_extensions import assert_never

from .. import domains, ir
from ..domains import Interval
from ..operations.bounds import Condition
from ..operations.table import TABLE
from ..traits import value_range
from ..types import (
    BOOL,
    SCALARS,
    UNSIGNED_INTEGERS,
    Array,
    Handle,
    Matrix,
    Quaternion,
    Scalar,
    Several,
    Struct,
    Tile,
    Transform,
    Type,
    Value,
    Vector,
    full_name,
    numpy_type,
)
from ..walks import element, root, walk
from .intervals import ExpressionIntervals, Illegal, dotted
from .states import State, join_reached

SLACK = 1e-6  # bounds are computed in floating point

# The intervals of a value: a number has one, under "", a struct one per member, under ".member".
Parts = dict[str, Interval]


class Outside(Illegal):
    """An index may be as large as `index`, which is outside dimension `axis` of an array, or of an array in a
    struct (``grid.cells``)."""

    def __init__(self, array: str, axis: int, index: int) -> None:
        super().__init__(f"an index of {array} may be out of bounds")
        self.array, self.axis, self.index = array, axis, index


@dataclass(frozen=True)
class ArrayPart:
    """An array, or a view of one: the key of its elements, its size in each dimension, and for each the
    dimension of the whole array; None for a part of a dimension."""

    key: str
    shape: tuple[int, ...]
    axes: tuple[int | None, ...]

    @staticmethod
    def whole(key: str, shape: tuple[int, ...]) -> ArrayPart:
        return ArrayPart(key, shape, tuple(range(len(shape))))


def numbers(type: Type) -> tuple[str, ...]:
    """The suffixes that the numbers of a type add to the name of a value."""
    match type:
        case Struct(_, members):
            return tuple(f".{name}{rest}" for name, inner in members for rest in numbers(inner))
        case Array() | Several() | Tile() | Handle():
            return ()
        case Scalar() | Vector() | Matrix() | Quaternion() | Transform():
            return ("",)
        case _:
            assert_never(type)


@lru_cache(maxsize=64)
def whole_from_floats(bodies: tuple[tuple[ir.Stmt, ...], ...]) -> bool:
    """Whether an operation makes an integer of a float, or compares the two."""
    for node in walk(bodies):
        if isinstance(node, (ir.Apply, ir.Chain)) and any(operand.type.is_float for operand in node.operands):
            compares = node.type == BOOL and any(operand.type.is_integer for operand in node.operands)
            results = node.type.types if isinstance(node.type, Several) else (node.type,)
            if compares or any(result.is_integer for result in results):
                return True
    return False


class ProgramIntervals(ExpressionIntervals):
    """Intervals of expressions in the current `state` of the analysis; None in unreachable code."""

    def __init__(self, program: ir.Program, *, sampled: bool = False) -> None:
        super().__init__()
        self.program = program
        self.sampled = sampled  # whether conditions on floats are left to random inputs
        self.unbounded = False  # whether float results get the full limits of their type
        self.by_name: dict[str, ir.Argument] = {a.name: a for a in program.arguments}
        self.refs: dict[str, ArrayPart] = {
            a.name: ArrayPart.whole(a.name, a.shape) for a in program.arguments if a.ndim
        }
        self.calling: list[ir.Function] = []
        self.hull: dict[str, Interval] = {}
        self.returned: list[tuple[tuple[Parts, ...], State]] = []
        self.state: State | None = None
        self.enter(State())
        for argument in program.arguments:
            if argument.trait is not None:
                self.traits[argument.name] = argument.trait
            for leaf in argument.leaves:
                if leaf.ndim:
                    self.arrays[leaf.name] = value_range(leaf)
                else:
                    self.set(leaf.name, value_range(leaf))
            for member, shape in argument.member_shapes:
                key = f"{argument.name}.{member}"
                self.refs[key] = ArrayPart.whole(key, shape)
        for constant in program.constants:
            self.names[constant.name] = self.of(constant.value)

    @abstractmethod
    def run(self, function: ir.Function) -> None:
        """Run a function's body in the current state, and add its results to `returned`."""

    def enter(self, state: State | None) -> None:
        """Continue from a state."""
        self.state = state
        if state is not None:
            self.names, self.arrays = state.names, state.arrays
        self.forget()

    def set(self, name: str, interval: Interval) -> None:
        self.names[name] = interval
        self.hull[name] = interval.join(self.hull[name]) if name in self.hull else interval
        self.forget()

    def of(self, node: ir.Expr) -> Interval:
        try:
            return super().of(node)
        except KeyError as missing:
            raise Illegal(f"{missing} may be read before it is defined") from None

    # ---- arrays

    def key(self, place: ir.Expr) -> str:
        """The key of a place in the kernel: a function's parameter stands for an array of the kernel."""
        name = whole = dotted(place)
        while name not in self.refs and "." in name:
            name = name.rpartition(".")[0]
        return self.refs[name].key + whole.removeprefix(name) if name in self.refs else whole

    def array(self, node: ir.Expr) -> ArrayPart:
        """The array that an expression names. Raises `Illegal` if its shape is not known."""
        match node:
            case ir.Name(name) if name in self.refs:
                return self.refs[name]
            case ir.View(inner, index):
                return self.view(self.array(inner), index)
            case ir.Member() if dotted(node) in self.refs:
                if isinstance(node.of, ir.Place) and (load := element(node.of)) is not None:
                    self.index(load.array, load.index)
                return self.refs[dotted(node)]
            case (
                ir.Name()
                | ir.Member()
                | ir.Load()
                | ir.Literal()
                | ir.Apply()
                | ir.Chain()
                | ir.Shape()
                | ir.New()
                | ir.Call()
            ):
                raise Illegal(f"the shape of {dotted(node)} is not known")
            case _:
                assert_never(node)

    def view(self, whole: ArrayPart, index: tuple[ir.Expr | ir.Slice, ...]) -> ArrayPart:
        shape: list[int] = []
        axes: list[int | None] = []
        for part, size, axis in zip(index, whole.shape, whole.axes, strict=False):
            if isinstance(part, ir.Slice):
                shape.append(len(range(*_bounds(part).indices(size))))
                axes.append(axis if part == ir.Slice(None, None, None) else None)
            else:
                self.inside(part, size, whole.key, axis)
        rest = len(index)
        return ArrayPart(whole.key, (*shape, *whole.shape[rest:]), (*axes, *whole.axes[rest:]))

    def index(self, array: ir.Expr, index: tuple[ir.Expr, ...]) -> str:
        """Check an index; returns the key of the array's elements."""
        found = self.array(array)
        for part, size, axis in zip(index, found.shape, found.axes, strict=True):
            self.inside(part, size, found.key, axis)
        return found.key

    def inside(self, part: ir.Expr, size: int, array: str, axis: int | None = None) -> None:
        """Check one index against `size`, that of dimension `axis` of the whole array if given."""
        interval = self.of(part)
        if not interval.within(Interval(0, size - 1)):
            if axis is not None and interval.lo >= 0:
                raise Outside(array, axis, int(interval.hi))
            raise Illegal(f"an index of {array} may be out of bounds")

    def loaded(self, node: ir.Load) -> Interval:
        return self.arrays[self.index(node.array, node.index)]

    def member(self, node: ir.Member) -> Interval:
        if isinstance(node.of.type, Value):
            return self.of(node.of)
        load = element(node)
        if load is None:
            return self.names[self.key(node)]
        self.index(load.array, load.index)
        return self.arrays[self.key(node)]

    def sized(self, node: ir.Shape) -> Interval:
        size = self.array(node.array).shape[node.axis]
        return Interval(size, size)

    def written(self, key: str, interval: Interval) -> None:
        """Join a written interval into that of the elements, which may be read later."""
        if self.by_name[key.partition(".")[0]].role == "inout":
            self.arrays[key] = self.arrays[key].join(interval)
            self.forget()

    # ---- operations

    def _applied(self, node: ir.Apply) -> Interval:
        row = TABLE[node.operation]
        for place in row.changed:
            target = node.operands[place]
            if isinstance(target.type, Array):
                return self.atomic(node, target, place + 1)
            if not isinstance(target, ir.Name):
                raise Illegal("an operation changes what is no variable")
            assert isinstance(target.type, Value)
            self.set(target.name, SCALARS[target.type.scalar].limits)
            self.traits.pop(target.name, None)
        if self.sampled and isinstance(node.type, Value) and node.type.is_float:
            return self._sampled(node)
        return super()._applied(node)

    def _sampled(self, node: ir.Apply) -> Interval:
        """The interval of a float operation, or its type's limits if intervals cannot show that it is
        defined."""
        assert isinstance(node.type, Value)
        for operand in node.operands:
            self.parts(operand)
        limits = SCALARS[node.type.scalar].limits
        if self.unbounded:
            return limits
        try:
            interval = domains.intersection(super()._applied(node), limits)
        except Illegal:
            return limits
        return interval if interval.lo <= interval.hi else limits

    def atomic(self, node: ir.Apply, array: ir.Expr, start: int) -> Interval:
        """An atomic on an element, whose index begins at the operand `start`."""
        values = start + array.type.ndim
        key = self.index(array, node.operands[start:values])
        for value in node.operands[values:]:
            self.of(value)
        # Other threads change it too: any value within the bound is possible.
        interval = TABLE[node.operation].bound(self.of, *node.operands)
        self.written(key, interval)
        return interval

    def holds(self, condition: Condition, operands: tuple[ir.Expr, ...]) -> bool:
        """Whether a condition holds up to the rounding of bounds."""
        return condition(self.of, *operands) or condition(self._tightened, *operands)

    def _tightened(self, node: ir.Expr) -> Interval:
        interval = self.of(node)
        if not node.type.is_float or interval.width <= 0:
            return interval
        slack = min(SLACK * max(interval.magnitude, 1.0), interval.width / 2)
        return Interval(interval.lo + slack, interval.hi - slack)

    def limited(self, interval: Interval, type: Type, what: str) -> Interval:
        if type.scalar in UNSIGNED_INTEGERS:  # they wrap
            whole = Interval(0, 2 ** (8 * np.dtype(numpy_type(type)).itemsize) - 1)
            return interval if interval.within(whole) else whole
        if type.is_float and self.sampled:
            within = domains.intersection(interval, SCALARS[type.scalar].limits)
            return within if within.lo <= within.hi else SCALARS[type.scalar].limits
        if type.is_float:
            super().limited(domains.scale(interval, 1 - SLACK), type, what)
            return interval
        return super().limited(interval, type, what)

    # ---- structs and calls

    def parts(self, node: ir.Expr) -> Parts:
        """The intervals of a value. Raises `Illegal` if one may be undefined."""
        if isinstance(node.type, Value):
            return {"": self.of(node)}
        if isinstance(node.type, Struct):
            return self.struct(node)
        if isinstance(node.type, (Tile, Handle)):
            raise Illegal(f"nothing is known of a {full_name(node.type)}")
        if isinstance(node.type, Array):
            self.array(node)
        else:
            assert isinstance(node, (ir.Call, ir.Apply))
            self.several(node)
        return {}

    def struct(self, node: ir.Expr) -> Parts:
        match node:
            case ir.Name() | ir.Member() | ir.Load():
                load = element(node)
                if load is not None:
                    self.index(load.array, load.index)
                source, key = self.names if load is None else self.arrays, self.key(node)
                missing = [part for part in numbers(node.type) if key + part not in source]
                if missing:
                    raise Illegal(f"{key}{missing[0]} may be read before it is defined")
                return {part: source[key + part] for part in numbers(node.type)}
            case ir.New(type, ()):
                return dict.fromkeys(numbers(type), Interval(0, 0))
            case ir.New(type, operands):
                pairs = zip(type.members, operands, strict=True)
                found = {name: self.parts(operand) for (name, _), operand in pairs}
                return {
                    f".{name}{rest}": interval
                    for name, parts in found.items()
                    for rest, interval in parts.items()
                }
            case ir.Call():
                return self.results_of(node)[0]
            case ir.Literal() | ir.Apply() | ir.Chain() | ir.View() | ir.Shape():
                raise Illegal("this expression cannot give a struct")
            case _:
                assert_never(node)

    def called(self, node: ir.Call) -> Interval:
        return self.results_of(node)[0][""]

    def several(self, node: ir.Call | ir.Apply) -> tuple[Parts, ...]:
        """The results of a function or an operation with several."""
        if isinstance(node, ir.Call):
            return self.results_of(node)
        assert isinstance(node.type, Several)
        interval = self.of(node)  # contains every component of every result
        return tuple(dict.fromkeys(numbers(type), interval) for type in node.type.types)

    def results_of(self, node: ir.Call) -> tuple[Parts, ...]:
        """The results of a call, in order."""
        function = self.program.called(node)
        if function in self.calling:
            raise Illegal(f"{node.function} calls itself")
        inside = State(arrays=dict(self.arrays))
        refs: dict[str, ArrayPart] = {}
        for parameter, operand in zip(function.parameters, node.operands, strict=True):
            if isinstance(operand.type, Array):
                refs[parameter.name] = self.array(operand)
            elif isinstance(operand.type, Struct):
                start = f"{dotted(operand)}." if root(operand) else ""
                inner = {name: ref for name, ref in self.refs.items() if start and name.startswith(start)}
                refs |= {f"{parameter.name}.{name.removeprefix(start)}": ref for name, ref in inner.items()}
            for part, interval in self.parts(operand).items():
                inside.names[parameter.name + part] = interval
        for constant in self.program.constants:
            inside.names[constant.name] = self.of(constant.value)
        outside = self.state, self.returned, self.refs, self._known
        self.returned, self.refs, self._known = [], refs, {}
        self.calling.append(function)
        try:
            self.enter(inside)
            self.hull |= {name: s.join(self.hull.get(name, s)) for name, s in inside.names.items()}
            self.run(function)
            if self.state is not None and function.type == Several():
                self.returned.append(((), self.state))
            elif self.state is not None or not self.returned:
                raise Illegal(f"{function.name} may end without a value")
            values = tuple(map(_joined, zip(*(values for values, _ in self.returned), strict=True)))
            left = join_reached(state for _, state in self.returned)
        finally:
            self.calling.pop()
            state, self.returned, self.refs, known = outside
            self.enter(state)
            self._known = known
        assert left is not None
        if left.arrays != self.arrays:
            self.arrays.update(left.arrays)
            self.forget()
        return values

    def bind(self, target: ir.Name, value: ir.Expr, *, for_good: bool) -> None:
        """Assign a new local its intervals; and the trait of the value, if the local is never reassigned
        (`for_good`)."""
        if for_good and isinstance(value.type, Value) and (trait := self.trait(value)) is not None:
            self.traits[target.name] = trait
        if isinstance(target.type, Array):
            self.refs[target.name] = self.array(value)
        for part, interval in self.parts(value).items():
            self.set(target.name + part, interval)


def _joined(results: tuple[Parts, ...]) -> Parts:
    """One result of a function, joined over all returns."""
    return {part: domains.joined(parts[part] for parts in results) for part in results[0]}


def _bounds(part: ir.Slice) -> slice:
    found = []
    for bound in (part.start, part.stop, part.step):
        if bound is not None and not isinstance(bound, ir.Literal):
            raise Illegal("a slice whose bounds are no literals")
        found.append(None if bound is None else int(bound.value))
    return slice(*found)
