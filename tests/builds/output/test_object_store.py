"""Builds at a real object store: its server, which moto ships, on loopback, and s3fs, by which users come."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from datasets import load_dataset
from toys import rows as toy_rows
from toys.engines import HereEngine

from warp_ir_dataset import api, cli
from warp_ir_dataset.builds.output import lease
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.errors import UserError

boto3 = pytest.importorskip("boto3")
s3fs = pytest.importorskip("s3fs")
ThreadedMotoServer = pytest.importorskip("moto.server").ThreadedMotoServer

pytestmark = pytest.mark.nightly

REQUEST = Request("cpu", 300, 3)
PARAMETERS = ("--config", "cpu", "--num-kernels", "300", "--seed", "3")
COMMAND = "import sys; from toys import rows; sys.exit(rows.main(sys.argv[1:]))"
BUCKET, URL = "rows", "s3://rows/of/mine"
ENOUGH = 120.0  # seconds to wait for what ought to happen soon


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Its address; whoever looks for a store finds this one."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it tells of every request
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    environment = {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "toy",
        "AWS_SECRET_ACCESS_KEY": "toy",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            s3fs.S3FileSystem.clear_instance_cache()
            yield address
    finally:
        server.stop()
        s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def bucket(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty one, and a machine that is quick to see who lives."""
    for name, seconds in {"BEAT": 0.1, "PATIENCE": 1.0, "TICK": 0.05}.items():
        monkeypatch.setattr(lease, name, seconds)
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "first"))
    boto3.client("s3").create_bucket(Bucket=BUCKET)
    yield
    urllib.request.urlopen(urllib.request.Request(f"{server}/moto-api/reset", method="POST"))


def there() -> dict[str, bytes]:
    """What the store holds below the URL, by the client of its vendor."""
    client, prefix = boto3.client("s3"), f"{URL.removeprefix(f's3://{BUCKET}/')}/"
    listed = client.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
    return {
        entry["Key"].removeprefix(prefix): client.get_object(Bucket=BUCKET, Key=entry["Key"])["Body"].read()
        for entry in listed
    }


def built(out: str | Path) -> None:
    api.build(REQUEST, out, engine=HereEngine(), planner=toy_rows.make_plan, quiet=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    built(out := tmp_path_factory.mktemp("whole") / "out")
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_a_build_that_is_killed_goes_on_on_another_machine(
    whole: dict[str, bytes], bucket: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And loses a batch of each of its two workers at most; what the store has spoiled is made again."""
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    here = Path(__file__).parents[2]
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            COMMAND,
            "build",
            URL,
            *PARAMETERS,
            "--batch-size=5",
            "--workers=2",
            "--quiet",
        ],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(here), str(here.parent))),
            "TOY_SECONDS": "0.02",
        },
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + ENOUGH
        while sum(name.endswith(".unit") for name in there()) < 12:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    kept = there()
    assert any(name.startswith(lease.FOLDER) for name in kept)
    spoiled = next(name for name in kept if name.endswith(".unit"))
    client = boto3.client("s3")
    client.put_object(Bucket=BUCKET, Key=f"of/mine/{spoiled}", Body=kept[spoiled][:-9])
    monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / "second"))
    built(URL)
    assert there() == whole
    names = [name for line in (tmp_path / "diary").read_text().splitlines() for name in line.split()[2:]]
    assert 0 < len(names) - len(set(names)) <= 5 + 2 * 5


def test_parts_and_their_reader(
    whole: dict[str, bytes],
    bucket: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number, arguments in enumerate(
        (
            ("plan", URL, *PARAMETERS),
            ("build", URL, "--quiet", "--shard", "0/2"),
            ("build", URL, "--quiet", "--shard", "1/2"),
            ("build", URL, "--finish"),
        )
    ):
        monkeypatch.setenv("WARP_IR_CACHE", str(tmp_path / f"machine {number}"))
        assert cli.main(arguments, engine=lambda **_: HereEngine(), planner=toy_rows.make_plan) == 0
    assert there() == whole
    line = capsys.readouterr().out.splitlines()[-1]
    for streaming in (False, True):
        loading = partial(load_dataset, streaming=streaming)
        found = eval(line.removesuffix(" loads it."), {"load_dataset": loading})
        rows = {split: sum(1 for _ in found[split]) for split in found}
        assert rows == {"train": 240, "validation": 30, "test": 30}


def test_what_a_store_refuses_is_one_clear_line(server: str, bucket: None) -> None:
    with pytest.raises(UserError, match=r"s3://none/x: .*bucket"):
        built("s3://none/x")
    boto3.client("s3").put_object(Bucket=BUCKET, Key="of/mine/thesis.tex", Body=b"")
    with pytest.raises(UserError, match=f"^{URL} .*empty"):
        built(URL)
    switch = f"{server}/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"}
    urllib.request.urlopen(urllib.request.Request(*switch))
    try:
        with pytest.raises(UserError, match=r"s3://rows/x: .*\(.+\).*credentials"):
            built("s3://rows/x")
    finally:
        urllib.request.urlopen(urllib.request.Request(switch[0], b"inf", switch[2]))
