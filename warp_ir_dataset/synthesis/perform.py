"""Makes a program from a page and the number of a draw."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import pairwise

from ..common.address import Address
from ..common.rng import Rng
from ..language import ir
from ..language.analysis.degenerate import is_degenerate
from ..language.analysis.intervals import Illegal
from ..language.analysis.legality import check
from ..language.analysis.unrolling import generated_size
from ..language.operations.laws import NOT, OPPOSITE
from ..language.passes.branches import negated
from ..language.passes.table import PASSES, normalized
from ..language.python.write import write
from ..language.rewrite import Body, map_bodies, map_expressions, names_in, names_of
from ..language.walks import statements, walk
from .composing.compose import composed
from .composing.sentences import without_lost
from .decisions import Decisions
from .drawn import Drawn
from .pages.choices import Choices
from .pages.module import as_docstring
from .pages.page import Page
from .pages.part import fits_level, part_of
from .spelling import SUBSCRIPTS

FULL_NAMES = 0.12  # `wp.float32`, not `float`
WIDTH = 100  # no pass makes a line longer
LONGEST = 116  # characters of a line
ATTEMPTS = 4  # with the same choices of meaning, before the next ones are taken
TURNS = 5

# How often a pass is made where it can be: wherever it can, as people who write `+=` write it throughout.
THROUGHOUT = (
    ("augment", 0.35),
    ("expand augmented assignment", 0.15),
)
# And how often at one place; `EVERYWHERE` at each of the first few.
HABITS = (
    ("make a method", 0.8),
    ("inline", 0.3),
    ("extract a function", 0.06),
    ("swap branches", 0.12),
    ("ternary or where", 0.2),
    ("choice to branch", 0.15),
    ("return early", 0.15),
    ("guard", 0.15),
    ("for to while", 0.03),
    ("condition to break", 0.3),
    ("add full slices", 0.45),
    ("chain comparisons", 0.85),
    ("change power syntax", 0.4),
    ("name all components", 0.35),
    ("enclose a constant", 0.06),
    ("pack arguments", 0.06),
    ("widen floats", 0.12),
    ("evaluate constants early", 0.06),
    ("leave types open", 0.12),
)


EVERYWHERE, PLACES = ("chain comparisons",), 4


class Barren(RuntimeError):
    """A page that gives no program; the message says why the last one was none."""


def perform(page: Page, address: Address, decided: Decisions | None = None) -> Drawn:
    """A legal program of a page with something to show. The number of the draw says which choices of meaning
    are made, from where those of its seed begin; the address decides all else. `decided` holds what is known
    of the draw, or will.

    Raises `Barren` for a page that gives none: a fault of the page.
    """
    why: Drawn | str = ""
    for turn in range(TURNS):
        for attempt in range(ATTEMPTS):
            text = f"{address}/{attempt}"
            why = tried(page, address.category, address.draw + turn, text, decided)
            if isinstance(why, Drawn):
                return why
    raise Barren(f"{address}: {why}")


def tried(
    page: Page,
    category: str,
    number: int,
    text: str,
    decided: Decisions | None = None,
    *,
    composing: bool = True,
) -> Drawn | str:
    """What comes of these choices of meaning with constants, sizes and spelling that `text` decides, which
    begins with a seed; or why nothing does."""
    decided = decided or Decisions()
    seed = text.partition("/")[0]
    rng = Rng(text)
    part = part_of(page, Choices(number, f"{seed}/{page.purpose}", rng), rng)
    if composing:
        part = composed(part, text, decided)
    program = spelled(part.program, rng)
    if fault := decided.fault(partial(_fault, program, part.level, text)):
        return fault
    sentence = without_lost(part.sentence, names_of(program))
    if program.docstring is not None and sentence != part.sentence:
        program = replace(program, docstring=as_docstring(sentence))
    return Drawn(program, category, part.level, sentence, page.purpose, len(part.purposes), part.task)


def _fault(program: ir.Program, level: int, text: str) -> str | None:
    """Why a program is no kernel of such a level, if it is none."""
    try:
        check(program, sampled=True)
    except Illegal as error:
        return str(error)
    if not fits_level(level, generated_size(program)):
        return "it is too long once its loops are unrolled"
    if _width(program) > LONGEST:
        return "a line is too long"
    return "it is degenerate" if is_degenerate(program, text) else None


def _width(program: ir.Program) -> int:
    return max(map(len, write(program).split("\n")))


def spelled(program: ir.Program, rng: Rng) -> ir.Program:
    """The same program as one of many people would write it."""
    for name, share in THROUGHOUT:
        if rng.chance(share):
            while (other := next(PASSES[name].variants(program), None)) is not None:
                program = other
    program = normalized(program)
    widest = max(WIDTH, _width(program))
    for name, share in HABITS:
        for _ in range((PLACES if name in EVERYWHERE else 1) * rng.chance(share)):
            other = PASSES[name](program, rng)
            if other is None:
                break
            width = _width(other)
            if width <= widest and not (name == "inline" and _reads_worse(program, other)):
                program, widest = other, max(WIDTH, width)
    program = map_bodies(program, lambda body: map_expressions(body, _turned))
    return normalized(replace(program, style=ir.Style(rng.chance(SUBSCRIPTS), rng.chance(FULL_NAMES))))


def _turned(node: ir.Expr) -> ir.Expr:
    """``not a > b`` as ``a <= b``: what does not end in finite numbers is no kernel."""
    match node:
        case ir.Apply(operation, (ir.Apply() as condition,)) if (
            operation == NOT and condition.operation in OPPOSITE
        ):
            return negated(condition, finite=True)
    return node


def _reads_worse(program: ir.Program, inlined: ir.Program) -> bool:
    """Whether what a local was put in for reads worse: a number without the name that it had, a minus in the
    middle of a sum, a comment without its statement, what is the same in each round of a loop, or one of two
    that go together, like ``left`` and ``right``."""
    gone = names_of(program) - names_of(inlined)
    for body in program.bodies:
        alike = Counter(_kind(s) for s in statements(body) if isinstance(s, ir.Let))
        for above, let in pairwise((ir.Pass(), *statements(body))):
            if not isinstance(let, ir.Let) or let.target.name not in gone:
                continue
            remarked = isinstance(above, ir.Comment) and not above.beside
            if remarked or alike[_kind(let)] > 1 or isinstance(let.value, ir.Literal) or _is_minus(let.value):
                return True
            if isinstance(let.value, ir.Apply | ir.Call) and _in_a_loop(body, let):
                return True
    return False


def _in_a_loop(body: Body, let: ir.Let) -> bool:
    """Whether a local from outside of a loop is used in it."""
    loops = (s for s in statements(body) if isinstance(s, ir.For | ir.While))
    return any(let not in statements(loop.body) and let.target.name in names_in(loop.body) for loop in loops)


def _is_minus(value: ir.Expr) -> bool:
    """Whether the text of a value begins with a minus."""
    while isinstance(value, ir.Apply) and value.operation in ("mul", "div"):
        value = value.operands[0]
    return isinstance(value, ir.Apply) and value.operation == "neg"


def _kind(let: ir.Let) -> tuple[object, ...]:
    """What a local's value is made of, whatever the numbers and the locals in it."""
    nodes = tuple(walk(let.value))
    arrays = tuple(node.array for node in nodes if isinstance(node, ir.Load))
    functions = tuple(node.function for node in nodes if isinstance(node, ir.Call))
    return (let.target.type, arrays, functions, *(type(node) for node in nodes))
