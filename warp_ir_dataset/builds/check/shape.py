"""Checks the structure of a manifest before any other code reads it.

A manifest may come from anybody, and its words end up in paths, in a card and in a command to be typed: so
every name and number of it is held against what a build writes, and whatever else it says is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeGuard

from ...common.configs import CONFIGS, SPLITS
from ...common.given import shown
from ..request import ARCH, MAX_SEED, is_span

# Numbers beyond this are not exact in every reader of JSON.
LARGEST = 2**53

SHARD = re.compile(r"([a-z_]+)/([a-z]+)-([0-9]{5})-of-([0-9]{5})\.parquet")
VERSION = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}")

_SHA256 = re.compile(r"[0-9a-f]{64}")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_PLAIN = re.compile(r"[\w .,:;=+/()-]{0,200}", re.ASCII)

_TOP = ("version", "parameters", "versions", "configs")
_ENTRY = ("split", "rows", "bytes", "num_bytes", "sha256", "rejections")
_COUNTS = ("draws", "duplicates", "barred")
# What a card quotes wherever it tells how to build the dataset again.
_QUOTED = ("generator", "warp-lang", "pyarrow")


class Misshapen(ValueError):
    """The message says what is wrong, without the name of the file."""


def parse_json(text: bytes) -> Any:
    """JSON as every reader would read it: UTF-8, no name twice in an object, no infinity, no NaN.

    Raises `Misshapen`.
    """
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except Misshapen:
        raise
    except UnicodeDecodeError:
        raise Misshapen("it is not UTF-8 text") from None
    except RecursionError:
        raise Misshapen("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Misshapen(f"it is not JSON (line {error.lineno}: {error.msg})") from None
    except ValueError:  # Python's own limit
        raise Misshapen("it holds a number of too many digits") from None


def parse_manifest(text: bytes) -> dict[str, Any]:
    """What a manifest's file says. A manifest without rows may leave out the rest. Raises `Misshapen`."""
    manifest = parse_json(text)
    if not isinstance(manifest, dict):
        raise Misshapen("it is not a JSON object")
    configs = _mapping(manifest.get("configs"), "configs")
    for name, config in configs.items():
        _config(name, config)
    if has_rows(manifest):
        _keys(manifest, _TOP, (), "the manifest")
        _matches(manifest["version"], VERSION, "version")
        _parameters(_mapping(manifest["parameters"], "parameters"))
        _versions(_mapping(manifest["versions"], "versions"), bool(manifest["parameters"]))
    return manifest


def has_rows(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest of the right shape lists any row."""
    return any(map(holds_rows, manifest["configs"].values()))


def holds_rows(config: Mapping[str, Any]) -> bool:
    """The same for one config of it: a build that was stopped may have begun one and not got far."""
    return any(entry["rows"] for entry in config["files"].values())


def unfinished(manifest: Mapping[str, Any]) -> list[str]:
    """The configs of a manifest of the right shape that were begun, and do not have all their rows yet. Of
    rows that were not built here nobody knows how many there should be."""
    asked = manifest["parameters"]
    return [
        name
        for name, config in manifest["configs"].items()
        if asked and holds_rows(config) and not _is_whole(name, config["files"], asked["num_kernels"])
    ]


def _is_whole(name: str, files: Mapping[str, Mapping[str, Any]], rows: int) -> bool:
    counts = {match[2]: int(match[4]) for match in map(SHARD.fullmatch, files) if match}
    if CONFIGS[name].drawn and sum(entry["rows"] for entry in files.values()) != rows:
        return False
    return sum(counts.values()) == len(files)


def _whole(value: object, low: int = 0, high: int = LARGEST) -> TypeGuard[int]:
    """Whether a value is a whole number of a range, which True and 1.0 are not."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


# ---- parts


def _config(name: str, config: object) -> None:
    if name not in CONFIGS:
        raise Misshapen(f"unknown config {shown(name)}")
    config = _mapping(config, name)
    _keys(config, ("files",), _COUNTS, name)
    for count in _COUNTS:
        _counts(config.get(count, {}), f"{count} of {name}")
    counts: dict[str, str] = {}
    for file, entry in _mapping(config["files"], f"files of {name}").items():
        match = SHARD.fullmatch(file)
        if not match or match[1] != name or match[2] not in SPLITS or not int(match[3]) < int(match[4]):
            example = f"{name}/{SPLITS[0]}-00000-of-00001.parquet"
            raise Misshapen(f"{shown(file)} is not the name of a file such as {example}")
        check_entry(file, match[2], entry)
        if counts.setdefault(match[2], match[4]) != match[4]:
            raise Misshapen(f"{file} and others say different numbers of files")


def check_entry(file: str, split: str, entry: object) -> None:
    """Hold what a manifest says of a file against what it may say. Raises `Misshapen`."""
    entry = _mapping(entry, file)
    _keys(entry, _ENTRY, (), file)
    if entry["split"] not in SPLITS or entry["split"] != split:
        raise Misshapen(f"split of {file} is {shown(entry['split'])}")
    for number in ("rows", "bytes", "num_bytes"):
        if not _whole(entry[number]):
            raise Misshapen(f"{number} of {file} is {shown(entry[number])}, not a whole number")
    _matches(entry["sha256"], _SHA256, f"sha256 of {file}")
    _counts(entry["rejections"], f"rejections of {file}")


def _parameters(asked: Mapping[str, Any]) -> None:
    """Empty for rows that were not built here. Whether they could be built is `Request`'s to say: a folder
    of another version may have families that this one does not know."""
    if not asked:
        return
    checks: dict[str, Callable[[Any], bool]] = {
        "num_kernels": lambda value: _whole(value, 1),
        "seed": lambda value: _whole(value, 0, MAX_SEED),
        "arch": lambda value: _is(value, ARCH),
        "categories": lambda value: _words(value) and len(set(value)) == len(value) > 0,
        "difficulty": is_span,
        "skip_faults": lambda value: isinstance(value, bool),
    }
    _keys(asked, tuple(checks), (), "parameters")
    for name, holds in checks.items():
        if not holds(asked[name]):
            raise Misshapen(f"{name} of parameters is {shown(asked[name])}")


def _versions(versions: Mapping[str, Any], built: bool) -> None:
    for name, version in versions.items():
        _matches(name, _NAME, "a name in versions")
        _matches(version, _PLAIN, f"{name} of versions")
    if built and (missing := set(_QUOTED) - set(versions)):
        raise Misshapen(f"versions has no {min(missing)!r}")


# ---- pieces


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Misshapen(f"{shown(name)} stands there twice")
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise Misshapen(f"{name} is not a number")


def _mapping(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misshapen(f"{what} is {shown(value)}, not an object")
    return value


def _keys(value: Mapping[str, Any], needed: tuple[str, ...], optional: tuple[str, ...], what: str) -> None:
    if missing := [name for name in needed if name not in value]:
        raise Misshapen(f"{what} has no {missing[0]!r}")
    if unknown := [name for name in value if name not in (*needed, *optional)]:
        raise Misshapen(f"{what} has an unknown {shown(unknown[0])}")


def _counts(value: object, what: str) -> None:
    for name, count in _mapping(value, what).items():
        _matches(name, _WORD, f"a name in {what}")
        if not _whole(count):
            raise Misshapen(f"{name} in {what} is {shown(count)}, not a whole number")


def _matches(value: object, pattern: re.Pattern[str], what: str) -> None:
    if not _is(value, pattern):
        raise Misshapen(f"{what} is {shown(value)}")


def _is(value: object, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _words(value: object) -> bool:
    return isinstance(value, list) and all(_is(word, _WORD) for word in value)
