"""Finds calls with effects that C++ might evaluate in another order than Python, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from .. import ir, walks
from ..analysis.effects import acting
from ..operations.traits import ALTERNATIVES, CHOICES
from .refusals import NoPlainForm

ONE_SIDED = ALTERNATIVES | set(CHOICES)


class Effects:
    """The functions of a program that do more than to compute what they return."""

    def __init__(self, program: ir.Program) -> None:
        self.acting = acting(program.functions, drawing=False)

    def _calls(self, node: object) -> bool:
        return isinstance(node, ir.Call) and node.function in self.acting

    def check(self, statement: ir.Stmt) -> None:
        """Raises `NoPlainForm` where the order of a statement's parts could tell."""
        parts = walks.reads(statement)
        calls = [node for part in parts for node in walks.walk(part) if self._calls(node)]
        if not calls:
            return
        call = calls[0]
        assert isinstance(call, ir.Call)
        alone = len(calls) == 1 and not any(map(_tells, self._beside(parts, call)))
        if not alone:
            raise NoPlainForm(f"a call of {call.function}, which has effects, inside of a larger expression")

    def _beside(self, parts: tuple[ir.Expr, ...], call: ir.Call) -> Iterator[object]:
        """What a statement evaluates beside a call and its operands."""
        inside = {id(node) for node in walks.walk(call)}
        return (node for part in parts for node in walks.walk(part) if id(node) not in inside)


def _tells(node: object) -> bool:
    """Whether an effect could change a node's value, or the node leave an operand out."""
    if isinstance(node, ir.Apply):
        return node.operation in ONE_SIDED
    return isinstance(node, ir.Load | ir.Call | ir.View)
