"""What the command `warp-ir` takes: its commands, their options, and what an option may hold."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from ..builds.output.remote import is_url
from ..builds.request import DEFAULT_ARCH, DEFAULT_KERNELS, DEFAULT_SEED, DIFFICULTIES
from ..common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS
from ..common.errors import UserError
from ..common.files import check_text
from ..common.versions import DATASET_VERSION, GENERATOR_VERSION, WARP_MINOR
from ..synthesis.categories import CATEGORIES

ALL = "all"
LONGEST = 40  # digits
ENGINES = ("local", "ray")
KEEPING = ("build", "plan", "score")  # what they have done, for the same command to go on from

# Does what was asked for, and returns the exit status.
Run = Callable[[argparse.Namespace], int]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see {self.prog} --help)")


def parser(runs: Mapping[str, Run]) -> argparse.ArgumentParser:
    """What reads a command; `runs` says what does it, by its name."""
    parser = _Parser(
        prog="warp-ir",
        description="Python Warp kernels and what real compilers make of them.",
        epilog="To begin: warp-ir build OUT. What a command takes: warp-ir build --help.",
    )
    what = f"warp-ir {DATASET_VERSION}, generator {GENERATOR_VERSION}, for warp-lang {WARP_MINOR}"
    parser.add_argument("--version", action="version", version=what)
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, add in _COMMANDS.items():
        add(commands).set_defaults(run=runs[name], keeps=name in KEEPING)
    return parser


def _add_build(commands: Any) -> argparse.ArgumentParser:
    build = commands.add_parser(
        "build",
        help="write Parquet shards, a card and a manifest",
        usage="warp-ir build OUT [options]",
        description="Synthesize kernels, compile and prove them, and write what load_dataset reads.",
    )
    out = "a new folder, or one whose build was stopped; or its URL, as s3://bucket/folder"
    build.add_argument("out", nargs="?", metavar="OUT", help=out)
    _add_parameters(build)
    add = build.add_argument
    add("--batch-size", type=_whole, metavar="N", help="kernels compiled together; does not change the rows")
    add("--shard", metavar="I/N", help="fill part I of N of a folder of warp-ir plan, such as 0/3")
    add("--finish", action="store_true", help="make one build of such a folder, once its parts are filled")
    return build


def _add_plan(commands: Any) -> argparse.ArgumentParser:
    plan = commands.add_parser(
        "plan",
        help="prepare a build in parts, on several machines",
        usage="warp-ir plan OUT [options]",
        description="Choose the kernels of a build, and leave their proofs to warp-ir build OUT --shard I/N.",
        epilog="When all parts are filled: warp-ir build OUT --finish.",
    )
    plan.set_defaults(batch_size=None)
    plan.add_argument("out", nargs="?", metavar="OUT", help="a new folder that all machines see, or its URL")
    _add_parameters(plan)
    return plan


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    several: dict[str, Any] = {"type": _list, "nargs": "+", "action": "extend"}
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    choices = f"{', '.join(CONFIGS)}, or {ALL} (default: {DEFAULT_CONFIG})"
    add("--config", **several, metavar="NAME", help=f"out of {choices}")
    # Of what decides the rows, argparse knows no defaults: a part of a plan refuses what was given.
    add("--num-kernels", **number, help=f"rows per config (default: {DEFAULT_KERNELS})")
    add("--seed", **number, help=f"another seed, other kernels (default: {DEFAULT_SEED})")
    add("--arch", metavar="SM", help=f"what PTX is compiled for (default: {DEFAULT_ARCH})")
    add(
        "--category",
        **several,
        metavar="NAME",
        help=f"families out of {', '.join(CATEGORIES)} (default: all)",
    )
    add(
        "--difficulty",
        type=_span,
        metavar="SPAN",
        help="such as 3 or 2-4 (default: {}-{})".format(*DIFFICULTIES),
    )
    add("--workers", **number, help="processes (default: as many as cores)")
    add("--skip-faults", action="store_true", help="leave out kernels that never end instead of stopping")
    add("--engine", choices=ENGINES, default=ENGINES[0], help="who plans and proves (default: %(default)s)")
    add("--address", metavar="HOST:PORT", help="a Ray cluster's, for --engine ray")
    add("--quiet", action="store_true", help="show no bar and no summary")
    add("--json", action="store_true", help="print a line of JSON for each config instead of a summary")
    version = f"stands in card and manifest (default: {DATASET_VERSION})"
    add("--dataset-version", metavar="VERSION", help=version)


def _add_extract(commands: Any) -> argparse.ArgumentParser:
    extract = commands.add_parser(
        "extract",
        help="make rows of the kernels of a module of yours",
        description="Import a module, and write the source and the code of every kernel that it makes.",
    )
    add = extract.add_argument
    add("module", metavar="MODULE[:KERNEL]", help="a module's name, or a file that ends in .py")
    add("out", type=new_path, metavar="OUT", help="a new folder")
    add("--examples", action="store_true", help="run them on inputs that are made up, and prove them")
    add("--arch", metavar="SM", default=DEFAULT_ARCH, help="what PTX is compiled for (default: %(default)s)")
    add("--seconds", type=_whole, metavar="N", default=120, help="for an import, a kernel (default: 120)")
    add("--workers", type=_whole, metavar="N", help="processes (default: as many as cores)")
    return extract


def _add_report(commands: Any) -> argparse.ArgumentParser:
    report = commands.add_parser("report", help="show what is in a build, and write it down")
    report.add_argument("folder", type=path, metavar="DIR", help="a folder that warp-ir build wrote")
    report.add_argument(
        "--out", type=new_path, metavar="DIR", help="where report.md and plots go (default: DIR/report)"
    )
    return report


def _add_export(commands: Any) -> argparse.ArgumentParser:
    export = commands.add_parser("export", help="write a build's rows as JSON, or as CUDA programs")
    export.add_argument("folder", type=path, metavar="DIR", help="a folder that warp-ir build wrote")
    export.add_argument(
        "--format", default="jsonl", metavar="FORMAT", help="jsonl (default), json-pairs or cuda"
    )
    export.add_argument(
        "--out", type=new_path, metavar="DIR", help="a new folder (default: DIR/export-FORMAT)"
    )
    export.add_argument("--strip-comments", action="store_true", help="leave comments out of the code")
    return export


def _add_push(commands: Any) -> argparse.ArgumentParser:
    push = commands.add_parser("push", help="publish what a build wrote on the Hugging Face Hub")
    add = push.add_argument
    add("folder", type=path, metavar="DIR", help="a folder that warp-ir build wrote")
    add("name", metavar="USER/NAME", help="the dataset there; it is made if it is new")
    add("--private", action="store_true", help="a new dataset is for you alone")
    add("--revision", metavar="BRANCH", help="another branch than main; it gets no version tag")
    add("--create-pr", action="store_true", help="propose the commit as a pull request")
    add("--dry-run", action="store_true", help="say what would be sent, and send nothing")
    add(
        "--replace",
        nargs="+",
        default=[],
        choices=("card", "configs", "tag"),
        metavar="WHAT",
        help=(
            "what may be lost: a card edited on the Hub (card), configs that DIR does not have (configs), or "
            "what the tag of this version points at (tag)"
        ),
    )
    return push


def _add_score(commands: Any) -> argparse.ArgumentParser:
    score = commands.add_parser(
        "score",
        help="judge what a model answered to the rows of a build",
        description="Compile and run answers in a cage, and tell pass@k by family and difficulty.",
        epilog="What is judged is kept: the same command goes on where it was stopped.",
    )
    add = score.add_argument
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    add("folder", type=path, metavar="DIR", help="a folder that warp-ir build wrote")
    add(
        "--predictions",
        type=path,
        metavar="FILE",
        required=True,
        help="JSON lines with id and completion, several per id if you like",
    )
    add("--config", metavar="NAME", default=DEFAULT_CONFIG, help="whose rows (default: %(default)s)")
    add("--task", metavar="NAME", help="of handwritten: which of its prompts (default: cuda)")
    add("--split", metavar="NAME", default=SPLITS[-1], help="(default: %(default)s)")
    add("--k", **number, nargs="+", help="of pass@k (default: 1, and as many as every kernel has)")
    add("--results", type=path, metavar="FILE", help="where verdicts are kept (default: beside FILE)")
    add("--workers", **number, help="processes (default: as many as cores)")
    add("--seed", **number, default=0, help="another seed, other hidden inputs (default: %(default)s)")
    add("--json", action="store_true", help="print JSON instead of a table")
    add("--allow-weaker-cage", action="store_true", help="for answers that you trust: see docs/judge.md")
    return score


def _add_validate(commands: Any) -> argparse.ArgumentParser:
    validate = commands.add_parser(
        "validate",
        help="prove a build again, from its files alone",
        description="Draw, compile and run the rows of a build again, and hold the files against that.",
        epilog="Ends with 0 where all was proved, with 1 where not, and with 2 where that cannot be told.",
    )
    add = validate.add_argument
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    add("folder", type=path, metavar="DIR", help="a folder that warp-ir build wrote")
    add("--config", type=_list, nargs="+", action="extend", metavar="NAME", help="which (default: all in it)")
    add("--sample", **number, help="make so many rows of a config anew (default: all)")
    add("--seed", **number, default=0, help="another seed, another sample (default: %(default)s)")
    add("--workers", **number, help="processes (default: as many as cores)")
    add("--json", action="store_true", help="print JSON instead of lines")
    add("--gpu", action="store_true", help="instead, launch the rows on a GPU, and tell the largest errors")
    add("--trust", action="store_true", help="with --gpu: also rows that this machine did not write")
    return validate


def _add_primer(commands: Any) -> argparse.ArgumentParser:
    return commands.add_parser("primer", help="print a short reference of Warp, for prompts")


_COMMANDS: Mapping[str, Callable[[Any], argparse.ArgumentParser]] = {
    "build": _add_build,
    "plan": _add_plan,
    "extract": _add_extract,
    "report": _add_report,
    "export": _add_export,
    "push": _add_push,
    "score": _add_score,
    "validate": _add_validate,
    "primer": _add_primer,
}


def new_path(text: str) -> Path:
    """The path of what is written."""
    if is_url(text):
        raise argparse.ArgumentTypeError(f"{text} is a URL: write to a folder, and copy that there")
    return path(text)


def path(text: str) -> Path:
    """A path whose home folder the shell may have left to us, as in --out=~/x."""
    if is_url(text):
        copy = f"import fsspec; fs, at = fsspec.url_to_fs({text!r}); fs.get(at, 'DIR', recursive=True)"
        raise argparse.ArgumentTypeError(f'{text} is a URL: copy it to a folder first: python -c "{copy}"')
    try:
        check_text(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    path = os.path.expanduser(text)
    if not text or path.startswith("~"):
        raise argparse.ArgumentTypeError(f"there is no such user as in {text!r}" if text else "is empty")
    return Path(path)


def _list(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):  # int() takes the digits of all scripts
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}")
    if len(text) > LONGEST:
        raise argparse.ArgumentTypeError(f"must have at most {LONGEST} digits, not {len(text)}")
    return int(text)


def _span(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"must be a level such as 3 or a span such as 2-4, not {text!r}")
    return int(match[1]), int(match[2] or match[1])
