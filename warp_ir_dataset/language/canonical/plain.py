"""The plain canonical form: a program as words, without its style.

Out are: names (each definition is a number, in order of appearance), annotations and how types are spelled,
where constants are defined (their value stands where they are used), ``a += b`` on locals (``a = a + b``),
``v.x`` (``v[0]``), comments, docstrings, `print`, `assert` and `pass`, and definitions that are not used,
with the order of the others. What a program does is written down by the methods here, one for each kind of
node, kinds and fields in words of our own; operations by their names in the table. So the words change only
where this file, or a name in the table, does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import program as p
from .. import walks
from ..operations.forms import ATOMICS, NEGATIVE, PARTS
from ..operations.table import infix
from ..types import INT, Struct, Type
from .types import TypeWords, member_numbers

LETTERS = "xyzw"
INDEX = f"<{INT.scalar}>"
END = ")"


class Plain:
    """Writes a program as `words`; `literals` says which of them are literals, and of what type."""

    def __init__(self, program: p.Program) -> None:
        self.words: list[str] = []
        self.literals: list[tuple[int, str]] = []
        self.type = TypeWords()
        self.program = program
        self.constants = {constant.name: constant.value for constant in program.constants}
        self.names: dict[str, str] = {}
        self.numbers: dict[int, int] = {}  # of functions, by identity
        self.queue: list[p.Function] = []
        self.definition([(a.name, a.reference.type) for a in program.arguments], program.body)
        for function in self.queue:  # grows while it is read
            self.words.append(self.type(function.type))
            self.definition([(name.name, name.type) for name in function.parameters], function.body)

    def definition(self, parameters: list[tuple[str, Type]], body: tuple[p.Stmt, ...]) -> None:
        self.names = {name: f"${number}" for number, (name, _) in enumerate(parameters)}
        self.locals = len(parameters)
        self.words.append("def")
        self.words += [self.type(type) for _, type in parameters]
        self.block(body)

    def block(self, body: tuple[p.Stmt, ...]) -> None:
        for statement in body:
            WRITERS[statement.__class__](self, statement)
        self.words.append(END)

    def write(self, node: p.Expr | p.Place) -> None:
        WRITERS[node.__class__](self, node)

    def listed(self, nodes: tuple[p.Expr, ...]) -> None:
        for node in nodes:
            WRITERS[node.__class__](self, node)
        self.words.append(END)

    # ---- expressions and places

    def literal(self, node: p.Literal, sign: int = 1) -> None:
        type = node.type
        value = float(node.value) if type.is_float else node.value
        text = repr(-value if sign < 0 else value)
        kind = f"<{type.scalar}>"
        self.literals.append((len(self.words), kind))
        self.words.append(kind + text)

    def name(self, node: p.Name) -> None:
        name = node.name
        word = self.names.get(name)
        if word is None:
            if name in self.constants:
                return self.write(self.constants[name])
            return self.define(node)
        self.words.append(word)
        return None

    def define(self, node: p.Name) -> None:
        """A new local: two loops over ``k`` are two locals, as if the second one were over ``m``."""
        word = self.names[node.name] = f"${self.locals}"
        self.locals += 1
        self.words.append(word)

    def apply(self, node: p.Apply) -> None:
        operation, operands = node.operation, node.operands
        if operation == NEGATIVE and isinstance(operands[0], p.Literal):
            return self.literal(operands[0], -1)
        self.words.append("[]" if operation in PARTS else operation)
        self.words.append(self.type(node.type))
        return self.listed(operands)

    def chain(self, node: p.Chain) -> None:
        self.words += ("chain", *node.comparisons)
        self.listed(node.operands)

    def load(self, node: p.Load) -> None:
        self.words.append("load")
        self.write(node.array)
        self.listed(node.index)

    def view(self, node: p.View) -> None:
        self.words += ("view", self.type(node.type))
        self.write(node.array)
        for part in node.index:
            if isinstance(part, p.Slice):
                self.words.append("slice")
                for bound in (part.start, part.stop, part.step):
                    if bound is None:
                        self.words.append("-")
                    else:
                        self.write(bound)
            else:
                self.write(part)
        self.words.append(END)

    def shape(self, node: p.Shape) -> None:
        self.words.append(f"shape{node.axis}")
        self.write(node.array)

    def member(self, node: p.Member) -> None:
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

    def component(self, node: p.Component) -> None:
        self.words += ("[]", self.type(node.type))
        self.write(node.of)
        self.listed(node.index)

    def new(self, node: p.New) -> None:
        self.words += ("new", self.type(node.type))
        self.listed(node.operands)

    def call(self, node: p.Call) -> None:
        function = self.program.called(node)
        number = self.numbers.get(id(function))
        if number is None:
            number = self.numbers[id(function)] = len(self.queue)
            self.queue.append(function)
        self.words.append(f"call{number}")
        self.listed(node.operands)

    # ---- statements

    def thread_index(self, node: p.ThreadIndex) -> None:
        self.words.append("tid")
        for name in node.names:
            self.define(name)
        self.words.append(END)

    def local(self, node: p.Let | p.Variable) -> None:
        self.words.append("=")
        self.write(node.value)
        self.define(node.target)

    def assign(self, node: p.Assign) -> None:
        self.words.append("=")
        self.write(node.value)
        self.write(node.target)

    def unpack(self, node: p.Unpack) -> None:
        self.words.append("unpack")
        self.listed(node.targets)
        self.write(node.value)

    def accumulate(self, node: p.Accumulate) -> None:
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

    def do(self, node: p.Do) -> None:
        self.words.append("do")
        self.write(node.value)

    def branch(self, node: p.If) -> None:
        self.words.append("if")
        self.write(node.condition)
        self.block(node.then)
        self.block(node.orelse)

    def for_loop(self, node: p.For) -> None:
        self.words.append("for")
        self.write(node.start)
        self.write(node.stop)
        self.define(node.target)
        if node.step != 1:
            self.literals.append((len(self.words), "<step>"))
            self.words.append(f"<step>{node.step}")
        self.block(node.body)

    def while_loop(self, node: p.While) -> None:
        self.words.append("while")
        self.write(node.condition)
        self.block(node.body)

    def return_values(self, node: p.Return) -> None:
        self.words.append("return")
        self.listed(node.values)

    def jump(self, node: p.Break | p.Continue) -> None:
        self.words.append("break" if isinstance(node, p.Break) else "continue")

    def nothing(self, node: p.Print | p.Assert | p.Pass | p.Comment) -> None:
        """What changes no output is left out."""


# By class, because a dozen comparisons for each node take longer than writing it.
WRITERS: dict[type, Callable[[Plain, Any], None]] = {
    p.Literal: Plain.literal,
    p.Name: Plain.name,
    p.Apply: Plain.apply,
    p.Chain: Plain.chain,
    p.Load: Plain.load,
    p.View: Plain.view,
    p.Shape: Plain.shape,
    p.Member: Plain.member,
    p.New: Plain.new,
    p.Call: Plain.call,
    p.Component: Plain.component,
    p.ThreadIndex: Plain.thread_index,
    p.Let: Plain.local,
    p.Variable: Plain.local,
    p.Unpack: Plain.unpack,
    p.Assign: Plain.assign,
    p.Accumulate: Plain.accumulate,
    p.Do: Plain.do,
    p.Print: Plain.nothing,
    p.Assert: Plain.nothing,
    p.If: Plain.branch,
    p.For: Plain.for_loop,
    p.While: Plain.while_loop,
    p.Break: Plain.jump,
    p.Continue: Plain.jump,
    p.Return: Plain.return_values,
    p.Pass: Plain.nothing,
    p.Comment: Plain.nothing,
}
