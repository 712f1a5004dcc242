"""Programs and texts that compute the same in another way and round otherwise, for `verdicts.py`.

Sums run backwards or in pairs, products are written out or factored, quotients are products with a
reciprocal, steps are done in double precision, or with one rounding for a product and a sum, as nvcc compiles
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from warp_ir_dataset.builds.handwritten.passes.folding import plus
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.operations.table import TABLE, result_type
from warp_ir_dataset.language.operations.traits import MINUS, PLUS, POWERS, TIMES
from warp_ir_dataset.language.rewrite import (
    map_bodies,
    map_expressions,
    map_statements,
    names_in,
)
from warp_ir_dataset.language.types import FLOAT, WIDEST_FLOAT, Scalar
from warp_ir_dataset.language.walks import statements

SUMS = (PLUS, MINUS)
QUOTIENT, NEGATIVE = "div", "neg"
PRODUCTS = (TIMES, "scale_left", "scale_right")
STEPS = (PLUS, MINUS, TIMES, QUOTIENT)
WIDE = Scalar(WIDEST_FLOAT)

Change = Callable[[ir.Program], ir.Program]


def _everywhere(change: Callable[[ir.Expr], ir.Expr]) -> Change:
    return lambda program: map_bodies(program, lambda body: map_expressions(body, change))


def _is_sum(node: ir.Expr) -> bool:
    if not (isinstance(node, ir.Apply) and node.operation in SUMS and node.type.is_float):
        return False
    return all(operand.type == node.type for operand in node.operands)


# ---- sums


def _reassociated(node: ir.Expr) -> ir.Expr:
    """``a + b + c`` as ``a + (b + c)``."""
    if not (isinstance(node, ir.Apply) and _is_sum(node)):
        return node
    left, right = node.operands
    if not (isinstance(left, ir.Apply) and _is_sum(left) and left.operation == PLUS):
        return node
    return ir.Apply(
        PLUS, (left.operands[0], ir.Apply(node.operation, (left.operands[1], right), node.type)), node.type
    )


Term = tuple[bool, ir.Expr]  # whether it is added, and what


def _terms(node: ir.Expr, added: bool = True) -> Iterator[Term]:
    if not (isinstance(node, ir.Apply) and _is_sum(node)):
        yield added, node
        return
    left, right = node.operands
    yield from _terms(left, added)
    yield from _terms(right, added == (node.operation == PLUS))


def _joined(first: Term, second: Term) -> Term:
    type = first[1].type
    if first[0] == second[0]:
        return first[0], ir.Apply(PLUS, (first[1], second[1]), type)
    one, other = (first, second) if first[0] else (second, first)
    return True, ir.Apply(MINUS, (one[1], other[1]), type)


def _in_pairs(terms: Sequence[Term]) -> Term:
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return _joined(_in_pairs(terms[:half]), _in_pairs(terms[half:]))


def _in_reverse(terms: Sequence[Term]) -> Term:
    *others, found = terms
    for term in reversed(others):
        found = _joined(found, term)
    return found


def _summed(order: Callable[[Sequence[Term]], Term]) -> Change:
    """Sums of three or more terms in another order."""

    def change(node: ir.Expr) -> ir.Expr:
        terms = [*_terms(node)]
        if len(terms) < 3:
            return node
        added, made = order(terms)
        return made if added else ir.Apply(NEGATIVE, (made,), made.type)

    return _everywhere(change)


def _loops_backwards(program: ir.Program) -> ir.Program:
    """Loops that only add up, last term first."""

    def change(statement: ir.Stmt) -> Iterator[ir.Stmt]:
        if isinstance(statement, ir.For) and statement.step == 1 and _only_adds(statement):
            start, stop = plus(statement.stop, -1), plus(statement.start, -1)
            yield ir.For(statement.target, start, stop, -1, statement.body)
        else:
            yield statement

    return map_bodies(program, lambda body: map_statements(body, change))


def _only_adds(loop: ir.For) -> bool:
    """Whether a loop's statements only name values and add to what none of them reads."""
    inner = [*statements(loop.body)]
    sums = set()
    for statement in inner:
        match statement:
            case ir.Accumulate(ir.Name(name), "+" | "-"):
                sums.add(name)
            case ir.Let() | ir.Comment() | ir.For():
                pass
            case _:
                return False
    read = {name for each in inner for name in _read_by(each)}
    return bool(sums) and not sums & read


def _read_by(statement: ir.Stmt) -> Iterator[str]:
    match statement:
        case ir.Accumulate(_, _, value) | ir.Let(_, value):
            yield from names_in(value)
        case ir.For(_, start, stop):
            yield from names_in((start, stop))


# ---- products


def _distributed(node: ir.Expr) -> ir.Expr:
    """``a * (b + c)`` as ``a * b + a * c``."""
    if not (isinstance(node, ir.Apply) and node.operation in PRODUCTS and node.type.is_float):
        return node
    for place, operand in enumerate(node.operands):
        if isinstance(operand, ir.Apply) and _is_sum(operand):
            parts = []
            for term in operand.operands:
                given = (term, node.operands[1]) if place == 0 else (node.operands[0], term)
                parts.append(replace(node, operands=given))
            return ir.Apply(operand.operation, tuple(parts), node.type)
    return node


def _factored(node: ir.Expr) -> ir.Expr:
    """``a * x + b * x`` as ``(a + b) * x``."""
    if not (isinstance(node, ir.Apply) and _is_sum(node) and isinstance(node.type, Scalar)):
        return node
    left, right = node.operands
    if not all(isinstance(each, ir.Apply) and each.operation == TIMES for each in (left, right)):
        return node
    assert isinstance(left, ir.Apply) and isinstance(right, ir.Apply)
    for place, shared in enumerate(left.operands):
        if shared in right.operands:
            others = left.operands[1 - place], right.operands[1 - right.operands.index(shared)]
            return ir.Apply(TIMES, (ir.Apply(node.operation, others, node.type), shared), node.type)
    return node


def _by_reciprocals(node: ir.Expr) -> ir.Expr:
    """``a / b`` as ``a * (1 / b)``."""
    if not (isinstance(node, ir.Apply) and node.operation == QUOTIENT and node.type == node.operands[1].type):
        return node
    above, below = node.operands
    if not isinstance(node.type, Scalar) or above == ir.Literal(1.0, node.type):
        return node
    if isinstance(below, ir.Literal):
        inverse: ir.Expr = ir.Literal(1.0 / float(below.value), node.type)
    else:
        inverse = ir.Apply(QUOTIENT, (ir.Literal(1.0, node.type), below), node.type)
    return ir.Apply(TIMES, (above, inverse), node.type)


def _powers_multiplied(node: ir.Expr) -> ir.Expr:
    """``x ** 3`` as ``x * x * x``."""
    if not (isinstance(node, ir.Apply) and node.operation in POWERS and node.type.is_float):
        return node
    base, exponent = node.operands
    if not (
        isinstance(exponent, ir.Literal)
        and exponent.value in (2, 3, 4)
        and isinstance(base, ir.Name | ir.Load)
    ):
        return node
    made: ir.Expr = base
    for _ in range(int(exponent.value) - 1):
        made = ir.Apply(TIMES, (made, base), node.type)
    return made


# ---- precision


def _in_double(program: ir.Program) -> ir.Program:
    """Sums and products of float32 in float64, rounded once at the end of each expression."""
    narrow, widen = _conversion(WIDE, FLOAT), _conversion(FLOAT, WIDE)
    # Warp defines a constant that is converted in a branch inside that branch alone, whoever needs it later.
    constants = {each.name: each.value for each in program.constants}

    def wide(node: ir.Expr) -> ir.Expr:
        if isinstance(node, ir.Name):
            node = constants.get(node.name, node)
        if isinstance(node, ir.Apply) and node.operation in STEPS and node.type == FLOAT:
            return ir.Apply(node.operation, tuple(map(wide, node.operands)), WIDE)
        if isinstance(node, ir.Apply) and node.operation == narrow and node.operands[0].type == WIDE:
            return node.operands[0]
        return replace(node, type=WIDE) if isinstance(node, ir.Literal) else ir.Apply(widen, (node,), WIDE)

    def change(node: ir.Expr) -> ir.Expr:
        if isinstance(node, ir.Apply) and node.operation in STEPS and node.type == FLOAT:
            return ir.Apply(narrow, (wide(node),), FLOAT)
        return node

    return _everywhere(change)(program)


def _conversion(given: Scalar, wanted: Scalar) -> str:
    return next(
        name
        for name, row in TABLE.items()
        if row.converts and result_type(name, (given,), wanted) is not None
    )


# ---- texts

_DECLARED = re.compile(r"^[ \t]*(?:const )?wp::float(32|64) (var_\w+)(?: = .*)?[,;){]+$")
_CHANGED = re.compile(r"^[ \t]*(?:(var_\w+) = |wp::assign\((var_\w+),)")
_STEP = re.compile(r"^([ \t]*)(var_\w+) = wp::(add|sub)\((var_\w+), (var_\w+)\);$")
_PRODUCT = re.compile(r"^[ \t]*(var_\w+) = wp::mul\((var_\w+), (var_\w+)\);$")


def fused(text: str) -> str:
    """Text of Warp's where a sum takes a product of the lines before it, and rounds once for both."""
    lines, products = text.split("\n"), dict[str, tuple[str, str]]()
    kinds: dict[str, str] = {}
    for number, line in enumerate(lines):
        if "{" in line or "}" in line or line.endswith(":"):
            products.clear()  # what stands in another block may not have run
        if line.startswith("}"):
            kinds.clear()
        if declared := _DECLARED.match(line):
            kinds[declared[2]] = declared[1]
        if changed := _CHANGED.match(line):
            name = changed[1] or changed[2]
            products = {made: of for made, of in products.items() if name != made and name not in of}
        if product := _PRODUCT.match(line):
            products[product[1]] = product[2], product[3]
            continue
        step = _STEP.match(line)
        if step is None:
            continue
        indent, made, operation, first, second = step.groups()
        if len({kinds.get(name) for name in (made, first, second)}) != 1 or made not in kinds:
            continue
        name = "fmaf" if kinds[made] == "32" else "fma"
        if second in products:
            one, other = products[second]
            one = f"-{one}" if operation == "sub" else one
            lines[number] = f"{indent}{made} = {name}({one}, {other}, {first});"
        elif first in products:
            one, other = products[first]
            last = f"-{second}" if operation == "sub" else second
            lines[number] = f"{indent}{made} = {name}({one}, {other}, {last});"
    return "\n".join(lines)


CHANGES: Mapping[str, Change] = {
    "sums from the right": _everywhere(_reassociated),
    "sums in reverse": _summed(_in_reverse),
    "sums in pairs": _summed(_in_pairs),
    "loops that add run backwards": _loops_backwards,
    "products written out": _everywhere(_distributed),
    "sums factored": _everywhere(_factored),
    "quotients by reciprocals": _everywhere(_by_reciprocals),
    "powers multiplied": _everywhere(_powers_multiplied),
    "steps in double precision": _in_double,
}
