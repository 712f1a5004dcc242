"""Tiles in answers: finds values that depend on the number of threads in a block.

On a CPU a block is one thread, whose value is also the block's sum and its maximum. So a run there does not
show whether a result depends on the number of threads.
"""

from __future__ import annotations

import re

from ..gate import masked

_CALL = re.compile(r"\bwp::(tile\w*|untile|assign)(?:<[^()]*?>)?\((\w*)")
_TILE = re.compile(r"^[ \t]*wp::tile_(?:register|shared)_t<.*?> (\w+) = ", re.M)
_OTHERS = re.compile(r"tile_\w*_t|tile_alloc_\w+")  # which are no functions of Warp's

# What puts values of single threads into a tile, what makes one of them all and what is right with that, and
# what is right with a value for each thread.
_JOINT = frozenset(
    {"tile", "tile_from_thread", "tile_scatter_add", "tile_scatter_masked", "tile_stack_push", "assign"}
)
_SUMS = frozenset({"tile_sum", "tile_scatter_add"})
_ADDS = frozenset({"tile_atomic_add", "tile_atomic_add_indexed"})
_EACH = frozenset({"tile_store", "tile_store_indexed", "untile"})
_BETWEEN = frozenset({"tile", "tile_zeros", "tile_map", "tile_neg", "tile_astype"}) | {
    f"tile_{name}{how}" for name in ("add", "sub", "mul", "div") for how in ("", "_elementwise")
}


def kind_of(text: str) -> tuple[bool, bool]:
    """Whether a text that Warp wrote puts values of single threads into a tile; and whether it then makes one
    of those of all threads of a block, which is the same for all of them."""
    called = _called(text)
    is_joint = not _JOINT.isdisjoint(called)
    return is_joint, is_joint and not _SUMS.isdisjoint(called)


def unseen(text: str) -> str | None:
    """What of a text that Warp wrote hangs on how many threads a block has, in a line that a model may see;
    None if nothing does: a tile of values is stored or added as it is, or its sum is added."""
    called = _called(text)
    if _JOINT.isdisjoint(called):
        return None
    allowed = _BETWEEN | _ADDS | (_SUMS if not _SUMS.isdisjoint(called) else _EACH)
    if other := sorted(called - allowed):
        name = "storing an element" if other[0] == "assign" else other[0]
        return f"{name} beside tiles of single threads' values is not judged: here a block has one thread"
    return None


def _called(text: str) -> frozenset[str]:
    """The functions of tiles that a text calls, not what it says in comments and strings."""
    text = masked(text)
    tiles = set(_TILE.findall(text))
    return frozenset(
        found[1]
        for found in _CALL.finditer(text)
        if not _OTHERS.fullmatch(found[1]) and (found[1] != "assign" or found[2] in tiles)
    )
