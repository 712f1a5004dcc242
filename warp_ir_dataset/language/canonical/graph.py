"""A graph of values: the computation of a kernel without its statements.

Equal values are one node. A branch is a node that chooses (`chosen`); a loop is two kinds of nodes: what a
local is when an iteration begins (`around`), and what it is when the loop is left (`left`). The memory behind
an array is a value too: a store gives a new one.

Whole numbers are sums of multiples (`nodes`), conditions conjunctions of conditions that hold or do not:
these are equal where their values are. All else is equal where it is made in one way of equal parts. No float
is rounded another way, so ``a + b + c`` is not ``a + (b + c)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from .nodes import Node, Nodes


class Graph(Nodes):
    """Nodes that choose: conditions, choices by them, and loops."""

    # ---- comparisons of whole numbers with zero

    def positive(self, scalar: str, number: int) -> int:
        """Whether an integer is greater than zero."""
        constant, terms = self.terms(number)
        if not terms:
            return self.true if constant > 0 else self.false
        operands = sorted(terms)
        turned = terms[operands[0]] < 0
        sign = -1 if turned else 1
        if turned:  # it is not greater than zero where 1 minus it is
            constant = 1 - constant
        factors = tuple(sign * terms[node] for node in operands)
        made = self.make(Node("positive", scalar, "", tuple(operands), factors, constant))
        return self.opposite(made) if turned else made

    def zero(self, scalar: str, number: int) -> int:
        constant, terms = self.terms(number)
        if not terms:
            return self.true if constant == 0 else self.false
        operands = sorted(terms)
        sign = -1 if terms[operands[0]] < 0 else 1
        factors = tuple(sign * terms[node] for node in operands)
        return self.make(Node("zero", scalar, "", tuple(operands), factors, sign * constant))

    # ---- conditions

    def opposite(self, condition: int) -> int:
        if condition == self.true:
            return self.false
        if condition == self.false:
            return self.true
        it = self.nodes[condition]
        return it.operands[0] if it.kind == "fails" else self.make(Node("fails", operands=(condition,)))

    def parts(self, condition: int) -> tuple[int, ...]:
        """The conditions that all hold where this one does."""
        it = self.nodes[condition]
        if it.kind == "all":
            return it.operands
        return () if condition == self.true else (condition,)

    def both(self, *conditions: int) -> int:
        holding = dict.fromkeys(part for condition in conditions for part in self.parts(condition))
        if self.false in holding or any(self.opposite(part) in holding for part in holding):
            return self.false
        # Of a disjunction among them, what the others rule out is left out: a and (not a or b) is a and b.
        for part in tuple(holding):
            inner = self._ruled_out(part)
            if inner is None:
                continue
            left = [one for one in inner if one not in holding]
            if any(self.opposite(one) in holding for one in inner):
                del holding[part]
            elif len(left) < len(inner):
                del holding[part]
                return self.both(*holding, self.opposite(self.both(*left)))
        return self._all(holding)

    def _all(self, conditions: Iterable[int]) -> int:
        operands = tuple(sorted(conditions))
        if len(operands) < 2:
            return operands[0] if operands else self.true
        return self.make(Node("all", operands=operands))

    def _ruled_out(self, condition: int) -> tuple[int, ...] | None:
        """For ``not (a and b)``: a and b."""
        it = self.nodes[condition]
        if it.kind == "fails" and self.nodes[it.operands[0]].kind == "all":
            return self.nodes[it.operands[0]].operands
        return None

    def either(self, *conditions: int) -> int:
        return self.opposite(self.both(*map(self.opposite, conditions)))

    def chosen(self, condition: int, one: int, other: int) -> int:
        """`one` where the condition holds, `other` where it does not."""
        if one == other or condition == self.true:
            return one
        if condition == self.false:
            return other
        it = self.nodes[condition]
        if it.kind == "fails":
            condition, one, other = it.operands[0], other, one
        one = self.where(one, condition)
        other = self.where(other, self.opposite(condition))
        if one == other:
            return one
        truths = (self.true, self.false)
        if one in truths or other in truths:
            return self._truth(condition, one, other)
        return self._nested(condition, one, other) or self._factored(condition, one, other)

    def _truth(self, condition: int, one: int, other: int) -> int:
        if other == self.false:
            return self.both(condition, one)
        if one == self.true:
            return self.either(condition, other)
        opposite = self.opposite(condition)
        return self.both(opposite, other) if one == self.false else self.either(opposite, one)

    def _nested(self, condition: int, one: int, other: int) -> int | None:
        """A choice within a choice that shares an outcome with it, as one choice by both conditions."""
        for holds, inner, outer in ((True, one, other), (False, other, one)):
            it = self.nodes[inner]
            if it.kind != "choice":
                continue
            this = condition if holds else self.opposite(condition)
            asked, first, second = it.operands
            if second == outer:
                return self.chosen(self.both(this, asked), first, outer)
            if first == outer:
                return self.chosen(self.both(this, self.opposite(asked)), second, outer)
        return None

    def _factored(self, condition: int, one: int, other: int) -> int:
        """A choice between f(x, a) and f(x, b) is f(x, the choice between a and b)."""
        first, second = self.nodes[one], self.nodes[other]
        if first.kind == "sum" or second.kind == "sum":
            return self._common(condition, one, other)
        alike = first.kind == second.kind and first.label == second.label
        if alike and first.kind in ("apply", "commutes") and len(first.operands) == len(second.operands):
            inner = self._differing(first, second)
            if inner is not None:
                at, a, b = inner
                operands = list(first.operands)
                operands[at] = self.chosen(condition, a, b)
                return self.apply(first.label, *operands, commutes=first.kind == "commutes")
            if first.label.startswith("store"):
                return self._stored(condition, first, second) or self._choice(condition, one, other)
        return self._choice(condition, one, other)

    def _choice(self, condition: int, one: int, other: int) -> int:
        return self.make(Node("choice", operands=(condition, one, other)))

    def _differing(self, first: Node, second: Node) -> tuple[int, int, int] | None:
        """Where two applications differ in one operand: its place in the first one, and both operands."""
        if first.kind == "commutes":
            mine, others = Counter(first.operands), Counter(second.operands)
            left, right = list((mine - others).elements()), list((others - mine).elements())
            return (first.operands.index(left[0]), left[0], right[0]) if len(left) == 1 else None
        pairs = list(enumerate(zip(first.operands, second.operands, strict=True)))
        differing = [(at, a, b) for at, (a, b) in pairs if a != b]
        return differing[0] if len(differing) == 1 else None

    def _stored(self, condition: int, first: Node, second: Node) -> int | None:
        """Both arms store at one place: so does the choice, into what the arms had left of the memory."""
        (memory, value, *place), (memory_, value_, *place_) = first.operands, second.operands
        if place != place_:
            return None
        memory = self.chosen(condition, memory, memory_)
        return self.apply(first.label, memory, self.chosen(condition, value, value_), *place)

    def _common(self, condition: int, one: int, other: int) -> int:
        """What two sums share stands outside the choice between them."""
        (constant, terms), (constant_, terms_) = self.terms(one), self.terms(other)
        shared = {node: factor for node, factor in terms.items() if terms_.get(node) == factor}
        same = constant if constant == constant_ else 0
        if not shared and not same:
            return self._choice(condition, one, other)
        it = self.nodes[one]
        scalar = it.label if it.kind == "sum" else self.nodes[other].label
        rest = [
            self.sum(scalar, c - same, {n: f for n, f in t.items() if n not in shared})
            for c, t in ((constant, terms), (constant_, terms_))
        ]
        return self.added(scalar, self.sum(scalar, same, shared), self.chosen(condition, *rest))

    def where(self, node: int, *conditions: int) -> int:
        """What a value is where the conditions hold, as far as it shows at a glance."""
        known = {part: True for condition in conditions for part in self.parts(condition)}
        known.update((self.nodes[part].operands[0], False) for part in tuple(known) if self._denies(part))
        return self._where(node, known) if known else node

    def _denies(self, condition: int) -> bool:
        return self.nodes[condition].kind == "fails"

    def _where(self, node: int, known: Mapping[int, bool]) -> int:
        if node in known:
            return self.true if known[node] else self.false
        it = self.nodes[node]
        if it.kind == "choice":
            condition, one, other = it.operands
            asked = self._where(condition, known)
            if asked == self.true:
                return self._where(one, known)
            if asked == self.false:
                return self._where(other, known)
            return node if asked == condition else self.chosen(asked, one, other)
        if it.kind == "sum" and any(self.nodes[term].kind == "choice" for term in it.operands):
            total = self.literal(it.label, it.constant)
            for term, factor in zip(it.operands, it.factors, strict=True):
                total = self.added(it.label, total, self._where(term, known), factor)
            return total
        if it.kind == "all":
            return self.both(*(self._where(part, known) for part in it.operands))
        if it.kind == "fails":
            inner = self._where(it.operands[0], known)
            return node if inner == it.operands[0] else self.opposite(inner)
        return node

    # ---- loops

    def around(self, loop: int, start: int) -> int:
        """A local at the start of an iteration."""
        made = len(self.nodes)
        self.nodes.append(Node("around", text=str(made), factors=(loop,)))
        self.within.append(1 << loop)
        self.loops[loop].starts[made] = start
        return made

    def left(self, loop: int, node: int) -> int:
        """What a value is when a loop has ended."""
        if not self.within[node] >> loop & 1:
            return node
        return self.make(Node("left", operands=(node,), factors=(loop,)))
