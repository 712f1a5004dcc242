"""Python Warp kernels paired with the code that real compilers make from them, as a Hugging Face dataset.

Names are imported when they are asked for: the package itself imports nothing, so that worker processes and
the file system's entry point start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import (
        build,
        build_part,
        chat,
        check_cuda,
        export,
        extract,
        extract_ir,
        finish,
        load,
        plan,
        primer,
        prove,
        push_to_hub,
        report,
        score,
        score_many,
        score_predictions,
        strip_comments,
        validate,
        validate_on_device,
    )
    from .builds.request import Request
    from .common.versions import __version__
    from .judge.verdict import Status, Verdict
    from .loading.builder import WarpIR, WarpIRConfig

__all__ = [
    "Request",
    "Status",
    "Verdict",
    "WarpIR",
    "WarpIRConfig",
    "__version__",
    "build",
    "build_part",
    "chat",
    "check_cuda",
    "export",
    "extract",
    "extract_ir",
    "finish",
    "load",
    "plan",
    "primer",
    "prove",
    "push_to_hub",
    "report",
    "score",
    "score_many",
    "score_predictions",
    "strip_comments",
    "validate",
    "validate_on_device",
]

_HOMES = dict.fromkeys(__all__, "api") | {
    "__version__": "common.versions",
    "Request": "builds.request",
    "Status": "judge.verdict",
    "Verdict": "judge.verdict",
    "WarpIR": "loading.builder",
    "WarpIRConfig": "loading.builder",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
