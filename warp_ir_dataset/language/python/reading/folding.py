"""Computes constants of a module, or of a function around a kernel, from the literals in the source.

Nothing is executed; anything but arithmetic on literals is refused."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

from .namespaces import Binding, Namespace
from .refusals import Unreadable, at, quoted

Number = int | float | bool
MOST_BITS = 64
DEEPEST = 50  # constants that refer to constants
POWER = "builtins.pow"

_BINARY: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
# fmt: off
_MATH = (
    math.sqrt, math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.exp, math.log, math.log2,
    math.log10, math.radians, math.degrees, math.floor, math.ceil,
)
_NUMPY = (math.sqrt, math.sin, math.cos, math.tan, math.exp, math.log, math.radians, math.floor)
# fmt: on


def _in_float(function: Callable[..., Number]) -> Callable[..., Number]:
    return lambda *operands: float(function(*operands))


_CALLS: Mapping[str, Callable[..., Number]] = {
    **{f"math.{function.__name__}": function for function in _MATH},
    **{f"numpy.{function.__name__}": _in_float(function) for function in _NUMPY},
    "builtins.float": float,
    "builtins.int": int,
    "builtins.bool": bool,
    "builtins.abs": abs,
    "builtins.min": min,
    "builtins.max": max,
    "builtins.round": round,
}
_NAMED: Mapping[str, float] = {
    "math.pi": math.pi,
    "math.tau": math.tau,
    "math.e": math.e,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "numpy.pi": math.pi,
    "numpy.e": math.e,
    "numpy.inf": math.inf,
    "numpy.nan": math.nan,
    **dict.fromkeys(("warp.inf", "warp.INF"), math.inf),
    **dict.fromkeys(("warp.nan", "warp.NAN"), math.nan),
    **dict.fromkeys(("warp.pi", "warp.PI"), math.pi),
    **dict.fromkeys(("warp.tau", "warp.TAU"), math.tau),
    **dict.fromkeys(("warp.e", "warp.E"), math.e),
    **dict.fromkeys(("warp.half_pi", "warp.HALF_PI"), math.pi / 2.0),
    **dict.fromkeys(("warp.phi", "warp.PHI"), (1.0 + math.sqrt(5.0)) / 2.0),
    **dict.fromkeys(("warp.ln2", "warp.LN2"), math.log(2.0)),
    **dict.fromkeys(("warp.ln10", "warp.LN10"), math.log(10.0)),
    **dict.fromkeys(("warp.log2e", "warp.LOG2E"), math.log2(math.e)),
    **dict.fromkeys(("warp.log10e", "warp.LOG10E"), math.log10(math.e)),
}


def number(node: ast.expr, namespace: Namespace, depth: int = 0) -> Number:
    """The value of an expression of constants. Raises `Unreadable` if it has no constant value."""
    if depth > DEEPEST:
        raise at(node, f"{quoted(node)} is no constant")
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -number(operand, namespace, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return number(operand, namespace, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _computed(
                node, type(op), number(left, namespace, depth + 1), number(right, namespace, depth + 1)
            )
        case ast.Name() | ast.Attribute():
            return _named(node, namespace, depth)
        case ast.Call(func=func, args=args, keywords=[]):
            path = namespace.path(func) or ""
            if path in ("warp.constant", "warp.static") and len(args) == 1:
                return number(args[0], namespace, depth + 1)
            operands = [number(arg, namespace, depth + 1) for arg in args] if path in (*_CALLS, POWER) else []
            if path == POWER and len(operands) == 2:
                return _computed(node, ast.Pow, *operands)
            if path in _CALLS:
                return _checked(node, _CALLS[path], *operands)
    raise at(node, f"{quoted(node)} is no constant")


def whole(node: ast.expr, namespace: Namespace) -> int:
    """An integer constant: a length, a dimension, a step."""
    found = number(node, namespace)
    if not isinstance(found, int) or isinstance(found, bool):
        raise at(node, f"{quoted(node)} is no whole number")
    return found


def enumeration(node: ast.expr, namespace: Namespace) -> tuple[str, ast.expr | int] | None:
    """The name and value of ``Mode.FAST``, or ``Mode.FAST.value``; None for other expressions."""
    if isinstance(node, ast.Attribute) and node.attr == "value" and isinstance(node.value, ast.Attribute):
        node = node.value
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return None
    binding = namespace.only_binding(node.value.id)
    definition = binding.node if binding else None
    if (
        binding is None
        or not isinstance(definition, ast.ClassDef)
        or not _is_enumeration(definition, binding)
    ):
        return None
    value: ast.expr | int = 0
    for member in definition.body:
        match member:
            case ast.Assign(targets=[ast.Name(id=name)], value=operands):
                automatic = (
                    isinstance(operands, ast.Call) and binding.namespace.path(operands.func) == "enum.auto"
                )
                value = (whole_or(value, binding.namespace) + 1) if automatic else operands
                if name == node.attr:
                    return f"{definition.name}.{name}", value
    raise at(node, f"{definition.name} has no member {node.attr}")


def whole_or(value: ast.expr | int, namespace: Namespace) -> int:
    return value if isinstance(value, int) else whole(value, namespace)


def _is_enumeration(definition: ast.ClassDef, binding: Binding) -> bool:
    return [binding.namespace.path(base) for base in definition.bases] in (["enum.IntEnum"], ["enum.IntFlag"])


def _named(node: ast.Name | ast.Attribute, namespace: Namespace, depth: int) -> Number:
    path = namespace.path(node) or ""
    if path in _NAMED:
        return _NAMED[path]
    member = enumeration(node, namespace)
    if member is not None:
        return whole_or(member[1], namespace)
    binding = namespace.only_binding(node.id) if isinstance(node, ast.Name) else None
    if binding is None or not isinstance(binding.node, ast.expr):
        raise at(node, f"{quoted(node)} is no constant")
    try:
        return number(binding.node, binding.namespace, depth + 1)
    except Unreadable:
        raise at(node, f"{quoted(node)} is no constant") from None


def _computed(node: ast.expr, op: type[ast.operator], left: Number, right: Number) -> Number:
    # Powers and shifts could make numbers of any length.
    if op in (ast.Pow, ast.LShift) and not -MOST_BITS <= right <= MOST_BITS:
        raise at(node, f"{quoted(node)} is too large")
    return _checked(node, _BINARY[op], left, right)


def _checked(node: ast.expr, function: Callable[..., Number], *operands: Number) -> Number:
    try:
        found = function(*operands)
    except (ArithmeticError, ValueError, TypeError) as error:
        raise at(node, f"{quoted(node)}: {' '.join(str(error).split())}") from None
    if isinstance(found, complex) or (isinstance(found, int) and found.bit_length() > MOST_BITS):
        raise at(node, f"{quoted(node)} is too large")
    return found
