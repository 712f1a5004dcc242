"""Builds a random program: its arguments, its statements and its description.

An argument is made when a step first needs it, so none is unused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ...common.rng import Rng
from ...language import ir
from ...language.domains import Interval, Trait
from ...language.types import INT, USUAL_FLOATS, Scalar, Type
from ..names import THREADS
from ..sample import Sample
from .terms import Terms, element_of

# Weights of float types; 1 for those not named.
FLOAT_SHARES = {"float32": 3.0}
TWO_DIMENSIONS = 0.3  # the share of launches that have two


@dataclass(frozen=True)
class StylePriors:
    """Probabilities of ways to write a step."""

    arguments: float = 0.65  # a factor is an argument, not a literal
    branches: float = 0.1  # a limit is a branch, not a function
    blocks: float = 0.0  # a loop over a row is two nested loops over its blocks


DEFAULT_PRIORS = StylePriors()


class Builder(Terms):
    """Builds one kernel: steps make its arguments, emit its statements and describe it."""

    def __init__(self, rng: Rng, category: str, difficulty: int, priors: StylePriors) -> None:
        super().__init__(rng)
        self.category = category
        self.difficulty = difficulty
        self.priors = priors
        self.kernel_name = ""
        self.element = "element"  # a word for the item of one thread, such as "pixel"
        self.size = 3  # of vectors and square matrices
        self.taken: set[str] = set()
        self.float = Scalar(rng.weighted([(name, FLOAT_SHARES.get(name, 1.0)) for name in USUAL_FLOATS]))
        self.launch_dim = self._launch()
        self.threads = tuple(
            self.named(self.claim(name), INT, Interval(0, size - 1))
            for name, size in zip(rng.pick(THREADS[len(self.launch_dim) - 1]), self.launch_dim, strict=True)
        )
        self.arguments: list[ir.Argument] = []
        self.functions: list[ir.Function] = []
        self.clauses: list[str] = []
        self.body: list[ir.Stmt] = [ir.ThreadIndex(self.threads)]

    def _launch(self) -> tuple[int, ...]:
        if self.rng.chance(TWO_DIMENSIONS):
            return (self.rng.integer(3, 6), self.rng.integer(3, 6))
        return (self.rng.integer(8, 24),)

    def claim(self, name: str) -> str:
        """Reserve a name, so that nothing else in the kernel gets it."""
        self.taken.add(name)
        return name

    # ---- arguments

    def array_argument(
        self,
        type: Type,
        name: str,
        span: Interval,
        *,
        role: ir.Role = "input",
        index: tuple[ir.Expr, ...] | None = None,
        shape: tuple[int, ...] | None = None,
        trait: Trait | None = None,
    ) -> ir.Argument:
        """A new array argument, as large as an index needs. By default thread (i, j) owns element [i, j]."""
        index = self.threads if index is None else index
        shape = tuple(int(self.span(part).hi) + 1 for part in index) if shape is None else shape
        argument = ir.Argument(self.claim(name), type, role, shape, span, trait=trait)
        self.arguments.append(argument)
        self.spans.arrays[name] = span
        self.spans.shapes[name] = shape
        if trait is not None:
            self.spans.traits[name] = trait
        return argument

    def scalar_argument(self, type: Type, span: Interval, name: str) -> ir.Name:
        """A new argument passed by value."""
        self.arguments.append(ir.Argument(self.claim(name), type, "input", (), span))
        return self.named(name, type, span)

    def extent(self, array: ir.Argument, axis: int = 0) -> ir.Expr:
        """The length of an array along an axis."""
        return ir.Shape(array.reference, axis)

    def read(self, argument: ir.Argument, index: tuple[ir.Expr, ...] | None = None) -> ir.Load:
        """An element of an array, by default the thread's own."""
        return element_of(argument, index or self.threads)

    # ---- statements

    def emit(self, statement: ir.Stmt) -> None:
        self.body.append(statement)

    @contextmanager
    def block(self) -> Iterator[list[ir.Stmt]]:
        """Collect the statements emitted inside in a block, not in the body."""
        outer, self.body = self.body, []
        try:
            yield self.body
        finally:
            self.body = outer

    def bind(self, value: ir.Expr, name: str) -> ir.Name:
        """A local for a value."""
        local = self.named(name, value.type, self.span(value))
        self.emit(ir.Let(local, value))
        return local

    def declare(self, value: ir.Expr, span: Interval, name: str) -> ir.Name:
        """A variable that stays within `span`."""
        local = self.named(name, value.type, span)
        self.emit(ir.Variable(local, value))
        return local

    def define(self, function: ir.Function, span: Interval) -> None:
        """Add a helper function, with the promise that its results lie in an interval."""
        self.functions.append(function)
        self.spans.results[function.name] = span

    def store(self, out: ir.Argument, value: ir.Expr) -> None:
        """Store a value in the thread's own element of an array."""
        self.emit(ir.Assign(self.read(out), value))

    # ---- the end

    def describe(self, clause: str) -> None:
        self.clauses.append(clause)

    def finish(self) -> Sample:
        """The program, its description and its labels. Inputs come before outputs, as in Warp's kernels."""
        ordered = sorted(self.arguments, key=lambda argument: argument.role == "output")
        signature = ir.Signature(self.kernel_name, tuple(ordered), self.launch_dim)
        program = ir.Program(signature, tuple(self.body), tuple(self.functions))
        description = sentence(self.element, len(self.launch_dim), self.clauses)
        return Sample(program, self.category, self.difficulty, description)


def sentence(element: str, dimensions: int, clauses: Sequence[str]) -> str:
    """``For each particle, does this, does that, and does the last.``"""
    unique = list(dict.fromkeys(clause for clause in clauses if clause))
    where = f"For each {element}" if dimensions == 1 else f"For each {element} of a {dimensions}D grid"
    body = unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])}, and {unique[-1]}"
    return f"{where}, {body}."
