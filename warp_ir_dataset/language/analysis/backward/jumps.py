"""Finds adjoints that Warp's backward pass skips because of a jump (break, continue, return).

``continue``, ``break`` and ``return`` are jumps in Warp's code (`emit_Continue`, `emit_Break` and
`emit_Return` of its `codegen.py`). The backward pass of a dynamic loop replays an iteration's body, takes the
same jump, and so skips the adjoints of that iteration, which stand after the body. It also starts at the last
iteration that the bounds allow, even if that one never ran. Unrolled loops have the right adjoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ... import ir
from ...walks import blocks, root, statements

Body = tuple[ir.Stmt, ...]


Works = Callable[[ir.Stmt], bool]  # whether a gradient may leave an iteration by a statement


def lost_to_a_jump(loop: ir.For | ir.While, carried: set[str], writes: Works) -> str | None:
    """Why a jump in a dynamic loop loses a gradient; None if no gradient is lost.

    `carried` are the variables that outlive an iteration, that the loop changes, and that carry a gradient;
    `writes` says by which statements a gradient leaves to an array."""

    def works(node: ir.Stmt) -> bool:
        return writes(node) or (isinstance(node, (ir.Assign, ir.Accumulate)) and root(node.target) in carried)

    leaves = any(isinstance(node, (ir.Break, ir.Return)) for node in _own(loop.body))
    if leaves and any(works(node) for node in statements(loop.body)):
        return "a gradient flows through a loop left by break or return"
    if _skips(loop.body, works, False)[0]:
        return "a continue leaves out the gradient of what came before it"
    return None


def _own(body: Body) -> Iterator[ir.Stmt]:
    """The statements whose jumps concern this loop: of an inner loop only the returns."""
    for statement in body:
        yield statement
        for inner in blocks(statement):
            if isinstance(statement, (ir.For, ir.While)):
                yield from (node for node in statements(inner) if isinstance(node, ir.Return))
            else:
                yield from _own(inner)


def _skips(body: Body, works: Works, done: bool) -> tuple[bool, bool]:
    """Whether a ``continue`` of this loop follows work of its iteration, and whether there was any work.
    `done` says whether there was some before."""
    skips = False
    for statement in body:
        if isinstance(statement, ir.Continue):
            skips |= done
        elif isinstance(statement, ir.If):
            branches = [_skips(branch, works, done) for branch in blocks(statement)]
            skips |= any(skipped for skipped, _ in branches)
            done |= any(worked for _, worked in branches)
        else:
            # An inner loop is checked separately; here its work counts.
            done |= any(works(node) for node in statements((statement,)))
    return skips, done
