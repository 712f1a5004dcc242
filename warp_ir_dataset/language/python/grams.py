"""The 5-grams of a kernel's source, with names and literals masked. They measure how similar kernels are.

A source becomes the set of its 5-grams of Python tokens; all names that it defines become one word, all
literals another; comments and layout are dropped. The similarity of two sources is the Jaccard similarity of
their sets: shared 5-grams over all.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .nodes import nodes

GRAM = 5

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
    """Every name that a module defines: functions, structs, members, arguments, locals, aliases. An invalid
    source defines none."""
    names: set[str] = set()
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return names
    for node in nodes(module):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def tokens(source: str, *, numbered: bool = False) -> Iterator[str]:
    """The masked tokens of a source. Its own names are one word, or with `numbered` one word each."""
    own = own_names(source)
    numbers: dict[str, int] = {}
    for match in _TOKEN.finditer(source):
        kind, word = match.lastgroup, match[0]
        if kind == "name" and word in own:
            yield f"name{numbers.setdefault(word, len(numbers)) if numbered else ''}"
        elif kind != "layout":
            yield _LITERALS.get(kind or "", word)


def grams(source: str, *, numbered: bool = False) -> set[str]:
    """All runs of `GRAM` words; all words together if there are fewer."""
    words = list(tokens(source, numbered=numbered))
    return {" ".join(words[k : k + GRAM]) for k in range(max(1, len(words) - GRAM + 1))}
