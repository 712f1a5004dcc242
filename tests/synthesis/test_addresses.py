"""An address names its purpose: kernels stay as they are if a template joins a family, unless they use it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from tests.synthesis import toy_templates as toys
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.rng import Rng, rendezvous
from warp_ir_dataset.language.identity import purpose_group, split_of
from warp_ir_dataset.synthesis import idioms, template_sampling
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.composing import partners, pipelines
from warp_ir_dataset.synthesis.idioms import IDIOMS
from warp_ir_dataset.synthesis.memo import PredicateMemo
from warp_ir_dataset.synthesis.sample import Sample
from warp_ir_dataset.synthesis.sampling import address_of, sample
from warp_ir_dataset.synthesis.template_sampling import GenerationFailed
from warp_ir_dataset.synthesis.templates.part import Part
from warp_ir_dataset.synthesis.templates.template import Template

SEED = 31
FAMILY = "springs"
COMPARED = 40  # addresses that the default tier compares


def compared() -> Iterator[Address]:
    """The first kernel of every purpose, shuffled."""
    every = [
        Address(SEED, family, 0, template.purpose)
        for family, templates in IDIOMS.items()
        for template in templates
    ]
    yield from Rng("compared").shuffled(every)


def sampled(address: Address) -> Sample | str:
    try:
        return sample(address)
    except GenerationFailed as error:
        return str(error)


def forget() -> None:
    """Empty the caches of templates."""
    partners._templates.cache_clear()
    partners.producers.cache_clear()
    partners.consumers.cache_clear()
    pipelines._stages.cache_clear()


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, tuple[str, ...]]]:
    """The purposes of the templates in each sample, by its address."""
    found: dict[str, tuple[str, ...]] = {}
    compose = template_sampling.compose

    def noted(part: Part, text: str, memo: PredicateMemo) -> Part:
        made = compose(part, text, memo)
        found[text.rpartition("/")[0]] = made.purposes
        return made

    monkeypatch.setattr(template_sampling, "compose", noted)
    yield found
    monkeypatch.undo()
    forget()


def join(monkeypatch: pytest.MonkeyPatch, template: Template) -> None:
    """A template joins a family, and may come behind all others."""
    templates, stages = idioms._templates, pipelines.PIPELINES

    def with_template(family: str) -> tuple[Template, ...]:
        return (template, *templates(family)) if family == FAMILY else templates(family)

    monkeypatch.setattr(idioms, "_templates", with_template)
    monkeypatch.setattr(pipelines, "PIPELINES", tuple((*each, template.purpose) for each in stages))
    forget()
    assert template in partners._templates(split_of(purpose_group(template.purpose)))


def check_others_stay(
    monkeypatch: pytest.MonkeyPatch, used: dict[str, tuple[str, ...]], addresses: list[Address]
) -> int:
    """Candidates without and with another template are the same, but for those that are made of it, too.
    Returns how many these are."""
    before = [sampled(address) for address in addresses]
    join(monkeypatch, toys.joining)
    uses = 0
    for address, own in zip(addresses, before, strict=True):
        found = sampled(address)
        if toys.joining.purpose in used.get(str(address), ()):
            uses += 1
        else:
            assert found == own, address
    return uses


def test_a_template_that_joins_a_family_changes_no_other_kernel(monkeypatch, used):
    check_others_stay(monkeypatch, used, list(islice(compared(), COMPARED)))
    new = Address(SEED, FAMILY, 0, toys.joining.purpose)
    assert sample(new).purpose == toys.joining.purpose


@pytest.mark.long
def test_a_template_that_joins_a_family_changes_none_of_all_kernels(monkeypatch, used):
    assert check_others_stay(monkeypatch, used, list(compared())) > 0


def test_purposes_of_a_family_take_turns():
    templates = IDIOMS[FAMILY]
    turns = [address_of(SEED, FAMILY, turn) for turn in range(2 * len(templates))]
    assert [(a.draw, a.purpose) for a in turns] == [
        (n, template.purpose) for n in (0, 1) for template in templates
    ]
    assert address_of(SEED, RANDOM_KINDS[0], 7) == Address(SEED, RANDOM_KINDS[0], 7)


def test_a_row_lives_at_its_address():
    row = {"seed": 3, "category": FAMILY, "purpose": "anchor_springs", "draw": 4, "id": "1f"}
    assert str(Address.of(row)) == "3/anchor_springs/4"
    assert str(Address.of(row | {"category": "math", "purpose": None})) == "3/math/4"
    with pytest.raises(KeyError):
        sample(Address(3, FAMILY, 4, "no_such_purpose"))
    with pytest.raises(KeyError):
        sample(Address(3, FAMILY, 4))


def test_a_choice_stays_or_falls_on_what_is_new():
    texts = [f"{number}" for number in range(300)]
    before = [rendezvous("abc", str, text) for text in texts]
    after = [rendezvous("dcba", str, text) for text in texts]
    moved = [new for old, new in zip(before, after, strict=True) if new != old]
    assert set(moved) == {"d"} and 45 < len(moved) < 105
