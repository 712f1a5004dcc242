"""The result of a validation: a line for each check, and whether all of them passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

SHOWN = 5  # of what is wrong, by a check
_INDENT = "    "


class State(str, Enum):
    PASSED = "passed"
    FAILED = "failed"
    UNPROVED = "unproved"  # it could not be made: neither right nor wrong


@dataclass(frozen=True)
class Finding:
    """The result of one check of one config, or of the folder.

    Attributes:
        check: Name of the check.
        config: Name of the config; None for the folder.
        state: Whether it passed, failed or could not be made.
        counted: How many things were checked.
        unit: What these things are called.
        wrong: How many of them are wrong.
        said: The first of what is wrong, or why the check could not be made.
    """

    check: str
    config: str | None
    state: State
    counted: int
    unit: str
    wrong: int = 0
    said: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        return self.config or "the folder"

    def __str__(self) -> str:
        words = f"{self.counted:,} {self.unit}" if self.state is not State.UNPROVED else ""
        if self.state is State.FAILED:
            words += f", {self.wrong:,} wrong"
        line = f"{self.check:<12}{self.where:<16}{self.state.value:<10}{words}".rstrip()
        return "\n".join([line, *(f"{_INDENT}{said}" for said in self.said)])


@dataclass(frozen=True)
class Validation:
    """The result of a validation.

    Attributes:
        findings: All findings, in the order of the checks.
    """

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether every check was made and passed."""
        return bool(self.findings) and all(found.state is State.PASSED for found in self.findings)

    @property
    def failed(self) -> frozenset[str]:
        """The names of the checks that something failed."""
        return frozenset(found.check for found in self.findings if found.state is State.FAILED)

    def as_json(self) -> dict[str, Any]:
        """Plain values: `ok`, and the fields of each finding."""
        findings = [{**asdict(found), "state": found.state.value} for found in self.findings]
        return {"ok": self.ok, "findings": findings}

    def __str__(self) -> str:
        made = [str(found) for found in self.findings if found.state is not State.UNPROVED]
        return "\n".join([*made, *self._unproved(), "", self._verdict()])

    def _unproved(self) -> Iterator[str]:
        """The checks that could not be made: a line for each config, under their common reason."""
        reasons: dict[tuple[str, ...], dict[str, list[str]]] = {}
        for found in self.findings:
            if found.state is State.UNPROVED:
                reasons.setdefault(found.said, {}).setdefault(found.where, []).append(found.check)
        for said, places in reasons.items():
            yield f"{State.UNPROVED.value}: {'; '.join(said)}"
            yield from (f"{_INDENT}{where:<16}{', '.join(checks)}" for where, checks in places.items())

    def _verdict(self) -> str:
        if self.ok:
            return "Everything is as it should be."
        if self.failed:
            return f"It is not what a build wrote: {', '.join(sorted(self.failed))} failed."
        return "Nothing is wrong, but not everything could be proved here."


def judged(
    check: str, config: str | None, counted: int, unit: str, wrong: Sequence[str], *, count: int | None = None
) -> Finding:
    """The finding of a check that was made: it failed if anything is wrong, or if there was nothing to look
    at. `count` is how many things are wrong, if `wrong` does not tell all."""
    number = len(wrong) if count is None else count
    if not counted and not number:
        return Finding(check, config, State.FAILED, 0, unit, 0, (f"there are no {unit} to look at",))
    state = State.FAILED if number else State.PASSED
    shown = tuple(map(_printable, wrong[:SHOWN]))
    if number > len(shown):
        shown += (f"and {number - len(shown):,} more",)
    return Finding(check, config, state, counted, unit, number, shown)


def _printable(text: str) -> str:
    """A text without what moves a terminal's cursor: a folder may have chosen it."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def unproved(check: str, config: str | None, unit: str, why: str) -> Finding:
    """The finding of a check that could not be made."""
    return Finding(check, config, State.UNPROVED, 0, unit, 0, (why,))
