"""A page's text, parsed once: its definitions, with comments as marked strings among the statements."""

from __future__ import annotations

import ast
import functools
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Callable
from typing import Any

from .page import Page

ABOVE, BESIDE = "#: ", "#| "
# The first statement of a function is written in three quotes.
_MARKED = re.compile(r"""^(\s*)('|"|"{3})(#[:|]) (.*)\2$""")

Definition = ast.FunctionDef | ast.ClassDef


@functools.cache
def definitions(page: Page) -> tuple[Definition, ...]:
    """The structs and functions that a page defines, in their order."""
    source = textwrap.dedent(inspect.getsource(page.function))
    (outer,) = ast.parse(_with_marks(source)).body
    inner = (node for node in ast.walk(outer) if node is not outer)
    found = [node for node in inner if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    return tuple(sorted(found, key=lambda node: node.lineno))


def definition_of(page: Page, thing: Callable[..., Any] | type) -> Definition:
    """Where the page defines a function or a struct of its own; of several with one name, this one."""
    named = [node for node in definitions(page) if node.name == thing.__name__]
    if not isinstance(thing, type):
        line = thing.__code__.co_firstlineno - page.function.__code__.co_firstlineno + 1
        named = [
            node for node in named if min([node.lineno, *(d.lineno for d in node.decorator_list)]) == line
        ]
    if len(named) != 1:
        raise ValueError(f"{page.purpose} defines {thing.__name__} in {len(named)} places")
    return named[0]


def docstring_of(node: ast.FunctionDef) -> str | None:
    """A function's docstring, which a comment on top of its body is not."""
    told = ast.get_docstring(node)
    return None if told is None or told.startswith((ABOVE, BESIDE)) else told


def _with_marks(source: str) -> str:
    """Comments as strings that are statements, which survive in a tree."""
    lines = source.split("\n")
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        if token.type != tokenize.COMMENT or token.string.startswith("# noqa"):
            continue
        row, column = token.start
        text = token.string.lstrip("# ").replace("'", "’")
        before = lines[row - 1][:column]
        if not before.strip():
            lines[row - 1] = f"{before}'{ABOVE}{text}'"
        elif depth == 0 and not before.rstrip().endswith(":"):
            lines[row - 1] = f"{before.rstrip()}; '{BESIDE}{text}'"
    return "\n".join(lines)


def without_marks(text: str, put_in: Callable[[str], str] | None) -> str:
    """Marked strings as comments again, with words put in, or left out."""
    lines: list[str] = []
    for line in text.split("\n"):
        found = _MARKED.match(line)
        if found is None:
            lines.append(line)
        elif put_in is not None:
            indent, _, mark, words = found.groups()
            if f"{mark} " == BESIDE:
                lines[-1] += f"  # {put_in(words)}"
            else:
                lines.append(f"{indent}# {put_in(words)}")
    return "\n".join(lines)
