"""Checks the files beside the rows of a build: its card, the similarities of held-out rows, and plots."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ...common.configs import SPLITS
from ..output.manifest import PLOTS
from .rows import ID
from .shape import Misshapen, holds_rows, parse_json

PICTURE = re.compile(rf"{re.escape(PLOTS)}/[a-z0-9_]+\.png")
LARGEST = 1 << 29  # bytes of a file: those of ten million rows are smaller
LARGEST_HEAD = 1 << 16  # characters of YAML: a second or two to read

_HEAD = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_PNG = b"\x89PNG\r\n\x1a\n"


class _Plain(yaml.SafeLoader):
    """YAML without aliases, of which a few lines may stand for more than any memory holds."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise Misshapen("its YAML has an alias")
        return super().compose_node(parent, index)


def check_card(path: Path, manifest: Mapping[str, Any]) -> None:
    """Hold the YAML of a card against a manifest: what `datasets` reads there is in these files, so many rows
    and bytes, and in no others. Raises `Misshapen`, and `OSError`."""
    try:
        text = _small(path).decode("utf-8")
        head = _HEAD.match(text)
        if head and len(head[1]) > LARGEST_HEAD:
            raise Misshapen("its YAML is too long to be read")
        said = yaml.load(head[1], _Plain) if head else None
        told = {name: said[name] for name in ("configs", "dataset_info")} if said else {}
        found = _told(told)
    except Misshapen:
        raise
    except UnicodeDecodeError:
        raise Misshapen("it is not UTF-8 text") from None
    except RecursionError:
        raise Misshapen("its YAML is nested too deeply") from None
    except (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        line = " ".join(str(error).split())[:100]
        raise Misshapen(f"its YAML cannot be read ({line})") from None
    if found != _held(manifest):
        raise Misshapen("its YAML is not that of the manifest")


def _told(said: Mapping[str, Any]) -> Any:
    """Files, rows and bytes of each split, per config, as a card has them."""
    files = [
        (config["config_name"], [(file["split"], file["path"]) for file in config["data_files"]])
        for config in said.get("configs", [])
    ]
    sizes = [
        (
            info["config_name"],
            [(split["name"], split["num_examples"], split["num_bytes"]) for split in info["splits"]],
            info["download_size"],
        )
        for info in said.get("dataset_info", [])
    ]
    # Nothing else may say where data come from.
    strange = [
        sorted({*config} - {"config_name", "data_files", "default"}) for config in said.get("configs", [])
    ]
    return files, sizes, any(strange)


def _held(manifest: Mapping[str, Any]) -> Any:
    files, sizes = [], []
    for name, config in manifest["configs"].items():
        if not holds_rows(config):
            continue
        entries = config["files"].values()
        own = [(split, [entry for entry in entries if entry["split"] == split]) for split in SPLITS]
        sums = [
            (split, sum(entry["rows"] for entry in of), sum(entry["num_bytes"] for entry in of))
            for split, of in own
        ]
        filled = [(split, rows, memory) for split, rows, memory in sums if rows]
        files.append((name, [(split, f"{name}/{split}-*.parquet") for split, _, _ in filled]))
        sizes.append((name, filled, sum(entry["bytes"] for entry in entries)))
    return files, sizes, False


def check_near(path: Path, manifest: Mapping[str, Any]) -> None:
    """Config -> split -> id -> similarity from 0 to 1. Raises `Misshapen`, and `OSError`."""
    wrong = Misshapen("it does not say, for ids by config and split, how near they are")
    said = parse_json(_small(path))
    if not isinstance(said, dict) or not {*said} <= {*manifest["configs"]}:
        raise wrong
    for splits in said.values():
        if not isinstance(splits, dict) or not {*splits} <= {*SPLITS}:
            raise wrong
        for nearest in splits.values():
            if not isinstance(nearest, dict) or not all(map(_is_nearness, nearest.items())):
                raise wrong


def _is_nearness(item: tuple[str, Any]) -> bool:
    id, near = item
    return ID.fullmatch(id) is not None and type(near) in (int, float) and 0 <= near <= 1


def check_picture(path: Path) -> None:
    """A PNG from its first byte to its last. Raises `Misshapen`, and `OSError`."""
    content = _small(path)
    at, kind = len(_PNG), b""
    while content.startswith(_PNG) and at + 12 <= len(content) and kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", content, at)
        (found,) = struct.unpack(">I", content[at + 8 + length : at + 12 + length].rjust(4, b"\0"))
        if zlib.crc32(content[at + 4 : at + 8 + length]) != found:
            break
        at += 12 + length
    if kind != b"IEND" or at != len(content):
        raise Misshapen("it is not a PNG")


def _small(path: Path) -> bytes:
    if path.stat().st_size > LARGEST:
        raise Misshapen("it is too large to be read")
    return path.read_bytes()
