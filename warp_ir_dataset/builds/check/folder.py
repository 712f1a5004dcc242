"""Checks a built folder. Every command and function that reads one calls this check first.

A folder may come from anybody: by mail, from the Hub, off a disk that fails. Whatever is wrong with it is a
`UserError` that names the file and says what to do, before anything is written or sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.files import inside, readable, sha256
from ..handwritten.notice import notices
from ..output.manifest import CARD, MANIFEST, NEAR, PLOTS, pictures, read_manifest
from .beside import PICTURE, check_card, check_near, check_picture
from .rows import Damaged, check_file
from .shape import Misshapen, holds_rows

AGAIN = "run the same warp-ir build again"


def check(
    folder: Path, *, digest: Callable[[Path], str] = sha256, finished: bool = False
) -> tuple[dict[str, Any], str]:
    """Everything that a build has written to `folder`, held against its manifest, and the manifest against
    what a build writes. Returns the manifest and the SHA-256 of its file.

    Each shard is read once for its SHA-256, which `digest` gives, and once for its rows. With `finished` a
    card must be there too; without, a build that was stopped will do. Raises `UserError`.
    """
    manifest, manifest_digest = read_manifest(folder)
    check_places(folder)
    _check_beside(folder, manifest, finished)
    for config, listed in manifest["configs"].items():
        check_shards(folder, config, listed["files"], digest)
    return manifest, manifest_digest


def check_shards(
    folder: Path,
    config: str,
    files: Mapping[str, Mapping[str, Any]],
    digest: Callable[[Path], str] = sha256,
) -> None:
    """Hold shards of a config against their entries in the manifest. Raises `UserError`."""
    for name, entry in files.items():
        path = inside(folder, name)
        try:
            check_file(path, config, entry, digest)
        except Damaged as error:
            what = f"cannot read {path} ({error}): it is missing or damaged"
            raise UserError(f"{what}: {AGAIN}") from error


def check_places(folder: Path) -> None:
    """Raise `UserError` where one of the names that a build writes to is a link, or a file where a folder
    should be, or the other way round: what is written there would land elsewhere."""
    for name in (MANIFEST, CARD, NEAR):
        if inside(folder, name).is_dir():
            raise UserError(f"{folder / name} is a folder, not a file: remove it, and {AGAIN}")
    for name in (*CONFIGS, PLOTS):
        if inside(folder, name).is_file():
            raise UserError(f"{folder / name} is a file, not a folder: remove it, and {AGAIN}")


def check_output(folder: Path, out: Path) -> None:
    """Raise `UserError` where what is to be written inside a built folder would land outside, by a link."""
    if out != folder and out.is_relative_to(folder) and ".." not in out.parts:
        inside(folder, out.relative_to(folder).as_posix())


def _check_beside(folder: Path, manifest: dict[str, Any], finished: bool) -> None:
    unfinished = "the build is not finished"
    card = inside(folder, CARD)
    if finished and not card.exists():
        raise UserError(f"{card} is missing: {unfinished}: {AGAIN}")
    filled = [config for config, listed in manifest["configs"].items() if holds_rows(listed)]
    for name, said in notices(filled).items():
        notice = inside(folder, name)
        with readable(notice):
            same = notice.is_file() and notice.read_bytes() == said.encode()
        if card.exists() and not same:
            raise UserError(f"{notice} is not what a build wrote: {AGAIN}")
    try:
        with readable(card):
            if card.exists():
                check_card(card, manifest)
    except Misshapen as error:
        raise UserError(f"{card} is not the card of these rows: {error}: {unfinished}: {AGAIN}") from error
    for name in (NEAR, *pictures(folder)):
        if name != NEAR and not PICTURE.fullmatch(name):
            raise UserError(f"{name!a} in {folder} is not a plot of a build: remove it")
        path = inside(folder, name)
        try:
            with readable(path):
                if name == NEAR and path.exists():
                    check_near(path, manifest)
                elif name != NEAR:
                    check_picture(path)
        except Misshapen as error:
            raise UserError(f"{path} is not what a build wrote: {error}: {AGAIN}, or remove it") from error
