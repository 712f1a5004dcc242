"""Checks a folder as a whole: its files, card and plots, and the versions that made it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...builds.check.folder import check
from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...publishing.card import texts_beside
from .finding import Finding, judged, unproved
from .part import Build

FILES, LISTED, VERSIONS, CARD_CHECK = "files", "listed", "versions", "card"


def files(folder: Path, manifest: dict[str, Any]) -> Finding:
    """Every file is what the manifest says, and of the shape of a build: size, SHA-256, columns, values; and
    what lies beside the rows has its form."""
    entries = [entry for config in manifest["configs"].values() for entry in config["files"]]
    try:
        check(folder, finished=True)
    except UserError as error:
        return judged(FILES, None, len(entries), "files", [str(error)])
    return judged(FILES, None, len(entries), "files", [])


def listed(folder: Path, manifest: dict[str, Any]) -> Finding:
    """No other file lies where `load_dataset` looks for rows: what is not in the manifest would be loaded."""
    known = {name for config in manifest["configs"].values() for name in config["files"]}
    found = sorted(
        path.relative_to(folder).as_posix() for name in CONFIGS for path in (folder / name).glob("*.parquet")
    )
    strange = [f"{name} is not in the manifest" for name in found if name not in known]
    return judged(LISTED, None, len(found), "files", strange)


def versions(build: Build) -> Finding:
    """The build is of this package and of these compilers, without which nothing can be drawn again."""
    made = build.manifest["versions"]
    if build.strange is not None:
        return unproved(VERSIONS, None, "versions", build.strange)
    return judged(VERSIONS, None, len(made), "versions", [])


def card(build: Build) -> Finding:
    """The card, and how near held-out rows are to train, measured anew, are what lies there."""
    if build.strange is not None:
        return unproved(CARD_CHECK, None, "texts", build.strange)
    texts = texts_beside(build.folder)
    wrong = []
    for name, text in texts.items():
        path = build.folder / name
        if not path.is_file():
            wrong.append(f"{name} is missing")
        elif (said := path.read_text(encoding="utf-8")) != text:
            wrong.append(f"{name} is not what these rows give: {_first_difference(said, text)}")
    return judged(CARD_CHECK, None, len(texts), "texts", wrong)


def _first_difference(said: str, text: str) -> str:
    pairs = zip([*said.split("\n"), ""], [*text.split("\n"), ""], strict=False)
    number, (one, other) = next((n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return f"line {number} says {one[:60]!a} instead of {other[:60]!a}"
