"""Programs that no specification can describe yet."""

from __future__ import annotations

from .. import ir
from ..analysis.effects import may_change, uses
from ..rewrite import Body
from ..walks import blocks, statements


class Untold(ValueError):
    """A program that cannot be told; the message is one line."""


def check(body: Body, functions: list[Body]) -> None:
    """Refuse what would be told wrongly. Raises `Untold`."""
    for inner in (body, *functions):
        _check_loops(inner)


def check_names(own: set[str], told: set[str]) -> None:
    """Refuse a function of the program's own whose name a formula of the text has too. Raises `Untold`."""
    for name in sorted(own & told):
        raise Untold(f"the function {name} has the name of a formula")


def _check_loops(body: Body) -> None:
    for loop in statements(body):
        if not isinstance(loop, ir.For):
            continue
        if loop.target.name in may_change(loop.body):
            raise Untold(f"the loop over {loop.target.name} changes its index")
    for name, place in _leaking(body):
        raise Untold(f"{name} is used behind the loop {place}")


def _leaking(body: Body) -> list[tuple[str, str]]:
    """Indices of loops that are looked at where no loop over them runs."""
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
