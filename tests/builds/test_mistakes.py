"""Each edit of a source makes the mistake that its kind is called, as the difference says."""

from __future__ import annotations

import ast
import builtins
import difflib
import io
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

import pytest
import warp as wp

from warp_ir_dataset.builds.repair.edits import expressions as e
from warp_ir_dataset.builds.repair.edits import names as n
from warp_ir_dataset.builds.repair.edits import statements as s
from warp_ir_dataset.builds.repair.edits import types as t
from warp_ir_dataset.builds.repair.edits import variables as v
from warp_ir_dataset.builds.repair.kinds import KINDS
from warp_ir_dataset.builds.repair.source import Module, is_call
from warp_ir_dataset.builds.repair.typed import looks_typed
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample

SOURCE = """import warp as wp

EPS = wp.constant(0.015)


@wp.struct
class Body:
    mass_ratio: float
    speed: float


@wp.func
def weight_of(grid: wp.array2d[float], row: int, column: int, x_share: float, y_share: float) -> float:
    if row < 0 or column < 0:
        return 0.0
    return x_share * grid[row, column] - wp.atan2(y_share, x_share)


@wp.kernel
def blend(
    values: wp.array2d[float],
    weights: wp.array[float],
    flat: wp.array[float],
    places: wp.array[wp.vec3],
    marks: wp.array[int],
    body: Body,
    lower_bound: float,
    upper_bound: float,
    count: int,
    sums: wp.array[float],
    out: wp.array2d[float],
):
    i, j = wp.tid()
    rows = values.shape[0]
    columns = values.shape[1]
    if marks[i] == 1 or marks[i] == 2:
        return
    total = float(0.0)
    for k in range(count):
        total += weights[k]
    best = float(-1e6)
    low = float(0.0)
    high = float(0.0)
    for k in range(1, columns - 1):
        if marks[k] == 0:
            continue
        if values[i, k] > best and k < rows:
            best = values[i, k]
        if high > 7.0:
            break
        low = wp.min(low, wp.min(weights[k], flat[i * columns + k]))
        high += 0.5 * (values[i, k + 1] - values[i, k]) / wp.max(weights[k], 0.5)
    delta = places[i] - places[j]
    side = wp.cross(delta, wp.vec3(delta.x, 0.0, 1.0))
    gap = wp.length(places[i] - places[j])
    scale = wp.dot(delta, side) * float(count) / (gap + EPS)
    clamped = wp.clamp(scale, lower_bound, upper_bound)
    scaled = clamped if gap > 0.0 else 0.0
    scaled = -scaled * body.mass_ratio
    slot = wp.where(marks[j] > 3, marks[j] // 4, marks[j] % 4)
    if clamped > upper_bound:
        scaled = weight_of(values, i, j, lower_bound, upper_bound)
        wp.atomic_max(sums, 1, scaled)
    else:
        scaled = scaled + wp.sin(low) * 3.0
    wp.atomic_add(sums, slot, high - total)
    sums[0] += best
    out[i, j] = (scaled + total) * 2.0
"""

# By what offers it: a line of the right source, and what an edit makes of it; empty where it is gone.
OFFERED = [
    (n.missing_thread_indices, "i, j = wp.tid()", ""),
    (n.missing_thread_indices, "i, j = wp.tid()", "i, j = tid()"),
    (n.missing_accumulators, "total = float(0.0)", ""),
    (n.other_spellings, "total += weights[k]", "total += weight[k]"),
    (n.other_spellings, "clamped = wp.clamp(scale, lower_bound, upper_bound)",
     "clamped = wp.clamp(scale, bound, upper_bound)"),
    (n.foreign_thread_indices, "i, j = wp.tid()", "i, j = wp.thread_id()"),
    (n.foreign_names, "gap = wp.length(places[i] - places[j])", "gap = wp.norm(places[i] - places[j])"),
    (n.former_names, "slot = wp.where(marks[j] > 3, marks[j] // 4, marks[j] % 4)",
     "slot = wp.select(marks[j] > 3, marks[j] % 4, marks[j] // 4)"),
    (n.methods, "scale = wp.dot(delta, side) * float(count) / (gap + EPS)",
     "scale = delta.dot(side) * float(count) / (gap + EPS)"),
    (n.other_sizes, "rows = values.shape[0]", "rows = values.length"),
    (n.other_members, "scaled = -scaled * body.mass_ratio", "scaled = -scaled * body.mass"),
    (n.returned_values, "out[i, j] = (scaled + total) * 2.0", "return (scaled + total) * 2.0"),
    (n.lists, "side = wp.cross(delta, wp.vec3(delta.x, 0.0, 1.0))",
     "side = wp.cross(delta, [delta.x, 0.0, 1.0])"),
    (n.memberships, "if marks[i] == 1 or marks[i] == 2:", "if marks[i] in (1, 2):"),
    (n.elements_given_to_atomics, "wp.atomic_max(sums, 1, scaled)", "wp.atomic_max(sums[1], scaled)"),
    (t.forgotten_operands, "clamped = wp.clamp(scale, lower_bound, upper_bound)",
     "clamped = wp.clamp(scale, lower_bound)"),
    (t.forgotten_operands, "scaled = weight_of(values, i, j, lower_bound, upper_bound)",
     "scaled = weight_of(i, j, lower_bound, upper_bound)"),
    (t.too_many_operands, "gap = wp.length(places[i] - places[j])", "gap = wp.length(places[i], places[j])"),
    (t.too_many_operands, "low = wp.min(low, wp.min(weights[k], flat[i * columns + k]))",
     "low = wp.min(low, weights[k], flat[i * columns + k])"),
    (t.forgotten_indices, "best = values[i, k]", "best = values[i]"),
    (t.other_layouts, "low = wp.min(low, wp.min(weights[k], flat[i * columns + k]))",
     "low = wp.min(low, wp.min(weights[k], flat[i, k]))"),
    (t.other_layouts, "best = values[i, k]", "best = values[i * values.shape[1] + k]"),
    (t.surplus_indices, "delta = places[i] - places[j]", "delta = places[i, j] - places[j]"),
    (t.whole_arrays, "delta = places[i] - places[j]", "delta = places - places[j]"),
    (t.other_annotations, "places: wp.array[wp.vec3],", "places: wp.array[float],"),
    (t.other_annotations, "values: wp.array2d[float],", "values: wp.array[float],"),
    (t.missing_annotations, "count: int,", "count,"),
    (t.missing_conversions, "scale = wp.dot(delta, side) * float(count) / (gap + EPS)",
     "scale = wp.dot(delta, side) * count / (gap + EPS)"),
    (t.mutated_constants, "total = float(0.0)", "total = 0.0"),
    (t.integer_literals, "out[i, j] = (scaled + total) * 2.0", "out[i, j] = (scaled + total) * 2"),
    (s.missing_stores, "sums[0] += best", ""),
    (s.missing_updates, "scaled = -scaled * body.mass_ratio", ""),
    (s.overwritten_sums, "total += weights[k]", "total = weights[k]"),
    (s.overwritten_elements, "wp.atomic_add(sums, slot, high - total)", "sums[slot] = high - total"),
    (s.other_starts, "best = float(-1e6)", "best = float(0.0)"),
    (s.other_exits, "break", "continue"),
    (s.races, "wp.atomic_max(sums, 1, scaled)", "sums[1] = wp.max(sums[1], scaled)"),
    (s.races, "sums[0] += best", "sums[0] = sums[0] + best"),
    (s.races, "wp.atomic_add(sums, slot, high - total)", "sums[slot] = sums[slot] + (high - total)"),
    (e.bounds_off_by_one, "for k in range(count):", "for k in range(count - 1):"),
    (e.forgotten_ones, "for k in range(1, columns - 1):", "for k in range(1, columns):"),
    (e.other_neighbours, "best = values[i, k]", "best = values[i, k - 1]"),
    (e.other_comparisons, "if high > 7.0:", "if high >= 7.0:"),
    (e.forgotten_conditions, "if values[i, k] > best and k < rows:", "if values[i, k] > best:"),
    (e.lost_choices, "scaled = clamped if gap > 0.0 else 0.0", "scaled = clamped"),
    (e.other_operators, "delta = places[i] - places[j]", "delta = places[i] + places[j]"),
    (e.other_operators, "slot = wp.where(marks[j] > 3, marks[j] // 4, marks[j] % 4)",
     "slot = wp.where(marks[j] > 3, marks[j] % 4, marks[j] % 4)"),
    (e.other_updates, "total += weights[k]", "total -= weights[k]"),
    (e.other_signs, "scaled = -scaled * body.mass_ratio", "scaled = scaled * body.mass_ratio"),
    (e.other_junctions, "if values[i, k] > best and k < rows:", "if values[i, k] > best or k < rows:"),
    (e.other_functions, "scaled = scaled + wp.sin(low) * 3.0", "scaled = scaled + wp.cos(low) * 3.0"),
    (e.swapped_operands, "delta = places[i] - places[j]", "delta = places[j] - places[i]"),
    (e.swapped_arguments, "return x_share * grid[row, column] - wp.atan2(y_share, x_share)",
     "return x_share * grid[row, column] - wp.atan2(x_share, y_share)"),
    (e.swapped_arguments, "scaled = weight_of(values, i, j, lower_bound, upper_bound)",
     "scaled = weight_of(values, j, i, lower_bound, upper_bound)"),
    (e.swapped_choices, "scaled = clamped if gap > 0.0 else 0.0", "scaled = 0.0 if gap > 0.0 else clamped"),
    (e.missing_terms, "scale = wp.dot(delta, side) * float(count) / (gap + EPS)",
     "scale = wp.dot(delta, side) * float(count) / gap"),
    (e.missing_calls, "clamped = wp.clamp(scale, lower_bound, upper_bound)", "clamped = scale"),
    (e.lost_parentheses, "out[i, j] = (scaled + total) * 2.0", "out[i, j] = scaled + total * 2.0"),
    (e.other_components, "side = wp.cross(delta, wp.vec3(delta.x, 0.0, 1.0))",
     "side = wp.cross(delta, wp.vec3(delta.y, 0.0, 1.0))"),
    (e.other_axes, "out[i, j] = (scaled + total) * 2.0", "out[j, i] = (scaled + total) * 2.0"),
    (e.other_axes, "rows = values.shape[0]", "rows = values.shape[1]"),
    (e.other_axes, "i, j = wp.tid()", "j, i = wp.tid()"),
    (e.other_constants, "EPS = wp.constant(0.015)", "EPS = wp.constant(0.15)"),
    (e.other_constants, "out[i, j] = (scaled + total) * 2.0", "out[i, j] = (scaled + total) * 0.5"),
    (v.other_counters, "delta = places[i] - places[j]", "delta = places[j] - places[j]"),
    (v.other_arguments, "if clamped > upper_bound:", "if clamped > lower_bound:"),
    (v.other_locals, "scaled = -scaled * body.mass_ratio", "scaled = -scale * body.mass_ratio"),
    (v.former_values, "scaled = clamped if gap > 0.0 else 0.0", "scaled = scale if gap > 0.0 else 0.0"),
]  # fmt: skip
# Edits of several lines: what offers them, a text of the right source, and what is made of it.
MOVED = [
    (n.used_before,
     "    delta = places[i] - places[j]\n    side = wp.cross(delta, wp.vec3(delta.x, 0.0, 1.0))\n",
     "    side = wp.cross(delta, wp.vec3(delta.x, 0.0, 1.0))\n    delta = places[i] - places[j]\n"),
    (n.missing_decorators, "@wp.func\ndef weight_of", "def weight_of"),
    (n.generator_sums, "    total = float(0.0)\n    for k in range(count):\n        total += weights[k]\n",
     "    total = sum(weights[k] for k in range(count))\n"),
    (n.loops_over_arrays, "    for k in range(count):\n        total += weights[k]\n",
     "    for value in weights:\n        total += value\n"),
    (n.chained_definitions, "    low = float(0.0)\n    high = float(0.0)\n", "    low = high = float(0.0)\n"),
    (n.unpacked_shapes, "    rows = values.shape[0]\n    columns = values.shape[1]\n",
     "    rows, columns = values.shape\n"),
    (s.missing_branches, "    else:\n        scaled = scaled + wp.sin(low) * 3.0\n", ""),
    (s.lost_guards, "        if marks[k] == 0:\n            continue\n", ""),
    (s.other_orders, "    scaled = clamped if gap > 0.0 else 0.0\n    scaled = -scaled * body.mass_ratio\n",
     "    scaled = -scaled * body.mass_ratio\n    scaled = clamped if gap > 0.0 else 0.0\n"),
    (s.started_in_the_loop, "    total = float(0.0)\n    for k in range(count):\n",
     "    for k in range(count):\n        total = float(0.0)\n"),
    (s.entered_the_block, "        total += weights[k]\n    best = float(-1e6)\n",
     "        total += weights[k]\n        best = float(-1e6)\n"),
    (s.left_the_block, "        high += 0.5 * (values[i, k + 1] - values[i, k]) / wp.max(weights[k], 0.5)\n",
     "    high += 0.5 * (values[i, k + 1] - values[i, k]) / wp.max(weights[k], 0.5)\n"),
    (n.missing_constants, "EPS = wp.constant(0.015)\n\n\n", ""),
    (n.functions_of_numpy, "import warp as wp\n", "import numpy as np\nimport warp as wp\n"),
]  # fmt: skip


# ---- each edit by itself


def made(offer, source: str = SOURCE) -> list[str]:
    module = Module(source)
    return [module.edited(edit) for edit in offer(module)]


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


@pytest.mark.parametrize(("offer", "before", "after"), OFFERED, ids=lambda one: getattr(one, "__name__", ""))
def test_an_edit_of_one_line(offer, before: str, after: str) -> None:
    found = [Diff(SOURCE, text) for text in made(offer)]
    changed = [(lines("".join(diff.gone_lines)), lines("".join(diff.come_lines))) for diff in found]
    assert ([before], [after] if after else []) in changed


@pytest.mark.parametrize(("offer", "before", "after"), MOVED, ids=lambda one: getattr(one, "__name__", ""))
def test_an_edit_of_several_lines(offer, before: str, after: str) -> None:
    assert SOURCE.count(before) == 1
    assert any(text.startswith(SOURCE.partition(before)[0] + after) for text in made(offer))


def test_every_offer_has_an_example() -> None:
    shown = {offer for offer, *_ in (*OFFERED, *MOVED)}
    assert {offer for kind in KINDS.values() for offer in kind.offers} == shown


def test_edits_go_by_bytes() -> None:
    source = SOURCE.replace("    i, j = wp.tid()", '    "Größe."; i, j = wp.tid()')
    for text in made(n.foreign_thread_indices, source):
        assert "Größe" in text and ast.parse(text)


# ---- each kind by the difference that its edits make


@dataclass(frozen=True)
class Diff:
    """What a broken source has and has not that the right one has not and has."""

    right: str
    broken: str

    @cached_property
    def _lines(self) -> list[str]:
        return list(
            difflib.ndiff(self.right.splitlines(keepends=True), self.broken.splitlines(keepends=True))
        )

    @property
    def gone_lines(self) -> list[str]:
        return [line[2:] for line in self._lines if line.startswith("- ")]

    @property
    def come_lines(self) -> list[str]:
        return [line[2:] for line in self._lines if line.startswith("+ ")]

    @cached_property
    def gone(self) -> list[str]:
        return [token for before, _ in self._tokens for token in before]

    @cached_property
    def come(self) -> list[str]:
        return [token for _, after in self._tokens for token in after]

    @cached_property
    def _tokens(self) -> list[tuple[list[str], list[str]]]:
        before, after = tokens(self.right), tokens(self.broken)
        blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        return [(before[a:b], after[c:d]) for tag, a, b, c, d in blocks if tag != "equal"]

    def count(self, counted: Callable[[ast.AST], bool]) -> int:
        """How many more nodes of a sort the right source has."""
        right, broken = (sum(map(counted, ast.walk(ast.parse(text)))) for text in (self.right, self.broken))
        return right - broken


@lru_cache
def tokens(text: str) -> list[str]:
    layout = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type not in layout]


PARENTHESES = {"(", ")"}
CASTS = {"float", "int", "wp", ".", "float32", "float64", "int32", "int64", "uint32", "uint64", "(", ")"}
UPDATES = {"+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "<<=", ">>="}
OPERATORS = {"+", "-", "*", "/", "//", "%", "&", "|", "<<", ">>", "and", "or", *UPDATES}


def numbers(diff: Diff) -> list[tuple[float, float]]:
    """The numbers that have come for others."""
    assert len(diff.gone) == len(diff.come)
    pairs = zip(diff.gone, diff.come, strict=True)
    return [(float(int(a, 0) if a.isdigit() else float(a)), float(b)) for a, b in pairs]


def defined_before_use(text: str) -> bool:
    """Whether all names in functions are defined, each on an earlier line than it is used."""
    tree = ast.parse(text)
    outside = {name.id for part in tree.body if isinstance(part, ast.Assign) for name in names(part)}
    outside |= {part.name for part in ast.walk(tree) if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    outside |= {*dir(builtins), "wp"}
    functions = [part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef)]
    return all(_defined_before_use(function, outside) for function in functions)


def _defined_before_use(function: ast.FunctionDef, outside: set[str]) -> bool:
    known = outside | {argument.arg for argument in function.args.args}
    found = [name for part in function.body for name in names(part)]
    parts = [part for statement in function.body for part in ast.walk(statement)]
    added = {id(part.target) for part in parts if isinstance(part, ast.AugAssign)}
    stored: dict[str, int] = {}
    for name in found:
        if isinstance(name.ctx, ast.Store) and id(name) not in added:
            stored[name.id] = min(name.lineno, stored.get(name.id, name.lineno))
    read = [name for name in found if isinstance(name.ctx, ast.Load) or id(name) in added]
    return all(name.id in known or stored.get(name.id, 10**6) < name.lineno for name in read)


def names(node: ast.AST) -> list[ast.Name]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Name)]


def shapes_of_calls(text: str) -> Counter:
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return Counter((ast.unparse(call.func), len(call.args)) for call in calls)


def is_guard(node: ast.AST) -> bool:
    test = isinstance(node, ast.If | ast.IfExp) or is_call(node, "where")
    return test or (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And))


def unsupported(node: ast.AST) -> bool:
    match node:
        case ast.List() | ast.GeneratorExp() | ast.In() | ast.For(_, ast.Name()) | ast.Assign([_, _]):
            return not isinstance(getattr(node, "ctx", None), ast.Store)
        case ast.Assign([ast.Tuple()], ast.Attribute(_, "shape")):
            return True
    return False


def unannotated(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.dump(tree)


def off_by_one(diff: Diff) -> bool:
    if len(diff.gone) == len(diff.come) and all(token.isdigit() for token in (*diff.gone, *diff.come)):
        return all(abs(before - after) == 1 for before, after in numbers(diff))
    return set(diff.gone + diff.come) <= {"1", "+", "-", ",", "(", ")"}


def other_name(diff: Diff) -> bool:
    """One name of the source in another one's place."""
    return [len(diff.gone), len(diff.come)] == [1, 1] and diff.come[0] in tokens(diff.right)


def other_axis(diff: Diff) -> bool:
    if Counter(tokens(diff.right)) == Counter(tokens(diff.broken)):
        return any("[" in line or "tid()" in line for line in diff.come_lines)
    return "shape" in diff.come_lines[0] and [abs(a - b) for a, b in numbers(diff)] == [1]


def foreign_name(diff: Diff) -> bool:
    foreign = [
        token for token in diff.come if token.isidentifier() and token not in ("wp", "np", "as", "import")
    ]
    foreign = [token for token in foreign if token not in tokens(diff.right)]
    return bool(foreign) and not any(hasattr(wp, name) and name != "select" for name in foreign)


# By kind: whether a difference is what the kind is called.
SHOWS: dict[str, Callable[[Diff], bool]] = {
    "undefined name": lambda d: not defined_before_use(d.broken),
    "foreign name": foreign_name,
    "unknown member": lambda d: "." in d.broken and len(d.come_lines) == len(d.gone_lines) == 1,
    "missing decorator": lambda d: (d.gone, d.come) == (["@", "wp", ".", "func"], []),
    "returned value": lambda d: (
        d.come[:1] == ["return"] and d.count(lambda n: isinstance(n, ast.Return)) == -1
    ),
    "unsupported Python": lambda d: d.count(unsupported) < 0,
    "wrong arity": lambda d: shapes_of_calls(d.right) != shapes_of_calls(d.broken),
    "wrong number of indices": lambda d: "[" in "".join(d.gone_lines) and len(d.come_lines) == 1,
    "wrong annotation": lambda d: unannotated(d.right) == unannotated(d.broken),
    "missing conversion": lambda d: (
        set(d.gone) <= CASTS and set(d.come) <= PARENTHESES and bool({"float", "int", "wp"} & set(d.gone))
    ),
    "integer literal": lambda d: all(a == b for a, b in numbers(d)) and all(one.isdigit() for one in d.come),
    "mutated constant": lambda d: set(d.gone) <= CASTS and not d.come,
    "missing statement": lambda d: not d.come_lines and not {"return", "break", "continue"} & set(d.gone),
    "overwritten value": lambda d: d.count(lambda n: isinstance(n, ast.Assign)) == -1 and "=" in d.come,
    "wrong initial value": lambda d: (
        d.count(lambda n: isinstance(n, ast.Assign)) == 0 and len(d.come_lines) == 1
    ),
    "wrong order": lambda d: sorted(d.right.splitlines()) == sorted(d.broken.splitlines()),
    "wrong block": lambda d: sorted(lines(d.right)) == sorted(lines(d.broken)) and bool(d.gone_lines),
    "wrong exit": lambda d: set(d.gone + d.come) <= {"break", "continue", "return"} and len(d.come) == 1,
    "lost guard": lambda d: d.count(is_guard) > 0 and set(d.come) <= PARENTHESES,
    "off by one": off_by_one,
    "wrong comparison": lambda d: set(d.gone + d.come) <= {"<", "<=", ">", ">=", "==", "!="},
    "wrong operator": lambda d: set(d.gone + d.come) <= OPERATORS | PARENTHESES and bool(d.gone),
    "wrong function": lambda d: len(d.come) == 1 and hasattr(wp, d.come[0]) and hasattr(wp, d.gone[0]),
    "swapped operands": lambda d: Counter(tokens(d.right)) == Counter(tokens(d.broken)),
    "missing term": lambda d: d.count(lambda n: isinstance(n, ast.BinOp)) > 0 and set(d.come) <= PARENTHESES,
    "missing call": lambda d: d.count(lambda n: isinstance(n, ast.Call)) > 0 and set(d.come) <= PARENTHESES,
    "lost parentheses": lambda d: (sorted(d.gone), d.come) == (["(", ")"], []),
    "wrong variable": other_name,
    "wrong component": lambda d: len(d.come) == 1 and (d.come[0] in "xyzw" or int(d.come[0]) < 5),
    "wrong axis": other_axis,
    "wrong constant": lambda d: len(d.come) == 1 and all(a != b for a, b in numbers(d)),
    "race": lambda d: (
        d.come_lines[0].split()[0] in d.come_lines[0].partition("=")[2] and len(d.come_lines) == 1
    ),
}


def drawn() -> Iterator[str]:
    yield SOURCE
    for number, category in enumerate(CATEGORIES[::9]):
        yield write(sample(address_of(number, category, 5 * number)).program)


@pytest.fixture(scope="module")
def sources() -> list[str]:
    return list(drawn())


@pytest.mark.sampled
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_what_it_is_called(kind: str, sources: list[str]) -> None:
    found = 0
    for source in sources:
        for offer in KINDS[kind].offers:
            edited = Rng(offer.__name__).shuffled(made(offer, source))
            for text in islice((text for text in edited if looks_typed(source, text)), 3):
                diff = Diff(source, text)
                assert SHOWS[kind](diff), "".join((*diff.gone_lines, *diff.come_lines))
                found += 1
    assert found


# ---- what nobody types

TYPED = "import warp as wp\n\n\n@wp.kernel\ndef k(a: wp.array[float], n: int):\n    i = wp.tid()\n    {}\n"


@pytest.mark.parametrize(
    ("right", "broken"),
    [
        ("if n > 0:\n        return\n    a[i] = 1.0", "if n > 0:\n        pass\n    a[i] = 1.0"),
        ("a[i] = a[n] - a[i]", "a[i] = a[i] - a[i]"),
        ("a[i] = a[i] + a[n] - a[i]", "a[i] = a[i] + a[i] - a[i]"),
        ("a[i] = wp.min(a[i], 1.0)", "a[i] = wp.min(a[i], a[i])"),
        ("a[i] = a[i - 1]", "a[i] = a[i - 1 + 1]"),
        ("a[i] = wp.abs(a[i] * 2.0)", "a[i] = ((a[i] * 2.0))"),
        ("a[i] = a[n]", "a[i] = a[i]"),
        ("a[i] = a[i] - a[n]", "a[i] = a[i] - -a[n]"),
        ("a[i] = 1.0", "a[i] = 1.0  # no change"),
        ("a[i] = 1.0", "a[i] = 1.0 +"),
        ("if n > 0:\n        a[i] = 1.0\n        return\n    a[n] = 1.0", "return\n    a[n] = 1.0"),
        ("a[i] = a[i] - a[i]", "a[i] = a[n] - a[n]"),
        ("a[i] = a[n] + 2.0", "a[i] = -a[n] + a[n]"),
        ("for k in range(n, n + 1):\n        a[k] = 1.0", "for k in range(n, n):\n        a[k] = 1.0"),
    ],
)
def test_what_nobody_types(right: str, broken: str) -> None:
    assert not looks_typed(TYPED.format(right), TYPED.format(broken))


def test_what_was_odd_before_may_stay() -> None:
    right, broken = "a[i] = a[i] - a[i]\n    a[n] = 1.0", "a[i] = a[i] - a[i]\n    a[n] = 2.0"
    assert looks_typed(TYPED.format(right), TYPED.format(broken))


@pytest.mark.parametrize(
    "broken",
    [
        "a[i] = dx - x",
        "a[i] = b.x - x",
        "a[i] = a[n] * x - x",
        "a[i] = x + 1.0 - 1.5",
        "a[i] = x + 1.0 + x",
        "a[i] = (" + " + ".join(["x"] * 40) + ")",
    ],
)
def test_what_people_type(broken: str) -> None:
    long = "a[i] = " + " + ".join(["x"] * 41)
    assert looks_typed(TYPED.format(long), TYPED.format(broken))
