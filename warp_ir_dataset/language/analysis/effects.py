"""The effects of running a statement: what it reads and writes, and whether another may be moved past it.

Arrays of different arguments do not overlap, and inputs never change: a launch must not pass one array twice.
A view, an array in a struct and a function's parameter may be part of any array. Functions get
numbers and structs by value: they change arrays, and nothing else of their caller.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from typing_extensions import assert_never

from .. import ir
from ..operations.bounds import anything
from ..operations.table import TABLE, changed_array, changed_by
from ..operations.traits import ALTERNATIVES, CHOICES
from ..rewrite import names_in, operands
from ..types import Array, holds_arrays
from ..walks import defined, element, indices, reads, root, statements, walk

Body = tuple[ir.Stmt, ...]

ANY = ""  # an array of which it is not known which one it is, or is a part of
LAZY = ALTERNATIVES | set(CHOICES)  # operations that need not evaluate all of their operands


# ---- names


def uses(name: str, node: object) -> int:
    """How often a name stands in a node or a tuple of them."""
    return sum(isinstance(part, ir.Name) and part.name == name for part in walk(node))


def mentions(node: object, names: Container[str]) -> bool:
    """Whether one of some names stands in a node or a tuple of them."""
    return any(isinstance(part, ir.Name) and part.name in names for part in walk(node))


def contents_read(value: ir.Expr) -> set[str]:
    """The names in a value, without the arrays of which no more than the size is read."""
    if isinstance(value, ir.Shape):
        return set()
    found = {value.name} if isinstance(value, ir.Name) else set()
    return found.union(*map(contents_read, operands(value)))


# ---- what statements write


def stored(statement: ir.Stmt) -> ir.Load | None:
    """The element of an array that a statement assigns, in whole or in part."""
    return element(statement.target) if isinstance(statement, ir.Assign | ir.Accumulate) else None


def _written(statement: ir.Stmt) -> Iterator[tuple[ir.Expr | ir.Place, bool]]:
    """The places that a statement assigns and the operands that its operations change, inner bodies left out;
    of each, whether it lies in an array."""
    if isinstance(statement, ir.Assign | ir.Accumulate):
        yield statement.target, element(statement.target) is not None
    elif isinstance(statement, ir.Unpack):
        yield from ((target, False) for target in statement.targets)
    for node in walk(reads(statement)):
        for operand in changed_by(node):
            yield operand, _lies_in_array(operand)


def _lies_in_array(changed: ir.Expr) -> bool:
    """Whether an operation changes an element of an array: the operand is the array, or the element."""
    return isinstance(changed.type, Array) or (isinstance(changed, ir.Place) and element(changed) is not None)


def _roots(places: Iterable[ir.Expr | ir.Place]) -> set[str]:
    return {name for place in places if (name := root(place)) is not None}


def own_changes(statement: ir.Stmt) -> set[str]:
    """The locals and arrays that a statement changes, inner bodies left out; without those that a function
    changes."""
    return _roots(place for place, _ in _written(statement))


def changes(body: Iterable[ir.Stmt]) -> set[str]:
    """The locals and arrays that statements assign, in whole or in part, or that operations in them change;
    without those that functions change."""
    return set().union(*map(own_changes, statements(tuple(body))))


def changed_locals(body: Iterable[ir.Stmt]) -> set[str]:
    """The locals among `changes`; states of random numbers are among them."""
    written = (pair for statement in statements(tuple(body)) for pair in _written(statement))
    return _roots(place for place, in_array in written if not in_array)


def changed_arrays(body: Iterable[ir.Stmt]) -> set[str]:
    """The arrays among `changes`, and the structs that hold arrays."""
    written = (pair for statement in statements(tuple(body)) for pair in _written(statement))
    return _roots(place for place, in_array in written if in_array)


def may_change(body: Iterable[ir.Stmt]) -> set[str]:
    """The names of `changes`, the indices of loops, and all arrays that functions get, since they may change
    them: for callers that do not look into functions."""
    body = tuple(body)
    found = changes(body) | {s.target.name for s in statements(body) if isinstance(s, ir.For)}
    handed = (operand for node in walk(body) if isinstance(node, ir.Call) for operand in node.operands)
    return found | _roots(operand for operand in handed if holds_arrays(operand.type))


def local_values(statement: ir.Stmt) -> tuple[tuple[str, ir.Expr], ...]:
    """The locals that a statement gives a value, each in a pair with an expression from which the value
    comes; if it comes from several expressions, there is a pair for each."""
    match statement:
        case ir.Let(target, value) | ir.Variable(target, value):
            return ((target.name, value),)
        case ir.Assign(target, value) | ir.Accumulate(target, _, value):
            return () if element(target) else ((root(target) or "", value),)
        case ir.Unpack(targets, value):
            return tuple((target.name, value) for target in targets)
        case ir.Do(value):
            changed = changed_by(value)
            names = [root(operand) or "" for operand in changed if not _lies_in_array(operand)]
            sources = [operand for operand in operands(value) if not any(operand is c for c in changed)]
            return tuple((name, source) for name in names for source in sources)
        case ir.ThreadIndex() | ir.Print() | ir.Assert() | ir.If() | ir.For() | ir.While():
            return ()
        case ir.Break() | ir.Continue() | ir.Return() | ir.Pass() | ir.Comment():
            return ()
        case _:
            assert_never(statement)


# ---- what functions do


def impure(functions: tuple[ir.Function, ...]) -> frozenset[str]:
    """The functions that do more than to return a value, themselves or through others that they call: they
    store to arrays, print or assert.

    A function that draws random numbers is pure: the state is passed by value. Functions stand after those
    that they call, so one pass is enough.
    """
    found: set[str] = set()
    for function in functions:
        for statement in statements(function.body):
            if isinstance(statement, ir.Print | ir.Assert) or stores(statement, found):
                found.add(function.name)
    return frozenset(found)


def stores(statement: ir.Stmt, impure: Container[str]) -> bool:
    """Whether a statement may write to an array, itself or by one of the `impure` functions; inner bodies
    left out."""
    return stored(statement) is not None or any(_acts(node, impure) for node in walk(reads(statement)))


def stored_values(statement: ir.Stmt, impure: Container[str]) -> tuple[ir.Expr, ...]:
    """The values that a statement may write to arrays: of an `impure` function, all that it gets."""
    found: list[ir.Expr] = []
    if isinstance(statement, ir.Assign | ir.Accumulate) and stored(statement) is not None:
        found.append(statement.value)
    for node in walk(reads(statement)):
        if isinstance(node, ir.Apply | ir.Call) and _acts(node, impure):
            found += node.operands if isinstance(node, ir.Call) else node.operands[-1:]
    return tuple(found)


def _acts(node: object, impure: Container[str]) -> bool:
    """Whether a node changes an array or calls one of the `impure` functions."""
    if isinstance(node, ir.Call):
        return node.function in impure
    return changed_array(node) is not None


def surely_pure(node: object) -> bool:
    """Whether an expression changes nothing, for callers that do not look into functions: one that gets an
    array may change it."""
    for part in walk(node):
        if isinstance(part, ir.Call) and any(holds_arrays(operand.type) for operand in part.operands):
            return False
        if changed_by(part):
            return False
    return True


class ParameterUse(NamedTuple):
    """The names of the parameters that a body reads, and of those whose elements it writes."""

    read: set[str]
    written: set[str]


class ParameterUses:
    """Which parameters bodies read and write, also through views, structs and the functions they call."""

    def __init__(self, functions: tuple[ir.Function, ...]) -> None:
        self._functions = functions
        self._known: dict[int, ParameterUse] = {}  # of functions, by identity

    def of(self, parameters: tuple[ir.Name, ...], body: Body) -> ParameterUse:
        owners = _owners_of_locals(parameters, body)
        use = ParameterUse(set(), set())
        for statement in statements(body):
            for expression in reads(statement):
                self._evaluate(expression, owners, use)
            if isinstance(statement, ir.Assign | ir.Accumulate) and (place := stored(statement)) is not None:
                use.written.update(_owners(place, owners))
                # What is left of an element when a part of it is assigned was there before.
                if isinstance(statement, ir.Accumulate) or statement.target != place:
                    use.read.update(_owners(place, owners))
        return use

    def _evaluate(self, node: ir.Expr, owners: Mapping[str, set[str]], use: ParameterUse) -> None:
        match node:
            case ir.Shape():
                return  # the size of an array, and none of its elements
            case ir.Name(name, type):
                if not isinstance(type, Array):
                    use.read.update(owners.get(name, ()))
            case ir.Load():
                use.read.update(_owners(node, owners))
            case ir.Apply():
                for operand in node.operands:
                    if isinstance(operand.type, Array):
                        use.read.update(_owners(operand, owners))
                for operand in filter(_lies_in_array, changed_by(node)):
                    use.written.update(_owners(operand, owners))
            case ir.Call():
                self._call(node, owners, use)
            case ir.Literal() | ir.Chain() | ir.View() | ir.Member() | ir.New():
                pass
            case _:
                assert_never(node)
        inner = indices(node) if isinstance(node, ir.Load | ir.View) else operands(node)
        for part in inner:
            self._evaluate(part, owners, use)

    def _call(self, call: ir.Call, owners: Mapping[str, set[str]], use: ParameterUse) -> None:
        function = ir.called(self._functions, call)
        if id(function) not in self._known:
            self._known[id(function)] = self.of(function.parameters, function.body)
        inner = self._known[id(function)]
        for parameter, operand in zip(function.parameters, call.operands, strict=True):
            if parameter.name in inner.read:
                use.read.update(_owners(operand, owners))
            if parameter.name in inner.written:
                use.written.update(_owners(operand, owners))


def _owners_of_locals(parameters: tuple[ir.Name, ...], body: Body) -> dict[str, set[str]]:
    """For each name of a body, the parameters that an array or a struct of that name may be part of."""
    owners = {parameter.name: {parameter.name} for parameter in parameters}
    given = [
        (name, statement.value)
        for statement in statements(body)
        if isinstance(statement, ir.Let | ir.Variable | ir.Assign) and holds_arrays(statement.value.type)
        if (name := root(statement.target)) is not None
    ]
    for _ in given:  # in a loop, a name may be used above the statement that assigns to it
        for name, value in given:
            owners.setdefault(name, set()).update(_owners(value, owners))
    return owners


def _owners(node: ir.Expr | ir.Place, owners: Mapping[str, set[str]]) -> set[str]:
    """The parameters that an array or a struct may be part of."""
    if isinstance(node, ir.New):
        return set().union(*(_owners(part, owners) for part in node.operands if holds_arrays(part.type)))
    return owners.get(root(node) or "", set())


# ---- the order of effects


class Effects:
    """Answers which effects the statements of one body have: the kernel's, or a function's."""

    def __init__(self, program: ir.Program, *, in_kernel: bool) -> None:
        self.roles = {a.name: a.role for a in program.arguments if a.ndim} if in_kernel else {}
        self.functions = program.functions
        self.impure = impure(program.functions)

    def pure(self, node: ir.Expr) -> bool:
        """Whether evaluating an expression does nothing else, and may so happen twice or not at all."""
        return not any(changed_by(part) or self._is_impure(part) for part in walk(node))

    def total(self, node: ir.Expr) -> bool:
        """Whether an expression is pure and has a value whatever the values in it are."""
        reads_memory = any(isinstance(part, ir.Load | ir.View | ir.Call) for part in walk(node))
        rows = (TABLE[part.operation] for part in walk(node) if isinstance(part, ir.Apply))
        return not reads_memory and self.pure(node) and all(row.requires is anything for row in rows)

    def in_any_order(self, statement: ir.Stmt) -> bool:
        """Whether a statement's expressions may be evaluated in any order: none of them has an effect, or its
        only expression is one call with effects, whose operands have none."""
        given = reads(statement)
        if len(given) == 1 and not self.pure(given[0]) and isinstance(given[0], ir.Call | ir.Apply):
            return all(map(self.pure, given[0].operands))
        return all(map(self.pure, given))

    def ordered_call(self, statement: ir.Stmt) -> ir.Call | None:
        """Returns a call with effects in a statement, if it matters when the call happens. It does if the
        statement also evaluates something that the effect could change, or that decides whether and how often
        the call is evaluated."""
        evaluated = [node for part in reads(statement) for node in walk(part)]
        calls = [node for node in evaluated if isinstance(node, ir.Call) and node.function in self.impure]
        if not calls:
            return None
        inside = {id(node) for node in walk(calls[0])}
        beside = (node for node in evaluated if id(node) not in inside)
        alone = len(calls) == 1 and not any(map(_depends_on_order, beside))
        return None if alone else calls[0]

    def memory(self, node: ir.Expr) -> set[str]:
        """The arrays, other than inputs, whose elements an expression may read."""
        names = (part for part in walk(node) if isinstance(part, ir.Name) and holds_arrays(part.type))
        return {self._known(name.name) for name in names if self.roles.get(name.name) != "input"}

    def disturbs(self, statement: ir.Stmt, node: ir.Expr) -> bool:
        """Whether a pure expression may have another value after a statement than before it."""
        names, memory = names_in(node), self.memory(node)
        return any(self._touches(inner, names, memory) for inner in statements((statement,)))

    def _touches(self, statement: ir.Stmt, names: set[str], memory: set[str]) -> bool:
        if any(name.name in names for name in defined(statement)):
            return True
        for place, in_array in _written(statement):
            written = root(place) or ANY
            if self._overlaps(written, memory) if in_array else written in names:
                return True
        return bool(memory) and any(map(self._is_impure, walk(reads(statement))))

    def _is_impure(self, node: object) -> bool:
        return isinstance(node, ir.Call) and node.function in self.impure

    def _known(self, array: str) -> str:
        return array if array in self.roles else ANY

    def _overlaps(self, written: str, memory: set[str]) -> bool:
        known = self._known(written)
        return bool(memory) and (known in memory or ANY in memory or known == ANY)


def _depends_on_order(node: object) -> bool:
    """Whether an effect could change a node's value, or C++ evaluates an operand of it never or twice."""
    if isinstance(node, ir.Apply):
        return node.operation in LAZY or any(isinstance(o.type, Array) for o in node.operands)
    return isinstance(node, ir.Load | ir.Call | ir.View | ir.Chain)
