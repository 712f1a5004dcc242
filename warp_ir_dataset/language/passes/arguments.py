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


def packed(program: ir.Program) -> Iterator[ir.Program]:
    """All plain arguments, or those of one scalar type, as members of one struct.

    Its domain holds theirs: only where the kernel is legal for all of it.
    """
    plain = [a for a in program.arguments if not a.ndim and isinstance(a.type, Value)]
    of_one_type = {a.type.scalar: [b for b in plain if b.type.scalar == a.type.scalar] for a in plain}
    tried = [plain, *(of_one_type.values() if len(of_one_type) > 1 else ())]
    for chosen in tried:
        if len(chosen) > 1:
            yield _packed(program, chosen)


def _packed(program: ir.Program, chosen: list[ir.Argument]) -> ir.Program:
    name, type = naming.parameters(program)
    struct = Struct(type, tuple((a.name, a.type) for a in chosen))
    domain = domains.joined(argument.domain for argument in chosen)
    made = ir.Argument(name, struct, "input", (), domain)
    members = {a.name: ir.Member(made.reference, a.name, a.type) for a in chosen}
    arguments: list[ir.Argument] = []
    for argument in program.arguments:
        if argument in chosen:
            arguments += [made] if argument is chosen[0] else []
        else:
            arguments.append(argument)
    signature = replace(program.signature, arguments=tuple(arguments))
    body = substituted(program.body, members)
    return replace(program, signature=signature, body=body, structs=(*program.structs, struct))
