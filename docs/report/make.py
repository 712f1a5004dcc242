"""Writes the technical report, docs/report.md, with all of its figures: ``python docs/report/make.py BUILD``

BUILD is a folder that `warp-ir build` wrote. The script measures it, adds what `measured/*.json` holds
(results of benchmarks that take long, each with its command, versions, seed and date), and writes

    figures.json          every figure and table of the report, as it is printed
    NAME-light.svg        the plots, and NAME-dark.svg for dark pages
    ../report.md          `template.md`, with figures in place of its placeholders

A placeholder is a name in braces: ``{cuda.total}``, ``{table:sizes}``, ``{plot:lengths}``, ``{code:ptx}``.
One that no figure has, and a figure that the template does not use, are errors (exit status 2): nothing is
written then. A measured file of another version of the generator or the judge is a warning.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import build_figures
import drawings
import facts_of_code
import followed
import samples
import wrong_gradients
from measurements import Measured, overview, read_measured
from paragraphs import rewrapped
from row_contents import Contents, contents

from warp_ir_dataset.builds.check.shape import holds_rows
from warp_ir_dataset.builds.output.manifest import read_manifest
from warp_ir_dataset.common.configs import tasks
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.versions import JUDGE_VERSION
from warp_ir_dataset.publishing.facts import Facts, measure

HERE = Path(__file__).parent
TEMPLATE = HERE / "template.md"
PLACEHOLDER = re.compile(r"\{([a-z_]+[.:][\w.:-]+)\}")


def stamp(facts: Facts) -> dict[str, str]:
    """What the figures of a build were made with. Its date is that of its manifest's file, in UTC."""
    made = datetime.fromtimestamp((facts.folder / "manifest.json").stat().st_mtime, tz=timezone.utc)
    versions = facts.manifest["versions"]
    return {
        "package": facts.manifest["version"],
        "generator": versions["generator"],
        "warp": str(versions.get("warp-lang", "unknown")),
        "clang": str(versions.get("clang", "unknown")),
        "nvrtc": str(versions.get("nvrtc", "unknown")),
        "judge": JUDGE_VERSION,
        "seed": str(facts.manifest["parameters"]["seed"]),
        "arch": facts.manifest["parameters"]["arch"],
        "kernels": f"{facts.manifest['parameters']['num_kernels']:,}",
        "num_kernels": str(facts.manifest["parameters"]["num_kernels"]),  # as the command takes it
        "manifest": facts.manifest_sha256[:16],
        "date": f"{made:%Y-%m-%d}",
    }


def collect(facts: Facts, rows: Mapping[str, Contents], measured: Mapping[str, Measured]) -> dict[str, str]:
    """Every figure of the report but the plots, by its name, as it is printed."""
    return {
        **{f"stamp.{name}": value for name, value in stamp(facts).items()},
        **facts_of_code.figures(),
        **build_figures.figures(facts, rows),
        **followed.figures(facts),
        **samples.figures(facts),
        **wrong_gradients.figures(),
        "table:measured": overview(measured),
        **{name: text for each in measured.values() for name, text in each.figures().items()},
    }


def faults(template: str, figures: Mapping[str, str]) -> Iterator[str]:
    """A line for each placeholder without a figure, and for each figure that the template does not use."""
    asked = set(PLACEHOLDER.findall(template))
    for name in sorted(asked - figures.keys()):
        yield f"template.md asks for {{{name}}}, which no figure has"
    for name in sorted(figures.keys() - asked):
        yield f"the figure {name} is in no text: use it in template.md, or do not make it"


def filled(template: str, figures: Mapping[str, str]) -> str:
    """The report: the template, with figures for placeholders, and paragraphs broken anew."""
    return rewrapped(PLACEHOLDER.sub(lambda found: figures[found[1]], template))


def warnings(measured: Mapping[str, Measured], versions: Mapping[str, str]) -> Iterator[str]:
    """A line for each measured file that another generator or judge made."""
    for name, each in measured.items():
        for what, version in each.versions.items():
            if what in versions and version != versions[what]:
                yield f"measured/{name}.json is of {what} {version}, and this is {versions[what]}"


def check_configs(build: Path) -> None:
    """Raise `UserError` where a build lacks a config whose figures the report has."""
    manifest, _ = read_manifest(build)
    lacking = [
        task.name for task in tasks() if not holds_rows(manifest["configs"].get(task.name, {"files": {}}))
    ]
    if lacking:
        raise UserError(f"{build} has no rows of {', '.join(lacking)}: build it with --config all")


def tasks_only(facts: Facts) -> Facts:
    """Without human-written kernels, which are the same in every build."""
    return replace(facts, configs={task.name: facts.configs[task.name] for task in tasks()})


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("--out", type=Path, default=HERE.parent, help="where report.md goes, if not docs/")
    options = parser.parse_args(words)
    try:
        return write(options.build, options.out)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


def write(build: Path, out: Path) -> int:
    """Measure a build and write the report to `out`; returns the exit status. Raises `UserError`."""
    check_configs(build)
    facts, measured = tasks_only(measure(build)), read_measured(HERE / "measured")
    rows = contents(facts)
    for line in warnings(measured, stamp(facts)):
        print(f"warning: {line}", file=sys.stderr)
    figures = collect(facts, rows, measured) | {f"plot:{plot.name}": plot.html for plot in drawings.PLOTS}
    template = TEMPLATE.read_text(encoding="utf-8")
    if found := list(faults(template, figures)):
        print(*found, sep="\n", file=sys.stderr)
        return 2
    (out / "report").mkdir(parents=True, exist_ok=True)
    drawings.save(drawings.Data(facts, rows, measured), out / "report")
    stamped: dict[str, Any] = {"stamp": stamp(facts), "figures": dict(sorted(figures.items()))}
    text = json.dumps(stamped, indent=1, ensure_ascii=False) + "\n"
    (out / "report" / "figures.json").write_text(text, encoding="utf-8")
    (out / "report.md").write_text(filled(template, figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
