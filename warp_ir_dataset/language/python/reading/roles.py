"""Infers a kernel's signature from its source: which arguments it reads and writes."""

from __future__ import annotations

from ... import ir, walks
from ...analysis.effects import ParameterUses
from ...types import FLOAT, SCALARS, Array, Type, Value


def signature(
    name: str, parameters: tuple[ir.Name, ...], body: tuple[ir.Stmt, ...], functions: tuple[ir.Function, ...]
) -> ir.Signature:
    """Roles are as the arguments are used, sizes 0, and domains as wide as their types allow."""
    read, written = ParameterUses(functions).of(parameters, body)
    arguments = tuple(
        ir.Argument(
            name=parameter.name,
            type=element,
            role=_role(parameter.name in read, parameter.name in written),
            shape=(0,) * ndim,
            domain=SCALARS[(element if isinstance(element, Value) else FLOAT).scalar].limits,
        )
        for parameter in parameters
        for element, ndim in [_parts(parameter.type)]
    )
    threads = [len(s.names) for s in walks.statements(body) if isinstance(s, ir.ThreadIndex)]
    return ir.Signature(name, arguments, (0,) * max(threads, default=1))


def _parts(type: Type) -> tuple[Type, int]:
    return (type.element, type.ndim) if isinstance(type, Array) else (type, 0)


def _role(read: bool, written: bool) -> ir.Role:
    if not written:
        return "input"
    return "inout" if read else "output"
