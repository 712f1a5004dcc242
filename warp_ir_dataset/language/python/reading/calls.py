"""Reads calls of built-ins, constructors and the program's own functions, and their effects."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from ... import ir, walks
from ...operations.row import Operation
from ...operations.spelling import Function
from ...operations.table import TABLE, changed_by, result_type
from ...operations.traits import CHOICES
from ...types import (
    BOOL,
    FLOAT,
    INT,
    SCALARS,
    Array,
    Quaternion,
    Scalar,
    Struct,
    Transform,
    Type,
    Value,
    shaped,
)
from ..writing.expression_text import is_known
from . import rows
from .expressions import Expressions, Local
from .folding import number, whole
from .literals import retyped, typed
from .modules import Module
from .namespaces import Namespace
from .refusals import at, describe, quoted

_SIZED = ("warp.vector", "warp.matrix", "warp.types.vector", "warp.types.matrix")
# Constructors that take the type of a component from their operands.
_UNTYPED: Mapping[str, Callable[[str], Value]] = {
    "warp.quaternion": Quaternion,
    "warp.transformation": Transform,
}
_CONSTANT = ("warp.static", "warp.constant")
# Names of locals for the result of an effect: an array's element before it, or a random number.
BEFORE = ("before", "previous", "earlier")
DRAWN = ("drawn", "draw", "variate", "sample")


class Calls(Expressions):
    """Reads calls. An effect becomes a statement of its own, before the one that is being read."""

    def __init__(
        self, module: Module, namespace: Namespace, scope: dict[str, Local], *, in_kernel: bool
    ) -> None:
        super().__init__(module, namespace, scope)
        self.in_kernel = in_kernel
        self.generic = False  # whether this is a generic function
        self.alone: ast.expr | None = None  # the whole value of the statement that is being read
        self.aliases: dict[str, str] = {}  # for locals that are arrays: the arrays that they are part of

    def call(self, node: ast.Call) -> ir.Expr:
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            raise at(node, "Starred as a value")
        path = self.import_path(node.func)
        if path in _CONSTANT and len(node.args) == 1 and not node.keywords:
            return self.static_value(node.args[0], static=path == "warp.static")
        if path == "builtins.len" and len(node.args) == 1:
            return self.length(node)
        if path in _SIZED:
            return self.sized(node, path.rpartition(".")[2])
        if path is not None and path in _UNTYPED:
            return self.type_from_operands(node, _UNTYPED[path])
        constructed_type = self.type_of(node.func)
        if constructed_type is not None:
            found = self.constructed(node, constructed_type)
            return _literal_in(found) if self.generic and isinstance(node.func, ast.Call) else found
        if path is not None and path.partition(".")[0] in ("warp", "builtins"):
            return self.built_in(node, path.partition(".")[2])
        definitions = self.module.definitions(node.func, self.namespace, set(self.scope))
        if not definitions:
            raise at(node.func, f"a call of {quoted(node.func)}")
        operands = [self.expression(argument) for argument in node.args]
        named = {k.arg: self.expression(k.value) for k in node.keywords if k.arg is not None}
        return self.module.call(node, definitions, operands, named)

    def static_value(self, node: ast.expr, *, static: bool) -> ir.Expr:
        """The operand of ``wp.static``: a constant's name, or arithmetic of constants; no local."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id in self.scope:
                raise at(inner, f"{inner.id}, a local, in wp.static")
        if not isinstance(node, ast.Name):
            return typed(number(node, self.namespace))
        found = self.name(node)
        if static and isinstance(found, ir.Name) and isinstance(found.type, Scalar):
            self.module.static.add(found.name)
        return found

    def length(self, node: ast.Call) -> ir.Expr:
        of = self.expression(node.args[0])
        if isinstance(of.type, Array):
            return ir.Shape(of, 0)
        if not of.type.shape:
            raise at(node, f"the length of {describe(of.type)}")
        return ir.Literal(of.type.shape[0], INT)

    # ---- built-ins

    def built_in(self, node: ast.Call, name: str) -> ir.Expr:
        if name == "tid":
            return self.thread(node)
        found = rows.function(name)
        if not found:
            raise at(node.func, f"wp.{name}, which is not in the table of operations")
        seen = set(self.seen)
        syntax = found[0].spelling
        if isinstance(syntax, Function) and syntax.named:
            return self.from_type(node, found, syntax.named)
        operands = [self.expression(argument) for argument in self.positional(node, name, found)]
        if operands and found[0].name in CHOICES:
            operands[0] = self.truth(node.args[0] if node.args else node, operands[0])
        applied = self.applied(node, found, operands, f"wp.{name}")
        return self.with_effect(node, applied, seen) if changed_by(applied) else applied

    def positional(self, node: ast.Call, name: str, found: Sequence[Operation]) -> list[ast.expr]:
        """The arguments of a built-in in order, including those passed by name."""
        arguments = {keyword.arg: keyword.value for keyword in node.keywords}
        names = rows.named_operands(found, len(node.args), [str(key) for key in arguments])
        placed = [arguments.pop(parameter) for parameter in names]
        if arguments:
            raise at(node, f"wp.{name} with {', '.join(str(key) for key in arguments)} given by name")
        return [*node.args, *placed]

    def from_type(self, node: ast.Call, found: Sequence[Operation], named: tuple[str, ...]) -> ir.Apply:
        """A built-in whose arguments only determine the type of its result."""
        keys = [key.rstrip("?") for key in named]
        arguments: dict[str | None, ast.expr] = dict(zip(keys, node.args, strict=False))
        arguments |= {keyword.arg: keyword.value for keyword in node.keywords}
        dtype = self.type_of(arguments["dtype"]) if "dtype" in arguments else FLOAT
        side = whole(arguments["n"], self.namespace) if "n" in arguments else None
        for row in found if set(arguments) <= set(keys) else ():
            for result in row.signature.gives(()):
                if result.element == dtype and (side is None or result.shape[0] == side):
                    return ir.Apply(row.name, (), result)
        raise at(node, f"{quoted(node)}, whose type is not known")

    def thread(self, node: ast.Call) -> ir.Expr:
        """``wp.tid()`` inside an expression."""
        if node.args or not self.in_kernel or self.before is None:
            raise at(node, "wp.tid() where it cannot be made a statement of its own")
        index = self.fresh("thread", type=INT)
        self.before.append(ir.ThreadIndex((index,)))
        return index

    def with_effect(self, node: ast.Call, applied: ir.Apply, seen: set[str]) -> ir.Expr:
        """An operation that changes an operand: the whole value of the statement, or a statement before it if
        the names in `seen`, read so far, do not depend on the operand."""
        if node is self.alone:
            return applied
        changed = {walks.root(operand) for operand in changed_by(applied)}
        if self.before is None:
            raise at(node, f"{quoted(node.func)} where it may not be evaluated")
        if None in changed or self.owners(changed) & self.owners(seen):
            raise at(node, f"{quoted(node.func)} after what it changes was read")
        self.seen = seen
        stems = BEFORE if isinstance(applied.operands[0].type, Array) else DRAWN
        local = self.fresh(*stems, type=applied.type)
        self.before.append(ir.Let(local, applied))
        return local

    def owners(self, names: Iterable[str | None]) -> set[str | None]:
        """The arrays that locals are part of, or the locals themselves."""
        return {self.aliases.get(name, name) if name else name for name in names}

    def fresh(self, *stems: str, type: Type) -> ir.Name:
        return ir.Name(self.module.fresh(*stems), type)

    # ---- constructors

    def constructed(self, node: ast.Call, type: Type) -> ir.Expr:
        if isinstance(type, Struct):
            return self.new_struct(node, type)
        if not isinstance(type, Value) or node.keywords:
            raise at(node, f"{quoted(node.func)} with arguments given by name, or of an array")
        operands = [self.expression(argument) for argument in node.args]
        if isinstance(type, Scalar):
            if len(operands) != 1:
                raise at(node, f"{describe(type)} of {len(operands)} values")
            return self.converted(node, operands[0], type)
        return self.filled(node, type, operands)

    def filled(self, node: ast.Call, type: Value, operands: list[ir.Expr]) -> ir.Expr:
        """A vector, matrix, quaternion or transform; zero without operands, filled with a single one."""
        operands = [retyped(operand, type.element) for operand in operands]
        if not operands and not _makes((), type):
            operands = [ir.Literal(0.0 if type.is_float else 0, type.element)]
        match operands:
            case [ir.Literal() | ir.Name() as each] if each.type == type.element and not _makes(
                (type.element,), type
            ):
                operands *= type.size
        return self.applied(node, rows.MAKERS, operands, describe(type), type)

    def sized(self, node: ast.Call, kind: str) -> ir.Expr:
        """``wp.vector(x, y)`` and ``wp.vector(length=2, dtype=float)``, and the same of matrices."""
        arguments = {keyword.arg: keyword.value for keyword in node.keywords}
        size = arguments.pop("length" if kind == "vector" else "shape", None)
        dtype = arguments.pop("dtype", None)
        operands = [self.expression(argument) for argument in node.args]
        scalar = operands[0].type if dtype is None and operands else dtype and self.type_of(dtype)
        if size is not None:
            parts = size.elts if isinstance(size, ast.Tuple) else [size]
            shape = tuple(whole(part, self.namespace) for part in parts)
        else:
            shape = (len(operands),) if kind == "vector" else ()
        if arguments or not isinstance(scalar, Scalar) or len(shape) != (1 if kind == "vector" else 2):
            raise at(node, f"wp.{kind} without a type and a size that are known")
        return self.filled(node, shaped(scalar.scalar, shape), operands)

    def type_from_operands(self, node: ast.Call, make: Callable[[str], Value]) -> ir.Expr:
        """``wp.quaternion(x, y, z, w)`` and ``wp.transformation(p, q)``, of any float."""
        arguments = {keyword.arg: keyword.value for keyword in node.keywords}
        dtype = arguments.pop("dtype", None)
        operands = [self.expression(argument) for argument in node.args]
        types = [operand.type for operand in operands if not isinstance(operand, ir.Literal)]
        elements = [type.element for type in types if isinstance(type, Value)]
        scalar = self.type_of(dtype) if dtype is not None else [*elements, FLOAT][0]
        if arguments or not isinstance(scalar, Scalar) or not scalar.is_float:
            raise at(node, f"{quoted(node)}, whose type is not known")
        return self.filled(node, make(scalar.scalar), operands)

    def new_struct(self, node: ast.Call, type: Struct) -> ir.New:
        operands = [self.expression(argument) for argument in node.args]
        named = {keyword.arg: self.expression(keyword.value) for keyword in node.keywords}
        members = [name for name, _ in type.members]
        for name in members[len(operands) :]:
            if name in named:
                operands.append(named.pop(name))
        if (operands and [o.type for o in operands] != [t for _, t in type.members]) or named:
            raise at(node, f"{type.name} takes {', '.join(describe(t) for _, t in type.members)}")
        return ir.New(type, tuple(operands))

    def converted(self, node: ast.Call, operand: ir.Expr, type: Scalar) -> ir.Expr:
        same = operand.type == type and _converts(type, type)
        if isinstance(operand, ir.Literal) and not (same and type in (FLOAT, INT, BOOL)):
            found = _literal(operand, type)
            if found is not None:
                return found
        if isinstance(operand, ir.Apply) and (direct := self._without_detour(operand, type)) is not None:
            return direct
        constant = is_known(operand) or (isinstance(operand, ir.Name) and operand.name in self.module.static)
        if operand.type == type and not (same and (isinstance(operand, ir.Literal) or not constant)):
            return operand
        if type == BOOL and not _converts(operand.type, type):
            return self.truth(node, operand)
        return self.applied(node, rows.MAKERS, [operand], describe(type), type)

    def _without_detour(self, operand: ir.Apply, type: Scalar) -> ir.Apply | None:
        """The direct conversion of a loop's index, which `write` converts in two steps for Warp."""
        narrow, row = operand.type, TABLE.get(operand.operation)
        if row is None or not row.converts or narrow not in (FLOAT, INT) or type == narrow:
            return None
        (index,) = operand.operands
        if isinstance(index, ir.Name) and index.name in self.indices and narrow.is_float == type.is_float:
            return ir.Apply(operand.operation, (index,), type)
        return None


def _literal_in(node: ir.Expr) -> ir.Expr:
    """The literal in ``type(x)(0.5)``, its form in a generic function."""
    match node:
        case ir.Apply(_, (ir.Literal() as literal,), type) if literal.type == type:
            return literal
    return node


def _converts(operand: Type, type: Type) -> bool:
    return _makes((operand,), type)


def _makes(operands: tuple[Type, ...], type: Type) -> bool:
    return any(result_type(row.name, operands, type) is not None for row in rows.MAKERS)


def _literal(operand: ir.Literal, type: Scalar) -> ir.Literal | None:
    """The converted literal; None if Warp converts at run time."""
    value, before = operand.value, operand.type
    if before.is_float == type.is_float and (before == BOOL) == (type == BOOL):
        return ir.Literal(_wrapped(int(value), type) if type.is_integer else value, type)
    if before == INT and type.is_float and type != FLOAT:
        return ir.Literal(float(value), type)  # exactly, as Warp does it
    return None


def _wrapped(value: int, type: Scalar) -> int:
    """Unsigned integers wrap."""
    if SCALARS[type.scalar].kind != "unsigned":
        return value
    wrapped: int = value % 2 ** (8 * np.dtype(SCALARS[type.scalar].numpy).itemsize)
    return wrapped
