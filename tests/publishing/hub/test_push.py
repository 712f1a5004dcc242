"""Pushing to, and loading from, a Hub on loopback, by the real clients.

A push has a process of its own where the start, the environment or the exit status matter.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from loopback.desk import LOAD, NAME, Desk, all_whole, contents, is_whole
from loopback.hub import Fault
from loopback.repos import Repo
from toys.folders import toy_folder

from warp_ir_dataset.common.versions import DATASET_VERSION

pytestmark = pytest.mark.hub


# ---- push, load, push again


def test_what_is_pushed_loads_in_every_way(desk: Desk, first: Path) -> None:
    said = desk.push(first, alone=True)
    assert "+ cuda/train-00000-of-00001.parquet" in said and said.endswith(f"/datasets/{NAME} v1.0.0\n")
    assert [commit.title for commit in desk.repo.history()] == ["Publish v1.0.0: 240 rows", "initial commit"]
    assert all_whole(desk.repo)
    assert desk.repo.tags == {"v1.0.0": desk.repo.branches["main"]}
    assert desk.python(LOAD, NAME, first, "v1.0.0") == "equal\n"


def test_the_published_card_names_the_dataset(desk: Desk, first: Path) -> None:
    desk.published(first)
    assert f'load_dataset("{NAME}"' in desk.card and "<this folder>" not in desk.card


def test_nothing_is_sent_twice(desk: Desk, first: Path) -> None:
    desk.push(first)
    desk.hub.requests.clear()
    assert desk.push(first).startswith("nothing has changed: no commit was made\n")
    assert not desk.hub.sent("^(PUT|POST)")
    assert len(desk.repo.history()) == 2


def test_only_what_changed_travels(desk: Desk, first: Path, tmp_path: Path) -> None:
    desk.push(toy_folder(tmp_path / "two configs", configs=("cpu", "cuda")))
    desk.hub.requests.clear()
    three = ("cpu", "cuda", "cuda_backward")
    said = desk.push(toy_folder(tmp_path / "three configs", configs=three, version="1.1.0"))
    sent = {line[2:] for line in said.splitlines() if line[0] == "+"}
    assert {path for path in sent if path.endswith(".parquet")} == {
        f"cuda_backward/{split}-00000-of-00001.parquet" for split in ("train", "validation", "test")
    }
    rows = {blob.sha256 for path, blob in desk.repo.resolve("main").tree.items() if path.endswith("parquet")}
    assert len([put for put in desk.hub.sent("^PUT") if put.split("/")[-1] in rows]) == 3
    assert all_whole(desk.repo)


def test_files_of_an_older_build_go_in_the_same_commit(desk: Desk, first: Path, second: Path) -> None:
    desk.push(second)
    desk.repo.edit("NOTICE", b"somebody's own file")
    said = desk.push(first)
    assert "- cuda/train-00001-of-00002.parquet" in said
    assert len(desk.repo.history()) == 4
    files = contents(desk.repo.resolve("main"))
    assert files.pop("NOTICE") == b"somebody's own file"
    assert {name for name in files if name.endswith("parquet")} == {
        f"{path.parent.name}/{path.name}" for path in first.glob("*/*.parquet")
    }
    assert {*desk.repo.tags} == {"v1.0.0", "v1.1.0"}


# ---- what others may want to keep


def test_a_card_edited_on_the_hub_is_not_lost(desk: Desk, first: Path, second: Path) -> None:
    desk.published(first)
    edited = desk.card.replace("# ", "# My ", 1)
    commit = desk.repo.edit("README.md", edited.encode())
    said = desk.refused(second)
    assert f"{commit}/README.md" in said and "--replace card" in said
    assert desk.card == edited and not desk.repo.objects.keys() - {
        blob.sha256 for blob in desk.repo.resolve("main").tree.values()
    }
    desk.push(second, "--replace", "card")
    assert desk.card != edited and is_whole(desk.repo.resolve("main"))


def test_a_card_edited_between_look_and_commit_is_not_lost(desk: Desk, first: Path, second: Path) -> None:
    desk.published(first)
    edit = desk.card.encode() + b"More.\n"
    desk.hub.faults = [
        Fault("commit", first=lambda: desk.repo.edit("README.md", edit), harmless=True, times=1)
    ]
    done = desk.run(second)
    assert done.returncode == 2 and "--replace card" in done.stderr
    assert desk.card.encode() == edit


def test_a_foreign_card_is_not_replaced_unasked(desk: Desk, first: Path) -> None:
    desk.hub.repos[NAME] = Repo(NAME)
    desk.repo.edit("README.md", b"# Mine")
    assert "--replace card" in desk.refused(first)


def test_a_config_that_is_missing_is_not_removed_unasked(desk: Desk, first: Path, tmp_path: Path) -> None:
    desk.published(first)
    one = toy_folder(tmp_path / "cuda", configs=("cuda",))
    gone = "cpu, cuda_backward, repair, spec_to_warp, warp_to_cuda"
    assert re.search(f"{NAME} .*{gone}.*--replace configs", desk.refused(one))
    desk.push(one, "--replace", "configs", "tag")
    assert is_whole(desk.repo.resolve("main"))


def test_a_version_is_not_used_for_other_rows_unasked(desk: Desk, first: Path, tmp_path: Path) -> None:
    desk.published(first)
    other = toy_folder(tmp_path / "other", seed=5)
    assert re.search(f"v1.0.0 of {NAME} .*--dataset-version.*--replace tag", desk.refused(other))
    before = desk.repo.tags["v1.0.0"]
    desk.push(other, "--replace", "tag")
    assert desk.repo.tags["v1.0.0"] == desk.repo.branches["main"] != before


def test_a_public_dataset_is_not_taken_for_a_private_one(desk: Desk, first: Path) -> None:
    desk.published(first)
    assert re.search(f"{NAME} .*public", desk.refused(first, "--private"))


# ---- ways to push


def test_a_private_dataset(desk: Desk, first: Path) -> None:
    desk.push(first, "--private")
    assert desk.repo.private
    assert "nothing has changed" in desk.push(first, "--private")


def test_a_dry_run_only_tells(desk: Desk, first: Path, second: Path) -> None:
    said = desk.push(first, "--dry-run")
    assert "+ README.md" in said and ", 0 to remove" in said
    assert not desk.hub.repos
    desk.published(first)
    desk.hub.requests.clear()
    assert "- cpu/test-00000-of-00001.parquet" in desk.push(second, "--dry-run")
    assert "to send" in desk.push(second, "--dry-run", "--revision", "dev")
    assert not desk.hub.sent("^(PUT|POST)") and {*desk.repo.branches} == {"main"}


def test_another_branch(desk: Desk, first: Path, second: Path) -> None:
    desk.published(first)
    desk.push(second, "--revision", "next/one")
    assert all_whole(desk.repo) and is_whole(desk.repo.resolve("next/one"))
    assert {*desk.repo.tags} == {"v1.0.0"} and len(desk.repo.history()) == 2
    assert "nothing has changed" in desk.push(second, "--revision", "next/one")


@pytest.mark.parametrize("lost", [False, True])
def test_a_pull_request_is_opened_once(desk: Desk, first: Path, second: Path, lost: bool) -> None:
    desk.published(first)
    if lost:  # it is made, but the answer does not arrive
        desk.hub.faults = [Fault("commit/main", after=True, times=1)]
    for _ in range(2):
        assert "/discussions/1" in desk.push(second, "--create-pr", user="mallory")
    assert len(desk.repo.pulls) == 1 and is_whole(desk.repo.resolve("refs/pr/1"))
    assert len(desk.repo.history()) == 2 and {*desk.repo.tags} == {"v1.0.0"}


# ---- one clear line


@pytest.mark.parametrize(
    ("options", "who", "says"),
    [
        ((), {"user": None, "alone": True}, "HF_TOKEN.*hf auth login"),
        ((), {"HF_TOKEN": "hf_wrong"}, "accept this token"),
        ((), {"user": "reader"}, "token .*alice/kernels"),
        ((), {"user": "mallory"}, "token .*alice/kernels"),
        ((), {"name": "nobody/kernels"}, "'nobody'"),
        ((), {"name": "kernels"}, "'kernels' .*user/name"),
        (("--token", "hf_alice"), {"alone": True}, "unrecognized arguments: --token"),
        (("--replace", "everything"), {"alone": True}, "--replace"),
        (("--create-pr", "--revision", "no"), {"name": "alice/there"}, "alice/there .*branch 'no'"),
        ((), {"HF_HUB_OFFLINE": "1", "alone": True}, "HF_HUB_OFFLINE"),
        ((), {"HF_TOKEN": "hf_ключ"}, "token.*huggingface.co/settings"),
    ],
)
def test_what_cannot_be_is_one_line(
    desk: Desk, first: Path, options: tuple[str, ...], who: dict[str, Any], says: str
) -> None:
    desk.hub.repos["alice/there"] = Repo("alice/there")
    assert re.search(says, desk.refused(first, *options, **who))
    assert {*desk.hub.repos} == {"alice/there"}


@pytest.mark.parametrize("user", ["reader", "mallory"])
def test_a_dataset_of_somebody_else_is_one_line(desk: Desk, first: Path, second: Path, user: str) -> None:
    desk.published(first, "--private")
    assert re.search("token .*alice/kernels", desk.refused(second, user=user))
    desk.repo.private = False
    assert re.search("token .*alice/kernels", desk.refused(second, user=user))
    assert len(desk.repo.history()) == 2


def test_an_organization_has_datasets_too(desk: Desk, first: Path) -> None:
    desk.push(first, name="lab/kernels")
    assert is_whole(desk.hub.repos["lab/kernels"].resolve("main"))


def test_a_folder_that_is_no_finished_build_is_one_line(desk: Desk, first: Path, tmp_path: Path) -> None:
    assert str(tmp_path / "nothing") in desk.refused(tmp_path / "nothing")
    half = toy_folder(tmp_path / "half")
    shard = half / "cuda" / "test-00000-of-00001.parquet"
    rows = shard.read_bytes()
    shard.write_bytes(rows[:-1])
    assert re.search(f"{shard} .*warp-ir build", desk.refused(half))
    shard.unlink()
    assert re.search(f"{shard} .*warp-ir build", desk.refused(half))
    shard.write_bytes(rows)
    card = (half / "README.md").read_text()
    (half / "README.md").write_text(card.replace("num_examples: 32", "num_examples: 33", 1))
    assert re.search(f"{half}/README.md .*warp-ir build", desk.refused(half))
    (half / "README.md").unlink()
    assert re.search(f"{half}/README.md .*warp-ir build", desk.refused(half))
    assert not desk.hub.requests


# ---- from Python

PUSH_EACH = """
import sys, datasets
folder, name = sys.argv[1:]
# The default goes first: `datasets` 5.2 fails to set it where another config lies alone.
for config in ("cuda", "cpu", "cuda_backward", "warp_to_cuda", "spec_to_warp", "repair"):
    default = {"set_default": True} if config == "cuda" else {}
    datasets.load_dataset(folder, config).push_to_hub(name, config, **default)
"""


@pytest.mark.long
def test_datasets_own_push_to_hub_works_config_by_config(desk: Desk, first: Path) -> None:
    desk.python(PUSH_EACH, first, NAME)
    assert desk.python(LOAD, NAME, first, "main") == "equal\n"
    # It writes a bare card, which is not ours to replace unasked.
    assert "--replace card" in desk.refused(first)
    desk.push(first, "--replace", "card")
    assert is_whole(desk.repo.resolve("main"))
    assert desk.python(LOAD, NAME, first, "v1.0.0") == "equal\n"


PUSH_ALL = """
import sys, datasets
import warp_ir_dataset
folder, name = sys.argv[1:]
names = ("cpu", "cuda", "cuda_backward", "warp_to_cuda", "spec_to_warp", "repair")
configs = {config: datasets.load_dataset(folder, config) for config in names}
first = warp_ir_dataset.push_to_hub(configs, name, version="2.0.0")
again = warp_ir_dataset.push_to_hub(configs, name, version="2.0.0")
print(sum(path.endswith(".parquet") for path in first.sent), first.commit is not None, again.commit)
"""


@pytest.mark.long
def test_datasets_in_memory_are_pushed_with_a_card(desk: Desk, first: Path) -> None:
    assert desk.python(PUSH_ALL, first, NAME) == "18 True None\n"
    assert all_whole(desk.repo) and {*desk.repo.tags} == {"v2.0.0"}
    assert desk.python(LOAD, NAME, first, "v2.0.0", "cuda") == "equal\n"


PUSH_ONE = """
import sys, datasets, warp_ir_dataset
folder, name = sys.argv[1:]
rows = datasets.load_dataset(folder, "cpu", split="train")
warp_ir_dataset.push_to_hub(rows.filter(lambda row: row["difficulty"] < 3), name)
warp_ir_dataset.push_to_hub(folder, name, replace=["card", "tag"], dry_run=True)
warp_ir_dataset.push_to_hub({"cpu": rows}, name, replace=["card", "tag"], dry_run=True)
for wrong in (3, {"train": 3}, rows.remove_columns("skeleton"), {"dev": rows}):
    try:
        warp_ir_dataset.push_to_hub(wrong, name)
    except warp_ir_dataset.common.errors.UserError as error:
        print(error)
"""


def test_part_of_a_dataset_and_what_is_none(desk: Desk, first: Path) -> None:
    said = desk.python(PUSH_ONE, first, NAME).splitlines()
    assert [line.split(":")[0] for line in said] == [
        "expected a folder or datasets, not int",
        "expected a folder or datasets, not dict",
        "these are not rows of warp_ir_dataset",
        "unknown split 'dev'",
    ]
    assert {name for name in contents(desk.repo.resolve("main")) if name.endswith("parquet")} == {
        "cpu/train-00000-of-00001.parquet"
    }
    assert all_whole(desk.repo)


# ---- kernels instead of toys


@pytest.mark.compile
@pytest.mark.slow
@pytest.mark.long
def test_real_rows_come_back_as_they_were(desk: Desk, tmp_path: Path) -> None:
    code = "import sys; from warp_ir_dataset.cli import main; sys.exit(main(sys.argv[1:]))"
    first = ("build", str(tmp_path / "built"), "--config", "all", "--num-kernels", "60")
    subprocess.run([sys.executable, "-c", code, *first], check=True, env=desk.environment())
    desk.push(tmp_path / "built")
    assert all_whole(desk.repo)
    assert desk.python(LOAD, NAME, tmp_path / "built", f"v{DATASET_VERSION}") == "equal\n"
    assert "nothing has changed" in desk.push(tmp_path / "built")
