from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import pytest
from huggingface_hub.errors import HfHubHTTPError, HTTPError

from warp_ir_dataset.common.errors import HubError
from warp_ir_dataset.publishing.hub.retry import LONGEST_PAUSE, PASSING, PAUSES, impatiently, patiently

httpx = sys.modules[HTTPError.__module__.split(".")[0]]  # the client uses httpx, or later httpx2


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that were waited, though no time goes by."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


def refusal(status: int, **headers: str) -> HfHubHTTPError:
    request = httpx.Request("GET", "http://127.0.0.1/")
    return HfHubHTTPError("no", response=httpx.Response(status, headers=headers, request=request))


def wrapped(error: Exception) -> RuntimeError:
    """As the client raises what goes wrong with a large file."""
    outer = RuntimeError("Error while uploading")
    outer.__cause__ = error
    return outer


def failing(*errors: Exception) -> Callable[[], str]:
    left = iter(errors)

    def call() -> str:
        if error := next(left, None):
            raise error
        return "done"

    return call


@pytest.mark.parametrize(
    "error",
    [
        *map(refusal, sorted(PASSING)),
        httpx.ReadError("reset"),
        httpx.ConnectTimeout("slow"),
        httpx.RemoteProtocolError("closed"),
        json.JSONDecodeError("a gateway's page", "<html>", 0),
        wrapped(refusal(503)),
        wrapped(httpx.WriteError("reset")),
    ],
    ids=repr,
)
def test_what_passes_is_waited_for(slept: list[float], error: Exception) -> None:
    assert patiently(failing(error, error)) == "done"
    assert 1 <= slept[0] <= 1.25 and 2 <= slept[1] <= 2.5


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"Retry-After": "20"}, 20),
        ({"Retry-After": "99999"}, LONGEST_PAUSE),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, 1),
        ({"RateLimit": '"api";r=0;t=17'}, 17),
        ({"RateLimit": '"api";r=40;t=17'}, 1),
    ],
)
def test_the_hub_says_how_long(slept: list[float], headers: dict[str, str], least: float) -> None:
    assert patiently(failing(refusal(429, **headers))) == "done"
    assert least <= slept[0] <= least * 1.25


@pytest.mark.parametrize(
    "error",
    [refusal(400), refusal(403), refusal(413), wrapped(refusal(401)), RuntimeError("a bug")],
    ids=repr,
)
def test_what_does_not_pass_is_raised_at_once(slept: list[float], error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        patiently(failing(error))
    assert raised.value is error and not slept


def test_patience_ends(slept: list[float]) -> None:
    with pytest.raises(HubError, match=" 503"):
        patiently(failing(*[refusal(503)] * (len(PAUSES) + 1)))
    assert len(slept) == len(PAUSES)


def test_who_only_looks_waits_for_nothing(slept: list[float]) -> None:
    with impatiently(), pytest.raises(HubError) as caught:
        patiently(failing(httpx.ConnectError("no route")))
    assert str(caught.value) == "the connection failed (ConnectError)" and not slept
    with impatiently(False):
        assert patiently(failing(httpx.ConnectError("no route"))) == "done" and slept
