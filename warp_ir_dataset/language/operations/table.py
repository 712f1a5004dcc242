"""The table of operations: what each takes, gives, requires and computes, and how it is written.

A new operation is one row of `TABLE`. `takes` lists, for a result type, the operand types that give it;
`gives` bounds the result by an interval; `compute` is its meaning on numpy arrays; `requires` says which
operands it is defined for (a program that breaks it is illegal). Built-ins and their domains: the Warp 1.19
reference and its native headers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .. import domains as ranges
from ..domains import LIMITS
from ..program import BOOL, FLOATS, INTEGERS, TRUTH, Apply, Expr, Range, Type
from . import bounds as gives
from . import meanings as computes
from .bounds import anything, below, divisible, literal_index, not_negative, ordered, positive, shiftable
from .meanings import Compute, each, scaling
from .signatures import (
    Takes,
    built,
    chosen,
    compared,
    converted,
    diagonal,
    diagonal_of,
    like,
    matrix_matrix,
    matrix_row,
    matrix_vector,
    only,
    outer_product,
    reduced,
    scalar,
    scaled,
    taken,
    taken_from_matrix,
    transposed,
)
from .spelling import (
    AND,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    COMPARE,
    NOT,
    OR,
    PRODUCT,
    SHIFT,
    SIGN,
    SUM,
    Conditional,
    Function,
    Infix,
    Prefix,
    Spelling,
    Subscript,
)


@dataclass(frozen=True)
class Operation:
    """`slope` is what a derivative sees: "smooth", "kink" (smooth but for isolated points), "flat" (zero)."""

    name: str
    group: str
    spelling: Spelling
    takes: Takes
    gives: Callable[..., Range]
    compute: Compute
    requires: Callable[..., bool] = anything
    slope: str = "smooth"
    phrase: str = ""


NUMBERS = (*FLOATS, *INTEGERS)
SIGNED = (*FLOATS, "int32", "int64")
SIGNED_INTEGERS = ("int32", "int64")
HALF_PI = math.pi / 2

# fmt: off
_ROWS = (
    Operation("add", "arithmetic", Infix("+", SUM), like(NUMBERS, (0, 1, 2), 2), gives.on(ranges.add),
              each(np.add), phrase="the sum of {0} and {1}"),
    Operation("sub", "arithmetic", Infix("-", SUM), like(SIGNED, (0, 1, 2), 2), gives.on(ranges.sub),
              each(np.subtract), phrase="{0} minus {1}"),
    Operation("mul", "arithmetic", Infix("*", PRODUCT), scalar(NUMBERS, 2), gives.on(ranges.mul),
              each(np.multiply), phrase="the product of {0} and {1}"),
    Operation("div", "arithmetic", Infix("/", PRODUCT), scalar(FLOATS, 2), gives.on(ranges.div),
              each(np.divide),
              requires=divisible, phrase="{0} divided by {1}"),
    Operation("neg", "arithmetic", Prefix("-", SIGN), like(SIGNED, (0, 1, 2), 1), gives.on(ranges.neg),
              each(np.negative), phrase="{0} negated"),
    Operation("min", "arithmetic", Function("wp.min"), scalar(NUMBERS, 2), gives.on(ranges.minimum),
              each(np.minimum), slope="kink", phrase="the smaller of {0} and {1}"),
    Operation("max", "arithmetic", Function("wp.max"), scalar(NUMBERS, 2), gives.on(ranges.maximum),
              each(np.maximum), slope="kink", phrase="the larger of {0} and {1}"),
    Operation("abs", "arithmetic", Function("wp.abs"), scalar(SIGNED, 1), gives.on(ranges.absolute),
              each(np.abs), slope="kink", phrase="the absolute value of {0}"),
    Operation("sign", "arithmetic", Function("wp.sign"), scalar(SIGNED, 1), gives.fixed(-1, 1),
              each(lambda x: np.where(x < 0, -1, 1)), slope="flat", phrase="the sign of {0}"),
    Operation("clamp", "arithmetic", Function("wp.clamp"), scalar(NUMBERS, 3), gives.on(ranges.clamp),
              each(lambda x, low, high: np.minimum(np.maximum(x, low), high)), requires=ordered,
              slope="kink", phrase="{0} clamped to [{1}, {2}]"),
    Operation("mod", "arithmetic", Infix("%", PRODUCT), scalar(NUMBERS, 2), gives.on(ranges.mod),
              each(np.fmod),
              requires=divisible, slope="kink", phrase="{0} modulo {1}"),
    Operation("floordiv", "integer", Infix("//", PRODUCT), scalar(INTEGERS, 2), gives.on(ranges.floordiv),
              each(np.floor_divide), requires=divisible, slope="flat",
              phrase="{0} divided by {1}, rounded down"),
    Operation("bit_and", "integer", Infix("&", BIT_AND), scalar(INTEGERS, 2), gives.shared_bits,
              each(np.bitwise_and),
              requires=not_negative, slope="flat", phrase="the bits {0} and {1} share"),
    Operation("bit_or", "integer", Infix("|", BIT_OR), scalar(INTEGERS, 2), gives.bits, each(np.bitwise_or),
              requires=not_negative, slope="flat", phrase="the bits of {0} or {1}"),
    Operation("bit_xor", "integer", Infix("^", BIT_XOR), scalar(INTEGERS, 2), gives.bits,
              each(np.bitwise_xor),
              requires=not_negative, slope="flat", phrase="the bits in which {0} and {1} differ"),
    Operation("lshift", "integer", Infix("<<", SHIFT), scalar(INTEGERS, 2),
              lambda a, b: Range(a.range.lo << b.range.lo, a.range.hi << b.range.hi), each(np.left_shift),
              requires=shiftable, slope="flat", phrase="{0} shifted left by {1} bits"),
    Operation("rshift", "integer", Infix(">>", SHIFT), scalar(INTEGERS, 2),
              lambda a, b: Range(a.range.lo >> b.range.hi, a.range.hi >> b.range.lo), each(np.right_shift),
              requires=shiftable, slope="flat", phrase="{0} shifted right by {1} bits"),
    Operation("lt", "compare", Infix("<", COMPARE), compared(NUMBERS), gives.fixed(0, 1), each(np.less),
              slope="flat", phrase="{0} is below {1}"),
    Operation("le", "compare", Infix("<=", COMPARE), compared(NUMBERS), gives.fixed(0, 1),
              each(np.less_equal),
              slope="flat", phrase="{0} is at most {1}"),
    Operation("gt", "compare", Infix(">", COMPARE), compared(NUMBERS), gives.fixed(0, 1), each(np.greater),
              slope="flat", phrase="{0} exceeds {1}"),
    Operation("ge", "compare", Infix(">=", COMPARE), compared(NUMBERS), gives.fixed(0, 1),
              each(np.greater_equal), slope="flat", phrase="{0} is at least {1}"),
    Operation("eq", "compare", Infix("==", COMPARE), compared(INTEGERS), gives.fixed(0, 1), each(np.equal),
              slope="flat", phrase="{0} equals {1}"),
    Operation("ne", "compare", Infix("!=", COMPARE), compared(INTEGERS), gives.fixed(0, 1),
              each(np.not_equal),
              slope="flat", phrase="{0} differs from {1}"),
    Operation("and", "logic", Infix("and", AND), scalar(("bool",), 2), gives.fixed(0, 1),
              each(np.logical_and),
              slope="flat", phrase="{0} and {1}"),
    Operation("or", "logic", Infix("or", OR), scalar(("bool",), 2), gives.fixed(0, 1), each(np.logical_or),
              slope="flat", phrase="{0} or {1}"),
    Operation("not", "logic", Prefix("not ", NOT), scalar(("bool",), 1), gives.fixed(0, 1),
              each(np.logical_not),
              slope="flat", phrase="not {0}"),
    Operation("where", "choice", Function("wp.where"), chosen, lambda c, a, b: gives.spread(a, b),
              computes.choose,
              slope="kink", phrase="{1} where {0} and {2} elsewhere"),
    Operation("conditional", "choice", Conditional(), chosen, lambda c, a, b: gives.spread(a, b),
              computes.choose,
              slope="kink", phrase="{1} if {0}, else {2}"),
    Operation("sqrt", "math", Function("wp.sqrt"), scalar(FLOATS, 1), gives.on(ranges.rising(math.sqrt)),
              each(np.sqrt), requires=positive, phrase="the square root of {0}"),
    Operation("cbrt", "math", Function("wp.cbrt"), scalar(FLOATS, 1),
              gives.on(ranges.rising(lambda x: x ** (1 / 3))), each(np.cbrt), requires=positive,
              phrase="the cube root of {0}"),
    Operation("exp", "math", Function("wp.exp"), scalar(FLOATS, 1), gives.on(ranges.rising(math.exp)),
              each(np.exp), requires=below(8.0), phrase="the exponential of {0}"),
    Operation("log", "math", Function("wp.log"), scalar(FLOATS, 1), gives.on(ranges.rising(math.log)),
              each(np.log), requires=positive, phrase="the logarithm of {0}"),
    Operation("log2", "math", Function("wp.log2"), scalar(FLOATS, 1), gives.on(ranges.rising(math.log2)),
              each(np.log2), requires=positive, phrase="the base-2 logarithm of {0}"),
    Operation("log10", "math", Function("wp.log10"), scalar(FLOATS, 1), gives.on(ranges.rising(math.log10)),
              each(np.log10), requires=positive, phrase="the base-10 logarithm of {0}"),
    Operation("pow", "math", Function("wp.pow"), scalar(FLOATS, 2), gives.on(ranges.power), each(np.power),
              requires=lambda a, b: a.range.lo > 0.05 and a.range.hi <= 20 and b.range.magnitude <= 3,
              phrase="{0} raised to {1}"),
    Operation("sin", "math", Function("wp.sin"), scalar(FLOATS, 1), lambda a: ranges.wave(a.range, 0.0),
              each(np.sin), requires=below(2e3), phrase="the sine of {0}"),
    Operation("cos", "math", Function("wp.cos"), scalar(FLOATS, 1), lambda a: ranges.wave(a.range, HALF_PI),
              each(np.cos), requires=below(2e3), phrase="the cosine of {0}"),
    Operation("tan", "math", Function("wp.tan"), scalar(FLOATS, 1), gives.on(ranges.rising(math.tan)),
              each(np.tan), requires=below(1.3), phrase="the tangent of {0}"),
    Operation("asin", "math", Function("wp.asin"), scalar(FLOATS, 1), gives.on(ranges.rising(math.asin)),
              each(np.arcsin), requires=below(0.95), phrase="the arcsine of {0}"),
    Operation("acos", "math", Function("wp.acos"), scalar(FLOATS, 1), gives.on(ranges.falling(math.acos)),
              each(np.arccos), requires=below(0.95), phrase="the arccosine of {0}"),
    Operation("atan", "math", Function("wp.atan"), scalar(FLOATS, 1), gives.on(ranges.rising(math.atan)),
              each(np.arctan), requires=below(1e6), phrase="the arctangent of {0}"),
    Operation("atan2", "math", Function("wp.atan2"), scalar(FLOATS, 2), gives.fixed(-HALF_PI, HALF_PI),
              each(np.arctan2), requires=positive, phrase="the angle of ({1}, {0})"),
    Operation("sinh", "math", Function("wp.sinh"), scalar(FLOATS, 1), gives.on(ranges.rising(math.sinh)),
              each(np.sinh), requires=below(4.0), phrase="the hyperbolic sine of {0}"),
    Operation("cosh", "math", Function("wp.cosh"), scalar(FLOATS, 1),
              lambda a: ranges.rising(math.cosh)(ranges.absolute(a.range)), each(np.cosh),
              requires=below(4.0), phrase="the hyperbolic cosine of {0}"),
    Operation("tanh", "math", Function("wp.tanh"), scalar(FLOATS, 1), gives.on(ranges.rising(math.tanh)),
              each(np.tanh), requires=below(2e3), phrase="the hyperbolic tangent of {0}"),
    Operation("erf", "math", Function("wp.erf"), scalar(FLOATS, 1), gives.on(ranges.rising(math.erf)),
              each(np.vectorize(math.erf, otypes=[float])), requires=below(3.0),
              phrase="the error function of {0}"),
    Operation("degrees", "math", Function("wp.degrees"), scalar(FLOATS, 1),
              lambda a: ranges.scale(a.range, 180 / math.pi), each(np.degrees), phrase="{0} in degrees"),
    Operation("radians", "math", Function("wp.radians"), scalar(FLOATS, 1),
              lambda a: ranges.scale(a.range, math.pi / 180), each(np.radians), phrase="{0} in radians"),
    Operation("floor", "rounding", Function("wp.floor"), scalar(FLOATS, 1),
              lambda a: Range(float(math.floor(a.range.lo)), a.range.hi), each(np.floor), slope="flat",
              phrase="{0} rounded down"),
    Operation("ceil", "rounding", Function("wp.ceil"), scalar(FLOATS, 1),
              lambda a: Range(a.range.lo, float(math.ceil(a.range.hi))), each(np.ceil), slope="flat",
              phrase="{0} rounded up"),
    Operation("round", "rounding", Function("wp.round"), scalar(FLOATS, 1),
              lambda a: Range(a.range.lo - 0.5, a.range.hi + 0.5),
              each(lambda x: np.trunc(x + np.copysign(0.5, x))), slope="flat",
              phrase="{0} rounded to the nearest whole number"),
    Operation("trunc", "rounding", Function("wp.trunc"), scalar(FLOATS, 1),
              lambda a: a.range.join(Range(0.0, 0.0)), each(np.trunc), slope="flat",
              phrase="{0} rounded towards zero"),
    Operation("frac", "rounding", Function("wp.frac"), scalar(FLOATS, 1),
              lambda a: Range(-1.0 if a.range.lo < 0 else 0.0, 1.0), each(lambda x: x - np.trunc(x)),
              slope="flat", phrase="the fractional part of {0}"),
    Operation("lerp", "math", Function("wp.lerp"), scalar(FLOATS, 3),
              gives.blend,
              each(lambda a, b, t: a * (1 - t) + b * t), phrase="a blend of {0} and {1} by {2}"),
    Operation("smoothstep", "math", Function("wp.smoothstep"), lambda t: scalar(FLOATS, 3)(t),
              gives.fixed(0.0, 1.0), computes.smooth_step,
              requires=lambda a, b, x: a.range.hi + 0.05 < b.range.lo,
              phrase="a smooth step of {2} from {0} to {1}"),
    Operation("to_float", "convert", Function(""), converted(FLOATS, (*INTEGERS, *FLOATS)),
              lambda a: Range(float(a.range.lo), float(a.range.hi)), each(lambda x: x.astype(float)),
              requires=below(2.0**24), phrase="{0}"),
    Operation("to_integer", "convert", Function(""), converted(SIGNED_INTEGERS, SIGNED),
              lambda a: Range(math.trunc(a.range.lo), math.trunc(a.range.hi)),
              each(lambda x: x.astype(np.int64)), requires=below(2.0**24), slope="flat",
              phrase="the whole part of {0}"),
    Operation("to_unsigned", "convert", Function(""), converted(("uint32",), SIGNED_INTEGERS),
              gives.on(lambda a: a), each(lambda x: x), requires=not_negative, slope="flat", phrase="{0}"),
    Operation("scale_left", "vector", Infix("*", PRODUCT), scaled(first=True), gives.on(ranges.mul),
              scaling(np.multiply), phrase="{1} scaled by {0}"),
    Operation("scale_right", "vector", Infix("*", PRODUCT), scaled(first=False), gives.on(ranges.mul),
              scaling(np.multiply), phrase="{0} scaled by {1}"),
    Operation("shrink", "vector", Infix("/", PRODUCT), scaled(first=False), gives.on(ranges.div),
              scaling(np.divide), requires=divisible, phrase="{0} divided by {1}"),
    Operation("dot", "vector", Function("wp.dot"), reduced(FLOATS, 1, 2), gives.dot,
              each(lambda a, b: (a * b).sum(-1)), phrase="the dot product of {0} and {1}"),
    Operation("cross", "vector", Function("wp.cross"), only((3,), operands=2),
              lambda a, b: ranges.sub(ranges.mul(a.range, b.range), ranges.mul(a.range, b.range)),
              each(np.cross), phrase="the cross product of {0} and {1}"),
    Operation("length", "vector", Function("wp.length"), reduced(FLOATS, 1, 1), gives.length,
              each(lambda a: np.sqrt((a * a).sum(-1))), phrase="the length of {0}"),
    Operation("length_sq", "vector", Function("wp.length_sq"), reduced(FLOATS, 1, 1), gives.squares,
              each(lambda a: (a * a).sum(-1)), phrase="the squared length of {0}"),
    Operation("normalize", "vector", Function("wp.normalize"), only((2,), (3,), (4,)), gives.fixed(-1.0,
              1.0),
              computes.direction, phrase="the direction of {0}"),
    Operation("cw_mul", "vector", Function("wp.cw_mul"), like(FLOATS, (1, 2), 2), gives.on(ranges.mul),
              each(np.multiply), phrase="the componentwise product of {0} and {1}"),
    Operation("cw_div", "vector", Function("wp.cw_div"), like(FLOATS, (1,), 2), gives.on(ranges.div),
              each(np.divide), requires=divisible, phrase="the componentwise quotient of {0} and {1}"),
    Operation("vector_abs", "vector", Function("wp.abs"), like(SIGNED, (1,), 1), gives.on(ranges.absolute),
              each(np.abs), slope="kink", phrase="the componentwise absolute value of {0}"),
    Operation("vector_min", "vector", Function("wp.min"), like(NUMBERS, (1,), 2), gives.on(ranges.minimum),
              each(np.minimum), slope="kink", phrase="the componentwise minimum of {0} and {1}"),
    Operation("vector_max", "vector", Function("wp.max"), like(NUMBERS, (1,), 2), gives.on(ranges.maximum),
              each(np.maximum), slope="kink", phrase="the componentwise maximum of {0} and {1}"),
    Operation("smallest", "vector", Function("wp.min"), reduced(NUMBERS, 1, 1), gives.on(lambda a: a),
              each(lambda a: a.min(-1)), slope="kink", phrase="the smallest component of {0}"),
    Operation("largest", "vector", Function("wp.max"), reduced(NUMBERS, 1, 1), gives.on(lambda a: a),
              each(lambda a: a.max(-1)), slope="kink", phrase="the largest component of {0}"),
    Operation("vector_lerp", "vector", Function("wp.lerp"),
              lambda t: [(t, t, t.element)] if len(t.shape) == 1 and t.is_float else [],
              gives.blend,
              each(lambda a, b, t: a + (b - a) * t[..., None]), phrase="a blend of {0} and {1} by {2}"),
    Operation("build", "vector", Function(""), built, gives.spread, computes.assemble,
              phrase="the components ({})"),
    Operation("splat", "vector", Function(""),
              lambda t: [(t.element,)] if len(t.shape) == 1 and t.is_float else [], gives.on(lambda a: a),
              computes.spread, phrase="a vector of {0}"),
    Operation("component", "component", Subscript(), taken, lambda v, *i: v.range, computes.pick,
              requires=literal_index, phrase="component {1} of {0}"),
    Operation("matrix_vector", "matrix", Infix("*", PRODUCT), matrix_vector,
              lambda m, v: ranges.scale(ranges.mul(m.range, v.range), v.type.size),
              each(lambda m, v: (m @ v[..., None])[..., 0]), phrase="{0} times {1}"),
    Operation("matrix_matrix", "matrix", Infix("*", PRODUCT), matrix_matrix,
              lambda a, b: ranges.scale(ranges.mul(a.range, b.range), b.type.shape[0]), each(np.matmul),
              phrase="the matrix product of {0} and {1}"),
    Operation("transpose", "matrix", Function("wp.transpose"), transposed, gives.on(lambda a: a),
              each(lambda m: m.swapaxes(-1, -2)), phrase="the transpose of {0}"),
    Operation("determinant", "matrix", Function("wp.determinant"), reduced(FLOATS, 2, 1, square=True),
              gives.determinant, each(np.linalg.det), phrase="the determinant of {0}"),
    Operation("trace", "matrix", Function("wp.trace"), reduced(FLOATS, 2, 1, square=True),
              lambda a: ranges.scale(a.range, a.type.shape[0]),
              each(lambda m: np.trace(m, axis1=-2, axis2=-1)), phrase="the trace of {0}"),
    Operation("ddot", "matrix", Function("wp.ddot"), reduced(FLOATS, 2, 2), gives.dot,
              each(lambda a, b: (a * b).sum((-2, -1))), phrase="the double dot product of {0} and {1}"),
    Operation("outer", "matrix", Function("wp.outer"), outer_product, gives.on(ranges.mul),
              each(lambda a, b: a[..., :, None] * b[..., None, :]),
              phrase="the outer product of {0} and {1}"),
    Operation("diag", "matrix", Function("wp.diag"), diagonal, lambda v: v.range.join(Range(0.0, 0.0)),
              each(lambda v: v[..., None] * np.eye(v.shape[-1])), phrase="the diagonal matrix of {0}"),
    Operation("get_diag", "matrix", Function("wp.get_diag"), diagonal_of, gives.on(lambda a: a),
              each(lambda m: np.diagonal(m, axis1=-2, axis2=-1)), phrase="the diagonal of {0}"),
    Operation("skew", "matrix", Function("wp.skew"),
              lambda t: [(Type(t.scalar, (3,)),)] if t.shape == (3, 3) and t.is_float else [],
              lambda v: Range(-v.range.magnitude, v.range.magnitude), computes.cross_matrix,
              phrase="the cross-product matrix of {0}"),
    Operation("inverse", "matrix", Function("wp.inverse"), only((2, 2), (3, 3), (4, 4)), gives.inverse,
              each(np.linalg.inv), requires=gives.dominant, phrase="the inverse of {0}"),
    Operation("matrix_component", "component", Subscript(), taken_from_matrix, lambda m, *i: m.range,
              computes.pick,
              requires=literal_index, phrase="entry ({1}, {2}) of {0}"),
    Operation("matrix_row", "component", Subscript(), matrix_row, lambda m, *i: m.range, computes.pick,
              requires=literal_index, phrase="row {1} of {0}"),
)
# fmt: on


TABLE = {row.name: row for row in _ROWS}


class Illegal(Exception):
    """A tree that breaks a rule: the operation is not defined for these operands."""


def apply(name: str, *operands: Expr, type: Type | None = None) -> Apply:
    """Apply an operation; `type` is needed only where operands do not decide the result.

    Raises `Illegal` where the operand types do not fit, `requires` is broken, or the result could leave
    the limits of its type.
    """
    row = TABLE[name]
    result = _resolved(name, tuple(operand.type for operand in operands), type)
    if result is None:
        raise Illegal(f"{name} does not take operands of these types")
    if not row.requires(*operands):
        raise Illegal(f"{name} is not defined for operands of these ranges")
    span = TRUTH if result == BOOL else row.gives(*operands)
    if result.is_integer:
        span = Range(int(span.lo), int(span.hi))
    if not span.within(LIMITS[result.scalar]):
        raise Illegal(f"{name} may leave the limits of {result.scalar}")
    return Apply(name, tuple(operands), result, span)


def _possible_results(given: tuple[Any, ...]) -> list[Type]:
    """Result types that operands of these types may have."""
    first, last = given[0], given[-1]
    results = [last, first, first.element, BOOL]
    if len(first.shape) == 2:
        results += [Type(first.scalar, first.shape[::-1]), Type(first.scalar, first.shape[:1])]
        results.append(Type(first.scalar, (first.shape[0], last.shape[-1])) if last.shape else first)
    if len(first.shape) == 1 and len(last.shape) == 1:
        results += [Type(first.scalar, (first.shape[0], last.shape[0])), Type(first.scalar, first.shape * 2)]
    return results


@cache
def _resolved(name: str, given: tuple[Type, ...], wanted: Type | None) -> Type | None:
    """The type that operands of these types give: `wanted` where that is one of them."""
    takes = TABLE[name].takes
    results = _possible_results(given) if wanted is None else [wanted]
    return next((result for result in results if given in map(tuple, takes(result))), None)
