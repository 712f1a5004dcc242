"""The GPU architectures that NVRTC compiles for. Does not import Warp: its callers pass Warp's list."""

from __future__ import annotations

from collections.abc import Sequence

from ..common.errors import UserError


def capability(arch: str, known: Sequence[int]) -> int:
    """``"sm_80"`` -> 80. `known` are compute capabilities, none for a Warp without CUDA.

    Raises `UserError` for such a Warp, and for an architecture that is not among them.
    """
    if not known:
        raise UserError(
            "this build of Warp has no CUDA support, so the configs cuda and cuda_backward cannot be built "
            "here: use config 'cpu', or Warp for Linux x86-64"
        )
    names = {f"sm_{number}": number for number in known}
    if arch not in names:
        raise UserError(f"NVRTC does not know the architecture {arch!r}: choose from {', '.join(names)}")
    return names[arch]
