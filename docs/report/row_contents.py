"""Reads what the package's own report does not measure: purposes, shapes of sources, errors of proofs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.publishing.facts import Facts, shards

_COLUMNS = ("purpose", "difficulty", "kind", "python_source", "checks", "coverage")
# Errors that `checks` holds, and what they lie between.
ERRORS = {
    "numpy_error": "Warp's run and numpy",
    "rounding_error": "numpy, rounded otherwise",
    "cuda_text_error": "CUDA text and Warp's run",
    "plain_error": "plain CUDA and Warp's run",
    "adjoint_error": "gradients, CUDA text and Warp",
    "finite_difference_error": "gradients and central differences",
}
_NESTED = (ast.BinOp, ast.BoolOp, ast.Compare, ast.Call, ast.Subscript, ast.IfExp)
_LOOPS = (ast.For, ast.While)
CONSTRUCTS = (
    "a condition",
    "a loop",
    "a loop in a loop",
    "a helper function",
    "a struct",
    "an atomic",
    "random numbers",
)


@dataclass(frozen=True)
class Shape:
    """Of one source: the depth of its deepest expression, and which of `CONSTRUCTS` it has."""

    depth: int
    constructs: frozenset[str]


@dataclass
class Contents:
    """Of the rows of one config. Counters count rows."""

    purposes: Counter[str] = field(default_factory=Counter)
    levels: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)  # of mistakes, in `repair`
    depths: Counter[int] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    errors: dict[str, Counter[float]] = field(default_factory=dict)  # by proof: the largest error of a row
    gradients: int = 0  # that were compared with finite differences
    cases: Counter[int] = field(default_factory=Counter)  # by how many cases a row has
    branches: int = 0
    branches_run: int = 0

    def add(self, row: Mapping[str, Any], shape: Shape) -> None:
        if row["purpose"] is not None:
            self.purposes[row["purpose"]] += 1
        self.levels[row["difficulty"]] += 1
        self.depths[shape.depth] += 1
        self.constructs.update(shape.constructs)
        if "kind" in row:
            self.kinds[row["kind"]] += 1
        checks = row["checks"]
        for name in ERRORS:
            if checks.get(name) is not None:
                self.errors.setdefault(name, Counter())[checks[name]] += 1
        self.gradients += checks["gradients_checked"] or 0
        self.cases[checks["cases"] or 0] += 1
        self.branches += row["coverage"]["arms"]
        self.branches_run += row["coverage"]["arms_run"]


def contents(facts: Facts) -> dict[str, Contents]:
    """What the rows of each config hold, by config. Raises `UserError` for a file that cannot be read."""
    shapes: dict[str, Shape] = {}  # configs share most of their kernels
    found = {}
    for config in facts.configs:
        found[config] = Contents()
        columns = [column for column in _COLUMNS if column in schema(config).names]
        for _, table in shards(facts.folder, facts.manifest["configs"][config]["files"], columns):
            for row in table.to_pylist():
                source = row["python_source"]
                if source not in shapes:
                    shapes[source] = shape_of(source)
                found[config].add(row, shapes[source])
    return found


def shape_of(source: str) -> Shape:
    """The shape of a kernel's module. An expression is as deep as operators, calls and indices lie within
    each other: `x[i]` has depth 1, `wp.sin(x[i]) + 1.0` has 3. Annotations and decorators do not count."""
    tree = ast.parse(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    statements = [statement for function in functions for statement in function.body]
    return Shape(max(map(_depth, statements), default=0), frozenset(_constructs(tree, statements)))


def _depth(node: ast.AST) -> int:
    below = [child for name, child in _fields(node) if name != "annotation"]
    return isinstance(node, _NESTED) + max(map(_depth, below), default=0)


def _fields(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield name, child


def _constructs(tree: ast.Module, statements: list[ast.stmt]) -> Iterator[str]:
    nodes = [node for statement in statements for node in ast.walk(statement)]
    loops = [node for node in nodes if isinstance(node, _LOOPS)]
    called = {
        node.func.attr
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    decorators = {
        decorator.attr
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Attribute)
    }
    if any(isinstance(node, (ast.If, ast.IfExp)) for node in nodes) or "where" in called:
        yield "a condition"
    if loops:
        yield "a loop"
    if any(isinstance(inner, _LOOPS) for loop in loops for inner in ast.walk(loop) if inner is not loop):
        yield "a loop in a loop"
    if "func" in decorators:
        yield "a helper function"
    if "struct" in decorators:
        yield "a struct"
    if any(name.startswith("atomic_") for name in called):
        yield "an atomic"
    if any(name.startswith("rand") for name in called):
        yield "random numbers"
