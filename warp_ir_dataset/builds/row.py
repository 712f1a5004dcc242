"""The schema of every config's rows, and the function that fills a row.

A row is a flat dict of plain Python values: the kernel's address and the versions that computed it, its
source and words, the code that compilers made from it, and the results of its proofs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..common.address import Address
from ..common.configs import CONFIGS, DEFAULT_CONFIG, Config, whole_tasks
from ..common.outcomes import Row
from ..common.versions import GENERATOR_VERSION
from ..compilers.warp_text import FORWARD_ENTRY
from ..language import ir
from ..language.analysis.sizes import shape_texts
from ..language.identity import Identity
from ..language.operations.spelling import Function
from ..language.operations.table import TABLE
from ..language.specification.write import specify
from ..language.walks import walk
from ..proof.checks import Checks
from ..proof.subject import Proof
from ..synthesis.sample import Sample
from .arguments import ARGUMENT, argument_rows
from .numbers import plain
from .prompts import prompt, prompt_to_repair, prompt_to_write
from .repair.mistake import Mistake

if TYPE_CHECKING:
    import datasets

CPU_ARCH = "x86_64"

_PLAIN_ENTRY = re.compile(r"__global__ void (?:__\w+__\([^()]*\) )?(\w+)\(")

CHECKS = pa.struct(
    [
        ("native_compile", pa.bool_()),
        ("ptx_compile", pa.bool_()),
        ("warp_launch", pa.bool_()),
        ("cases", pa.int32()),
        ("numpy_matches", pa.bool_()),
        ("numpy_error", pa.float64()),
        ("rounding_error", pa.float64()),
        ("cuda_text_matches", pa.bool_()),
        ("cuda_text_error", pa.float64()),
        ("thread_orders", pa.int32()),
        ("unordered", pa.list_(pa.string())),
        ("adjoint_matches", pa.bool_()),
        ("adjoint_error", pa.float64()),
        ("finite_differences", pa.bool_()),
        ("finite_difference_precision", pa.string()),
        ("finite_difference_error", pa.float64()),
        ("gradients_checked", pa.int32()),
    ]
)

COVERAGE = pa.struct([("arms", pa.int32()), ("arms_run", pa.int32())])

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("skeleton", pa.string()),
        ("group", pa.string()),
        ("kernel_name", pa.string()),
        ("entry_point", pa.string()),
        ("category", pa.string()),
        ("purpose", pa.string()),
        ("difficulty", pa.int32()),
        ("description", pa.string()),
        ("specification", pa.string()),
        ("task", pa.string()),
        ("prompt", pa.string()),
        ("completion", pa.string()),
        ("python_source", pa.string()),
        ("ptx", pa.string()),
        ("arch", pa.string()),
        ("arguments", pa.list_(ARGUMENT)),
        ("launch_dim", pa.list_(pa.int32())),
        ("builtins", pa.list_(pa.string())),
        ("examples", pa.string()),
        ("checks", CHECKS),
        ("coverage", COVERAGE),
        ("seed", pa.int64()),
        ("draw", pa.int64()),
        ("generator_version", pa.string()),
        ("warp_version", pa.string()),
    ]
)


# What rows in plain CUDA have beside this, and in its place.
PLAIN_CHECKS = pa.struct(
    [
        *CHECKS,
        ("rendered", pa.bool_()),
        ("plain_matches", pa.bool_()),
        ("plain_error", pa.float64()),
        ("plain_inputs", pa.int32()),
    ]
)
HARNESS = pa.field("harness", pa.struct([("prelude", pa.string()), ("main", pa.string())]))


def _plain_schema() -> pa.Schema:
    kept = [field for field in SCHEMA if field.name != "ptx"]
    checks = pa.field("checks", PLAIN_CHECKS)
    fields = [checks if field.name == checks.name else field for field in kept]
    behind = [field.name for field in fields].index("completion") + 1
    return pa.schema([*fields[:behind], HARNESS, *fields[behind:]])


PLAIN_SCHEMA = _plain_schema()


def _repair_schema() -> pa.Schema:
    """With the mistake: the broken module, of what kind it is, and what was said."""
    more = [pa.field(name, pa.string()) for name in ("broken", "kind", "message")]
    behind = SCHEMA.get_field_index("prompt") + 1
    fields = list(SCHEMA)
    return pa.schema([*fields[:behind], *more, *fields[behind:]])


REPAIR_SCHEMA = _repair_schema()


def _collected_schema() -> pa.Schema:
    """With what was written about a kernel, where it comes from, and what all tasks ask and expect."""
    of_tasks = pa.struct([(task.name, pa.string()) for task in whole_tasks()])
    more = {
        "completion": [pa.field("prompts", of_tasks), pa.field("completions", of_tasks), HARNESS],
    }
    fields = [item for field in SCHEMA for item in (field, *more.get(field.name, ()))]
    origin = [pa.field(name, pa.string()) for name in ("module", "file", "license", "modified", "twin_of")]
    return pa.schema([*fields, *origin])


COLLECTED_SCHEMA = _collected_schema()


def schema(config: str) -> pa.Schema:
    """The columns of a config's rows."""
    if not CONFIGS[config].drawn:
        return COLLECTED_SCHEMA
    if CONFIGS[config].broken:
        return REPAIR_SCHEMA
    return PLAIN_SCHEMA if CONFIGS[config].plain else SCHEMA


def features(config: str = DEFAULT_CONFIG) -> datasets.Features:
    """The same schema as `datasets` spells it."""
    import datasets

    return datasets.Features.from_arrow_schema(schema(config))


def make_row(
    config: Config,
    address: Address,
    drawn: Sample,
    source: str,
    identity: Identity,
    arch: str,
    proof: Proof,
    mistake: Mistake | None = None,
) -> Row:
    """The flat row of one proved kernel, its keys in the order of the config's `schema`.

    `source` is the complete Python module of what was drawn at the address, `identity` that of its program,
    `mistake` what a config of broken kernels asks to repair. Raises `ValueError` for examples that are not
    finite, and `NotDescribable`, which is one, for a program that no specification can be written of.
    """
    signature, specification = drawn.program.signature, specify(drawn.program)
    asked = None
    if mistake is not None:
        asked = prompt_to_repair(config, mistake, specification)
    elif config.python:
        asked = prompt_to_write(config, source, signature.name, specification)
    values = {
        "id": identity.id,
        "skeleton": identity.skeleton,
        "group": drawn.group,
        "kernel_name": signature.name,
        "category": drawn.category,
        "purpose": drawn.purpose,
        "difficulty": drawn.difficulty,
        "description": drawn.description,
        "specification": specification,
        "task": drawn.task or None,
        "broken": mistake and mistake.source,
        "kind": mistake and mistake.kind,
        "message": mistake and mistake.message,
        "python_source": source,
        "arguments": argument_rows(signature, shape_texts(drawn.program), drawn.program),
        "launch_dim": list(signature.launch_dim),
        "builtins": builtins(drawn.program),
        "seed": address.seed,
        "draw": address.draw,
        "generator_version": GENERATOR_VERSION,
        "warp_version": proof.warp_version,
        **outcome_columns(config, source, proof.code, proof.ptx, arch, proof, asked),
    }
    return {name: values[name] for name in schema(config.name).names}


def outcome_columns(
    config: Config,
    source: str,
    code: str,
    ptx: str | None,
    arch: str | None,
    proof: Proof | None,
    asked: str | None = None,
) -> Row:
    """The columns that say what compilers made of a source, and what was proved of it. `asked` is the prompt
    of a config that does not give the source.

    Without a proof there are no examples, and of the checks only that of NVRTC, which made the PTX. Raises
    `ValueError` for examples that are not finite.
    """
    parts = None if proof is None else proof.plain
    found: Row = {
        "entry_point": entry_point(config, code),
        "prompt": asked or prompt(config, source, parts.interface if parts else None),
        "completion": code,
        "harness": asdict(parts.harness) if parts else None,
        "ptx": ptx,
        "arch": arch if config.cuda else CPU_ARCH,
    }
    if proof is None:
        return found | {"examples": None, "coverage": None, "checks": {"ptx_compile": True} if ptx else {}}
    struct = schema(config.name).field("checks").type
    return found | {
        "examples": examples_text(proof.examples),
        "checks": checks_of(proof.checks, struct),
        "coverage": None if proof.coverage is None else asdict(proof.coverage),
    }


def entry_point(config: Config, code: str) -> str | None:
    """The function of the forward pass in the code of a config, and in its PTX; None for Python. For a kernel
    that a function makes, Warp's name tells of the function too, and the name in Python does not."""
    if config.python:
        return None
    found = (_PLAIN_ENTRY if config.plain else FORWARD_ENTRY).findall(code)
    return str(found[-1]) if found else None


def checks_of(checks: Checks, struct: pa.StructType = CHECKS) -> dict[str, Any]:
    """The `checks` struct, its fields in the schema's order. Errors are rounded up to powers of ten, since
    their last digits are those of the machine's C library."""
    values = asdict(checks)
    return {field.name: _rounded(field, values[field.name]) for field in struct}


def builtins(program: ir.Program) -> list[str]:
    """The Warp built-ins that a program's kernel and functions call, sorted, however the source spells them
    (``wp.min``, or Python's own ``min``). What makes a value of a type, such as ``wp.float64(x)`` and
    ``wp.vec3(x, y, z)``, does not count; operators, ``range`` and other plain Python do not either."""
    called: set[str] = set()
    for node in walk(program.bodies):
        match node:
            case ir.Apply(operation):
                spelling = TABLE[operation].spelling
                if isinstance(spelling, Function) and spelling.name:
                    called.add(spelling.name.partition(".")[2])
            case ir.ThreadIndex():
                called.add("tid")
            case ir.Print(format):
                called.add("print" if format is None else "printf")
    return sorted(called)


# ---- values


def examples_text(examples: Sequence[Mapping[str, Any]]) -> str:
    """Compact JSON. Arrays become nested lists; a float is the shortest decimal that reads back as the
    same value *of its own type*. Raises `ValueError` where a value is not finite."""
    return json.dumps(plain(examples), separators=(",", ":"), allow_nan=False)


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
    if isinstance(value, tuple):
        return list(value)
    return round_up(value) if value is not None and pa.types.is_floating(field.type) else value
