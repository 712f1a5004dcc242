"""Writes the prompts of rows: from a kernel's source, or from its declaration and words."""

from __future__ import annotations

from ..common.configs import Config
from ..language import ir
from ..language.python.declare import declaration
from ..language.specification.short import decides
from ..language.specification.write import outside
from .repair.mistake import Mistake

# Values of the column `prompt_style`.
SPECIFICATION, DESCRIPTION = "specification", "description"


def prompt(config: Config, source: str, interface: str | None = None) -> str:
    """The instruction of a config and the Python source, fenced; and what the answer has to fit, if any."""
    declared = "" if interface is None else f"\n```cuda\n{interface.rstrip()}\n```\n"
    return f"{config.instruction}\n\n```python\n{source.rstrip()}\n```\n{declared}"


def prompt_in_words(config: Config, source: str, kernel: str, words: str) -> str:
    """The instruction of a config that asks for the source, the kernel's declaration, and what it does."""
    declared = declaration(source, kernel).rstrip()
    return f"{config.instruction}\n\n```python\n{declared}\n```\n\n{words.rstrip()}\n"


def prompt_to_repair(config: Config, mistake: Mistake, words: str) -> str:
    """The instruction of a config that asks for a repair, the broken module, what was said of it, and what
    the kernel has to do."""
    broken = f"```python\n{mistake.source.rstrip()}\n```"
    return f"{config.instruction}\n\n{broken}\n\n```text\n{mistake.message}\n```\n\n{words.rstrip()}\n"


def style_of(id: str, description: str, program: ir.Program) -> str:
    """Whether a row's prompt gives the specification, or just the description: that where it decides the
    outputs, and the id's turn has come, which is so for half of all kernels."""
    short = int(id, 16) % 2 == 0 and decides(description, program)
    return DESCRIPTION if short else SPECIFICATION


def words_of(style: str, description: str, specification: str, program: ir.Program) -> str:
    """What a prompt of that style says of the kernel; beside a description also the launch and the arguments
    with their sizes and roles, which a specification begins with."""
    return specification if style == SPECIFICATION else f"{outside(program)}\n{description}\n"
