"""Rows in plain CUDA: what is proved of them, what is refused, and what they hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toys import programs as h
from toys.constructs import PROGRAMS

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.cuda.render import PlainCuda, render
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.proof import prove as proving
from warp_ir_dataset.proof.inputs import draw_cases
from warp_ir_dataset.proof.prove import prove
from warp_ir_dataset.proof.subject import Proof, Subject

pytestmark = pytest.mark.compile

(PLAIN,) = (config for config in CONFIGS.values() if config.plain)


def proved(program: ir.Program, with_tree: bool = True) -> Proof | Rejected:
    cases = draw_cases(program.signature, "test")
    subject = Subject(write(program), program.signature, cases, program if with_tree else None)
    (outcome,) = prove([subject], PLAIN, "sm_80", lambda index: None)
    return outcome


def test_the_very_text_is_run_on_every_input() -> None:
    proof = proved(h.SQUARE)
    assert isinstance(proof, Proof) and proof.plain is not None
    assert proof.code == render(h.SQUARE).completion
    checks = proof.checks
    assert checks.rendered and checks.plain_matches and checks.plain_inputs == 10
    assert checks.plain_error == 0.0 and checks.numpy_matches
    # Nothing is claimed of what was not made.
    assert checks.ptx_compile is None and checks.cuda_text_matches is None and proof.ptx is None
    assert "int main()" in proof.plain.harness.main and "__global__ void" in proof.plain.interface


def test_a_source_without_a_tree_is_read() -> None:
    proof = proved(h.SQUARE, with_tree=False)
    assert isinstance(proof, Proof) and proof.code == render(h.SQUARE).completion


def test_a_source_that_is_not_known_to_be_legal_is_refused() -> None:
    """Warp counts an index below zero from the end; what is rendered does not."""
    source = write(h.SQUARE).replace("= a[i]", "= a[i - 1]")
    cases = draw_cases(h.SQUARE.signature, "test")
    (outcome,) = prove([Subject(source, h.SQUARE.signature, cases)], PLAIN, "sm_80", lambda index: None)
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.NO_PLAIN_FORM
    assert outcome.detail.endswith("may be out of bounds")


def test_the_other_configs_have_no_such_parts() -> None:
    cases = draw_cases(h.SQUARE.signature, "test")
    subject = Subject(write(h.SQUARE), h.SQUARE.signature, cases, h.SQUARE)
    (proof,) = prove([subject], CONFIGS["cpu"], "sm_80", lambda index: None)
    assert isinstance(proof, Proof) and proof.plain is None and proof.checks.rendered is None


@pytest.mark.parametrize(
    ("right", "wrong"),
    [(" = ", " = -"), ("[i] = ", "[i == 0 ? 1 : i] = "), ("    o[i] = ", "    // o[i] = ")],
)
def test_a_wrong_text_is_no_row(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong sign, a wrong index, a missing store."""
    program = PROGRAMS["a power"]

    def falsified(given: ir.Program) -> PlainCuda:
        plain = render(given)
        before, line = plain.completion.rsplit("    o[i]", 1)
        return replace(plain, completion=before + ("    o[i]" + line).replace(right, wrong, 1))

    assert isinstance(proved(program), Proof)
    monkeypatch.setattr(proving, "render", falsified)
    outcome = proved(program)
    assert isinstance(outcome, Rejected) and outcome.reason is Reason.PLAIN_DIFFERS
    assert outcome.detail.startswith("output o of the plain CUDA is off by")


def test_what_has_no_plain_form_is_refused_by_its_name() -> None:
    outcome = proved(PROGRAMS["half precision"])
    assert outcome == Rejected(Reason.NO_PLAIN_FORM, "float16 has no plain form")


def test_one_refusal_costs_nobody_else() -> None:
    programs = [PROGRAMS["half precision"], h.SQUARE]
    subjects = [Subject(write(p), p.signature, draw_cases(p.signature, "test"), p) for p in programs]
    refused, kept = prove(subjects, PLAIN, "sm_80", lambda index: None)
    assert isinstance(refused, Rejected) and isinstance(kept, Proof)
