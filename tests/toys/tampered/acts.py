"""What somebody may do to a built folder. What returns an `Act` takes the folder later."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warp_ir_dataset.builds.output.manifest import file_entry
from warp_ir_dataset.builds.row import SCHEMA
from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.publishing.front_matter import front_matter

OUTSIDE = "outside"  # beside the folder
SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\n"
SHARD = "cuda/train-00000-of-00001.parquet"
OTHER = "cpu/test-00000-of-00001.parquet"

Act = Callable[[Path], None]


def read(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


def save(folder: Path, manifest: dict[str, Any]) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def said(**changes: Any) -> Act:
    """The manifest says something else at a place such as `parameters__seed`; None takes it out."""

    def act(folder: Path) -> None:
        manifest = read(folder)
        for place, value in changes.items():
            *above, last = place.split("__")
            inner = manifest
            for name in above:
                inner = inner[name]
            inner.pop(last) if value is None else inner.update({last: value})
        save(folder, manifest)

    return act


def entry(**changes: Any) -> Act:
    """The manifest says something else of a shard; None takes it out."""

    def act(folder: Path) -> None:
        manifest = read(folder)
        found = manifest["configs"]["cuda"]["files"][SHARD]
        for name, value in changes.items():
            found.pop(name) if value is None else found.update({name: value})
        save(folder, manifest)

    return act


def named(name: str) -> Act:
    """The manifest lists a shard under another name."""

    def act(folder: Path) -> None:
        manifest = read(folder)
        files = manifest["configs"]["cuda"]["files"]
        files[name] = files.pop(SHARD)
        save(folder, manifest)

    return act


def configured(name: str) -> Act:
    """The manifest has a config of another name, with the files of one that is there."""

    def act(folder: Path) -> None:
        manifest = read(folder)
        manifest["configs"][name] = manifest["configs"].pop("cuda")
        save(folder, manifest)

    return act


def text(old: str, new: str, file: str = "manifest.json") -> Act:
    def act(folder: Path) -> None:
        whole = (folder / file).read_text()
        assert old in whole
        (folder / file).write_text(whole.replace(old, new, 1))

    return act


def content(file: str, data: bytes) -> Act:
    return lambda folder: (folder / file).write_bytes(data) and None


def gone(folder: Path, file: str) -> None:
    path = folder / file
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def linked(file: str) -> Act:
    """A file or folder lies outside, and a link stands in its place; what it holds is as it should be."""

    def act(folder: Path) -> None:
        away = folder.parent / OUTSIDE / Path(file).name
        shutil.move(folder / file, away)
        (folder / file).symlink_to(away)

    return act


def folded(file: str) -> Act:
    def act(folder: Path) -> None:
        gone(folder, file)
        (folder / file).mkdir()

    return act


def piped(file: str) -> Act:
    def act(folder: Path) -> None:
        gone(folder, file)
        os.mkfifo(folder / file)

    return act


def rows(change: Callable[[pa.Table], pa.Table], file: str = SHARD) -> Act:
    """A shard holds other rows, and manifest and card say what somebody would make them say."""

    def act(folder: Path) -> None:
        pq.write_table(change(pq.read_table(folder / file, partitioning=None)), folder / file)
        relist(folder, file)

    return act


def relist(folder: Path, file: str) -> None:
    manifest = read(folder)
    config, split = file.split("/")[0], file.split("/")[1].split("-")[0]
    manifest["configs"][config]["files"][file] = file_entry((folder / file).read_bytes(), split, Counter())
    save(folder, manifest)
    entries = {name: found["files"].values() for name, found in manifest["configs"].items()}

    def sums(name: str, what: str) -> dict[str, int]:
        return {split: sum(e[what] for e in entries[name] if e["split"] == split) for split in SPLITS}

    head = front_matter(
        {name: f"{name}/{{split}}-*.parquet" for name in entries},
        {name: sums(name, "rows") for name in entries},
        {name: sums(name, "num_bytes") for name in entries},
        {name: sum(entry["bytes"] for entry in found) for name, found in entries.items()},
        manifest["version"],
    )
    body = (folder / "README.md").read_text().split("---\n", 2)[2]
    (folder / "README.md").write_text(head + body)


def column(name: str, change: Callable[[Any], Any], at: int = 0) -> Callable[[pa.Table], pa.Table]:
    """Change one value of a column."""

    def changed(table: pa.Table) -> pa.Table:
        found = table.to_pylist()
        found[at][name] = change(found[at][name])
        return pa.Table.from_pylist(found, schema=SCHEMA)

    return changed


def broken_text(table: pa.Table) -> pa.Table:
    """Bytes that are not UTF-8, in a column of text."""
    values = pa.array([b"\xff\xfe"] * len(table), pa.binary()).view(pa.string())
    return table.set_column(SCHEMA.get_field_index("prompt"), SCHEMA.field("prompt"), values)


def flipped(folder: Path) -> None:
    data = bytearray((folder / SHARD).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / SHARD).write_bytes(data)


def cut(folder: Path) -> None:
    """As `rows` would, but for the number of rows in the manifest."""
    before = read(folder)["configs"]["cuda"]["files"][SHARD]
    rows(lambda table: table.slice(0, 20))(folder)
    entry(rows=before["rows"])(folder)
    text("num_examples: 20", f"num_examples: {before['rows']}", "README.md")(folder)


def garbage(folder: Path) -> None:
    """No Parquet, though its size and its SHA-256 are those of the manifest."""
    found = file_entry((folder / SHARD).read_bytes(), "train", Counter())
    (folder / SHARD).write_bytes(b"PAR1" + bytes(found["bytes"] - 8) + b"PAR1")
    entry(sha256=hashlib.sha256((folder / SHARD).read_bytes()).hexdigest())(folder)


def odd_plot(folder: Path) -> None:
    shutil.copy(folder / "plots" / "lengths.png", folder / "plots" / "two\nlines.png")


def longer(folder: Path) -> None:
    """A plot, and something else behind it."""
    with (folder / "plots" / "lengths.png").open("ab") as file:
        file.write(SECRET.encode())


def plots_file(folder: Path) -> None:
    gone(folder, "plots")
    (folder / "plots").write_text("x")
