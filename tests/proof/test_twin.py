"""Twins in float64: the same operations where Warp has them, none where it has not."""

from __future__ import annotations

import pytest
from toys import programs as h
from toys.constructs import PROGRAMS

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.operations import table
from warp_ir_dataset.language.operations.row import Operation, row
from warp_ir_dataset.language.python.write import in_float64, write
from warp_ir_dataset.language.types import Array, Quaternion, Scalar, Struct, Type, Vector
from warp_ir_dataset.language.walks import walk
from warp_ir_dataset.proof.twin import twin
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

DOUBLE = Scalar("float64")
CONSTANT = "a number that Warp names"


@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_what_warp_has_in_float64_stays_as_it_is(category: str) -> None:
    for number in range(20):
        program = sample(address_of(5, category, number)).program
        assert twin(program) == in_float64(program)


CONVERTED = {CONSTANT, "random numbers"}
ALONE = "an operation of float32 alone"


@pytest.mark.parametrize("title", [title for title in PROGRAMS if title != ALONE])
def test_every_construct_has_a_twin(title: str) -> None:
    found = _twin(title)
    assert (found == in_float64(PROGRAMS[title])) != (title in CONVERTED)
    types = [getattr(node, "type", None) for node in walk((found.bodies, found.constants))]
    narrow = {t for t in types if isinstance(t, Type) and t.is_float and t.scalar != "float64"}
    assert bool(narrow) == (title in CONVERTED)


def test_structs_poses_and_constants_are_widened() -> None:
    found = twin(PROGRAMS["structs in an array"])
    assert found is not None
    at = Struct("Place", (("cell", h.INT), ("at", Vector("float64", 3))))
    assert found.structs == (at, Struct("Body", (("mass", DOUBLE), ("place", at))))
    assert found.arguments[0].reference.type == Array(found.structs[1], 1)
    poses = twin(PROGRAMS["quaternions and transforms"])
    assert poses is not None and poses.arguments[1].type == Quaternion("float64")
    assert "SCALE = wp.constant(wp.float64(2.5))" in write(_twin("a constant of the module"))
    assert "wp.float64(wp.PI)" in write(_twin(CONSTANT))
    assert "first = wp.float64(wp.randf(state))" in write(_twin("random numbers"))
    assert twin(PROGRAMS[ALONE]) is None


def _twin(title: str) -> ir.Program:
    found = twin(PROGRAMS[title])
    assert found is not None
    return found


def _row(text: str) -> Operation:
    return row(text, "math", lambda *_: Interval(0, 1), lambda *_: None)


def test_operations_of_narrow_floats_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        _row("dice(uint32) -> float32"),
        _row("ball(uint32) -> vec3<float32>"),
        _row("bend(float32) -> float32"),
    ]
    monkeypatch.setattr(table, "TABLE", {**table.TABLE, **{found.name: found for found in rows}})
    monkeypatch.setattr("warp_ir_dataset.proof.twin.TABLE", table.TABLE)
    word = Scalar("uint32")
    arguments = (
        h.argument("a"),
        ir.Argument("state", word, "input", (), Interval(0, 9)),
        h.argument("o", "output"),
    )
    state = h.name("state", word)

    def of(value: h.ir.Expr) -> ir.Program | None:
        return twin(h.kernel(h.write("o", h.op("mul", h.read("a"), value)), arguments=arguments))

    thrown = of(h.op("dice", state))
    assert thrown is not None
    (made,) = [
        node for node in walk(thrown.body) if isinstance(node, h.ir.Apply) and node.operation == "to_float"
    ]
    assert made.type == DOUBLE and made.operands == (h.op("dice", state),)
    assert of(h.op("bend", h.read("a"))) is None
    assert of(h.op("length", h.op("ball", state, type=h.VEC))) is None
