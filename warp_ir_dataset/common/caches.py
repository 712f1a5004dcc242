"""The folders in which this machine caches files that can be made again."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import UserError


def root() -> Path:
    """Where the cache is: ``$WARP_IR_CACHE``, or ``warp_ir`` in the Hugging Face cache.

    Raises `UserError` for one that cannot be.
    """
    homes = {"WARP_IR_CACHE": "", "HF_HOME": "warp_ir", "XDG_CACHE_HOME": "huggingface/warp_ir"}
    for name, below in homes.items():
        if chosen := os.environ.get(name):  # what is empty is not set
            return _expanded(name, chosen) / below
    return _expanded("HOME", "~/.cache/huggingface/warp_ir")


def _expanded(name: str, text: str) -> Path:
    """A folder out of the environment, in the way of `huggingface_hub`. Raises `UserError`."""
    path = os.path.expandvars(os.path.expanduser(text))
    if path.startswith("~"):
        raise UserError(f"{name} is {text!r}, and there is no such user: give the folder's whole path")
    return Path(path).absolute()
