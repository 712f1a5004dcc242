"""Prepares a candidate's code for the sandbox, by config: the code around it, and its entry points."""

from __future__ import annotations

import ast
import contextlib
import functools
import re
import secrets
from dataclasses import dataclass, replace

from ..common.configs import Config
from ..compilers import plain as plain_text
from ..compilers import units
from ..compilers.units import Member
from ..compilers.warp import Translation
from ..language.cuda.render import Plain
from ..language.program import Program, Signature
from ..language.python.read import Unreadable, read
from ..language.python.write import write
from ..language.python.writing.adapting import shield_indices
from .cage.caged import PREFIX
from .cage.job import Check, Limits, Translated
from .cuda.spellings import spellings
from .python import module
from .python.rewritable import is_rewritable

READ = 16  # answers to a row, each of which is read to be compiled, to run, and to tell whether it races
_FOR_CONTIGUOUS = re.compile(r"(\b\w+_cpu_forward_tasks)<true>\(")


@dataclass(frozen=True)
class Candidate:
    """A whole `unit` in C++, and the symbols of its entries, forward and, where there is one, adjoint.

    `token` ends the names of what stands around CUDA: an answer cannot know it, so that it neither calls nor
    replaces that. Where the unit is compiled already, with other candidates, it is empty, and `compiled` is
    the descriptor of the object.
    """

    unit: str
    forward: str
    backward: str | None
    token: str = ""
    compiled: int | None = None


def native(code: str, config: Config, own: Translation) -> Candidate:
    """Code for the CPU, or CUDA code with what makes it run there. `own` is what Warp makes of the row's
    source: the candidate's arguments must be laid out as there."""
    if config.cuda:
        token = _token()
        member = Member(f"{PREFIX}{token}", replace(own, cuda=_whole(code)))
        forward, backward = member.cuda_symbols
        return Candidate(units.cuda_alone(member, token), forward, backward, token)
    member = Member(PREFIX, replace(own, cpu=_whole(code)))
    return Candidate(units.native_unit([member]), *member.cpu_symbols)


def plain(code: str, rendered: Plain, signature: Signature) -> Candidate:
    """Plain CUDA, behind the prelude that its prompt declares. `rendered` is the kernel as the project writes
    it: the answer's must take the same parameters."""
    token = _token()
    prefix = f"{PREFIX}{token}"
    more = spellings(plain_text.namespace(prefix), code)
    text = plain_text.runnable(replace(rendered, completion=_whole(code)), signature, prefix, token, more)
    return Candidate(units.plain_alone(text), plain_text.symbol(prefix), None, token)


def checked(code: str, rendered: Plain, limits: Limits, *, strict: bool) -> Check:
    """Plain CUDA to be compiled as CUDA, which tells whether it keeps host and device apart (`spaces`). If
    not `strict`, constexpr functions are for both, and the compiler says which functions are called at run
    time."""
    more = spellings(plain_text.AS_CUDA, code)
    text = replace(rendered, completion=_whole(code))
    return Check(plain_text.as_cuda(text, more, tells_calls=not strict), strict, limits)


@functools.lru_cache(maxsize=READ)
def read_answer(code: str, signature: Signature) -> Program:
    """Raises `Unreadable`, and `RecursionError` for what is nested deep."""
    return read(code, signature)


@functools.lru_cache(maxsize=READ)
def rewritten(code: str, signature: Signature) -> str | None:
    """A kernel's Python as the project writes it, if it can read it, and if Warp surely takes it as it does
    (`is_rewritable`). None also where the module need not make its kernel: whether it does is for Warp to
    say."""
    # What is nested too deep to be written is not.
    with contextlib.suppress(Unreadable, RecursionError):
        program, tree = read_answer(code, signature), ast.parse(code)
        if _makes_it(tree, signature.name) and is_rewritable(tree, signature.name):
            return write(program) if shield_indices(program) == program else None
    return None


def executed(code: str, signature: Signature) -> str:
    """What of a kernel's Python is executed: what is written anew (`rewritten`), so that nothing of the
    module is executed but that; of another one, what the kernel uses, as it stands, by Warp and in the cage.
    Raises `module.Forbidden`, `module.NotPython`."""
    return rewritten(code, signature) or module.allowed(code, signature.name)


def member(found: Translated, own: Translation, prefix: str = PREFIX) -> Member:
    """What Python was translated to, for a unit: code for the CPU without an adjoint. Of the two forms of a
    kernel in Warp's text, the one for any array is compiled; the other one is for speed."""
    text = _FOR_CONTIGUOUS.sub(r"\1<false>(", _whole(found.text))
    return Member(prefix, replace(own, name=found.name, cpu=text, backward=False))


def translated(found: Translated, own: Translation) -> Candidate:
    """The same in a unit of its own."""
    alone = member(found, own)
    return Candidate(units.native_unit([alone]), *alone.cpu_symbols)


def _makes_it(tree: ast.Module, kernel: str) -> bool:
    """Whether a module defines its kernel once, at its top and where it has Warp: not under ``if False:``, in
    a function that is never called, or with what it asks Warp for by a name that Warp may not have."""
    begun = False  # whether Warp is imported
    givers = []
    for statement in tree.body:
        match statement:
            case ast.Import(names=names):
                begun = begun or any(alias.name == "warp" for alias in names)
            case ast.ImportFrom(module=str() as name) if name.partition(".")[0] == "warp":
                return False
            case ast.FunctionDef() | ast.ClassDef() if not begun:
                return False
        if kernel in module.bound(statement):
            givers.append(statement)
    return [type(giver) for giver in givers] == [ast.FunctionDef]


def _token() -> str:
    return f"_{secrets.token_hex(8)}"


def _whole(code: str) -> str:
    return f"{code.rstrip()}\n"
