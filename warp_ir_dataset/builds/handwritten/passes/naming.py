"""Chooses names for new functions and locals, as a person might."""

from __future__ import annotations

from ....language import ir
from ....language.passes.naming import group_of
from ....language.rewrite import fresh, names_of
from ....language.types import BOOL, Matrix, Scalar, Type, Vector
from ....language.walks import root

# By the group of the outermost operation: what its result is called, and a function that computes it.
_LOCALS = {
    "arithmetic": "term",
    "integer": "slot",
    "logic": "met",
    "compare": "met",
    "choice": "chosen",
    "math": "response",
    "rounding": "rounded",
    "convert": "converted",
    "vector": "shifted",
    "matrix": "rotated",
    "component": "part",
}
_FUNCTIONS = {
    "arithmetic": "combine",
    "integer": "place_of",
    "logic": "holds",
    "compare": "holds",
    "choice": "choose",
    "math": "respond",
    "rounding": "snap",
    "convert": "converted",
    "vector": "displace",
    "matrix": "turn",
    "component": "part_of",
}


def local(program: ir.Program, value: ir.Expr) -> str:
    """A name for a local that holds a value."""
    base = _by_type(value.type)
    if isinstance(value, ir.Load):
        base = f"{root(value.array) or 'value'}_here"
    elif isinstance(value, ir.Call):
        base = f"{value.function.rpartition('.')[2]}_result"
    elif isinstance(value.type, Scalar):
        base = _LOCALS.get(group_of(value), base)
    return fresh(names_of(program), base)


def function(program: ir.Program, value: ir.Expr) -> str:
    """A name for a function that computes a value."""
    return fresh(names_of(program), _FUNCTIONS.get(group_of(value), "compute"))


def _by_type(type: Type) -> str:
    if isinstance(type, Vector):
        return "offset"
    if isinstance(type, Matrix):
        return "frame"
    if type == BOOL:
        return "met"
    return "count" if type.is_integer else "amount"
