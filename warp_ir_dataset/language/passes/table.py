"""The table of passes: rewrites that keep the semantics of a program.

The `variants` of a pass are all programs that differ from a given one by one application of it; applied, it
picks one of them. A legal program must stay legal. A program without a known launch is not legal: it is
rewritten if the tree alone shows that the result is equivalent.
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
from . import arguments, binding, branches, constants, declaring, functions, loops, precision, syntax

TRIES = 8  # variants that a pass tries before it gives up


@dataclass(frozen=True)
class Pass:
    """One kind of rewrite.

    A pass that is `checked` may evaluate expressions that the program did not: its result must be legal in
    any case.
    """

    name: str
    variants: Callable[[ir.Program], Iterator[ir.Program]]
    checked: bool = False

    def __call__(self, program: ir.Program, rng: Rng) -> ir.Program | None:
        """The program with the pass applied at a site that `rng` chooses; None if there is none."""
        for variant in rng.shuffled(list(self.variants(program)))[:TRIES]:
            changed = normalized(variant)
            if changed == program:
                continue
            # A program that was not legal before, as without a launch, need not be legal afterwards.
            if not (self.checked or is_legal(program)) or is_legal(changed):
                return changed
        return None


def normalized(program: ir.Program) -> ir.Program:
    """The program as `read` would read its text: constants and functions in the order of the text, adjacent
    comments merged, and the default style if the text shows no other one."""
    program = map_bodies(constants.ordered(program), syntax.merged_comments)
    types = [argument.reference.type for argument in program.arguments]
    for plainer in ({"subscripts": False}, {"full_names": False}):
        style = replace(program.style, **plainer)
        # The types of the arguments mostly decide, and are cheap to compare.
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
    Pass("chain comparisons", syntax.to_chain),
    Pass("join comparisons", syntax.to_conjunction),
    Pass("change power syntax", syntax.power_syntax),
    Pass("name all components", syntax.all_named_components),
    Pass("inline", binding.inline_local),
    Pass("extract a function", functions.local_to_function),
    Pass("inline a function", functions.inline_call),
    Pass("inline a body", functions.inline_body),
    Pass("for to while", loops.for_to_while),
    Pass("while to for", loops.while_to_for),
    Pass("condition to break", loops.condition_to_break),
    Pass("break to condition", loops.break_to_condition),
    Pass("add full slices", syntax.with_full_slices),
    Pass("drop full slices", syntax.without_full_slices),
    Pass("augment", syntax.augmented_assignment),
    Pass("expand augmented assignment", syntax.expanded_assignment),
    Pass("ternary or where", branches.where_or_ternary, checked=True),
    Pass("branch to choice", branches.branch_to_choice, checked=True),
    Pass("choice to branch", branches.choice_to_branch),
    Pass("swap branches", branches.swapped_branches),
    Pass("return early", branches.guard_to_return),
    Pass("guard", branches.return_to_guard),
    Pass("name a constant", constants.literal_to_constant),
    Pass("enclose a constant", constants.module_or_closure),
    Pass("evaluate constants early", constants.static_or_plain),
    Pass("leave types open", declaring.generic),
    Pass("make a method", declaring.methods),
    Pass("pack arguments", arguments.arguments_to_struct, checked=True),
    Pass("widen floats", precision.float32_to_float64, checked=True),
)
PASSES: Mapping[str, Pass] = {row.name: row for row in _ROWS}
