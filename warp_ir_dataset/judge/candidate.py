"""A candidate's code as what a cage is asked to run, by config: what stands around it, and its entries."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from ..common.configs import Config
from ..compilers import plain as plain_text
from ..compilers import units
from ..compilers.units import Member
from ..compilers.warp import Translation
from ..language.cuda.render import Plain
from ..language.program import Signature
from ..language.python.read import Unreadable, read
from ..language.python.write import write
from .cage.caged import PREFIX


@dataclass(frozen=True)
class Candidate:
    """Either `unit`, a whole one in C++, or the kernel `name` of the Python module `source`; then the symbols
    of its entries, forward and, where there is one, adjoint."""

    unit: str
    source: str
    name: str
    forward: str
    backward: str | None


def native(code: str, config: Config, own: Translation) -> Candidate:
    """Code for the CPU, or CUDA code with what makes it run there. `own` is what Warp makes of the row's
    source: the candidate's arguments must be laid out as there."""
    if config.cuda:
        member = Member(PREFIX, replace(own, cuda=_whole(code)))
        forward, backward = member.cuda_symbols
        return Candidate(units.cuda_alone(member), "", "", forward, backward)
    member = Member(PREFIX, replace(own, cpu=_whole(code)))
    return Candidate(units.native_unit([member]), "", "", *member.cpu_symbols)


def plain(code: str, rendered: Plain, signature: Signature) -> Candidate:
    """Plain CUDA, behind the prelude that its prompt declares. `rendered` is the kernel as the project writes
    it: the answer's must take the same parameters."""
    text = plain_text.runnable(replace(rendered, completion=_whole(code)), signature, PREFIX)
    return Candidate(units.plain_alone(text), "", "", plain_text.symbol(PREFIX), None)


def python(code: str, signature: Signature) -> Candidate:
    """A kernel in Python. One that the project can read is written anew, so that nothing of the module is
    executed but that; another one is executed as it stands, by Warp and in the cage."""
    with contextlib.suppress(Unreadable):
        code = write(read(code, signature))
    return Candidate("", code, signature.name, f"{PREFIX}_cpu_forward", None)


def _whole(code: str) -> str:
    return f"{code.rstrip()}\n"
