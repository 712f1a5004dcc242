"""Describes statements as numbered steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .. import ir
from ..analysis.effects import uses
from ..operations.table import TABLE
from ..rewrite import Body
from ..walks import walk
from . import choices, loops
from .clauses import Clauses, is_atomic
from .folding import chooses, kept
from .formulas.parts import article
from .outline import Step, sentence

LONG = 100  # characters of a sentence that is better told as a list


class Teller(Clauses):
    """Tells a body, step by step."""

    def whole_body(self, body: Body) -> tuple[Step, ...]:
        """The steps of the kernel, or of a function."""
        self.kept = kept(body)
        return self.steps(body, top=True)

    def steps(self, body: Body, top: bool = False) -> tuple[Step, ...]:
        return tuple(self.told(body, top))

    def told(self, body: Body, top: bool) -> Iterator[Step]:
        rest, first = list(body), True
        while rest:
            taken, steps = self.together(rest) or (1, self.alone(rest[0], top, first))
            yield from steps
            first = first and isinstance(rest[0], ir.If) and rest[0].then == (ir.Return(),)
            rest = rest[taken:]

    # ---- statements that belong together

    def together(self, rest: Sequence[ir.Stmt]) -> tuple[int, Sequence[Step]] | None:
        """How many statements make one step with the first one, and that step; None where none do."""
        start = rest[0]
        if not isinstance(start, ir.Let | ir.Variable):
            return None
        if isinstance(start.value, ir.New) and not start.value.operands:
            return self.record(start, rest[1:])
        if len(rest) < 2:
            return None
        following, store = rest[1], self.only_stored(start.target, rest)
        taken = 3 if store else 2
        if isinstance(following, ir.For) and (told := self.looped(start, following)):
            place = (
                f"Set {self.formulas.place(store.target)} to" if store else f"{self.lead(start.target)} be"
            )
            return taken, (Step(f"{place} {told}."),)
        if isinstance(following, ir.If) and (cases := choices.settled(start, following)):
            lead, sign = (f"Set {self.formulas.place(store.target)}", "to") if store else ("", "=")
            return taken, (choices.told(self.formulas, lead or self.lead(start.target), sign, cases),)
        return None

    def only_stored(self, target: ir.Name, rest: Sequence[ir.Stmt]) -> ir.Assign | None:
        """The third statement where all that it does is to store a local, which nobody needs any more."""
        if len(rest) < 3 or target.name not in self.kept or uses(target.name, tuple(rest[2:])) != 1:
            return None
        store = rest[2]
        # A conversion that says nothing counts as nothing.
        plain = isinstance(store, ir.Assign) and self.formulas.text(store.value) == target.name
        return store if isinstance(store, ir.Assign) and plain else None

    def record(
        self, start: ir.Let | ir.Variable, rest: Sequence[ir.Stmt]
    ) -> tuple[int, Sequence[Step]] | None:
        """A new struct, and its members as they are assigned one after another."""
        name = start.target.name
        assert isinstance(start.value, ir.New)
        given: dict[str, str] = {}
        for statement in rest:
            if not isinstance(statement, ir.Assign) or not isinstance(statement.target, ir.Member):
                break
            if (
                statement.target.of != start.target
                or uses(name, statement.value)
                or is_atomic(statement.value)
            ):
                break
            if statement.target.member in given:
                break
            given[statement.target.member] = self.formulas.given(statement.value)
        return 1 + len(given), (self.new(start.target, start.value, given),)

    def new(self, target: ir.Name, value: ir.New, given: dict[str, str]) -> Step:
        """A struct made of members, those that are not given zero."""
        self.known.add(target.name)
        texts = [f"{member} = {text}" for member, text in given.items()]
        texts += [f"{member} zero" for member, _ in value.type.members if member not in given]
        struct, name = value.type.name, target.name
        lead = f"Let {name} be {article(struct)} {struct} with"
        if sum(map(len, texts)) <= LONG:
            return Step(f"{lead} {', '.join(texts)}.")
        return Step(lead, cases=tuple(texts))

    def looped(self, start: ir.Let | ir.Variable, loop: ir.For) -> str | None:
        """What a local is behind a loop: the first of something, a sum, a count, an extreme."""
        return self.search(start, loop) or self.gathering(start, loop)

    def search(self, start: ir.Let | ir.Variable, loop: ir.For) -> str | None:
        found = loops.found_first(start, loop)
        if found is None:
            return None
        condition, value = found
        f, name = self.formulas, loop.target.name
        told = f"{loops.span(f, loop)} with {f.condition(condition)}"
        if not uses(name, value):
            there = f"{f.inner(value)} if there is {article(name)} {told}"
            return f"{there}, otherwise {f.inner(start.value)}"
        told = f"the first {told}"
        if value != loop.target:
            told = f"{f.inner(value)} for {told}"
        return f"{told}, or {f.inner(start.value)} if there is none"

    def gathering(self, start: ir.Let | ir.Variable, loop: ir.For) -> str | None:
        found = loops.gathered(start.target.name, loop)
        if found is None:
            return None
        f = self.formulas
        if found.operator in loops.EXTREMES and not chooses(start.value):
            word, over = loops.EXTREMES[found.operator], loops.spans(f, found)
            return f"{word} {f.inner(start.value)} and, for every {over}, {f.inner(found.value)}"
        if found.operator in "+-" and is_number(start.value, 0):
            sign = "minus " if found.operator == "-" else ""
            if is_number(found.value, 1) and found.value.type.is_integer and (found.where or found.but):
                return f"{sign}the number of {loops.spans(f, found)}"
            return f"{sign}the sum, over {loops.spans(f, found)}, of {f.bound(found.value)}"
        if found.operator == "*" and is_number(start.value, 1):
            return f"the product, over {loops.spans(f, found)}, of {f.bound(found.value)}"
        return None

    # ---- one statement

    def alone(self, statement: ir.Stmt, top: bool, first: bool) -> Sequence[Step]:
        clause = self.clause(statement)
        if isinstance(statement, ir.Let | ir.Variable):
            return (self.local(statement),)
        if isinstance(statement, ir.If):
            return self.branch(statement, top, first)
        if isinstance(statement, ir.For):
            return (self.counted(statement),)
        if isinstance(statement, ir.While):
            return (self.repeated(statement),)
        if isinstance(statement, ir.ThreadIndex):
            names = ", ".join(name.name for name in statement.names)
            return (Step(f"Let {names} be the index of the thread."),)
        if isinstance(statement, ir.Assign) and chooses(statement.value):
            lead = f"Set {self.formulas.place(statement.target)}"
            return (choices.told(self.formulas, lead, "to", choices.of_value(statement.value)),)
        if isinstance(statement, ir.Return) and len(statement.values) == 1 and chooses(statement.values):
            return (choices.told(self.formulas, "The result", "is", choices.of_value(statement.values[0])),)
        assert clause is not None, statement
        return (sentence(clause),)

    def lead(self, target: ir.Name) -> str:
        """``Let x``, ``Let the integer k``."""
        self.known.add(target.name)
        return f"Let {self.introduced(target)}"

    def local(self, statement: ir.Let | ir.Variable) -> Step:
        lead, value = self.lead(statement.target), statement.value
        if isinstance(value, ir.New):
            texts = map(self.formulas.given, value.operands)
            members = (member for member, _ in value.type.members)
            return self.new(statement.target, value, dict(zip(members, texts, strict=False)))
        if is_atomic(value):
            return sentence(self.atomic(value, f"{lead[0].lower()}{lead[1:]} be"))
        return choices.told(self.formulas, lead, "=", choices.of_value(value))

    def branch(self, statement: ir.If, top: bool, first: bool) -> Sequence[Step]:
        f = self.formulas
        if top and not self.in_function and statement.then == (ir.Return(),) and not statement.orelse:
            told = "do nothing" if first else "stop here"
            return (Step(f"Threads with {f.condition(statement.condition)} {told}."),)
        if (found := choices.of_branches((statement,), None)) is not None:
            place, cases = found
            lead, sign = (f"Set {f.place(place)}", "to") if place is not None else ("The result", "is")
            return (choices.told(f, lead, sign, cases),)
        arms, otherwise = _arms(statement)
        steps = [
            self.arm(f"{'Otherwise, if' if number else 'If'} {f.condition(condition)}", body)
            for number, (condition, body) in enumerate(arms)
        ]
        if otherwise:
            steps.append(self.arm("Otherwise", otherwise))
        return steps

    def arm(self, head: str, body: Body) -> Step:
        clause = self.short(body) if body else "do nothing"
        return Step(f"{head}, {clause}.") if clause else Step(f"{head}:", self.steps(body))

    def short(self, body: Body) -> str | None:
        """A body of one plain statement, as a clause."""
        if len(body) != 1 or chooses(getattr(body[0], "value", None) or ()):
            return None
        return self.clause(body[0])

    # ---- loops

    def counted(self, loop: ir.For) -> Step:
        self.loops.append(loop)
        clause, span = self.short(loop.body), loops.span(self.formulas, loop)
        inner = () if clause else self.steps(loop.body)
        self.loops.pop()
        if loops.is_repetition(loop):
            times = self.formulas.inner(loops.times(loop))
            return (
                Step(f"Repeat {times} times: {clause}.") if clause else Step(f"Repeat {times} times:", inner)
            )
        order = ", in order" if loops.carries(loop) else ""
        if loops.moves_its_end(loop):
            order += ", its end as it is before the loop"
        if clause:
            return Step(f"For each {span}{order}, {clause}.")
        return Step(f"For each {span}{order}:", inner)

    def repeated(self, loop: ir.While) -> Step:
        self.loops.append(loop)
        inner = self.steps(loop.body)
        self.loops.pop()
        if isinstance(loop.condition, ir.Literal) and loop.condition.value is True:
            return Step("Repeat until the loop is left:", inner)
        return Step(f"As long as {self.formulas.condition(loop.condition)}, repeat:", inner)


def is_number(value: ir.Expr, number: int) -> bool:
    """Whether a value is this literal number. Zero may also be a vector, a quaternion or a matrix that is
    made of literals, and all of whose components are zero."""
    if isinstance(value, ir.Literal):
        return not isinstance(value.value, bool) and value.value == number
    if number != 0 or not isinstance(value, ir.Apply) or value.type.shape == ():
        return False
    made_of_literals = all(isinstance(part, ir.Apply | ir.Literal) for part in walk(value))
    return made_of_literals and not np.any(_constant(value))


def _constant(value: ir.Expr) -> np.ndarray:
    """The value of an expression that is made of literals."""
    if isinstance(value, ir.Literal):
        return np.asarray(value.value)
    assert isinstance(value, ir.Apply)
    meaning: np.ndarray = TABLE[value.operation].meaning(value.type, *map(_constant, value.operands))
    return meaning


def _arms(statement: ir.If) -> tuple[list[tuple[ir.Expr, Body]], Body]:
    """``if``, ``elif``, ... with their conditions, and ``else``."""
    arms = [(statement.condition, statement.then)]
    rest = statement.orelse
    while len(rest) == 1 and isinstance(rest[0], ir.If):
        arms.append((rest[0].condition, rest[0].then))
        rest = rest[0].orelse
    return arms, rest
