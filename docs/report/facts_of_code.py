"""Counts what the code itself defines: purposes, operations, passes, kinds of mistakes, tolerances."""

from __future__ import annotations

from warp_ir_dataset.builds.handwritten.passes.table import TWIN_PASSES
from warp_ir_dataset.builds.repair.kinds import KINDS
from warp_ir_dataset.builds.request import DEFAULT_KERNELS
from warp_ir_dataset.language.mutants.table import OPERATORS
from warp_ir_dataset.language.operations.spelling import Function
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.passes.table import PASSES
from warp_ir_dataset.language.types import SCALARS
from warp_ir_dataset.proof import verify
from warp_ir_dataset.publishing.markdown import table
from warp_ir_dataset.publishing.similarity import THRESHOLDS
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.idioms import IDIOMS


def figures() -> dict[str, str]:
    templates = [template for family in IDIOMS.values() for template in family]
    functions = [row.spelling for row in TABLE.values() if isinstance(row.spelling, Function)]
    counts = {
        "purposes": len(templates),
        "families": len(IDIOMS),
        "kinds": len(RANDOM_KINDS),
        "categories": len(IDIOMS) + len(RANDOM_KINDS),
        "undifferentiable": sum(not template.differentiable for template in templates),
        "operations": len(TABLE),
        "builtins": len({function.name for function in functions if function.name}),
        "scalars": len(SCALARS),
        "passes": len(PASSES),
        "twin_passes": len(TWIN_PASSES),
        "shared_passes": len(TWIN_PASSES.keys() & PASSES.keys()),
        "default_rows": DEFAULT_KERNELS,
        "mutants": len(OPERATORS),
        "repairs": len(KINDS),
    }
    return {
        **{f"code.{name}": f"{count:,}" for name, count in counts.items()},
        "code.near": f"{THRESHOLDS[0]}",
        "table:code.tolerances": tolerances(),
    }


def tolerances() -> str:
    """What two accounts of a kernel may differ by, and which column of a row has what they differ by."""
    own = " and ".join(f"{verify.TOLERANCE[name]:.1e} ({name})" for name in ("float32", "float64"))
    meaning, slopes = f"{verify.MEANING_TOLERANCE:g}", f"{verify.ADJOINT_TOLERANCE:g}"
    rows = [
        ["Warp's run and numpy in float64", "`numpy_error`", meaning],
        ["numpy, and numpy with every result rounded otherwise", "`rounding_error`", meaning],
        [
            "Warp's run and, on the CPU, CUDA text; plain CUDA; gradients of the CUDA text",
            "`cuda_text_error`, `plain_error`, `adjoint_error`",
            own,
        ],
        ["Warp's gradients in float32 and in float64", "not kept", slopes],
        [
            "gradients in float64 and central differences",
            "`finite_difference_error`",
            f"{verify.DIFFERENCE_TOLERANCE:g} of each element",
        ],
        [
            "gradients of a kernel that has no form in float64, and central differences",
            "`finite_difference_error`, `finite_difference_precision` is `own`",
            f"{verify.OWN_TOLERANCE:g} of each element",
        ],
    ]
    return table(["what is compared", "in `checks`", "may differ by"], rows, text_columns=2)
