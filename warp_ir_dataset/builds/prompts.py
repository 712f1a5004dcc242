"""Writes the prompts of rows: from a kernel's source, or from its declaration and specification."""

from __future__ import annotations

from ..common.configs import Config
from ..language.python.declare import declaration
from .repair.mistake import Mistake


def prompt(config: Config, source: str, interface: str | None = None) -> str:
    """The instruction of a config and the Python source, fenced; and what the answer has to fit, if any."""
    declared = "" if interface is None else f"\n```cuda\n{interface.rstrip()}\n```\n"
    return f"{config.instruction}\n\n```python\n{source.rstrip()}\n```\n{declared}"


def prompt_to_write(config: Config, source: str, kernel: str, specification: str) -> str:
    """The instruction of a config that asks for the source, the kernel's declaration, and what it does."""
    declared = declaration(source, kernel).rstrip()
    return f"{config.instruction}\n\n```python\n{declared}\n```\n\n{specification.rstrip()}\n"


def prompt_to_repair(config: Config, mistake: Mistake, specification: str) -> str:
    """The instruction of a config that asks for a repair, the broken module, what was said of it, and what
    the kernel has to do."""
    broken = f"```python\n{mistake.source.rstrip()}\n```\n\n```text\n{mistake.message}\n```"
    return f"{config.instruction}\n\n{broken}\n\n{specification.rstrip()}\n"
