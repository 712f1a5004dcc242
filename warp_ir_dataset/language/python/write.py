"""Writes programs as Python source: a complete module that can be stored in a file and imported.

`in_float64` converts a program to double precision, for finite differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...common.recent import recent
from .. import ir, walks
from ..types import Array, Several, Struct, Type, Value
from .writing.adapting import in_float64, shield_indices
from .writing.expression_text import ExpressionWriter, expression, scalar_of
from .writing.statement_text import INDENT, block, docstring
from .writing.typenames import alias, any_array, is_built_in, type_name
from .writing.wrapping import wrapped

__all__ = ["expression", "in_float64", "type_name", "write"]

WIDTH = 100  # of a kernel's first line, before its arguments get lines of their own


@recent  # passes write the same program several times in a row
def write(program: ir.Program) -> str:
    """Write a program as Python.

    Args:
        program: The typed tree.

    Returns:
        A complete module, which defines the program's kernel under its name.
    """
    return _Module(shield_indices(program)).text()


class _Module:
    """Writes one program. Two blank lines separate blocks of text."""

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.static = frozenset(constant.name for constant in program.constants if constant.static)
        self.words = ExpressionWriter(program.style)  # of constants
        self.inside = ExpressionWriter(program.style, self.static)
        self.methods = {f for f in program.functions if "." in f.name}
        self.enclosed = _enclosed(program)

    def text(self) -> str:
        program = self.program
        blocks = ["\n".join(self.imports())]
        aliases = [alias(t) for t in _values(program) if not is_built_in(t)]
        defined = [self.constant(c) for c in program.constants if c.place == "module"]
        if aliases or defined:
            blocks.append("\n".join([*dict.fromkeys(aliases), *defined]))
        blocks += self.enumerations()
        blocks += [self.struct(struct) for struct in program.structs]
        plain = [f for f in program.functions if f not in self.methods]
        blocks += [self.function(f) for f in plain if f not in self.enclosed]
        kernel = [*(self.function(f) for f in plain if f in self.enclosed), self.kernel()]
        blocks += self.closure(kernel) if _closures(program) else kernel
        return wrapped("\n\n\n".join(blocks) + "\n")

    def imports(self) -> list[str]:
        lines = []
        if any(constant.place == "enumeration" for constant in self.program.constants):
            lines.append("from enum import IntEnum")
        if self.methods or any(function.generic for function in self.program.functions):
            lines.append("from typing import Any")
        return [*lines, "", "import warp as wp"] if lines else ["import warp as wp"]

    def constant(self, constant: ir.Constant) -> str:
        value = self.words.expression(constant.value)
        return f"{constant.name} = {value if constant.static else f'wp.constant({value})'}"

    def enumerations(self) -> list[str]:
        members: dict[str, list[str]] = {}
        for constant in self.program.constants:
            if constant.place == "enumeration":
                kind, _, member = constant.name.partition(".")
                line = f"{INDENT}{member} = {self.words.expression(constant.value)}"
                members.setdefault(kind, [f"class {kind}(IntEnum):"]).append(line)
        return ["\n".join(lines) for lines in members.values()]

    def struct(self, struct: Struct) -> str:
        lines = ["@wp.struct", f"class {struct.name}:"]
        lines += [f"{INDENT}{name}: {self.type(t)}" for name, t in struct.members] or [f"{INDENT}pass"]
        for method in self.program.functions:
            if method.name.startswith(f"{struct.name}."):
                lines += ["", *_indented(self.function(method))]
        return "\n".join(lines)

    def function(self, function: ir.Function) -> str:
        generic = function.generic
        parameters = [f"{n.name}: {self.parameter(n.type, generic)}" for n in function.parameters]
        if function in self.methods:
            # The struct's name is not defined yet in its methods' declarations.
            parameters[0] = f"{function.parameters[0].name}: Any"
        # With a declared tuple Warp would treat several results as one value.
        undeclared = generic or isinstance(function.type, Several)
        returned = "" if undeclared else f" -> {self.type(function.type)}"
        head = f"def {function.name.rpartition('.')[2]}({', '.join(parameters)}){returned}:"
        text = (
            ExpressionWriter(self.program.style, self.static, scalar_of(function)) if generic else self.inside
        )
        return self.definition(["@wp.func", head], function.docstring, function.body, text)

    def kernel(self) -> str:
        program = self.program
        arguments = [f"{a.name}: {self.type(a.reference.type)}" for a in program.arguments]
        one_line = f"def {program.name}({', '.join(arguments)}):"
        if len(one_line) <= WIDTH:
            head = [one_line]
        else:
            head = [f"def {program.name}(", *(f"{INDENT}{a}," for a in arguments), "):"]
        return self.definition(["@wp.kernel", *head], program.docstring, program.body, self.inside)

    def definition(
        self, head: list[str], words: str | None, body: tuple[ir.Stmt, ...], text: ExpressionWriter
    ) -> str:
        if words is not None and isinstance(body[0], ir.Comment) and body[0].beside:
            head, body = block(body[:1], 1, text, head), body[1:]  # the comment stands above the docstring
        return "\n".join(block(body, 1, text, [*head, *docstring(words, 1)]))

    def closure(self, blocks: list[str]) -> list[str]:
        """A function around the kernel with the number constants as parameters and the others as locals, and
        its call."""
        name = self.program.name
        values = {c: self.words.expression(c.value) for c in _closures(self.program)}
        numbers = [c for c in values if isinstance(c.value, ir.Literal)]
        parameters = ", ".join(f"{c.name}: {self.type(c.value.type)}" for c in numbers)
        lines = [f"def create_{name}({parameters}):"]
        lines += [f"{INDENT}{c.name} = {value}" for c, value in values.items() if c not in numbers]
        for number, text in enumerate(blocks):
            lines += ([""] if number or len(lines) > 1 else []) + list(_indented(text))
        lines += ["", f"{INDENT}return {name}"]
        arguments = ", ".join(f"{c.name}={values[c]}" for c in numbers)
        return ["\n".join(lines), f"{name} = create_{name}({arguments})"]

    def type(self, t: Type) -> str:
        return type_name(t, self.program.style)

    def parameter(self, t: Type, generic: bool) -> str:
        """A parameter's type; ``Any`` for floats of a generic function."""
        inner = t.element if isinstance(t, Array) else t
        if not generic or not isinstance(inner, Value) or not inner.is_float:
            return self.type(t)
        return any_array(t.ndim, self.program.style) if t.ndim else "Any"


def _indented(text: str) -> Iterator[str]:
    return (INDENT + line if line else "" for line in text.split("\n"))


def _closures(program: ir.Program) -> list[ir.Constant]:
    return [constant for constant in program.constants if constant.place == "closure"]


def _enclosed(program: ir.Program) -> set[ir.Function]:
    """The functions that use a constant of the closure, directly or through other functions."""
    closures = {constant.name for constant in _closures(program)}
    found: set[ir.Function] = set()
    for function in program.functions if closures else ():
        inner = {f.name for f in found}
        for node in walks.walk(function.body):
            if (isinstance(node, ir.Name) and node.name in closures) or (
                isinstance(node, ir.Call) and node.function in inner
            ):
                found.add(function)
                break
    return found


def _values(program: ir.Program) -> Iterator[Value]:
    """Every type of numbers that the text names."""
    members = (t for struct in program.structs for _, t in struct.members)
    found = (getattr(node, "type", None) for node in walks.walk(program))
    parameters = (argument.reference.type for argument in program.arguments)
    return _leaves((*parameters, *found, *members))


def _leaves(types: Iterable[object]) -> Iterator[Value]:
    for t in types:
        if isinstance(t, Array):
            t = t.element
        if isinstance(t, Value):
            yield t
