"""Repositories as a Hub keeps them: commits of whole trees, branches, tags, pull requests, large objects.

All in memory. `loopback_hub.py` speaks HTTP on top of this.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import PurePosixPath
from typing import Any

import yaml

# What the Hub puts into a new dataset, shortened to the kinds of files that matter here.
GITATTRIBUTES = "".join(
    f"*.{end} filter=lfs diff=lfs merge=lfs -text\n"
    for end in ("arrow", "parquet", "gz", "zip", "png", "jpg")
)
LARGEST_REGULAR_FILE = 10_000_000  # bytes


class Refused(Exception):
    """An answer other than 200: a status, what `X-Error-Code` says, and a message."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass(frozen=True)
class Blob:
    content: bytes
    large: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def pointer(self) -> bytes:
        """What git itself keeps of a large file."""
        size = len(self.content)
        return f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {size}\n".encode()

    @property
    def oid(self) -> str:
        kept = self.pointer if self.large else self.content
        return hashlib.sha1(b"blob %d\0" % len(kept) + kept).hexdigest()

    @property
    def etag(self) -> str:
        return self.sha256 if self.large else self.oid


Tree = Mapping[str, Blob]


@dataclass(frozen=True)
class Commit:
    parent: str | None
    title: str
    description: str
    tree: Tree

    @property
    def oid(self) -> str:
        files = sorted((path, blob.oid) for path, blob in self.tree.items())
        return hashlib.sha1(repr((self.parent, self.title, files)).encode()).hexdigest()


@dataclass
class Pull:
    title: str
    author: str
    head: str
    status: str = "open"


@dataclass
class Repo:
    """One dataset. `objects` holds large files by SHA-256, whether a commit names them or not."""

    name: str
    private: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    pulls: list[Pull] = field(default_factory=list)
    objects: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = self._keep(
            Commit(None, "initial commit", "", {".gitattributes": Blob(GITATTRIBUTES.encode())})
        )
        self.branches["main"] = first.oid

    def resolve(self, revision: str) -> Commit:
        """The commit of a branch, a tag, a pull request (refs/pr/1) or its own name, even shortened."""
        if pull := self._pull(revision):
            return self.commits[pull.head]
        for refs in (self.branches, self.tags):
            if revision in refs:
                return self.commits[refs[revision]]
        if re.fullmatch(r"[0-9a-f]{7,40}", revision):
            for oid, commit in self.commits.items():
                if oid.startswith(revision):
                    return commit
        raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def history(self, revision: str = "main") -> list[Commit]:
        """Newest first."""
        found = [self.resolve(revision)]
        while found[-1].parent:
            found.append(self.commits[found[-1].parent])
        return found

    def _pull(self, revision: str) -> Pull | None:
        match = re.fullmatch(r"refs/pr/(\d+)", revision)
        return self.pulls[int(match[1]) - 1] if match and 0 < int(match[1]) <= len(self.pulls) else None

    def _keep(self, commit: Commit) -> Commit:
        self.commits[commit.oid] = commit
        return commit

    def edit(self, path: str, content: bytes, revision: str = "main", title: str = "Update by hand") -> str:
        """What somebody does in the browser. Returns the commit."""
        head = self.resolve(revision)
        tree = {**head.tree, path: Blob(content)}
        self.branches[revision] = self._keep(Commit(head.oid, title, "", tree)).oid
        return self.branches[revision]

    def commit(
        self, lines: Iterable[dict[str, Any]], revision: str, author: str, *, as_pull: bool
    ) -> tuple[Commit, int | None]:
        """Carry out the operations of a commit, all or none. Returns it, and its pull request's number."""
        operations = list(lines)
        if not operations or operations[0]["key"] != "header":
            raise Refused(400, "The first line must be the header")
        head, header = self.resolve(revision), operations[0]["value"]
        pull = self._pull(revision)
        if revision not in self.branches and pull is None:
            raise Refused(400, "A commit needs a branch")
        parent = header.get("parentCommit")
        if parent is not None and parent != head.oid:
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        tree = dict(head.tree)
        for line in operations[1:]:
            self._apply(line["key"], line["value"], tree)
        if "README.md" in tree and (wrong := complaints(tree["README.md"].content.decode())):
            raise Refused(400, "Invalid metadata in README.md: " + "; ".join(wrong))
        done = self._keep(Commit(head.oid, header["summary"], header.get("description", ""), tree))
        if as_pull:
            self.pulls.append(Pull(done.title, author, done.oid))
            return done, len(self.pulls)
        if pull is not None:
            pull.head = done.oid
        else:
            self.branches[revision] = done.oid
        return done, None

    def _apply(self, key: str, value: dict[str, Any], tree: dict[str, Blob]) -> None:
        path = value["path"]
        if ".." in PurePosixPath(path).parts or path.startswith("/"):
            raise Refused(400, f"Invalid path: {path}")
        if key == "file":
            content = base64.b64decode(value["content"], validate=True)
            if len(content) > LARGEST_REGULAR_FILE:
                raise Refused(400, f"{path} is too large for a regular file")
            if self.is_large(path, len(content), tree):
                raise Refused(400, f"{path} must be sent as a large file")
            tree[path] = Blob(content)
        elif key == "lfsFile":
            if value["algo"] != "sha256" or value["oid"] not in self.objects:
                raise Refused(400, f"LFS object of {path} was never uploaded")
            content = self.objects[value["oid"]]
            if value.get("size", len(content)) != len(content):
                raise Refused(400, f"The size of {path} is wrong")
            tree[path] = Blob(content, large=True)
        elif key in ("deletedFile", "deletedFolder"):
            inside = path.rstrip("/") + "/"
            gone = [p for p in tree if p == path or (key == "deletedFolder" and p.startswith(inside))]
            if not gone:
                raise Refused(404, f"A file with this name doesn't exist: {path}", "EntryNotFound")
            for name in gone:
                del tree[name]
        else:
            raise Refused(400, f"Unknown operation {key}")

    def is_large(self, path: str, size: int, tree: Tree) -> bool:
        """What the repository's .gitattributes say, or the size alone."""
        rules = tree[".gitattributes"].content.decode() if ".gitattributes" in tree else ""
        patterns = [line.split()[0] for line in rules.splitlines() if "filter=lfs" in line]
        name = PurePosixPath(path).name
        return size > LARGEST_REGULAR_FILE or any(fnmatch(name, pattern) for pattern in patterns)

    def take_object(self, oid: str, content: bytes) -> None:
        if hashlib.sha256(content).hexdigest() != oid:
            raise Refused(400, "The content does not have this SHA-256")
        self.objects[oid] = content


def complaints(card: str) -> list[str]:
    """What is wrong with a card's YAML, as far as documentation tells."""
    match = re.match(r"---\r?\n(.*?)\r?\n---(\r?\n|$)", card, re.DOTALL)
    if match is None:
        return []
    try:
        head = yaml.safe_load(match[1]) or {}
    except yaml.YAMLError as error:
        return [f"YAML does not parse: {json.dumps(str(error))}"]
    if not isinstance(head, dict):
        return ["YAML must be a mapping"]
    wrong = [f'"{name}" must be a list' for name in LISTS if not isinstance(head.get(name, []), list)]
    if wrong:
        return wrong
    if sum(bool(config.get("default")) for config in head.get("configs", [])) > 1:
        wrong.append("only one config may be the default")
    return wrong + [
        f"{file['path']} is not in the repository"
        for config in head.get("configs", [])
        for file in config.get("data_files", [])
        if isinstance(file, dict) and "://" in str(file["path"])
    ]


LISTS = ("tags", "task_categories", "configs", "size_categories")
