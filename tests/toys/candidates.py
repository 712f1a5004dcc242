"""Candidates whose sample is given, in the place of what sampling their address would give."""

from __future__ import annotations

from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.sample import Sample
from warp_ir_dataset.synthesis.sample_text import dump


def candidate_of(program: ir.Program, address: Address) -> Candidate:
    """A candidate that is this program."""
    sample = Sample(program, address.category, 3, "A test.")
    return Candidate(address, text=dump(sample, write(program)))
