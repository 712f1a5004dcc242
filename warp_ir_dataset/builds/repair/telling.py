"""Describes a failed run in words: the first wrong number and the expected one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...proof.verify import TOLERANCE
from ..numbers import plain

MOST_INPUTS = 700  # characters of a case's inputs that a message may hold


def first_difference(example: Mapping[str, Any], left: Mapping[str, np.ndarray], how: str) -> str | None:
    """What a kernel left that should have left an example's outputs; None where it is the same.

    `example` is one of `Proof.examples`, `how` says how the kernel was run. An element counts where it is
    further off than two texts of one kernel may be.
    """
    for name, expected in example["outputs"].items():
        expected = np.asarray(expected)
        wrong = _differs(np.asarray(left[name]), expected)
        if not wrong.any():
            continue
        index = tuple(map(int, np.argwhere(wrong)[0]))
        got = np.asarray(left[name]).astype(expected.dtype)[index]
        return (
            f"Launched over {tuple(example['launch_dim'])} {how}, the kernel leaves {_number(got)} at"
            f" {name}[{', '.join(map(str, index))}], where {_number(expected[index])} should be; of"
            f" {expected.size} numbers in {name}, wrong ones: {int(wrong.sum())}.{_inputs(example)}"
        )
    return None


def _differs(left: np.ndarray, expected: np.ndarray) -> np.ndarray:
    if expected.dtype.kind != "f":
        return np.asarray(left != expected)
    with np.errstate(invalid="ignore"):
        size = np.abs(expected) + np.abs(expected).max(initial=0.0)
        near = np.abs(left - expected) <= TOLERANCE[expected.dtype.name] * size
    return np.asarray(~near)


def _number(value: Any) -> str:
    return str(plain(value))


def _inputs(example: Mapping[str, Any]) -> str:
    """The inputs, if they are few."""
    text = json.dumps({name: plain(value) for name, value in example["inputs"].items()})
    return f" The inputs are {text}." if len(text) <= MOST_INPUTS else ""
