"""A family of random kernels, and how its kernels are drawn at each difficulty.

1: one operation. 2: a short expression. 3: several statements with one control structure. 4: nested control,
a helper function or a struct. 5: several of these together, or a recognised algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...common.rng import Rng
from ...language.analysis.intervals import Illegal
from ...language.analysis.legality import unused
from ...language.analysis.unrolling import generated_size, size_of
from ...language.operations.table import TABLE
from ...language.program import Apply, Argument, Expr, Literal
from ...language.specification.sentences import words
from ...language.types import Type
from ...language.walks import walk
from .. import blocks
from ..blocks import Block, bindings
from ..chains.chain import CHAINS, chained
from ..drawn import Drawn
from .draft import Draft
from .grow import Pool
from .habits import few_curves, unlike_people
from .repair import tame

Algorithm = Callable[[Draft], None]

# The most generated code at each difficulty (see `generated_size`): rows stay short enough to train on.
MAX_SIZE = {1: 36, 2: 36, 3: 36, 4: 42, 5: 54}

# The share of kernels of each difficulty that are chains.
CHAINED = {1: 0.0, 2: 0.85, 3: 0.92, 4: 0.92, 5: 0.92}

# The share of results that change an array in place.
IN_PLACE = 0.1

# Operations behind which an operand may cease to matter; too many of them, and a kernel computes little.
SATURATING = {"min": 0.7, "max": 0.7, "clamp": 0.35, "mod": 0.05, "sign": 0.1, "abs": 1.0}


@dataclass(frozen=True)
class Family:
    """A family of kernels as data.

    `pool` weighs the operations; `singles` those that make a kernel of difficulty 1 (groups or names);
    `shapes` are drawn per kernel. `menus` gives, per difficulty from 3 up, the block sequences to choose
    from. `algorithms` draw whole kernels of difficulty 5; `first` and `short`
    replace the drawing of difficulties 1 and 2 where "one operation" means something of the family's own.
    """

    name: str
    pool: Pool
    singles: Pool
    menus: Mapping[int, tuple[tuple[Block, ...], ...]]
    shapes: tuple[tuple[tuple[int, ...], ...], ...] = (((),),)
    algorithms: tuple[Algorithm, ...] = ()
    first: Algorithm | None = None
    short: Algorithm | None = None
    single_types: tuple[Type, ...] = ()
    results: Callable[[Draft], Type] | None = None
    ends: bool = False  # the menus store results themselves
    options: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, rng: Rng, difficulty: int) -> Drawn:
        """A legal program of this family."""
        # Decided once, before anything is too large: algorithms are short, and would win most of the time.
        recognised = difficulty == 5 and bool(self.algorithms) and rng.chance(0.12)
        while True:
            pool = {**self.pool, **few_curves(rng)}
            shapes = rng.pick(self.shapes)
            s = Draft(rng, self.name, difficulty, pool, shapes=shapes, **self.options)
            try:
                self._fill(s, recognised)
            except Illegal:
                # Rare, as is a local that nothing uses: draw again with the random numbers that follow.
                continue
            drawn = s.finish()
            if unlike_people(drawn.program):
                continue
            if generated_size(drawn.program) <= MAX_SIZE[difficulty] and not unused(drawn.program):
                return drawn

    def _fill(self, s: Draft, recognised: bool) -> None:
        if recognised:
            s.rng.pick(self.algorithms)(s)
        elif self.name in CHAINS and s.rng.chance(CHAINED[s.difficulty]):
            chained(s, self.name)
        elif s.difficulty == 1:
            (self.first or self._single)(s)
        elif s.difficulty == 2:
            (self.short or self._short)(s)
        else:
            self._statements(s)

    def _single(self, s: Draft) -> None:
        s.grower = s.growing(self.singles)
        for _ in range(50):
            wanted = s.rng.pick(self.single_types) if self.single_types else blocks.working_type(s)
            take_back = s.undo()
            value = s.grow(wanted, 1)
            if not isinstance(value, Literal) and _operations(value) == 1:
                break
            take_back()
        conclude(s, value)

    def _short(self, s: Draft) -> None:
        wanted = self.result_type(s)
        size = s.rng.integer(2, 4)
        if s.rng.chance(0.5):
            s.let(s.moving(wanted if s.rng.chance(0.5) else s.float, max(size - 2, 1)))
            size -= 1
        conclude(s, s.combine(wanted, size))

    def _statements(self, s: Draft) -> None:
        menu = s.rng.pick(self.menus[s.difficulty])
        out = None
        if s.rng.chance(0.2):
            blocks.bounds_check(s)
        if s.rng.chance(0.7) and blocks.bindings not in menu:
            bindings(s)
        written = size = 0
        for block in menu:
            block(s)
            size += size_of(s.body[written:])
            written = len(s.body)
            if size > MAX_SIZE[s.difficulty]:
                raise Illegal("too large already")
        if s.difficulty == 4 and not self.ends and s.rng.chance(0.15):
            out = s.array(self.result_type(s), role="output")
            blocks.early_exit(s, out)
        if self.ends:
            return
        wanted = self.result_type(s) if out is None else out.type
        conclude(s, s.combine(wanted, s.rng.integer(0, 2)), out)
        if s.difficulty >= 4 and s.rng.chance(0.15):
            conclude(s, s.combine(s.float, 2))

    def result_type(self, s: Draft) -> Type:
        return self.results(s) if self.results else blocks.working_type(s)


def conclude(s: Draft, value: Expr, out: Argument | None = None) -> None:
    """Store a value at the thread's own place of an output."""
    if out is None and s.difficulty >= 2 and value.type.is_float and s.rng.chance(IN_PLACE):
        _update(s, value)
        return
    out = out or s.array(value.type, role="output")
    s.store(out, tame(s, value, 1e4))
    s.tell(f"stores {words(value)} in `{out.name}`")


def _update(s: Draft, value: Expr) -> None:
    """Change an element in place, as simulations do with their state."""
    state = s.array(value.type, role="inout", name=s.names.take("results"))
    kept: Expr = s.read(state)
    if s.rng.chance(0.6):
        kept = s.mul(kept, s.rng.pick((0.5, 0.75, 0.9, 0.95)))
    s.store(state, tame(s, s.apply(s.rng.pick(("add", "add", "sub")), kept, value), 1e4))
    s.tell(f"updates `{state.name}` in place with {words(value)}")


def _operations(value: Expr) -> int:
    return sum(isinstance(n, Apply) and TABLE[n.operation].group != "convert" for n in walk(value))
