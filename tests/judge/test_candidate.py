"""What of an answer in Python is executed, and compiled."""

from __future__ import annotations

import contextlib
import textwrap

import pytest
from toys.judged import PLAIN, program_at, row_at
from toys.texts import program

from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge import candidate
from warp_ir_dataset.judge.cage.job import Translated
from warp_ir_dataset.judge.python.module import NotPython, allowed
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language.python.write import write

SUM = "total = float(0.0)\nfor k in range(n):\n    total += a[k]\no[i] = total"


@pytest.mark.process
@pytest.mark.compile
def test_what_warp_refuses_is_not_right_because_it_is_understood(judge) -> None:
    row = row_at("repair", "histograms", 0, "bin_error")
    body = "    changes = 0\n    for k in range(wp.tid()):\n        changes += k\n"
    lines = row["completion"].splitlines(keepends=True)
    place = next(at for at, line in enumerate(lines) if "wp.tid()" in line)
    verdict = judge(row, "".join([*lines[: place + 1], body, *lines[place + 1 :]]))
    assert (verdict.status, verdict.value) == (Status.COMPILE_ERROR, 0.0)
    assert "mutating a constant" in verdict.feedback


IMPORT, KERNEL = "import warp as wp", "\n\n@wp.kernel\ndef "
MADE = f"def make():{{}}\n\n    return {program_at(*PLAIN).name}\n\n\n"
# By what a module does with its kernel, which stands in place of {}: whether Warp finds it there.
PLACES = {
    "where nobody comes": ("if False:{}", False),
    "where all come": ("if True:{}", True),
    "in what is never called": (MADE, False),
    "in what is called": (f"{MADE}{program_at(*PLAIN).name} = make()", True),
    "in a class": ("class Kernels:{}", False),
    "before it is deleted": (f"if True:{{}}\ndel {program_at(*PLAIN).name}", False),
}


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize("how", PLACES)
def test_a_kernel_is_where_warp_finds_it(judge, how: str) -> None:
    (place, found), row = PLACES[how], row_at("spec_to_warp")
    head, _, kernel = row["completion"].partition(KERNEL)
    code = f"{head}\n{place.format(textwrap.indent(KERNEL + kernel, '    '))}\n"
    verdict = judge(row, code)
    assert verdict.status is (Status.CORRECT if found else Status.COMPILE_ERROR), verdict.feedback


@pytest.mark.process
@pytest.mark.compile
@pytest.mark.parametrize(("name", "found"), [("cosh", True), ("kernel", True), ("tid", False)])
def test_what_is_imported_by_name_is_what_warp_has(judge, name: str, found: bool) -> None:
    row = row_at("spec_to_warp")
    code = row["completion"].replace(f"wp.{name}", name)
    assert code != row["completion"]
    verdict = judge(row, code.replace(IMPORT, f"{IMPORT}\nfrom warp import {name}"))
    assert verdict.status is (Status.CORRECT if found else Status.COMPILE_ERROR), verdict.feedback


LONG = f"0x{'f' * 5000}"


@pytest.mark.parametrize(
    ("before", "value"),
    [
        ("", " + ".join(["a[i]"] * 2000)),
        ("", f"a[i] + float({LONG})"),
        ("", f"a[i] + wp.float64(1{'0' * 400})"),
        (f"unused = {LONG}", "a[i]"),
        ("C = wp.constant(9**9**9)", "a[i] * float(C)"),
        ("C = pow(9, 9**9)", "a[i] * float(C)"),
        ("V = wp.types.vector(length=10**9, dtype=float)", "V()[0]"),
        (f"V = wp.types.vector(length={LONG}, dtype=float)", "V()[0]"),
        ("V = wp.types.vector(length=-1, dtype=float)", "V()[0]"),
        ("V = wp.types.matrix(shape=(3,), dtype=float)", "V()[0]"),
    ],
    ids=["a long sum", "digits", "a float of them", "unused digits", "a tower", "a power", "a long vector",
         "a vector of digits", "a vector of less than nothing", "a matrix of one dimension"],
)  # fmt: skip
def test_what_is_too_much_for_the_project_is_left_to_the_cage_or_told(before: str, value: str) -> None:
    whole = write(program("o[i] = a[i]")).replace("import warp as wp\n", f"import warp as wp\n\n{before}\n")
    code = whole.replace("o[i] = a[i]", f"o[i] = {value}")
    with contextlib.suppress(NotPython):
        assert allowed(code, "test_kernel") in (code, code.replace(f"unused = {LONG}", "0"))


@pytest.mark.compile
def test_of_two_forms_of_a_kernel_one_is_compiled() -> None:
    own = warp.translate(write(program(SUM)), program(SUM).name, backward=False, cuda=False)
    both = {f"_tasks<{contiguous}>(dim" for contiguous in ("true", "false")}
    assert all(form in own.cpu for form in both)
    unit = candidate.translated(Translated(own.name, own.cpu), own, 0, 64).unit
    assert [form for form in both if form in unit] == ["_tasks<false>(dim"]
