"""Passes that change a kernel's signature: plain arguments packed into a struct, or a struct unpacked.

`Argument.leaves` keep their own names: ``width`` becomes ``params.width``. `moved` takes inputs along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from .. import domains
from ..program import Argument, Expr, Member, Name, Program, Signature
from ..rewrite import fresh, map_expressions, names_of, substituted
from ..types import Struct, Value
from ..walks import walk
from . import naming

T = TypeVar("T")


def packed(program: Program) -> Iterator[Program]:
    """All plain arguments, or those of one scalar type, as members of one struct.

    Its domain holds theirs: only where the kernel is legal for all of it.
    """
    plain = [a for a in program.arguments if not a.ndim and isinstance(a.type, Value)]
    of_one_type = {a.type.scalar: [b for b in plain if b.type.scalar == a.type.scalar] for a in plain}
    tried = [plain, *(of_one_type.values() if len(of_one_type) > 1 else ())]
    for chosen in tried:
        if len(chosen) > 1:
            yield _packed(program, chosen)


def _packed(program: Program, chosen: list[Argument]) -> Program:
    name, type = naming.parameters(program)
    struct = Struct(type, tuple((a.name, a.type) for a in chosen))
    domain = domains.joined(argument.domain for argument in chosen)
    made = Argument(name, struct, "input", (), domain)
    members = {a.name: Member(made.reference, a.name, a.type) for a in chosen}
    arguments: list[Argument] = []
    for argument in program.arguments:
        if argument in chosen:
            arguments += [made] if argument is chosen[0] else []
        else:
            arguments.append(argument)
    signature = replace(program.signature, arguments=tuple(arguments))
    body = substituted(program.body, members)
    return replace(program, signature=signature, body=body, structs=(*program.structs, struct))


def unpacked(program: Program) -> Iterator[Program]:
    """The members of a plain struct as arguments, where the struct is used for nothing but them."""
    for argument in program.arguments:
        struct = argument.type
        if argument.ndim or not isinstance(struct, Struct):
            continue
        if all(isinstance(type, Value) for _, type in struct.members) and _is_taken_apart(program, argument):
            yield _unpacked(program, argument, struct)


def _is_taken_apart(program: Program, argument: Argument) -> bool:
    names = sum(1 for n in walk(program.body) if isinstance(n, Name) and n.name == argument.name)
    members = sum(1 for n in walk(program.body) if isinstance(n, Member) and n.of == argument.reference)
    return names == members


def _unpacked(program: Program, argument: Argument, struct: Struct) -> Program:
    others = tuple(other for other in program.structs if other != struct)
    # What functions call their own is no matter.
    taken = names_of(replace(program, structs=others, functions=())) | {f.name for f in program.functions}
    parts: dict[str, Argument] = {}
    for leaf, (member, type) in zip(argument.leaves, struct.members, strict=True):
        name = fresh(taken, member)
        taken.add(name)
        parts[member] = Argument(name, type, "input", (), leaf.domain)

    def change(node: Expr) -> Expr:
        whole = isinstance(node, Member) and node.of == argument.reference
        return parts[node.member].reference if whole else node  # type: ignore[union-attr]

    arguments: list[Argument] = []
    for other in program.arguments:
        arguments += parts.values() if other == argument else [other]
    body = map_expressions(program.body, change)
    signature = replace(program.signature, arguments=tuple(arguments))
    made = replace(program, signature=signature, body=body)
    kept = tuple(s for s in program.structs if s != struct or _is_used(made, s))
    return replace(made, structs=kept)


def _is_used(program: Program, struct: Struct) -> bool:
    types: list[object] = [a.type for a in program.arguments]
    types += [getattr(node, "type", None) for node in walk((program.bodies, program.functions))]
    types += [p.type for f in program.functions for p in f.parameters]
    types += [t for s in program.structs if s != struct for _, t in s.members]
    return any(t == struct or getattr(t, "element", None) == struct for t in types)


def moved(before: Signature, after: Signature, given: Mapping[str, T]) -> dict[str, T]:
    """What was told by the names of one signature's leaves, by those of the other's: the same numbers in the
    same order, whatever they are packed into."""
    old = {leaf.name.rpartition(".")[2]: leaf.name for a in before.arguments for leaf in a.leaves}
    names = {leaf.name: leaf.name.rpartition(".")[2] for a in after.arguments for leaf in a.leaves}
    return {name: given[old[last]] for name, last in names.items() if last in old and old[last] in given}
