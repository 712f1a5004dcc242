"""How many of people's kernels use only what some row uses: ``python research/expressible.py OUT``.

A feature is an operation, a type, a construct or a form of one: ``a[i] += x``, a loop with a start, a
function that writes to an array, four thread indices. Those of people's kernels (in the installed Warp's
examples, or with `--library` in its library) are found in the trees that the reader makes of their sources,
and those of a build's rows in the same way; a kernel that cannot be read has a feature of its own, which no
row has. What is missing is ranked by how many kernels it blocks, and told with how many it blocks alone.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
from readable import of_later, outcome, warp_root
from tqdm import tqdm

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.language import ir, walks
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.python.read import Unreadable, kernels_of, read
from warp_ir_dataset.language.types import Array, Struct, Type, full_name


def features(program: ir.Program) -> set[str]:
    """What a kernel uses, spelled for people."""
    found = {f"a {kind} constant" for kind in {constant.place for constant in program.constants}}
    found |= {f"an argument: {_type(a.reference.type)}" for a in program.arguments}
    found |= set(_of_structs(program))
    for function in program.functions:
        found |= set(_of_function(function))
    for body in program.bodies:
        for statement in walks.statements(body):
            found |= set(_of_statement(statement))
    for node in walks.walk(program.bodies):
        found |= set(_of_expression(node))
    return found


def _type(type: Type) -> str:
    match type:
        case Array(element, ndim):
            return f"a {ndim}-dimensional array of {_type(element)}"
        case Struct():
            return "a struct"
        case _:
            return full_name(type)


def _of_structs(program: ir.Program) -> Iterator[str]:
    for struct in program.structs:
        for _, member in struct.members:
            yield f"in a struct: {_type(member)}"


def _of_function(function: ir.Function) -> Iterator[str]:
    yield "a method of a struct" if "." in function.name else "a function"
    for parameter in function.parameters:
        yield f"a parameter of a function: {_type(parameter.type)}"
    returns = [s for s in walks.statements(function.body) if isinstance(s, ir.Return)]
    if not any(s.values for s in returns):
        yield "a function that returns nothing"
    if any(len(s.values) > 1 for s in returns):
        yield "a function that returns several values"
    if len(returns) > 1:
        yield "a function with several returns"


def _of_statement(statement: ir.Stmt) -> Iterator[str]:
    match statement:
        case ir.ThreadIndex(names):
            yield f"{len(names)} thread indices"
        case ir.Assign(target):
            yield f"assignment to {_place(target)}"
        case ir.Accumulate(target, operator):
            yield f"{operator}= to {_place(target)}"
        case ir.For(_, start, stop, step):
            known = isinstance(stop, ir.Literal)
            yield f"a loop to a bound {'that is written' if known else 'from data or an argument'}"
            if not (isinstance(start, ir.Literal) and start.value == 0):
                yield "a loop with a start"
            if step != 1:
                yield f"a loop with a step that is {'negative' if step < 0 else 'not one'}"
        case ir.While(condition):
            yield "while True" if isinstance(condition, ir.Literal) else "a while loop"
        case ir.If(_, _, orelse):
            yield "a branch with an else" if orelse else "a branch"
        case ir.Return(values):
            yield "an early return" if not values else "a return with a value"
        case ir.Print() | ir.Assert() | ir.Break() | ir.Continue() | ir.Pass() | ir.Unpack():
            yield type(statement).__name__.lower()
        case _:
            return


def _place(place: ir.Expr | ir.Place) -> str:
    match place:
        case ir.Load():
            return "an element"
        case ir.Member(of):
            return "a member" if isinstance(of, ir.Name) else f"a member of {_place(of)}"
        case ir.Component(of):
            return f"a component of {_place(of)}"
        case _:
            return "a local"


def _of_expression(node: object) -> Iterator[str]:
    match node:
        case ir.Apply(operation):
            yield f"operation {operation} ({TABLE[operation].group})"
        case ir.View(_, index):
            yield "a slice" if any(isinstance(i, ir.Slice) for i in index) else "a view"
        case ir.Member(of) if not isinstance(of.type, Struct):
            yield "a part of a value by name"
        case ir.Chain() | ir.Shape() | ir.New():
            yield {"Chain": "a chained comparison", "Shape": "a shape", "New": "a struct made"}[
                type(node).__name__
            ]


def people(library: bool) -> Iterator[tuple[str, set[str], bool]]:
    """Kernels of the installed Warp by file and name, with what they use, and whether that is for later."""
    root = warp_root()
    for path in sorted(root.rglob("*.py")):
        part = path.relative_to(root).parts[0]
        if part == "tests" or (part == "examples") == library:
            continue
        source = path.read_text(encoding="utf-8")
        for found in kernels_of(source):
            result = outcome(source, found)
            used = (
                features(result) if isinstance(result, ir.Program) else {f"cannot be read: {_reason(result)}"}
            )
            yield f"{path.name}:{found.node.name}", used, of_later(found)


def _reason(message: str) -> str:
    return message.split(": ", 1)[-1][:80]


def used_in(folder: Path) -> tuple[set[str], int]:
    """What the drawn rows of a build use, by its configs' sources, and how many kernels were read."""
    drawn = [name for name, config in CONFIGS.items() if config.drawn]
    files = sorted(file for name in drawn for file in (folder / name).glob("*.parquet"))
    sources: dict[str, str] = {}
    for path in files:
        table = pq.read_table(path, columns=["id", "python_source"]).to_pydict()
        sources |= dict(zip(table["id"], table["python_source"], strict=True))
    if not sources:
        raise SystemExit(f"{folder} holds no rows: build it with warp-ir build")
    found: set[str] = set()
    for source in tqdm(sources.values(), unit="rows", disable=None):
        try:
            found |= features(read(source))
        except Unreadable as error:
            raise SystemExit(f"a row cannot be read: {error}") from error
    return found, len(sources)


def tell(title: str, kernels: list[tuple[str, set[str], bool]], known: set[str], most: int) -> None:
    lacking = {name: used - known for name, used, _ in kernels}
    whole = sum(not missing for missing in lacking.values())
    print(f"\n{title}: {whole} of {len(kernels)} kernels, {whole / max(1, len(kernels)):.1%}")
    blocks = Counter(feature for missing in lacking.values() for feature in missing)
    alone = Counter(next(iter(missing)) for missing in lacking.values() if len(missing) == 1)
    print("blocks  alone  what is missing")
    for feature, count in sorted(blocks.items(), key=lambda item: (-item[1], -alone[item[0]], item[0]))[
        :most
    ]:
        print(f"{count:6} {alone[feature]:6}  {feature}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="OUT", help="a folder that warp-ir build wrote")
    parser.add_argument("--library", action="store_true", help="Warp's library instead of its examples")
    parser.add_argument(
        "--most", type=int, default=30, help="features that are listed (default: %(default)s)"
    )
    options = parser.parse_args()
    known, rows = used_in(options.folder)
    print(f"{len(known)} features are used by {rows} kernels of {options.folder}")
    kernels = list(people(options.library))
    tell("all", kernels, known, options.most)
    sooner = [kernel for kernel in kernels if not kernel[2]]
    tell("without tiles, queries, volumes and textures", sooner, known, options.most)


if __name__ == "__main__":
    main()
