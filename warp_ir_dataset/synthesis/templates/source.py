"""Parses a template's source: its definitions, with comments as marked strings among the statements."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from .template import Template

ABOVE, BESIDE = "#: ", "#| "
# `ast.unparse` puts the first statement of a function in three quotes, as a docstring.
_MARKED = re.compile(r"""^(\s*)('|"|"{3})(#[:|]) (.*)\2$""")
# Strings, comments, brackets and ends of lines. Python's own tokenizer takes ten times as long, and every
# worker parses every template.
_TOKENS = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|[()\[\]{}]|\n''',
    re.DOTALL,
)

Definition = ast.FunctionDef | ast.ClassDef


@functools.cache
def definitions(template: Template) -> tuple[Definition, ...]:
    """The structs and functions that a template defines, in their order."""
    (outer,) = ast.parse(_with_marks(textwrap.dedent(_source(template.function)))).body
    return tuple(sorted(_inside(outer), key=lambda node: node.lineno))


def _inside(outer: ast.stmt) -> Iterator[Definition]:
    """The definitions inside a statement; expressions hold none."""
    for statement in (*getattr(outer, "body", ()), *getattr(outer, "orelse", ())):
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement
        yield from _inside(statement)


def definition_of(template: Template, thing: Callable[..., Any] | type) -> Definition:
    """The template's definition of a function or a class; of several with one name, the one of `thing`.
    Raises `ValueError` if there is not exactly one."""
    named = [node for node in definitions(template) if node.name == thing.__name__]
    if not isinstance(thing, type):
        line = thing.__code__.co_firstlineno - template.function.__code__.co_firstlineno + 1
        named = [
            node for node in named if min([node.lineno, *(d.lineno for d in node.decorator_list)]) == line
        ]
    if len(named) != 1:
        raise ValueError(f"{template.purpose} defines {thing.__name__} in {len(named)} places")
    return named[0]


def docstring_of(node: ast.FunctionDef) -> str | None:
    """A function's docstring, if it has one: a marked comment at the start of its body is none."""
    found = ast.get_docstring(node)
    return None if found is None or found.startswith((ABOVE, BESIDE)) else found


def _source(function: Callable[..., Any]) -> str:
    """The lines of a function, from its first decorator on."""
    lines, first = inspect.findsource(function)
    head = next(k for k in range(first, len(lines)) if lines[k].lstrip().startswith("def "))
    outside = len(lines[head]) - len(lines[head].lstrip())
    for last in range(head + 1, len(lines)):
        text = lines[last].strip()
        if text and not text.startswith(")") and len(lines[last]) - len(lines[last].lstrip()) <= outside:
            return "".join(lines[first:last])
    return "".join(lines[first:])


def _with_marks(source: str) -> str:
    """The source with comments as statements that are strings: a syntax tree keeps these."""
    if "#" not in source:
        return source
    lines = source.split("\n")
    depth = row = start = 0  # `start` is where the row begins
    for token in _TOKENS.finditer(source):
        text = token.group()
        if text.startswith("#"):
            _mark(lines, row, token.start() - start, text, inside=depth > 0)
        elif text in "([{":
            depth += 1
        elif text in ")]}":
            depth -= 1
        elif (breaks := text.count("\n")) > 0:
            row, start = row + breaks, token.start() + text.rindex("\n") + 1
    return "\n".join(lines)


def _mark(lines: list[str], row: int, column: int, comment: str, *, inside: bool) -> None:
    """Make a comment a string, unless it stands inside an expression of several lines."""
    if comment.startswith("# noqa"):
        return
    text = comment.lstrip("# ")
    before = lines[row][:column]
    if not before.strip():
        lines[row] = f"{before}{ABOVE + text!r}"
    elif not inside and not before.rstrip().endswith(":"):
        lines[row] = f"{before.rstrip()}; {BESIDE + text!r}"


def without_marks(text: str, fill: Callable[[str], str] | None) -> str:
    """The text with its marked strings as comments, their fields filled by `fill`; without them if it is
    None."""
    lines: list[str] = []
    for line in text.split("\n"):
        found = _MARKED.match(line)
        if found is None:
            lines.append(line)
        elif fill is not None:
            indent, _, mark, words = found.groups()
            if f"{mark} " == BESIDE:
                lines[-1] += f"  # {fill(words)}"
            else:
                lines.append(f"{indent}# {fill(words)}")
    return "\n".join(lines)
