"""When two kernels are the same: the id and the skeleton of a Python source, and the split it decides.

Both are hashes of the parsed source with every name that the source itself defines replaced by its
number in order of first appearance, without comments and docstrings. The id keeps literals, the
skeleton keeps only their types; a signed literal counts as one literal.

The tree is written down by the list of node kinds below and not by `ast.dump`, whose text changes
between Python versions. Needs nothing outside the standard library. Not covered: types are not
inferred, so equally named members of two structs are one name, a member may not be named like a
component of a vector, and the program's own functions are called without keywords.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

DIGITS = 16

# What is written of each kind of node, in this order; kinds that hold names or literals are written by
# the methods in `WRITERS`. Positions, contexts (load or store), type comments and fields that only some
# Python versions have are left out.
FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Import: ("names",),
    ast.alias: ("name", "asname"),
    ast.arguments: ("args", "defaults"),
    ast.Assign: ("targets", "value"),
    ast.AnnAssign: ("target", "annotation", "value"),
    ast.AugAssign: ("target", "op", "value"),
    ast.Expr: ("value",),
    ast.If: ("test", "body", "orelse"),
    ast.For: ("target", "iter", "body", "orelse"),
    ast.While: ("test", "body", "orelse"),
    ast.Return: ("value",),
    ast.Call: ("func", "args", "keywords"),
    ast.keyword: ("arg", "value"),
    ast.Subscript: ("value", "slice"),
    ast.Slice: ("lower", "upper", "step"),
    ast.Tuple: ("elts",),
    ast.BinOp: ("left", "op", "right"),
    ast.BoolOp: ("op", "values"),
    ast.Compare: ("left", "ops", "comparators"),
    ast.IfExp: ("test", "body", "orelse"),
}

# Kinds that say everything by their name.
ATOMS = (
    *(ast.Break, ast.Continue, ast.Pass),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult),
    *(ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor),
    *(ast.UAdd, ast.USub, ast.Not, ast.Invert, ast.And, ast.Or),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
FIELDS.update(dict.fromkeys(ATOMS, ()))

# Attributes that belong to Warp's vectors and arrays; a struct member of that name would be ambiguous.
COMPONENTS = frozenset("xyzw") | {"shape", "dtype"}


class SkeletonError(ValueError):
    """A source with a construct that the list of node kinds does not know. The message names it."""


@dataclass(frozen=True)
class Identity:
    """The two hashes of one source, 16 hexadecimal digits each."""

    id: str
    skeleton: str


def identify(source: str) -> Identity:
    """The id and the skeleton of a Python module. Raises `SkeletonError` for an unknown kind of node."""
    writer = _Writer(ast.parse(source))
    words = writer.words
    exact = _digest(words)
    for position, type_name in writer.literals:
        words[position] = type_name
    return Identity(exact, _digest(words))


def kernel_id(source: str) -> str:
    """16 hexadecimal digits that are the same for the same kernel under other names."""
    return identify(source).id


def skeleton(source: str) -> str:
    """16 hexadecimal digits that are the same for the same kernel under other names and literals."""
    return identify(source).skeleton


def split_of(skeleton: str) -> str:
    """`train`, `validation` or `test`: eight, one and one of ten buckets of a hash of the skeleton."""
    bucket = int.from_bytes(hashlib.sha256(f"split {skeleton}".encode()).digest()[:8], "big") % 10
    return {8: "validation", 9: "test"}.get(bucket, "train")


def _digest(words: list[str]) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:DIGITS]


class _Writer:
    """Writes a tree as words, names renumbered; remembers which words are literals, and their types."""

    def __init__(self, module: ast.Module) -> None:
        self.words: list[str] = []
        self.literals: list[tuple[int, str]] = []
        # A use may come before the definition (a kernel above its function), so these are known first.
        self.own_globals = frozenset(_global_names(module))
        self.own_members = frozenset(_member_names(module))
        self.numbers = 0
        self.globals: dict[str, str] = {}
        self.members: dict[str, str] = {}
        self.locals: dict[str, str] | None = None
        self.write(module)

    def write(self, node: ast.AST) -> None:
        WRITERS.get(type(node), _Writer.plain)(self, node)

    def plain(self, node: ast.AST) -> None:
        """The kind, then each of its fields, between parentheses."""
        kind = type(node)
        fields = FIELDS.get(kind)
        if fields is None:
            line = getattr(node, "lineno", "?")
            raise SkeletonError(f"line {line}: {kind.__name__} is not a kind of node that skeletons know")
        words = self.words
        words.append(kind.__name__)
        if not fields:
            return
        words.append("(")
        for field in fields:
            value = getattr(node, field)
            if isinstance(value, ast.AST):
                self.write(value)
            elif isinstance(value, list):
                self.sequence(value)
            else:
                words.append("-" if value is None else value)
        words.append(")")

    def sequence(self, nodes: list) -> None:
        self.words.append("[")
        for node in nodes:
            self.write(node)
        self.words.append("]")

    # ---- names

    def number(self, name: str, scope: dict[str, str]) -> str:
        if name not in scope:
            scope[name] = f"${self.numbers}"
            self.numbers += 1
        return scope[name]

    def own_name(self, name: str) -> str:
        """What a name that is read stands for: a local, a global, or a word of the language."""
        if self.locals is not None and name in self.locals:
            return self.locals[name]
        return self.number(name, self.globals) if name in self.own_globals else name

    def name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            scope = self.globals if self.locals is None else self.locals
            self.words.append(self.number(node.id, scope))
        else:
            self.words.append(self.own_name(node.id))

    def attribute(self, node: ast.Attribute) -> None:
        own = node.attr in self.own_members and not _is_warp(node.value)
        attr = self.number(node.attr, self.members) if own else node.attr
        self.words.append("Attribute (")
        self.write(node.value)
        self.words.append(attr)
        self.words.append(")")

    # ---- definitions

    def function(self, node: ast.FunctionDef) -> None:
        _refuse_other_arguments(node)
        self.words.append("FunctionDef (")
        self.sequence(node.decorator_list)
        self.words.append(self.number(node.name, self.globals))
        self.locals = {}
        self.write(node.args)
        self.write(node.returns or ast.Pass())
        self.sequence(_without_docstring(node.body))
        self.words.append(")")
        self.locals = None

    def argument(self, node: ast.arg) -> None:
        self.words.append("arg (")
        if node.annotation is not None:
            self.write(node.annotation)
        assert self.locals is not None
        self.words.append(self.number(node.arg, self.locals))
        self.words.append(")")

    def struct(self, node: ast.ClassDef) -> None:
        self.words.append("ClassDef (")
        self.sequence(node.decorator_list)
        self.words.append(self.number(node.name, self.globals))
        self.sequence(node.bases)
        for member in _without_docstring(node.body):
            if not isinstance(member, ast.AnnAssign) or not isinstance(member.target, ast.Name):
                raise SkeletonError(f"line {member.lineno}: a struct holds annotated members only")
            if member.target.id in COMPONENTS:
                raise SkeletonError(f"line {member.lineno}: a member may not be named {member.target.id!r}")
            self.words.append(self.number(member.target.id, self.members))
            self.write(member.annotation)
        self.words.append(")")

    def module(self, node: ast.Module) -> None:
        self.sequence(_without_docstring(node.body))

    # ---- literals

    def constant(self, node: ast.Constant) -> None:
        self.literal(node.value, "")

    def unary(self, node: ast.UnaryOp) -> None:
        value = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if type(value) in (int, float) and isinstance(node.op, (ast.USub, ast.UAdd)):
            self.literal(value, "-" if isinstance(node.op, ast.USub) else "")
        else:
            self.words.append("UnaryOp")
            self.write(node.op)
            self.write(node.operand)

    def literal(self, value: object, sign: str) -> None:
        if isinstance(value, (bool, int, float)):
            self.literals.append((len(self.words), f"<{type(value).__name__}>"))
            self.words.append(f"<{type(value).__name__}> {sign}{value!r}")
        elif value is None or isinstance(value, str):
            self.words.append(ascii(value))
        else:
            raise SkeletonError(f"a literal of type {type(value).__name__} is not one that skeletons know")


WRITERS: dict[type[ast.AST], Callable[[_Writer, Any], None]] = {
    ast.Module: _Writer.module,
    ast.FunctionDef: _Writer.function,
    ast.ClassDef: _Writer.struct,
    ast.arg: _Writer.argument,
    ast.Name: _Writer.name,
    ast.Attribute: _Writer.attribute,
    ast.Constant: _Writer.constant,
    ast.UnaryOp: _Writer.unary,
}


def _refuse_other_arguments(node: ast.FunctionDef) -> None:
    args = node.args
    if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg:
        raise SkeletonError(f"line {node.lineno}: {node.name} has arguments other than plain ones")


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    is_text = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return body[1:] if is_text else body


def _is_warp(node: ast.expr) -> bool:
    """Whether a dotted name starts with `wp`, as `wp.types` does."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "wp"


def _global_names(module: ast.Module) -> Iterator[str]:
    """The functions, structs and aliases that a module defines."""
    for node in module.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _member_names(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                    yield member.target.id
