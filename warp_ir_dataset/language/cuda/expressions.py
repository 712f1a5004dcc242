"""Writes expressions and places as C++ text, with the necessary brackets.

C++ evaluates operands in an order of its own, those of `and`, `or` and choices only if needed, and the middle
of a chained comparison twice. Where an effect would depend on that, `statements` refuses the statement.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from typing_extensions import assert_never

from .. import ir
from ..operations.spelling import MISREAD, PREFIX
from ..operations.table import TABLE, changed_array
from ..types import BOOL, FLOAT, INT, SCALARS, Array, Scalar, Struct, Type, Value, float_text
from . import forms
from .names import Names
from .refusals import NoPlainForm
from .typenames import INT_BYTES, is_narrow, type_name, width
from .used import Used

ATOM, UNARY, TERNARY = 100, 11, 0
PRECEDENCE: Mapping[str, int] = {
    symbol: precedence
    for precedence, symbols in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"), start=1
    )
    for symbol in symbols.split()
}
COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
PARTS = "xyzw"


class ExpressionWriter:
    """Writes expressions of one body.

    `pointers` are the arrays that the kernel receives as pointers, by name, with a name for each of their
    sizes; any other array is of the C++ struct `Array`. `used` collects the pieces of C++ that the text
    needs.
    """

    def __init__(self, names: Names, used: Used, pointers: Mapping[str, Sequence[str]]) -> None:
        self.names = names
        self.used = used
        self.pointers = pointers

    def expression(self, node: ir.Expr | ir.Place) -> str:
        return self.with_precedence(node)[0]

    def listed(self, nodes: Sequence[ir.Expr]) -> str:
        return ", ".join(map(self.expression, nodes))

    def type(self, type: Type) -> str:
        return type_name(type, self.names, self.used)

    def bracketed(self, node: ir.Expr | ir.Place, least: int) -> str:
        text, precedence = self.with_precedence(node)
        return text if precedence >= least else f"({text})"

    def with_precedence(self, node: ir.Expr | ir.Place) -> tuple[str, int]:
        """The text and its precedence."""
        match node:
            case ir.Literal():
                return self.literal(node)
            case ir.Name(name, type):
                if isinstance(type, Array):
                    return self.handed_array(node), ATOM
                return self.names.of(name), ATOM
            case ir.Load(array, index):
                return self.element(array, index), ATOM
            case ir.View(array, index):
                return self.view(array, index), ATOM
            case ir.Shape(array, axis):
                return self.size(array, axis), ATOM
            case ir.Member(of, member):
                return self.member(of, member), ATOM
            case ir.Component(of, index):
                return self.bracketed(of, ATOM) + self.subscripts(of.type, index), ATOM
            case ir.New(struct, operands):
                return f"{self.names.of(struct.name)}{{{self.listed(operands)}}}", ATOM
            case ir.Call(function, operands):
                return f"{self.names.of(function)}({self.listed(operands)})", ATOM
            case ir.Chain(comparisons, operands):
                return self.chain(comparisons, operands)
            case ir.Apply():
                return self.apply(node)
            case _:
                assert_never(node)

    # ---- numbers

    def literal(self, node: ir.Literal) -> tuple[str, int]:
        row = SCALARS[node.type.scalar]
        if row.kind == "float":
            return self._float(float(node.value), node.type)
        if row.kind == "truth":
            return ("true" if node.value else "false"), ATOM
        value = int(node.value)
        if node.type == INT and value > -(2**31):
            return str(value), (UNARY if value < 0 else ATOM)
        if row.kind == "unsigned" and width(node.type) == INT_BYTES:
            return f"{value}u", ATOM
        if value <= -(2 ** (8 * width(node.type) - 1)) and width(node.type) >= INT_BYTES:
            return f"{self.type(node.type)}({value + 1}{'ll' * (width(node.type) > INT_BYTES)} - 1)", ATOM
        big = "ull" if row.kind == "unsigned" else "ll"
        return f"{self.type(node.type)}({value}{big if abs(value) >= 2**31 else ''})", ATOM

    def _float(self, value: float, type: Scalar) -> tuple[str, int]:
        name = self.type(type)
        if math.isnan(value):
            text = "NAN"
        elif math.isinf(value):
            text = "INFINITY" if value > 0 else "-INFINITY"
        else:
            text = float_text(value) + "f" * (type == FLOAT)
            return text, (UNARY if text.startswith("-") else ATOM)
        return (text, UNARY if value < 0 else ATOM) if type == FLOAT else (f"{name}({text})", ATOM)

    # ---- arrays

    def handed_array(self, name: ir.Name) -> str:
        """An array as an argument of a call."""
        text = self.names.of(name.name)
        sizes = self.pointers.get(name.name)
        if sizes is None:
            return text
        self.used.pieces.add("view")
        self.used.names.add("view")
        self.used.sizes |= {(name.name, axis) for axis in range(name.type.ndim)}
        return f"view({', '.join([text, *sizes])})"

    def element(self, array: ir.Expr, index: Sequence[ir.Expr]) -> str:
        while isinstance(array, ir.View) and not any(isinstance(part, ir.Slice) for part in array.index):
            index = (*(part for part in array.index if not isinstance(part, ir.Slice)), *index)
            array = array.array
        sizes = self.pointers.get(array.name) if isinstance(array, ir.Name) else None
        if not isinstance(array, ir.Name) or sizes is None:
            places = [self.place(part, array, axis)[0] for axis, part in enumerate(index)]
            return f"{self.bracketed(array, ATOM)}({', '.join(places)})"
        text, precedence = self.place(index[0], array, 0)
        for axis, part in enumerate(index[1:], start=1):
            self.used.sizes.add((array.name, axis))
            text = text if precedence >= PRECEDENCE["*"] else f"({text})"
            added, own = self.place(part, array, axis)
            added = added if own > PRECEDENCE["+"] else f"({added})"
            text, precedence = f"{text} * {sizes[axis]} + {added}", PRECEDENCE["+"]
        return f"{self.names.of(array.name)}[{text}]"

    def place(self, index: ir.Expr, array: ir.Expr, axis: int) -> tuple[str, int]:
        """The text of an index, with its precedence; a negative literal counts from the end."""
        value = literal_index(index)
        if value is not None and value < 0:
            return f"{self.size(array, axis)} - {-value}", PRECEDENCE["-"]
        return self.with_precedence(index)

    def size(self, array: ir.Expr, axis: int) -> str:
        sizes = self.pointers.get(array.name) if isinstance(array, ir.Name) else None
        if isinstance(array, ir.Name) and sizes is not None:
            self.used.sizes.add((array.name, axis))
            return sizes[axis]
        return f"{self.bracketed(array, ATOM)}.shape[{axis}]"

    def view(self, array: ir.Expr, index: Sequence[ir.Expr | ir.Slice]) -> str:
        text = self.expression(array)
        for axis, part in reversed(list(enumerate(index))):
            if not isinstance(part, ir.Slice):
                text = self._piece("fixed", axis, text, self.place(part, array, axis)[0])
            elif (part.start, part.stop, part.step) != (None, None, None):
                start, stop, step = (
                    None if bound is None else literal_index(bound)
                    for bound in (part.start, part.stop, part.step)
                )
                literal = (part.start is None) == (start is None) and (part.stop is None) == (stop is None)
                if not literal or (step or 1) < 1 or (part.step is not None and step is None):
                    raise NoPlainForm("a slice whose bounds are no literals, or that runs backwards")
                ends = [str(start or 0), str(2**31 - 1 if stop is None else stop)]
                text = self._piece("sliced", axis, text, *ends, *([str(step)] if step else []))
        return text

    def _piece(self, name: str, axis: int, *operands: str) -> str:
        self.used.pieces.add(name)
        self.used.names.add(name)
        return f"{name}<{axis}>({', '.join(operands)})"

    # ---- parts of values

    def member(self, of: ir.Expr, member: str) -> str:
        text = self.bracketed(of, ATOM)
        if isinstance(of.type, Value) and member in PARTS:
            return f"{text}[{PARTS.index(member)}]"
        return f"{text}.{self.names.of(member) if isinstance(of.type, Struct) else member}"

    def subscripts(self, type: Type, index: Sequence[ir.Expr]) -> str:
        texts = []
        for axis, part in enumerate(index):
            value = literal_index(part)
            if value is not None and value < 0:
                texts.append(f"[{value + type.shape[axis]}]")
            else:
                texts.append(f"[{self.expression(part)}]")
        return "".join(texts)

    # ---- operations

    def chain(self, comparisons: Sequence[str], operands: Sequence[ir.Expr]) -> tuple[str, int]:
        pairs = zip(comparisons, operands, operands[1:], strict=False)
        links = [ir.Apply(name, (left, right), BOOL) for name, left, right in pairs]
        return " && ".join(self.bracketed(link, PRECEDENCE["&&"] + 1) for link in links), PRECEDENCE["&&"]

    def apply(self, node: ir.Apply) -> tuple[str, int]:
        form = forms.form(node)
        match form:
            case forms.Operator(symbol, piece):
                self._use(piece)
                return self._narrowed(node, *self.operator(symbol, node.operands))
            case forms.Called():
                return self._narrowed(node, self.called(form, node), ATOM)
            case forms.Built():
                return f"{self.type(node.type)}{{{self.listed(node.operands)}}}", ATOM
            case forms.Converted():
                return f"{self.type(node.type)}({self.listed(node.operands)})", ATOM
            case forms.Filled():
                return f"{self.type(node.type)}::all({self.listed(node.operands)})", ATOM
            case forms.Copied():
                return self.with_precedence(node.operands[0])
            case forms.Indexed():
                base, *index = node.operands
                return self.bracketed(base, ATOM) + self.subscripts(base.type, index), ATOM
            case forms.Chosen():
                condition, then, orelse = (self.bracketed(operand, TERNARY + 1) for operand in node.operands)
                return f"{condition} ? {then} : {orelse}", TERNARY
            case forms.Named(piece):
                self._use(piece, piece)
                return (piece, ATOM) if node.type == FLOAT else (f"{self.type(node.type)}({piece})", ATOM)
            case _:
                assert_never(form)

    def _use(self, piece: str | None, name: str | None = None) -> None:
        if piece is not None:
            self.used.pieces.add(piece)
        if name is not None:
            self.used.names.add(name)

    def _narrowed(self, node: ir.Apply, text: str, precedence: int) -> tuple[str, int]:
        """Convert small integers back to their type: C++ computes them as int."""
        return (f"{self.type(node.type)}({text})", ATOM) if is_narrow(node.type) else (text, precedence)

    def operator(self, symbol: str, operands: Sequence[ir.Expr]) -> tuple[str, int]:
        if len(operands) == 1:
            text = self.bracketed(operands[0], UNARY)
            return f"{symbol}({text})" if text.startswith(symbol) else symbol + text, UNARY
        precedence = PRECEDENCE[symbol]
        left = self._beside(symbol, operands[0], precedence)
        return f"{left} {symbol} {self._beside(symbol, operands[1], precedence + 1)}", precedence

    def _beside(self, symbol: str, operand: ir.Expr, least: int) -> str:
        """An operand of an operator: in brackets where C++ needs them, or where people misread it. Which of
        the operators of one level `operand` has is not looked at, so some brackets are not needed."""
        text, precedence = self.with_precedence(operand)
        inner = next((s for s, level in PRECEDENCE.items() if level == precedence), symbol)
        mixed = precedence < UNARY and (
            (symbol in MISREAD and inner != symbol)
            or (symbol in COMPARISONS and inner in COMPARISONS)
            or (symbol == "||" and inner == "&&")
        )
        return f"({text})" if mixed or precedence < least else text

    def called(self, form: forms.Called, node: ir.Apply, results: Sequence[str] = ()) -> str:
        """A call, with the targets of several results (`results`) after the operands; or an atomic."""
        self._use(form.piece, form.name)
        if changed_array(node) is not None:
            return self.atomic(form, node)
        type_argument = f"<{self.type(node.type)}>" if form.explicit_type else ""
        return f"{form.name}{type_argument}({', '.join([*map(self.expression, node.operands), *results])})"

    def atomic(self, form: forms.Called, node: ir.Apply) -> str:
        array = node.operands[0]
        index, values = node.operands[1 : 1 + array.type.ndim], node.operands[1 + array.type.ndim :]
        return self.atomic_on(form, self.element(array, index), node.type, values)

    def atomic_on(self, form: forms.Called, place: str, type: Type, values: Sequence[ir.Expr]) -> str:
        if not isinstance(type, Scalar):
            self.used.pieces |= set(forms.atomic_pieces(form.name, type))
        self._use(form.piece, form.name)
        return f"{form.name}(&{place}, {self.listed(values)})"


def literal_index(index: ir.Expr) -> int | None:
    """The value of a literal index, with or without a sign."""
    if isinstance(index, ir.Literal):
        return int(index.value)
    if isinstance(index, ir.Apply) and TABLE[index.operation].spelling == PREFIX["-"]:
        inner = literal_index(index.operands[0])
        return None if inner is None else -inner
    return None
