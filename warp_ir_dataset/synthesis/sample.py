"""The result of sampling a kernel: a typed program, its description and its purpose."""

from __future__ import annotations

from dataclasses import dataclass

from ..language import ir
from ..language.identity import kernel_group, purpose_group


@dataclass(frozen=True)
class Sample:
    """A program and its labels.

    `category` is its family, `difficulty` is 1 to 5. `description` is a plain sentence for each part.
    `purpose` is that of its template, None for a random program; `parts` is the number of templates in it, 1
    for a random program. `task` asks for the kernel as a person would; it is empty if a template has none.
    """

    program: ir.Program
    category: str
    difficulty: int
    description: str
    purpose: str | None = None
    parts: int = 1
    task: str = ""

    @property
    def group(self) -> str:
        """A label that decides the split: the same for all kernels of a purpose, and for all ways to write a
        kernel without one."""
        return kernel_group(self.program) if self.purpose is None else purpose_group(self.purpose)
