"""Parses a template's text once: its definitions, with comments as marked strings among the statements."""

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
# The first statement of a function is written in three quotes.
_MARKED = re.compile(r"""^(\s*)('|"|"{3})(#[:|]) (.*)\2$""")
# What a comment may not be mistaken for, and what it may stand in. Python's own tokenizer takes ten times as
# long, and every worker reads every template.
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
    """The definitions among a statement's inner ones; expressions hold none."""
    for statement in (*getattr(outer, "body", ()), *getattr(outer, "orelse", ())):
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement
        yield from _inside(statement)


def definition_of(template: Template, thing: Callable[..., Any] | type) -> Definition:
    """Where the template defines a function or a struct of its own; of several with one name, this one."""
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
    """A function's docstring, which a comment on top of its body is not."""
    told = ast.get_docstring(node)
    return None if told is None or told.startswith((ABOVE, BESIDE)) else told


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
    """Comments as strings that are statements, which survive in a tree."""
    if "#" not in source:
        return source
    lines = source.split("\n")
    depth = row = start = 0  # `start` is where the row begins
    for token in _TOKENS.finditer(source):
        said = token.group()
        if said.startswith("#"):
            _mark(lines, row, token.start() - start, said, inside=depth > 0)
        elif said in "([{":
            depth += 1
        elif said in ")]}":
            depth -= 1
        elif (breaks := said.count("\n")) > 0:
            row, start = row + breaks, token.start() + said.rindex("\n") + 1
    return "\n".join(lines)


def _mark(lines: list[str], row: int, column: int, comment: str, *, inside: bool) -> None:
    """Make a comment a string, but for one beside the parts of an expression of several lines."""
    if comment.startswith("# noqa"):
        return
    text = comment.lstrip("# ")
    before = lines[row][:column]
    if not before.strip():
        lines[row] = f"{before}{ABOVE + text!r}"
    elif not inside and not before.rstrip().endswith(":"):
        lines[row] = f"{before.rstrip()}; {BESIDE + text!r}"


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
