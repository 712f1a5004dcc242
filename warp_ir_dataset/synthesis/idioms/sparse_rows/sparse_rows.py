"""Sparse matrices by rows: products, residuals, sweeps."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "offsets": "offsets row_ptr indptr",
        "columns": "columns col_idx indices",
        "values": "values entries vals",
        "row": "row i tid",
        "total": "total acc dot",
        "y": "y out product",
        "kernel": "spmv sparse_matvec multiply_rows",
    },
)
def csr_product(c):
    """The product of a sparse matrix in {FORMAT} format{ENTRIES} and {WITH}{THEN}.

    Multiply a sparse matrix in {FORMAT} format by {OPERAND}. {STORAGE} {ENTRY}

    The product of row i is the sum of entry·{FACTOR} over its entries{EACH}.{DIVIDED} {RESULT}
    """
    n, m, entries = c.size(6, 9), c.size(6, 9), c.size(12, 14)
    FORMAT = c.meaning("CSR", "ELL")
    WITH = c.meaning("a vector", "several vectors", "a vector of points")
    ENTRIES = c.meaning("", ", as a pattern of ones,", " with scaled columns")
    MORE, MEAN = ", added to a multiple of the result so far", ", divided by the sum of each row"
    THEN = c.meaning("", MORE, MEAN)
    ALPHA = c.constant(0.2, 0.9)
    width, wide = 4, 3
    Item = c.vec(3) if WITH == "a vector of points" else float
    if WITH == "several vectors":
        c.names({"kernel": "spmm sparse_matmul multiply_block", "z": "y out product"})
    elif FORMAT == "ELL":
        c.names({"kernel": "ell_product sparse_matvec multiply_rows"})
    if WITH == "a vector of points":
        c.names({"total": "total acc"})
    OPERAND = {
        "a vector": "the vector {x}",
        "several vectors": "several vectors, the columns of {block}",
        "a vector of points": "the vector {x}, whose items are points",
    }[WITH]
    STORAGE = (
        "The entries of row i are those from `{offsets}[i]` up to but not including `{offsets}[i + 1]`, with "
        "their columns in {columns}."
    )
    STORED = "{values}"
    if FORMAT == "ELL":
        STORAGE = (
            "The entries of row i are in the columns `{slots}[i]`; the first -1 among these, if any, ends "
            "the row."
        )
        STORED = "{table}"
    ENTRY = {
        "": "Their values are in {STORED}.",
        ", as a pattern of ones,": "All entries are 1.",
        " with scaled columns": "Their values are those in {STORED}, times the {scale} of the column.",
    }[ENTRIES]
    FACTOR, EACH = "`{x}[column]`", ""
    if WITH == "several vectors":
        FACTOR, EACH = "`{block}[column, j]`", ", for each j"
    DIVIDED = " Divide it by the sum of the entries, unless this is 0." if THEN == MEAN else ""
    OUTPUT = "{z}" if WITH == "several vectors" else "{y}"
    RESULT = "Store it in {OUTPUT}."
    if THEN == MORE:
        RESULT = "{OUTPUT} becomes {ALPHA} times itself plus this."

    @c.kernel(*((n, wide) if WITH == "several vectors" else (n,)))
    def kernel(
        offsets: wp.array[int] = input(n + 1, low=0, high=entries, trait="offsets"),
        columns: wp.array[int] = input(entries, low=0, high=m - 1),
        values: wp.array[float] = input(entries, low=0.2, high=1.5),
        slots: wp.array2d[int] = input(n, width, low=-1, high=m - 1),
        table: wp.array2d[float] = input(n, width, low=0.2, high=1.5),
        scale: wp.array[float] = input(m, low=0.5, high=1.5),
        x: wp.array[Item] = input(m, low=-1.0, high=2.0),
        block: wp.array2d[float] = input(m, wide, low=-1.0, high=2.0),
        y: wp.array[Item] = (
            inout(n, low=-1.0, high=1.0, of="number") if THEN == MORE else output(n, of="number")
        ),
        z: wp.array2d[float] = (inout(n, wide, low=-1.0, high=1.0) if THEN == MORE else output(n, wide)),
    ):
        if WITH == "several vectors":
            row, j = wp.tid()
        else:
            row = wp.tid()
        if WITH == "a vector of points":
            total = Item()
        else:
            total = float(0.0)
        if THEN == MEAN:
            weight = float(0.0)
        if FORMAT == "CSR":
            for k in range(offsets[row], offsets[row + 1]):
                column = columns[k]
                if ENTRIES == "":
                    entry = values[k]
                elif ENTRIES == " with scaled columns":
                    entry = values[k] * scale[column]
                if WITH == "several vectors":
                    operand = block[column, j]
                else:
                    operand = x[column]
                total += operand if ENTRIES == ", as a pattern of ones," else entry * operand
                if THEN == MEAN:
                    weight += 1.0 if ENTRIES == ", as a pattern of ones," else entry
        else:
            for k in range(slots.shape[1]):
                column = slots[row, k]
                # rows with fewer entries are filled up with -1
                if column < 0:
                    break
                if ENTRIES == "":
                    entry = table[row, k]
                elif ENTRIES == " with scaled columns":
                    entry = table[row, k] * scale[column]
                if WITH == "several vectors":
                    operand = block[column, j]
                else:
                    operand = x[column]
                total += operand if ENTRIES == ", as a pattern of ones," else entry * operand
                if THEN == MEAN:
                    weight += 1.0 if ENTRIES == ", as a pattern of ones," else entry
        if THEN == MEAN:
            # an empty row has nothing to divide by
            if weight != 0.0:
                total = total / weight
        if THEN == MORE:
            if WITH == "several vectors":
                z[row, j] = ALPHA * z[row, j] + total
            else:
                y[row] = ALPHA * y[row] + total
        else:
            if WITH == "several vectors":
                z[row, j] = total
            else:
                y[row] = total


@idiom(
    level=4,
    names={
        "offsets": "offsets row_ptr indptr",
        "columns": "columns col_idx indices",
        "values": "values entries vals",
        "row": "row i tid",
        "total": "total acc off_diagonal",
        "b": "b load source",
        "diagonal": "diagonal pivot a_ii",
        "kernel": "relax_rows smooth sweep_rows",
    },
)
def csr_relaxation(c):
    """One {DAMPED}{SWEEP} on a sparse system{BOUNDED}{FIXED}{REPORT}.

    Do one {DAMPED}{SWEEP} on a sparse system A·{x} = {b}. The entries of row i of A are those of {values}
    from `{offsets}[i]` up to but not including `{offsets}[i + 1]`, with their columns in {columns}; but
    entries in column i do not count, as the diagonal is `{pivots}[i]`.

    With the residual R = `{b}[i]` - row i of A·{x}, the new value is {FORMULA}. {LIMITED}Store it in
    {x_next}.{HELD}{REPORTED}
    """
    n, entries = c.size(6, 9), 14
    SWEEP = c.meaning("Jacobi sweep", "Richardson step", "l1-Jacobi sweep", "heavy-ball Jacobi step")
    DAMPED = c.meaning("", "damped ") if SWEEP == "Jacobi sweep" else ""
    BOUNDED = c.meaning("", ", projected on nonnegative values", ", with a soft threshold")
    FIXED = c.meaning("", ", marked rows held")
    REPORT = c.meaning("", "; also stores the residual before it", "; also finds the largest change")
    RESIDUAL = REPORT == "; also stores the residual before it"
    OMEGA, MOMENTUM = c.constant(0.5, 0.9), c.constant(0.1, 0.5)
    STEP, SHRINK = c.constant(0.1, 0.3), c.constant(0.1, 0.4)
    FORMULA = {
        "Jacobi sweep": "`{x}[i]` + R / `{pivots}[i]`",
        "Richardson step": "`{x}[i]` + {STEP}·R",
        "l1-Jacobi sweep": "`{x}[i]` + R / (`{pivots}[i]` + the sum of the absolute values of the other "
        "entries of the row)",
        "heavy-ball Jacobi step": "`{x}[i]` + R / `{pivots}[i]` + {MOMENTUM}·(`{x}[i]` - `{previous}[i]`)",
    }[SWEEP]
    if DAMPED:
        FORMULA = "`{x}[i]` + {OMEGA}·R / `{pivots}[i]`"
    LIMITED = {
        "": "",
        ", projected on nonnegative values": "A negative new value is replaced by 0. ",
        ", with a soft threshold": (
            "The new value keeps its sign, but its absolute value is reduced by {SHRINK}, to no less than 0. "
        ),
    }[BOUNDED]
    HELD = ""
    if FIXED:
        HELD = " Rows with {fixed} 1 keep their `{x}[i]`{NOTHING}."
    NOTHING = " and have the residual 0" if RESIDUAL else ""
    REPORTED = ""
    if RESIDUAL:
        REPORTED = " Store R in {residuals}."
    elif REPORT:
        REPORTED = " `{change}[0]`, zero at the start, is the largest of all |`{x_next}[i] - {x}[i]`|."

    @c.kernel(n)
    def kernel(
        offsets: wp.array[int] = input(n + 1, low=0, high=entries, trait="offsets"),
        columns: wp.array[int] = input(entries, low=0, high=n - 1),
        values: wp.array[float] = input(entries, low=-1.0, high=1.0),
        pivots: wp.array[float] = input(n, low=1.0, high=4.0),
        b: wp.array[float] = input(n, low=-2.0, high=2.0, of="number"),
        x: wp.array[float] = input(n, low=-1.0, high=1.0),
        previous: wp.array[float] = input(n, low=-1.0, high=1.0),
        fixed: wp.array[int] = input(n, low=0, high=1),
        x_next: wp.array[float] = output(n, of="number"),
        residuals: wp.array[float] = output(n),
        change: wp.array[float] = output(1),
    ):
        row = wp.tid()
        if FIXED:
            if fixed[row] == 1:
                x_next[row] = x[row]
                if RESIDUAL:
                    residuals[row] = 0.0
                return
        diagonal = pivots[row]
        total = float(0.0)
        if SWEEP == "l1-Jacobi sweep":
            row_sum = float(0.0)
        for k in range(offsets[row], offsets[row + 1]):
            j = columns[k]
            # the diagonal is given apart
            if j != row:
                total += values[k] * x[j]
                if SWEEP == "l1-Jacobi sweep":
                    row_sum += wp.abs(values[k])
        if SWEEP != "Jacobi sweep" or RESIDUAL:
            residual = b[row] - total - diagonal * x[row]
        if SWEEP == "Jacobi sweep":
            target = (b[row] - total) / diagonal
        elif SWEEP == "Richardson step":
            target = x[row] + STEP * residual
        elif SWEEP == "l1-Jacobi sweep":
            target = x[row] + residual / (row_sum + diagonal)
        else:
            # a part of the previous step is added again
            target = x[row] + residual / diagonal + MOMENTUM * (x[row] - previous[row])
        if DAMPED:
            target = wp.lerp(x[row], target, OMEGA)
        if BOUNDED == ", projected on nonnegative values":
            target = wp.max(target, 0.0)
        elif BOUNDED:
            # small values become zero, others come nearer to it
            target = wp.sign(target) * wp.max(wp.abs(target) - SHRINK, 0.0)
        x_next[row] = target
        if RESIDUAL:
            residuals[row] = residual
        elif REPORT:
            wp.atomic_max(change, 0, wp.abs(target - x[row]))


@idiom(
    level=3,
    names={
        "offsets": "offsets row_ptr indptr",
        "columns": "columns col_idx indices",
        "values": "values entries vals",
        "row": "row i tid",
        "out": "out measures result",
        "kernel": "measure_rows row_report",
        "diagonal": "diagonal pivot d",
    },
)
def dominance_check(c):
    """The {WANTED} of each row of a sparse matrix{ABOUT}{REPEATED}.

    Compute the {WANTED} of each row of a sparse matrix. The entries of row i are those of {values} from
    `{offsets}[i]` up to but not including `{offsets}[i + 1]`, with their columns in
    {columns}.{SCALED}{LEFT_OUT}
    {FORMULA}
    """
    n, entries = c.size(6, 9), 14
    WANTED = c.meaning("diagonal dominance", "lower Gershgorin bound", "Euclidean norm", "bandwidth")
    if WANTED in ("diagonal dominance", "lower Gershgorin bound"):
        # which want the whole row
        ABOUT = c.meaning("", " over its active columns")
    else:
        ABOUT = c.meaning("", " in its lower triangle", " over its active columns")
    REPEATED = c.meaning("", ", small entries dropped", ", after symmetric scaling")
    DROP_BELOW = c.constant(0.4, 0.9)
    if WANTED == "bandwidth":
        REPEATED = ", small entries dropped"
    PLACED = ABOUT != "" or REPEATED == ", after symmetric scaling" or WANTED != "Euclidean norm"
    c.names(
        {
            "kernel": {
                "diagonal dominance": "diagonal_dominance dominance_check",
                "lower Gershgorin bound": "gershgorin_bounds lower_bounds",
                "Euclidean norm": "row_norms measure_rows",
                "bandwidth": "row_bandwidths measure_rows",
            }[WANTED]
        }
    )
    SCALED = ""
    if REPEATED == ", after symmetric scaling":
        SCALED = " Each entry is multiplied by the {scale} of its row and of its column first."
    OMITTED = {
        "": "",
        " in its lower triangle": "right of the diagonal",
        " over its active columns": "in columns with {active} 0",
    }[ABOUT]
    SMALL = "smaller in absolute value than {DROP_BELOW}" if REPEATED == ", small entries dropped" else ""
    BOTH = " or " if OMITTED and SMALL else ""
    LEFT_OUT = " Entries {OMITTED}{BOTH}{SMALL} are left out." if OMITTED or SMALL else ""
    FORMULA = {
        "diagonal dominance": "The dominance is the absolute value of the diagonal, the sum of the entries "
        "in column i, less the sum of the absolute values of all others. Store it in {out}.",
        "lower Gershgorin bound": "The bound is the diagonal, the sum of the entries in column i, less the "
        "sum of the absolute values of all others. Store it in {out}.",
        "Euclidean norm": "The norm is the root of the sum of the squared entries. Store it in {out}.",
        "bandwidth": "The bandwidth is the largest distance |i - column| of an entry from the diagonal, 0 if "
        "there is none. Store it in {out}.",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        offsets: wp.array[int] = input(n + 1, low=0, high=entries, trait="offsets"),
        columns: wp.array[int] = input(entries, low=0, high=n - 1),
        values: wp.array[float] = input(entries, low=-1.5, high=2.0),
        active: wp.array[int] = input(n, low=0, high=1),
        scale: wp.array[float] = input(n, low=0.5, high=2.0),
        out: wp.array[int if WANTED == "bandwidth" else float] = output(n, of="number"),
    ):
        row = wp.tid()
        if WANTED == "bandwidth":
            reach = int(0)
        elif WANTED == "Euclidean norm":
            squares = float(0.0)
        else:
            diagonal = float(0.0)
            rest = float(0.0)
        for k in range(offsets[row], offsets[row + 1]):
            if PLACED:
                j = columns[k]
            if ABOUT == " in its lower triangle":
                if j > row:
                    continue
            elif ABOUT == " over its active columns":
                if active[j] == 0:
                    continue
            if REPEATED == ", after symmetric scaling":
                value = values[k] * scale[row] * scale[j]
            else:
                value = values[k]
            if REPEATED == ", small entries dropped":
                if wp.abs(value) < DROP_BELOW:
                    continue
            if WANTED == "bandwidth":
                reach = wp.max(reach, wp.abs(row - j))
            elif WANTED == "Euclidean norm":
                squares += value * value
            else:
                if j == row:
                    diagonal += value
                else:
                    rest += wp.abs(value)
        if WANTED == "bandwidth":
            out[row] = reach
        elif WANTED == "Euclidean norm":
            out[row] = wp.sqrt(squares)
        elif WANTED == "diagonal dominance":
            out[row] = wp.abs(diagonal) - rest
        else:
            out[row] = diagonal - rest


@idiom(
    level=3,
    names={
        "rows columns": "rows columns | row_ids col_ids | ii jj",
        "values": "values entries vals",
        "k": "k e tid",
        "y": "y out accumulated",
        "kernel": "scatter_entries coo_matvec assemble",
    },
)
def triplet_scatter(c):
    """Adds the entries of a COO matrix{SKIP}{VALUE} to {WHAT}{HALF}.

    {PURPOSE}. Entry k is V = `{values}[k]` in row i = `{rows}[k]`{AT}; places may occur more than
    once.{OMITTED}{MULTIPLIED}

    {RESULT}{MIRRORED}
    """
    n, entries = c.size(5, 8), c.size(10, 14)
    WHAT = c.meaning(
        "its product with a vector",
        "absolute row sums",
        "a dense matrix",
        "a lumped diagonal",
        "the product of its transpose with a vector",
    )
    PRODUCT, TURNED = "its product with a vector", "the product of its transpose with a vector"
    HALF = c.meaning("", ", and those of its mirror image") if WHAT in (PRODUCT, "a dense matrix") else ""
    SCALED = ", scaled by row and column," if HALF else ", scaled by row,"
    VALUE = c.meaning("", SCALED, ", divided by one plus their distance,")
    SKIP = c.meaning("", " between free ends", " above a tolerance")
    TOLERANCE = c.constant(0.1, 0.5)
    # whose sums by row need no column
    BOTH = WHAT != "absolute row sums" or SKIP == " between free ends" or "distance" in VALUE
    c.names(
        {
            "kernel": {
                PRODUCT: "coo_matvec scatter_entries",
                "absolute row sums": "sum_rows absolute_row_sums",
                "a dense matrix": "assemble_dense scatter_entries",
                "a lumped diagonal": "lump_rows lumped_diagonal",
                TURNED: "transposed_matvec scatter_entries",
            }[WHAT]
        }
    )
    PURPOSE = {
        PRODUCT: "Multiply a sparse matrix, given as triplets (COO), by the vector {x}",
        "absolute row sums": "Compute the absolute row sums of a sparse matrix that is given as triplets "
        "(COO)",
        "a dense matrix": "Assemble a dense matrix from triplets (COO)",
        "a lumped diagonal": "Lump a sparse matrix, given as triplets (COO), to a diagonal",
        TURNED: "Multiply the transpose of a sparse matrix, given as triplets (COO), by the vector {x}",
    }[WHAT]
    AT = " and column j = `{columns}[k]`" if BOTH else ""
    OMITTED = {
        "": "",
        " between free ends": " Leave it out if {fixed} is 1 for i or for j.",
        " above a tolerance": " Leave it out if |V| < {TOLERANCE}.",
    }[SKIP]
    MULTIPLIED = ""
    if VALUE == SCALED:
        MULTIPLIED = " Multiply V by `{scale}[i]`·`{scale}[j]`." if HALF else " Multiply V by `{scale}[i]`."
    elif VALUE:
        MULTIPLIED = " Divide V by 1 plus the distance of `{points}[i]` and `{points}[j]`."
    RESULT = {
        PRODUCT: "Add V·`{x}[j]` to `{y}[i]`",
        TURNED: "Add V·`{x}[i]` to `{y}[j]`",
        "absolute row sums": "Add |V| to `{y}[i]`",
        "a dense matrix": "Add V to `{dense}[i, j]`",
        "a lumped diagonal": "Add one half of V to `{y}[i]` and the other half to `{y}[j]`",
    }[WHAT]
    FILLED = "{dense}" if WHAT == "a dense matrix" else "{y}"
    MIRRORED = "; {FILLED} starts at zero."
    if HALF:
        MIRRORED = (
            "; {FILLED} starts at zero. If i and j differ, do the same with i and j exchanged, for the "
            "mirror image."
        )

    @c.kernel(entries)
    def kernel(
        rows: wp.array[int] = input(entries, low=0, high=n - 1),
        columns: wp.array[int] = input(entries, low=0, high=n - 1),
        values: wp.array[float] = input(entries, low=-1.0, high=2.0),
        scale: wp.array[float] = input(n, low=0.4, high=2.0),
        points: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0),
        fixed: wp.array[int] = input(n, low=0, high=1),
        x: wp.array[float] = input(n, low=-1.0, high=2.0),
        y: wp.array[float] = output(n),
        dense: wp.array2d[float] = output(n, n),
    ):
        k = wp.tid()
        i = rows[k]
        if BOTH:
            j = columns[k]
        if SKIP == " between free ends":
            if fixed[i] == 1 or fixed[j] == 1:
                return
        value = values[k]
        if SKIP == " above a tolerance":
            if wp.abs(value) < TOLERANCE:
                return
        if VALUE == SCALED:
            value *= scale[i] * scale[j] if HALF else scale[i]
        elif VALUE:
            value /= 1.0 + wp.length(points[i] - points[j])
        if WHAT == PRODUCT:
            wp.atomic_add(y, i, value * x[j])
            if HALF:
                # an entry stands for its mirror image too
                if i != j:
                    wp.atomic_add(y, j, value * x[i])
        elif WHAT == TURNED:
            wp.atomic_add(y, j, value * x[i])
        elif WHAT == "absolute row sums":
            wp.atomic_add(y, i, wp.abs(value))
        elif WHAT == "a dense matrix":
            wp.atomic_add(dense, i, j, value)
            if HALF:
                if i != j:
                    wp.atomic_add(dense, j, i, value)
        else:
            # half of an entry goes to the diagonal of its row, half to that of its column
            wp.atomic_add(y, i, 0.5 * value)
            wp.atomic_add(y, j, 0.5 * value)
