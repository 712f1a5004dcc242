"""Hashes of a graph's values that do not depend on the order in which its nodes were made.

A node's hash is made of its operands' ones. The locals of a loop depend on each other in circles, so they are
told apart as the states of automata are (Hopcroft 1971): all of one start are alike at first, and in each
round those are told apart whose next values or whose loop's condition were told apart, until a round finds
nothing new. The hashes of that round say of each local what it becomes, in terms of the others: together
(`circles`) they are the automaton. A local that grows by the same in each iteration is a multiple of the
loop's count; one that never changes is what it was before.

There are two hashes of each node: with literals, and without.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import NamedTuple

from ..types import INT
from .graph import Graph
from .nodes import Node


class Color(NamedTuple):
    exact: str
    masked: str


def _hashed(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _sign(number: int) -> str:
    return "-" if number < 0 else "+" if number else "0"


def _masked(factor: int) -> str:
    return str(factor) if abs(factor) == 1 else f"{_sign(factor)}<int>"


class Sum(NamedTuple):
    """Multiples of values, by their exact hashes."""

    constant: int
    terms: Mapping[str, tuple[Color, int]]


class Colors:
    """The hashes of the nodes that `roots` depend on. `narrowed` is the float type called ``float``."""

    def __init__(self, graph: Graph, roots: Iterable[int], narrowed: str) -> None:
        self.graph = graph
        self.narrowed = narrowed
        self.labels: dict[str, str] = {}
        self.of: dict[int, Color] = {}
        self.sums: dict[int, Sum] = {}  # of nodes that are sums, or stand for one
        self.counts: dict[int, Color] = {}  # of each loop: how many iterations were
        nodes = sorted(self._reachable(roots))
        # The hashes of all that depends on itself: with what a value is by these, they tell the value.
        self.circles: tuple[list[str], list[str]] = ([], [])
        self.circular = [node for node in nodes if graph.nodes[node].kind == "around"]
        self.used_loops = sorted({graph.nodes[node].factors[0] for node in self.circular})
        self.growth = {node: self._grows(node) for node in self.circular}
        self._round([node for node in nodes if not graph.within[node]], None)
        looping = [node for node in nodes if graph.within[node]]
        if looping:
            self._settle(looping)

    def _reachable(self, roots: Iterable[int]) -> set[int]:
        found: set[int] = set()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node in found:
                continue
            found.add(node)
            it = self.graph.nodes[node]
            stack += it.operands
            if it.kind in ("around", "left"):
                loop = self.graph.loops[it.factors[0]]
                stack.append(loop.stays)
                if it.kind == "around":
                    stack += (loop.starts[node], loop.nexts[node])
        return found

    def _grows(self, node: int) -> int | None:
        """By how much a local grows in each iteration: an integer that is always the same, or None."""
        graph = self.graph
        after = graph.loops[graph.nodes[node].factors[0]].nexts[node]
        if after == node:
            return 0
        constant, terms = graph.terms(after)
        return constant if terms == {node: 1} else None

    def _settle(self, looping: list[int]) -> None:
        apart, before = (0, 0), None
        while True:
            self._round(looping, before)
            states = [self.of[node] for node in self.circular if self.growth[node] is None]
            circles = {*states, *self.counts.values()}
            self.circles = sorted({c.exact for c in circles}), sorted({c.masked for c in circles})
            found = len(self.circles[0]), len(self.circles[1])
            if before is not None and found == apart:
                return
            apart, before = found, dict(self.of)

    def _round(self, nodes: list[int], before: dict[int, Color] | None) -> None:
        for loop in self.used_loops if nodes else ():
            it = self.graph.loops[loop]
            stays = before[it.stays] if before and it.stays in before else Color("", "")
            self.counts[loop] = self._color(f"count {it.depth}", "", (stays,))
        for node in nodes:
            self.of[node] = self._node(node, before)

    def _label(self, label: str) -> str:
        known = self.labels.get(label)
        if known is None:
            known = label.replace(self.narrowed, "float") if self.narrowed else label
            self.labels[label] = known
        return known

    def _color(self, label: str, text: str, parts: Iterable[Color]) -> Color:
        exact, masked = [label, text], [label]
        for part in parts:
            exact.append(part.exact)
            masked.append(part.masked)
        return Color(_hashed(" ".join(exact)), _hashed(" ".join(masked)))

    def _unordered(self, label: str, parts: list[Color]) -> Color:
        exact = sorted(part.exact for part in parts)
        masked = sorted(part.masked for part in parts)
        return Color(_hashed(" ".join((label, *exact))), _hashed(" ".join((label, *masked))))

    def _node(self, node: int, before: dict[int, Color] | None) -> Color:
        it = self.graph.nodes[node]
        of = self.of
        match it.kind:
            case "leaf" | "literal" | "apply":
                return self._color(self._label(it.label), it.text, [of[operand] for operand in it.operands])
            case "commutes":
                return self._unordered(self._label(it.label), [of[operand] for operand in it.operands])
            case "sum":
                return self._sum(node, self._expanded(it), it.label)
            case "positive" | "zero" | "fails" | "all":
                color, holds = self._condition(node)
                return self._color("holds" if holds else "fails", "", (color,))
            case "choice":
                color, holds = self._condition(it.operands[0])
                one, other = it.operands[1:] if holds else it.operands[:0:-1]
                return self._color("choice", "", (color, of[one], of[other]))
            case "left":
                stays = self.graph.loops[it.factors[0]].stays
                return self._color("left", "", (of[it.operands[0]], of[stays]))
            case "around":
                return self._around(node, it, before)
            case _:
                raise AssertionError(it.kind)

    def _around(self, node: int, it: Node, before: dict[int, Color] | None) -> Color:
        loop = self.graph.loops[it.factors[0]]
        start = loop.starts[node]
        growth = self.growth[node]
        if growth == 0:
            if start in self.sums:
                self.sums[node] = self.sums[start]
            return self.of[start]
        if growth is not None:
            count = self.counts[it.factors[0]]
            constant, terms = self._terms(start)
            grown = {**terms, count.exact: (count, growth)}
            return self._sum(node, Sum(constant, grown), "")
        parts = [self.of[start], self.counts[it.factors[0]]]
        if before is not None:
            parts.append(before[loop.nexts[node]])
        return self._color("around", "", parts)

    # ---- sums

    def _terms(self, node: int) -> Sum:
        if node in self.sums:
            return self.sums[node]
        value = self.graph.whole(node)
        if value is not None:
            return Sum(value, {})
        color = self.of[node]
        return Sum(0, {color.exact: (color, 1)})

    def _expanded(self, it: Node) -> Sum:
        """The sum of a node's operands, each in its place what it is a sum of."""
        total, terms = it.constant, dict[str, tuple[Color, int]]()
        for operand, factor in zip(it.operands, it.factors, strict=True):
            constant, inner = self._terms(operand)
            total += factor * constant
            for name, (color, times) in inner.items():
                terms[name] = color, terms.get(name, (color, 0))[1] + factor * times
        return Sum(total, {name: term for name, term in terms.items() if term[1]})

    def _sum(self, node: int, total: Sum, scalar: str) -> Color:
        self.sums[node] = total
        if not total.terms:
            return self._color(f"<{scalar or INT.scalar}>", repr(total.constant), ())
        if len(total.terms) == 1 and not total.constant:
            ((color, factor),) = total.terms.values()
            if factor == 1:
                return color
        return self._multiples("sum", total, 1)

    def _multiples(self, label: str, total: Sum, sign: int, constant: int | None = None) -> Color:
        """A skeleton keeps of factors whether they are one, and the signs."""
        constant = sign * total.constant if constant is None else constant
        exact = sorted(f"{sign * factor}*{color.exact}" for color, factor in total.terms.values())
        masked = sorted(f"{_masked(sign * factor)}*{color.masked}" for color, factor in total.terms.values())
        return Color(
            _hashed(" ".join((label, str(constant), *exact))),
            _hashed(" ".join((label, _sign(constant), *masked))),
        )

    # ---- conditions

    def _condition(self, node: int) -> tuple[Color, bool]:
        """The hash that a condition shares with its opposite, and which of the two it is."""
        it = self.graph.nodes[node]
        match it.kind:
            case "fails":
                color, holds = self._condition(it.operands[0])
                return color, not holds
            case "positive":
                total = self._expanded(it)
                one = self._multiples("positive", total, 1)
                other = self._multiples("positive", total, -1, 1 - total.constant)
                holds = (one.masked, one.exact) < (other.masked, other.exact)
                return (one if holds else other), holds
            case "zero":
                total = self._expanded(it)
                one, other = (self._multiples("zero", total, sign) for sign in (1, -1))
                return min(one, other, key=lambda color: (color.masked, color.exact)), True
            case "all":
                parts = []
                for operand in it.operands:
                    color, holds = self._condition(operand)
                    parts.append(self._color("holds" if holds else "fails", "", (color,)))
                return self._unordered("all", parts), True
            case _:
                return self.of[node], True
