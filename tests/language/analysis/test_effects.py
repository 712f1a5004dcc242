"""What statements change, against the analyses that this one replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis import effects
from warp_ir_dataset.language.operations.table import changed_by, changes_array
from warp_ir_dataset.language.rewrite import names_in
from warp_ir_dataset.language.specification.effects import may_change
from warp_ir_dataset.language.types import holds_arrays
from warp_ir_dataset.language.walks import blocks, changed, element, reads, root, statements, walk
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed

Body = tuple[ir.Stmt, ...]


def changed_names(body: Body) -> set[str]:
    """Of plain CUDA, as it was."""
    found: set[str] = set()
    for statement in statements(body):
        name = changed(statement)
        if name is not None:
            found.add(name)
        if isinstance(statement, ir.Unpack):
            found |= {target.name for target in statement.targets}
        for part in reads(statement):
            for node in walk(part):
                roots = (root(operand) for operand in changed_by(node))
                found |= {name for name in roots if name is not None}
    return found


def changes_of(statement: ir.Stmt) -> set[str]:
    """Of specifications, as it was: of one statement, inner bodies left out."""
    found = {name} if (name := changed(statement)) else set()
    if isinstance(statement, ir.Unpack):
        found |= {target.name for target in statement.targets}
    if isinstance(statement, ir.For):
        found.add(statement.target.name)
    for expression in reads(statement):
        for node in walk(expression):
            given: Iterable[ir.Expr] = changed_by(node)
            if isinstance(node, ir.Call):
                given = [operand for operand in node.operands if holds_arrays(operand.type)]
            found |= {name for operand in given if (name := root(operand))}
    return found


def acting(program: ir.Program) -> set[str]:
    """Of plain CUDA, as it was."""
    found: list[ir.Function] = []

    def acts(node: object) -> bool:
        if isinstance(node, ir.Assign | ir.Accumulate):
            return element(node.target) is not None
        called = isinstance(node, ir.Call) and program.called(node) in found
        return changes_array(node) or isinstance(node, ir.Print | ir.Assert) or called

    for function in program.functions:
        if any(map(acts, walk(function.body))):
            found.append(function)
    return {function.name for function in found}


def names_read(value: ir.Expr) -> set[str]:
    """Of specifications, as it was."""
    found = {node.name for node in walk(value) if isinstance(node, ir.Name)}
    return found | {
        name for node in walk(value) if isinstance(node, ir.Load | ir.View) and (name := root(node))
    }


def every_body(body: Body) -> Iterator[Body]:
    yield body
    for statement in body:
        for inner in blocks(statement):
            yield from every_body(inner)


@pytest.mark.parametrize("programs", [60, pytest.param(2000, marks=pytest.mark.long)])
def test_one_analysis_finds_what_others_found(programs: int) -> None:
    compared = 0
    for number in range(programs):
        try:
            program = sample(address_of(5, CATEGORIES[number % len(CATEGORIES)], number)).program
        except GenerationFailed:
            continue
        assert effects.acting(program.functions, drawing=False) == acting(program)
        for body in (inner for whole in program.bodies for inner in every_body(whole)):
            assert effects.changes(body) == changed_names(body)
            assert may_change(body) == set().union(*map(changes_of, statements(body)))
            assert all(names_in(value) == names_read(value) for s in body for value in reads(s))
            compared += 1
    assert compared > programs
