"""The configs of the dataset: the table `CONFIGS` has one row for each, with all facts about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .versions import WARP_MINOR

SPLITS = ("train", "validation", "test")
DEFAULT_CONFIG = "cuda"
EXTRACTED = "extracted"  # the category of rows whose kernels come from a module that a user names


@dataclass(frozen=True)
class Config:
    """One config: which code it pairs a Python kernel with, and how cards and plots show it.

    `target` is the target of Warp whose code text is the completion; or ``plain``: CUDA that needs no Warp,
    which we render ourselves; or ``python``: the kernel's source, asked for in words. `adjoint` says whether
    that text holds the adjoint kernel too, which is proved against finite differences: such a config has a
    plan of its own, without the programs that cannot be differentiated.

    Prompts of a `broken` one hold the kernel with a mistake, and Warp's error or a wrong output.

    Kernels that are not `drawn` are collected: people wrote them, they are the same in every build, and all
    are in the split `test`. Such a config has no task of its own: its rows hold the answers of all others.
    """

    name: str
    target: Literal["cpu", "cuda", "plain", "python"]
    adjoint: bool
    instruction: str  # the first paragraph of its prompts; names the Warp, which decides the answer
    pairs: str  # what it pairs a kernel with, for tables of configs
    code: str  # what the code is called in a pair of `export`
    # Mean bytes of a row of the default build, as Arrow in memory and in the Parquet files: the card declares
    # them, and `datasets` checks that the disk has room. `python -m warp_ir_dataset.publishing.sizes OUT`
    # measures them in a folder that `warp-ir build OUT --config all` wrote.
    row_bytes: int
    file_bytes: int
    colour: str  # in plots
    drawn: bool = True
    broken: bool = False

    @property
    def cuda(self) -> bool:
        """Whether its code is CUDA's: a row then has PTX as well, and an architecture that it is for."""
        return self.target == "cuda"

    @property
    def python(self) -> bool:
        """Whether its code is the kernel's own source, which is asked for in words."""
        return self.target == "python"

    @property
    def plain(self) -> bool:
        """Whether its code is ours: a row then has a harness, which makes it a whole program, and no PTX."""
        return self.target == "plain"


_CUDA = (
    f"Write the CUDA C++ code that NVIDIA Warp {WARP_MINOR} generates from this kernel (forward pass only)."
)

CONFIGS: Mapping[str, Config] = {
    config.name: config
    for config in (
        Config(
            name="cpu",
            target="cpu",
            adjoint=False,
            instruction=(
                f"Write the C++ code that NVIDIA Warp {WARP_MINOR} generates for the CPU from this kernel "
                "(forward pass only)."
            ),
            pairs="the C++ that Warp generates for the CPU (forward)",
            code="cpp_forward",
            row_bytes=14_412,
            file_bytes=4_016,
            colour="#5b7db1",
        ),
        Config(
            name="cuda",
            target="cuda",
            adjoint=False,
            instruction=_CUDA,
            pairs="the CUDA C++ that Warp generates (forward), and its PTX",
            code="cuda_forward",
            row_bytes=25_131,
            file_bytes=5_620,
            colour="#6aa84f",
        ),
        Config(
            name="cuda_backward",
            target="cuda",
            adjoint=True,
            instruction=(
                f"Write the CUDA C++ code that NVIDIA Warp {WARP_MINOR} generates from this kernel: "
                "the forward kernel and the adjoint kernel that computes its gradients."
            ),
            pairs="the CUDA C++ of forward and adjoint (gradient) kernels, and its PTX",
            code="cuda_backward",
            row_bytes=56_848,
            file_bytes=9_704,
            colour="#d9893b",
        ),
        Config(
            name="warp_to_cuda",
            target="plain",
            adjoint=False,
            instruction=(
                "Write this NVIDIA Warp kernel as plain CUDA C++ that needs no Warp: its structs, constants "
                "and functions, and a kernel with the parameters that are declared below the source; all "
                "else that is declared there is at hand. The grid and its blocks have one dimension, the "
                "blocks any size, and each item of the launch has a thread; there may be more threads. The "
                "first parameters are the sizes of the launch; an array is a pointer to its elements, the "
                "last index running fastest, and sizes of it follow. Structs keep their names and members; "
                "a name that C++ has another use for gets an underscore."
            ),
            pairs="plain CUDA C++ without Warp, rendered by this package and proved equal to Warp's",
            code="plain_cuda",
            row_bytes=20_276,
            file_bytes=5_638,
            colour="#9b59a6",
        ),
        Config(
            name="spec_to_warp",
            target="python",
            adjoint=False,
            instruction=(
                f"Write the kernel that is declared and specified here with NVIDIA Warp {WARP_MINOR}: a "
                "complete Python module, with everything that the kernel needs."
            ),
            pairs="a complete specification in words as the prompt; the kernel is the answer",
            code="warp",
            row_bytes=9_113,
            file_bytes=3_484,
            colour="#c0504d",
        ),
        Config(
            name="repair",
            target="python",
            adjoint=False,
            instruction=(
                f"This NVIDIA Warp {WARP_MINOR} module has one mistake. Write the whole module without it. "
                "Below stand what Warp said of it, or what a run of it gave, and what the kernel has to do."
            ),
            pairs=(
                "a module with one mistake, and Warp's error message or the first wrong output, as the "
                "prompt; the kernel is the answer"
            ),
            code="right",
            row_bytes=11_229,
            file_bytes=4_208,
            colour="#2b9d9d",
            broken=True,
        ),
        Config(
            name="handwritten",
            target="cuda",
            adjoint=False,
            instruction=_CUDA,
            pairs=(
                "the answers to all tasks except `repair`, for evaluation only: the kernels are "
                "human-written, or twins of those (renamed, restructured copies)"
            ),
            code="cuda_forward",
            row_bytes=49_799,
            file_bytes=7_405,
            colour="#7f7f7f",
            drawn=False,
        ),
    )
}


def tasks() -> tuple[Config, ...]:
    """Return the configs whose kernels are sampled.

    Returns:
        Them, in the order of `CONFIGS`.
    """
    return tuple(config for config in CONFIGS.values() if config.drawn)


def whole_tasks() -> tuple[Config, ...]:
    """Return the tasks that any kernel has a prompt of, without a mistake being made in it.

    Returns:
        Those of `tasks`, in their order.
    """
    return tuple(config for config in tasks() if not config.broken)


def compiled_tasks() -> tuple[Config, ...]:
    """Those of them that need no words: any kernel that is compiled has an answer."""
    return tuple(config for config in tasks() if not config.python)
