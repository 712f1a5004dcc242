"""Chooses names for new functions, locals and constants, as a person might."""

from __future__ import annotations

import builtins
import keyword

from ..operations.table import TABLE
from ..program import Apply, Call, Expr, Load, Program
from ..rewrite import fresh, names_of
from ..types import BOOL, Matrix, Scalar, Type, Vector
from ..walks import root

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
SHORTEST = 4  # letters of a local's name for which a function is named
# By what a kernel may call itself already: the struct of its arguments, and its type.
PARAMETERS = (("params", "Params"), ("settings", "Settings"), ("options", "Options"), ("config", "Config"))
END = "end"


def local(program: Program, value: Expr) -> str:
    """A name for a local that holds a value."""
    base = _by_type(value.type)
    if isinstance(value, Load):
        base = f"{root(value.array) or 'value'}_here"
    elif isinstance(value, Call):
        base = f"{value.function.rpartition('.')[2]}_result"
    elif isinstance(value.type, Scalar):
        base = _LOCALS.get(_group(value), base)
    return fresh(names_of(program), base)


def function(program: Program, value: Expr) -> str:
    """A name for a function that computes a value."""
    return fresh(names_of(program), _FUNCTIONS.get(_group(value), "compute"))


def function_of(program: Program, local: str) -> str | None:
    """A name for a function that computes what a local holds; None where the local's name says too little."""
    telling = len(local) >= SHORTEST and local.replace("_", "").isalpha() and local.islower()
    name = f"compute_{local}"
    return name if telling and name not in names_of(program) else None


def parameters(program: Program) -> tuple[str, str]:
    """Names for a struct of arguments, and for its type."""
    taken = names_of(program)
    free = [pair for pair in PARAMETERS if not taken & set(pair)]
    return free[0] if free else (fresh(taken, PARAMETERS[0][0]), fresh(taken, PARAMETERS[0][1]))


def constant(program: Program, beside: Expr | None) -> str:
    """A name for a constant that stands in an expression."""
    by_group = {"arithmetic": "FACTOR", "compare": "THRESHOLD", "choice": "LEVEL", "integer": "STRIDE"}
    base = by_group.get(_group(beside), "COEFFICIENT") if beside is not None else "START"
    return fresh(names_of(program), base)


def is_plain(name: str) -> bool:
    """Whether a name means nothing in Python."""
    return not keyword.iskeyword(name) and not hasattr(builtins, name)


def _group(value: Expr) -> str:
    return TABLE[value.operation].group if isinstance(value, Apply) else ""


def _by_type(type: Type) -> str:
    if isinstance(type, Vector):
        return "offset"
    if isinstance(type, Matrix):
        return "frame"
    if type == BOOL:
        return "met"
    return "count" if type.is_integer else "amount"
