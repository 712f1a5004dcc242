"""The column `arguments` of a row: how to call its kernel, and the ranges from which to draw its inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ..language import ir
from ..language.analysis.gradients import differentiable_inputs, members_read
from ..language.types import Struct, full_name

ARGUMENT = pa.struct(
    [
        ("name", pa.string()),
        ("type", pa.string()),
        ("ndim", pa.int32()),
        ("shape", pa.list_(pa.string())),
        ("role", pa.string()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("trait", pa.string()),
        ("differentiable", pa.bool_()),
    ]
)


def argument_rows(
    signature: ir.Signature, shapes: Mapping[str, Sequence[str]] | None, program: ir.Program | None
) -> list[dict[str, Any]]:
    """An entry for each argument, and behind that of a struct one for each number in it, as ``grid.cells``:
    of an array in an array of structs, `ndim` and `shape` count the dimensions of both.

    `shapes` are those of `shape_texts`; without them no launch is known. Bounds stand where there is a number
    to draw: neither for what a launch does not read, nor for a struct as a whole.

    Of what a kernel is given, its tree, if there is one, tells whether it is differentiable. What only steers
    a comparison, an index or a rounding has a gradient of zero by nature, and a plain value has none. Of an
    array that is changed as well, what stays or is added to has one.
    """
    flows = None if program is None else _differentiable(program)
    return [
        _entry(entry, argument, shapes) | {"differentiable": _flows(entry, argument, flows)}
        for argument in signature.arguments
        for entry in ((argument, *argument.leaves) if isinstance(argument.type, Struct) else (argument,))
    ]


def _differentiable(program: ir.Program) -> set[str]:
    """The arguments from which a gradient may flow, and of those that are structs the numbers in them that
    something reads."""
    found = set()
    read = members_read(program)
    for argument in differentiable_inputs(program):
        found.add(argument.name)
        found |= {leaf.name for leaf in argument.leaves if read.issuperset(leaf.name.split(".")[1:])}
    return found


def _flows(entry: ir.Argument, argument: ir.Argument, flows: Collection[str] | None) -> bool | None:
    if flows is None or argument.role == "output":
        return None
    handed_back = isinstance(entry.type, Struct) or (entry.type.is_float and entry.ndim > 0)
    return handed_back and (entry.name in flows or argument.role == "inout")


def _entry(
    entry: ir.Argument, argument: ir.Argument, shapes: Mapping[str, Sequence[str]] | None
) -> dict[str, Any]:
    drawn = shapes is not None and argument.role != "output" and not isinstance(entry.type, Struct)
    return {
        "name": entry.name,
        "type": full_name(entry.type),
        "ndim": entry.ndim,
        "shape": None if shapes is None else list(shapes[entry.name]),
        "role": entry.role,
        "low": float(entry.domain.lo) if drawn else None,
        "high": float(entry.domain.hi) if drawn else None,
        "trait": entry.trait if drawn else None,
    }
