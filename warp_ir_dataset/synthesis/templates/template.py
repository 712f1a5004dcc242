"""Templates of kernels, each for one purpose: plain Warp with choices.

    @idiom(level=3, names={"out": "out lengths", "p": "p q"})
    def shortest_way(c):
        \"\"\"The distance from each point to the nearest {TARGET}, by the {NORM} norm.

        Store in {out} how far each of {p} is from the nearest {TARGET}: ...
        \"\"\"

Its docstring is a sentence that describes the kernel and, after it, the task: how a person would ask for the
kernel. A template is a function that makes its choices, defines structs, enumerations and helper functions,
and last a kernel under `Choices.kernel`. None of these definitions is ever run: the package folds the choices
into their text, and reads the result like any other kernel. So a template is ordinary Warp in float32; a pass
makes other precisions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import ModuleType
from typing import Any

from ...language import ir
from ...language.domains import Trait

# Stands for Warp in templates, whose kernels are read and never run.
wp: Any = None


@dataclass(frozen=True)
class ArgumentSpec:
    """The default of a kernel's parameter: its shape and role, the interval of its values, a trait of its
    vectors or matrices if they must have one, and `of`, its quantity if it has one
    (`composing.quantities`)."""

    shape: tuple[int, ...]
    role: ir.Role
    low: float
    high: float
    trait: Trait | None = None
    of: str | None = None


def input(*shape: int, low: float, high: float, trait: Trait | None = None, of: str | None = None) -> Any:
    """An input: an array of this shape, or without one a scalar; its values lie in [low, high]."""
    return ArgumentSpec(shape, "input", low, high, trait, of)


def inout(*shape: int, low: float, high: float, trait: Trait | None = None, of: str | None = None) -> Any:
    """An array that the kernel reads and writes; its values lie in [low, high] before."""
    return ArgumentSpec(shape, "inout", low, high, trait, of)


def output(*shape: int, of: str | None = None) -> Any:
    """An array that the kernel writes; it is zero before."""
    return ArgumentSpec(shape, "output", 0.0, 0.0, None, of)


@dataclass(frozen=True, eq=False)
class Template:
    """The template of one purpose.

    `names` are names to choose from, by the name that the text uses; several names, divided by spaces, are
    chosen together (``"row col": "row col | y x"``). `differentiable` is false if Warp differentiates none of
    its kernels rightly, whatever is chosen (see `gradient_bar`).
    """

    function: Callable[[Any], None]
    level: int
    names: Mapping[str, str] = field(default_factory=dict)
    differentiable: bool = True

    @property
    def purpose(self) -> str:
        """The function's name, which rows have in the column `purpose`."""
        return self.function.__name__

    @property
    def sentence(self) -> str:
        """The first paragraph of its docstring, a sentence with the names of choices in braces."""
        return self._paragraphs[0]

    @property
    def task(self) -> str:
        """The other paragraphs of its docstring: how a person would ask for the kernel, with the names of
        choices, arguments and constants in braces. Empty if there are none."""
        return "\n\n".join(self._paragraphs[1:])

    @cached_property
    def _paragraphs(self) -> list[str]:
        """The paragraphs of its docstring, each in one line."""
        blocks = inspect.cleandoc(self.function.__doc__ or "").split("\n\n")
        return [" ".join(block.split()) for block in blocks]


def idiom(
    *, level: int, names: Mapping[str, str] | None = None, differentiable: bool = True
) -> Callable[[Callable[[Any], None]], Template]:
    """Make a template of a function; `level` is the difficulty of its kernels, 1 to 5."""
    return lambda function: Template(function, level, names or {}, differentiable)


@cache
def templates_of(module: ModuleType) -> tuple[Template, ...]:
    """The templates that a module defines, in its order."""
    return tuple(value for value in vars(module).values() if isinstance(value, Template))
