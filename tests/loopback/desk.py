"""Somebody who pushes to a Hub on loopback and loads from it, and what must be true of the dataset there."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import logging
import os
import subprocess
import sys
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.parquet as pq
import yaml
from huggingface_hub import close_session

from loopback.client import shortened
from loopback.hub import LoopbackHub
from loopback.repos import Commit, Repo
from warp_ir_dataset import cli

NAME = "alice/kernels"
CLIENT = Path(__file__).with_name("client.py")

# Loads a dataset in all ways, and compares it with a folder: all configs, or those that are named.
LOAD = """
import os, sys, datasets
name, folder, revision, *some = sys.argv[1:]
local = lambda config: datasets.load_dataset(folder, config)
every = sorted(datasets.get_dataset_config_names(folder))
assert {"cpu", "cuda", "cuda_backward", "spec_to_warp", "warp_to_cuda", "repair"} <= set(every)
assert sorted(datasets.get_dataset_config_names(name)) == every
for config in some or every:
    want = {split: rows.to_list() for split, rows in local(config).items()}
    for options in ({}, {"revision": revision}, {"streaming": True}):
        found = datasets.load_dataset(name, config, **options)
        assert {split: list(rows) for split, rows in found.items()} == want
    split, rows = next(iter(want.items()))  # of what people wrote there is no train
    assert datasets.load_dataset(name, config, split=split).to_list() == rows
assert datasets.load_dataset(name)["test"].to_list() == local("cuda")["test"].to_list()
print("equal", flush=True)
os._exit(0)  # pyarrow's readers of streams may abort a process that ends (apache/arrow issue 45214)
"""


# What a Hub holds after a first push, by folder and options: it is the same for every test.
_PUSHED: dict[tuple[Path, tuple[str, ...]], dict[str, Repo]] = {}


def run_here(arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess:
    """`client.py` in this process, with the real client of the Hub as an environment sets it up."""
    out, err, url = io.StringIO(), io.StringIO(), environment["HF_ENDPOINT"]
    constants = {  # which the client reads once, when it is imported
        "ENDPOINT": url,
        "HUGGINGFACE_CO_URL_TEMPLATE": f"{url}/{{repo_id}}/resolve/{{revision}}/{{filename}}",
        "HF_TOKEN_PATH": f"{environment['HF_HOME']}/token",
        "HF_HUB_DISABLE_XET": True,
    }
    log = logging.StreamHandler(err)
    log.setLevel(logging.WARNING)
    logging.getLogger().addHandler(log)
    close_session()  # it keeps connections, and the proxies of the environment in which it was made
    try:
        with (
            mock.patch.dict(os.environ, environment),
            mock.patch.multiple("huggingface_hub.constants", **constants),
            mock.patch("time.sleep", shortened(time.sleep)),
            redirect_stdout(out),
            redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", DeprecationWarning)  # as a process does by itself
            try:
                status = cli.main(arguments)
            except SystemExit as end:  # of argparse
                status = end.code
    finally:
        logging.getLogger().removeHandler(log)
        close_session()
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


class Desk:
    """Somebody at a terminal, with caches and a token."""

    def __init__(self, hub: LoopbackHub, folder: Path) -> None:
        self.hub, self.folder = hub, folder

    def environment(self, user: str | None = "alice", cache: str = "cache", **more: str) -> dict[str, str]:
        without_torch = {"USE_TORCH": "0"}  # which `datasets` imports for two seconds where rows are streamed
        return {**os.environ, **without_torch, **self.hub.environment(user, self.folder / cache), **more}

    def run(
        self, folder: Path, *options: str, name: str = NAME, alone: bool = False, **who: Any
    ) -> subprocess.CompletedProcess:
        """A push: in a process of its own if it is `alone`, which costs ten times as much, else in this one,
        where the environment says no more than who pushes where."""
        arguments = ["push", str(folder), name, *options]
        if alone:
            command, environment = [sys.executable, str(CLIENT), *arguments], self.environment(**who)
            return subprocess.run(command, env=environment, capture_output=True, text=True)
        return run_here(arguments, self.environment(**who))

    def push(self, folder: Path, *options: str, **who: Any) -> str:
        """A push that must do; returns what it says."""
        done = self.run(folder, *options, **who)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def published(self, folder: Path, *options: str) -> None:
        """The Hub as a push to an empty one leaves it, which is done once for all tests that begin there.
        The folder must be one that no test changes."""
        assert not self.hub.repos
        key = (folder, options)
        if key not in _PUSHED:
            self.push(folder, *options)
            _PUSHED[key] = self.hub.repos
        self.hub.repos = copy.deepcopy(_PUSHED[key])
        self.hub.requests.clear()

    def refused(self, folder: Path, *options: str, **who: Any) -> str:
        """A push that must end with status 2 and one line, which it returns."""
        done = self.run(folder, *options, **who)
        lines = done.stderr.splitlines()
        assert (done.returncode, done.stdout, len(lines)) == (2, "", 1), done.stderr
        return lines[0]

    def python(self, code: str, *arguments: object, **who: Any) -> str:
        """Run Python with an empty cache unless another is named; returns what it prints."""
        who.setdefault("cache", f"fresh-{len(list(self.folder.iterdir()))}")
        command = [sys.executable, "-c", code, *map(str, arguments)]
        done = subprocess.run(command, env=self.environment(**who), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def repo(self) -> Repo:
        return self.hub.repos[NAME]

    @property
    def card(self) -> str:
        return self.repo.resolve("main").tree["README.md"].content.decode()


def contents(commit: Commit) -> dict[str, bytes]:
    return {path: blob.content for path, blob in commit.tree.items() if path != ".gitattributes"}


def is_whole(commit: Commit) -> bool:
    """Whether card, manifest and rows of a commit are those of one and the same build."""
    files = contents(commit)
    manifest = json.loads(files["manifest.json"])
    listed = [config["files"].items() for config in manifest["configs"].values()]
    shards = {name: entry for entries in listed for name, entry in entries}
    head = yaml.safe_load(files["README.md"].decode().split("---\n")[1])
    announced = {
        f"{info['config_name']}/{split['name']}": split["num_examples"]
        for info in head["dataset_info"]
        for split in info["splits"]
    }
    counted: dict[str, int] = dict.fromkeys(announced, 0)
    for name, content in files.items():
        if name.endswith(".parquet"):
            counted[name.split("-")[0]] += pq.read_metadata(io.BytesIO(content)).num_rows
    # A card quotes its manifest where it tells how to build the dataset again.
    quoted = hashlib.sha256(files["manifest.json"]).hexdigest() in files["README.md"].decode()
    return (
        announced == counted
        and {name for name in files if name.endswith(".parquet")} == set(shards)
        and all(hashlib.sha256(files[name]).hexdigest() == shards[name]["sha256"] for name in shards)
        and (not manifest["parameters"] or quoted)
    )


def all_whole(repo: Repo) -> bool:
    """Whether each commit that a branch ever pointed at is whole; the first is empty."""
    *later, first = repo.history()
    return not contents(first) and all(is_whole(commit) for commit in later)
