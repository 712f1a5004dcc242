"""Engines: whichever fills the shards, the bytes are the same, and what it says goes into the manifest."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from toys import rows as toy_rows
from toys.engines import ENGINE, PROVER, HereEngine
from toys.rows import TASKS

from warp_ir_dataset.api import build
from warp_ir_dataset.builds.engine import WARP, Engine, LocalEngine
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.workers.task import Task

REQUESTS = [Request(config, 40, 3) for config in TASKS]


def made(folder: Path, engine: Engine, requests: list[Request] = REQUESTS) -> dict[str, bytes]:
    build(requests, folder, engine=engine, planner=toy_rows.make_plan, quiet=True)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.process
def test_any_engine_gives_the_same_bytes(tmp_path: Path) -> None:
    here = HereEngine()
    assert made(tmp_path / "here", here) == made(tmp_path / "local", ENGINE)
    # What may be refused for its architecture comes first.
    assert [request.config for request in here.asked] == [
        "cuda",
        "cuda_backward",
        "cpu",
        "warp_to_cuda",
        "spec_to_warp",
        "repair",
    ]


@pytest.mark.process
def test_a_build_goes_on_with_another_engine(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole", HereEngine())
    made(tmp_path / "parts", ENGINE, REQUESTS[:1])
    assert made(tmp_path / "parts", HereEngine()) == whole


def test_the_manifest_has_what_engine_and_prover_say(tmp_path: Path) -> None:
    prover = replace(PROVER, compilers=lambda: {"abacus": "3"})
    made(tmp_path / "one", HereEngine(prover, skip_faults=True), REQUESTS[:1])
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["versions"]["abacus"] == "3" and manifest["parameters"]["skip_faults"] is True
    with pytest.raises(
        UserError, match=rf"^{tmp_path / 'one'} was begun with --skip-faults .*manifest\.json"
    ):
        made(tmp_path / "one", HereEngine(prover), REQUESTS[:1])


def test_a_prover_names_its_task() -> None:
    assert WARP.task(Request("cpu", arch="sm_90")) == Task(
        "warp_ir_dataset.builds.produce:produce", ("cpu", "sm_90")
    )


@pytest.mark.parametrize("workers", [0, -1, True, 1.5])
def test_workers_are_a_whole_number(workers: int, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"workers .* {workers}$"):
        made(tmp_path / "out", LocalEngine(workers, prover=PROVER), REQUESTS[:1])
