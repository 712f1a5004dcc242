"""Answers that are right when threads run in turn, and wrong when they run in step."""

from __future__ import annotations

import numpy as np
import pytest
from toys.judged import PLAIN, program_at, row_at
from toys.texts import program

from warp_ir_dataset.judge import referee
from warp_ir_dataset.judge.python import tiles
from warp_ir_dataset.judge.python.racing import races
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.mutants.table import OPERATORS
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.run import Result

COUNT = "wp.atomic_add(o, c[i] % 2, a[i])"
LOOP = "for k in range(n):\n    wp.atomic_add(o, k, a[i])"


def found(body: str, code: str) -> bool | None:
    """Whether a source is said to race where the kernel with this body is asked for; None if that is not
    known."""
    own = program(body)
    inputs = [make_inputs(own.signature, f"racing/{number}") for number in range(2)]
    expected = []
    for given in inputs:
        left = interpret(own, {name: value[None] for name, value in given.items()}, 1)
        expected.append(Result({name: np.float32(value[0]) for name, value in left.items()}, {}))
    return races(code, own, [own.signature] * 2, inputs, expected)


def unlocked(body: str) -> str:
    (made,) = OPERATORS["atomic unlocked"].variants(program(body))
    return write(made)


@pytest.mark.parametrize("body", [COUNT, LOOP])
def test_an_atomic_without_its_lock_races(body: str) -> None:
    assert found(body, unlocked(body)) is True and found(body, write(program(body))) is False


def test_threads_that_all_do_the_same_race() -> None:
    own = "wp.atomic_add(o, 0, a[0])"
    unlocked = write(program(own)).replace("wp.atomic_add(o, 0, a[0])", "o[0] = o[0] + a[0]")
    assert found(own, unlocked) is True
    assert found(own, unlocked.replace("    i = wp.tid()\n", "")) is True


def test_threads_that_meet_nowhere_or_leave_the_same_do_not() -> None:
    own = "o[i] = a[i]"
    assert not found(
        own, write(program("j = n * 0 + i\no[j] = a[j]")).replace(", n: int", "").replace("n * 0", "0")
    )
    both = write(program("o[i // 2 * 2] = a[i // 2 * 2]\no[i // 2 * 2 + 1] = a[i // 2 * 2 + 1]"))
    assert not found(own, both)


def test_what_is_not_known_is_said() -> None:
    assert found(COUNT, "import warp as wp\n") is None  # not read
    assert found(COUNT, unlocked(LOOP)) is None  # another signature, or more loops
    beyond = unlocked(COUNT).replace("c[i] % 2", "c[i] + 9")
    assert "c[i] + 9" in beyond and found(COUNT, beyond) is None


@pytest.mark.process
@pytest.mark.compile
def test_the_judge_refuses_a_race(judge) -> None:
    row = row_at("spec_to_warp", "atomic", 3)
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


UNREAD = [
    "one = wp.static(int('1'))",
    "for unused_k in range(1):\n        pass",
    "wp.atomic_add(total_fractions_of_prescribed, 0, float(wp.static(0.0)))",
]


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("line", UNREAD)
def test_a_race_is_seen_where_the_tree_does_not_tell(judge, line: str) -> None:
    """And what does not race is still right."""
    row = row_at("spec_to_warp", "atomic", 3)
    assert judge(row, with_line(row["completion"], line)).value == 1.0
    racing = write(next(OPERATORS["atomic unlocked"].variants(read(row["completion"]))))
    verdict = judge(row, with_line(racing, line))
    assert (verdict.status, verdict.value) == (Status.WRONG_OUTPUT, 0.0) and "race" in verdict.feedback


@pytest.mark.process
@pytest.mark.compile
def test_a_kernel_that_is_slow_where_it_is_watched_is_not_right(judge, monkeypatch) -> None:
    """Else a race could hide behind a loop that takes nearly as long as a kernel may."""
    monkeypatch.setattr(referee, "WATCHED", 0.01)
    row = row_at("spec_to_warp", "atomic", 3)
    slow = "for unused_k in range(3000000):\n        x = wp.static(1.0) * doses[tid]"
    verdict = judge(row, with_line(row["completion"], slow))
    assert verdict.value == 0.0 and verdict.status is Status.TIMEOUT


OUT = "total_fractions_of_prescribed"
ADDED = "fraction_of_prescribed"
ALONE = (
    "s = float(0.0)\n        for t in range(doses.shape[0]):\n"
    "            left = doses[wp.max(t - 1, 0)]\n"
    "            right = doses[wp.min(t + 1, doses.shape[0] - 1)]\n"
    "            s += (0.5 * doses[t] + 0.25 * (left + right)) / prescribed[t]\n"
    f"        {OUT}[0] = s"
)
EMPTY = f"wp.dense_gemm(1, 1, 0, 0, 0, doses, prescribed, {OUT})"  # a sum of nothing
# By name: what stands in place of the atomic, and whether threads meet there.
INSTEAD = {
    "an exchange": (f"old = wp.atomic_add({OUT}, 0, 0.0)\n    wp.atomic_exch({OUT}, 0, old + {ADDED})", True),
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
        f"{OUT}[0] += {ADDED}\n    if tid == doses.shape[0] - 1:\n"
        f"        {OUT}[0] = {OUT}[0] * wp.static(1.0)", True),
}  # fmt: skip


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("how", INSTEAD)
def test_ways_to_add_are_told_apart(judge, how: str) -> None:
    row = row_at("spec_to_warp", "atomic", 3)
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
    row, own = row_at("spec_to_warp", "gathering", 26), "slot = wp.atomic_add(counter, 0, 1)"
    assert own in row["completion"]
    added = f"wp.atomic_add(counter, 0, {one})"
    for instead, value in (
        (f"slot = {added}", 1.0),
        (f"{added}\n    slot = counter[0] - 1", 0.0),
        (f"slot = counter[0]\n    {added}", 0.0),
    ):
        assert judge(row, row["completion"].replace(own, instead)).value == value


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
@pytest.mark.parametrize("how", ["a zero to the next", "zeros to all later ones", "one's own zero"])
def test_what_is_not_watched_runs_in_another_order(judge, monkeypatch, how: str) -> None:
    line, meets = NEEDLESS[how]
    for text in (None, "no C++"):
        monkeypatch.setattr(referee, "watched", lambda *_, text=text: text)
        assert judge(row_at("spec_to_warp"), needless(line)).value == (0.0 if meets else 1.0)


@pytest.mark.process
@pytest.mark.compile
def test_an_answers_names_do_not_keep_it_from_being_watched(judge, monkeypatch) -> None:
    monkeypatch.setattr(referee, "last_first", lambda _: None)
    line, _ = NEEDLESS["a search"]
    struct = "@wp.struct\nclass wp_watch:\n    x: float\n\n@wp.kernel"
    code = needless(f"s = wp_watch()\n    {line}").replace("@wp.kernel", struct)
    assert judge(row_at("spec_to_warp"), code).value == 0.0
    assert judge(row_at("spec_to_warp"), code.replace(line, "")).value == 1.0


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
@pytest.mark.parametrize("place", [("distance_fields", 3, "out", "idx"), ("gravity", 8, "acceleration", "i")])
def test_what_is_added_to_a_component_is_seen(judge, place: tuple[str, int, str, str]) -> None:
    category, number, name, tid = place
    row = row_at("spec_to_warp", category, number)
    before, stored, after = row["completion"].partition(f"    {name}[{tid}] = ")
    more = f"    if {tid} + 1 < {name}.shape[0]:\n        {name}[{tid} + 1].x += wp.static(7.0)\n"
    assert stored and judge(row, before + more + stored + after).value == 0.0
    own = f"    {name}[{tid}].x += wp.static(7.0)\n"
    assert judge(row, before + own + stored + after).value == 1.0


def test_what_a_text_says_of_tiles_is_no_call():
    for said in ("wp::tile<" * 100_000, "wp::tile(x); wp::untile(y);"):
        assert tiles.unseen(f'wp::printf("{said}");\n// {said}\n') is None
