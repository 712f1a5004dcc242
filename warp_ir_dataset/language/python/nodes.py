"""Lists the nodes of a Python syntax tree in any order: a faster `ast.walk`.

Contexts (`ast.Load`) and operators (`ast.Add`), a third of all nodes, have no children and are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

_BARE = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
# Types of fields without nodes below them; most such fields are line and column numbers.
LEAVES = frozenset((int, str, float, bool, type(None), *(k for kind in _BARE for k in kind.__subclasses__())))


def nodes(root: ast.AST) -> Iterator[ast.AST]:
    """A node and all nodes below it. Nodes that are added during the iteration may be left out."""
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
    """Python's own transformer, without visits of contexts and operators."""

    def visit(self, node: ast.AST) -> Any:
        return node if type(node) in LEAVES else super().visit(node)
