"""A specification: a complete text from which a person who has not seen a kernel can write one like it."""

from __future__ import annotations

from collections.abc import Iterator

from ..program import Function, Program
from ..rewrite import Body
from ..types import Several
from . import choices, header, notes
from .expressions import Formulas
from .folding import told, without_index
from .outline import INDENT, lines
from .steps import Teller


def specify(program: Program) -> str:
    """The program in plain text: its launch, its arguments, numbered steps, functions, and what less common
    notation means. Two programs with the same text give equal outputs."""
    formulas = Formulas(program)
    names, body = without_index(told(program, program.body))
    indices = tuple(name.name for name in names)
    steps = list(lines(Teller(formulas, indices, False).steps(body, top=True)))
    functions = list(_functions(program, formulas))
    explained = notes.told(formulas.used, formulas.builtins)
    text = [header.opening(program, indices), "", *header.arguments(program, body, indices)]
    text += [*header.structs(program), *header.reals(program, formulas)]
    text += ["", "Each thread:", *steps]
    if functions:
        text += ["", "Functions:", *functions]
    if explained:
        text += ["", "Notation:", *(f"- {line}" for line in explained)]
    return "\n".join(text) + "\n"


def _functions(program: Program, formulas: Formulas) -> Iterator[str]:
    for function in program.functions:
        yield from _function(formulas, function, told(program, function.body))


def _function(formulas: Formulas, function: Function, body: Body) -> Iterator[str]:
    parameters = []
    for parameter in function.parameters:
        kind = formulas.kind(parameter.type)
        parameters.append(f"{parameter.name}: {kind}" if kind else parameter.name)
    head = f"- {function.name}({', '.join(parameters)})"
    kind = "" if isinstance(function.type, Several) else formulas.kind(function.type)
    gives = f", {_article(kind)} {kind}," if kind else ""
    cases = choices.returned(body)
    if cases is not None:
        step = choices.told(formulas, f"{head}{gives}", "is", cases)
        yield step.text
        yield from (f"{INDENT}- {case}" for case in step.cases)
        return
    yield f"{head}{gives.rstrip(',')}:"
    yield from lines(Teller(formulas, (), True).steps(body), indent=INDENT)


def _article(word: str) -> str:
    return "an" if word[0] in "aeio" else "a"
