"""Nodes of a graph of values, and integers among them, as sums of multiples.

Nodes are numbers, in the order in which they are made; a node's operands are made before it. Equal nodes are
one, and so are equal sums of whole numbers, however they were added up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MOST_FACTORS = 8  # of a product of integers; longer ones are products of products


class Node(NamedTuple):
    """`kind` is one of those below; `label` what it does, types included; `text` what a skeleton leaves out.

    literal   a number or a truth: `text` says which
    leaf      an argument, a thread's index, memory as the launch finds it
    apply     of `operands`, in order
    commutes  an application of operands in any order
    sum       of integers: `constant` plus each operand times its `factor`
    positive  whether such a sum is greater than zero; of a comparison and its opposite there is one
    zero      whether such a sum is zero
    all       whether all operands hold
    fails     whether the operand does not hold
    choice    of operands (condition, one, other)
    around    what a local is at the start of an iteration of the loop `factors[0]`
    left      what the operand is in the last iteration of the loop `factors[0]`
    """

    kind: str
    label: str = ""
    text: str = ""
    operands: tuple[int, ...] = ()
    factors: tuple[int, ...] = ()
    constant: int = 0


class Loop:
    """`stays` tells whether another iteration follows, `nexts` what its locals are then, `starts` what they
    are in the first one; `depth` counts the loops around."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.starts: dict[int, int] = {}
        self.nexts: dict[int, int] = {}
        self.stays = -1


class Nodes:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.within: list[int] = []  # one bit for each loop that a node depends on
        self.loops: list[Loop] = []
        self._known: dict[Node, int] = {}
        self.true = self.literal("bool", True)
        self.false = self.literal("bool", False)

    def make(self, node: Node, within: int = 0) -> int:
        known = self._known.get(node)
        if known is None:
            for operand in node.operands:
                within |= self.within[operand]
            known = self._known[node] = len(self.nodes)
            self.nodes.append(node)
            self.within.append(within)
        return known

    def leaf(self, label: str) -> int:
        return self.make(Node("leaf", label))

    def literal(self, scalar: str, value: float) -> int:
        return self.make(Node("literal", f"<{scalar}>", repr(value)))

    def apply(self, label: str, *operands: int, commutes: bool = False) -> int:
        if commutes:
            return self.make(Node("commutes", label, operands=tuple(sorted(operands))))
        return self.make(Node("apply", label, operands=operands))

    # ---- whole numbers

    def whole(self, node: int) -> int | None:
        """The value of an integer literal."""
        kind, _, text, *_ = self.nodes[node]
        return int(text) if kind == "literal" and text.lstrip("-").isdigit() else None

    def terms(self, node: int) -> tuple[int, Mapping[int, int]]:
        """A number as a constant and multiples of nodes."""
        it = self.nodes[node]
        if it.kind == "sum":
            return it.constant, dict(zip(it.operands, it.factors, strict=True))
        value = self.whole(node)
        return (0, {node: 1}) if value is None else (value, {})

    def sum(self, scalar: str, constant: int, terms: Mapping[int, int]) -> int:
        operands = tuple(sorted(node for node, factor in terms.items() if factor))
        if not operands:
            return self.literal(scalar, constant)
        if len(operands) == 1 and not constant and terms[operands[0]] == 1:
            return operands[0]
        factors = tuple(terms[node] for node in operands)
        return self.make(Node("sum", scalar, "", operands, factors, constant))

    def added(self, scalar: str, one: int, other: int, factor: int = 1) -> int:
        """``one + factor * other``"""
        constant, terms = self.terms(one)
        more, others = self.terms(other)
        total = dict(terms)
        for node, times in others.items():
            total[node] = total.get(node, 0) + factor * times
        return self.sum(scalar, constant + factor * more, total)

    def product(self, scalar: str, one: int, other: int) -> int:
        for value, node in ((self.whole(one), other), (self.whole(other), one)):
            if value is not None:
                return self.added(scalar, self.literal(scalar, 0), node, value)
        times = 1
        factors: list[int] = []
        for node in (one, other):
            it = self.nodes[node]
            if it.kind == "sum" and len(it.operands) == 1 and not it.constant:
                times *= it.factors[0]
                node, it = it.operands[0], self.nodes[it.operands[0]]
            nested = it.kind == "commutes" and it.label == f"mul {scalar}"
            factors += it.operands if nested and len(it.operands) < MOST_FACTORS else (node,)
        return self.sum(scalar, 0, {self.apply(f"mul {scalar}", *factors, commutes=True): times})
