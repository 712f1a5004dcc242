"""One row: the schema of every config, written here and nowhere else, and the function that fills it.

A row is a flat dict of plain Python values. It says where the kernel lives (its address and the
versions it was computed with), what it is, what the compilers made of it, and what was proved.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..common.address import Address
from ..common.configs import Config
from ..common.outcomes import Row
from ..common.versions import GENERATOR_VERSION
from ..language.identity import Identity
from ..language.program import Argument
from ..language.types import full_name
from ..proof.checks import Checks
from ..proof.subject import Proof
from ..synthesis.drawn import Drawn

if TYPE_CHECKING:
    import datasets

CPU_ARCH = "x86_64"

ARGUMENT = pa.struct(
    [("name", pa.string()), ("type", pa.string()), ("ndim", pa.int32()), ("role", pa.string())]
)

CHECKS = pa.struct(
    [
        ("native_compile", pa.bool_()),
        ("ptx_compile", pa.bool_()),
        ("warp_launch", pa.bool_()),
        ("numpy_matches", pa.bool_()),
        ("numpy_error", pa.float64()),
        ("cuda_text_matches", pa.bool_()),
        ("cuda_text_error", pa.float64()),
        ("adjoint_matches", pa.bool_()),
        ("adjoint_error", pa.float64()),
        ("finite_differences", pa.bool_()),
        ("finite_difference_error", pa.float64()),
        ("gradients_checked", pa.int32()),
    ]
)

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("skeleton", pa.string()),
        ("kernel_name", pa.string()),
        ("category", pa.string()),
        ("difficulty", pa.int32()),
        ("description", pa.string()),
        ("prompt", pa.string()),
        ("completion", pa.string()),
        ("python_source", pa.string()),
        ("ptx", pa.string()),
        ("arch", pa.string()),
        ("arguments", pa.list_(ARGUMENT)),
        ("launch_dim", pa.list_(pa.int32())),
        ("builtins", pa.list_(pa.string())),
        ("example", pa.string()),
        ("checks", CHECKS),
        ("seed", pa.int64()),
        ("draw", pa.int64()),
        ("generator_version", pa.string()),
        ("warp_version", pa.string()),
    ]
)


def features() -> datasets.Features:
    """The same schema as `datasets` spells it."""
    import datasets

    return datasets.Features.from_arrow_schema(SCHEMA)


def make_row(
    config: Config, address: Address, drawn: Drawn, source: str, identity: Identity, arch: str, proof: Proof
) -> Row:
    """The flat row of one proved kernel, its keys in the order of `SCHEMA`.

    `source` is the complete Python module of what was drawn at the address, `identity` that of the source.
    Raises `ValueError` for an example that is not finite.
    """
    signature = drawn.program.signature
    return {
        "id": identity.id,
        "skeleton": identity.skeleton,
        "kernel_name": signature.name,
        "category": drawn.category,
        "difficulty": drawn.difficulty,
        "description": drawn.description,
        "prompt": prompt(config, source),
        "completion": proof.code,
        "python_source": source,
        "ptx": proof.ptx,
        "arch": arch if config.cuda else CPU_ARCH,
        "arguments": [_argument(argument) for argument in signature.arguments],
        "launch_dim": list(signature.launch_dim),
        "builtins": builtins(source),
        "example": example_text(proof.example),
        "checks": checks_of(proof.checks),
        "seed": address.seed,
        "draw": address.draw,
        "generator_version": GENERATOR_VERSION,
        "warp_version": proof.warp_version,
    }


def checks_of(checks: Checks) -> dict[str, Any]:
    """The `checks` struct, its fields in the schema's order. Errors are rounded up to powers of ten, since
    their last digits are those of the machine's C library."""
    values = asdict(checks)
    return {field.name: _rounded(field, values[field.name]) for field in CHECKS}


def prompt(config: Config, source: str) -> str:
    """The instruction of a config and the Python source, fenced."""
    return f"{config.instruction}\n\n```python\n{source.rstrip()}\n```\n"


def _argument(argument: Argument) -> dict[str, Any]:
    return {
        "name": argument.name,
        "type": full_name(argument.type),
        "ndim": argument.ndim,
        "role": argument.role,
    }


# ---- built-ins

_TYPE = re.compile(
    r"bool|u?int(8|16|32|64)?|b?float(16|32|64)?|(vec|mat|quat|transform|spatial_vector|spatial_matrix)\d*\w{0,2}"
    r"|array(\dd)?|vector|matrix|quaternion|transformation"
)


def builtins(source: str) -> list[str]:
    """The Warp built-ins that a module's functions call, sorted: each `name` of a call ``wp.name(...)``
    inside a function body that is not a type (casts and constructors such as `wp.float64(x)` and
    `wp.vec3(x, y, z)` do not count; `+`, `range` and other plain Python do not either)."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    nodes = (node for function in functions for stmt in function.body for node in ast.walk(stmt))
    called = {_warp_name(node.func) for node in nodes if isinstance(node, ast.Call)}
    return sorted(name for name in called if name and not _TYPE.fullmatch(name))


def _warp_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "wp":
        return node.attr
    return None


# ---- values


def example_text(example: Mapping[str, Any]) -> str:
    """Compact JSON. Arrays become nested lists; a float is the shortest decimal that reads back as the
    same value *of its own type*. Raises `ValueError` where a value is not finite."""
    return json.dumps(_plain(example), separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        # A float32 0.1 is 0.10000000149011612 as a double; numpy's own text is the short one.
        array = np.asarray(value)
        return (array.astype(str).astype(np.float64) if array.dtype == np.float32 else array).tolist()
    return value


def round_up(error: float) -> float:
    """The smallest power of ten that is not below `error`; zero stays zero, whatever the C library."""
    if error == 0 or not math.isfinite(error):
        return float(error)
    exponent = math.ceil(math.log10(error))
    while float(f"1e{exponent}") < error:
        exponent += 1
    while float(f"1e{exponent - 1}") >= error:
        exponent -= 1
    return float(f"1e{exponent}")


def _rounded(field: pa.Field, value: Any) -> Any:
    return round_up(value) if value is not None and pa.types.is_floating(field.type) else value
