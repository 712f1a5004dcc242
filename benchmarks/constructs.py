"""How often rows use each plain construct of people's code: ``python benchmarks/constructs.py FILES``.

Plain is what needs no handle of the host: tiles, queries, volumes and textures are not counted. A construct
is looked for in the Python sources alone, in what runs on the device: kernels and the functions beside them.
The exit status is 1 where a construct is in fewer of 5,000 rows than is asked, and so many are given.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
from support.files import parquet_file
from tqdm import tqdm

ROWS = 5_000
USUAL, RARE = 20, 5  # rows of so many

# fmt: off
ASKED = {
    **dict.fromkeys((
        "constant of the module", "parameter of any type", "array of any type", "function takes an array",
        "method of a struct", "a[i] += x", "member of a member", "three thread indices", "*=",
        "wp.PI and kin", "**", "constant of a closure", "tuple unpacking", "chained comparison",
        "wp.float32(x)", "v.x", "keyword argument", "wp.static", "array of structs", "struct as argument",
        "loop bound from an element or a member", "v[i] = x", "m[i, j] = x", "identity", "matrix constructor",
        "type(x)(...)", "function returns nothing", "function returns several values", "slice", "view",
        "while True", "random numbers", "noise", "quaternion", "transform",
    ), USUAL),
    **dict.fromkeys((
        "enumeration", "pass", "wp.atomic_exch", "wp.atomic_cas", "four thread indices", "wp.printf",
    ), RARE),
}
_NUMBERS = {
    name for stem in ("pi", "half_pi", "tau", "e", "phi", "ln2", "ln10", "log2e", "log10e")
    for name in (stem, stem.upper())
}
# fmt: on
MATRIX = re.compile(r"(wp\.)?mat[2-9]\w*|wp\.(types\.)?matrix|wp\.matrix_from_(rows|cols)")
_RANDOM = ("wp.rand", "wp.sample_", "wp.poisson")
_NOISE = ("wp.noise", "wp.pnoise", "wp.curlnoise")


class Source:
    """One module: its structs, enumerations, constants, and what runs on the device."""

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        nodes = list(ast.walk(tree))
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        self.structs = {c.name: dict(_members(c)) for c in classes if "wp.struct" in _decorators(c)}
        self.enumerations = {c.name for c in classes if _bases(c) & {"IntEnum", "IntFlag"}}
        self.kernels = [f for f in functions if "wp.kernel" in _decorators(f)]
        self.functions = [f for f in functions if "wp.func" in _decorators(f)]
        self.methods = {
            f for c in classes if c.name in self.structs for f in c.body if isinstance(f, ast.FunctionDef)
        }
        self.constants = set(_assigned(tree.body))
        self.closures: set[str] = set()
        for function in functions:
            if function not in self.kernels and function not in self.functions:
                self.closures |= {a.arg for a in function.args.args} | set(_assigned(function.body))


class Body:
    """One kernel or function: what its names hold, as far as its text says it."""

    def __init__(self, source: Source, function: ast.FunctionDef) -> None:
        self.source = source
        self.function = function
        self.nodes = [node for statement in function.body for node in ast.walk(statement)]
        self.annotations = {a.arg: a.annotation for a in function.args.args if a.annotation is not None}
        self.values: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.values.setdefault(name, []).append(value)

    def dimensions(self, node: ast.expr, depth: int = 4) -> int:
        """Of the array that an expression is; 0 for what is none."""
        match node:
            case ast.Name(id=name) if name in self.annotations:
                return array(self.annotations[name])[0]
            case ast.Name(id=name) if depth and len(self.values.get(name, ())) == 1:
                return self.dimensions(self.values[name][0], depth - 1)
            case ast.Attribute(attr=attr):
                found = (members[attr] for members in self.source.structs.values() if attr in members)
                return max((array(annotation)[0] for annotation in found), default=0)
            case ast.Subscript(value=base, slice=index) if (whole := self.dimensions(base, depth)) > 0:
                return whole - sum(not isinstance(part, ast.Slice) for part in _parts(index))
        return 0

    def holds_element(self, node: ast.expr, depth: int = 2) -> bool:
        """Whether an element of an array, or a member of a struct, decides a value."""
        for inner in ast.walk(node):
            match inner:
                case ast.Subscript(value=base) if self.dimensions(base) and not self.dimensions(inner):
                    return True
                case ast.Attribute(attr=attr) if any(attr in m for m in self.source.structs.values()):
                    return True
                case ast.Name(id=name) if depth and len(self.values.get(name, ())) == 1:
                    if self.holds_element(self.values[name][0], depth - 1):
                        return True
        return False


def constructs(text: str) -> set[str]:
    """The constructs, of those in `ASKED`, that a module's source uses."""
    source = Source(text)
    found = set(_of_signatures(source))
    for function in [*source.kernels, *source.functions]:
        body = Body(source, function)
        for node in body.nodes:
            found |= set(_of_operators(node, body))
            found |= set(_of_statement(node, body))
            found |= set(_of_name(node, body))
            if isinstance(node, ast.Call):
                found |= set(_of_call(node, body))
    return found


def _of_signatures(source: Source) -> Iterator[str]:
    for function in [*source.kernels, *source.functions]:
        arguments = function.args.args[function in source.methods :]
        for annotation in (a.annotation for a in arguments if a.annotation is not None):
            ndim, element = array(annotation)
            if ndim and function in source.functions:
                yield "function takes an array"
            if element == "Any":
                yield "array of any type" if ndim else "parameter of any type"
            if element in source.structs:
                yield "array of structs" if ndim else "struct as argument"
            yield from _of_type(element)
    for members in source.structs.values():
        for annotation in members.values():
            ndim, element = array(annotation)
            if ndim and element in source.structs:
                yield "array of structs"
            yield from _of_type(element)
    for function in source.functions:
        returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
        if not any(value is not None for value in returns):
            yield "function returns nothing"
        if any(isinstance(value, ast.Tuple) for value in returns):
            yield "function returns several values"


def _of_type(name: str) -> Iterator[str]:
    if name.startswith("wp.quat"):
        yield "quaternion"
    if name.startswith("wp.transform"):
        yield "transform"


def _of_operators(node: ast.AST, body: Body) -> Iterator[str]:
    match node:
        case ast.BinOp(op=ast.Pow()) | ast.AugAssign(op=ast.Pow()):
            yield "**"
        case ast.AugAssign(op=ast.Mult()):
            yield "*="
        case ast.AugAssign(op=ast.Add(), target=ast.Subscript(value=base)) if body.dimensions(base):
            yield "a[i] += x"
        case ast.Compare(ops=[_, _, *_]):
            yield "chained comparison"


def _of_statement(node: ast.AST, body: Body) -> Iterator[str]:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
            if not (isinstance(value, ast.Call) and dotted(value.func) == "wp.tid"):
                yield "tuple unpacking"
            elif len(names) > 2:
                yield f"{'three' if len(names) == 3 else 'four'} thread indices"
        case ast.For(iter=ast.Call(args=bounds)) if any(map(body.holds_element, bounds)):
            yield "loop bound from an element or a member"
        case ast.While(test=ast.Constant(value=True)):
            yield "while True"
        case ast.Pass():
            yield "pass"
    if isinstance(node, ast.Assign | ast.AugAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Subscript) and not body.dimensions(target.value):
                yield "m[i, j] = x" if isinstance(target.slice, ast.Tuple) else "v[i] = x"


def _of_name(node: ast.AST, body: Body) -> Iterator[str]:
    source = body.source
    match node:
        case ast.Name(id=name) if name not in body.annotations and name not in body.values:
            if name in source.constants:
                yield "constant of the module"
            if name in source.closures:
                yield "constant of a closure"
        case ast.Attribute(value=ast.Name(id="wp"), attr=attr) if attr in _NUMBERS:
            yield "wp.PI and kin"
        case ast.Attribute(value=ast.Name(id=name)) if name in source.enumerations:
            yield "enumeration"
        case ast.Attribute(value=of, attr=attr):
            known = any(attr in members for members in source.structs.values())
            if attr in ("x", "y", "z", "w") and not known:
                yield "v.x"
            while isinstance(of, ast.Subscript):
                of = of.value
            if isinstance(of, ast.Attribute) and any(of.attr in m for m in source.structs.values()):
                yield "member of a member"
        case ast.Subscript(value=base, slice=index):
            if any(isinstance(part, ast.Slice) for part in _parts(index)):
                yield "slice"
            elif body.dimensions(node) > 0 and body.dimensions(base) > 0:
                yield "view"


def _of_call(node: ast.Call, body: Body) -> Iterator[str]:
    name = dotted(node.func)
    if node.keywords:
        yield "keyword argument"
    if isinstance(node.func, ast.Call) and dotted(node.func.func) == "type":
        yield "type(x)(...)"
    if name in ("wp.static", "wp.printf", "wp.atomic_exch", "wp.atomic_cas"):
        yield name
    if name == "wp.float32":
        yield "wp.float32(x)"
    if name in ("wp.identity", "wp.quat_identity", "wp.transform_identity"):
        yield "identity"
    if MATRIX.fullmatch(name):
        yield "matrix constructor"
    if name.startswith(_RANDOM):
        yield "random numbers"
    if name.startswith(_NOISE):
        yield "noise"
    yield from _of_type(name)
    owner, _, method = name.rpartition(".")
    if method and any(method == f.name for f in body.source.methods) and owner != "wp":
        yield "method of a struct"


def array(annotation: ast.expr) -> tuple[int, str]:
    """Dimensions and elements of the array that an annotation says; 0 and the type for what is no array."""
    match annotation:
        case ast.Subscript(value=of, slice=element) if dotted(of).startswith("wp.array"):
            return _ndim(dotted(of)), dotted(element)
        case ast.Call(func=of, keywords=options) if dotted(of).startswith("wp.array"):
            given = {option.arg: option.value for option in options}
            told = given.get("ndim")
            ndim = int(told.value) if isinstance(told, ast.Constant) else _ndim(dotted(of))  # type: ignore[arg-type]
            return ndim, dotted(given["dtype"])
    return 0, dotted(annotation)


def _ndim(name: str) -> int:
    return int(name.removeprefix("wp.array").removesuffix("d") or 1)


def dotted(node: ast.expr) -> str:
    """``wp.vec3`` for such a name; empty for what is none."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=of, attr=attr) if dotted(of):
            return f"{dotted(of)}.{attr}"
    return ""


def _parts(index: ast.expr) -> list[ast.expr]:
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _members(struct: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for member in struct.body:
        match member:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield name, annotation


def _decorators(node: ast.ClassDef | ast.FunctionDef) -> set[str]:
    return {dotted(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list}


def _bases(node: ast.ClassDef) -> set[str]:
    return {dotted(base) for base in node.bases}


def _assigned(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Names that statements give numbers: not those of types, nor of what a function made."""
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)):
                if dotted(func) == "wp.constant" or dotted(func).startswith(("wp.vec", "wp.mat", "wp.quat")):
                    yield name
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name


def sources(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        yield from pq.read_table(path, columns=["python_source"])["python_source"].to_pylist()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", type=parquet_file, nargs="+", metavar="FILE.parquet")
    found: Counter[str] = Counter()
    rows = 0
    for text in tqdm(sources(parser.parse_args().files), unit="rows", disable=None):
        rows += 1
        found.update(constructs(text))
    print(f"{rows:,} rows; of {ROWS:,} rows each construct is in")
    short = 0
    for name, asked in ASKED.items():
        count = found[name] * ROWS / max(rows, 1)
        short += count < asked
        print(f"{count:8.1f}  {name}" + (f"  (asked: {asked})" if count < asked else ""))
    return int(short > 0 and rows >= ROWS)


if __name__ == "__main__":
    sys.exit(main())
