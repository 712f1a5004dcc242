"""Nodes that these programs are made of; small ones are those of `toys.programs`."""

from __future__ import annotations

from toys.programs import SIZE, THREAD, X, argument, element, name, number, op, read, write
from warp_ir_dataset.language import program as p
from warp_ir_dataset.language.program import Literal, Load, Name, Program, Signature
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array, Struct, Type, Value, Vector

__all__ = [
    "BOOL",
    "FLOAT",
    "INT",
    "SIZE",
    "THREAD",
    "VEC3",
    "Array",
    "Literal",
    "Load",
    "Name",
    "Struct",
    "Value",
    "X",
    "add",
    "argument",
    "array",
    "element",
    "flag",
    "launch",
    "member",
    "mul",
    "name",
    "number",
    "op",
    "program",
    "put",
    "read",
    "variable",
    "whole",
    "write",
]  # fmt: skip

VEC3 = Vector("float32", 3)


def whole(value: int) -> Literal:
    return Literal(value, INT)


def add(a: p.Expr, b: p.Expr) -> p.Apply:
    return op("add", a, b, type=a.type)


def mul(a: p.Expr, b: p.Expr) -> p.Apply:
    return op("mul", a, b, type=a.type)


def flag(comparison: str, a: p.Expr, b: p.Expr) -> p.Apply:
    return op(comparison, a, b, type=BOOL)


def array(text: str, element: Value | Struct = FLOAT, ndim: int = 1) -> Name:
    return Name(text, Array(element, ndim))


def member(of: p.Expr, text: str, type: Type = FLOAT) -> p.Member:
    return p.Member(of, text, type)


def variable(value: p.Expr, text: str = "x") -> p.Variable:
    return p.Variable(Name(text, value.type), value)


def put(place: p.Place, value: p.Expr) -> p.Assign:
    return p.Assign(place, value)


def program(
    text: str,
    *body: p.Stmt,
    arguments: tuple[p.Argument, ...] = (),
    functions: tuple[p.Function, ...] = (),
    structs: tuple[Struct, ...] = (),
    constants: tuple[p.Constant, ...] = (),
) -> Program:
    """A kernel over `SIZE` threads, from the input ``a`` to the output ``o`` unless told otherwise."""
    given = arguments or (argument("a"), argument("o", "output"))
    signature = Signature(text, given, (SIZE,))
    return Program(signature, (p.ThreadIndex((THREAD,)), *body), functions, structs, constants)


def launch(text: str, indices: tuple[Name, ...], *body: p.Stmt, arguments: tuple[p.Argument, ...]) -> Program:
    """A kernel over as many threads as its last argument has elements."""
    signature = Signature(text, arguments, arguments[-1].shape)
    return Program(signature, (p.ThreadIndex(indices), *body))
