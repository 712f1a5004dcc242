"""The typed tree: a kernel as data, before its Python or CUDA text is written.

Every node is frozen and carries its type. The tree has the facts that a program states: types, constants,
comments, and the declared domains of arguments. `analysis` derives the others: the values of an expression,
that an index is in bounds, the number of iterations of a loop.

Places are the targets of statements: a local, an element of an array, a member of a struct, a component of a
vector; and any of these inside another one (``particles[i].velocity[1]``). An operation that changes an
operand (an atomic, a random number) is the whole value of a statement, never part of another expression.

Not covered: strings except in `Print`; tiles, meshes and other handles; functions as arguments.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from .domains import Interval, Trait, intersection
from .types import BOOL, INT, SCALARS, Array, Scalar, Struct, Type

Role = OneOf["input", "output", "inout"]

# ---- expressions


@dataclass(frozen=True)
class Literal:
    value: float | int | bool
    type: Scalar


@dataclass(frozen=True)
class Name:
    """A reference to an argument, a constant, a local, a loop variable or a function's parameter."""

    name: str
    type: Type


@dataclass(frozen=True)
class Apply:
    """An operation of the table (`operations.TABLE`) applied to operands."""

    operation: str
    operands: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class Chain:
    """Comparisons in a row, ``low <= x < high``: each of `comparisons` joins two neighbours."""

    comparisons: tuple[str, ...]
    operands: tuple[Expr, ...]
    type: Scalar = BOOL


@dataclass(frozen=True)
class Load:
    """An element of an array; `array` names one, is a member, or a view."""

    array: Expr
    index: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class Slice:
    """``start:stop:step`` of one dimension, in a `View`; omitted bounds are None."""

    start: Expr | None
    stop: Expr | None
    step: Expr | None


@dataclass(frozen=True)
class View:
    """A part of an array that is itself an array: fewer indices than dimensions, or slices among them."""

    array: Expr
    index: tuple[Expr | Slice, ...]
    type: Array


@dataclass(frozen=True)
class Shape:
    """``array.shape[axis]``."""

    array: Expr
    axis: int
    type: Scalar = INT


@dataclass(frozen=True)
class Member:
    """A member of a struct, or of a value that has named parts: ``v.x``, ``v.xy``, ``pose.p``."""

    of: Expr
    member: str
    type: Type


@dataclass(frozen=True)
class New:
    """A struct's value: all members zero, or the operands."""

    type: Struct
    operands: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Call:
    """A call of one of the program's own functions; overloads are chosen by the operands' types."""

    function: str
    operands: tuple[Expr, ...]
    type: Type


Expr = Literal | Name | Apply | Chain | Load | View | Shape | Member | New | Call


@dataclass(frozen=True)
class Component:
    """A component of a vector, quaternion or transform, an entry or a row of a matrix, as a place."""

    of: Place
    index: tuple[Expr, ...]
    type: Type


Place = Name | Load | Member | Component


# ---- statements


@dataclass(frozen=True)
class ThreadIndex:
    """``i, j = tid()``: one name per launch dimension, each from 0 to its dimension less one."""

    names: tuple[Name, ...]


@dataclass(frozen=True)
class Let:
    """A local that is never assigned again."""

    target: Name
    value: Expr


@dataclass(frozen=True)
class Variable:
    """A local that later statements assign, in whole or in part."""

    target: Name
    value: Expr


@dataclass(frozen=True)
class Unpack:
    """``a, b = function(...)``: several results at once, for new locals or existing variables.

    They come from a function of the program's own or from an operation of the table, whose type is `Several`.
    """

    targets: tuple[Name, ...]
    value: Call | Apply


@dataclass(frozen=True)
class Assign:
    """A new value for a place."""

    target: Place
    value: Expr


@dataclass(frozen=True)
class Accumulate:
    """``target operator= value`` for a place. On an element of an array ``+`` and ``-`` are atomic."""

    target: Place
    operator: str
    value: Expr


@dataclass(frozen=True)
class Do:
    """An expression that is run for its effect: an atomic, or a call of a function that returns nothing."""

    value: Expr


@dataclass(frozen=True)
class Print:
    """``wp.printf(format, ...)``, or ``print(value)`` without a format."""

    format: str | None
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class Assert:
    condition: Expr
    message: str | None = None


@dataclass(frozen=True)
class If:
    condition: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()


@dataclass(frozen=True)
class For:
    """``for target in range(start, stop, step)``; the step is not zero.

    `written` is the number of arguments in the source if fewer would do, else 0: Warp generates other code
    for ``range(0, n)`` than for ``range(n)``.
    """

    target: Name
    start: Expr
    stop: Expr
    step: int
    body: tuple[Stmt, ...]
    written: int = 0


@dataclass(frozen=True)
class While:
    """A loop that runs as long as `condition` holds; the inputs' domains must bound its iterations."""

    condition: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Break:
    pass


@dataclass(frozen=True)
class Continue:
    pass


@dataclass(frozen=True)
class Return:
    """Ends the thread (no values, in a kernel) or the function (with as many as it returns)."""

    values: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Pass:
    pass


@dataclass(frozen=True)
class Comment:
    """A comment's lines. It belongs to the next statement; with `beside`, it stands on the line of the one
    before."""

    text: str
    beside: bool = False


Stmt = (
    ThreadIndex
    | Let
    | Variable
    | Unpack
    | Assign
    | Accumulate
    | Do
    | Print
    | Assert
    | If
    | For
    | While
    | Break
    | Continue
    | Return
    | Pass
    | Comment
)


# ---- programs


@dataclass(frozen=True)
class Argument:
    """A kernel argument.

    Attributes:
        name: Its name.
        type: Type of the plain value, or of the array's elements.
        role: Whether the kernel reads it (``"input"``), writes it (``"output"``) or both (``"inout"``).
        shape: Shape of the array in the example launch; ``()`` for a plain value. If no launch is known, the
            sizes are 0: no element may be read then, and no check passes.
        domain: Contains every element of the input: the kernel is legal for all such inputs. Of a struct it
            contains every number, as far as its type reaches.
        member_shapes: Shapes of a struct's members that are arrays, by their dotted names (``grid.cells``).
            Others have size 0.
        trait: A further property of each element (a unit vector) or of the array (sorted).
    """

    name: str
    type: Type
    role: Role
    shape: tuple[int, ...]
    domain: Interval
    member_shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    trait: Trait | None = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def reference(self) -> Name:
        """The argument as a name in the kernel's body."""
        return Name(self.name, Array(self.type, self.ndim) if self.ndim else self.type)

    @property
    def leaves(self) -> tuple[Argument, ...]:
        """The numbers in it, as arguments: itself, or one for each member of a struct that is a value,
        down through structs in structs, under names such as ``particles.frame.origin``.

        In an array of structs each of them is an array; a member that is an array appends its own dimensions.
        Values are passed by value, so they are inputs.
        """
        return tuple(self._leaves(self.type, "", self.shape)) if isinstance(self.type, Struct) else (self,)

    def _leaves(self, struct: Struct, prefix: str, shape: tuple[int, ...]) -> Iterator[Argument]:
        for member, type in struct.members:
            name, inner = prefix + member, shape
            if isinstance(type, Array):
                inner = shape + dict(self.member_shapes).get(name, (0,) * type.ndim)
                type = type.element
            if isinstance(type, Struct):
                yield from self._leaves(type, f"{name}.", inner)
            else:
                role: Role = self.role if inner else "input"
                limits = SCALARS[type.scalar].limits
                domain = limits if type == BOOL else intersection(self.domain, limits)
                if (
                    type.is_integer
                ):  # the domain may have bounds that are no integers, for floats of the struct
                    domain = Interval(math.ceil(domain.lo), math.floor(domain.hi))
                yield Argument(f"{self.name}.{name}", type, role, inner, domain)


@dataclass(frozen=True)
class Function:
    """A function of the program's own. Several may share a name if they differ in parameter types.

    One whose name is ``Struct.method`` is a method: its first parameter is the struct. The text of a
    `generic` one leaves the type of floats open (``Any``); no other function has its name.
    """

    name: str
    parameters: tuple[Name, ...]
    body: tuple[Stmt, ...]
    type: Type
    docstring: str | None = None
    generic: bool = False


@dataclass(frozen=True)
class Constant:
    """A name for a compile-time value: defined in the module, in a function around the kernel
    (a closure), or as a member of an enumeration (``Mode.FAST``). `value` is made of literals. A number that
    is `static` is named as ``wp.static(NAME)``."""

    name: str
    value: Expr
    place: OneOf["module", "closure", "enumeration"] = "module"
    static: bool = False


@dataclass(frozen=True)
class Style:
    """The syntax of types throughout a module: ``wp.array[float]`` or ``wp.array(dtype=float)``, and
    ``float`` or ``wp.float32`` if Python has a name of its own."""

    subscripts: bool = False
    full_names: bool = False


@dataclass(frozen=True)
class Signature:
    """A kernel seen from outside.

    Attributes:
        name: Its name.
        arguments: Its arguments, in order.
        launch_dim: Number of threads along each axis of the launch that its examples use.
    """

    name: str
    arguments: tuple[Argument, ...]
    launch_dim: tuple[int, ...]

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """The arguments with values before a launch: inputs, and arrays that are read and written."""
        return tuple(argument for argument in self.arguments if argument.role != "output")


@dataclass(frozen=True)
class Program:
    """One kernel with its functions, structs and constants."""

    signature: Signature
    body: tuple[Stmt, ...]
    functions: tuple[Function, ...] = ()
    structs: tuple[Struct, ...] = ()
    constants: tuple[Constant, ...] = ()
    docstring: str | None = None
    style: Style = Style()

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return self.signature.arguments

    @property
    def launch_dim(self) -> tuple[int, ...]:
        return self.signature.launch_dim

    @property
    def bodies(self) -> tuple[tuple[Stmt, ...], ...]:
        """The kernel's statements, and those of each function."""
        return (self.body, *(function.body for function in self.functions))

    def called(self, call: Call) -> Function:
        """The function that a call calls. Raises `KeyError` if there is none."""
        return called(self.functions, call)


def called(functions: tuple[Function, ...], call: Call) -> Function:
    """The one of these functions that a call calls. Raises `KeyError` if there is none."""
    types = [operand.type for operand in call.operands]
    for function in functions:
        if function.name == call.function and [p.type for p in function.parameters] == types:
            return function
    raise KeyError(call.function)
