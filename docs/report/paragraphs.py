"""Breaks the paragraphs of a Markdown text anew, as numbers in place of placeholders change their lines."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator

WIDTH = 120
# A line that stays as it is: of a table, a heading, or HTML.
FIXED = re.compile(r"[|#<]")
# What a line within a paragraph may not begin with, since Markdown would take it for something else.
MARKER = re.compile(r"([-+*>]|#+|\d+[.)])(\s|$)|\||```|<")
ITEM = re.compile(r"(- |> |\d+\. )?(.*)", re.DOTALL)


def rewrapped(text: str) -> str:
    """The text, in which no line of a paragraph or of an item of a list is longer than `WIDTH`, but for one
    long word. Code, tables, headings and HTML stay as they are."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _rewrapped(part) for part in parts)


def _rewrapped(text: str) -> str:
    ends = "\n" if text.endswith("\n") else ""
    return "\n".join(itertools.chain.from_iterable(map(_broken, _blocks(text.splitlines())))) + ends


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Lines that belong together: a paragraph, an item, or one line that stays as it is."""
    block: list[str] = []
    for line in lines:
        alone = not line or FIXED.match(line) is not None
        begins = alone or re.match(r"(- |> |\d+\. )", line) is not None
        if begins and block:
            yield block
            block = []
        if alone:
            yield [line]
        else:
            block.append(line)
    if block:
        yield block


def _broken(block: list[str]) -> list[str]:
    if not block[0] or FIXED.match(block[0]):
        return block
    joined = " ".join(line.strip() for line in block)
    found = ITEM.match(joined)
    assert found is not None
    mark, words = found[1] or "", found[2]
    indent = "> " if mark == "> " else " " * len(mark)
    lines = textwrap.wrap(
        words, WIDTH - len(mark), break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
    return [(indent if at else mark) + line for at, line in enumerate(_without_markers(lines))]


def _without_markers(lines: list[str]) -> list[str]:
    """A line that begins with a marker takes the last word of the line before it."""
    for at in range(len(lines) - 1, 0, -1):
        while MARKER.match(lines[at]) and " " in lines[at - 1]:
            lines[at - 1], _, word = lines[at - 1].rpartition(" ")
            lines[at] = f"{word} {lines[at]}"
    return lines
