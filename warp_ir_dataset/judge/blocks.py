"""Finds the blocks of code in a text: fenced ones, ``<code>``, and the strings in calls of tools."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.saxutils import unescape

TAKEN = 64  # blocks that are looked at, from the last one on
FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^`<\n]*)$", re.MULTILINE)
# Languages of blocks that show how code is used, or what it prints.
_SHOWN = """
bash sh shell zsh fish console terminal shell-session shellsession cmd bat powershell
text txt plain plaintext output stdout log json yaml toml ini csv diff patch make makefile cmake
latex tex math html xml
"""
_NO_CODE = frozenset(_SHOWN.split())
# Languages of blocks in which a call of a tool may stand.
_OF_CALLS = frozenset({"json", "xml", "tool_call", "tool_code"})

# Tags around code, and around a call of a tool whose arguments are JSON.
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>code|content|file_text|parameter|argument|arg_value"
    r"|tool_call|function_call|tool_use)"
    r"(?:[=\s][^<>]*)?>",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"//|/\*")  # of code that speaks of a tag
_DATA = "<![CDATA[", "]]>"
_AROUND_CODE = frozenset({"code", "content", "file_text", "parameter", "argument", "arg_value"})
_JSON = re.compile(r"^[ \t]*(?=[{\[]\s*[\"{])", re.MULTILINE)
_TRIED = 16  # places where JSON may begin

# What the last sentence before a block says of it, unless it also says something of another block.
_BEFORE = 300  # characters
_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_OWN_TAGS = re.compile(r"(?:<[^<>\n]*>\s*)+\Z")
_WRONG = re.compile(
    r"\b(?:wrong|incorrect|mistakes?|mistaken|buggy|broken|flawed|erroneous|not\s+(?:correct|right))\b|❌"
    r"|\b(?:do\s+not|don't|never)\s+(?:write|use|do)\s+(?:this|that|it)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:(?<!not )(?:right|correct)|correct(?:ed|ion|ly)|fix(?:ed|es|ing)?|instead|better|new"
    r"|final|was|were|had|above|previous|earlier|before|nothing|(?:not|n't)\s+(?:wrong|incorrect|broken|buggy)"
    r"|(?<!not )(?<!n't )(?<!never )use)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Block:
    """The inside of a block, and where in the text it is; `before` is the end of the text before it."""

    language: str
    start: int
    end: int
    code: str
    before: str = ""

    @property
    def is_code(self) -> bool:
        return self.language not in _NO_CODE

    @property
    def is_called_wrong(self) -> bool:
        """Whether the last sentence before it calls it wrong, and says nothing of another one."""
        before = _OWN_TAGS.sub("", self.before.rstrip()).rstrip()
        above, _, line = before.rpartition("\n")
        sentence = _END.split((above if FENCE.match(line) else before).rstrip())[-1]
        return _WRONG.search(sentence) is not None and _OTHERWISE.search(sentence) is None


@functools.lru_cache(maxsize=4)  # several look at one text
def blocks(text: str) -> tuple[Block, ...]:
    """Fenced blocks, and what stands in tags or in JSON beside them, in their order. Of those before the last
    `TAKEN` only the place is told."""
    fenced = _fenced(text)
    found = sorted([*fenced, *_held(text, fenced)], key=lambda block: block.start)
    early, late = found[:-TAKEN], found[-TAKEN:]
    ends = [early[-1].end if early else 0, *(block.end for block in late)]
    late = [
        replace(block, before=text[max(end, block.start - _BEFORE) : block.start])
        for block, end in zip(late, ends, strict=False)
    ]
    inner = [each for block in late for each in (_called(block) if block.language in _OF_CALLS else [block])]
    return *early, *inner


def open_after(mark: str, fence: re.Match[str]) -> str:
    """The mark of the block that is open behind a fence, where that of `mark` was open before it."""
    if not mark:
        return fence["mark"]
    return "" if fence["mark"].startswith(mark) and not fence["info"].strip() else mark


def _fenced(text: str) -> list[Block]:
    """Fenced blocks. One that is not closed reaches to the end."""
    found: list[Block] = []
    mark, language, start = "", "", 0
    for fence in FENCE.finditer(text):
        if not mark:
            words = fence["info"].lower().split()
            mark, language, start = fence["mark"], words[0] if words else "", fence.end() + 1
        elif not (left := open_after(mark, fence)):
            found.append(Block(language, start, fence.start(), text[start : fence.start()]))
            mark = left
    return [*found, Block(language, start, len(text), text[start:])] if mark else found


def _held(text: str, fenced: Sequence[Block]) -> list[Block]:
    """What tags hold outside of fences, but for those with a fence in them; and without either, what JSON
    holds."""
    starts = [block.start for block in fenced]
    found: list[Block] = []
    for name, start, end in [*_tagged(text, fenced)][-TAKEN:]:
        if bisect(starts, start) == bisect(starts, end):
            inside = Block("", start, end, _unescaped(text[start:end]))
            found += [inside] if name in _AROUND_CODE else _in_json(inside)
    return found if found or fenced else _in_json(Block("", 0, len(text), text))


def _unescaped(text: str) -> str:
    """What XML holds, whose signs may be written as names, which stand in no code."""
    inner = text.strip()
    if inner.startswith(_DATA[0]) and inner.endswith(_DATA[1]):
        return inner[len(_DATA[0]) : -len(_DATA[1])]
    return (
        unescape(text, {"&quot;": '"', "&apos;": "'", "&#39;": "'"})
        if "&lt;" in text or "&amp;" in text
        else text
    )


def _tagged(text: str, fenced: Sequence[Block]) -> Iterator[tuple[str, int, int]]:
    """The innermost tags, by their names, and what they hold. One that is not closed reaches to the end."""
    starts, ends = [block.start for block in fenced], [block.end for block in fenced]
    name, start = "", 0
    for tag in _TAG.finditer(text):
        fence = bisect(starts, tag.start())
        line = text[max(0, tag.start() - _BEFORE) : tag.start()].rpartition("\n")[2]
        if (fence and tag.start() < ends[fence - 1]) or _COMMENT.search(line):
            continue
        if not tag["close"]:
            name, start = tag["name"].lower(), tag.end()
        elif name == tag["name"].lower():
            yield name, start, tag.start()
            name = ""
    if name:
        yield name, start, len(text)


def _called(block: Block) -> list[Block]:
    """The blocks of a call of a tool that stands in a block; the block itself if none does."""
    inner = _held(block.code, ())
    return [replace(block, language=each.language, code=each.code) for each in inner] or [block]


def _in_json(block: Block) -> list[Block]:
    """A block for each string of the first JSON in a block, or for each fenced block in the string."""
    for place in itertools.islice(_JSON.finditer(block.code), _TRIED):
        try:
            whole, _ = json.JSONDecoder(strict=False).raw_decode(block.code, place.end())
        except (ValueError, RecursionError):
            continue
        return [
            replace(block, language=inner.language, code=inner.code)
            for string in _strings(whole)
            for inner in _fenced(string) or [Block("", 0, 0, string)]
        ]
    return []


def _strings(value: Any) -> Iterator[str]:
    """The strings in a value of JSON, in their order; of one that is JSON itself, those in it."""
    left = [value]
    while left:
        match left.pop():
            case str() as text:
                inner = None
                if text.lstrip()[:1] in ("{", "["):
                    with contextlib.suppress(ValueError, RecursionError):
                        inner = json.loads(text, strict=False)
                if isinstance(inner, dict | list):
                    left.append(inner)
                else:
                    yield text
            case dict() as members:
                left += reversed(members.values())
            case list() as members:
                left += reversed(members)
