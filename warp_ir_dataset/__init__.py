"""Python Warp kernels paired with what real compilers make of them, as a Hugging Face dataset.

`WarpIR` and `WarpIRConfig` are imported when they are asked for: the package itself imports nothing, so
that worker processes and the file system's entry point start quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .builder import WarpIR, WarpIRConfig

__all__ = ["WarpIR", "WarpIRConfig"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from . import builder

        return getattr(builder, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
