"""Finds kernels of the installed Warp again, by the texts about them."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import io
from pathlib import Path
from typing import Any

from ...common.errors import UserError
from ...common.outcomes import Reason, Rejected
from ...compilers.extracting.extract import extract
from ...compilers.extracting.found import concrete, noted
from ..extraction.kernel import Kernel
from .stand_ins import stand_ins
from .texts import Text

LICENSE = "Apache-2.0"
_SAYS_SO = f"SPDX-License-Identifier: {LICENSE}"
_HEAD = 2000  # characters of a file, in which its licence stands

_imported: set[str] = set()
_made: list[Any] = []  # all kernels that importing modules has made in this process


def found(text: Text) -> Kernel | Rejected:
    """The kernel of a text; a rejection where the installed Warp has none of its id any more, or has it in a
    file that is not under the Apache License 2.0."""
    file = _file(text.module)
    if not file.is_file():
        return _changed(text, f"there is no module {text.module}")
    if _SAYS_SO not in file.read_text(encoding="utf-8")[:_HEAD]:
        return _changed(text, f"{text.module} does not say that it is under {LICENSE}")
    for live in _kernels(text.module):
        if live.key == text.kernel:
            kernel = _extracted(live)
            if kernel is not None and kernel.identity.id == text.id:
                return kernel
    return _changed(text, f"{text.module} makes no kernel {text.kernel} of this id")


def place_of(module: str) -> str:
    """Where a module's file lies, from the folder that Warp is installed in: ``warp/examples/x.py``."""
    return "/".join(module.split(".")) + ".py"


def _file(module: str) -> Path:
    """The same on this machine. Nothing is imported, as kernels made on the way would be missed."""
    warp = importlib.util.find_spec("warp")
    assert warp is not None and warp.origin is not None
    return Path(warp.origin).parents[1] / place_of(module)


def _changed(text: Text, why: str) -> Rejected:
    return Rejected(Reason.CHANGED, f"{text.module}:{text.kernel}: {why}")


def _kernels(module: str) -> list[Any]:
    """What importing a module has made, here or wherever it was imported first."""
    if module not in _imported:
        _imported.add(module)
        # An example may want a GPU at its end, when its kernels are made.
        stopped, silent = (
            contextlib.suppress(Exception, SystemExit),
            contextlib.redirect_stdout(io.StringIO()),
        )
        with noted() as made, stand_ins(), silent, stopped:
            _import(module)
        _made.extend(kernel for kernel, _ in made)
    return concrete([kernel for kernel in _made if kernel.func.__module__ == module])


def _import(module: str) -> None:
    """Modules of Warp's library import each other in a circle, which is to be entered where users do it."""
    package, private, public, *_ = [*module.split("."), "", ""]
    if private == "_src":
        with contextlib.suppress(ImportError):
            importlib.import_module(f"{package}.{public}")
    importlib.import_module(module)


@functools.lru_cache(maxsize=64)
def _extracted(live: Any) -> Kernel | None:
    try:
        extraction = extract(live, None)
    except UserError:
        return None
    return Kernel.of(extraction) if extraction.python_source is not None else None
