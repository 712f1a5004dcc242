"""`warp-ir build OUT`: a dataset on disk. Wrong input ends with one line and exit status 2."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from .errors import UserError
from .families import CATEGORIES
from .recipe import (
    CONFIGS,
    DEFAULT_ARCH,
    DEFAULT_KERNELS,
    DEFAULT_SEED,
    DIFFICULTIES,
    SPLITS,
    Recipe,
)

WRONG_INPUT = 2
FAILED = 1
INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    from .pool import Fault, WorkerError
    from .shard import Shortage

    try:
        options = _parser().parse_args(arguments)
        return _build(options)
    except UserError as error:
        return _say(f"error: {error}", WRONG_INPUT)
    except (Fault, Shortage, WorkerError) as error:
        return _say(f"error: {error}", FAILED)
    except KeyboardInterrupt:
        return _say("stopped: the same command goes on from here", INTERRUPTED)


def _say(line: str, status: int) -> int:
    print(f"warp-ir: {line}", file=sys.stderr)
    return status


def _parser() -> _Parser:
    parser = _Parser(prog="warp-ir", description="Python Warp kernels and what real compilers make of them.")
    commands = parser.add_subparsers(required=True, metavar="command")
    build = commands.add_parser("build", help="write Parquet shards, a card and a manifest")
    build.add_argument("out", nargs="?", metavar="OUT", help="a new folder, or one whose build was stopped")
    add = build.add_argument
    several: dict[str, Any] = {"type": _list, "nargs": "+", "action": "extend"}
    add("--config", **several, metavar="NAME", help=f"out of {', '.join(CONFIGS)}, or all (the default)")
    add("--num-kernels", type=_whole, default=DEFAULT_KERNELS, help="rows per config (%(default)s)")
    add("--seed", type=_whole, default=DEFAULT_SEED, help="another seed, other kernels (%(default)s)")
    add("--arch", default=DEFAULT_ARCH, help="what PTX is compiled for (%(default)s)")
    add("--category", **several, metavar="NAME", help=f"families out of {', '.join(CATEGORIES)} (all)")
    add("--difficulty", type=_span, default=DIFFICULTIES, help="a level, or a span such as 2-4 (1-5)")
    add("--workers", type=_whole, help="processes (as many as cores)")
    add("--batch-size", type=_whole, help="kernels compiled together; does not change the rows")
    add("--skip-faults", action="store_true", help="leave out kernels that never end instead of stopping")
    return parser


def _build(options: argparse.Namespace) -> int:
    from .build import build
    from .shard import BATCH_SIZE

    out = _folder(options)
    named = tuple(dict.fromkeys(chain(*(options.config or [["all"]]))))
    configs = CONFIGS if named == ("all",) else named
    categories = tuple(chain(*options.category)) if options.category else CATEGORIES
    recipes = [
        Recipe(
            config,
            options.num_kernels,
            options.seed,
            options.arch,
            categories,
            options.difficulty,
        )
        for config in configs
    ]
    for name in ("workers", "batch_size"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            raise UserError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(options, name)}")
    manifest = build(
        recipes,
        out,
        workers=options.workers,
        skip_faults=options.skip_faults,
        batch_size=options.batch_size or BATCH_SIZE,
    )
    print(summary(manifest))
    print(f'\nload_dataset("{out}", "{configs[0]}") loads it.')
    return 0


def _folder(options: argparse.Namespace) -> Path:
    """OUT, also where it stands last and an option that takes several names has swallowed it."""
    if options.out is None:
        for names, known in ((options.config, (*CONFIGS, "all")), (options.category, CATEGORIES)):
            if names and len(names) > 1 and names[-1][0] not in known and len(names[-1]) == 1:
                options.out = names.pop()[0]
                break
        else:
            raise UserError("say where to write: warp-ir build OUT (see warp-ir build --help)")
    return Path(options.out)


def summary(manifest: Mapping[str, Any]) -> str:
    """A table: rows per split, megabytes, draws, and rejections by reason, for each config."""
    lines = [f"{'config':<14}{'train':>9}{'valid.':>8}{'test':>8}{'MB':>8}{'draws':>9}  rejected"]
    for name, config in manifest["configs"].items():
        files = config["files"].values()
        rows = [sum(f["rows"] for f in files if f["split"] == split) for split in SPLITS]
        reasons: dict[str, int] = {}
        for file in files:
            for reason, count in file["rejections"].items():
                reasons[reason] = reasons.get(reason, 0) + count
        rejected = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())) or "none"
        size = sum(file["bytes"] for file in files) / 1e6
        draws = sum(config["draws"].values())
        lines.append(f"{name:<14}{rows[0]:>9,}{rows[1]:>8,}{rows[2]:>8,}{size:>8.1f}{draws:>9,}  {rejected}")
    return "\n".join(lines)


def _list(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None


def _span(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"must be a level such as 3 or a span such as 2-4, not {text!r}")
    return int(match[1]), int(match[2] or match[1])
