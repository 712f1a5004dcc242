"""What somebody may do to a build who then makes manifest and card fit, and the checks that must say so.

Files are those of builds of ten kernels: eight in train, one in each of the others.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from toys.anew import sealed
from warp_ir_dataset.builds.handwritten.passes.table import TWIN_PASSES
from warp_ir_dataset.builds.output.manifest import file_entry
from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.builds.shards import write_parquet
from warp_ir_dataset.common.outcomes import Row
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.identity import identify, kernel_group, purpose_group
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.told import signature_of
from warp_ir_dataset.synthesis.kinds import KINDS

Act = Callable[[Path], None]
Edit = Callable[[list[Row]], list[Row] | None]
OTHER = "0.0.1"  # a generator that this is not


@dataclass(frozen=True)
class Tampering:
    """`config` is the one that is tampered with, `failed` are the checks that find it."""

    config: str
    act: Act
    failed: frozenset[str]


TABLE: dict[str, Tampering] = {}


def add(name: str, failed: str, act: Act, config: str = "cpu") -> None:
    assert name not in TABLE
    TABLE[name] = Tampering(config, act, frozenset(failed.split()))


# ---- acts


def shard(config: str, split: str) -> str:
    return f"{config}/{split}-00000-of-00001.parquet"


def told(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


def tell(folder: Path, manifest: dict[str, Any]) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def stored(folder: Path, file: str) -> list[Row]:
    return pq.read_table(folder / file, partitioning=None).to_pylist()


def store(folder: Path, file: str, rows: list[Row]) -> None:
    """Rows in a file, and a manifest that says so."""
    config, split = file.split("/")[0], file.split("/")[1].split("-")[0]
    write_parquet(rows, schema(config), folder / file)
    manifest = told(folder)
    files = manifest["configs"][config]["files"]
    rejections = files[file]["rejections"]
    files[file] = {**file_entry((folder / file).read_bytes(), split, {}), "rejections": rejections}
    tell(folder, manifest)


def rows(edit: Edit, config: str = "cpu", split: str = "train") -> Act:
    """Other rows in a file."""

    def act(folder: Path) -> None:
        file = shard(config, split)
        found = stored(folder, file)
        store(folder, file, edit(found) or found)
        sealed(folder)

    return act


def manifest(edit: Callable[[dict[str, Any]], object]) -> Act:
    def act(folder: Path) -> None:
        found = told(folder)
        edit(found)
        tell(folder, found)
        sealed(folder)

    return act


def column(name: str, change: Callable[[Any], Any], at: int = 0) -> Edit:
    def edit(found: list[Row]) -> None:
        before = found[at][name]
        found[at][name] = change(before)
        assert found[at][name] != before

    return edit


def inside(name: str, **values: Any) -> Edit:
    """Other values in a struct."""
    return column(name, lambda struct: {**struct, **values})


def swapped(name: str) -> Edit:
    def edit(found: list[Row]) -> None:
        first, second = next(
            (one, other) for one in found for other in found if one["launch_dim"] != other["launch_dim"]
        )
        first[name], second[name] = second[name], first[name]

    return edit


def one_character(text: str) -> str:
    """One digit is another, in the middle of a text."""
    at = next(at for at in range(len(text) // 2, len(text)) if text[at].isdigit())
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


def other_outputs(examples: str) -> str:
    """Every output is larger by one."""
    found = json.loads(examples)
    for example in found:
        for name, value in example["outputs"].items():
            example["outputs"][name] = (np.array(value) + 1).tolist()
    return json.dumps(found, separators=(",", ":"))


def of_another_kind(found: list[Row]) -> list[Row]:
    """The first row without a purpose under the name of a kind that it is not."""
    row = next(row for row in found if row["purpose"] is None)
    program = read(row["python_source"])
    row["category"] = next(kind for kind, holds in KINDS.items() if not holds(program))
    return found


def foreign(*acts: Act) -> Act:
    """The build says throughout that another generator made it, and then something else is done."""

    def act(folder: Path) -> None:
        manifest(lambda found: found["versions"].update(generator=OTHER))(folder)
        for name in told(folder)["configs"]:
            for split in ("train", "validation", "test"):
                rows(lambda found: [{**row, "generator_version": OTHER} for row in found], name, split)(
                    folder
                )
        for each in acts:
            each(folder)

    return act


def moved(folder: Path) -> None:
    """A row of train is in test."""
    source, target = shard("cpu", "train"), shard("cpu", "test")
    first, *rest = stored(folder, source)
    store(folder, target, [*stored(folder, target), first])
    store(folder, source, rest)
    sealed(folder)


def truncated(folder: Path) -> None:
    os.truncate(folder / shard("cpu", "train"), 1000)


def extra_file(folder: Path) -> None:
    """More rows of train, which only the card's pattern speaks of."""
    (folder / "cpu/train-00001-of-00002.parquet").write_bytes((folder / shard("cpu", "train")).read_bytes())


def without_shard(folder: Path) -> None:
    (folder / shard("cpu", "test")).unlink()
    manifest(lambda found: found["configs"]["cpu"]["files"].pop(shard("cpu", "test")))(folder)


def card_text(old: str, new: str) -> Act:
    def act(folder: Path) -> None:
        path = folder / "README.md"
        before = path.read_text()
        assert old in before
        path.write_text(before.replace(old, new, 1))

    return act


def nearer(folder: Path) -> None:
    path = folder / "near_duplicates.json"
    found = json.loads(path.read_text())
    (id,) = found["cpu"]["test"]
    found["cpu"]["test"][id] = 0.125
    path.write_text(json.dumps(found, indent=1) + "\n")


def as_row(row: Row, program: ir.Program) -> Row:
    """The row with another program, where it tells which kernel it is."""
    found, source = identify(program), write(program)
    group = kernel_group(program) if row["purpose"] is None else purpose_group(row["purpose"])
    return {**row, "id": found.id, "skeleton": found.skeleton, "group": group, "python_source": source}


def respelled(row: Row) -> Iterator[Row]:
    """The same kernel in other spelling, with other skeletons."""
    program = read(row["python_source"], signature_of(row))
    for each in TWIN_PASSES.values():
        if (made := each(program, Rng("other"))) is not None:
            yield as_row(row, made)


def in_other_spelling(folder: Path) -> None:
    """Beside a row is its double, which has the same group."""
    file = shard("cpu", "train")
    found = stored(folder, file)
    doubles = (
        other
        for row in found
        for other in respelled(row)
        if other["skeleton"] != row["skeleton"] and other["group"] == row["group"]
    )
    store(folder, file, [*found, next(doubles)])
    sealed(folder)


def with_other_numbers(found: list[Row]) -> list[Row]:
    """A row is there again with one more digit in a number of its source."""
    for row in found:
        source = row["python_source"]
        for at in range(len(source)):
            if source[at] == "." and source[at + 1 : at + 2].isdigit():
                other = read(f"{source[: at + 1]}1{source[at + 1 :]}", signature_of(row))
                double = as_row(row, other)
                if double["skeleton"] == row["skeleton"] and double["id"] != row["id"]:
                    return [*found, double]
    raise AssertionError("no row has a number")


# ---- the table

add("one character of a completion", "compiled", rows(column("completion", one_character)))
add("one character of CUDA", "compiled", rows(column("completion", one_character, 3), "cuda"), "cuda")
add("one character of PTX", "compiled", rows(column("ptx", one_character), "cuda"), "cuda")
add("another architecture", "compiled", rows(column("arch", lambda _: "arm64")))
add("swapped completions", "compiled", rows(swapped("completion")))
add("swapped examples", "run", rows(swapped("examples")))
add("one digit of an example", "run", rows(column("examples", one_character)))
add("a proof that failed", "run", rows(inside("checks", numpy_matches=False)))
add("a larger error", "run", rows(inside("checks", numpy_error=1e-3)))
add("more cases", "run", rows(inside("checks", cases=99)))
add("more arms", "run", rows(inside("coverage", arms=99, arms_run=99)))
add("another description", "drawn", rows(column("description", lambda text: f"{text} Quickly.")))
add("another prompt", "drawn", rows(column("prompt", lambda text: f"Please. {text}")))
add("swapped specifications", "drawn", rows(swapped("specification")))
add("another task", "drawn", rows(column("task", lambda _: "Do it.")))
add(
    "other arguments",
    "drawn",
    rows(column("arguments", lambda all: [{**all[0], "trait": "sorted"}, *all[1:]])),
)
add("a comment in a source", "drawn", rows(column("python_source", lambda text: f"{text}# So.\n")))
add("one character of a source", "drawn identities", rows(column("python_source", one_character)))
add("another skeleton", "identities", rows(column("skeleton", lambda _: "0" * 16)))
add("another id", "identities", rows(column("id", lambda _: "0" * 16), split="test"))
add("another group", "identities", rows(column("group", lambda _: "0000000000000001")))
add("a row of another kind, of another version", "kinds", foreign(rows(of_another_kind)))
add("a row in another split", "splits plan", moved)
add("a row in another split, of another version", "splits", foreign(moved))
add("a row twice", "identities plan", rows(lambda found: [*found, found[0]]))
add("a row twice, of another version", "identities", foreign(rows(lambda found: [*found, found[0]])))
add("a row twice with other numbers", "twice plan", rows(with_other_numbers))
add("a row twice with other numbers, of another version", "twice", foreign(rows(with_other_numbers)))
add("a row in other spelling", "twice plan", in_other_spelling)
add("a file cut short", "files", truncated)
add("a file removed", "files", lambda folder: (folder / shard("cpu", "test")).unlink())
add(
    "another SHA-256",
    "files",
    manifest(lambda found: found["configs"]["cpu"]["files"][shard("cpu", "test")].update(sha256="0" * 64)),
)
add("a file more", "listed", extra_file)
add("a file removed, also from the manifest", "plan", without_shard)
add("rows in another order", "plan", rows(lambda found: found[::-1]))
add("a row less", "plan", rows(lambda found: found[1:]))
add("other draws", "plan", manifest(lambda found: found["configs"]["cpu"]["draws"].update(waves=1)))
add(
    "more rejections",
    "rejections",
    manifest(
        lambda found: found["configs"]["cpu"]["files"][shard("cpu", "train")].update(rejections={"crash": 1})
    ),
)
add("a stale card", "card", card_text("## Versions of the dataset", "## Version of the dataset"))
add("another similarity", "card", nearer)
add("no similarities", "card", lambda folder: (folder / "near_duplicates.json").unlink())
add("a row of another version", "made_by", rows(column("generator_version", lambda _: OTHER)))
add("swapped completions of another version", "compiled run", foreign(rows(swapped("completion"))))
add("other outputs of another version", "run", foreign(rows(column("examples", other_outputs))))
add("swapped examples of another version", "run", foreign(rows(swapped("examples"))))
