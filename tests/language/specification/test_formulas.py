"""Formulas: brackets stand where they are needed, notes are one line each, and each says what is computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from blind.read import Unreadable, read
from toys.kernels.in_plain_cuda import one_operation
from toys.native import cases
from toys.operations import BY_FILE

from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.operations.row import Operation
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.specification.formulas import parts
from warp_ir_dataset.language.specification.formulas.notes import NOTES
from warp_ir_dataset.language.specification.formulas.parts import Part
from warp_ir_dataset.language.specification.write import specify


def test_notes_are_one_line_each():
    assert all(text.endswith(".") and "\n" not in text for text in NOTES.values())


A, B, C = Part("a"), Part("b"), Part("c")
AB = parts.multiplied(A, B)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (parts.added(A, parts.added(B, C)), "a + b + c"),
        (parts.added(A, parts.negated(B)), "a - b"),
        (parts.added(A, parts.subtracted(parts.negated(B), C)), "a - b - c"),
        (parts.subtracted(A, parts.added(B, C)), "a - (b + c)"),
        (parts.subtracted(A, parts.negated(B)), "a + b"),
        (parts.multiplied(A, parts.added(B, C)), "a·(b + c)"),
        (parts.multiplied(A, parts.negated(B)), "a·(-b)"),
        (parts.multiplied(parts.negated(A), B), "-a·b"),
        (parts.multiplied(parts.negated(parts.divided(A, B)), C), "-(a / b)·c"),
        (parts.multiplied(A, parts.divided(B, C)), "a·(b / c)"),
        (parts.divided(AB, C), "a·b / c"),
        (parts.divided(A, AB), "a / (a·b)"),
        (parts.divided(parts.divided(A, B), C), "(a / b) / c"),
        (parts.divided(parts.negated(A), B), "-a / b"),
        (parts.negated(parts.added(A, B)), "-(a + b)"),
        (parts.negated(parts.negated(A)), "-(-a)"),
    ],
)
def test_brackets_stand_where_they_are_needed(part, text):
    assert part.text == text


# Formulas with functions that the mechanical reader does not know, or rounds where integers are exact.
NOT_READ = {
    *("erfinv", "erfcinv", "bool_to_number", "bits_of_float", "float_of_bits", "whole_length_sq"),
    *("norm_huber", "norm_pseudo_huber", "smooth_normalize", "spatial_vector", "spatial_top"),
    *("norm_huber_of_one", "norm_pseudo_huber_of_one", "smooth_normalize_of_one", "spatial_bottom"),
}


def is_computed(row: Operation) -> bool:
    """Whether the mechanical reader, given a specification with the formula of a row, computes what the row
    means."""
    tried = one_operation(next(cases(row)), "kernel")
    (inputs,) = tried.inputs
    wanted = interpret(tried.program, {name: value[None] for name, value in inputs.items()}, 1)
    try:
        found = read(specify(tried.program)).launched(inputs)
    except Unreadable:
        return False
    return all(
        np.allclose(found[name], value[0], rtol=1e-5, atol=1e-6, equal_nan=True)
        for name, value in wanted.items()
    )


@pytest.mark.parametrize("file", BY_FILE)
def test_a_formula_says_what_its_operation_computes(file: str) -> None:
    rows = [row for row in BY_FILE[file] if row.formula]
    assert {row.name for row in rows if not is_computed(row)} == NOT_READ & {row.name for row in rows}


@pytest.mark.parametrize(("name", "formula"), [("erf", "erfc({0})"), ("sub", "{1} - {0}")])
def test_a_wrong_formula_is_noticed(name: str, formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE, name, replace(TABLE[name], formula=formula))
    assert not is_computed(TABLE[name])
