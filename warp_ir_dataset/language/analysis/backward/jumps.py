"""Finds adjoints that Warp's backward pass skips because of a jump (break, continue, return).

``continue``, ``break`` and ``return`` are jumps in Warp's code (`emit_Continue`, `emit_Break` and
`emit_Return` of its `codegen.py`). The way back through a dynamic loop runs an iteration's body once more,
takes the same jump, and so leaves out the adjoints of that iteration, which stand behind the body. It also
starts at the last iteration that the bounds allow, whether that one ran or not. Loops that are unrolled are
walked back rightly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ... import ir
from ...walks import blocks, root, statements

Body = tuple[ir.Stmt, ...]


Works = Callable[[ir.Stmt], bool]  # whether a gradient may leave an iteration by a statement


def lost_to_a_jump(loop: ir.For | ir.While, carried: set[str], writes: Works) -> str | None:
    """Why a jump in a dynamic loop loses a gradient, None where none does. `carried` are the variables that
    outlive an iteration, that the loop changes, and through which a gradient flows; `writes` says which
    statements let one flow from an array."""

    def works(node: ir.Stmt) -> bool:
        return writes(node) or (isinstance(node, (ir.Assign, ir.Accumulate)) and root(node.target) in carried)

    leaves = any(isinstance(node, (ir.Break, ir.Return)) for node in _own(loop.body))
    if leaves and any(works(node) for node in statements(loop.body)):
        return "a gradient flows through a loop left by break or return"
    if _skips(loop.body, works, False)[0]:
        return "a continue leaves out the gradient of what came before it"
    return None


def _own(body: Body) -> Iterator[ir.Stmt]:
    """The statements that may jump for this loop: an inner loop keeps its own breaks, but not its returns."""
    for statement in body:
        yield statement
        for inner in blocks(statement):
            if isinstance(statement, (ir.For, ir.While)):
                yield from (node for node in statements(inner) if isinstance(node, ir.Return))
            else:
                yield from _own(inner)


def _skips(body: Body, works: Works, done: bool) -> tuple[bool, bool]:
    """Whether a ``continue`` of this loop stands behind work of its iteration, and whether there was any.
    `done` says whether there was before."""
    skips = False
    for statement in body:
        if isinstance(statement, ir.Continue):
            skips |= done
        elif isinstance(statement, ir.If):
            branches = [_skips(branch, works, done) for branch in blocks(statement)]
            skips |= any(skipped for skipped, _ in branches)
            done |= any(worked for _, worked in branches)
        else:
            # An inner loop is judged by itself; here its work counts.
            done |= any(works(node) for node in statements((statement,)))
    return skips, done
