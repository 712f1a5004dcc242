"""Writes a kernel's declaration: its signature, and the structs and types that its arguments need."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .writing.wrapping import wrapped


def declaration(source: str, kernel: str) -> str:
    """A module with the declaration of a kernel of `source`, without its body.

    Raises `ValueError` for a source that defines no such function.
    """
    module = ast.parse(source)
    heads = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef) and node.name == kernel]
    if not heads:
        raise ValueError(f"no function {kernel} is defined")
    head = heads[0]
    head.body, head.returns = [ast.Expr(ast.Constant(...))], None
    parts = [*_needed(module.body, _names(arg.annotation for arg in head.args.args)), head]
    return wrapped("\n\n\n".join(["import warp as wp", *map(ast.unparse, parts)]) + "\n")


def _needed(body: list[ast.stmt], names: set[str]) -> Iterator[ast.stmt]:
    """The definitions that `names` depend on, in source order; structs without their methods."""
    found: list[ast.stmt] = []
    for statement in reversed(body):
        if isinstance(statement, ast.ClassDef) and statement.name in names:
            statement.body = [member for member in statement.body if isinstance(member, ast.AnnAssign)]
            names |= _names(m.annotation for m in statement.body if isinstance(m, ast.AnnAssign))
            found.append(statement)
        elif isinstance(statement, ast.Assign) and names & _names(statement.targets):
            names |= _names([statement.value])
            found.append(statement)
    return reversed(found)


def _names(nodes: Iterable[ast.expr | None]) -> set[str]:
    return {n.id for node in nodes if node for n in ast.walk(node) if isinstance(n, ast.Name)}
