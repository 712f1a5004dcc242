"""The table of passes: rewrites that keep the meaning of a program.

A pass tells every program that differs from a given one in one place (`variants`); applied, it picks one of
them. What legal programs may not become is refused; what no launch is known of, and is therefore not legal,
is made over where the tree alone shows that it means the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ...common.recent import recent
from ...common.rng import Rng
from .. import ir
from ..analysis.intervals import Illegal
from ..analysis.legality import check
from ..python.write import type_name, write
from ..rewrite import map_bodies
from . import arguments, binding, branches, constants, declaring, functions, loops, precision, spelling

TRIES = 8  # places that are tried before a pass gives up


@dataclass(frozen=True)
class Pass:
    """One way to write a program otherwise.

    A pass that is `proved` evaluates what the program may not have evaluated: it is made only where `check`
    shows the result legal.
    """

    name: str
    variants: Callable[[ir.Program], Iterator[ir.Program]]
    proved: bool = False

    def __call__(self, program: ir.Program, rng: Rng) -> ir.Program | None:
        """The program with the pass made at a place that `rng` chooses; None where it finds none."""
        for variant in rng.shuffled(list(self.variants(program)))[:TRIES]:
            made = settled(variant)
            if made == program:
                continue
            # What is not legal to begin with, as where no launch is known, need not be legal afterwards.
            if not (self.proved or is_legal(program)) or is_legal(made):
                return made
        return None


def settled(program: ir.Program) -> ir.Program:
    """The program as its text tells it: constants and functions in the order of the text, one comment where
    several stand above one another, and the plain style where no type is written that another one spells
    otherwise."""
    program = map_bodies(constants.ordered(program), spelling.one_remark)
    types = [argument.reference.type for argument in program.arguments]
    for plainer in ({"subscripts": False}, {"full_names": False}):
        style = replace(program.style, **plainer)
        # The kernel's first line mostly tells, and costs nothing.
        if any(type_name(t, style) != type_name(t, program.style) for t in types):
            continue
        plain = replace(program, style=style)
        if style != program.style and write(plain) == write(program):
            program = plain
    return program


@recent
def is_legal(program: ir.Program) -> bool:
    try:
        check(program)
    except Illegal:
        return False
    return True


_ROWS = (
    Pass("chain comparisons", spelling.chained),
    Pass("join comparisons", spelling.unchained),
    Pass("respell a power", spelling.raised),
    Pass("name all components", spelling.all_named_parts),
    Pass("inline", binding.put_in),
    Pass("draw a local's value out", functions.value_drawn_out),
    Pass("inline a function", functions.call_put_in),
    Pass("inline a body", functions.body_put_in),
    Pass("for to while", loops.as_while),
    Pass("while to for", loops.as_for),
    Pass("leave a loop inside", loops.left_inside),
    Pass("leave a loop on top", loops.left_on_top),
    Pass("slice a row", spelling.sliced_rows),
    Pass("take a row whole", spelling.whole_rows),
    Pass("augment", spelling.augmented),
    Pass("spell out", spelling.plain),
    Pass("ternary or where", branches.rechosen, proved=True),
    Pass("branch to choice", branches.branch_as_choice, proved=True),
    Pass("choice to branch", branches.choice_as_branch),
    Pass("swap arms", branches.arms_swapped),
    Pass("return early", branches.returned_early),
    Pass("guard", branches.guarded),
    Pass("name a constant", constants.named),
    Pass("enclose a constant", constants.enclosed),
    Pass("evaluate constants early", constants.evaluated_early),
    Pass("leave types open", declaring.generic),
    Pass("make a method", declaring.methods),
    Pass("pack arguments", arguments.packed, proved=True),
    Pass("widen floats", precision.widened, proved=True),
)
PASSES: Mapping[str, Pass] = {row.name: row for row in _ROWS}
