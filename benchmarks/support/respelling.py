"""Passes that only benchmarks make: words added, and arguments taken out of a struct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.rewrite import (
    Body,
    block_variants,
    fresh,
    map_expressions,
    names_of,
    program_variants,
)
from warp_ir_dataset.language.types import Struct, Value
from warp_ir_dataset.language.walks import element, walk


def unpacked(program: ir.Program) -> Iterator[ir.Program]:
    """The members of a plain struct as arguments, where the struct is used for nothing but them."""
    for argument in program.arguments:
        struct = argument.type
        if argument.ndim or not isinstance(struct, Struct):
            continue
        if all(isinstance(type, Value) for _, type in struct.members) and _is_taken_apart(program, argument):
            yield _unpacked(program, argument, struct)


def _is_taken_apart(program: ir.Program, argument: ir.Argument) -> bool:
    names = sum(1 for n in walk(program.body) if isinstance(n, ir.Name) and n.name == argument.name)
    members = sum(1 for n in walk(program.body) if isinstance(n, ir.Member) and n.of == argument.reference)
    return names == members


def _unpacked(program: ir.Program, argument: ir.Argument, struct: Struct) -> ir.Program:
    others = tuple(other for other in program.structs if other != struct)
    # What functions call their own is no matter.
    taken = names_of(replace(program, structs=others, functions=())) | {f.name for f in program.functions}
    parts: dict[str, ir.Argument] = {}
    for leaf, (member, type) in zip(argument.leaves, struct.members, strict=True):
        name = fresh(taken, member)
        taken.add(name)
        parts[member] = ir.Argument(name, type, "input", (), leaf.domain)

    def change(node: ir.Expr) -> ir.Expr:
        if isinstance(node, ir.Member) and node.of == argument.reference:
            return parts[node.member].reference
        return node

    arguments: list[ir.Argument] = []
    for other in program.arguments:
        arguments += parts.values() if other == argument else [other]
    body = map_expressions(program.body, change)
    signature = replace(program.signature, arguments=tuple(arguments))
    made = replace(program, signature=signature, body=body)
    kept = tuple(s for s in program.structs if s != struct or _is_used(made, s))
    return replace(made, structs=kept)


def _is_used(program: ir.Program, struct: Struct) -> bool:
    types: list[object] = [a.type for a in program.arguments]
    types += [getattr(node, "type", None) for node in walk((program.bodies, program.functions))]
    types += [p.type for f in program.functions for p in f.parameters]
    types += [t for s in program.structs if s != struct for _, t in s.members]
    return any(t == struct or getattr(t, "element", None) == struct for t in types)


def documented(program: ir.Program) -> Iterator[ir.Program]:
    """A docstring for a kernel that has none: its own name in words, and what it fills."""
    if program.docstring is None:
        verb, *rest = program.name.split("_")
        filled = [f"`{a.name}`" for a in program.arguments if a.role != "input"]
        if verb and filled:
            text = " ".join([verb.capitalize(), *rest])
            yield replace(program, docstring=f"{text}: fills {' and '.join(filled)}.")


def commented(program: ir.Program) -> Iterator[ir.Program]:
    """A comment on one local, or on one array that is written."""

    def offer(block: Body) -> Iterator[Body]:
        for place, statement in enumerate(block):
            text = _remark(statement)
            before = block[place - 1] if place else None
            if text and not isinstance(before, ir.Comment):
                yield (*block[:place], ir.Comment(text), *block[place:])

    yield from program_variants(program, lambda body: block_variants(body, offer))


def _remark(statement: ir.Stmt) -> str | None:
    if isinstance(statement, ir.Let | ir.Variable):
        later = ", changed below" if isinstance(statement, ir.Variable) else ""
        return f"the {_worded(statement.target.name)}{later}"
    if isinstance(statement, ir.Assign | ir.Accumulate):
        held = element(statement.target)
        return f"into {_worded(held.array.name)}" if held and isinstance(held.array, ir.Name) else None
    return None


def _worded(name: str) -> str:
    return name.replace("_", " ").strip()
