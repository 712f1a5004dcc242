"""Mistakes in the text of a module that Warp refuses, each made by one edit of the source.

Each function yields such edits, the same ones in the same order. `breaking` checks that Warp refuses the
result with the right message.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

_CASTS = ("float", "int", "wp.float32", "wp.float64", "wp.int32", "wp.int64", "wp.uint32", "wp.uint64")
# What a name of Warp's is elsewhere.
_ELSEWHERE = {
    "abs": "fabs",
    "min": "minimum",
    "max": "maximum",
    "pow": "power",
    "clamp": "clip",
    "atan2": "arctan2",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "length": "norm",
    "length_sq": "norm_sq",
    "lerp": "mix",
    "where": "select",
    "atomic_add": "atomicAdd",
    "atomic_sub": "atomicSub",
    "atomic_min": "atomicMin",
    "atomic_max": "atomicMax",
    "tid": "thread_id",
}
_OF_MATH = (
    "sqrt",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "floor",
    "ceil",
    "pow",
    "atan2",
)
_OTHER_TYPES = {"float": "int", "int": "float", "wp.float32": "wp.int32", "wp.int32": "wp.float32"}
_OTHER_TYPES |= {"wp.float64": "wp.float32", "wp.vec2": "wp.vec3", "wp.vec3": "wp.vec2", "wp.vec4": "wp.vec3"}


@dataclass(frozen=True)
class Edit:
    """What stands from byte `start` to byte `end` of a source, replaced."""

    start: int
    end: int
    text: str


class Module:
    """A source that is edited."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._bytes = source.encode()
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        """The kernel and the functions that it calls, in the order of the text."""
        nodes = ast.walk(ast.parse(self.source))
        return sorted((n for n in nodes if isinstance(n, ast.FunctionDef)), key=lambda node: node.lineno)

    @cached_property
    def body(self) -> list[ast.AST]:
        """Every node of their statements, in the order of the text."""
        found = {id(n): n for f in self.functions for part in f.body for n in ast.walk(part)}
        placed = (n for n in found.values() if hasattr(n, "col_offset"))
        return sorted(placed, key=lambda n: (n.lineno, n.col_offset, -n.end_lineno, -n.end_col_offset))  # type: ignore[attr-defined]

    def edited(self, edit: Edit) -> str:
        return (self._bytes[: edit.start] + edit.text.encode() + self._bytes[edit.end :]).decode()

    def text(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.source, node) or ""

    def put(self, node: ast.AST, text: str) -> Edit:
        start, end = self._span(node)
        return Edit(start, end, text)

    def without_lines(self, node: ast.stmt) -> Edit:
        assert node.end_lineno is not None
        return Edit(self._starts[node.lineno - 1], self._starts[node.end_lineno], "")

    def _span(self, node: ast.AST) -> tuple[int, int]:
        at = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        start = self._starts[at[0] - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self._starts[at[1] - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def calls(self) -> Iterator[ast.Call]:
        return (node for node in self.body if isinstance(node, ast.Call))


# ---- names


def undefined_names(module: Module) -> Iterator[Edit]:
    """A local or an argument with a letter less, at one place where it is read."""
    taken = {node.id for node in module.body if isinstance(node, ast.Name)}
    taken |= {arg.arg for function in module.functions for arg in function.args.args}
    called = {id(call.func) for call in module.calls()}
    for node in module.body:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            other = _misspelled(node.id)
            if node.id not in ("wp", "range") and other not in taken and other.isidentifier():
                yield module.put(node, other)


def _misspelled(name: str) -> str:
    middle = len(name) // 2
    return name[:middle] + name[middle + 1 :] if len(name) > 3 else f"{name}{name[-1]}"


def unknown_functions(module: Module) -> Iterator[Edit]:
    """A function of Warp's by the name that it has elsewhere, or with a letter less."""
    for call in module.calls():
        name = _of_warp(call.func)
        if name is not None and len(name) > 3:
            yield module.put(call.func, f"wp.{_ELSEWHERE.get(name) or _misspelled(name)}")
        elif name in _ELSEWHERE:
            yield module.put(call.func, f"wp.{_ELSEWHERE[name]}")


def foreign_functions(module: Module) -> Iterator[Edit]:
    """Python's own function, or numpy's, in place of Warp's."""
    for call in module.calls():
        name = _of_warp(call.func)
        if name in _OF_MATH:
            yield module.put(call.func, f"math.{name}")
        if name is not None and name != "tid" and not name.startswith("tile"):
            yield module.put(call.func, f"np.{name}")


def missing_thread_indices(module: Module) -> Iterator[Edit]:
    for function in module.functions:
        for statement in function.body:
            value = statement.value if isinstance(statement, ast.Assign) else None
            if isinstance(value, ast.Call) and _of_warp(value.func) == "tid":
                yield module.without_lines(statement)


def _of_warp(function: ast.expr) -> str | None:
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id == "wp" else None
    return None


# ---- how many


def other_arities(module: Module) -> Iterator[Edit]:
    """A call with an operand less, or with its last one twice."""
    for call in module.calls():
        if not call.args or call.keywords or module.text(call.func) in (*_CASTS, "range"):
            continue
        texts = [module.text(operand) for operand in call.args]
        if len(texts) > 1:
            yield _with_operands(module, call, texts[:-1])
        yield _with_operands(module, call, [*texts, texts[-1]])


def _with_operands(module: Module, call: ast.Call, texts: Sequence[str]) -> Edit:
    return module.put(call, f"{module.text(call.func)}({', '.join(texts)})")


def other_dimensions(module: Module) -> Iterator[Edit]:
    """An element by an index less, or by one more."""
    for node in module.body:
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            texts = [module.text(part) for part in parts]
            if len(texts) > 1:
                yield module.put(node, f"{module.text(node.value)}[{', '.join(texts[:-1])}]")
            yield module.put(node, f"{module.text(node.value)}[{', '.join([*texts, texts[-1]])}]")


# ---- types


def other_types(module: Module) -> Iterator[Edit]:
    """An argument of another type."""
    for function in module.functions:
        for argument in function.args.args:
            if argument.annotation is None:
                continue
            for node in ast.walk(argument.annotation):
                text = module.text(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
                if text in _OTHER_TYPES:
                    yield module.put(node, _OTHER_TYPES[text])


def missing_casts(module: Module) -> Iterator[Edit]:
    """A conversion left out, but for that of a literal."""
    for call in module.calls():
        if module.text(call.func) in _CASTS and len(call.args) == 1:
            (operand,) = call.args
            if not isinstance(operand, ast.Constant):
                inner = module.text(operand)
                plain = isinstance(operand, (ast.Name, ast.Call, ast.Subscript, ast.Attribute))
                yield module.put(call, inner if plain else f"({inner})")


def constants_that_change(module: Module) -> Iterator[Edit]:
    """``total = 0.0`` for ``total = float(0.0)``."""
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call = node.value
            if module.text(call.func) in _CASTS and len(call.args) == 1:
                text = module.text(call.args[0])
                if text.lstrip("-").replace(".", "", 1).isdigit():
                    yield module.put(call, text)


def whole_literals(module: Module) -> Iterator[Edit]:
    """``2`` for ``2.0``, and ``1`` for ``0.5``."""
    for node in module.body:
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield module.put(node, str(max(1, int(node.value)) if node.value else 0))
