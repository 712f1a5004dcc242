"""The table of kinds of mistakes: how each is made, and how it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from . import edits
from .edits import Edit, Module


@dataclass(frozen=True)
class Refused:
    """A mistake that Warp refuses: each of `offers` gives edits of the text, and what Warp says of them has
    one of the `words` in it. Of `weight`, see `KINDS`."""

    name: str
    weight: float
    offers: tuple[Callable[[Module], Iterator[Edit]], ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Wrong:
    """A mistake that a run shows: what these mutation `operators` make. `in_step` runs all threads side by
    side."""

    name: str
    weight: float
    operators: tuple[str, ...]
    in_step: bool = False


Kind = Refused | Wrong

_TYPES = ("types", "overload", "type ")

# Not every kernel can have every mistake. A kernel's kind is drawn by these weights among those that it can
# have, which makes all of them nearly equal in number: the rarer a kind, the larger its weight.
# fmt: off
_ROWS: tuple[Kind, ...] = (
    Refused("undefined name", 1.0, (edits.undefined_names, edits.missing_thread_indices),
            ("undefined symbol",)),
    Refused("unknown function", 1.3, (edits.unknown_functions, edits.foreign_functions),
            ("Could not find function", "undefined symbol")),
    Refused("wrong arity", 1.2, (edits.other_arities,), ("overload", "argument", "inputs")),
    Refused("wrong dimension", 1.0, (edits.other_dimensions,), ("indices", "ndim", *_TYPES)),
    Refused("wrong type", 1.0, (edits.other_types, edits.whole_literals), _TYPES),
    Refused("missing cast", 5.6, (edits.missing_casts,), _TYPES),
    Refused("constant that changes", 6.0, (edits.constants_that_change,), ("mutating a constant",)),
    Wrong("missing store", 1.0, ("store deleted",)),
    Wrong("missing statement", 1.6, ("statement deleted", "sum overwritten")),
    Wrong("off by one", 2.7, ("index off by one", "bound off by one")),
    Wrong("lost guard", 2.8, ("guard lost", "exit changed")),
    Wrong("wrong comparison", 2.4, ("comparison relaxed", "comparison turned")),
    Wrong("wrong operator", 1.0, ("another operation", "another sign", "another atomic", "operands swapped",
                                  "indices swapped")),
    Wrong("wrong variable", 1.1, ("another variable", "another array", "another member")),
    Wrong("wrong constant", 1.0, ("another constant",)),
    Wrong("race", 8.0, ("atomic unlocked",), in_step=True),
)
# fmt: on

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ROWS}
