"""The public functions of the package, one for each command. `build` shows all steps of a build at a glance.

A request (`builds.request`) becomes a plan, which lists the addresses to try for each shard (`builds.plan`).
At each address a program is drawn (`synthesis`), written as Python (`language`), compiled (`compilers`) and
proved by running it (`proof`): all that in worker processes (`workers`), which answer with a row
(`builds.row`) or with the reason why there is none. The first that pass fill a shard (`builds.filling`),
shards become files of a folder (`builds.output`), and the folder gets its card (`publishing`). `load_dataset`
(`loading`) takes the same steps for one shard at a time, when it is read.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace as changed
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from .builds.engine import Engine, LocalEngine
from .builds.filling import Fill
from .builds.output.build import Build, joined, opened, store_of
from .builds.output.files import Files
from .builds.output.store import Part, Store
from .builds.plan.plan import Plan
from .builds.plan.saved import planned
from .builds.request import (
    DEFAULT_ARCH,
    DEFAULT_CATEGORIES,
    DEFAULT_KERNELS,
    DEFAULT_SEED,
    DIFFICULTIES,
    Request,
)
from .common import given
from .common.configs import CONFIGS, DEFAULT_CONFIG
from .common.errors import UserError
from .common.outcomes import Rejected
from .common.versions import DATASET_VERSION
from .judge.score import score as score
from .judge.score import score_many as score_many
from .language import ir
from .language.identity import identify, identify_text
from .language.python.primer import primer as primer
from .language.python.read import Unreadable, read
from .proof.inputs import draw_cases, fit_cases
from .proof.subject import Cases, Proof, Subject
from .publishing.card import write_card
from .publishing.summary import Planned, Spent
from .publishing.trainers import chat as chat
from .publishing.trainers import strip_comments as strip_comments
from .workers.pool import Pool
from .workers.progress import Bar, Tally
from .workers.seats import cores
from .workers.task import Task

if TYPE_CHECKING:
    from .builds.extraction.folder import Extracted
    from .compilers.extracting.extract import Extraction
    from .evaluation.evaluation import Evaluation
    from .evaluation.validation.finding import Validation
    from .evaluation.validation.on_device import OnDevice
    from .machine.findings import Checked
    from .publishing.facts import Facts
    from .publishing.hub.push import Push

# Processes that have a context on one device, unless more are asked for: each takes some hundred MB of it.
MOST_CONTEXTS = 8


def build(
    requests: Request | Sequence[Request],
    folder: str | Path,
    *,
    engine: Engine | None = None,
    planner: Callable[[Request], Plan] | None = None,
    version: str = DATASET_VERSION,
    quiet: bool = False,
    on_config: Callable[[Spent], None] = lambda _: None,
) -> dict[str, Any]:
    """Build one dataset in a folder, one request per config: Parquet shards, a manifest and a card.

    `folder` may be a URL of any file system of fsspec's, as ``"s3://bucket/folder"``. A build that was
    stopped goes on where it was. `engine` is who plans and fills the shards, all cores of this machine unless
    it is given; it does not change the rows. What planning scans is kept beside the folder (or in it:
    `scan_cache_of`), for other configs and for a build that goes on. `version` stands in card and manifest.
    `quiet` shows no bar; `on_config` hears of each config that is whole. Returns the manifest: parameters,
    versions, and per config what was drawn and the files with rows, bytes, SHA-256 and rejections by reason.

    Raises `UserError` for requests that differ in more than their config, a folder that holds something else
    or cannot be written, and a machine whose Warp cannot do it; `Shortage` where too few candidates pass;
    `Fault` for a kernel that never ends; `WorkerError` for processes that fail.
    """
    engine = _engine(engine)
    store = store_of(folder)  # before a process tells what Warp can do
    requests = _listed(requests, engine)
    planner = planner or _planner(engine, store, quiet)
    with opened(store, requests, engine, version) as output:
        # What can be refused, for its architecture or by a Warp without CUDA, comes first.
        for request in sorted(requests, key=lambda request: not CONFIGS[request.config].cuda):
            begin = monotonic()
            with engine.started(request) as fill:  # while the plan is made
                files = output.planned(request, planner)
                begin_proofs = monotonic()
                made, entries = _filled(files, fill, Part(0, 1), quiet)
            output.take(files, entries)
            output.save()
            listed = output.manifest["configs"][request.config]
            seconds = {"planning": begin_proofs - begin, "proving": monotonic() - begin_proofs}
            on_config(Spent(request.config, made, seconds, listed))
        return _finished(output, quiet)


def plan(
    requests: Request | Sequence[Request],
    folder: str | Path,
    *,
    engine: Engine | None = None,
    planner: Callable[[Request], Plan] | None = None,
    version: str = DATASET_VERSION,
    quiet: bool = False,
    on_config: Callable[[Planned], None] = lambda _: None,
) -> None:
    """Plan a build in a new folder that several machines share (or at a URL, as in `build`), and leave its
    shards to `build_part`.

    The arguments are those of `build`; `engine` proves nothing yet, but its versions count, and whether it
    skips faults. `on_config` hears of each config that is planned. Raises `UserError` as `build` does and for
    a folder that holds a build, and what `build` raises of planning.
    """
    engine = _engine(engine)
    store = store_of(folder)  # before a process tells what Warp can do
    requests = _listed(requests, engine)
    planner = planner or _planner(engine, store, quiet)
    with opened(store, requests, engine, version) as output:
        output.check_new()
        for request in requests:
            begin = monotonic()
            files = output.planned(request, planner)
            on_config(Planned(files.plan, monotonic() - begin))
        store.forget_scan_cache()


def build_part(
    folder: str | Path,
    part: str | Part,
    *,
    engine: Engine | None = None,
    quiet: bool = False,
    on_config: Callable[[Spent], None] = lambda _: None,
) -> None:
    """Fill the shards of one part of a planned folder: ``"0/3"`` is the first of three. Parts may be filled
    at once, on any machines that see the folder; one that was stopped goes on where it was. `on_config` hears
    of each config that the part has filled.

    Raises `UserError` for a part that cannot be, a folder without a plan, and an engine of other versions
    than it was planned with; and what `build` raises of proofs.
    """
    if not isinstance(part, (str, Part)):
        raise UserError(f"part must be a text such as '0/3', not {given.shown(part)}")
    part = Part.parse(part) if isinstance(part, str) else part
    engine = _engine(engine)
    with joined(store_of(folder), engine, part) as output:
        turn = 0
        for files in output.files():
            begin = monotonic()
            with engine.started(files.request) as fill:
                made, listed = _filled(files, fill, part, quiet, turn)
            turn += len(files.plan.shards)
            on_config(Spent(files.request.config, made, {"proving": monotonic() - begin}, {"files": listed}))


def finish(
    folder: str | Path,
    *,
    engine: Engine | None = None,
    quiet: bool = False,
    on_config: Callable[[Spent], None] = lambda _: None,
) -> dict[str, Any]:
    """Make one build of a planned folder whose parts are all filled: the same bytes as by `build`. `quiet`
    shows no bar; `on_config` hears of each config whose files were checked. Returns the manifest.

    Raises `UserError` where shards are missing, and as `build_part` does.
    """
    with joined(store_of(folder), _engine(engine)) as output:
        for files in output.files():
            begin = monotonic()
            output.take(files)
            config = files.request.config
            seconds = {"checking": monotonic() - begin}
            on_config(Spent(config, 0, seconds, output.manifest["configs"][config]))
        return _finished(output, quiet)


def load(
    config: str = DEFAULT_CONFIG,
    split: str | None = None,
    streaming: bool = False,
    *,
    num_kernels: int = DEFAULT_KERNELS,
    seed: int = DEFAULT_SEED,
    arch: str = DEFAULT_ARCH,
    categories: Sequence[str] = DEFAULT_CATEGORIES,
    difficulty: int | tuple[int, int] = DIFFICULTIES,
    num_proc: int | None = None,
) -> Any:
    """Synthesize a config, or read it from the cache, as `datasets` would load it.

    Returns a `Dataset` where `split` names one and a `DatasetDict` of all where not; with `streaming` an
    `IterableDataset` or `IterableDatasetDict`, whose shards are made when they are read. `num_kernels` counts
    the rows of all splits together, `difficulty` is a level from 1 to 5 or an inclusive span; they are those
    of `Request`. `num_proc` processes share the reading of what is not streamed; all cores make it. Without
    parameters, the rows are those of ``load_dataset("./warp_ir_dataset", config)``.

    Raises `UserError` for parameters that cannot be, and a cache that cannot be written.
    """
    from .loading.builder import WarpIR, check_wanted

    builder = WarpIR(
        config,
        num_kernels=num_kernels,
        seed=seed,
        arch=arch,
        categories=categories,
        difficulty=difficulty,
    )
    check_wanted(builder.config.request, split, streaming, num_proc)
    if streaming:
        return builder.as_streaming_dataset(split=split)
    builder.download_and_prepare(num_proc=num_proc)
    return builder.as_dataset(split=split)


def prove(
    source: str,
    signature: ir.Signature,
    cases: Cases | None = None,
    *,
    config: str = DEFAULT_CONFIG,
    arch: str = DEFAULT_ARCH,
    must_tell: bool = False,
) -> Proof | Rejected:
    """Compile one kernel of anybody's, run it, and hold the results against each other.

    `source` is a Python module that defines it; `signature` (`language.ir.Signature`) says its name, its
    arguments in order with their types, shapes, roles and domains, and the launch. `cases` (`proof.subject.
    Cases`) are what it is run on, drawn from the domains if not given: ten inputs, the same for the same
    kernel. With `must_tell` it is also refused as degenerate if an output does not vary, or ignores an input.

    Returns a `Proof`: the code of the config, its PTX for `arch`, the outputs on one input, in
    ``cuda_backward`` gradients too, and which checks were made; or a `Rejected` with a reason and one line.
    The kernel runs in a process of its own, since a kernel that writes out of bounds may kill its process. A
    crash is a `Rejected`, and so is a run that does not end within minutes.

    Raises `UserError` for an unknown config or arch, for a signature that is not the kernel's, for cases that
    are not the signature's, and for a Warp that cannot do it; `WorkerError` for a process that fails in
    another way, such as one whose memory the kernel has damaged.
    """
    given.one_of("config", config, CONFIGS)
    if not isinstance(signature, ir.Signature):
        raise UserError(f"signature must be a Signature, not {given.shown(signature)}")
    source = given.text("source", source)
    if cases is None:
        cases = draw_cases(signature, _seed_text(source, signature))
    subject = Subject(source, signature, fit_cases(signature, cases), must_tell=must_tell)
    task = Task("warp_ir_dataset.proof.prove:prove_named", (config, arch), of_others=True)
    with Pool[Subject](1, task, skip_faults=True) as pool:
        pool.submit(None, [subject])
        ((_, (outcome,)),) = pool.results()
    return cast("Proof | Rejected", outcome)


def extract(
    module: str | Path,
    out: str | Path,
    *,
    arch: str = DEFAULT_ARCH,
    examples: bool = False,
    seconds: float = 120.0,
    workers: int | None = None,
    quiet: bool = False,
) -> Extracted:
    """Write what `extract_ir` finds of each kernel that a module makes: a folder that `load_dataset` reads.

    `module` is a module's name or a file (``solver.py``), with ``:kernel`` behind it for one kernel. It is
    imported in child processes, which end after `seconds` at an import or a kernel. `out` must be new or
    empty; it gets rows of the usual schema for each config, a card, and ``failures.jsonl``, which says why a
    kernel, or its code for a config, is not there. With `examples`, a launch and inputs are looked for, and
    a kernel is run and proved like ours; one that cannot be run, or fails its proof, has no row.

    Returns how many rows there are by config and split, and what is missing.

    Raises `UserError` for what is no module, cannot be imported, makes no kernel or none that can be
    extracted, and where `out` holds something or cannot be written.
    """
    from .builds.extraction.extract import extract_folder

    given.folder("module", module)
    module, out = os.fspath(module), given.folder("out", out)
    if not isinstance(seconds, (int, float)) or not seconds > 0:
        raise UserError(f"seconds must be a number above 0, not {given.shown(seconds)}")
    if workers is not None:
        workers = given.whole("workers", workers, 1)
    return extract_folder(module, out, arch, examples=examples, seconds=seconds, workers=workers, quiet=quiet)


def extract_ir(kernel: Any, *, arch: str | None = DEFAULT_ARCH) -> Extraction:
    """What Warp and NVRTC make of a kernel of anybody's, and a source of it that stands alone.

    `kernel` is what ``@wp.kernel`` returned, or for one that takes any type what `wp.overload` did; it may
    come from a function, a class or a notebook, and is left as it was. `arch` is what PTX is made for; None
    leaves PTX out. Nothing is run, and no GPU is needed.

    Returns an `Extraction`: ``python_source``, ``cpp``, ``cuda``, ``cuda_backward``, ``ptx``,
    ``ptx_backward`` and ``signature``. What cannot be had is None there, with the reason in ``missing``.
    Raises `UserError` for what is no kernel, a generic kernel, one that Warp refuses, and an unknown `arch`.
    """
    from .compilers.extracting.extract import extract

    return extract(kernel, arch)


def report(folder: str | Path, out: str | Path | None = None) -> Facts:
    """Measure a build, and write `report.md` to `out` (``<folder>/report``), with plots where matplotlib is
    installed.

    Returns what was measured, by config. Raises `UserError` for a folder without a build, and where `out`
    cannot be written.
    """
    from .publishing import report as publishing

    folder = given.folder("folder", folder)
    return publishing.report(folder, folder / "report" if out is None else given.folder("out", out))


def export(
    folder: str | Path,
    format: str = "jsonl",
    out: str | Path | None = None,
    *,
    strip_comments: bool = False,
) -> Counter[tuple[str, str]]:
    """Write a build's rows in another layout to `out` (``<folder>/export-<format>``), which must be new or
    empty.

    `format` is ``jsonl``, one line per row, ``json-pairs``, one file per pair, or ``cuda``, plain CUDA as
    programs, with a Makefile that builds and runs them. `strip_comments` takes comments out of the
    completions. Returns how many rows were written, by config and split. Raises `UserError` for another
    format, a folder without a build or without rows in plain CUDA for ``cuda``, and where `out` holds
    something or cannot be written.
    """
    from .publishing import export as publishing

    folder = given.folder("folder", folder)
    place = folder / f"export-{format}" if out is None else given.folder("out", out)
    return publishing.export(folder, place, format, stripped=strip_comments)


def score_predictions(
    folder: str | Path,
    predictions: str | Path,
    *,
    config: str = DEFAULT_CONFIG,
    task: str | None = None,
    split: str = "test",
    results: str | Path | None = None,
    ks: Collection[int] | None = None,
    workers: int | None = None,
    seed: int = 0,
    allow_weaker_sandbox: bool = False,
    quiet: bool = False,
) -> Evaluation:
    """Judge what a model answered to the rows of a split of a build: pass@k, by family and difficulty.

    `predictions` is a file of JSON lines with `id` and `completion`, several for an id if there are; rows
    without one count as unsolved. Verdicts are kept in `results` (``<predictions>.verdicts.jsonl`` beside
    it), a line each, so that what was stopped goes on and no answer is judged twice. `ks` are those of
    pass@k: 1, and the number of answers that every answered kernel has at least, if not given. `workers`
    (all cores) do not change the verdicts; `seed` is that of the hidden inputs (see `score`). `task` is
    for the config handwritten, whose originals and twins have a score each: which of its prompts were
    answered (that of cuda).

    Raises `UserError` for a folder without such rows, predictions that are none, and what `score` raises.
    """
    from .evaluation.evaluate import evaluate

    return evaluate(
        given.folder("folder", folder),
        given.folder("predictions", predictions),
        config=config,
        task=task,
        split=split,
        results=None if results is None else given.folder("results", results),
        ks=None if ks is None else [given.whole("k", k) for k in given.several("ks", ks)],
        workers=cores() if workers is None else given.whole("workers", workers, 1),
        seed=given.whole("seed", seed, 0),
        allow_weaker_sandbox=allow_weaker_sandbox,
        quiet=quiet,
    )


def check_cuda(
    text: str,
    kernel: str,
    arguments: Sequence[Any],
    *,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    shared: int = 0,
    seed: int = 0,
) -> Checked:
    """Run a CUDA kernel on this CPU, and say which of CUDA's rules it breaks: races, bounds, barriers,
    first values.

    `text` is CUDA C++ of the device alone, without conditional preprocessing, and `kernel` the name of one
    in it (``scale`` or, of a template's, ``scale<float>``). `arguments` are its arguments in order: arrays of
    numpy's, which are changed in place as on a device, numbers, and None for a null pointer. What the
    kernel has through a pointer to constants is an input. `grid` and `block` are numbers or up to three of
    them, a block has at most 1,024 threads, and `shared` are the bytes of dynamic shared memory. Threads
    and blocks run in four orders, two of them drawn by `seed`; the arrays are as the first order leaves
    them: first to last.

    Returns a `Checked`: ``findings``, none for a kernel that is right on these arguments, ``notes`` and
    ``steps``; docs/machine.md lists their kinds. The kernel runs in the judge's sandbox. Raises `UserError`
    for a text that does not compile or that the machine does not take, for arguments that are not the
    kernel's, and where a layer of the sandbox is missing; `Failure` where the machine did not come to an
    end, which says nothing of the kernel.
    """
    from .judge.launches import checked

    return checked(
        given.text("text", text),
        given.text("kernel", kernel),
        given.several("arguments", arguments),
        grid,
        block,
        shared,
        given.whole("seed", seed, 0, 2**30),
    )


def push_to_hub(
    dataset: Any,
    name: str,
    config: str | None = None,
    *,
    version: str = DATASET_VERSION,
    private: bool = False,
    revision: str | None = None,
    create_pr: bool = False,
    token: str | None = None,
    dry_run: bool = False,
    replace: Collection[str] = (),
) -> Push:
    """Publish a folder that `build` wrote, or datasets in memory, with a full card, as the dataset `name`.

    `dataset` is a folder, a `DatasetDict`, a `Dataset`, or a mapping of those by config: what is pushed is
    the whole dataset, not one config beside others. `config` and `version` are for datasets in memory; a
    folder has its own.

    `revision` is another branch than main, made if it is new. A push to main tags its commit with the
    version. `replace` names what may be lost: a "card" that was edited on the Hub, "configs" that are not
    pushed, what the "tag" of this version points at. Returns what was sent, or with `dry_run` would be.

    Raises `UserError` for what you can mend, `HubError` when the Hub does not answer for minutes.
    """
    from .publishing.hub.in_memory import pack
    from .publishing.hub.push import check_words, push

    replace = given.names("replace", replace)
    check_words(name, replace, revision, token)
    with tempfile.TemporaryDirectory() as packed:
        if not isinstance(dataset, (str, Path)):
            pack(dataset, Path(packed), config, version)
            dataset = packed
        return push(
            dataset,
            name,
            private=private,
            revision=revision,
            create_pr=create_pr,
            token=token,
            dry_run=dry_run,
            replace=replace,
        )


def validate(
    folder: str | Path,
    *,
    configs: Sequence[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    quiet: bool = False,
) -> Validation:
    """Prove a built folder again, from its files alone.

    Files are held against the manifest, the card against the rows, rows against their own source, their split
    and the plan; and every row (or `sample` of each config, chosen by `seed`) is drawn again at its address,
    compiled, run on its cases, and must be the same. `configs` are all of the folder's if not given,
    `workers` all cores. Nothing that the folder says is executed, but of a build of another version, which
    cannot be drawn again: each row's completion, in the judge's sandbox. What that leaves open is unproved.

    Returns a `Validation`: `findings` by check and config, and `ok`, which is true only where every check was
    made and passed. Raises `UserError` for a folder without a build, rows that were not built, an unknown
    config, and a Warp that cannot do it; `WorkerError` for processes that fail.
    """
    from .evaluation.validation.validate import in_processes
    from .evaluation.validation.validate import validate as validated

    processes = cores() if workers is None else given.whole("workers", workers, 1)
    with tempfile.TemporaryDirectory() as scanned:  # configs of one build share candidates
        return validated(
            given.folder("folder", folder),
            configs=None if configs is None else given.names("configs", configs),
            sample=None if sample is None else given.whole("sample", sample, 1),
            seed=given.whole("seed", seed, 0),
            planner=partial(
                planned, workforce=partial(Pool[Any], processes), scan_cache=Path(scanned), quiet=quiet
            ),
            workshop=in_processes(processes),
            quiet=quiet,
        )


def validate_on_device(
    folder: str | Path,
    *,
    configs: Sequence[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
    device: str | None = None,
    workers: int | None = None,
    trust: bool = False,
    quiet: bool = False,
) -> OnDevice:
    """Launch the rows of a built folder on a GPU, with Warp, and hold the results against their examples.

    `device` is Warp's name of it, the first CUDA device if not given. Outputs are compared, and gradients
    where a config has them; with `sample`, so many rows of each config are run, chosen by `seed`. Where
    compute-sanitizer is installed, some of them are run under it too. Each of the `workers`, as many as cores
    but at most eight if not given, has a context of its own on the device. A str of what is returned is a
    table by family.

    No sandbox is around a launch, so the rows must be what this machine wrote, unless you `trust` whoever
    did. Raises `UserError` for others, a folder without a build, an unknown config, and where there is no
    such device;
    `WorkerError` for processes that fail.
    """
    from .evaluation.validation.on_device import on_device
    from .evaluation.validation.validate import in_processes

    processes = min(cores(), MOST_CONTEXTS) if workers is None else given.whole("workers", workers, 1)
    return on_device(
        given.folder("folder", folder),
        configs=() if configs is None else given.names("configs", configs),
        sample=None if sample is None else given.whole("sample", sample, 1),
        seed=given.whole("seed", seed, 0),
        device=None if device is None else given.text("device", device),
        workshop=in_processes(processes),
        trust=trust,
        quiet=quiet,
    )


def _seed_text(source: str, signature: ir.Signature) -> str:
    """What a kernel's inputs are drawn from: its id, or a hash of a source that cannot be read."""
    try:
        return identify(read(source, signature)).id
    except Unreadable:
        return identify_text(source).id


def _filled(
    files: Files, fill: Fill, part: Part, quiet: bool, turn: int = 0
) -> tuple[int, dict[str, dict[str, Any]]]:
    """Fill those files of a part that are missing: how many rows were proved, and what the manifest will say
    of all files of the part. `turn` is that of the first file."""
    own = [shard for at, shard in enumerate(files.plan.shards, turn) if at % part.count == part.index]
    entries = {shard.name: files.entry(shard) for shard in own}
    missing = [shard for shard in own if entries[shard.name] is None]
    rows, to_do = (sum(shard.rows for shard in shards) for shards in (own, missing))
    config = files.request.config
    title = config if part.count == 1 else f"{config} {part}"
    made = 0
    with Bar(Tally(title, rows, done=rows - to_do, spares=CONFIGS[config].drawn), quiet=quiet) as bar:
        for shard, entry in files.fill(missing, fill, bar.seen, part.count):
            entries[shard.name] = entry
            made += entry["rows"]
    return made - files.known_rows, {files.name(shard): entries[shard.name] or {} for shard in own}


def _finished(output: Build, quiet: bool) -> dict[str, Any]:
    """Write the card of a whole build; returns the manifest."""
    output.finish(partial(write_card, quiet=quiet))
    return output.manifest


def _planner(engine: Engine, store: Store, quiet: bool) -> Callable[[Request], Plan]:
    def plan(request: Request) -> Plan:
        return planned(request, workforce=engine.workforce, scan_cache=store.scan_cache, quiet=quiet)

    return plan


def _engine(engine: Engine | None) -> Engine:
    """The engine that fills shards: the given one, or all cores of this machine. Raises `UserError`."""
    if engine is not None and not hasattr(engine, "started"):
        raise UserError(f"engine must be an Engine, such as LocalEngine(), not {given.shown(engine)}")
    return engine or LocalEngine()


def _listed(asked: Request | Sequence[Request], engine: Engine) -> list[Request]:
    """The requests of one build. Raises `UserError` for those that are not, and for what the engine's prover
    cannot compile for."""
    requests = [asked] if isinstance(asked, Request) else given.several("requests", asked)
    for request in requests:
        if not isinstance(request, Request):
            raise UserError(f"a request is a Request, as Request('cuda'), not {given.shown(request)}")
    if not requests:
        raise UserError("nothing to build: give a request for each config")
    configs = [request.config for request in requests]
    if len(set(configs)) < len(configs):
        raise UserError(f"a build has one request per config, not {', '.join(configs)}")
    if any(changed(request, config=configs[0]) != requests[0] for request in requests):
        raise UserError(
            "the requests of one build differ in their config alone: build others in other folders"
        )
    for request in requests:
        engine.prover.check(request)
    return requests
