"""Pushes that meet a busy Hub, other people's commits, dropped connections and their own sudden end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from loopback.desk import CLIENT, LOAD, NAME, Desk, all_whole, contents
from loopback.hub import Fault

pytestmark = pytest.mark.hub


STEPS = {
    "info": "GET .*/revision/main",
    "tree": "GET .*/tree/",
    "refs": "GET .*/refs",
    "create": "POST /api/repos/create",
    "preupload": "POST .*/preupload/",
    "batch": "POST .*/objects/batch",
    "put": "^PUT ",
    "verify": "POST .*/lfs-verify",
    "yaml": "POST .*/validate-yaml",
    "commit": "POST .*/commit/",
    "tag": "POST .*/tag/",
}


# That all of them pass is held by `test_retry`, too.
@pytest.mark.parametrize(
    "status", [429, 503, *(pytest.param(status, marks=pytest.mark.long) for status in (408, 500, 502, 504))]
)
def test_a_busy_hub_is_waited_for_at_every_step(desk: Desk, first: Path, status: int) -> None:
    headers = {"Retry-After": "1"} if status in (429, 503) else {}
    desk.hub.faults = [Fault(step, status, times=2, headers=headers) for step in STEPS.values()]
    desk.push(first)
    assert all(fault.times == 0 for fault in desk.hub.faults)
    assert len(desk.repo.history()) == 2 and all_whole(desk.repo) and "v1.0.0" in desk.repo.tags


@pytest.mark.parametrize("status", [409, 412])
def test_commits_of_others_are_waited_for(desk: Desk, first: Path, second: Path, status: int) -> None:
    desk.published(first)
    desk.hub.faults = [
        Fault(STEPS["commit"], status, times=2),
        Fault(STEPS["commit"], first=lambda: desk.repo.edit("NOTICE", b"!"), harmless=True, times=1),
    ]
    desk.push(second)
    assert [c.title.split(":")[0] for c in desk.repo.history()] == [
        "Publish v1.1.0",
        "Update by hand",
        "Publish v1.0.0",
        "initial commit",
    ]
    assert contents(desk.repo.resolve("main"))["NOTICE"] == b"!" and all_whole(desk.repo)


# A Hub that has answered is as it was where a step only asks, and other steps than these can be made twice.
CHANGING = ("create", "commit")
DROPPED = [
    pytest.param(step, after, marks=[pytest.mark.long] if after and step not in CHANGING else [])
    for step in STEPS
    for after in (False, True)
]


@pytest.mark.parametrize(("step", "after"), DROPPED)
def test_a_connection_dropped_at_a_step(desk: Desk, first: Path, step: str, after: bool) -> None:
    desk.hub.faults = [Fault(STEPS[step], after=after, times=1)]
    desk.push(first)
    assert desk.hub.faults[0].times == 0
    assert len(desk.repo.history()) == 2 and all_whole(desk.repo)
    assert desk.repo.tags == {"v1.0.0": desk.repo.branches["main"]}


# Every second is too much: the client checks the card's YAML just before each commit, so one of both is lost.
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("every", [3, *(pytest.param(every, marks=pytest.mark.long) for every in (4, 6))])
def test_every_kth_connection_is_dropped(
    desk: Desk, first: Path, second: Path, every: int, after: bool
) -> None:
    desk.published(first)
    desk.hub.faults = [Fault(every=every, after=after)]
    desk.push(second)
    assert len(desk.repo.history()) == 3 and all_whole(desk.repo)
    assert {*desk.repo.tags} == {"v1.0.0", "v1.1.0"}


def test_a_hub_that_stays_away_is_given_up(desk: Desk, first: Path, second: Path) -> None:
    desk.published(first)
    desk.hub.faults = [Fault(STEPS["commit"], 503)]
    done = desk.run(second, alone=True)
    assert done.returncode == 1
    assert " 503" in done.stderr.splitlines()[-1]
    assert len(desk.repo.history()) == 2
    desk.hub.faults.clear()
    desk.hub.requests.clear()
    desk.push(second)
    assert not desk.hub.sent("^PUT")  # all large files were there


CARD = "HEAD .*/resolve/.*README.md"


# Of an answer the client itself asks six times.
@pytest.mark.parametrize(("status", "times"), [(None, 2), pytest.param(503, 8, marks=pytest.mark.long)])
def test_a_hub_that_does_not_give_the_card_at_once_is_waited_for(
    desk: Desk, first: Path, second: Path, status: int | None, times: int
) -> None:
    desk.published(first)
    desk.hub.faults = [Fault(CARD, status, times=times)]
    desk.push(second)
    assert desk.hub.faults[0].times == 0 and len(desk.repo.history()) == 3 and all_whole(desk.repo)


def test_a_card_that_may_not_be_read_is_one_line(desk: Desk, first: Path, second: Path) -> None:
    desk.published(first)
    desk.hub.faults = [Fault(CARD, 403)]
    assert re.search("token .*alice/kernels", desk.refused(second))
    assert len(desk.hub.sent(CARD)) == 1 and len(desk.repo.history()) == 2


def test_what_does_not_pass_is_not_tried_again(desk: Desk, first: Path) -> None:
    desk.hub.faults = [Fault(STEPS["commit"], 413)]
    assert " 413" in desk.refused(first)
    assert len(desk.hub.sent(STEPS["commit"])) == 1


@pytest.mark.parametrize(
    "step", ["put", "commit", *(pytest.param(step, marks=pytest.mark.long) for step in ("batch", "tag"))]
)
def test_a_killed_push_goes_on_where_it_was(desk: Desk, first: Path, second: Path, step: str) -> None:
    desk.published(first)
    command = [sys.executable, str(CLIENT), "push", str(second), NAME]
    victim = subprocess.Popen(command, env=desk.environment(), stdout=subprocess.DEVNULL)
    strike = {"first": lambda: os.kill(victim.pid, signal.SIGKILL), "harmless": True, "times": 1}
    desk.hub.faults = [Fault(STEPS[step], every=5 if step == "put" else 1, **strike)]
    assert victim.wait() == -signal.SIGKILL
    assert all_whole(desk.repo)
    kept = set(desk.repo.objects)
    desk.hub.requests.clear()
    desk.push(second)
    again = {request.split("/")[-1] for request in desk.hub.sent("^PUT")}
    assert not again & kept and (kept or step == "batch")
    assert len(desk.repo.history()) == 3 and all_whole(desk.repo)
    assert desk.repo.tags["v1.1.0"] == desk.repo.branches["main"]


def test_who_loads_during_a_push_gets_the_old_build(desk: Desk, first: Path, second: Path) -> None:
    desk.published(first)
    found: list[str] = []

    def load() -> None:
        found.append(desk.python(LOAD, NAME, first, "v1.0.0", "cuda"))

    desk.hub.faults = [Fault(STEPS["commit"], first=load, harmless=True, times=1)]
    desk.push(second)
    assert found == ["equal\n"]
    assert desk.python(LOAD, NAME, second, "v1.1.0", "cuda") == "equal\n"
