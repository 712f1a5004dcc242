"""The column `checks`: the proofs that a kernel passed, and the errors measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Checks:
    """What was run on this kernel. ``None`` means: does not belong to this config or kernel, and was not run.

    `cases` is how many inputs each proof was made on. Errors are the largest relative ones measured on them.
    Differences were taken of the kernel in ``double`` precision, or in its ``own``, which sees less.
    `thread_orders` is in how many orders its threads came; `unordered` are the outputs, by leaf, whose
    elements lie elsewhere then, as the kernel's tree lets them, and are compared as multisets.
    """

    native_compile: bool
    warp_launch: bool
    cases: int
    numpy_matches: bool | None = None
    numpy_error: float | None = None
    rounding_error: float | None = None
    ptx_compile: bool | None = None
    cuda_text_matches: bool | None = None
    cuda_text_error: float | None = None
    thread_orders: int | None = None
    unordered: tuple[str, ...] | None = None
    adjoint_matches: bool | None = None
    adjoint_error: float | None = None
    finite_differences: bool | None = None
    finite_difference_precision: str | None = None
    finite_difference_error: float | None = None
    gradients_checked: int | None = None
    rendered: bool | None = None
    plain_matches: bool | None = None
    plain_error: float | None = None
    plain_inputs: int | None = None
