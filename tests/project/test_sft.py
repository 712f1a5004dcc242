from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from warp_ir_dataset.builds.plan.sizes import split_sizes
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.loading.urls import PROTOCOL, encode
from warp_ir_dataset.publishing.front_matter import front_matter

ROOT = Path(__file__).parents[2]


def ask_for(rows: int, top: Path, config: str = "cuda") -> None:
    """Puts a card in the place where a checkout has its own, which asks for `rows` rows of a config."""
    request = Request(config, rows)
    sizes = split_sizes(request)
    memory = {split: count * CONFIGS[config].row_bytes for split, count in sizes.items()}
    files = f"{PROTOCOL}://{encode(request)}/{{split}}-*.parquet"
    (top / "warp_ir_dataset").mkdir()
    card = front_matter({config: files}, {config: sizes}, {config: memory}, {config: 1}, "1.0.0")
    (top / "warp_ir_dataset" / "README.md").write_text(card)


def ran(example: str, *words: str, folder: Path) -> str:
    """What an example prints in a folder, where no network is."""
    nowhere = "http://127.0.0.1:9"
    offline = {
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "0",
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
    }
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / example, *words],
        cwd=folder,
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return run.stdout


def losses(told: str) -> tuple[float, float]:
    ((first, last),) = re.findall(r"^loss (\S+) -> (\S+)$", told, re.MULTILINE)
    return float(first), float(last)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "rows"),
    [
        ("cuda", 20),
        pytest.param("spec_to_warp", 60, marks=pytest.mark.long),
        pytest.param("cuda", 1200, marks=pytest.mark.long),
    ],
)
def test_the_loss_falls_with_the_network_off(config: str, rows: int, tmp_path: Path) -> None:
    """On real rows, synthesized when the example asks for them."""
    pytest.importorskip("trl")
    ask_for(rows, tmp_path, config)
    told = ran("sft.py", *([config] if config != "cuda" else []), folder=tmp_path)
    first, last = losses(told)
    assert last < 0.8 * first
    longest, allowed = map(int, re.findall(r"longest (\d+); max_length (\d+)", told)[0])
    assert (1024 if config == "cuda" else 256) < allowed <= longest


TINY = """
import sys
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from warp_ir_dataset import primer
bpe = Tokenizer(models.BPE())
bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
alphabet = pre_tokenizers.ByteLevel.alphabet()
special = ["<pad>", "<end>"]
bpe.train_from_iterator(
    [primer()], trainers.BpeTrainer(vocab_size=1000, initial_alphabet=alphabet, special_tokens=special)
)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, pad_token="<pad>", eos_token="<end>")
tokenizer.chat_template = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}<end>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
tokenizer.save_pretrained(sys.argv[1])
sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(sys.argv[1])
"""


@pytest.mark.nightly
@pytest.mark.long
def test_an_adapter_is_trained_with_the_network_off(tmp_path: Path) -> None:
    """On messages, with a model that is no more than its shape and a template."""
    pytest.importorskip("peft")
    ask_for(20, tmp_path, "spec_to_warp")
    subprocess.run([sys.executable, "-c", TINY, str(tmp_path / "tiny")], check=True)
    first, last = losses(ran("lora.py", "tiny", "adapter", "--steps", "2", folder=tmp_path))
    assert min(first, last) > 0
    adapter = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert adapter["peft_type"] == "LORA" and (tmp_path / "adapter" / "adapter_model.safetensors").exists()


@pytest.mark.nightly
@pytest.mark.long
def test_the_reward_rises_with_the_network_off(tmp_path: Path) -> None:
    """The judge runs what a model of random numbers, taught a little, answers to real rows."""
    pytest.importorskip("trl")
    ask_for(60, tmp_path, "spec_to_warp")
    told = ran("grpo.py", folder=tmp_path)
    ((first, last),) = re.findall(r"^reward (\S+) -> (\S+)$", told, re.MULTILINE)
    assert 0 < float(first) < float(last) <= 1


@pytest.mark.parametrize("example", ["sft.py", "lora.py", "grpo.py"])
def test_the_example_is_short(example: str) -> None:
    assert len((ROOT / "examples" / example).read_text().splitlines()) <= (60 if example == "grpo.py" else 64)


@pytest.mark.parametrize("example", ["sft.py", "lora.py", "grpo.py"])
def test_without_its_extra_one_line_says_what_to_install(
    example: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("torch", "trl", "tokenizers"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "examples" / example), run_name="__main__")
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2 and 'pip install ".[train]"' in line


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("sft.py", "--help"), 0, "usage: sft.py"),
        (("sft.py", "nope"), 2, "'nope'"),
        (("grpo.py", "--help"), 0, "usage: grpo.py"),
        (("lora.py", "tiny", "out", "--steps", "-5"), 2, "--steps .* 1, .*-5"),
    ],
)
def test_wrong_words_end_before_anything_is_trained(
    words: tuple[str, ...],
    status: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("trl")
    pytest.importorskip("peft")
    example, *rest = words
    monkeypatch.setattr(sys, "argv", [example, *rest])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "examples" / example), run_name="__main__")
    told = capsys.readouterr()
    assert ended.value.code == status and re.search(says, told.out + told.err)
    assert not [*tmp_path.iterdir()]
