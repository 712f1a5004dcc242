"""Makes a kernel's twin: a copy that computes the same, with other names and another spelling.

Models may have seen a published kernel, but not its twin. So the difference between the scores on both
suggests how much a model remembers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...common.rng import Rng
from ...language import ir
from ...language.identity import identify
from ...language.passes.table import normalized
from ...language.rewrite import fresh, map_statements, names_of
from .passes.table import TWIN_PASSES
from .renaming import other_names, under

STEPS = 5  # as many passes are made, if as many find a place
ATTEMPTS = 6  # what one pass does another may undo

_ROLES = ("input", "output")
_OPERATORS = ("+", "-", "*", "/", "·", "=", "(")
_IN_A_LIST = re.compile(r"- (?:`?\w+`?, )*`?")  # what stands before an argument in a list of them


@dataclass(frozen=True)
class Twin:
    """`names` tells what became of the names of the original."""

    program: ir.Program
    names: Mapping[str, str]

    def told(self, text: str) -> str:
        """A specification of the original, with the names that the twin has for its names.

        Whole words are names, but for those that stand there as English words (see `_is_prose`).
        """
        seen = {name: other for name, other in self.names.items() if name in self._outside}
        words = "|".join(map(re.escape, sorted(seen)))
        return re.sub(
            rf"(?<!\w)(?:{words})(?!\w)",
            lambda match: match[0] if _is_prose(match) else seen[match[0]],
            text,
        )

    @property
    def _outside(self) -> set[str]:
        """Names (of the twin's original) that are seen without looking into the kernel."""
        back = {other: name for name, other in self.names.items()}
        seen = {self.program.name, *(argument.name for argument in self.program.arguments)}
        for struct in self.program.structs:
            seen |= {struct.name, *(member for member, _ in struct.members)}
        return {back[name] for name in seen if name in back}


def _is_prose(match: re.Match[str]) -> bool:
    """Whether a word that is also a name is none where it stands: the article "a", a role, "the values". With
    an index, in backticks or beside an operator it is one, and so it is in a list of arguments."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    if after.startswith(("[", ".", "`")) or after.lstrip(" ").startswith(_OPERATORS):
        return False
    if before.rstrip(" ").endswith(_OPERATORS) or _IN_A_LIST.fullmatch(before.rpartition("\n")[2]):
        return False
    return match[0] in ("a", *_ROLES) or re.search(r"\b[Tt]he $", before) is not None


def twin_of(program: ir.Program, seed: str, written: str) -> Twin | None:
    """The twin of a legal program, the same for the same `seed`; None where no pass finds a place that makes
    another kernel of it. Its names are none of the words that were `written` about the original."""
    rng = Rng(f"twin {seed}")
    names = other_names(program, rng, set(re.findall(r"\w+", written)))
    plain = normalized(wordless(under(program, names)))
    for _ in range(ATTEMPTS):
        made = _restructured(plain, rng)
        if identify(made).id != identify(plain).id:
            return Twin(_apart(made, program), names)
    return None


def wordless(program: ir.Program) -> ir.Program:
    """The program without comments and docstrings: words of who wrote the kernel."""

    def without(statement: ir.Stmt) -> Iterable[ir.Stmt]:
        return () if isinstance(statement, ir.Comment) else (statement,)

    functions = tuple(
        replace(f, body=map_statements(f.body, without), docstring=None) for f in program.functions
    )
    body = map_statements(program.body, without)
    return replace(program, body=body, functions=functions, docstring=None)


def _apart(made: ir.Program, original: ir.Program) -> ir.Program:
    """The twin with other names where a pass gave a constant or a local one that the original has."""
    own, theirs = names_of(made), names_of(original)
    return under(made, {name: fresh(own | theirs, name) for name in sorted(own & theirs)})


def _restructured(program: ir.Program, rng: Rng) -> ir.Program:
    """The program after so many passes, or as many as find a place."""
    made, steps = program, 0
    for row in rng.shuffled(list(TWIN_PASSES.values())):
        other = row(made, rng)
        if other is not None:
            made, steps = other, steps + 1
        if steps == STEPS:
            break
    return made
