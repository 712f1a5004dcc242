"""From templates to programs: choices are folded, unused parts removed, and only legal programs made."""

from __future__ import annotations

import ast
import dataclasses
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

from tests.synthesis import toy_templates as toys
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.analysis.intervals import Illegal
from warp_ir_dataset.language.analysis.legality import check
from warp_ir_dataset.language.identity import identify_normal_form, purpose_group, split_of
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis import composing, idioms
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.sample import Sample
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed, attempt_sample, sample_template
from warp_ir_dataset.synthesis.templates.choices import Choices
from warp_ir_dataset.synthesis.templates.module import render
from warp_ir_dataset.synthesis.templates.part import program_of
from warp_ir_dataset.synthesis.templates.template import templates_of

TEMPLATES = [(family, template) for family, templates in IDIOMS.items() for template in templates]


def module(template, number, text="t"):
    rng = Rng(f"{text}/{number}")
    return render(template, Choices(number, text, rng), rng)


def modules(template, count=48):
    return [module(template, number) for number in range(count)]


def test_choices_of_meaning_come_up_once_before_one_comes_again():
    def choose(number):
        choices = Choices(number, "start", Rng(f"{number}"))
        return choices.meaning(0, 1, 2), choices.meaning(0, 1), choices.meaning(0, 1, 2, 3)

    chosen = [choose(number) for number in range(48)]
    assert len(set(chosen[:24])) == 24 and chosen[:24] == chosen[24:]


def test_choices_are_folded_and_unused_parts_removed():
    texts = [each.text for each in modules(toys.blended)]
    assert not any(word in text for text in texts for word in ("WHAT", "HOW", "TAPS", "if ", "unused"))
    rows = [text for text in texts if "for k in range" in text]
    columns = [text for text in texts if "2.0 *" in text]
    assert rows and columns and len(rows) + len(columns) < len(texts)
    # A tuple's loop is written out; a number times one, and the template's own tuple, are folded.
    assert all("[0, " in text and "[1, " in text for text in columns)
    assert any("0.5 * total" in text for text in texts)


def test_statements_after_a_chosen_return_are_removed():
    texts = {each.sentence: each.text for each in modules(toys.returned_early)}
    square, root = texts["The square of each element."], texts["The root of each element."]
    assert "capped" in root and "sqrt" in root and "v * v" not in root
    assert not any(word in square for word in ("capped", "sqrt", "LIMIT", "limit"))


def test_a_long_sentence_is_a_docstring_of_several_lines():
    texts = [each.text for each in modules(toys.told_at_length)]
    documented = [text for text in texts if '"""' in text]
    assert documented and max(map(len, "".join(documented).split("\n"))) <= 100
    assert isinstance(attempt_sample(toys.told_at_length, "toys", 0, "0/toys/0/0"), Sample)
    assert "\n" not in module(toys.told_at_length, 0).sentence


def test_a_helper_is_there_where_it_is_used():
    for each in modules(toys.blended):
        assert ("square(" in each.text.partition("@wp.kernel")[2]) == ("def square" in each.text)


def test_a_template_may_have_kinds_and_slices():
    texts = [each.text for each in modules(toys.kinds, 8)]
    assert {"    HALVED = 1\n" in text for text in texts} == {True, False}
    for half, value in ((2, 1), (3, 2)):
        chosen = [text for text in texts if f"HALVED = {value}\n" in text]
        assert all(f"[tid, :{half}]" in re.sub(r"\b(i|idx)\b", "tid", text) for text in chosen)
    for text in texts:
        assert text.startswith("from enum import IntEnum\n\nimport warp as wp\n")
        assert "@wp.struct" not in text
        assert [(c.name, c.place) for c in read(text).constants] == [
            ("Kind.EMPTY", "enumeration"),
            ("Kind.HALVED", "enumeration"),
        ]


def test_the_sentence_names_choices_and_arguments():
    sentences = {each.sentence for each in modules(toys.blended)}
    assert all("{" not in sentence for sentence in sentences)
    pattern = r"Each (entry|row|column) of `(x|values)` blended by (.*) with (nothing|its square)\."
    found = [re.fullmatch(pattern, sentence) for sentence in sentences]
    assert all(found)
    words = {f[3] for f in found if f}
    assert {"`WEIGHT`", "`weight`"} < words and any(re.fullmatch(r"0\.\d+", word) for word in words)


def test_constants_stand_in_the_module_in_the_text_or_among_the_arguments():
    places = set()
    for each in modules(toys.blended):
        argument = each.arguments.get("weight")
        if argument is not None:
            assert (argument.low, argument.high, argument.shape) == (0.1, 0.9, ())
            assert list(each.arguments).index("weight") == len(each.arguments) - 2  # before what is written
            places.add("argument")
        else:
            places.add("module" if "WEIGHT = wp.constant(0." in each.text else "literal")
    assert places == {"argument", "module", "literal"}


def test_names_are_chosen_together_and_comments_follow_them():
    commented = 0
    for each in modules(toys.blended):
        pair = re.search(r"    (\w), (\w) = wp.tid\(\)", each.text)
        assert pair is not None and pair.groups() in {("p", "q"), ("r", "s")}
        assert each.kernel in ("blend", "blended")
        if "# the weighted" in each.text:
            commented += 1
            assert f"# the weighted `{next(iter(each.arguments))}`" in each.text
            if "for k" in each.text:
                assert "]  # all of the row" in each.text
    assert commented > 30


def test_a_choice_may_give_its_own_names():
    found = {
        (each.kernel, *re.findall(r"(\w+) = (?:values\[|wp\.sqrt)", each.text))
        for each in modules(toys.named_by_choice)
    }
    squares = {(kernel, y) for kernel in ("named_by_choice", "square_entries") for y in ("square", "power")}
    assert found == squares | {("take_roots", "root")}


def test_a_parameter_that_is_one_element_has_not_the_name_of_the_array():
    texts = [each.text for each in modules(toys.named_by_choice)]
    assert all("def lessened(x: float)" in text and "values: wp.array" in text for text in texts)


def test_a_constant_that_hardly_shows_is_no_argument_and_sums_of_literals_are_numbers():
    texts = [each.text for each in modules(toys.named_by_choice)]
    assert not any("eps" in text for text in texts)
    assert any(" * 0.99" in text for text in texts) and any("(1.0 - EPS)" in text for text in texts)


def test_a_factor_of_one_is_left_out():
    sums = {each.text.rpartition(" = ")[2].strip() for each in modules(toys.scaled)}
    assert {re.sub(r"[a-z]+(?=\[)", "x", re.sub(r"\w+\]", "i]", found)) for found in sums} == {
        "x[i] + x[i]",
        "2.0 * x[i] / 2.0 + x[i] * 2.0",
    }


def test_members_keep_their_names_and_a_first_comment_stays_one():
    texts = [each.text for each in modules(toys.flown)]
    assert all("    v: float\n" in text and "].v" in text for text in texts)
    assert any("def reach(pace: float)" in text for text in texts)
    assert any("    # no less than one\n" in text for text in texts)
    assert not any('"#' in text for text in texts)


@pytest.mark.parametrize("template", [toys.badly_named, toys.without_kernel])
def test_a_template_with_a_fault_says_so(template):
    with pytest.raises(ValueError, match=template.purpose):
        module(template, 0)


def test_a_template_without_a_legal_kernel_fails():
    with pytest.raises(GenerationFailed, match=r"0/idle/3: .*degenerate"):
        sample_template(toys.idle, Address(0, "toys", 3, "idle"))
    with pytest.raises(GenerationFailed, match=r"index .*bounds"):
        sample_template(toys.out_of_bounds, Address(0, "toys", 0, "out_of_bounds"))
    with pytest.raises(GenerationFailed, match="unrolled"):
        sample_template(toys.unrolled, Address(0, "toys", 0, "unrolled"))
    made = sample_template(toys.doubled, Address(0, "toys", 3, "doubled"))
    assert (made.purpose, made.category, made.difficulty) == ("doubled", "toys", 2)
    assert made.group == purpose_group("doubled")


def test_floats_are_sampled_and_indices_proved():
    program = program_of(module(toys.finite_by_sampling, 0))
    with pytest.raises(Illegal, match=r"^log .*defined"):
        check(program)
    check(program, sampled=True)
    with pytest.raises(Illegal, match=r"index .*bounds"):
        check(program_of(module(toys.out_of_bounds, 0)), sampled=True)


def test_a_sample_is_a_function_of_its_address():
    family = next(iter(IDIOMS))
    assert sample(address_of(0, family, 3)) == sample(address_of(0, family, 3))
    assert sample(address_of(0, family, 3)) != sample(address_of(1, family, 3))
    templates = IDIOMS[family]
    turns = [sample(address_of(0, family, number)).purpose for number in range(len(templates))]
    assert turns == [template.purpose for template in templates]


# ---- all templates


def test_purposes_have_names_of_their_own():
    purposes = [template.purpose for _, template in TEMPLATES]
    assert len(set(purposes)) == len(purposes)
    assert not set(IDIOMS) & set(RANDOM_KINDS)


def test_every_template_is_of_a_family():
    found = walk_packages(idioms.__path__, f"{idioms.__name__}.")
    modules = [import_module(each.name) for each in found if not each.ispkg]
    written = {template.purpose for module in modules for template in templates_of(module)}
    assert written == {template.purpose for _, template in TEMPLATES}


def unoffered(source):
    """The texts that templates compare a choice with, and that stand nowhere else: no choice is one of
    them."""
    nodes = list(ast.walk(ast.parse(source)))
    compared = {id(part) for node in nodes if isinstance(node, ast.Compare) for part in ast.walk(node)}
    offered = {node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in compared}
    offered |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return {
        node.comparators[0].value
        for node in nodes
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq)
        if isinstance(node.left, ast.Name) and isinstance(node.comparators[0], ast.Constant)
        if isinstance(node.comparators[0].value, str) and node.comparators[0].value not in offered
    }


def test_a_choice_is_compared_with_its_options():
    """If a sentence were worded anew in one place only, it would describe what no kernel computes."""
    template = 'HOW = c.meaning("twice", "once")\nif HOW == "{}":\n    pass'
    assert unoffered(template.format("thrice")) == {"thrice"} and not unoffered(template.format("once"))
    folders = [Path(idioms.__file__).parent, Path(composing.__file__).parent / "steps"]
    files = [file for folder in folders for file in folder.rglob("*.py")]
    found = {file.name: unoffered(file.read_text()) for file in files}
    assert found and not {name: texts for name, texts in found.items() if texts}


@pytest.mark.sampled
@pytest.mark.parametrize("family", IDIOMS)
def test_a_family_has_purposes_in_every_split(family):
    assert {split_of(purpose_group(template.purpose)) for template in IDIOMS[family]} == {
        "train",
        "validation",
        "test",
    }


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("family", "template"), TEMPLATES, ids=[template.purpose for _, template in TEMPLATES]
)
def test_a_template_gives_programs_that_are_read_back(family, template):
    made = sample_template(template, Address(5, family, 7, template.purpose))
    source = write(made.program)
    assert read(source, made.program.signature) == made.program
    assert re.fullmatch(r"[A-Z][^{}]*[^.{}]\.", made.description), made.description
    assert max(map(len, source.split("\n"))) <= 120


@pytest.mark.long
@pytest.mark.parametrize(
    ("family", "template"), TEMPLATES, ids=[template.purpose for _, template in TEMPLATES]
)
def test_a_template_makes_many_kernels(family, template):
    """Few of sixty first attempts fail, and they differ."""
    texts = [f"3/{template.purpose}/{number}/0" for number in range(60)]
    attempts = [attempt_sample(template, family, number, text) for number, text in enumerate(texts)]
    made = [each for each in attempts if not isinstance(each, str)]
    assert len(made) >= 50, {each for each in attempts if isinstance(each, str)}
    assert len({identify_normal_form(each.program).skeleton for each in made}) >= (
        8 if template.level == 2 else 12
    )
    assert all(dataclasses.replace(each, description="").purpose == template.purpose for each in made)
