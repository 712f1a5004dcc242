"""Samples a template: makes its choices, composes its kernel with others, styles it and checks it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ..common.address import Address
from ..common.rng import Rng
from ..language import ir
from ..language.analysis.degenerate import is_degenerate
from ..language.analysis.intervals import Illegal
from ..language.analysis.legality import check
from ..language.analysis.unrolling import generated_size
from ..language.rewrite import names_of
from .composing.compose import compose
from .composing.sentences import without_missing_names
from .memo import PredicateMemo
from .sample import Sample
from .style import style_template_program, width
from .templates.choices import Choices
from .templates.module import as_docstring
from .templates.part import fits_level, instantiate
from .templates.template import Template

LONGEST_LINE = 116
SETS_OF_MEANINGS = 5  # sets of choices of meaning that are tried, from the address's number on
ATTEMPTS = 4  # with each of them


class GenerationFailed(RuntimeError):
    """A template makes no legal kernel at an address; the message says why the last attempt failed."""


def sample_template(template: Template, address: Address, memo: PredicateMemo | None = None) -> Sample:
    """Make a kernel of a template that is legal and not degenerate.

    The number of the address enumerates the choices of meaning; the whole address decides everything else.
    `memo` holds the answers of an earlier sample at the address, or gets those of this one.

    Raises:
        GenerationFailed: No attempt gave such a kernel, which is a fault of the template.
    """
    made: Sample | str = ""
    for turn in range(SETS_OF_MEANINGS):
        for attempt in range(ATTEMPTS):
            seed_text = f"{address}/{attempt}"
            made = attempt_sample(template, address.category, address.draw + turn, seed_text, memo)
            if isinstance(made, Sample):
                return made
    raise GenerationFailed(f"{address}: {made}")


def attempt_sample(
    template: Template,
    category: str,
    number: int,
    seed_text: str,
    memo: PredicateMemo | None = None,
    *,
    composing: bool = True,
) -> Sample | str:
    """Make one kernel of a template, or say why it is refused.

    Args:
        template: The template.
        category: The family of the sample.
        number: Enumerates the choices of meaning.
        seed_text: Decides constants, sizes and style. It begins with the seed of the build and a slash.
        memo: See `sample_template`.
        composing: Whether the kernel may be composed with others.

    Returns:
        The sample, or its fault.
    """
    memo = PredicateMemo() if memo is None else memo
    seed = seed_text.partition("/")[0]
    rng = Rng(seed_text)
    part = instantiate(template, Choices(number, f"{seed}/{template.purpose}", rng), rng)
    if composing:
        part = compose(part, seed_text, memo)
    program = style_template_program(part.program, rng)
    if fault := memo.fault(partial(_fault, program, part.level, seed_text)):
        return fault
    sentence = without_missing_names(part.sentence, names_of(program))
    if program.docstring is not None and sentence != part.sentence:
        program = replace(program, docstring=as_docstring(sentence))
    return Sample(program, category, part.level, sentence, template.purpose, len(part.purposes), part.task)


def _fault(program: ir.Program, level: int, seed_text: str) -> str | None:
    """The reason to refuse a program as a kernel of a level, if there is one."""
    try:
        check(program, sampled=True)
    except Illegal as error:
        return str(error)
    if not fits_level(level, generated_size(program)):
        return "it is too long once its loops are unrolled"
    if width(program) > LONGEST_LINE:
        return "a line is too long"
    return "it is degenerate" if is_degenerate(program, seed_text) else None
