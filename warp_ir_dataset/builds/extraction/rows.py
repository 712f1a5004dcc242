"""Rows of the usual schema, of kernels that were extracted."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from typing import Any

from ...common.configs import CONFIGS, Config
from ...common.outcomes import Row
from ...common.versions import GENERATOR_VERSION, warp_version
from ...compilers.extracting.extract import Extraction
from ...language.identity import DIGITS, Identity, identify
from ...language.program import Program
from ...language.python.read import Unreadable, read
from ..row import CPU_ARCH, SCHEMA, argument_rows, builtins, prompt

CATEGORY = "extracted"


def rows_of(found: Extraction) -> Iterator[tuple[str, Row]]:
    """A row for each config that there is code for, with the config's name.

    What belongs to a build (seed, draw, difficulty, an example) is null, and so are checks that were not
    made. `description` is the first line of the kernel's docstring.
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
        code, ptx = _code(found, config)
        if code is None:
            continue
        own = {
            "prompt": prompt(config, source),
            "completion": code,
            "ptx": ptx,
            "arch": found.arch if config.cuda else CPU_ARCH,
            "checks": {"ptx_compile": True} if ptx else {},
        }
        yield config.name, {name: (common | own).get(name) for name in SCHEMA.names}


def _code(found: Extraction, config: Config) -> tuple[str | None, str | None]:
    if config.plain:
        return None, None  # such code is ours, and nothing is run here that could prove it
    if not config.cuda:
        return found.cpp, None
    return (found.cuda_backward, found.ptx_backward) if config.adjoint else (found.cuda, found.ptx)


def _program(source: str, name: str) -> Program | None:
    try:
        return read(source, kernel=name)
    except Unreadable:
        return None


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
