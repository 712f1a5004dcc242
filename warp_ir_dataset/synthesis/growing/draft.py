"""A kernel that is being drafted: its scope, its arguments, and the values that it must still use.

Arguments come into being when an expression first needs one, so none is unused; a local stays `pending`
until something consumes it, and the final store consumes whatever is left, so no code is dead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from typing_extensions import assert_never

from ...common.rng import Rng
from ...language.analysis.intervals import Illegal
from ...language.domains import Interval, Trait
from ...language.program import (
    Apply,
    Argument,
    Assign,
    Expr,
    Function,
    Let,
    Literal,
    Load,
    Member,
    Name,
    Program,
    Role,
    Shape,
    Signature,
    Stmt,
    ThreadIndex,
    Variable,
)
from ...language.specification.sentences import sentence
from ...language.types import (
    BOOL,
    INT,
    UNSIGNED_INTEGERS,
    USUAL_FLOATS,
    Array,
    Handle,
    Matrix,
    Quaternion,
    Scalar,
    Several,
    Struct,
    Tile,
    Transform,
    Type,
    Vector,
)
from ..drawn import Drawn
from .adapt import adapt
from .grow import Grower, Pool
from .names import PLAIN, THREADS, Namer
from .repair import SOFT_LIMIT, fit, number, tame
from .terms import Terms, element_of

# How often a kernel computes in a float type, against 1 for those not named.
FLOAT_SHARES = {"float32": 3.0}

FLOAT_SPANS = (
    Interval(-2.0, 2.0),
    Interval(-1.0, 1.0),
    Interval(0.1, 3.0),
    Interval(0.5, 4.0),
    Interval(-4.0, 4.0),
    Interval(0.2, 1.5),
)
VALUE_SPANS = (Interval(0.1, 2.0), Interval(0.5, 1.5), Interval(-2.0, 2.0), Interval(0.2, 3.0))
COMPOUND_SPANS = (Interval(-1.0, 1.0), Interval(-2.0, 2.0), Interval(0.1, 2.0))
INTEGER_SPANS = (Interval(0, 9), Interval(-8, 8), Interval(1, 12), Interval(0, 31), Interval(-20, 20))
NATURAL_SPANS = (Interval(0, 9), Interval(1, 12), Interval(0, 31), Interval(3, 40))
VERBS = ("compute", "compute", "eval")
SIZE_NAMES = (("count", "num_items", "n", "size"), (("height", "rows", "nx"), ("width", "cols", "ny")))


def kind_of(type: Type) -> str:
    """The list of names that suits a local of this type."""
    if type == BOOL:
        return "flag"
    if type.is_integer:
        return "integer_local"
    match type:
        case Scalar():
            return "local"
        case Vector() | Quaternion() | Transform():
            return "vector_local"
        case Matrix():
            return "matrix_local"
        case Struct() | Array() | Several() | Tile() | Handle():
            raise ValueError("what is no number is named by hand")
        case _:
            assert_never(type)


class Draft(Terms):
    """Everything a family needs to draw one kernel.

    `pool` weighs the operations that expressions are grown from; `shapes` lists the vector and matrix
    shapes in play, always with the scalar's ``()``.
    """

    def __init__(
        self,
        rng: Rng,
        category: str,
        difficulty: int,
        pool: Pool,
        *,
        shapes: Sequence[tuple[int, ...]] = ((),),
        max_inputs: int = 4,
        value_share: float = 0.25,
        two_dimensional: float = 0.3,
    ) -> None:
        super().__init__(rng)
        self.category = category
        self.difficulty = difficulty
        self.title: str | None = None  # the kernel's name, where a drafter has one
        self.theme = PLAIN
        self.names = Namer(rng, self.theme)
        self.float = Scalar(rng.weighted([(name, FLOAT_SHARES.get(name, 1.0)) for name in USUAL_FLOATS]))
        self.int = INT
        self.shapes = tuple(shapes)
        self.max_inputs = max_inputs
        self.value_share = value_share
        self.launch_dim = self._launch(two_dimensional)
        self.threads = tuple(
            self.named(self.names.claim(name), INT, Interval(0, size - 1))
            for name, size in zip(rng.pick(THREADS[len(self.launch_dim) - 1]), self.launch_dim, strict=True)
        )
        self.arguments: list[Argument] = []
        self.element_index: dict[str, tuple[Expr, ...]] = {}
        self.sizes: dict[int, Name] = {}
        self.functions: list[Function] = []
        self.structs: list[Struct] = []
        self.pending: list[Expr] = []
        self.scope: list[Expr] = []
        self.clauses: list[str] = []
        self.body: list[Stmt] = [ThreadIndex(self.threads)]
        self.grower = self.growing(pool)

    def growing(self, pool: Pool) -> Grower:
        """A grower over another pool, on the same scope."""
        grower = Grower(self, pool, self.leaf, self.undo, self.shapes)
        grower.condition_types = ((self.float, 3.0), (self.int, 1.0))
        return grower

    def _launch(self, two_dimensional: float) -> tuple[int, ...]:
        if self.rng.chance(two_dimensional):
            return (self.rng.integer(3, 6), self.rng.integer(3, 6))
        return (self.rng.integer(8, 24),)

    def undo(self) -> Callable[[], None]:
        """Remember what leaves may change; the returned function puts it back."""
        pending, arguments, taken = list(self.pending), len(self.arguments), set(self.names.taken)

        def take_back() -> None:
            self.pending[:] = pending
            for argument in self.arguments[arguments:]:
                self.element_index.pop(argument.name, None)
            del self.arguments[arguments:]
            self.names.taken = taken

        return take_back

    # ---- arguments

    @property
    def inputs(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.role != "output"]

    def array(
        self,
        type: Type,
        *,
        role: Role = "input",
        index: tuple[Expr, ...] | None = None,
        shape: tuple[int, ...] | None = None,
        span: Interval | None = None,
        name: str | None = None,
        trait: Trait | None = None,
    ) -> Argument:
        """A new array argument. By default thread (i, j) owns element [i, j]."""
        index = self.threads if index is None else index
        shape = tuple(int(self.span(part).hi) + 1 for part in index) if shape is None else shape
        kind = "results" if role == "output" else self._array_kind(type)
        span = span or self._span(type)
        argument = Argument(name or self.names.take(kind), type, role, shape, span, trait=trait)
        self.arguments.append(argument)
        self.element_index[argument.name] = index
        self.spans.arrays[argument.name] = span
        self.spans.shapes[argument.name] = shape
        return argument

    def value(self, type: Type, span: Interval | None = None, name: str | None = None) -> Name:
        """A new argument passed by value."""
        span = span or (self._span(type) if type.is_integer or type.shape else self.rng.pick(VALUE_SPANS))
        kind = "values" if not type.is_integer else "whole_value"
        argument = Argument(name or self.names.take(kind), type, "input", (), span)
        self.arguments.append(argument)
        return self.named(argument.name, type, span)

    def extent(self, array: Argument, axis: int = 0) -> Expr:
        """How long an array is."""
        return Shape(array.reference, axis)

    def size(self, axis: int = 0) -> Name:
        """How many threads have work, as an integer argument; it may be one less than there are."""
        if axis not in self.sizes:
            choices = SIZE_NAMES[0] if len(self.launch_dim) == 1 else SIZE_NAMES[1][axis]
            dimension = self.launch_dim[axis]
            name = self.rng.pick([choice for choice in choices if choice not in self.names.taken])
            self.sizes[axis] = self.value(INT, Interval(dimension - 1, dimension), self.names.claim(name))
        return self.sizes[axis]

    def read(self, argument: Argument, index: tuple[Expr, ...] | None = None) -> Load:
        return element_of(argument, index or self.element_index[argument.name])

    def _array_kind(self, type: Type) -> str:
        if type.is_integer:
            return "counts"
        return ("fields", "vectors", "matrices")[len(type.shape)]

    def _span(self, type: Type) -> Interval:
        if type.is_integer:
            return self.rng.pick(NATURAL_SPANS if type.scalar in UNSIGNED_INTEGERS else INTEGER_SPANS)
        return self.rng.pick(COMPOUND_SPANS if type.shape else FLOAT_SPANS)

    # ---- leaves

    def leaf(self, wanted: Type) -> Expr:
        """A value of exactly this type: something pending, in scope, an input (new or not), a literal."""
        same = [value for value in self.pending if value.type == wanted]
        other = [value for value in self.pending if value.type != wanted]
        options: list[tuple[Callable[[], Expr], float]] = []
        if same:
            options.append((lambda: self._consume(self.rng.pick(same)), 6.0))
        if other:
            options.append((lambda: adapt(self, self._consume(self.rng.pick(other)), wanted), 2.0))
        visible = [value for value in self.scope if value.type == wanted]
        if visible:
            options.append((lambda: self.rng.pick(visible), 1.5))
        known = [argument for argument in self.inputs if argument.type == wanted and self._readable(argument)]
        if known:
            options.append((lambda: self._element(self.rng.pick(known)), 1.2))
        if wanted != BOOL and len(self.inputs) < self.max_inputs:
            options.append((lambda: self._new_input(wanted), 3.0))
        if not wanted.shape and wanted != BOOL:
            options.append((lambda: self._literal(wanted), 1.0))
        if self.threads and not wanted.shape and wanted != BOOL:
            options.append((lambda: adapt(self, self.rng.pick(self.threads), wanted), 0.05))
        if not options:
            options.append((lambda: self._from_elsewhere(wanted), 1.0))
        for _ in range(4):
            take_back = self.undo()
            try:
                return self.rng.weighted(options)()
            except Illegal:
                take_back()
        return self._from_elsewhere(wanted)

    def _consume(self, value: Expr) -> Expr:
        self.pending.remove(value)
        return value

    def _readable(self, argument: Argument) -> bool:
        if argument.ndim == 0:
            return argument.name not in {size.name for size in self.sizes.values()}
        return argument.role == "input" and argument.name in self.element_index

    def _element(self, argument: Argument) -> Expr:
        if argument.ndim == 0:
            return Name(argument.name, argument.type)
        return self.read(argument)

    def _new_input(self, wanted: Type) -> Expr:
        if self.inputs and self.rng.chance(self.value_share if not wanted.shape else self.value_share / 2):
            return self.value(wanted)
        index: tuple[Expr, ...] | None = None
        if len(self.threads) == 2 and self.inputs and self.rng.chance(0.3):
            index = (self.rng.pick(self.threads),)
        return self.read(self.array(wanted, index=index))

    def _literal(self, wanted: Type) -> Expr:
        if wanted.is_integer:
            return number(self, 2, 9, wanted.element)
        found = number(self, 0.25, 3.0, wanted.element)
        return Literal(1.5, found.type) if found.value == 1.0 else found  # a factor of 1.0 is none

    def _from_elsewhere(self, wanted: Type) -> Expr:
        """The last resort: another value of the kernel, converted."""
        sources: list[Expr] = [v for v in self.scope if v.type != BOOL]
        sources += [self._element(a) for a in self.inputs if self._readable(a)]
        for source in self.rng.shuffled(sources):
            try:
                return adapt(self, source, wanted)
            except Illegal:
                continue
        return self._new_input(wanted) if self.threads else adapt(self, self._literal(wanted.element), wanted)

    # ---- statements

    def emit(self, statement: Stmt) -> None:
        self.body.append(statement)

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Statements emitted inside go to a block of their own; its locals end with it."""
        outer, visible = self.body, len(self.scope)
        self.body = []
        try:
            yield self.body
        finally:
            self.body = outer
            del self.scope[visible:]

    def bind(self, value: Expr, called: str | None = None) -> Name:
        """A local for a value that the caller goes on to use."""
        called = called or self._called(value)
        name = self.named(called, value.type, self.span(value))
        self.emit(Let(name, value))
        self.scope.append(name)
        return name

    def _called(self, value: Expr) -> str:
        """A name for a local: of a number for what was done, else of its kind."""
        kind = kind_of(value.type)
        told = value.operation if isinstance(value, Apply) and kind == "local" else ""
        return self.names.take_for(told, kind)

    def let(self, value: Expr) -> Name:
        """A local for a value; it is pending until used."""
        name = self.bind(value)
        self.pending.append(name)
        return name

    def declare(
        self, value: Expr, span: Interval, kind: str | None = None, called: str | None = None
    ) -> Name:
        """A variable that stays within `span`; publish it once it has its value."""
        called = called or self.names.take(kind or kind_of(value.type))
        name = self.named(called, value.type, span)
        self.emit(Variable(name, value))
        return name

    def loop_index(self, trips: int) -> Name:
        """A new index of a loop of at most `trips` iterations."""
        return self.named(self.names.take("loop"), INT, Interval(0, trips - 1))

    def publish(self, value: Expr) -> None:
        self.scope.append(value)
        self.pending.append(value)

    def member(self, struct: Name, name: str, type: Type, span: Interval) -> Member:
        """A member of a struct, and the promise that it never leaves an interval."""
        self.spans.names[f"{struct.name}.{name}"] = span
        return Member(struct, name, type)

    def define(self, function: Function, span: Interval) -> None:
        """A function of the kernel's own, and the promise that its results never leave an interval."""
        self.functions.append(function)
        self.spans.results[function.name] = span

    def store(self, out: Argument, value: Expr) -> None:
        self.emit(Assign(element_of(out, self.element_index[out.name]), value))

    @contextmanager
    def inner(self) -> Iterator[list[Stmt]]:
        """A block that leaves what is pending outside alone: it may be skipped, or run more than once."""
        outer, self.pending = self.pending, []
        try:
            with self.block() as body:
                yield body
        finally:
            self.pending = outer

    @contextmanager
    def function_scope(self, parameters: Sequence[Expr]) -> Iterator[list[Stmt]]:
        """Inside a function only its parameters are visible, and all of them must be used."""
        kept = self.scope, self.arguments, self.threads, self.max_inputs
        self.scope, self.arguments, self.threads, self.max_inputs = list(parameters), [], (), 0
        try:
            with self.inner() as body:
                self.pending = list(parameters)
                yield body
        finally:
            self.scope, self.arguments, self.threads, self.max_inputs = kept

    # ---- expressions

    def grow(self, wanted: Type, size: int) -> Expr:
        return self.grower.grow(wanted, size)

    def moving(self, wanted: Type, size: int) -> Expr:
        """An expression that is not a mere literal."""
        for _ in range(6):
            node = self.grow(wanted, size)
            if not isinstance(node, Literal):
                return node
        return self._from_elsewhere(wanted)

    def combine(self, wanted: Type, size: int = 0) -> Expr:
        """One expression of all that is pending, and of about `size` operations more."""
        result = self.grow(wanted, size) if size or not self.pending else None
        while self.pending:
            value = adapt(self, self._consume(self.rng.pick(self.pending)), wanted)
            result = value if result is None else self._join(result, value, wanted)
        assert result is not None
        return tame(self, result, SOFT_LIMIT * 5)

    def _join(self, left: Expr, right: Expr, wanted: Type) -> Expr:
        joiners = self.grower.joiners(wanted)
        for _ in range(4 if joiners and left != right else 0):
            node = fit(self, self.rng.weighted(joiners), [left, right], wanted)
            if node is not None:
                return tame(self, node)
        return tame(self, self.apply("add", left, right))

    # ---- the end

    def tell(self, clause: str) -> None:
        self.clauses.append(clause)

    def finish(self) -> Drawn:
        """What was drawn, its inputs before its outputs as Warp's own kernels have them."""
        ordered = [a for a in self.arguments if a.role != "output"] + [
            a for a in self.arguments if a.role == "output"
        ]
        signature = Signature(self.title or self._kernel_name(), tuple(ordered), self.launch_dim)
        program = Program(signature, tuple(self.body), tuple(self.functions), tuple(self.structs))
        told = sentence(self.theme.element, len(self.launch_dim), self.clauses)
        return Drawn(program, self.category, self.difficulty, told)

    def _kernel_name(self) -> str:
        name = f"{self.rng.pick(VERBS)}_{self.rng.pick(self.theme.subjects)}"
        return name if name not in self.names.taken else f"{name}_kernel"
