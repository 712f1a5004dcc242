"""Which inputs tell a mutant from its program."""

from __future__ import annotations

import numpy as np
from toys.texts import program

from warp_ir_dataset.proof.bite import Bitten
from warp_ir_dataset.proof.inputs import make_inputs

BODY = "if n > 5:\n    o[i] = a[i] * 2.0\nelse:\n    o[i] = a[i]"


def told(before: str, after: str, *ms: int):
    start = program(before)
    given = make_inputs(start.signature, "bite")
    sets = [{**given, "n": np.array(m)} if "n" in given else given for m in ms]
    return Bitten(start, sets).by(program(after))


def test_the_inputs_that_show_a_mistake_see_it() -> None:
    found = told(BODY, BODY.replace("2.0", "3.0"), 1, 6, 7, 2)
    assert found.seen.tolist() == [False, True, True, False] and not found.same


def test_what_no_input_shows_is_equivalent() -> None:
    found = told(BODY, BODY.replace("n > 5", "n > 4"), 1, 6, 7)
    assert not found.seen.any() and found.same


def test_what_is_told_in_other_words_is_equivalent() -> None:
    assert told("o[i] = a[i] + b[i]", "o[i] = b[i] + a[i]", 0).same
    assert told("x = a[i]\no[i] = x * x", "o[i] = a[i] * a[i]", 0).same


def test_what_is_smaller_than_a_tolerance_is_not_seen_but_another_program() -> None:
    found = told("o[i] = a[i]", "o[i] = a[i] + 0.00001", 0)
    assert not found.seen.any() and not found.same


def test_what_leaves_an_array_is_seen_by_the_inputs_that_show_it() -> None:
    found = told("o[i] = a[n]", "o[i] = a[n + 4]", 0, 6, 7)
    assert found.seen.all() and not found.same
    found = told("if n > 5:\n    o[i] = a[0]", "if n > 5:\n    o[i] = a[n + 4]", 0, 6, 7)
    assert found.seen.tolist() == [False, True, True] and not found.same
    assert not found.ends and told(BODY, BODY, 1).ends
