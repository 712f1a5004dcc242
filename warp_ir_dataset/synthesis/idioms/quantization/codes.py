"""Arithmetic on codes: packed bits, products of bytes, codebooks."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    differentiable=False,
    names={
        "values": "values codes",
        "words_out": "packed packed_bytes bytes_out",
        "word": "byte bits acc",
        "row i": "row i | r b | channel slot",
        "kernel": "convert_codes recode_bits code_bytes",
    },
)
def pack_nibbles(c):
    """{ACT}{ORDER}{CHECK}.

    {WORK}; bit 0 is the lowest. {GETS}{SUMMED}.
    """
    n, words, BITS = c.size(5, 8), c.size(3, 5), c.meaning(4, 2)
    PACK = c.meaning(True, False)
    EACH, MASK = 8 // BITS, 2**BITS - 1
    ORDER = c.meaning(", the first lowest", ", the first highest", "strided")
    STRIDED, HIGH = ORDER == "strided", ORDER.endswith("highest")
    if STRIDED:
        ORDER = f", {'one from' if PACK else 'one to'} each of {EACH} planes"
    KIND = c.meaning("integers", "floats") if PACK else c.meaning("integers", "floats", "signed integers")
    CHECK = c.meaning("", ", and sums them per byte")
    FLOATS, SIGNS, HALF = KIND == "floats", KIND == "signed integers", 2 ** (BITS - 1)
    if PACK:
        ACT = f"Packs floats rounded to {BITS} bits" if FLOATS else f"Packs the low {BITS} bits of integers"
        ACT += " into bytes"
    else:
        ACT = f"Unpacks {BITS}-bit codes from bytes as {KIND}"
    # some beyond what a code can hold
    beyond = 2 if BITS == 4 else 1
    low, high = (-beyond, MASK + beyond) if FLOATS else (0, 255)
    shape = (n, EACH, words) if STRIDED else (n, words, EACH)
    if not PACK:
        c.names(
            {
                "kernel": "unpack_codes decode_bytes",
                "values": "values codes out",
                "words_in": "bytes_in packed",
            }
        )
    elif BITS == 4:
        c.names({"kernel": "pack_nibbles pack_codes", "values": "values numbers inputs"})
    else:
        c.names({"kernel": "pack_two_bits pack_codes", "values": "values numbers inputs"})
    AT = "`{values}[i, c, b]`" if STRIDED else "`{values}[i, b, c]`"
    SHIFT = "{TOP} - {BITS}·c" if HIGH else "{BITS}·c"
    TOP = BITS * (EACH - 1)
    OF = {
        "integers": "the low {BITS} bits of the integer {AT}, a code of 0 … {MASK}",
        "floats": "the float {AT}, rounded to the nearest whole number, halves away from 0, and clamped to "
        "0 … {MASK}",
        "signed integers": "",
    }[KIND]
    WORTH = {
        "integers": "",
        "floats": ", as a float",
        "signed integers": " in two's complement: a code of {HALF} or more stands for the code less {TWICE}",
    }[KIND]
    TWICE = MASK + 1
    if PACK:
        WORK = (
            "Pack {BITS}-bit codes into bytes, {EACH} to each. Code c (0 … {LAST}) of byte b in row i is {OF}"
        )
        GETS = (
            "`{words_out}[i, b]` gets the byte, 0 … 255, with code c in the {BITS} bits from bit {SHIFT} up"
        )
    else:
        WORK = (
            "Unpack {BITS}-bit codes, 0 … {MASK}, from bytes, {EACH} from each. Code c (0 … {LAST}) of "
            "the byte `{words_in}[i, b]` is in its {BITS} bits from bit {SHIFT} up"
        )
        GETS = "{AT} gets the code{WORTH}"
    LAST = EACH - 1
    SUMMED = ". `{sums}[i, b]` gets the sum of the codes of the byte" if CHECK else ""
    if CHECK and SIGNS:
        SUMMED += ", with their signs"

    @c.kernel(n, words)
    def kernel(
        values: wp.array3d[float if FLOATS else int] = input(*shape, low=low, high=high)
        if PACK
        else output(*shape),
        words_in: wp.array2d[wp.uint8] = input(n, words, low=0, high=255),
        words_out: wp.array2d[int] = output(n, words),
        sums: wp.array2d[int] = output(n, words),
    ):
        row, i = wp.tid()
        if PACK:
            word = int(0)
        else:
            word = int(words_in[row, i])
        if CHECK != "":
            total = int(0)
        for k in range(EACH):
            if PACK:
                if FLOATS:
                    code = wp.clamp(
                        int(wp.round(values[row, k, i] if STRIDED else values[row, i, k])), 0, MASK
                    )
                else:
                    code = (values[row, k, i] if STRIDED else values[row, i, k]) & MASK
                word |= code << (BITS * (EACH - 1 - k) if HIGH else BITS * k)
            else:
                code = (word >> (BITS * (EACH - 1 - k) if HIGH else BITS * k)) & MASK
                if SIGNS:
                    # the top bit counts negative
                    if code >= HALF:
                        code -= MASK + 1
                if STRIDED:
                    values[row, k, i] = float(code) if FLOATS else code
                else:
                    values[row, i, k] = float(code) if FLOATS else code
            if CHECK != "":
                total += code
        if PACK:
            words_out[row, i] = word
        if CHECK != "":
            sums[row, i] = total


@idiom(
    level=4,
    names={
        "a": "a activations x",
        "b": "b weights w",
        "total": "total acc accumulator",
        "out": "out y product",
        "i j": "i j | row col",
        "k": "k d inner",
        "blocks": "block_scales a_block_scales",
        "kernel": "quantized_matmul int8_gemm qmatmul",
    },
)
def int8_matmul(c):
    """The product of two byte matrices, {SCALES}{ZERO}{BIAS}{AFTER_WORD}.

    Multiply two quantized matrices{TRANSPOSED}. The value at (i, j) is {VALUE}{ADDED}. {GETS}.
    """
    FIXED = c.style(True, False)
    n, m, depth = c.size(5, 7), c.size(5, 7), 4 if FIXED else 2 * c.size(2, 4)
    SCALES = c.meaning("scaled by row and column", "at one scale", "scaled in blocks of two")
    ZERO = c.meaning("", ", the first with zero points", ", the second transposed")
    AFTER = c.meaning("as floats", "requantized", "rectified")
    BIAS = c.meaning("", ", plus a bias")
    AFTER_WORD = {"as floats": "", "requantized": ", rounded to signed bytes", "rectified": ", then ReLU"}[
        AFTER
    ]
    BLOCKS, OFFSETS, TURNED = SCALES.endswith("of two"), ZERO.endswith("points"), ZERO.endswith("transposed")
    BYTES = AFTER == "requantized"
    # bytes that leave their range now and then, or floats of about one
    most, scales, some, offset = 40, (0.15, 0.35), (0.03, 0.1), 8.0
    RESCALE = c.constant(0.06, 0.09, step=0.005) if BYTES else c.constant(0.01, 0.03, step=0.005)
    if not BYTES:
        most, scales, some, offset = 12, (0.05, 0.2), (0.005, 0.02), 1.0
    c.once("bias", BIAS)
    LEFT = "(`{a}[i, k]` - `{zeros}[i]`)" if OFFSETS else "`{a}[i, k]`"
    RIGHT = "`{b}[j, k]`" if TURNED else "`{b}[k, j]`"
    SUM = "the sum of {LEFT}·{RIGHT} over all k"
    VALUE = {
        "scaled by row and column": "`{a_scales}[i] · {b_scales}[j]` times {SUM}, summed exactly as an "
        "integer",
        "at one scale": "{RESCALE} times {SUM}, summed exactly as an integer",
        "scaled in blocks of two": "{SUM}, in blocks of two successive k: the integer sum of block q, "
        "which has k = 2·q and 2·q + 1, counts `{blocks}[i, q]` times",
    }[SCALES]
    TRANSPOSED = ", the second of which is transposed" if TURNED else ""
    ADDED = ", plus `{bias}[j]`" if BIAS else ""
    GETS = {
        "as floats": "{out} gets the values",
        "requantized": "{out} gets the values rounded to the nearest whole numbers, halves away from 0, and "
        "clamped to -127 … 127",
        "rectified": "{out} gets the values after ReLU: negative ones become 0",
    }[AFTER]

    @c.kernel(n, m)
    def kernel(
        a: wp.array2d[wp.uint8 if OFFSETS else wp.int8] = input(
            n, depth, low=0 if OFFSETS else -most, high=2 * most if OFFSETS else most
        ),
        b: wp.array2d[wp.int8] = input(*((m, depth) if TURNED else (depth, m)), low=-most, high=most),
        a_scales: wp.array[float] = input(n, low=scales[0], high=scales[1]),
        b_scales: wp.array[float] = input(m, low=scales[0], high=scales[1]),
        blocks: wp.array2d[float] = input(n, depth // 2, low=some[0], high=some[1]),
        zeros: wp.array[int] = input(n, low=most // 2, high=3 * most // 2),
        bias: wp.array[float] = input(m, low=-offset, high=offset),
        out: wp.array2d[int if BYTES else float] = output(
            n, m, of=None if AFTER == "rectified" else "activation"
        ),
    ):
        i, j = wp.tid()
        if BLOCKS:
            value = float(0.0)
            for block in range(depth // 2 if FIXED else blocks.shape[1]):
                # within a block the sum is exact
                total = int(0)
                for k in range(2):
                    if OFFSETS:
                        total += (int(a[i, 2 * block + k]) - zeros[i]) * int(b[2 * block + k, j])
                    else:
                        total += int(a[i, 2 * block + k]) * int(
                            b[j, 2 * block + k] if TURNED else b[2 * block + k, j]
                        )
                value += blocks[i, block] * float(total)
        else:
            total = int(0)
            for k in range(depth if FIXED else a.shape[1]):
                if OFFSETS:
                    total += (int(a[i, k]) - zeros[i]) * int(b[k, j])
                else:
                    total += int(a[i, k]) * int(b[j, k] if TURNED else b[k, j])
            if SCALES == "scaled by row and column":
                value = a_scales[i] * b_scales[j] * float(total)
            else:
                value = RESCALE * float(total)
        if BIAS != "":
            value += bias[j]
        if BYTES:
            out[i, j] = int(wp.clamp(wp.round(value), -127.0, 127.0))
        elif AFTER == "rectified":
            out[i, j] = wp.max(value, 0.0)
        else:
            out[i, j] = value


@idiom(
    level=3,
    names={
        "x": "x vectors values",
        "codebook": "codebook centres code_vectors",
        "codes": "codes labels assignment",
        "nearest": "nearest least best",
        "k": "k entry centre",
        "kernel": "assign_codes vector_quantize nearest_code",
    },
)
def codebook_assignment(c):
    """Finds the code {NEAREST}{WEIGHED}{ALSO}.

    Encode {x} with a codebook (vector quantization). {codes} gets for each sample `{x}[i]` the index of the
    entry of {codebook} with {MEASURE}; on ties the first entry wins. These measures are all below
    1e6.{STORES}{USES}
    """
    n, count, size = c.size(8, 12), c.size(4, 7), c.meaning(1, 3)
    Value = float if size == 1 else c.vec(c.style(2, 3))
    ALSO = c.meaning("", ", and stores its value", ", and stores the residual")
    WEIGHED = c.meaning("", ", plus a penalty for each code", ", counting uses")

    def squared_distance(a: Value, b: Value) -> float:
        """the squared distance between two vectors."""
        return wp.length_sq(a - b)

    def distance(a: Value, b: Value) -> float:
        """the distance between two vectors."""
        return wp.length(a - b)

    def minus_product(a: Value, b: Value) -> float:
        """the inner product, negative, so that the largest comes first."""
        return -wp.dot(a, b)

    def difference(a: float, b: float) -> float:
        """how far two numbers are apart."""
        return wp.abs(a - b)

    def log_ratio(a: float, b: float) -> float:
        """how far two positive numbers are apart, as factors."""
        return wp.abs(wp.log(a / b))

    AWAY = (
        c.meaning(squared_distance, distance, minus_product) if size > 1 else c.meaning(difference, log_ratio)
    )
    NEAREST = {
        squared_distance: "nearest to each vector by squared distance",
        distance: "nearest to each vector",
        minus_product: "with the largest inner product with each vector",
        difference: "nearest to each number",
        log_ratio: "nearest to each number by ratio",
    }[AWAY]
    if AWAY is minus_product and "penalty" in WEIGHED:
        WEIGHED = WEIGHED.replace("plus", "less")
    c.names(
        {"x": "x vectors points", "nearest": "nearest least lowest"}
        if size > 1
        else {"x": "x values numbers", "codebook": "codebook levels centres"}
    )
    if AWAY is minus_product:
        c.names({"nearest": "least lowest best"})
    low = 0.2 if AWAY is log_ratio else -2.0
    MEASURE = {
        squared_distance: "the least squared distance from `{x}[i]`",
        distance: "the least Euclidean distance from `{x}[i]`",
        minus_product: "the greatest inner product with `{x}[i]`",
        difference: "the least absolute difference from `{x}[i]`",
        log_ratio: "the least |ln(`{x}[i]` / entry)|",
    }[AWAY]
    if "penalty" in WEIGHED:
        MEASURE += (
            ", from which its penalty in {penalties} is subtracted"
            if AWAY is minus_product
            else ", to which its penalty in {penalties} is added"
        )
    STORES = {
        "": "",
        ", and stores its value": " {out} gets the entry itself.",
        ", and stores the residual": " {out} gets the residual, `{x}[i]` less the entry.",
    }[ALSO]
    USES = " The number of uses of each entry is added to {counts}." if "counting" in WEIGHED else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[Value] = input(n, low=low, high=2.0, of="value"),
        codebook: wp.array[Value] = input(count, low=low, high=2.0),
        penalties: wp.array[float] = input(count, low=0.0, high=1.0),
        codes: wp.array[int] = output(n),
        out: wp.array[Value] = output(n),
        counts: wp.array[int] = inout(count, low=0, high=3),
    ):
        i = wp.tid()
        value = x[i]
        nearest = float(1.0e6)
        code = int(0)
        for k in range(count):
            d = AWAY(value, codebook[k])
            if "penalty" in WEIGHED:
                d += penalties[k]
            if d < nearest:
                nearest = d
                code = k
        codes[i] = code
        if ALSO == ", and stores its value":
            out[i] = codebook[code]
        elif ALSO == ", and stores the residual":
            # for a second codebook to encode
            out[i] = value - codebook[code]
        if WEIGHED == ", counting uses":
            wp.atomic_add(counts, code, 1)


@idiom(
    level=5,
    names={
        "x": "x points vectors",
        "centres": "centres codebook centroids",
        "total": "total sums gathered",
        "weight": "weight mass gathered_weight",
        "k": "k code cluster",
        "i": "i point sample",
        "j": "j other rival",
        "kernel": "update_codebook move_centres refit_codes",
    },
)
def codebook_update(c):
    """Moves each code {BLEND}{MEAN} {OWN}{EMPTY}.

    Update every code of a codebook as in {METHOD}. {MOVE}.{NONE}
    """
    FIXED = c.style(True, False)
    n, count = (c.size(4, 6), c.size(3, 4)) if FIXED else (c.size(9, 14), c.size(5, 8))
    Vec = c.vec(c.style(2, 3))
    OWN = c.meaning("nearest to it", "by closeness", "that bear its label")
    SOFT, LABELS = OWN == "by closeness", OWN == "that bear its label"
    BOX = c.meaning(False, True) if not SOFT else False
    WEIGHTED = c.meaning(False, True) if not BOX else False
    BLEND = c.meaning("to ", "part of the way to ", "running") if not BOX else "to "
    RUNNING, PARTLY = BLEND == "running", BLEND.startswith("part")
    EMPTY = c.meaning("", ", or to a point where there are none") if not RUNNING and not SOFT else ""
    if EMPTY == "" and not RUNNING and not SOFT:
        EMPTY = ", if there are any"
    REPLACED = EMPTY.startswith(", or")
    MEAN = "the middle of the box of points" if BOX else "the mean of points"
    if WEIGHTED:
        MEAN = "the mean of weighted points"
    if SOFT:
        OWN = "that are counted by closeness"
    if RUNNING:
        BLEND, MEAN = "to ", MEAN.replace("the mean", "the running mean")
    if not SOFT and not WEIGHTED:
        c.names({"found": "found members assigned", "masses": "masses running_counts member_counts"})
    SHARE, FADE, SHARPNESS = c.constant(0.2, 0.8), c.constant(0.5, 0.9), c.constant(0.5, 2.0)
    METHOD = "soft k-means" if SOFT else "k-means (Lloyd's algorithm)"
    OF = {
        "nearest to it": "all points of {x} whose nearest code in {codebook} it is, by squared distance "
        "(which is below 1e6), the first code on ties",
        "that bear its label": "all points of {x} with its index in {labels}",
    }.get(
        OWN,
        "all points of {x}, each weighted by exp(-{SHARPNESS}·d²), where d is its distance from "
        "the code in {codebook}",
    )
    HEAVY = ""
    if WEIGHTED:
        HEAVY = ", times its weight in {weights}" if SOFT else ", weighted with {weights}"
    MIDDLE = "the mean of {OF}{HEAVY}"
    if BOX:
        MIDDLE = "the middle of the bounding box (within ±1000) of {OF}"
    if SOFT and not RUNNING:
        MIDDLE += ", and of the code itself with weight 0.001"
    if RUNNING:
        TOTAL = "the sum of these points and their number"
        if SOFT or WEIGHTED:
            TOTAL = "the weighted sum of these points and the sum of their weights"
        MOVE = (
            "A code takes in {OF}{HEAVY}. {sums} and {masses} of the code are multiplied by {FADE}; then "
            "{TOTAL} are added to them. {centres} gets the new {sums} divided by the new {masses}"
        )
    elif PARTLY:
        MOVE = "{centres} gets the code of {codebook} moved by {SHARE} of the way to {MIDDLE}"
    else:
        MOVE = "{centres} gets {MIDDLE}"
    NONE = ""
    if not RUNNING and not SOFT:
        NONE = " A code without points keeps its place in {codebook}."
        if REPLACED:
            NONE = (
                " A code without points, code k, is replaced by point k, counted modulo the number of points."
            )

    def owner(codebook: wp.array[Vec], value: Vec) -> int:
        """the code nearest to a point."""
        least = float(1.0e6)
        code = int(0)
        for j in range(count if FIXED else codebook.shape[0]):
            d = wp.length_sq(value - codebook[j])
            if d < least:
                least = d
                code = j
        return code

    @c.kernel(count)
    def kernel(
        x: wp.array[Vec] = input(n, low=-2.0, high=2.0),
        codebook: wp.array[Vec] = input(count, low=-2.0, high=2.0),
        labels: wp.array[int] = input(n, low=0, high=count - 1),
        weights: wp.array[float] = input(n, low=0.3, high=2.0),
        sums: wp.array[Vec] = inout(count, low=-2.0, high=2.0),
        masses: wp.array[float] = inout(count, low=0.5, high=3.0),
        centres: wp.array[Vec] = output(count),
    ):
        k = wp.tid()
        if BOX:
            lower = Vec(1.0e3)
            upper = Vec(-1.0e3)
        elif SOFT and not RUNNING:
            # a code that is far from all points stays
            total = 1.0e-3 * codebook[k]
            weight = float(1.0e-3)
        else:
            total = Vec(0.0)
            if SOFT or WEIGHTED:
                weight = float(0.0)
        if not SOFT and not WEIGHTED:
            found = int(0)
        for i in range(n if FIXED else x.shape[0]):
            if SOFT:
                near = wp.exp(-SHARPNESS * wp.length_sq(x[i] - codebook[k]))
                if WEIGHTED:
                    near *= weights[i]
                total += near * x[i]
                weight += near
            elif (labels[i] if LABELS else owner(codebook, x[i])) == k:
                if BOX:
                    lower = wp.min(lower, x[i])
                    upper = wp.max(upper, x[i])
                    found += 1
                elif WEIGHTED:
                    total += weights[i] * x[i]
                    weight += weights[i]
                else:
                    total += x[i]
                    found += 1
        if RUNNING:
            sums[k] = FADE * sums[k] + total
            masses[k] = FADE * masses[k] + (weight if SOFT or WEIGHTED else float(found))
            centres[k] = sums[k] / masses[k]
        elif SOFT:
            if PARTLY:
                centres[k] = wp.lerp(codebook[k], total / weight, SHARE)
            else:
                centres[k] = total / weight
        elif (weight == 0.0) if WEIGHTED else (found == 0):
            # nothing chose this code
            centres[k] = x[k % (n if FIXED else x.shape[0])] if REPLACED else codebook[k]
        elif BOX:
            centres[k] = 0.5 * (lower + upper)
        elif PARTLY:
            centres[k] = codebook[k] + SHARE * (total / (weight if WEIGHTED else float(found)) - codebook[k])
        else:
            centres[k] = total / (weight if WEIGHTED else float(found))
