from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
from toys import rows as toy_rows
from toys.engines import HereEngine
from toys.rows import TASKS

import warp_ir_dataset
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.builds.row import features
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.loading import cache, urls
from warp_ir_dataset.loading.builder import WarpIR, WarpIRConfig, check_wanted
from warp_ir_dataset.loading.maker import Maker, made_by
from warp_ir_dataset.loading.urls import encode, shards
from warp_ir_dataset.synthesis.categories import CATEGORIES

SMALL = {"num_kernels": 40, "seed": 3}


def prepared(config: str = "cuda", num_proc: int | None = None, **parameters: Any) -> Any:
    builder = WarpIR(config, **parameters)
    builder.download_and_prepare(num_proc=num_proc)
    return builder.as_dataset()


def rows_of_files(request: Request, split: str) -> list[dict[str, Any]]:
    files = (cache.fetch(shard) for shard in shards(request) if shard.split == split)
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def test_it_gives_the_rows_of_the_file_system(toys: Callable[[], int]) -> None:
    dataset = prepared(**SMALL)
    assert dataset.num_rows == {"train": 32, "validation": 4, "test": 4}
    for split in dataset:
        assert dataset[split].to_list() == rows_of_files(Request("cuda", **SMALL), split)
        assert dataset[split].features == features()


def test_equal_parameters_give_equal_rows_through_both_doors(toys: Callable[[], int]) -> None:
    url = f"warpir://{encode(Request('cpu', seed=9))}"
    files = {split: f"{url}/{split}-*.parquet" for split in ("train", "validation", "test")}
    through_files = datasets.load_dataset("parquet", data_files=files)
    proved = toys()
    through_builder = prepared("cpu", seed=9)
    assert toys() == proved
    for split in files:
        assert through_builder[split].to_list() == through_files[split].to_list()


def test_processes_share_the_files(toys: Callable[[], int]) -> None:
    dataset = prepared(num_proc=2)
    assert dataset.num_rows == {"train": 960, "validation": 120, "test": 120}
    assert dataset["train"].to_list() == rows_of_files(Request(), "train")


def test_it_streams(toys: Callable[[], int]) -> None:
    stream = WarpIR("cuda", **SMALL).as_streaming_dataset(split="test")
    assert list(stream) == rows_of_files(Request("cuda", **SMALL), "test")


def test_what_it_streams_is_read_without_python(
    toys: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else the process may abort when it ends: see `ShardFile`.
    monkeypatch.setattr(datasets.utils.file_utils, "xopen", lambda *_, **__: pytest.fail("opened by Python"))
    stream = WarpIR("cuda", **SMALL).as_streaming_dataset(split="test")
    assert next(iter(stream))["id"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"split": "nope"}, "'nope'.* train, validation, test"),
        ({"split": "test+nope[:3]"}, r"'test\+nope\[:3\]'.* train, validation, test"),
        ({"split": "test[:3]", "streaming": True}, r"'test\[:3\]'.* train, validation, test"),
        ({"split": "test["}, r"^split 'test\['"),
        ({"num_proc": 0}, "num_proc .* 0$"),
        ({"num_proc": 1.5}, r"num_proc .* 1\.5$"),
    ],
)
def test_what_cannot_be_loaded_is_refused_before_rows_are_made(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        warp_ir_dataset.load("cuda", **SMALL, **options)


@pytest.mark.parametrize(
    ("split", "streaming", "num_proc"),
    [
        (None, False, None),
        (None, True, 1),
        ("test", True, 2),
        (" test + validation ", True, None),
        ("all", True, None),
        ("train[:10]+test[50%:]", False, 1),
        (datasets.Split.TEST, False, None),
        (datasets.ReadInstruction("nope"), False, None),  # for `datasets` to judge
        (["test", "train"], False, None),
    ],
)
def test_what_can_be_loaded_is_not_refused(split: Any, streaming: bool, num_proc: int | None) -> None:
    check_wanted(Request("cuda", **SMALL), split, streaming, num_proc)


def test_a_builder_has_the_features_and_the_name_of_the_dataset(tmp_path: Path) -> None:
    builder = WarpIR("cpu", cache_dir=str(tmp_path))
    assert builder.info.features == features("cpu") != features("handwritten")
    assert builder.info.dataset_name == "warp_ir"
    assert Path(builder.cache_dir).relative_to(tmp_path).parts[0] == "warp_ir"
    assert Path(builder.cache_dir).relative_to(tmp_path).parts[1].startswith("cpu-")
    assert WarpIR(dataset_name="mine", cache_dir=str(tmp_path)).info.dataset_name == "mine"
    assert WarpIR().config.name == "cuda"


def test_other_features_are_another_dataset() -> None:
    given = [None, features("cpu"), features("handwritten")]
    ids = [WarpIRConfig("cuda").create_config_id({}, each) for each in given]
    assert len({*ids}) == 3 and ids == [WarpIRConfig("cuda").create_config_id({}, each) for each in given]


def test_rows_are_made_in_this_process_and_split_as_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    engine = HereEngine()
    with made_by(Maker(engine, toy_rows.make_plan)):
        builder = WarpIR(**SMALL, cache_dir=str(tmp_path / "datasets"))
        builder.download_and_prepare()
        dataset = builder.as_dataset()
        assert dataset.num_rows == {"train": 32, "validation": 4, "test": 4}
        for split in dataset:
            assert dataset[split].to_list() == rows_of_files(Request("cuda", **SMALL), split)
    assert len(engine.asked) == 1


def test_of_a_stream_only_the_shards_are_made_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    engine = HereEngine()
    with made_by(Maker(engine, toy_rows.make_plan)):
        streams = WarpIR(**SMALL, cache_dir=str(tmp_path / "datasets")).as_streaming_dataset()
        assert set(streams) == {"train", "validation", "test"} and not engine.asked
        assert len(list(streams["test"])) == 4 and len(engine.asked) == 1


def test_a_slice_and_a_sum_of_splits_can_be_loaded(toys: Callable[[], int]) -> None:
    assert len(warp_ir_dataset.load("cuda", "test[:50%]+validation", **SMALL)) == 6
    assert len(warp_ir_dataset.load("cuda", "all", **SMALL)) == 40


def test_a_second_builder_reads_the_cache(toys: Callable[[], int]) -> None:
    first = prepared(**SMALL)
    proved = toys()
    for shard in shards(Request("cuda", **SMALL)):
        cache.fetch(shard).unlink()  # the datasets cache alone must do
    assert prepared(**SMALL)["train"].to_list() == first["train"].to_list()
    assert toys() == proved


def test_the_cache_directory_follows_everything_that_changes_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters: list[dict[str, Any]] = [
        {},
        {"num_kernels": 40},
        {"seed": 1},
        {"arch": "sm_90"},
        {"categories": CATEGORIES[:1]},
        {"difficulty": (1, 4)},
    ]
    directories = {WarpIR(config, **given).cache_dir for config in TASKS for given in parameters}
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.19.9")
    directories.add(WarpIR().cache_dir)
    monkeypatch.undo()
    monkeypatch.setattr(urls, "GENERATOR_VERSION", "9.9.9")
    directories.add(WarpIR().cache_dir)
    assert len(directories) == len(TASKS) * len(parameters) + 2


def test_what_is_collected_depends_on_its_texts_and_the_architecture_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (name,) = (name for name, config in CONFIGS.items() if not config.drawn)
    first = WarpIR(name).cache_dir
    assert WarpIR(name, num_kernels=40, seed=7, categories=CATEGORIES[:1]).cache_dir == first
    others = {WarpIR(name, arch="sm_90").cache_dir}
    monkeypatch.setattr(urls, "digest", lambda: "0" * 16)
    assert len({first, *others, WarpIR(name).cache_dir}) == 3


def test_a_default_that_is_spelled_out_is_the_same_dataset() -> None:
    assert WarpIR("cuda", seed=0).cache_dir == WarpIR().cache_dir
    backwards = tuple(reversed(CATEGORIES))
    assert WarpIR(categories=backwards).cache_dir == WarpIR().cache_dir


@pytest.mark.parametrize(
    ("config", "parameters", "says"),
    [
        ("vulkan", {}, "'vulkan'.* cpu, cuda, cuda_backward"),
        ("vulkan", {"seed": 1}, "'vulkan'"),
        ("cuda", {"num_kernels": 0}, "num_kernels .* 10 .* 0$"),
        ("cuda", {"num_kernels": -5}, "num_kernels .* 10 .* -5$"),
        ("cuda", {"num_kernels": 10**12}, f"num_kernels .* 10 .* {10**12}$"),
        ("cuda", {"seed": "x"}, "seed .* 'x'$"),
        ("cuda", {"seed": 1.5}, r"seed .* 1\.5$"),
        ("cuda", {"arch": "volta"}, "arch .*'sm_80'.* 'volta'$"),
        ("cuda", {"categories": ["knitting"]}, "category 'knitting'.* math"),
        ("cuda", {"categories": "math"}, "categories .* math"),
        ("cuda", {"difficulty": (0, 5)}, "difficulty 0-5: .* 1 to 5"),
        ("cuda", {"difficulty": (4, 2)}, "difficulty 4-2: .* lower"),
        ("cuda", {"difficulty": "4-2"}, "difficulty .*'4-2'"),
    ],
)
def test_wrong_input_is_one_clear_line(config: str, parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        WarpIR(config, **parameters)
    assert "\n" not in str(caught.value)


def test_a_cache_that_cannot_be_written_is_one_clear_line(
    toys: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "file"))
    with pytest.raises(UserError, match=f"{tmp_path}/file.*WARP_IR_CACHE"):
        prepared(**SMALL)


def test_it_is_there_at_the_top_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(warp_ir_dataset.__file__).parents[1]))
    import builder_script

    assert builder_script.WarpIR is warp_ir_dataset.WarpIR is WarpIR
    assert builder_script.WarpIRConfig is warp_ir_dataset.WarpIRConfig is WarpIRConfig
    sys.modules.pop("builder_script")
