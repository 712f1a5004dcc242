"""Makes rows of the usual schema from extracted kernels."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...common.configs import EXTRACTED, Config, compiled_tasks
from ...common.outcomes import Rejected, Row
from ...common.versions import GENERATOR_VERSION, warp_version
from ...compilers.extracting.extract import Extraction
from ...language.analysis.ties import plain_shapes
from ...proof.subject import Proof
from ..arguments import argument_rows
from ..row import builtins, outcome_columns, schema
from .kernel import Kernel
from .trial import Run


def rows_of(kernel: Kernel, run: Run | None = None) -> Iterator[tuple[str, Row]]:
    """A row for each config that there is code for, with the config's name; with a `run`, for those alone
    that the kernel was proved in.

    What belongs to a build (seed, draw, difficulty) is null, and so are examples that were not run and
    checks that were not made. `description` is the first line of the kernel's docstring.
    """
    found, program, source = kernel.extraction, kernel.program, kernel.source
    common = {
        "id": kernel.identity.id,
        "skeleton": kernel.identity.skeleton,
        "group": kernel.group,
        "kernel_name": found.name,
        "category": EXTRACTED,
        "description": _description(source, found.name),
        "python_source": source,
        "arguments": _arguments(kernel, run),
        "launch_dim": None if run is None else list(run.signature.launch_dim),
        "builtins": builtins(program) if program else list(found.builtins),
        "generator_version": GENERATOR_VERSION,
        "warp_version": warp_version(),
    }
    for config in compiled_tasks():
        proof = None if run is None else run.proofs[config.name]
        if isinstance(proof, Rejected):
            continue
        code, ptx = _code(found, config, proof)
        if code is None:
            continue
        row = common | outcome_columns(config, source, code, ptx, found.arch, proof)
        yield config.name, {name: row.get(name) for name in schema(config.name).names}


def _code(found: Extraction, config: Config, proof: Proof | None) -> tuple[str | None, str | None]:
    """Code, and its PTX; plain CUDA, which is ours, only where it was proved."""
    if config.plain:
        return (None if proof is None else proof.code), None
    if not config.cuda:
        return found.cpp, None
    return (found.cuda_backward, found.ptx_backward) if config.adjoint else (found.cuda, found.ptx)


def _description(source: str, name: str) -> str:
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    told = next((ast.get_docstring(node) for node in functions if node.name == name), None)
    return (told or "").strip().partition("\n")[0]


def _arguments(kernel: Kernel, run: Run | None) -> list[dict[str, Any]]:
    if run is not None:
        return argument_rows(run.signature, plain_shapes(run.signature.arguments), kernel.program)
    if kernel.program is not None:
        return argument_rows(kernel.program.signature, None, kernel.program)
    unknown = dict.fromkeys(("shape", "low", "high", "trait", "differentiable"))
    return [vars(parameter) | unknown for parameter in kernel.extraction.signature]
