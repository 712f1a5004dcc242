"""How much of what people write can be read: every kernel of the examples that come with Warp.

    python research/readable.py                  how many are read; why the others are not
    python research/readable.py --same           and whether Warp makes the same C++ of that
    python research/readable.py FILE ...         of these files only, kernel by kernel

`--same` compares the forward code for the CPU, one process per file, which imports the file as a module (so
host code under ``if __name__ == "__main__"`` does not run) with missing packages replaced. Names are left
aside: identifiers are numbered in the order of their appearance, those of Warp's own namespace excepted;
comments are dropped, and ``wp::float`` counts as ``wp::float32``. Kernels that the import does not make (such
as those of functions that only ``main`` calls) cannot be compared, and are counted.

A kernel whose arguments are ``Any`` is one for each launch's types: those that are read where a type is given
are counted on a line of their own, and not compared.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from warp_ir_dataset.builds.handwritten.stand_ins import StandIns
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.python.read import Unreadable, kernels_of, read_kernel
from warp_ir_dataset.language.python.reading.annotations import Annotations, Open
from warp_ir_dataset.language.python.reading.namespaces import KernelDefinition
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import FLOAT, Array, Type, Value, shaped

GIVEN: tuple[Value, ...] = (FLOAT, shaped(FLOAT.scalar, (3,)), shaped(FLOAT.scalar, (3, 3)))
LIMIT = 120.0  # seconds for a file
LATER = re.compile(r"\b(tile|untile|mesh|bvh|hash_grid|volume|texture|Texture|block_dim)")
MISSING = re.compile(r"not in the table of operations|does not take|without operands|the type wp\.")
PLACE = re.compile(r"^line \d+, column \d+: ")


def warp_root() -> Path:
    """The folder of the installed Warp, which is not imported, with its examples and its library."""
    spec = importlib.util.find_spec("warp")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def examples() -> list[Path]:
    return sorted((warp_root() / "examples").rglob("*.py"))


def outcome(source: str, found: KernelDefinition) -> ir.Program | str:
    """The program, or why there is none."""
    try:
        return read_kernel(source, found)
    except Unreadable as error:
        return str(error)


def readable_for_types(source: str, found: KernelDefinition) -> bool:
    """Whether a kernel is read where what it leaves open is of some of the types `GIVEN`."""
    said = {
        a.arg: a.annotation and Annotations().annotation(a.annotation, found.namespace)
        for a in found.node.args.args
    }
    waiting = {name: type for name, type in said.items() if isinstance(type, Open)}
    for chosen in product(GIVEN, repeat=len(waiting)):
        pairs = zip(waiting.items(), chosen, strict=True)
        types: dict[str, Type] = {
            name: Array(type, open.ndim) if open.ndim else type for (name, open), type in pairs
        }
        with contextlib.suppress(Unreadable):
            read_kernel(source, found, types=types)
            return True
    return False


def of_later(found: KernelDefinition) -> bool:
    """Whether a kernel, or a function that it names, works with tiles, queries, volumes or textures."""
    functions = {n.name: n for n in ast.walk(found.module) if isinstance(n, ast.FunctionDef)}
    waiting, done = [found.node], set()
    while waiting:
        node = waiting.pop()
        done.add(node.name)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute) and LATER.match(inner.attr):
                return True
            if isinstance(inner, ast.Name) and inner.id in functions.keys() - done:
                waiting.append(functions[inner.id])
    return False


# ---- the same C++


def compared(path: str) -> None:
    """In a process of its own: prints a verdict for each kernel of a file that is read."""
    source = Path(path).read_text(encoding="utf-8")
    made = _made(path)
    verdicts = {}
    for found in kernels_of(source):
        program = outcome(source, found)
        if isinstance(program, ir.Program):
            key = f"{found.node.name}:{found.node.lineno}"
            kernel = made.get((found.node.name, found.node.lineno))
            verdicts[key] = "not made by the import" if kernel is None else _verdict(kernel, program)
    print(json.dumps(verdicts))


def _made(path: str) -> dict[tuple[str, int], Any]:
    """The kernels that importing a file makes, by name and line."""
    from warp._src import context

    from warp_ir_dataset.compilers import warp

    warp.start()
    sys.meta_path.append(StandIns)  # type: ignore[arg-type]
    sys.path.insert(0, str(Path(path).parent))
    spec = importlib.util.spec_from_file_location("example", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["example"] = module
    made: dict[tuple[str, int], Any] = {}
    register = context.Module.register_kernel

    def registered(self: Any, kernel: Any) -> Any:
        first = kernel.func.__code__.co_firstlineno + len(kernel.adj.tree.body[0].decorator_list)
        made[kernel.func.__name__, first] = kernel
        return register(self, kernel)

    context.Module.register_kernel = registered
    with contextlib.suppress(Exception):  # what it made until then can be compared
        spec.loader.exec_module(module)
    return made


def _verdict(kernel: Any, program: ir.Program) -> str:
    from warp_ir_dataset.compilers.extracting.live import as_it_was, translate_live
    from warp_ir_dataset.compilers.extracting.same import anonymous
    from warp_ir_dataset.compilers.warp import CompileError, translate

    try:
        with as_it_was(kernel):
            before = translate_live(kernel, backward=False, cuda=False).cpu
    except CompileError as error:
        return f"the original is refused: {' '.join(str(error).split())[:100]}"
    try:
        after = translate(write(program), program.name, backward=False, cuda=False).cpu
    except CompileError as error:
        return f"refused when written back: {str(error)[:150]}"
    first, second = anonymous(before), anonymous(after)
    if first == second:
        return "same"
    place = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    return f"different: {' '.join(first[place - 6 : place + 8])} | {' '.join(second[place - 6 : place + 8])}"


def verdicts(path: Path) -> dict[str, str]:
    """What became of a file's kernels, by name and line."""
    with tempfile.TemporaryFile() as errors:
        command = [sys.executable, __file__, "--compare", str(path)]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return {}
    lines = done.stdout.decode().strip().splitlines()
    return dict(json.loads(lines[-1])) if done.returncode == 0 and lines else {}


# ---- told


def surveyed(paths: list[Path]) -> Iterator[tuple[Path, KernelDefinition, ir.Program | str]]:
    for path in paths:
        source = path.read_text(encoding="utf-8")
        for found in kernels_of(source):
            yield path, found, outcome(source, found)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--same", action="store_true", help="compare the C++ too (a minute or three)")
    parser.add_argument("--compare", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compare:
        compared(options.compare)
        return
    entries = list(surveyed(options.files or examples()))
    sooner = [entry for entry in entries if not of_later(entry[1])]
    for title, part in (("all", entries), ("without tiles, queries, volumes, textures", sooner)):
        done = sum(isinstance(result, ir.Program) for *_, result in part)
        print(f"{done} of {len(part)} kernels are read, {done / max(1, len(part)):.1%} ({title})")
    generic = [(path, found) for path, found, result in sooner if isinstance(result, str)]
    given = sum(readable_for_types(path.read_text(encoding="utf-8"), found) for path, found in generic)
    print(f"{given} more are read where Any is given a type")
    tell_reasons("not read, of those without tiles and so on", sooner)
    tell_reasons("not read, of the rest", [entry for entry in entries if entry not in sooner])
    for path, found, result in entries if options.files else ():
        word = "read" if isinstance(result, ir.Program) else result
        print(f"{path}:{found.node.lineno} {found.node.name}: {word}")
    if options.same:
        tell_same([(path, found) for path, found, result in entries if isinstance(result, ir.Program)])


def tell_reasons(title: str, entries: list[tuple[Path, KernelDefinition, ir.Program | str]]) -> None:
    reasons = Counter(PLACE.sub("", result) for *_, result in entries if isinstance(result, str))
    rows = sum(count for reason, count in reasons.items() if MISSING.search(reason))
    print(f"\n{title}: {sum(reasons.values())}, {rows} of them for want of a row or a type")
    for reason, count in reasons.most_common():
        print(f"{count:5}  {reason}")


def tell_same(read: list[tuple[Path, KernelDefinition]]) -> None:
    print("\nwhat is not the same:")
    told: Counter[str] = Counter()
    for path in dict.fromkeys(path for path, _ in read):
        known = verdicts(path)
        for _, found in (entry for entry in read if entry[0] == path):
            verdict = known.get(f"{found.node.name}:{found.node.lineno}", "the file is not imported")
            told[verdict.partition(":")[0]] += 1
            if verdict != "same":
                print(f"{path.name}:{found.node.lineno} {found.node.name}: {verdict}")
    print(
        "\nC++ of what is written back: " + ", ".join(f"{count} {kind}" for kind, count in told.most_common())
    )


if __name__ == "__main__":
    main()
