"""Cuts one kernel's stages out of its rows: Python, typed tree, C++, CUDA C++, adjoint, PTX, and plain CUDA.

The kernel is chosen by a rule, so another build may show another one: of the kernels that are rows of all
the configs below and have a purpose, one that has the first of `WANTED`, the second and the third, as far as
there are any, and of these the one with the shortest source.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import reduce
from typing import Any

import numpy as np

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import Array, Matrix, Scalar, Type, Vector
from warp_ir_dataset.publishing.facts import Facts, shards

STAGES = ("cpu", "cuda", "cuda_backward", "warp_to_cuda")
# What is worth showing, the most important first: an atomic that adds at the end, nothing beside the kernel,
# and a vector.
WANTED = (
    r"^    wp\.atomic_add\(.*\)\s*\Z",
    r"\A(?![\s\S]*(@wp\.func|@wp\.struct|wp\.constant))",
    r"wp\.vec[234]",
)
_COLUMNS = ["id", "kernel_name", "purpose", "description", "specification", "task", "completion"]
_COLUMNS += ["python_source", "checks", "ptx"]
_LONGEST = 130  # letters of a line that is shown
Row = Mapping[str, Any]


def figures(facts: Facts) -> dict[str, str]:
    """The excerpts, and what the text says about the kernel. Raises `UserError` where there is none."""
    chosen = _chosen(facts)
    cpu, cuda, backward, plain = (_row(facts, config, chosen) for config in STAGES)
    source = cuda["python_source"].strip()
    last = source.splitlines()[-1].strip()  # the statement that is followed
    checks = backward["checks"]
    return {
        "kernel.id": chosen,
        "kernel.name": cuda["kernel_name"],
        "kernel.purpose": str(cuda["purpose"]),
        "kernel.description": cuda["description"],
        "kernel.task": "\n> ".join(str(cuda["task"]).splitlines()),
        "kernel.statement": last,
        "kernel.ptx_lines": f"{cuda['ptx'].count(chr(10)):,}",
        "kernel.adjoint_ptx_lines": f"{backward['ptx'].count(chr(10)):,}",
        "kernel.gradients": f"{checks['gradients_checked'] or 0:,}",
        "kernel.gradient_error": f"{checks['finite_difference_error'] or 0:g}",
        "kernel.numpy_error": f"{checks['numpy_error'] or 0:g}",
        "kernel.fused": fused(cuda["ptx"], instructions(cuda["ptx"])),
        "kernel.templates": called(under(cpu["completion"], last)),
        "code:python": block("python", source.removeprefix("import warp as wp").strip()),
        "code:specification": block("text", wrapped(cuda["specification"].strip())),
        "code:tree": block("text", "\n".join(tree(source))),
        "code:cpp": block("cpp", under(cpu["completion"], last)),
        "code:cuda": block("cuda", head(cuda["completion"])),
        "code:adjoint": block("cuda", reverse(backward["completion"])),
        "code:ptx": block("text", instructions(cuda["ptx"])),
        "code:plain": block("cuda", plain["completion"].strip()),
    }


def _chosen(facts: Facts) -> str:
    """The id of the kernel that is followed. A large build's texts are not kept in memory."""
    every = (np.concatenate(list(facts.configs[config].ids.values())) for config in STAGES)
    shared = set(reduce(np.intersect1d, every).astype(str).tolist())
    rows = rows_of(facts, "cuda", ["id", "purpose", "python_source"])
    ranks = (_rank(row) for row in rows if row["id"] in shared)
    if (best := min(ranks, default=None)) is None:
        raise UserError(f"{facts.folder} has no kernel that is a row of {', '.join(STAGES)}")
    return best[-1]


def _row(facts: Facts, config: str, id: str) -> Row:
    columns = [column for column in _COLUMNS if column != "ptx" or config.startswith("cuda")]
    return next(row for row in rows_of(facts, config, columns) if row["id"] == id)


def rows_of(facts: Facts, config: str, columns: Sequence[str]) -> Iterator[Row]:
    """Some columns of the rows of a config, split after split."""
    for _, table in shards(facts.folder, facts.manifest["configs"][config]["files"], columns):
        yield from table.to_pylist()


def _rank(row: Row) -> tuple[bool, tuple[bool, ...], int, str]:
    source = row["python_source"]
    lacking = tuple(re.search(wanted, source, re.MULTILINE) is None for wanted in WANTED)
    return row["purpose"] is None, lacking, len(source), row["id"]  # without a purpose it has no task


# ---- excerpts: each is cut from a row's text, and shortened by whole lines


def block(language: str, text: str) -> str:
    """A block of code, whose long lines end in dots."""
    lines = (line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..." for line in text.splitlines())
    return f"```{language}\n" + "\n".join(lines) + "\n```"


def wrapped(text: str) -> str:
    """Words, in lines that fit on a page."""
    return "\n".join(part for line in text.splitlines() for part in textwrap.wrap(line, 118) or [""])


def under(text: str, statement: str, most: int = 8) -> str:
    """The lines that Warp made of a statement: from the comment that repeats it on."""
    lines = text.splitlines()
    begin = next((at for at, line in enumerate(lines) if line.strip().startswith(f"// {statement}")), 0)
    found = [lines[begin]]
    for line in lines[begin + 1 : begin + most]:
        if line.strip() in ("", "}") or line.strip().startswith("//"):
            break
        found.append(line)
    return dedented(found)


def called(text: str) -> str:
    """The functions of Warp's headers that a piece of C++ calls, as a phrase."""
    names = [f"`{name}`" for name in dict.fromkeys(re.findall(r"wp::\w+(?=\()", text))]
    if len(names) < 2:
        return "Functions that begin with `wp::`"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def fused(ptx: str, excerpt: str) -> str:
    """How many products and sums of a kernel became one instruction each, how many of these its excerpt
    shows, and the first of them."""
    lines = [" ".join(line.split()) for line in ptx.splitlines() if line.startswith("\tfma.")]
    if not lines:
        return "This kernel has no such instruction"
    shown = len(re.findall("^fma", excerpt, re.MULTILINE)) or "none"
    return f"This kernel has {len(lines)} of them, {shown} in the excerpt; the first is `{lines[0]}`"


def head(text: str) -> str:
    """The first line of a kernel's signature and the head of its loop over items."""
    lines = [line for line in text.splitlines() if line.strip()]
    end = next((at for at, line in enumerate(lines) if "+= " in line and "gridDim" in line), len(lines) - 1)
    begin = next((at for at in range(end, -1, -1) if lines[at].strip().startswith("for (")), end)
    first = next((line for line in lines if "__global__" in line), lines[0])
    return "\n".join([first, "    ...)", "{", "    ...", *lines[begin : end + 1], "        ..."])


def reverse(text: str, most: int = 5) -> str:
    """The beginning of the reverse part of an adjoint kernel."""
    lines = text.splitlines()
    begin = next((at for at, line in enumerate(lines) if line.strip() == "// reverse"), 0)
    return dedented([*lines[begin : begin + most], f"{' ' * _indent(lines[begin])}..."])


def instructions(ptx: str, most: int = 7) -> str:
    """The instructions up to a kernel's first atomics or, without any, up to its end."""
    lines = [line.expandtabs(4).strip() for line in ptx.splitlines() if line.startswith("\t")]
    ends = [at for at, line in enumerate(lines) if line.startswith(("atom.", "red."))]
    end = (ends[0] if ends else len(lines) - 1) + 1
    while ends and end < len(lines) and lines[end].startswith(("atom.", "red.")):
        end += 1
    return "\n".join(["...", *(line for line in lines[max(0, end - most) : end]), "..."])


def dedented(lines: list[str]) -> str:
    indent = min((_indent(line) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# ---- the tree


def tree(source: str) -> Iterator[str]:
    """The nodes of a kernel's last statement, one a line, each within the node above it."""
    program = read(source)
    yield from _node(program.body[-1], 0)


def _node(node: Any, depth: int) -> Iterator[str]:
    facts, below = [], []
    for each in fields(node):
        value = getattr(node, each.name)
        if each.name == "type":
            facts.append(f": {typed(value)}")
        elif isinstance(value, tuple) and any(map(is_dataclass, value)):
            below += [child for child in value if is_dataclass(child)]
        elif is_dataclass(value):
            below.append(value)
        elif value is not None and value != ():
            facts.insert(0, f" {value}")
    yield "    " * depth + type(node).__name__ + "".join(facts)
    for child in below:
        yield from _node(child, depth + 1)


def typed(type: Type) -> str:
    match type:
        case Scalar():
            return type.scalar
        case Vector():
            return f"{type.length}-vector of {type.scalar}"
        case Matrix():
            return f"matrix of {type.scalar}"
        case Array():
            return f"{type.ndim}D array of {typed(type.element)}"
        case _:
            return str(type)
