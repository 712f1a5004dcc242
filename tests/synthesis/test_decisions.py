"""Who draws a kernel again is told what was decided the first time, and tries nothing twice."""

from __future__ import annotations

import pytest

from warp_ir_dataset.synthesis import draw as drawing
from warp_ir_dataset.synthesis import perform
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.composing import compose
from warp_ir_dataset.synthesis.decisions import MOST, Decisions
from warp_ir_dataset.synthesis.draw import address_of, draw


def answered(*answers: bool) -> Decisions:
    decided = Decisions()
    for answer in answers:
        assert decided.holds(lambda answer=answer: answer) is answer
    return decided


def never() -> bool:
    raise AssertionError("this was asked before")


def test_answers_are_given_again_in_their_order_and_nothing_is_asked():
    for answers in [(), (False,), (False, False, True), (True, False, False, True, True)]:
        again = Decisions(answered(*answers).code)
        assert tuple(again.holds(never) for _ in answers) == answers
        with pytest.raises(ValueError, match="draw"):
            again.holds(never)


def test_more_answers_than_are_kept_are_asked_for_again():
    assert answered(*[False] * MOST).code.bit_length() == MOST + 1 == 64
    assert answered(*[False] * (MOST + 1)).code == 0
    assert Decisions(0).holds(lambda: True)


@pytest.mark.sampled
@pytest.mark.parametrize("category", CATEGORIES)
def test_a_draw_with_its_decisions_is_the_same_and_tries_nothing(category, monkeypatch):
    addresses = [address_of(9, category, number) for number in range(2)]
    first = []
    for address in addresses:
        decided = Decisions()
        first.append((draw(address, decided), decided.code))
    for module, name in [
        (drawing, "is_degenerate"),
        (perform, "is_degenerate"),
        (perform, "check"),
        (compose, "is_degenerate"),
        (compose, "suits"),
        (compose, "check"),
    ]:
        monkeypatch.setattr(module, name, lambda *_, **__: never())
    for address, (drawn, code) in zip(addresses, first, strict=True):
        assert draw(address, Decisions(code)) == drawn
