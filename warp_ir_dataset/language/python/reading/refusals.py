"""The error for a source that cannot be read: one line with its position."""

from __future__ import annotations

import ast

from ...types import SCALARS, Array, Scalar, Several, Struct, Type, full_name

LONGEST = 60  # of a piece of source in a message


class Unreadable(ValueError):
    """A source cannot be read as a program; the message is one line with the position."""


def at(node: ast.AST, problem: str) -> Unreadable:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
    return Unreadable(f"line {line}, column {column}: {problem}")


def kind_of(node: ast.AST) -> str:
    return type(node).__name__


def quoted(node: ast.AST) -> str:
    """A piece of source, on one line and not too long."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def describe(type: Type) -> str:
    """The name of a type in a message."""
    match type:
        case Struct(name):
            return name
        case Array(element, ndim):
            return f"array{ndim}d of {describe(element)}"
        case Several(types):
            return f"({', '.join(map(describe, types))})"
        case Scalar(scalar):
            return SCALARS[scalar].python or scalar
        case _:
            return full_name(type)
