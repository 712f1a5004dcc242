"""Replaces other packages by dummies while a module of Warp's is imported.

Warp's examples draw, read files of scenes, and compare with other libraries. Their kernels do not depend on
that, so all packages except numpy are replaced, installed or not: a kernel is the same on any machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

KEPT = {"warp", "warp_ir_dataset", "numpy"}


class StandIns:
    """Finds every package but Python's own and those that are kept, and makes it of things that allow all."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package = name.partition(".")[0]
        if package in KEPT or package in sys.stdlib_module_names:
            return None
        # The stubs ask for a subclass of `Loader`; Python asks for the two methods.
        return ModuleSpec(name, StandIns())  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        module = MagicMock(name=spec.name)
        module.__path__, module.__spec__ = [], spec
        return module

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        pass


@contextmanager
def stand_ins() -> Iterator[None]:
    """Packages are replaced until the context ends, those too that this process has imported."""
    hidden = {name: module for name, module in sys.modules.items() if StandIns.find_spec(name) is not None}
    sys.meta_path.insert(0, StandIns)
    for name in hidden:
        del sys.modules[name]
    try:
        yield
    finally:
        sys.meta_path.remove(StandIns)
        for name, module in list(sys.modules.items()):
            if isinstance(module, MagicMock):
                del sys.modules[name]
        sys.modules.update(hidden)
