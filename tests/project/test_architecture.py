"""The arrows between modules go one way, and the story of a build fits one screen."""

from __future__ import annotations

import ast
import inspect
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import warp_ir_dataset
from warp_ir_dataset.builds.build import build

PACKAGE = Path(warp_ir_dataset.__file__).parent
SCREEN = 60  # lines

# Which modules a room holds, and which other rooms these may import. Rooms use rooms above them only.
ROOMS: dict[str, tuple[str, str]] = {
    "basics": ("errors reasons versions difficulty draws", ""),
    "tree": ("program unrolling", ""),
    "operations": ("ranges takes gives computes spelling operations", "tree"),
    "text": ("skeleton ptx", ""),
    "render": ("render", "tree operations"),
    "generate": (
        "names phrases grow sketch algebra blocks family families legality gradients rehearse generate",
        "basics tree operations",
    ),
    "request": ("recipe", "basics generate"),
    "plan": ("picking plan urls", "basics tree text render generate request"),
    "compile": ("toolchain cuda_on_cpu units", "basics text"),
    "run": ("inputs execute", "tree compile"),
    "verify": ("verify", "basics run"),
    "record": ("record", "tree text request"),
    "prove": ("prove", "basics tree text render generate plan compile run verify record"),
    "workers": ("worker child pool workshop", "basics plan"),
    "shards": ("shard progress cache", "basics request plan record workers"),
    "doors": (
        "__init__ build output near facts tables plots front_matter card report export "
        "filesystem builder hub branch patience release pack cli",
        "basics generate request plan record workers shards",
    ),
}

# Packages that may be imported in a few modules only.
GUESTS = {
    "warp": ROOMS["compile"][0] + " " + ROOMS["run"][0],
    "datasets": "builder filesystem cli card record",
    "huggingface_hub": "hub branch patience",
}


def modules() -> dict[str, Path]:
    """Files by the names under which modules of the package import them; `families` is its `__init__`."""
    names = {
        path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py")
    }
    return {name.removesuffix(".__init__"): path for path, name in names.items()}


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


def own_imports(path: Path) -> set[str]:
    """The modules of the package that a file imports, by their names inside it."""
    names = (name.split(".")[1:] for name in imports(path) if name.startswith(f"{PACKAGE.name}."))
    # The last part may be a module, or something that a module holds.
    whole = modules()
    return {".".join(n) if ".".join(n) in whole else ".".join(n[:-1]) for n in names}


def room_of(module: str) -> str:
    """A family's room is that of all families."""
    outermost = module.split(".")[0]
    return next(room for room, (members, _) in ROOMS.items() if outermost in members.split())


def test_every_module_has_one_room():
    placed = [member for members, _ in ROOMS.values() for member in members.split()]
    assert sorted(placed) == sorted({module.split(".")[0] for module in modules()})


def test_rooms_use_rooms_above_them():
    seen: set[str] = set()
    for room, (_, used) in ROOMS.items():
        assert set(used.split()) <= seen, room
        seen.add(room)


@pytest.mark.parametrize("module", sorted(modules()))
def test_a_module_imports_from_its_own_room_and_those_it_may_use(module):
    room = room_of(module)
    allowed = {room, *ROOMS[room][1].split()}
    astray = {other for other in own_imports(modules()[module]) if room_of(other) not in allowed}
    assert not astray


def test_program_types_import_nothing_of_the_package():
    assert not [name for name in imports(modules()["program"]) if name.startswith(PACKAGE.name)]


def test_no_module_imports_itself_in_a_circle():
    # `families/__init__` lists the families; between themselves they may only go one way.
    assert list(TopologicalSorter({m: own_imports(path) for m, path in modules().items()}).static_order())


@pytest.mark.parametrize("guest", GUESTS)
def test_who_imports_a_guest(guest):
    hosts = {
        module
        for module, path in modules().items()
        if any(name == guest or name.startswith(f"{guest}.") for name in imports(path))
    }
    assert hosts <= set(GUESTS[guest].split())


def test_warps_private_modules_are_used_in_one_file():
    assert {module for module, path in modules().items() if "_src" in path.read_text()} == {"toolchain"}


def test_the_story_fits_one_screen():
    assert len(inspect.getsourcelines(build)[0]) <= SCREEN
