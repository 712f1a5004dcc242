"""What the package offers by name, and what each function does and refuses."""

from __future__ import annotations

import errno
import importlib
import inspect
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
from toys import rows as toy_rows
from toys.engines import HereEngine

import warp_ir_dataset
from warp_ir_dataset import api
from warp_ir_dataset.builds.plan.sizes import split_sizes
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.cli import options
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import FLOAT
from warp_ir_dataset.loading.builder import WarpIR
from warp_ir_dataset.loading.maker import Maker, made_by
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.subject import Cases, Proof
from warp_ir_dataset.publishing.report import REPORT

PACKAGE = Path(warp_ir_dataset.__file__).parent


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HereEngine:
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    return HereEngine()


@pytest.mark.process
def test_names_are_imported_when_they_are_asked_for() -> None:
    code = (
        "import sys, warp_ir_dataset as w; print(dir(w)); print([m for m in sys.modules if m[:5] == 'warp_'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    offered, imported = done.stdout.splitlines()
    assert imported == "['warp_ir_dataset']"
    assert all(f"'{name}'" in offered for name in warp_ir_dataset.__all__)


def test_everything_offered_is_there_and_described() -> None:
    for name in warp_ir_dataset.__all__:
        assert getattr(warp_ir_dataset, name).__doc__, name
    assert warp_ir_dataset.build is api.build and warp_ir_dataset.Request is Request
    assert warp_ir_dataset.WarpIR is WarpIR
    with pytest.raises(AttributeError, match="'knit'"):
        _ = warp_ir_dataset.knit


def test_no_room_has_the_name_of_a_function() -> None:
    """Importing a room would put it in the function's place."""
    assert not {path.stem for path in PACKAGE.iterdir()} & set(warp_ir_dataset.__all__)


# ---- build


def test_build_gives_its_manifest(tmp_path: Path, here: HereEngine) -> None:
    manifest = api.build(
        Request("cpu", 40, 3), str(tmp_path / "out"), engine=here, planner=toy_rows.make_plan, version="1.2.3"
    )
    assert manifest == json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["version"] == "1.2.3" and list(manifest["configs"]) == ["cpu"]
    assert "version 1.2.3" in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.parametrize(
    ("requests", "says"),
    [
        ([], "nothing"),
        ([Request("cpu"), Request("cpu")], "config.* cpu, cpu$"),
        ([Request("cpu"), Request("cuda", seed=1)], "alone"),
    ],
)
def test_requests_that_are_no_build(requests: list[Request], says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=says):
        api.build(requests, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: api.build("cuda", "x"), "requests .*list.* 'cuda'$"),
        (lambda: api.build(None, "x"), "requests .*list.* None$"),
        (lambda: api.build([None], "x"), "Request.* None$"),
        (lambda: api.build(Request(), None), "folder .*path.* None$"),
        (lambda: api.build(Request(), "x", engine="local"), "engine .*Engine.* 'local'$"),
        (lambda: api.plan(Request(), 3), "folder .*path.* 3$"),
        (lambda: api.build_part(b"x", "0/1"), "folder .*path.* b'x'$"),
        (lambda: api.finish(["x"]), r"folder .*path.* \['x'\]$"),
        (lambda: Request(["cuda"]), r"config \['cuda'\]"),
        (lambda: api.prove("x", None), "signature .*Signature.* None$"),
        (lambda: api.prove(None, _blend()), "source .*string.* None$"),
        (lambda: api.extract("x", "y", seconds="x"), "seconds .* 0, .* 'x'$"),
        (lambda: api.extract(Path("solver.py"), "y"), "solver.py"),
        (lambda: api.extract("x", None), "out .*path.* None$"),
        (lambda: api.report(3), "folder .*path.* 3$"),
        (lambda: api.export("x", ["jsonl"]), r"format \['jsonl'\]"),
        (lambda: api.export("x", out=3), "out .*path.* 3$"),
        (lambda: api.push_to_hub("x", "user/name", replace=None), "replace .*list.* None$"),
        (lambda: api.push_to_hub("x", "user/name", replace="all"), r"\['all'\].* card, configs, tag"),
        (lambda: api.push_to_hub("x", "user/name", token=3), "token"),
        (lambda: api.prove("x", _blend(), config="gpu"), "config 'gpu'"),
        (lambda: api.extract(3, "y"), "^module .*path.* 3$"),
        (lambda: api.extract("x", "y", seconds=0), "^seconds .* 0$"),
        (lambda: api.extract("x", "y", workers=0), "^workers .* 1, not 0$"),
        (lambda: api.report("x", 3), "^out .*path.* 3$"),
        (lambda: api.load(split=3), "^split .* 3$"),
        (lambda: api.load(num_proc=0), "num_proc .* 0$"),
        (lambda: api.load(split="nope", streaming=True), "split 'nope'.* train"),
        (lambda: api.load(split="test[:3]", streaming=True), r"split 'test\[:3\]'"),
        (lambda: api.score_predictions(3, "p"), "^folder .*path.* 3$"),
        (lambda: api.score_predictions("x", 3), "^predictions .*path.* 3$"),
        (lambda: api.score_predictions("x", "p", results=3), "^results .*path.* 3$"),
        (lambda: api.score_predictions("x", "p", ks=3), "^ks .*list.* 3$"),
        (lambda: api.score_predictions("x", "p", ks=["a"]), "^k .*whole.* 'a'$"),
        (lambda: api.score_predictions("x", "p", workers=0), "^workers .* 1, not 0$"),
        (lambda: api.score_predictions("x", "p", seed="s"), "^seed .*whole.* 's'$"),
        (lambda: api.validate(3), "^folder .*path.* 3$"),
        (lambda: api.validate("x", configs=3), "^configs .*list.* 3$"),
        (lambda: api.validate("x", sample=0), "^sample .* 1, not 0$"),
        (lambda: api.validate("x", workers=0), "^workers .* 1, not 0$"),
        (lambda: api.validate("x", seed="s"), "^seed .*whole.* 's'$"),
        (lambda: api.validate_on_device(3), "^folder .*path.* 3$"),
        (lambda: api.validate_on_device("x", configs=3), "^configs .*list.* 3$"),
        (lambda: api.validate_on_device("x", sample=0), "^sample .* 1, not 0$"),
        (lambda: api.validate_on_device("x", workers=0), "^workers .* 1, not 0$"),
        (lambda: api.validate_on_device("x", seed="s"), "^seed .*whole.* 's'$"),
        (lambda: api.validate_on_device("x", device=3), "^device .*string.* 3$"),
    ],
)
def test_what_is_given_must_be_of_its_kind(
    ask: Callable[[], object], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=says):
        ask()
    assert not [*tmp_path.iterdir()]


def test_numbers_of_numpys_are_numbers() -> None:
    assert Request("cpu", np.int64(40), np.uint8(3)) == Request("cpu", 40, 3)
    assert type(Request("cpu", np.int64(40)).num_kernels) is int


# ---- load


def test_load_gives_what_datasets_gives(here: HereEngine) -> None:
    with made_by(Maker(here, toy_rows.make_plan)):
        every = api.load("cpu", num_kernels=40, seed=3)
        assert isinstance(every, datasets.DatasetDict)
        assert every.num_rows == {"train": 32, "validation": 4, "test": 4}
        test = api.load("cpu", "test", num_kernels=40, seed=3)
        assert isinstance(test, datasets.Dataset) and test.to_list() == every["test"].to_list()
        stream = api.load("cpu", "test", True, num_kernels=40, seed=3)
        assert isinstance(stream, datasets.IterableDataset) and list(stream) == test.to_list()
        streams = api.load("cpu", streaming=True, num_kernels=40, seed=3)
        assert isinstance(streams, datasets.IterableDatasetDict) and set(streams) == set(every)


def test_load_processes_share_the_work(toys: Callable[[], int]) -> None:
    assert api.load(num_proc=2).num_rows == {"train": 960, "validation": 120, "test": 120}


@pytest.mark.parametrize("parameters", [{"config": "vulkan"}, {"num_kernels": 3}, {"difficulty": (0, 9)}])
def test_load_refuses_what_cannot_be(parameters: dict, here: HereEngine) -> None:
    with pytest.raises(UserError):
        api.load(**parameters)


@pytest.mark.parametrize("streaming", [False, True])
def test_a_cache_of_datasets_that_cannot_be_written_is_said(
    streaming: bool, here: HereEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "file" / "datasets")
    with pytest.raises(UserError, match=r"Not a directory.*HF_HOME"):
        api.load("cpu", num_kernels=40, streaming=streaming)


def test_rows_that_cannot_be_written_are_said(here: HereEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(datasets.DatasetBuilder, "download_and_prepare", full)
    with pytest.raises(UserError, match="No space left on device"):
        api.load("cpu", num_kernels=40)


# ---- what is asked for arrives


class Asked(Exception):
    """What a function asked of the room that does the work, instead of doing it."""


def asked(monkeypatch: pytest.MonkeyPatch, room: str, ask: Callable[[], object]) -> dict[str, Any]:
    """The arguments that arrive at a function of the package, by name."""
    place, name = room.rsplit(".", 1)
    module = importlib.import_module(f"warp_ir_dataset.{place}")
    takes = inspect.signature(getattr(module, name))

    def arrive(*given: Any, **options: Any) -> None:
        raise Asked(takes.bind(*given, **options).arguments)

    monkeypatch.setattr(module, name, arrive)
    with pytest.raises(Asked) as caught:
        ask()
    (found,) = caught.value.args
    assert isinstance(found, dict)
    return found


X, Y = Path("x"), Path("y")


@pytest.mark.parametrize(
    ("room", "ask", "expected"),
    [
        (
            "builds.extraction.extract.extract_folder",
            lambda: api.extract("m:k", "y", arch="sm_90", examples=True, seconds=5, workers=2, quiet=True),
            {"module": "m:k", "out": Y, "arch": "sm_90", "examples": True, "seconds": 5, "workers": 2,
             "quiet": True},
        ),
        (
            "evaluation.evaluate.evaluate",
            lambda: api.score_predictions(
                "x", "y", config="cpu", task="c", split="train", results="r", ks=[1, 3], workers=2, seed=5,
                allow_weaker_sandbox=True, quiet=True,
            ),
            {"folder": X, "predictions": Y, "config": "cpu", "task": "c", "split": "train",
             "results": Path("r"), "ks": [1, 3], "workers": 2, "seed": 5, "allow_weaker_sandbox": True,
             "quiet": True},
        ),
        (
            "publishing.hub.push.push",
            lambda: api.push_to_hub(
                "x", "me/y", private=True, revision="b", create_pr=True, token="t", dry_run=True,
                replace=["card"],
            ),
            {"folder": "x", "name": "me/y", "private": True, "revision": "b", "create_pr": True, "token": "t",
             "dry_run": True, "replace": ("card",)},
        ),
        (
            "evaluation.validation.validate.validate",
            lambda: api.validate("x", configs=["cpu"], sample=3, seed=5, workers=2, quiet=True),
            {"folder": X, "configs": ("cpu",), "sample": 3, "seed": 5, "quiet": True},
        ),
        (
            "evaluation.validation.on_device.on_device",
            lambda: api.validate_on_device(
                "x", configs=["cpu"], sample=3, seed=5, device="cuda:1", workers=2, trust=True, quiet=True
            ),
            {"folder": X, "configs": ("cpu",), "sample": 3, "seed": 5, "device": "cuda:1", "trust": True,
             "quiet": True},
        ),
        ("publishing.report.report", lambda: api.report("x"), {"folder": X, "out": X / "report"}),
        ("publishing.report.report", lambda: api.report("x", "y"), {"folder": X, "out": Y}),
        (
            "publishing.export.export",
            lambda: api.export("x", "cuda", "y", strip_comments=True),
            {"folder": X, "out": Y, "format": "cuda", "stripped": True},
        ),
    ],
)  # fmt: skip
def test_what_is_asked_for_arrives(
    room: str, ask: Callable[[], object], expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(monkeypatch, room, ask)
    assert {name: found[name] for name in expected} == expected


def test_the_defaults_of_a_function_are_those_of_its_command() -> None:
    parser = options.parser(defaultdict(lambda: lambda _: 0))
    for command, function in {
        "extract m y": api.extract,
        "export x": api.export,
        "push x me/y": api.push_to_hub,
        "score x --predictions y": api.score_predictions,
        "validate x": api.validate,
    }.items():
        chosen = vars(parser.parse_args(command.split()))
        parameters = inspect.signature(function).parameters.values()
        shared = {
            p.name: p.default
            for p in parameters
            if p.name in chosen and p.default is not inspect.Parameter.empty
        }
        assert shared, command
        for name, default in shared.items():
            assert chosen[name] == default or (not chosen[name] and not default), (command, name)
    for function in (
        api.extract,
        api.score_predictions,
        api.validate,
        api.validate_on_device,
        api.build,
        api.plan,
    ):
        assert inspect.signature(function).parameters["quiet"].default is False


# ---- report, export, push


@pytest.mark.folder
def test_report_and_export_go_beside_the_build_unless_told(tmp_path: Path) -> None:
    folder = tmp_path / "build"
    api.build(
        [Request(config, 40, 3) for config in CONFIGS],
        folder,
        engine=HereEngine(),
        planner=toy_rows.make_plan,
        quiet=True,
    )
    facts = api.report(str(folder))
    assert list(facts.configs) == list(CONFIGS) and (folder / "report" / REPORT).exists()
    api.report(folder, tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / REPORT).read_text() == (folder / "report" / REPORT).read_text()
    rows = api.export(str(folder))
    assert rows["cuda", "train"] == 32 and rows.total() == 240 + split_sizes(Request("handwritten"))["test"]
    assert (folder / "export-jsonl" / "cuda" / "test.jsonl").exists()
    assert api.export(folder, "json-pairs", tmp_path / "pairs") == rows
    with pytest.raises(UserError, match=r"'csv'.* jsonl"):
        api.export(folder, "csv")


def test_push_refuses_what_is_no_name(first: Path) -> None:
    with pytest.raises(UserError, match=r"'nameless'.*user/name"):
        api.push_to_hub(first, "nameless", token="x")
    with pytest.raises(UserError, match=r"'everything'.* card, configs, tag"):
        api.push_to_hub(first, "user/name", replace=["everything"], token="x")


# ---- prove

HANDWRITTEN = """import warp as wp


@wp.kernel
def blend(x: wp.array[float], y: wp.array[float], weight: float):
    i = wp.tid()
    y[i] = weight * wp.sin(x[i]) + y[i]
"""


def _blend(**changes: Any) -> ir.Signature:
    unit = Interval(-1.0, 1.0)
    x = ir.Argument("x", FLOAT, "input", (8,), unit)
    arguments = (
        x,
        ir.Argument("y", FLOAT, "inout", (8,), unit),
        ir.Argument("weight", FLOAT, "input", (), unit),
    )
    return replace(ir.Signature("blend", arguments, (8,)), **changes)


@pytest.mark.compile
def test_prove_a_kernel_that_somebody_wrote() -> None:
    proof = warp_ir_dataset.prove(HANDWRITTEN, _blend(), config="cuda_backward")
    assert isinstance(proof, Proof), proof
    checks = proof.checks
    assert checks.cuda_text_matches is True and checks.adjoint_matches is True
    assert checks.finite_differences is True and checks.gradients_checked == 3 * 16
    assert checks.numpy_matches is None
    assert "blend_cuda_kernel_backward" in proof.code and proof.ptx is not None
    inputs, outputs = proof.examples[0]["inputs"], proof.examples[0]["outputs"]
    expected = inputs["weight"] * np.sin(inputs["x"]) + inputs["y"]
    assert np.allclose(outputs["y"], expected, rtol=1e-6)
    own = identify(read(HANDWRITTEN, _blend())).id
    assert np.array_equal(inputs["x"], draw_cases(_blend(), own).inputs[0]["x"])


@pytest.mark.compile
def test_prove_runs_what_it_is_given() -> None:
    given = {"x": np.linspace(0.1, 0.8, 8), "y": np.ones(8), "weight": np.array(0.5)}
    cases = Cases((given,), {"y": np.ones(8)})
    proof = warp_ir_dataset.prove(HANDWRITTEN, _blend(), cases, config="cpu")
    assert isinstance(proof, Proof), proof
    (example,) = proof.examples
    assert proof.ptx is None and example["inputs"]["weight"] == 0.5 and proof.checks.cases == 1
    assert np.array_equal(example["inputs"]["x"], np.float32(given["x"]))  # what the kernel was given
    assert np.allclose(example["outputs"]["y"], 0.5 * np.sin(given["x"]) + 1, rtol=1e-6)


@pytest.mark.compile
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("y[i] = wp.nothing(x[i])", Reason.COMPILE_ERROR),
        ("y[i] = (", Reason.COMPILE_ERROR),
        ("y[i] = x[i] / (weight - weight)", Reason.NOT_FINITE),
        ("y[i] = y[i] * float(i // int(x[i]))", Reason.CRASH),
    ],
)
def test_prove_says_why_not(line: str, reason: Reason) -> None:
    """A division of whole numbers by zero ends a process: it is not the caller's."""
    source = HANDWRITTEN.replace("y[i] = weight * wp.sin(x[i]) + y[i]", line)
    outcome = warp_ir_dataset.prove(source, _blend(), config="cpu")
    assert isinstance(outcome, Rejected) and outcome.reason is reason
    assert outcome.detail and "\n" not in outcome.detail


@pytest.mark.compile
def test_prove_may_ask_that_a_kernel_tells() -> None:
    source = HANDWRITTEN.replace("weight * ", "")
    outcome = warp_ir_dataset.prove(source, _blend(), config="cpu", must_tell=True)
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.IGNORES_INPUT


@pytest.mark.compile
def test_prove_refuses_another_kernels_signature() -> None:
    with pytest.raises(UserError, match="signature of blend"):
        warp_ir_dataset.prove(HANDWRITTEN, _blend(arguments=_blend().arguments[::-1]), config="cpu")
    with pytest.raises(UserError, match="sm_37"):
        warp_ir_dataset.prove(HANDWRITTEN, _blend(), arch="sm_37")


def test_prove_refuses_before_it_starts_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "Pool", lambda *_, **__: pytest.fail("a process was started"))
    with pytest.raises(UserError, match=r"'gpu'.* cpu, cuda"):
        warp_ir_dataset.prove(HANDWRITTEN, _blend(), config="gpu")
    with pytest.raises(UserError, match=r"^blend .*inputs"):
        warp_ir_dataset.prove(HANDWRITTEN, _blend(), Cases((), {}))
