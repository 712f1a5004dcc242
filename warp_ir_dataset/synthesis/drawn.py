"""The result of drawing a kernel: a typed program, its description and its purpose."""

from __future__ import annotations

from dataclasses import dataclass

from ..language import ir
from ..language.identity import kernel_group, purpose_group


@dataclass(frozen=True)
class Drawn:
    """A program and its labels. `description` is one plain sentence; `purpose` names the template that it is
    from, None for a grown program; `parts` counts the templates in it. `task` asks for the kernel as a person
    would; it is empty where nobody wrote one."""

    program: ir.Program
    category: str
    difficulty: int
    description: str
    purpose: str | None = None
    parts: int = 1
    task: str = ""

    @property
    def group(self) -> str:
        """A label that decides the split: the same for all kernels of a purpose, and for all spellings of a
        kernel without one."""
        return kernel_group(self.program) if self.purpose is None else purpose_group(self.purpose)
