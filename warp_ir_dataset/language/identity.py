"""Decides when two kernels are the same: their ids and skeletons (hashes), and the split that follows.

The id keeps literals, the skeleton only their types; a signed literal counts as one. `identify` hashes the
canonical text, which has no style (`canonical`). `identify_normal_form` hashes the canonical text of the
normal form: helper functions and locals are inlined, guards are branches, and of several ways to write an
expression one is left.

Both hashes are the same in every process and version of Python.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from . import ir
from .canonical import CanonicalText
from .operations.table import TABLE
from .operations.traits import ATOMICS, NEGATIVE, SYNONYMS, TURNED
from .passes import binding, branches, functions, loops, syntax
from .rewrite import map_bodies, map_expressions, map_statements
from .types import BOOL, FLOATS

DIGITS = 16


@dataclass(frozen=True)
class Identity:
    """The two hashes of one program, 16 hexadecimal digits each."""

    id: str
    skeleton: str


def identify(program: ir.Program) -> Identity:
    """The id and the skeleton of a program, whatever its style. Takes some 0.05 ms for a short kernel."""
    text = CanonicalText(program)
    return _identity(text.words, text.literals)


def identify_normal_form(program: ir.Program) -> Identity:
    """The id and the skeleton of a program's normal form. Takes some 2 ms.

    No number changes the skeleton. A program whose floats are of one type has the ids that it has with floats
    of another type. Some equivalent programs have other ids: those with another order of operands or
    iterations, unrolled loops, swapped branches, a variable that a branch changes instead of a choice, or
    arguments in a struct.

    A tree that is nested too deep, some hundred operations, has the ids of `identify`.
    """
    try:
        text = CanonicalText(_normal_form(program))
    except RecursionError:
        return identify(program)
    words, literals, whole = text.words, text.literals, " ".join(text.words)
    floats = [scalar for scalar in FLOATS if scalar in whole]
    if len(floats) == 1:
        words = [word.replace(floats[0], "float") for word in words]
        literals = [(place, word.replace(floats[0], "float")) for place, word in literals]
    return _identity(words, literals)


def identify_text(source: str) -> Identity:
    """The ids of a source that cannot be read: a hash of its text is its id and its skeleton."""
    digest = _digest([source])
    return Identity(digest, digest)


def kernel_group(program: ir.Program) -> str:
    """The group of a kernel without a purpose: the skeleton of its normal form. Takes some 2 ms."""
    return identify_normal_form(program).skeleton


def purpose_group(purpose: str) -> str:
    """The group of a purpose's kernels, whatever their choices."""
    return _digest(["purpose", purpose])


def split_of(group: str) -> str:
    """`train`, `validation` or `test`: eight, one and one of ten buckets of a hash of the group."""
    bucket = int.from_bytes(hashlib.sha256(f"split {group}".encode()).digest()[:8], "big") % 10
    return {8: "validation", 9: "test"}.get(bucket, "train")


def _identity(words: list[str], literals: Iterable[tuple[int, str]]) -> Identity:
    exact = _digest(words)
    for position, type_name in literals:
        words[position] = type_name
    return Identity(exact, _digest([word for word in words if word]))


def _digest(words: list[str]) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:DIGITS]


# ---- the normal form

# In this order: an augmented assignment is not made a choice, and functions are inlined while names are their
# operands.
_PASSES = (
    branches.guard_to_return,
    syntax.augmented_assignment,
    functions.inline_call,
    partial(functions.inline_body, lone=True),
    binding.inline_local,
    branches.branch_to_choice,
    syntax.to_conjunction,
    syntax.without_full_slices,
    loops.break_to_condition,
    loops.while_to_for,
)
_LESS = {more: less for more, less in TURNED.items() if "g" in more}  # `a > b` is `b < a`
_AUGMENTED = {atomic: operator for operator, atomic in ATOMICS.items()}


def _normal_form(program: ir.Program) -> ir.Program:
    """The normal form: everything inlined, and one of several ways to write each expression.

    Programs that differ only in numbers get the same rewrites, since passes see an index in place of each
    number. The roles of arguments do not matter either: a source does not state them.
    """
    arguments = tuple(replace(argument, role="inout") for argument in program.arguments)
    program = replace(program, signature=replace(program.signature, arguments=arguments))
    numbers: list[float] = [0]
    program = _numbered(program, numbers)
    for variants in _PASSES:
        while (other := next(variants(program), None)) is not None:
            program = other
    return _with_numbers(program, numbers)


def _numbered(program: ir.Program, numbers: list[float]) -> ir.Program:
    """The program with indices into `numbers` in place of numbers, which are appended there. Statements that
    change no output and conversions to the same type are dropped."""

    def expression(node: ir.Expr) -> ir.Expr:
        match node:
            case ir.Literal(value, type) if type != BOOL:
                numbers.append(value)
                return ir.Literal(len(numbers) - 1, type)
            case ir.Apply(operation, (ir.Literal(place) as literal,)) if operation == NEGATIVE:
                numbers[int(place)] *= -1
                return literal
        return _preferred(node)

    def statement(node: ir.Stmt) -> Iterable[ir.Stmt]:
        if isinstance(node, ir.For):
            numbers.append(abs(node.step))
            yield replace(node, step=len(numbers) - 1 if node.step > 0 else 1 - len(numbers))
        elif not isinstance(node, ir.Print | ir.Assert | ir.Pass | ir.Comment):
            yield node

    return map_bodies(program, lambda body: map_statements(map_expressions(body, expression), statement))


def _preferred(node: ir.Expr) -> ir.Expr:
    match node:
        case ir.Apply(operation, (operand,)) if TABLE[operation].converts and operand.type == node.type:
            return operand
        case ir.Apply(operation) if operation in SYNONYMS:
            return replace(node, operation=SYNONYMS[operation])
    return node


def _with_numbers(program: ir.Program, numbers: list[float]) -> ir.Program:
    """The program with its numbers again, `>` as `<`, and atomics whose old value is not used as ``a[i] +=
    x``."""

    def expression(node: ir.Expr) -> ir.Expr:
        match node:
            case ir.Literal(place, type) if type != BOOL:
                return ir.Literal(numbers[int(place)], type)
            case ir.Apply(operation, (left, right)) if operation in _LESS:
                return replace(node, operation=_LESS[operation], operands=(right, left))
        return node

    def statement(node: ir.Stmt) -> Iterable[ir.Stmt]:
        if isinstance(node, ir.For):
            step = int(numbers[abs(node.step)])
            node = replace(node, step=step if node.step > 0 else -step)
        match node:
            case ir.Do(ir.Apply(operation, (array, *index, value))) if operation in _AUGMENTED:
                yield ir.Accumulate(ir.Load(array, tuple(index), value.type), _AUGMENTED[operation], value)
            case _:
                yield node

    return map_bodies(program, lambda body: map_statements(map_expressions(body, expression), statement))
