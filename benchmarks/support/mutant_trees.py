"""Small faults in what is known of trees: the table of operations, intervals, legality, gradients."""

from __future__ import annotations

from .mutant_table import Mutant

ARITHMETIC = "language/operations/builtins/arithmetic.py"
ELEMENTARY = "language/operations/builtins/elementary.py"
BOUNDS = "language/operations/bounds.py"
PROGRAM, WALKS = "language/program.py", "language/walks.py"
LEGALITY = "language/analysis/legality.py"
OWN = "language/analysis/threads/own.py"
FLOW = "language/analysis/flow.py"
VALUES = "language/analysis/values.py"
ACCESSES = "language/analysis/threads/accesses.py"
STATES = "language/analysis/states.py"
INTERVALS = "language/analysis/intervals.py"
UNROLLING = "language/analysis/unrolling.py"
INTERPRETER = "language/analysis/interpreter.py"
DEGENERATE_FILE = "language/analysis/degenerate.py"

SPECIFICATION = "language/specification/"

LAWFUL = ("tests/language/analysis/test_legality.py",)
PLACES = ("tests/language/analysis/test_legality_of_places.py",)
FLOWN = ("tests/language/analysis/test_flow.py", "tests/language/analysis/test_legality.py")
TABLE = ("tests/language/operations/test_operations.py",)
BARRED = ("tests/language/analysis/test_gradients.py",)
MUTANTS_FILE, BITE = "language/mutants/table.py", "proof/bite.py"
BITTEN = ("tests/language/mutants/test_mutants_of_trees.py", "tests/proof/cases/test_bite.py")
WORDED = ("tests/language/specification/test_told.py",)
INTERPRETED = ("tests/language/analysis/test_interpreter.py",)

_ROWS = [
    (
        "sign has a slope",
        ARITHMETIC,
        '-1, 1)),\n        derivative="flat", words="the sign',
        '-1, 1)), words="the sign',
        TABLE,
    ),
    (
        "a product is linear",
        ARITHMETIC,
        'derivative="bilinear",\n        alike',
        'derivative="linear",\n        alike',
        TABLE,
    ),
    (
        "a root is flat",
        ELEMENTARY,
        "each(np.sqrt), requires",
        'each(np.sqrt), derivative="flat", requires',
        TABLE,
    ),
    ("a fraction has a derivative", ELEMENTARY, "underived=(0,),", "", BARRED),
    ("a divisor of % has one", ARITHMETIC, "underived=(1,),", "", BARRED),
    ("a minimum bounds like a maximum", ARITHMETIC, "on(domains.minimum)", "on(domains.maximum)", TABLE),
    ("divisors near zero", BOUNDS, "MARGIN if divisor.type.is_float else 0", "0", TABLE),
    ("two threads store to one element", LEGALITY, 'access.kind == "atomic" or alone', "True", LAWFUL),
    (
        "an element that others change is read",
        LEGALITY,
        'role == "input" or alone, rule',
        'role != "x", rule',
        LAWFUL,
    ),
    (
        "one thread's index is enough",
        OWN,
        "all(thread in access.index",
        "any(thread in access.index",
        LAWFUL,
    ),
    ("a counter that others touch gives tickets", OWN, "accesses[array] == 1 and ", "", PLACES),
    ("a counter that counts down, too", OWN, " and more > 0", "", PLACES),
    ("any of several counters", OWN, " and all(part in access.index for part in counter)", "", PLACES),
    ("any array is a permutation", OWN, 'a.trait == "permutation"', "True", PLACES),
    (
        "an array by an index of its own and by a permuted one",
        LEGALITY,
        "len(places[access.array]) == 1 and ",
        "",
        PLACES,
    ),
    (
        "what is unused stays",
        LEGALITY,
        "    _require(not (names := unused(program))",
        "    _require(True or (names := unused(program))",
        LAWFUL,
    ),
    (
        "an assignment is a use",
        WALKS,
        "return (*indices(target), value)",
        "return (*indices(target), value, target)",
        LAWFUL,
    ),
    ("outputs need not be written", LEGALITY, "outputs <= written", "True", LAWFUL),
    ("stores beside atomics", LEGALITY, "not stored & shared", "True", LAWFUL),
    ("constants may change", LEGALITY, " and target.name not in self.constant", "", LAWFUL),
    ("any condition will do", LEGALITY, "_require(condition.type == BOOL", "_require(True", LAWFUL),
    (
        "what functions write is not seen",
        VALUES,
        "self.arrays.update(left.arrays)",
        "pass",
        (*FLOWN, *PLACES),
    ),
    ("a view starts at its array", ACCESSES, "(*part.index, *told)", "told", PLACES),
    ("a function's index is the kernel's", ACCESSES, "name=local + node.name", "name=node.name", PLACES),
    (
        "an effect within an expression",
        LEGALITY,
        "_require(whole or not _changes(node)",
        "_require(True or not _changes(node)",
        PLACES,
    ),
    ("an endless loop ends by itself", FLOW, "[] if is_endless(loop) else [head]", "[head]", PLACES),
    ("members of a vector without bounds", FLOW, "self.inner_index(target)", "pass", PLACES),
    ("a loop downwards reaches its stop", FLOW, "min(stop.lo + 1, start.hi)", "start.hi", PLACES),
    ("loops of any length", FLOW, "if trips > MAX_TRIPS:", "if False:", FLOWN),
    ("loops of twice the length", FLOW, "MAX_TRIPS = 64", "MAX_TRIPS = 128", FLOWN),
    (
        "an index beyond the end",
        VALUES,
        ".within(Interval(0, size - 1))",
        ".within(Interval(0, size))",
        FLOWN,
    ),
    ("a negative index", VALUES, ".within(Interval(0, size - 1))", ".hi <= size - 1", FLOWN),
    ("one arm decides", STATES, "span.join(theirs[key])", "span", FLOWN),
    (
        "what one arm defines is defined",
        STATES,
        "for key, span in mine.items() if key in theirs}",
        "for key, span in mine.items() if key in theirs} | theirs",
        FLOWN,
    ),
    ("a loop adds once", STATES, "times * max(step.hi, 0)", "max(step.hi, 0)", FLOWN),
    ("inner loops add once", STATES, "trips * max(step.hi, 0)", "max(step.hi, 0)", FLOWN),
    ("less may be equal", BOUNDS, "min(a.hi, b.hi - gap)", "min(a.hi, b.hi)", FLOWN),
    (
        "a broken loop ends by its condition",
        FLOW,
        "([] if is_endless(loop) else [head]), *left])",
        "([] if is_endless(loop) else [head])])",
        FLOWN,
    ),
    (
        "what was stored is forgotten",
        VALUES,
        "self.arrays[key].join(span)",
        "self.arrays[key]",
        FLOWN,
    ),
    (
        "functions may end without a value",
        VALUES,
        "elif self.state is not None or not self.returned:",
        "elif not self.returned:",
        FLOWN,
    ),
    (
        "any overflow",
        INTERVALS,
        "if isinstance(type, Value) and not span.within(SCALARS[type.scalar].limits):",
        "if False:",
        FLOWN,
    ),
    (
        "any operand",
        INTERVALS,
        "if not self.holds(row.requires, node.operands):",
        "if False:",
        (*TABLE, *FLOWN),
    ),
    (
        "no loop is dynamic",
        UNROLLING,
        "return trips is None or trips > max_unroll or left",
        "return False",
        BARRED,
    ),
    ("endless loops are cut short", INTERPRETER, "raise Endless(", "return (", INTERPRETED),
    ("degenerate or not", DEGENERATE_FILE, "np.abs(bases).max() <= NEAR_ZERO", "False", INTERPRETED),
    (
        "an input may never matter",
        DEGENERATE_FILE,
        "(moved.sum(axis=1) < ENOUGH).any()",
        "False",
        INTERPRETED,
    ),
    ("mutants leave their arrays", MUTANTS_FILE, "if made != program and stands(made)", "if True", BITTEN),
    ("one operator makes them all", MUTANTS_FILE, "elif len(found) < count:", "else:", BITTEN),
    ("what is not seen is equivalent", BITE, "self.same or self.respelled", "not self.seen.any()", BITTEN),
    ("what leaves its array is right", BITE, "seen[place] = True", "pass", BITTEN),
    ("what is rounded is seen", BITE, "errors <= self._tolerance[name])", "errors <= SAME)", BITTEN),
    ("bounds are told one too far", SPECIFICATION + "loops.py", "_before(loop.stop, 1)", "loop.stop", WORDED),
    (
        "a guarded sum forgets its guard",
        SPECIFICATION + "loops.py",
        "(first.condition, *found.but)",
        "found.but",
        WORDED,
    ),
    (
        "a sum may start anywhere",
        SPECIFICATION + "steps.py",
        'found.operator in "+-" and is_number(start.value, 0)',
        'found.operator in "+-"',
        WORDED,
    ),
    (
        "a minus is lost",
        SPECIFICATION + "formulas/parts.py",
        "right.within(RATIO)",
        "right.within(SUM)",
        WORDED,
    ),
    (
        "what changes before it is used is folded in",
        SPECIFICATION + "effects.py",
        "    if (changes(between) | defined(between)) & needed:",
        "    if False:",
        WORDED,
    ),
    (
        "what is brought to life again is folded in",
        SPECIFICATION + "effects.py",
        "(changes(between) | defined(between)) & needed",
        "changes(between) & needed",
        WORDED,
    ),
    (
        "random numbers change places",
        SPECIFICATION + "folding.py",
        "return order == list(drawn) and apart and small",
        "return apart and small",
        WORDED,
    ),
    (
        "a loop that moves its end is a repetition",
        SPECIFICATION + "loops.py",
        "or loop.step != 1 or moves_its_end(loop)",
        "or loop.step != 1",
        WORDED,
    ),
    (
        "random numbers are drawn in any order",
        SPECIFICATION + "loops.py",
        "draws(body) > 0 or not all(",
        "not all(",
        WORDED,
    ),
    (
        "zeros at the start go without saying",
        SPECIFICATION + "header.py",
        'role += ", zero at the start"',
        "pass",
        WORDED,
    ),
    (
        "an index behind its loop is told",
        SPECIFICATION + "refusals.py",
        "if not others and _outside(name, body):",
        "if False:",
        WORDED,
    ),
]

TREES = [Mutant(*row) for row in _ROWS]
