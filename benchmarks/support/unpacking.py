"""The pass that undoes `pack arguments`, for `near_duplicates.py`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from warp_ir_dataset.language.program import Argument, Expr, Member, Name, Program
from warp_ir_dataset.language.rewrite import fresh, map_expressions, names_of
from warp_ir_dataset.language.types import Struct, Value
from warp_ir_dataset.language.walks import walk


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
