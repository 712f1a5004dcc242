"""Lists the nodes of a Python syntax tree in any order: a faster `ast.walk`.

Contexts (`ast.Load`) and operators (`ast.Add`), a third of all nodes, hold nothing and are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

_BARE = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
# What holds no nodes: places in a text, most of all.
LEAVES = frozenset((int, str, float, bool, type(None), *(k for kind in _BARE for k in kind.__subclasses__())))


def nodes(root: ast.AST) -> Iterator[ast.AST]:
    """A node and all that are in it. Where the tree is changed meanwhile, what is new may be left out."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        for value in node.__dict__.values():
            kind = type(value)
            if kind in LEAVES:
                continue
            if kind is list:
                stack += [item for item in value if type(item) not in LEAVES]
            elif isinstance(value, ast.AST):
                stack.append(value)


class Transformer(ast.NodeTransformer):
    """Python's own, which looks at no contexts and operators."""

    def visit(self, node: ast.AST) -> Any:
        return node if type(node) in LEAVES else super().visit(node)
