"""Nodes that these programs are made of; small ones are those of `toys.programs`."""

from __future__ import annotations

from toys.programs import SIZE, THREAD, X, argument, element, name, number, op, read, write
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.ir import Literal, Load, Name, Program, Signature
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


def add(a: ir.Expr, b: ir.Expr) -> ir.Apply:
    return op("add", a, b, type=a.type)


def mul(a: ir.Expr, b: ir.Expr) -> ir.Apply:
    return op("mul", a, b, type=a.type)


def flag(comparison: str, a: ir.Expr, b: ir.Expr) -> ir.Apply:
    return op(comparison, a, b, type=BOOL)


def array(text: str, element: Value | Struct = FLOAT, ndim: int = 1) -> Name:
    return Name(text, Array(element, ndim))


def member(of: ir.Expr, text: str, type: Type = FLOAT) -> ir.Member:
    return ir.Member(of, text, type)


def variable(value: ir.Expr, text: str = "x") -> ir.Variable:
    return ir.Variable(Name(text, value.type), value)


def put(place: ir.Place, value: ir.Expr) -> ir.Assign:
    return ir.Assign(place, value)


def program(
    text: str,
    *body: ir.Stmt,
    arguments: tuple[ir.Argument, ...] = (),
    functions: tuple[ir.Function, ...] = (),
    structs: tuple[Struct, ...] = (),
    constants: tuple[ir.Constant, ...] = (),
) -> Program:
    """A kernel over `SIZE` threads, from the input ``a`` to the output ``o`` unless told otherwise."""
    given = arguments or (argument("a"), argument("o", "output"))
    signature = Signature(text, given, (SIZE,))
    return Program(signature, (ir.ThreadIndex((THREAD,)), *body), functions, structs, constants)


def launch(
    text: str, indices: tuple[Name, ...], *body: ir.Stmt, arguments: tuple[ir.Argument, ...]
) -> Program:
    """A kernel over as many threads as its last argument has elements."""
    signature = Signature(text, arguments, arguments[-1].shape)
    return Program(signature, (ir.ThreadIndex(indices), *body))
