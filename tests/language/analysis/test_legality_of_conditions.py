"""What stands in a truth value is looked at, wherever the truth value stands."""

from __future__ import annotations

import pytest
from toys.texts import program

from warp_ir_dataset.language.analysis.intervals import Illegal
from warp_ir_dataset.language.analysis.legality import check


@pytest.mark.parametrize(
    "body",
    [
        "same = c[i + 1] == 3\no[i] = wp.where(same, a[i], 0.0)",
        "o[i] = wp.where(a[i + 1] > 0.5, a[i], 0.0)",
        "same = c[i] == 3 and a[i + 1] > 0.5\no[i] = wp.where(same, a[i], 0.0)",
        "inside = a[i + 1] > 0.5 and i < 7\no[i] = wp.where(inside, a[i], 0.0)",
        "other = not a[i + 1] > 0.5\no[i] = wp.where(other, a[i], 0.0)",
    ],
)
@pytest.mark.parametrize("sampled", [False, True])
def test_an_index_in_a_truth_value_must_be_in_bounds(body, sampled):
    with pytest.raises(Illegal, match=r"index of [ac] .*bounds"):
        check(program(body), sampled=sampled)


@pytest.mark.parametrize(
    "body",
    [
        "inside = i < 7 and a[i + 1] > 0.5\no[i] = wp.where(inside, a[i], 0.0)",
        "outside = i >= 7 or a[i + 1] > 0.5\no[i] = wp.where(outside, a[i], 0.0)",
    ],
)
def test_what_stands_behind_a_condition_is_asked_only_where_it_holds(body):
    check(program(body))


def test_a_condition_that_is_only_kept_narrows_nothing():
    with pytest.raises(Illegal, match=r"index of a .*bounds"):
        check(program("inside = i < 7 and b[i] > 0.5\no[i] = wp.where(inside, a[i + 1], 0.0)"))
