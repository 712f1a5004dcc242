"""Compiles a live kernel, and writes a standalone source that gives the same code."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import warp as wp
from warp._src import context

from ...common.errors import UserError
from ...common.versions import check_warp
from ...language import ir
from ...language.python.read import Unreadable, read
from ...language.types import Array, full_name, holds_arrays
from .. import ptx, units
from .. import warp as toolchain
from ..warp import CompileError, Translation
from .live import as_it_was, translate_live
from .same import anonymous
from .source import Source, self_contained
from .type_text import NoText

NO_CUDA = "this build of Warp has no CUDA support"


@dataclass(frozen=True)
class Parameter:
    """An argument of a kernel.

    Attributes:
        name: Its name.
        type: Type of the plain value, or of the array's elements, as text.
        ndim: Number of dimensions; 0 if it is no array.
        role: Whether the kernel reads it (``"input"``), writes it (``"output"``) or both (``"inout"``).
    """

    name: str
    type: str
    ndim: int
    role: ir.Role


@dataclass(frozen=True)
class Extraction:
    """A kernel's source and code, from the kernel itself.

    Code is that of `python_source`, if there is one.

    Attributes:
        name: The kernel's name in the source.
        signature: Its arguments, in order.
        python_source: A complete module with the kernel and what it needs. Warp makes the same code of it as
            of the kernel, except for names. None if there is none.
        cpp: The C++ for the CPU (forward).
        cuda: The CUDA C++ (forward), or None.
        cuda_backward: The CUDA C++ of forward and adjoint, or None.
        ptx: PTX of `cuda`, by NVRTC for `arch`, or None.
        ptx_backward: PTX of `cuda_backward`, or None.
        arch: The GPU architecture that was asked for.
        missing: Why a field is None, by the field's name.
        builtins: Functions of Warp that the source calls, sorted.
    """

    name: str
    signature: tuple[Parameter, ...]
    python_source: str | None
    cpp: str
    cuda: str | None
    cuda_backward: str | None
    ptx: str | None
    ptx_backward: str | None
    arch: str | None
    missing: Mapping[str, str]
    builtins: tuple[str, ...]


@dataclass(frozen=True)
class _Code:
    """A kernel's translations. That for the CPU is one of its own, since tiles are others there."""

    cpu: Translation
    forward: Translation | None
    backward: Translation | None

    @property
    def words(self) -> list[list[str] | None]:
        texts = (self.cpu.cpu, _cuda(self.forward), _cuda(self.backward))
        return [None if text is None else anonymous(text) for text in texts]


def extract(kernel: Any, arch: str | None) -> Extraction:
    """See `warp_ir_dataset.extract_ir`."""
    if not isinstance(kernel, context.Kernel):
        raise UserError(f"extract_ir takes a kernel, which @wp.kernel makes, not {_told(kernel)}")
    if kernel.is_generic:
        raise UserError(
            f"the kernel {kernel.key} is generic: extract what wp.overload(kernel, [types]) returns for the "
            "types that you launch it with"
        )
    _initialise()
    capability = toolchain.require_arch(arch) if arch and toolchain.architectures() else None
    missing: dict[str, str] = {}
    with as_it_was(kernel):
        code = _code_of(kernel, missing)
        source = _source_of(kernel, code, missing)
    if source is not None:
        text, code = source
    return Extraction(
        name=code.cpu.name if source is None else text.kernel,
        signature=_signature(code.cpu, None if source is None else text),
        python_source=None if source is None else text.text,
        cpp=code.cpu.cpu,
        cuda=_cuda(code.forward),
        cuda_backward=_cuda(code.backward),
        ptx=_ptx("ptx", code.forward, capability, missing),
        ptx_backward=_ptx("ptx_backward", code.backward, capability, missing),
        arch=arch,
        missing=missing,
        builtins=() if source is None else _called(text.text),
    )


def _initialise() -> None:
    """As whoever uses Warp does it, but silently: this process is somebody's."""
    check_warp(wp.config.version)
    level, wp.config.log_level = wp.config.log_level, wp.LOG_ERROR
    try:
        wp.init()
    finally:
        wp.config.log_level = level


def _cuda(code: Translation | None) -> str | None:
    return None if code is None else code.cuda


def _told(thing: Any) -> str:
    if callable(thing) and hasattr(thing, "__name__"):
        return f"{thing.__name__}, which is none"
    return f"a {type(thing).__name__}"


def _code_of(kernel: Any, missing: dict[str, str]) -> _Code:
    """Raises `UserError` for a kernel that Warp refuses for the CPU."""
    try:
        cpu = translate_live(kernel, backward=False, cuda=False)
    except CompileError as error:
        raise UserError(f"Warp does not take the kernel {kernel.key}: {error}") from error
    found: dict[str, Translation | None] = {}
    for field, backward in (("cuda", False), ("cuda_backward", True)):
        try:
            found[field] = translate_live(kernel, backward=backward, cuda=True)
        except CompileError as error:
            found[field], missing[field] = None, str(error)
    return _Code(cpu, found["cuda"], found["cuda_backward"])


def _source_of(kernel: Any, code: _Code, missing: dict[str, str]) -> tuple[Source, _Code] | None:
    """A source and its own code, which must be the kernel's."""
    try:
        source = self_contained(kernel)
        own = _Code(
            toolchain.translate(source.text, source.kernel, backward=False, cuda=False),
            code.forward and toolchain.translate(source.text, source.kernel, backward=False, cuda=True),
            code.backward and toolchain.translate(source.text, source.kernel, backward=True, cuda=True),
        )
    except NoText as error:
        missing["python_source"] = f"it cannot stand alone: {error}"
    except CompileError as error:
        missing["python_source"] = f"standing alone, Warp refuses it: {error}"
    else:
        if own.words == code.words:
            return source, own
        missing["python_source"] = "standing alone, Warp makes other code of it"
    return None


def _ptx(field: str, code: Translation | None, capability: int | None, missing: dict[str, str]) -> str | None:
    if code is None:
        missing[field] = "there is no code for it"
        return None
    if capability is None:
        missing[field] = NO_CUDA if toolchain.architectures() == () else "not asked for"
        return None
    member = units.Member("k0", code)
    try:
        text = toolchain.compile_ptx(units.cuda_unit([member]), capability, code.nvrtc)
    except CompileError as error:
        missing[field] = f"NVRTC refuses it: {error}"
        return None
    (part,) = ptx.slices(text, [member.ptx])
    return part


def _signature(code: Translation, source: Source | None) -> tuple[Parameter, ...]:
    """Roles are by the tree, where the source can be read. Elsewhere Warp sees some of what is done to
    arrays, and nothing of what is done to those in structs: what it does not see may be anything."""
    roles: dict[str, ir.Role] = {}
    if source is not None:
        with contextlib.suppress(Unreadable):
            signature = read(source.text, kernel=source.kernel).signature
            roles = {argument.name: argument.role for argument in signature.arguments}
    parameters = []
    for name, kind in code.parameters:
        element, ndim = (kind.element, kind.ndim) if isinstance(kind, Array) else (kind, 0)
        harmless = (not ndim or name in code.only_read) and not holds_arrays(element)
        role = roles.get(name, "input" if harmless else "inout")
        parameters.append(Parameter(name, full_name(element), ndim, role))
    return tuple(parameters)


def _called(source: str) -> tuple[str, ...]:
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    names = {f.attr for f in calls if isinstance(f, ast.Attribute) and ast.unparse(f.value) == "wp"}
    # Among them are names of types, which Python knows as something else than functions of Warp's.
    known = {name for name in names if isinstance(getattr(wp, name, None), (context.Function, type(None)))}
    return tuple(sorted(known & context.builtin_functions.keys()))
