"""What makes a rendered kernel a whole program: cases, launch, comparison."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import pytest
from toys.constructs import PROGRAMS

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.cuda import shim
from warp_ir_dataset.language.cuda.harness import Harness, harness
from warp_ir_dataset.language.cuda.pieces.library import OF_FLOATS
from warp_ir_dataset.language.cuda.render import render
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.proof.inputs import full_shape, make_inputs


def made(program: ir.Program, cases: int = 1) -> Harness:
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


# ---- elements in any order

Outputs = dict[str, np.ndarray]
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Compiles and runs the program of a kernel that wants the outputs which `change` makes of its own."""

    def ran(
        title: str,
        change: Callable[[Outputs], None],
        unordered: Collection[str],
        together: Collection[Collection[str]] = (),
        **given: np.ndarray,
    ) -> tuple[int, str]:
        program = PROGRAMS[title]
        inputs = make_inputs(program.signature, title) | given
        meant = interpret(program, {name: np.asarray(value)[None] for name, value in inputs.items()}, 1)
        outputs = {name: np.array(value[0]) for name, value in meant.items()}
        change(outputs)
        plain = render(program)
        case = {"inputs": inputs, "outputs": outputs}
        made = harness(plain, program.signature, [case], unordered, together)
        (tmp_path / shim.NAME).write_text(shim.HEADER)
        (tmp_path / "kernel.cu").write_text(made.prelude + plain.completion + made.main)
        words = "g++ -std=c++17 -Wall -Wextra -Werror -x c++ -include cuda_on_cpu.h kernel.cu -o kernel"
        subprocess.run(words.split(), cwd=tmp_path, check=True)
        done = subprocess.run(["./kernel"], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    return ran


@pytest.mark.process
def test_the_header_alone_has_the_functions_that_operations_call(tmp_path: Path) -> None:
    """Where Warp's own code stands in the same unit, its functions hide that one is missing."""
    called = {name for row in TABLE.values() for name in (row.name, *re.findall(r"\w+", row.cuda or ""))}
    names = sorted(called & OF_FLOATS)
    assert len(names) > 25 and {"erfcinv", "fmin"} < set(names)
    uses = "".join(f"using ::{name};\nusing ::{name}f;\n" for name in names)
    (tmp_path / shim.NAME).write_text(shim.HEADER)
    (tmp_path / "names.cu").write_text(f"namespace all {{\n{uses}}}\n")
    words = "g++ -std=c++17 -fsyntax-only -x c++ -include cuda_on_cpu.h names.cu"
    subprocess.run(words.split(), cwd=tmp_path, check=True)


def turned(*names: str) -> Callable[[Outputs], None]:
    """Elements in another order."""

    def change(outputs: Outputs) -> None:
        for name in names:
            outputs[name] = np.roll(outputs[name], 3, axis=0)

    return change


NUMBERS = "unsigned numbers wrap"  # outputs o and p of whole numbers
VECTORS = "a rotation"  # outputs o of vectors and turned of quaternions
STRUCTS = "members of an element"


@pytest.mark.process
@pytest.mark.parametrize(
    ("title", "names", "together"),
    [
        (NUMBERS, ("o",), ()),
        (NUMBERS, ("o", "p"), ()),
        (NUMBERS, ("o", "p"), [("o", "p")]),
        (VECTORS, ("o",), ()),
        (VECTORS, ("o", "turned"), [{"turned", "o"}]),
        (STRUCTS, ("bodies.place.at", "bodies.mass"), [("bodies.mass", "bodies.place.at")]),
    ],
)
def test_elements_in_another_order_pass(
    title: str, names: tuple[str, ...], together: Collection[Collection[str]], run: Run
) -> None:
    assert run(title, turned(*names), names, together)[0] == 0
    first = next(iter(names))
    assert run(title, turned(first), names[1:])[0] == 1  # that one has an order


def _wrong(outputs: Outputs) -> None:
    outputs["o"] = np.roll(outputs["o"], 3, axis=0)
    outputs["o"][4] += 1


def _twice(outputs: Outputs) -> None:
    outputs["o"] = np.roll(outputs["o"], 3, axis=0)
    outputs["o"][4] = outputs["o"][2]


def _mixed(outputs: Outputs) -> None:
    """All numbers are there, and not as these elements."""
    outputs["o"][[4, 5], 0] = outputs["o"][[5, 4], 0]


@pytest.mark.process
@pytest.mark.parametrize(
    ("title", "change"),
    [(NUMBERS, _wrong), (NUMBERS, _twice), (VECTORS, _wrong), (VECTORS, _twice), (VECTORS, _mixed)],
)
def test_an_element_that_is_not_there_is_named(
    title: str, change: Callable[[Outputs], None], run: Run
) -> None:
    output = f"o: element 4 of the wanted ones is missing\nFAIL {PROGRAMS[title].name}\n"
    assert run(title, change, ["o"]) == (1, output)


@pytest.mark.process
def test_outputs_of_a_group_stay_together(run: Run) -> None:
    for title, names in ((NUMBERS, ("o", "p")), (VECTORS, ("o", "turned"))):
        assert run(title, turned(names[0]), names)[0] == 0
        status, output = run(title, turned(names[0]), names, [names])
        assert status == 1 and output.startswith(
            f"{', '.join(names)}: element 0 of the wanted ones is missing"
        )


@pytest.mark.process
def test_of_floats_that_lie_close_none_takes_what_only_another_has(run: Run) -> None:
    """The first wanted one is near both of the largest, the second near the one in the first place alone."""
    step = 1.5e-4  # twice that is more than two numbers may differ

    def change(outputs: Outputs) -> None:
        outputs["o"][:2] = outputs["o"][0] * (1 + step), outputs["o"][0]

    a = np.array([0.9, 0.9 * (1 + 2 * step), 0.8, 0.7, 0.6, 0.5, 0.4, 0.3], np.float32)
    assert run("comparisons in a row", change, ["o"], a=a)[0] == 0
    assert run("comparisons in a row", change, [], a=a)[0] == 1


def test_what_is_compared_in_any_order_is_all_that_is_new() -> None:
    program = PROGRAMS[VECTORS]
    outputs = {"o": np.zeros((8, 3)), "turned": np.zeros((8, 4))}
    cases = [{"inputs": make_inputs(program.signature, "0"), "outputs": outputs}]
    ordered, some = (harness(render(program), program.signature, cases, names).main for names in ((), ["o"]))
    assert ordered == made(program).main
    assert 'equal("o", (float*)o_data, o_out, 24, 0.0001220703125) && equal("turned", ' in ordered
    assert "static bool o_differ[8][8];\n    static float o_out[24] = {\n" in some
    assert "tell_apart(o_differ, (float*)o_data, o_out, 3, 0.0001220703125);" in some
    assert 'return all_there("o", o_differ) && equal("turned", ' in some
    support, _, case = some.partition("\n// Elements in any order")
    assert ordered.startswith(support) and case[case.index("\nstatic bool case_0") :][:300] in ordered


def test_a_group_of_which_one_has_an_order_is_none() -> None:
    program = PROGRAMS[VECTORS]
    outputs = {"o": np.zeros((8, 3)), "turned": np.zeros((8, 4))}
    cases = [{"inputs": make_inputs(program.signature, "0"), "outputs": outputs}]
    main = harness(render(program), program.signature, cases, ["o"], [("o", "turned")]).main
    assert 'all_there("o", o_differ) && equal("turned", ' in main
