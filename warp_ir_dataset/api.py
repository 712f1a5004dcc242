"""The public functions of the package, one for each command. `build` shows all steps of a build at a glance.

A request (`builds.request`) becomes a plan, which lists the addresses to try for each shard (`builds.plan`).
At each address a program is sampled (`synthesis`), written as Python (`language`), compiled (`compilers`) and
proved by running it (`proof`). Worker processes (`workers`) do this, and return a row (`builds.row`) or the
reason why there is none. The first rows fill a shard (`builds.filling`),
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
from .workers.progress import Bar
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

    A build that was stopped goes on where it was. Records of planning are kept beside the folder (or in it:
    see `scan_cache_of`), for other configs and for a build that goes on.

    Args:
        requests: One request, or one for each config. They may differ in their config only.
        folder: A new folder, or that of a stopped build; or a URL of any file system of fsspec, such as
            ``"s3://bucket/folder"``.
        engine: Plans and fills the shards; by default all cores of this machine. The rows do not depend on
            it.
        planner: Makes the plan of a request; by default `planned`, on the engine's workers.
        version: The version that card and manifest name, such as ``"1.0.0"``.
        quiet: Show no progress bars.
        on_config: Called with a `Spent` for each config, once all its shards are written.

    Returns:
        The manifest: parameters, versions, and for each config how many candidates were sampled, and its
        files with their rows, bytes, SHA-256 and rejections by reason.

    Raises:
        UserError: If the requests differ in more than their config, the folder holds something else or cannot
            be written, or Warp cannot compile for a request here.
        Shortage: If too few candidates pass their proof.
        Fault: If a kernel never ends, and the engine does not skip such kernels.
        WorkerError: If a worker process fails in another way.
    """
    engine = _engine(engine)
    store = store_of(folder)  # before a process reports what Warp can do
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
    """Plan a build in a new folder that several machines share, and leave its shards to `build_part`.

    Args:
        requests: One request, or one for each config. They may differ in their config only.
        folder: A new folder, or a URL, as in `build`.
        engine: Does the work of planning; by default all cores of this machine. It proves nothing yet, but
            parts need an engine of the same versions, and whether it skips faults is noted.
        planner: Makes the plan of a request; by default `planned`, on the engine's workers.
        version: The version that card and manifest will name, such as ``"1.0.0"``.
        quiet: Show no progress bars.
        on_config: Called with a `Planned` for each config, once it is planned.

    Raises:
        UserError: As in `build`, and if the folder holds a build.
        Failure: As in `build`, of worker processes that plan.
    """
    engine = _engine(engine)
    store = store_of(folder)  # before a process reports what Warp can do
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
    """Fill the shards of one part of a planned folder.

    Parts may be filled at once, on any machines that see the folder. A part that was stopped goes on where it
    was.

    Args:
        folder: A folder that `plan` wrote, or its URL.
        part: Which part of how many, counted from 0: ``"0/3"`` is the first of three.
        engine: Fills the shards; by default all cores of this machine.
        quiet: Show no progress bars.
        on_config: Called with a `Spent` for each config, once the part has filled its shards of it.

    Raises:
        UserError: If there is no such part, the folder has no plan, the engine has other versions than it was
            planned with, or another process fills the same part.
        Shortage: If too few candidates pass their proof.
        Fault: If a kernel never ends, and the engine does not skip such kernels.
        WorkerError: If a worker process fails in another way.
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
    """Make one build of a planned folder whose parts are all filled: the same bytes as `build` writes.

    Args:
        folder: A folder that `plan` wrote, or its URL.
        engine: Only its versions and whether it skips faults count; they must be those of the plan.
        quiet: Show no progress bars.
        on_config: Called with a `Spent` for each config, once its files are checked.

    Returns:
        The manifest, as `build` returns it.

    Raises:
        UserError: If shards are missing, a part is being filled, the folder has no plan, or the engine has
            other versions than it was planned with.
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

    Without parameters, the rows are those of ``load_dataset("./warp_ir_dataset", config)``.

    Args:
        config: Name of a config.
        split: Name of a split, or of slices such as ``"train[:10]"``; all splits if None. A stream has no
            slices.
        streaming: Return a stream, whose shards are made when they are read.
        num_kernels: Rows of all splits together.
        seed: Each seed gives other kernels.
        arch: GPU architecture of the PTX, such as ``"sm_80"``.
        categories: Families of kernels; all by default.
        difficulty: A level from 1 to 5, or an inclusive span of levels.
        num_proc: Processes that share the reading of what is not streamed, which all cores make; one if
            None.

    Returns:
        A `Dataset` if `split` names one, else a `DatasetDict`; with `streaming` an `IterableDataset` or an
        `IterableDatasetDict`.

    Raises:
        UserError: If a parameter has no such value, or a cache cannot be written.
        Failure: If rows cannot be made (see `build`). With `num_proc` above 1, `datasets` may wrap it in an
            error of its own.
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
    """Compile anybody's kernel, run it, and compare the results.

    The kernel runs in a process of its own, since a kernel that writes out of bounds may kill its process. A
    crash is a `Rejected`, and so is a run that does not end within minutes.

    Args:
        source: A Python module that defines the kernel.
        signature: Its name, its arguments in order with their types, shapes, roles and domains, and the
            launch.
        cases: What it is run on; by default ten inputs sampled from the domains, the same for the same
            kernel.
        config: Which code is wanted, and whether gradients are proved.
        arch: GPU architecture of the PTX, such as ``"sm_80"``.
        must_tell: Also refuse a kernel as degenerate if an output does not vary, or ignores an input.

    Returns:
        A `Proof`: the code of the config, its PTX, the outputs (in ``cuda_backward`` gradients too) and the
        checks that were made; or a `Rejected`, with a reason and one line.

    Raises:
        UserError: If the config or `arch` is unknown, the signature is not the kernel's, the cases are not
            the signature's, or Warp cannot compile for `arch` here.
        WorkerError: If the process fails in another way, for example because the kernel damaged its memory.
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

    The folder has rows of the usual schema for each config, a card, and ``failures.jsonl``, which says why a
    kernel, or its code for a config, is missing.

    Args:
        module: A module's name or a file (``solver.py``), with ``:kernel`` behind it for one kernel. It is
            imported in child processes.
        out: A new or empty folder.
        arch: GPU architecture of the PTX, such as ``"sm_80"``.
        examples: Also look for a launch and inputs, run each kernel and prove it like ours. A kernel that
            cannot be run, or fails its proof, has no row.
        seconds: Time limit of the import, and of each step with a kernel.
        workers: Number of processes; one for each core if None.
        quiet: Show no progress bar.

    Returns:
        How many rows there are by config and split, and what is missing.

    Raises:
        UserError: If `module` is none, cannot be imported, or makes no kernel that can be extracted, and if
            `out` is not empty or cannot be written.
        WorkerError: If a child process fails for another reason than a kernel.
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
    """Compile anybody's kernel with Warp and NVRTC, and write a source of it that stands alone.

    Nothing is run, and no GPU is needed.

    Args:
        kernel: What ``@wp.kernel`` returned; for a kernel that takes any type, what ``wp.overload`` returned.
            It may come from a function, a class or a notebook, and is left as it was.
        arch: GPU architecture of the PTX, such as ``"sm_80"``; None leaves PTX out.

    Returns:
        An `Extraction`: ``python_source``, ``cpp``, ``cuda``, ``cuda_backward``, ``ptx``, ``ptx_backward``
        and ``signature``. What cannot be made is None there, with the reason in ``missing``.

    Raises:
        UserError: If `kernel` is no kernel, is generic, or is refused by Warp, and if `arch` is unknown.
    """
    from .compilers.extracting.extract import extract

    return extract(kernel, arch)


def report(folder: str | Path, out: str | Path | None = None) -> Facts:
    """Measure a build, and write ``report.md``, with plots where matplotlib is installed.

    Args:
        folder: A folder that `build` wrote.
        out: Folder of the report; ``<folder>/report`` if None.

    Returns:
        What was measured, by config.

    Raises:
        UserError: If the folder holds no build, and if `out` cannot be written.
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
    """Write a build's rows in another layout.

    Args:
        folder: A folder that `build` wrote.
        format: ``"jsonl"``, one line per row; ``"json-pairs"``, one file per pair; or ``"cuda"``, plain CUDA
            as programs, with a Makefile that builds and runs them.
        out: A new or empty folder; ``<folder>/export-<format>`` if None.
        strip_comments: Take comments out of the completions.

    Returns:
        How many rows were written, by config and split.

    Raises:
        UserError: If the format is unknown, the folder holds no build (for ``"cuda"``: no rows in plain
            CUDA), and if `out` is not empty or cannot be written.
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
    """Judge a model's answers to the rows of a split of a build: pass@k, by family and difficulty.

    Verdicts are kept, one line each, so that a stopped run goes on and no answer is judged twice.

    Args:
        folder: A folder that `build` wrote.
        predictions: A file of JSON lines with `id` and `completion`, several for an id if there are. A row
            without an answer counts as unsolved.
        config: Config of the rows.
        task: For the config ``handwritten``, whose originals and twins have a score each: which of its
            prompts was answered; ``"cuda"`` if None.
        split: Split of the rows.
        results: File that keeps the verdicts; ``<predictions>.verdicts.jsonl`` beside the predictions if
            None.
        ks: The values of k for pass@k. If None: 1, and the number of answers that every answered kernel has
            at least.
        workers: Number of processes, all cores if None. It does not change the verdicts.
        seed: Decides the hidden inputs (see `score`).
        allow_weaker_sandbox: Judge even if this system lacks a layer of the sandbox.
        quiet: Show no progress bar.

    Returns:
        The figures, with intervals; its `str` is a table.

    Raises:
        UserError: If the folder has no such rows, a line of the predictions is none, `results` holds
            something else or cannot be written, or a layer of the sandbox is missing.
        WorkerError: If a process of the judge fails for another reason than an answer.
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
    """Run a CUDA kernel on this CPU, and report the rules of CUDA that it breaks, such as races and bounds.

    The kernel runs in the judge's sandbox. Threads and blocks run in four orders, two of which `seed`
    decides.

    Args:
        text: CUDA C++ of the device alone, without conditional preprocessing.
        kernel: Name of a kernel in it: ``scale``, or ``scale<float>`` of a template.
        arguments: The kernel's arguments in order: numpy arrays, numbers, and None for a null pointer. Arrays
            are changed in place, as on a device, and are left as the first order (first to last) leaves them.
            What the kernel has through a pointer to constants is an input.
        grid: Number of blocks, or up to three numbers.
        block: Number of threads of a block, at most 1,024, or up to three numbers.
        shared: Bytes of dynamic shared memory.
        seed: Each seed gives other orders of threads.

    Returns:
        ``findings``, empty for a kernel that is right on these arguments, ``notes``, and ``steps``;
        docs/machine.md lists their kinds.

    Raises:
        UserError: If the text does not compile or the machine does not support it, the arguments are not the
            kernel's, or a layer of the sandbox is missing.
        Failure: If the machine did not come to an end, which says nothing about the kernel.
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
    """Publish a folder that `build` wrote, or datasets in memory, on the Hugging Face Hub, with a full card.

    What is pushed is the whole dataset, not one config beside others. A push to main tags its commit with the
    version.

    Args:
        dataset: A folder, a `DatasetDict`, a `Dataset`, or a mapping of those by config.
        name: Name of the dataset, as ``"user/name"``. It is created if it does not exist.
        config: For datasets in memory: their config, if they are not a mapping by config.
        version: For datasets in memory: the version of card and tag, such as ``"1.0.0"``. A folder has its
            own.
        private: Create it as a private dataset.
        revision: Another branch than main, created if it does not exist.
        create_pr: Open a pull request instead of a commit.
        token: A token of the Hub; that of the environment or of ``hf auth login`` if None.
        dry_run: Compare, and send nothing.
        replace: What may be lost: the ``"card"`` that was edited on the Hub, ``"configs"`` that are not
            pushed, what the ``"tag"`` of this version points at.

    Returns:
        What was sent, or with `dry_run` would be.

    Raises:
        UserError: If something is wrong that the caller can mend, such as a name, a token, rights, or a loss
            that `replace` does not allow.
        HubError: If the Hub does not answer for minutes.
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

    Files are compared with the manifest, the card with the rows, rows with their own source, their split and
    the plan; and every row is sampled again at its address, compiled, run on its cases, and must be the same.
    Nothing in the folder is executed, except for a build of another version, whose kernels cannot be sampled
    again: there, each row's completion runs in the judge's sandbox, and what that leaves open is unproved.

    Args:
        folder: A folder that `build` wrote.
        configs: Names of configs; all of the folder's if None.
        sample: How many rows of each config are proved; all if None.
        seed: Each seed gives another sample.
        workers: Number of processes; one for each core if None.
        quiet: Show no progress bars.

    Returns:
        `findings` by check and config, and `ok`, which is true only if every check was made and passed.

    Raises:
        UserError: If the folder holds no build, its rows were not built, a config is unknown, or Warp cannot
            compile here.
        Failure: If a worker process fails.
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
    """Launch the rows of a built folder on a GPU, with Warp, and compare the results with their examples.

    Outputs are compared, and gradients where a config has them. If compute-sanitizer is installed, some rows
    also run under it. No sandbox is around a launch, so this machine must have written the rows, unless you
    trust them.

    Args:
        folder: A folder that `build` wrote.
        configs: Names of configs; all of the folder's if None.
        sample: How many rows of each config are launched; all if None.
        seed: Each seed gives another sample.
        device: Warp's name of the device; the first CUDA device if None.
        workers: Number of processes, each with a context of its own on the device; if None one for each core,
            but at most eight.
        trust: Also launch rows that this machine did not write.
        quiet: Show no progress bars.

    Returns:
        The result of each row; its `str` is a table by family.

    Raises:
        UserError: If the folder holds no build, a config is unknown, this machine did not write the rows, or
            there is no such device.
        WorkerError: If a worker process fails for another reason than a row.
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
    """The text that a kernel's inputs are sampled by: its id, or a hash of a source that cannot be read."""
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
    with Bar(title, rows, done=rows - to_do, spares=CONFIGS[config].drawn, quiet=quiet) as bar:
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
