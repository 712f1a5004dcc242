"""Code in what models write: a test per form."""

from __future__ import annotations

import html
import json
from functools import partial
from typing import Any

import pytest
from common.work import grows_as_its_text, lines_run

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge import answers
from warp_ir_dataset.judge.answers import LONGEST_PYTHON, LONGEST_TEXT, code_of, wanted

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
        [{"content": [{"text": "Here it is:"}, {"text": f"```cuda\n{CODE}\n```"}]}],
        [{"content": [{"type": "reasoning", "text": "```\nint no;\n```"}, {"type": "text", "text": CODE}]}],
        [{"content": [{"type": "thinking", "text": "int no;"}, {"type": "text", "text": CODE}]}],
        [{"role": "user", "content": "no"}, {"role": "model", "content": CODE}],
        f"\ufeff{CODE}",
        f"\ufeff```cpp\n{CODE}\n```",
        f"```cpp\n\ufeff{CODE}\n```",
        f"```cpp\n{CODE}\n```\nBuild it:\n```bash\nmake\n```",
        f"```cpp\n{CODE}\n```\nIt prints:\n```text\n1.0\n```\nor\n```console\n$ ./a\n```",
        f"```text\n{CODE}\n```",
        f"<answer>\n{CODE}\n</answer>",
        f"<answer>\n```cpp\n{CODE}\n```\n</answer>",
        f"<think>no</think>Well.<answer>{CODE}",
        f"```cpp\n{CODE}\n```\n<answer>see above</answer>",
        f"[THINK]```\nint no;\n```[/THINK]\n{CODE}",
        f"<think effort=3>\n```cpp\nint no;\n```\n</think>\n{CODE}",
        f"```cpp\n{CODE}\n```\n<think>Is it?</think>\nYes, it is.",
        f"so ```cpp\nint no;\n``` no</think>\n```cpp\n{CODE}\n```",
        f"so\n```cpp\nint no; // it's cut off </think>\n```cpp\n{CODE}\n```",
        "<|channel|>analysis<|message|>```\nint no;\n```<|end|><|start|>assistant<|channel|>final<|message|>"
        f"```cpp\n{CODE}\n```<|return|>",
        f"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>{CODE}",
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
        "<|channel|>analysis<|message|>int x;<|end|>",
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


@pytest.mark.parametrize("tag", ["// </think>", "/* <think> */", 'char* x = "</think>";'])
def test_code_may_speak_of_thinking(tag):
    assert code_of(f"Here:\n```cpp\n{tag}\n{CODE}\n```\n") == f"{tag}\n{CODE}"


PYTHON = wanted(CONFIGS["spec_to_warp"], "k")
CUDA = wanted(CONFIGS["warp_to_cuda"], "k")
KERNEL = "@wp.kernel\ndef k(a: wp.array[float]):\n    a[wp.tid()] = twice(a[wp.tid()])"
HELPER = "import warp as wp\n\n@wp.func\ndef twice(x: float):\n    return x + x"
WHOLE = f"{HELPER}\n{KERNEL}"
IN_CUDA = "__global__ void k(int n, float* a)  // n; a\n{\n    a[0] = twice(a[0]);\n}"
FUNCTION = "__device__ float twice(float x) { return x + x; }"


def blocks(*codes: str, language: str = "") -> str:
    return "\nand\n".join(f"```{language}\n{code}\n```" for code in codes)


@pytest.mark.parametrize("use", [
    "import numpy as np\nimport warp as wp\na = wp.zeros(3)\nwp.launch(k, dim=3, inputs=[a])\nprint(a)",
    "[1. 2.]", "a[0] = 3.0", "twice = 3"])  # fmt: skip
def test_the_block_with_the_kernel_is_taken(use):
    assert code_of(blocks(WHOLE, use, language="python"), PYTHON) == WHOLE
    assert code_of(blocks(WHOLE, use), PYTHON) == WHOLE


def test_a_draft_does_not_win_over_its_correction():
    draft = WHOLE.replace("x + x", "x")
    assert code_of(blocks(draft, WHOLE), PYTHON) == WHOLE
    assert code_of(
        blocks(f"{FUNCTION}\n{IN_CUDA}".replace("x + x", "x"), f"{FUNCTION}\n{IN_CUDA}"), CUDA
    ) == (f"{FUNCTION}\n{IN_CUDA}")


@pytest.mark.parametrize(("helper", "kernel", "of"), [
    (HELPER, KERNEL, PYTHON), (HELPER, f"import warp as wp\n{KERNEL}", PYTHON),
    (FUNCTION, IN_CUDA, CUDA)])  # fmt: skip
def test_helper_and_kernel_in_two_blocks_are_one_module(helper, kernel, of):
    assert code_of(blocks(helper, kernel), of) == f"{helper}\n{kernel}"
    assert code_of(blocks(kernel, helper), of) == f"{helper}\n{kernel}"
    draft = helper.replace("x + x", "x")
    assert code_of(blocks(draft, helper, kernel), of) == f"{helper}\n{kernel}"
    assert (
        code_of(blocks(draft, kernel.replace("0", "1"), f"{helper}\n{kernel}"), of) == f"{helper}\n{kernel}"
    )


def test_names_around_a_function_are_looked_for_in_other_blocks():
    own = KERNEL.replace("twice(a[wp.tid()])", "sum([x * factor for x in xs]) + (lambda y: y)(1)")
    given = "factor = 2.0"
    assert code_of(blocks("x = 1\ny = 2", given, own), PYTHON) == f"{given}\n{own}"


def test_what_is_too_long_for_python_stands_alone():
    long = "#".ljust(LONGEST_PYTHON // 2, "x")
    assert code_of(blocks(f"{HELPER}\n{long}", KERNEL), PYTHON) == f"{HELPER}\n{long}\n{KERNEL}"
    assert code_of(blocks(f"{HELPER}\n{long}", long, KERNEL), PYTHON) == KERNEL


def test_the_two_kernels_of_a_gradient_may_be_in_two_blocks():
    both = wanted(CONFIGS["cuda_backward"], "k")
    forward, backward = (f"void k_cuda_kernel_{way}(int n)\n{{\n}}" for way in ("forward", "backward"))
    assert code_of(blocks(forward, backward), both) == f"{forward}\n{backward}"
    assert code_of(blocks(f"{forward}\n{backward}", "int main() { }"), both) == f"{forward}\n{backward}"


@pytest.mark.parametrize("code, of", [(WHOLE, PYTHON), (IN_CUDA, CUDA)])
@pytest.mark.parametrize("behind", ["", "\nThat is all.", f"\nUse it so:\n{blocks('x = 1')}", "\n```"])
def test_a_prompt_may_have_opened_the_fence(code, of, behind):
    assert code_of(f"{code}\n```{behind}", of) == code


@pytest.mark.parametrize(
    "comment", ["/* in (device) */", "/* in; out */", "// of all (three) {\n", '/* "{ */']
)
@pytest.mark.parametrize("place", ["float* a", "float* a)"])
def test_comments_in_a_head_do_not_hide_a_kernel(comment, place):
    kernel = IN_CUDA.replace(place, f"{place} {comment}")
    assert kernel != IN_CUDA
    assert code_of(blocks(kernel, "int main() { k<<<1, 32>>>(n, a); }"), CUDA) == kernel


def test_a_declaration_or_a_call_is_no_kernel():
    text = blocks(IN_CUDA, "__global__ void k(int n, float* a);", "int main() { k<<<1, 1>>>(n, a); }")
    assert code_of(text, CUDA) == IN_CUDA


@pytest.mark.parametrize("line", ["<think>", "```cpp", "// </think>", "void k(", "struct a", "<answer>",
    "```\n</think>\n// <think>\n", "import a", "[THINK]", "int a int a", "```python\nimport a\n```",
    "#define a"])  # fmt: skip
def test_reading_takes_no_time(line):
    """A text of 100,000 characters on which a pattern would go back again and again does not hang."""
    text = f"{line}\n" * (100_000 // len(line))
    for each in (text, f"```\n{text}\nvoid k(int a) {{ }}\n```\n```cpp\nint x;\n```\n"):
        code_of(each, CUDA)
        code_of(each, PYTHON)
    for language in (CUDA, PYTHON):
        assert grows_as_its_text(partial(code_of, wanted=language), f"{line}\n", 200)


@pytest.mark.parametrize("many", ["```\n<answer>x</answer>\n```\n", "<answer>\n```\nx\n```\n</answer>\n"])
def test_answers_in_blocks_are_looked_through_in_time(many):
    assert grows_as_its_text(lambda text: code_of(text, PYTHON), many, 500)


def test_a_module_of_many_functions_takes_no_time():
    """And not the square of their number, as Python's own table of symbols takes, for minutes."""
    text = "".join(f"def f{n}():\n    return g{n}()\n" for n in range(30_000))
    facts = answers._in_python(text)
    assert len(facts.given) == len(facts.used) == 30_000


@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward"])
def test_a_kernel_that_a_function_makes_is_found_by_its_entry(config: str) -> None:
    """The last block that defines it counts, and not a later one that defines something else."""
    entry = "cpu_forward" if config == "cpu" else "cuda_kernel_forward"
    own = f"void make_k__locals__k_{entry}(int a)\n{{\n}}"
    answer = f"```cpp\n{own}\n```\nand a helper:\n```cpp\nvoid other_{entry}(int a)\n{{\n}}\n```"
    assert code_of(answer, wanted(CONFIGS[config], "k")).strip() == own
    assert "other" in code_of(answer, wanted(CONFIGS[config], "other"))


# ---- other forms


def as_json(code: str) -> str:
    return json.dumps({"name": "submit", "arguments": {"path": "k.py", "code": code}})


# Code, as what models put around it.
FORMS = {
    "chatml": lambda code: f"```\n{code}\n```<|im_end|>",
    "chatml, whole": lambda code: f"<|im_start|>assistant\n{code}<|im_end|>\n",
    "llama": lambda code: f"```\n{code}\n```<|eot_id|>",
    "llama, whole": lambda code: f"<|start_header_id|>assistant<|end_header_id|>\n\n{code}<|eot_id|>",
    "mistral": lambda code: f"```\n{code}\n``` </s>",
    "mistral, at the fence": lambda code: f"```\n{code}\n```</s>\nuser: thanks",
    "mistral, without a fence": lambda code: f"{code}</s>\n",
    "gemma": lambda code: f"<start_of_turn>model\n{code}<end_of_turn>",
    "deepseek": lambda code: f"```\n{code}\n```<｜end▁of▁sentence｜>",
    "gpt": lambda code: f"~~~\n{code}\n~~~<|endoftext|>",
    "in a block that is not closed": lambda code: f"```\n{code}<|im_end|>",
    "behind another one's end": lambda code: f"<|eot_id|>\n```\n{code}\n```",
    "behind an end and a beginning": lambda code: f"<|endoftext|><|im_start|>assistant\n{code}<|im_end|>",
    "and the model goes on as its user": lambda code: (
        f"```\n{code}\n```<|im_end|>\n<|im_start|>user\nAnd so?\n```\n{code.replace('0', '1')}\n```"),
    "json": as_json,
    "json, indented": lambda code: json.dumps(json.loads(as_json(code)), indent=2),
    "json in json": lambda code: json.dumps({"name": "f", "arguments": json.dumps({"code": code})}),
    "json in a list": lambda code: f"[{as_json(code)}]",
    "json after words": lambda code: f"I call the tool.\n{as_json(code)}",
    "json in a fence": lambda code: f"So:\n```json\n{as_json(code)}\n```",
    "json that holds a fence": lambda code: as_json(f"Here:\n```python\n{code}\n```\nDone."),
    "json with bare line ends": lambda code: '{"code": "' + code.replace('"', '\\"') + '"}',
    "a call": lambda code: f"Well.\n<tool_call>\n{as_json(code)}\n</tool_call>",
    "a call, cut off": lambda code: f"<tool_call>\n{as_json(code)}",
    "a call and the end": lambda code: f"<tool_call>\n{as_json(code)}\n</tool_call><|im_end|>",
    "a call in a fence": lambda code: f"```xml\n<tool_call>\n{as_json(code)}\n</tool_call>\n```",
    "a function": lambda code: (
        f"<function=f>\n<parameter=path>\nk\n</parameter>\n<parameter=code>\n{code}\n</parameter>\n</function>"),
    "an invocation": lambda code: f'<invoke name="f"><parameter name="code">{code}</parameter></invoke>',
    "an argument": lambda code: (
        f"<tool_call>f\n<arg_key>code</arg_key>\n<arg_value>{code}</arg_value>\n</tool_call>"),
    "a tag": lambda code: f"Here it is: <code>\n{code}\n</code> as you asked.",
    "a tag with a language": lambda code: f'<code language="python">{code}</code>',
    "a tag that is not closed": lambda code: f"<code>\n{code}",
    "a tag in HTML": lambda code: f'<pre><code class="language-python">{html.escape(code)}</code></pre>',
    "a file that is written": lambda code: (
        f"<write_file>\n<path>k.cu</path>\n<content>\n{code}\n</content>\n</write_file>"),
    "a file's data": lambda code: (
        f'<tool_use name="create_file"><path>k</path>\n<content><![CDATA[{code}]]></content></tool_use>'),
    "a file in a call": lambda code: (
        f"So:\n<tool_call>\n<parameters>\n<path>k</path>\n<content>\n{code}</content>\n</parameters></tool_call>"),
    "a tag's data": lambda code: f"<parameter name='code'>\n<![CDATA[{code}]]>\n</parameter>",
    "an argument's data": lambda code: (
        f'<function_call name="f">\n<argument name="path">k</argument>\n'
        f'<argument name="content"><![CDATA[\n{code}\n]]></argument>\n</function_call>'),
    "a tag around a fence": lambda code: f"<code>\n```\n{code}\n```\n</code>",
    "a tag in an answer": lambda code: f"<answer><code>{code}</code></answer>",
    "a tag after thinking": lambda code: f"<think><code>no</code></think>\n<code>{code}</code>",
    "a message's call": lambda code: [{"role": "assistant", "content": None, "tool_calls": [
        {"type": "function", "function": {"name": "f", "arguments": json.dumps({"code": code})}}]}],
    "a part's call": lambda code: [{"role": "assistant", "content": [
        {"type": "text", "text": "So:"}, {"type": "tool_use", "name": "f", "input": {"code": code}}]}],
}  # fmt: skip


LESS = 'float less(float x) { return x < 1 && x > "0"[0] ? x : 0; }'


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("code", "of"), [(WHOLE, PYTHON), (f"{LESS}\n{FUNCTION}\n{IN_CUDA}", CUDA)])
def test_code_is_found_in_other_forms(form, code, of):
    assert code_of(FORMS[form](code), of) == code


@pytest.mark.parametrize("held", [
    json.dumps({"a": WHOLE, "b": WHOLE.replace("x + x", "x")}),
    json.dumps([{"code": WHOLE}, {"code": WHOLE.replace("x + x", "x")}]),
    f"<code>{WHOLE}</code>\n<code>{WHOLE.replace('x + x', 'x')}</code>",
    f"<tool_call>{as_json(WHOLE)}</tool_call>\n<tool_call>{as_json(WHOLE.replace('x + x', 'x'))}</tool_call>",
    f"<code>{WHOLE}</code>\n{blocks(WHOLE.replace('x + x', 'x'))}",
    f"{blocks(WHOLE)}\n<code>{WHOLE.replace('x + x', 'x')}</code>",
])  # fmt: skip
def test_of_two_kernels_in_one_answer_the_last_one_counts(held):
    assert code_of(held, PYTHON) == WHOLE.replace("x + x", "x")


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("calls", [nested(100_000), "x", 3, [None], [{(1, 2): object()}], [{"code": b"x"}]])
def test_calls_that_are_none_do_no_harm(calls):
    answer = [{"role": "assistant", "content": blocks(WHOLE), "tool_calls": calls}]
    assert code_of(answer, PYTHON) == WHOLE


@pytest.mark.parametrize("odd", [
    '{"n": ' + "1" * 6000 + ', "code": "def k(a): pass"}', "[" * 100_000, '{"code": "\\ud800"}',
    '{"a": 1e999}', "{}", '{"code": null}', "<tool_call></tool_call>", "<code></code>", "<tool_call><code>",
])  # fmt: skip
def test_calls_of_nothing_leave_the_block(odd):
    assert code_of(f"{blocks(WHOLE)}\n{odd}", PYTHON) == WHOLE
    assert isinstance(code_of(odd, PYTHON), str)


def test_what_a_prompt_or_a_comment_has_of_a_tag_stays():
    for line in ("// see <code>", "// <tool_call> {", '/* {"code": "x"} */'):
        assert code_of(f"{line}\n{FUNCTION}\n{IN_CUDA}", CUDA) == f"{line}\n{FUNCTION}\n{IN_CUDA}"
        assert code_of(blocks(f"{line}\n{FUNCTION}\n{IN_CUDA}"), CUDA) == f"{line}\n{FUNCTION}\n{IN_CUDA}"
    assert code_of(f"<s>no</s>\n{blocks(WHOLE)}", PYTHON) == WHOLE


WRONG = WHOLE.replace("x + x", "x")


@pytest.mark.parametrize("says", [
    "This would be wrong:", "Note that the following is incorrect:", "Do not write this:", "### Wrong",
    "**Incorrect:**", "It is right. A common mistake is:", "Never do it like this, it is broken:", "❌",
    "Here is a wrong version:",
    "Not correct would be:", "This would be wrong:\n\n", "It works.\n\nWrong:", "Buggy (do not use this):",
])  # fmt: skip
def test_a_version_that_is_called_wrong_is_not_the_answer(says):
    for wrong in (f"```python\n{WRONG}\n```", f"<code>{WRONG}</code>"):
        assert code_of(f"{blocks(WHOLE)}\n{says}\n{wrong}\nThat is all.", PYTHON) == WHOLE
    assert code_of(f"{says}\n{blocks(WRONG)}", PYTHON) == WRONG  # which is all that there is


@pytest.mark.parametrize("says", [
    "", "That was wrong. Now:", "The above is wrong, so:", "My first version was wrong:", "Fixed, not wrong:",
    "Instead of that wrong version, use:", "This one is not wrong:", "That code is incorrect. This is not:",
    "It is wrong to stop here.\n\nThe kernel:", "I was mistaken:", "Corrected, since it was broken:",
])  # fmt: skip
def test_a_last_word_counts_whatever_it_says_of_others(says):
    assert code_of(f"{blocks(WRONG)}\n{says}\n{blocks(WHOLE)}", PYTHON) == WHOLE


@pytest.mark.parametrize(("constant", "kernel", "of", "lifted"), [
    ("FACTOR = wp.constant(2.0)", f"import warp as wp\n{KERNEL}".replace("twice(", "FACTOR * ("), PYTHON,
     "import warp as wp\n"),
    ("import warp as wp\n\nFACTOR = wp.constant(2.0)", KERNEL.replace("twice(", "FACTOR * ("), PYTHON, ""),
    ("FACTOR = 2.0", KERNEL.replace("twice(", "FACTOR * ("), PYTHON, ""),
    ("__constant__ float FACTOR = 2.0f;", IN_CUDA.replace("twice(", "FACTOR * ("), CUDA, ""),
    ("constexpr float FACTOR = 2.0f, OTHER = 1.0f;", IN_CUDA.replace("twice(", "OTHER * ("), CUDA, ""),
    ("// half of it\nstatic const float FACTOR{0.5f};", IN_CUDA.replace("twice(", "FACTOR * ("), CUDA, ""),
    ("__device__ __constant__ float TABLE[2][2] = {{1.0f, 2.0f}, {3.0f, 4.0f}};",
     IN_CUDA.replace("twice(", "TABLE[0][1] * ("), CUDA, ""),
    ("#define ONE 1.0f\nconst float FACTOR = ONE;", IN_CUDA.replace("twice(", "FACTOR * ("), CUDA, ""),
])  # fmt: skip
def test_a_constant_may_stand_in_a_block_of_its_own(constant, kernel, of, lifted):
    assert code_of(blocks(constant, kernel), of) == f"{lifted}{constant}\n{kernel}"
    assert code_of(blocks("x = 1", constant, kernel, "print(x)"), of) == f"{lifted}{constant}\n{kernel}"
    draft = constant.replace("2.0", "3.0").replace("0.5", "0.25")
    assert code_of(blocks(draft, constant, kernel), of) == f"{lifted}{constant}\n{kernel}"


def test_a_local_constant_is_no_definition():
    own = IN_CUDA.replace("{\n", "{\n    const int i = 0;\n")
    helper = FUNCTION.replace("{ ", "{ const int i = 1; ")
    assert code_of(blocks(helper, own), CUDA) == f"{helper}\n{own}"


MANY = {
    "fences": "```\nx\n```\n", "open fences": "```python\n", "tags": "<code>",
    "closed tags": "<code>x</code>\n", "calls": "<tool_call>{", "json": '{"a": "', "deep json": "[[",
    "strings": '["x",\n', "tokens": "<|im_end", "ends": "</s> ", "channels": "<|channel|>final",
    "wrong": "wrong \n\n", "constants": "const\n", "brackets": "const a[", "braces": "{",
    "backslashes": "#define a \\\n", "quotes": '"', "parentheses": "f(a", "spaces": " " * 10,
    "words": "wrong.  ", "beginnings": "<s> <|assistant|>", "thoughts and ends": "<think></think><|end|>\n",
}  # fmt: skip


@pytest.mark.parametrize("many", MANY)
def test_a_long_text_is_read_in_time(many):
    assert grows_as_its_text(partial(code_of, wanted=PYTHON), MANY[many], 200)
    assert grows_as_its_text(partial(code_of, wanted=CUDA), MANY[many], 200)


def test_a_text_without_measure_is_not_read():
    text = "```\n" * (LONGEST_TEXT // 4 + 1)
    assert lines_run(lambda: code_of(text, CUDA)) < 30
    assert code_of(text, CUDA) is text
