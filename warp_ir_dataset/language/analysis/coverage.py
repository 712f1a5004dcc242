"""Records which branches, comparison results and loop ends a set of inputs exercises.

A decision is an ``if``, an ``a if c else b`` or a `wp.where`; it has two branches (the way around the body of
an ``if`` is one too). A side is one of the two results of a comparison that has an unchanged input as an
operand. An effect is any other event with two outcomes: which of two numbers `wp.min` takes, whether
`wp.clamp` and `wp.abs` change a number, an operand of ``and`` and ``or``, whether compared numbers are equal,
whether a loop has no iteration, and whether it is left early.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import numpy as np

from .. import ir
from ..operations.table import TABLE
from ..operations.traits import BOUNDING, CHOICES, COMPONENTS, COPYING, JUMPING
from ..types import Value
from ..walks import statements, walk

COMPARISONS = frozenset(name for name, row in TABLE.items() if row.group == "compare")
NOTED = COMPARISONS.union(CHOICES, BOUNDING, JUMPING)  # operations whose operands are recorded

TINY = 1e-3
_LEAVING = (ir.Return, ir.Break, ir.Continue)
UNSEEN = (ir.Pass, ir.Comment, ir.Print, ir.Assert)

Decision = ir.If | ir.Apply
Loop = ir.For | ir.While
Outcome = tuple[int, int, bool]  # a node by its identity, which of its comparisons, and its outcome


class Coverage:
    """The outcomes of each of `sets` inputs. `interpret` fills it."""

    def __init__(self, program: ir.Program, sets: int) -> None:
        self.program = program
        self.sets = sets
        self._direct = _direct(program)
        self._branches: dict[Outcome, np.ndarray] = {}
        self._sides: dict[Outcome, np.ndarray] = {}
        self._effects: dict[Outcome, np.ndarray] = {}
        self._place = slice(0, sets)

    def of(self, number: int) -> Coverage:
        """A view for one of the sets, which records into this coverage."""
        part = type(self).__new__(type(self))
        part.__dict__.update(self.__dict__)
        part._place = slice(number, number + 1)
        return part

    def forget(self) -> None:
        self._branches.clear()
        self._sides.clear()
        self._effects.clear()

    # ---- recording, by the interpreter

    def decided(self, decision: Decision, holds: np.ndarray, active: np.ndarray) -> None:
        """The `active` threads took a decision; `holds` has shape ``(sets, threads)``."""
        self._note(self._branches, (id(decision), 0), holds, ~np.asarray(holds, bool), active)

    def applied(self, node: ir.Apply, values: Sequence[np.ndarray], active: np.ndarray) -> None:
        """An operation of `NOTED` was applied to these operands."""
        if node.operation in CHOICES:
            self.decided(node, values[0], active)
        elif node.operation in BOUNDING:
            for place, (below, above) in enumerate(_bounded(node.operation, values)):
                self._note(self._effects, (id(node), place), below, above, active)
        elif (id(node), 0) in self._direct:
            results = TABLE[node.operation].meaning(node.type, *values)
            self._compared(node, 0, values, results, active)

    def chained(
        self, node: ir.Chain, values: Sequence[np.ndarray], results: Sequence[np.ndarray], active: np.ndarray
    ) -> None:
        """Record a chain of comparisons. The result of one only counts for threads where the earlier ones
        hold."""
        for place, result in enumerate(results):
            if (id(node), place) in self._direct:
                self._compared(node, place, values[place : place + 2], result, active)
            fails = ~np.asarray(result, bool)
            self._note(self._effects, (id(node), len(results) + place), result, fails, active)
            active = active & result

    def _compared(
        self,
        node: ir.Apply | ir.Chain,
        place: int,
        values: Sequence[np.ndarray],
        results: np.ndarray,
        active: np.ndarray,
    ) -> None:
        """Record a comparison with an input, and whether it is a tie."""
        self._note(self._sides, (id(node), place), results, ~np.asarray(results, bool), active)
        first, second = values
        self._note(self._effects, tie(node, place)[:2], first == second, first != second, active)

    def operand_evaluated(self, node: ir.Apply, place: int, holds: np.ndarray, active: np.ndarray) -> None:
        """The active threads needed an operand of an ``and`` or an ``or``."""
        self._note(self._effects, (id(node), place), holds, ~np.asarray(holds, bool), active)

    def looped(self, loop: Loop, entered: np.ndarray, began: np.ndarray, early: np.ndarray) -> None:
        """A loop ended for the threads that `entered` it: those that `began` an iteration, and those that
        left it `early`."""
        self._note(self._effects, (id(loop), 0), began, ~began, entered)
        self._note(self._effects, (id(loop), 1), early, ~early, entered & began)

    def _note(
        self,
        found: dict[Outcome, np.ndarray],
        key: tuple[int, int],
        holds: np.ndarray,
        fails: np.ndarray,
        active: np.ndarray,
    ) -> None:
        for outcome, mask in ((True, active & holds), (False, active & fails)):
            ran = found.setdefault((*key, outcome), np.zeros(self.sets, bool))
            ran[self._place] |= mask.any(axis=1)

    # ---- results

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision of the program, in source order; each has two branches."""
        nodes = walk(self.program.bodies)
        return tuple(node for node in nodes if isinstance(node, Decision) and _is_decision(node))

    @property
    def branches(self) -> np.ndarray:
        """Which sets ran which branch: of shape ``(decisions, 2, sets)``, the branch where the condition
        holds first."""
        never = np.zeros(self.sets, bool)
        ran = [
            [self._branches.get((id(b), 0, outcome), never) for outcome in (True, False)]
            for b in self.decisions
        ]
        return np.array(ran, bool).reshape(-1, 2, self.sets)

    @property
    def dead(self) -> tuple[Decision, ...]:
        """Decisions with a branch that no set ran, except guards: branches that do nothing, only leave or
        print, or treat numbers near zero."""
        ran = zip(self.decisions, *self.branches.any(axis=2).T, strict=True)
        return tuple(
            decision
            for decision, holds, fails in ran
            if not (holds or is_guard(decision, True)) or not (fails or is_guard(decision, False))
        )

    def ran(self, number: int) -> frozenset[Outcome]:
        """The ways that one of the sets ran, or saw."""
        return frozenset(outcome for found in self._all for outcome, ran in found.items() if ran[number])

    def runs(self, outcome: Outcome) -> np.ndarray:
        """Which of the sets ran, or saw, a way."""
        found = (ran[outcome] for ran in self._all if outcome in ran)
        return np.array(next(found, np.zeros(self.sets, bool)))

    @property
    def ran_by_any(self) -> frozenset[Outcome]:
        return frozenset(outcome for found in self._all for outcome, ran in found.items() if ran.any())

    @property
    def outcomes(self) -> frozenset[Outcome]:
        """The branches, sides and effects that could occur at nodes that some set of inputs reached."""
        return frozenset().union(*self._all)

    @property
    def _all(self) -> tuple[dict[Outcome, np.ndarray], ...]:
        return self._branches, self._sides, self._effects

    @property
    def sides(self) -> np.ndarray:
        """Which sets saw which side of a comparison, of those that any saw: of shape ``(sides, sets)``."""
        return np.array([*self._sides.values()], bool).reshape(-1, self.sets)


def tie(node: ir.Apply | ir.Chain, place: int) -> Outcome:
    """The outcome that two compared numbers are equal."""
    return id(node), -1 - place, True


def is_guard(decision: Decision, outcome: bool) -> bool:
    """Whether a branch has no visible effect, or treats numbers near zero. If one branch leaves, the
    statements behind the decision are the other branch."""
    condition = decision.condition if isinstance(decision, ir.If) else decision.operands[0]
    if _is_near_zero(condition):
        return True
    if not isinstance(decision, ir.If):
        return False
    branch, other = (decision.then, decision.orelse) if outcome else (decision.orelse, decision.then)
    if not branch and any(isinstance(statement, _LEAVING) for statement in other):
        return False
    return all(
        isinstance(statement, (*UNSEEN, *_LEAVING))
        and not (isinstance(statement, ir.Return) and statement.values)
        for statement in branch
    )


def _is_near_zero(condition: ir.Expr) -> bool:
    """Whether a number is compared with one so small that random inputs are hardly ever smaller."""
    if not isinstance(condition, ir.Apply) or condition.operation not in COMPARISONS:
        return False
    return any(isinstance(o, ir.Literal) and 0.0 < abs(o.value) <= TINY for o in condition.operands)


def _bounded(operation: str, values: Sequence[np.ndarray]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each bound of an operation, where it changes a number and where it does not; for vectors, any
    component counts."""
    first, *others = values
    bounds = others or [np.zeros((1, 1))]
    for place, bound in enumerate(bounds):
        below, above = np.asarray(first < bound), np.asarray(first > bound)
        axes = tuple(range(2, below.ndim))
        below, above = np.any(below, axis=axes), np.any(above, axis=axes)
        yield (above, below) if place else (below, above)


def _is_decision(node: Decision) -> bool:
    return isinstance(node, ir.If) or node.operation in CHOICES


def _direct(program: ir.Program) -> frozenset[tuple[int, int]]:
    """The comparisons that have an input as an operand, each by its node and its number there."""
    return frozenset((id(node), place) for node, place, sides in compared(program) if any(sides))


def compared(program: ir.Program) -> Iterator[tuple[ir.Apply | ir.Chain, int, tuple[bool, ...]]]:
    """The comparisons of a kernel, each by its node and its number there, and whether its operands are
    unchanged inputs."""
    inputs = {argument.name for argument in program.arguments if argument.role != "output"}
    for statement in statements(program.body):
        if isinstance(statement, ir.Let) and _is_input(statement.value, inputs):
            inputs.add(statement.target.name)
    for node in walk(program.body):
        if isinstance(node, ir.Chain):
            pairs: list[Sequence[ir.Expr]] = [*zip(node.operands, node.operands[1:], strict=False)]
        elif isinstance(node, ir.Apply) and node.operation in COMPARISONS:
            pairs = [node.operands]
        else:
            continue
        for place, pair in enumerate(pairs):
            yield node, place, tuple(_is_input(operand, inputs) for operand in pair)


def _is_input(expression: ir.Expr, inputs: set[str]) -> bool:
    """Whether an expression is a number of an input, unchanged."""
    while isinstance(expression, (ir.Load, ir.Member)):
        expression = expression.array if isinstance(expression, ir.Load) else expression.of
    return isinstance(expression, ir.Name) and expression.name in inputs


def exact(program: ir.Program) -> frozenset[tuple[int, int]]:
    """The comparisons whose operands are unchanged inputs, constants or integers, each by its node and its
    number there: no rounding decides whether they are equal."""
    scopes = [(0, program.body), *((id(function), function.body) for function in program.functions)]
    outputs = (argument for argument in program.arguments if argument.role == "output")
    rounded: set[_Scoped] = {(0, argument.name) for argument in outputs}
    before = -1
    while before < len(rounded):
        before = len(rounded)
        for scope, body in scopes:
            rounded |= set(_rounded(program, scope, body, rounded))
    found = set()
    for scope, body in scopes:
        for node in walk(body):
            if isinstance(node, ir.Chain) or (isinstance(node, ir.Apply) and node.operation in COMPARISONS):
                pairs = pairwise(_is_exact(operand, scope, rounded) for operand in node.operands)
                found |= {(id(node), place) for place, pair in enumerate(pairs) if all(pair)}
    return frozenset(found)


_Scoped = tuple[int, str]  # a function by its identity, or 0 for the kernel, and a name in it


def _rounded(
    program: ir.Program, scope: int, body: tuple[ir.Stmt, ...], rounded: Collection[_Scoped]
) -> Iterator[_Scoped]:
    """The names that may get rounded numbers from a body: its own, and parameters of functions it calls."""
    for statement in statements(body):
        if isinstance(statement, (ir.Let, ir.Variable, ir.Assign, ir.Accumulate)):
            sums = isinstance(statement, ir.Accumulate) and not _is_whole(statement.value)
            if sums or not _is_exact(statement.value, scope, rounded):
                yield from ((scope, name) for name in _root(statement.target))
        elif isinstance(statement, ir.Unpack):
            yield from ((scope, name.name) for name in statement.targets if not _is_whole(name))
    for node in walk(body):
        if isinstance(node, ir.Call):
            function = program.called(node)
            for parameter, operand in zip(function.parameters, node.operands, strict=True):
                if not _is_exact(operand, scope, rounded):
                    yield id(function), parameter.name


def _root(place: ir.Expr | ir.Component) -> tuple[str, ...]:
    while isinstance(place, (ir.Load, ir.Member, ir.Component)):
        place = place.array if isinstance(place, ir.Load) else place.of
    return (place.name,) if isinstance(place, ir.Name) else ()


def _is_exact(expression: ir.Expr, scope: int, rounded: Collection[_Scoped]) -> bool:
    if isinstance(expression, ir.Literal) or _is_whole(expression):
        return True
    if isinstance(expression, ir.Apply):
        operation = TABLE[expression.operation]
        if operation.converts or expression.operation in (*COPYING, *COMPONENTS.values()):
            return all(_is_exact(operand, scope, rounded) for operand in expression.operands)
        return False
    return all((scope, name) not in rounded for name in _root(expression)) and bool(_root(expression))


def _is_whole(expression: ir.Expr) -> bool:
    type = expression.type
    return isinstance(type, Value) and not type.is_float
