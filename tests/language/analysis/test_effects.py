"""What statements read and write, against the analyses that this one replaced, and case by case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import dedent, indent

import pytest

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis import effects
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.operations.table import changed_array, changed_by
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.rewrite import names_in
from warp_ir_dataset.language.types import holds_arrays
from warp_ir_dataset.language.walks import blocks, element, reads, root, statements, walk
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed

Body = tuple[ir.Stmt, ...]


# ---- as they were


def changed(statement: ir.Stmt) -> str | None:
    return root(statement.target) if isinstance(statement, ir.Assign | ir.Accumulate) else None


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
        return changed_array(node) is not None or isinstance(node, ir.Print | ir.Assert) or called

    for function in program.functions:
        if any(map(acts, walk(function.body))):
            found.append(function)
    return {function.name for function in found}


def changed_locals(body: Body) -> set[str]:
    """Of gradients, as it was: without states of random numbers."""
    places = (node.target for node in statements(body) if isinstance(node, ir.Assign | ir.Accumulate))
    found = {root(place) or "" for place in places if element(place) is None}
    return found | {
        name.name for node in statements(body) if isinstance(node, ir.Unpack) for name in node.targets
    }


def is_written(statement: ir.Stmt) -> bool:
    """Of gradients, as it was."""
    if isinstance(statement, ir.Assign | ir.Accumulate):
        return element(statement.target) is not None
    return isinstance(statement, ir.Do) or (
        isinstance(statement, ir.Let | ir.Variable) and changed_array(statement.value) is not None
    )


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
        impure = effects.impure(program.functions)
        assert impure == acting(program)
        for body in (inner for whole in program.bodies for inner in every_body(whole)):
            compare(body, impure)
            compared += 1
    assert compared > programs


def compare(body: Body, impure: frozenset[str]) -> None:
    assert effects.changes(body) == changed_names(body)
    assert effects.may_change(body) == set().union(*map(changes_of, statements(body)))
    assert all(names_in(value) == names_read(value) for s in body for value in reads(s))
    assert effects.changes(body) == effects.changed_locals(body) | effects.changed_arrays(body)
    states = {root(o) for node in walk(body) for o in changed_by(node) if not holds_arrays(o.type)}
    assert effects.changed_locals(body) == changed_locals(body) | states
    for statement in body:
        assert effects.stores(statement, impure) >= is_written(statement)


# ---- case by case

FUNCTIONS = """
@wp.struct
class Grid:
    cells: wp.array(dtype=float)
    size: int

@wp.func
def put(to: wp.array(dtype=float), at: int, x: float) -> float:
    to[at] = x
    return x

@wp.func
def put_again(to: wp.array(dtype=float), at: int, x: float) -> float:
    return put(to, at, x)

@wp.func
def noise(seed: wp.uint32) -> float:
    y = wp.randf(seed)
    return y

@wp.func
def say(x: float) -> float:
    print(x)
    return x
"""
ARGUMENTS = "a: wp.array(dtype=float), c: wp.array(dtype=int), m: wp.array2d(dtype=float), g: Grid, n: int"


def kernel(lines: str, arguments: str = ARGUMENTS) -> ir.Program:
    body = indent(dedent(lines).strip(), "    ")
    source = f"import warp as wp\n{FUNCTIONS}\n@wp.kernel\ndef k({arguments}):\n    i = wp.tid()\n{body}\n"
    return read(source, kernel="k")


ROLES = {
    "a[i] = float(n)": {"a": "output"},
    "a[i] += float(n)": {"a": "inout"},
    "row = m[i]\nrow[0] = 1.0": {"m": "output"},
    "row = m[i]\nrow[0] = row[1]": {"m": "inout"},
    "g.cells[i] = 1.0": {"g": "output"},
    "x = g.cells\nx[i] = float(g.size)": {"g": "inout"},
    "g.cells = a\ng.cells[i] = 1.0": {"a": "output", "g": "output"},
    "h = Grid(a, n)\nh.cells[i] = 1.0": {"a": "output"},
    "x = a\nfor j in range(n):\n    x[i] = 1.0\n    x = g.cells": {"a": "output", "g": "inout"},
    "x = put_again(a, i, 1.0)": {"a": "output"},
    "x = put_again(a, i, a[i])": {"a": "inout"},
    "a[c.shape[0] - 1] = 1.0": {"a": "output", "c": "input"},
    "c[i] = wp.lower_bound(c, n)": {"c": "inout"},
    "wp.atomic_add(a, c[i], 1.0)": {"a": "inout"},
    "a[i] = wp.randf(wp.rand_init(n, i))": {"a": "output", "n": "input"},
}


@pytest.mark.parametrize("lines", ROLES)
def test_arguments_have_the_role_as_which_they_are_used(lines: str) -> None:
    found = {argument.name: argument.role for argument in kernel(lines).arguments}
    assert found == dict.fromkeys(found, "input") | ROLES[lines]


def test_a_state_that_is_an_argument_is_no_array_that_is_written() -> None:
    program = kernel("a[i] = wp.randf(state)", "a: wp.array(dtype=float), state: wp.uint32")
    assert [argument.role for argument in program.arguments] == ["output", "input"]


STORES = {
    "a[i] = 1.0": True,
    "x = wp.vec3(1.0)\nx[0] = 2.0": False,
    "x = wp.atomic_add(a, i, 1.0)": True,
    "x = float(0.0)\nx = wp.atomic_add(a, i, 1.0)": True,
    "x = 2.0 * put_again(a, i, 1.0)": True,
    "if put(a, i, 1.0) > 0.0:\n    return": True,
    "x = noise(wp.rand_init(n, i))": False,
    "noise(wp.rand_init(n, i))": False,
}


@pytest.mark.parametrize("lines", STORES)
def test_a_statement_stores_by_itself_or_by_what_it_calls(lines: str) -> None:
    program = kernel(lines)
    last = program.body[-1]
    impure = effects.impure(program.functions)
    assert impure == {"put", "put_again", "say"} & {function.name for function in program.functions}
    assert effects.stores(last, impure) is STORES[lines]
    assert bool(effects.stored_values(last, impure)) is STORES[lines]


ORDER = {
    "x = say(2.0) + 1.0": False,
    "x = say(2.0 * a[i])": False,
    "x = say(2.0) + a[i]": True,
    "x = say(2.0) + say(3.0)": True,
    "x = say(2.0) if n > 0 else 1.0": True,
    "x = noise(wp.uint32(n)) + a[i]": False,
    "x = put(a, i, 1.0) + float(wp.lower_bound(a, 3.0))": True,
    "if 0.0 < put(a, i, 1.0) < 5.0:\n    return": True,
    "x = put(a, int(0.0 < float(n) < 5.0), 1.0)": False,
}


@pytest.mark.parametrize("lines", ORDER)
def test_when_a_call_with_effects_happens_may_matter(lines: str) -> None:
    program = kernel(lines)
    found = effects.Effects(program, in_kernel=True).ordered_call(program.body[-1])
    assert (found is not None) is ORDER[lines]


DECOMPOSITIONS = {
    "w = wp.quat(a[i], 0.0, 0.0, 0.0)\nx = wp.vec3(0.0)\ny = a[i]\nwp.quat_to_axis_angle(w, x, y)": "xy",
    "w = wp.mat33(a[i])\nx = wp.mat33(0.0)\ny = wp.mat33(0.0)\nwp.qr3(w, x, y)": "xy",
    "w = wp.mat33(a[i])\nx = wp.mat33(0.0)\ny = wp.vec3(0.0)\nwp.eig3(w, x, y)": "xy",
    "w = wp.mat33(a[i])\nx = wp.mat33(0.0)\ny = wp.vec3(0.0)\nz = wp.mat33(0.0)\nwp.svd3(w, x, y, z)": "xyz",
    "w = wp.mat22(a[i])\nx = wp.mat22(0.0)\ny = wp.vec2(0.0)\nz = wp.mat22(0.0)\nwp.svd2(w, x, y, z)": "xyz",
}


@pytest.mark.parametrize("lines", DECOMPOSITIONS)
def test_results_that_are_operands_come_from_the_other_operands(lines: str) -> None:
    program = kernel(lines)
    source = program.body[1].target
    assert effects.local_values(program.body[-1]) == tuple((name, source) for name in DECOMPOSITIONS[lines])


def test_a_loop_carries_the_state_of_random_numbers() -> None:
    loop = """
    state = wp.rand_init(7, i)
    x = float(0.0)
    for j in range({}):
        x += wp.randf(state) * a[j]
    o[i] = x
    """
    arguments = "a: wp.array(dtype=float), n: int, o: wp.array(dtype=float)"
    assert gradient_bar(kernel(loop.format("n"), arguments)) is not None
    assert gradient_bar(kernel(loop.format("4"), arguments)) is None
    begun_anew = loop.format("n").replace("    x += ", "    state = wp.rand_init(7, j)\n        x += ")
    begun_anew = begun_anew.replace("state = wp.rand_init(7, i)", "", 1)
    assert gradient_bar(kernel(begun_anew, arguments)) is None
