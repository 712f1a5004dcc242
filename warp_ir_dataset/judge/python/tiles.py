"""Tiles in answers: finds values that depend on the number of threads in a block.

On a CPU a block is one thread, whose value is also the block's sum and its maximum. So a run there does not
show whether a result depends on the number of threads. Code that is added to a text (`joined`) looks whether
a block's threads use tiles as one.
"""

from __future__ import annotations

import re

from ...compilers.cuda_on_cpu import FIRSTS
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

# Where a block begins: the quotient of an index and the size of a block, times that.
_SIZE = re.compile(r"(\w+) = builtin_block_dim\(\);")
_PART, _START = (re.compile(rf"(\w+) = wp::{name}\((\w+), (\w+)\);") for name in ("floordiv", "mul"))
_DECLARED = re.compile(r"(?:const )?wp::int32 (\w+);")
# Tiles are those of a block with one thread.
_ALONE = "#undef builtin_block_dim\n#define builtin_block_dim() 1\n"

_STORE = re.compile(r"\bwp::tile_(store|atomic_add)(_indexed)?(?:<[^()]*?>)?\(([\w, ]+), (\w+)\)")
# A tile that holds nothing of single threads (JOINT is false) is the same for all of a block, or each would
# store its own: they store where the first one does, and none but it adds. The sum of a block (SUMMED) is
# added where the first one adds it.
_PRELUDE = """
extern "C" { char FIRSTS[SIZE]; unsigned wm_in_turn(); void wm_race(void*); }
namespace wm_of_blocks {
static bool is_first() { return !blockIdx.x && !threadIdx.x; }
static __attribute__((no_sanitize("thread"))) void first(void* at)
{
    size_t place = (size_t)at - FIRST;
    if (!wm_in_turn() || place >= SIZE) return;
    if (is_first()) FIRSTS[place] = 1;
    if (!FIRSTS[place]) wm_race(at);
}
struct Stores { static void note(void* at) { if (!JOINT) first(at); } };
struct Adds
{
    static void note(void* at)
    {
        if (!JOINT && !is_first()) wm_race(at);
        if (SUMMED) first(at);
    }
};
template <typename How, typename Tile, typename T, typename... I>
static void tile(Tile& tile, wp::array_t<T>& a, I... i)
{
    wp::tile_global_t<T, typename Tile::Layout::Shape> place(a, wp::tile_coord(i...));
    tile.copy_to_register().apply([&](int, auto c) {
        int64_t at;
        if (place.index(c, at)) How::note(a.data + at);
    });
}
template <typename How, typename Tile, typename T, typename Indices, typename... I>
static void tile_indexed(Tile& tile, wp::array_t<T>& a, Indices& indices, int axis, I... i)
{
    tile.copy_to_register().apply([&](int, auto c) {
        int64_t at;
        if (wp::compute_index(a, indices, axis, wp::tile_coord(i...), c, at)) How::note(a.data + at);
    });
}
}
"""


def joined(text: str, first: int, size: int) -> str:
    """A text that also looks whether a block's threads store and add tiles as one, in `size` bytes from the
    address `first` on: the same text, if it has no tiles."""
    if not _called(text):
        return text
    found, stores = _STORE.subn(_looked_at, f"{_ALONE}{text}")
    if not stores:
        return found
    prelude = _PRELUDE.replace("SIZE", f"{size}ul").replace("FIRSTS", FIRSTS).replace("FIRST", f"{first}ul")
    for word, is_so in zip(("JOINT", "SUMMED"), kind_of(text), strict=True):
        prelude = prelude.replace(word, "true" if is_so else "false")
    return prelude + found


def _looked_at(tile: re.Match[str]) -> str:
    how = "Adds" if tile[1] == "atomic_add" else "Stores"
    name = "wm_of_blocks"
    return f"({name}::tile{tile[2] or ''}<{name}::{how}>({tile[4]}, {tile[3]}), {tile[0]})"


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
    if called and _tells_the_size(text):
        return "wp.block_dim() beside tiles is judged for the place of one alone: here a block has one thread"
    if _JOINT.isdisjoint(called):
        return None
    allowed = _BETWEEN | _ADDS | (_SUMS if not _SUMS.isdisjoint(called) else _EACH)
    if other := sorted(called - allowed):
        name = "storing an element" if other[0] == "assign" else other[0]
        return f"{name} beside tiles of single threads' values is not judged: here a block has one thread"
    return None


def _tells_the_size(text: str) -> bool:
    """Whether a text uses the size of a block for anything but where a block's tile is stored or added."""
    lines = [line.strip() for line in masked(text).split("\n")]
    sizes = {found[1] for line in lines if (found := _SIZE.fullmatch(line))}
    parts = {found[1] for line in lines if (found := _PART.fullmatch(line)) and found[3] in sizes}
    starts = {found[1] for line in lines if (found := _START.fullmatch(line)) and found[2] in parts}
    for line in lines:
        words = {*re.findall(r"\w+", line)} & (sizes | parts | starts)
        if not words or _DECLARED.fullmatch(line) or _SIZE.fullmatch(line):
            continue
        if (found := _PART.fullmatch(line)) and words == {found[1], found[3]}:
            continue
        if (found := _START.fullmatch(line)) and found[3] in sizes and words == {*found.groups()}:
            continue
        if not (words <= starts and _STORE.search(line)):
            return True
    return False


def _called(text: str) -> frozenset[str]:
    """The functions of tiles that a text calls, not what it says in comments and strings."""
    text = masked(text)
    tiles = set(_TILE.findall(text))
    return frozenset(
        found[1]
        for found in _CALL.finditer(text)
        if not _OTHERS.fullmatch(found[1]) and (found[1] != "assign" or found[2] in tiles)
    )
