"""Types in words: of locals and of arguments."""

from __future__ import annotations

from typing_extensions import assert_never

from ... import ir
from ...types import (
    BOOL,
    FLOAT,
    INT,
    WIDEST_FLOAT,
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
    Vector,
)
from ...walks import walk
from .parts import listed

WIDE = Scalar(WIDEST_FLOAT)


def real_of(program: ir.Program) -> Scalar:
    """The type of numbers that goes without saying: float32, or float64 where that is the only float."""
    found = {float_in(type) for type in _types(program)}
    return WIDE if WIDE.scalar in found and FLOAT.scalar not in found else FLOAT


def _types(program: ir.Program) -> set[Type]:
    nodes = (node for body in program.bodies for node in walk(body))
    found = {type for node in nodes if (type := getattr(node, "type", None)) is not None}
    found |= {type for struct in program.structs for _, type in struct.members}
    return found | {argument.type for argument in program.arguments}


def float_in(type: Type) -> str | None:
    """The scalar that a type is made of, where it is a float."""
    inner = type.element if isinstance(type, Array) else type
    return inner.scalar if inner.is_float else None


def kind(type: Type, real: Scalar, several: bool = False) -> str:
    """``3-vector``, ``2×2 matrix of int32``, ``integer``: types of `real` are not named. Empty for `real`."""
    if type == real:
        return ""
    if type == BOOL:
        return "truth value"
    if type == INT:
        return "integer"
    scalar = type.scalar
    return full_kind(type, several).removesuffix(f" of {real.scalar}") if scalar else full_kind(type, several)


def full_kind(type: Type, several: bool = False) -> str:
    """``float32``, ``3-vector of float32``, ``array of 2×2 matrices of float64``."""
    match type:
        case Scalar(scalar):
            return scalar
        case Vector(scalar, length):
            return f"{length}-{'vectors' if several else 'vector'} of {scalar}"
        case Matrix(scalar, rows, columns):
            return f"{rows}×{columns} {'matrices' if several else 'matrix'} of {scalar}"
        case Quaternion(scalar):
            return f"{'quaternions' if several else 'quaternion'} of {scalar}"
        case Transform(scalar):
            return f"{'transforms' if several else 'transform'} of {scalar}"
        case Struct(name):
            return name
        case Array(element, ndim):
            return f"{f'{ndim}D ' if ndim > 1 else ''}array of {full_kind(element, several=True)}"
        case Several(types):
            return listed([full_kind(inner) for inner in types]) if types else "nothing"
        case Tile(element, sizes):
            return f"{'×'.join(map(str, sizes))} tile of {full_kind(element)}"
        case Handle(name):
            return f"id of a {name.replace('_', ' ')} (uint64)"
        case _:
            assert_never(type)
