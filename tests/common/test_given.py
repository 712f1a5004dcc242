"""What callers give is held against what it must be, in one line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warp_ir_dataset.common import given
from warp_ir_dataset.common.errors import UserError


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers_are_of_any_kind(value: Any) -> None:
    found = given.whole("n", value, 1, 3)
    assert found == 3 and type(found) is int


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (True, "n .*whole.* 1 to 3.* True"),
        (2.0, r"n .*whole.* 1 to 3.* 2\.0"),
        ("2", "n .*whole.* 1 to 3.* '2'"),
        (None, "n .*whole.* 1 to 3.* None"),
        (0, "n (?!.*whole).* 1 to 3.* 0"),
        pytest.param(10**5000, "n (?!.*whole).* 1 to 3.* digits", id="long"),
    ],
)
def test_other_numbers_are_refused(value: Any, says: str) -> None:
    with pytest.raises(UserError) as raised:
        given.whole("n", value, 1, 3)
    assert re.fullmatch(says, str(raised.value))


@pytest.mark.parametrize(
    ("low", "high", "good", "bad"),
    [(1, 3, (1, 3), (0, 4)), (1, None, (1, 2**63 - 1), (0, 2**63)), (None, 3, (-9, 3), (4,)),
     (None, None, (1 - 2**63, 2**63 - 1), (2**63,))],
)  # fmt: skip
def test_both_ends_of_a_range_belong_to_it(
    low: int | None, high: int | None, good: tuple[int, ...], bad: tuple[int, ...]
) -> None:
    for value in good:
        assert given.whole("n", value, low, high) == value
    for value in bad:
        with pytest.raises(UserError):
            given.whole("n", value, low, high)


def test_a_string_is_one_name_and_no_list() -> None:
    assert given.names("configs", "cuda") == ("cuda",)
    assert given.names("configs", ["cpu", "cuda"]) == ("cpu", "cuda")
    with pytest.raises(UserError, match=r"^rows .*list.* 'cuda'$"):
        given.several("rows", "cuda")
    for value in (None, 3, b"cuda", {"cuda": 1}):
        with pytest.raises(UserError, match=f"^configs .*list.* {re.escape(ascii(value))}$"):
            given.names("configs", value)
    with pytest.raises(UserError, match=r"configs .*string.* 3$"):
        given.names("configs", [3])


@pytest.mark.parametrize("value", [None, 3, b"x", ["x"], "", "a\0b"])
def test_a_path_is_text_or_a_path(value: Any) -> None:
    assert given.folder("folder", "x") == given.folder("folder", Path("x")) == Path("x")
    with pytest.raises(UserError, match=f"^folder .*path.* {re.escape(ascii(value))}$"):
        given.folder("folder", value)


def test_what_is_wrong_is_shown_in_a_short_line() -> None:
    assert given.shown("a\n" * 100).startswith("'a\\na") and len(given.shown("a" * 1000)) < 70
    assert "\n" not in given.shown(np.zeros((3, 3)))
    assert given.shown(10**5000) == "a number of too many digits"


@pytest.mark.parametrize(
    ("value", "meant"),
    [("cudas", "cuda"), ("CUDA", "cuda"), ("cuda-backward", "cuda_backward"), ("gpu", ""), ("", ""), (7, "")],
)
def test_a_name_that_is_close_is_suggested(value: object, meant: str) -> None:
    known = ("cpu", "cuda", "cuda_backward")
    assert given.suggestion(value, known) == (f"did you mean {meant}?" if meant else "")
    assert given.choice(value, known) == (
        given.suggestion(value, known) or "choose from cpu, cuda, cuda_backward"
    )
