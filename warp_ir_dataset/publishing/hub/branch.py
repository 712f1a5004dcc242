"""A branch of a dataset on the Hub: its head, and commits upon it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import CommitInfo, CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError
from huggingface_hub.hf_api import RepoFile

from ...common.errors import UserError
from .release import Item, Release, belongs, is_shard
from .retry import PAUSES, TROUBLE, is_conflict, patiently, rest

MAIN = "main"
LOOK_SECONDS = 10.0  # for a network that takes a connection and never answers
DATASET: dict[str, Any] = {"repo_type": "dataset"}


@dataclass(frozen=True)
class Head:
    """A commit, and its files."""

    oid: str
    files: Mapping[str, RepoFile]
    private: bool = False

    def missing(self, release: Release) -> tuple[str, ...]:
        return tuple(path for path, item in release.files.items() if not self._holds(path, item))

    def left_over(self, release: Release) -> tuple[str, ...]:
        return tuple(path for path in self.files if belongs(path) and path not in release.files)

    def holds_rows_of(self, release: Release) -> bool:
        shards = {path for path in release.files if is_shard(path)}
        return shards == set(filter(is_shard, self.files)) and not shards & {*self.missing(release)}

    def _holds(self, path: str, item: Item) -> bool:
        file = self.files.get(path)
        if file is None:
            return False
        return file.lfs.sha256 == item.sha256 if file.lfs else file.blob_id == item.git_oid


@dataclass(frozen=True)
class Branch:
    """A branch of a dataset on the Hub. Its methods ask patiently, unless they say otherwise."""

    api: HfApi
    name: str
    branch: str
    private: bool
    create_pr: bool
    dry_run: bool

    @property
    def url(self) -> str:
        return f"{self.api.endpoint}/datasets/{self.name}"

    @property
    def tags(self) -> bool:
        """Only what everybody loads is a version."""
        return self.branch == MAIN and not self.create_pr

    def look(self) -> Head:
        """The head of the branch. A dataset or branch that is not there is made, unless this is a dry run."""
        for make in (self._create, self._create, None):
            try:
                return self._head(self.branch)
            except RepositoryNotFoundError:
                if self.dry_run:
                    return Head("", {})
                if make is None:
                    raise
            except RevisionNotFoundError:
                if self.dry_run and not self.create_pr:
                    return self._head(MAIN)
                if make is None or self.create_pr:
                    raise
            make()
        raise AssertionError("the last try returns or raises")

    def _head(self, revision: str) -> Head:
        seconds = LOOK_SECONDS if self.dry_run else None
        info = patiently(self.api.dataset_info, self.name, revision=revision, timeout=seconds)
        oid = str(info.sha)
        return Head(oid, self._files(oid), bool(info.private))

    def _files(self, revision: str) -> dict[str, RepoFile]:
        def listed() -> list[Any]:
            return list(self.api.list_repo_tree(self.name, recursive=True, revision=revision, **DATASET))

        return {entry.path: entry for entry in patiently(listed) if isinstance(entry, RepoFile)}

    def _create(self) -> None:
        """Make the dataset, and the branch."""
        try:
            patiently(self.api.create_repo, self.name, private=self.private or None, exist_ok=True, **DATASET)
        except HfHubHTTPError as error:
            if error.response.status_code in (403, 404) and not self._has_owner():
                owner = self.name.split("/")[0]
                raise UserError(f"the Hub knows no user or organization {owner!r}") from error
            raise
        if self.branch != MAIN:
            patiently(self.api.create_branch, self.name, branch=self.branch, exist_ok=True, **DATASET)

    def _has_owner(self) -> bool:
        for find in (self.api.get_user_overview, self.api.get_organization_overview):
            try:
                patiently(find, self.name.split("/")[0])
                return True
            except HfHubHTTPError as error:
                if error.response.status_code != 404:
                    raise
        return False

    def read(self, path: str, head: Head) -> str:
        """The text of a small file."""
        with tempfile.TemporaryDirectory() as folder:
            options = {"revision": head.oid, "local_dir": folder, **DATASET}
            found = patiently(self.api.hf_hub_download, self.name, path, **options)
            return Path(found).read_bytes().decode(errors="replace")

    def tagged(self, tag: str) -> Head | None:
        """What a tag marks."""
        tags = patiently(self.api.list_repo_refs, self.name, **DATASET).tags
        commit = next((ref.target_commit for ref in tags if ref.name == tag), None)
        return Head(commit, self._files(commit)) if commit else None

    def proposed(self, release: Release) -> str | None:
        """The address of an open pull request with just this release."""

        def listed() -> list[Any]:
            wanted: dict[str, Any] = {"discussion_type": "pull_request", "discussion_status": "open"}
            return list(self.api.get_repo_discussions(self.name, **wanted, **DATASET))

        for pull in patiently(listed):
            if pull.title == title(release):
                head = Head(pull.git_reference, self._files(pull.git_reference))
                if not head.missing(release) and not head.left_over(release):
                    address: str = pull.url
                    return address
        return None

    def commit(
        self, head: Head, additions: list[CommitOperationAdd], removed: Iterable[str], release: Release
    ) -> CommitInfo:
        """Send large files ahead, then all as one commit upon `head`: nothing else may come between.

        The commit is not repeated patiently: whether it came through, only another look can tell.
        """
        where: dict[str, Any] = {"revision": self.branch, "create_pr": self.create_pr, **DATASET}
        operations: list[CommitOperationAdd | CommitOperationDelete] = [*additions]
        operations += [CommitOperationDelete(path, is_folder=False) for path in removed]
        options: dict[str, Any] = {
            "commit_message": title(release),
            "parent_commit": head.oid,
            **where,
        }
        patiently(self.api.preupload_lfs_files, self.name, additions, free_memory=False, **where)
        try:
            first: CommitInfo = self.api.create_commit(self.name, operations, **options)
            return first
        except TROUBLE as error:
            if self.create_pr or is_conflict(error):
                raise
            rest(error, PAUSES[0])
        # If the first did come through, this one is a conflict: it is upon the same head.
        second: CommitInfo = self.api.create_commit(self.name, operations, **options)
        return second

    def tag(self, tag: str, commit: str, *, move: bool) -> None:
        """Mark a commit; `move` if the tag marks another one now. Tried once."""
        if move:
            self.api.delete_tag(self.name, tag=tag, **DATASET)
        self.api.create_tag(self.name, tag=tag, revision=commit, **DATASET)


def title(release: Release) -> str:
    """What commits and pull requests are called."""
    return f"Publish {release.tag}: {release.rows:,} rows"
