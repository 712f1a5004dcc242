"""A pass that changes a kernel's signature: plain arguments packed into a struct.

`Argument.leaves` keep their own names: ``width`` becomes ``params.width``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import domains, ir
from ..rewrite import substituted
from ..types import Struct, Value
from . import naming


def arguments_to_struct(program: ir.Program) -> Iterator[ir.Program]:
    """All plain arguments, or those of one scalar type, as members of one struct.

    The domain of the struct contains theirs, so the pass needs a check of legality.
    """
    plain = [a for a in program.arguments if not a.ndim and isinstance(a.type, Value)]
    of_one_type = {a.type.scalar: [b for b in plain if b.type.scalar == a.type.scalar] for a in plain}
    groups = [plain, *(of_one_type.values() if len(of_one_type) > 1 else ())]
    for chosen in groups:
        if len(chosen) > 1:
            yield _with_struct(program, chosen)


def _with_struct(program: ir.Program, chosen: list[ir.Argument]) -> ir.Program:
    name, type = naming.parameters(program)
    struct = Struct(type, tuple((a.name, a.type) for a in chosen))
    domain = domains.joined(argument.domain for argument in chosen)
    packed = ir.Argument(name, struct, "input", (), domain)
    members = {a.name: ir.Member(packed.reference, a.name, a.type) for a in chosen}
    arguments: list[ir.Argument] = []
    for argument in program.arguments:
        if argument in chosen:
            arguments += [packed] if argument is chosen[0] else []
        else:
            arguments.append(argument)
    signature = replace(program.signature, arguments=tuple(arguments))
    body = substituted(program.body, members)
    return replace(program, signature=signature, body=body, structs=(*program.structs, struct))
