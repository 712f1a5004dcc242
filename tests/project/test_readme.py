"""README and docs: their links lead somewhere, our parser takes their commands, and their Python parses."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import warp as wp
from toys.rows import TASKS

from warp_ir_dataset import cli
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.produce import produce
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.errors import UserError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.name for page in PAGES]
FOLDERS = ("tests", "benchmarks", "research", "warp_ir_dataset")
LINKING = [*PAGES, *(ROOT / name / "README.md" for name in FOLDERS)]
LENGTHS = (ROOT / "dataset_card" / "lengths.md").read_text().strip()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.M | re.S)


def commands(word: str) -> list[list[str]]:
    """The commands of all pages that begin with a word, as a shell splits them."""
    lines = [line for page in PAGES for block in blocks(page, "bash") for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith(f"{word} ")]


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(
        r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    ):
        if not link.startswith("https://"):
            place, _, anchor = link.partition("#")
            there = page.parent / place if place else page
            assert there.exists(), link
            headings = re.findall(r"^#+ (.*)$", there.read_text(), re.M) if anchor else []
            assert not anchor or anchor in map(anchor_of, headings), link


def test_every_page_is_found_from_readme() -> None:
    readme = PAGES[0].read_text()
    assert all(f"({page.relative_to(ROOT).as_posix()}" in readme for page in PAGES[1:])


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_python_is_python(page: Path) -> None:
    for block in blocks(page, "python"):
        # What is to be pasted among the lines of a table is indented, and ends with a comma.
        parsed = ast.parse(
            f"[\n{block}]"
            if block.startswith("    row(") or block.startswith("        Config")
            else (f"{{\n{block}}}" if block.startswith('    "') else block)
        )
        assert parsed.body, "a block of Python without Python"


@pytest.mark.compile
@pytest.mark.parametrize("address", [Address(0, "math", 7), Address(0, "atomic", 3), Address(0, "vector", 2)])
def test_a_row_is_run_again(
    address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the lines that the page prints."""
    monkeypatch.setattr(wp.config, "log_level", wp.LOG_ERROR)  # where a test before has started Warp itself
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "kernel_of_row", raising=False)
    (row,) = produce([Candidate(address)], "cpu", "sm_80", lambda index: None)
    assert isinstance(row, dict), row
    (block,) = blocks(ROOT / "docs" / "inputs.md", "python")
    exec(block, {"row": row})
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert told and {name for name, _ in told} == set(json.loads(row["examples"])[0]["outputs"])
    assert all(float(difference) < 1e-4 for _, difference in told)


def test_commands_of_ours_are_taken(tmp_path: Path) -> None:
    """Each is understood, up to the folder, which is not there."""
    found = commands("warp-ir")
    assert found
    for _, *words in found:
        options = cli.parser(cli.RUNS | {"build": lambda _: 0, "plan": lambda _: 0}).parse_args(words)
        if words[0] in ("build", "plan"):
            assert options.out in ("OUT", "PARTS", "s3://BUCKET/FOLDER")
        elif words[0] == "primer":
            assert options.run(options) == 0
        elif words[0] == "check":
            with pytest.raises(UserError, match=rf"{tmp_path}/\w+\.cu"):
                options.file = tmp_path / options.file
                options.run(options)
        elif words[0] == "extract":
            assert options.module.startswith(("solver.py", "my_package.solver"))
            assert options.out in (Path("OUT"), Path("ROWS"))
        else:
            with pytest.raises(UserError, match=rf"no folder {tmp_path}/OUT$"):
                options.folder = tmp_path / "OUT"
                options.run(options)


def test_figures_are_those_of_the_card() -> None:
    """The table of lengths is measured once: README and the page for trainers have its numbers."""
    assert LENGTHS in (ROOT / "docs" / "training.md").read_text()
    rows = {line.split("`")[1]: line.strip("| ").split(" | ") for line in LENGTHS.splitlines()[2:]}
    assert list(rows) == list(TASKS)
    readme = PAGES[0].read_text()
    for column in (2, 7):
        assert " | ".join(rows[config][column] for config in TASKS) in readme


def test_the_tree_has_every_folder() -> None:
    (tree,) = re.findall(r"^```\n(warp_ir_dataset/.*?)^```$", PAGES[1].read_text(), re.M | re.S)
    named = re.findall(r"^( *)(\w+)/ ", tree, re.M)
    assert {ROOT / ("warp_ir_dataset" if space else "") / name for space, name in named} == {
        path
        for top in (ROOT, ROOT / "warp_ir_dataset")
        for path in top.iterdir()
        if path.is_dir() and next(path.rglob("*.[pm][yd]"), None) and not path.name.startswith((".", "__"))
    }


# ---- TRL's command


@pytest.mark.nightly
def test_trl_takes_the_line_without_code() -> None:
    pytest.importorskip("trl")
    from trl.scripts.sft import make_parser

    found = commands("trl")
    assert len(found) == 2 and found[0] == found[1]
    script, training, model, _ = make_parser().parse_args_and_config(
        args=[*found[0][2:], "--use_cpu", "True", "--bf16", "False"]
    )
    assert (script.dataset_name, script.dataset_config) == ("./warp_ir_dataset", "cuda")
    assert training.max_length == 4096 and model.model_name_or_path


TINY = """
import sys
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
vocabulary = {sign: n for n, sign in enumerate(["<pad>", "<end>", *pre_tokenizers.ByteLevel.alphabet()])}
bytes_ = Tokenizer(models.BPE(vocabulary, []))
bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytes_, pad_token="<pad>", eos_token="<end>")
tokenizer.save_pretrained(sys.argv[1])
sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
LlamaForCausalLM(LlamaConfig(vocab_size=len(vocabulary), **sizes)).save_pretrained(sys.argv[1])
"""


@pytest.mark.nightly
@pytest.mark.long
def test_the_line_without_code_trains(built: Path, tmp_path: Path) -> None:
    """With a model that is no more than its shape, and two steps on a small build."""
    pytest.importorskip("trl")
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "0"}
    subprocess.run([sys.executable, "-c", TINY, str(tmp_path / "tiny")], check=True, env=offline)
    _, _, *words = commands("trl")[0]
    options = dict(zip(words[::2], words[1::2], strict=True))
    options |= {
        "--model_name_or_path": str(tmp_path / "tiny"),
        "--dataset_name": str(built),
        "--output_dir": str(tmp_path / "sft"),
        "--max_steps": "2",
        "--use_cpu": "True",
        "--bf16": "False",
        "--gradient_checkpointing": "False",
        "--per_device_train_batch_size": "1",
        "--report_to": "none",
    }
    trl = Path(sys.executable).with_name("trl")
    done = subprocess.run(
        [str(trl), "sft", *(word for pair in options.items() for word in pair)],
        env=offline,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "sft" / "model.safetensors").exists()
