"""Waiting for a Hub that is busy, slow or out of reach."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from random import SystemRandom
from typing import Any, TypeVar

# `HTTPError` is that of httpx or of httpx2, as the version of huggingface_hub has it.
from huggingface_hub.errors import HfHubHTTPError, HTTPError, LocalEntryNotFoundError  # type: ignore[attr-defined]

from ...common.errors import HubError

PAUSES = (1, 2, 4, 8, 16, 30, 60)  # seconds between tries, or what the Hub asks for
LONGEST_PAUSE = 300
CONFLICTS = {409, 412}  # another commit is under way, or came first
PASSING = CONFLICTS | {408, 425, 429, 500, 502, 503, 504}  # too early or too busy

# What the client raises when the Hub refuses (HfHubHTTPError) or cannot be reached (other HTTPErrors). It
# wraps failed uploads in plain RuntimeErrors, failed downloads in LocalEntryNotFoundErrors, and reads bodies
# as JSON before it looks at the status.
TROUBLE = (HTTPError, RuntimeError, LocalEntryNotFoundError, json.JSONDecodeError)

_impatient: ContextVar[bool] = ContextVar("impatient", default=False)
_log = logging.getLogger(__name__)
T = TypeVar("T")


@contextmanager
def impatiently(yes: bool = True) -> Iterator[None]:
    """Wait for nothing meanwhile: the first failure is a `HubError`. For who only wants to look."""
    token = _impatient.set(yes)
    try:
        yield
    finally:
        _impatient.reset(token)


def patiently(call: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Call something that may be called again; what passes is waited for. Raises `HubError` after minutes."""
    for pause in (*PAUSES, None):
        try:
            return call(*arguments, **options)
        except TROUBLE as error:
            rest(error, pause)
    raise AssertionError("the last try returns or raises")


def rest(error: Exception, pause: float | None) -> None:
    """Wait before the next try; raise the error if it does not pass, or if there is no next try."""
    cause = cause_of(error)
    if isinstance(cause, HfHubHTTPError):
        status = cause.response.status_code
        if status not in PASSING:
            raise error
        what = f"the Hub answered {status}"
        pause = pause and max(pause, _asked_for(cause.response.headers))
    elif isinstance(cause, (HTTPError, json.JSONDecodeError)):
        what = f"the connection failed ({type(cause).__name__})"
    else:
        raise error
    if _impatient.get():
        raise HubError(what) from error
    if pause is None:
        raise HubError(f"{what}, again and again: the same command goes on from here") from error
    _log.warning("%s: trying again in %d s", what, pause)
    # Several pushes that were refused together should not come back together.
    time.sleep(pause * SystemRandom().uniform(1, 1.25))


def is_conflict(error: Exception) -> bool:
    """Whether somebody else's commit is in the way."""
    cause = cause_of(error)
    return isinstance(cause, HfHubHTTPError) and cause.response.status_code in CONFLICTS


def cause_of(error: BaseException) -> BaseException:
    """What the client's own exceptions were raised from."""
    while error.__cause__ and not isinstance(error, HTTPError):
        error = error.__cause__
    return error


def _asked_for(headers: Mapping[str, str]) -> float:
    """Seconds that the Hub asks to wait, by `Retry-After: 20` or `RateLimit: "api";r=0;t=20`."""
    match = re.fullmatch(r"(\d+)", headers.get("retry-after", "")) or re.search(
        r"r=0\b.*?t=(\d+)", headers.get("ratelimit", "")
    )
    return min(float(match[1]), LONGEST_PAUSE) if match else 0
