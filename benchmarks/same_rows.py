"""Whether two builds hold the same rows, byte for byte: what shows that a change moved code and nothing else.

    python benchmarks/same_rows.py OLD NEW              two folders that `warp-ir build` wrote
    python benchmarks/same_rows.py --commit HASH NEW    the default builds, as that commit makes them, and NEW
    python benchmarks/same_rows.py --commit HASH        the same, and as the working tree makes them

Ids and their order are compared first, then every column of the rows that both have. What the JSON in
`examples` holds (inputs, outputs, ...) is told apart, beside the text as a whole. ``--except COLUMN`` leaves
out one of these that is meant to change. Exit status 1 for any difference, 2 for wrong input.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from support.checkouts import WORKING_TREE, CheckoutError, checkout

CONFIGS = ("cpu", "cuda", "cuda_backward")
SPLITS = ("train", "validation", "test")
NESTED = "examples"
SHOWN = 3  # first differences of a column
WIDTH = 60  # characters of each side that are shown

Row = dict[str, Any]
Rows = dict[tuple[str, str], Row]  # by split and id, in order


class WrongInput(ValueError):
    """A folder that is no build; the message is one line."""


def read(folder: Path, config: str) -> Rows:
    """The rows of a config. Raises `WrongInput` where there are none."""
    rows: Rows = {}
    for split in SPLITS:
        for path in sorted((folder / config).glob(f"{split}-*.parquet")):
            for row in pq.read_table(path).to_pylist():
                key = (split, str(row.get("id")))
                if key in rows:
                    raise WrongInput(f"{path} holds {key[1]}, which {split} holds already")
                rows[key] = flat(row)
    if not rows:
        raise WrongInput(f"{folder} holds no rows of {config}")
    return rows


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the parts of its examples as columns, as text in which 1 and 1.0 are not the same."""
    cases = json.loads(row[NESTED]) if isinstance(row.get(NESTED), str) else []
    names = dict.fromkeys(name for case in cases for name in case)
    return row | {f"{NESTED}.{name}": json.dumps([case.get(name) for case in cases]) for name in names}


def compare(old: Rows, new: Rows, left_out: Collection[str]) -> Iterator[tuple[bool, str]]:
    """Lines about two configs, each with whether it tells of no difference."""
    common = [key for key in old if key in new]
    for side, rows, other in (("old", old, new), ("new", new, old)):
        alone = [key for key in rows if key not in other]
        if alone:
            yield False, f"{len(alone)} rows only in {side}: {', '.join('/'.join(k) for k in alone[:SHOWN])}"
    same_order = common == [key for key in new if key in old]
    yield same_order, f"{len(common)} rows in both, in {'one order' if same_order else 'ANOTHER ORDER'}"
    columns = dict.fromkeys(name for rows in (old, new) for row in rows.values() for name in row)
    for column in columns:
        if column not in left_out:
            yield column_line(column, [(key, old[key], new[key]) for key in common])


def column_line(column: str, pairs: list[tuple[tuple[str, str], Row, Row]]) -> tuple[bool, str]:
    differ = [
        (key, old, new)
        for key, old, new in pairs
        # A column that one side lacks is not a column of nothing; text tells -0.0 from 0.0, and nan is nan.
        if (column in old) != (column in new) or repr(old.get(column)) != repr(new.get(column))
    ]
    line = f"{column:<26} {len(pairs) - len(differ):>6} equal {len(differ):>6} different"
    for key, old, new in differ[:SHOWN]:
        line += f"\n    {'/'.join(key)}: {excerpt(old, new, column)}"
    return not differ, line


def excerpt(old: dict[str, Any], new: dict[str, Any], column: str) -> str:
    """Both values from where they part."""
    if column not in old or column not in new:
        return f"no such column in {'new' if column in old else 'old'}"
    first, second = repr(old[column]), repr(new[column])
    length = min(len(first), len(second))
    parting = next((n for n in range(length) if first[n] != second[n]), length)
    start = max(0, parting - WIDTH // 3)
    return f"{first[start : start + WIDTH]} | {second[start : start + WIDTH]} (character {parting})"


def build(commit: str, folder: Path) -> Path:
    """The default builds of all configs, by the project at `commit`."""
    project, out = checkout(commit, folder), folder / f"rows-{'new' if commit == WORKING_TREE else 'old'}"
    command = [str(project.root / "builder_script.py"), str(out), "--config", *CONFIGS]
    project.run(command, folder / f"scratch-{out.name}")
    return out


def report(old: Path, new: Path, configs: Collection[str], left_out: Collection[str]) -> bool:
    """Print a table; whether nothing differs."""
    same = True
    for config in configs:
        print(config)
        for equal, line in compare(read(old, config), read(new, config), left_out):
            print(f"  {line}")
            same &= equal
    print("the same rows" if same else "the rows DIFFER")
    return same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="OLD and NEW")
    parser.add_argument("--commit", metavar="HASH", help="build OLD as this commit does")
    parser.add_argument("--config", nargs="+", choices=CONFIGS, default=CONFIGS)
    parser.add_argument("--except", dest="left_out", action="append", default=[], metavar="COLUMN")
    options = parser.parse_args()
    given = (["OLD"] if not options.commit else []) + ["NEW"]
    try:
        if len(options.folders) > len(given) or (not options.commit and len(options.folders) < len(given)):
            raise WrongInput(f"give {' and '.join(given)}")
        with tempfile.TemporaryDirectory(prefix="warp-ir-same-rows-") as name:
            folders = list(options.folders)
            if options.commit:
                folders = folders or [build(WORKING_TREE, Path(name))]
                folders = [build(options.commit, Path(name)), *folders]
            old, new = folders
            same = report(old, new, options.config, set(options.left_out))
    except (CheckoutError, OSError, pa.ArrowException, WrongInput) as error:
        print(f"same_rows: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    raise SystemExit(not same)


if __name__ == "__main__":
    main()
