"""Candidates become rows, room by room: what is drawn, written, proved, and put down."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from toys import programs as h
from toys.candidates import candidate_of
from toys.rows import TASKS

from warp_ir_dataset.builds import produce as rooms
from warp_ir_dataset.builds.engine import WARP
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.produce import produce
from warp_ir_dataset.builds.repair.breaking import Right
from warp_ir_dataset.builds.repair.mistake import Mistake
from warp_ir_dataset.builds.row import SCHEMA, examples_text, schema
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, Config
from warp_ir_dataset.common.outcomes import Outcome, Reason, Rejected, Row
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof.checks import Checks
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.subject import Proof, Subject
from warp_ir_dataset.synthesis.sampling import sample
from warp_ir_dataset.workers.task import Task

ADDRESS = Address(7, "arithmetic", 3)
ZERO = h.kernel(h.write("o", h.op("mul", h.read("a"), h.number(1e-9))))
ILLEGAL = h.kernel(h.write("o", h.op("div", h.number(1.0), h.op("sub", h.read("a"), h.number(1.0)))))


def _produce(*programs: ir.Program, config: str = "cuda_backward") -> list[Outcome]:
    return produce(
        [candidate_of(program, h.ADDRESS) for program in programs], config, "sm_80", lambda index: None
    )


def _row(outcome: Outcome) -> Row:
    assert isinstance(outcome, dict), outcome
    return outcome


# ---- without compilers: what goes into a proof, and what becomes of what comes out


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Subject]:
    """A proof that looks at nothing and refuses kernels called `refused`. Lists what it was given."""
    subjects: list[Subject] = []

    def believe(
        given: Sequence[Subject], config: Config, arch: str, notify: object, units: Sequence[str]
    ) -> list[Proof | Rejected]:
        subjects.extend(given)
        checks = Checks(native_compile=True, warp_launch=True, cases=1)
        return [
            Rejected(Reason.KINK, "as told")
            if subject.signature.name == "refused"
            else Proof(f"code of {subject.signature.name}", None, ({"outputs": {}},), checks, "1.19.0")
            for subject in given
        ]

    def break_them(rights: Sequence[Right], notify: object) -> list[Mistake | Rejected]:
        return [
            Rejected(Reason.UNBROKEN, "as told")
            if right.program.name == "sturdy"
            else Mistake("race", f"# {right.id}\n", f"{right.program.name} races")
            for right in rights
        ]

    monkeypatch.setattr(rooms, "prove", believe)
    monkeypatch.setattr(rooms, "broken", break_them)
    return subjects


def test_a_mistake_goes_to_the_kernel_that_it_was_made_in(asked: list[Subject]) -> None:
    names = ("refused", "one", "sturdy", "two")
    programs = [h.kernel(h.write("o", h.op("sin", h.read("a"))), text=name) for name in names]
    refused, one, sturdy, two = _produce(*programs, config="repair")
    assert refused == Rejected(Reason.KINK, "as told") and sturdy == Rejected(Reason.UNBROKEN, "as told")
    for row, name, program in ((_row(one), "one", programs[1]), (_row(two), "two", programs[3])):
        assert (row["kind"], row["message"]) == ("race", f"{name} races")
        assert row["broken"] == f"# {identify(program).id}\n" and row["kernel_name"] == name


def test_order_is_kept_and_rejections_pass_through(asked: list[Subject]) -> None:
    names = ("one", "refused", "two", "refused", "three")
    programs = [h.kernel(h.write("o", h.op("sin", h.read("a"))), text=name) for name in names]
    outcomes = _produce(*programs, config="cpu")
    refusal = Rejected(Reason.KINK, "as told")
    assert [o if isinstance(o, Rejected) else o["kernel_name"] for o in outcomes] == [
        *("one", refusal, "two", refusal, "three"),
    ]
    assert _row(outcomes[2])["completion"] == "code of two"


def test_a_subject_is_what_was_drawn_and_may_not_be_idle(asked: list[Subject]) -> None:
    _produce(h.SQUARE)
    (subject,) = asked
    assert subject.source == write(h.SQUARE) and subject.signature == h.SQUARE.signature
    assert subject.program == h.SQUARE and subject.must_tell


@pytest.mark.parametrize("config", [name for name in TASKS if not CONFIGS[name].broken])
def test_a_kernels_id_decides_its_inputs_in_every_config(config: str, asked: list[Subject]) -> None:
    """Under another name it is the same kernel, on the same numbers."""
    renamed = h.kernel(*h.SQUARE.body[1:], text="other_name")
    _produce(h.SQUARE, renamed, config=config)
    expected = make_inputs(h.SQUARE.signature, f"{identify(h.SQUARE).id}/0")["a"]
    for subject in asked:
        assert np.array_equal(subject.cases.inputs[0]["a"], expected)


def test_what_lives_at_an_address_is_drawn_where_it_is_not_given(asked: list[Subject]) -> None:
    (row,) = produce([Candidate(ADDRESS)], "cpu", "sm_80", lambda index: None)
    drawn = sample(ADDRESS)
    row = _row(row)
    assert list(row) == SCHEMA.names
    assert row["python_source"] == write(drawn.program)
    assert (row["seed"], row["category"], row["draw"]) == (7, "arithmetic", 3)
    assert (row["difficulty"], row["description"]) == (drawn.difficulty, drawn.description)
    assert row["examples"] == examples_text([{"outputs": {}}]) and row["warp_version"] == "1.19.0"


def test_an_illegal_program_is_no_row_and_is_never_compiled(asked: list[Subject]) -> None:
    outside = h.kernel(h.write("o", h.read("a", index=h.number(99, h.INT))))
    first, row, second = _produce(ILLEGAL, h.SQUARE, outside)
    assert first == Rejected(Reason.ILLEGAL, "div is not defined for operands of these ranges")
    assert second == Rejected(Reason.ILLEGAL, "an index of a may be out of bounds")
    assert _row(row)["kernel_name"] == h.SQUARE.name
    assert [subject.program for subject in asked] == [h.SQUARE]


def test_whoever_is_busy_goes_by_its_place_among_the_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = Checks(native_compile=True, warp_launch=True, cases=1)

    def tell(
        given: Sequence[Subject], config: Config, arch: str, notify: Callable[[int], None], units: object
    ) -> list[Proof]:
        for index in (-1, *range(len(given))):
            notify(index)
        return [Proof("code", None, ({"outputs": {}},), checks, "1.19.0") for _ in given]

    monkeypatch.setattr(rooms, "prove", tell)
    told: list[int] = []
    programs = (h.SQUARE, ILLEGAL, h.SQUARE)
    produce([candidate_of(program, h.ADDRESS) for program in programs], "cpu", "sm_80", told.append)
    assert told == [-1, 0, 2]


def test_it_is_what_workers_are_told_to_do() -> None:
    assert Task(WARP.function).load() is produce


# ---- with compilers


@pytest.mark.compile
@pytest.mark.parametrize("config", TASKS)
def test_rows_and_rejections_of_real_kernels(config: str) -> None:
    square, refused, loop = _produce(h.SQUARE, ZERO, h.SHORT_LOOP, config=config)
    assert isinstance(refused, Rejected) and refused.reason is Reason.NEAR_ZERO
    row, other = _row(square), _row(loop)
    assert list(row) == schema(config).names and row["python_source"] == write(h.SQUARE)
    assert (row.get("ptx") is not None) == CONFIGS[config].cuda
    assert row["arch"] == ("sm_80" if CONFIGS[config].cuda else "x86_64")
    assert ("harness" in row) == CONFIGS[config].plain == bool(row["checks"].get("plain_matches"))
    assert ("_backward" in row["completion"]) == (config == "cuda_backward")
    assert row["id"] != other["id"] and row["checks"]["numpy_matches"] is True
    examples = json.loads(row["examples"])
    assert len(examples) == row["checks"]["cases"] == 3
    for example in examples:
        a, o = np.float32(example["inputs"]["a"]), np.float32(example["outputs"]["o"])
        assert np.array_equal(a * a + np.float32(0.25), o)
        assert example["launch_dim"] == [h.SIZE]


@pytest.mark.compile
def test_configs_share_the_kernel_and_its_inputs() -> None:
    rows = [_row(_produce(h.SQUARE, config=config)[0]) for config in TASKS]
    assert len({row["id"] for row in rows}) == 1
    examples = [json.loads(row["examples"]) for row in rows]
    assert examples[0] == examples[1]
    for forward, backward in zip(examples[0], examples[2], strict=True):
        assert {**backward, **forward} == backward


@pytest.mark.compile
def test_a_row_is_the_same_alone_first_last_and_in_any_order() -> None:
    programs = [h.SQUARE, h.SHORT_LOOP, h.ATOMIC_SUM]
    together = _produce(*programs)
    assert together == _produce(*programs[::-1])[::-1] == [_produce(program)[0] for program in programs]
    assert all(isinstance(row, dict) for row in together)
