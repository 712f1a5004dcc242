"""The versions of the generator, the judge and the dataset, and of the Warp that this package supports.

Says which Warp that is without importing it, so that any door can ask first.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .errors import UserError

PACKAGE = Path(__file__).parents[1]
# What decides the rows of a build, of this package.
MAKING = ("builds", "common", "compilers", "language", "proof", "synthesis")

# Bumped whenever the same address may give other bytes than before.
GENERATOR_VERSION = "1.33.0"

# Bumped whenever the same answer to the same row may get another verdict: verdicts on disk are of one.
JUDGE_VERSION = "1.21.0"

# The version of this package (pyproject.toml reads it here), and of the data set that it builds unless it is
# given another: one number. `dataset_card/changelog.md` says what makes a new one; a push tags it, with a v
# in front.
__version__ = "1.36.0"
DATASET_VERSION = __version__

# What code Warp generates depends on its minor version, so prompts name it too.
WARP_MINOR = "1.19"


@cache
def source(folders: tuple[str, ...] = MAKING) -> str:
    """The generator's version, and a digest of its source: a checkout may change within a version."""
    import hashlib

    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((PACKAGE / folder).rglob("*.*")):
            if path.suffix in (".py", ".txt", ".json"):
                digest.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode() + path.read_bytes())
    return f"{GENERATOR_VERSION} {digest.hexdigest()[:16]}"


def warp_version() -> str:
    """The installed Warp's version. Raises `UserError` where there is none, or one we do not work with."""
    from importlib.metadata import PackageNotFoundError, version  # 25 ms, which --help need not wait for

    try:
        installed = version("warp-lang")
    except PackageNotFoundError:
        raise UserError(f"warp-lang is not installed: pip install 'warp-lang=={WARP_MINOR}.*'") from None
    check_warp(installed)
    return installed


def check_warp(version: str) -> None:
    """Raise `UserError` unless `version` is a patch release of the minor version we know inside out."""
    if not version.startswith(f"{WARP_MINOR}."):
        raise UserError(
            f"warp-lang {version} is installed, but this package works with {WARP_MINOR}.x only: "
            f"pip install 'warp-lang=={WARP_MINOR}.*'"
        )
