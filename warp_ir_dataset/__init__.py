"""Python Warp kernels paired with what real compilers make of them, as a Hugging Face dataset.

Names are imported when they are asked for: the package itself imports nothing, so that worker processes and
the file system's entry point start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loading.builder import WarpIR, WarpIRConfig
    from .publishing.hub.push import push_to_hub

__all__ = ["WarpIR", "WarpIRConfig", "push_to_hub"]

_HOMES = {
    "WarpIR": "loading.builder",
    "WarpIRConfig": "loading.builder",
    "push_to_hub": "publishing.hub.push",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
