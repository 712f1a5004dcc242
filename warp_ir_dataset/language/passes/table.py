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
from ..analysis.intervals import Illegal
from ..analysis.legality import check
from ..program import Program
from ..python.write import type_name, write
from ..rewrite import map_bodies
from . import arguments, binding, branches, constants, declaring, functions, loops, precision, spelling

TRIES = 8  # places that are tried before a pass gives up


@dataclass(frozen=True)
class Pass:
    """One way to write a program otherwise.

    `back` is the pass that undoes it, perhaps at another place first; None where nothing does. `rounds` says
    that results may be rounded otherwise, `repacks` that the signature changes (see `arguments.moved`);
    all others change spelling alone. One that is `proved` is made only where `check` shows the result legal:
    it evaluates what the program may not have evaluated.
    """

    name: str
    variants: Callable[[Program], Iterator[Program]]
    back: str | None
    rounds: bool = False
    repacks: bool = False
    proved: bool = False

    @property
    def respells(self) -> bool:
        """Whether it changes spelling alone: neither numbers nor the signature."""
        return not (self.rounds or self.repacks)

    def __call__(self, program: Program, rng: Rng) -> Program | None:
        """The program with the pass made at a place that `rng` chooses; None where it finds none."""
        for variant in rng.shuffled(list(self.variants(program)))[:TRIES]:
            made = settled(variant)
            if made == program:
                continue
            # What is not legal to begin with, as where no launch is known, need not be legal afterwards.
            if not (self.proved or is_legal(program)) or is_legal(made):
                return made
        return None


def settled(program: Program) -> Program:
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
def is_legal(program: Program) -> bool:
    try:
        check(program)
    except Illegal:
        return False
    return True


# fmt: off
_ROWS = (
    Pass("restyle", spelling.restyled, "restyle"),
    Pass("drop docstrings", spelling.undocumented, None),
    Pass("add a docstring", spelling.documented, "drop docstrings"),
    Pass("drop comments", spelling.uncommented, None),
    Pass("add a comment", spelling.commented, "drop comments"),
    Pass("commute operands", spelling.commuted, "commute operands"),
    Pass("turn a comparison", spelling.turned, "turn a comparison"),
    Pass("chain comparisons", spelling.chained, "join comparisons"),
    Pass("join comparisons", spelling.unchained, "chain comparisons"),
    Pass("respell a power", spelling.raised, "respell a power"),
    Pass("name a component", spelling.named_parts, "number a component"),
    Pass("name all components", spelling.all_named_parts, None),
    Pass("number a component", spelling.numbered_parts, "name a component"),
    Pass("bind", binding.bound, "inline"),
    Pass("inline", binding.put_in, "bind"),
    Pass("inline everywhere", binding.put_in_everywhere, None),
    Pass("draw a local's value out", functions.value_drawn_out, "inline a function"),
    Pass("draw a function out", functions.drawn_out, "inline a function"),
    Pass("draw lines out", functions.block_drawn_out, "inline a body"),
    Pass("inline a function", functions.call_put_in, "draw a function out"),
    Pass("inline a body", functions.body_put_in, "draw lines out"),
    Pass("shift a loop", loops.shifted, "shift a loop"),
    Pass("reverse a loop", loops.backwards, "reverse a loop"),
    Pass("unroll a loop", loops.written_out, None),
    Pass("for to while", loops.as_while, "while to for"),
    Pass("while to for", loops.as_for, "for to while"),
    Pass("leave a loop inside", loops.left_inside, "leave a loop on top"),
    Pass("leave a loop on top", loops.left_on_top, "leave a loop inside"),
    Pass("slice a row", spelling.sliced_rows, "take a row whole"),
    Pass("take a row whole", spelling.whole_rows, "slice a row"),
    Pass("augment", spelling.augmented, "spell out"),
    Pass("spell out", spelling.plain, "augment"),
    Pass("ternary or where", branches.rechosen, "ternary or where", proved=True),
    Pass("branch to choice", branches.branch_as_choice, "choice to branch", proved=True),
    Pass("choice to branch", branches.choice_as_branch, "branch to choice"),
    Pass("swap arms", branches.arms_swapped, "swap arms"),
    Pass("return early", branches.returned_early, "guard"),
    Pass("guard", branches.guarded, "return early"),
    Pass("name a constant", constants.named, "write a constant out"),
    Pass("write a constant out", constants.literal, "name a constant"),
    Pass("enclose a constant", constants.enclosed, "enclose a constant"),
    Pass("evaluate constants early", constants.evaluated_early, "evaluate constants early"),
    Pass("leave types open", declaring.generic, "say types"),
    Pass("say types", declaring.concrete, "leave types open"),
    Pass("make a method", declaring.methods, "make a function"),
    Pass("make a function", declaring.plain_functions, "make a method"),
    Pass("pack arguments", arguments.packed, "unpack arguments", repacks=True, proved=True),
    Pass("unpack arguments", arguments.unpacked, "pack arguments", repacks=True),
    Pass("widen floats", precision.widened, "narrow floats", rounds=True, proved=True),
    Pass("narrow floats", precision.narrowed, "widen floats", rounds=True, proved=True),
)
# fmt: on
PASSES: Mapping[str, Pass] = {row.name: row for row in _ROWS}
