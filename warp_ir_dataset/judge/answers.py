"""Finds the code in a model's answer.

An answer is a string or a list of messages; in it, prose, thinking and fenced blocks. The code is the last
fenced block behind the thinking that holds what was asked for, and where there is none all that stands there.
"""

from __future__ import annotations

import ast
import hmac
import re
import textwrap
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..common.configs import CONFIGS, Config
from ..common.errors import UserError
from ..common.given import one_of, shown, whole
from .gate import masked
from .python.module import bound, free

# What models put their thinking into. Where a prompt ends with the opening tag, an answer has the closing one
# alone; one that was cut off while thinking has no code.
_THINKING = "(?:think|thinking|thought|reasoning)"
_TAG = re.compile(rf"<(?P<close>/?){_THINKING}(?:\s[^<>]*)?>|\[(?P<shut>/?)THINK\]", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^`<\n]*)$", re.MULTILINE)
# What stands before a tag that code speaks of: in a comment or a text.
_SPOKEN = re.compile(r"//|/\*|^\s*\*|#|[\"']")
_ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.IGNORECASE | re.DOTALL)
# Messages as some models write them, each in a channel: the one that is for the user is ``final``.
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(\w+)\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"(.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)",
    re.DOTALL,
)
_INSIDE = "__locals__"  # between a function and what it makes
_MARK = "\ufeff"  # of the byte order

_SAYING = ("assistant", "model")  # roles of who answers
# Languages of blocks that show how code is used, or what it prints.
_SHOWN = """
bash sh shell zsh fish console terminal shell-session shellsession cmd bat powershell
text txt plain plaintext output stdout log json yaml toml ini csv diff patch make makefile cmake
latex tex math html xml
"""
_NO_CODE = frozenset(_SHOWN.split())
# C++ up to a brace, semicolons apart; and what the last brace is of.
_HEAD = re.compile(r"[^;{}]*")
_FUNCTION = re.compile(r"(?<!\w)(\w+)\s*\([^()]*\)[\s\w]*\Z")
_TYPE = re.compile(r"\b(?:struct|class|enum)\s+(\w+)")
_MACRO = re.compile(r"^[^\S\n]*#define\s+(\w+)|\busing\s+(\w+)\s*=", re.MULTILINE)
_CONTROL = frozenset({"if", "for", "while", "switch", "catch"})
_TAKEN = 64  # blocks that are looked at, from the last one on
LONGEST_PYTHON = 100_000  # characters of a module, which is read outside of any cage; so many take a second


@dataclass(frozen=True)
class Wanted:
    """What the code has to define: `names`, in Python or in C++."""

    names: tuple[str, ...]
    python: bool

    def is_in(self, code: str) -> bool:
        """Whether code defines one of the names."""
        if not self.python:
            return any(self._is(function) for function in _functions(code))
        return any(re.search(rf"^[ \t]*def\s+{re.escape(n)}\s*\(", code, re.MULTILINE) for n in self.names)

    def _is(self, function: str) -> bool:
        """Whether a function is one of them: Warp's name of a kernel that a function makes tells of both."""
        return function.rpartition(_INSIDE)[2] in self.names


def wanted(config: Config, name: Any) -> Wanted:
    """What an answer of a config defines for the kernel of that name in Python."""
    if config.python or config.plain:
        names = [name]
    elif config.cuda:
        entries = ["forward", "backward"] if config.adjoint else ["forward"]
        names = [f"{name}_cuda_kernel_{entry}" for entry in entries]
    else:
        names = [f"{name}_cpu_forward"]
    return Wanted(tuple(names), config.python)


@dataclass(frozen=True)
class Answer:
    """A row, what a model wrote for it, and what else decides the verdict.

    The hidden inputs follow from the row, the `seed`, and the `secret` if there is one; no verdict, message
    or file has the secret, or what follows from it.

    Raises `UserError` for what is no row or no answer, for a seed that is no whole number, and where the
    config is unknown: here, before it is sent to a process with others. Of messages the text is kept.
    """

    row: Mapping[str, Any]
    text: Any
    config: str | None
    seed: int
    secret: str | None = field(default=None, repr=False)
    own: bool = False  # instead of the text the row's own code is judged

    def __post_init__(self) -> None:
        if not isinstance(self.row, Mapping):
            raise UserError(f"a row is a mapping, from columns to values, not {shown(self.row)}")
        object.__setattr__(self, "text", _text(self.text))
        object.__setattr__(self, "seed", whole("seed", self.seed))
        if self.secret is not None and not isinstance(self.secret, str):
            raise UserError(f"the secret must be a string, and is of type {type(self.secret).__name__}")
        config_of(self.row, self.config)

    @property
    def drawn_by(self) -> str:
        """The text that hidden inputs are drawn by, beside the row's id."""
        if not self.secret:
            return str(self.seed)
        key = self.secret.encode(errors="surrogatepass")
        return hmac.new(key, str(self.seed).encode(), "sha256").hexdigest()

    def __str__(self) -> str:
        return f"an answer to {self.row.get('kernel_name')}"


def config_of(row: Mapping[str, Any], name: str | None = None) -> Config:
    """The config that a row is of: the one that is named, else by its prompt. Raises `UserError`."""
    if name is not None:
        return CONFIGS[one_of("config", name, CONFIGS)]
    prompt = row.get("prompt")
    if isinstance(prompt, str):
        for config in CONFIGS.values():
            if config.drawn and prompt.startswith(f"{config.instruction}\n"):
                return config
    raise UserError("the row's prompt does not tell its config: name it, as in config='cuda'")


def code_of(answer: str | Sequence[Mapping[str, Any]], wanted: Wanted | None = None) -> str:
    """The code of an answer, as it was indented but for what all its lines share; empty if there is none.

    `answer` is text, or messages with ``role`` and ``content``, where the last one of the role ``assistant``
    counts, or the last one if roles are not told; a content may be a list of parts, which are joined, each on
    lines of its own, where they are text and no thinking. Raises `UserError` for anything else.

    The code is the last block that defines what is `wanted`, together with the blocks around it that define
    what it uses: a draft of it is left alone. Where none does, it is what stands before the first one, if
    that does, or else the last block that is not shown as usage or output.
    """
    text = _said(_text(answer).replace("\r\n", "\n"))
    blocks = _blocks(text)
    code = _chosen(blocks, _FENCE.split(text, maxsplit=1)[0], wanted) if blocks else text
    return textwrap.dedent(code.lstrip(_MARK)).strip("\n")


def _text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Mapping):
        return _content(answer.get("content"))
    if isinstance(answer, Sequence) and all(isinstance(message, Mapping) for message in answer):
        said = [message for message in answer if message.get("role", _SAYING[0]) in _SAYING]
        return _content(said[-1].get("content")) if said else ""
    raise UserError(f"an answer is a string or a list of messages, not {type(answer).__name__}")


def _content(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(isinstance(part, Mapping) for part in content):
        texts = [part["text"] for part in content if isinstance(part.get("text"), str) and not _thinks(part)]
        return "".join(f"{text}\n" if not text.endswith("\n") else text for text in texts)
    raise UserError("a message's content is a string, or a list of parts")


def _thinks(part: Mapping[str, Any]) -> bool:
    return any(word in str(part.get("type")) for word in ("reasoning", "think"))


# ---- what is said, of what is written


def _said(text: str) -> str:
    """What stands behind the thinking, in the channel for the user, between the tags of an answer. Where
    no block is there, but there was one before the model thought again, what it said then."""
    text = text.lstrip(_MARK)
    if channels := _CHANNEL.findall(text):
        text = next((said for name, said in reversed(channels) if name == "final"), "")
    pieces = _unthought(text)
    text = next((piece for piece in reversed(pieces) if _blocks(piece)), pieces[-1])
    blocks = _blocks(text)
    starts = [block.start for block in blocks]
    for answer in reversed([*_ANSWER.finditer(text)]):
        before = bisect(starts, answer.start())
        in_block = before and answer.start() < blocks[before - 1].end
        if answer[1].strip() and not in_block:
            return answer[1] if not blocks or _blocks(answer[1]) else text
    return text


def _unthought(text: str) -> list[str]:
    """The pieces around thinking. A closing tag that none opened closes all that stands before it.

    A tag in a block's code counts where nothing opened it only if the block is none, but what thinking did
    not close: another one begins before it ends, or the tag does not stand in a comment or a text.
    """
    found = sorted([*_TAG.finditer(text), *_FENCE.finditer(text)], key=lambda match: match.start())
    marks = [match if match.re is _FENCE else None for match in found]
    following: list[re.Match[str] | None] = [None]
    for mark in reversed(marks):
        following.append(mark or following[-1])
    pieces: list[str] = []
    start, thinks, open_mark = 0, False, ""
    for match, fence, after in zip(found, marks, following[-2::-1], strict=True):
        if fence is not None:
            open_mark = "" if thinks else _after(open_mark, fence)
            continue
        closes = bool(match["close"] or match["shut"])
        if not thinks:
            ends = after is None or not after["info"].strip()
            if open_mark and ends and _is_spoken(text, match.start()):
                continue
            if closes:
                pieces.clear()
            else:
                pieces.append(text[start : match.start()])
        thinks, start, open_mark = not closes, match.end(), ""
    return [*pieces, ""] if thinks else [*pieces, text[start:]]


def _is_spoken(text: str, place: int) -> bool:
    """Whether code speaks of what stands there."""
    line = text[max(0, place - 500) : place].rpartition("\n")[2]
    return _SPOKEN.search(line) is not None


# ---- blocks


@dataclass(frozen=True)
class _Block:
    """The inside of a fenced block, and where in the text it is."""

    language: str
    start: int
    end: int
    code: str


def _blocks(text: str) -> list[_Block]:
    """Fenced blocks. One that is not closed reaches to the end."""
    found: list[_Block] = []
    mark, language, start = "", "", 0
    for fence in _FENCE.finditer(text):
        if not mark:
            words = fence["info"].lower().split()
            mark, language, start = fence["mark"], words[0] if words else "", fence.end() + 1
        elif not (after := _after(mark, fence)):
            found.append(_Block(language, start, fence.start(), text[start : fence.start()]))
            mark = after
    return [*found, _Block(language, start, len(text), text[start:])] if mark else found


def _after(mark: str, fence: re.Match[str]) -> str:
    """The mark of the block that is open behind a fence, where that of `mark` was open before it."""
    if not mark:
        return fence["mark"]
    return "" if fence["mark"].startswith(mark) and not fence["info"].strip() else mark


def _chosen(blocks: Sequence[_Block], before: str, wanted: Wanted | None) -> str:
    """The code of blocks, or what stands `before` them: where a prompt ends with an opening fence, an answer
    begins with code."""
    every = blocks[-_TAKEN:]
    able = [block for block in every if block.language not in _NO_CODE]
    if wanted is not None:
        for group in (able, every):
            codes = [textwrap.dedent(block.code.lstrip(_MARK)).strip("\n") for block in group]
            if any(map(wanted.is_in, codes)):
                return _joined(codes, wanted)
        if wanted.is_in(before):
            return before
    return (able or blocks)[-1].code


def _joined(codes: Sequence[str], wanted: Wanted) -> str:
    """The last of these that defines something wanted, behind others that define what it lacks: the nearest
    before it, then those after it, and none that defines anything a second time, as a draft does. What is too
    long for Python stays as it is."""
    if wanted.python and sum(map(len, codes)) > LONGEST_PYTHON:
        return next(code for code in reversed(codes) if wanted.is_in(code))
    facts = [_in_python(code) if wanted.python else _in_cpp(code) for code in codes]
    last = max(place for place, code in enumerate(codes) if wanted.is_in(code))
    defined = facts[last].given
    lacking = facts[last].used.union(wanted.names) - defined
    taken: set[int] = set()
    left = [*reversed(range(last)), *range(last + 1, len(codes))]
    while (place := next((p for p in left if _fits(facts[p], lacking, defined)), None)) is not None:
        left.remove(place)
        taken.add(place)
        defined |= facts[place].given
        lacking = (lacking | facts[place].used) - defined
    return "\n".join(codes[place] for place in [*sorted(taken), last])


@dataclass(frozen=True)
class _Facts:
    """The names that code defines, and those it may use that somebody else has to define; of what it
    defines, `shared` may be defined again."""

    given: frozenset[str]
    used: frozenset[str]
    shared: frozenset[str] = frozenset()


def _fits(facts: _Facts, lacking: frozenset[str], defined: frozenset[str]) -> bool:
    return not lacking.isdisjoint(facts.given) and defined.isdisjoint(facts.given - facts.shared)


def _heads(code: str) -> list[str]:
    """What stands before each brace that opens, without what comments and strings say."""
    code = masked(code)
    return [head[0] for head in _HEAD.finditer(code) if code.startswith("{", head.end())]


def _functions(code: str) -> frozenset[str]:
    """The functions that C++ defines."""
    found = (_FUNCTION.search(head) for head in _heads(code))
    return frozenset(match[1] for match in found if match) - _CONTROL


def _in_cpp(code: str) -> _Facts:
    types = (match[1] for head in _heads(code) if "(" not in head for match in _TYPE.finditer(head))
    macros = (name for match in _MACRO.finditer(code) for name in match.groups() if name)
    given = _functions(code).union(types, macros)
    return _Facts(given, frozenset(re.findall(r"\w+", code)) - given)


def _in_python(code: str) -> _Facts:
    """Nothing of what Python cannot read."""
    try:
        module = ast.parse(code)
        given, used = frozenset(bound(module)), frozenset(free(module))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _Facts(frozenset(), frozenset())
    imports = (node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom))
    return _Facts(given, used - given, frozenset[str]().union(*map(bound, imports)))
