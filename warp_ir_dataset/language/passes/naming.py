"""Chooses names for new functions, structs and constants, as a person might."""

from __future__ import annotations

import builtins
import keyword

from .. import ir
from ..operations.table import TABLE
from ..rewrite import fresh, names_of

SHORTEST = 4  # least letters of a local's name for which a function is named
# Names of the struct of arguments, and of its type; the first that the kernel does not use.
PARAMETERS = (("params", "Params"), ("settings", "Settings"), ("options", "Options"), ("config", "Config"))


def function_of(program: ir.Program, local: str) -> str | None:
    """A name for a function that computes what a local holds; None if the name is not descriptive."""
    descriptive = len(local) >= SHORTEST and local.replace("_", "").isalpha() and local.islower()
    name = f"compute_{local}"
    return name if descriptive and name not in names_of(program) else None


def parameters(program: ir.Program) -> tuple[str, str]:
    """Names for a struct of arguments, and for its type."""
    taken = names_of(program)
    free = [pair for pair in PARAMETERS if not taken & set(pair)]
    return free[0] if free else (fresh(taken, PARAMETERS[0][0]), fresh(taken, PARAMETERS[0][1]))


def constant(program: ir.Program, user: ir.Expr | None) -> str:
    """A name for a constant that stands in an expression."""
    by_group = {"arithmetic": "FACTOR", "compare": "THRESHOLD", "choice": "LEVEL", "integer": "STRIDE"}
    base = by_group.get(group_of(user), "COEFFICIENT") if user is not None else "START"
    return fresh(names_of(program), base)


def is_plain(name: str) -> bool:
    """Whether a name means nothing in Python."""
    return not keyword.iskeyword(name) and not hasattr(builtins, name)


def group_of(value: ir.Expr) -> str:
    return TABLE[value.operation].group if isinstance(value, ir.Apply) else ""
