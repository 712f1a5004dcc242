"""Rows as messages, and completions without Warp's comments."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pytest
from toys import rows as toy_rows
from toys.rows import TASKS

import warp_ir_dataset
from warp_ir_dataset import chat, cli, strip_comments
from warp_ir_dataset.builds.row import SCHEMA, features
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.compilers import units
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.publishing.trainers import language

CUDA = """struct Pair_1 {
    wp::float32 a;  // kept: code stands before it
};
// def helper(x: float): <L 3>

extern "C" __global__ void k(wp::array_t<wp::float32> var_x)
{
        //---------
        // x[i] = 2.0 * x[i] <L 9>
    const char* var_0 = "// not a comment";
    #define TWICE(x) \\
    // part of the macro
    /* a block
    // that ends here */ var_1 = 2.0;
    // joined to what follows \\
    so this is no code either
    var_2 = var_1;
}
// last"""

STRIPPED = """struct Pair_1 {
    wp::float32 a;  // kept: code stands before it
};

extern "C" __global__ void k(wp::array_t<wp::float32> var_x)
{
    const char* var_0 = "// not a comment";
    #define TWICE(x) \\
    // part of the macro
    /* a block
    // that ends here */ var_1 = 2.0;
    // joined to what follows \\
    so this is no code either
    var_2 = var_1;
}
"""

PYTHON = "import warp as wp\n\n\n@wp.kernel\ndef k(n: int):\n    m = (n\n    // 2)\n"


def row(number: int = 0, **changes: Any) -> dict[str, Any]:
    found = toy_rows.row(toy_rows.address_at(3, "math", number), "cuda", "sm_80")
    assert list(found) == SCHEMA.names
    return {**found, "prompt": f"Write it.\n\n```python\n{number}\n```\n", "completion": CUDA, **changes}


def dataset(count: int = 3) -> datasets.Dataset:
    return datasets.Dataset.from_list([row(n) for n in range(count)], features=features())


# ---- messages


def test_a_row_becomes_messages_and_keeps_its_other_columns() -> None:
    found = chat(row())
    assert found["prompt"] == [{"role": "user", "content": "Write it.\n\n```python\n0\n```"}]
    assert found["completion"] == [{"role": "assistant", "content": f"```cuda\n{CUDA}\n```"}]
    assert {**found, "prompt": None, "completion": None} == {**row(), "prompt": None, "completion": None}
    assert chat(row(), "Be brief.")["prompt"][0] == {"role": "system", "content": "Be brief."}
    assert len(chat(row(), "")["prompt"]) == 2


@pytest.mark.parametrize(
    ("code", "name"), [(CUDA, "cuda"), ("void k() {}", "cpp"), (PYTHON, "python"), (CUDA * 2, "cuda")]
)
def test_a_fence_names_the_language(code: str, name: str) -> None:
    assert language(code) == name
    answer = chat(row(completion=code))["completion"][0]["content"]
    assert answer == f"```{name}\n{code.rstrip()}\n```"


def test_a_fence_is_longer_than_what_it_holds() -> None:
    answer = chat(row(completion="void k() { /* ```` */ }"))["completion"][0]["content"]
    assert answer.startswith("`````cpp\n") and answer.endswith("\n`````")


def test_every_kind_of_dataset_stays_what_it_is() -> None:
    whole = dataset()
    want = [chat(found, "Hm.") for found in whole.to_list()]
    made = chat(whole, "Hm.")
    assert isinstance(made, datasets.Dataset) and made.to_list() == want
    assert made.column_names == SCHEMA.names
    assert made.features["checks"] == whole.features["checks"]

    streamed = chat(whole.to_iterable_dataset(), "Hm.")
    assert isinstance(streamed, datasets.IterableDataset) and list(streamed) == want
    assert streamed.features == made.features

    splits = chat(datasets.DatasetDict({"train": whole, "test": whole}), "Hm.")
    assert isinstance(splits, datasets.DatasetDict) and splits["test"].to_list() == want
    streams = chat(datasets.IterableDatasetDict({"train": whole.to_iterable_dataset()}), "Hm.")
    assert isinstance(streams, datasets.IterableDatasetDict) and list(streams["train"]) == want
    configs = chat({"cuda": datasets.DatasetDict({"train": whole})}, "Hm.")
    assert configs["cuda"]["train"].to_list() == want


def test_a_stream_that_does_not_know_its_features() -> None:
    stream = datasets.IterableDataset.from_generator(lambda: iter([row()]))
    assert stream.features is None and list(chat(stream)) == [chat(row())]


def test_two_columns_are_enough() -> None:
    pair = dataset().select_columns(["prompt", "completion"])
    assert chat(pair).column_names == ["prompt", "completion"]
    assert strip_comments(pair.select_columns("completion"))[0] == {"completion": STRIPPED}


@pytest.mark.parametrize("what", [3, None, [row()], {"train": 3}, Path("folder")])
def test_what_holds_no_rows_is_refused(what: Any) -> None:
    for made in (chat, strip_comments):
        with pytest.raises(UserError, match="datasets"):
            made(what)


def test_messages_are_not_made_twice_nor_stripped() -> None:
    for messages in (chat(row()), chat(dataset()), chat(dataset().to_iterable_dataset())):
        with pytest.raises(UserError, match="'prompt'"):
            chat(messages)
        with pytest.raises(UserError, match="'completion'"):
            list(strip_comments(messages))
    with pytest.raises(UserError, match="'completion'"):
        chat(dataset().remove_columns("completion"))


@pytest.mark.nightly
def test_trl_takes_it_as_conversation() -> None:
    trl = pytest.importorskip("trl")
    tokenizer = _tokenizer()
    for data in (chat(dataset(), "Hm.")[0], next(iter(chat(dataset().to_iterable_dataset(), "Hm.")))):
        assert trl.is_conversational(data)
        pair = {name: data[name] for name in ("prompt", "completion")}
        assert trl.apply_chat_template(pair, tokenizer) == {
            "prompt": "<system>Hm.<user>Write it.\n\n```python\n0\n```<assistant>",
            "completion": f"```cuda\n{CUDA}\n```",
        }
    assert not trl.is_conversational(row())


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()))
    tokenizer.chat_template = (
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
        "{% if add_generation_prompt %}<assistant>{% endif %}"
    )
    return tokenizer


# ---- comments


def test_lines_of_comment_go_and_code_stays() -> None:
    assert strip_comments(CUDA) == STRIPPED == strip_comments(STRIPPED)
    assert strip_comments("") == "" and strip_comments("// <L 1>") == ""
    assert strip_comments("a;\n") == "a;\n"


def test_python_has_no_such_comments() -> None:
    assert strip_comments(PYTHON) == PYTHON


def test_rows_and_datasets_lose_them_too() -> None:
    assert strip_comments(row()) == row(completion=STRIPPED)
    whole = dataset()
    want = [strip_comments(found) for found in whole.to_list()]
    assert strip_comments(whole).to_list() == want
    assert strip_comments(whole).features == whole.features
    assert list(strip_comments(datasets.IterableDatasetDict({"a": whole.to_iterable_dataset()}))["a"]) == want


def test_an_export_without_comments(built: Path, tmp_path: Path) -> None:
    for name, words in (("whole", []), ("stripped", ["--strip-comments"])):
        command = ["export", str(built), "--format", "jsonl", "--out", str(tmp_path / name), *words]
        assert cli.main(command) == 0
    for config in TASKS:
        whole, stripped = (
            [json.loads(line) for line in (tmp_path / name / config / "train.jsonl").read_text().splitlines()]
            for name in ("whole", "stripped")
        )
        assert stripped == [strip_comments(found) for found in whole]


@pytest.mark.compile
@pytest.mark.parametrize("backward", [False, True])
def test_the_same_code_is_compiled(backward: bool) -> None:
    """Comments of Warp's own text: NVRTC makes the same PTX without them."""
    source = (
        "import warp as wp\n\n\n@wp.func\ndef soft(x: float):\n    return x / (1.0 + wp.abs(x))\n\n\n"
        "@wp.kernel\ndef ease(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n    i = wp.tid()\n"
        "    total = float(0.0)\n    for k in range(3):\n        total += soft(x[i]) * float(k)\n"
        "    if total > 0.5:\n        y[i] = total\n    else:\n        y[i] = -total\n"
    )
    toolchain.start()
    text = toolchain.translate(source, "ease", backward=backward, cuda=True)
    assert text.cuda is not None
    bare = strip_comments(text.cuda)
    assert "<L " in text.cuda and "<L " not in bare and len(bare) < 0.95 * len(text.cuda)
    made = [
        toolchain.compile_ptx(units.cuda_unit([units.Member("k0", replace(text, cuda=code))]), 80)
        for code in (text.cuda, bare)
    ]
    assert made[0] == made[1] and "ease" in made[0]


def test_both_are_offered() -> None:
    assert {"chat", "strip_comments"} <= set(warp_ir_dataset.__all__)


def test_answers_to_all_tasks_lose_their_comments_too() -> None:
    code = "void f() {\n    // x = 1\n    x = 1;\n}\n"
    given = row(completion=code, completions={"cpu": code, "cuda": None})
    found = strip_comments(given)
    assert "//" not in found["completion"]
    assert found["completions"] == {"cpu": found["completion"], "cuda": None} and given["completion"] == code
