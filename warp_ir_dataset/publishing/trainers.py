"""Converts rows for trainers and chat models: to messages, or to code without Warp's comments.

Both work on a row, on a `Dataset` or an `IterableDataset`, on dicts of those by split (and by config), and
leave every other column as it is. Of `datasets` they use what they are given, and import nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, overload

from ..common.errors import UserError

# A line that holds a comment and nothing else. Left alone are those that are more than that: where a
# backslash joins it to the line before or after it, and where a block comment ends in it.
_COMMENT_LINE = re.compile(r"(?<!\\\n)^[ \t]*//(?![^\n]*\*/)[^\n]*(?<!\\)(?:\n|\Z)", re.MULTILINE)
_PYTHON = re.compile(r"^(?:import warp\b|@wp\.)", re.MULTILINE)


def chat(dataset: Any, system: str | None = None) -> Any:
    """Turn `prompt` and `completion` into lists of messages.

    `prompt` becomes a message of the user (instruction and source, as they are in the text), and `completion`
    a message of the assistant, with the code in a fenced block of its language. All other columns stay as
    they are.

    This is TRL's conversational prompt-completion format. With it, `SFTTrainer` masks the prompt by itself,
    while with one column `messages` every turn counts unless the chat template marks the assistant's; and
    `GRPOTrainer` reads `prompt`, and answers in messages. A list for other trainers is ``row["prompt"] +
    row["completion"]``.

    Args:
        dataset: A row, a dataset, streamed or not, or a dict of datasets.
        system: Text of a system message before the user's; None for no such message.

    Returns:
        The same kind of data as `dataset`, changed.

    Raises:
        UserError: If the data has no `prompt` and `completion` that are text: other data, or messages
            already.
    """
    return _mapped(dataset, partial(_chat_row, system=system), _as_messages)


@overload
def strip_comments(data: str) -> str: ...
@overload
def strip_comments(data: Any) -> Any: ...
def strip_comments(data: Any) -> Any:
    """Remove the lines that are nothing but comments from completions, and leave the code alone.

    Warp repeats each line of a kernel's source as a comment, ``// x = a + b <L 7>``, so a model can read the
    Python off the C++: a model that learns the way back must not see them. Python has no such comments and
    stays as it is.

    Args:
        data: A text, or what `chat` takes, before it becomes messages.

    Returns:
        The same kind of data as `data`, changed.

    Raises:
        UserError: If `data` is no text and has no `completion` that is text.
    """
    if isinstance(data, str):
        return _stripped(data)
    return _mapped(data, _stripped_row, lambda features: features)


def language(code: str) -> str:
    """What a completion is written in, by the name that a fence gives it: cuda, cpp or python."""
    if _PYTHON.search(code):
        return "python"
    return "cuda" if "__global__" in code else "cpp"


def _chat_row(row: Mapping[str, Any], system: str | None) -> dict[str, Any]:
    asked, code = _text(row, "prompt"), _text(row, "completion")
    first = [] if system is None else [{"role": "system", "content": system}]
    return {
        "prompt": [*first, {"role": "user", "content": asked.rstrip()}],
        "completion": [{"role": "assistant", "content": _fenced(code)}],
    }


def _stripped_row(row: Mapping[str, Any]) -> dict[str, Any]:
    stripped: dict[str, Any] = {"completion": _stripped(_text(row, "completion"))}
    if answers := row.get("completions"):  # of collected kernels, to all tasks
        stripped["completions"] = {task: code and _stripped(code) for task, code in answers.items()}
    return stripped


def _stripped(code: str) -> str:
    return code if language(code) == "python" else _COMMENT_LINE.sub("", code)


def _fenced(code: str) -> str:
    """A block of Markdown, its fence longer than any run of backticks in the code."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{fence}{language(code)}\n{code.rstrip()}\n{fence}"


def _text(row: Mapping[str, Any], name: str) -> str:
    """A column of a row; raises `UserError` where it is no text."""
    found = row.get(name)
    if not isinstance(found, str):
        raise UserError(f"these are not rows of warp_ir_dataset with a text in {name!r}")
    return found


def _as_messages(features: Any) -> Any:
    """Features whose prompt and completion are lists of messages."""
    changed = features.copy()
    for name in ("prompt", "completion"):
        if name not in features or getattr(features[name], "dtype", None) not in ("string", "large_string"):
            raise UserError(f"these are not rows of warp_ir_dataset with a text in {name!r}")
        changed[name] = [{"role": features[name], "content": features[name]}]
    return changed


def _mapped(
    data: Any, change: Callable[[Mapping[str, Any]], dict[str, Any]], retype: Callable[[Any], Any]
) -> Any:
    """Rows with some of their columns changed, wherever rows lie in `data`."""
    if isinstance(data, Mapping):
        if "completion" in data:
            return {**data, **change(data)}
        # Of their own type: a DatasetDict stays one.
        make = type(data) if isinstance(data, dict) else dict
        return make({name: _mapped(part, change, retype) for name, part in data.items()})
    if not hasattr(data, "map") or not hasattr(data, "features"):
        raise UserError(f"expected rows or datasets, not {type(data).__name__}")
    # A stream may not know its features before it is read.
    return data.map(change, features=None if data.features is None else retype(data.features))
