"""Passes that extract a function from an expression, or inline one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import ir
from ..analysis.effects import Effects, changed_locals
from ..rewrite import (
    Body,
    body_variants,
    fresh,
    map_expression,
    names_of,
    program_variants,
    renamed,
    substituted,
    with_reads,
)
from ..types import Value
from ..walks import defined, reads, statements, walk
from . import naming
from .binding import always_evaluated
from .sites import of_blocks

LEAST = 2  # least operations in an expression that becomes a function
LEAST_NAMED = 3  # the same if the value has a name already

# ---- extracting


def local_to_function(program: ir.Program) -> Iterator[ir.Program]:
    """Extract the value of a local with a descriptive name into a function of that name; only of numbers, not
    of arrays. Variables are left out: their name describes a later value."""
    for statement in statements(program.body):
        if not isinstance(statement, ir.Let) or not _is_float(statement.target.type):
            continue
        name = naming.function_of(program, statement.target.name)
        short = sum(isinstance(node, ir.Apply) for node in walk(statement.value)) < LEAST_NAMED
        of_arrays = any(isinstance(node, ir.Load | ir.Shape) for node in walk(statement.value))
        if name is not None and not short and not of_arrays:
            yield from extracted(program, statement.value, name)


def extracted(program: ir.Program, value: ir.Expr, name: str) -> Iterator[ir.Program]:
    """The program with a value replaced by a call of a new function `name`; nothing if that is not
    possible."""
    if _worth_a_function(value) and Effects(program, in_kernel=False).pure(value):
        function = new_function(program, (), value, name)
        call = ir.Call(function.name, function.parameters, value.type)
        for variant in _each_replaced(program, value, call):
            yield with_new(variant, function)


def _each_replaced(program: ir.Program, old: ir.Expr, new: ir.Expr) -> Iterator[ir.Program]:
    """The program with one expression that equals `old` replaced; all there are."""

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if node == old:
            yield new

    return program_variants(program, lambda body: body_variants(body, offer))


def _is_float(type: object) -> bool:
    return isinstance(type, Value) and type.is_float


def _worth_a_function(value: ir.Expr) -> bool:
    if not isinstance(value, ir.Apply) or not isinstance(value.type, Value):
        return False
    return sum(isinstance(node, ir.Apply) for node in walk(value)) >= LEAST


def new_function(program: ir.Program, body: Body, value: ir.Expr, name: str) -> ir.Function:
    """A function with a body and a result; its parameters are their free names."""
    constants = {constant.name for constant in program.constants}
    own = {name.name for statement in body for name in defined(statement)}
    names = (node for node in walk((body, value)) if isinstance(node, ir.Name))
    parameters = tuple(dict.fromkeys(n for n in names if n.name not in own | constants))
    returns = (*body, ir.Return((value,)))
    return ir.Function(name, parameters, returns, value.type)


def with_new(program: ir.Program, new: ir.Function) -> ir.Program:
    """The program with a function added: before the first that calls it, behind those that it calls."""
    places = [
        place
        for place, function in enumerate(program.functions)
        if any(isinstance(node, ir.Call) and node.function == new.name for node in walk(function.body))
    ]
    place = min(places, default=len(program.functions))
    return replace(program, functions=(*program.functions[:place], new, *program.functions[place:]))


# ---- inlining


def inline_call(program: ir.Program) -> Iterator[ir.Program]:
    """Inline a call of a function that is one expression.

    If the expression uses an operand twice, it must be a name or a literal.
    """
    effects = Effects(program, in_kernel=False)

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if not isinstance(node, ir.Call) or not all(map(effects.pure, node.operands)):
            return
        function = ir.called(program.functions, node)
        match _without_comments(function.body):
            case (ir.Return((value,)),):
                values = _operands_by_name(function, node)
                used = [n.name for n in walk(value) if isinstance(n, ir.Name)]
                if all(_is_atom(values[name]) or used.count(name) < 2 for name in values):
                    yield substituted(value, values)

    for variant in program_variants(program, lambda body: body_variants(body, offer)):
        yield without_unused_functions(variant)


def inline_body(program: ir.Program, *, lone: bool = False) -> Iterator[ir.Program]:
    """Inline a call as the function's statements, before the statement that contains it.

    The function must return only at its end, and have other statements; with `lone` a single return will do.
    The statement must evaluate the call exactly once; and if the function has effects, the call must be its
    whole value.
    """

    def offer(block: Body, effects: Effects) -> Iterator[Body]:
        for at, statement in enumerate(block):
            for call in _inlinable_calls(statement, effects, lone=lone):
                before, value = _inlined(program, ir.called(program.functions, call), call)
                after = _with_value(statement, call, value)
                yield (*block[:at], *before, *after, *block[at + 1 :])

    for variant in of_blocks(program, offer):
        yield without_unused_functions(variant)


def _inlinable_calls(statement: ir.Stmt, effects: Effects, *, lone: bool) -> Iterator[ir.Call]:
    if isinstance(statement, ir.While):
        return
    for node in (part for read in reads(statement) for part in always_evaluated(read)):
        if not isinstance(node, ir.Call) or not _ends_in_return(
            ir.called(effects.functions, node), lone=lone
        ):
            continue
        alone = _is_whole_value(statement, node) and all(map(effects.pure, node.operands))
        if alone or all(map(effects.pure, reads(statement))):
            yield node


def _is_whole_value(statement: ir.Stmt, call: ir.Call) -> bool:
    match statement:
        case ir.Do(value) | ir.Let(_, value) | ir.Variable(_, value) | ir.Assign(ir.Name(), value):
            return value is call
        case _:
            return False


def _ends_in_return(function: ir.Function, *, lone: bool) -> bool:
    body = _without_comments(function.body)
    inner = [s for s in statements(body) if isinstance(s, ir.Return)]
    if not inner:
        return True
    last = body[-1]
    return len(inner) == 1 and last is inner[0] and len(inner[0].values) < 2 and (lone or len(body) > 1)


def _inlined(program: ir.Program, function: ir.Function, call: ir.Call) -> tuple[Body, ir.Expr | None]:
    """The function's statements with the call's operands, and the value that it returns."""
    others = tuple(other for other in program.functions if other is not function)
    taken = names_of(replace(program, functions=others)) | {function.name}
    values = _operands_by_name(function, call)
    head: list[ir.Stmt] = []
    changed = changed_locals(function.body)
    for parameter in function.parameters:
        is_changed = parameter.name in changed  # the caller's own variable stays as it is
        if is_changed or not _is_atom(values[parameter.name]):
            local = ir.Name(fresh(taken, parameter.name), parameter.type)
            taken.add(local.name)
            define = ir.Variable if is_changed else ir.Let
            head.append(define(local, values[parameter.name]))
            values[parameter.name] = local
    body = _without_comments(function.body)
    own = {name.name for statement in statements(body) for name in defined(statement)}
    names = {}
    for name in sorted(own):
        names[name] = fresh(taken, name)
        taken.add(names[name])
    # Parameters first: a local of the function may have the name of an operand.
    hidden = {name: ir.Name(f"{name}\0", value.type) for name, value in values.items()}
    body = renamed(substituted(body, hidden), names)
    body = substituted(body, {name.name: values[old] for old, name in hidden.items()})
    if isinstance(body[-1], ir.Return):
        return (*head, *body[:-1]), next(iter(body[-1].values), None)
    return (*head, *body), None


def _with_value(statement: ir.Stmt, call: ir.Call, value: ir.Expr | None) -> Body:
    """The statement with a value in place of a call; no statement if the call is all of it."""
    if value is None or isinstance(statement, ir.Do):
        return ()

    def replaced(node: ir.Expr) -> ir.Expr:
        return value if node == call else node

    return (with_reads(statement, [map_expression(read, replaced) for read in reads(statement)]),)


def _operands_by_name(function: ir.Function, call: ir.Call) -> dict[str, ir.Expr]:
    names = (parameter.name for parameter in function.parameters)
    return dict(zip(names, call.operands, strict=True))


def _is_atom(node: ir.Expr) -> bool:
    return isinstance(node, ir.Name | ir.Literal)


def _without_comments(body: Body) -> Body:
    return tuple(statement for statement in body if not isinstance(statement, ir.Comment))


def without_unused_functions(program: ir.Program) -> ir.Program:
    """The program without the functions that nothing calls any more."""
    functions = program.functions
    while True:
        bodies = (program.body, *(function.body for function in functions))
        used = {node.function for node in walk(bodies) if isinstance(node, ir.Call)}
        kept = tuple(function for function in functions if function.name in used)
        if kept == functions:
            return replace(program, functions=functions)
        functions = kept
