"""Kernels over the rows of a sparse matrix, with their diagonal."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "r": "r residual defect",
        "z": "z preconditioned direction",
        "x": "x solution unknowns",
        "diagonal": "diagonal pivots diag",
        "row": "row i tid",
        "step": "step change correction",
        "kernel": "apply_preconditioner scale_residual precondition",
    },
)
def diagonal_preconditioner(c):
    """{KIND_OF}: each residual {OVER} {DIAGONAL}{DAMPED}{GIVEN}.

    {PURPOSE}. For row i, the step is {FORMULA}{SCALED}. {RESULT}
    """
    n = c.size()
    BLOCK = c.meaning("single", "three by three", "two by two")
    KIND = "single"
    OVER = "divided by"
    if BLOCK == "single":
        DIAGONAL = c.meaning("its diagonal entry", "its absolute row sum", "its shifted diagonal entry")
        KIND_OF = "Jacobi"
    else:
        KIND = c.meaning("its", "a shifted", "the diagonal of its")
        DIAGONAL = f"{'its shifted' if KIND == 'a shifted' else KIND} {BLOCK} block"
        KIND_OF = "Jacobi" if KIND == "the diagonal of its" else "block Jacobi"
        if KIND_OF == "block Jacobi":
            OVER = "times the inverse of"
            c.names({"kernel": "apply_preconditioner precondition block_jacobi"})
    DAMPED = c.meaning("", ", damped", ", damped by row")
    GIVEN = c.meaning("", ", added to the solution", ", and the dot product of residual and result")
    if GIVEN == ", added to the solution":
        KIND_OF = f"One step of {KIND_OF} relaxation"
        c.names({"kernel": "correct_solution jacobi_step relaxation_step"})
    else:
        KIND_OF = f"A {KIND_OF} preconditioner"
    WIDTH = 3 if BLOCK == "three by three" else 2
    OMEGA, SHIFT = c.constant(0.4, 0.9), c.constant(0.2, 0.8)
    Item = float if BLOCK == "single" else c.vec(WIDTH)
    Block = c.mat(WIDTH)
    NAME = "block Jacobi" if OVER == "times the inverse of" else "Jacobi"
    PURPOSE = "Apply a {NAME} preconditioner to the residuals {r}"
    if GIVEN == ", added to the solution":
        PURPOSE = "Do one step of {NAME} relaxation with the residuals {r}"
    FORMULA = {
        "its absolute row sum": "`{r}[i]` / (`{diagonal}[i]` + `{beside}[i]`), with the absolute row sum "
        "below the line",
        "its diagonal entry": "`{r}[i]` / `{diagonal}[i]`",
        "its shifted diagonal entry": "`{r}[i]` / (`{diagonal}[i]` + {SHIFT})",
    }.get(DIAGONAL, "`{blocks}[i]`⁻¹·`{r}[i]`")
    if KIND == "a shifted":
        FORMULA = "(`{blocks}[i]` + {SHIFT}·I)⁻¹·`{r}[i]`"
    elif KIND == "the diagonal of its":
        FORMULA = "`{r}[i]` divided, component by component, by the diagonal of `{blocks}[i]`"
    SCALED = {"": "", ", damped": ", times {OMEGA}", ", damped by row": ", times `{damping}[i]`"}[DAMPED]
    RESULT = {
        "": "Store it in {z}.",
        ", added to the solution": "Add it to `{x}[i]`.",
        ", and the dot product of residual and result": "Store it in {z}. `{product}[0]`, zero at the start, "
        "is the dot product of {r} and {z}.",
    }[GIVEN]

    @c.kernel(n)
    def kernel(
        r: wp.array[Item] = input(n, low=-1.0, high=2.0),
        diagonal: wp.array[float] = input(n, low=0.8, high=3.0),
        beside: wp.array[float] = input(n, low=0.2, high=1.0),
        blocks: wp.array[Block] = input(n, low=0.5, high=2.0, trait="positive definite"),
        damping: wp.array[float] = input(n, low=0.4, high=1.0),
        x: wp.array[Item] = inout(n, low=-1.0, high=1.0),
        z: wp.array[Item] = output(n),
        product: wp.array[float] = output(1),
    ):
        row = wp.tid()
        residual = r[row]
        if DIAGONAL == "its absolute row sum":
            step = residual / (diagonal[row] + beside[row])
        elif DIAGONAL == "its shifted diagonal entry":
            step = residual / (diagonal[row] + SHIFT)
        elif DIAGONAL == "its diagonal entry":
            step = residual / diagonal[row]
        elif KIND == "a shifted":
            step = wp.inverse(blocks[row] + SHIFT * wp.identity(n=WIDTH, dtype=float)) * residual
        elif KIND == "its":
            step = wp.inverse(blocks[row]) * residual
        else:
            step = wp.cw_div(residual, wp.get_diag(blocks[row]))
        if DAMPED == ", damped":
            step *= OMEGA
        elif DAMPED == ", damped by row":
            step *= damping[row]
        if GIVEN == ", added to the solution":
            x[row] += step
        else:
            z[row] = step
            if GIVEN == ", and the dot product of residual and result":
                wp.atomic_add(product, 0, residual * step if BLOCK == "single" else wp.dot(residual, step))
