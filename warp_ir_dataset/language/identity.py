"""Decides when two kernels are the same: their ids and skeletons (hashes), and the split that follows.

Both are hashes of a program's canonical form, so that a kernel has one of each however it is spelled: the id
keeps literals, the skeleton keeps only their types; a signed literal counts as one literal. `identify` takes
the plain form, out of which style is taken (`canonical.plain`); `identify_meaning` the strong one, which also
undoes choices of spelling such as helper functions, guards and the form of a loop (`canonical.strong`).

Nothing of either depends on the process or the version of Python.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from .canonical.plain import Plain
from .canonical.strong import strong_words
from .program import Program

DIGITS = 16


@dataclass(frozen=True)
class Identity:
    """The two hashes of one program, 16 hexadecimal digits each."""

    id: str
    skeleton: str


def identify(program: Program) -> Identity:
    """The id and the skeleton of a program, whatever its style. Takes some 0.05 ms for a short kernel."""
    form = Plain(program)
    words = form.words
    exact = _digest(words)
    for position, type_name in form.literals:
        words[position] = type_name
    return Identity(exact, _digest(words))


def identify_meaning(program: Program) -> Identity:
    """The id and the skeleton of a program, whatever its spelling. Takes some 0.5 ms.

    Two spellings of one meaning with one signature have one id. Programs of one plain skeleton mostly have
    one skeleton here too: not where a literal decides what is computed, such as a zero that adds nothing.
    A tree that is nested too deep for the strong form, some hundred operations, has the plain one's.
    """
    try:
        exact, masked = strong_words(program)
    except RecursionError:
        return identify(program)
    return Identity(_digest(exact), _digest(masked))


def identify_text(source: str) -> Identity:
    """Of a source that cannot be read: a hash of its text is its id, and its skeleton too."""
    digest = _digest([source])
    return Identity(digest, digest)


def kernel_group(program: Program) -> str:
    """The group of a kernel without a purpose: the skeleton of its meaning. Takes some 0.5 ms."""
    return identify_meaning(program).skeleton


def purpose_group(purpose: str) -> str:
    """The group of a purpose's kernels, whatever their choices."""
    return _digest(["purpose", purpose])


def split_of(group: str) -> str:
    """`train`, `validation` or `test`: eight, one and one of ten buckets of a hash of the group."""
    bucket = int.from_bytes(hashlib.sha256(f"split {group}".encode()).digest()[:8], "big") % 10
    return {8: "validation", 9: "test"}.get(bucket, "train")


def _digest(words: list[str]) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:DIGITS]
