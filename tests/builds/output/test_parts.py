"""Builds in parts: whoever fills which, and whenever, the folder has the bytes of one build."""

from __future__ import annotations

import errno
import json
import os
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from toys import rows as toy_rows
from toys.engines import PROVER, HereEngine

from warp_ir_dataset import api, cli
from warp_ir_dataset.builds import shards
from warp_ir_dataset.builds.output import build, local_store
from warp_ir_dataset.builds.output.local_store import LocalStore
from warp_ir_dataset.builds.output.manifest import PLAN
from warp_ir_dataset.builds.output.store import Part
from warp_ir_dataset.builds.plan.plan import Plan
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.common.versions import DATASET_VERSION, GENERATOR_VERSION
from warp_ir_dataset.workers.pool import Fault

REQUESTS = [Request(config, 300, 3) for config in ("cuda", "cpu")]
HERE, SKIPPING = HereEngine(), HereEngine(skip_faults=True)
ENDLESS = 120  # a draw


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def plan(folder: Path, seed: int = 3, version: str = "1.2.3") -> Path:
    requests = [replace(request, seed=seed) for request in REQUESTS]
    api.plan(requests, folder, engine=HERE, planner=toy_rows.make_plan, version=version)
    return folder


def filled(folder: Path, count: int = 1) -> Path:
    for index in range(count):
        api.build_part(folder, Part(index, count), engine=HERE, quiet=True)
    return folder


def proving(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is proved from now on, in its order."""
    proved: list[str] = []
    prove = toy_rows.prove
    monkeypatch.setattr(
        toy_rows, "prove", lambda batch, *rest: proved.extend(map(str, batch)) or prove(batch, *rest)
    )
    return proved


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("built") / "out"
    api.build(REQUESTS, folder, engine=HERE, planner=toy_rows.make_plan, version="1.2.3", quiet=True)
    return contents(folder)


@pytest.mark.parametrize("count", [1, 3, 20])
def test_parts_make_the_bytes_of_one_build(count: int, whole: dict[str, bytes], tmp_path: Path) -> None:
    out = plan(tmp_path / "out")
    order = random.Random(count).sample(range(count), count)
    for index in order:
        if count < 8:  # shards
            with pytest.raises(UserError, match=rf"^{out} lacks \d+ .*--shard"):
                api.finish(out, engine=HERE)
        api.build_part(out, f"{index}/{count}", engine=HERE, quiet=True)
    with pytest.raises(UserError, match=f"{out} .*warp-ir build --shard"):
        api.report(out)
    manifest = api.finish(out, engine=HERE)
    with pytest.raises(UserError, match=f"^{out} .*plan.*already"):
        api.finish(out, engine=HERE)
    assert contents(out) == whole and manifest["version"] == "1.2.3"
    # It is an ordinary build from now on.
    api.build(REQUESTS, out, engine=HERE, planner=toy_rows.make_plan, version="1.2.3", quiet=True)
    assert contents(out) == whole


def test_a_part_goes_on_where_it_was_and_mends_what_is_damaged(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = plan(tmp_path / "out")
    for index in range(3):
        api.build_part(out, Part(index, 3), engine=HERE, quiet=True)
    first, second = sorted(out.rglob("*.parquet"))[:2]
    first.write_bytes(first.read_bytes()[:-50])
    second.unlink()
    with pytest.raises(UserError, match=f"^{out} lacks 2 .*--shard"):
        api.finish(out, engine=HERE)
    proved = proving(monkeypatch)
    for index in range(2):  # other parts than before
        api.build_part(out, Part(index, 2), engine=HERE, quiet=True)
    assert 0 < len(proved) < 160
    api.finish(out, engine=HERE)
    assert contents(out) == whole


def test_what_is_collected_has_no_spares_in_parts_either(tmp_path: Path) -> None:
    def planner(request: Request) -> Plan:
        made = toy_rows.make_plan(request)
        return replace(made, shards=tuple(replace(shard, spares=False) for shard in made.shards))

    request = Request("handwritten", 300, 3)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    api.build(request, whole, engine=HERE, planner=planner, quiet=True)
    api.plan(request, parts, engine=HERE, planner=planner)
    for index in range(2):
        api.build_part(parts, f"{index}/2", engine=HERE, quiet=True)
    api.finish(parts, engine=HERE)
    assert contents(parts) == contents(whole)


def test_a_store_that_fails_is_no_missing_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = plan(tmp_path / "out")
    for index in range(2):
        api.build_part(out, Part(index, 2), engine=HERE, quiet=True)

    get = LocalStore.get

    def fails(store: LocalStore, name: str) -> bytes | None:
        if name.endswith(".parquet"):
            raise UserError("access denied")
        return get(store, name)

    monkeypatch.setattr(LocalStore, "get", fails)
    with pytest.raises(UserError, match="access denied"):
        api.finish(out, engine=HERE)
    with pytest.raises(UserError, match="access denied"):
        api.build_part(out, "0/2", engine=HERE, quiet=True)


class Killed(BaseException):
    """Stands in for a SIGKILL."""


def test_a_part_that_was_killed_proves_nothing_again(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = plan(tmp_path / "out")
    proved: list[str] = []
    prove, limit = toy_rows.prove, 50

    def counting(batch, *rest):
        if len(proved) >= limit:
            raise Killed
        proved.extend(map(str, batch))
        return prove(batch, *rest)

    monkeypatch.setattr(toy_rows, "prove", counting)
    with pytest.raises(Killed):
        api.build_part(out, "1/3", engine=HERE, quiet=True)
    limit = 10**6
    for index in range(3):
        api.build_part(out, f"{index}/3", engine=HERE, quiet=True)
    assert len(proved) < 2 * 315
    api.finish(out, engine=HERE)
    assert contents(out) == whole


def test_a_part_that_comes_while_a_finish_ends_leaves_a_whole_build(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = filled(plan(tmp_path / "out"))
    acquire = local_store.FileLock.acquire

    def late(lock: FileLock, *arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(local_store.FileLock, "acquire", acquire)
        api.finish(out, engine=HERE)
        return lock.acquire(*arguments, **options)

    monkeypatch.setattr(local_store.FileLock, "acquire", late)
    with pytest.raises(UserError, match=f"^{out} .*no plan: it is a build already"):
        api.build_part(out, "0/2", engine=HERE, quiet=True)
    assert contents(out) == whole and not (out / PLAN).exists()


def endless(monkeypatch: pytest.MonkeyPatch, engine: HereEngine) -> None:
    """A kernel of `cpu`, whose turn is last, never ends."""
    prove = toy_rows.prove

    def proved(batch, config, *rest):
        draws = [candidate.address.draw for candidate in batch]
        late = [at for at, draw in enumerate(draws) if draw == ENDLESS and config == "cpu"]
        if late and not engine.skip_faults:
            raise Fault("a kernel did not end; rerun with --skip-faults to leave it out")
        outcomes = prove(batch, config, *rest)
        return [Rejected(Reason.TIMEOUT, "") if at in late else each for at, each in enumerate(outcomes)]

    monkeypatch.setattr(toy_rows, "prove", proved)


def test_a_build_goes_on_with_faults_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(folder: Path, engine: HereEngine) -> None:
        with monkeypatch.context() as patch:
            endless(patch, engine)
            api.build(REQUESTS, folder, engine=engine, planner=toy_rows.make_plan, quiet=True)

    whole, begun = tmp_path / "whole", tmp_path / "begun"
    build(whole, SKIPPING)
    with pytest.raises(Fault):
        build(begun, HERE)
    assert [*begun.rglob("*.parquet")]
    build(begun, SKIPPING)
    assert contents(begun) == contents(whole)
    with pytest.raises(UserError, match=rf"^{begun} was begun with --skip-faults .*manifest\.json"):
        build(begun, HERE)


def test_parts_go_on_with_faults_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(part: str, engine: HereEngine) -> None:
        with monkeypatch.context() as patch:
            endless(patch, engine)
            api.build_part(out, part, engine=engine, quiet=True)

    whole, out = tmp_path / "whole", plan(tmp_path / "out")
    with monkeypatch.context() as patch:
        endless(patch, SKIPPING)
        api.build(REQUESTS, whole, engine=SKIPPING, planner=toy_rows.make_plan, version="1.2.3", quiet=True)
    faults = []
    for part in ("0/2", "1/2"):
        try:
            fill(part, HERE)
        except Fault:
            faults.append(part)
    for part in faults:
        fill(part, SKIPPING)
    with pytest.raises(UserError, match=f"{out} was begun with --skip-faults"):
        api.finish(out, engine=HERE)
    api.finish(out, engine=SKIPPING)
    assert faults and contents(out) == contents(whole)
    other = tmp_path / "other"
    api.plan(REQUESTS, other, engine=SKIPPING, planner=toy_rows.make_plan)
    with pytest.raises(UserError, match=f"{other} was begun with --skip-faults"):
        api.build_part(other, "0/3", engine=HERE)


@pytest.mark.parametrize("text", ["3/3", "0/0", "1", "-1/3", "a/b", "0/3/4", ""])
def test_a_part_that_cannot_be(text: str) -> None:
    with pytest.raises(UserError, match=f"part .* 0/3.* '?{text}'?$"):
        Part.parse(text)


@pytest.mark.parametrize("part", [0, (0, 3), None])
def test_a_part_is_a_text(part: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"part .*'0/3'.* {re.escape(repr(part))}$"):
        api.build_part(tmp_path / "out", part, engine=HERE)


def test_what_is_not_planned_and_what_is_not_to_be_mixed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for call in (partial_of("0/3"), api.finish):
        with pytest.raises(UserError, match=f"^{out} .*warp-ir plan$"):
            call(out, engine=HERE)
    plan(out)
    with pytest.raises(UserError, match=f"^{out} .*planned.*--shard"):
        plan(out)
    others = replace(PROVER, compilers=lambda: {"clang": "1"})
    with pytest.raises(UserError, match=rf"^{out} .*versions \(clang .*, not 1, .*nvrtc"):
        api.build_part(out, "0/3", engine=HereEngine(others))
    with (
        FileLock(out / ".warp-ir.0-of-3.lock"),
        pytest.raises(UserError, match=f"part 0/3 of {out}"),
    ):
        api.build_part(out, "0/3", engine=HERE)


DAMAGES: dict[str, Callable[[Path, Path], object]] = {
    "half": lambda path, other: path.write_bytes(path.read_bytes()[:-100]),
    "of another config": lambda path, other: path.write_bytes(path.with_name("cuda.plan").read_bytes()),
    "of another seed": lambda path, other: path.write_bytes(other.read_bytes()),
    "changed": lambda path, other: path.write_bytes(path.read_bytes().replace(b'"seed":3', b'"seed":5')),
    "gone": lambda path, other: path.unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_plan_that_is_not_as_it_was_written_is_none(
    damage: str, whole: dict[str, bytes], tmp_path: Path
) -> None:
    out, other = filled(plan(tmp_path / "out")), plan(tmp_path / "other", seed=4)
    DAMAGES[damage](out / PLAN / "cpu.plan", other / PLAN / "cpu.plan")
    before = contents(out)
    for call in (partial_of("0/1"), api.finish):
        with pytest.raises(UserError, match=f"^{out} holds no plan of cpu: .*warp-ir plan"):
            call(out, engine=HERE)
    assert contents(out) == before
    plan(out)
    api.finish(out, engine=HERE)
    assert contents(out) == whole


def test_what_cannot_be_read_is_no_missing_plan(tmp_path: Path) -> None:
    out = plan(tmp_path / "out")
    (out / PLAN / "cuda.plan").unlink()
    (out / PLAN / "cuda.plan").mkdir()
    (tmp_path / "other").mkdir()
    for call in (partial_of("0/1"), api.finish):
        with pytest.raises(UserError, match=r"cuda\.plan: Is a directory"):
            call(out, engine=HERE)
    manifest = plan(tmp_path / "another") / "manifest.json"
    manifest.write_text('{"configs": {}}')
    with pytest.raises(UserError, match=r"manifest\.json"):
        api.build_part(tmp_path / "another", "0/1", engine=HERE)


def test_a_refused_plan_leaves_the_plan_as_it_was(whole: dict[str, bytes], tmp_path: Path) -> None:
    out = plan(tmp_path / "out")
    before = contents(out)
    for others, says in (({"seed": 4}, "parameters"), ({"version": "9.9.9"}, "--shard"), ({}, "--shard")):
        with pytest.raises(UserError, match=f"^{out} .*{says}"):
            plan(out, **others)
        assert contents(out) == before
    api.finish(filled(out), engine=HERE)
    assert contents(out) == whole


@pytest.mark.parametrize("what", ["of another seed", "of another file"])
def test_what_was_made_from_another_plan_is_made_again(
    what: str, whole: dict[str, bytes], tmp_path: Path
) -> None:
    out, other = filled(plan(tmp_path / "out")), filled(plan(tmp_path / "other", seed=4))
    name, next_name = (f"cpu/train-0000{index}-of-00003.parquet" for index in range(2))
    folder, right = (other, name) if what == "of another seed" else (out, next_name)
    (out / name).write_bytes((folder / right).read_bytes())
    (out / PLAN / f"{name}.json").write_bytes((folder / PLAN / f"{right}.json").read_bytes())
    with pytest.raises(UserError, match=f"^{out} lacks 1 .*{name}"):
        api.finish(out, engine=HERE)
    api.finish(filled(out), engine=HERE)
    assert contents(out) == whole


def test_another_commit_of_the_same_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = plan(tmp_path / "out")
    monkeypatch.setattr(build, "source", lambda: f"{GENERATOR_VERSION} 1234")
    for call in (partial_of("0/1"), api.finish):
        with pytest.raises(UserError, match=f"^{out} .*generator .* {GENERATOR_VERSION} 1234 "):
            call(out, engine=HERE)


def test_who_comes_while_a_part_writes_leaves_it_alone(
    whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, said = plan(tmp_path / "out"), []
    write = shards.pq.write_table

    def disturbed(table: Any, file: Any, **options: Any) -> None:
        write(table, file, **options)
        monkeypatch.setattr(shards.pq, "write_table", write)
        for call in (lambda: api.finish(out, engine=HERE), lambda: plan(out)):
            before = contents(out)
            with pytest.raises(UserError) as refused:
                call()
            said.append(str(refused.value))
            assert contents(out) == before

    monkeypatch.setattr(shards.pq, "write_table", disturbed)
    filled(out)
    assert said == [f"another process fills part 0/1 of {out}: wait for it"] * 2
    api.finish(out, engine=HERE)
    assert contents(out) == whole


@pytest.mark.parametrize("left", ["all", "cuda.plan", "cpu/train-00000-of-00003.parquet.json"])
def test_a_finish_that_is_killed_at_its_end_leaves_a_whole_build(
    left: str, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = filled(plan(tmp_path / "out"))

    def killed(store: LocalStore, folder: str) -> None:
        for path in [*(out / folder).rglob("*.*")]:
            if left != "all" and path.is_file() and not path.match(left):
                path.unlink()
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(LocalStore, "clear", killed)
        api.finish(out, engine=HERE)
    if left.endswith("json"):
        with pytest.raises(UserError, match=f"^{out} .*plan.*already"):
            api.finish(out, engine=HERE)
        api.build(REQUESTS, out, engine=HERE, planner=toy_rows.make_plan, version="1.2.3", quiet=True)
    else:
        api.finish(out, engine=HERE)
    assert contents(out) == whole


@pytest.mark.parametrize("door", ["build", "parts"])
def test_a_build_and_its_parts_go_on_with_each_others_work(
    door: str, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    proved, prove = [], toy_rows.prove

    def counting(batch: Any, *rest: Any) -> Any:
        if len(proved) >= limit:
            raise Killed
        proved.extend(map(str, batch))
        return prove(batch, *rest)

    def built() -> None:
        api.build(REQUESTS, out, engine=HERE, planner=toy_rows.make_plan, version="1.2.3", quiet=True)

    monkeypatch.setattr(toy_rows, "prove", counting)
    limit = 400
    with pytest.raises(Killed):
        if door == "build":
            plan(out)
            api.build_part(out, "0/1", engine=HERE, quiet=True)
        else:
            built()
    limit = 10**6
    if door == "build":
        built()
    else:
        filled(out, 2)
        api.finish(out, engine=HERE)
    assert contents(out) == whole
    assert len(proved) < 2 * 315


def test_shards_that_are_missing_are_named_with_the_part_that_makes_them(tmp_path: Path) -> None:
    out = plan(tmp_path / "out")
    first = "cpu/train-00000-of-00003.parquet, cpu/train-00001-.*, cpu/train-00002-.* and 7 more"
    with pytest.raises(UserError, match=f"^{out} lacks 10 .*--shard.*: {first}$"):
        api.finish(out, engine=HERE)
    for part in ("0/3", "1/3"):
        api.build_part(out, part, engine=HERE, quiet=True)
    with pytest.raises(UserError, match=rf"^{out} lacks 3 .*train.*, cuda/.* --shard 2/3\)$"):
        api.finish(out, engine=HERE)
    api.build_part(out, "0/4", engine=HERE, quiet=True)


def test_a_folder_that_cannot_be_locked_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = plan(tmp_path / "out")

    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(FileLock, "acquire", refused)
    with pytest.raises(UserError, match=f"{out}: Permission denied$"):
        api.build_part(out, "0/1", engine=HERE)


@pytest.mark.parametrize("what", ["file", "folder", "build", "dangling"])
def test_a_place_that_cannot_be_planned_in_is_refused_before_planning(what: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    if what == "file":
        out.write_text("mine")
    elif what == "dangling":
        out.symlink_to(tmp_path / "nowhere" / "deep")
    elif what == "folder":
        out.mkdir()
        (out / "mine").write_text("mine")
    else:
        api.build(REQUESTS[1], out, engine=HERE, planner=toy_rows.make_plan, quiet=True)

    def planner(_: Request) -> Plan:
        raise AssertionError("it plans")

    with pytest.raises(UserError, match=f"{out} .*link" if what == "dangling" else str(out)):
        api.plan(REQUESTS[1], out, engine=HERE, planner=planner)


def test_an_unknown_architecture_is_refused_before_planning(tmp_path: Path) -> None:
    knows = HereEngine(replace(PROVER, architectures=lambda: [80, 90]))
    for door in (api.build, api.plan):
        with pytest.raises(UserError, match=r"'sm_33': .* sm_80, sm_90$"):
            door(Request("cuda", arch="sm_33"), tmp_path / "out", engine=knows)
    assert not list(tmp_path.iterdir())
    api.build(
        Request("cpu", 40, arch="sm_33"),
        tmp_path / "out",
        engine=knows,
        planner=toy_rows.make_plan,
        quiet=True,
    )


def partial_of(part: str) -> Callable[..., object]:
    return lambda folder, **options: api.build_part(folder, part, **options)


def test_the_commands(whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")

    def here(*arguments: str) -> int:
        return cli.main(arguments, engine=lambda **_: HereEngine(), planner=toy_rows.make_plan)

    parameters = ["--num-kernels", "300", "--seed", "3", "--config", "cuda,cpu", "--dataset-version", "1.2.3"]
    assert here("plan", out, *parameters) == 0
    printed = capsys.readouterr().out
    assert "--shard 0/N" in printed and "cuda: 300 rows and" in printed and "cpu: 300 rows and" in printed
    assert here("build", out, "--shard", "0/2") == here("build", out, "--shard", "1/2") == 0
    said = capsys.readouterr().out.splitlines()
    heads = [at for at, line in enumerate(said) if line.startswith("config ")]
    rows = [[*map(int, line.split()[1:4])] for at in heads for line in said[at + 1 : at + 3]]
    assert [sum(each) for each in zip(*rows, strict=True)] == [480, 60, 60]
    assert len(heads) == 2 and sum(" kernels tried: " in line for line in said) == 4
    assert sum("rows made; " in line and "rows a second)." in line for line in said) == 4
    assert said[-1] == f"warp-ir build {out} --finish makes one build of all parts, once they are filled."
    assert here("build", out, "--finish", "--shard", "0/2") == 2
    capsys.readouterr()
    for option in (
        "--seed 3",
        "--seed 0",
        "--num-kernels 1200",
        "--config cuda",
        f"--dataset-version {DATASET_VERSION}",
    ):
        assert here("build", out, "--finish", *option.split()) == 2
        assert "leave these options out" in capsys.readouterr().err
    assert here("build", out, "--shard", "") == 2
    assert "0/3" in capsys.readouterr().err
    assert here("build", out, "--finish") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("config ") and said[-1].endswith(" loads it.")
    assert sum(" were considered: " in line for line in said) == 2
    assert sum(" s of checking files." in line for line in said) == 2 and said[-3].endswith(" s in all.")
    assert contents(Path(out)) == whole
    told = str(tmp_path / "told")
    assert here("plan", told, *parameters, "--json", "--quiet") == 0
    planned = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["config"], line["rows"]) for line in planned] == [("cuda", 300), ("cpu", 300)]
    assert all(300 <= line["candidates"] <= line["draws"] for line in planned)
    for part, made in (
        (("--shard", "0/2"), 300),
        (("--shard", "1/2"), 300),
        (("--shard", "1/2"), 0),
        (("--finish",), 0),
    ):
        assert here("build", told, *part, "--json", "--quiet") == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [line["config"] for line in lines] == ["cpu", "cuda"]
        assert sum(line["made"] for line in lines) == made
        assert sum(line["rows"] for line in lines) == (600 if part == ("--finish",) else 300)
    assert lines[0]["draws"] > 0 and lines[0]["rejections"] and lines[0]["checking_seconds"] > 0
    silent = str(tmp_path / "silent")
    assert here("plan", silent, *parameters, "--quiet") == 0
    for part in (("--shard", "0/1"), ("--finish",)):
        assert here("build", silent, *part, "--quiet") == 0
    assert capsys.readouterr() == ("", "")
