"""Small faults in our own code, and the tests that must notice them. `mutants.py` tries them.

`old` stands exactly once in its file and is replaced by `new`. To add one, name the tests that ought to fail.
"""

from __future__ import annotations

from typing import NamedTuple

VERIFY = "proof/verify.py"
INPUTS = "proof/inputs.py"
RUN = "proof/run.py"
TYPES = "language/types.py"
JUMPS = "language/analysis/backward/jumps.py"
OVERWRITES = "language/analysis/backward/overwrites.py"
BARS = "language/analysis/gradients.py"

JUDGED = ("tests/proof/test_verify.py", "tests/proof/test_verify_gradients.py")
DRAWN = ("tests/proof/cases/test_inputs.py",)
AGREED = ("tests/proof/test_agreement.py",)
DIFFERED = ("tests/proof/test_differences.py",)
BARRED = ("tests/language/analysis/test_gradients.py",)
OVERWRITTEN = ("tests/proof/test_findings.py",)


class Mutant(NamedTuple):
    """`file` lies in the package; `tests` are what pytest takes: files, of which the fast tests are run, and
    tests by name."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


EQUALITY = [
    ("relative to the element alone", "magnitude + np.max(magnitude, initial=0.0)", "magnitude"),
    (
        "relative to the array alone",
        "magnitude + np.max(magnitude, initial=0.0)",
        "np.max(magnitude, initial=0.0)",
    ),
    ("integers within a tolerance", 'if expected.dtype.kind != "f" or', 'if expected.dtype.kind == "b" or'),
    ("arrays are stretched", " or actual.shape != expected.shape:", ":"),
    ("what is not finite is not seen", "np.isfinite(actual).all() and np", "True and np"),
    ("what should be is not finite", "np.isfinite(expected).all()):", "True):"),
    ("numbers that are none are skipped", "np.max(errors, initial=0.0)", "np.nanmax(errors, initial=0.0)"),
    (
        "an array that is missing is equal",
        '        raise KeyError(f"{sorted(actual)} are not {sorted(expected)}")',
        "        pass",
    ),
    (
        "equal unless further apart",
        "if not error <= margin * TOLERANCE.get(expected[name].dtype.name, 0.0)",
        "if error > margin * TOLERANCE.get(expected[name].dtype.name, 0.0)",
    ),
    ("the margin is one", "MARGIN = 8", "MARGIN = 1"),
    ("the margin is sixteen", "MARGIN = 8", "MARGIN = 16"),
    (
        "visible if further apart",
        "not relative_error(first, second) <= VISIBLE",
        "relative_error(first, second) > VISIBLE",
    ),
    ("tolerance of meaning ten times", "MEANING_TOLERANCE = 1e-2", "MEANING_TOLERANCE = 1e-1"),
    ("tolerance of meaning halved", "MEANING_TOLERANCE = 1e-2", "MEANING_TOLERANCE = 5e-3"),
    (
        "meaning agrees unless further apart",
        "if not error <= MEANING_TOLERANCE:",
        "if error > MEANING_TOLERANCE:",
    ),
    ("the last output counts", "worst = max(worst, error)", "worst = error"),
]

DEGENERATE = [
    (
        "outputs need not be finite",
        "for name, array in outputs.items():\n            if not",
        "for name, array in outputs.items():\n            if False and not",
    ),
    (
        "gradients need not be finite",
        "for name, array in gradients.items():\n        if not",
        "for name, array in gradients.items():\n        if False and not",
    ),
    ("near zero is nearer", 'NEAR_ZERO = VISIBLE["float32"]', 'NEAR_ZERO = TOLERANCE["float32"]'),
    ("near zero is zero in float64", 'NEAR_ZERO = VISIBLE["float32"]', 'NEAR_ZERO = VISIBLE["float64"]'),
    ("one input near zero is enough", "if all(np.abs(outputs[name]", "if any(np.abs(outputs[name]"),
    ("whole numbers near zero", 'if first.dtype.kind == "f" else 0', 'if first.dtype.kind == "f" else 1'),
    (
        "every input must move an output",
        "if not any(visibly_different(other[name]",
        "if not all(visibly_different(other[name]",
    ),
    (
        "one output must depend on an input",
        "if any(visibly_different(after[output]",
        "if all(visibly_different(after[output]",
    ),
]

GRADIENTS = [
    ("tolerance of adjoints ten times", "ADJOINT_TOLERANCE = 1e-3", "ADJOINT_TOLERANCE = 1e-2"),
    ("tolerance of adjoints halved", "ADJOINT_TOLERANCE = 1e-3", "ADJOINT_TOLERANCE = 5e-4"),
    ("rounding is a slope", "NO_SLOPE = 1e-10", "NO_SLOPE = 0.0"),
    ("no slope is none", "0 < scale < NO_SLOPE", "scale < NO_SLOPE"),
    (
        "adjoints without a scale",
        "ADJOINT_TOLERANCE * (np.abs(expected) + scale)",
        "ADJOINT_TOLERANCE * np.abs(expected)",
    ),
    (
        "adjoints differ if further apart",
        "close = distance <=",
        "close = ~(distance > ADJOINT_TOLERANCE * (np.abs(expected) + scale))  #",
    ),
    ("an infinite adjoint is right", "if not (close & np.isfinite(expected)).all()", "if not close.all()"),
    ("tolerance of differences ten times", "DIFFERENCE_TOLERANCE = 1e-3", "DIFFERENCE_TOLERANCE = 1e-2"),
    ("tolerance of differences halved", "DIFFERENCE_TOLERANCE = 1e-3", "DIFFERENCE_TOLERANCE = 5e-4"),
    ("noise of differences a tenth", "DIFFERENCE_NOISE = 1e-8", "DIFFERENCE_NOISE = 1e-9"),
    ("noise of differences ten times", "DIFFERENCE_NOISE = 1e-8", "DIFFERENCE_NOISE = 1e-7"),
    ("own tolerance doubled", "OWN_TOLERANCE = 6e-2", "OWN_TOLERANCE = 1.2e-1"),
    ("own tolerance halved", "OWN_TOLERANCE = 6e-2", "OWN_TOLERANCE = 3e-2"),
    ("own agreement ten times", "OWN_AGREEMENT = 2e-2", "OWN_AGREEMENT = 2e-1"),
    ("own agreement halved", "OWN_AGREEMENT = 2e-2", "OWN_AGREEMENT = 1e-2"),
    ("own noise ten times", "OWN_NOISE = 1e-3", "OWN_NOISE = 1e-2"),
    ("own noise a tenth", "OWN_NOISE = 1e-3", "OWN_NOISE = 1e-4"),
    ("own rounding ten times", "OWN_ROUNDING = 3e-4", "OWN_ROUNDING = 3e-3"),
    ("own rounding as in float64", "OWN_ROUNDING = 3e-4", "OWN_ROUNDING = 1e-10"),
    ("nine kinks of ten", "MAX_KINKS = 0.5", "MAX_KINKS = 0.9"),
    ("a third of kinks", "MAX_KINKS = 0.5", "MAX_KINKS = 0.33"),
    ("exactly half the kinks is too many", "if checked < (1 - MAX_KINKS)", "if checked <= (1 - MAX_KINKS)"),
    ("what cancels ten thousand times", "OWN_CANCELLED = 1e-9,", "OWN_CANCELLED = 1e-5,"),
    ("nothing cancels", "OWN_CANCELLED = 1e-9,", "OWN_CANCELLED = 0.0,"),
    ("rounding of outputs ten thousand times", "DIFFERENCE_ROUNDING = 1e-10", "DIFFERENCE_ROUNDING = 1e-6"),
    ("no rounding of outputs", "how.rounding * difference.changed", "0.0 * difference.changed"),
    ("the larger step counts", 8 * " " + "small, large =", 8 * " " + "large, small ="),
    (
        "a jump gives the scale",
        "agreed = np.abs(small - large) <= how.agreement * np.abs(small)",
        "agreed = np.isfinite(small)",
    ),
    ("every element is smooth", "smooth = spread <=", "smooth = 0 * spread <="),
    (
        "wrong if further apart",
        "not (errors[smooth] <= how.tolerance).all():",
        "(errors[smooth] > how.tolerance).any():",
    ),
    ("beside large ones", "beyond / size)", "beyond / (size + scale))"),
    ("what cancels is let through", "if off.any() or not", "if not"),
    ("the last argument counts", "worst = max(worst, float(", "worst = max(0.0, float("),
    ("no element needs no gradient", "if not total:", "if False:"),
    (
        "a gradient may be nothing",
        "if all(np.abs(gradient).max(initial=0.0) <= NEAR_ZERO",
        "if all(np.abs(gradient).max(initial=0.0) < 0",
    ),
]

NUMBERS = [
    ("twice the roundings", TYPES, "ROUNDINGS = 1024", "ROUNDINGS = 2048", JUDGED),
    ("half the roundings", TYPES, "ROUNDINGS = 1024", "ROUNDINGS = 512", JUDGED),
    ("a case less", INPUTS, "INPUT_SETS = 10", "INPUT_SETS = 9", DRAWN),
    ("ties with a five", INPUTS, "(numbers % 5 == 0)", "(numbers % 10 == 0)", DRAWN),
    ("ties with shorter decimals", INPUTS, "(numbers % 5 == 0)", "0", DRAWN),
    ("above the range", INPUTS, "np.where(numbers < high, 1, -1)", "1", DRAWN),
    (
        "the lower bound is drawn",
        INPUTS,
        "math.ceil(bounds.lo * 10**digits) + 1)",
        "math.ceil(bounds.lo * 10**digits))",
        DRAWN,
    ),
    (
        "the upper bound is drawn",
        INPUTS,
        "math.floor(bounds.hi * 10**digits) - 1",
        "math.floor(bounds.hi * 10**digits)",
        DRAWN,
    ),
    ("few choices are enough", INPUTS, "+ 1) + 20 > (", "+ 1) + 2 > (", DRAWN),
    (
        "the highest number is never drawn",
        INPUTS,
        "return low + (units * (high - low + 1)).astype(np.int64)",
        "return low + (units * (high - low)).astype(np.int64)",
        DRAWN,
    ),
    (
        "gradients are positive",
        INPUTS,
        "_GRADIENT_RANGE = Interval(-1.0, 1.0)",
        "_GRADIENT_RANGE = Interval(0.0, 1.0)",
        DRAWN,
    ),
    ("equal arguments, equal numbers", INPUTS, 'f"{seed_text}/{position}")', 'f"{seed_text}")', DRAWN),
    (
        "gradients are the inputs",
        INPUTS,
        'f"{seed_text}/gradient/{position}"',
        'f"{seed_text}/{position}"',
        DRAWN,
    ),
    ("the two steps are equal", VERIFY, "STEPS = (1e-5, 2e-5)", "STEPS = (1e-5, 1e-5)", DIFFERED),
    ("the two own steps are equal", VERIFY, "OWN_STEPS = (4e-3, 8e-3)", "OWN_STEPS = (4e-3, 4e-3)", DIFFERED),
    (
        "steps as they were meant",
        RUN,
        "above = float(flat[position])",
        "above = float(value) + step",
        DIFFERED,
    ),
    (
        "the first elements are tried",
        RUN,
        "np.linspace(0, len(values) - 1, count)",
        "np.linspace(0, count - 1, count)",
        DIFFERED,
    ),
    ("half the elements are tried", RUN, "MAX_ELEMENTS = 256", "MAX_ELEMENTS = 128", DIFFERED),
    ("an element is not put back", RUN, "        flat[position] = value\n", "", DIFFERED),
    (
        "outputs are summed, then subtracted",
        RUN,
        "float(weights @ change) / width",
        "float(weights @ outputs - weights @ frame.float_outputs()) / width",
        DIFFERED,
    ),
]

LEFT_OUT = [
    ("a return leaves a loop unseen", JUMPS, "(Break, Return)", "Break", BARRED),
    ("a break without stores alone", JUMPS, "return writes(node) or (", "return (", BARRED),
    ("a continue leaves nothing out", JUMPS, "skips |= done", "skips |= False", BARRED),
    ("any continue leaves something out", JUMPS, "skips |= done", "skips |= True", BARRED),
    ("a loop takes a struct once", OVERWRITES, "(2 if isinstance(node, (For, While)) else 1)", "1", BARRED),
    (
        "what an atomic returns may be used",
        OVERWRITES,
        'return "what an atomic returns is used"',
        "pass",
        OVERWRITTEN,
    ),
    ("an exchange has a gradient", OVERWRITES, "if row.commutes is None:", "if False:", BARRED),
    ("a new struct is the old one", OVERWRITES, "taken.discard(node.target.name)", "pass", BARRED),
    (
        "an atomic sum replaces",
        OVERWRITES,
        "if 0 in row.underived and (",
        "if (",
        BARRED,
    ),
]

CUDA = "language/cuda"
PROVED = (
    "tests/proof/test_plain.py::test_a_wrong_text_is_no_row",
    "tests/proof/test_plain.py::test_the_very_text_is_run_on_every_input",
)
WRITTEN = ("tests/language/cuda/test_plain_text.py",)
PLAIN = [
    (
        "plain CUDA is not compared",
        "proof/prove.py",
        "lambda: plain_agrees(runner, sets, work.allowed, work.together)",
        "dict",
        PROVED,
    ),
    (
        "one input is enough",
        "proof/prove.py",
        "plain_agrees(runner, sets, work.allowed, work.together))",
        "plain_agrees(runner, sets[:1], work.allowed, work.together))",
        PROVED,
    ),
    ("one case is enough", "proof/cases.py", "LEAST = 3", "LEAST = 1", ("tests/proof/cases/test_cases.py",)),
    ("threads beyond the last one work", f"{CUDA}/render.py", ">= {total}", "> {total}", WRITTEN),
    ("what is written is const", f"{CUDA}/render.py", "if argument.name in changed", "if False", WRITTEN),
    ("small numbers do not wrap", f"{CUDA}/expressions.py", "if is_narrow(node.type)", "if False", WRITTEN),
    (
        "a negative literal counts from the start",
        f"{CUDA}/expressions.py",
        "- {-value}",
        "+ {value}",
        WRITTEN,
    ),
    ("float64 by way of float32", f"{CUDA}/forms.py", '"f" * (operands[0] == FLOAT)', '"f"', WRITTEN),
    ("a bound is taken anew", f"{CUDA}/statements.py", "if not _stays(", "if False and (", WRITTEN),
    (
        "no element is an atomic",
        f"{CUDA}/statements.py",
        "if held is not None else None",
        "if False else None",
        WRITTEN,
    ),
    ("an effect anywhere", f"{CUDA}/effects.py", "if not alone:", "if False:", WRITTEN),
    ("a local hides what is called", f"{CUDA}/render.py", "if not first.hides():", "if True:", WRITTEN),
]

THEIRS = ("tests/builds/test_handwritten.py",)
OTHER = (f"{THEIRS[0]}::test_a_twin_that_gives_something_else_is_none",)
ANOTHER = (f"{THEIRS[0]}::test_a_kernel_that_is_another_by_now_is_a_rejection",)
IDLE = (f"{THEIRS[0]}::test_a_kernel_that_gives_what_was_there_is_no_row",)
MOVED = (f"{THEIRS[0]}::test_inputs_that_a_kernel_changes_come_first",)
ZERO = (f"{THEIRS[0]}::test_what_a_kernel_divides_by_is_not_zero_on_any_inputs",)
FOUND, TWINS = "builds/handwritten/installed.py", "builds/handwritten/collect.py"
DIFFERS, WORDLESS = (
    "if differs := _difference(proof, original.proof):",
    "next(PASSES[name].variants(plain), plain)",
)
COLLECTED = [
    ("what fails is made up for", "builds/filling.py", "if not self.shard.spares:", "if False:", THEIRS),
    ("a kernel of any id", FOUND, "kernel.identity.id == text.id", "True", ANOTHER),
    ("any licence will do", FOUND, "if _SAYS_SO not in", "if '' not in", THEIRS),
    ("a twin may differ", TWINS, DIFFERS, "if differs := None:", OTHER),
    ("a twin keeps comments", "builds/handwritten/twin.py", WORDLESS, "plain", THEIRS),
    ("a copy of what was there is a row", TWINS, "if rejection := trivial(*shown):", "if rejection := None:",
     IDLE),
    ("inputs that are left alone come first", "proof/prove.py",
     " and not verify.unchanged(outputs, inputs)", "", MOVED),
    ("ten inputs are enough to survive", "builds/extraction/trial.py", "SURVIVED = 64", "SURVIVED = 0",
     ZERO),
    ("a copy in train is not seen", "publishing/similarity.py", "similarities > self._best",
     "similarities < self._best", ("tests/publishing/test_contamination.py",)),
]  # fmt: skip

ORDERS, VERIFIED = "proof/agreement.py", ("tests/proof/test_verify.py",)
ARRIVAL, ARRIVED = "language/analysis/threads/arrival.py", ("tests/language/analysis/test_arrival.py",)
LIVENESS, LIVED = "language/analysis/liveness.py", ("tests/language/analysis/test_liveness.py",)
ALIVE = [
    ("a race is let through", ORDERS,
     "verify.compare(other.outputs, result.outputs, allowed, together).unequal", "None", AGREED),
    ("gradients may follow the order", ORDERS, "verify.compare(other.gradients, result.gradients).unequal",
     "None", AGREED),
    ("an input may lack its gradient", ORDERS, "if argument.name not in having:", "if False:", AGREED),
    ("each array is ordered by itself", VERIFY,
     "found |= dict.fromkeys(group, _places(actual_side, expected_side))",
     "found |= {n: _places([a], [e]) for n, a, e in zip(group, actual_side, expected_side)}", VERIFIED),
    ("an exchange tells nothing", ARRIVAL, "if late or (row.commutes is None and not own):", "if late:",
     ARRIVED),
    ("who left is forgotten", ARRIVAL, "self.statement(statement, hangs or self.left)",
     "self.statement(statement, hangs)", ARRIVED),
    ("kinds of atomics may meet", ARRIVAL, "if len(kinds) > 1", "if len(kinds) > 2", ARRIVED),
    ("a bound that never bites matters", LIVENESS, "[above and below for", "[above or below for", LIVED),
    ("a guess is dead", LIVENESS, "np.nan if id(statement) in starts else far", "far", LIVED),
    ("few inputs are enough", LIVENESS, "(trial.of(min(FEW, sets)), trial)", "(trial.of(min(FEW, sets)),)",
     LIVED),
]  # fmt: skip

JUDGE = [
    *(Mutant(name, VERIFY, old, new, JUDGED) for name, old, new in EQUALITY + DEGENERATE + GRADIENTS),
    *(Mutant(*row) for row in NUMBERS + LEFT_OUT + PLAIN + COLLECTED + ALIVE),
]
