"""Reads the types in a module: ``float``, ``wp.vec3d``, an alias, a struct, an array."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass

from ...types import (
    FLOATS,
    SCALARS,
    SPATIAL,
    Array,
    Matrix,
    Quaternion,
    Scalar,
    Struct,
    Transform,
    Type,
    Value,
    Vector,
    shaped,
    stem,
)
from .folding import whole
from .namespaces import Namespace, decorated
from .refusals import Unreadable, at, quoted

__all__ = ["Annotations", "Open", "Unreadable", "at"]

_BY_SUFFIX = {row.suffix: name for name, row in SCALARS.items() if row.suffix}
_BY_SUFFIX[""] = next(name for name, row in SCALARS.items() if row.implied)
# Warp also has functions with the names of Python's types.
_BY_NAME = {
    f"{module}.{row.python}": name
    for name, row in SCALARS.items()
    if row.python
    for module in ("builtins", "warp")
    if (module, row.python) != ("warp", name)
}
_COMPOSED = re.compile(r"(vec|mat)(\d)(\d?)([a-z]*)")
_SPECIAL: dict[str, Value] = {
    stem(made) + suffix: made
    for scalar in FLOATS
    for made in (
        Quaternion(scalar),
        Transform(scalar),
        Vector(scalar, SPATIAL),
        Matrix(scalar, SPATIAL, SPATIAL),
    )
    for suffix in (SCALARS[scalar].suffix, *([""] if SCALARS[scalar].implied else []))
}
_ARRAY = re.compile(r"warp\.array([1-4]?)d?")
MOST_DIMENSIONS = 4
MOST_COMPONENTS = 1024  # of a vector or matrix: the tree lists each


@dataclass(frozen=True)
class Open:
    """An annotation that leaves the type open: any type, or an array of `ndim` dimensions of any type."""

    ndim: int = 0

    def takes(self, type: Type) -> bool:
        return not self.ndim or (isinstance(type, Array) and type.ndim == self.ndim)


class Annotations:
    """Reads the types that a module names, and counts their syntax."""

    def __init__(self) -> None:
        self.structs: dict[str, Struct] = {}
        self.lines: dict[str, int] = {}  # where structs are defined
        self.subscripts: list[bool] = []  # for each array: whether it is written wp.array[...]
        self.full_names: list[bool] = []  # for each scalar with a Python name: whether it has Warp's name
        self._open: set[int] = set()  # names that are being looked up

    def annotation(self, node: ast.expr, namespace: Namespace) -> Type | Open:
        """The declared type of a parameter. Raises `Unreadable` for an unknown type."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.annotation(_parsed(node, node.value), namespace)
        if namespace.path(node) == "typing.Any":
            return Open()
        ndim = self._array_of_any(node, namespace)
        if ndim is not None:
            return Open(ndim)
        found = self.constructed(node, namespace)
        if found is None:
            raise at(node, f"the type {quoted(node)}")
        return found

    def type(self, node: ast.expr, namespace: Namespace) -> Type:
        found = self.annotation(node, namespace)
        if isinstance(found, Open):
            raise at(node, f"the type {quoted(node)}, which is known only where it is used")
        return found

    def constructed(self, node: ast.expr, namespace: Namespace) -> Type | None:
        """The type that an expression names; None if it names none."""
        match node:
            case ast.Name() | ast.Attribute():
                return self._named(node, namespace)
            case ast.Call(func=func):
                return self._from_call(node, namespace.path(func) or "", namespace)
            case ast.Subscript(value=value, slice=part):
                match = _ARRAY.fullmatch(namespace.path(value) or "")
                if match is None:
                    return None
                element, ndim = _element_and_dimensions(part, namespace)
                self.subscripts.append(True)
                return self._array(element, ndim or int(match[1] or 1), namespace)
            case _:
                return None

    def struct(self, node: ast.ClassDef, namespace: Namespace) -> Struct | None:
        """The struct that a class defines; None if it defines none."""
        if node.name in self.structs and self.lines[node.name] == node.lineno:
            return self.structs[node.name]
        if [namespace.path(decorator) for decorator in node.decorator_list] != ["warp.struct"] or node.bases:
            return None
        if node.name in self.structs:
            raise at(node, f"a second struct {node.name}")
        members: list[tuple[str, Type]] = []
        for member in node.body:
            match member:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                    members.append((name, self.type(annotation, namespace)))
                case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                    pass
                case ast.FunctionDef() if decorated(member, "warp.func", namespace):
                    pass  # a method; read where it is called
                case _:
                    raise at(member, f"{node.name} holds something other than annotated members and methods")
        self.structs[node.name], self.lines[node.name] = Struct(node.name, tuple(members)), node.lineno
        return self.structs[node.name]

    def _named(self, node: ast.Name | ast.Attribute, namespace: Namespace) -> Type | None:
        path = namespace.path(node)
        if path is not None:
            if path in _BY_NAME:
                self.full_names.append(False)
                return Scalar(_BY_NAME[path])
            name = path.removeprefix("warp.").removeprefix("types.") if path.startswith("warp.") else ""
            if name in SCALARS:
                if SCALARS[name].python:
                    self.full_names.append(True)
                return Scalar(name)
            return _built_in(name)
        if not isinstance(node, ast.Name) or id(node) in self._open:
            return None
        binding = namespace.only_binding(node.id)
        self._open.add(id(node))
        try:
            match binding and binding.node:
                case ast.ClassDef() as definition if binding:
                    return self.struct(definition, binding.namespace)
                case ast.expr() as value if binding and not (
                    isinstance(value, ast.Constant) and isinstance(value.value, str)
                ):
                    return self.constructed(value, binding.namespace)
                case _:
                    return None
        finally:
            self._open.discard(id(node))

    def _from_call(self, node: ast.Call, path: str, namespace: Namespace) -> Type | None:
        """``wp.types.vector(length=3, dtype=float)``, ``wp.array(dtype=float, ndim=2)`` and their like."""
        options: dict[str | None, ast.expr] = {option.arg: option.value for option in node.keywords}
        if match := _ARRAY.fullmatch(path):
            if node.args or "dtype" not in options or set(options) - {"dtype", "ndim"}:
                raise at(node, "an array with options other than dtype and ndim")
            ndim = whole(options["ndim"], namespace) if "ndim" in options else int(match[1] or 1)
            self.subscripts.append(False)
            return self._array(options["dtype"], ndim, namespace)
        size = {"warp.types.vector": "length", "warp.types.matrix": "shape"}.get(path)
        if size is None:
            return None
        options |= dict(zip((size, "dtype"), node.args, strict=False))
        if set(options) != {size, "dtype"}:
            return None
        count_before = len(self.full_names)
        scalar, part = self.constructed(options["dtype"], namespace), options[size]
        del self.full_names[count_before:]  # the syntax in a definition does not count as style
        if not isinstance(scalar, Scalar):
            raise at(node, f"the type {quoted(node)}")
        lengths = part.elts if isinstance(part, ast.Tuple) else [part]
        shape = tuple(whole(length, namespace) for length in lengths)
        dimensions = 1 if size == "length" else 2
        if len(shape) != dimensions or min(shape) < 1 or math.prod(shape) > MOST_COMPONENTS:
            raise at(node, f"the type {quoted(node)}")
        return shaped(scalar.scalar, shape)

    def _array(self, element: ast.expr, ndim: int, namespace: Namespace) -> Array:
        of = self.type(element, namespace)
        if isinstance(of, Array) or not 1 <= ndim <= MOST_DIMENSIONS:
            raise at(element, f"an array of {ndim} dimensions, or of arrays")
        return Array(of, ndim)

    def _array_of_any(self, node: ast.expr, namespace: Namespace) -> int | None:
        """The dimensions of ``wp.array(dtype=Any)``; None for other annotations."""
        match node:
            case ast.Call(func=func, args=[], keywords=keywords):
                options = {option.arg: option.value for option in keywords}
                element, ndim = (
                    options.get("dtype"),
                    whole(options["ndim"], namespace) if "ndim" in options else 0,
                )
            case ast.Subscript(value=func, slice=part):
                element, ndim = _element_and_dimensions(part, namespace)
            case _:
                return None
        match = _ARRAY.fullmatch(namespace.path(func) or "")
        if match is None or element is None or namespace.path(element) != "typing.Any":
            return None
        return ndim or int(match[1] or 1)


def _element_and_dimensions(part: ast.expr, namespace: Namespace) -> tuple[ast.expr, int]:
    """``float`` or ``float, Literal[2]`` in the brackets of an array; 0 without dimensions."""
    match part:
        case ast.Tuple(elts=[element, ast.Subscript(slice=ndim)]) | ast.Tuple(elts=[element, ndim]):
            return element, whole(ndim, namespace)
        case _:
            return part, 0


def _built_in(name: str) -> Value | None:
    if name in _SPECIAL:
        return _SPECIAL[name]
    match = _COMPOSED.fullmatch(name)
    if match is None or match[4] not in _BY_SUFFIX:
        return None
    kind, rows, columns, suffix = match.groups()
    if (kind == "mat") != bool(columns):
        return None
    return shaped(_BY_SUFFIX[suffix], (int(rows), int(columns)) if columns else (int(rows),))


def _parsed(node: ast.expr, text: str) -> ast.expr:
    """An annotation that is a string, at the string's place."""
    try:
        parsed = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError):  # of a lone surrogate, and of the parser's own stack
        raise at(node, f"the type {text[:80]!a}") from None
    for inner in ast.walk(parsed):
        ast.copy_location(inner, node)
    return parsed
