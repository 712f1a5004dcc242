"""Finds the code in a model's answer.

An answer is a string or a list of messages; in it, prose, thinking and blocks of code. The code is the last
block behind the thinking that holds what was asked for and is not called wrong, and where there is none all
that stands there.
"""

from __future__ import annotations

import ast
import hmac
import json
import re
import textwrap
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..common.configs import CONFIGS, Config
from ..common.errors import UserError
from ..common.given import one_of, shown, whole
from ..compilers import warp_text
from .blocks import FENCE, TAKEN, Block, blocks, open_after
from .gate import masked
from .python.module import bound, free

# What models put their thinking into. Where a prompt ends with the opening tag, an answer has the closing one
# alone; one that was cut off while thinking has no code.
_THINKING = "(?:think|thinking|thought|reasoning)"
_TAG = re.compile(rf"<(?P<close>/?){_THINKING}(?:\s[^<>]*)?>|\[(?P<shut>/?)THINK\]", re.IGNORECASE)
# What stands before a tag that code speaks of: in a comment or a text.
_SPOKEN = re.compile(r"//|/\*|^\s*\*|#|[\"']")
_ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.IGNORECASE | re.DOTALL)
# Messages as some models write them, each in a channel: the one that is for the user is ``final``.
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(\w+)\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"(.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)",
    re.DOTALL,
)
# Where a model's turn ends, or another one begins: nothing behind that is its answer. HTML crosses out with
# "</s>".
_TURN = (
    "im_end|im_start|eot_id|eom_id|eot|eos|endoftext|end_of_text|end_of_turn|end▁of▁sentence|end|return|call"
)
_ENDED = re.compile(
    rf"<[|｜](?:{_TURN}|start_header_id|user|system)[|｜]>|<(?:eos|end_of_turn|start_of_turn)>"
    r"|(?<=```)</s>|(?<=~~~)</s>|</s>(?=\s*\Z)"
)
# What stands before an answer that begins with its own turn, or behind the end of another one.
_BEGUN = re.compile(
    r"(?:\s*(?:<s>|<\|(?:im_end|eot_id|end|endoftext|end_of_text|assistant)\|>|<\|im_start\|>\s*assistant"
    r"|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>|<start_of_turn>\s*model))+"
)
_MARK = "\ufeff"  # of the byte order

_SAYING = ("assistant", "model")  # roles of who answers
# C++ up to a brace, semicolons apart; and what the last brace is of.
_HEAD = re.compile(r"[^;{}]*")
_FUNCTION = re.compile(r"(?<!\w)(\w+)\s*\([^()]*\)[\s\w]*\Z")
_TYPE = re.compile(r"\b(?:struct|class|enum)\s+(\w+)")
_MACRO = re.compile(r"^[^\S\n]*#define\s+(\w+)|\busing\s+(\w+)\s*=", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[^\S\n]*#(?:.*\\\n)*.*$", re.MULTILINE)
_CONTROL = frozenset({"if", "for", "while", "switch", "catch"})
# Of C++ outside of braces: what a constant says of itself, and its name.
_CONSTANT = re.compile(r"(?:(?:static|inline|extern|__device__)\s+)*(?:__constant__|constexpr|const)\b")
_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*(?:\[[^\[\]]*\]\s*)*\Z")
LONGEST = 1_000_000  # characters of code, if it is no Python
LONGEST_TEXT = 2_000_000  # characters of an answer, with prose and thinking
LONGEST_PYTHON = 100_000  # characters of a module, which is read outside of any cage; so many take a second


@dataclass(frozen=True)
class Wanted:
    """What the code has to define: `names`, in Python or in C++."""

    names: tuple[str, ...]
    python: bool

    def is_in(self, code: str) -> bool:
        """Whether code defines one of the names."""
        if len(code) > LONGEST:  # which is refused
            return any(name in code for name in self.names)
        if not self.python:
            return any(self._is(function) for function in _functions(code))
        return any(re.search(rf"^[ \t]*def\s+{re.escape(n)}\s*\(", code, re.MULTILINE) for n in self.names)

    def _is(self, function: str) -> bool:
        """Whether a function is one of them: Warp's name of a kernel that a function makes tells of both."""
        return function.rpartition(warp_text.INSIDE)[2] in self.names


def wanted(config: Config, name: Any) -> Wanted:
    """Return what an answer has to define.

    Args:
        config: Config of the row.
        name: Name of the row's kernel in Python.

    Returns:
        The names of which the code has to define one, in Python or in C++.
    """
    if config.python or config.plain:
        return Wanted((name,), config.python)
    if config.cuda:
        return Wanted(warp_text.cuda_kernels(name, adjoint=config.adjoint), config.python)
    return Wanted((warp_text.cpu_entry(name),), config.python)


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
        object.__setattr__(self, "seed", whole("seed", self.seed, 0))
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
    """Find the code in an answer.

    The code is the last block that defines what is `wanted`, together with the blocks around it that define
    what it uses. A draft of it is left alone, and so is one that the sentence before it calls wrong, if there
    is another one. If no block does, the code is the text before the first block, if that does, or else the
    last block that is not shown as usage or output. A text of more than `LONGEST_TEXT` characters is not
    read: all of it is the code.

    Args:
        answer: Text, or messages with ``role`` and ``content``: the last one of the role ``assistant``
            counts, or the last one if there are no roles. A content may be a list of parts; those that are
            text and no thinking are joined, each on lines of its own.
        wanted: What the code has to define; None if that is not known.

    Returns:
        The code, as it was indented except for what all its lines share; empty if there is none.

    Raises:
        UserError: If the answer is neither text nor messages.
    """
    text = _text(answer)
    if len(text) > LONGEST_TEXT:
        return text
    text = _said(text.replace("\r\n", "\n"))
    found = blocks(text)
    code = _chosen(found, FENCE.split(text, maxsplit=1)[0], wanted) if found else text
    return textwrap.dedent(code.lstrip(_MARK)).strip("\n")


def _text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Mapping):
        return _message(answer)
    if isinstance(answer, Sequence) and all(isinstance(message, Mapping) for message in answer):
        said = [message for message in answer if message.get("role", _SAYING[0]) in _SAYING]
        return _message(said[-1]) if said else ""
    raise UserError(f"an answer is a string or a list of messages, not {type(answer).__name__}")


def _message(message: Mapping[str, Any]) -> str:
    """What a message says, and the calls of tools that stand beside it."""
    text, calls = _content(message.get("content")), message.get("tool_calls")
    return f"{text}\n{_as_call(calls)}" if calls else text


def _as_call(call: Any) -> str:
    try:
        held = json.dumps(call, default=str, skipkeys=True)
    except (ValueError, RecursionError):  # nested without end
        return ""
    return f"<tool_call>\n{held}\n</tool_call>"


def _content(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(isinstance(part, Mapping) for part in content):
        parts = [
            _as_call(part["input"]) if _calls(part) else part.get("text")
            for part in content
            if not _thinks(part)
        ]
        texts = [text for text in parts if isinstance(text, str)]
        return "".join(f"{text}\n" if not text.endswith("\n") else text for text in texts)
    raise UserError("a message's content is a string, or a list of parts")


def _calls(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "tool_use" and "input" in part


def _thinks(part: Mapping[str, Any]) -> bool:
    return any(word in str(part.get("type")) for word in ("reasoning", "think"))


# ---- what is said, of what is written


def _said(text: str) -> str:
    """What stands behind the thinking, in the channel for the user, between the tags of an answer. Where
    no block is there, but there was one before the model thought again, what it said then."""
    text = text.lstrip(_MARK)
    if (begun := _BEGUN.match(text)) is not None:
        text = text[begun.end() :]
    if channels := _CHANNEL.findall(text):
        text = next((said for name, said in reversed(channels) if name == "final"), "")
    pieces = _ended(_unthought(text))
    text = next((piece for piece in reversed(pieces) if blocks(piece)), pieces[-1])
    found = blocks(text)
    starts = [block.start for block in found]
    for answer in reversed([*_ANSWER.finditer(text)]):
        before = bisect(starts, answer.start())
        in_block = before and answer.start() < found[before - 1].end
        if answer[1].strip() and not in_block:
            return answer[1] if not found or blocks(answer[1]) else text
    return text


def _ended(pieces: Sequence[str]) -> list[str]:
    """Pieces up to where the model's turn ends."""
    kept: list[str] = []
    has_said = False
    for piece in pieces:
        end = _ENDED.search(piece)
        kept.append(piece[: end.start()] if end else piece)
        has_said = has_said or bool(kept[-1].strip())
        if end and has_said:
            break
    return kept


def _unthought(text: str) -> list[str]:
    """The pieces around thinking. A closing tag that none opened closes all that stands before it.

    A tag in a block's code counts where nothing opened it only if the block is none, but what thinking did
    not close: another one begins before it ends, or the tag does not stand in a comment or a text.
    """
    found = sorted([*_TAG.finditer(text), *FENCE.finditer(text)], key=lambda match: match.start())
    marks = [match if match.re is FENCE else None for match in found]
    following: list[re.Match[str] | None] = [None]
    for mark in reversed(marks):
        following.append(mark or following[-1])
    pieces: list[str] = []
    start, thinks, open_mark = 0, False, ""
    for match, fence, after in zip(found, marks, following[-2::-1], strict=True):
        if fence is not None:
            open_mark = "" if thinks else open_after(open_mark, fence)
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


def _chosen(found: Sequence[Block], before: str, wanted: Wanted | None) -> str:
    """The code of blocks, or what stands `before` them: where a prompt ends with an opening fence, an answer
    begins with code."""
    every = found[-TAKEN:]
    able = [block for block in every if block.is_code]
    if wanted is not None:
        sound = [block for block in every if not block.is_called_wrong]
        for group in ([block for block in sound if block.is_code], sound, able, every):
            codes = [textwrap.dedent(block.code.lstrip(_MARK)).strip("\n") for block in group]
            if any(map(wanted.is_in, codes)):
                return _joined(codes, wanted)
        if wanted.is_in(before):
            return before
    return (able or every)[-1].code


def _joined(codes: Sequence[str], wanted: Wanted) -> str:
    """The last of these that defines something wanted, behind others that define what it lacks: the nearest
    before it, then those after it, and none that defines anything a second time, as a draft does. What is too
    long stays as it is."""
    if sum(map(len, codes)) > (LONGEST_PYTHON if wanted.python else LONGEST):
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
    order = [*sorted(taken), last]
    return "\n".join([*_lifted([facts[place] for place in order]), *(codes[place] for place in order)])


def _lifted(facts: Sequence[_Facts]) -> list[str]:
    """The imports of later blocks that an earlier one uses."""
    lifted: dict[str, None] = {}
    for place, each in enumerate(facts):
        there = frozenset[str]().union(*(before.given for before in facts[: place + 1]))
        later = [found for behind in facts[place + 1 :] for found in behind.imports]
        lifted |= {text: None for text, names in later if names & each.used - there}
    return [*lifted]


@dataclass(frozen=True)
class _Facts:
    """The names that code defines, and those it may use that somebody else has to define; of what it
    defines, `shared` may be defined again, by `imports` of Python: their text, and what they define."""

    given: frozenset[str]
    used: frozenset[str]
    shared: frozenset[str] = frozenset()
    imports: tuple[tuple[str, frozenset[str]], ...] = ()


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
    given = _functions(code).union(types, macros, _constants(code))
    return _Facts(given, frozenset(re.findall(r"\w+", code)) - given)


def _constants(code: str) -> Iterator[str]:
    """The constants that C++ defines outside of functions and types."""
    outside, depth, start = [], 0, 0
    code = _DIRECTIVE.sub("", masked(code))
    for brace in re.finditer(r"[{}]", code):
        if not depth:
            outside.append(code[start : brace.start()])
        depth, start = max(0, depth + (1 if brace[0] == "{" else -1)), brace.end()
    if not depth:
        outside.append(code[start:])
    for statement in ";".join(outside).split(";"):
        if _CONSTANT.match(statement.strip()) and "(" not in statement.partition("=")[0]:
            names = (_NAME.search(part.partition("=")[0]) for part in statement.split(","))
            yield from (name[1] for name in names if name)


def _in_python(code: str) -> _Facts:
    """Nothing of what Python cannot read."""
    try:
        module = ast.parse(code)
        given, used = frozenset(bound(module)), frozenset(free(module))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _Facts(frozenset(), frozenset())
    imports = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    shared = frozenset[str]().union(*map(bound, imports))
    at_top = tuple((ast.unparse(each), frozenset(bound(each))) for each in imports if not each.col_offset)
    return _Facts(given, used - given, shared, at_top)
