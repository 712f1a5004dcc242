from __future__ import annotations

import multiprocessing
import os
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toys import rows as toy_rows
from toys.engines import PROVER, HereEngine
from toys.rows import TASKS

from warp_ir_dataset.builds.handwritten.texts import digest
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.configs import CONFIGS, SPLITS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.versions import GENERATOR_VERSION, WARP_MINOR, warp_version
from warp_ir_dataset.loading import bars, cache, filesystem, urls
from warp_ir_dataset.loading.maker import Maker, SharedEngine, made_by
from warp_ir_dataset.loading.urls import Shard, decode, decode_shard, encode, shards
from warp_ir_dataset.publishing.card import default_card
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.workers import seats as workshop

REQUESTS = [
    Request(),
    Request("cpu", 10, 7),
    Request("cuda_backward", 123, 2**63 - 1, "sm_120"),
    Request(difficulty=(2, 4)),
    Request(categories=CATEGORIES[:1], difficulty=(3, 3)),
]
SMALL = Request(num_kernels=40, seed=3)
DEFAULT = encode(Request())
SPELLED = f" .*warpir://{re.escape(DEFAULT)}$"  # the right path, behind the wrong one
SHAPE = " .*generator-.*/<config>/"  # how a path must look


@pytest.fixture
def fs() -> filesystem.WarpIRFileSystem:
    return filesystem.WarpIRFileSystem(skip_instance_cache=True)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A dataset folder whose card is the default one, in the way of a checkout."""
    folder = tmp_path / "warp_ir_dataset"
    folder.mkdir()
    (folder / "README.md").write_text(default_card())
    (folder / "cache.py").write_text("")
    return str(folder)


def read(path: Path) -> list[dict[str, Any]]:
    return pq.read_table(path).to_pylist()


# ---- paths


@pytest.mark.parametrize("asked", REQUESTS)
def test_a_request_is_read_back_from_its_path(asked: Request) -> None:
    assert decode(encode(asked)) == asked
    assert [decode_shard(shard.path) for shard in shards(asked)] == shards(asked)


def test_different_requests_have_different_paths() -> None:
    assert len({encode(request) for request in REQUESTS}) == len(REQUESTS)


@pytest.mark.parametrize(
    ("wrong", "right", "says"),
    [
        (f"generator-{GENERATOR_VERSION}", "generator-0.0.9", "generator 0.0.9"),
        (f"warp-{warp_version()}", "warp-1.18.0", "warp-lang 1.18.0"),
        (f"warp-{warp_version()}", "warp-1.18.*", "warp-lang=="),
        ("seed-0", "seed-x", "seed .* 0 to .*'x'$"),
        ("seed-0", "seed--1", "seed .*'-1'$"),
        ("seed-0", "seed-00", SPELLED),
        ("seed-0", f"seed-{2**63}", f"seed .* 0 to .* {2**63}$"),
        ("seed-0", "seed-٣", r"seed .*'\\u0663'$"),
        ("seed-0", f"seed-{'9' * 5000}", "seed .*'9+"),
        ("sm_80", "sm_٨٠", "arch .*'sm_80'"),
        ("kernels-1200", "kernels-1e3", "num_kernels .* 10 to .*'1e3'$"),
        ("kernels-1200", "kernels-1", "num_kernels .* 10 to .* 1$"),
        ("kernels-1200", "kernels-99999999", "num_kernels .* 10 to .* 99999999$"),
        ("sm_80", "sm_x", "arch .*'sm_80'.*'sm_x'$"),
        ("sm_80", "sm_80/difficulty-5-2", "difficulty 5-2: .* lower"),
        ("sm_80", "sm_80/difficulty-1-5", SPELLED),
        ("sm_80", "sm_80/categories-knitting", "category 'knitting'"),
        ("/cuda", "/vulkan", "config 'vulkan'"),
        ("/cuda", "", SHAPE),
        (DEFAULT, "", SHAPE),
    ],
)
def test_a_wrong_path_is_one_clear_line(wrong: str, right: str, says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        decode(DEFAULT.replace(wrong, right))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "train-0.parquet",
        "dev-00000-of-00001.parquet",
        "train-00000-of-00008.csv",
        "train-٠٠٠٠٠-of-00008.parquet",
    ],
)
def test_a_wrong_file_name_is_one_clear_line(name: str) -> None:
    with pytest.raises(UserError, match=f"{name}{SHAPE}"):
        decode_shard(f"{DEFAULT}/{name}")


def test_a_shard_that_the_request_does_not_have_is_not_found(fs: filesystem.WarpIRFileSystem) -> None:
    with pytest.raises(FileNotFoundError):
        fs.info(f"warpir://{DEFAULT}/train-00000-of-00099.parquet")
    assert not fs.exists(f"warpir://{DEFAULT}/train-00000-of-00099.parquet")


def test_slashes_around_a_path_do_not_matter() -> None:
    (shard, *_) = shards(SMALL)
    assert decode_shard(f"/{shard.path}/") == shard
    assert decode(f"/{encode(SMALL)}/") == SMALL


@pytest.mark.parametrize("asked", [SMALL, Request("handwritten")])
def test_a_pattern_that_fits_the_installed_warp_is_read(asked: Request) -> None:
    assert decode(encode(asked, warp="1.*")) == asked
    with pytest.raises(UserError, match=r"warp-lang 2\.\*"):
        decode(encode(asked, warp="2.*"))


# ---- listing, without synthesis


def test_the_entry_point_is_registered() -> None:
    assert fsspec.get_filesystem_class("warpir") is filesystem.WarpIRFileSystem


def test_listing_is_cheap(fs: filesystem.WarpIRFileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "open_shard", lambda shard: pytest.fail("synthesized"))
    monkeypatch.setattr(cache, "_files", lambda *_: pytest.fail("planned"))
    names = [shard.path for shard in shards(Request())]
    assert fs.ls(f"warpir://{DEFAULT}", detail=False) == names
    assert fs.glob(f"warpir://{DEFAULT}/*.parquet") == names
    assert fs.glob(
        f"warpir://{DEFAULT.replace(f'warp-{warp_version()}', f'warp-{WARP_MINOR}.*')}/test-*.parquet",
        detail=True,
    ) == {name: {"name": name, "size": None, "type": "file"} for name in names if "test-" in name}
    assert fs.isdir(f"warpir://{DEFAULT}") and fs.isfile(f"warpir://{names[0]}")


def test_a_file_and_a_folder_are_told_as_such(fs: filesystem.WarpIRFileSystem) -> None:
    path = shards(Request())[0].path
    file = {"name": path, "size": None, "type": "file"}
    assert fs.ls(f"warpir:///{path}") == [file] and fs.ls(path, detail=False) == [path]
    assert fs.info(f"/{path}/") == file
    assert fs.info(f"warpir://{DEFAULT}/") == {"name": DEFAULT, "size": 0, "type": "directory"}
    above = DEFAULT.rpartition("/")[0]
    folders = fs.ls(f"/{above}/")
    assert {entry["type"] for entry in folders} == {"directory"} and {entry["size"] for entry in folders} == {
        0
    }
    assert DEFAULT in {entry["name"] for entry in folders}
    for name in (f"{above}/vulkan", "nowhere"):
        with pytest.raises(UserError):
            fs.info(name)


def test_of_another_seed_every_config_is_there(fs: filesystem.WarpIRFileSystem) -> None:
    above = encode(SMALL).rpartition("/")[0]
    assert f"{above}/cuda" in fs.ls(above, detail=False)
    assert fs.ls(f"{above}/cuda", detail=False) == [shard.path for shard in shards(SMALL)]


def test_the_default_request_is_found_from_the_root(fs: filesystem.WarpIRFileSystem) -> None:
    found = fs.find("")
    assert found == sorted(shard.path for config in CONFIGS for shard in shards(Request(config)))


def test_collected_kernels_are_found_by_their_texts(fs: filesystem.WarpIRFileSystem) -> None:
    request = Request("handwritten")
    folder = encode(request)
    assert f"/texts-{digest()}/sm_80/" in folder and "seed" not in folder
    assert decode(folder) == request and encode(Request("handwritten", 40, 7)) == folder
    assert [shard.split for shard in shards(request)] == ["test"] * len(shards(request))
    assert folder.rpartition("/")[0] in fs.ls(folder.rpartition("/")[0].rpartition("/")[0], detail=False)
    for arch in ("sm_80", "sm_90"):
        above = encode(replace(request, arch=arch)).rpartition("/")[0]
        assert fs.ls(above, detail=False) == [f"{above}/handwritten"]
    for wrong, right in (
        (folder.replace(digest(), "0" * 16), folder),
        (folder.replace("handwritten", "cuda"), encode(Request("cuda"))),
    ):
        with pytest.raises(UserError, match=f"{re.escape(wrong)} .*{re.escape(right)}$"):
            fs.ls(wrong)


def test_many_shards_have_a_size_that_keeps_datasets_from_opening_them_all_at_once(
    fs: filesystem.WarpIRFileSystem,
) -> None:
    many = Request(num_kernels=100_000)
    sizes = {fs.info(shard.path)["size"] for shard in shards(many) if shard.split == "train"}
    assert sizes == {20 << 20}


@pytest.mark.parametrize(("kernels", "size"), [(15, None), (16, 20 << 20)])
def test_only_many_shards_have_a_size_before_they_are_there(
    kernels: int, size: int | None, fs: filesystem.WarpIRFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(urls, "shard_counts", lambda request: dict.fromkeys(SPLITS, kernels))
    assert fs.info(f"{DEFAULT}/test-00000-of-{kernels:05}.parquet")["size"] == size


def test_it_is_read_only(fs: filesystem.WarpIRFileSystem) -> None:
    with pytest.raises(UserError, match="'wb'"):
        fs.open(f"warpir://{DEFAULT}/train-00000-of-00008.parquet", "wb")


# ---- synthesis, once


def test_a_shard_is_the_plans_and_is_synthesized_once(
    fs: filesystem.WarpIRFileSystem, toys: Callable[[], int]
) -> None:
    shard = shards(SMALL)[0]
    with fs.open(f"warpir://{shard.path}") as file:
        rows = pq.read_table(file).to_pylist()
    assert len(rows) == 32 and {row["seed"] for row in rows} == {3}
    before = toys()
    assert before >= 32
    with fs.open(f"warpir://{shard.path}") as file:
        assert pq.read_table(file).to_pylist() == rows
    assert fs.info(shard.path)["size"] == cache.fetch(shard).stat().st_size
    assert toys() == before


def test_threads_that_want_one_shard_synthesize_it_once(toys: Callable[[], int]) -> None:
    shard = shards(SMALL)[0]
    with ThreadPoolExecutor(8) as threads:
        paths = set(threads.map(cache.fetch, [shard] * 8))
    assert len(paths) == 1
    assert toys() == 33  # 32 rows and one rejection


def test_threads_that_want_many_shards_get_theirs(toys: Callable[[], int]) -> None:
    wanted = [shard for shard in shards(Request(seed=5)) if shard.split == "train"] * 2
    with ThreadPoolExecutor(16) as threads:
        paths = list(threads.map(cache.fetch, wanted))
    assert [len(read(path)) for path in paths] == [80] * 24


def fetch_all() -> None:
    for shard in shards(SMALL):
        cache.fetch(shard, whole=True, quiet=True)


def test_eight_ranks_that_want_all_shards_synthesize_each_once(toys: Callable[[], int]) -> None:
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=fetch_all) for _ in range(8)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * 8
    assert toys() == 41  # 40 rows and one rejection


def test_a_shard_alone_has_the_same_bytes_as_after_others(
    toys: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = shards(SMALL)[-1]
    in_order = [cache.fetch(shard).read_bytes() for shard in shards(SMALL)]
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "other"))
    assert cache.fetch(last).read_bytes() == in_order[-1]


def test_a_cache_that_cannot_be_written_is_one_clear_line(
    toys: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match=f"{tmp_path}/file.*WARP_IR_CACHE") as caught:
        cache.fetch(shards(SMALL)[0])
    assert "\n" not in str(caught.value)


def test_an_open_shard_needs_nothing_of_python(
    fs: filesystem.WarpIRFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    with made_by(Maker(HereEngine(), toy_rows.make_plan)), fs.open(shards(SMALL)[0].path) as file:
        # Else pyarrow's threads call Python, which ends them with an abort when it is on its way out.
        assert isinstance(file, pa.NativeFile)
        file.read = file.read  # what `datasets` replaces
        assert file.read(4) == b"PAR1" and file.seek(0) == 0
        assert pq.read_table(file).num_rows == 32
    assert file.closed


def test_a_file_is_copied_and_its_size_is_known_then(
    fs: filesystem.WarpIRFileSystem,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    shard = shards(SMALL)[0]
    monkeypatch.setattr(bars, "_announced", set())
    monkeypatch.setattr(datasets.utils, "are_progress_bars_disabled", lambda: False)
    engine = HereEngine()
    with made_by(Maker(engine, toy_rows.make_plan)):
        fs.get_file(f"warpir://{shard.path}", tmp_path / "copy")
    assert ": 40 rows to make" in capsys.readouterr().err  # all of the config are wanted
    assert (tmp_path / "copy").read_bytes() == cache.fetch(shard).read_bytes()
    assert fs.info(shard.path)["size"] == (tmp_path / "copy").stat().st_size
    assert engine.asked == [SMALL]


@pytest.mark.parametrize("disabled", [False, True])
def test_bars_are_seen_unless_datasets_has_none(
    disabled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(bars, "_announced", set())
    monkeypatch.setattr(datasets.utils, "are_progress_bars_disabled", lambda: disabled)
    one, other, quiet = shards(SMALL)
    with made_by(Maker(HereEngine(), toy_rows.make_plan)):
        filesystem.open_shard(one)
        alone = capsys.readouterr().err
        filesystem.open_shard(other, whole=True)
        whole = capsys.readouterr().err
        filesystem.open_shard(quiet)
    assert capsys.readouterr().err == ""  # it is there
    # Of one shard, its own rows; of all, those that are not there yet.
    seen = [[line.split(": ")[1] for line in text.splitlines()[:1]] for text in (alone, whole)]
    assert seen == ([[], []] if disabled else [["32 rows to make"], ["8 rows to make"]])


# ---- workers


def test_workers_are_kept_between_shards_and_ended_when_idle(
    toys: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workshop, "IDLE_SECONDS", 3.0)
    cache.fetch(shards(SMALL)[0])
    kept = workshop._workshop.pool
    cache.fetch(shards(SMALL)[1])
    assert workshop._workshop.pool is kept is not None
    monkeypatch.setattr(workshop, "IDLE_SECONDS", 0.1)
    waited = threading.Event()
    for _ in range(600):
        if workshop._workshop.pool is None:
            break
        waited.wait(0.1)
    assert workshop._workshop.pool is None
    assert kept._children == []


def test_a_fork_has_workers_of_its_own(toys: Callable[[], int]) -> None:
    cache.fetch(shards(SMALL)[0])
    context = multiprocessing.get_context("fork")
    child = context.Process(target=cache.fetch, args=(shards(SMALL)[1],))
    child.start()
    child.join(60)
    assert child.exitcode == 0 and cache.size(shards(SMALL)[1])
    cache.fetch(shards(SMALL)[2])  # the parent's are still there


def _seats(folder: Path, answer: Any) -> None:
    with workshop._seated(folder, 1 if workshop.is_one_of_several() else workshop.cores()) as taken:
        answer.put(taken)


@pytest.mark.process
def test_one_of_several_processes_takes_one_seat_and_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workshop, "cores", lambda: 3)
    context = multiprocessing.get_context("fork")
    answer = context.Queue()
    with workshop._seated(tmp_path, workshop.cores()) as taken:
        assert taken == 3
        child = context.Process(target=_seats, args=(tmp_path, answer))
        child.start()
        child.join(1)
        assert child.is_alive()  # all seats are taken
    assert answer.get(timeout=30) == 1
    child.join(30)
    with workshop._seated(tmp_path, 1), workshop._seated(tmp_path, 3) as rest:
        assert rest == 2


# ---- through datasets


def load(folder: str, config: str = "cuda", **options: Any) -> Any:
    return datasets.load_dataset(folder, config, **options)


def test_plain_loading_and_a_second_load_from_the_cache(folder: str, toys: Callable[[], int]) -> None:
    first = load(folder)
    assert first.num_rows == {"train": 960, "validation": 120, "test": 120}
    proved = toys()
    assert proved >= 1200
    second = load(folder)
    assert toys() == proved
    assert second["train"][:] == first["train"][:]
    assert first["train"][:] == {
        name: [
            row[name]
            for shard in shards(Request())
            if shard.split == "train"
            for row in read(cache.fetch(shard))
        ]
        for name in first["train"].column_names
    }


def test_the_checkout_loads_from_another_folder(
    toys: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = Path(filesystem.__file__).parents[1]
    monkeypatch.chdir("/")
    assert load(str(checkout), split="test").num_rows == 120


def test_two_columns_can_be_had_without_the_heavy_ones(folder: str, toys: Callable[[], int]) -> None:
    pair = ["prompt", "completion"]
    few = load(folder, columns=pair)
    proved = toys()
    assert few.column_names == dict.fromkeys(SPLITS, pair)
    assert few["test"].to_list() == load(folder, split="test").select_columns(pair).to_list()
    streamed = load(folder, columns=pair, split="test", streaming=True)
    assert list(streamed) == few["test"].to_list() and toys() == proved


@pytest.mark.parametrize("config", TASKS)
def test_streaming_synthesizes_what_is_read(folder: str, toys: Callable[[], int], config: str) -> None:
    stream = load(folder, config, streaming=True)
    assert toys() == 0
    first = next(iter(stream["train"]))
    shard = next(shard for shard in shards(Request(config)))
    assert first == read(cache.fetch(shard))[0]
    shard_rows = -(-960 // shard.count)
    assert shard_rows <= toys() < 2 * shard_rows


def test_two_epochs_of_streaming_synthesize_once(folder: str, toys: Callable[[], int]) -> None:
    stream = load(folder, streaming=True)["test"]
    first = [row["id"] for row in stream]
    proved = toys()
    assert [row["id"] for row in stream] == first and len(set(first)) == 120
    assert toys() == proved


def test_two_processes_synthesize_each_shard_once(folder: str, toys: Callable[[], int]) -> None:
    cache.fetch(shards(Request())[0])  # with a pool of the parent's before the fork
    rows = load(folder, num_proc=2)["train"]
    proved = toys()
    assert rows.num_rows == 960 and proved < 1300
    assert rows["id"] == load(folder)["train"]["id"] and toys() == proved


@pytest.mark.parametrize("count", [1, pytest.param(15, marks=pytest.mark.long), 16])
@pytest.mark.parametrize("num_proc", [None, 2])
def test_any_number_of_files_loads(
    folder: str, toys: Callable[[], int], monkeypatch: pytest.MonkeyPatch, count: int, num_proc: int | None
) -> None:
    counts = dict.fromkeys(SPLITS, count)
    monkeypatch.setattr(urls, "shard_counts", lambda request: counts)
    assert len(shards(Request())) == 3 * count
    with made_by(Maker(SharedEngine(PROVER), partial(toy_rows.make_plan, counts=counts))):
        assert load(folder, num_proc=num_proc).num_rows == {"train": 960, "validation": 120, "test": 120}
    assert toys() < 1300


@pytest.mark.nightly
@pytest.mark.parametrize("streaming", [True, False])
def test_a_data_loader_with_two_workers_sees_every_row_once_an_epoch(
    folder: str, toys: Callable[[], int], streaming: bool
) -> None:
    data = pytest.importorskip("torch.utils.data")
    rows = load(folder, split="train", streaming=streaming).select_columns(["id"])
    loader = data.DataLoader(rows, batch_size=32, num_workers=2)
    for _ in range(2):
        ids = [id for batch in loader for id in batch["id"]]
        assert len(ids) == len(set(ids)) == 960
    assert toys() < 1300


def test_an_unknown_config_is_one_clear_line(folder: str) -> None:
    with pytest.raises(ValueError, match=r"'vulkan'.*cpu.*cuda.*cuda_backward") as caught:
        load(folder, "vulkan")
    assert "\n" not in str(caught.value)


def test_another_warp_is_one_clear_line(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: "99.0.0")
    with pytest.raises(UserError, match=rf"warp-lang 99\.0\.0 .*{re.escape(WARP_MINOR)}\.") as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_offline_a_cached_dataset_loads(
    folder: str, toys: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(folder)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    assert load(folder)["test"].num_rows == 120


@pytest.mark.process
def test_os_level_locks_do_not_outlive_their_holders(tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        with workshop._seated(tmp_path, 99):
            os._exit(0)
    os.waitpid(pid, 0)
    with workshop._seated(tmp_path, workshop.cores()) as taken:
        assert taken == workshop.cores()


def test_a_shard_names_its_place() -> None:
    assert Shard(SMALL, "test", 0, 1).path == f"{encode(SMALL)}/test-00000-of-00001.parquet"
