"""What stands in cards and tables, in the default tier: of one build of toy rows, and of figures made up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import datasets
import pytest
import yaml

from warp_ir_dataset.builds.request import DEFAULT_CATEGORIES, DIFFICULTIES
from warp_ir_dataset.builds.row import features
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.publishing import tables
from warp_ir_dataset.publishing.card import rebuild_command
from warp_ir_dataset.publishing.facts import Facts, measure
from warp_ir_dataset.publishing.front_matter import default_config, front_matter
from warp_ir_dataset.publishing.hub.in_memory import _configs
from warp_ir_dataset.publishing.markdown import columns, number, share, table


@pytest.fixture(scope="module")
def facts(built: Path) -> Facts:
    return measure(built)


def cells(text: str) -> list[list[str]]:
    """The cells of a table, its head first; below it the rule says which columns are numbers."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[0] == "|"
    ]


# ---- front matter


def head(*configs: str, rows: int = 10, stored: Mapping[str, int] | None = None) -> dict[str, Any]:
    sizes = {name: {"train": rows, "validation": 0, "test": 2} for name in configs}
    memory = {name: {"train": 100, "validation": 0, "test": 20} for name in configs}
    files = {name: f"{name}/{{split}}-*" for name in configs}
    text = front_matter(files, sizes, memory, stored or {}, "9.1.2")
    first, yaml_text, rest = text.split("---\n")
    assert first == rest == ""
    return yaml.safe_load(yaml_text)


def test_the_hub_reads_configs_splits_and_features() -> None:
    found = head("cpu", "cuda", stored={"cpu": 7, "cuda": 8})
    files = [{"split": split, "path": f"cpu/{split}-*"} for split in ("train", "test")]
    assert found["configs"][0] == {"config_name": "cpu", "data_files": files}
    assert found["configs"][1]["default"] is True
    info = found["dataset_info"][0]
    assert info["config_name"] == "cpu" and (info["download_size"], info["dataset_size"]) == (7, 120)
    assert info["splits"] == [
        {"name": "train", "num_bytes": 100, "num_examples": 10},
        {"name": "test", "num_bytes": 20, "num_examples": 2},
    ]
    assert datasets.Features._from_yaml_list(info["features"]) == features("cpu")
    assert {"license", "language", "pretty_name", "task_categories", "tags"} <= found.keys()
    assert {"code", "cuda", "synthetic"} <= {*found["tags"]}


def test_how_many_collected_rows_there_will_be_is_not_promised() -> None:
    drawn, collected = head("cpu", "handwritten", stored={"cpu": 1})["dataset_info"]
    assert "splits" in drawn and "splits" not in collected and "download_size" not in collected
    assert "splits" in head("handwritten", stored={"handwritten": 1})["dataset_info"][0]


@pytest.mark.parametrize(
    ("rows", "name"), [(997, "n<1K"), (998, "1K<n<10K"), (9_998, "10K<n<100K"), (10**7, "10M<n<100M")]
)
def test_sizes_have_the_hubs_names(rows: int, name: str) -> None:
    assert head("cpu", rows=rows)["size_categories"] == [name]


def test_the_default_config_is_the_usual_one_if_it_is_there() -> None:
    assert (
        default_config({"cpu": 1, "cuda": 1}) == "cuda"
        and default_config({"repair": 1, "cpu": 1}) == "repair"
    )


# ---- tables


def test_a_table_has_words_to_the_left_and_numbers_to_the_right() -> None:
    assert table(["a", "b", "c"], [["x", "1", "2"]]) == "| a | b | c |\n|---|---:|---:|\n| x | 1 | 2 |"
    assert table(["a", "b"], [["x", "y"]], text_columns=2).splitlines()[1] == "|---|---|"
    assert table(["a"], []) == ""
    assert (number(1234.4), share(1, 8), share(1, 0)) == ("1,234", "12.5%", "-")


def test_every_column_is_explained_once() -> None:
    found = cells(columns(["cpu", "handwritten"]))
    assert found[1] == ["---"] * 3 and all(len(row) == 3 and row[2] for row in found)
    names = [row[0].strip("`") for row in found[2:]]
    assert len(names) == len({*names}) and {*names} == {*features("cpu"), *features("handwritten")}
    kinds = {row[0].strip("`"): row[1] for row in found}
    assert kinds["prompt"] == "string" and kinds["checks"] == "struct"


def test_tables_have_a_row_for_each_config(facts: Facts) -> None:
    for make in (tables.sizes, tables.draws, tables.survivors):
        first, rule, *rows = cells(make(facts))
        assert [row[0].strip("`") for row in rows] == list(facts.configs)
        assert first[0] == "config" and len(rule) == len(first) and "rows" in first
        place = first.index("rows")
        assert [row[place] for row in rows] == [number(config.total) for config in facts.configs.values()]
    first, _, *rows = cells(tables.proofs(facts))
    assert first[2:] == [f"`{name}`" for name in facts.configs] and len(rows) > 3
    for name, config in facts.configs.items():
        shown = {row[0].strip("`"): row[first.index(f"`{name}`")] for row in rows}
        assert config.passed and config.passed.keys() <= shown.keys()
        assert all(shown[check] == number(count) for check, count in config.passed.items())


def test_a_family_has_its_rows_by_level(facts: Facts) -> None:
    text = tables.families(facts)
    config = next(iter(facts.configs.values()))
    for family in config.families:
        row = next(row for row in cells(text) if row[0] == f"`{family}`")
        counts = [config.cells.get((family, level), 0) for level in config.levels]
        assert row[1:] == [number(count) for count in (*counts, sum(counts))]


# ---- how to build the same again


def manifest(**changes: Any) -> dict[str, Any]:
    asked = {
        "num_kernels": 40, "seed": 3, "arch": "sm_80", "categories": [*DEFAULT_CATEGORIES],
        "difficulty": [*DIFFICULTIES], "skip_faults": False,
    }  # fmt: skip
    return {"version": "1.2.3", "configs": {"cpu": 1, "cuda": 1}, "parameters": {**asked, **changes}}


def test_the_command_names_what_is_not_usual() -> None:
    plain = "warp-ir build OUT --config cpu cuda --num-kernels 40 --seed 3 --arch sm_80"
    version = "--dataset-version 1.2.3"
    assert rebuild_command(manifest()) == f"{plain} {version}"
    assert rebuild_command(manifest(skip_faults=True)) == f"{plain} --skip-faults {version}"
    other = manifest(categories=["math", "waves"], difficulty=[2, 4])
    assert rebuild_command(other) == f"{plain} --category math waves --difficulty 2-4 {version}"


# ---- datasets in memory


class Rows:
    """As much of a dataset as is looked at before its rows are."""

    def __init__(self, config: str | None, split: str | None = None) -> None:
        self.info, self.split = datasets.DatasetInfo(config_name=config), split

    def with_format(self, *_: Any) -> Rows:
        return self


def test_datasets_are_sorted_by_config_and_split() -> None:
    train, test, alone = Rows("cpu"), Rows("cpu"), Rows("cuda", "test")
    assert _configs({"test": test, "train": train}, None) == {"cpu": {"train": train, "test": test}}
    assert list(_configs({"test": test, "train": train}, None)["cpu"]) == ["train", "test"]
    assert _configs(alone, None) == {"cuda": {"test": alone}}
    assert _configs(Rows("cuda"), "cpu").keys() == {"cpu"} and "train" in _configs(Rows("cuda"), None)["cuda"]
    assert _configs({"cpu": {"train": train}, "cuda": alone}, None) == {
        "cpu": {"train": train},
        "cuda": {"test": alone},
    }


@pytest.mark.parametrize(
    ("data", "config"),
    [({}, None), (3, None), ({"train": [1]}, "cpu"), ({"dev": Rows("cpu")}, None), (Rows(None), None),
     (Rows("vulkan"), None), (Rows("cpu"), "vulkan")],
)  # fmt: skip
def test_what_is_no_dataset_of_ours_is_refused(data: Any, config: str | None) -> None:
    with pytest.raises(UserError):
        _configs(data, config)
