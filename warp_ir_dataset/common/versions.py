"""The Warp that this package works with. Says so without importing it, so that any door can ask first."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from .errors import UserError

WARP_MINOR = "1.19"


def warp_version() -> str:
    """The installed Warp's version. Raises `UserError` where there is none, or one we do not work with."""
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
