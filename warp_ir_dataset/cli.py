"""The command `warp-ir`. Wrong input ends with one line and exit status 2."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from .builds.output.remote import is_url
from .builds.request import DEFAULT_ARCH, DEFAULT_KERNELS, DEFAULT_SEED, DIFFICULTIES, Request
from .common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS
from .common.errors import HubError, UserError
from .common.interrupts import INTERRUPTED, STOPPED, Ended, stopping_at_once, stopping_in_order
from .common.versions import DATASET_VERSION, GENERATOR_VERSION, WARP_MINOR
from .language.python.primer import primer
from .synthesis.categories import CATEGORIES

if TYPE_CHECKING:
    from .builds.engine import Engine
    from .builds.plan.plan import Plan
    from .evaluation.validation.finding import Validation
    from .evaluation.validation.on_device import OnDevice

ALL = "all"
ENGINES = ("local", "ray")
WRONG_INPUT = 2
FAILED = 1


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see {self.prog} --help)")


def main(
    arguments: Sequence[str] | None = None,
    *,
    engine: Callable[..., Engine] | None = None,
    planner: Callable[[Request], Plan] | None = None,
) -> int:
    """Run a command; returns the exit status.

    `engine` makes what fills the shards of a build, out of `workers`, `batch_size` and `skip_faults`: a
    `LocalEngine`, unless it is given. `planner` plans it.
    """
    with stopping_at_once():
        from .builds.filling import Shortage
        from .workers.pool import Fault, WorkerError

    try:
        with stopping_in_order():
            options = _parser(partial(_build, engine=engine, planner=planner)).parse_args(arguments)
            return options.run(options)
    except UserError as error:
        return _say(f"error: {error}", WRONG_INPUT)
    except (Fault, HubError, Shortage, WorkerError) as error:
        return _say(f"error: {error}", FAILED)
    except Ended as end:
        return _say(STOPPED, end.status)
    except KeyboardInterrupt:
        return _say(STOPPED, INTERRUPTED)


def _say(line: str, status: int) -> int:
    print(f"warp-ir: {line}", file=sys.stderr)
    return status


def _parser(build: Callable[..., int]) -> _Parser:
    parser = _Parser(
        prog="warp-ir",
        description="Python Warp kernels and what real compilers make of them.",
        epilog="To begin: warp-ir build OUT. What a command takes: warp-ir build --help.",
    )
    what = f"warp-ir {DATASET_VERSION}, generator {GENERATOR_VERSION}, for warp-lang {WARP_MINOR}"
    parser.add_argument("--version", action="version", version=what)
    commands = parser.add_subparsers(required=True, metavar="command")
    _add_build(commands, partial(build, plan_only=False))
    _add_plan(commands, partial(build, plan_only=True))
    _add_extract(commands)
    _add_report(commands)
    _add_export(commands)
    _add_push(commands)
    _add_score(commands)
    _add_validate(commands)
    primer = commands.add_parser("primer", help="print a short reference of Warp, for prompts")
    primer.set_defaults(run=_primer)
    return parser


def _add_build(commands: Any, run: Callable[[argparse.Namespace], int]) -> None:
    build = commands.add_parser(
        "build",
        help="write Parquet shards, a card and a manifest",
        usage="warp-ir build OUT [options]",
        description="Synthesize kernels, compile and prove them, and write what load_dataset reads.",
    )
    build.set_defaults(run=run)
    out = "a new folder, or one whose build was stopped; or its URL, as s3://bucket/folder"
    build.add_argument("out", nargs="?", metavar="OUT", help=out)
    _add_parameters(build)
    add = build.add_argument
    add("--batch-size", type=_whole, metavar="N", help="kernels compiled together; does not change the rows")
    add("--shard", metavar="I/N", help="fill part I of N of a folder of warp-ir plan, such as 0/3")
    add("--finish", action="store_true", help="make one build of such a folder, once its parts are filled")


def _add_plan(commands: Any, run: Callable[[argparse.Namespace], int]) -> None:
    plan = commands.add_parser(
        "plan",
        help="prepare a build in parts, on several machines",
        usage="warp-ir plan OUT [options]",
        description="Choose the kernels of a build, and leave their proofs to warp-ir build OUT --shard I/N.",
        epilog="When all parts are filled: warp-ir build OUT --finish.",
    )
    plan.set_defaults(run=run, batch_size=None)
    plan.add_argument("out", nargs="?", metavar="OUT", help="a new folder that all machines see, or its URL")
    _add_parameters(plan)


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    several: dict[str, Any] = {"type": _list, "nargs": "+", "action": "extend"}
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    choices = f"{', '.join(CONFIGS)}, or {ALL} (default: {DEFAULT_CONFIG})"
    add("--config", **several, metavar="NAME", help=f"out of {choices}")
    add("--num-kernels", **number, default=DEFAULT_KERNELS, help="rows per config (default: %(default)s)")
    add("--seed", **number, default=DEFAULT_SEED, help="another seed, other kernels (default: %(default)s)")
    add("--arch", metavar="SM", default=DEFAULT_ARCH, help="what PTX is compiled for (default: %(default)s)")
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
        default=DIFFICULTIES,
        help="such as 3 or 2-4 (default: 1-5)",
    )
    add("--workers", **number, help="processes (default: as many as cores)")
    add("--skip-faults", action="store_true", help="leave out kernels that never end instead of stopping")
    add("--engine", choices=ENGINES, default=ENGINES[0], help="who fills shards (default: %(default)s)")
    add("--address", metavar="HOST:PORT", help="a Ray cluster's, for --engine ray")
    add("--quiet", action="store_true", help="show no bar and no summary")
    add("--json", action="store_true", help="print a line of JSON for each config instead of a summary")
    version: dict[str, Any] = {"default": DATASET_VERSION, "metavar": "VERSION"}
    add("--dataset-version", **version, help="stands in card and manifest (default: %(default)s)")


def _add_extract(commands: Any) -> None:
    extract = commands.add_parser(
        "extract",
        help="make rows of the kernels of a module of yours",
        description="Import a module, and write the source and the code of every kernel that it makes.",
    )
    extract.set_defaults(run=_extract)
    add = extract.add_argument
    add("module", metavar="MODULE[:KERNEL]", help="a module's name, or a file that ends in .py")
    add("out", type=_path, metavar="OUT", help="a new folder")
    add("--examples", action="store_true", help="run them on inputs that are made up, and prove them")
    add("--arch", metavar="SM", default=DEFAULT_ARCH, help="what PTX is compiled for (default: %(default)s)")
    add("--seconds", type=_whole, metavar="N", default=120, help="for an import, a kernel (default: 120)")
    add("--workers", type=_whole, metavar="N", help="processes (default: as many as cores)")


def _add_report(commands: Any) -> None:
    report = commands.add_parser("report", help="show what is in a build, and write it down")
    report.set_defaults(run=_report)
    report.add_argument("folder", type=_path, metavar="DIR", help="a folder that warp-ir build wrote")
    report.add_argument(
        "--out", type=_path, metavar="DIR", help="where report.md and plots go (default: DIR/report)"
    )


def _add_export(commands: Any) -> None:
    export = commands.add_parser("export", help="write a build's rows as JSON, or as CUDA programs")
    export.set_defaults(run=_export)
    export.add_argument("folder", type=_path, metavar="DIR", help="a folder that warp-ir build wrote")
    export.add_argument(
        "--format", default="jsonl", metavar="FORMAT", help="jsonl (default), json-pairs or cuda"
    )
    export.add_argument("--out", type=_path, metavar="DIR", help="a new folder (default: DIR/export-FORMAT)")
    export.add_argument("--strip-comments", action="store_true", help="leave comments out of the code")


def _add_push(commands: Any) -> None:
    push = commands.add_parser("push", help="publish what a build wrote on the Hugging Face Hub")
    push.set_defaults(run=_push)
    add = push.add_argument
    add("folder", type=_path, metavar="DIR", help="a folder that warp-ir build wrote")
    add("name", metavar="USER/NAME", help="the dataset there; it is made if it is new")
    add("--private", action="store_true", help="a new dataset is for you alone")
    add("--revision", metavar="BRANCH", help="another branch than main; it gets no version tag")
    add("--create-pr", action="store_true", help="propose the commit as a pull request")
    add("--token", help="instead of $HF_TOKEN or what `hf auth login` stored")
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


def _add_score(commands: Any) -> None:
    score = commands.add_parser(
        "score",
        help="judge what a model answered to the rows of a build",
        description="Compile and run answers in a cage, and tell pass@k by family and difficulty.",
        epilog="What is judged is kept: the same command goes on where it was stopped.",
    )
    score.set_defaults(run=_score)
    add = score.add_argument
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    add("folder", type=_path, metavar="DIR", help="a folder that warp-ir build wrote")
    add(
        "--predictions",
        type=_path,
        metavar="FILE",
        required=True,
        help="JSON lines with id and completion, several per id if you like",
    )
    add("--config", metavar="NAME", default=DEFAULT_CONFIG, help="whose rows (default: %(default)s)")
    add("--task", metavar="NAME", help="of handwritten: which of its prompts (default: cuda)")
    add("--split", metavar="NAME", default=SPLITS[-1], help="(default: %(default)s)")
    add("--k", **number, nargs="+", help="of pass@k (default: 1, and as many as every kernel has)")
    add("--results", type=_path, metavar="FILE", help="where verdicts are kept (default: beside FILE)")
    add("--workers", **number, help="processes (default: as many as cores)")
    add("--seed", **number, default=0, help="another seed, other hidden inputs (default: %(default)s)")
    add("--json", action="store_true", help="print JSON instead of a table")
    add("--allow-weaker-cage", action="store_true", help="for answers that you trust: see docs/judge.md")


def _add_validate(commands: Any) -> None:
    validate = commands.add_parser(
        "validate",
        help="prove a build again, from its files alone",
        description="Draw, compile and run the rows of a build again, and hold the files against that.",
        epilog="Ends with 0 where all was proved, else with 1.",
    )
    validate.set_defaults(run=_validate)
    add = validate.add_argument
    number: dict[str, Any] = {"type": _whole, "metavar": "N"}
    add("folder", type=_path, metavar="DIR", help="a folder that warp-ir build wrote")
    add("--config", type=_list, nargs="+", action="extend", metavar="NAME", help="which (default: all in it)")
    add("--sample", **number, help="make so many rows of a config anew (default: all)")
    add("--seed", **number, default=0, help="another seed, another sample (default: %(default)s)")
    add("--workers", **number, help="processes (default: as many as cores)")
    add("--json", action="store_true", help="print JSON instead of lines")
    add("--gpu", action="store_true", help="instead, launch the rows on a GPU, and tell the largest errors")


def _build(
    options: argparse.Namespace,
    engine: Callable[..., Engine] | None,
    planner: Callable[[Request], Plan] | None,
    plan_only: bool,
) -> int:
    with stopping_at_once():
        from . import api
        from .builds.filling import BATCH_SIZE
        from .publishing.summary import Spent, summary

    out = _folder(options)
    _at_least_one(options, "workers", "batch_size")
    engaged = (engine or _engine(options))(
        workers=options.workers,
        batch_size=options.batch_size or BATCH_SIZE,
        skip_faults=options.skip_faults,
    )
    if not plan_only and (options.shard or options.finish):
        return _part(options, out, engaged)
    requests = _requests(options)
    version = options.dataset_version
    if plan_only:
        api.plan(requests, out, engine=engaged, planner=planner, version=version, quiet=options.quiet)
        print(f"warp-ir build {out} --shard 0/N fills the first of N parts, with --finish in the end.")
        return 0
    spent: list[Spent] = []

    def tell(config: Spent) -> None:
        spent.append(config)
        if options.json:
            print(json.dumps(config.as_json()), flush=True)

    quiet = options.quiet
    manifest = api.build(
        requests, out, engine=engaged, planner=planner, version=version, quiet=quiet, on_config=tell
    )
    if not (options.json or options.quiet):
        print(summary(manifest), *map(str, spent), sep="\n")
        configs = tuple(request.config for request in requests)
        print(f"\n{_how_to_load(out, configs, chosen=options.config is not None)}")
    return 0


def _requests(options: argparse.Namespace) -> list[Request]:
    named = tuple(dict.fromkeys(chain(*(options.config or [[DEFAULT_CONFIG]]))))
    configs = tuple(CONFIGS) if ALL in named else named
    categories = tuple(chain(*options.category)) if options.category else CATEGORIES
    numbers = (options.num_kernels, options.seed, options.arch)
    return [Request(config, *numbers, categories, options.difficulty) for config in configs]


def _part(options: argparse.Namespace, out: str | Path, engine: Engine) -> int:
    """Fill a part of what was planned, or finish it. Its parameters are those of the plan."""
    from . import api
    from .publishing.summary import summary

    if options.shard and options.finish:
        raise UserError("--finish is for when all parts are filled: give it without --shard")
    if _requests(options) != [Request()] or options.dataset_version != DATASET_VERSION:
        raise UserError("what is built was said to warp-ir plan: leave it out here")
    if options.shard:
        api.build_part(out, options.shard, engine=engine, quiet=options.quiet)
        return 0
    manifest = api.finish(out, engine=engine)
    print(summary(manifest))
    print(f"\n{_how_to_load(out, tuple(manifest['configs']), chosen=True)}")
    return 0


def _engine(options: argparse.Namespace) -> Callable[..., Engine]:
    from .builds.engine import LocalEngine, RayEngine

    if options.engine == "ray":
        return partial(RayEngine, address=options.address)
    if options.address:
        raise UserError("--address is a Ray cluster's: use it with --engine ray")
    return LocalEngine


def _extract(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from . import api

    _at_least_one(options, "workers", "seconds")
    found = api.extract(
        options.module,
        options.out,
        arch=options.arch,
        examples=options.examples,
        seconds=options.seconds,
        workers=options.workers,
    )
    print(found)
    print(f"\n{_how_to_load(options.out, tuple(found.rows), chosen=True)}")
    return 0


def _report(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from . import api
        from .publishing import plots
        from .publishing.report import REPORT, terminal

    out = options.out or options.folder / "report"
    print(terminal(api.report(options.folder, out)))
    with_plots = ", with plots" if plots.available() else f" ({plots.ADVICE})"
    print(f"\n{out / REPORT} has all of it{with_plots}.")
    return 0


def _export(options: argparse.Namespace) -> int:
    from . import api

    out = options.out or options.folder / f"export-{options.format}"
    rows = api.export(options.folder, options.format, out, strip_comments=options.strip_comments)
    print(f"{rows.total():,} rows are in {out}")
    return 0


def _primer(options: argparse.Namespace) -> int:
    print(primer(), end="")
    return 0


def _push(options: argparse.Namespace) -> int:
    from . import api

    print(
        api.push_to_hub(
            options.folder,
            options.name,
            private=options.private,
            revision=options.revision,
            create_pr=options.create_pr,
            token=options.token,
            dry_run=options.dry_run,
            replace=options.replace,
        )
    )
    return 0


def _score(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from . import api

    _at_least_one(options, "workers")
    found = api.score_predictions(
        options.folder,
        options.predictions,
        config=options.config,
        task=options.task,
        split=options.split,
        results=options.results,
        ks=options.k,
        workers=options.workers,
        seed=options.seed,
        allow_weaker_cage=options.allow_weaker_cage,
    )
    print(json.dumps(found.as_json(), indent=2) if options.json else found)
    return 0


def _validate(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from . import api

    _at_least_one(options, "workers", "sample")
    configs = options.config and list(chain(*options.config))
    found: Validation | OnDevice
    if options.gpu:
        found = api.validate_on_device(options.folder, configs=configs, sample=options.sample)
    else:
        found = api.validate(
            options.folder,
            configs=configs,
            sample=options.sample,
            seed=options.seed,
            workers=options.workers,
        )
    print(json.dumps(found.as_json(), indent=2) if options.json else found)
    return 0 if found.ok else FAILED


def _at_least_one(options: argparse.Namespace, *names: str) -> None:
    for name in names:
        if (value := getattr(options, name)) is not None and value < 1:
            raise UserError(f"--{name.replace('_', '-')} must be at least 1, not {value}")


def _folder(options: argparse.Namespace) -> str | Path:
    """OUT, also where it stands last and an option that takes several names has swallowed it."""
    if options.out is None:
        for names, known in ((options.config, (*CONFIGS, ALL)), (options.category, CATEGORIES)):
            if names and len(names) > 1 and names[-1][0] not in known and len(names[-1]) == 1:
                options.out = names.pop()[0]
                break
        else:
            raise UserError("say where to write: warp-ir build OUT (see warp-ir build --help)")
    if is_url(options.out):
        return options.out
    try:
        return _path(options.out)
    except argparse.ArgumentTypeError as error:
        raise UserError(f"argument OUT: {error} (see warp-ir build --help)") from None


def _how_to_load(out: str | Path, configs: Sequence[str], chosen: bool) -> str:
    """What to do with a build; where no config was asked for, also how to get others."""
    if isinstance(out, str):
        # With nothing before the first '*', s3fs 2026.4 to 2026.6 finds all of them (its pull request 1034).
        files = {split: f"{out.rstrip('/')}/{configs[0]}/*{split}-*.parquet" for split in SPLITS}
        loading = f'"parquet", data_files={json.dumps(files, ensure_ascii=False)}'
    else:
        # A bare name may be one that `datasets` has a loader of its own for, such as "json".
        place = str(out) if out.is_absolute() or out.parts[:1] in ((), ("..",)) else f"./{out}"
        loading = f'{json.dumps(place, ensure_ascii=False)}, "{configs[0]}"'
    lines = [f"load_dataset({loading}) loads it."]
    if not chosen:
        others = ", ".join(config for config in CONFIGS if config not in configs)
        lines.insert(0, f"This is the config {configs[0]}; --config {ALL} builds {others} as well.")
    return "\n".join(lines)


def _path(text: str) -> Path:
    """A path whose home folder the shell may have left to us, as in --out=~/x."""
    if is_url(text):
        copy = f"import fsspec; fs, at = fsspec.url_to_fs({text!r}); fs.get(at, 'DIR', recursive=True)"
        raise argparse.ArgumentTypeError(f'{text} is a URL: copy it to a folder first: python -c "{copy}"')
    path = os.path.expanduser(text)
    if not text or path.startswith("~"):
        raise argparse.ArgumentTypeError(f"there is no such user as in {text!r}" if text else "is empty")
    return Path(path)


def _list(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,40}", text):  # int() takes the digits of all scripts
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}")
    return int(text)


def _span(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"must be a level such as 3 or a span such as 2-4, not {text!r}")
    return int(match[1]), int(match[2] or match[1])
