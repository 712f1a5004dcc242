"""Packages that are not installed, for benchmarks that import what other people wrote."""

from __future__ import annotations

import importlib.util
from typing import Any
from unittest.mock import MagicMock


class Missing:
    """Finds every package that is not installed, and makes it of things that allow everything."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] in ("warp", "warp_ir_dataset"):
            return None
        return importlib.util.spec_from_loader(name, Missing())  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: Any) -> Any:
        module = MagicMock(name=spec.name)
        module.__path__, module.__spec__ = [], spec
        return module

    @staticmethod
    def exec_module(module: Any) -> None:
        pass
