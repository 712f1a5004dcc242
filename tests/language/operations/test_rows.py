"""Rows of the table of operations are complete: what a column needs is there, and what it says holds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from string import Formatter

import numpy as np
import pytest
from toys.operations import samples_of

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.cuda.forms import form
from warp_ir_dataset.language.operations.row import Operation
from warp_ir_dataset.language.operations.spelling import INFIX, Function
from warp_ir_dataset.language.operations.table import TABLE, infix
from warp_ir_dataset.language.python.reading import rows
from warp_ir_dataset.language.specification.formulas.builders import BUILDERS
from warp_ir_dataset.language.specification.formulas.notes import NOTES
from warp_ir_dataset.language.specification.formulas.parts import STRENGTHS
from warp_ir_dataset.language.types import FLOAT, INT

NOT_PLAIN = {"geometry", "mesh", "volume", "tile"}  # groups of operations that plain CUDA does not have

each_row = pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)


def arities(row: Operation) -> set[int]:
    return {len(operands) for operands, _ in row.signature.instances}


def some(names: Iterator[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", list(names))


# ---- what is written


@each_row
def test_a_formula_has_a_place_for_each_operand(row: Operation) -> None:
    if row.formula in BUILDERS or not row.formula:
        assert row.strength == "atom", "a strength is one of a template"
        has_name = isinstance(row.spelling, Function) and row.spelling.name
        assert row.formula or has_name, "without a formula, an operation goes by the name of a function"
        return
    fields = [
        (place, strength) for _, place, strength, _ in Formatter().parse(row.formula) if place is not None
    ]
    assert {strength for _, strength in fields} <= {*STRENGTHS, ""}
    places = {place for place, _ in fields}
    # An atomic's are its element, and the operands behind the indices.
    count = max(arities(row)) - (4 if row.group == "atomic" else 0)
    assert places in ({""}, {str(place) for place in range(count)})


@each_row
def test_notes_are_in_their_table(row: Operation) -> None:
    assert {note for note in row.notes.split() if not note.endswith("*")} <= {*NOTES}


@each_row
def test_parameters_name_all_operands(row: Operation) -> None:
    for names in row.parameters.split("; ") if row.parameters else ():
        assert len(names.split()) in arities(row)
        assert len({*names.split()}) == len(names.split())


@each_row
def test_a_plain_form_is_there(row: Operation) -> None:
    """Of an atomic, for numbers at least: it may change matrices and half precision in Warp alone."""
    for operands, result in () if row.group in NOT_PLAIN else row.signature.instances:
        if row.group != "atomic" or result in (INT, FLOAT):
            form(ir.Apply(row.name, tuple(ir.Name("x", type) for type in operands), result))


# ---- other rows that a row names


@pytest.mark.parametrize("column", ["turned", "opposite", "relaxed"])
def test_comparisons_are_named_by_each_other(column: str) -> None:
    others = {name: getattr(row, column) for name, row in TABLE.items() if getattr(row, column)}
    assert others and all(others[other] == name for name, other in others.items())


def values(name: str) -> Iterator[tuple[ir.Apply, list[np.ndarray]]]:
    row = TABLE[name]
    for operands, result in row.signature.instances[:6]:
        for sample in samples_of(row, operands, result, 2, 40):
            yield sample.node, sample.values


def agrees(name: str, other: Callable[..., object], *, when: Callable[..., object] | None = None) -> None:
    """That another function of the operands gives the results of an operation."""
    tried = 0
    for node, operands in values(name):
        kept = slice(None) if when is None else np.broadcast_to(when(*operands), operands[0].shape)
        want = np.asarray(TABLE[name].meaning(node.type, *operands))
        found = np.asarray(other(node.type, *operands))
        assert (want[kept] == found[kept]).all()
        tried += want.size
    assert tried


@some(name for name, row in TABLE.items() if row.commutative)
def test_operands_may_change_places(name: str) -> None:
    agrees(name, lambda type, a, b: TABLE[name].meaning(type, b, a))


@some(name for name, row in TABLE.items() if row.turned)
def test_a_comparison_turns_with_its_operands(name: str) -> None:
    agrees(name, lambda type, a, b: TABLE[TABLE[name].turned].meaning(type, b, a))


@some(name for name, row in TABLE.items() if row.opposite)
def test_the_opposite_holds_if_a_comparison_does_not(name: str) -> None:
    agrees(name, lambda type, a, b: ~TABLE[TABLE[name].opposite].meaning(type, a, b))


@some(name for name, row in TABLE.items() if row.relaxed)
def test_equal_operands_alone_relax_a_comparison(name: str) -> None:
    agrees(name, lambda type, a, b: TABLE[TABLE[name].relaxed].meaning(type, a, b), when=operator.ne)


@some(name for name, row in TABLE.items() if row.synonym_of)
def test_a_synonym_computes_the_same(name: str) -> None:
    agrees(name, TABLE[TABLE[name].synonym_of].meaning)


@some(name for name, row in TABLE.items() if row.copies)
def test_a_copy_is_its_operand(name: str) -> None:
    agrees(name, lambda type, operand: operand)


@some(name for name, row in TABLE.items() if row.unlocked)
def test_an_atomic_does_what_it_does_without_its_lock(name: str) -> None:
    row = TABLE[TABLE[name].unlocked]
    assert name == f"atomic_{row.name}" and TABLE[name].commutes is not None
    before, value = np.array([[3.0, -2.0]]), np.array([[1.0, 5.0]])
    assert (TABLE[name].commutes(before, value) == row.meaning(None, before, value)).all()


@some(name for name, row in TABLE.items() if row.augments)
def test_an_atomic_augments_as_its_operator(name: str) -> None:
    row = TABLE[name]
    assert row.augments in INFIX and row.commutes is not None
    operation = infix(row.augments, INT, INT)
    before, value = np.array([[12, 7]]), np.array([[10, 5]])
    assert operation and (row.commutes(before, value) == TABLE[operation].meaning(INT, before, value)).all()


# ---- operands by name


def test_operands_by_name() -> None:
    def found(name: str, placed: int, named: tuple[str, ...]) -> tuple[str, ...]:
        return rows.named_operands(rows.function(name), placed, named)

    assert found("clamp", 1, ("high", "low")) == ("low", "high")
    assert found("atomic_add", 1, ("value", "i")) == ("i", "value")
    assert found("clamp", 1, ("low", "top")) == ()
    assert found("clamp", 2, ("low", "high")) == ()
    assert found("nothing", 0, ("x",)) == ()


@pytest.mark.compile
def test_warp_names_operands_so() -> None:
    from warp._src.context import builtin_functions

    named = {row.spelling.name for row in TABLE.values() if isinstance(row.spelling, Function)}
    names = {name.removeprefix("wp.") for name in named if name.startswith("wp.")}
    assert not names - builtin_functions.keys(), "operations that this Warp has not"
    for row in TABLE.values():
        if row.parameters:
            assert isinstance(row.spelling, Function)
            function = builtin_functions[row.spelling.name.removeprefix("wp.")]
            overloads = getattr(function, "overloads", None) or [function]
            known = {tuple(names.split()) for names in row.parameters.split("; ")}
            assert known <= {tuple(overload.input_types) for overload in overloads}, row.name
