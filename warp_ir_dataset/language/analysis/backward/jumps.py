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
CarriesGradient = Callable[[ir.Stmt], bool]  # whether a gradient may leave an iteration by a statement


def lost_to_a_jump(loop: ir.For | ir.While, carried: set[str], writes: CarriesGradient) -> str | None:
    """Why a jump in a dynamic loop loses a gradient; None if no gradient is lost.

    `carried` are the variables that outlive an iteration, that the loop changes, and that carry a gradient;
    `writes` says by which statements a gradient leaves to an array, or to the caller of a function."""

    def carries(node: ir.Stmt) -> bool:
        return writes(node) or (isinstance(node, (ir.Assign, ir.Accumulate)) and root(node.target) in carried)

    leaves = any(isinstance(node, (ir.Break, ir.Return)) for node in _jumping(loop.body))
    if leaves and any(carries(node) for node in statements(loop.body)):
        return "a gradient flows through a loop left by break or return"
    if _skips(loop.body, carries, False)[0]:
        return "a continue leaves out the gradient of what came before it"
    return None


def _jumping(body: Body) -> Iterator[ir.Stmt]:
    """Yields the statements of a loop's body that may jump out of it: all of them, but of an inner loop only
    the returns, as a ``break`` there leaves the inner loop."""
    for statement in body:
        yield statement
        for inner in blocks(statement):
            if isinstance(statement, (ir.For, ir.While)):
                yield from (node for node in statements(inner) if isinstance(node, ir.Return))
            else:
                yield from _jumping(inner)


def _skips(body: Body, carries: CarriesGradient, done: bool) -> tuple[bool, bool]:
    """Returns whether a ``continue`` of this loop follows a statement of its iteration that carries a
    gradient, and whether there was any such statement. `done` says whether there was one before `body`."""
    skips = False
    for statement in body:
        if isinstance(statement, ir.Continue):
            skips |= done
        elif isinstance(statement, ir.If):
            branches = [_skips(branch, carries, done) for branch in blocks(statement)]
            skips |= any(skipped for skipped, _ in branches)
            done |= any(worked for _, worked in branches)
        else:
            # The jumps of an inner loop are checked separately; here only count the gradients it carries.
            done |= any(carries(node) for node in statements((statement,)))
    return skips, done
