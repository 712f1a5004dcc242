"""Builds in any store: the bytes of a folder, whichever machine begins, dies, goes on, or finishes."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem
from toys import rows as toy_rows
from toys.engines import HereEngine

from warp_ir_dataset import api, cli
from warp_ir_dataset.builds.output import lease, url_store
from warp_ir_dataset.builds.output.url_store import UrlStore
from warp_ir_dataset.builds.plan.plan import Candidate, Plan
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.errors import UserError

REQUESTS = [Request(config, 300, 3) for config in ("cuda", "cpu")]
HERE = HereEngine()
BATCH = 20  # candidates of `cuda`: as many as a unit of PTX has, though the engine asks for fewer
pytestmark = pytest.mark.folder
URL = "memory://bucket/rows"
PLACES = [URL, "here"]  # a store that is no folder, and one that is

Machine = Callable[[str], None]


class Killed(BaseException):
    """Stands in for a SIGKILL."""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def there(url: str = URL) -> dict[str, bytes]:
    files, root = fsspec.url_to_fs(url)
    return {path.removeprefix(f"{root}/"): files.cat_file(path) for path in files.find(root)}


def built(
    out: str | Path = URL,
    requests: Sequence[Request] = REQUESTS,
    planner: Callable[[Request], Plan] = toy_rows.make_plan,
) -> None:
    api.build(requests, out, engine=HERE, planner=planner, version="1.2.3", quiet=True)


def planned(out: str = URL, requests: Sequence[Request] = REQUESTS) -> None:
    api.plan(requests, out, engine=HERE, planner=toy_rows.make_plan, version="1.2.3")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    built(out := tmp_path_factory.mktemp("built") / "out")
    return contents(out)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Makes this machine another one, which shares nothing with those before but where the build is."""
    monkeypatch.chdir(tmp_path)
    for name, seconds in {"BEAT": 0.02, "PATIENCE": 0.3, "TICK": 0.01}.items():
        monkeypatch.setattr(lease, name, seconds)

    def become(name: str) -> None:
        monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / name))

    become("first")
    yield become
    fsspec.filesystem("memory").store.clear()
    fsspec.filesystem("memory").pseudo_dirs[:] = [""]


@pytest.fixture
def proved(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What is proved; after `limit` of them the build is killed."""
    counts: Counter[str] = Counter()
    prove = toy_rows.prove

    def counting(candidates: Sequence[Candidate], config: str, *options: Any) -> list[Any]:
        if "limit" in counts and sum(counts.values()) - counts["limit"] >= counts["limit"]:
            raise Killed
        counts.update(f"{config} {candidate}" for candidate in candidates)
        return prove(candidates, config, *options)

    monkeypatch.setattr(toy_rows, "prove", counting)
    return counts


def killed_after(proved: Counter[str], limit: int, build: Callable[[], object] = built) -> None:
    proved["limit"] = limit
    with pytest.raises(Killed):
        build()
    del proved["limit"]


def test_the_bytes_at_a_url_are_those_of_a_folder(
    whole: dict[str, bytes], machine: Machine, tmp_path: Path
) -> None:
    built()
    assert there() == whole
    # Nothing is left here, but that this machine wrote it.
    assert all(name.startswith("first/written/") for name in contents(tmp_path))
    built()
    assert there() == whole


def test_a_config_that_is_built_later_is_added(
    whole: dict[str, bytes], machine: Machine, tmp_path: Path
) -> None:
    built(requests=REQUESTS[:1])
    machine("second")
    built(requests=REQUESTS[1:])
    assert there() == whole


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("limit", "where"), [(1, "second"), (100, "second"), (310, "second"), (500, "second"), (310, "first")]
)
def test_a_build_that_goes_on_proves_nothing_again(
    limit: int, where: str, place: str, whole: dict[str, bytes], proved: Counter[str], machine: Machine
) -> None:
    """Whichever machine goes on."""
    killed_after(proved, limit, lambda: built(place))
    assert limit <= proved.total() < limit + BATCH
    machine(where)
    asked: list[str] = []
    built(place, planner=lambda request: asked.append(request.config) or toy_rows.make_plan(request))
    assert there(place) == whole
    assert set(proved.values()) == {1}
    assert asked == ([] if limit > 300 else ["cpu"])  # and what was planned is there


DAMAGES: dict[str, Callable[[bytes, bytes], bytes]] = {
    "cut short": lambda content, other: content[:-9],
    "changed": lambda content, other: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "of another file": lambda content, other: other,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("what", ["unit", "shard", "record", "plan"])
def test_what_is_damaged_is_made_again(
    what: str, damage: str, place: str, whole: dict[str, bytes], proved: Counter[str], machine: Machine
) -> None:
    killed_after(proved, 250, lambda: built(place))
    begun = there(place)
    units = sorted((name for name in begun if name.endswith(".unit")), key=lambda name: len(begun[name]))
    shard, other = (f"cuda/train-0000{index}-of-00003.parquet" for index in (1, 2))
    name, other = {
        "unit": (units[-1], units[-2]),
        "shard": (shard, other),
        "record": (f".plan/{shard}.json", f".plan/{other}.json"),
        "plan": (".plan/cuda.plan", units[0]),
    }[what]
    with fsspec.open(f"{place}/{name}", "wb") as file:
        file.write(DAMAGES[damage](begun[name], begun[other]))
    machine("second")
    built(place)
    assert there(place) == whole
    again = sum(number == 2 for number in proved.values())
    assert max(proved.values()) <= 2
    assert {"unit": 0 < again <= BATCH, "plan": not again}.get(what, 80 <= again < 90)


def test_a_build_may_be_killed_at_any_write(
    whole: dict[str, bytes], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, delete, small = UrlStore.put, UrlStore.delete, [Request("cpu", 40, 3)]
    left = [10**6]

    def counted(change: Callable[..., None]) -> Callable[..., None]:
        def changing(self: UrlStore, *what: Any) -> None:
            if what and not what[0].startswith(lease.FOLDER):
                left[0] -= 1
                if not left[0]:
                    raise Killed
            change(self, *what)

        return changing

    monkeypatch.setattr(UrlStore, "put", counted(put))
    monkeypatch.setattr(UrlStore, "delete", counted(delete))
    built(requests=small)
    undisturbed, number = there(), 10**6 - left[0]
    assert number > 15
    for at in random.Random(1).sample(range(1, number + 1), 8):
        fsspec.filesystem("memory").rm("/bucket", recursive=True)
        left[0] = at
        machine(f"{at}")
        with pytest.raises(Killed):
            built(requests=small)
        left[0] = 10**6
        begun = there()
        assert "README.md" not in begun or undisturbed.keys() <= begun.keys()  # it says that all is there
        for files in json.loads(begun.get("manifest.json", '{"configs": {}}'))["configs"].values():
            for name, entry in files["files"].items():
                assert hashlib.sha256(begun[name]).hexdigest() == entry["sha256"]
        machine(f"{at}, another")
        built(requests=small)
        assert there() == undisturbed


def test_parts_share_nothing_but_the_url(
    whole: dict[str, bytes], proved: Counter[str], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned()
    machine("second")
    killed_after(proved, 50, lambda: api.build_part(URL, "0/2", engine=HERE, quiet=True))
    machine("third")
    api.build_part(URL, "0/2", engine=HERE, quiet=True)
    with pytest.raises(UserError, match=rf"^{URL} lacks \d+ .*--shard"):
        api.finish(URL, engine=HERE)
    machine("fourth")
    asked: list[str] = []
    get = UrlStore.get
    monkeypatch.setattr(UrlStore, "get", lambda self, name: asked.append(name) or get(self, name))
    api.build_part(URL, "1/2", engine=HERE, quiet=True)
    assert not [name for name in asked if name.endswith(".parquet")]  # those of the other part
    machine("fifth")
    api.finish(URL, engine=HERE)
    assert there() == whole
    assert set(proved.values()) == {1}


@pytest.mark.parametrize("last", [".plan/cuda.plan", ".plan/cpu.plan", "manifest.json"])
def test_planning_may_be_killed_at_any_write(
    last: str, machine: Machine, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    put = UrlStore.put

    def putting(self: UrlStore, name: str, content: bytes) -> None:
        if name == last:
            raise Killed
        put(self, name, content)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(UrlStore, "put", putting)
        planned()
    with pytest.raises(UserError, match=f"^{URL} .*warp-ir plan"):
        api.build_part(URL, "0/1", engine=HERE)
    machine("second")
    planned()
    api.build_part(URL, "0/1", engine=HERE, quiet=True)
    api.finish(URL, engine=HERE)
    assert there() == whole
    built()
    assert there() == whole


def test_a_finish_may_be_killed_at_any_change_of_its_end(
    machine: Machine, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    planned()
    api.build_part(URL, "0/1", engine=HERE, quiet=True)
    store = dict(fsspec.filesystem("memory").store)
    memory = type(fsspec.filesystem("memory"))
    remove = memory.rm_file
    for at in range(13):
        fsspec.filesystem("memory").store.clear()
        fsspec.filesystem("memory").store.update(store)
        machine(f"{at}")
        left = iter(range(at))

        def removing(
            self: Any, path: str, left: Iterator[int] = left, **options: Any
        ) -> None:  # what lies in a folder is removed file by file
            if ".plan" in path and next(left, None) is None:
                raise Killed
            remove(self, path, **options)

        with monkeypatch.context() as patch:
            patch.setattr(memory, "rm_file", removing)
            with suppress(Killed):
                api.finish(URL, engine=HERE)
        left_over = [name for name in there() if name.startswith(".plan/")]
        assert "README.md" in there() and bool(left_over) == (at < 12)
        machine(f"{at}, another")
        if any(name.endswith(".plan") for name in left_over):
            api.finish(URL, engine=HERE)
        built()
        assert there() == whole


def test_a_finish_waits_for_parts_that_live(machine: Machine, whole: dict[str, bytes]) -> None:
    planned()
    api.build_part(URL, "0/1", engine=HERE, quiet=True)
    files, root = fsspec.url_to_fs(URL)
    with lease.held(UrlStore(URL, files, root), "0-of-2"):
        machine("second")
        for call in (lambda: api.finish(URL, engine=HERE), planned):
            before = there()
            with pytest.raises(UserError, match=rf"{URL} \(process \d+ of '.+'\)"):
                call()
            assert there().keys() == before.keys()
    api.finish(URL, engine=HERE)
    assert there() == whole


def test_a_manifest_that_was_cut_short_is_one_line_that_says_what_to_do(
    machine: Machine, whole: dict[str, bytes], proved: Counter[str]
) -> None:
    killed_after(proved, 200)
    with fsspec.open(f"{URL}/manifest.json", "wb") as file:
        file.write(there()["manifest.json"][:99])
    says = f"^{URL}/manifest.json .*not the manifest.*remove"
    for call in (built, planned, lambda: api.build_part(URL, "0/1", engine=HERE)):
        with pytest.raises(UserError, match=says):
            call()
    fsspec.filesystem("memory").rm("/bucket/rows", recursive=True)
    built()
    assert there() == whole


@pytest.mark.parametrize("place", PLACES)
def test_proved_units_are_in_the_way_of_other_parameters(
    place: str, machine: Machine, proved: Counter[str], whole: dict[str, bytes]
) -> None:
    killed_after(proved, 20, lambda: built(place))  # no shard is there yet
    begun = there(place)
    others = [Request("cuda", 300, 4)]
    machine("second")
    for call in (lambda: built(place, others), lambda: planned(place, others)):
        with pytest.raises(UserError, match=f"^{place} holds .*\\(seed 3, not 4\\)"):
            call()
        assert there(place) == begun
    built(place)
    assert there(place) == whole


def test_a_second_build_at_a_url_is_refused_while_the_first_lives(
    whole: dict[str, bytes], machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    files, root = fsspec.url_to_fs(URL)
    with lease.held(UrlStore(URL, files, root), "whole"):
        machine("second")
        before = there()
        with pytest.raises(UserError, match=rf"{URL} \(process \d+ of '.+'\)"):
            built()
        assert there().keys() == before.keys()
        planned("memory://bucket/other")
    # What a process that was killed has left does not change.
    with fsspec.open(f"{URL}/{lease.FOLDER}/whole/1234", "wb") as file:
        file.write(b"{}")
    capsys.readouterr()
    built()
    assert URL in capsys.readouterr().err
    assert there() == whole


def test_a_store_that_fails_in_between_is_one_line_and_costs_a_batch(
    whole: dict[str, bytes], proved: Counter[str], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, left = type(fsspec.filesystem("memory")), iter(range(30))

    def failing(name: str) -> Callable[..., Any]:
        works = getattr(memory, name)

        def call(self: Any, path: str, *rest: Any, **options: Any) -> Any:
            if next(left, None) is None:
                raise OSError("the line is down")
            return works(self, path, *rest, **options)

        return call

    with monkeypatch.context() as patch:
        for name in ("pipe_file", "rm_file"):
            patch.setattr(memory, name, failing(name))
        with pytest.raises(UserError, match=f"{URL}: the line is down$"):
            built()
    machine("second")
    built()
    assert there() == whole
    assert sum(number > 1 for number in proved.values()) <= BATCH


def test_a_build_of_something_else_is_refused(machine: Machine, tmp_path: Path) -> None:
    built(requests=[Request("cpu", 40, 3)])
    machine("second")
    with pytest.raises(UserError, match=f"^{URL} holds .*\\(seed 3, not 4\\)"):
        built(requests=[Request("cpu", 40, 4)])
    with pytest.raises(UserError, match=f"^{URL}/cpu .*empty"):
        built(f"{URL}/cpu")


class Shelf(LocalFileSystem):
    """A file system that has folders, and makes none by itself."""

    protocol = "shelf"

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path.removeprefix("shelf://").rstrip("/")


class Sealed(Shelf):
    protocol = "sealed"

    def pipe_file(self, path: str, value: bytes, **options: Any) -> None:
        raise NotImplementedError


@pytest.fixture
def others() -> None:
    for files in (Shelf, Sealed):
        fsspec.register_implementation(files.protocol, files, clobber=True)


@pytest.mark.parametrize("protocol", ["shelf", "file"])
def test_file_systems_that_have_folders(
    protocol: str, whole: dict[str, bytes], machine: Machine, others: None, tmp_path: Path
) -> None:
    built(f"{protocol}://{tmp_path}/a/b")
    assert contents(tmp_path / "a" / "b") == whole
    assert not list((tmp_path / "a" / "b").glob(".*"))


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("s4://bucket/rows", "s4://bucket/rows: .* s4$"),
        ("hf://datasets/me/rows", "hf://datasets/me/rows .*warp-ir push"),
        ("memory://", "memory:// .*s3://bucket/folder"),
        ("s3://bucket/*", r"load_dataset .*'\*'"),
        ("unhad://bucket/rows", r"unhad://bucket/rows: .*s3fs.*pip install '\.\[remote\]'"),
        ("sealed:///rows", "sealed:///rows: .*file system"),
    ],
)
def test_a_url_that_cannot_be_is_one_clear_line(
    url: str,
    says: str,
    others: None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fsspec.register_implementation("unhad", "no_such_package.Files", True, "Install s3fs to access S3")
    assert cli.main(["build", url]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(says, line)


@pytest.mark.parametrize(
    "command",
    ["report", "validate", "export", "score --predictions answers.jsonl", "push me/rows"],
)
def test_other_commands_want_a_folder(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, *rest = command.split()
    assert cli.main([name, URL, *rest]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{URL} " in line and "python -c " in line


@pytest.mark.parametrize("command", ["extract math", "export out --out", "report out --out"])
def test_other_commands_write_to_a_folder(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command.split(), URL]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{URL} is a URL" in line


def test_the_commands_and_the_copy(
    whole: dict[str, bytes],
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def here(*arguments: str) -> int:
        return cli.main(arguments, engine=lambda **_: HereEngine(), planner=toy_rows.make_plan)

    parameters = ["--num-kernels", "300", "--seed", "3", "--config", "cuda,cpu", "--dataset-version", "1.2.3"]
    assert here("plan", URL, *parameters) == 0
    assert f"warp-ir build {URL} --shard 0/N" in capsys.readouterr().out
    assert here("build", URL, "--shard", "0/1", "--quiet") == 0
    assert here("build", f"{URL}/", "--finish") == 0
    assert (
        f'load_dataset("parquet", data_files={{"train": "{URL}/cpu/*train-*.parquet"'
        in capsys.readouterr().out
    )
    assert there() == whole
    assert here("report", URL) == 2
    script = capsys.readouterr().err.partition('python -c "')[2].rpartition('"')[0]
    monkeypatch.chdir(tmp_path)
    exec(script)
    assert contents(tmp_path / "DIR") == whole


def test_only_splits_that_have_rows_are_loaded() -> None:
    said = cli._how_to_load("memory://b/f", ["handwritten"], chosen=True)
    assert '{"test": "memory://b/f/handwritten/*test-*.parquet"}' in said


def test_what_a_file_system_says_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, says in (
        (PermissionError("Forbidden"), r"it: .*\(Forbidden\).*credentials"),
        (RuntimeError("two\n  lines"), "it: two lines$"),
        (RuntimeError(), "it: RuntimeError$"),
    ):
        with pytest.raises(UserError, match=says), url_store.refusals("cannot do it", URL):
            raise error
