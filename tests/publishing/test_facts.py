"""Every number is counted a second time, in the plainest way, from the Parquet files."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import built as toy_build
from toys.rows import TASKS

from warp_ir_dataset.common.configs import CONFIGS, SPLITS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.language.python.grams import grams
from warp_ir_dataset.publishing.card import texts_beside
from warp_ir_dataset.publishing.facts import TEXTS, ConfigFacts, Facts, measure, measures
from warp_ir_dataset.publishing.report import markdown

TOKEN = re.compile(r"(?:[^\W\d_]|[^\x00-\x7f])+|[0-9]+|[^\w\s]|_|\s{2,}")


@pytest.fixture(scope="module")
def facts(built: Path) -> Facts:
    return measure(built)


@pytest.fixture(params=TASKS)
def config(facts: Facts, request: pytest.FixtureRequest) -> ConfigFacts:
    return facts.configs[request.param]


def rows(built: Path, config: ConfigFacts) -> dict[str, list[dict[str, Any]]]:
    return {
        split: [
            row
            for path in sorted((built / config.name).glob(f"{split}-*.parquet"))
            for row in pq.read_table(path).to_pylist()
        ]
        for split in SPLITS
    }


def every(built: Path, config: ConfigFacts) -> list[dict[str, Any]]:
    return [row for split in SPLITS for row in rows(built, config)[split]]


def test_rows_and_bytes(built: Path, config: ConfigFacts) -> None:
    by_split = rows(built, config)
    assert config.rows == {split: len(found) for split, found in by_split.items()}
    assert config.total == toy_build.KERNELS
    assert config.stored == sum(path.stat().st_size for path in (built / config.name).iterdir())
    for split in SPLITS:
        groups = (pq.read_metadata(path) for path in (built / config.name).glob(f"{split}-*"))
        assert config.memory[split] == sum(
            group.row_group(i).total_byte_size for group in groups for i in range(group.num_row_groups)
        )


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("cells", lambda row: [(row["category"], row["difficulty"])]),
        ("types", lambda row: {argument["type"] for argument in row["arguments"]}),
        ("builtins", lambda row: row["builtins"]),
        ("passed", lambda row: [name for name, value in row["checks"].items() if value is True]),
        ("ptx_versions", lambda row: [row["ptx"].split()[1]] if row.get("ptx") else []),
        ("ptx_targets", lambda row: [row["ptx"].split()[3]] if row.get("ptx") else []),
    ],
)
def test_counts(
    built: Path, config: ConfigFacts, name: str, of: Callable[[dict[str, Any]], list[Any]]
) -> None:
    assert getattr(config, name) == Counter(item for row in every(built, config) for item in of(row))


def test_lengths(built: Path, config: ConfigFacts) -> None:
    for name in TEXTS:
        texts = [row[name] for row in every(built, config) if row.get(name) is not None]
        assert config.lengths[name].lines.tolist() == [len(text.splitlines()) for text in texts]
        assert config.lengths[name].characters.tolist() == [len(text) for text in texts]
        assert config.lengths[name].tokens.tolist() == [len(TOKEN.findall(text)) for text in texts]
    pairs = [
        len(TOKEN.findall(row["prompt"])) + len(TOKEN.findall(row["completion"]))
        for row in every(built, config)
    ]
    assert config.pair_tokens.tolist() == pairs
    assert config.calls.tolist() == [len(row["builtins"]) for row in every(built, config)]


@given(st.text(alphabet=st.sampled_from("aZ09_ +(\n\té"), max_size=40))
def test_tokens_are_what_the_card_says(text: str) -> None:
    assert measures(text) == (len(text.splitlines()), len(text), len(TOKEN.findall(text)))


def test_instructions(built: Path, config: ConfigFacts) -> None:
    of_rows = []
    for row in every(built, config):
        words = [line.split() for line in (row.get("ptx") or "").replace("\t", " ").split("\n")]
        lines = [line[1:] if line and line[0].startswith("@") else line for line in words]
        found = [line[0].rstrip(";").split(".")[0] for line in lines if line]
        of_rows.append([word for word in found if word in ("mov", "bra", "fma", "st", "call", "ret")])
    assert config.instructions == Counter(word for words in of_rows for word in words)
    assert config.instruction_rows == Counter(word for words in of_rows for word in set(words))


def test_identities_and_neighbours(built: Path, config: ConfigFacts) -> None:
    by_split = rows(built, config)
    for split in SPLITS:
        for name, found in (("id", config.ids), ("skeleton", config.skeletons)):
            assert found[split].astype(str).tolist() == sorted({row[name] for row in by_split[split]})
    train = [grams(row["python_source"]) for row in by_split["train"]]
    for split in ("validation", "test"):
        expected = {
            row["id"]: max(len(mine & other) / len(mine | other) for other in train)
            for row in by_split[split]
            for mine in [grams(row["python_source"])]
        }
        assert config.nearest[split] == pytest.approx(expected, abs=1e-15)
        for threshold in (0.3, 0.7, 0.8):
            assert config.near(split, threshold) == sum(value >= threshold for value in expected.values())
    assert config.near("validation", 0.8) == 1  # the copy, under another name and with other numbers
    assert config.survivors[0.8] < config.total


def test_of_a_large_build_a_sample_is_compared(
    built: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing claims more: neither card nor report, neither file nor terminal."""
    for module in ("facts", "tables"):
        monkeypatch.setattr(f"warp_ir_dataset.publishing.{module}.COMPARED", 2)
        monkeypatch.setattr(f"warp_ir_dataset.publishing.{module}.REMOVED", 30)
    some = measure(built)
    assert some.sampled and some.thinned and not facts.sampled and not facts.thinned
    for name, config in some.configs.items():
        every = facts.configs[name]
        assert {split: len(of) for split, of in config.nearest.items()} == {"validation": 2, "test": 2}
        for split, of in config.nearest.items():
            assert of.items() <= every.nearest[split].items()
        assert config.removed == 30 >= config.survivors[0.8] and every.removed == every.total
    texts = texts_beside(built)
    told = json.loads(texts["near_duplicates.json"])["cuda"]["test"]
    assert {*told} == {*some.configs["cuda"].nearest["test"]}
    card = re.sub(r"\s+", " ", texts["README.md"])
    assert "more, 2 of them" in card and "every held-out row is compared" not in card
    assert 'nearest.get(row["id"], 1) < 0.7' in card and "more rows, from 30 of them" in card
    assert "| `cuda` | test | 3 | 2 |" in card and "| 40 | 30 |" in card
    report = markdown(some, {})
    assert "2 of them" in report and "from 30 of them" in report


def test_what_the_manifest_knows(config: ConfigFacts) -> None:
    backward = config.name == "cuda_backward"
    assert (config.draws, config.duplicates, config.barred) == (70, 3, 20 * backward)
    assert config.rejections == Counter(near_zero=5, kink=4 * backward)
    cuda = {"cuda_text_error": 1e-7} if CONFIGS[config.name].cuda else {}
    assert config.errors == {"numpy_error": 1e-7, **cuda}


def test_two_measurements_are_equal(built: Path, facts: Facts) -> None:
    again = measure(built)
    assert again.manifest_sha256 == facts.manifest_sha256
    assert [str(config) for config in again.configs.values()] == [str(c) for c in facts.configs.values()]


@pytest.mark.parametrize("quiet", [False, True])
def test_one_bar_shows_how_far_it_is(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("warp_ir_dataset.publishing.facts.SOON", 0.0)
    measure(built, quiet=quiet)
    shown = capsys.readouterr().err
    assert (shown == "") if quiet else re.search(r"measuring: 100%.* (\d+)/\1 ", shown.split("\r")[-1])


def test_a_folder_that_cannot_be_measured(built: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    with pytest.raises(UserError, match=rf"{tmp_path}/manifest\.json: No such file"):
        measure(tmp_path)
    for text in ("[]", "{", '{"configs": 3}'):
        manifest.write_text(text)
        with pytest.raises(UserError, match=rf"^{tmp_path}/manifest\.json .*build"):
            measure(tmp_path)
    manifest.write_text('{"configs": {"cpu": {"files": {}}}}')
    with pytest.raises(UserError, match=f"{tmp_path} .*rows.*warp-ir build"):
        measure(tmp_path)
    manifest.write_bytes((built / "manifest.json").read_bytes())
    with pytest.raises(UserError, match=rf"{tmp_path}/.*validation-00000-of-00001\.parquet"):
        measure(tmp_path)


def test_rows_of_unknown_origin(built: Path, tmp_path: Path) -> None:
    """What was not built here has no draws."""
    manifest = json.loads((built / "manifest.json").read_text())
    for entry in manifest["configs"].values():
        for known in ("draws", "duplicates", "barred"):
            del entry[known]
    for config in TASKS:
        shutil.copytree(built / config, tmp_path / config)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert {config.draws for config in measure(tmp_path).configs.values()} == {None}
