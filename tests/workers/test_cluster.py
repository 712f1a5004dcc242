"""A Ray cluster on loopback plans and fills like this machine: the same bytes, whoever dies or joins late."""

from __future__ import annotations

import os
import re
import secrets
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec
import pytest
from toys import rows as toy_rows
from toys.engines import ENGINE, PROVER

from warp_ir_dataset.api import build, plan
from warp_ir_dataset.builds.engine import Engine, Fill, Prover, RayEngine
from warp_ir_dataset.builds.output.manifest import PLAN
from warp_ir_dataset.builds.plan.plan import Candidate, ShardPlan
from warp_ir_dataset.builds.plan.saved import planned
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.builds.shards import Filled
from warp_ir_dataset.cli import main
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Outcome
from warp_ir_dataset.common.versions import GENERATOR_VERSION
from warp_ir_dataset.workers import cluster as cluster_module
from warp_ir_dataset.workers.cluster import ClusterPool
from warp_ir_dataset.workers.task import Task, Workforce

pytestmark = pytest.mark.nightly

# Ray reads these once, when it is imported: ports on loopback alone, which ask for a token.
ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(16),
    "RAY_USAGE_STATS_ENABLED": "0",
}
MACHINE = {"num_cpus": 1, "node_ip_address": "127.0.0.1", "object_store_memory": 100 << 20}
ROWS = 1000
REAL = Request("cuda", 12, 3, categories=("math", "waves"))  # of kernels that are drawn

Hear = Callable[[Candidate, Outcome], None]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    kept = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        yield pytest.importorskip("ray")
    signal.signal(
        signal.SIGTERM, kept
    )  # Ray has put its own there, which raises SystemExit in any later test


@contextmanager
def machines(ray: Any, number: int) -> Iterator[Any]:
    """A cluster of so many machines of a core each, which are processes of this one."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**MACHINE, "include_dashboard": False})
    try:
        for _ in range(number - 1):
            cluster.add_node(**MACHINE)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture(scope="module")
def two(ray: Any) -> Iterator[Any]:
    with machines(ray, 2) as cluster:
        yield cluster


def bytes_of(out: str | Path, engine: Engine) -> dict[str, bytes]:
    build(Request("cpu", ROWS, 3), out, engine=engine, planner=toy_rows.make_plan, quiet=True)
    return files_of(Path(out))


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return bytes_of(tmp_path_factory.mktemp("local") / "rows", ENGINE)


def test_a_cluster_gives_the_same_bytes(two: Any, local: dict[str, bytes], tmp_path: Path) -> None:
    assert bytes_of(tmp_path / "rows", RayEngine(two.address, prover=PROVER)) == local


def test_a_cluster_fills_what_is_at_a_url(two: Any, local: dict[str, bytes]) -> None:
    """No machine sees a folder of another's: rows come back, and files go to the URL."""
    bytes_of("memory://cluster/rows", RayEngine(two.address, prover=PROVER))
    files = fsspec.filesystem("memory")
    found = {path.removeprefix("/cluster/rows/"): files.cat_file(path) for path in files.find("/cluster")}
    assert found == local
    files.rm("/cluster", recursive=True)


@pytest.mark.long
def test_a_cluster_plans_as_this_machine_does(
    two: Any, ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a build on one joins it once, for its plan and for its rows."""
    begun: list[dict[str, Any]] = []
    init = ray.init
    monkeypatch.setattr(ray, "init", lambda **options: begun.append(options) or init(**options))
    here, there, rows = (tmp_path / name for name in ("here", "there", "rows"))
    plan(REAL, here, engine=ENGINE, quiet=True)
    options = ["--engine", "ray", "--address", two.address, "--quiet"]
    words = ["--num-kernels", "12", "--category", "math,waves", "--seed", "3"]
    assert main(["plan", str(there), *words, *options]) == 0
    plans = [(folder / PLAN / "cuda.plan").read_bytes().partition(b"\n")[2] for folder in (here, there)]
    assert plans[0] == plans[1] and len(begun) == 1  # the checksums are of other compilers
    scanned = [files_of(tmp_path / f"{name}.scanned") for name in ("here", "there")]
    assert [*scanned[0]] == [*scanned[1]] != []
    build(REAL, rows, engine=RayEngine(two.address, prover=PROVER), quiet=True)
    assert len(begun) == 2 and not ray.is_initialized()
    # All that planning asks for is known now: it needs no cluster.
    nobody = RayEngine("127.0.0.1:1", prover=PROVER)
    assert planned(REAL, workforce=nobody.workforce, scan_cache=tmp_path / "rows.scanned") == planned(REAL)


def test_what_stops_a_build_there_stops_it_here(two: Any, tmp_path: Path) -> None:
    request = Request("cuda", 40, arch=toy_rows.UNKNOWN_ARCH)
    engine = RayEngine(two.address, prover=PROVER)
    with pytest.raises(UserError, match=f"NVRTC.*'{toy_rows.UNKNOWN_ARCH}'"):
        build(request, tmp_path / "rows", engine=engine, planner=toy_rows.make_plan, quiet=True)


def test_a_cluster_without_a_core_is_said(ray: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Idle:
        """Ray with a head that lends nothing, until somebody has been told three times to wait."""

        waits = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(ray, name)

        def wait(self, references: list[Any], **_: Any) -> tuple[list[Any], list[Any]]:
            self.waits += 1
            return (references if self.waits > 3 else []), []

        def cluster_resources(self) -> dict[str, float]:
            return {"memory": 1.0}

        def get(self, reference: Any) -> Any:
            return None, ["done"]

    pool = ClusterPool.__new__(ClusterPool)
    pool._ray, pool._tags = Idle(), {"reference": "tag"}
    assert list(pool.results()) == [("tag", ["done"])]
    (said,) = caplog.messages
    assert "Ray" in said and "core" in said


def test_a_cluster_of_no_core_is_refused(ray: Any) -> None:
    with pytest.raises(UserError, match=r"workers .* 0$"):
        ClusterPool[int](Task("toys.rows:prove"), cores=0)


def test_a_signal_to_end_is_told_to_who_asked_for_it(two: Any) -> None:
    """Ray would end the process without a word."""

    def handler(number: int, frame: object) -> None: ...

    kept = signal.signal(signal.SIGTERM, handler)
    try:
        with ClusterPool[int](Task("toys.rows:prove"), address=two.address):
            assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, kept)


def test_all_machines_must_have_the_same_versions(two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_versions", lambda: ("Python 2.7", "Warp 0.1"))
    with ClusterPool[int](Task("toys.rows:prove"), address=two.address) as pool:
        pool.submit("tag", [1])
        with pytest.raises(UserError, match=r"Python 2\.7, Warp 0\.1"):
            list(pool.results())


def test_versions_tell_another_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cluster_module._versions()
    monkeypatch.setattr(cluster_module, "source", lambda: f"{GENERATOR_VERSION} of another commit")
    assert cluster_module._versions() != before


def test_a_worker_may_die_and_a_machine_join_late(
    ray: Any, local: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary = tmp_path / "diary"
    monkeypatch.setenv("TOY_DIARY", str(diary))
    monkeypatch.setenv("TOY_SECONDS", "0.1")  # a batch
    with machines(ray, 1) as cluster:
        engine = RayEngine(cluster.address, batch_size=10, prover=PROVER)
        assert bytes_of(tmp_path / "rows", _Meddled(engine, _meddling(cluster, diary))) == local
    assert len(_writers(diary)) == 3


@dataclass(frozen=True)
class _Meddled:
    """An engine to whose cluster something more happens at every row."""

    engine: RayEngine
    happening: Iterator[None]

    @property
    def prover(self) -> Prover:
        return self.engine.prover

    @property
    def skip_faults(self) -> bool:
        return self.engine.skip_faults

    def workforce(self, task: Task) -> AbstractContextManager[Workforce]:
        return self.engine.workforce(task)

    @contextmanager
    def started(self, request: Request) -> Iterator[Fill]:
        with self.engine.started(request) as fill:

            def meddled(shards: Iterable[ShardPlan], hear: Hear, **options: Any) -> Iterator[Filled]:
                def heard(candidate: Candidate, outcome: Outcome) -> None:
                    next(self.happening, None)
                    hear(candidate, outcome)

                return fill(shards, heard, **options)

            yield meddled


def _meddling(cluster: Any, diary: Path) -> Iterator[None]:
    """A process of the cluster is killed at the first row; a machine joins once another has begun."""
    os.kill(_parent(_writers(diary)[0]), signal.SIGKILL)  # Ray's own, whose child wrote
    while len(_writers(diary)) < 2:
        yield
    cluster.add_node(**MACHINE)


def _writers(diary: Path) -> list[int]:
    """Processes that wrote to a diary, in order."""
    return list(dict.fromkeys(int(line.split()[0]) for line in diary.read_text().splitlines()))


def _parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--address", "127.0.0.1:1"], "--address .*--engine ray"),
        (["--engine", "ray", "--address", "127.0.0.1:1", "--workers", "2"], "workers"),
        (["--engine", "ray", "--address", "127.0.0.1:1"], "Ray .*'127.0.0.1:1': "),
        (["--engine", "slurm"], "--engine.*'slurm'"),
    ],
)
@pytest.mark.usefixtures("ray")
def test_wrong_options(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(tmp_path / "rows"), *options], planner=toy_rows.make_plan) == 2
    assert re.search(said, capsys.readouterr().err)


def test_ray_is_an_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["build", str(tmp_path / "rows"), "--engine", "ray"], planner=toy_rows.make_plan) == 2
    assert "pip install '.[cluster]'" in capsys.readouterr().err
