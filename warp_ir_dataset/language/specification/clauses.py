"""Describes single statements as clauses: ``add x to total``, ``leave the loop``."""

from __future__ import annotations

from .. import ir
from ..operations.table import TABLE, changed_by, infix
from ..rewrite import as_read
from ..walks import element
from .formulas.expressions import Formulas
from .formulas.parts import listed
from .loops import is_repetition, update

_VERBS = {"+": "add {value} to {place}", "-": "subtract {value} from {place}"}
_FACTORS = {"*": "multiply {place} by {value}", "/": "divide {place} by {value}"}


class Clauses:
    """Clauses of statements in one body: the kernel's, whose threads have `indices`, or a function's."""

    def __init__(self, formulas: Formulas, indices: tuple[str, ...], in_function: bool) -> None:
        self.formulas = formulas
        self.indices = indices
        self.in_function = in_function
        self.loops: list[ir.For | ir.While] = []
        self.block_locals: set[str] = set()  # locals that are only used in the block of their definition
        self.known: set[str] = set()  # locals that earlier statements define

    def clause(self, statement: ir.Stmt) -> str | None:
        """A statement as a clause, without a capital and a full stop. None for a statement that needs a
        sentence or more (a new local of its own, a branch, a loop), and for one that is not described (a
        thread index, a comment, ``pass``)."""
        f = self.formulas
        match statement:
            case ir.Assign(target, value) if is_atomic(value):
                return self.atomic(value, f"set {f.place(target)} to")
            case ir.Assign() if (own := update(statement)) and self.is_own(own):
                return self.accumulated(own)
            case ir.Assign(target, value):
                return f"set {f.place(target)} to {f.text(value)}"
            case ir.Accumulate():
                return self.accumulated(statement)
            case ir.Do(value) if is_atomic(value):
                return self.atomic(value, None)
            case ir.Do(value):
                changed = [f.inner(operand) for operand in changed_by(value)]
                filled = f", which sets {listed(changed)}" if changed else ""
                return f"call {f.text(value)}{filled}"
            case ir.Unpack(targets, value):
                names = ", ".join(target.name for target in targets)
                if any(target.name in self.known for target in targets):
                    return f"set ({names}) to {f.text(value)}"
                return f"let ({', '.join(map(self.introduced, targets))}) be {f.text(value)}"
            case _:
                return self.plain(statement)

    def introduced(self, target: ir.Name) -> str:
        """``x``, ``the integer k``: a name at its first occurrence."""
        kind = self.formulas.kind(target.type)
        return f"the {kind} {target.name}" if kind else target.name

    def plain(self, statement: ir.Stmt) -> str | None:
        f = self.formulas
        if isinstance(statement, ir.Break):
            return f"leave {self.loop}"
        if isinstance(statement, ir.Continue):
            return f"go on with the {self.following}"
        if isinstance(statement, ir.Return):
            return self.returned(statement)
        if isinstance(statement, ir.Print):
            values = ", ".join(map(f.inner, statement.operands))
            text = f" with the format {_quoted(statement.format)}" if statement.format is not None else ""
            return f"print{text}{': ' if text and values else ' ' if values else ''}{values}"
        if isinstance(statement, ir.Assert):
            message = f" ({_quoted(statement.message)})" if statement.message else ""
            return f"assert that {f.condition(statement.condition)}{message}"
        return None

    def returned(self, statement: ir.Return) -> str:
        if not self.in_function:
            return "the thread stops"
        texts = [self.formulas.inner(value) for value in statement.values]
        if not texts:
            return "return"
        return f"the result is {texts[0] if len(texts) == 1 else '(' + ', '.join(texts) + ')'}"

    @property
    def loop(self) -> str:
        index = _named_index(self.loops[-1])
        return f"the loop over {index}" if index else "this loop"

    @property
    def following(self) -> str:
        index = _named_index(self.loops[-1])
        return f"next {index}" if index else "next round"

    def accumulated(self, statement: ir.Accumulate) -> str:
        f, place = self.formulas, self.formulas.place(statement.target)
        if verb := _VERBS.get(statement.operator):
            atomically = "" if self.is_own(statement) else "atomically "
            return atomically + verb.format(place=place, value=f.inner(statement.value))
        read = as_read(statement.target)
        operation = infix(statement.operator, read.type, statement.value.type)
        assert operation is not None
        whole = ir.Apply(operation, (read, statement.value), read.type)
        text = f.text(whole)  # also records the notes of the operation
        scaled = read.type.is_float and statement.value.type.shape == ()
        if (verb := _FACTORS.get(statement.operator)) and scaled:
            return verb.format(place=place, value=f.bound(statement.value))
        return f"set {place} to {text}"

    def is_own(self, statement: ir.Accumulate) -> bool:
        """Whether no other thread writes to the place by this statement: the place is a local, or an element
        whose indices are those of the thread."""
        load = element(statement.target)
        if load is None:
            return True
        plain = {part.name for part in load.index if isinstance(part, ir.Name)}
        return bool(self.indices) and set(self.indices) <= plain

    def atomic(self, value: ir.Expr, then: str | None) -> str:
        """An atomic; `then` introduces the value that it returns."""
        assert isinstance(value, ir.Apply)
        array, *rest = value.operands
        index, operands = rest[: array.type.ndim], rest[array.type.ndim :]
        parts = [self.formulas.part(ir.Load(array, tuple(index), array.type.element))]
        parts += [self.formulas.part(operand) for operand in operands]
        text = TABLE[value.operation].formula.format(*parts)
        return text if then is None else f"{text}, and {then} its value before that"


def _named_index(loop: ir.For | ir.While) -> str | None:
    """The index of a loop, if the text names one."""
    return loop.target.name if isinstance(loop, ir.For) and not is_repetition(loop) else None


def is_atomic(value: ir.Expr) -> bool:
    return isinstance(value, ir.Apply) and TABLE[value.operation].group == "atomic"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
