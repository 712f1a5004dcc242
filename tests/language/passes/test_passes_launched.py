"""Passes keep what Warp computes: equal to the bit, or within a tolerance if a pass rounds otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from test_passes import MADE, made
from toys.passes import EVERY, OPPOSITE, ROUNDS, moved

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.compilers import units
from warp_ir_dataset.compilers import warp as toolchain
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.run import Runner
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

pytestmark = pytest.mark.compile

Outputs = Mapping[str, np.ndarray]


def made_over(program: ir.Program, text: str) -> dict[str, tuple[ir.Program, ir.Program]]:
    """The program before and after each pass that applies, by its name."""
    found = {}
    for name, change in EVERY.items():
        start = program
        if name in OPPOSITE:  # which makes a place for it: drawn programs have no counting ``while``
            start = EVERY[OPPOSITE[name]](program, Rng(f"{text}/{name}/first")) or program
        after = change(start, Rng(f"{text}/{name}"))
        if after is not None:
            found[name] = start, after
    return found


def interpreted(program: ir.Program, drawn_for: ir.Signature, cases: Sequence[Outputs]) -> Outputs:
    inputs = [moved(drawn_for, program.signature, case) for case in cases]
    stacked = {name: np.stack([case[name] for case in inputs]) for name in inputs[0]}
    return interpret(program, stacked, len(cases))


def launched(
    programs: list[ir.Program], drawn_for: ir.Signature, cases: Sequence[Outputs]
) -> Iterator[Outputs | None]:
    """The outputs of each program by Warp on the CPU, compiled as one unit; None if Warp refuses it."""
    members: list[units.Member | None] = []
    for number, program in enumerate(programs):
        try:
            text = toolchain.translate(write(program), program.name, backward=False, cuda=False)
        except toolchain.CompileError:
            members.append(None)
            continue
        # A kernel in a closure has its entries under a longer name.
        entry = re.search(r"(\w+)_cpu_forward\(", text.cpu)
        assert entry is not None
        members.append(units.Member(f"kernel{number}", replace(text, name=entry[1])))
    library = toolchain.compile_native(units.native_unit([m for m in members if m is not None]))
    for program, member in zip(programs, members, strict=True):
        if member is None:
            yield None
            continue
        runner = Runner(program.signature, member, library, cuda=False)
        results = [runner.run(moved(drawn_for, program.signature, case)).outputs for case in cases]
        yield {name: np.stack([result[name] for result in results]) for name in results[0]}
    library.unload()


def equal(before: Outputs, after: Outputs | None, rounds: bool) -> bool:
    if after is None or before.keys() != after.keys():
        return False
    if rounds:
        return all(np.allclose(before[name], after[name], rtol=2e-3, atol=1e-3) for name in before)
    return all(np.array_equal(before[name], after[name], equal_nan=True) for name in before)


@pytest.mark.parametrize("programs", [10, pytest.param(40, marks=pytest.mark.long)])
def test_warp_makes_the_same_of_drawn_programs_before_and_after(programs: int) -> None:
    tried, different = 0, []
    for number in range(programs):
        address = address_of(3, RANDOM_KINDS[number % len(RANDOM_KINDS)], number // len(RANDOM_KINDS))
        program = sample(address).program
        pairs = made_over(program, str(address))
        cases = [make_inputs(program.signature, f"{address}/{case}") for case in range(2)]
        first, *others = launched(
            [program, *(after for _, after in pairs.values())], program.signature, cases
        )
        assert first is not None
        tried += len(pairs)
        # A rounding may turn a comparison over, so what such a pass makes is compared in texts alone.
        different += [
            (str(address), name)
            for name, outputs in zip(pairs, others, strict=True)
            if name not in ROUNDS and not equal(first, outputs, rounds=False)
        ]
    assert not different and tried > 10 * programs


def test_warp_makes_the_same_of_texts_before_and_after() -> None:
    wrong = []
    for name, before, after in MADE:
        pair = [made(before), made(after)]
        first = pair[0]
        case = make_inputs(first.signature, name)
        outputs = list(launched(pair, first.signature, [case]))
        assert outputs[0] is not None, name
        if not equal(outputs[0], outputs[1], name in ROUNDS):
            wrong.append((name, before))
        assert equal(interpreted(first, first.signature, [case]), outputs[0], rounds=True), name
    assert not wrong
