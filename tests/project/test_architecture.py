"""Rooms and arrows, read from the folders; one place for each fact."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import warp_ir_dataset
from warp_ir_dataset.language.operations.table import TABLE

PACKAGE = Path(warp_ir_dataset.__file__).parent
ROOT = PACKAGE.parent
MOST_FLOORS = 10  # of rooms

# What each room may import, besides itself and `common`. A room is a folder of the package; the modules that
# lie in none, and the command line, are doors and may import everything.
MAY_IMPORT = {
    "common": "",
    "language": "",
    "workers": "",
    "compilers": "language",
    "machine": "compilers",
    "synthesis": "language",
    "proof": "language compilers",
    "builds": "language synthesis proof compilers workers",
    "judge": "language synthesis proof compilers machine builds workers",
    "loading": "builds workers",
    "publishing": "builds loading language compilers",
    "evaluation": "language compilers synthesis proof builds judge publishing workers",
}
DOORS = {"__init__", "__main__", "api", "cli", "inspect_task", "rewards"}

# Packages that may be imported in a few places only.
GUESTS = {
    "warp": "compilers",
    "huggingface_hub": "publishing.hub",
    "ray": "workers.cluster",
    "datasets": "loading builds.row publishing.hub cli",
}

# Files beside the package, and beside the tests of compilers, that use Warp's private modules.
USE_PRIVATE_MODULES = {
    "benchmarks/support/clocked.py",
    "benchmarks/throughput.py",
    "research/readable.py",
    "research/signatures.py",
    "tests/language/operations/test_rows.py",
    "tests/language/python/test_primer.py",
    "tests/project/tiers.py",
}

TEMPLATES = "synthesis.templates"
# Where operations are named by string: in their table, in what repairs with them, and in what drafts kernels;
# where functions of CUDA and of its prelude have the same names, and where words for them are found.
NAMES_OPERATIONS = "language.operations language.cuda.pieces language.specification.formulas synthesis"


@cache
def modules() -> dict[str, Path]:
    """Files by the names under which modules of the package import them."""
    names = {
        path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py")
    }
    return {name.removesuffix(".__init__"): path for path, name in names.items()}


@cache
def imports(path: Path) -> set[str]:
    """Absolute dotted names of all that a file imports, at its top, in its functions, or for types alone."""
    found: set[str] = set()
    here = (PACKAGE.name, *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else ()
            source = (*above, *([node.module] if node.module else []))
            found |= {".".join((*source, alias.name)) for alias in node.names}
    return found


@cache
def own_imports(path: Path) -> set[str]:
    """The modules of the package that a file imports, by their names inside it."""
    names = (name.split(".")[1:] for name in imports(path) if name.startswith(f"{PACKAGE.name}."))
    # The last part may be a module, or something that a module holds.
    whole = modules()
    return {".".join(n) if ".".join(n) in whole else ".".join(n[:-1]) for n in names}


def room_of(module: str) -> str:
    return module.split(".")[0]


def inside(module: str, places: str) -> bool:
    return any(module == place or module.startswith(f"{place}.") for place in places.split())


def test_the_rooms_are_the_folders():
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert rooms - DOORS == set(MAY_IMPORT)
    assert {path.stem for path in PACKAGE.glob("*.py")} | rooms & DOORS == DOORS


# One test for all modules, which names those that fail: thousands of tests cost more than what they ask.


def test_a_module_imports_what_its_room_may():
    astray = []
    for module, path in modules().items():
        room = room_of(module)
        allowed = {room, "common", *MAY_IMPORT.get(room, "").split()}
        if room in MAY_IMPORT:
            astray += [(module, other) for other in own_imports(path) if room_of(other) not in allowed]
    assert not astray


def test_rooms_have_few_floors_and_no_circle():
    floors: dict[str, int] = {}
    below = {room: {"common", *used.split()} - {room} for room, used in MAY_IMPORT.items()}
    for room in TopologicalSorter(below).static_order():
        floors[room] = 1 + max((floors[other] for other in below[room]), default=0)
    assert max(floors.values()) + 1 <= MOST_FLOORS  # and the doors on top


def test_no_module_imports_itself_in_a_circle():
    graph = {m: own_imports(path) - {m} for m, path in modules().items()}
    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("guest", GUESTS)
def test_who_imports_a_guest(guest):
    hosts = {
        module
        for module, path in modules().items()
        if any(name == guest or name.startswith(f"{guest}.") for name in imports(path))
    }
    assert hosts and all(inside(host, GUESTS[guest]) for host in hosts)


def uses_private_modules(path: Path) -> bool:
    """Whether a file's code, and not a text in it, names a module inside ``warp._src``."""
    text = path.read_text()
    for node in ast.walk(ast.parse(text)) if "_src" in text else ():
        match node:
            case ast.Attribute(attr="_src"):
                return True
            case ast.ImportFrom(module=str(name)) | ast.alias(name=name) if name.startswith("warp._src"):
                return True
    return False


def test_who_uses_warps_private_modules():
    """One file that translates and compiles, and those that take live kernels apart; of all else, what asks
    for Warp's built-ins, or looks when compilers are called. The next Warp may break these."""
    private = {module for module, path in modules().items() if uses_private_modules(path)}
    assert "compilers.warp" in private
    assert all(inside(module, "compilers.warp compilers.extracting") for module in private)
    folders = ("tests", "research", "benchmarks", "docs", "examples", "environments", "dataset_card")
    others = (path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py"))
    private = {path.as_posix() for path in others if uses_private_modules(ROOT / path)}
    assert {path for path in private if not path.startswith("tests/compilers/")} == USE_PRIVATE_MODULES


def test_templates_import_nothing_that_is_made_of_them():
    templates = {module: path for module, path in modules().items() if inside(module, TEMPLATES)}
    used = {other for path in templates.values() for other in own_imports(path)}
    assert templates and not {o for o in used if inside(o, "synthesis") and not inside(o, TEMPLATES)}


# ---- one place for each fact


@cache
def words_of(path: Path) -> set[str]:
    """The strings in a file's code, docstrings left out."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    texts = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
    strings = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return strings - {text for text in texts if text}


def test_no_pass_names_operations():
    names = set(TABLE) - OTHER_MEANINGS - GROUPS
    others = [m for m in modules_of("language", "compilers", "proof") if not inside(m, NAMES_OPERATIONS)]
    named = {module: words_of(modules()[module]) & names for module in others}
    assert named and not {module: words for module, words in named.items() if words}


GROUPS = {row.group for row in TABLE.values()}
# Kinds of atomics, operators of Python, what stands before an exponent, an option of Warp's vector types, a
# field of Python's slices, types.
OTHER_MEANINGS = {
    "e",
    "add",
    "sub",
    "min",
    "max",
    "and",
    "or",
    "length",
    "step",
    "spatial_vector",
    "spatial_matrix",
}
SCALAR_NAMES = {"float32", "float64", "int32", "int64", "uint32"}


def modules_of(*rooms: str) -> list[str]:
    return sorted(module for module in modules() if room_of(module) in rooms)


def test_scalar_types_stand_in_one_table():
    allowed = {"language.types": SCALAR_NAMES, "proof.verify": {"float32"}}
    named = {
        module: words_of(modules()[module]) & SCALAR_NAMES - allowed.get(module, set())
        for module in modules_of("language", "proof", "builds")
    }
    assert named and not {module: words for module, words in named.items() if words}


def matches(tree: ast.AST) -> Iterator[ast.Match]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Match))


def tells_a_kind(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchOr(patterns=patterns):
            return any(map(tells_a_kind, patterns))
        case ast.MatchClass(cls=cls):
            return not ast.unparse(cls).startswith("ast.")
        case _:
            return False


def is_wildcard(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None


def test_walkers_forget_no_kind_of_node():
    """What tells our kinds apart by `match` has a word for each: mypy knows what is left for `assert_never`.

    Python's own kinds of nodes are no union that could be used up: what reads them refuses the rest.
    """
    endless = []
    for module in modules_of("language", "synthesis"):
        path = modules()[module]
        for match in matches(ast.parse(path.read_text())):
            kinds = any(tells_a_kind(case.pattern) for case in match.cases)
            if kinds and not partial(match) and not ends_in_never(match):
                endless.append(f"{path.relative_to(ROOT)}:{match.lineno}")
    assert not endless, "matches that do not end in assert_never"


def ends_in_never(match: ast.Match) -> bool:
    last = match.cases[-1]
    rest = ast.unparse(last.body[0])
    # Or it hands what is left to a function that does the same for the fewer kinds that it takes.
    handed = rf"\({re.escape(ast.unparse(match.subject))}[,)]"
    return is_wildcard(last.pattern) and ("assert_never" in rest or bool(re.search(handed, rest)))


def partial(match: ast.Match) -> bool:
    """A search for a few kinds in a whole tree, where every other node is passed over."""
    return len(match.cases) <= 2
