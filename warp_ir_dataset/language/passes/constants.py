"""Passes that make a literal a constant, move constants between the module and a closure around the kernel,
or write them in ``wp.static``; and the order of a text's definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from .. import ir
from ..operations.traits import COPIES
from ..rewrite import Body, map_bodies, map_expressions, names_in, names_of, same, substituted
from ..types import BOOL
from ..walks import defined, statements, walk
from . import naming

PLAIN_STEP, PLAIN_MOST = 0.25, 8  # multiples of PLAIN_STEP up to PLAIN_MOST stay literals


def literal_to_constant(program: ir.Program) -> Iterator[ir.Program]:
    """Replace a literal by a new constant of the module, wherever it is an operand of an operation or of a
    comparison: ``x * 9.81`` becomes ``x * FACTOR``."""
    for literal, beside in _literals(program).items():
        name = ir.Name(naming.constant(program, beside), literal.type)
        made = map_bodies(program, _naming(literal, name))
        yield replace(made, constants=(*program.constants, ir.Constant(name.name, literal)))


def _naming(literal: ir.Literal, name: ir.Name) -> Callable[[Body], Body]:
    return lambda body: map_expressions(body, lambda node: _with_name(node, literal, name))


def _literals(program: ir.Program) -> dict[ir.Literal, ir.Expr]:
    """The literals that may become constants, each with an operation that uses it."""
    found: dict[ir.Literal, ir.Expr] = {}
    for node in walk(program.bodies):
        if isinstance(node, ir.Apply | ir.Chain):
            for operand in node.operands:
                if _may_be_named(operand, node):
                    assert isinstance(operand, ir.Literal)
                    found.setdefault(operand, node)
    return found


def _with_name(node: ir.Expr, literal: ir.Literal, name: ir.Name) -> ir.Expr:
    if not isinstance(node, ir.Apply | ir.Chain):
        return node
    operands = tuple(name if o == literal and _may_be_named(o, node) else o for o in node.operands)
    return replace(node, operands=operands) if operands != node.operands else node


def _may_be_named(operand: ir.Expr, node: ir.Apply | ir.Chain) -> bool:
    """Whether a literal deserves a name: it is no plain number. Whole numbers beside a vector or a matrix
    have none, since they may be indices of components."""
    if not isinstance(operand, ir.Literal) or operand.type == BOOL or _is_plain(operand.value):
        return False
    index = isinstance(node, ir.Apply) and bool(node.operands[0].type.shape) and operand.type.is_integer
    return not index


def _is_plain(value: float) -> bool:
    return abs(value) <= PLAIN_MOST and value % PLAIN_STEP == 0


def _substituting(values: Mapping[str, ir.Expr]) -> Callable[[Body], Body]:
    return lambda body: substituted(body, values)


def module_or_closure(program: ir.Program) -> Iterator[ir.Program]:
    """Move a constant of the module into a function around the kernel, or back. A number becomes a parameter
    of that function; its name is then in lower case, if that name is free."""
    taken = names_of(program)
    methods = names_in(tuple(function.body for function in program.functions if "." in function.name))
    for place, constant in enumerate(program.constants):
        if constant.place == "enumeration" or _depends(program, constant) or constant.name in methods:
            continue  # structs with their methods stay outside of that function
        outside = constant.place == "module"
        name = constant.name
        if isinstance(constant.value, ir.Literal):
            name = name.lower() if outside else name.upper()
        if name in taken or not naming.is_plain(name):
            name = constant.name
        moved = replace(constant, name=name, place="closure" if outside else "module")
        made = map_bodies(program, _substituting({constant.name: ir.Name(name, constant.value.type)}))
        yield replace(made, constants=(*program.constants[:place], moved, *program.constants[place + 1 :]))


def static_or_plain(program: ir.Program) -> Iterator[ir.Program]:
    """Write the number constants of the module as ``wp.static(NAME)``, or all of them plainly if the first is
    static; the same for those of a closure. Constants stay as they are if a local has their name, or if they
    are converted to their own type."""
    others = {name.name for name in _defined(program)}
    # Writing ``wp.static`` would add or remove such a conversion in the text.
    others |= {
        node.operands[0].name
        for body in program.bodies
        for node in walk(body)
        if isinstance(node, ir.Apply) and node.operation in COPIES and isinstance(node.operands[0], ir.Name)
    }
    for place in ("module", "closure"):
        chosen = [
            constant
            for constant in program.constants
            if constant.place == place
            and isinstance(constant.value, ir.Literal)
            and constant.name not in others
        ]
        if chosen:
            static = not chosen[0].static
            made = (replace(c, static=static) if c in chosen else c for c in program.constants)
            yield replace(program, constants=tuple(made))


def _defined(program: ir.Program) -> Iterator[ir.Name]:
    """The other names in the scope of the constants."""
    yield from (argument.reference for argument in program.arguments)
    for function in program.functions:
        yield from function.parameters
    for body in program.bodies:
        for statement in statements(body):
            yield from defined(statement)


def _depends(program: ir.Program, constant: ir.Constant) -> bool:
    """Whether a constant uses others, or others use it: each must be defined before its users."""
    around = [c for c in program.constants if c is not constant]
    inner = any(isinstance(node, ir.Name) for node in walk(constant.value))
    return inner or any(constant.name in names_in(c.value) for c in around)


# ---- order

_PLACES = ("module", "enumeration", "closure")


def _rank(constant: ir.Constant) -> tuple[int, bool]:
    parameter = constant.place == "closure" and isinstance(constant.value, ir.Literal)
    return _PLACES.index(constant.place), parameter


def ordered(program: ir.Program) -> ir.Program:
    """The program with its constants and functions in the order of its text. Constants: those of the module,
    of enumerations, of a closure, and last the closure's parameters. Functions: methods, which stand in their
    structs, the others of the module, and those that need the closure."""
    constants = sorted(program.constants, key=_rank)
    names = {constant.name for constant in program.constants if constant.place == "closure"}
    ranks: dict[str, int] = {}
    for function in program.functions:
        used = {node.name for node in walk(function.body) if isinstance(node, ir.Name)} & names
        calls = (node.function for node in walk(function.body) if isinstance(node, ir.Call))
        within = bool(used) or any(ranks.get(name) == 2 for name in calls)
        ranks[function.name] = 0 if "." in function.name else 2 if within else 1
    functions = sorted(program.functions, key=lambda function: ranks[function.name])
    if same(constants, program.constants) and same(functions, program.functions):
        return program
    return replace(program, constants=tuple(constants), functions=tuple(functions))
