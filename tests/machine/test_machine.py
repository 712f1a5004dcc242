"""Kernels on the machine: right ones without a finding and with the right numbers, wrong ones found out,
attacks refused or found out; each by the public function, in the sandbox."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from machine.attacks import FOUND, REFUSED
from machine.cases import Drawn
from machine.right import RIGHT
from machine.runs import drawn_by_seeds
from machine.wrong import FAULTS, WRONG

from warp_ir_dataset import check_cuda
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.judge.cage.cage import Cage
from warp_ir_dataset.machine.findings import KINDS, Checked

pytestmark = [pytest.mark.process, pytest.mark.compile]

SEEDS = (0, 1, 2)


def run(drawn: Drawn, seed: int) -> Checked:
    return check_cuda(
        drawn.text,
        drawn.kernel,
        drawn.arguments,
        grid=drawn.grid,
        block=drawn.block,
        shared=drawn.shared,
        seed=seed,
    )


def leaves(drawn: Drawn, arguments: Sequence[Any]) -> bool:
    """Whether arguments are what a right kernel leaves."""
    for place, after in drawn.after.items():
        found = arguments[place]
        if callable(after):
            if not after(found):
                return False
        elif not np.allclose(found, np.reshape(after, found.shape), rtol=1e-5, atol=1e-6):
            return False
    return True


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernels(name):
    for seed in SEEDS:
        drawn = RIGHT[name](np.random.default_rng(seed))
        assert drawn.after
        checked = run(drawn, seed)
        assert not checked.findings, seed
        assert checked.steps > 0
        assert leaves(drawn, drawn.arguments), seed


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels(name):
    for seed in SEEDS:
        drawn = WRONG[name][0](np.random.default_rng(seed))
        assert not missed(name, drawn, run(drawn, seed)), seed


def missed(name: str, drawn: Drawn, checked: Checked) -> str | None:
    """Why a wrong kernel is not found out as it should be: by the kind of its fault, in its lines."""
    kind = WRONG[name][1]
    assert kind in KINDS
    found = [each for each in checked.findings if each.kind == kind]
    if not found:
        return f"no {kind}: {checked}"
    texts = ["", *drawn.text.split("\n")]
    faulty = {line for line, each in enumerate(texts) if any(fault in each for fault in FAULTS[name])}
    for each in found:  # of the two lines of a race, one may be right
        if not faulty & {each.line, *map(int, re.findall(r"\(line (\d+)\)", each.message))}:
            return f"{kind} in other lines: {checked}"
    return None


@pytest.fixture(scope="module")
def cage() -> Iterator[Cage]:
    with Cage() as found:
        yield found


@pytest.mark.long
@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_by_twenty_seeds(cage, name):
    for drawn, seen in drawn_by_seeds(cage, RIGHT[name] if name in RIGHT else WRONG[name][0], 20):
        if name in WRONG:
            assert not missed(name, drawn, seen.checked)
            continue
        assert not seen.checked.findings
        for arrays in seen.arrays:
            left = {id(each): after for each, after in zip(seen.given, arrays, strict=True)}
            assert leaves(drawn, [left.get(id(each), each) for each in drawn.arguments])


def attacked(text: str) -> Checked:
    y, x = np.zeros(64, np.int32), np.zeros(64, np.int32)
    return check_cuda(text, "k", [y, x], grid=2, block=32)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_attacks(name):
    text, word = REFUSED[name]
    with pytest.raises(UserError) as refused:
        attacked(text)
    assert word in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", FOUND)
def test_found_attacks(name):
    text, kind = FOUND[name]
    checked = attacked(text)
    assert kind in {each.kind for each in checked.findings}, checked


# Two threads read each of so many numbers; one of them then writes to the first, which nothing orders.
MANY_READERS = """
__global__ void k(int* y, int* sums, int n) {
    int t = threadIdx.x, s = 0;
    if (t < 2) for (int i = n - 1; i >= 0; --i) s += y[i];
    __all_sync(0xffffffffu, 1);
    if (t == 1) y[0] = 1;
    sums[t] = s;
}
"""


def test_of_many_numbers_all_readers_are_known():
    y = np.zeros(60_000, np.int32)
    checked = check_cuda(MANY_READERS, "k", [y, np.zeros(1024, np.int32), len(y)], grid=1, block=1024)
    assert [each.kind for each in checked.findings] == ["read-write race"]


@pytest.mark.parametrize("mask", ["0xAAAAAAAAu", "0x5555'5555u << 1", "x[threadIdx.x]"])
def test_what_clang_fills_locals_with_may_be_a_value(mask):
    text = f"__global__ void k(const unsigned* x, unsigned* y) {{ unsigned m = {mask}; y[threadIdx.x] = m; }}"
    x, y = np.full(32, 0xAAAAAAAA if mask[0] == "x" else 0, np.uint32), np.zeros(32, np.uint32)
    assert not check_cuda(text, "k", [x, y], grid=1, block=32).findings
    assert (y == 0xAAAAAAAA).all()


def test_arrays_are_changed_as_on_a_device():
    drawn = RIGHT["saxpy"](np.random.default_rng(5))
    before = copy.deepcopy(drawn.arguments)
    run(drawn, 0)
    assert (drawn.arguments[1] == before[1]).all()
    assert (drawn.arguments[2] != before[2]).any()


def test_the_same_seed_gives_the_same():
    name = "aggregated_by_plain_counter"
    runs = [run(WRONG[name][0](np.random.default_rng(3)), 7) for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kernel": "other"}, "other"),
        ({"kernel": "k); int q = (1"}, "kernel"),
        ({"block": 1025}, "1024"),
        ({"block": (32, 32, 2)}, "1,024"),
        ({"grid": 0}, "grid"),
        ({"grid": (1, 2, 3, 4)}, "grid"),
        ({"shared": 1 << 20}, "shared"),
        ({"seed": -1}, "seed"),
        ({"arguments": [np.zeros(8, np.float32)]}, "parameters"),
        ({"arguments": [np.zeros(8, np.int32), 8]}, "float"),
        ({"arguments": [np.zeros(8, np.float32), 2.5]}, "2.5"),
        ({"arguments": [np.zeros(8, np.float32), 1 << 40]}, "32"),
        ({"arguments": [3, 8]}, "parameter 1"),
        ({"arguments": [np.zeros(16, np.float32)[::2], 8]}, "contiguous"),
        ({"arguments": ["x", 8]}, "x"),
        ({"text": "__global__ void k(float* x, int n) { x[n] = y; }"}, "line 1"),
        ({"text": 7}, "text"),
    ],
)
def test_wrong_input_is_one_line(change, words):
    given = {
        "text": "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }",
        "kernel": "k",
        "arguments": [np.zeros(8, np.float32), 8],
        "grid": 1,
        "block": 32,
    } | change
    with pytest.raises(UserError) as error:
        check_cuda(**given)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_one_array_twice():
    text = """__global__ void k(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }"""
    x = np.arange(32, dtype=np.int32)
    assert not check_cuda(text, "k", [x, x], grid=1, block=32).findings
    assert (x == np.arange(32) + 1).all()
