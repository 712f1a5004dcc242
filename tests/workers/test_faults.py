"""Real kernels that do not compile, crash or never end, through real worker processes."""

from __future__ import annotations

from typing import Any

import pytest
from toys.candidates import candidate_of
from toys.programs import (
    LINEAR_SUM,
    SHORT_LOOP,
    SQUARE,
    X,
    argument,
    kernel,
    number,
    op,
    read,
    start_x,
    write,
)
from toys.unchecked import PRODUCE

from warp_ir_dataset.builds.request import DEFAULT_ARCH
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.types import BOOL, INT
from warp_ir_dataset.workers.pool import Fault, Pool
from warp_ir_dataset.workers.task import Task

NO_CPP_NAME = kernel(
    write("o", op("mul", read("int"), number(0.5))), arguments=(argument("int"), argument("o", "output"))
)
FAR_OUT_OF_BOUNDS = kernel(write("o", read("a", index=ir.Literal(2_000_000_000, INT))))
ENDLESS = kernel(
    start_x(),
    ir.While(op("lt", X, number(9.0), type=BOOL), (ir.Assign(X, op("mul", X, number(0.5))),)),
    write("o", op("add", X, read("a"))),
)  # fmt: skip


def prove(programs: list[ir.Program], config: str, **options: Any) -> list[Any]:
    candidates = [candidate_of(each, Address(7, "arithmetic", draw)) for draw, each in enumerate(programs)]
    with Pool(1, Task(PRODUCE, (config, DEFAULT_ARCH)), **options) as pool:
        pool.submit(None, candidates)
        [(_, outcomes)] = pool.results()
    return outcomes


@pytest.mark.compile
@pytest.mark.slow
@pytest.mark.parametrize("config", ["cpu", pytest.param("cuda_backward", marks=pytest.mark.long)])
def test_neighbours_of_faulty_kernels_arrive(config: str):
    alone = prove([SQUARE, SHORT_LOOP, LINEAR_SUM], config)
    programs = [SQUARE, NO_CPP_NAME, SHORT_LOOP, FAR_OUT_OF_BOUNDS, ENDLESS, LINEAR_SUM]
    outcomes = prove(programs, config, run_seconds=2, skip_faults=True)
    for row, expected in zip([outcomes[0], outcomes[2], outcomes[5]], alone, strict=True):
        assert {**row, "draw": 0} == {**expected, "draw": 0}
    assert [outcome.reason for outcome in outcomes if isinstance(outcome, Rejected)] == [
        Reason.COMPILE_ERROR, Reason.CRASH, Reason.TIMEOUT,
    ]  # fmt: skip
    assert outcomes[3].detail.startswith("killed by SIGSEGV while running")


@pytest.mark.compile
def test_an_endless_kernel_stops_the_build_with_its_address():
    with pytest.raises(Fault, match=r"^kernel 7/arithmetic/1: .* 2 s; .*--skip-faults"):
        prove([SQUARE, ENDLESS], "cpu", run_seconds=2)
