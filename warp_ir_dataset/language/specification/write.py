"""Writes a specification: a complete text from which a person can write an equal kernel without seeing it."""

from __future__ import annotations

from collections.abc import Iterator

from .. import ir
from ..rewrite import Body
from ..types import Several
from ..walks import without_index
from . import choices, header
from .formulas import notes
from .formulas.expressions import Formulas
from .formulas.kinds import real_of
from .formulas.parts import article
from .outline import INDENT, lines
from .refusals import check, check_names
from .simplify import simplify_body
from .steps import StepWriter


def specify(program: ir.Program) -> str:
    """Describe a program in plain text. Two programs with one text have the same outputs.

    Args:
        program: The typed tree.

    Returns:
        The launch, the arguments, numbered steps, functions, and explanations of less common notation.

    Raises:
        NotDescribable: If the program cannot be described. The message is one line.
    """
    formulas = Formulas(real_of(program))
    names, body = without_index(simplify_body(program, program.body))
    functions = [(function, simplify_body(program, function.body)) for function in program.functions]
    check(body, [inner for _, inner in functions])
    indices = tuple(name.name for name in names)
    steps = list(lines(StepWriter(formulas, indices, False).whole_body(body)))
    defined = [line for function, inner in functions for line in _function(formulas, function, inner)]
    check_names({function.name for function in program.functions}, formulas.functions)
    explained = notes.told(formulas.used, formulas.builtins)
    text = [*_outside(program, formulas, body, indices), "", "Each thread:", *steps]
    if defined:
        text += ["", "Functions:", *defined]
    if explained:
        text += ["", "Notation:", *(f"- {line}" for line in explained)]
    return "\n".join(text) + "\n"


def _outside(program: ir.Program, formulas: Formulas, body: Body, indices: tuple[str, ...]) -> Iterator[str]:
    """What a specification begins with: the launch, and the arguments with their types, sizes and roles."""
    yield header.opening(program, indices)
    yield ""
    yield from header.arguments(program, body, indices)
    yield from header.structs(program)
    yield from header.thread_order(program)
    yield from header.reals(program, formulas)


def _function(formulas: Formulas, function: ir.Function, body: Body) -> Iterator[str]:
    """A function of the program as a definition, by a formula if possible."""
    parameters = []
    for parameter in function.parameters:
        kind = formulas.kind(parameter.type)
        parameters.append(f"{parameter.name}: {kind}" if kind else parameter.name)
    head = f"- {function.name}({', '.join(parameters)})"
    kind = "" if isinstance(function.type, Several) else formulas.kind(function.type)
    result = f", {article(kind)} {kind}" if kind else ""
    cases = choices.returned(body)
    if cases is not None:
        step = choices.describe(formulas, head + (f"{result}," if result else ""), "is", cases)
        yield step.text
        yield from (f"{INDENT}- {case}" for case in step.cases)
        return
    yield f"{head}{result}:"
    yield from lines(StepWriter(formulas, (), True).whole_body(body), indent=INDENT)
