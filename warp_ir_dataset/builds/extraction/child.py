"""The work of one extraction process: imports a module once, and extracts its kernels one by one.

The module is somebody's code. It may print, run for minutes, exit or take the process down: that is why this
runs in a child with a limit on its memory, under the eyes of a pool.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...common.errors import UserError
from ...compilers import warp
from ...compilers.extracting.extract import Extraction, extract
from ...compilers.extracting.found import any_device, made_by
from .kernel import Failure
from .target import Target

MEMORY = 32 << 30  # bytes of address space; compilers reserve far more than they use


@dataclass(frozen=True)
class Wanted:
    """A kernel by its number in its module; without one, the list of them is wanted."""

    number: int | None
    name: str

    def __str__(self) -> str:
        return self.name


def extract_some(
    items: Sequence[Wanted], target: str, arch: str, notify: Callable[[int], None]
) -> list[list[str] | Extraction | Failure]:
    """The function of a `Task`. Raises `UserError` for a module that cannot be imported."""
    notify(-1)
    place = Target(**json.loads(target))
    kernels = _kernels(place)
    names = [f"{kernel.func.__module__ or place.module}:{kernel.key}" for kernel in kernels]
    found: list[list[str] | Extraction | Failure] = []
    for index, item in enumerate(items):
        notify(index)
        if item.number is None:
            found.append(names)
        elif item.number >= len(names) or names[item.number] != item.name:
            found.append(Failure("the module makes other kernels each time that it is imported"))
        else:
            found.append(_extracted(kernels[item.number], arch))
    return found


def _extracted(kernel: Any, arch: str) -> Extraction | Failure:
    try:
        return extract(kernel, arch)
    except UserError as error:
        return Failure(str(error))


@functools.cache
def _kernels(target: Target) -> tuple[Any, ...]:
    warp.start()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    sys.path.insert(0, target.folder)
    place = target.file or target.module
    try:
        with any_device():
            made = made_by(lambda: _import(target), target.module)
    except SystemExit as stopped:
        raise UserError(f"{place} exits (with {stopped.code!r}) when it is imported") from stopped
    except BaseException as error:  # somebody's code raises anything
        said = (str(error).splitlines() or [""])[0]
        raise UserError(f"{place} cannot be imported: {type(error).__name__}: {said}") from error
    return tuple(kernel for kernel in made if target.kernel in ("", kernel.func.__name__))


def _import(target: Target) -> None:
    if not target.file:
        importlib.import_module(target.module)
        return
    spec = importlib.util.spec_from_file_location(target.module, target.file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[target.module] = module
    spec.loader.exec_module(module)
