"""Publishing on the Hugging Face Hub: one commit that holds the rows, the card and the manifest.

Large files are sent ahead of the commit, where nobody sees them; so a push that was interrupted goes on where
it was, and whoever loads the dataset meanwhile gets the old one whole. Nothing is sent that is there already,
and nothing is committed when nothing has changed. What passes (a commit by somebody else, a Hub that is busy,
a dropped connection) is waited for; before each try the branch is looked at again.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, HfApi, get_token
from huggingface_hub.errors import (
    FileMetadataError,
    HfHubHTTPError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from ...builds.output.manifest import CARD
from ...common.errors import HubError, UserError
from ...common.redacted import redacted
from .branch import MAIN, Branch, Head
from .release import Release, config_of, is_shard, is_untouched, read
from .retry import PAUSES, TROUBLE, cause_of, impatiently, rest

REPLACEABLE = ("card", "configs", "tag")


@dataclass(frozen=True)
class Push:
    """The result of a push; with `dry_run`, what it would do.

    Attributes:
        url: Address of the dataset.
        tag: The tag of this version; None if the push gives none.
        sent: Files that were sent.
        removed: Files that were removed.
        unchanged: How many files were there already.
        commit: The commit; None if nothing had changed.
        pull_request: Address of the pull request, if one was opened or was open already.
        dry_run: Whether nothing was sent.
    """

    url: str
    tag: str | None
    sent: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    commit: str | None = None
    pull_request: str | None = None
    dry_run: bool = False

    @property
    def changes(self) -> bool:
        return bool(self.sent or self.removed)

    def __str__(self) -> str:
        lines = [*(f"+ {path}" for path in self.sent), *(f"- {path}" for path in self.removed)]
        if self.dry_run:
            lines.append(f"{len(self.sent)} to send, {len(self.removed)} to remove: nothing was done")
        elif self.pull_request:
            lines.append(f"proposed: {redacted(self.pull_request)}")
        elif self.commit:
            lines.append(f"{len(self.sent)} sent, {len(self.removed)} removed, {self.unchanged} as they were")
        else:
            lines.append("nothing has changed: no commit was made")
        lines.append(f"{redacted(self.url)} {self.tag or ''}".rstrip())
        return "\n".join(lines)


def push(
    folder: str | Path,
    name: str,
    *,
    private: bool = False,
    revision: str | None = None,
    create_pr: bool = False,
    token: str | None = None,
    dry_run: bool = False,
    replace: Collection[str] = (),
) -> Push:
    """Publish what `warp-ir build` wrote as the dataset `name` ("user/name"), which is made if it is new.

    `revision` is another branch than main, made if it is new. A push to main tags its commit with the
    version of the build. `replace` names what may be lost: a "card" that was edited on the Hub, "configs"
    that the folder does not have, what the "tag" of this version points at.
    Raises `UserError` for what the user can mend, `HubError` when the Hub does not answer for minutes.
    """
    check_words(name, replace, revision, token)
    release = read(Path(folder), name)
    token = token or get_token()
    if not token:
        raise UserError("no token: set HF_TOKEN, or run `hf auth login`")
    _check_token(token)
    api = HfApi(token=token, library_name="warp-ir-dataset")
    place = Branch(api, name, revision or MAIN, private, create_pr, dry_run)
    with _explaining(place), impatiently(dry_run):
        try:
            return _published(place, release, frozenset(replace))
        except HubError as error:
            if not dry_run:
                raise
            raise HubError(_in_vain(error, release)) from error


def _in_vain(error: HubError, release: Release) -> str:
    size = sum(item.size for item in release.files.values()) / 1e6
    return (
        f"{error}, so it is not known what is there: of {len(release.files)} files, {size:,.1f} MB, a push "
        "sends those that are not"
    )


def check_words(
    name: str, replace: Collection[str] = (), revision: str | None = None, token: str | None = None
) -> None:
    """Raise `UserError` for words that no Hub would take, before anything is read or sent."""
    part = r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9_])?"
    if (
        not isinstance(name, str)
        or not re.fullmatch(rf"{part}/{part}", name, re.ASCII)
        or re.search(r"--|\.\.|\.git$", name)
        or len(name) > 96
    ):
        raise UserError(
            f"{name!r} cannot be the name of a dataset: it must look like user/name, with letters, digits,"
            " '-', '_' and '.', no '--' or '..', and at most 96 characters"
        )
    if unknown := set(replace) - set(REPLACEABLE):
        raise UserError(f"cannot replace {sorted(unknown)}: choose from {', '.join(REPLACEABLE)}")
    if revision is not None and not _is_branch(revision):
        raise UserError(f"{revision!r} cannot be the name of a branch: choose one such as {MAIN}")
    if token is not None:
        _check_token(token)


def _is_branch(revision: object) -> bool:
    return (
        isinstance(revision, str)
        and re.fullmatch(r"[A-Za-z0-9_][\w./-]{0,200}", revision, re.ASCII) is not None
        and not re.search(r"\.\.|//|/\.|\./|[./]$|\.lock$", revision)
    )


def asked_token() -> str | None:
    """A token that is typed in, where none is known and somebody is there to type it: on a command line, all
    users of a machine would see it."""
    if get_token() or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return getpass("Token of the Hugging Face Hub (https://huggingface.co/settings/tokens): ").strip() or None


def _check_token(token: object) -> None:
    """A token goes into the header of a request. The message does not quote it."""
    if not isinstance(token, str) or not re.fullmatch(r"[!-~]+", token):
        raise UserError(
            "this cannot be a token: it must be plain letters, digits and signs, with no space or line break "
            "(see https://huggingface.co/settings/tokens)"
        )


def _published(place: Branch, release: Release, replace: frozenset[str]) -> Push:
    """Look, compare, send, commit; and from the start again if that did not go through."""
    made: dict[str, CommitOperationAdd] = {}
    for pause in (*PAUSES, None):
        head = place.look()
        done = _compared(place, head, release)
        _refuse_losses(place, head, release, replace)
        if done.dry_run or not done.changes:
            break
        if place.create_pr and (pull := place.proposed(release)):
            return dataclasses.replace(done, pull_request=pull)
        for path in done.sent:
            made.setdefault(path, CommitOperationAdd(path, release.files[path].source))
        try:
            commit = place.commit(head, [made[path] for path in done.sent], done.removed, release)
            done = dataclasses.replace(done, commit=commit.oid, pull_request=commit.pr_url)
            break
        except TROUBLE as error:
            # It may have come through all the same: looking again tells.
            rest(error, pause)
    if done.tag and not done.dry_run:
        _mark(place, release, done.commit or head.oid, replace)
    return done


def _compared(place: Branch, head: Head, release: Release) -> Push:
    sent = head.missing(release)
    return Push(
        place.url,
        release.tag if place.tags else None,
        sent,
        head.left_over(release),
        len(release.files) - len(sent),
        dry_run=place.dry_run,
    )


def _refuse_losses(place: Branch, head: Head, release: Release, replace: frozenset[str]) -> None:
    """Raise `UserError` if the push would undo what somebody else may want to keep."""
    if not head.oid:
        return
    if place.private and not head.private:
        raise UserError(f"{place.name} is public: make it private on the Hub, or choose another name")
    replaced = CARD in head.files and CARD in head.missing(release)
    if replaced and "card" not in replace and not is_untouched(place.read(CARD, head)):
        raise UserError(
            f"the card of {place.name} was edited on the Hub and would be replaced: take what you want to"
            f" keep from {place.url}/blob/{head.oid}/{CARD}, then give --replace card"
        )
    gone = {config_of(path) for path in filter(is_shard, head.left_over(release))}
    gone -= {config_of(path) for path in filter(is_shard, release.files)}
    if gone and "configs" not in replace:
        raise UserError(
            f"{place.name} has rows of {', '.join(sorted(gone))}, which would be removed: build them too, or"
            " give --replace configs"
        )
    if place.tags:
        _refuse_tag(place, release, place.tagged(release.tag), replace)


def _refuse_tag(place: Branch, release: Release, tagged: Head | None, replace: frozenset[str]) -> None:
    if tagged and not tagged.holds_rows_of(release) and "tag" not in replace:
        raise UserError(
            f"{release.tag} of {place.name} is published with other rows: build with another"
            " --dataset-version, or give --replace tag"
        )


def _mark(place: Branch, release: Release, commit: str, replace: frozenset[str]) -> None:
    """Give a commit the tag of its version, unless that marks these rows already."""
    for pause in (*PAUSES, None):
        tagged = place.tagged(release.tag)
        _refuse_tag(place, release, tagged, replace)
        if tagged and tagged.holds_rows_of(release):
            return
        try:
            return place.tag(release.tag, commit, move=tagged is not None)
        except TROUBLE as error:
            rest(error, pause)


@contextmanager
def _explaining(place: Branch) -> Iterator[None]:
    """Turn what the Hub refuses into one line that says what is wrong."""
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise UserError("HF_HUB_OFFLINE is set: nothing can be sent") from error
    except TROUBLE as error:
        cause = cause_of(error)
        if isinstance(cause, FileMetadataError):
            raise HubError(
                f"what answers for the Hub, perhaps a proxy, leaves headers out: {cause}"
            ) from error
        if not isinstance(cause, HfHubHTTPError):
            raise
        raise UserError(_explanation(cause, place)) from error


def _explanation(error: HfHubHTTPError, place: Branch) -> str:
    status = error.response.status_code
    said = " ".join((error.server_message or str(error)).split())
    if isinstance(error, RevisionNotFoundError):
        return f"{place.name} has no branch {place.branch!r}"
    if isinstance(error, RepositoryNotFoundError):
        return f"there is no dataset {place.name}, or this token may not see it"
    if status == 401:
        return f"the Hub does not accept this token ({said}): see https://huggingface.co/settings/tokens"
    if status == 403:
        return f"this token may not write to {place.name} ({said})"
    return f"the Hub refuses this push with status {status}: {said}"
