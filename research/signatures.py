"""Warp's own built-ins against the table of operations.

``python research/signatures.py`` counts, by group of Warp's reference, the built-ins that have a row, and
names those that have none. A built-in is a function of Warp's registry that is not hidden, overloads counted
once; 22 of them are not in Warp's stub (`warp/__init__.pyi`), being variadic or written in Python, and a
second count leaves them out. A built-in has a row where a row is written as that function, as the operator
that stands for it, or as the constructor of the type of this name.

``python research/signatures.py "Quaternion Math"`` prints, for each overload of a group, a line to start a
row from, in the notation of `language/operations/signatures.py`. What that has no word for is left as the
stub has it, and a letter may have to be narrowed or renamed: the stub says ``Any`` for every length.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

import warp
from warp._src.context import builtin_functions

from warp_ir_dataset.language.operations.row import Operation
from warp_ir_dataset.language.operations.spelling import Conditional, Function, Infix, Prefix, Subscript
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.types import (
    SCALARS,
    Matrix,
    Quaternion,
    Transform,
    Type,
    Vector,
    full_name,
    is_spatial,
)

OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
    "&": "bit_and", "|": "bit_or", "^": "bit_xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
PREFIXES = {"-": "neg", "+": "pos", "~": "invert", "not ": "unot"}
LETTERS = {"Float": "F", "Int": "I", "Scalar": "T", "DTypeFloat": "F", "DTypeScalar": "T"}
KINDS = {
    "Vector": "vec",
    "Matrix": "mat",
    "Quaternion": "quat",
    "Transformation": "transform",
    "Array": "array",
}
PLAIN = {"int": "int32", "float": "float32", "_builtins.bool": "bool", "bool": "bool"}


def stub() -> list[ast.FunctionDef]:
    """The functions of Warp's stub, each overload by itself."""
    tree = ast.parse((Path(warp.__file__).parent / "__init__.pyi").read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def groups() -> dict[str, list[str]]:
    """The names of built-ins, by group."""
    found: dict[str, list[str]] = {}
    for name, function in builtin_functions.items():
        overloads = getattr(function, "overloads", None) or [function]
        if not all(overload.hidden for overload in overloads):
            found.setdefault(function.group, []).append(name)
    return found


def covered() -> set[str]:
    """The built-ins that rows are written as."""
    return {name for row in TABLE.values() for name in _written(row)}


def _written(row: Operation) -> Iterator[str]:
    match row.spelling:
        case Function(""):
            yield from {_constructor(result) for _, result in row.signature.instances}
        case Function(name):
            yield name.removeprefix("wp.")
        case Infix(symbol):
            yield OPERATORS.get(symbol, "")
        case Prefix(symbol):
            yield PREFIXES[symbol]
        case Conditional():
            yield "where"
        case Subscript():
            yield "extract"


def _constructor(made: Type) -> str:
    """The built-in that makes values of a type."""
    match made:
        case Vector():
            return "spatial_vector" if is_spatial(made) else "vector"
        case Matrix():
            return "matrix"
        case Quaternion():
            return "quaternion"
        case Transform():
            return "transformation"
        case _:
            return full_name(made)


def missing() -> dict[str, list[str]]:
    """The built-ins that have no row, by group."""
    rows = covered()
    return {group: [name for name in names if name not in rows] for group, names in groups().items()}


# ---- lines


def lines(group: str) -> list[str]:
    """A signature for each overload of a group's built-ins."""
    return list(dict.fromkeys(_line(node) for node in stub() if builtin_functions[node.name].group == group))


def _line(node: ast.FunctionDef) -> str:
    operands = [_type(argument.annotation) for argument in node.args.args]
    optional = len(node.args.defaults)
    if node.args.vararg:
        operands.append(f"*{_type(node.args.vararg.annotation)}")
    told = f"{node.name}({', '.join(operands)}) -> {_type(node.returns)}"
    return told + f"  # the last {optional} may be left out" * bool(optional)


def _type(node: ast.expr | None) -> str:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr()) if ast.unparse(node).split(" | ")[-1] in PLAIN:
            return _type(left)
        case ast.Name(id=name):
            return LETTERS.get(name) or PLAIN.get(name) or _named(name)
        case ast.Subscript(value=ast.Name(id=kind), slice=inside) if kind in KINDS:
            scalar, *sides = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            letters = [_side(side, letter) for side, letter in zip(sides, "NM", strict=False)]
            if kind == "Array":
                return f"array<D,{_type(scalar)}>"
            return f"{KINDS[kind]}<{','.join([*letters[::-1], _type(scalar)])}>"
        case None:
            return "?"
        case _:
            return ast.unparse(node)


def _side(node: ast.expr, letter: str) -> str:
    return ast.unparse(node.slice) if isinstance(node, ast.Subscript) else letter


def _named(name: str) -> str:
    """``vec3f`` as ``vec3<float32>``."""
    for scalar, row in SCALARS.items():
        if row.suffix and name.endswith(row.suffix):
            stem = name.removesuffix(row.suffix)
            if stem in ("quat", "transform") or stem.startswith(("vec", "mat")):
                return f"{stem}<{scalar}>"
    return name


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("group", nargs="?", help="print the lines of this group")
    group = parser.parse_args().group
    if group:
        print("\n".join(lines(group)))
        return
    every, without = groups(), missing()
    for name in every:
        print(f"{name}: {len(every[name]) - len(without[name])} of {len(every[name])}")
        if without[name]:
            print(f"    none: {' '.join(sorted(without[name]))}")
    for what, kept in (("all", builtin_functions.keys()), ("in the stub", {node.name for node in stub()})):
        total, lacking = (
            sum(name in kept for names in found.values() for name in names) for found in (every, without)
        )
        print(f"{what}: {total - lacking} of {total}")


if __name__ == "__main__":
    main()
