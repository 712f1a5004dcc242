"""A kernel that is sampled again with the memo of its first sample is the same, without a trial run."""

from __future__ import annotations

import pytest

from warp_ir_dataset.synthesis import sampling, template_sampling
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.composing import compose
from warp_ir_dataset.synthesis.memo import MOST, PredicateMemo
from warp_ir_dataset.synthesis.sampling import address_of, sample


def answered(*answers: bool) -> PredicateMemo:
    memo = PredicateMemo()
    for answer in answers:
        assert memo.holds(lambda answer=answer: answer) is answer
    return memo


def never() -> bool:
    raise AssertionError("this predicate is known")


def test_known_answers_are_given_in_their_order_without_evaluation():
    for answers in [(), (False,), (False, False, True), (True, False, False, True, True)]:
        again = PredicateMemo(answered(*answers).code)
        assert tuple(again.holds(never) for _ in answers) == answers
        with pytest.raises(ValueError, match="sample"):
            again.holds(never)


def test_if_there_are_too_many_answers_none_is_kept():
    assert answered(*[False] * MOST).code.bit_length() == MOST + 1 == 64
    assert answered(*[False] * (MOST + 1)).code == 0
    assert PredicateMemo(0).holds(lambda: True)


@pytest.mark.sampled
@pytest.mark.parametrize("category", CATEGORIES)
def test_a_sample_with_its_memo_is_the_same_and_tries_nothing(category, monkeypatch):
    addresses = [address_of(9, category, number) for number in range(2)]
    first = []
    for address in addresses:
        memo = PredicateMemo()
        first.append((sample(address, memo), memo.code))
    for module, name in [
        (sampling, "is_degenerate"),
        (template_sampling, "is_degenerate"),
        (template_sampling, "check"),
        (compose, "is_degenerate"),
        (compose, "values_suit"),
        (compose, "check"),
    ]:
        monkeypatch.setattr(module, name, lambda *_, **__: never())
    for address, (found, code) in zip(addresses, first, strict=True):
        assert sample(address, PredicateMemo(code)) == found
