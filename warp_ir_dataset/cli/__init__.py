"""The command `warp-ir`. Wrong input ends with one line and exit status 2."""

from __future__ import annotations

import argparse
import errno
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from ..builds.request import Request
from ..common.configs import CONFIGS, DEFAULT_CONFIG
from ..common.errors import Failure, UserError
from ..common.files import is_url
from ..common.given import one_of, whole
from ..common.interrupts import GOES_ON, INTERRUPTED, STOPPED, Ended, stopping_at_once, stopping_in_order
from ..common.redacted import redacted
from ..common.versions import DATASET_VERSION
from ..synthesis.categories import CATEGORIES
from .options import ALL, Run, parser, path

if TYPE_CHECKING:
    from ..builds.engine import Engine
    from ..builds.plan.plan import Plan
    from ..evaluation.validation.finding import Validation
    from ..evaluation.validation.on_device import OnDevice
    from ..publishing.summary import Planned, Spent

WRONG_INPUT = 2
MOST_WORKERS = 8  # a core: each takes memory, and more of them than cores are no faster
LIMITS = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
FAILED = 1


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
    stopped = STOPPED
    try:
        with stopping_in_order():
            build = partial(_build, engine=engine, planner=planner)
            building = {"build": partial(build, plan_only=False), "plan": partial(build, plan_only=True)}
            options = parser({**RUNS, **building}).parse_args(arguments)
            stopped = GOES_ON if options.keeps else STOPPED
            run: Run = options.run
            return run(options)
    except UserError as error:
        return _say(f"error: {error}", WRONG_INPUT)
    except Failure as error:
        return _say(f"error: {error}", FAILED)
    except OSError as error:
        if error.errno not in LIMITS:
            raise
        return _say(f"error: {error.strerror}: raise what limits this process (see ulimit -a)", FAILED)
    except Ended as end:
        return _say(stopped, end.status)
    except KeyboardInterrupt:
        return _say(stopped, INTERRUPTED)


def _say(line: str, status: int) -> int:
    print(redacted(f"warp-ir: {line}"), file=sys.stderr)
    return status


def _build(
    options: argparse.Namespace,
    engine: Callable[..., Engine] | None,
    planner: Callable[[Request], Plan] | None,
    plan_only: bool,
) -> int:
    with stopping_at_once():
        from .. import api
        from ..builds.filling import BATCH_SIZE

    out = _folder(options, "plan" if plan_only else "build")
    _at_least_one(options, "workers", "batch_size")
    engaged = (engine or _engine(options))(
        workers=options.workers,
        batch_size=options.batch_size or BATCH_SIZE,
        skip_faults=options.skip_faults,
    )
    if not plan_only and (options.shard is not None or options.finish):
        return _part(options, out, engaged)
    requests = _requests(options)
    version = DATASET_VERSION if options.dataset_version is None else options.dataset_version
    to: dict[str, Any] = {"engine": engaged, "planner": planner, "version": version}
    if plan_only:
        told = not (options.json or options.quiet)
        says = _print_line if options.json else print if told else lambda _: None
        api.plan(requests, out, **to, quiet=options.quiet, on_config=says)
        if told:
            then = "--shard 0/N fills the first of N parts, with --finish in the end."
            print(f"warp-ir build {redacted(str(out))} {then}")
        return 0
    then = _how_to_load(out, [request.config for request in requests], chosen=options.config is not None)
    return _summed_up(options, partial(api.build, requests, out, **to), lambda _: then)


def _summed_up(
    options: argparse.Namespace,
    run: Callable[..., Mapping[str, Any] | None],
    then: Callable[[Mapping[str, Any]], str],
) -> int:
    """Build all or a part, and say what was made: a line of JSON for each config as soon as it is done, or a
    summary in the end, and what to do `then`."""
    from ..publishing.summary import summary

    spent: list[Spent] = []
    begin = monotonic()
    made = run(quiet=options.quiet, on_config=_print_line if options.json else spent.append)
    if not (options.json or options.quiet):
        manifest = made or {"configs": {each.config: each.manifest for each in spent}}
        print(summary(manifest, spent, monotonic() - begin))
        print(f"\n{then(manifest)}")
    return 0


def _print_line(spent: Spent | Planned) -> None:
    print(json.dumps(spent.as_json()), flush=True)


def _requests(options: argparse.Namespace) -> list[Request]:
    named = tuple(dict.fromkeys(chain(*(options.config or [[DEFAULT_CONFIG]]))))
    for name in named:
        one_of("config", name, (*CONFIGS, ALL))
    configs = tuple(CONFIGS) if ALL in named else named
    return [Request(config, **_asked(options)) for config in configs]


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """What was said of the rows of every config."""
    said = {name: getattr(options, name) for name in ("num_kernels", "seed", "arch", "difficulty")}
    said["categories"] = options.category and tuple(chain(*options.category))
    return {name: value for name, value in said.items() if value is not None}


def _part(options: argparse.Namespace, out: str | Path, engine: Engine) -> int:
    """Fill a part of what was planned, or finish it. Its parameters are those of the plan."""
    from .. import api

    if options.shard is not None and options.finish:
        raise UserError("--finish joins parts that are made already: give it without --shard")
    if options.config or _asked(options) or options.dataset_version is not None:
        raise UserError("warp-ir plan has chosen configs, rows and version: leave these options out")
    if options.shard is not None:
        then = (
            f"warp-ir build {redacted(str(out))} --finish makes one build of all parts, once they are filled."
        )
        return _summed_up(options, partial(api.build_part, out, options.shard, engine=engine), lambda _: then)
    return _summed_up(
        options,
        partial(api.finish, out, engine=engine),
        lambda manifest: _how_to_load(out, [*manifest["configs"]], chosen=True),
    )


def _engine(options: argparse.Namespace) -> Callable[..., Engine]:
    from ..builds.engine import LocalEngine, RayEngine

    if options.engine == "ray":
        return partial(RayEngine, address=options.address)
    if options.address:
        raise UserError("--address is a Ray cluster's: use it with --engine ray")
    return LocalEngine


def _extract(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from .. import api

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
        from .. import api
        from ..publishing import plots
        from ..publishing.report import REPORT, terminal

    out = options.out or options.folder / "report"
    print(terminal(api.report(options.folder, out)))
    with_plots = ", with plots" if plots.available() else f" ({plots.ADVICE})"
    print(f"\nThe whole report is {out / REPORT}{with_plots}.")
    return 0


def _export(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from .. import api

    out = options.out or options.folder / f"export-{options.format}"
    rows = api.export(options.folder, options.format, out, strip_comments=options.strip_comments)
    print(f"{rows.total():,} rows are in {out}")
    return 0


def _primer(options: argparse.Namespace) -> int:
    from ..language.python.primer import primer

    print(primer(), end="")
    return 0


def _push(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from .. import api
        from ..publishing.hub.push import asked_token, check_words

    check_words(options.name, options.replace, options.revision)
    print(
        api.push_to_hub(
            options.folder,
            options.name,
            private=options.private,
            revision=options.revision,
            create_pr=options.create_pr,
            token=asked_token(),
            dry_run=options.dry_run,
            replace=options.replace,
        )
    )
    return 0


def _score(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from .. import api

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
        allow_weaker_sandbox=options.allow_weaker_sandbox,
    )
    print(json.dumps(found.as_json(), indent=2) if options.json else found)
    return 0


def _validate(options: argparse.Namespace) -> int:
    with stopping_at_once():
        from .. import api

    _at_least_one(options, "workers", "sample")
    configs = options.config and list(chain(*options.config))
    found: Validation | OnDevice
    if options.gpu:
        found = api.validate_on_device(
            options.folder,
            configs=configs,
            sample=options.sample,
            seed=options.seed,
            workers=options.workers,
            trust=options.trust,
        )
    else:
        if options.trust:
            raise UserError("--trust is for --gpu: without it, all that a folder holds runs in a sandbox")
        found = api.validate(
            options.folder,
            configs=configs,
            sample=options.sample,
            seed=options.seed,
            workers=options.workers,
        )
    print(json.dumps(found.as_json(), indent=2) if options.json else found)
    return 0 if found.ok else FAILED


def _check(options: argparse.Namespace) -> int:
    from .. import api
    from ..machine.check import parsed

    try:
        text = options.file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{options.file} cannot be read: {getattr(error, 'strerror', 'it is no text')}"
        ) from None
    seed = whole("seed", options.seed, 0, 2**30)
    found = api.check_cuda(
        text,
        options.kernel,
        [parsed(each, seed + place) for place, each in enumerate(options.arguments)],
        grid=options.grid,
        block=options.block,
        shared=options.shared,
        seed=seed,
    )
    print(json.dumps(found.as_json(), indent=2) if options.json else found)
    return FAILED if found.findings else 0


def _at_least_one(options: argparse.Namespace, *names: str) -> None:
    """Raise `UserError` for numbers below one, and for so many workers that the number must be mistyped."""
    from ..workers.seats import cores

    for name in names:
        if (value := getattr(options, name)) is not None and value < 1:
            raise UserError(f"--{name.replace('_', '-')} must be at least 1, not {value}")
    if "workers" in names and options.workers and options.workers > (most := MOST_WORKERS * cores()):
        raise UserError(f"--workers must be at most {most}, {MOST_WORKERS} a core, not {options.workers}")


def _folder(options: argparse.Namespace, command: str) -> str | Path:
    """OUT, also where it stands last and an option that takes several names has swallowed it."""
    if options.out is None:
        for names, known in ((options.config, (*CONFIGS, ALL)), (options.category, CATEGORIES)):
            if names and len(names) > 1 and names[-1][0] not in known and len(names[-1]) == 1:
                options.out = names.pop()[0]
                break
        else:
            raise UserError(f"say where to write: warp-ir {command} OUT (see warp-ir {command} --help)")
    if is_url(options.out):
        url: str = options.out
        return url
    if options.out in CONFIGS and options.config is None and not Path(options.out).exists():
        name = options.out
        raise UserError(
            f"{name} is a config: warp-ir {command} OUT --config {name}, or ./{name} for a folder"
        )
    try:
        return path(options.out)
    except argparse.ArgumentTypeError as error:
        raise UserError(f"argument OUT: {error} (see warp-ir {command} --help)") from None


def _how_to_load(out: str | Path, configs: Sequence[str], chosen: bool) -> str:
    """What to do with a build; where no config was asked for, also how to get others."""
    if isinstance(out, str):
        # With nothing before the first '*', s3fs 2026.4 to 2026.6 finds all of them (its pull request 1034).
        from ..builds.plan.sizes import split_sizes

        place = f"{redacted(out.rstrip('/'))}/{configs[0]}"
        splits = (split for split, rows in split_sizes(Request(configs[0])).items() if rows)
        files = {split: f"{place}/*{split}-*.parquet" for split in splits}
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


RUNS: Mapping[str, Run] = {
    "extract": _extract,
    "report": _report,
    "export": _export,
    "push": _push,
    "score": _score,
    "validate": _validate,
    "check": _check,
    "primer": _primer,
}
