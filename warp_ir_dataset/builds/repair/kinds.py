"""The table of kinds of mistakes: how each is made, and how it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from .edits import expressions as e
from .edits import names as n
from .edits import statements as s
from .edits import types as t
from .edits import variables as v
from .source import Edit, Module

Offer = Callable[[Module], Iterator[Edit]]


@dataclass(frozen=True)
class Kind:
    """A kind of mistake: each of `offers` gives edits of a source that make it. Of `weight`, see `KINDS`.

    Warp refuses it with one of the `words` in what it says; where there are none Warp takes it, and a run
    shows it. `in_step` runs all threads side by side.
    """

    name: str
    weight: float
    offers: tuple[Offer, ...]
    words: tuple[str, ...] = ()
    in_step: bool = False


_LACKS = ("undefined symbol", "Could not find function", "has been removed")
_FIT = ("types", "overload", "type ")  # what is said of operands that do not fit
_COUNTS = ("indices", "incompatible number", "address()", "has no")  # and of their number

# Not every kernel can have every mistake. A kernel's kind is drawn by these weights among those that it can
# have, which makes all of them nearly equal in number: the rarer a kind, the larger its weight.
# fmt: off
_ROWS = (
    Kind("undefined name", 1.0, (n.missing_thread_indices, n.missing_accumulators, n.missing_constants,
                                 n.used_before, n.other_spellings), ("undefined symbol",)),
    Kind("foreign name", 1.0, (n.foreign_names, n.former_names, n.functions_of_numpy,
                               n.foreign_thread_indices), _LACKS),
    Kind("unknown member", 3.6, (n.methods, n.other_sizes, n.other_members),
         ("not an attribute", "overload", "Could not find function")),
    Kind("missing decorator", 2.6, (n.missing_decorators,), ("Could not find function",)),
    Kind("returned value", 1.1, (n.returned_values,), ("cannot return values",)),
    Kind("unsupported Python", 3.2, (n.loops_over_arrays, n.generator_sums, n.lists, n.memberships,
                                     n.chained_definitions, n.unpacked_shapes),
         ("not supported", "iter_next", "has no len", "Could not find function", "wp.zeros(", "overload")),
    Kind("wrong arity", 2.4, (t.forgotten_operands, t.too_many_operands, n.elements_given_to_atomics),
         ("argument", *_FIT, *_COUNTS)),
    Kind("wrong number of indices", 1.3, (t.forgotten_indices, t.other_layouts, t.surplus_indices,
                                          t.whole_arrays), (*_FIT, *_COUNTS)),
    Kind("wrong annotation", 1.3, (t.other_annotations, t.missing_annotations),
         ("annotations", "attribute", *_FIT, *_COUNTS)),
    Kind("missing conversion", 14.9, (t.missing_conversions,), _FIT),
    Kind("integer literal", 3.0, (t.integer_literals,), _FIT),
    Kind("mutated constant", 11.3, (t.mutated_constants,), ("mutating a constant",)),
    Kind("missing statement", 2.0, (s.missing_stores, s.missing_updates, s.missing_branches)),
    Kind("overwritten value", 3.0, (s.overwritten_sums, s.overwritten_elements)),
    Kind("wrong initial value", 4.2, (s.other_starts,)),
    Kind("wrong order", 5.9, (s.other_orders,)),
    Kind("wrong block", 6.7, (s.left_the_block, s.entered_the_block, s.started_in_the_loop)),
    Kind("wrong exit", 11.3, (s.other_exits,)),
    Kind("lost guard", 3.3, (s.lost_guards, e.forgotten_conditions, e.lost_choices)),
    Kind("off by one", 2.5, (e.bounds_off_by_one, e.forgotten_ones, e.other_neighbours)),
    Kind("wrong comparison", 2.9, (e.other_comparisons,)),
    Kind("wrong operator", 1.2, (e.other_operators, e.other_updates, e.other_signs, e.other_junctions)),
    Kind("wrong function", 2.7, (e.other_functions,)),
    Kind("swapped operands", 1.4, (e.swapped_operands, e.swapped_arguments, e.swapped_choices)),
    Kind("missing term", 1.1, (e.missing_terms,)),
    Kind("missing call", 2.3, (e.missing_calls,)),
    Kind("lost parentheses", 3.1, (e.lost_parentheses,)),
    Kind("wrong variable", 1.7, (v.other_counters, v.other_arguments, v.other_locals, v.former_values)),
    Kind("wrong component", 3.9, (e.other_components,)),
    Kind("wrong axis", 6.6, (e.other_axes,)),
    Kind("wrong constant", 1.6, (e.other_constants,)),
    Kind("race", 14.4, (s.races,), in_step=True),
)
# fmt: on

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ROWS}
