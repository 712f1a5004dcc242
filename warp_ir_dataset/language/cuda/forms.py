"""The form of each operation in plain CUDA.

It follows the Python syntax in the operation's row: an operator is the same operator, and ``wp.name`` the
function of that name, CUDA's own or a piece of the prelude. Where that is wrong, the row's column `cuda`
names another operator or function, for all operands or by the kind of the first one's numbers (``float:
fmod``). An operation without either has no plain form, and is refused by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from typing_extensions import assert_never

from .. import ir
from ..operations.spelling import Conditional, Constant, Function, Infix, Prefix, Subscript
from ..operations.table import TABLE
from ..types import (
    FLOAT,
    SCALARS,
    Matrix,
    Quaternion,
    Scalar,
    Transform,
    Type,
    Vector,
    full_name,
)
from .pieces.library import ATOMICS, OF_FLOATS, OF_NUMBERS
from .pieces.table import PIECES
from .refusals import NoPlainForm
from .typenames import kind, scalar_name

SYMBOLS: Mapping[str, str] = {"and": "&&", "or": "||", "not ": "!"}
TERNARY = "?:"


@dataclass(frozen=True)
class Operator:
    """An operator between two operands, or before one."""

    symbol: str
    piece: str | None = None


@dataclass(frozen=True)
class Called:
    """A function of the operands. With `explicit_type` the call states the result's type,
    ``name<type>(...)``."""

    name: str
    piece: str | None = None
    explicit_type: bool = False


@dataclass(frozen=True)
class Built:
    """A constructor of the result's type from its parts."""


@dataclass(frozen=True)
class Converted:
    """A conversion of a number to the result's type."""


@dataclass(frozen=True)
class Filled:
    """A value whose numbers are all the same."""


@dataclass(frozen=True)
class Copied:
    """The operand itself."""


@dataclass(frozen=True)
class Indexed:
    """A component, an entry or a row."""


@dataclass(frozen=True)
class Chosen:
    """One of two operands, by a condition."""


@dataclass(frozen=True)
class Named:
    """A constant of the prelude."""

    piece: str


Form = Operator | Called | Built | Converted | Filled | Copied | Indexed | Chosen | Named


def form(node: ir.Apply) -> Form:
    """The form of an operation. Raises `NoPlainForm` if it has none."""
    return _form(node.operation, tuple(operand.type for operand in node.operands), node.type)


@cache
def _form(name: str, operands: tuple[Type, ...], result: Type) -> Form:
    row = TABLE[name]
    special = _special(row.cuda, operands)
    if special is not None:
        return _by_name(name, special, operands, result)
    syntax = row.spelling
    match syntax:
        case Infix(symbol) | Prefix(symbol):
            return _by_name(name, SYMBOLS.get(symbol, symbol), operands, result)
        case Function("", _):
            return _made(name, operands, result)
        case Function(text, named):
            return _by_name(name, _last(text), operands, result, explicit_type=bool(named))
        case Constant(text):
            return Named(_piece(name, _last(text), operands))
        case Subscript():
            return Indexed()
        case Conditional():
            return Chosen()
        case _:
            assert_never(syntax)


def _last(text: str) -> str:
    return text.rpartition(".")[2]


def _special(column: str, operands: tuple[Type, ...]) -> str | None:
    """The entry of the column `cuda` for these operands; a name without a kind holds for all."""
    for part in column.split("; ") if column else ():
        of, colon, name = part.rpartition(": ")
        if not colon or SCALARS[operands[0].scalar].kind == of:
            return name
    return None


def _by_name(
    operation: str, name: str, operands: tuple[Type, ...], result: Type, explicit_type: bool = False
) -> Form:
    if name == TERNARY:
        return Chosen()
    scalars = all(isinstance(type, Scalar) for type in operands)
    if not name[0].isalpha():
        if scalars:
            return Operator(name)
        kinds = [kind(type) for type in operands]
        return Operator(name, _found(operation, [f" {name} ".join(kinds) if kinds[1:] else name + kinds[0]]))
    if name in ATOMICS:
        return _atomic(operation, name, result)
    if scalars and not explicit_type and operands:
        if name in OF_NUMBERS:
            return Called(name)
        if name in OF_FLOATS and operands[0].is_float:
            return Called(name + "f" * (operands[0] == FLOAT))
    return Called(name, _piece(operation, name, operands), explicit_type)


def _atomic(operation: str, name: str, result: Type) -> Form:
    scalar = scalar_name(result.scalar)
    if isinstance(result, Scalar):
        own = scalar in ATOMICS[name].split()
        return Called(name, None if own else _found(operation, [f"{name}({scalar})"]))
    return Called(name, _found(operation, [f"{name}({kind(result)})"]))


def atomic_pieces(name: str, result: Type) -> tuple[str, ...]:
    """The pieces that an atomic on a value of several numbers needs besides its own: that of a single
    number."""
    scalar = scalar_name(result.scalar)
    return () if scalar in ATOMICS[name].split() else (f"{name}({scalar})",)


def _piece(operation: str, name: str, operands: tuple[Type, ...]) -> str:
    """The piece for operands of these kinds, the one for all kinds, or for numbers the one with its name."""
    kinds = ", ".join(map(kind, operands))
    numbers = all(isinstance(type, Scalar) for type in operands)
    return _found(operation, [f"{name}({kinds})", f"{name}(...)", *([name] if numbers else [])])


def _found(operation: str, keys: Sequence[str]) -> str:
    for key in keys:
        if key in PIECES:
            return key
    raise NoPlainForm(f"{operation} has no plain form")


def _made(operation: str, operands: tuple[Type, ...], result: Type) -> Form:
    """The form of a constructor, by its operands."""
    match result:
        case Scalar():
            return Copied() if operands == (result,) else Converted()
        case Vector() | Matrix() | Quaternion() | Transform():
            if operands == (result,):
                return Copied()
            if len(operands) == 1 and isinstance(operands[0], Scalar):
                return Filled()
            if len(operands) == 1:
                return Called("converted", _piece(operation, "converted", operands), explicit_type=True)
            return Built()
        case _:
            raise NoPlainForm(f"{operation} has no plain form: it makes {full_name(result)}")
