"""Small kernels from the text of their statements: over 8 threads, with the arguments that the text names."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import Struct

SIZE = 8
ARGUMENTS = {
    "a": "wp.array(dtype=float)",
    "b": "wp.array(dtype=float)",
    "s": "wp.array(dtype=float)",
    "c": "wp.array(dtype=int)",
    "m": "wp.array2d(dtype=int)",
    "v": "wp.array(dtype=wp.vec3)",
    "d": "wp.array(dtype=wp.float64)",
    "n": "int",
    "params": "Params",
    "given": "Given",
    "pair": "Pair",
    "low": "float",
    "high": "float",
    "least": "float",
    "most": "float",
    "o": "wp.array(dtype=float)",
}
FLOATS, WHOLE = Interval(0.5, 1.5), Interval(0, 7)


def program(body: str, before: str = "") -> ir.Program:
    """The kernel ``test_kernel`` with `body` behind ``i = wp.tid()``; `before` is what the module defines.
    Floats are from 0.5 to 1.5, whole numbers from 0 to 7."""
    used = set(re.findall(r"(?<![.\w])[a-z]+", body))
    arguments = ", ".join(f"{name}: {kind}" for name, kind in ARGUMENTS.items() if name in used)
    statements = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    before = textwrap.dedent(before)
    head = f"import warp as wp\n{before}\n@wp.kernel\ndef test_kernel({arguments}):\n    i = wp.tid()\n"
    found = read(f"{head}{statements}\n")
    given = tuple(_sized(argument) for argument in found.arguments)
    return replace(found, signature=replace(found.signature, arguments=given, launch_dim=(SIZE,)))


def _sized(argument: ir.Argument) -> ir.Argument:
    whole = not isinstance(argument.type, Struct) and argument.type.is_integer
    return replace(argument, shape=(SIZE,) * argument.ndim, domain=WHOLE if whole else FLOATS)
