"""A dry run and what is wrong before any request, without a network."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest
from huggingface_hub import HfApi
from huggingface_hub.errors import HTTPError

import warp_ir_dataset
from warp_ir_dataset import cli
from warp_ir_dataset.common.errors import UserError

httpx = sys.modules[HTTPError.__module__.split(".")[0]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the Hub was asked for; there is no way to it, and no time for waiting."""
    found: list[dict[str, Any]] = []

    def nowhere(self: HfApi, name: str, **options: Any) -> NoReturn:
        found.append(options)
        raise httpx.ConnectError("no route to host")

    monkeypatch.setattr(HfApi, "dataset_info", nowhere)
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail(f"waited for {seconds} s"))
    return found


def test_a_dry_run_without_a_network_is_one_line_at_once(
    first: Path,
    asked: list[dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_a")
    arguments = ["push", str(first), "alice/kernels", "--dry-run"]
    assert cli.main(arguments) == 1
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert re.search(r"\(ConnectError\).* \d+ files", line)
    assert captured.out == ""
    # One question, and a network that swallows it is not waited for either.
    assert len(asked) == 1 and 0 < asked[0]["timeout"] <= 30


@pytest.mark.parametrize("name", [None, 7, Path("alice/kernels")])
def test_a_name_that_is_no_text_is_one_line(first: Path, asked: list[Any], name: Any) -> None:
    with pytest.raises(UserError, match=f"^{re.escape(repr(name))} .*user/name") as caught:
        warp_ir_dataset.push_to_hub(str(first), name, token="hf_a")
    assert "\n" not in str(caught.value) and not asked


@pytest.mark.parametrize("token", ["hf_ключ", "hf_a\n", "two words"])
def test_a_token_that_no_header_can_hold_is_one_line(first: Path, asked: list[Any], token: str) -> None:
    with pytest.raises(UserError, match="token"):
        warp_ir_dataset.push_to_hub(str(first), "alice/kernels", token=token)
    assert not asked
