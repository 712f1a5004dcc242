"""The nodes of Python's tree, in no particular order: `ast.walk` for where it is asked ten thousand times."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def nodes(root: ast.AST) -> Iterator[ast.AST]:
    """A node and all that are in it. Where the tree is changed meanwhile, what is new may be left out."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                stack.append(value)
            elif isinstance(value, list):
                stack += [item for item in value if isinstance(item, ast.AST)]
