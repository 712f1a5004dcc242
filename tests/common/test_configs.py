"""Every fact of a config comes from one table: a row of it is enough, and nobody else keeps one."""

from __future__ import annotations

import ast
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import matplotlib.colors
import pyarrow.parquet as pq
import pytest
import yaml
from toys.folders import toy_folder

import warp_ir_dataset
from warp_ir_dataset.builds.plan.saved import planned
from warp_ir_dataset.builds.plan.sizes import shard_counts, split_sizes
from warp_ir_dataset.builds.prompts import prompt
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS, Config, tasks
from warp_ir_dataset.loading.filesystem import WarpIRFileSystem
from warp_ir_dataset.loading.urls import decode, encode, shards
from warp_ir_dataset.publishing import plots
from warp_ir_dataset.publishing.card import default_card
from warp_ir_dataset.publishing.export import export, pair, row_of
from warp_ir_dataset.publishing.facts import measure
from warp_ir_dataset.publishing.hub.release import is_shard, read
from warp_ir_dataset.publishing.report import terminal

PACKAGE = Path(warp_ir_dataset.__file__).parent

TOY = Config(
    name="cpu_backward",
    target="cpu",
    adjoint=True,
    instruction="Write the toy code.",
    pairs="the C++ of forward and adjoint for the CPU",
    code="cpp_backward",
    row_bytes=17_000,
    file_bytes=5_000,
    colour="#123456",
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setitem(CONFIGS, TOY.name, TOY)  # type: ignore[arg-type]
    return TOY


def test_the_table_is_in_order() -> None:
    assert (
        list(CONFIGS)
        == [config.name for config in CONFIGS.values()]
        == [
            "cpu",
            "cuda",
            "cuda_backward",
            "warp_to_cuda",
            "spec_to_warp",
            "repair",
            "handwritten",
        ]
    )
    assert [task.name for task in tasks()] == list(CONFIGS)[:-1]
    assert CONFIGS[DEFAULT_CONFIG].cuda and not CONFIGS["cpu"].cuda
    for field in ("pairs", "colour"):
        assert len({getattr(config, field) for config in CONFIGS.values()}) == len(CONFIGS), field
    for field in ("instruction", "code"):
        assert len({getattr(config, field) for config in tasks()}) == len(tasks()), field
    # What is collected is judged in all tasks, and has the prompts of one of them.
    default, collected = CONFIGS[DEFAULT_CONFIG], CONFIGS["handwritten"]
    assert (collected.instruction, collected.code) == (default.instruction, default.code)
    assert all(matplotlib.colors.is_color_like(config.colour) for config in CONFIGS.values())


@pytest.mark.parametrize(
    ("name", "target", "code"),
    [
        ("cpu", "cpu", "cpp_forward"),
        ("cuda", "cuda", "cuda_forward"),
        ("cuda_backward", "cuda", "cuda_backward"),
        ("warp_to_cuda", "plain", "plain_cuda"),
        ("spec_to_warp", "python", "warp"),
        ("repair", "python", "right"),
        ("handwritten", "cuda", "cuda_forward"),
    ],
)
def test_what_others_depend_on(name: str, target: str, code: str) -> None:
    """Names of files and of members of an export: to change one is a new version."""
    config = CONFIGS[name]
    assert (config.target, config.code) == (target, code)
    assert (config.cuda, config.python, config.plain) == tuple(
        target == t for t in ("cuda", "python", "plain")
    )
    assert config.adjoint is (name == "cuda_backward") and config.broken is (name == "repair")
    assert config.drawn is (name != "handwritten")
    assert "Warp" in config.instruction and config.pairs and 1_000 < config.row_bytes < 100_000


def test_no_other_file_asks_for_a_config_by_its_name() -> None:
    """A comparison with a config's name, or a table by name, would be a fact kept elsewhere."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            parts: list[Any] = []
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
            elif isinstance(node, ast.Dict):
                parts = node.keys
            elif isinstance(node, ast.MatchValue):
                parts = [node.value]
            named = {part.value for part in parts if isinstance(part, ast.Constant)} & set(CONFIGS)
            # Compilers have targets, which go by some of the same names.
            if named and path.parent.name != "compilers" and path.name != "configs.py":
                found.append((path.name, node.lineno, named))
    assert found == []


# ---- a row of the table is enough


def test_requests_know_it(toy: Config) -> None:
    request = Request(toy.name, 10)
    assert decode(encode(request)) == request
    assert prompt(toy, "pass") == "Write the toy code.\n\n```python\npass\n```\n"
    with pytest.raises(ValueError, match=r"'vulkan'.* cpu, cuda, .*, handwritten, cpu_backward$"):
        Request("vulkan")


def test_it_is_cut_as_it_says(toy: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(toy.name)
    assert shard_counts(request) == {"train": 12, "validation": 2, "test": 2}
    assert [shard.count for shard in shards(request)] == 12 * [12] + 4 * [2]
    assert f"{encode(request)}/train-00011-of-00012.parquet" in WarpIRFileSystem().ls(encode(request), False)


@pytest.mark.parametrize("adjoint", [True, False])
def test_stored_plans_are_chosen_by_adjoint(
    adjoint: bool, toy: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = CONFIGS["cuda_backward" if adjoint else "cuda"]
    monkeypatch.setitem(CONFIGS, toy.name, replace(toy, adjoint=adjoint))  # type: ignore[arg-type]
    stored = planned(Request(source.name))
    assert planned(Request(toy.name)) == replace(stored, request=Request(toy.name))


def test_the_checkouts_card_lists_it(toy: Config) -> None:
    card = default_card()
    assert f"| `{toy.name}` | {toy.pairs} |" in card
    head = yaml.safe_load(card.split("---\n")[1])
    assert [config["config_name"] for config in head["configs"]] == list(CONFIGS)
    info = {entry["config_name"]: entry for entry in head["dataset_info"]}[toy.name]
    sizes = split_sizes(Request(toy.name))
    assert {split["name"]: split["num_bytes"] for split in info["splits"]} == {
        split: sizes[split] * 17_000 for split in SPLITS
    }


@pytest.mark.folder
def test_a_folder_of_it_is_told_shown_exported_and_published(toy: Config, tmp_path: Path) -> None:
    folder = toy_folder(tmp_path / "build", configs=("cpu", toy.name))
    card = (folder / "README.md").read_text()
    assert f"| `{toy.name}` | {toy.pairs} |" in card
    facts = measure(folder)
    assert list(facts.configs) == ["cpu", toy.name] and toy.name in terminal(facts)

    assert export(folder, tmp_path / "out", "json-pairs")[toy.name, "train"] == 32
    written = json.loads(min((tmp_path / "out" / toy.name / "train").iterdir()).read_text())
    row = pq.read_table(folder / toy.name / "train-00000-of-00001.parquet").to_pylist()[0]
    assert written[toy.code] == row["completion"]
    assert row_of(pair(row, toy.name)) == row == row_of(written)

    assert is_shard(f"{toy.name}/train-00000-of-00001.parquet")
    assert not is_shard("vulkan/train-00000-of-00001.parquet")
    assert not is_shard(f"{toy.name}/dev-00000-of-00001.parquet")
    assert read(folder, "user/name").rows == 80


@pytest.mark.folder
def test_plots_show_it_in_its_colour(toy: Config, tmp_path: Path) -> None:
    facts = measure(toy_folder(tmp_path / "build", configs=("cpu", toy.name)))
    drawn = next(plot for plot in plots.PLOTS if plot.file == "neighbours.png").draw(facts)
    assert drawn is not None
    titles = {panel.get_title(): panel.get_lines()[0].get_color() for panel in drawn.axes}
    assert titles == {f"cpu, {toy.name}": CONFIGS["cpu"].colour}  # of the same kernels
    other = replace(facts.configs[toy.name], nearest={"validation": {}, "test": {"0": 0.5, "1": 0.75}})
    facts = replace(facts, configs={**facts.configs, toy.name: other})
    drawn = next(plot for plot in plots.PLOTS if plot.file == "neighbours.png").draw(facts)
    assert drawn is not None
    curves = {panel.get_title(): panel.get_lines()[0] for panel in drawn.axes}
    assert {name: curve.get_color() for name, curve in curves.items()} == {
        name: CONFIGS[name].colour for name in ("cpu", toy.name)
    }
    assert curves[toy.name].get_xydata().tolist() == [[0, 100], [0.5, 100], [0.75, 50], [1, 0]]
    drawn = next(plot for plot in plots.PLOTS if plot.file == "lengths.png").draw(facts)
    assert drawn is not None
    colours = [matplotlib.colors.to_hex(panel.patches[0].get_facecolor()) for panel in drawn.axes]
    assert colours == [CONFIGS[name].colour for name in ("cpu", toy.name)]
    for panel in drawn.axes:
        assert all(float(tick).is_integer() for tick in panel.get_yticks())  # no half rows


def test_addresses_read_as_paths() -> None:
    assert str(Address(7, "math", 3)) == "7/math/3"
    assert str(Address(7, "colour", 3, "alpha_blending")) == "7/alpha_blending/3"
    assert [field.name for field in fields(Address)] == ["seed", "category", "draw", "purpose"]
