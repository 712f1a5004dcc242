"""Joins the code of a whole batch in one translation unit, for clang and for NVRTC.

A unit costs a fixed tenth of a second, so kernels are compiled together. Each text sits, untouched, in
a C++ namespace of its own; only the extern "C" entry names must differ, and a macro around the text
sees to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import cuda_on_cpu, ptx, warp_text
from . import warp as toolchain
from .warp import Translation


@dataclass(frozen=True)
class Member:
    """A kernel of a unit and the prefix that makes its names unique there. `plain` is its text in plain CUDA,
    ready to be run (see `plain.runnable`), where there is one."""

    prefix: str
    translation: Translation
    plain: str | None = None

    @property
    def cpu_symbols(self) -> tuple[str, str | None]:
        """The extern "C" entries of the CPU text: forward and, if there is one, adjoint."""
        return self._symbols("cpu")

    @property
    def cuda_symbols(self) -> tuple[str, str | None]:
        """The same for the CUDA text: what `cuda_on_cpu` offers to call, with the same arguments."""
        return self._symbols("cuda")

    def _symbols(self, target: str) -> tuple[str, str | None]:
        backward = f"{self.prefix}_{target}_backward" if self.translation.backward else None
        return f"{self.prefix}_{target}_forward", backward

    @property
    def ptx(self) -> ptx.Kernel:
        """What is this kernel's in the PTX of the unit: its entries get the names of its own text back."""
        ways = ("forward", "backward") if self.translation.backward else ("forward",)
        names = [f"cuda_kernel_{way}" for way in ways]
        entries = {f"{self.prefix}_{name}": f"{self.translation.name}_{name}" for name in names}
        return ptx.Kernel(f"{self.prefix}_cuda", entries)


def native_unit(
    members: Sequence[Member], cuda_members: Sequence[Member] = (), *, reference: bool = False
) -> str:
    """C++ that holds the CPU texts of `members`, what they have in plain CUDA and, runnable on the CPU, the
    CUDA texts of the second list, which must be among `members`. With these, or if it is a `reference`, the
    CPU texts only say what others are held against."""
    texts = [member.translation.cpu for member in members]
    parts = [toolchain.preamble("cpu", texts)]
    for member in members:
        text = member.translation.cpu
        if reference or cuda_members:
            text = warp_text.for_any_array(text)
        parts.append(_renamed(member, "cpu", text))
    if cuda_members:
        parts.append(cuda_on_cpu.prelude())
        parts += map(_callable, cuda_members)
    parts += [member.plain for member in members if member.plain is not None]
    return "\n".join(parts)


def cuda_alone(member: Member) -> str:
    """C++ that holds only the CUDA text of a kernel, runnable on the CPU."""
    text = member.translation.cuda or ""
    parts = [toolchain.preamble("cpu", [text]), cuda_on_cpu.prelude(), _callable(member)]
    return "\n".join(parts)


def cuda_on_machine(member: Member, token: str) -> str:
    """C++ that holds only the CUDA text of a kernel, for the machine."""
    text = member.translation.cuda or ""
    parts = [toolchain.preamble("cpu", [text]), cuda_on_cpu.prelude_on_machine(token)]
    return "\n".join([*parts, _callable(member, token, on_machine=True)])


def native_on_machine(member: Member, token: str) -> str:
    """C++ that holds only the CPU text of a kernel, for the machine."""
    text, kernel = member.translation.cpu, warp_text.cpu_kernel(member.translation.name)
    entry = cuda_on_cpu.item_on_machine(kernel, f"{member.cpu_symbols[0]}{token}", token)
    parts = [toolchain.preamble("cpu", [text]), cuda_on_cpu.on_machine()]
    return "\n".join([*parts, _renamed(member, "cpu", text + entry)])


def _callable(member: Member, token: str = cuda_on_cpu.OWN, *, on_machine: bool = False) -> str:
    """The CUDA text of a kernel with its entries for the CPU."""
    namespace = f"{member.prefix}_cuda"
    entries = cuda_on_cpu.entries(
        member.translation, member.cuda_symbols, namespace, token, on_machine=on_machine
    )
    return _renamed(member, "cuda_kernel", (member.translation.cuda or "") + entries)


def cuda_unit(members: Sequence[Member]) -> str:
    """CUDA C++ that holds the CUDA texts of `members`, for NVRTC."""
    texts = [member.translation.cuda or "" for member in members]
    parts = [_renamed(member, "cuda_kernel", text) for member, text in zip(members, texts, strict=True)]
    return "\n".join([toolchain.preamble("cuda", texts), *parts, ptx.GUARD])


def _renamed(member: Member, kind: str, text: str) -> str:
    """`text` in its own namespace, with the entries that end in `kind` and a direction renamed."""
    names = [f"{kind}_forward", f"{kind}_backward"]
    prefix, own = member.prefix, member.translation.name
    define = "".join(f"#define {own}_{name} {prefix}_{name}\n" for name in names)
    undefine = "".join(f"#undef {own}_{name}\n" for name in names)
    target = kind.partition("_")[0]
    # The namespace comes first: NVRTC keeps what precedes the first declaration as its precompiled header,
    # and would make a new one for every unit if macros of ours were part of it.
    return f"namespace {prefix}_{target} {{\n{define}{text}{undefine}}}\n"
