"""What makes a rendered kernel a whole program: cases, launch, comparison."""

from __future__ import annotations

import numpy as np
import pytest
from toys.constructs import PROGRAMS

from warp_ir_dataset.language.cuda.harness import Harness, harness
from warp_ir_dataset.language.cuda.render import render
from warp_ir_dataset.language.program import Program
from warp_ir_dataset.proof.inputs import full_shape, make_inputs


def made(program: Program, cases: int = 1) -> Harness:
    """A harness with outputs that are made up."""
    leaves = [leaf for argument in program.signature.arguments for leaf in argument.leaves]
    outputs = {leaf.name: np.zeros(full_shape(leaf)) for leaf in leaves if leaf.role != "input"}
    inputs = [make_inputs(program.signature, str(number)) for number in range(cases)]
    given = [{"inputs": each, "outputs": outputs} for each in inputs]
    return harness(render(program), program.signature, given)


def test_a_case_holds_its_numbers_and_launches() -> None:
    found = made(PROGRAMS["comparisons in a row"])
    assert found.prelude.startswith("#include <assert.h>\n")
    assert "static float a_in[8] = {0." in found.main and "static float o_out[8] = {0.0f, " in found.main
    assert "kept<<<1, 256>>>(8, a_data, o_data);" in found.main
    assert "for_each_thread(1, 256, [&] { kept(8, a_data, o_data); });" in found.main
    assert 'return equal("o", o_data, o_out, 8, 0.0001220703125);' in found.main
    assert found.main.endswith("return passed ? 0 : 1;\n}\n")


def test_several_cases_all_count() -> None:
    main = made(PROGRAMS["comparisons in a row"], cases=3).main
    assert "bool passed = case_0() && case_1() && case_2();" in main and main.count("static bool case_") == 3


def test_whole_numbers_are_compared_exactly() -> None:
    main = made(PROGRAMS["unsigned numbers wrap"]).main
    assert "o_out, 8, 0.0)" in main and "static uint32_t a_in[8] = {" in main and "u, " in main


def test_structs_are_filled_and_compared_member_by_member() -> None:
    main = made(PROGRAMS["members of an element"]).main
    assert "Body* bodies_data = managed<Body>(8);" in main
    assert "bodies_data[k].place.at = ((vec3*)bodies_place_at_in)[k];" in main
    assert "bodies_place_at_got[k] = bodies_data[k].place.at;" in main
    assert 'equal("bodies.place.at", (float*)bodies_place_at_got, bodies_place_at_out, 24, ' in main


def test_arrays_in_structs_know_their_sizes() -> None:
    found = made(PROGRAMS["arrays in structs in an array"])
    assert "ropes_data[k].knots = view(ropes_knots_data + k * 3, 3);" in found.main
    assert "Array<T, sizeof...(Sizes)> view(" in found.prelude


@pytest.mark.parametrize(
    "title", ["arrays in a struct", "a launch of three dimensions", "a transform by value"]
)
def test_sizes_and_values_are_handed_over(title: str) -> None:
    call = {
        "arrays in a struct": "summed(8, a_data, *grid_data, o_data)",
        "a launch of three dimensions": "blurred(2, 3, 4, a_data, 3, 4, b_data, 3, o_data, 3, 4)",
        "a transform by value": "moved(8, a_data, *pose_data, *turn_data, o_data)",
    }
    assert call[title] in made(PROGRAMS[title]).main
