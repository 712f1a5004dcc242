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
from .formulas.parts import article
from .outline import Step, sentence
from .simplify import block_locals, chooses

LONG = 100  # most characters of a sentence; longer ones become lists


class StepWriter(Clauses):
    """Writes a body as steps."""

    def whole_body(self, body: Body) -> tuple[Step, ...]:
        """The steps of the kernel, or of a function."""
        self.block_locals = block_locals(body)
        return self.steps(body, top=True)

    def steps(self, body: Body, top: bool = False) -> tuple[Step, ...]:
        return tuple(self.each_step(body, top))

    def each_step(self, body: Body, top: bool) -> Iterator[Step]:
        rest, first = list(body), True
        while rest:
            used, steps = self.together(rest) or (1, self.alone(rest[0], top, first))
            yield from steps
            first = first and isinstance(rest[0], ir.If) and rest[0].then == (ir.Return(),)
            rest = rest[used:]

    # ---- statements that belong together

    def together(self, rest: Sequence[ir.Stmt]) -> tuple[int, Sequence[Step]] | None:
        """The number of statements that form one step with the first one, and that step; None if none do."""
        start = rest[0]
        if not isinstance(start, ir.Let | ir.Variable):
            return None
        if isinstance(start.value, ir.New) and not start.value.operands:
            return self.record(start, rest[1:])
        if len(rest) < 2:
            return None
        following, store = rest[1], self.only_stored(start.target, rest)
        used = 3 if store else 2
        if isinstance(following, ir.For) and (text := self.looped(start, following)):
            place = (
                f"Set {self.formulas.place(store.target)} to" if store else f"{self.lead(start.target)} be"
            )
            return used, (Step(f"{place} {text}."),)
        if isinstance(following, ir.If) and (cases := choices.cases_of_local(start, following)):
            lead, sign = (f"Set {self.formulas.place(store.target)}", "to") if store else ("", "=")
            return used, (choices.describe(self.formulas, lead or self.lead(start.target), sign, cases),)
        return None

    def only_stored(self, target: ir.Name, rest: Sequence[ir.Stmt]) -> ir.Assign | None:
        """The third statement, if it only stores a local that nothing else uses."""
        if len(rest) < 3 or target.name not in self.block_locals or uses(target.name, tuple(rest[2:])) != 1:
            return None
        store = rest[2]
        # Conversions without words do not count.
        plain = isinstance(store, ir.Assign) and self.formulas.text(store.value) == target.name
        return store if isinstance(store, ir.Assign) and plain else None

    def record(
        self, start: ir.Let | ir.Variable, rest: Sequence[ir.Stmt]
    ) -> tuple[int, Sequence[Step]] | None:
        """A new struct with the assignments of its members right behind it."""
        name = start.target.name
        assert isinstance(start.value, ir.New)
        members: dict[str, str] = {}
        for statement in rest:
            if not isinstance(statement, ir.Assign) or not isinstance(statement.target, ir.Member):
                break
            if (
                statement.target.of != start.target
                or uses(name, statement.value)
                or is_atomic(statement.value)
            ):
                break
            if statement.target.member in members:
                break
            members[statement.target.member] = self.formulas.given(statement.value)
        return 1 + len(members), (self.new(start.target, start.value, members),)

    def new(self, target: ir.Name, value: ir.New, members: dict[str, str]) -> Step:
        """A struct with its members; others are zero."""
        self.known.add(target.name)
        texts = [f"{member} = {text}" for member, text in members.items()]
        texts += [f"{member} zero" for member, _ in value.type.members if member not in members]
        struct, name = value.type.name, target.name
        lead = f"Let {name} be {article(struct)} {struct} with"
        if sum(map(len, texts)) <= LONG:
            return Step(f"{lead} {', '.join(texts)}.")
        return Step(lead, cases=tuple(texts))

    def looped(self, start: ir.Let | ir.Variable, loop: ir.For) -> str | None:
        """The value of a local after a loop: the first of something, a sum, a count, an extreme."""
        return self.search(start, loop) or self.reduction_text(start, loop)

    def search(self, start: ir.Let | ir.Variable, loop: ir.For) -> str | None:
        found = loops.search(start, loop)
        if found is None:
            return None
        condition, value = found
        f, name = self.formulas, loop.target.name
        text = f"{loops.index_range(f, loop)} with {f.condition(condition)}"
        if not uses(name, value):
            there = f"{f.inner(value)} if there is {article(name)} {text}"
            return f"{there}, otherwise {f.inner(start.value)}"
        text = f"the first {text}"
        if value != loop.target:
            text = f"{f.inner(value)} for {text}"
        return f"{text}, or {f.inner(start.value)} if there is none"

    def reduction_text(self, start: ir.Let | ir.Variable, loop: ir.For) -> str | None:
        found = loops.reduction(start.target.name, loop)
        if found is None:
            return None
        f = self.formulas
        if found.operator in loops.EXTREMES and not chooses(start.value):
            word, over = loops.EXTREMES[found.operator], loops.index_ranges(f, found)
            return f"{word} {f.inner(start.value)} and, for every {over}, {f.inner(found.value)}"
        if found.operator in "+-" and is_number(start.value, 0):
            sign = "minus " if found.operator == "-" else ""
            if is_number(found.value, 1) and found.value.type.is_integer and (found.where or found.but):
                return f"{sign}the number of {loops.index_ranges(f, found)}"
            return f"{sign}the sum, over {loops.index_ranges(f, found)}, of {f.bound(found.value)}"
        if found.operator == "*" and is_number(start.value, 1):
            return f"the product, over {loops.index_ranges(f, found)}, of {f.bound(found.value)}"
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
            return (choices.describe(self.formulas, lead, "to", choices.of_value(statement.value)),)
        if isinstance(statement, ir.Return) and len(statement.values) == 1 and chooses(statement.values):
            return (
                choices.describe(self.formulas, "The result", "is", choices.of_value(statement.values[0])),
            )
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
        return choices.describe(self.formulas, lead, "=", choices.of_value(value))

    def branch(self, statement: ir.If, top: bool, first: bool) -> Sequence[Step]:
        f = self.formulas
        if top and not self.in_function and statement.then == (ir.Return(),) and not statement.orelse:
            text = "do nothing" if first else "stop here"
            return (Step(f"Threads with {f.condition(statement.condition)} {text}."),)
        if (found := choices.of_branches((statement,), None)) is not None:
            place, cases = found
            lead, sign = (f"Set {f.place(place)}", "to") if place is not None else ("The result", "is")
            return (choices.describe(f, lead, sign, cases),)
        branches, otherwise = _branches(statement)
        steps = [
            self.branch_step(f"{'Otherwise, if' if number else 'If'} {f.condition(condition)}", body)
            for number, (condition, body) in enumerate(branches)
        ]
        if otherwise:
            steps.append(self.branch_step("Otherwise", otherwise))
        return steps

    def branch_step(self, head: str, body: Body) -> Step:
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
        clause, index_range = self.short(loop.body), loops.index_range(self.formulas, loop)
        inner = () if clause else self.steps(loop.body)
        self.loops.pop()
        if loops.is_repetition(loop):
            trip_count = self.formulas.inner(loops.trip_count(loop))
            return (
                Step(f"Repeat {trip_count} times: {clause}.")
                if clause
                else Step(f"Repeat {trip_count} times:", inner)
            )
        order = ", in order" if loops.has_carried_dependence(loop) else ""
        if loops.moves_its_end(loop):
            order += ", its end as it is before the loop"
        if clause:
            return Step(f"For each {index_range}{order}, {clause}.")
        return Step(f"For each {index_range}{order}:", inner)

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


def _branches(statement: ir.If) -> tuple[list[tuple[ir.Expr, Body]], Body]:
    """``if``, ``elif``, ... with their conditions, and ``else``."""
    branches = [(statement.condition, statement.then)]
    rest = statement.orelse
    while len(rest) == 1 and isinstance(rest[0], ir.If):
        branches.append((rest[0].condition, rest[0].then))
        rest = rest[0].orelse
    return branches, rest
