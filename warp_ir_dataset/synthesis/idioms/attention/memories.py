"""Short steps of attention: memories as matrices, partial results, encodings of positions."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    differentiable=False,
    names={
        "memory": "memory states fast_weights",
        "queries": "queries q probes",
        "decay": "decay decays",
        "keys": "keys k addresses",
        "values": "values v contents",
        "m": "m state w",
        "miss": "miss error surprise",
        "head": "head h i",
        "kernel": "update_memory write_and_read fast_weight_step",
    },
)
def associative_memory(c):
    """Writes a value to each head's memory matrix by {RULE}{UNIT}, {ORDER}{GIVES}.

    Write to and read from the memory matrix M of each head, in {memory}. The key c is the head's entry of
    {keys}{UNITED}, and the value w its entry of {values}. {WRITE} {READING}{ERROR}
    """
    n, SIZE = c.size(6, 9), c.style(2, 3, 4)
    RULE = c.meaning("a Hebbian sum", "the delta rule", "a decaying sum", "a gate", "a moving average")
    DELTA, UNITS = RULE == "the delta rule", c.meaning(False, True)
    UNIT = " with unit keys" if UNITS else ""
    ORDER = c.meaning("read after the write", "read before the write", "read after the write with a gain")
    GIVES = c.meaning("", ", and keeps the squared error")
    if DELTA and not UNITS:
        RULE = "a normalized delta rule"
    elif RULE == "a gate":
        c.names({"decay": "gates forget_gates"})
    Vec, Mat, RATE = c.vec(SIZE), c.mat(SIZE), c.constant(0.2, 0.9)
    UNITED = ", normalized to unit length" if UNITS else ""
    WRITE = {
        "a Hebbian sum": "Write by the Hebbian rule: M + w·cᵀ.",
        "the delta rule": "Write by the delta rule: M + {RATE}·(w - M·c)·cᵀ.",
        "a normalized delta rule": (
            "Write by the normalized delta rule: M + {RATE}·(w - M·c)·cᵀ / (|c|² + 0.01)."
        ),
        "a decaying sum": "Write with decay: g·M + w·cᵀ, where g is the head's entry of {decay}.",
        "a gate": "Write by a gate: g·M + (1 - g)·w·cᵀ, where g is the head's entry of {decay}.",
        "a moving average": "Write a moving average: M + {RATE}·(w·cᵀ - M).",
    }[RULE]
    READING = {
        "read after the write": "{out} gets the new M times the head's entry of {queries}.",
        "read before the write": (
            "{out} gets the old M, as before the write, times the head's entry of {queries}."
        ),
        "read after the write with a gain": (
            "{out} gets the new M times the head's entry of {queries}, scaled by its entry of {gains}."
        ),
    }[ORDER]
    ERROR = " {misses} gets |w - M·c|² with the old M." if GIVES else ""

    @c.kernel(n)
    def kernel(
        queries: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        keys: wp.array[Vec] = input(n, low=-1.0, high=1.0),
        values: wp.array[Vec] = input(n, low=-2.0, high=2.0),
        decay: wp.array[float] = input(n, low=0.3, high=0.95),
        gains: wp.array[float] = input(n, low=0.5, high=2.0),
        memory: wp.array[Mat] = inout(n, low=-1.0, high=1.0),
        out: wp.array[Vec] = output(n),
        misses: wp.array[float] = output(n),
    ):
        head = wp.tid()
        key = wp.normalize(keys[head]) if UNITS else keys[head]
        m = memory[head]
        if ORDER == "read before the write":
            out[head] = m * queries[head]
        if DELTA or GIVES != "":
            # how far the value is from what the memory holds under this key
            miss = values[head] - m * key
        if DELTA:
            if UNITS:
                m += RATE * wp.outer(miss, key)
            else:
                m += RATE / (wp.dot(key, key) + 0.01) * wp.outer(miss, key)
        elif RULE == "a decaying sum":
            m = decay[head] * m + wp.outer(values[head], key)
        elif RULE == "a gate":
            m = decay[head] * m + (1.0 - decay[head]) * wp.outer(values[head], key)
        elif RULE == "a moving average":
            m += RATE * (wp.outer(values[head], key) - m)
        else:
            m += wp.outer(values[head], key)
        memory[head] = m
        if ORDER == "read after the write":
            out[head] = m * queries[head]
        elif ORDER == "read after the write with a gain":
            out[head] = gains[head] * (m * queries[head])
        if GIVES != "":
            misses[head] = wp.length_sq(miss)


@idiom(
    level=3,
    names={
        "a b": "a b | out_a out_b | part_a part_b",
        "wa wb": "wa wb | a_weight b_weight | scale_a scale_b",
        "top": "top peak largest",
        "mixed": "mixed merged combined",
        "row": "row query i",
        "kernel": "merge_states combine_partials merge_attention",
    },
)
def merged_partial_attention(c):
    """Merges two partial results of attention over split keys by {HOW}{SINK}{PLACE}{GIVES}.

    Merge two partial results of attention, {a} and {b}, each of which has seen other keys. {WEIGHT} The
    merged result is the mean of the two by these weights{SINKING}; {STORE}{NEW}
    """
    n, width = c.size(6, 9), c.size(4, 6)
    HOW = c.meaning("their log-sum-exps", "their peaks and totals", "their totals")
    VECTORS = c.meaning(True, False)
    SINK = c.meaning("", ", beside an attention sink")
    PLACE = c.meaning("", ", into the first")
    GIVES = c.meaning("", ", and keeps the new log-sum-exp") if VECTORS else ""
    Vec = c.vec(c.style(3, 4)) if VECTORS else float
    shape = (n,) if VECTORS else (n, width)
    target = inout if PLACE != "" else input
    LSE, TOTALS = HOW == "their log-sum-exps", HOW == "their totals"
    WEIGHT = {
        "their log-sum-exps": "The weight of a result is exp of its log-sum-exp in {a_lse} or {b_lse}.",
        "their peaks and totals": (
            "The exponentials of a result were summed relative to its peak: its weight is its total, "
            "{a_total} or "
            "{b_total}, times exp of its peak, {a_peak} or {b_peak}."
        ),
        "their totals": "The weight of a result is the total of its exponentials, {a_total} or {b_total}.",
    }[HOW]
    SINKING = ""
    if SINK:
        SINKING = ", beside an attention sink, a score in {sinks} whose exponential only adds to the divisor"
        if TOTALS:
            SINKING = ", beside an attention sink, whose weight in {sinks} only adds to the divisor"
    STORE = "it goes to {out}." if PLACE == "" else "it replaces {a}."
    NEW = " {lse} gets the logarithm of the divisor, the sum of the weights." if GIVES else ""

    @c.kernel(*shape)
    def kernel(
        a: (wp.array[Vec] if VECTORS else wp.array2d[Vec]) = target(*shape, low=-2.0, high=2.0),
        b: (wp.array[Vec] if VECTORS else wp.array2d[Vec]) = input(*shape, low=-2.0, high=2.0),
        a_lse: wp.array[float] = input(n, low=-1.0, high=3.0),
        b_lse: wp.array[float] = input(n, low=-1.0, high=3.0),
        a_peak: wp.array[float] = input(n, low=-2.0, high=2.0),
        b_peak: wp.array[float] = input(n, low=-2.0, high=2.0),
        a_total: wp.array[float] = input(n, low=1.0, high=4.0),
        b_total: wp.array[float] = input(n, low=1.0, high=4.0),
        sinks: wp.array[float] = input(n, low=0.2, high=2.0),
        out: (wp.array[Vec] if VECTORS else wp.array2d[Vec]) = output(*shape),
        lse: wp.array[float] = output(n),
    ):
        if VECTORS:
            row = wp.tid()
        else:
            row, k = wp.tid()
        if LSE:
            if SINK != "":
                top = wp.max(wp.max(a_lse[row], b_lse[row]), sinks[row])
            else:
                top = wp.max(a_lse[row], b_lse[row])
            wa = wp.exp(a_lse[row] - top)
            wb = wp.exp(b_lse[row] - top)
        elif TOTALS:
            wa = a_total[row]
            wb = b_total[row]
        else:
            # both totals are brought to one peak
            if SINK != "":
                top = wp.max(wp.max(a_peak[row], b_peak[row]), sinks[row])
            else:
                top = wp.max(a_peak[row], b_peak[row])
            wa = a_total[row] * wp.exp(a_peak[row] - top)
            wb = b_total[row] * wp.exp(b_peak[row] - top)
        if SINK != "":
            total = wa + wb + (sinks[row] if TOTALS else wp.exp(sinks[row] - top))
        else:
            total = wa + wb
        if VECTORS:
            mixed = (wa * a[row] + wb * b[row]) / total
            if PLACE != "":
                a[row] = mixed
            else:
                out[row] = mixed
            if GIVES != "":
                lse[row] = wp.log(total) if TOTALS else top + wp.log(total)
        else:
            mixed = (wa * a[row, k] + wb * b[row, k]) / total
            if PLACE != "":
                a[row, k] = mixed
            else:
                out[row, k] = mixed


@idiom(
    level=2,
    names={
        "codes": "codes encoding embeddings",
        "places": "places positions timesteps",
        "angle": "angle phase theta",
        "rate": "rate freq omega",
        "half": "half n_pairs pairs",
        "row p": "row p | token pair | i m",
        "kernel": "encode_positions position_encoding fourier_features",
    },
)
def sinusoidal_positions(c):
    """{ACT} sines and cosines of {PLACE} {RATES}, {LAYOUT}{TO}.

    {PURPOSE} Row r has m pairs, each of a sine and a cosine, {ARRANGED}. Pair p holds the sine and the cosine
    of f·t. The frequency f is {FREQUENCY}; the position t is {TIME}.
    """
    n, half = c.size(6, 9), c.size(3, 5)
    ACT = c.meaning("Stores", "Adds")
    RATES = c.meaning("at geometric frequencies", "in octaves", "at learned frequencies")
    FORMULA, OCTAVES = RATES == "at geometric frequencies", RATES == "in octaves"
    GIVEN = ("each given position", "each scaled position")
    # Codes that no input decides are a table, and no work for a kernel.
    OFFSET = FORMULA and ACT == "Stores"
    INDEX = (
        "the row index past an offset" if OFFSET else "the relative row index" if OCTAVES else "the row index"
    )
    PLACE = c.meaning(*GIVEN) if OCTAVES and ACT == "Stores" else c.meaning(INDEX, *GIVEN)
    LAYOUT = c.meaning("interleaved", "in halves", "as vectors")
    PAIRS, HALVES = LAYOUT == "as vectors", LAYOUT == "in halves"
    length = half if PAIRS else 2 * half
    ADDS, BASE, SCALE = ACT == "Adds", c.constant(100.0, 1000.0, step=900.0), c.constant(0.2, 0.9)
    TO = ", to embeddings" if ADDS else ""
    c.names({"codes": "embeddings hidden" if ADDS else "codes encoding"})
    if PAIRS:
        c.names({"half": "pairs n_pairs"})
    low, high = (0.0, 1.0) if OCTAVES else (0.0, 9.0)
    PURPOSE = "Store sinusoidal position encodings in {codes}."
    if ADDS:
        PURPOSE = "Add sinusoidal position encodings to the embeddings in {codes}."
    ARRANGED = {
        "interleaved": "interleaved: pair p is in columns 2p and 2p + 1",
        "in halves": "in halves: the sine of pair p is in column p and its cosine in column m + p",
        "as vectors": "as 2-vectors: pair p is entry p",
    }[LAYOUT]
    FREQUENCY = "`{rates}[p]`"
    if FORMULA:
        FREQUENCY = "{BASE} to the power of -p / m"
    elif OCTAVES:
        FREQUENCY = "π·2^p"
    TIME = "`{places}[r]`"
    if PLACE == INDEX:
        TIME = "r"
        if OFFSET:
            TIME = "r + {offset}"
        elif OCTAVES:
            TIME = "r over the number of rows of {codes}"
    elif PLACE == "each scaled position":
        TIME = "{SCALE}·`{places}[r]`"

    @c.kernel(n, length)
    def kernel(
        places: wp.array[float] = input(n, low=low, high=high),
        offset: int = input(low=0, high=n),
        rates: wp.array[float] = input(half, low=0.1, high=1.5),
        codes: wp.array2d[wp.vec2 if PAIRS else float] = inout(n, length, low=-1.0, high=1.0)
        if ADDS
        else output(n, length),
    ):
        if PAIRS:
            row, p = wp.tid()
        else:
            row, k = wp.tid()
        if HALVES or FORMULA:
            half = codes.shape[1] if PAIRS else codes.shape[1] // 2
        if not PAIRS:
            p = k % half if HALVES else k // 2
        if FORMULA:
            rate = wp.pow(BASE, -float(p) / float(half))
        elif OCTAVES:
            rate = wp.PI * wp.pow(2.0, float(p))
        else:
            rate = rates[p]
        if PLACE == INDEX and OFFSET:
            angle = rate * float(row + offset)
        elif PLACE == INDEX:
            angle = rate * (float(row) / float(codes.shape[0]) if OCTAVES else float(row))
        elif PLACE == "each given position":
            angle = rate * places[row]
        else:
            angle = SCALE * rate * places[row]
        if PAIRS:
            if ADDS:
                codes[row, p] += wp.vec2(wp.sin(angle), wp.cos(angle))
            else:
                codes[row, p] = wp.vec2(wp.sin(angle), wp.cos(angle))
        else:
            wave = wp.where(k < half if HALVES else k % 2 == 0, wp.sin(angle), wp.cos(angle))
            if ADDS:
                codes[row, k] += wave
            else:
                codes[row, k] = wave


@idiom(
    level=2,
    names={
        "context": "context attended y",
        "gates": "gates gate_logits g",
        "residual": "residual stream hidden",
        "out": "out gated result",
        "share": "share opening gate",
        "row k": "row k | token channel | i d",
        "kernel": "gate_output mix_gate apply_gate",
    },
)
def attention_output_gate(c):
    """The output of attention, {GATE}{PER}{CLIPPED}{INTO}.

    Gate the output of attention, {context}. With g for the gate of {WHOSE}, each entry is {FORMULA}{LIMITED}.
    {STORE}
    """
    n, width = c.size(5, 8), c.size(4, 6)
    GATE = c.meaning(
        "times a biased sigmoid gate",
        "times a swish gate",
        "blended with the values by a gate",
        "times a tanh gate",
        "times a ReLU gate",
    )
    PER = c.meaning(" of each entry", " of each row", " of each channel")
    CLIPPED = c.meaning("", ", clipped")
    INTO = c.meaning("", ", added to the residual stream", ", in place")
    MOST, BIAS = c.constant(0.5, 1.2), c.constant(0.3, 1.5)
    shape = {" of each entry": (n, width), " of each row": (n,), " of each channel": (width,)}[PER]
    WHOSE = {
        " of each entry": "the entry, at its place in {gates}",
        " of each row": "its row in {gates}",
        " of each channel": "its column in {gates}",
    }[PER]
    FORMULA = {
        "times a biased sigmoid gate": "multiplied by the sigmoid 1 / (1 + exp(-g - {BIAS}))",
        "times a swish gate": "multiplied by the swish g / (1 + exp(-g))",
        "blended with the values by a gate": (
            "blended with that of {values}: it counts with the share s = 1 / (1 + exp(-g)), and the "
            "value with 1 - s"
        ),
        "times a tanh gate": "multiplied by tanh(g)",
        "times a ReLU gate": "multiplied by max(g, 0)",
    }[GATE]
    LIMITED = ", then clamped to [-{MOST}, {MOST}]" if CLIPPED else ""
    STORE = {
        "": "{out} gets the results.",
        ", added to the residual stream": "Add the results to {residual}.",
        ", in place": "Overwrite {context} with the results.",
    }[INTO]

    @c.kernel(n, width)
    def kernel(
        context: wp.array2d[float] = (inout if INTO == ", in place" else input)(n, width, low=-2.0, high=2.0),
        gates: (wp.array2d[float] if PER == " of each entry" else wp.array[float]) = input(
            *shape, low=-2.0, high=2.5
        ),
        values: wp.array2d[float] = input(n, width, low=-2.0, high=2.0),
        residual: wp.array2d[float] = inout(n, width, low=-1.0, high=1.0),
        out: wp.array2d[float] = output(n, width),
    ):
        row, k = wp.tid()
        if PER == " of each entry":
            g = gates[row, k]
        elif PER == " of each row":
            g = gates[row]
        else:
            g = gates[k]
        if GATE == "times a swish gate":
            mixed = g / (1.0 + wp.exp(-g)) * context[row, k]
        elif GATE == "times a tanh gate":
            mixed = wp.tanh(g) * context[row, k]
        elif GATE == "times a ReLU gate":
            mixed = wp.max(g, 0.0) * context[row, k]
        elif GATE == "times a biased sigmoid gate":
            # the bias holds the gate open until something else is learned
            mixed = context[row, k] / (1.0 + wp.exp(-g - BIAS))
        else:
            share = 1.0 / (1.0 + wp.exp(-g))
            mixed = wp.lerp(values[row, k], context[row, k], share)
        if CLIPPED != "":
            mixed = wp.clamp(mixed, -MOST, MOST)
        if INTO == ", in place":
            context[row, k] = mixed
        elif INTO != "":
            residual[row, k] += mixed
        else:
            out[row, k] = mixed
