"""Writes a program as words without its style: the canonical text, whose hashes are ids and skeletons.

The text leaves out names (each definition is a number, in order of appearance), annotations and the syntax of
types, the place of constants (their value stands at each use), ``a += b`` on locals (``a = a + b``), ``v.x``
(``v[0]``), comments, docstrings, `print`, `assert` and `pass`, unused definitions, and the order of the
others. The methods here write everything else, one for each kind of node, in words of their own; operations
have their names in the table. So the words only change if this file, or a name in the table, changes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from typing_extensions import assert_never

from . import ir, walks
from .operations.table import infix
from .operations.traits import ATOMICS, NEGATIVE, PARTS
from .types import INT, Array, Handle, Several, Struct, Tile, Type, Value

LETTERS = "xyzw"
INDEX = f"<{INT.scalar}>"
END = ")"


class CanonicalText:
    """Writes a program as `words`. `literals` has the position of each literal, and the word that replaces it
    in a skeleton: its type, or no word."""

    def __init__(self, program: ir.Program) -> None:
        self.words: list[str] = []
        self.literals: list[tuple[int, str]] = []
        self.type = TypeWords()
        self.program = program
        self.constants = {constant.name: constant.value for constant in program.constants}
        self.names: dict[str, str] = {}
        self.numbers: dict[int, int] = {}  # of functions, by identity
        self.queue: list[ir.Function] = []
        self.definition([(a.name, a.reference.type) for a in program.arguments], program.body)
        for function in self.queue:  # grows during the loop
            self.words.append(self.type(function.type))
            self.definition([(name.name, name.type) for name in function.parameters], function.body)

    def definition(self, parameters: list[tuple[str, Type]], body: tuple[ir.Stmt, ...]) -> None:
        self.names = {name: f"${number}" for number, (name, _) in enumerate(parameters)}
        self.locals = len(parameters)
        self.words.append("def")
        self.words += [self.type(type) for _, type in parameters]
        self.block(body)

    def block(self, body: tuple[ir.Stmt, ...]) -> None:
        for statement in body:
            WRITERS[statement.__class__](self, statement)
        self.words.append(END)

    def write(self, node: ir.Expr | ir.Place) -> None:
        WRITERS[node.__class__](self, node)

    def listed(self, nodes: tuple[ir.Expr, ...]) -> None:
        for node in nodes:
            WRITERS[node.__class__](self, node)
        self.words.append(END)

    # ---- expressions and places

    def literal(self, node: ir.Literal, sign: int = 1) -> None:
        type = node.type
        value = float(node.value) if type.is_float else node.value
        text = repr(-value if sign < 0 else value)
        kind = f"<{type.scalar}>"
        self.literals.append((len(self.words), kind))
        self.words.append(kind + text)

    def name(self, node: ir.Name) -> None:
        value = self.value(node)
        if value is not node:
            self.write(value)
        elif word := self.names.get(node.name):
            self.words.append(word)
        else:
            self.define(node)

    def value(self, node: ir.Expr) -> ir.Expr:
        """The value of a constant; any other expression as it is."""
        if isinstance(node, ir.Name) and node.name not in self.names:
            return self.constants.get(node.name, node)
        return node

    def define(self, node: ir.Name) -> None:
        """Number a new local. Two loops over ``k`` are two locals, as if the second one were over ``m``."""
        word = self.names[node.name] = f"${self.locals}"
        self.locals += 1
        self.words.append(word)

    def apply(self, node: ir.Apply) -> None:
        operation, operands = node.operation, node.operands
        if operation == NEGATIVE and isinstance(literal := self.value(operands[0]), ir.Literal):
            return self.literal(literal, -1)
        self.words.append("[]" if operation in PARTS else operation)
        self.words.append(self.type(node.type))
        return self.listed(operands)

    def chain(self, node: ir.Chain) -> None:
        self.words += ("chain", *node.comparisons)
        self.listed(node.operands)

    def load(self, node: ir.Load) -> None:
        self.words.append("load")
        self.write(node.array)
        self.listed(node.index)

    def view(self, node: ir.View) -> None:
        self.words += ("view", self.type(node.type))
        self.write(node.array)
        for part in node.index:
            if isinstance(part, ir.Slice):
                self.words.append("slice")
                for bound in (part.start, part.stop, part.step):
                    if bound is None:
                        self.words.append("-")
                    else:
                        self.write(bound)
            else:
                self.write(part)
        self.words.append(END)

    def shape(self, node: ir.Shape) -> None:
        self.literals.append((len(self.words), "shape"))
        self.words.append(f"shape{node.axis}")
        self.write(node.array)

    def member(self, node: ir.Member) -> None:
        of, member = node.of, node.member
        if isinstance(of.type, Struct):
            self.words.append(f"member{member_numbers(of.type)[member]}")
            self.write(of)
        elif len(member) == 1 and member in LETTERS:
            self.words += ("[]", self.type(node.type))
            self.write(of)
            self.literals.append((len(self.words), INDEX))
            self.words += (f"{INDEX}{LETTERS.index(member)}", END)
        else:
            self.words.append(f".{member}")
            self.write(of)

    def component(self, node: ir.Component) -> None:
        self.words += ("[]", self.type(node.type))
        self.write(node.of)
        self.listed(node.index)

    def new(self, node: ir.New) -> None:
        self.words += ("new", self.type(node.type))
        self.listed(node.operands)

    def call(self, node: ir.Call) -> None:
        function = self.program.called(node)
        number = self.numbers.get(id(function))
        if number is None:
            number = self.numbers[id(function)] = len(self.queue)
            self.queue.append(function)
        self.words.append(f"call{number}")
        self.listed(node.operands)

    # ---- statements

    def thread_index(self, node: ir.ThreadIndex) -> None:
        self.words.append("tid")
        for name in node.names:
            self.define(name)
        self.words.append(END)

    def local(self, node: ir.Let | ir.Variable) -> None:
        self.words.append("=")
        self.write(node.value)
        self.define(node.target)

    def assign(self, node: ir.Assign) -> None:
        self.words.append("=")
        self.write(node.value)
        self.write(node.target)

    def unpack(self, node: ir.Unpack) -> None:
        self.words.append("unpack")
        self.listed(node.targets)
        self.write(node.value)

    def accumulate(self, node: ir.Accumulate) -> None:
        target, operator, value = node.target, node.operator, node.value
        if operator in ATOMICS and walks.element(target) is not None:
            self.words.append(f"{operator}=")
            self.write(target)
            self.write(value)
            return
        operation = infix(operator, target.type, value.type) or operator
        self.words += ("=", operation, self.type(target.type))
        self.write(target)
        self.write(value)
        self.words.append(END)
        self.write(target)

    def do(self, node: ir.Do) -> None:
        self.words.append("do")
        self.write(node.value)

    def branch(self, node: ir.If) -> None:
        self.words.append("if")
        self.write(node.condition)
        self.block(node.then)
        self.block(node.orelse)

    def for_loop(self, node: ir.For) -> None:
        self.words.append("for")
        self.write(node.start)
        self.write(node.stop)
        self.define(node.target)
        if node.step != 1:
            self.literals.append((len(self.words), ""))
            self.words.append(f"<step>{node.step}")
        self.block(node.body)

    def while_loop(self, node: ir.While) -> None:
        self.words.append("while")
        self.write(node.condition)
        self.block(node.body)

    def return_values(self, node: ir.Return) -> None:
        self.words.append("return")
        self.listed(node.values)

    def jump(self, node: ir.Break | ir.Continue) -> None:
        self.words.append("break" if isinstance(node, ir.Break) else "continue")

    def nothing(self, node: ir.Print | ir.Assert | ir.Pass | ir.Comment) -> None:
        """Write nothing: the statement changes no output."""


# By class: a dozen comparisons for each node would take longer than writing it.
WRITERS: dict[type, Callable[[CanonicalText, Any], None]] = {
    ir.Literal: CanonicalText.literal,
    ir.Name: CanonicalText.name,
    ir.Apply: CanonicalText.apply,
    ir.Chain: CanonicalText.chain,
    ir.Load: CanonicalText.load,
    ir.View: CanonicalText.view,
    ir.Shape: CanonicalText.shape,
    ir.Member: CanonicalText.member,
    ir.New: CanonicalText.new,
    ir.Call: CanonicalText.call,
    ir.Component: CanonicalText.component,
    ir.ThreadIndex: CanonicalText.thread_index,
    ir.Let: CanonicalText.local,
    ir.Variable: CanonicalText.local,
    ir.Unpack: CanonicalText.unpack,
    ir.Assign: CanonicalText.assign,
    ir.Accumulate: CanonicalText.accumulate,
    ir.Do: CanonicalText.do,
    ir.Print: CanonicalText.nothing,
    ir.Assert: CanonicalText.nothing,
    ir.If: CanonicalText.branch,
    ir.For: CanonicalText.for_loop,
    ir.While: CanonicalText.while_loop,
    ir.Break: CanonicalText.jump,
    ir.Continue: CanonicalText.jump,
    ir.Return: CanonicalText.return_values,
    ir.Pass: CanonicalText.nothing,
    ir.Comment: CanonicalText.nothing,
}

# ---- types


@cache
def value_word(type: Value) -> str:
    """``Vector:float32:3``"""
    return ":".join((type.__class__.__name__, type.scalar, *map(str, type.shape)))


@cache
def member_numbers(type: Struct) -> dict[str, int]:
    return {member: number for number, (member, _) in enumerate(type.members)}


class TypeWords:
    """Names of the types of one program. A struct is its members' types and a number: two structs of equal
    members are two types, whatever their names."""

    def __init__(self) -> None:
        # By the identity of types, since their hashes take long; the tuple keeps each type alive.
        self._known: dict[int, tuple[Type, str]] = {}
        self._structs: dict[str, str] = {}

    def __call__(self, type: Type) -> str:
        known = self._known.get(id(type))
        if known is None:
            known = self._known[id(type)] = type, self._word(type)
        return known[1]

    def _word(self, type: Type) -> str:
        match type:
            case Struct(name, members):
                if name not in self._structs:
                    number = len(self._structs)
                    self._structs[name] = ""  # reserves the number before those of members
                    inner = ",".join(self(member) for _, member in members)
                    self._structs[name] = f"struct{number}<{inner}>"
                return self._structs[name]
            case Array(element, ndim):
                return f"{self(element)}[{ndim}]"
            case Several(types):
                return f"({','.join(map(self, types))})"
            case Tile(element, sizes):
                return f"tile{sizes}<{self(element)}>"
            case Handle(kind):
                return kind
            case _ if isinstance(type, Value):
                return value_word(type)
            case _:
                assert_never(type)
