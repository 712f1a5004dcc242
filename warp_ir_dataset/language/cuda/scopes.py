"""Decides where locals are declared: in C++ they end with their block, in Python they do not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import ir, walks
from ..analysis.effects import own_changes
from ..types import Type
from .refusals import NoPlainForm

Path = tuple[int, ...]


class Scopes:
    """The locals that are declared at the current statement of the writer.

    Locals that are used outside of the block that defines them are `early`: declared at the top.
    """

    def __init__(self, body: tuple[ir.Stmt, ...], parameters: tuple[ir.Name, ...]) -> None:
        self.early = _early(body)
        self._open: list[dict[str, Type]] = [{name.name: name.type for name in parameters}]
        self._open[0] |= {name.name: name.type for name in self.early}

    @contextmanager
    def inside(self) -> Iterator[None]:
        self._open.append({})
        yield
        self._open.pop()

    @contextmanager
    def counting(self, target: ir.Name, own: bool) -> Iterator[None]:
        self._open.append({target.name: target.type} if own else {})
        yield
        self._open.pop()

    def is_free(self, target: ir.Name) -> bool:
        return all(target.name not in scope for scope in self._open)

    def declare(self, target: ir.Name) -> bool:
        """Declare a local; returns whether it was new. Raises `NoPlainForm` if it had another type before."""
        for scope in reversed(self._open):
            if target.name in scope:
                if scope[target.name] != target.type:
                    raise NoPlainForm(f"{target.name} changes its type")
                return False
        self._open[-1][target.name] = target.type
        return True


def _early(body: tuple[ir.Stmt, ...]) -> tuple[ir.Name, ...]:
    """Locals with a use outside of the blocks that define them."""
    defined: dict[str, list[tuple[Path, ir.Name]]] = {}
    used: list[tuple[Path, str]] = []
    _visit(body, (), defined, used)
    found: dict[str, ir.Name] = {}
    for path, name in used:
        places = defined.get(name, [])
        if places and not any(path[: len(place)] == place for place, _ in places):
            found[name] = places[0][1]
    return tuple(found.values())


def _visit(
    body: tuple[ir.Stmt, ...],
    path: Path,
    defined: dict[str, list[tuple[Path, ir.Name]]],
    used: list[tuple[Path, str]],
) -> None:
    for number, statement in enumerate(body):
        inner = walks.blocks(statement)
        new = {name.name for name in walks.defined(statement)}
        for name in walks.defined(statement):
            place = (*path, number, 0) if isinstance(statement, ir.For) else path
            defined.setdefault(name.name, []).append((place, name))
        reads = walks.walk(walks.reads(statement))
        names = dict.fromkeys(n.name for n in reads if isinstance(n, ir.Name))  # in the order of the text
        names |= dict.fromkeys(own_changes(statement))
        used += [(path, name) for name in names if not (isinstance(statement, ir.Unpack) and name in new)]
        for which, block in enumerate(inner):
            _visit(block, (*path, number, which), defined, used)
