"""Rows on a device: their sources are compiled for it by Warp, launched there on their own examples, forward
and backward, and held against what the examples say.

The launches are made by a process of their own, this module as a program: a fault on a device spoils the
process that met it, and compute-sanitizer, where it is installed, wants to be its parent.
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow.parquet as pq

from ...builds.check.folder import check
from ...common.configs import CONFIGS
from ...common.errors import UserError
from ...common.files import inside
from ...common.outcomes import Row
from ...compilers import warp
from ...compilers.device import Immovable, device_name, devices, launch_on
from ...language.program import Signature
from ...language.python.read import Unreadable, read
from ...proof.cases import rehearse
from ...proof.memory import Frame
from ...proof.orders import may_follow, together
from ...proof.subject import Arrays
from ...proof.told import arrays_of, examples_of, signature_of
from ...proof.verify import ADJOINT_TOLERANCE, MEANING_TOLERANCE, Unordered, compare
from .part import configs_of

HOST = "cpu"  # Warp's own device
SANITIZER = "compute-sanitizer"
NO_DEVICE = "there is no CUDA device here, or no driver for it: --gpu runs rows on one"
_numbers = itertools.count()  # of modules: Warp unloads one when another of its name is loaded
_SANITIZED = 20  # rows of a config: it takes many times as long


@dataclass(frozen=True)
class Ran:
    """A row on a device. Errors are the largest relative ones over its examples; None where nothing was
    compared. `wrong` says what is wrong with it, `left_out` why it was not run."""

    config: str
    id: str
    family: str
    forward: float | None = None
    backward: float | None = None
    wrong: str | None = None
    left_out: str | None = None


@dataclass(frozen=True)
class OnDevice:
    """All rows that were asked for, and what compute-sanitizer says of some of them, if it ran."""

    device: str
    rows: tuple[Ran, ...]
    sanitizer: str | None

    @property
    def ok(self) -> bool:
        """Whether rows were run, all with the results that their examples say, and none touched memory that
        is not its own."""
        ran = [row for row in self.rows if row.left_out is None]
        return bool(ran) and not any(row.wrong for row in ran) and self.sanitizer in (None, "no errors")

    def as_json(self) -> dict[str, Any]:
        return {"ok": self.ok, **asdict(self)}

    def __str__(self) -> str:
        heads = f"{'forward':>10}{'backward':>10}{'wrong':>7}{'left out':>10}"
        lines = [f"on {self.device}", f"{'config':<15}{'family':<21}{'rows':>6}{heads}"]
        for config, family in dict.fromkeys((row.config, row.family) for row in self.rows):
            rows = [row for row in self.rows if (row.config, row.family) == (config, family)]
            left_out = sum(row.left_out is not None for row in rows)
            wrong = sum(row.wrong is not None for row in rows)
            errors = "".join(
                f"{_largest(getattr(r, way) for r in rows):>10}" for way in ("forward", "backward")
            )
            counts = f"{wrong:>7}{left_out:>10}"
            lines.append(f"{config:<15}{family:<21}{len(rows) - left_out:>6}{errors}{counts}")
        lines += [f"{row.config}: {row.id}: {row.wrong}" for row in self.rows if row.wrong][:10]
        lines.append(f"{SANITIZER}: {self.sanitizer or 'not run'}")
        return "\n".join(lines)


def _largest(errors: Any) -> str:
    known = [error for error in errors if error is not None]
    return f"{max(known):.0e}" if known else "-"


def on_device(
    folder: Path, *, configs: Sequence[str], sample: int | None = None, device: str | None = None
) -> OnDevice:
    """Run rows of a built folder on a device, the first CUDA device if none is named (``cpu`` is Warp's own).

    `configs` are all of the folder's if there are none. Raises `UserError` for a folder that is none, for a
    config that is not in it, and where there is no device.
    """
    manifest, _ = check(folder, finished=True)
    configs = configs_of(manifest, configs or None)
    words = [str(folder), device or "", "" if sample is None else str(sample), *configs]
    done = _program(words)
    if done.returncode == 2:
        raise UserError(done.stderr.strip().splitlines()[-1])
    rows, name = _told(done.stdout)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        rows += (Ran("", "", "", wrong=f"the process ended with {done.returncode}: {last}"),)
    return OnDevice(name, rows, _sanitized(words))


def _program(words: Sequence[str], before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*before, sys.executable, "-m", __name__, *words], capture_output=True, text=True)


def _told(text: str) -> tuple[tuple[Ran, ...], str]:
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return tuple(Ran(**line) for line in lines if "device" not in line), next(
        (line["device"] for line in lines if "device" in line), "a device that said nothing"
    )


def _sanitized(words: Sequence[str]) -> str | None:
    """What compute-sanitizer says of accesses to memory; None where it is not installed, and for Warp's own
    device, where it would wait in vain for CUDA to be called."""
    folder, device, sample, *configs = words
    program = shutil.which(SANITIZER)
    if program is None or device == HOST:
        return None
    fewer = str(min(_SANITIZED, int(sample or _SANITIZED)))
    done = _program(
        [folder, device, fewer, *configs], [program, "--tool", "memcheck", "--error-exitcode", "86"]
    )
    if done.returncode == 0:
        return "no errors"
    told = [line for line in done.stdout.splitlines() if line.startswith("=========")]
    return f"errors ({told[1].strip('= ') if len(told) > 1 else done.returncode})"


# ---- the program


def main(words: Sequence[str]) -> int:
    """Run rows, and tell a line of JSON for each."""
    folder, device, sample, *configs = words
    if not device and not devices():
        print(NO_DEVICE, file=sys.stderr)
        return 2
    warp.start()
    known = (HOST, *(("cuda", *devices()) if devices() else ()))
    if device and device not in known:
        print(f"there is no device {device!a}: choose from {', '.join(known)}", file=sys.stderr)
        return 2
    device = device or devices()[0]
    print(json.dumps({"device": device_name(device)}), flush=True)
    manifest = json.loads((Path(folder) / "manifest.json").read_text(encoding="utf-8"))
    for config in configs:
        files = manifest["configs"][config]["files"]
        rows = [
            row
            for name in files
            for row in pq.read_table(inside(Path(folder), name), partitioning=None).to_pylist()
        ]
        rows.sort(key=lambda row: row["id"])
        for row in rows[: int(sample)] if sample else rows:
            print(json.dumps(asdict(ran_on(device, row, config))), flush=True)
    return 0


def ran_on(device: str, row: Row, config: str) -> Ran:
    """A row on a device."""
    known = Ran(config, row["id"], row["category"])
    try:
        signature = signature_of(row)
        return _ran(known, device, row, signature, CONFIGS[config].adjoint)
    except (Immovable, Unreadable) as error:
        return Ran(config, row["id"], row["category"], left_out=str(error))
    except Exception as error:  # Warp and drivers raise anything
        return Ran(
            config, row["id"], row["category"], wrong=" ".join(str(error).split())[:200] or repr(error)
        )


def _ran(known: Ran, device: str, row: Row, signature: Signature, adjoint: bool) -> Ran:
    source = row["python_source"]
    layout = warp.translate(source, signature.name, backward=False, cuda=False)
    kernel = warp.define(source, signature.name, f"row_{next(_numbers)}")
    frame = Frame(signature, layout.arguments, layout.tid_dims)
    leaves = may_follow(signature, None)
    unordered = {name: leaves[name] for name in row["checks"]["unordered"] or ()}
    arrays = partial(arrays_of, signature)
    examples = examples_of(row)
    groups = _together(source, signature, unordered, [arrays(each["inputs"]) for each in examples])
    forward, backward = 0.0, None
    for example in examples:
        seeds = arrays(example["output_gradients"]) if adjoint else None
        frame.load(arrays(example["inputs"]))
        frame.reset()
        frame.seed(seeds or {})
        gradients = frame.given_gradients() if adjoint else None
        launch_on(device, kernel, signature.launch_dim, frame.given(), gradients)
        forward = max(forward, _error(frame.work, arrays(example["outputs"]), unordered, groups))
        if adjoint:
            backward = max(backward or 0.0, _error(frame.gradients, arrays(example["input_gradients"])))
    wrong = [
        f"{what} is off by {error:.1e}"
        for what, error, allowed in (
            ("forward", forward, MEANING_TOLERANCE),
            ("backward", backward or 0.0, ADJOINT_TOLERANCE),
        )
        if not error <= allowed
    ]
    return Ran(known.config, known.id, known.family, forward, backward, "; ".join(wrong) or None)


def _together(
    source: str, signature: Signature, unordered: Unordered, inputs: Sequence[Arrays]
) -> tuple[frozenset[str], ...]:
    """Which unordered outputs the proof compared as one; none of a kernel that has no tree."""
    if len(unordered) < 2:
        return ()
    try:
        program = read(source, signature)
    except Unreadable:
        return ()
    return together(program, unordered, inputs, rehearse(program, inputs).meaning)


def _error(
    found: Arrays,
    expected: Arrays,
    unordered: Unordered = MappingProxyType({}),
    groups: Sequence[frozenset[str]] = (),
) -> float:
    """The largest relative error of any array, compared as in the proof; infinity for whole numbers that
    differ, for what is no number, and where there is nothing to compare."""
    if not expected:
        return math.inf
    error = compare({name: found[name] for name in expected}, expected, unordered, groups).error
    return math.inf if math.isnan(error) else error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
