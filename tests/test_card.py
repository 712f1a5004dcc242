from __future__ import annotations

from pathlib import Path

import datasets
import pytest

import warp_ir_dataset
from warp_ir_dataset.card import built_card, default_card
from warp_ir_dataset.recipe import CONFIGS
from warp_ir_dataset.record import features

PACKAGE = Path(warp_ir_dataset.__file__).parent


def test_the_packages_readme_is_the_default_card() -> None:
    written = (PACKAGE / "README.md").read_text(encoding="utf-8")
    assert written == default_card(), "python -m warp_ir_dataset.card > warp_ir_dataset/README.md"


def test_datasets_finds_the_configs_and_their_default() -> None:
    assert datasets.get_dataset_config_names(str(PACKAGE)) == list(CONFIGS)
    assert datasets.load_dataset_builder(str(PACKAGE)).config.name == "cuda"


@pytest.mark.parametrize("config", CONFIGS)
def test_datasets_reads_features_and_sizes_from_the_card(config: str) -> None:
    info = datasets.load_dataset_builder(str(PACKAGE), config).info
    assert info.features == features()
    assert {name: split.num_examples for name, split in info.splits.items()} == {
        "train": 960,
        "validation": 120,
        "test": 120,
    }


def test_no_module_has_the_name_that_datasets_takes_for_a_script() -> None:
    assert not (PACKAGE / f"{PACKAGE.name}.py").exists()


def test_a_built_card_lists_only_splits_that_have_rows() -> None:
    manifest = {
        "parameters": {"num_kernels": 8, "categories": ["math", "atomic"]},
        "versions": {"generator": "1.0.0"},
        "configs": {
            "cpu": {
                "files": {"cpu/train-00000-of-00001.parquet": {"split": "train", "rows": 8, "num_bytes": 9}}
            }
        },
    }
    card = built_card(manifest)
    assert "path: cpu/train-*.parquet" in card and "split: test" not in card
    assert "Built with num_kernels 8, categories math atomic; generator 1.0.0." in card
    assert "| `cpu` | 8 | 0 | 0 |" in card
    assert "default: true" in card  # cuda is not there to be it
