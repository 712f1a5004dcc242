"""The NOTICE file of a build: the authors and licences of kernels that are not ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...common.configs import CONFIGS

NAME = "NOTICE"
_FILE = Path(__file__).parent / NAME


def notices(configs: Iterable[str]) -> Mapping[str, str]:
    """What a folder with rows of these configs has to say, by the name of the file in it: beside collected
    rows, and nothing where all are drawn."""
    said = _FILE.read_text(encoding="utf-8")
    return {f"{name}/{NAME}": said for name in configs if not CONFIGS[name].drawn}
