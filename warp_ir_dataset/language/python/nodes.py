"""The nodes of Python's tree, in no particular order: `ast.walk` for where it is asked ten thousand times."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_LEAVES = frozenset((int, str, float, bool, type(None)))  # places in a text, most of all


def nodes(root: ast.AST) -> Iterator[ast.AST]:
    """A node and all that are in it. Where the tree is changed meanwhile, what is new may be left out."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        for value in node.__dict__.values():
            kind = type(value)
            if kind in _LEAVES:
                continue
            if kind is list:
                stack += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                stack.append(value)
