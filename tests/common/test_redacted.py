"""URLs lose what is secret in them, wherever they stand."""

from __future__ import annotations

import pickle
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from warp_ir_dataset import Request, build, cli
from warp_ir_dataset.builds.output.url_store import file_system, refusals
from warp_ir_dataset.common.errors import HubError, UserError
from warp_ir_dataset.common.redacted import redacted

PASSWORD = "hunter2"
URLS = {
    "a password": f"ftp://user:{PASSWORD}@127.0.0.1:1/rows",
    "a password with a slash": f"ftp://user:{PASSWORD}/x@127.0.0.1:1/rows",
    "a password with a quote": f"ftp://user:x'{PASSWORD}@127.0.0.1:1/rows",
    "a password with a space": f"ftp://user:x {PASSWORD}@127.0.0.1:1/rows",
    "a password alone": f"ftp://:{PASSWORD}@127.0.0.1:1/rows",
    "a token as user": f"https://{PASSWORD}@host/rows",
    "one slash": f"ftp:/user:{PASSWORD}@127.0.0.1:1/rows",
    "a chain": f"simplecache::ftp://user:{PASSWORD}@127.0.0.1:1/rows",
    "a signature": f"https://host/rows?X-Amz-Signature={PASSWORD}&X-Amz-Expires=1",
    "a shared access": f"abfs://c@host/rows?sv=1&sig={PASSWORD}",
    "a token": f"https://host/rows?token={PASSWORD}",
    "a fragment": f"https://host/rows#token={PASSWORD}",
}
SAID = ["{}", "cannot open {}: gone", "'{}': gone", 'load_dataset("parquet", data_files="{}/x")', "see {}."]


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("name", URLS)
def test_no_password_is_said(name: str, said: str) -> None:
    text = said.format(URLS[name])
    found = redacted(text)
    assert PASSWORD not in found and "***" in found
    assert found.partition(":/")[0] == text.partition(":/")[0]  # what stands before it, and which kind it is
    for kind in (UserError, HubError):
        error = pickle.loads(pickle.dumps(kind(text)))
        assert str(error) == found and type(error) is kind


@pytest.mark.parametrize(
    "text",
    [
        "s3://bucket/folder", "s3://bucket/me@home/rows", "http://[::1]:8080/a@b", "https://host:80/x",
        "file:///home/me@work/rows", "see https://huggingface.co/settings/tokens)", "C:/me@home", "a@b: c",
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_a_long_value_that_is_cut_is_not_said() -> None:
    with pytest.raises(UserError) as caught:
        build(Request("cpu"), [f"ftp://user:{PASSWORD}@{'x' * 99}"])  # type: ignore[arg-type]
    assert PASSWORD not in str(caught.value) and "ftp://***@" in str(caught.value)


@pytest.mark.parametrize("name", URLS)
@pytest.mark.parametrize("command", ["report", "score", "validate", "push", "extract"])
def test_no_command_says_it(name: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = {"push": ["user/name"], "score": ["--predictions", URLS[name]], "extract": ["--out"]}
    assert cli.main([command, URLS[name], *more.get(command, [])]) == 2
    out, error = capsys.readouterr()
    assert error.count("\n") == 1 and PASSWORD not in out + error


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("command", ["build", "plan"])
def test_no_build_says_it(command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for url in URLS.values():
        said = StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            assert cli.main([command, url, "--num-kernels", "10"]) == 2
        assert PASSWORD not in said.getvalue()


def test_what_a_file_system_says_in_other_words_is_not_said() -> None:
    """Nor in a traceback, which tells the causes."""
    url = f"s3://key:{PASSWORD}@bucket/rows"
    with pytest.raises(UserError) as caught, refusals("cannot open it", url):
        raise ValueError(f"Invalid bucket name 'key:{PASSWORD}@bucket', {PASSWORD}")
    assert "Invalid bucket name '***@bucket', ***" in str(caught.value)
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


def test_a_file_system_that_fails_later_says_it_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"memory://user:{PASSWORD}@bucket/rows"

    def fails(self: object, path: str, *_: object, **__: object) -> None:
        raise OSError(f"no {url}, no {path}")

    monkeypatch.setattr(MemoryFileSystem, "ls", fails)
    with pytest.raises(UserError) as caught:
        build(Request("cpu", 10), url, quiet=True)
    told = "".join(traceback.format_exception(caught.value))
    assert "no memory://***@bucket" in told and PASSWORD not in told
    assert fsspec.url_to_fs(url) == file_system(url)  # it is opened by what was given


def test_what_is_printed_of_a_url_has_no_password() -> None:
    assert PASSWORD not in cli._how_to_load(f"ftp://u:{PASSWORD}@h/rows", ["cpu"], chosen=True)
