"""Rows of the usual schema, of kernels that were extracted."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...common.configs import CONFIGS, Config
from ...common.outcomes import Rejected, Row
from ...common.versions import GENERATOR_VERSION, warp_version
from ...compilers.extracting.extract import Extraction
from ...language.identity import DIGITS, Identity, identify
from ...language.program import Program
from ...language.python.read import Unreadable, read
from ...proof.subject import Proof
from ..row import CPU_ARCH, argument_rows, builtins, checks_of, example_text, prompt, schema
from .trial import Run

CATEGORY = "extracted"


def rows_of(found: Extraction, run: Run | None = None) -> Iterator[tuple[str, Row]]:
    """A row for each config that there is code for, with the config's name; with a `run`, for those alone
    that the kernel was proved in.

    What belongs to a build (seed, draw, difficulty) is null, and so are an example that was not run and
    checks that were not made. `description` is the first line of the kernel's docstring.
    """
    source = found.python_source
    assert source is not None
    program = _program(source, found.name)
    identity = _identity(source, program)
    common = {
        "id": identity.id,
        "skeleton": identity.skeleton,
        "kernel_name": found.name,
        "category": CATEGORY,
        "description": _description(source, found.name),
        "python_source": source,
        "arguments": _arguments(found, program),
        "builtins": builtins(program) if program else list(found.builtins),
        "generator_version": GENERATOR_VERSION,
        "warp_version": warp_version(),
    }
    for config in CONFIGS.values():
        proof = None if run is None else run.proofs[config.name]
        if isinstance(proof, Rejected):
            continue
        code, ptx = _code(found, config, proof)
        if code is None:
            continue
        columns, parts = schema(config.name), proof.plain if proof is not None else None
        own: dict[str, Any] = {
            "prompt": prompt(config, source, parts.interface if parts else None),
            "harness": asdict(parts.harness) if parts else None,
            "completion": code,
            "ptx": ptx,
            "arch": found.arch if config.cuda else CPU_ARCH,
            "checks": {"ptx_compile": True} if ptx else {},
        }
        if run is not None and proof is not None:
            own |= {
                "launch_dim": list(run.signature.launch_dim),
                "example": example_text(proof.example),
                "checks": checks_of(proof.checks, columns.field("checks").type),
            }
        yield config.name, {name: (common | own).get(name) for name in columns.names}


def _code(found: Extraction, config: Config, proof: Proof | None) -> tuple[str | None, str | None]:
    """Code, and its PTX; plain CUDA, which is ours, only where it was proved."""
    if config.plain:
        return (None if proof is None else proof.code), None
    if not config.cuda:
        return found.cpp, None
    return (found.cuda_backward, found.ptx_backward) if config.adjoint else (found.cuda, found.ptx)


def _program(source: str, name: str) -> Program | None:
    try:
        return read(source, kernel=name)
    except Unreadable:
        return None


def identity_of(found: Extraction) -> Identity:
    """Of a kernel that has a source."""
    assert found.python_source is not None
    return _identity(found.python_source, _program(found.python_source, found.name))


def _identity(source: str, program: Program | None) -> Identity:
    """By the tree; of a source that cannot be read, a hash of its text for both."""
    if program is not None:
        return identify(program)
    text = hashlib.sha256(source.encode()).hexdigest()[:DIGITS]
    return Identity(text, text)


def _description(source: str, name: str) -> str:
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    told = next((ast.get_docstring(node) for node in functions if node.name == name), None)
    return (told or "").strip().partition("\n")[0]


def _arguments(found: Extraction, program: Program | None) -> list[dict[str, Any]]:
    if program is not None:
        return [row for argument in program.arguments for row in argument_rows(argument)]
    return [vars(parameter) for parameter in found.signature]
