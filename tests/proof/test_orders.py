"""Threads in another order: what a proof lets follow it, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toys.kernels.plain import Case

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.compilers.cuda_on_cpu import enough, last_first
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof import verify
from warp_ir_dataset.proof.cases import rehearse
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.orders import _joined, exchanging, may_follow, moved, together
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.run import BLOCKS
from warp_ir_dataset.proof.subject import Proof, Subject

pytestmark = pytest.mark.compile

SLOTS = """
@wp.kernel
def kernel(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] > 0.5:
        return
    k = wp.atomic_add(count, 0, 1)
    if k >= 0 and k < 11:
        wp.atomic_add(out, k, x[i])
"""
# The last one wins: of all threads, or of those of an element.
EXCHANGE = """
@wp.kernel
def kernel(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_exch(out, 0, x[i])
"""


EACH = """
@wp.kernel
def kernel(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(count, i % 2, 1)
    out[i] = 2.0 * x[i] * x[i]
"""
COUNTS = """
@wp.kernel
def kernel(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    out[0] = out[0] + x[0]
"""
ADDS = "wp.atomic_add(out, 0, x[0])"


PAIRS = """
@wp.kernel
def kernel(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float),
           twice: wp.array(dtype=float), other: wp.array(dtype=float), rank: wp.array(dtype=int)):
    i = wp.tid()
    k = wp.atomic_add(count, 0, 1)
    rank[i] = k
    out[k] = x[i]
    twice[k] = x[i] + x[i]
    j = wp.atomic_add(count, 1, 1)
    other[10 - j] = x[i]
"""


def program(source: str) -> ir.Program:
    shapes = {
        "x": (11,),
        "count": (2 if source not in (SLOTS, EXCHANGE) else 1,),
        "out": (1 if source is EXCHANGE else 11,),
    }
    shapes |= {name: (11,) for name in ("twice", "other", "rank") if source not in (SLOTS, EXCHANGE)}
    found = Case(source, lambda arrays: None, shapes, (11,)).program()
    given, *left = found.arguments
    outputs = [replace(argument, role="output") for argument in left]
    return replace(found, signature=replace(found.signature, arguments=(given, *outputs)))


def proved(source: str, config: str, *, tree: bool = True, must_tell: bool = True) -> Proof | Rejected:
    found = program(source)
    cases = draw_cases(found.signature, "orders")
    subject = Subject(write(found), found.signature, cases, found if tree else None, must_tell=must_tell)
    (outcome,) = prove([subject], CONFIGS[config], "sm_80", lambda index: None)
    return outcome


@pytest.mark.parametrize("config", ["cpu", "cuda", "warp_to_cuda"])
def test_slots_may_be_handed_out_in_any_order(config: str) -> None:
    proof = proved(SLOTS, config)
    assert isinstance(proof, Proof), proof
    assert proof.checks.unordered == ("out",)
    assert proof.checks.thread_orders == (None if config == "cpu" else 2)


@pytest.mark.parametrize("config", ["cpu", "cuda", "warp_to_cuda"])
def test_who_comes_last_may_not_decide(config: str) -> None:
    outcome = proved(EXCHANGE, config)
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.RACE


@pytest.mark.parametrize("config", ["cpu", "cuda"])
def test_threads_in_step_may_not_lose_what_others_leave(config: str) -> None:
    """One after another they all count, in any order; on a GPU only the last of a warp does."""
    outcome = proved(COUNTS, config, must_tell=False)
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.RACE and "in step" in outcome.detail
    assert isinstance(proved(COUNTS.replace("out[0] = out[0] + x[0]", ADDS), config, must_tell=False), Proof)


@pytest.mark.parametrize("config", ["cuda", "warp_to_cuda"])
def test_without_a_tree_the_run_itself_tells(config: str) -> None:
    proof, refused = (proved(source, config, tree=False) for source in (SLOTS, EXCHANGE))
    assert isinstance(proof, Proof) and proof.checks.unordered == ("out",)
    assert isinstance(refused, Rejected) and refused.reason is Reason.RACE


# A thread does one item: it returns, or the item is its own.
LEAN = {
    "a kernel's own": ("import warp as wp\n", "@wp.kernel(grid_stride=False)"),
    "its module's": (
        'import warp as wp\nwp.set_module_options({"default_grid_stride": False})\n',
        "@wp.kernel",
    ),
}


def lean(source: str, option: str, config: str, *, tree: bool) -> Proof | Rejected:
    found = program(source)
    head, decorator = LEAN[option]
    text = head + source.replace("@wp.kernel", decorator)
    cases = draw_cases(found.signature, "orders")
    subject = Subject(text, found.signature, cases, found if tree else None, must_tell=False)
    (outcome,) = prove([subject], CONFIGS[config], "sm_80", lambda index: None)
    return outcome


@pytest.mark.parametrize("tree", [True, False])
@pytest.mark.parametrize("config", ["cuda", "cuda_backward"])
@pytest.mark.parametrize("option", LEAN)
def test_a_kernel_without_a_grid_stride_loop_has_a_thread_for_each_item(
    option: str, config: str, tree: bool
) -> None:
    """Eleven items, and eight threads in the other order of those that walk their grid."""
    proof = lean(EACH, option, config, tree=tree)
    assert isinstance(proof, Proof), proof
    assert "if (_idx >= dim.size) return;" in proof.code
    assert proof.checks.thread_orders == 2 and proof.checks.unordered in (None, ())
    assert proof.checks.finite_differences is (True if config == "cuda_backward" else None)


@pytest.mark.parametrize("tree", [True, False])
@pytest.mark.parametrize("option", LEAN)
def test_a_race_is_found_without_a_grid_stride_loop_too(option: str, tree: bool) -> None:
    outcome = lean(EXCHANGE, option, "cuda", tree=tree)
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.RACE
    slots = lean(SLOTS, option, "cuda", tree=tree)
    assert isinstance(slots, Proof) and slots.checks.unordered == ("out",)


def test_the_other_order_has_all_threads_last_first_where_each_does_one_item() -> None:
    for size in (1, 8, 9, 11, 40):
        assert last_first(size, enough(size)) == [*reversed(range(size))]
    assert last_first(11, BLOCKS)[:4] == [7, 6, 5, 4] and sorted(last_first(11, BLOCKS)) == [*range(11)]


def test_arrays_that_are_given_one_index_belong_together() -> None:
    found = program(PAIRS)
    sets = draw_cases(found.signature, "orders").inputs
    meaning = rehearse(found, sets).meaning
    allowed = may_follow(found.signature, found)
    assert moved(found, allowed, sets, meaning).outputs == {"out", "twice", "other", "rank"}
    assert together(found, allowed, sets, meaning) == (frozenset({"out", "twice"}),)


@pytest.mark.parametrize("config", ["cuda", "warp_to_cuda"])
def test_what_belongs_together_is_proved_together(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heard = []
    compare = verify.compare
    monkeypatch.setattr(verify, "compare", lambda *given: heard.append(given[3:]) or compare(*given))
    some = PAIRS.replace("i = wp.tid()", "i = wp.tid()\n    if x[i] > 0.5:\n        return")
    proof = proved(some, config)
    assert isinstance(proof, Proof), proof
    assert proof.checks.unordered == ("other", "out", "rank", "twice")
    assert ((frozenset({"out", "twice"}),),) in heard
    if proof.plain is not None:
        told = 'count_out, 2, 0.0) && all_there("out, twice", out_twice_differ) && all_there("other", '
        assert told in proof.plain.harness.main


def test_one_index_that_is_given_twice_need_not_be_the_same() -> None:
    found = program(PAIRS.replace("j = wp.atomic_add(count, 1, 1)", "k = 10 - k").replace("10 - j", "k"))
    sets = draw_cases(found.signature, "orders").inputs
    meaning = rehearse(found, sets).meaning
    allowed = may_follow(found.signature, found)
    assert together(found, allowed, sets, meaning) == (frozenset({"out", "twice"}),)


def test_who_changes_places_with_one_of_a_group_does_so_with_all() -> None:
    """Each order joins those that change places in it to what was joined before."""
    numbers = np.arange(8)
    for places in ((0, 7, 2, 3, 4, 5, 1, 6), (6, 1, 2, 3, 4, 5, 0, 7), (0, 1, 3, 2, 4, 5, 6, 7)):
        numbers = _joined(numbers, np.array(places))
    assert numbers.tolist() == [0, 0, 2, 2, 4, 5, 0, 0]


def test_elements_that_no_order_exchanges_stay_where_they_are() -> None:
    """Slots that a counter hands out, from below and from above; beyond them is nothing."""
    found = program(PAIRS.replace("i = wp.tid()", "i = wp.tid()\n    if x[i] > 0.5:\n        return"))
    sets = draw_cases(found.signature, "orders").inputs
    meaning = rehearse(found, sets).meaning
    groups = (frozenset({"out", "twice"}),)
    allowed = may_follow(found.signature, found)
    for inputs, left, numbers in zip(
        sets, meaning, exchanging(found, allowed, groups, sets, meaning), strict=True
    ):
        count = int((inputs["x"] <= 0.5).sum())
        assert 1 < count < 11
        assert numbers["out"].tolist() == numbers["twice"].tolist() == [0] * count + [*range(count, 11)]
        assert numbers["other"].tolist() == [*range(11 - count)] + [11 - count] * count
        turned = {name: array[::-1] for name, array in left.items()}
        assert verify.compare(turned, left, allowed, groups).unequal is None
        assert verify.compare(turned, left, allowed, groups, numbers).unequal is not None
