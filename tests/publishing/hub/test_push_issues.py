"""What has gone wrong in `datasets`' own `push_to_hub`, and does not in a push of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from loopback.desk import LOAD, NAME, Desk, all_whole, contents, is_whole
from loopback.hub import Fault

from warp_ir_dataset.builds.row import features

pytestmark = pytest.mark.hub


def head(desk: Desk) -> dict[str, Any]:
    """The YAML of the card on the Hub."""
    return yaml.safe_load(desk.card.split("---\n")[1])


OTHER_COLUMNS = """
import sys, datasets
folder, name = sys.argv[1:]
rows = datasets.load_dataset(folder, "cuda", split="train")
rows.remove_columns("ptx").add_column("score", [0.5] * len(rows)).push_to_hub(name, "cuda", set_default=True)
"""


def test_features_of_an_older_push_do_not_stay_in_the_card(desk: Desk, first: Path) -> None:
    """datasets issue 8608: pushed again with other columns, a split keeps the card's old `features`, and then
    does not load. Our card is made of the schema, anew with each push."""
    desk.python(OTHER_COLUMNS, first, NAME)
    columns = [column["name"] for column in head(desk)["dataset_info"]["features"]]
    assert "score" in columns and "ptx" not in columns
    desk.push(first, "--replace", "card")
    for info in head(desk)["dataset_info"]:
        assert info["features"] == features(info["config_name"])._to_yaml_list()
    assert desk.python(LOAD, NAME, first, "v1.0.0", "cuda") == "equal\n" and is_whole(
        desk.repo.resolve("main")
    )


PUSH_SPLITS = """
import sys, datasets, warp_ir_dataset
folder, name = sys.argv[1:]
rows = datasets.load_dataset(folder, "cuda")
for version, splits in (("1.0.0", ("train", "test")), ("1.1.0", ("train",))):
    some = datasets.DatasetDict({split: rows[split] for split in splits})
    warp_ir_dataset.push_to_hub(some, name, "cuda", version=version)
"""

SPLITS_OF = """
import sys, datasets
name, *revisions = sys.argv[1:]
for revision in revisions:
    print(*datasets.load_dataset(name, "cuda", revision=revision))
"""


def test_a_split_that_is_gone_leaves_the_card(desk: Desk, first: Path) -> None:
    """datasets issue 8367: a `DatasetDict` pushed with a split less left that split's pattern in the card,
    whose files were gone, and nothing loaded. Our card names the splits that have files."""
    desk.python(PUSH_SPLITS, first, NAME)
    (config,), (info,) = head(desk)["configs"], head(desk)["dataset_info"]
    assert [files["split"] for files in config["data_files"]] == ["train"]
    assert [split["name"] for split in info["splits"]] == ["train"]
    assert {path for path in contents(desk.repo.resolve("main")) if path.endswith(".parquet")} == {
        "cuda/train-00000-of-00001.parquet"
    }
    assert desk.python(SPLITS_OF, NAME, "v1.1.0", "v1.0.0") == "train\ntrain test\n"


def test_a_conflict_that_never_ends_is_given_up(desk: Desk, first: Path, second: Path) -> None:
    """datasets issue 7777: a Hub that answers 412 to every commit (as to a token that may only propose) kept
    `push_to_hub` in an endless loop. Ours tries eight times, says so in one line, and has changed nothing."""
    desk.published(first)
    desk.hub.faults = [Fault("POST .*/commit/", 412)]
    done = desk.run(second)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "warp-ir: error: the Hub answered 412, again and again: the same command goes on from here"
    )
    assert len(desk.hub.sent("POST .*/commit/")) == 8
    assert len(desk.repo.history()) == 2 and all_whole(desk.repo) and {*desk.repo.tags} == {"v1.0.0"}
