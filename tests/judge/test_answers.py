"""Code in what models write: a test per form."""

from __future__ import annotations

import pytest

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge.answers import code_of

CODE = "extern int x;\nint y;"


@pytest.mark.parametrize(
    "answer",
    [
        CODE,
        f"\n\n{CODE}\n\n",
        f"```\n{CODE}\n```",
        f"```cpp\n{CODE}\n```",
        f"``` cuda title=\"kernel.cu\"\n{CODE}\n```\nThat is all.",
        f"~~~cuda\n{CODE}\n~~~",
        f"Here it is:\n\n```cuda\n{CODE}\n```\n\nIt does what you asked for.",
        f"First try:\n```cpp\nint wrong;\n```\nBetter:\n```cpp\n{CODE}\n```",
        f"<think>maybe ```cpp\nint wrong;\n``` no</think>\n```cpp\n{CODE}\n```",
        f"<think>maybe</think>{CODE}",
        f"so the loop is fine</think>\n\n```cpp\n{CODE}\n```",
        f"<Thinking>a</Thinking> well <think>b</think>\n```cpp\n{CODE}\n```",
        f"```cpp\n{CODE}\n```\n<think>was that right?",
        f"````markdown\n{CODE}\n````",
        f"It was cut off:\n```cpp\n{CODE}",
        f"- in a list\n\n  ```cpp\n  {CODE.splitlines()[0]}\n  {CODE.splitlines()[1]}\n  ```",
        f"```cpp\r\n{CODE}\r\n```".replace("\r\n", "\n"),
        [{"role": "assistant", "content": f"```cpp\n{CODE}\n```"}],
        [{"role": "user", "content": "```\nno\n```"}, {"role": "assistant", "content": f"```\n{CODE}\n```"}],
        [{"role": "assistant", "content": "int wrong;"}, {"role": "assistant", "content": CODE}],
        [{"role": "assistant", "content": CODE}, {"role": "user", "content": "int wrong;"}],
        [{"content": CODE}],
        [{"role": "assistant", "content": [{"type": "text", "text": "```\n"}, {"type": "text", "text":
        f"{CODE}\n```"}]}], [{"role": "assistant", "content": [{"type": "image", "url": "x"}, {"type": "text",
        "text": CODE}]}], {"role": "assistant", "content": CODE},
    ],
)  # fmt: skip
def test_the_code_is_found(answer):
    assert code_of(answer) == CODE


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \n\t\n",
        "```cpp\n```",
        "<think>I do not know",
        "<think>```cpp\nint x;\n```</think>",
        [],
        [{"role": "user", "content": CODE}],
        [{"role": "assistant", "content": None}],
        [{"role": "assistant", "content": [{"type": "image", "url": "x"}]}],
    ],
)
def test_no_code_is_empty(answer):
    assert not code_of(answer).strip()


def test_windows_line_ends_do_not_hide_a_fence():
    assert code_of("```cpp\r\nint x;\r\n```\r\n").strip() == "int x;"


def test_a_longer_fence_holds_a_shorter_one():
    assert code_of('````\nx = """\n```\ny\n```\n"""\n````') == 'x = """\n```\ny\n```\n"""'


def test_indentation_within_the_code_stays():
    assert code_of("```python\n  if x:\n      y\n```") == "if x:\n    y"


@pytest.mark.parametrize("answer", [None, 3, ["text"], [{"role": "assistant", "content": 3}]])
def test_what_is_no_answer_is_refused(answer):
    with pytest.raises(UserError, match="string"):
        code_of(answer)
