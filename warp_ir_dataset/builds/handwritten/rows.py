"""Rows of kernels that people wrote, and of their twins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from ...common.configs import Config, whole_tasks
from ...common.outcomes import Rejected, Row
from ...common.versions import GENERATOR_VERSION
from ...language import ir
from ...language.analysis.ties import plain_shapes
from ...language.identity import Identity
from ...proof.subject import Proof
from ..arguments import argument_rows
from ..extraction.trial import Run
from ..prompts import prompt, prompt_to_write
from ..row import outcome_columns, schema
from .installed import LICENSE, place_of
from .texts import Text

EXTRACTED = "Modified: extracted from its file into a module that stands alone."
TWIN = "Modified: extracted from its file into a module that stands alone, renamed and restructured."


def row_of(
    config: Config,
    text: Text,
    source: str,
    identity: Identity,
    group: str,
    builtins: list[str],
    program: ir.Program | None,
    run: Run,
    proof: Proof,
    arch: str,
    twin_of: str | None = None,
) -> Row:
    """The row of a kernel of `text`, or of the twin of the kernel `twin_of`: `proof` is what its own prompt
    and completion are of, `run` holds those of all tasks. Raises `ValueError` for examples that are not
    finite."""
    values = {
        "id": identity.id,
        "skeleton": identity.skeleton,
        "group": group,
        "kernel_name": run.signature.name,
        "category": text.topic,
        "description": text.description,
        "specification": text.specification,
        "python_source": source,
        "arguments": argument_rows(run.signature, plain_shapes(run.signature.arguments), program),
        "launch_dim": list(run.signature.launch_dim),
        "builtins": builtins,
        "generator_version": GENERATOR_VERSION,
        "warp_version": proof.warp_version,
        "module": text.module,
        "file": place_of(text.module),
        "license": LICENSE,
        "modified": EXTRACTED if twin_of is None else TWIN,
        "twin_of": twin_of,
        **outcome_columns(config, source, proof.code, proof.ptx, arch, proof),
        **_of_all_tasks(source, run.signature.name, text, run.proofs),
    }
    return {name: values.get(name) for name in schema(config.name).names}


def _of_all_tasks(source: str, name: str, text: Text, proofs: Mapping[str, Proof | Rejected]) -> Row:
    """What every task asks and expects, where it was proved; a source always was."""
    prompts, completions, harness = {}, {}, None
    for task in whole_tasks():
        if task.python:
            prompts[task.name] = prompt_to_write(task, source, name, text.specification)
            completions[task.name] = source
            continue
        proof = proofs[task.name]
        if isinstance(proof, Proof):
            prompts[task.name] = prompt(task, source, proof.plain.interface if proof.plain else None)
            completions[task.name] = proof.code
            harness = asdict(proof.plain.harness) if proof.plain else harness
    return {"prompts": prompts, "completions": completions, "harness": harness}
