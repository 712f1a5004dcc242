"""Changes typed trees: lists a node's parts, replaces them, maps functions over a tree, and renames names.

The parts of a node are the expressions that it evaluates: `operands` of an expression, `walks.reads` of a
statement. The target of a statement is no part, only its indices are: a map that turns ``v.x`` into ``v[0]``
leaves targets alone. `substituted` and `renamed` change names everywhere.

A map changes a tree everywhere at once; variants are changed in one place each.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import is_
from typing import Any, TypeVar, get_args

from typing_extensions import assert_never

from . import ir
from .operations.traits import COMPONENTS
from .walks import blocks, node_fields, reads, walk

Body = tuple[ir.Stmt, ...]
T = TypeVar("T")

_NODES = frozenset(get_args(ir.Expr | ir.Place | ir.Stmt | ir.Slice))

# ---- expressions and their operands


def operands(node: ir.Expr) -> tuple[ir.Expr, ...]:
    """The subexpressions of an expression, in source order."""
    match node:
        case ir.Literal() | ir.Name():
            return ()
        case ir.Apply() | ir.Chain() | ir.New() | ir.Call():
            return node.operands
        case ir.Load(array, index):
            return (array, *index)
        case ir.View(array, index):
            return (array, *(bound for part in index for bound in _bounds(part)))
        case ir.Shape(array):
            return (array,)
        case ir.Member(of):
            return (of,)
        case _:
            assert_never(node)


def with_operands(node: ir.Expr, new: Sequence[ir.Expr]) -> ir.Expr:
    """The expression with `new` operands, as many as `operands` returns; types stay."""
    match node:
        case ir.Literal() | ir.Name():
            return node
        case ir.Apply() | ir.Chain() | ir.New() | ir.Call():
            return replace(node, operands=tuple(new))
        case ir.Load():
            return replace(node, array=new[0], index=tuple(new[1:]))
        case ir.View(_, index):
            return replace(node, array=new[0], index=_sliced(index, iter(new[1:])))
        case ir.Shape():
            return replace(node, array=new[0])
        case ir.Member():
            return replace(node, of=new[0])
        case _:
            assert_never(node)


def _bounds(part: ir.Expr | ir.Slice) -> tuple[ir.Expr, ...]:
    if not isinstance(part, ir.Slice):
        return (part,)
    return tuple(bound for bound in (part.start, part.stop, part.step) if bound is not None)


def _sliced(index: Sequence[ir.Expr | ir.Slice], new: Iterator[ir.Expr]) -> tuple[ir.Expr | ir.Slice, ...]:
    changed: list[ir.Expr | ir.Slice] = []
    for part in index:
        if isinstance(part, ir.Slice):
            bounds = (part.start, part.stop, part.step)
            changed.append(ir.Slice(*(None if bound is None else next(new) for bound in bounds)))
        else:
            changed.append(next(new))
    return tuple(changed)


def as_read(place: ir.Place) -> ir.Expr:
    """The expression that reads a place: a component, ``v[0]``, becomes an operation."""
    match place:
        case ir.Name() | ir.Load():
            return place
        case ir.Member(of):
            return replace(place, of=as_read(of)) if isinstance(of, ir.Place) else place
        case ir.Component(of, index, type):
            return ir.Apply(COMPONENTS[len(index)], (as_read(of), *index), type)
        case _:
            assert_never(place)


# ---- statements and their parts


def with_reads(statement: ir.Stmt, new: Sequence[ir.Expr]) -> ir.Stmt:
    """The statement with `new` expressions, as many as `walks.reads` returns."""
    match statement:
        case ir.Let() | ir.Variable() | ir.Do():
            return replace(statement, value=new[0])
        case ir.Unpack():
            assert isinstance(new[0], ir.Call | ir.Apply)
            return replace(statement, value=new[0])
        case ir.Assign() | ir.Accumulate():
            return replace(statement, target=with_indices(statement.target, new[:-1]), value=new[-1])
        case ir.Print():
            return replace(statement, operands=tuple(new))
        case ir.If() | ir.While() | ir.Assert():
            return replace(statement, condition=new[0])
        case ir.For():
            return replace(statement, start=new[0], stop=new[1])
        case ir.Return():
            return replace(statement, values=tuple(new))
        case ir.ThreadIndex() | ir.Break() | ir.Continue() | ir.Pass() | ir.Comment():
            return statement
        case _:
            assert_never(statement)


def with_indices(place: ir.Place, new: Sequence[ir.Expr]) -> ir.Place:
    """The place with `new` indices, as many as `walks.indices` returns."""
    changed = _indexed(place, iter(new))
    assert isinstance(changed, ir.Place)
    return changed


def _indexed(place: ir.Expr | ir.Place, new: Iterator[ir.Expr]) -> Any:
    match place:
        case ir.Load(array, index):
            return replace(place, array=_indexed(array, new), index=tuple(next(new) for _ in index))
        case ir.View(array, index):
            inner = _indexed(array, new)
            return replace(place, array=inner, index=_sliced(index, new))
        case ir.Member(of):
            return replace(place, of=_indexed(of, new)) if isinstance(of, ir.Place) else place
        case ir.Component(of, index):
            return replace(place, of=_indexed(of, new), index=tuple(next(new) for _ in index))
        case ir.Name() | ir.Literal() | ir.Apply() | ir.Chain() | ir.Shape() | ir.New() | ir.Call():
            return place
        case _:
            assert_never(place)


def with_blocks(statement: ir.Stmt, new: Sequence[Body]) -> ir.Stmt:
    """The statement with `new` inner bodies, as many as `walks.blocks` returns."""
    match statement:
        case ir.If():
            return replace(statement, then=new[0], orelse=new[1])
        case ir.For() | ir.While():
            return replace(statement, body=new[0])
        case ir.ThreadIndex() | ir.Let() | ir.Variable() | ir.Unpack() | ir.Assign() | ir.Accumulate():
            return statement
        case (
            ir.Do()
            | ir.Print()
            | ir.Assert()
            | ir.Break()
            | ir.Continue()
            | ir.Return()
            | ir.Pass()
            | ir.Comment()
        ):
            return statement
        case _:
            assert_never(statement)


# ---- maps


def same(changed: Sequence[object], before: Sequence[object]) -> bool:
    """Whether nothing changed: the items are identical, not only equal."""
    return len(changed) == len(before) and all(map(is_, changed, before))


def map_expression(node: ir.Expr, change: Callable[[ir.Expr], ir.Expr]) -> ir.Expr:
    """The expression with `change` applied to every expression in it, the innermost first."""
    before = operands(node)
    after = [map_expression(operand, change) for operand in before]
    return change(node if same(after, before) else with_operands(node, after))


def map_expressions(body: Body, change: Callable[[ir.Expr], ir.Expr]) -> Body:
    """The body with `change` applied to every expression that it evaluates, the innermost first."""

    def changed(statement: ir.Stmt) -> Iterable[ir.Stmt]:
        before = reads(statement)
        after = [map_expression(read, change) for read in before]
        yield statement if same(after, before) else with_reads(statement, after)

    return map_statements(body, changed)


def map_statements(body: Body, change: Callable[[ir.Stmt], Iterable[ir.Stmt]]) -> Body:
    """The body with each statement replaced by those that `change` returns for it, inner bodies first."""
    changed: list[ir.Stmt] = []
    for statement in body:
        changed += change(map_blocks(statement, lambda block: map_statements(block, change)))
    return body if same(changed, body) else tuple(changed)


def map_blocks(statement: ir.Stmt, change: Callable[[Body], Body]) -> ir.Stmt:
    """The statement with `change` applied to its inner bodies."""
    before = blocks(statement)
    after = [change(block) for block in before]
    return statement if same(after, before) else with_blocks(statement, after)


def map_bodies(program: ir.Program, change: Callable[[Body], Body]) -> ir.Program:
    """The program with `change` applied to the kernel's statements and to those of each function."""
    functions = tuple(_with_body(function, change(function.body)) for function in program.functions)
    body = change(program.body)
    if body is program.body and same(functions, program.functions):
        return program
    return replace(program, body=body, functions=functions)


def _with_body(function: ir.Function, body: Body) -> ir.Function:
    return function if body is function.body else replace(function, body=body)


# ---- variants


def _one_changed(items: Sequence[T], variants: Callable[[T], Iterable[T]]) -> Iterator[tuple[T, ...]]:
    for place, item in enumerate(items):
        for variant in variants(item):
            yield (*items[:place], variant, *items[place + 1 :])


def expression_variants(node: ir.Expr, offer: Callable[[ir.Expr], Iterable[ir.Expr]]) -> Iterator[ir.Expr]:
    """The expression with one expression in it replaced by one that `offer` makes of it; all there are."""
    yield from offer(node)
    for new in _one_changed(operands(node), lambda operand: expression_variants(operand, offer)):
        yield with_operands(node, new)


def body_variants(body: Body, offer: Callable[[ir.Expr], Iterable[ir.Expr]]) -> Iterator[Body]:
    """The body with one expression that it evaluates replaced; all there are, in source order."""

    def of_statement(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        for new in _one_changed(reads(statement), lambda read: expression_variants(read, offer)):
            yield with_reads(statement, new)
        for inner in _one_changed(blocks(statement), lambda block: body_variants(block, offer)):
            yield with_blocks(statement, inner)

    return _one_changed(body, of_statement)


def block_variants(body: Body, offer: Callable[[Body], Iterable[Body]]) -> Iterator[Body]:
    """The body with one block, itself or an inner one, replaced by one that `offer` makes of it; all there
    are."""
    yield from offer(body)

    def of_statement(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        for inner in _one_changed(blocks(statement), lambda block: block_variants(block, offer)):
            yield with_blocks(statement, inner)

    yield from _one_changed(body, of_statement)


def program_variants(program: ir.Program, offer: Callable[[Body], Iterable[Body]]) -> Iterator[ir.Program]:
    """The program with the kernel's statements, or those of one function, replaced; all there are."""
    for body in offer(program.body):
        yield replace(program, body=body)
    for place, function in enumerate(program.functions):
        for body in offer(function.body):
            changed = replace(function, body=body)
            functions = (*program.functions[:place], changed, *program.functions[place + 1 :])
            yield replace(program, functions=functions)


# ---- names


def substituted(node: T, values: Mapping[str, ir.Expr]) -> T:
    """A node, or a tuple of them, with names replaced by expressions everywhere, also in places; the
    replacement of a place must be one. Scopes are ignored: `node` must not have a function's parameter of the
    same name."""

    def put(found: Any) -> Any:
        return values.get(found.name, found) if isinstance(found, ir.Name) else None

    return _replaced(node, put) if values else node


def elements_substituted(node: T, values: Mapping[str, ir.Expr]) -> T:
    """A node, or a tuple of them, with the elements of arrays replaced everywhere, also in places; `values`
    are by the arrays' names, whatever the index."""

    def put(found: Any) -> Any:
        whole = isinstance(found, ir.Load) and isinstance(found.array, ir.Name)
        return values.get(found.array.name) if whole else None

    return _replaced(node, put) if values else node


def renamed(node: T, names: Mapping[str, str]) -> T:
    """A node, or a tuple of them, with other names; their types stay."""
    found = {n.name: n for n in walk(node) if isinstance(n, ir.Name)}
    return substituted(node, {o: replace(found[o], name=n) for o, n in names.items() if o in found})


def _replaced(node: Any, put: Callable[[Any], Any]) -> Any:
    """The node with each inner node replaced for which `put` returns another one; replacements are not
    searched."""
    if isinstance(node, tuple):
        items = tuple(_replaced(item, put) for item in node)
        return node if same(items, node) else items
    if node.__class__ not in _NODES:
        return node
    if (new := put(node)) is not None:
        return new
    changed = {}
    for name in node_fields(node.__class__):
        old = getattr(node, name)
        new = _replaced(old, put)
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


def names_in(node: object) -> set[str]:
    """The names in a node or a tuple of them, including those that it defines."""
    return {part.name for part in walk(node) if isinstance(part, ir.Name)}


def names_of(program: ir.Program) -> set[str]:
    """Every name in a program: a new name should be none of these."""
    names = names_in((program.bodies, tuple(f.parameters for f in program.functions)))
    names |= {program.name, *(argument.name for argument in program.arguments)}
    names |= {part for function in program.functions for part in function.name.split(".")}
    names |= {part for constant in program.constants for part in constant.name.split(".")}
    for struct in program.structs:
        names |= {struct.name, *(member for member, _ in struct.members)}
    return names


def fresh(taken: Container[str], base: str) -> str:
    """`base`, or the first of ``base_2``, ``base_3`` and so on, that is not taken."""
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name
