"""What a push waits for, how long, and what it knows by names and hashes: without a network."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub.errors import HfHubHTTPError, HTTPError

from warp_ir_dataset.common.errors import HubError, UserError
from warp_ir_dataset.publishing.hub import release, retry
from warp_ir_dataset.publishing.hub.release import belongs, config_of, is_shard, is_untouched, signed
from warp_ir_dataset.publishing.hub.retry import PAUSES, impatiently, is_conflict, patiently

http: Any = sys.modules[HTTPError.__module__.partition(".")[0]]  # httpx, or what the Hub's client has instead


def refusal(status: int, **headers: str) -> HfHubHTTPError:
    request = http.Request("GET", "https://nowhere.invalid")
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return HfHubHTTPError("no", response=http.Response(status, headers=given, request=request))


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(retry.time, "sleep", found.append)
    monkeypatch.setattr(retry.SystemRandom, "uniform", lambda self, low, high: low)
    return found


class Call:
    """Fails as often as there are errors, then gives what it was given."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    def __call__(self, *given: Any, **named: Any) -> Any:
        if self.errors:
            raise self.errors.pop(0)
        return given, named


@pytest.mark.parametrize("status", [408, 409, 412, 425, 429, 500, 502, 503, 504])
def test_what_passes_is_waited_for_longer_and_longer(status: int, slept: list[float]) -> None:
    assert patiently(Call(*[refusal(status)] * 3), 1, name=2) == ((1,), {"name": 2})
    assert slept == [1, 2, 4]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 501])
def test_a_refusal_is_final(status: int, slept: list[float]) -> None:
    error = refusal(status)
    with pytest.raises(HfHubHTTPError) as caught:
        patiently(Call(error))
    assert caught.value is error and not slept


def test_a_connection_that_fails_is_tried_again(slept: list[float]) -> None:
    for error in (http.ConnectError("no"), json.JSONDecodeError("no", "", 0)):
        assert patiently(Call(error)) == ((), {})
    wrapped = RuntimeError("upload")
    wrapped.__cause__ = refusal(503)
    assert patiently(Call(wrapped)) == ((), {}) and slept == [1, 1, 1]
    for final in (RuntimeError("a bug"), ZeroDivisionError()):
        with pytest.raises(type(final)):
            patiently(Call(final))
    assert len(slept) == 3


def test_after_minutes_it_is_given_up(slept: list[float]) -> None:
    errors = [refusal(503)] * (len(PAUSES) + 1)
    with pytest.raises(HubError, match="503") as caught:
        patiently(Call(*errors))
    assert slept == [*PAUSES] and caught.value.__cause__ is errors[0] and 60 < sum(slept) < 300


def test_who_only_looks_waits_for_nothing(slept: list[float]) -> None:
    with impatiently(), pytest.raises(HubError):
        patiently(Call(refusal(503)))
    with impatiently(), impatiently(False):
        assert patiently(Call(refusal(503))) == ((), {})
    assert patiently(Call(refusal(503))) == ((), {}) and slept == [1, 1]
    with pytest.raises(ZeroDivisionError), impatiently():
        raise ZeroDivisionError
    assert patiently(Call(refusal(503))) == ((), {})


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "20"}, 20),
        ({"retry_after": "0"}, 1),
        ({"retry_after": "9999"}, 300),
        ({"retry_after": "Wed, 21 Oct 2026 07:28:00 GMT"}, 1),
        ({"ratelimit": '"api";r=0;t=25'}, 25),
        ({"ratelimit": '"api";r=7;t=25'}, 1),
        ({"retry_after": "20", "ratelimit": '"api";r=0;t=25'}, 20),
    ],
)
def test_the_hub_may_ask_for_a_longer_pause(
    headers: dict[str, str], seconds: float, slept: list[float]
) -> None:
    assert patiently(Call(refusal(429, **headers))) == ((), {})
    assert slept == [seconds]


def test_pushes_do_not_come_back_together(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(retry.time, "sleep", slept.append)
    for _ in range(20):
        patiently(Call(refusal(429, retry_after="100")))
    assert all(100 <= pause <= 125 for pause in slept) and len({*slept}) > 1


def test_conflicts_are_commits_of_others() -> None:
    assert is_conflict(refusal(409)) and is_conflict(refusal(412))
    assert not is_conflict(refusal(429)) and not is_conflict(http.ConnectError("no"))
    wrapped = RuntimeError("commit")
    wrapped.__cause__ = refusal(412)
    assert is_conflict(wrapped)


# ---- what a push knows


def test_a_card_that_was_edited_is_known() -> None:
    card = "---\nx: 1\n---\n\nText.\n"
    sent = signed(card)
    assert sent.startswith(card) and signed(sent) == sent and is_untouched(sent)
    for other in (card, sent.replace("Text", "text"), sent + "more", sent.replace("x: 1", "x: 2")):
        assert not is_untouched(other)
    assert is_untouched(signed(sent.replace("Text", "Other text")))


@pytest.mark.parametrize(
    ("path", "ours", "shard"),
    [
        ("cpu/train-00000-of-00008.parquet", True, True),
        ("handwritten/test-00000-of-00001.parquet", True, True),
        ("vulkan/train-00000-of-00008.parquet", False, False),
        ("cpu/dev-00000-of-00008.parquet", False, False),
        ("x/cpu/train-00000-of-00008.parquet", False, False),
        ("cpu/train-00000-of-00008.parquet.bak", False, False),
        ("manifest.json", True, False),
        ("README.md", True, False),
        ("plots/a.png", True, False),
        ("plots", False, False),
        ("notes.md", False, False),
    ],
)
def test_files_of_a_build_are_told_from_others(path: str, ours: bool, shard: bool) -> None:
    assert (belongs(path), is_shard(path)) == (ours, shard)
    if shard:
        assert config_of(path) == path.partition("/")[0]


def test_a_release_holds_a_build_and_its_hashes(first: Path) -> None:
    found = release.read(first, "alice/kernels")
    assert found.tag == f"v{found.version}" and found.rows == 240
    for path, item in found.files.items():
        content = item.source if isinstance(item.source, bytes) else item.source.read_bytes()
        assert item.size == len(content) and belongs(path)
        assert item.sha256 == hashlib.sha256(content).hexdigest()
        assert item.git_oid == hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    card = found.files["README.md"].source
    assert isinstance(card, bytes) and is_untouched(card.decode()) and b"alice/kernels" in card


def test_what_is_no_build_is_not_released(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        release.read(tmp_path, "alice/kernels")
