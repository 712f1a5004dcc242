"""Refuses programs that no specification can describe yet."""

from __future__ import annotations

from .. import ir
from ..analysis.effects import may_change, uses
from ..rewrite import Body
from ..walks import blocks, statements


class NotDescribable(ValueError):
    """A program cannot be described; the message is one line."""


def check(body: Body, functions: list[Body]) -> None:
    """Raises `NotDescribable` for bodies whose text would be wrong."""
    for inner in (body, *functions):
        _check_loops(inner)


def check_names(own: set[str], used: set[str]) -> None:
    """Raises `NotDescribable` for a function of the program with the name of a function in a formula."""
    for name in sorted(own & used):
        raise NotDescribable(f"the function {name} has the name of a formula")


def _check_loops(body: Body) -> None:
    for loop in statements(body):
        if not isinstance(loop, ir.For):
            continue
        if loop.target.name in may_change(loop.body):
            raise NotDescribable(f"the loop over {loop.target.name} changes its index")
    for name, place in _leaking(body):
        raise NotDescribable(f"{name} is used behind the loop {place}")


def _leaking(body: Body) -> list[tuple[str, str]]:
    """The loop indices that are read outside of their loops, with the place."""
    found = []
    names = {loop.target.name for loop in statements(body) if isinstance(loop, ir.For)}
    for name in sorted(names):
        others = any(
            getattr(getattr(s, "target", None), "name", None) == name and not isinstance(s, ir.For)
            for s in statements(body)
        )
        if not others and _outside(name, body):
            found.append((name, "over it"))
    return found


def _outside(name: str, body: Body) -> int:
    """How often a name is used outside of the loops over it."""
    count = 0
    for statement in body:
        inner = blocks(statement)
        if isinstance(statement, ir.For) and statement.target.name == name:
            count += uses(name, (statement.start, statement.stop))
        elif inner:
            count += uses(name, statement) - uses(name, inner) + sum(_outside(name, block) for block in inner)
        else:
            count += uses(name, statement)
    return count
