from __future__ import annotations

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


def ask_for(rows: int, top: Path) -> None:
    """Puts a card in the place where a checkout has its own, which asks for `rows` rows of ``cuda``."""
    request = Request("cuda", rows)
    sizes = split_sizes(request)
    memory = {split: count * CONFIGS["cuda"].row_bytes for split, count in sizes.items()}
    files = f"{PROTOCOL}://{encode(request)}/{{split}}-*.parquet"
    (top / "warp_ir_dataset").mkdir()
    card = front_matter({"cuda": files}, {"cuda": sizes}, {"cuda": memory})
    (top / "warp_ir_dataset" / "README.md").write_text(card)


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.parametrize("rows", [60, pytest.param(1200, marks=pytest.mark.long)])
def test_the_loss_falls_with_the_network_off(rows: int, tmp_path: Path) -> None:
    """On real rows, synthesized when the example asks for them."""
    pytest.importorskip("trl")
    ask_for(rows, tmp_path)
    nowhere = "http://127.0.0.1:9"
    offline = {
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "0",
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
    }
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "sft.py"],
        cwd=tmp_path,
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    first, last = map(float, re.findall(r"^loss (\S+) -> (\S+)$", run.stdout, re.MULTILINE)[0])
    assert last < 0.8 * first
    longest, allowed = map(int, re.findall(r"longest (\d+); max_length (\d+)", run.stdout)[0])
    assert 1024 < allowed <= longest


def test_the_example_is_short() -> None:
    assert len((ROOT / "examples" / "sft.py").read_text().splitlines()) <= 60


def test_without_its_extra_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "trl", None)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "examples" / "sft.py"), run_name="__main__")
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2 and 'pip install ".[train]"' in line
