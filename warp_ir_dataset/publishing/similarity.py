"""Near duplicates: how alike two kernels are once names and literals no longer count.

A source becomes the set of its 5-grams of Python tokens; names that it defines itself are one word,
literals another, comments and layout are left out, operators stay. How alike two sources are is the
Jaccard similarity of their sets: shared 5-grams over all, exact and not an estimate by hashing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import numpy as np

GRAM = 5
THRESHOLDS = (0.7, 0.8)

# Python's tokens, for sources without backslashes at the ends of lines: kernels have none.
_TOKEN = re.compile(
    r"(?P<layout>\s+|\#[^\n]*)"
    r"|(?P<text>\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\n]*\"|'[^'\n]*')"
    r"|(?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|\*\*=|//=|>>=|<<=|\.\.\.|->|:=|[-+*/%&|^@=!<>]=|\*\*|//|<<|>>|.",
    re.DOTALL,
)
_LITERALS = {"number": "0", "text": "''"}


def own_names(source: str) -> set[str]:
    """Every name that a module defines: functions, structs, members, arguments, locals, aliases."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def tokens(source: str, *, numbered: bool = False) -> Iterator[str]:
    """The words that are compared. Own names are one word, or with `numbered` one word each."""
    own = own_names(source)
    numbers: dict[str, int] = {}
    for match in _TOKEN.finditer(source):
        kind, word = match.lastgroup, match[0]
        if kind == "name" and word in own:
            yield f"name{numbers.setdefault(word, len(numbers)) if numbered else ''}"
        elif kind != "layout":
            yield _LITERALS.get(kind or "", word)


def grams(source: str, *, numbered: bool = False) -> set[str]:
    """All runs of `GRAM` words; all words together where there are fewer."""
    words = list(tokens(source, numbered=numbered))
    return {" ".join(words[k : k + GRAM]) for k in range(max(1, len(words) - GRAM + 1))}


class Vocabulary:
    """Numbers for 5-grams, so that a source is a short array of int64 instead of a set of strings."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._encoded: dict[str, np.ndarray] = {}  # configs share most of their kernels

    def encode(self, source: str) -> np.ndarray:
        """The numbers of a source's 5-grams, each once, in no order."""
        if source not in self._encoded:
            numbers = self._numbers
            found = [numbers.setdefault(gram, len(numbers)) for gram in grams(source)]
            self._encoded[source] = np.array(found, dtype=np.int64)
        return self._encoded[source]


class Corpus:
    """Encoded sources to compare others with, indexed by their 5-grams."""

    def __init__(self, sources: Sequence[np.ndarray]) -> None:
        self._sizes = np.array([len(source) for source in sources], dtype=np.int64)
        members = np.concatenate([*sources, np.empty(0, dtype=np.int64)])
        # Where each 5-gram's sources begin in `owners`, which lists them by 5-gram.
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(members))))
        self._owners = np.repeat(np.arange(len(sources)), self._sizes)[np.argsort(members, kind="stable")]

    def similarities(self, source: np.ndarray) -> np.ndarray:
        """The Jaccard similarity of `source` with each of the corpus: float64, one per source."""
        known = source[source < len(self._starts) - 1]
        found = [self._owners[self._starts[gram] : self._starts[gram + 1]] for gram in known]
        shared = np.bincount(np.concatenate([*found, self._owners[:0]]), minlength=len(self._sizes))
        return shared / (self._sizes + len(source) - shared)

    def nearest(self, source: np.ndarray) -> float:
        """The highest of `similarities`; zero for an empty corpus."""
        return float(self.similarities(source).max(initial=0.0))


def survivors(sources: Sequence[np.ndarray], threshold: float) -> list[int]:
    """Which sources stay when each that is as alike as `threshold` to one kept before it goes."""
    corpus = Corpus(sources)
    kept = np.zeros(len(sources), dtype=bool)
    for number, source in enumerate(sources):
        kept[number] = not (corpus.similarities(source)[kept] >= threshold).any()
    return np.flatnonzero(kept).tolist()
