"""What other packages know of the text that Warp writes: names of its functions, and forms that it has.

Another version of Warp may write otherwise. Warp itself is not imported here, which takes half a second.
"""

from __future__ import annotations

import re

INSIDE = "__locals__"  # between a function's name and that of what it makes
# The forward entries of Warp's texts for both targets.
FORWARD_ENTRY = re.compile(
    r"^(?:extern \"C\" .*|WP_API )void (?:\w+\([^()]*\) )?(\w+_(?:cuda_kernel|cpu)_forward)\(", re.M
)
# The loop over threads for the CPU, in the form for arrays that are contiguous.
_CONTIGUOUS = re.compile(r"(\b\w+_cpu_(?:forward|backward)_tasks)<true>\(")
# Texts that Warp writes into code: a constant, and an assert with its whole statement.
_UNCLOSED = re.compile(
    r"""^[ \t]*(?:const\ wp::str\ \w+\ =\ (?!"(?:[^"\\\n]|\\.)*";$)
    |assert\(\(\(void\)(?!"(?:[^"\\\n]|\\.)*",\w+\)\);$))""",
    re.MULTILINE | re.VERBOSE,
)


def cuda_kernels(kernel: str, *, adjoint: bool) -> tuple[str, ...]:
    """What the kernels of a CUDA text are called: forward and, with an `adjoint`, that."""
    ways = ("forward", "backward") if adjoint else ("forward",)
    return tuple(f"{kernel}_cuda_kernel_{way}" for way in ways)


def cpu_entry(kernel: str) -> str:
    """What the function is called that runs all threads of a text for the CPU."""
    return f"{kernel}_cpu_forward"


def cpu_kernel(kernel: str) -> str:
    """What the function is called that runs one thread of a text for the CPU, in the form for any array."""
    return f"{kernel}_cpu_kernel_forward<false>"


def for_any_array(text: str) -> str:
    """A text for the CPU without its second form, for contiguous arrays: results are the same, and a third
    of clang's time is saved."""
    return _CONTIGUOUS.sub(r"\1<false>(", text)


def leaves_its_text(code: str) -> bool:
    """Whether a text in what Warp wrote ends before Warp meant it to: it does not escape quotes."""
    return _UNCLOSED.search(code) is not None
