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
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..common.address import Address
from ..common.configs import CONFIGS
from ..common.versions import GENERATOR_VERSION
from ..language.identity import identify
from ..language.program import Argument, Program, Type

if TYPE_CHECKING:
    import datasets

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


@dataclass(frozen=True)
class Checks:
    """What was run on this row. ``None`` means: does not belong to this config, and was not run.

    Errors are the largest relative ones measured; `make_row` rounds them up to powers of ten, since
    their last digits are those of the machine's C library.
    """

    native_compile: bool
    warp_launch: bool
    numpy_matches: bool
    numpy_error: float
    ptx_compile: bool | None = None
    cuda_text_matches: bool | None = None
    cuda_text_error: float | None = None
    adjoint_matches: bool | None = None
    adjoint_error: float | None = None
    finite_differences: bool | None = None
    finite_difference_error: float | None = None
    gradients_checked: int | None = None

    def as_row(self) -> dict[str, Any]:
        """The `checks` struct, its fields in the schema's order."""
        values = asdict(self)
        return {field.name: _rounded(field, values[field.name]) for field in CHECKS}


def make_row(
    *,
    config: str,
    address: Address,
    program: Program,
    source: str,
    completion: str,
    ptx: str | None,
    arch: str,
    example: Mapping[str, Any],
    checks: Checks,
    warp_version: str,
) -> dict[str, Any]:
    """The flat row of one proved kernel, its keys in the order of `SCHEMA`.

    `source` is the complete Python module of `program`; `example` maps sections such as ``inputs`` and
    ``outputs`` to argument names and their values (arrays, numbers). Raises `SkeletonError` for a
    source that holds an unknown kind of node, and `ValueError` for an example that is not finite.
    """
    identity = identify(source)
    return {
        "id": identity.id,
        "skeleton": identity.skeleton,
        "kernel_name": program.name,
        "category": program.category,
        "difficulty": program.difficulty,
        "description": program.description,
        "prompt": prompt(config, source),
        "completion": completion,
        "python_source": source,
        "ptx": ptx,
        "arch": arch,
        "arguments": [_argument(argument) for argument in program.arguments],
        "launch_dim": list(program.launch_dim),
        "builtins": builtins(source),
        "example": example_text(example),
        "checks": checks.as_row(),
        "seed": address.seed,
        "draw": address.draw,
        "generator_version": GENERATOR_VERSION,
        "warp_version": warp_version,
    }


def prompt(config: str, source: str) -> str:
    """The instruction of a config and the Python source, fenced."""
    return f"{CONFIGS[config].instruction}\n\n```python\n{source.rstrip()}\n```\n"


# ---- arguments and types

_SUFFIX = {"float32": "f", "float64": "d", "int32": "i", "int64": "l", "uint32": "ui"}


def type_name(type: Type) -> str:
    """`float32`, `vec3f`, `mat23d`: Warp's own names, carried on to the sizes Warp has no name for."""
    if not type.shape:
        return type.scalar
    kind = "vec" if len(type.shape) == 1 else "mat"
    return f"{kind}{''.join(map(str, type.shape))}{_SUFFIX[type.scalar]}"


def _argument(argument: Argument) -> dict[str, Any]:
    return {
        "name": argument.name,
        "type": type_name(argument.type),
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
