"""The commands of `warp-ir`, their options, and the values that an option takes.

Nothing is imported here that takes a moment: `--help` is one of the first things that people try.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from ..builds.request import DEFAULT_ARCH, DEFAULT_KERNELS, DEFAULT_SEED, DIFFICULTIES
from ..common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS
from ..common.errors import UserError
from ..common.files import check_text, is_url
from ..common.given import one_of, suggestion
from ..common.versions import DATASET_VERSION, GENERATOR_VERSION, JUDGE_VERSION, WARP_MINOR
from ..synthesis.categories import CATEGORIES

ALL = "all"
LONGEST = 40  # digits
ENGINES = ("local", "ray")
KEEPING = ("build", "plan", "score")  # they keep their work, and the same command goes on from it
BUILT = "a folder that warp-ir build wrote"
WORKERS_HELP = "number of processes (default: one per core)"

# Does what was asked for, and returns the exit status.
Run = Callable[[argparse.Namespace], int]


class _Parser(argparse.ArgumentParser):
    """Raises `UserError` for wrong input; a name that is close to a known one is suggested."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see {self.prog} --help)")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, rest = super().parse_known_args(args, namespace)
        if rest:  # at once, as a command's own --help lists its options
            name = next((word for word in rest if word.startswith("-")), "").partition("=")[0]
            meant = suggestion(name, self._option_string_actions)  # argparse's own list, by name
            self.error(f"unrecognized arguments: {' '.join(rest)}" + (f": {meant}" if meant else ""))
        return found, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None:
            is_option = bool(action.option_strings)
            one_of(
                f"value of {action.option_strings[0]}" if is_option else "command", value, [*action.choices]
            )


# What commands are added to: a class of argparse that has no public name.
Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"


def parser(runs: Mapping[str, Run]) -> argparse.ArgumentParser:
    """The parser of the whole command line; `runs` are the functions that run the commands, by name."""
    parser = _Parser(
        prog="warp-ir",
        description="Make, check and publish datasets of Warp kernels in Python with their compiled code.",
        epilog="To begin: warp-ir build OUT. Options of a command: warp-ir build --help.",
    )
    parser.add_argument(
        "--version",
        action="version",
        version=(
            f"warp-ir-dataset {DATASET_VERSION} (generator {GENERATOR_VERSION}, judge {JUDGE_VERSION}, "
            f"Warp {WARP_MINOR})"
        ),
        help="print the version of package and data set, and those of generator, judge and Warp",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, add in _COMMANDS.items():
        add(commands).set_defaults(run=runs[name], keeps=name in KEEPING)
    return parser


def _add_build(commands: Commands) -> argparse.ArgumentParser:
    build = commands.add_parser(
        "build",
        help="make a dataset: Parquet files, a card and a manifest",
        usage="warp-ir build OUT [options]",
        description=(
            "Synthesize kernels, compile them, prove them by running them, and write a folder that "
            "load_dataset reads. A build that was stopped goes on where it was."
        ),
    )
    out = "a new folder, or the folder of a stopped build; or a URL such as s3://bucket/folder"
    build.add_argument("out", nargs="?", metavar="OUT", help=out)
    _add_parameters(build)
    add = build.add_argument
    add("--batch-size", type=_whole, metavar="N", help="kernels compiled together; the rows are the same")
    add("--shard", metavar="I/N", help="make only part I of N of a folder of warp-ir plan, such as 0/3")
    add("--finish", action="store_true", help="join the parts of such a folder when all are made")
    return build


def _add_plan(commands: Commands) -> argparse.ArgumentParser:
    plan = commands.add_parser(
        "plan",
        help="prepare a build that several machines share",
        usage="warp-ir plan OUT [options]",
        description=(
            "Choose the kernels of a build, and write that plan. Then each machine makes a part: "
            "warp-ir build OUT --shard 0/3 is the first of three. When all parts are made: "
            "warp-ir build OUT --finish."
        ),
    )
    plan.set_defaults(batch_size=None)
    plan.add_argument("out", nargs="?", metavar="OUT", help="a new folder, or a URL, that all machines reach")
    _add_parameters(plan)
    return plan


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    several: dict[str, Any] = {"type": _list, "nargs": "+", "action": "extend"}
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    choices = f"{', '.join(CONFIGS)}, or {ALL} (default: {DEFAULT_CONFIG})"
    add("--config", **several, metavar="NAME", help=f"one or more of {choices}")
    # Of what decides the rows, argparse knows no defaults: a part of a plan refuses what was given.
    add(
        "--num-kernels",
        **number,
        help=f"rows per config (default: {DEFAULT_KERNELS}; all of handwritten)",
    )
    add("--seed", **number, help=f"each seed gives other kernels (default: {DEFAULT_SEED})")
    add("--arch", metavar="SM", help=f"GPU architecture of the PTX (default: {DEFAULT_ARCH})")
    add(
        "--category",
        **several,
        metavar="NAME",
        help=f"families of kernels, such as matrix, sorting or waves (default: all {len(CATEGORIES)})",
    )
    add(
        "--list-categories",
        action="version",
        version=", ".join(CATEGORIES),
        help="print the names of all families and leave",
    )
    add(
        "--difficulty",
        type=_span,
        metavar="SPAN",
        help="a level or a span of levels, such as 3 or 2-4 (default: {}-{})".format(*DIFFICULTIES),
    )
    add("--workers", **number, help=WORKERS_HELP)
    add("--skip-faults", action="store_true", help="leave out kernels that never end, instead of stopping")
    engine = "where kernels are proved: on this machine or on a Ray cluster (default: %(default)s)"
    add("--engine", choices=ENGINES, default=ENGINES[0], help=engine)
    add("--address", metavar="HOST:PORT", help="address of the Ray cluster, with --engine ray")
    add("--quiet", action="store_true", help="show no progress and no summary")
    add("--json", action="store_true", help="print a line of JSON per config, and no summary")
    version = f"version of the data set, for card and manifest (default: {DATASET_VERSION})"
    add("--dataset-version", metavar="VERSION", help=version)


def _add_extract(commands: Commands) -> argparse.ArgumentParser:
    extract = commands.add_parser(
        "extract",
        help="make rows from your own kernels",
        description="Import a Python module, and write a row for every Warp kernel in it: source and code.",
    )
    add = extract.add_argument
    add("module", metavar="MODULE[:KERNEL]", help="name of a module, or path of a .py file")
    add("out", type=new_path, metavar="OUT", help="a new folder")
    add("--examples", action="store_true", help="also run the kernels on generated inputs, and prove them")
    add(
        "--arch",
        metavar="SM",
        default=DEFAULT_ARCH,
        help="GPU architecture of the PTX (default: %(default)s)",
    )
    seconds = "time limit in seconds for the import, and for each step with a kernel (default: %(default)s)"
    add("--seconds", type=_whole, metavar="N", default=120, help=seconds)
    add("--workers", type=_whole, metavar="N", help=WORKERS_HELP)
    return extract


def _add_report(commands: Commands) -> argparse.ArgumentParser:
    report = commands.add_parser(
        "report",
        help="describe a build: sizes, families, lengths, near duplicates",
        description="Print an overview of a build, and write all tables and plots to a folder as Markdown.",
    )
    report.add_argument("folder", type=path, metavar="DIR", help=BUILT)
    report.add_argument(
        "--out", type=new_path, metavar="OUT", help="folder for report.md and plots (default: DIR/report)"
    )
    return report


def _add_export(commands: Commands) -> argparse.ArgumentParser:
    what = "write the rows of a build as JSON, or as CUDA programs"
    export = commands.add_parser("export", help=what, description=f"{what[0].upper()}{what[1:]}.")
    export.add_argument("folder", type=path, metavar="DIR", help=BUILT)
    formats = "jsonl (a line per row), json-pairs (a file per pair) or cuda (default: %(default)s)"
    export.add_argument("--format", default="jsonl", metavar="FORMAT", help=formats)
    export.add_argument(
        "--out", type=new_path, metavar="OUT", help="a new folder (default: DIR/export-FORMAT)"
    )
    export.add_argument("--strip-comments", action="store_true", help="leave comments out of the code")
    return export


def _add_push(commands: Commands) -> argparse.ArgumentParser:
    what = "publish a build on the Hugging Face Hub"
    push = commands.add_parser("push", help=what, description=f"{what[0].upper()}{what[1:]}.")
    add = push.add_argument
    add("folder", type=path, metavar="DIR", help=BUILT)
    add("name", metavar="USER/NAME", help="the dataset on the Hub; it is created if it does not exist")
    add("--private", action="store_true", help="create it as a private dataset")
    add("--revision", metavar="BRANCH", help="push to this branch instead of main, without a version tag")
    add("--create-pr", action="store_true", help="open a pull request instead of a commit")
    add("--dry-run", action="store_true", help="say what would be sent, and send nothing")
    add(
        "--replace",
        nargs="+",
        default=[],
        choices=("card", "configs", "tag"),
        metavar="WHAT",
        help=(
            "allow to overwrite the card that was edited on the Hub (card), to remove configs that DIR does "
            "not have (configs), or to move the tag of this version (tag); several may be named"
        ),
    )
    return push


def _add_score(commands: Commands) -> argparse.ArgumentParser:
    score = commands.add_parser(
        "score",
        help="judge a model's answers to the rows of a build",
        description="Run a model's answers in a sandbox, and print pass@k by family and difficulty.",
        epilog="Verdicts are kept: when it was stopped, the same command goes on where it was.",
    )
    add = score.add_argument
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    add("folder", type=path, metavar="DIR", help=BUILT)
    add(
        "--predictions",
        type=path,
        metavar="FILE",
        required=True,
        help="JSON lines, each with the id of a row and a completion; an id may have several",
    )
    add("--config", metavar="NAME", default=DEFAULT_CONFIG, help="config of the rows (default: %(default)s)")
    add(
        "--task",
        metavar="NAME",
        help="with --config handwritten: the prompt that was answered (default: cuda)",
    )
    add("--split", metavar="NAME", default=SPLITS[-1], help="split of the rows (default: %(default)s)")
    ks = "values of k for pass@k (default: 1, and the number of answers that every kernel has)"
    add("--k", **number, nargs="+", help=ks)
    results = "file that keeps the verdicts (default: FILE.verdicts.jsonl beside the predictions)"
    add("--results", type=path, metavar="FILE", help=results)
    add("--workers", **number, help=WORKERS_HELP)
    add("--seed", **number, default=0, help="each seed gives other hidden inputs (default: %(default)s)")
    add("--json", action="store_true", help="print JSON instead of a table")
    weaker = (
        "run answers that you trust although this system lacks a layer of the sandbox (see docs/judge.md)"
    )
    add("--allow-weaker-sandbox", action="store_true", help=weaker)
    return score


def _add_validate(commands: Commands) -> argparse.ArgumentParser:
    validate = commands.add_parser(
        "validate",
        help="prove a build again, from its files alone",
        description="Generate, compile and run the rows of a build again, and compare the files with that.",
        epilog="Exit status: 0 if all was proved, 1 if something was not, 2 if that could not be checked.",
    )
    add = validate.add_argument
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    add("folder", type=path, metavar="DIR", help=BUILT)
    configs = "one or more configs of the build (default: all)"
    add("--config", type=_list, nargs="+", action="extend", metavar="NAME", help=configs)
    add("--sample", **number, help="prove only N rows per config (default: all)")
    add("--seed", **number, default=0, help="each seed gives another sample (default: %(default)s)")
    add("--workers", **number, help=WORKERS_HELP)
    add("--json", action="store_true", help="print JSON instead of lines")
    add("--gpu", action="store_true", help="launch the rows on a GPU instead, and print the largest errors")
    add("--trust", action="store_true", help="with --gpu: also rows that this machine did not write")
    return validate


def _add_check(commands: Commands) -> argparse.ArgumentParser:
    check = commands.add_parser(
        "check",
        help="run a CUDA kernel on the CPU, and find its races and bounds errors",
        description=(
            "Run a kernel of a CUDA file on this CPU, and print which of CUDA's rules it breaks: data races, "
            "accesses out of bounds, reads without a value, wrong barriers and masks, hangs."
        ),
        epilog=(
            "An argument is a number, float32*1000 (drawn values), int32*64=0 (one value), @x.npy (a file) "
            "or null. Exit status: 0 without findings, 1 with findings, 2 if that could not be checked."
        ),
    )
    add = check.add_argument
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    add("file", type=path, metavar="FILE.cu", help="CUDA C++ of the device alone")
    add("--kernel", required=True, metavar="NAME", help="a kernel in it, such as scale or scale<float>")
    add("--arguments", nargs="*", default=[], metavar="ARG", help="the kernel's arguments, in order")
    add("--grid", type=_size, required=True, metavar="SIZE", help="blocks, such as 4 or 4,2")
    add("--block", type=_size, required=True, metavar="SIZE", help="threads of a block, such as 128 or 16,16")
    add("--shared", **number, default=0, help="bytes of dynamic shared memory (default: %(default)s)")
    add("--seed", **number, default=0, help="each seed gives other orders and values (default: %(default)s)")
    add("--json", action="store_true", help="print JSON instead of a table")
    return check


def _add_primer(commands: Commands) -> argparse.ArgumentParser:
    what = "print a short reference of Warp's kernel language, for prompts"
    return commands.add_parser("primer", help=what, description=f"{what[0].upper()}{what[1:]}.")


_COMMANDS: Mapping[str, Callable[[Commands], argparse.ArgumentParser]] = {
    "build": _add_build,
    "plan": _add_plan,
    "extract": _add_extract,
    "report": _add_report,
    "export": _add_export,
    "push": _add_push,
    "score": _add_score,
    "validate": _add_validate,
    "check": _add_check,
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


def _size(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9}){0,2}", text):
        raise argparse.ArgumentTypeError(f"must be one to three numbers such as 4 or 16,16, not {text!r}")
    return tuple(map(int, text.split(",")))


def _span(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"must be a level such as 3 or a span such as 2-4, not {text!r}")
    return int(match[1]), int(match[2] or match[1])
