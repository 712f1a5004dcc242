"""Lays out numbered steps, with steps or cases under them, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

INDENT = "   "


@dataclass(frozen=True)
class Step:
    """A sentence; or the head of `inner` steps or `cases`, without a full stop."""

    text: str
    inner: tuple[Step, ...] = ()
    cases: tuple[str, ...] = ()


def sentence(clause: str) -> Step:
    return Step(capitalized(clause) + ".")


def capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def lines(steps: Sequence[Step], prefix: str = "", indent: str = "") -> Iterator[str]:
    """``1. ...``, ``2. ...``, ``2.1. ...``."""
    for number, step in enumerate(steps, 1):
        label = f"{prefix}{number}."
        yield f"{indent}{label} {step.text}"
        yield from (f"{indent}{INDENT}- {case}" for case in step.cases)
        yield from lines(step.inner, label, indent + INDENT)
