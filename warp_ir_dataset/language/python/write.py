"""Programs as Python source: a complete module that can be written to a file and imported.

This is one rendering of the tree; nothing in the tree knows it. `in_float64` gives the same program in
double precision, which is what finite differences are taken of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
from typing_extensions import assert_never

from .. import program as p
from ..domains import Interval
from ..operations.spelling import NOT, SIGN, Conditional, Constant, Function, Infix, Prefix, Subscript
from ..operations.table import TABLE
from ..types import (
    FLOAT,
    INT,
    SCALARS,
    WIDEST_FLOAT,
    Matrix,
    Quaternion,
    Scalar,
    Struct,
    Transform,
    Type,
    Value,
    Vector,
    is_spatial,
    numpy_type,
    stem,
)

INDENT = "    "
ATOM = 100  # binds tighter than any operator
TERNARY = 0  # binds looser than any operator

_BUILT_IN_SHAPES = {(n,) for n in (2, 3, 4)} | {(n, n) for n in (2, 3, 4)}


def write(program: p.Program) -> str:
    """The Python module that defines the program's kernel under its name."""
    program = _shield_indices(program, frozenset(n.target.name for n in _loops(program)))
    blocks = ["import warp as wp"]
    aliases = [alias(t) for t in _types(program) if not is_built_in(t)]
    if aliases:
        blocks.append("\n".join(dict.fromkeys(aliases)))
    blocks += [_struct(struct) for struct in program.structs]
    blocks += [_function(function) for function in program.functions]
    blocks.append(_kernel(program))
    return "\n\n\n".join(blocks) + "\n"


def in_float64(program: p.Program) -> p.Program:
    """The same program with every float32 made float64."""
    return _widen(program)


def _loops(program: p.Program) -> Iterator[p.For]:
    return (node for body in program.bodies for node in p.statements(body) if isinstance(node, p.For))


def _shield_indices(node: Any, indices: frozenset[str]) -> Any:
    """Convert a loop index to a 64-bit type by way of the 32-bit one.

    Warp 1.19 gives the index of an unrolled loop itself the 64-bit type otherwise, and the loop's other uses
    of it no longer compile.
    """
    if isinstance(node, tuple):
        items = tuple(_shield_indices(item, indices) for item in node)
        return node if all(new is old for new, old in zip(items, node, strict=True)) else items
    if not _is_node(node) or not indices:
        return node
    if isinstance(node, p.Apply) and TABLE[node.operation].converts and _is_wide(node.type):
        first = node.operands[0]
        if isinstance(first, p.Name) and first.name in indices:
            narrow = FLOAT if node.type.is_float else INT
            return replace(node, operands=(p.Apply(node.operation, node.operands, narrow),))
    changed = {}
    for f in fields(node):
        old = getattr(node, f.name)
        new = _shield_indices(old, indices)
        if new is not old:
            changed[f.name] = new
    return replace(node, **changed) if changed else node


def _is_wide(type: Value) -> bool:
    return np.dtype(numpy_type(type)).itemsize > 4


def _widen(node: Any) -> Any:
    if isinstance(node, Value):
        return replace(node, scalar=WIDEST_FLOAT) if node.is_float else node
    if isinstance(node, tuple):
        return tuple(_widen(item) for item in node)
    if _is_node(node):
        return replace(node, **{f.name: _widen(getattr(node, f.name)) for f in fields(node)})
    return node


def _is_node(value: Any) -> bool:
    return hasattr(value, "__dataclass_fields__") and not isinstance(value, (Interval, Value))


def type_name(t: Type) -> str:
    """How a value's type is written: ``float``, ``wp.float64``, ``wp.vec3``, ``mat23``, a struct's name."""
    match t:
        case Struct(name):
            return name
        case Scalar(scalar):
            return SCALARS[scalar].python or f"wp.{scalar}"
        case Vector() | Matrix() | Quaternion() | Transform():
            name = stem(t) + _suffix(t.scalar)
        case _:
            assert_never(t)
    return f"wp.{name}" if is_built_in(t) else name


def is_built_in(t: Value) -> bool:
    """Whether Warp has a name for a type."""
    match t:
        case Vector():
            return t.shape in _BUILT_IN_SHAPES or is_spatial(t)
        case Matrix():
            return (t.is_float and t.shape in _BUILT_IN_SHAPES) or is_spatial(t)
        case Scalar() | Quaternion() | Transform():
            return True
        case _:
            assert_never(t)


def _suffix(scalar: str) -> str:
    return "" if SCALARS[scalar].implied else SCALARS[scalar].suffix


def alias(t: Value) -> str:
    scalar = f"wp.{t.scalar}"
    match t:
        case Vector(_, length):
            return f"{type_name(t)} = wp.types.vector(length={length}, dtype={scalar})"
        case Matrix(_, rows, columns):
            return f"{type_name(t)} = wp.types.matrix(shape=({rows}, {columns}), dtype={scalar})"
        case Scalar() | Quaternion() | Transform():
            raise ValueError(f"{type_name(t)} has a name already")
        case _:
            assert_never(t)


def _types(program: p.Program) -> Iterator[Value]:
    """Every vector or matrix type that the text names."""
    members = (t for struct in program.structs for _, t in struct.members)
    found = (getattr(node, "type", None) for node in p.walk(program))
    return (t for t in (*found, *members) if isinstance(t, Value))


def _struct(struct: Struct) -> str:
    members = "".join(f"\n{INDENT}{name}: {type_name(t)}" for name, t in struct.members)
    return f"@wp.struct\nclass {struct.name}:{members}"


def _function(function: p.Function) -> str:
    parameters = ", ".join(f"{name.name}: {type_name(name.type)}" for name in function.parameters)
    head = f"@wp.func\ndef {function.name}({parameters}) -> {type_name(function.type)}:"
    return "\n".join([head, *_block(function.body, 1)])


def _kernel(program: p.Program) -> str:
    arguments = [f"{argument.name}: {_argument_type(argument)}" for argument in program.arguments]
    one_line = f"def {program.name}({', '.join(arguments)}):"
    if len(one_line) <= 100:
        head = one_line
    else:
        head = f"def {program.name}(\n" + "".join(f"{INDENT}{a},\n" for a in arguments) + "):"
    return "\n".join(["@wp.kernel", head, *_block(program.body, 1)])


def _argument_type(argument: p.Argument) -> str:
    name = type_name(argument.type)
    if argument.ndim == 0:
        return name
    array = "array" if argument.ndim == 1 else f"array{argument.ndim}d"
    return f"wp.{array}(dtype={name})"


# ---- statements


# What is written on one line.
Simple = (
    p.ThreadIndex
    | p.Let
    | p.Variable
    | p.NewStruct
    | p.Assign
    | p.Accumulate
    | p.SetComponent
    | p.SetMember
    | p.Store
    | p.Atomic
    | p.Break
    | p.Continue
    | p.Return
)


def _block(body: tuple[p.Stmt, ...], depth: int) -> list[str]:
    lines: list[str] = []
    for statement in body:
        lines += _statement(statement, depth)
    return lines


def _statement(statement: p.Stmt, depth: int) -> list[str]:
    pad = INDENT * depth
    match statement:
        case p.If():
            return _if(statement, depth)
        case p.For(target, start, stop, step, body):
            return [f"{pad}for {target.name} in {_range(start, stop, step)}:", *_block(body, depth + 1)]
        case p.While(condition, body):
            return [f"{pad}while {expression(condition)}:", *_block(body, depth + 1)]
        case _:
            return [pad + _simple(statement)]


def _simple(statement: Simple) -> str:
    match statement:
        case p.ThreadIndex(names):
            return f"{', '.join(name.name for name in names)} = wp.tid()"
        case p.Let(target, value) | p.Assign(target, value):
            return f"{target.name} = {expression(value)}"
        case p.Variable(target, value):
            return f"{target.name} = {_dynamic(value)}"
        case p.NewStruct(target):
            return f"{target.name} = {type_name(target.type)}()"
        case p.Accumulate(target, operator, value):
            return f"{target.name} {operator}= {expression(value)}"
        case p.SetComponent(target, index, value):
            return f"{target.name}[{', '.join(map(str, index))}] = {expression(value)}"
        case p.SetMember(target, member, value):
            return f"{target.name}.{member} = {expression(value)}"
        case p.Store(array, index, value):
            return f"{array}[{_index(index)}] = {expression(value)}"
        case p.Atomic(operation, array, index, value):
            return f"wp.atomic_{operation}({array}, {_index(index)}, {expression(value)})"
        case p.Return(value):
            return "return" if value is None else f"return {expression(value)}"
        case p.Break():
            return "break"
        case p.Continue():
            return "continue"
        case _:
            assert_never(statement)


def _if(statement: p.If, depth: int) -> list[str]:
    """An ``orelse`` that is a lone ``if`` is written as ``elif``."""
    pad = INDENT * depth
    lines = [f"{pad}if {expression(statement.condition)}:", *_block(statement.then, depth + 1)]
    match statement.orelse:
        case ():
            return lines
        case (p.If() as nested,):
            head, *rest = _if(nested, depth)
            return [*lines, f"{pad}el{head.lstrip()}", *rest]
        case orelse:
            return [*lines, f"{pad}else:", *_block(orelse, depth + 1)]


def _range(start: p.Expr, stop: p.Expr, step: int) -> str:
    parts = [expression(start), expression(stop)]
    if step != 1:
        parts.append(str(step))
    elif parts[0] == "0":
        parts = parts[1:]
    return f"range({', '.join(parts)})"


def _index(index: tuple[p.Expr | p.StructName, ...]) -> str:
    return ", ".join(expression(i) for i in index)


def _dynamic(value: p.Expr) -> str:
    """A literal that is assigned later must be written as a conversion: Warp keeps bare ones constant."""
    text = expression(value)
    if isinstance(value, p.Literal) and SCALARS[value.type.scalar].python:
        return f"{type_name(value.type)}({text})"
    return text


# ---- expressions


def expression(node: p.Expr | p.StructName) -> str:
    return _expression(node)[0]


def _expression(node: p.Expr | p.StructName) -> tuple[str, int]:
    """The text, and how tightly it binds."""
    match node:
        case p.Literal(value, t):
            text = repr(value) if SCALARS[t.scalar].python else f"wp.{t.scalar}({value!r})"
            return text, (SIGN if text.startswith("-") else ATOM)
        case p.Name(name) | p.StructName(name):
            return name, ATOM
        case p.Load(array, index):
            return f"{array}[{_index(index)}]", ATOM
        case p.Member(struct, member):
            return f"{struct.name}.{member}", ATOM
        case p.Call(function, operands):
            return f"{function}({_index(operands)})", ATOM
        case p.Apply():
            return _apply(node)
        case _:
            assert_never(node)


def _apply(node: p.Apply) -> tuple[str, int]:
    spelling = TABLE[node.operation].spelling
    match spelling:
        case Infix(symbol, precedence):
            left, right = node.operands
            if spelling.right:
                # Groups from the right, and a sign on the right needs no brackets: ``a ** -b``.
                return f"{_bracketed(left, precedence + 1)} {symbol} {_bracketed(right, SIGN)}", precedence
            # Operators group from the left, so an equal on the right needs brackets.
            return f"{_bracketed(left, precedence)} {symbol} {_bracketed(right, precedence + 1)}", precedence
        case Prefix(symbol, precedence):
            return symbol + _bracketed(node.operands[0], precedence + (precedence != NOT)), precedence
        case Function(name):
            return f"{name or type_name(node.type)}({_index(node.operands)})", ATOM
        case Constant(name):
            # Bare, it is a float32; the same program in double precision converts it.
            return (name if node.type == FLOAT else f"{type_name(node.type)}({name})"), ATOM
        case Subscript():
            base, *index = node.operands
            return f"{_bracketed(base, ATOM)}[{_index(tuple(index))}]", ATOM
        case Conditional():
            condition, then, orelse = (_bracketed(operand, TERNARY + 1) for operand in node.operands)
            return f"{then} if {condition} else {orelse}", TERNARY
        case _:
            assert_never(spelling)


def _bracketed(node: p.Expr, least: int) -> str:
    text, precedence = _expression(node)
    return text if precedence >= least else f"({text})"
