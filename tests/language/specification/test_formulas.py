"""The table of formulas: every operation has one, and what it needs explained."""

from __future__ import annotations

import pytest

from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.specification.formulas import parts
from warp_ir_dataset.language.specification.formulas.notes import NOTES
from warp_ir_dataset.language.specification.formulas.parts import Part
from warp_ir_dataset.language.specification.formulas.table import ATOMICS, FORMULAS, NAMED


def test_every_operation_has_one_formula():
    names = [*FORMULAS, *ATOMICS, *NAMED]
    assert sorted(names) == sorted(TABLE) and len(set(names)) == len(names)


def test_every_note_is_there():
    needed = {note for formula in (*FORMULAS.values(), *NAMED.values()) for note in formula.notes}
    assert {note for note in needed if not note.endswith("*")} <= set(NOTES)


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
