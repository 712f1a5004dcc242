"""Writes statements as lines of C++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import assert_never

from .. import ir
from ..analysis.effects import Effects, changes, stored
from ..operations.table import infix, result_type
from ..operations.traits import ATOMICS
from ..rewrite import as_read
from ..types import INT, SCALARS, Array, Scalar, Type
from . import forms
from .expressions import ExpressionWriter
from .refusals import NoPlainForm
from .scopes import Scopes

INDENT = "    "
# Operators with an augmented assignment in C++.
AUGMENTED = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
PRINTED: Mapping[str, str] = {"float": "%g", "signed": "%d", "unsigned": "%u", "truth": "%d"}


class StatementWriter:
    """Writes the statements of the kernel or of one function; several results go to the references
    `results`."""

    def __init__(
        self, text: ExpressionWriter, scopes: Scopes, effects: Effects, results: Sequence[str] = ()
    ) -> None:
        self.text = text
        self.scopes = scopes
        self.effects = effects
        self.results = results
        self.thread = ""  # the number of the thread, once the kernel has a name for it
        self.counts: Sequence[str] = ()  # the sizes of its launch

    def block(self, body: tuple[ir.Stmt, ...], depth: int, lines: list[str]) -> list[str]:
        """`lines`, which open the block, and those of the block."""
        with self.scopes.inside():
            for statement in body:
                if isinstance(statement, ir.Comment) and statement.beside and lines:
                    lines[-1] += f"  {comment(statement.text)}"
                else:
                    lines += self.statement(statement, depth)
        return lines

    def statement(self, statement: ir.Stmt, depth: int) -> list[str]:
        self.check_order(statement)
        pad = INDENT * depth
        match statement:
            case ir.If():
                return self.branch(statement, depth)
            case ir.For():
                return self.loop(statement, depth)
            case ir.While(condition, body):
                head = f"{pad}while ({self.text.expression(condition)}) {{"
                return [*self.block(body, depth + 1, [head]), f"{pad}}}"]
            case ir.Comment(words):
                return [pad + comment(line) for line in words.split("\n")]
            case _:
                return [pad + line for line in self.simple(statement)]

    def check_order(self, statement: ir.Stmt) -> None:
        """Raises `NoPlainForm` where C++ might evaluate a call with effects in another order than Python."""
        call = self.effects.ordered_call(statement)
        if call is not None:
            raise NoPlainForm(f"a call of {call.function}, which has effects, inside of a larger expression")

    def simple(self, statement: ir.Stmt) -> list[str]:
        match statement:
            case ir.ThreadIndex(names):
                return self.indices(names)
            case ir.Let(target, value) | ir.Variable(target, value):
                return [f"{self.declared(target)} = {self.initial(target, value)};"]
            case ir.Unpack(targets, value):
                return self.unpack(targets, value)
            case ir.Assign(target, value):
                return [f"{self.text.expression(target)} = {self.text.expression(value)};"]
            case ir.Accumulate():
                return [self.accumulate(statement)]
            case ir.Do(value):
                return [f"{self.text.expression(value)};"]
            case ir.Print(format, operands):
                return self.printed(format, operands)
            case ir.Assert(condition, message):
                message_text = "" if message is None else f" && {quoted(message)}"
                text = self.text.bracketed(condition, 3) if message_text else self.text.expression(condition)
                return [f"assert({text}{message_text});"]
            case ir.Return(values):
                return self.returned(values)
            case ir.Break():
                return ["break;"]
            case ir.Continue():
                return ["continue;"]
            case ir.Pass():
                return []  # an empty block says the same
            case ir.If() | ir.For() | ir.While() | ir.Comment():
                raise AssertionError("not a statement of one line")
            case _:
                assert_never(statement)

    # ---- locals

    def declared(self, target: ir.Name) -> str:
        """The left side of a local's definition, with its type if it is new."""
        name = self.text.names.of(target.name)
        return f"{self.text.type(target.type)} {name}" if self.scopes.declare(target) else name

    def initial(self, target: ir.Name, value: ir.Expr) -> str:
        """The first value of a local, without a type that its declaration already has."""
        text = self.text.expression(value)
        made = isinstance(value, ir.New) or (isinstance(value, ir.Apply) and _is_built(value))
        name = self.text.type(target.type)
        return text.removeprefix(name) if made and text.startswith(f"{name}{{") else text

    def indices(self, names: Sequence[ir.Name]) -> list[str]:
        """``i, j = tid()`` from the number of the thread."""
        if len(names) != len(self.counts):
            raise NoPlainForm("other thread indices than the launch has dimensions")
        lines = []
        for axis, name in enumerate(names):
            inner = " * ".join(self.counts[axis + 1 :])
            text = self.thread
            if inner:
                text += f" / ({inner})" if " " in inner else f" / {inner}"
            if axis:
                text += f" % {self.counts[axis]}"
            lines.append(f"{self.declared(name)} = {text};")
        return lines

    def unpack(self, targets: Sequence[ir.Name], value: ir.Call | ir.Apply) -> list[str]:
        new: dict[str, list[str]] = {}
        for target in targets:
            if self.scopes.declare(target):
                new.setdefault(self.text.type(target.type), []).append(self.text.names.of(target.name))
        lines = [f"{type} {', '.join(names)};" for type, names in new.items()]
        results = [self.text.names.of(target.name) for target in targets]
        if isinstance(value, ir.Call):
            operands = [*map(self.text.expression, value.operands), *results]
            return [*lines, f"{self.text.names.of(value.function)}({', '.join(operands)});"]
        form = forms.form(value)
        if not isinstance(form, forms.Called):
            raise NoPlainForm(f"{value.operation} has no plain form: it has several results")
        return [*lines, f"{self.text.called(form, value, results)};"]

    # ---- places

    def accumulate(self, statement: ir.Accumulate) -> str:
        """An augmented assignment; an atomic if Warp makes one of it."""
        target, operator, value = statement.target, statement.operator, statement.value
        place = self.text.expression(target)
        atomic = ATOMICS.get(operator) if stored(statement) is not None else None
        indices = (INT,)
        if atomic and result_type(atomic, (Array(target.type, 1), *indices, value.type)) == target.type:
            return self._atomic(atomic, place, target.type, value)
        operation = infix(operator, target.type, value.type)
        if operation is None:
            raise NoPlainForm(f"{operator}= has no plain form here")
        whole = ir.Apply(operation, (as_read(target), value), target.type)
        form = forms.form(whole)
        if isinstance(form, forms.Operator) and isinstance(target.type, Scalar) and form.symbol in AUGMENTED:
            return f"{place} {form.symbol}= {self.text.expression(value)};"
        return f"{place} = {self.text.expression(whole)};"

    def _atomic(self, operation: str, place: str, type: Type, value: ir.Expr) -> str:
        array = ir.Name("", Array(type, 1))
        form = forms.form(ir.Apply(operation, (array, ir.Literal(0, INT), value), type))
        assert isinstance(form, forms.Called)
        return f"{self.text.atomic_on(form, place, type, (value,))};"

    # ---- output and results

    def printed(self, format: str | None, operands: Sequence[ir.Expr]) -> list[str]:
        self.text.used.names.add("printf")
        if format is not None:
            return [f"printf({', '.join([quoted(format), *map(self.text.expression, operands)])});"]
        if len(operands) != 1 or not isinstance(operands[0].type, Scalar):
            raise NoPlainForm("print has a plain form for one number alone")
        sign = PRINTED[SCALARS[operands[0].type.scalar].kind]
        return [f'printf("{sign}\\n", {self.text.expression(operands[0])});']

    def returned(self, values: Sequence[ir.Expr]) -> list[str]:
        if len(values) < 2:
            return [f"return {self.text.expression(values[0])};" if values else "return;"]
        pairs = zip(self.results, values, strict=True)
        return [*(f"{name} = {self.text.expression(value)};" for name, value in pairs), "return;"]

    # ---- control

    def branch(self, statement: ir.If, depth: int) -> list[str]:
        """A branch; an ``orelse`` that is a single ``if`` becomes ``else if``."""
        pad = INDENT * depth
        head = f"{pad}if ({self.text.expression(statement.condition)}) {{"
        lines = self.block(statement.then, depth + 1, [head])
        match statement.orelse:
            case ():
                return [*lines, f"{pad}}}"]
            case (ir.If() as nested,):
                self.check_order(nested)
                with self.scopes.inside():
                    first, *rest = self.branch(nested, depth)
                return [*lines, f"{pad}}} else {first.lstrip()}", *rest]
            case orelse:
                return [*lines, *self.block(orelse, depth + 1, [f"{pad}}} else {{"]), f"{pad}}}"]

    def loop(self, loop: ir.For, depth: int) -> list[str]:
        pad = INDENT * depth
        lines = []
        changed = changes(loop.body)
        stop = self.text.bracketed(loop.stop, 8)
        type = self.text.type(loop.target.type)
        if not _stays(loop.stop, changed | {loop.target.name}):
            end = self.text.names.new(f"{self.text.names.of(loop.target.name)}_end")
            lines.append(f"{pad}{type} {end} = {self.text.expression(loop.stop)};")
            stop = end
        own = loop.target.name not in changed and self.scopes.is_free(loop.target)
        counter = self.text.names.of(loop.target.name)
        if not own:  # in Python assignments to the index do not change the iteration
            counter = self.text.names.new(f"{counter}_next")
        step = {1: f"++{counter}", -1: f"--{counter}"}.get(
            loop.step, f"{counter} {'+' if loop.step > 0 else '-'}= {abs(loop.step)}"
        )
        test = "<" if loop.step > 0 else ">"
        start = self.text.expression(loop.start)
        head = [f"{pad}for ({type} {counter} = {start}; {counter} {test} {stop}; {step}) {{"]
        with self.scopes.counting(loop.target, own):
            if not own:
                head.append(f"{pad}{INDENT}{self.declared(loop.target)} = {counter};")
            return [*lines, *self.block(loop.body, depth + 1, head), f"{pad}}}"]


def _stays(bound: ir.Expr, changed: set[str]) -> bool:
    """Whether an expression is constant in a loop that changes these names."""
    match bound:
        case ir.Literal() | ir.Shape():
            return True
        case ir.Name(name):
            return name not in changed
        case ir.Apply(_, operands) | ir.Chain(_, operands) | ir.New(_, operands):
            return all(_stays(operand, changed) for operand in operands)
        case ir.Member(of):
            return _stays(of, changed)
        case ir.Load() | ir.View() | ir.Call():
            return False
        case _:
            assert_never(bound)


def _is_built(value: ir.Apply) -> bool:
    return isinstance(forms.form(value), forms.Built)


def comment(line: str) -> str:
    """A comment of one line; a backslash at its end would join the next one."""
    text = line.rstrip()
    return f"// {text}{' .' if text.endswith(chr(92)) else ''}" if text else "//"


def quoted(words: str) -> str:
    """A C string."""
    plain = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(plain.get(c) or (c if " " <= c <= "~" else _octal(c)) for c in words) + '"'


def _octal(letter: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in letter.encode())
