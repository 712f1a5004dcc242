"""Runs rows on a GPU with Warp, on their own examples, and compares the results with those in the examples.

Worker processes make the launches: most of the time goes into compiling, and a fault on a device spoils the
process that met it. compute-sanitizer, if it is installed, must be the parent of the process that it watches:
this module is run under it as a program, on fewer rows.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow.parquet as pq

from ...builds.check.folder import check
from ...builds.output.written import is_written_here
from ...common.configs import CONFIGS
from ...common.environment import NEUTRAL, passed_on
from ...common.errors import UserError
from ...common.files import inside, sha256
from ...common.outcomes import Rejected, Row
from ...compilers import warp
from ...compilers.device import Immovable, device_name, devices, launch_on, works
from ...language import ir
from ...language.python.read import Unreadable, read
from ...proof.cases import rehearse
from ...proof.memory import Frame
from ...proof.orders import may_follow, together
from ...proof.subject import Arrays
from ...proof.told import arrays_of, examples_of, signature_of
from ...proof.verify import MEANING_TOLERANCE, Unordered, compare
from ...workers.progress import Bar, Words
from ...workers.task import Task
from .part import Workshop, configs_of, sample_of

HOST = "cpu"  # Warp's own device
SANITIZER = "compute-sanitizer"
NO_DEVICE = "there is no CUDA device here, or no driver for it: --gpu runs rows on one"
NONE = 2  # what the program ends with where there is no such device
_COMMAND = (sys.executable, "-m", __name__)
_numbers = itertools.count()  # of modules: Warp unloads one when another of its name is loaded
_SANITIZED = 20  # rows of a config: it takes many times as long
_TASK = "warp_ir_dataset.evaluation.validation.on_device:launch_rows"
_BATCH = 8  # rows; a process that ends is told from its neighbours
_WORDS = Words("rows", "to launch", "were launched")
_CHECKED = "checked"  # what the program says of each row
_CHECKING = Words("rows", "to launch under memcheck", "were launched under memcheck")


@dataclass(frozen=True)
class Ran:
    """The result of a row on a device.

    Attributes:
        config: Config of the row.
        id: Id of the row.
        family: Family of the row.
        forward: The largest relative error of outputs over its examples; None if none was compared.
        backward: The same of gradients.
        ptx: The same of outputs and gradients with the row's own PTX.
        wrong: What is wrong with it, or None.
        left_out: Why it was not run, or None.
    """

    config: str
    id: str
    family: str
    forward: float | None = None
    backward: float | None = None
    ptx: float | None = None
    wrong: str | None = None
    left_out: str | None = None


@dataclass(frozen=True)
class OnDevice:
    """The result of running a folder's rows on a device.

    Attributes:
        device: What the device is called.
        rows: All rows that were asked for.
        sanitizer: What compute-sanitizer reports of some of them; None if it did not run.
    """

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
        ways = ("forward", "backward", "ptx")
        heads = "".join(f"{way:>10}" for way in ways) + f"{'wrong':>7}{'left out':>10}"
        lines = [f"on {self.device}", f"{'config':<15}{'family':<21}{'rows':>6}{heads}"]
        for config, family in dict.fromkeys((row.config, row.family) for row in self.rows):
            rows = [row for row in self.rows if (row.config, row.family) == (config, family)]
            left_out = sum(row.left_out is not None for row in rows)
            wrong = sum(row.wrong is not None for row in rows)
            errors = "".join(f"{_largest(getattr(row, way) for row in rows):>10}" for way in ways)
            counts = f"{wrong:>7}{left_out:>10}"
            lines.append(f"{config:<15}{family:<21}{len(rows) - left_out:>6}{errors}{counts}")
        lines += [f"{row.config}: {row.id}: {row.wrong}" for row in self.rows if row.wrong][:10]
        lines.append(f"{SANITIZER}: {self.sanitizer or 'not run'}")
        return "\n".join(lines)


def _largest(errors: Any) -> str:
    known = [error for error in errors if error is not None]
    return f"{max(known):.0e}" if known else "-"


def on_device(
    folder: Path,
    *,
    configs: Sequence[str],
    workshop: Workshop,
    sample: int | None = None,
    seed: int = 0,
    device: str | None = None,
    trust: bool = False,
    quiet: bool = False,
) -> OnDevice:
    """Run rows of a built folder on a device, the first CUDA device if none is named (``cpu`` is Warp's own);
    `workshop` has the processes.

    `configs` are all of the folder's if there are none. No sandbox is around a launch: without `trust`, this
    machine must have written the rows. Raises `UserError` for a folder that is none or that others wrote, for
    a config that is not in it, and where there is no device.
    """
    manifest, _ = check(folder, finished=True)
    configs = configs_of(manifest, configs or None)
    if not trust:
        _check_own(folder, manifest, configs)
    asked = _program([str(folder.absolute()), device or "", "", ""])
    if asked.returncode == NONE:
        raise UserError(asked.stderr.strip().splitlines()[-1])
    if asked.returncode:
        raise UserError(f"no device answers here: {_last(asked.stderr)}")
    device, name = json.loads(asked.stdout.splitlines()[-1])
    rows: list[Ran] = []
    counts: dict[str, int] = {}
    for config in configs:
        wanted = _rows(folder, manifest, config, sample, seed)
        counts[config] = len(wanted)
        with Bar(config, len(wanted), words=_WORDS, quiet=quiet) as bar:
            for ran in _launched(wanted, config, device, workshop):
                rows.append(ran)
                bar.seen(None, {})
    rows.sort(key=lambda ran: (configs.index(ran.config), ran.id))
    return OnDevice(name, tuple(rows), _sanitized(folder, device, counts, seed, quiet=quiet))


def _check_own(folder: Path, manifest: Mapping[str, Any], configs: Sequence[str]) -> None:
    """Raise `UserError` for rows that this machine did not write, by what is in their files."""
    files = (name for config in configs for name in manifest["configs"][config]["files"])
    strange = [name for name in files if not is_written_here(sha256(inside(folder, name)))]
    if strange:
        raise UserError(
            f"this machine did not write {folder / strange[0]}, and no sandbox can be around a launch on a "
            "device: add --trust (trust=True) if you trust whoever wrote it"
        )


def _rows(folder: Path, manifest: Mapping[str, Any], config: str, sample: int | None, seed: int) -> list[Row]:
    """Rows of a config by their ids, all or a sample."""
    files = [inside(folder, name) for name in manifest["configs"][config]["files"]]
    rows = [row for file in files for row in pq.read_table(file, partitioning=None).to_pylist()]
    if sample is not None:
        wanted = sample_of((row["id"] for row in rows), sample, seed)
        rows = [row for row in rows if row["id"] in wanted]
    return sorted(rows, key=lambda row: row["id"])


def _launched(rows: Sequence[Row], config: str, device: str, workshop: Workshop) -> Iterator[Ran]:
    batches = (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
    task = Task(_TASK, (config, device), of_others=True)
    for batch, outcomes in workshop(task, ((batch, batch) for batch in batches)):
        for row, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Rejected):
                yield Ran(config, row["id"], row["category"], wrong=outcome.detail)
            else:
                yield Ran(**outcome)


def launch_rows(
    rows: Sequence[Row], config: str, device: str, notify: Callable[[int], None]
) -> list[dict[str, Any]]:
    """What became of each row on a device: the function of a `Task`, which see."""
    warp.start()
    found = []
    for index, row in enumerate(rows):
        notify(index)
        ran = ran_on(device, row, config)
        found.append(asdict(ran))
        if ran.wrong is not None and not works(device):
            # Nothing runs in this process any more. Its end tells the pool whose fault that is.
            print(ran.wrong, file=sys.stderr, flush=True)
            os._exit(1)
    return found


def _program(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*_COMMAND, *words], capture_output=True, text=True, cwd=NEUTRAL, env=passed_on())


def _last(said: str) -> str:
    return (said.strip().splitlines() or ["it said nothing"])[-1]


def _sanitized(folder: Path, device: str, counts: Mapping[str, int], seed: int, *, quiet: bool) -> str | None:
    """What compute-sanitizer says of accesses to memory by a few of so many rows of each config. None
    where it is not installed, and for Warp's own device, where it would wait in vain for CUDA to be called.
    """
    program = shutil.which(SANITIZER)
    if program is None or device == HOST:
        return None
    fewer = {config: min(_SANITIZED, count) for config, count in counts.items()}
    watched = [program, "--tool", "memcheck", "--error-exitcode", "86", *_COMMAND]
    words = [str(folder.absolute()), device, str(max(fewer.values())), str(seed), *counts]
    told: list[str] = []
    with (
        Bar("memcheck", sum(fewer.values()), words=_CHECKING, quiet=quiet) as bar,
        subprocess.Popen(
            [*watched, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=NEUTRAL,
            env=passed_on(),
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for line in map(str.rstrip, process.stdout):
                if line == _CHECKED:
                    bar.seen(None, {})
                elif line.startswith("========="):
                    told.append(line.strip("= "))
        except BaseException:
            process.kill()
            raise
    if process.returncode == 0:
        return "no errors"
    return f"errors ({told[1] if len(told) > 1 else process.returncode})"


# ---- the program


def main(words: Sequence[str]) -> int:
    """Run a sample of each config's rows on a device, with a line for each, and say as JSON which device it
    is and what it is called."""
    folder, device, sample, seed, *configs = words
    there = devices()
    if not device and not there:
        print(NO_DEVICE, file=sys.stderr)
        return NONE
    known = (HOST, *(("cuda", *there) if there else ()))
    if device and device not in known:
        print(f"there is no device {device!a}: choose from {', '.join(known)}", file=sys.stderr)
        return NONE
    device = device or there[0]
    manifest = json.loads((Path(folder) / "manifest.json").read_text(encoding="utf-8"))
    for config in configs:
        for row in _rows(Path(folder), manifest, config, int(sample), int(seed)):
            ran_on(device, row, config)
            print(_CHECKED, flush=True)
    print(json.dumps([device, device_name(device)]))
    return 0


def ran_on(device: str, row: Row, config: str) -> Ran:
    """A row on a device."""
    known = Ran(config, row["id"], row["category"])
    try:
        signature = signature_of(row)
        return _ran(known, device, row, signature, CONFIGS[config].adjoint)
    except (Immovable, Unreadable) as error:
        return replace(known, left_out=str(error))
    except Exception as error:  # Warp and drivers raise anything
        return replace(known, wrong=" ".join(str(error).split())[:200] or repr(error))


def _ran(known: Ran, device: str, row: Row, signature: ir.Signature, adjoint: bool) -> Ran:
    source = row["python_source"]
    layout = warp.translate(source, signature.name, backward=False, cuda=False)
    kernel = warp.define(source, signature.name, f"row_{next(_numbers)}")
    kernel.module.options["enable_backward"] = adjoint  # else half of the compiling is for nothing
    frame = Frame(signature, layout.arguments, layout.tid_dims)
    leaves = may_follow(signature, None)
    unordered = {name: leaves[name] for name in row["checks"]["unordered"] or ()}
    arrays = partial(arrays_of, signature)
    examples = examples_of(row)
    groups = _together(source, signature, unordered, [arrays(each["inputs"]) for each in examples])

    def launched() -> tuple[float, float | None]:
        """The errors of outputs, and of gradients."""
        forward, backward = 0.0, 0.0 if adjoint else None
        for example in examples:
            seeds = arrays(example["output_gradients"]) if adjoint else None
            frame.load(arrays(example["inputs"]))
            frame.reset()
            frame.seed(seeds or {})
            gradients = frame.given_gradients() if adjoint else None
            launch_on(device, kernel, signature.launch_dim, frame.given(), gradients)
            forward = max(forward, _error(frame.work, arrays(example["outputs"]), unordered, groups))
            if backward is not None:
                backward = max(backward, _error(frame.gradients, arrays(example["input_gradients"])))
        return forward, backward

    forward, backward = launched()
    errors = [("forward", forward), ("backward", backward)]
    ptx = None
    if row.get("ptx") and device != HOST:
        warp.attach_ptx(device, kernel, row["ptx"])
        both = launched()
        ptx = max(error for error in both if error is not None)
        errors += [("forward as PTX", both[0]), ("backward as PTX", both[1])]
    wrong = [
        f"{what} is off by {error:.1e}" for what, error in errors if not (error or 0.0) <= MEANING_TOLERANCE
    ]
    return replace(known, forward=forward, backward=backward, ptx=ptx, wrong="; ".join(wrong) or None)


def _together(
    source: str, signature: ir.Signature, unordered: Unordered, inputs: Sequence[Arrays]
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
