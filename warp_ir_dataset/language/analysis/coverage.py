"""Records what inputs exercise: arms of branches, outcomes of comparisons, bounds and ends of loops.

An arm is one way of an ``if`` (the way around its body too), of ``a if c else b`` or of `wp.where`. A side is
one of the two results of a comparison in which an input itself stands, as it was given. An effect is what
else may come out in two ways: which of two numbers `wp.min` takes, whether `wp.clamp` and `wp.abs` change a
number, an operand of ``and`` and ``or``, whether numbers that are compared are equal, whether a loop has no
iteration, and whether it is left early.
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
NOTED = COMPARISONS.union(CHOICES, BOUNDING, JUMPING)  # operations whose operands tell something

TINY = 1e-3
_LEAVING = (ir.Return, ir.Break, ir.Continue)
UNSEEN = (ir.Pass, ir.Comment, ir.Print, ir.Assert)

Branch = ir.If | ir.Apply
Loop = ir.For | ir.While
Way = tuple[int, int, bool]  # a node by its identity, which of its comparisons, how that came out


class Coverage:
    """What each of so many `sets` of inputs ran. It is filled by `interpret`."""

    def __init__(self, program: ir.Program, sets: int) -> None:
        self.program = program
        self.sets = sets
        self._direct = _direct(program)
        self._arms: dict[Way, np.ndarray] = {}
        self._sides: dict[Way, np.ndarray] = {}
        self._effects: dict[Way, np.ndarray] = {}
        self._place = slice(0, sets)

    def of(self, number: int) -> Coverage:
        """The same for one of the sets alone: what it notes is noted here."""
        part = type(self).__new__(type(self))
        part.__dict__.update(self.__dict__)
        part._place = slice(number, number + 1)
        return part

    def forget(self) -> None:
        self._arms.clear()
        self._sides.clear()
        self._effects.clear()

    # ---- what the interpreter notes

    def decided(self, branch: Branch, holds: np.ndarray, active: np.ndarray) -> None:
        """A branch was decided by the threads that are active, of shape ``(sets, threads)``."""
        self._note(self._arms, (id(branch), 0), holds, ~np.asarray(holds, bool), active)

    def applied(self, node: ir.Apply, values: Sequence[np.ndarray], active: np.ndarray) -> None:
        """An operation of `NOTED` was given these operands."""
        if node.operation in CHOICES:
            self.decided(node, values[0], active)
        elif node.operation in BOUNDING:
            for place, (below, above) in enumerate(_bounded(node.operation, values)):
                self._note(self._effects, (id(node), place), below, above, active)
        elif (id(node), 0) in self._direct:
            told = TABLE[node.operation].meaning(node.type, *values)
            self._compared(node, 0, values, told, active)

    def chained(
        self, node: ir.Chain, values: Sequence[np.ndarray], told: Sequence[np.ndarray], active: np.ndarray
    ) -> None:
        """Comparisons in a row were made of these operands; what one of them says shows where those before
        it hold."""
        for place, result in enumerate(told):
            if (id(node), place) in self._direct:
                self._compared(node, place, values[place : place + 2], result, active)
            fails = ~np.asarray(result, bool)
            self._note(self._effects, (id(node), len(told) + place), result, fails, active)
            active = active & result

    def _compared(
        self,
        node: ir.Apply | ir.Chain,
        place: int,
        values: Sequence[np.ndarray],
        told: np.ndarray,
        active: np.ndarray,
    ) -> None:
        """A comparison with an input was made; a tie is noted as well."""
        self._note(self._sides, (id(node), place), told, ~np.asarray(told, bool), active)
        first, second = values
        self._note(self._effects, tie(node, place)[:2], first == second, first != second, active)

    def asked(self, node: ir.Apply, place: int, holds: np.ndarray, active: np.ndarray) -> None:
        """An operand of an ``and`` or an ``or`` was needed by the threads that are active."""
        self._note(self._effects, (id(node), place), holds, ~np.asarray(holds, bool), active)

    def looped(self, loop: Loop, entered: np.ndarray, began: np.ndarray, early: np.ndarray) -> None:
        """A loop ended for the threads that `entered` it: those that `began` an iteration, and those that
        left it `early`."""
        self._note(self._effects, (id(loop), 0), began, ~began, entered)
        self._note(self._effects, (id(loop), 1), early, ~early, entered & began)

    def _note(
        self,
        found: dict[Way, np.ndarray],
        key: tuple[int, int],
        holds: np.ndarray,
        fails: np.ndarray,
        active: np.ndarray,
    ) -> None:
        for way, mask in ((True, active & holds), (False, active & fails)):
            ran = found.setdefault((*key, way), np.zeros(self.sets, bool))
            ran[self._place] |= mask.any(axis=1)

    # ---- what was noted

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Every branch of the program, in the order of writing; each has two arms."""
        nodes = walk(self.program.bodies)
        return tuple(node for node in nodes if isinstance(node, Branch) and _is_branch(node))

    @property
    def arms(self) -> np.ndarray:
        """Which sets ran which arm: of shape ``(branches, 2, sets)``, the arm of the condition that holds
        first."""
        never = np.zeros(self.sets, bool)
        ran = [[self._arms.get((id(b), 0, way), never) for way in (True, False)] for b in self.branches]
        return np.array(ran, bool).reshape(-1, 2, self.sets)

    @property
    def dead(self) -> tuple[Branch, ...]:
        """Branches with an arm that no set ran, but for guards: arms that do nothing, only leave or print, or
        are there for numbers too near zero."""
        ran = zip(self.branches, *self.arms.any(axis=2).T, strict=True)
        return tuple(
            branch
            for branch, holds, fails in ran
            if not (holds or is_guard(branch, True)) or not (fails or is_guard(branch, False))
        )

    def ran(self, number: int) -> frozenset[Way]:
        """The ways that one of the sets ran, or saw."""
        return frozenset(way for found in self._all for way, ran in found.items() if ran[number])

    def runs(self, way: Way) -> np.ndarray:
        """Which of the sets ran, or saw, a way."""
        found = (ran[way] for ran in self._all if way in ran)
        return np.array(next(found, np.zeros(self.sets, bool)))

    @property
    def ran_by_any(self) -> frozenset[Way]:
        return frozenset(way for found in self._all for way, ran in found.items() if ran.any())

    @property
    def ways(self) -> frozenset[Way]:
        """The arms, sides and effects that could occur at places that some set of inputs reached."""
        return frozenset().union(*self._all)

    @property
    def _all(self) -> tuple[dict[Way, np.ndarray], ...]:
        return self._arms, self._sides, self._effects

    @property
    def sides(self) -> np.ndarray:
        """Which sets saw which side of a comparison, of those that any saw: of shape ``(sides, sets)``."""
        return np.array([*self._sides.values()], bool).reshape(-1, self.sets)


def tie(node: ir.Apply | ir.Chain, place: int) -> Way:
    """That two numbers which are compared are equal."""
    return id(node), -1 - place, True


def is_guard(branch: Branch, way: bool) -> bool:
    """Whether an arm does nothing that is seen, or is there for numbers too near zero. What is behind a
    branch is the arm of those that do not leave in it."""
    condition = branch.condition if isinstance(branch, ir.If) else branch.operands[0]
    if _is_near_zero(condition):
        return True
    if not isinstance(branch, ir.If):
        return False
    arm, other = (branch.then, branch.orelse) if way else (branch.orelse, branch.then)
    if not arm and any(isinstance(statement, _LEAVING) for statement in other):
        return False
    return all(
        isinstance(statement, (*UNSEEN, *_LEAVING))
        and not (isinstance(statement, ir.Return) and statement.values)
        for statement in arm
    )


def _is_near_zero(condition: ir.Expr) -> bool:
    """Whether a number is held against one so small that random inputs hardly ever give a smaller one."""
    if not isinstance(condition, ir.Apply) or condition.operation not in COMPARISONS:
        return False
    return any(isinstance(o, ir.Literal) and 0.0 < abs(o.value) <= TINY for o in condition.operands)


def _bounded(operation: str, values: Sequence[np.ndarray]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each bound of an operation, where it changes a number, and where it does not; of vectors, where any
    component is."""
    first, *others = values
    bounds = others or [np.zeros((1, 1))]
    for place, bound in enumerate(bounds):
        below, above = np.asarray(first < bound), np.asarray(first > bound)
        axes = tuple(range(2, below.ndim))
        below, above = np.any(below, axis=axes), np.any(above, axis=axes)
        yield (above, below) if place else (below, above)


def _is_branch(node: Branch) -> bool:
    return isinstance(node, ir.If) or node.operation in CHOICES


def _direct(program: ir.Program) -> frozenset[tuple[int, int]]:
    """The comparisons in which an input stands, each by its node and its place there."""
    return frozenset((id(node), place) for node, place, sides in compared(program) if any(sides))


def compared(program: ir.Program) -> Iterator[tuple[ir.Apply | ir.Chain, int, tuple[bool, ...]]]:
    """The comparisons of a kernel, each by its node and its place there, and whether its operands are inputs,
    as they were given."""
    given = {argument.name for argument in program.arguments if argument.role != "output"}
    for statement in statements(program.body):
        if isinstance(statement, ir.Let) and _is_given(statement.value, given):
            given.add(statement.target.name)
    for node in walk(program.body):
        if isinstance(node, ir.Chain):
            pairs: list[Sequence[ir.Expr]] = [*zip(node.operands, node.operands[1:], strict=False)]
        elif isinstance(node, ir.Apply) and node.operation in COMPARISONS:
            pairs = [node.operands]
        else:
            continue
        for place, pair in enumerate(pairs):
            yield node, place, tuple(_is_given(operand, given) for operand in pair)


def _is_given(expression: ir.Expr, given: set[str]) -> bool:
    """Whether an expression is a number of an input, as it was given."""
    while isinstance(expression, (ir.Load, ir.Member)):
        expression = expression.array if isinstance(expression, ir.Load) else expression.of
    return isinstance(expression, ir.Name) and expression.name in given


def exact(program: ir.Program) -> frozenset[tuple[int, int]]:
    """The comparisons of numbers that are inputs as they were given, constants, or whole, each by its node
    and its place there: no rounding decides whether they are equal."""
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
    """The names to which a body gives numbers that may have been rounded: its own, and parameters."""
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
