"""The table of passes that make twins: those of drawn programs that keep the signature and every rounding,
and others that only twins need."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ....language.passes import binding
from ....language.passes.syntax import named_components
from ....language.passes.table import PASSES, Pass
from . import declaring, extracting, loops, syntax

# A twin depends on the order.
_ROWS = (
    Pass("restyle", syntax.restyled),
    Pass("commute operands", syntax.commuted),
    Pass("turn a comparison", syntax.turned),
    PASSES["chain comparisons"],
    PASSES["join comparisons"],
    PASSES["change power syntax"],
    Pass("name a component", named_components),
    PASSES["name all components"],
    Pass("number a component", syntax.numbered_parts),
    Pass("bind", extracting.bound),
    PASSES["inline"],
    Pass("inline everywhere", partial(binding.inline_local, several=True)),
    PASSES["extract a function"],
    Pass("draw a function out", extracting.drawn_out),
    Pass("draw lines out", extracting.block_drawn_out),
    PASSES["inline a function"],
    PASSES["inline a body"],
    Pass("shift a loop", loops.shifted),
    Pass("reverse a loop", loops.backwards),
    Pass("unroll a loop", loops.written_out),
    PASSES["for to while"],
    PASSES["while to for"],
    PASSES["condition to break"],
    PASSES["break to condition"],
    PASSES["add full slices"],
    PASSES["drop full slices"],
    PASSES["augment"],
    PASSES["expand augmented assignment"],
    PASSES["ternary or where"],
    PASSES["branch to choice"],
    PASSES["choice to branch"],
    PASSES["swap branches"],
    PASSES["return early"],
    PASSES["guard"],
    PASSES["name a constant"],
    Pass("write a constant out", declaring.literal),
    PASSES["enclose a constant"],
    PASSES["evaluate constants early"],
    PASSES["leave types open"],
    Pass("say types", declaring.concrete),
    PASSES["make a method"],
    Pass("make a function", declaring.plain_functions),
)
TWIN_PASSES: Mapping[str, Pass] = {row.name: row for row in _ROWS}
