"""Writes programs as plain CUDA C++, which needs neither Warp nor its headers.

One thread computes one item of the launch: its number comes from the grid, threads beyond the last item
return at once, and the indices of several dimensions are computed from the number. Arrays are pointers; the
kernel has parameters for those of their sizes that it needs. No pointer is ``__restrict__``, since a launch
may pass one array twice.

Constructs without a plain form are refused with `NoPlainForm`. Indices count from the start, as in a legal
program; negative literals count from the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from .. import ir, walks
from ..analysis.effects import Effects, changed_arrays
from ..types import Several, Struct, Type
from .expressions import ExpressionWriter
from .names import Names
from .prelude import declarations, prelude
from .prelude import names as prelude_names
from .scopes import Scopes
from .statements import INDENT, StatementWriter, comment
from .used import Used

WIDTH = 100  # of a function's first line, before its parameters get lines of their own
THREAD = "blockIdx.x * blockDim.x + threadIdx.x"
# The names of sizes, by the number of dimensions.
SIZES = {1: ("size",), 2: ("rows", "cols"), 3: ("dim0", "dim1", "dim2"), 4: ("dim0", "dim1", "dim2", "dim3")}


@dataclass(frozen=True)
class Parameter:
    """A parameter of the rendered kernel: a size of its launch, or a part of an argument.

    `argument` is the argument's name in Python, empty for the launch; `axis` is the dimension of a size.
    """

    part: OneOf["count", "pointer", "size", "value"]
    text: str
    name: str
    argument: str = ""
    axis: int = 0


@dataclass(frozen=True)
class PlainCuda:
    """A program in plain CUDA.

    `prelude` has the pieces that `completion` (structs, constants, functions, kernel) needs; `interface`
    declares the kernel and the pieces that it calls.
    """

    name: str
    prelude: str
    completion: str
    interface: str
    parameters: tuple[Parameter, ...]
    names: Names
    used: Used


def render(program: ir.Program) -> PlainCuda:
    """The program in plain CUDA. Raises `NoPlainForm` if something has no plain form."""
    first = _Writer(program, Names(program))
    plain = first.plain()
    if not first.hides():
        return plain
    return _Writer(program, Names(program, first.used.names)).plain()


class _Writer:
    def __init__(self, program: ir.Program, names: Names) -> None:
        self.program = program
        self.names = names
        self.used = Used()
        self.effects = Effects(program, in_kernel=True)

    def hides(self) -> bool:
        """Whether a name of the program hides a function or type that its text uses."""
        found = {node.name for node in walks.walk(self.program) if isinstance(node, ir.Name | ir.Argument)}
        found |= {part for f in self.program.functions for part in (f.name, f.name.replace(".", "_"))}
        found |= {self.program.name, *(struct.name for struct in self.program.structs)}
        return bool({self.names.of(name) for name in found} & self.used.names)

    def plain(self) -> PlainCuda:
        program = self.program
        functions = [self.function(function) for function in program.functions]
        kernel, parameters = self.kernel()
        structs = [self.struct(struct) for struct in program.structs]
        constants = "\n".join(map(self.constant, program.constants))
        blocks = [*structs, *([constants] if constants else []), *functions, kernel]
        self.used.names |= prelude_names(self.used)
        head = kernel[: kernel.index("\n{")].split("\n")
        start = next(at for at, line in enumerate(head) if line.startswith("__global__"))
        return PlainCuda(
            name=self.names.of(program.name),
            prelude=prelude(self.used),
            completion="\n\n".join(blocks) + "\n",
            interface=declarations(self.used) + "\n".join(head[start:]) + ";\n",
            parameters=tuple(parameters),
            names=self.names,
            used=self.used,
        )

    # ---- structs, constants and functions

    def type(self, type: Type) -> str:
        return ExpressionWriter(self.names, self.used, {}).type(type)

    def struct(self, struct: Struct) -> str:
        members = [f"{INDENT}{self.type(type)} {self.names.of(name)};" for name, type in struct.members]
        return "\n".join([f"struct {self.names.of(struct.name)} {{", *members, "};"])

    def constant(self, constant: ir.Constant) -> str:
        value = ExpressionWriter(self.names, self.used, {}).expression(constant.value)
        storage = "__constant__" if constant.value.type.shape else "constexpr"
        return f"{storage} {self.type(constant.value.type)} {self.names.of(constant.name)} = {value};"

    def function(self, function: ir.Function) -> str:
        several = isinstance(function.type, Several)
        types = function.type.types if isinstance(function.type, Several) else ()
        results = [self.names.new("out") for _ in types]
        returned = "void" if several else self.type(function.type)
        parameters = [f"{self.type(name.type)} {self.names.of(name.name)}" for name in function.parameters]
        parameters += [f"{self.type(type)}& {name}" for type, name in zip(types, results, strict=True)]
        head = _head(f"__device__ {returned} {self.names.of(function.name)}", parameters)
        scopes = Scopes(function.body, function.parameters)
        body = StatementWriter(ExpressionWriter(self.names, self.used, {}), scopes, self.effects, results)
        lines = [*_above(function.docstring), *head, "{", *self.early(scopes)]
        lines = body.block(function.body, 1, lines)
        if lines[-1] == f"{INDENT}return;":
            lines.pop()
        return "\n".join([*lines, "}"])

    def early(self, scopes: Scopes) -> list[str]:
        return [f"{INDENT}{self.type(name.type)} {self.names.of(name.name)} = {{}};" for name in scopes.early]

    # ---- the kernel

    def kernel(self) -> tuple[str, list[Parameter]]:
        program = self.program
        pointers = {a.name: self.sizes(a) for a in program.arguments if a.ndim}
        dimensions = len(program.launch_dim)
        counts = [self.names.new(f"n{axis}" if dimensions > 1 else "n") for axis in range(dimensions)]
        scopes = Scopes(program.body, tuple(a.reference for a in program.arguments))
        body = StatementWriter(ExpressionWriter(self.names, self.used, pointers), scopes, self.effects)
        body.counts = counts
        lines = self.opened(body, self.early(scopes))
        parameters = self.parameters(pointers, counts)
        declared = [f"{parameter.text} {parameter.name}" for parameter in parameters]
        head = _head(f"__global__ void {self.names.of(program.name)}", declared)
        return "\n".join([*_above(program.docstring), *head, "{", *lines, "}"]), parameters

    def sizes(self, argument: ir.Argument) -> tuple[str, ...]:
        name = self.names.of(argument.name)
        return tuple(self.names.new(f"{name}_{size}") for size in SIZES[argument.ndim])

    def opened(self, body: StatementWriter, lines: list[str]) -> list[str]:
        """The kernel's lines, starting with the thread's number under the kernel's name for it."""
        statements = self.program.body
        start = 0
        while start < len(statements) and isinstance(statements[start], ir.Comment):
            lines += body.statement(statements[start], 1)
            start += 1
        total = " * ".join(body.counts)
        first = statements[start] if start < len(statements) else None
        if isinstance(first, ir.ThreadIndex) and len(first.names) == len(body.counts) == 1:
            body.thread = self.names.of(first.names[0].name)
            lines.append(f"{INDENT}{body.declared(first.names[0])} = {THREAD};")
            start += 1
        else:
            body.thread = self.names.new("thread")
            lines.append(f"{INDENT}int {body.thread} = {THREAD};")
        if start < len(statements) and _is_beside(statements[start]):
            lines = body.block(statements[start : start + 1], 1, lines)
            start += 1
        lines += [f"{INDENT}if ({body.thread} >= {total})", f"{INDENT * 2}return;"]
        return body.block(statements[start:], 1, lines)

    def parameters(self, pointers: dict[str, tuple[str, ...]], counts: Sequence[str]) -> list[Parameter]:
        found = [Parameter("count", "int", name, axis=axis) for axis, name in enumerate(counts)]
        written = changed_arrays(self.program.body) | _given_on(self.program.body)
        for argument in self.program.arguments:
            type, name = self.type(argument.type), self.names.of(argument.name)
            if not argument.ndim:
                found.append(Parameter("value", type, name, argument.name))
                continue
            const = "" if argument.name in written else "const "
            found.append(Parameter("pointer", f"{const}{type}*", name, argument.name))
            found += [
                Parameter("size", "int", size, argument.name, axis)
                for axis, size in enumerate(pointers[argument.name])
                if (argument.name, axis) in self.used.sizes
            ]
        return found


def _head(opening: str, parameters: Sequence[str]) -> list[str]:
    line = f"{opening}({', '.join(parameters)})"
    if len(line) <= WIDTH:
        return [line]
    return [f"{opening}(", *(f"{INDENT}{text}," for text in parameters[:-1]), f"{INDENT}{parameters[-1]})"]


def _above(docstring: str | None) -> list[str]:
    """A docstring as a comment."""
    if docstring is None:
        return []
    lines = [line.strip() for line in docstring.strip().split("\n")]
    return [comment(line) for line in lines]


def _is_beside(statement: ir.Stmt) -> bool:
    return isinstance(statement, ir.Comment) and statement.beside


def _given_on(body: tuple[ir.Stmt, ...]) -> set[str]:
    """The arrays that get another name as a whole, in a function or here; that one has a pointer without
    ``const``, whether it writes or not."""
    found: set[str] = set()
    for node in walks.walk(body):
        given: tuple[ir.Expr, ...] = ()
        if isinstance(node, ir.Call | ir.Apply | ir.New):
            given = node.operands
        elif isinstance(node, ir.View):
            given = (node.array,)
        elif isinstance(node, ir.Let | ir.Variable):
            given = (node.value,)
        found |= {part.name for part in given if isinstance(part, ir.Name) and part.type.ndim}
    return found
