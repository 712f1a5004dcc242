"""Where the installed Warp lies, which is not imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def warp_root() -> Path:
    """The folder of the package, with its examples and its library."""
    spec = importlib.util.find_spec("warp")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent
