"""The code in what a model writes.

An answer is a string or a list of messages; in it, prose, thinking and fenced blocks. The code is the last
fenced block behind the thinking, and where there is none all that stands there.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..common.configs import CONFIGS
from ..common.errors import UserError
from ..common.given import one_of, shown, whole

# What models put their thinking into. Where a prompt ends with the opening tag, an answer has the closing one
# alone; one that was cut off while thinking has no code.
_THINKING = ("think", "thinking", "thought", "reasoning")
_CLOSING = re.compile(rf"</(?:{'|'.join(_THINKING)})>", re.IGNORECASE)
_OPENING = re.compile(rf"<(?:{'|'.join(_THINKING)})>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """A row, what a model wrote for it, and what else decides the verdict.

    Raises `UserError` for what is no row or no answer, for a seed that is no whole number, and for an unknown
    config: here, before it is sent to a process with others. Of messages the text is kept.
    """

    row: Mapping[str, Any]
    text: Any
    config: str | None
    seed: int

    def __post_init__(self) -> None:
        if not isinstance(self.row, Mapping):
            raise UserError(f"a row is a mapping, from columns to values, not {shown(self.row)}")
        if self.config is not None:
            one_of("config", self.config, CONFIGS)
        object.__setattr__(self, "text", _text(self.text))
        object.__setattr__(self, "seed", whole("seed", self.seed))

    def __str__(self) -> str:
        return f"an answer to {self.row.get('kernel_name')}"


def code_of(answer: str | Sequence[Mapping[str, Any]]) -> str:
    """The code of an answer, as it was indented but for what all its lines share; empty if there is none.

    `answer` is text, or messages with ``role`` and ``content``, where the last one of the role ``assistant``
    counts, or the last one if roles are not told; a content may be a list of parts, which are joined where
    they are text. Raises `UserError` for anything else.
    """
    text = _unthought(_text(answer))
    blocks = _blocks(text)
    return textwrap.dedent(blocks[-1] if blocks else text).strip("\n")


def _text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Mapping):
        return _content(answer.get("content"))
    if isinstance(answer, Sequence) and all(isinstance(message, Mapping) for message in answer):
        said = [message for message in answer if message.get("role", "assistant") == "assistant"]
        return _content(said[-1].get("content")) if said else ""
    raise UserError(f"an answer is a string or a list of messages, not {type(answer).__name__}")


def _content(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(isinstance(part, Mapping) for part in content):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    raise UserError("a message's content is a string, or a list of parts")


def _unthought(text: str) -> str:
    closed = list(_CLOSING.finditer(text))
    if closed:
        text = text[closed[-1].end() :]
    opened = _OPENING.search(text)
    return text[: opened.start()] if opened else text


def _blocks(text: str) -> list[str]:
    """The insides of fenced blocks. One that is not closed reaches to the end."""
    found: list[str] = []
    mark, start = "", 0
    for fence in _FENCE.finditer(text):
        if not mark:
            mark, start = fence["mark"], fence.end() + 1
        elif fence["mark"].startswith(mark) and not fence["info"].strip():
            found.append(text[start : fence.start()])
            mark = ""
    return [*found, text[start:]] if mark else found
