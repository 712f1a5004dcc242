"""Compiles all Python answers to one row in one unit, at a fraction of the cost of compiling each alone.

A text that a model wrote could reach into its neighbours'. So a unit is for what Warp makes of programs that
were read and written anew, without their comments and if it holds no strings: names and numbers are all that
is left of an answer there. Each still runs in a process of its own; and where anything is wrong with a unit,
its answers are compiled one by one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...compilers import units
from ...compilers.units import Member
from ...compilers.warp import Translation
from .. import candidate
from ..cage.cage import Cage
from ..cage.job import Ended, Limits, Sources, Translated, Unit
from ..candidate import Candidate

# A unit that takes longer than a quarter of an answer's time holds one that nobody should wait for.
QUICK = 4
LONGEST = 10_000  # characters of a source that is compiled with others: a longer one may take too long
LONGEST_TEXT = 100_000  # of what it is translated to
_COMMENT = re.compile(r"^(\}?)[ \t]*//[^\n]*", re.MULTILINE)  # Warp's stand alone, or behind a brace
_SPOKEN = re.compile(r"""["'\\]|//|/\*""")


@dataclass(frozen=True)
class Shared:
    """What some sources were translated to, and their candidates, whose units are one that is compiled: an
    object in the file in memory `compiled`, which is the owner's to close."""

    compiled: int
    made: dict[str, tuple[Translated, Candidate]]

    def close(self) -> None:
        os.close(self.compiled)


def share(
    cage: Cage,
    sources: Sequence[str],
    name: str,
    own: Translation,
    limits: Limits,
    refused: Callable[[Translated], object],
) -> Shared | None:
    """Compile sources of the kernel `name`, which the project wrote, as far as that can be done together.
    None where there are no two of them, or where it fails. Those without a translation, or whose is
    `refused`, are left out. `own` is what Warp makes of the row's source.
    """
    limits = replace(limits, load_seconds=limits.load_seconds / QUICK)
    sources = [source for source in dict.fromkeys(sources) if len(source) <= LONGEST]
    if len(sources) < 2:
        return None
    made = cage.translate(Sources(tuple(sources), name, limits))
    if isinstance(made, Ended):
        return None
    kept: dict[str, tuple[Translated, Member]] = {}
    for source, text in zip(sources, made, strict=True):
        bare = None if text is None or refused(text) else _bare(text)
        if text is not None and bare is not None:
            kept[source] = text, candidate.member(bare, own, f"k{len(kept)}")
    if len(kept) < 2:
        return None
    compiled = cage.build(Unit(units.native_unit([member for _, member in kept.values()]), limits))
    if isinstance(compiled, Ended):
        return None
    found = {
        source: (text, Candidate("", *member.cpu_symbols, compiled=compiled))
        for source, (text, member) in kept.items()
    }
    return Shared(compiled, found)


def _bare(made: Translated) -> Translated | None:
    """The same without comments; None if it is too long, or something else in it is not code."""
    text = _COMMENT.sub(r"\1", made.text)
    spoken = _SPOKEN.search(text.replace('extern "C"', ""))
    return None if spoken or len(text) > LONGEST_TEXT else replace(made, text=text)
