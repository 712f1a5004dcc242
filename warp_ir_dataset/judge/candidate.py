"""Prepares a candidate's code for the sandbox, by config: the code around it, and its entry points."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from ..common.configs import Config
from ..compilers import units, warp_text
from ..compilers.units import Member
from ..compilers.warp import Translation
from .cage.caged import PREFIX
from .cage.job import ANSWER, Translated
from .python import tiles


@dataclass(frozen=True)
class Candidate:
    """A whole `unit` in C++, and the symbols of its entries, forward and, where there is one, adjoint.

    `token` ends the names of what stands around CUDA: an answer cannot know it, so that it neither calls nor
    replaces that. It may have Warp's `tiles`.
    """

    unit: str
    forward: str
    backward: str | None
    token: str = ""
    tiles: bool = False


def native(code: str, config: Config, own: Translation) -> Candidate:
    """Code for the CPU, or CUDA code with what makes it run there. `own` is what Warp makes of the row's
    source: the candidate's arguments must be laid out as there."""
    token = _token()
    if config.cuda:
        member = Member(f"{PREFIX}{token}", replace(own, cuda=_with_lines(code)))
        forward, backward = member.cuda_symbols
        return Candidate(units.cuda_on_machine(member, token), forward, backward, token)
    member = Member(PREFIX, replace(own, cpu=_with_lines(code)))
    return Candidate(units.native_unit([member]), *member.cpu_symbols, token)


def translated(found: Translated, own: Translation, first: int, size: int) -> Candidate:
    """What Python was translated to, without an adjoint, for the machine; its arrays are in `size` bytes from
    the address `first` on."""
    token = _token()
    text = tiles.joined(warp_text.for_any_array(f"{found.text.rstrip()}\n"), first, size)
    member = Member(PREFIX, replace(own, name=found.name, cpu=text, backward=False))
    entry = f"{member.cpu_symbols[0]}{token}"
    return Candidate(units.native_on_machine(member, token), entry, None, token, tiles=True)


def _token() -> str:
    return f"_{secrets.token_hex(8)}"


def _with_lines(code: str) -> str:
    """The code, where compilers count its lines, and not those of what stands around it."""
    return f'#line 1 "{ANSWER}"\n{code.rstrip()}\n#line 1 "{ANSWER}.end"\n'
