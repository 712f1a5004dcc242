"""Composed kernels: they compute what their parts compute one after the other, and keep to one split."""

from __future__ import annotations

import inspect
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.synthesis import toy_templates as toys
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.identity import purpose_group, split_of
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.synthesis.composing import compose
from warp_ir_dataset.synthesis.composing.fuse import fuse
from warp_ir_dataset.synthesis.composing.links import Incompatible, links
from warp_ir_dataset.synthesis.composing.pipelines import precedes, purposes_named
from warp_ir_dataset.synthesis.composing.quantities import QUANTITIES, can_supply
from warp_ir_dataset.synthesis.composing.sentences import without_missing_names
from warp_ir_dataset.synthesis.composing.steps import STEPS
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.memo import PredicateMemo
from warp_ir_dataset.synthesis.templates.choices import Choices
from warp_ir_dataset.synthesis.templates.part import instantiate
from warp_ir_dataset.synthesis.templates.task import quoted_names
from warp_ir_dataset.synthesis.templates.template import ArgumentSpec

TEMPLATES = [template for templates in IDIOMS.values() for template in templates]
STEP_NAMES = {template.purpose for template in STEPS}
OTHERS_WITH = [
    template for template in TEMPLATES if template.purpose in set(purposes_named())
]  # those that others may go with


def part(template, number=0, text="t"):
    rng = Rng(f"{text}/{number}")
    return instantiate(template, Choices(number, text, rng), rng)


@pytest.fixture(scope="module")
def joined():
    """Some composed kernels, and every two kernels that were fused on the way."""
    pairs, made = [], []

    def noted(first, then, rng, main):
        both = fuse(first, then, rng, main)
        pairs.append((first, then, both))
        return both

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compose, "SHARE", 1.0)
        patch.setattr(compose, "fuse", noted)
        for template in OTHERS_WITH[::2]:
            made.append((template, compose.compose(part(template), f"t/{template.purpose}", PredicateMemo())))
    return pairs, made


def origins(first, then):
    """For each argument of the fused kernel: its role, and the arguments of the two that it replaces."""
    found = links(first, then)
    mine = {link.first.name: link for link in found}
    for argument in first.program.arguments:
        link = mine.get(argument.name)
        if link is None:
            yield argument.role, argument.name, None, argument.ndim
        elif link.kind != "forwarded":
            yield argument.role, argument.name, link.then.name, argument.ndim
        elif link.then.role == "inout":
            yield "output", None, link.then.name, argument.ndim
    theirs = {link.then.name for link in found}
    for argument in then.program.arguments:
        if argument.name not in theirs:
            yield argument.role, None, argument.name, argument.ndim


def leaves(values, old, new):
    """The values of an argument, or of the members of one that is a struct, under another name."""
    return {
        new + name[len(old) :]: value
        for name, value in values.items()
        if name == old or name.startswith(f"{old}.")
    }


def test_a_fused_kernel_computes_one_after_the_other(joined):
    pairs, _ = joined
    assert len(pairs) > 20
    for first, then, both in pairs:
        slots = sorted(origins(first, then), key=lambda slot: (slot[0] == "output", not slot[3]))
        names = [argument.name for argument in both.program.arguments]
        assert len(names) == len(slots)
        given = make_inputs(both.program.signature, "both")
        given = {name: np.asarray(value)[None] for name, value in given.items()}
        inputs, later = {}, {}
        for name, (_, mine, other, _) in zip(names, slots, strict=True):
            inputs |= leaves(given, name, mine) if mine else {}
            later |= leaves(given, name, other) if other else {}
        earlier = interpret(first.program, inputs, 1)
        for link in links(first, then):
            if link.kind != "shared":
                later |= leaves(earlier, link.first.name, link.then.name)
        wanted = interpret(then.program, later, 1)
        found = interpret(both.program, given, 1)
        assert found
        for name, (_, mine, other, _) in zip(names, slots, strict=True):
            expected = leaves(wanted, other, name) if other else {}
            expected = expected or (leaves(earlier, mine, name) if mine else {})
            for leaf, values in expected.items():
                if leaf in found:
                    same = np.allclose(found[leaf], values, rtol=1e-9, atol=1e-12)
                    assert same, "\n".join(write(each.program) for each in (first, then, both))


def test_a_forwarded_result_is_not_changed_in_place():
    first, then = part(toys.gap_of_points), part(toys.closed_gaps)
    (link,) = links(first, then)
    assert link.kind == "forwarded" and then.sentence == "Closes gaps, in place."
    assert fuse(first, then, Rng("r"), then).sentence.endswith(" Then closes gaps.")


def test_the_task_of_a_fused_kernel_names_forwarded_values():
    first = replace(part(toys.gap_of_points), task="Store the gap of `x[k]` in `gaps`.")
    then = replace(part(toys.push_of_gaps), task="Push by `2 * size` and `gaps`.")
    both = fuse(first, then, Rng("r"), then)
    begun, between, done = both.task.split("\n\n")
    (local,) = quoted_names(between)
    assert local != "gaps" and begun == first.task.replace("gaps", local)
    assert local not in {a.name for a in both.program.arguments} and done == then.task.replace("gaps", local)
    assert fuse(first, replace(then, task=""), Rng("r"), then).task == ""


def test_the_task_of_a_fused_kernel_names_all_arguments(joined):
    pairs, _ = joined
    asked = [both for _, _, both in pairs if both.task]
    assert len(asked) > len(pairs) / 2
    for both in asked:
        assert {a.name for a in both.program.arguments} <= quoted_names(both.task), both.task


def test_composed_kernels_are_legal_and_read_back(joined):
    _, made = joined
    several = [each for _, each in made if len(each.purposes) > 1]
    assert len(several) > len(made) // 4
    for each in several:
        program = each.program
        check(program, sampled=True)
        back = read(write(program), kernel=program.name)
        assert (back.body, back.functions, back.constants) == (
            program.body,
            program.functions,
            program.constants,
        )


def test_pipelines_name_existing_purposes_and_all_steps():
    names = set(purposes_named())
    assert names <= {template.purpose for template in TEMPLATES} | STEP_NAMES
    assert names >= STEP_NAMES


def test_only_later_stages_of_a_subject_follow(joined):
    assert precedes("particle_step", "cell_hash") and not precedes("cell_hash", "particle_step")
    assert not precedes("pagerank_step", "bracket_lookup")
    for _, made in joined[1]:
        assert all(precedes(*pair) for pair in pairwise(made.purposes))


def test_a_state_is_stored_if_later_kernels_only_read_it():
    first, then = part(toys.points_ahead), part(toys.heights_of_points)
    (link,) = links(first, then)
    both = fuse(first, then, Rng("r"), first)
    assert link.kind == "stored"
    results = [a for a in both.program.arguments if a.role == "output"]
    assert [both.quantities.get(a.name) for a in results] == ["position", None]


def test_a_state_on_the_way_to_a_newer_one_is_not_stored():
    (link,) = [x for x in links(part(toys.points_ahead), part(toys.mirrored_points)) if x.kind != "shared"]
    assert link.kind == "forwarded"


def test_other_purposes_are_of_the_same_split(joined):
    _, made = joined
    used = [(template, set(each.purposes) - STEP_NAMES - {template.purpose}) for template, each in made]
    assert any(others for _, others in used)
    for template, others in used:
        assert {split_of(purpose_group(p)) for p in others} <= {split_of(purpose_group(template.purpose))}


def test_steps_are_no_purposes():
    assert not STEP_NAMES & {template.purpose for template in TEMPLATES}


def test_composing_is_a_function_of_its_text(monkeypatch):
    monkeypatch.setattr(compose, "SHARE", 1.0)
    for template in TEMPLATES[3::40]:
        first, second = (
            compose.compose(part(template), f"t/{template.purpose}", PredicateMemo()) for _ in range(2)
        )
        assert write(first.program) == write(second.program) and first.sentence == second.sentence


def test_a_composed_kernel_is_more_difficult_than_its_parts(joined):
    pairs, _ = joined
    for first, then, both in pairs:
        assert both.level == min(5, max(first.level, then.level) + 1)


def test_every_quantity_of_a_template_is_known():
    for template in (*TEMPLATES, *STEPS):
        for number in range(6):
            choices = Choices(number, "q", Rng(f"{number}"))
            template.function(choices)
            specs = [p.default for p in inspect.signature(choices.kernel_function).parameters.values()]
            named = {spec.of for spec in specs if isinstance(spec, ArgumentSpec)} - {None}
            assert named <= QUANTITIES.keys(), (template.purpose, named)


def test_any_number_supplies_a_value_and_positions_any_frame():
    assert can_supply("distance", "value") and can_supply("force", "force")
    assert can_supply("position in a frame", "position") and not can_supply("position", "position in a frame")
    assert (
        not can_supply("value", "distance")
        and not can_supply("force", "value")
        and not can_supply("mass", "force")
    )


def test_a_result_becomes_the_local_that_takes_it():
    both = fuse(part(toys.gap_of_points), part(toys.push_of_gaps), Rng("r"), part(toys.push_of_gaps))
    text = write(both.program)
    assert "gaps" not in {a.name for a in both.program.arguments} and "gaps[" not in text
    assert both.sentence == "Finds the gap of each point. Then finds the push of the distance."
    assert both.purposes == ("gap_of_points", "push_of_gaps")


def test_clashing_names_change_and_equal_definitions_are_one():
    both = fuse(part(toys.gap_of_points), part(toys.push_of_gaps), Rng("r"), part(toys.push_of_gaps))
    text = write(both.program)
    assert (
        text.count("def half(") == 1 and text.count("def curve(") == 1 and text.count("def gap_curve(") == 1
    )
    assert [a.name for a in both.program.arguments if a.name == "size"] == ["size"]


def test_a_local_between_two_kernels_has_no_function_s_name():
    first = part(toys.gap_by_functions)
    both = fuse(first, part(toys.root_of_gaps), Rng("r"), first)
    x = np.array([[-1.0, 0.5, 0.0, -0.2, 0.3]])
    (found,) = interpret(both.program, {"x": x}, 1).values()
    assert found[0] == pytest.approx(np.sqrt(np.where(x[0] < 0.1, 1.0, 0.5 * (x[0] ** 2 + 3.0))), rel=1e-6)


def test_a_guard_of_the_first_leaves_the_second_alone():
    first = part(toys.guarded_gaps)
    both = fuse(first, part(toys.push_of_gaps), Rng("r"), first)
    values = np.array([[-1.0, 0.5, 2.0, -0.2, 0.3]])
    given = {a.name: values for a in both.program.arguments if a.role == "input" and a.shape}
    given |= {a.name: np.array([0.5]) for a in both.program.arguments if a.role == "input" and not a.shape}
    (found,) = interpret(both.program, given, 1).values()
    assert "return" not in write(both.program).partition("@wp.kernel")[2]
    assert (found[0][values[0] < 0.0] == found[0][0]).all() and len(set(found[0])) == 4


def test_an_array_read_at_neighbours_is_not_forwarded():
    with pytest.raises(Incompatible, match="element"):
        links(part(toys.gap_of_points), part(toys.smoothed_gaps))


def test_steps_in_time_are_not_made_twice():
    with pytest.raises(Incompatible, match="time"):
        links(part(toys.moved_points), part(toys.moved_points))


def test_a_step_in_time_may_be_a_constant():
    for template in (
        p for templates in IDIOMS.values() for p in templates if p.purpose == "runge_kutta_tracers"
    ):
        assert any(part(template, number).advances_time for number in range(6))


def test_a_unique_step_does_not_occur_twice():
    damped = part(toys.damped_gaps)
    assert damped.unique_steps == {"damping"} and not part(toys.gap_of_points).unique_steps
    assert fuse(damped, part(toys.root_of_gaps), Rng("r"), damped).unique_steps == {"damping"}
    with pytest.raises(Incompatible, match="damping"):
        links(damped, damped)


def test_an_input_is_not_linked_if_its_quantity_changes():
    (link,) = links(part(toys.points_ahead), part(toys.differences_of_points))
    assert (link.kind, link.first.name, link.then.name) == ("stored", "ahead", "x")


def test_forwarded_values_must_suit():
    negative, roots = part(toys.gap_of_points), part(toys.root_of_gaps)
    assert not compose.values_suit(negative, roots, "t")
    assert compose.values_suit(negative, part(toys.push_of_gaps), "t")


def test_a_name_that_the_kernel_lost_is_left_out_of_the_sentence():
    sentence = "Finds the score, as `logit`. Then scales `logit` by `heat`."
    assert without_missing_names(sentence, {"logit", "heat"}) == sentence
    assert without_missing_names(sentence, {"heat"}) == "Finds the score. Then scales the result by `heat`."
    both = "Finds the ends, as `low` and `high`. Then blends `low` and `high`."
    assert without_missing_names(both, {"low", "high"}) == both
    assert without_missing_names(both, {"low"}) == "Finds the ends. Then blends `low` and the high."
