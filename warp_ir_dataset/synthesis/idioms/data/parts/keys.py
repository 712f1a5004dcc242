"""Keys: to sort by, for pairs, looked for among sorted ones."""

from __future__ import annotations

from ....pages.page import given, idiom, result, updated, wp


@idiom(
    level=2,
    differentiable=False,
    names={
        "keys": "keys codes ids",
        "values": "values scores depths",
        "digit": "digit bucket d",
        "digits": "digits buckets out",
        "counts": "counts histogram tally",
        "shift": "shift bit first_bit",
        "i": "i tid item",
        "kernel": "extract_digits radix_pass_digits digits_of_keys",
    },
)
def radix_digit(c):
    """{SAID}, for one pass of a radix sort{ORDER}."""
    n = c.size()
    KEY = c.meaning("key", "key, the largest first", "signed key", "fixed-point value")
    DIGIT = c.meaning("digit from a given bit up", "lowest digit", "decimal digit")
    GIVEN = c.meaning("digit", "counts", "packed", "marks")
    MASK, BITS = c.spelling((3, "two-bit"), (7, "three-bit"), (15, "four-bit"))
    MOST, OFFSET, SCALE = 1023, 512, c.constant(50.0, 90.0)
    ORDER = ", the largest keys first" if KEY == "key, the largest first" else ""
    WHOSE = "key" if ORDER else KEY
    WHICH = {
        "digit from a given bit up": f"{BITS} digit from a given bit up",
        "lowest digit": f"lowest {BITS} digit",
        "decimal digit": "decimal digit at a given place",
    }[DIGIT]
    SAID = {
        "digit": f"The {WHICH} of each {WHOSE}",
        "counts": f"Counts how often each {WHICH} occurs among {WHOSE}s",
        "packed": f"Packs the {WHICH} of each {WHOSE} with its index",
        "marks": f"Marks each {WHOSE} whose {WHICH} is that of a given bucket",
    }[GIVEN]
    if GIVEN == "packed":
        c.names({"digits": "packed digit_keys", "kernel": "pack_digits digits_with_indices"})
    elif GIVEN == "marks":
        c.names({"digits": "flags marks", "kernel": "mark_bucket flag_digits"})
    elif GIVEN == "counts":
        c.names({"kernel": "count_digits digit_histogram radix_count"})

    @c.kernel(n)
    def kernel(
        keys: wp.array[int] = given(n, low=-500 if KEY == "signed key" else 0, high=500),
        values: wp.array[float] = given(n, low=0.0, high=8.0),
        shift: int = given(low=1, high=4),
        place: int = given(low=0, high=2),
        bucket: int = given(low=0, high=2),
        digits: wp.array[int] = result(n),
        counts: wp.array[int] = result(MASK + 1 if DIGIT != "decimal digit" else 10),
    ):
        i = wp.tid()
        if KEY == "key, the largest first":
            # from the largest key of ten bits
            key = MOST - keys[i]
        elif KEY == "signed key":
            # negative keys come before all others
            key = keys[i] + OFFSET
        elif KEY == "fixed-point value":
            key = int(SCALE * values[i])
        else:
            key = keys[i]
        if DIGIT == "decimal digit":
            for k in range(place):
                key = key // 10
            digit = key % 10
        elif DIGIT == "digit from a given bit up":
            digit = (key >> shift) & MASK
        else:
            digit = key & MASK
        if GIVEN == "counts":
            wp.atomic_add(counts, digit, 1)
        elif GIVEN == "packed":
            digits[i] = digit * digits.shape[0] + i
        elif GIVEN == "marks":
            digits[i] = wp.where(digit == bucket, 1, 0)
        else:
            digits[i] = digit


@idiom(
    level=3,
    differentiable=False,
    names={
        "materials": "materials material_ids",
        "points": "points positions centres",
        "layers": "layers layer_ids",
        "scores": "scores ratings",
        "major minor": "major minor | primary secondary | high low",
        "keys": "keys sort_keys codes",
        "counts": "counts tally per_group",
        "i": "i tid item",
        "kernel": "make_sort_keys build_keys pack_keys",
    },
)
def sort_key_packing(c):
    """A key that sorts items by {MAJOR}, {ORDER}{THEN}{GIVEN}."""
    n = c.size()
    MAJOR = c.meaning("material", "depth in sixteen slices", "grid row", "distance from the eye")
    MINOR = c.meaning("index", "layer", "score")
    if MAJOR == "distance from the eye" or "depth" in MAJOR:
        ORDER = c.meaning("nearest first", "farthest first")
    else:
        ORDER = c.meaning("lowest first", "highest first")
    GIVEN = c.meaning("", "counted", "; hidden items last")
    THEN = f", then by {MINOR}{' in sixteenths' if MINOR == 'score' else ''}"
    DEEPEST, CELL = c.constant(1.5, 2.5), c.constant(0.2, 0.6)
    if GIVEN == "counted":
        KIND = {"material": "material", "grid row": "row", "distance from the eye": "step"}
        GIVEN = f"; counts the items of each {KIND.get(MAJOR, 'slice')}"
    if MAJOR == "distance from the eye":
        MAJOR = "distance d from the eye in sixteen steps of d / (1 + d)"

    def quantised(x: float) -> int:
        """Four bits for a number from 0 up to 1."""
        return wp.min(int(x * 16.0), 15)

    @c.kernel(n)
    def kernel(
        materials: wp.array[int] = given(n, low=0, high=15),
        points: wp.array[wp.vec3] = given(n, low=0.1, high=3.0),
        eye: wp.vec3 = given(low=-0.5, high=0.5),
        layers: wp.array[int] = given(n, low=0, high=15),
        scores: wp.array[float] = given(n, low=0.0, high=1.0),
        hidden: wp.array[int] = given(n, low=0, high=1),
        keys: wp.array[int] = result(n),
        counts: wp.array[int] = result(16),
    ):
        i = wp.tid()
        if "depth" in MAJOR:
            p = points[i]
            major = quantised(p[2] / DEEPEST)
        elif MAJOR == "grid row":
            p = points[i]
            major = int(p[1] / CELL)
        elif "eye" in MAJOR:
            away = wp.length(points[i] - eye)
            # finer steps for what is near
            major = int(16.0 - 16.0 / (1.0 + away))
        else:
            major = materials[i]
        if MINOR == "layer":
            minor = layers[i]
        elif MINOR == "score":
            minor = quantised(scores[i])
        if ORDER in ("farthest first", "highest first"):
            major = 15 - major
        if GIVEN == "; hidden items last":
            leading = (hidden[i] << 4) | major
        else:
            leading = major
        if MINOR == "index":
            keys[i] = leading * keys.shape[0] + i
        else:
            keys[i] = (leading << 4) | minor
        if "counts" in GIVEN:
            wp.atomic_add(counts, major, 1)


@idiom(
    level=2,
    differentiable=False,
    names={
        "starts stops": "starts stops | heads tails | lefts rights",
        "points": "points positions samples",
        "ids": "ids labels members",
        "low high": "low high | least most | small large",
        "key": "key code pair",
        "keys": "keys codes pairs_out",
        "i": "i tid e",
        "kernel": "pair_codes edge_keys encode_pairs",
    },
)
def pair_key(c):
    """One number for {WHOSE} by {PAIRING} pairing{ORDER}{GIVEN}."""
    n = c.size()
    PAIRING = c.meaning("Cantor's", "Szudzik's", "triangular", "row-major")
    WHOSE = c.meaning("the ends of each edge", "the cell of each point", "each label and the next one")
    GIVEN = c.meaning("", ", counted in buckets by its remainder")
    if PAIRING == "triangular":
        # of a cell, column and row are two things
        WHOSE = "the ends of each edge" if WHOSE == "the cell of each point" else WHOSE
        ORDER = ", the smaller first"
    elif WHOSE == "the cell of each point":
        ORDER = ""
    else:
        ORDER = c.meaning("", ", the smaller first")
    if WHOSE == "the cell of each point":
        c.names({"low high": "row col | cy cx | y x", "kernel": "cell_keys pair_codes number_cells"})
    elif WHOSE == "each label and the next one":
        c.names({"kernel": "pair_codes label_pairs encode_pairs"})
    if ORDER == "" and WHOSE == "the ends of each edge":
        c.names({"low high": "u v | start stop | a b"})
    elif ORDER == "" and WHOSE == "each label and the next one":
        c.names({"low high": "here after | a b | label following"})
    if GIVEN:
        c.names({"kernel": "count_pairs pair_histogram"})
    CELL, BUCKETS = c.constant(0.3, 0.8), c.size(5, 9)

    @c.kernel(n)
    def kernel(
        starts: wp.array[int] = given(n, low=0, high=15),
        stops: wp.array[int] = given(n, low=0, high=15),
        points: wp.array[wp.vec2] = given(n, low=0.0, high=4.0),
        ids: wp.array[int] = given(n, low=0, high=15),
        keys: wp.array[int] = result(n),
        counts: wp.array[int] = result(BUCKETS),
    ):
        i = wp.tid()
        if WHOSE == "the ends of each edge":
            low = wp.min(starts[i], stops[i]) if ORDER else starts[i]
            high = wp.max(starts[i], stops[i]) if ORDER else stops[i]
        elif WHOSE == "the cell of each point":
            p = points[i]
            low = int(p[1] / CELL)
            high = int(p[0] / CELL)
        elif ORDER:
            label = ids[i]
            following = ids[(i + 1) % ids.shape[0]]
            low = wp.min(label, following)
            high = wp.max(label, following)
        else:
            low = ids[i]
            high = ids[(i + 1) % ids.shape[0]]
        if PAIRING == "Cantor's":
            key = (low + high) * (low + high + 1) // 2 + high
        elif PAIRING == "Szudzik's":
            # pairs are numbered along the rim of a growing square
            key = wp.where(low < high, high * high + low, low * low + low + high)
        elif PAIRING == "triangular":
            key = high * (high + 1) // 2 + low
        else:
            # no number is above 15
            key = 16 * low + high
        if not GIVEN:
            keys[i] = key
        else:
            wp.atomic_add(counts, key % counts.shape[0], 1)


@idiom(
    level=3,
    names={
        "table": "table keys sorted_values",
        "queries": "queries targets wanted_values",
        "lows highs": "lows highs | lefts rights | starts stops",
        "low high": "low high | lo hi | left right",
        "probe": "probe mid middle",
        "wanted": "wanted target query",
        "q": "q tid i",
        "kernel": "probe_table probe_kernel",
    },
)
def interpolation_probe(c):
    """One step of {PROBE} for each query in {TABLE}, which {GIVEN}."""
    n, count = c.size(), c.size(8, 12)
    PROBE = c.meaning("bisection", "interpolation search", "geometric bisection", "weighted bisection")
    TABLE = c.meaning("a rising table", "a rising table read from its end", "a row of its own")
    GIVEN = c.meaning(
        "moves an end of its bracket",
        "moves an end of its bracket and gives the width",
        "gives place and miss",
    )
    MOVED, TURNED = GIVEN != "gives place and miss", TABLE == "a rising table read from its end"
    if MOVED:
        c.names({"kernel": "narrow_brackets search_step move_brackets"})
    elif PROBE != "interpolation search":
        c.names({"kernel": "probe_table probe_kernel bisection_probe"})
    NEAR = c.constant(0.2, 0.45)
    OWN = TABLE == "a row of its own"

    @c.kernel(n)
    def kernel(
        table: wp.array[float] = given(count, low=0.5, high=6.0, trait="sorted"),
        tables: wp.array2d[float] = given(n, count, low=0.5, high=6.0, trait="sorted"),
        queries: wp.array[float] = given(n, low=1.0, high=5.5),
        lows: wp.array[int] = (
            updated(n, low=0, high=count // 2 - 1) if MOVED else given(n, low=0, high=count // 2 - 1)
        ),
        highs: wp.array[int] = (
            updated(n, low=count // 2 + 1, high=count - 1)
            if MOVED
            else given(n, low=count // 2 + 1, high=count - 1)
        ),
        widths: wp.array[int] = result(n),
        misses: wp.array[float] = result(n),
        probes: wp.array[int] = result(n),
    ):
        q = wp.tid()
        low = lows[q]
        high = highs[q]
        wanted = queries[q]
        if TURNED:
            end = table.shape[0] - 1
        if PROBE == "interpolation search":
            if OWN:
                first, last = tables[q, low], tables[q, high]
            elif TURNED:
                first, last = table[end - low], table[end - high]
            else:
                first, last = table[low], table[high]
            if TURNED:
                share = wp.clamp((first - wanted) / wp.max(first - last, 1.0e-6), 0.0, 1.0)
            else:
                share = wp.clamp((wanted - first) / wp.max(last - first, 1.0e-6), 0.0, 1.0)
            probe = int(wp.lerp(float(low), float(high), share))
        elif PROBE == "geometric bisection":
            probe = int(wp.sqrt(float((low + 1) * (high + 1)))) - 1
        elif PROBE == "weighted bisection":
            # the low end is where queries mostly are
            probe = int(wp.lerp(float(low), float(high), NEAR))
        else:
            probe = (low + high) // 2
        if OWN:
            found = tables[q, probe]
        elif TURNED:
            found = table[end - probe]
        else:
            found = table[probe]
        if MOVED:
            goes_on = found > wanted if TURNED else found < wanted
            new_low = wp.where(goes_on, probe, low)
            new_high = wp.where(goes_on, high, probe)
            lows[q] = new_low
            highs[q] = new_high
            if GIVEN == "moves an end of its bracket and gives the width":
                widths[q] = new_high - new_low
        else:
            probes[q] = probe
            misses[q] = wanted - found
