"""What no Hub would take is refused before anything is packed, read or sent; what is sent are plain files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest

from warp_ir_dataset import api, cli
from warp_ir_dataset.builds.output.manifest import published
from warp_ir_dataset.builds.row import features
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.versions import DATASET_VERSION
from warp_ir_dataset.publishing.hub import push as pushing
from warp_ir_dataset.publishing.hub.push import check_words
from warp_ir_dataset.publishing.hub.release import read

NAME = "alice/kernels"


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the Hub was asked")

    monkeypatch.setattr(pushing, "HfApi", refuse)


NAMES = (
    "nameless",
    "a/b/c",
    "../kernels",
    "alice/..",
    "alice/a--b",
    "https://huggingface.co/alice/kernels",
    "alice/kernels.git",
    "alice/kernels ",
    "alice/ kernels",
    "álice/kernels",
    "alice/kernels\n",
    "alice/" + "x" * 96,
    "",
    None,
    3,
)
BRANCHES = (
    "",
    "two words",
    "-f",
    ".hidden",
    "/main",
    "a..b",
    "a//b",
    "main/",
    "main.lock",
    "main.",
    "a/.b",
    "mäin",
    "main\n",
    "x" * 300,
    7,
)
TOKENS = ("hf_ with space", "hf_ö", "hf_line\n", "\0", 7)
VERSIONS = ("x y", "1.0", "1.0.0rc1", "v1.0.0", "1.0.٣", "", None, 1.0)


def rows() -> datasets.Dataset:
    """One that must not be looked at."""
    return datasets.Dataset.from_list([{"nothing": "of ours"}])


@pytest.mark.parametrize("what", ["folder", "memory"])
@pytest.mark.parametrize(
    ("name", "words", "says"),
    [
        *((name, {}, (repr(name), "user/name")) for name in NAMES),
        *((NAME, {"revision": word}, (repr(word), "branch")) for word in BRANCHES),
        *((NAME, {"token": token}, ("token", "huggingface.co/settings")) for token in TOKENS),
        (NAME, {"replace": ["everything"]}, ("'everything'", "card, configs, tag")),
    ],
)
def test_words_are_refused_before_anything_is_read(
    what: str, name: Any, words: dict[str, Any], says: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(UserError) as caught:
        api.push_to_hub(tmp_path if what == "folder" else rows(), name, **{"token": "hf_x", **words})
    assert all(each in str(caught.value) for each in says) and "\n" not in str(caught.value)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_is_refused_before_rows_are_read(version: Any) -> None:
    with pytest.raises(UserError, match=f"version .*{DATASET_VERSION}.* {re.escape(repr(version))}$"):
        api.push_to_hub(rows(), NAME, version=version, token="hf_x")


def test_a_token_from_elsewhere_is_looked_at_too(first: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushing, "get_token", lambda: "hf_ö")
    with pytest.raises(UserError, match="token") as caught:
        api.push_to_hub(first, NAME)
    assert "hf_" not in str(caught.value)


@pytest.mark.parametrize("revision", [None, "main", "refs/pr/3", "v1.0.0", "a_b-c/d.e"])
def test_good_words(revision: str | None) -> None:
    check_words("alice-1/my_kernels.2", ["card", "tag"], revision, "hf_Abc123")


def test_they_are_one_line_on_the_command_line(first: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["kernels"], [NAME, "--revision", "a b"], [NAME, "--token", "hf_a"]):
        assert cli.main(["push", str(first), *words]) == 2
        out, error = capsys.readouterr()
        assert out == "" and error.startswith("warp-ir: error: ") and error.count("\n") == 1


# ---- what is sent


def test_what_is_sent_is_what_a_build_wrote(first: Path) -> None:
    release = read(first, NAME)
    assert set(release.files) == set(published(first))
    for path, item in release.files.items():
        if isinstance(item.source, Path):
            assert item.source == first / path and item.source.is_file() and not item.source.is_symlink()
    assert {path for path, item in release.files.items() if isinstance(item.source, bytes)} == {"README.md"}


def test_every_shard_is_hashed_once(first: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from warp_ir_dataset.publishing.hub import release

    seen: list[Any] = []
    item = release._item
    monkeypatch.setattr(release, "_item", lambda source: seen.append(source) or item(source))
    read(first, NAME)
    paths = [source for source in seen if isinstance(source, Path)]
    assert len(paths) == len(set(paths)) == len(published(first)) - 1


# ---- rows in memory


@pytest.fixture
def held(first: Path) -> list[dict[str, Any]]:
    return pq.read_table(first / "cuda" / "test-00000-of-00001.parquet", partitioning=None).to_pylist()


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("prompt", None, "'prompt'"),
        ("ptx", None, "'ptx'"),
        ("id", "../x", "'id'"),
        ("difficulty", 9, "'difficulty'.* 1 to 5"),
    ],
)
def test_rows_in_memory_are_held_against_the_schema(
    held: list[dict[str, Any]], column: str, value: Any, says: str
) -> None:
    held[1][column] = value
    data = datasets.Dataset.from_list(held, features=features())
    with pytest.raises(UserError, match=f" rows of warp_ir_dataset: .*{says}"):
        api.push_to_hub(data, NAME, "cuda", token="hf_x")


def test_columns_of_another_type_are_one_line(held: list[dict[str, Any]]) -> None:
    other = [{**row, "difficulty": "hard\nand long"} for row in held]
    data = datasets.Dataset.from_list(other)
    with pytest.raises(UserError, match=" rows of warp_ir_dataset: ") as caught:
        api.push_to_hub(data, NAME, "cuda", token="hf_x")
    assert "\n" not in str(caught.value)
