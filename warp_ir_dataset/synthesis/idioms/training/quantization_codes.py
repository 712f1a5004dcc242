"""Arithmetic on codes: packed bits, products of bytes, codebooks."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
    names={
        "values": "values nibbles codes",
        "words": "words packed out",
        "word": "word bits acc",
        "row i": "row i | r w | channel slot",
        "kernel": "convert_codes recode_bits code_words",
    },
)
def pack_nibbles(c):
    """{ACT} {BITS}-bit codes, {ORDER}{KIND}{CHECK}."""
    n, words, BITS = c.size(5, 8), c.size(3, 5), c.meaning(4, 2)
    PACK = c.meaning(True, False)
    EACH, MASK = 8 // BITS, 2**BITS - 1
    ORDER = c.meaning("the first lowest", "the first highest", "strided over the row")
    KIND = c.meaning("", ", rounded from floats") if PACK else c.meaning("", ", as floats", ", with signs")
    CHECK = c.meaning("", ", and sums them")
    ACT = "Packs" if PACK else "Unpacks"
    STRIDED, HIGH, FLOATS = (
        ORDER == "strided over the row",
        ORDER == "the first highest",
        KIND.endswith("floats"),
    )
    shape = (n, EACH, words) if STRIDED else (n, words, EACH)
    SIGNS, HALF = KIND == ", with signs", 2 ** (BITS - 1)
    if not PACK:
        c.names(
            {"kernel": "unpack_codes decode_words", "values": "values codes out", "words_in": "words packed"}
        )
    elif BITS == 4:
        c.names({"kernel": "pack_nibbles pack_codes", "values": "values nibbles codes"})
    else:
        c.names({"kernel": "pack_two_bits pack_codes", "values": "values codes"})

    @c.kernel(n, words)
    def kernel(
        values: wp.array3d[float if FLOATS else int] = given(*shape, low=0, high=MASK)
        if PACK
        else result(*shape),
        words_in: wp.array2d[wp.uint8] = given(n, words, low=0, high=255),
        words_out: wp.array2d[int] = result(n, words),
        sums: wp.array2d[int] = result(n, words),
    ):
        row, i = wp.tid()
        if PACK:
            word = int(0)
        else:
            word = int(words_in[row, i])
        if CHECK == ", and sums them":
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
                    # two's complement of so few bits
                    if code >= HALF:
                        code -= MASK + 1
                if STRIDED:
                    values[row, k, i] = float(code) if FLOATS else code
                else:
                    values[row, i, k] = float(code) if FLOATS else code
            if CHECK == ", and sums them":
                total += code
        if PACK:
            words_out[row, i] = word
        if CHECK == ", and sums them":
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
        "kernel": "quantized_matmul int8_gemm qmatmul",
    },
)
def int8_matmul(c):
    """The product of two byte matrices, {SCALES}{ZERO}{BIAS}{AFTER_WORD}."""
    FIXED = c.spelling(True, False)
    n, m, depth = c.size(5, 7), c.size(5, 7), 4 if FIXED else 2 * c.size(2, 4)
    SCALES = c.meaning("scaled by row and column", "with one scale", "scaled in blocks")
    ZERO = c.meaning("", ", the first with zero points", ", the second transposed")
    AFTER = c.meaning("as floats", "requantized", "rectified")
    BIAS = c.meaning("", ", plus a bias")
    AFTER_WORD = {"as floats": "", "requantized": ", requantized", "rectified": ", then ReLU"}[AFTER]
    BLOCKS, OFFSETS, TURNED = SCALES.endswith("blocks"), ZERO.endswith("points"), ZERO.endswith("transposed")
    RESCALE, BYTES = c.constant(0.01, 0.05, step=0.005), AFTER == "requantized"
    c.once("bias", BIAS)

    @c.kernel(n, m)
    def kernel(
        a: wp.array2d[wp.uint8 if OFFSETS else wp.int8] = given(
            n, depth, low=0 if OFFSETS else -40, high=80 if OFFSETS else 40
        ),
        b: wp.array2d[wp.int8] = given(*((m, depth) if TURNED else (depth, m)), low=-40, high=40),
        a_scales: wp.array[float] = given(n, low=0.05, high=0.2),
        b_scales: wp.array[float] = given(m, low=0.05, high=0.2),
        blocks: wp.array2d[float] = given(n, depth // 2, low=0.05, high=0.2),
        zeros: wp.array[int] = given(n, low=20, high=60),
        bias: wp.array[float] = given(m, low=-8.0, high=8.0),
        out: wp.array2d[int if BYTES else float] = result(
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
                    left = int(a[i, 2 * block + k]) - zeros[i] if OFFSETS else int(a[i, 2 * block + k])
                    total += left * int(b[j, 2 * block + k] if TURNED else b[2 * block + k, j])
                value += blocks[i, block] * float(total)
        else:
            total = int(0)
            for k in range(depth if FIXED else a.shape[1]):
                left = int(a[i, k]) - zeros[i] if OFFSETS else int(a[i, k])
                total += left * int(b[j, k] if TURNED else b[k, j])
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
    """The code of {WHOM} nearest to it by {DISTANCE}{ALSO}{WEIGHED}."""
    n, count, size = c.size(8, 12), c.size(4, 7), c.meaning(1, 3)
    Value = float if size == 1 else c.vec(c.spelling(2, 3))
    WHOM = "each number" if size == 1 else "each vector"
    DISTANCE = (
        c.meaning("squared distance", "distance", "inner product")
        if size > 1
        else c.meaning("distance", "log ratio")
    )
    ALSO = c.meaning("", ", and its value", ", and the residual")
    WEIGHED = c.meaning("", ", with a penalty for each code", ", counting uses")
    PRODUCT = DISTANCE == "inner product"
    low = 0.2 if DISTANCE == "log ratio" else -2.0

    def away(a: Value, b: Value) -> float:
        """how far a code is."""
        if PRODUCT:
            return -wp.dot(a, b)
        elif DISTANCE == "log ratio":
            return wp.abs(wp.log(a / b))
        elif DISTANCE == "squared distance":
            return wp.length_sq(a - b)
        elif size == 1:
            return wp.abs(a - b)
        else:
            return wp.length(a - b)

    @c.kernel(n)
    def kernel(
        x: wp.array[Value] = given(n, low=low, high=2.0, of="value"),
        codebook: wp.array[Value] = given(count, low=low, high=2.0),
        penalties: wp.array[float] = given(count, low=0.0, high=1.0),
        codes: wp.array[int] = result(n),
        out: wp.array[Value] = result(n),
        counts: wp.array[int] = updated(count, low=0, high=3),
    ):
        i = wp.tid()
        value = x[i]
        nearest = float(1.0e6)
        code = int(0)
        for k in range(count):
            d = away(value, codebook[k])
            if WEIGHED == ", with a penalty for each code":
                d += penalties[k]
            if d < nearest:
                nearest = d
                code = k
        codes[i] = code
        if ALSO == ", and its value":
            out[i] = codebook[code]
        elif ALSO == ", and the residual":
            # the next codebook is for this
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
    """Moves each code to {MEAN} of the {POINTS} {OWN}{BLEND}{EMPTY}."""
    FIXED = c.spelling(True, False)
    n, count = (c.size(4, 6), c.size(3, 4)) if FIXED else (c.size(9, 14), c.size(5, 8))
    Vec = c.vec(c.spelling(2, 3))
    OWN = c.meaning("nearest to it", "near it, softly", "that bear its label")
    MEAN = c.meaning("the mean", "the middle of the box") if OWN != "near it, softly" else "the mean"
    POINTS = c.meaning("points", "weighted points") if MEAN == "the mean" else "points"
    BLEND = c.meaning("", ", by a share of the way", ", by running sums") if MEAN == "the mean" else ""
    EMPTY = c.meaning("", ", an unused one to a point") if BLEND != ", by running sums" else ""
    EMPTY = "" if OWN == "near it, softly" else EMPTY
    SOFT, LABELS, WEIGHTED = OWN == "near it, softly", OWN == "that bear its label", POINTS != "points"
    BOX, RUNNING = MEAN != "the mean", BLEND == ", by running sums"
    if not SOFT and not WEIGHTED:
        c.names({"weight": "count members held"})
    SHARE, FADE, SHARPNESS = c.constant(0.2, 0.8), c.constant(0.5, 0.9), c.constant(0.5, 2.0)

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
        x: wp.array[Vec] = given(n, low=-2.0, high=2.0),
        codebook: wp.array[Vec] = given(count, low=-2.0, high=2.0),
        labels: wp.array[int] = given(n, low=0, high=count - 1),
        weights: wp.array[float] = given(n, low=0.3, high=2.0),
        sums: wp.array[Vec] = updated(count, low=-2.0, high=2.0),
        masses: wp.array[float] = updated(count, low=0.5, high=3.0),
        centres: wp.array[Vec] = result(count),
    ):
        k = wp.tid()
        if BOX:
            lower = Vec(1.0e3)
            upper = Vec(-1.0e3)
            found = int(0)
        else:
            total = Vec(0.0)
            weight = float(0.0)
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
                    weight += 1.0
        if RUNNING:
            sums[k] = FADE * sums[k] + total
            masses[k] = FADE * masses[k] + weight
            centres[k] = sums[k] / masses[k]
        elif SOFT:
            if BLEND != "":
                centres[k] = wp.lerp(codebook[k], total / (weight + 1.0e-4), SHARE)
            else:
                centres[k] = total / (weight + 1.0e-4)
        elif (found == 0) if BOX else (weight == 0.0):
            # nothing chose this code
            centres[k] = x[k % (n if FIXED else x.shape[0])] if EMPTY != "" else codebook[k]
        elif BOX:
            centres[k] = 0.5 * (lower + upper)
        elif BLEND != "":
            centres[k] = codebook[k] + SHARE * (total / weight - codebook[k])
        else:
            centres[k] = total / weight
