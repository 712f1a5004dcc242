"""pass@k against counting by hand; intervals against what is known of coins."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from warp_ir_dataset.evaluation.measure import Kernel, figures, interval, pass_at


@pytest.mark.parametrize("answers", [1, 2, 5, 8])
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(answers: int) -> None:
    for correct in range(answers + 1):
        right = [place < correct for place in range(answers)]
        for k in range(1, answers + 1):
            draws = [any(draw) for draw in combinations(right, k)]
            assert pass_at(k, answers, correct) == pytest.approx(sum(draws) / len(draws))


def test_a_kernel_without_answers_is_unsolved() -> None:
    assert pass_at(1, 0, 0) == pass_at(8, 0, 0) == 0.0


def test_figures_are_means_over_kernels_and_not_over_answers() -> None:
    kernels = [Kernel("a", "math", 1, 10, 10), Kernel("b", "math", 1, 2, 0), Kernel("c", "math", 2, 2, 1)]
    found = figures(kernels, (1, 2))
    assert found.kernels == 3
    assert found.passes[1].value == pytest.approx(0.5)
    assert found.passes[2].value == pytest.approx(2 / 3)


def test_an_interval_is_that_of_a_coin() -> None:
    """Of 400 tosses of a fair coin: 1.96 standard errors of 0.025 to each side."""
    low, high = interval(np.repeat([0.0, 1.0], 200))
    assert low == pytest.approx(0.5 - 0.049, abs=0.003) and high == pytest.approx(0.5 + 0.049, abs=0.003)


def test_an_interval_is_the_same_always_and_holds_many_kernels() -> None:
    many = np.resize([0.0, 0.25, 1.0], 3_000)
    low, high = interval(many)
    assert interval(many) == (low, high)
    assert high - low == pytest.approx(2 * 1.96 * many.std() / len(many) ** 0.5, rel=0.05)


def test_values_that_do_not_differ_leave_no_room() -> None:
    assert interval(np.ones(7)) == (1.0, 1.0)
