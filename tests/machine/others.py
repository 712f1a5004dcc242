"""Kernels of `others_right` and `others_wrong`, as ours are drawn."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from machine import others_right, others_wrong
from machine.cases import RIGHT, Draw, Drawn, Small


def _draw(kernel: dict[str, Any]) -> Draw:
    def draw(rng: np.random.Generator) -> Drawn:
        block = kernel["block"][int(rng.integers(len(kernel["block"])))]
        n = kernel["sizes"][int(rng.integers(len(kernel["sizes"])))]
        if isinstance(rng, Small):
            block, n = kernel["block"][0], kernel["sizes"][0]
        arguments = kernel["arguments"](rng, n, block)
        after = {place: each for place, each in kernel["after"](arguments).items() if each is not None}
        grid, shared = kernel["grid"](n, block), int(kernel["shared"](n, block))
        return Drawn(kernel["text"], arguments, grid, block, shared, after)

    return draw


def _of(module: ModuleType) -> dict[str, dict[str, Any]]:
    found = {name: each for name, each in vars(module).items() if isinstance(each, dict) and "text" in each}
    return {f"others_{name}": each for name, each in found.items()}


RIGHT.update({name: _draw(kernel) for name, kernel in _of(others_right).items()})
OTHERS_WRONG = {name: (_draw(kernel), kernel["kind"]) for name, kernel in _of(others_wrong).items()}
OTHERS_FAULTS = {
    name: kernel["where"] if isinstance(kernel["where"], tuple) else (kernel["where"],)
    for name, kernel in _of(others_wrong).items()
}
