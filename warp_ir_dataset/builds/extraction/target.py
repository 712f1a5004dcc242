"""Parses the module or file, and perhaps the kernel in it, that a user names for extraction."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from ...common.errors import UserError
from ...common.files import check_text
from ..output.manifest import MANIFEST


@dataclass(frozen=True)
class Target:
    """`file` is absolute, or empty for a module that is found by its name in `folder` or where Python looks;
    `kernel` is empty for all kernels."""

    module: str
    file: str
    folder: str
    kernel: str

    @property
    def text(self) -> str:
        return json.dumps(asdict(self))


def parsed(text: str) -> Target:
    """``package.module``, ``path/file.py``, either with ``:kernel`` behind it. Raises `UserError`."""
    check_text(text)
    place, colon, kernel = text.partition(":")
    if colon and not kernel.isidentifier():
        raise UserError(f"{kernel!r} is no name of a kernel: name one as {place}:NAME")
    here = os.getcwd()
    if place.endswith(".py") or os.sep in place:
        file = Path(place).absolute()
        if not os.path.isfile(file) or file.suffix != ".py":  # of a path that cannot be looked at too
            raise UserError(f"there is no file {place}: name a module, or a file that ends in .py")
        if not file.stem.isidentifier():
            raise UserError(f"{place} cannot be imported: {file.stem!r} is no name of a module")
        return Target(file.stem, str(file), str(file.parent), kernel)
    if os.path.isfile(os.path.join(here, place)):
        raise UserError(f"{place} is no Python file: name a module, or a file that ends in .py")
    parts = place.split(".")
    for end in range(1, len(parts) + 1):  # Python imports from a folder of that name
        folder = os.path.join(here, *parts[:end])
        if os.path.exists(os.path.join(folder, MANIFEST)):
            raise UserError(f"{folder} holds a build: name a module, or a file that ends in .py")
    if not all(part.isidentifier() for part in place.split(".")):
        raise UserError(f"{place!r} is neither a module nor a file that ends in .py")
    return Target(place, "", here, kernel)
