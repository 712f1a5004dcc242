"""Makes random programs of each kind, at difficulties 1 to 5.

1: one operation. 2: two steps. 3: several statements. 4: more, with a branch or a loop, and a helper function
if a step is long enough. 5: several of these together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..common.rng import Rng
from ..language.analysis.intervals import Illegal
from ..language.analysis.unrolling import generated_size
from ..language.types import USUAL_FLOATS, USUAL_NUMBERS, Scalar, Type, shaped
from .chains import branches, lines, loops
from .chains.branches import BRANCHES
from .chains.builder import DEFAULT_PRIORS, Builder, StylePriors
from .chains.chain import Chain, build_chain
from .chains.lines import CURVES, LIMITS, LINES, UPDATES
from .chains.loops import LOOPS, OVER_BLOCKS
from .chains.starts import MATRIX_STARTS, STARTS, VECTOR_STARTS
from .chains.step import Step
from .kinds import KINDS
from .sample import Sample
from .single_operation import SingleOperation, build_single_operation

# The most generated code at each difficulty (see `generated_size`): rows stay short enough to train on.
MAX_SIZE = {1: 36, 2: 36, 3: 36, 4: 42, 5: 54}


@dataclass(frozen=True)
class Family:
    """How programs of a family are made: from difficulty 2 on as chains, at difficulty 1 as one of `singles`,
    or as the shortest chain if there are none."""

    chain: Chain
    singles: tuple[SingleOperation, ...] = ()
    priors: StylePriors = DEFAULT_PRIORS


def _each(*groups: tuple[Step, ...]) -> Mapping[Step, int]:
    """Each of these steps, with the number 1."""
    return {step: 1 for group in groups for step in group}


def _types(scalars: tuple[str, ...], *shapes: tuple[int, ...]) -> tuple[Type, ...]:
    return tuple(shaped(scalar, shape) for scalar in scalars for shape in shapes)


NUMBERS = tuple(map(Scalar, USUAL_NUMBERS))
FLOATS = tuple(map(Scalar, USUAL_FLOATS))
VECTORS = _types(USUAL_FLOATS, (2,), (3,), (4,))
MATRICES = _types(USUAL_FLOATS, (2, 2), (3, 3), (4, 4), (2, 3), (3, 2))

# Steps that have branches where limits are written as branches, and how many each has.
CONDITIONS: Mapping[Step, int] = {
    branches.brackets: 2,
    branches.by_kind: 2,
    lines.clamped: 2,
    lines.soft_threshold: 2,
    **_each(
        (branches.knee, branches.dead_band, branches.in_band, branches.skipped, branches.selected),
        (lines.capped, lines.raised, lines.rectified, lines.absolute_error),
        (loops.first_above, loops.share_below, loops.row_maximum, loops.row_minimum),
    ),
}
# Steps with a factor, which may be an argument.
FACTORED = (
    lines.scaled, lines.normalized, lines.blended, lines.advanced, lines.decayed, lines.squashed, lines.wave,
    lines.powered, lines.bell, lines.faded, lines.clamped, lines.soft_threshold, branches.knee,
    branches.dead_band, branches.in_band, branches.by_kind, loops.relaxed, loops.moving_average,
    loops.nearness,
)  # fmt: skip
FUNCTIONS = tuple(step for step in CURVES if step not in (lines.squared, lines.interpolated, lines.faded))

FAMILIES: Mapping[str, Family] = {
    "arithmetic": Family(
        Chain(STARTS, _each(LINES, UPDATES)),
        (
            SingleOperation(
                {"add": 2.0, "sub": 2.0, "mul": 2.0, "div": 2.0, "neg": 1.0, "mod": 1.0}, NUMBERS
            ),
            SingleOperation({"integer": 1.0}, tuple(type for type in NUMBERS if type.is_integer)),
        ),
    ),
    "vector": Family(
        Chain(VECTOR_STARTS, _each(LINES, LIMITS, UPDATES)),
        (
            SingleOperation({"vector": 1.0, "add": 1.0, "sub": 1.0, "neg": 1.0}, VECTORS),
            SingleOperation(
                {"dot": 2.0, "length": 2.0, "length_sq": 1.0, "largest": 1.0, "smallest": 1.0}, FLOATS
            ),
        ),
    ),
    "matrix": Family(
        Chain(MATRIX_STARTS, _each(LINES, LIMITS, UPDATES)),
        (
            SingleOperation(
                {"matrix": 1.0, "add": 1.0, "sub": 1.0, "neg": 1.0, "cw_mul": 1.0, "scale_left": 1.0,
                 "scale_right": 1.0, "shrink": 1.0},
                MATRICES,
            ),
            SingleOperation({"matrix_vector": 2.0, "get_diag": 1.0}, VECTORS),
            SingleOperation({"determinant": 1.0, "trace": 1.0, "ddot": 1.0}, FLOATS),
        ),
    ),
    "control_flow": Family(
        Chain(STARTS, _each(tuple(f for f in BRANCHES if f is not branches.selected), LOOPS)),
        priors=StylePriors(branches=0.5, blocks=0.2),
    ),
    "math": Family(
        Chain(STARTS, _each(FUNCTIONS)),
        (
            SingleOperation({"math": 1.0, "lerp": 0.0, "smoothstep": 0.0}, FLOATS),
            SingleOperation({"rounding": 1.0}, FLOATS),
        ),
    ),
    "atomic": Family(Chain(STARTS, _each(LINES, UPDATES, LIMITS), reduced=1.0, least=0)),
    "nested_loop": Family(Chain(STARTS, _each(OVER_BLOCKS)), priors=StylePriors(blocks=1.0)),
    "multi_conditional": Family(Chain(STARTS, CONDITIONS, needed=2), priors=StylePriors(branches=1.0)),
    "combined": Family(
        Chain((*VECTOR_STARTS, *MATRIX_STARTS), _each(LOOPS, BRANCHES, FUNCTIONS), reduced=0.3),
        (
            SingleOperation({"matrix_vector": 3.0, "get_diag": 1.0}, VECTORS),
            SingleOperation({"outer": 2.0, "diag": 1.0, "skew": 1.0}, MATRICES),
        ),
        StylePriors(branches=0.3, blocks=0.3),
    ),
    "scalar_param": Family(
        Chain(STARTS, _each(FACTORED)),
        (
            SingleOperation({"arithmetic": 2.0, "integer": 1.0, "pow": 1.0, "atan2": 1.0}, NUMBERS),
            SingleOperation({"vector": 1.0}, VECTORS),
            SingleOperation({"scale_left": 1.0, "scale_right": 1.0, "shrink": 1.0}, MATRICES),
        ),
        StylePriors(arguments=1.0),
    ),
}  # fmt: skip


def random_program(category: str, rng: Rng, difficulty: int) -> Sample:
    """A legal program of a family and of its kind."""
    while True:
        # Attempts rarely fail. The next one has the random numbers that follow.
        made = _attempt(category, rng, difficulty)
        if made is not None:
            return made


def _attempt(category: str, rng: Rng, difficulty: int) -> Sample | None:
    family = FAMILIES[category]
    b = Builder(rng, category, difficulty, family.priors)
    try:
        if difficulty == 1 and family.singles:
            build_single_operation(b, rng.pick(family.singles))
        else:
            build_chain(b, family.chain)
    except Illegal:
        return None
    made = b.finish()
    if generated_size(made.program) > MAX_SIZE[difficulty]:
        return None
    return made if KINDS[category](made.program) else None
