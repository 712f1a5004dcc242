"""Types as the text of a module names them: ``float``, ``wp.vec3d``, an alias, a struct, an array."""

from __future__ import annotations

import ast
import re

from ..types import SCALARS, SPATIAL, Quaternion, Scalar, Struct, Transform, Type, Value, shaped


class Unreadable(ValueError):
    """A source that cannot be read as a program; the message is one line that names the place."""


def at(node: ast.AST, what: str) -> Unreadable:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
    return Unreadable(f"line {line}, column {column}: {what}")


_BY_SUFFIX = {row.suffix: name for name, row in SCALARS.items() if row.suffix}
_BY_SUFFIX[""] = next(name for name, row in SCALARS.items() if row.implied)
_BY_NAME = {row.python: name for name, row in SCALARS.items() if row.python}
_COMPOSED = re.compile(r"(vec|mat)(\d)(\d?)([a-z]*)")
_NAMED = re.compile(r"(quat|transform|spatial_vector|spatial_matrix)([fdh]?)")
_ARRAY = re.compile(r"array([1-4]?)d?")


class Annotations:
    """The types that a module has named so far."""

    def __init__(self) -> None:
        self.aliases: dict[str, Value] = {}
        self.structs: dict[str, Struct] = {}

    def value(self, node: ast.expr) -> Type:
        """A value's type. Raises `Unreadable` for an array's, and for any that is not known."""
        if isinstance(node, ast.Name) and node.id in self.structs:
            return self.structs[node.id]
        found = self.constructed(node)
        if found is None:
            raise at(node, f"the type {ast.unparse(node)}")
        return found

    def constructed(self, node: ast.expr) -> Value | None:
        """The type that an expression names, where it is one of numbers, vectors or matrices."""
        match node:
            case ast.Name(id=name):
                return Scalar(_BY_NAME[name]) if name in _BY_NAME else self.aliases.get(name)
            case ast.Attribute(value=ast.Name(id="wp"), attr=name):
                return Scalar(name) if name in SCALARS else _composed(name)
            case _:
                return None

    def argument(self, node: ast.expr) -> tuple[Type, int]:
        """An argument's type, or that of its elements, and its dimensions (0 for a plain value)."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="wp"), attr=kind), args=[], keywords=options):
                given = {option.arg: option.value for option in options}
                if (match := _ARRAY.fullmatch(kind)) and "dtype" in given:
                    return self.value(given.pop("dtype")), _dimensions(node, match[1], given)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="wp"), attr=kind), slice=element):
                if match := _ARRAY.fullmatch(kind):
                    return self.value(element), int(match[1] or 1)
        return self.value(node), 0

    def alias(self, name: str, node: ast.expr) -> None:
        """``mat23 = wp.types.matrix(shape=(2, 3), dtype=wp.float32)`` and the like."""
        text = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        options = (
            {o.arg: o.value for o in node.keywords} if isinstance(node, ast.Call) and not node.args else {}
        )
        length = options.get("length") if text == "wp.types.vector" else options.get("shape")
        scalar = self.constructed(options["dtype"]) if "dtype" in options else None
        if (
            text not in ("wp.types.vector", "wp.types.matrix")
            or length is None
            or not isinstance(scalar, Scalar)
        ):
            raise at(node, f"{name} is set to something that is no vector or matrix type")
        shape = ast.literal_eval(length)
        self.aliases[name] = shaped(scalar.scalar, shape if isinstance(shape, tuple) else (shape,))

    def struct(self, node: ast.ClassDef) -> Struct:
        if [ast.unparse(decorator) for decorator in node.decorator_list] != ["wp.struct"] or node.bases:
            raise at(node, f"the class {node.name} is no struct")
        members: list[tuple[str, Value]] = []
        for member in node.body:
            match member:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                    type = self.value(annotation)
                    if isinstance(type, Struct):
                        raise at(member, f"{name} is a struct within a struct")
                    members.append((name, type))
                case ast.Expr(value=ast.Constant(value=str())):
                    pass
                case _:
                    raise at(member, f"{node.name} holds something other than annotated members")
        self.structs[node.name] = Struct(node.name, tuple(members))
        return self.structs[node.name]


def _composed(name: str) -> Value | None:
    if match := _NAMED.fullmatch(name):
        return _named(match[1], _BY_SUFFIX[match[2]])
    match = _COMPOSED.fullmatch(name)
    if match is None or match[4] not in _BY_SUFFIX:
        return None
    kind, rows, columns, suffix = match.groups()
    if (kind == "mat") != bool(columns):
        return None
    return shaped(_BY_SUFFIX[suffix], (int(rows), int(columns)) if columns else (int(rows),))


def _named(kind: str, scalar: str) -> Value:
    match kind:
        case "quat":
            return Quaternion(scalar)
        case "transform":
            return Transform(scalar)
        case "spatial_vector":
            return shaped(scalar, (SPATIAL,))
        case _:
            return shaped(scalar, (SPATIAL, SPATIAL))


def _dimensions(node: ast.expr, in_name: str, options: dict[str | None, ast.expr]) -> int:
    ndim = options.pop("ndim", None)
    if options or (ndim is not None and not isinstance(ndim, ast.Constant)):
        raise at(node, "an array with options other than dtype and ndim")
    return int(ast.literal_eval(ndim)) if ndim is not None else int(in_name or 1)
