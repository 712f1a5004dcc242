"""Validates the arguments that callers of the Python API pass.

Everything here raises `UserError`, whose line names the parameter.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from .errors import UserError
from .redacted import redacted

MOST = 2**63 - 1  # of a number that has no bound of its own
_SHOWN = 60  # characters of what is wrong


def whole(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """A whole number of a range, of Python's or numpy's; True is none, and neither are 1.0 and "1"."""
    least, most = -MOST if low is None else low, MOST if high is None else high
    span = f"at least {least}" if high is None else f"from {least} to {most}"
    kind = "" if low is None else f" of {span}" if high is None else f" {span}"
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise UserError(f"{name} must be a whole number{kind}, not {shown(value)}")
    if not least <= number <= most:
        said = f"at most {most}" if high is None and number > most else span
        raise UserError(f"{name} must be {said}, not {shown(number)}")
    return number


def text(name: str, value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise UserError(f"{name} must be a string, not {shown(value)}")
    return value


def one_of(name: str, value: Any, known: Collection[str]) -> str:
    """One of some names."""
    if not isinstance(value, str) or value not in known:
        raise UserError(f"unknown {name} {shown(value)}: {choice(value, known)}")
    return value


def choice(value: Any, known: Collection[str]) -> str:
    """How to go on after an unknown name: the known name that is close to it, or the list of all."""
    return suggestion(value, known) or f"choose from {', '.join(known)}"


def suggestion(value: Any, known: Collection[str]) -> str:
    """ "did you mean NAME?" if one of the known names is close to `value`, otherwise an empty string."""
    from difflib import get_close_matches

    # At 0.6, the default, who asks for gpu is told cpu.
    near = get_close_matches(value.lower(), known, n=1, cutoff=0.7) if isinstance(value, str) else []
    return f"did you mean {near[0]}?" if near else ""


def names(name: str, value: Any) -> tuple[str, ...]:
    """Several names. A string is one, not its letters."""
    return tuple(text(f"each name in {name}", each) for each in _several(name, value, (str,)))


def several(name: str, value: Any) -> list[Any]:
    """What is given one by one, as in a list. A text or a mapping is one thing, and refused."""
    return list(_several(name, value, ()))


def _several(name: str, value: Any, alone: tuple[type, ...]) -> Iterable[Any]:
    if isinstance(value, alone):
        return [value]
    if isinstance(value, (str, bytes, dict)) or not isinstance(value, Iterable):
        raise UserError(f"{name} must be a list, not {shown(value)}")
    return value


def folder(name: str, value: Any) -> Path:
    """A path, of a folder or a file: text or what `pathlib` makes of it."""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(path := os.fspath(value), str):
        raise UserError(f"{name} must be a path, not {shown(value)}")
    if not path or "\0" in path:
        raise UserError(f"{name} must be a path, not {shown(path)}")
    return Path(path)


def shown(value: Any) -> str:
    """A value in a message: one short line that any terminal shows as it is."""
    try:
        told = redacted(" ".join(ascii(value).split()))
    except RecursionError:
        return "something nested"
    except ValueError:  # Python's own limit
        return "a number of too many digits"
    return told if len(told) <= _SHOWN else f"{told[:_SHOWN]}..."
