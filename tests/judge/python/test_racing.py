"""Answers that are right when threads run in turn, and wrong when they run side by side."""

from __future__ import annotations

import pytest
from toys.judged import PLAIN, program_at, row_at

from warp_ir_dataset.judge.python import tiles
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language.mutants.table import OPERATORS
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write


@pytest.mark.process
@pytest.mark.compile
def test_the_judge_refuses_a_race(judge) -> None:
    row = row_at("spec_to_warp", "atomic", 1503)
    right = judge(row, row["completion"])
    assert right.status is Status.CORRECT
    racing = next(OPERATORS["atomic unlocked"].variants(read(row["completion"])))
    verdict = judge(row, write(racing))
    assert (verdict.status, verdict.value) == (Status.WRONG_OUTPUT, 0.0) and "race" in verdict.feedback


def with_line(code: str, line: str) -> str:
    """A kernel with a line more behind the one that asks for the thread."""
    lines = code.splitlines(keepends=True)
    at = next(at for at, text in enumerate(lines) if "wp.tid()" in text)
    return "".join([*lines[: at + 1], f"    {line}\n", *lines[at + 1 :]])


LINES = [
    "one = wp.static(int('1'))",
    "for unused_k in range(1):\n        pass",
    "wp.atomic_add(total_excess, 0, float(wp.static(0.0)))",
    # Behind the second loop Warp assigns the inner variable, which has no value, to the first loop's.
    "for k in range(2):\n        pass\n    for j in range(rain.shape[0]):\n"
    "        for k in range(j, 0):\n            pass",
]


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("line", LINES)
def test_a_race_is_seen_beside_other_lines(judge, line: str) -> None:
    """And what does not race is still right."""
    row = row_at("spec_to_warp", "atomic", 1503)
    assert judge(row, with_line(row["completion"], line)).value == 1.0
    racing = write(next(OPERATORS["atomic unlocked"].variants(read(row["completion"]))))
    verdict = judge(row, with_line(racing, line))
    assert (verdict.status, verdict.value) == (Status.WRONG_OUTPUT, 0.0) and "race" in verdict.feedback


OUT = "total_excess"
ADDED = "advanced"
ALONE = (
    "s = float(0.0)\n        for t in range(rain.shape[0]):\n"
    "            s += rain[t] - infiltration[t] + dt * inflow[t]\n"
    f"        {OUT}[0] = s"
)
EMPTY = f"wp.dense_gemm(1, 1, 0, 0, 0, rain, inflow, {OUT})"  # a sum of nothing
# By name: what stands in place of the atomic, and whether threads meet there.
INSTEAD = {
    "an exchange": (f"old = wp.atomic_add({OUT}, 0, 0.0)\n    wp.atomic_exch({OUT}, 0, old + {ADDED})", True),
    "a maximum": (f"old = wp.atomic_add({OUT}, 0, 0.0)\n    wp.atomic_max({OUT}, 0, old + {ADDED})", True),
    "an exchange of what an atomic read": (
        f"old = wp.atomic_max({OUT}, 0, -1.0e30)\n    wp.atomic_cas({OUT}, 0, old, old + {ADDED})", True),
    "a lock around what is no atomic": (
        f"while wp.atomic_cas({OUT}, 0, {OUT}[0], -1.0) == -1.0:\n        pass\n"
        f"    {OUT}[0] = {OUT}[0] + {ADDED}", True),
    "a number that is taken away and given back": (
        f"old = wp.atomic_exch({OUT}, 0, -1.0e30)\n    while old == -1.0e30:\n"
        f"        old = wp.atomic_exch({OUT}, 0, -1.0e30)\n"
        f"    wp.atomic_exch({OUT}, 0, old + {ADDED})", False),
    "a tile": (
        f"t = wp.tile_load({OUT}, shape=1)\n"
        f"    wp.tile_store({OUT}, t + wp.tile_ones(shape=1, dtype=float) * {ADDED})", True),
    "by way of a view": (f"v = {OUT}[0:]\n    v[0] = v[0] + {ADDED}", True),
    "a function": (f"add({OUT}, wp.static(0), {ADDED})", True),
    "a loop until it is exchanged": (
        f"old = {OUT}[0]\n    while wp.atomic_cas({OUT}, 0, old, old + {ADDED}) != old:\n"
        f"        old = {OUT}[0]", False),
    "an exchange that may fail": (
        f"old = {OUT}[0]\n    wp.atomic_cas({OUT}, wp.static(0), old, old + {ADDED})", True),
    "one thread": (f"if tid == wp.static(0):\n        {ALONE}", False),
    "one thread, by a matrix": (f"if tid == wp.static(0):\n        {EMPTY}\n        {ALONE}", False),
    "a matrix that one thread clears": (f"if tid == 0:\n        {EMPTY}\n    {OUT}[0] += {ADDED}", True),
    "the sum of a block": (f"wp.tile_atomic_add({OUT}, wp.tile_sum(wp.tile({ADDED})))", False),
    "what a block counts": (
        "t = wp.tile_zeros(shape=1, dtype=float, storage='shared')\n"
        f"    wp.tile_scatter_add(t, 0, {ADDED}, True)\n"
        "    k = wp.tile_zeros(shape=1, dtype=int, storage='shared')\n"
        f"    wp.tile_atomic_add_indexed({OUT}, k, t)", False),
    "a tile of each thread's": (
        f"wp.tile_atomic_add({OUT}, wp.tile_ones(shape=1, dtype=float) * {ADDED})", True),
    "the sum of a block, and more": (
        f"wp.tile_atomic_add({OUT}, wp.tile_sum(wp.tile({ADDED})))\n    {OUT}[0] = {OUT}[0] * 1.0\n"
        f"    if tid == 0:\n        {OUT}[0] = {ADDED}", True),
    "what one thread clears": (
        f"if tid == wp.static(0):\n        {OUT}[0] = 0.0\n    {OUT}[0] += {ADDED}", True),
    "what one thread leaves": (
        f"{OUT}[0] += {ADDED}\n    if tid == rain.shape[0] - 1:\n"
        f"        {OUT}[0] = {OUT}[0] * wp.static(1.0)", True),
}  # fmt: skip


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("how", INSTEAD)
def test_ways_to_add_are_told_apart(judge, how: str) -> None:
    row = row_at("spec_to_warp", "atomic", 1503)
    added = f"{OUT}[0] += {ADDED}"
    assert added in row["completion"]
    instead, meets = INSTEAD[how]
    helper = (
        "@wp.func\ndef add(o: wp.array[float], i: int, x: float):\n"
        "    o[i] = o[i] + x\n    o[i] = o[i] * wp.static(1.0)\n\n\n@wp.kernel"
    )
    code = row["completion"].replace(added, instead).replace("@wp.kernel", helper)
    assert judge(row, code).value == (0.0 if meets else 1.0)


STORED = "results[i] = wp.cosh(data[i])"
NEXT = "if i + 1 < results.shape[0]:\n        "
TILE = "t = wp.tile_ones(shape=1, dtype=wp.float64)"
NEEDLESS = {  # before the one store there is to do, and whether threads meet there
    "a zero to the next": (f"{NEXT}results[i + 1] = wp.float64(0.0)", True),
    "zeros to all later ones": (
        "for k in range(i + 1, results.shape[0]):\n        results[k] = wp.float64(0.0)", True),
    "a zero exchanged": (f"{NEXT}wp.atomic_exch(results, i + 1, wp.float64(0.0))", True),
    "a tile added": (f"{NEXT}{TILE}\n        wp.tile_atomic_add(results, t, offset=i + 1)", True),
    "a search": ("k = wp.lower_bound(results, wp.float64(1e300))", True),
    "a search of a part": ("k = wp.lower_bound(results, 0, 2, wp.float64(1e300))", True),
    "a search of what nobody changes": ("k = wp.lower_bound(data, wp.float64(1e300))", False),
    "a tile": ("t = wp.tile_load(results, shape=1, offset=0)", True),
    "a tile of one's own": ("t = wp.tile_load(results, shape=1, offset=i)", False),
    "a tile by indices": (
        "k = wp.tile_zeros(shape=1, dtype=int, storage='shared')\n"
        "    t = wp.tile_load_indexed(results, k, shape=(1,))", True),
    "a tile of the first ones": (
        "t = wp.tile_load(data, shape=2)\n    wp.tile_store(results, wp.tile_map(wp.cosh, t))", False),
    "a tile by indices is stored": (
        "k = wp.tile_zeros(shape=1, dtype=int, storage='shared')\n"
        "    wp.tile_store_indexed(results, k, wp.tile(data[i] * wp.float64(1.0)))", True),
    "one's own zero": ("results[i] = wp.float64(0.0)", False),
    "the same to the next": (f"{NEXT}results[i + 1] = wp.cosh(data[i + 1])", False),
}  # fmt: skip


def needless(line: str, factor: str = " * wp.float64(wp.static(1.0))") -> str:
    return f"""
import warp as wp

@wp.kernel
def {program_at(*PLAIN).name}(data: wp.array[wp.float64], results: wp.array[wp.float64]):
    i = wp.tid()
    {line}
    {STORED}{factor}
"""


@pytest.mark.process
@pytest.mark.compile
def test_a_tile_is_stored_where_each_thread_has_one_element_of_it(judge) -> None:
    """One that is loaded for a thread is a block's, and most of it is stored nowhere."""
    tile = "t = wp.tile({})\n    wp.tile_store(results, t, offset=i // wp.block_dim() * wp.block_dim())"
    row, stored = row_at("spec_to_warp"), f"{STORED} * wp.float64(wp.static(1.0))"
    of_threads = needless("").replace(stored, tile.format("wp.cosh(data[i])"))
    assert judge(row, of_threads).value == 1.0
    loaded = tile.replace("wp.tile({})", "wp.tile_map(wp.cosh, wp.tile_load(data, shape=1, offset=i))")
    assert judge(row, needless("").replace(stored, loaded)).value == 0.0


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("one", ["1", "wp.static(1)"])  # it is read, and it is not
def test_what_atomics_add_is_not_read_beside_them(judge, one: str) -> None:
    row = row_at("spec_to_warp", "gathering", 11, "stream_compaction")
    own = "slot = wp.atomic_add(counter, 0, 1)"
    assert own in row["completion"]
    added = f"wp.atomic_add(counter, 0, {one})"
    for instead, value in (
        (f"slot = {added}", 1.0),
        (f"{added}\n    slot = counter[0] - 1", 0.0),
        (f"slot = counter[0]\n    {added}", 0.0),
    ):
        assert judge(row, row["completion"].replace(own, instead)).value == value


@pytest.mark.process
@pytest.mark.compile
def test_the_size_of_a_block_is_that_of_the_launch(judge) -> None:
    """Where it is always 1, a text tells the machine from a device. Beside tiles, which are a thread's here,
    it says where a block begins, and nothing else."""
    row, tile = row_at("spec_to_warp"), "t = wp.tile_ones(shape=1, dtype=float)\n    "
    for condition, value in (("== 1", 0.0), ("> 1", 1.0)):
        guarded = needless(f"if wp.block_dim() {condition}:", "").replace(STORED, f"    {STORED}")
        assert judge(row, guarded).value == value
    told = judge(row, needless(f"{tile}if wp.block_dim() == 1:", "").replace(STORED, f"    {STORED}"))
    assert told.status is Status.COMPILE_ERROR
    at = f"{tile}if i // wp.block_dim() * wp.block_dim() == i:"
    assert judge(row, needless(at, "").replace(STORED, f"    {STORED}")).status is Status.COMPILE_ERROR


V = "v = wp.cosh(data[i])\n    "
SUMMED = f"{V}wp.tile_atomic_add(results, {{}}, offset=i // wp.block_dim() * wp.block_dim())"
OF_A_BLOCK = {  # right where a block has one thread
    "a sum": (f"{V}wp.tile_store(results, wp.tile_sum(wp.tile(v)), offset=i)", "tile_store"),
    "its element": (f"{V}results[i] = wp.tile_sum(wp.tile(v))[0]", "tile_extract"),
    "a maximum": (f"{V}wp.tile_atomic_add(results, wp.tile_max(wp.tile(v)), offset=i)", "tile_max"),
    "of ones": (
        f"{V}t = wp.tile(v)\n    one = wp.tile_ones(shape=1, dtype=wp.float64)\n"
        "    wp.tile_atomic_add(results, one * v, offset=i)", "tile_ones"),
    "an element": (
        f"{V}t = wp.tile_zeros(shape=1, dtype=wp.float64, storage='shared')\n    t[0] = v\n"
        "    wp.tile_store(results, t, offset=i)", "storing an element"),
}  # fmt: skip


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("how", OF_A_BLOCK)
def test_what_hangs_on_the_size_of_a_block_is_not_judged(judge, how: str) -> None:
    line, named = OF_A_BLOCK[how]
    stored = f"{STORED} * wp.float64(wp.static(1.0))"
    verdict = judge(row_at("spec_to_warp"), needless("").replace(stored, line))
    assert verdict.status is Status.COMPILE_ERROR
    assert verdict.feedback.startswith(f"{named} beside tiles of single threads' values is not judged")


@pytest.mark.process
@pytest.mark.compile
def test_the_sum_of_a_block_is_added_in_one_place(judge) -> None:
    for added, value in (("wp.tile(v)", 1.0), ("wp.tile_sum(wp.tile(v))", 0.0)):
        code = needless("").replace(f"{STORED} * wp.float64(wp.static(1.0))", SUMMED.format(added))
        assert judge(row_at("spec_to_warp"), code).value == value


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("value", ["wp.where(i < 0, data[0], data[i])", "data[i - data.shape[0]]"])
def test_an_index_that_warp_takes_from_the_end_is_right(judge, value: str) -> None:
    assert judge(row_at("spec_to_warp"), needless("", "").replace("data[i]", value)).value == 1.0


WORDS = "0; if (task_index + 1 < dim.size) var_results.data[task_index + 1] = 0"
BEFORE = f"""
class Spoken(int):
    def __str__(self): return {WORDS!r}
    def __repr__(self): return {WORDS!r}

class Said(float):
    def __str__(self): return {WORDS!r}
    def __repr__(self): return {WORDS!r}

ZERO, NOTHING = Spoken(0), Said(0.0)

@wp.func
def both(x: wp.float64, k: int):
    return x, k + 1

@wp.func
def put(o: wp.array[wp.float64], k: int):
    o[k] = wp.float64(0.0)

@wp.func
def seen(o: wp.array[wp.float64], k: int):
    return o[k] * wp.float64(0.0)
"""
N = "results.shape[0]"
# Before the one store there is to do: what looks as if threads met nowhere, and is right in turn.
UNSEEN = {
    "a smaller index": f"k = int(wp.uint8(i + 1))\n    if k < {N}:\n        results[k] = wp.float64(0.0)",
    "an index of a function": f"x, k = both(data[i], i)\n    if k < {N}:\n        results[k] = x",
    "an index that moves and comes back": (
        f"j = i\n    for k in range(i + 1, {N}):\n        i = k\n        results[i] = wp.float64(0.0)\n"
        "    i = j"),
    "a view of what comes next": f"t = results[i:]\n    {NEXT}t[1] = wp.float64(0.0)",
    "a store in a function": f"{NEXT}put(results, i + 1)",
    "another's element in a function": f"x = wp.float64(0.0)\n    {NEXT}x = seen(results, i + 1)\n"
        "    results[i] = x + wp.cosh(data[i])",
    "another's element": f"x = wp.float64(0.0)\n    {NEXT}x = results[i + 1] * x\n    results[i] = x",
    "a line that goes on": f"{NEXT}results[i + \\\n            1] = wp.float64(0.0)",
    "a negative index": f"{NEXT}results[i + 1 - {N}] = wp.float64(0.0)",
    "a number that is a text": f"k = int(ZERO) + wp.static(ZERO)\n    {NEXT}results[i] = wp.float64(0.0)",
    "a float that is a text": "x = wp.float64(NOTHING) + wp.float64(wp.static(NOTHING))",
    "a constant that is a text": "k = ZERO\n    results[i + k] = wp.float64(0.0)",
}  # fmt: skip


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("how", UNSEEN)
def test_no_race_looks_as_if_there_were_none(judge, how: str) -> None:
    code = needless(UNSEEN[how], "").replace("\n@wp.kernel", f"{BEFORE}\n@wp.kernel")
    assert judge(row_at("spec_to_warp"), code).value == 0.0


@pytest.mark.process
@pytest.mark.compile
def test_the_end_of_a_row_is_the_next_row(judge) -> None:
    """What is beyond one's own row is another thread's, and in memory that is there."""
    row = row_at("spec_to_warp", "normalization", 0, "layer_norm")
    beyond = (
        "    token = wp.tid()\n    if token + 1 < normed.shape[0]:\n"
        "        for k in range({}):\n            normed[token, k] = 0.0\n"
    )
    for places, value in (("normed.shape[1]", 1.0), ("normed.shape[1], normed.shape[1] + 2", 0.0)):
        code = row["completion"].replace("    token = wp.tid()\n", beyond.format(places))
        assert code != row["completion"] and judge(row, code).value == value


@pytest.mark.process
@pytest.mark.compile
def test_nothing_is_left_for_the_next_thread(judge) -> None:
    """Where a variable is not given anything, there would be what the last thread left in its place."""
    kept = (
        "if i == 0:\n        kept = wp.cosh(data[i])\n    results[i] = kept\n    for k in range(i, i + 1):\n"
        "        if i + 1 < data.shape[0]:\n            kept = wp.cosh(data[i + 1])"
    )
    code = needless("").replace(f"{STORED} * wp.float64(wp.static(1.0))", kept)
    assert judge(row_at("spec_to_warp"), code.replace("if i == 0:", "if i >= 0:")).value == 1.0
    assert judge(row_at("spec_to_warp"), code).value == 0.0


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize(
    "made",
    [
        "u = wp.vec3d()",  # which is settled, but for its index
        "wp.printf('')\n    u = wp.vec3d()",
        "u = wp.zeros(shape=(3,), dtype=wp.float64)",
        "o = wp.zeros(shape=(3,), dtype=wp.float64)\n    u = o[1:]",
    ],
)
def test_nothing_is_left_on_the_stack(judge, made: str) -> None:
    kept = (
        f"{made}\n    k = data.shape[0] * 0 + {{}}\n"
        "    if i == 0:\n        u[k] = wp.cosh(data[i])\n"
        "    results[i] = u[k]\n    if i + 1 < data.shape[0]:\n        u[k] = wp.cosh(data[i + 1])"
    )
    code = needless("").replace(f"{STORED} * wp.float64(wp.static(1.0))", kept)
    assert judge(row_at("spec_to_warp"), code.format(1).replace("if i == 0:", "if i >= 0:")).value == 1.0
    assert judge(row_at("spec_to_warp"), code.format(-2000)).value == 0.0


@pytest.mark.process
@pytest.mark.compile
def test_an_answers_names_do_not_keep_it_from_being_judged(judge) -> None:
    line, _ = NEEDLESS["a search"]
    struct = "@wp.struct\nclass wm_of_blocks:\n    x: float\n\n@wp.kernel"
    code = needless(f"s = wm_of_blocks()\n    {line}").replace("@wp.kernel", struct)
    assert judge(row_at("spec_to_warp"), code).value == 0.0
    assert judge(row_at("spec_to_warp"), code.replace(line, "")).value == 1.0
    told = needless("").replace(
        "\n@wp.kernel", "\n@wp.func\ndef wm_race(x: wp.float64): return x\n\n@wp.kernel"
    )
    assert judge(row_at("spec_to_warp"), told.replace("cosh(data[i])", "cosh(wm_race(data[i]))")).value == 1.0


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("how", NEEDLESS)
def test_what_changes_nothing_in_turn_may_wipe(judge, how: str) -> None:
    line, meets = NEEDLESS[how]
    assert judge(row_at("spec_to_warp"), needless(line)).value == (0.0 if meets else 1.0)


@pytest.mark.process
@pytest.mark.compile
def test_what_is_right_in_step_is_watched(judge) -> None:
    for how in ("a zero to the next", "a search", "one's own zero", "the same to the next"):
        line, meets = NEEDLESS[how]
        code = needless(line, "")
        read(code, program_at(*PLAIN).signature)
        assert judge(row_at("spec_to_warp"), code).value == (0.0 if meets else 1.0)


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize(
    ("place", "name"),
    [(("distance_fields", 4, "field_normals"), "moved"), (("gravity", 1, "nbody_acceleration"), "a")],
)
def test_what_is_added_to_a_component_is_seen(judge, place: tuple[str, int, str], name: str) -> None:
    row = row_at("spec_to_warp", *place)
    before, stored, after = row["completion"].partition(f"    {name}[i] = ")
    more = f"    if i + 1 < {name}.shape[0]:\n        {name}[i + 1].x += wp.static(7.0)\n"
    assert stored and judge(row, before + more + stored + after).value == 0.0
    own = f"    {name}[i].x += wp.static(7.0)\n"
    assert judge(row, before + own + stored + after).value == 1.0


def test_what_a_text_says_of_tiles_is_no_call():
    for said in ("wp::tile<" * 100_000, "wp::tile(x); wp::untile(y);"):
        assert tiles.unseen(f'wp::printf("{said}");\n// {said}\n') is None
