"""Keys: to sort by, for pairs, looked for among sorted ones."""

from __future__ import annotations

from ....pages.page import given, idiom, result, updated, wp


@idiom(
    level=2,
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
    """The {DIGIT} of each {KEY} for one pass of a radix sort{GIVEN}."""
    n = c.size()
    KEY = c.meaning("key", "key in descending order", "signed key", "scaled value")
    DIGIT = c.meaning("digit above a shift", "lowest digit", "decimal digit")
    GIVEN = c.meaning("", ", counted", ", packed with its index", ", marked where it is that of a bucket")
    if "packed" in GIVEN:
        c.names({"digits": "packed digit_keys", "kernel": "pack_digits digits_with_indices"})
    elif "marked" in GIVEN:
        c.names({"digits": "flags marks", "kernel": "mark_bucket flag_digits"})
    elif "counted" in GIVEN:
        c.names({"kernel": "count_digits digit_histogram radix_count"})
    MASK, MOST, OFFSET, SCALE = c.spelling(3, 7, 15), 1023, 512, c.constant(50.0, 90.0)

    @c.kernel(n)
    def kernel(
        keys: wp.array[int] = given(n, low=-500 if KEY == "signed key" else 0, high=500),
        values: wp.array[float] = given(n, low=0.0, high=8.0),
        shift: int = given(low=1, high=4),
        unit: int = given(low=1, high=20),
        bucket: int = given(low=0, high=2),
        digits: wp.array[int] = result(n),
        counts: wp.array[int] = result(MASK + 1 if DIGIT != "decimal digit" else 10),
    ):
        i = wp.tid()
        if KEY == "key in descending order":
            # from the largest key of ten bits
            key = MOST - keys[i]
        elif KEY == "signed key":
            # negative keys come before all others
            key = keys[i] + OFFSET
        elif KEY == "scaled value":
            key = int(SCALE * values[i])
        else:
            key = keys[i]
        if DIGIT == "decimal digit":
            digit = key // unit % 10
        elif DIGIT == "digit above a shift":
            digit = (key >> shift) & MASK
        else:
            digit = key & MASK
        if GIVEN == ", counted":
            wp.atomic_add(counts, digit, 1)
        elif GIVEN == ", packed with its index":
            digits[i] = digit * digits.shape[0] + i
        elif GIVEN == ", marked where it is that of a bucket":
            digits[i] = wp.where(digit == bucket, 1, 0)
        else:
            digits[i] = digit


@idiom(
    level=3,
    names={
        "materials": "materials groups types",
        "points": "points positions centres",
        "layers": "layers levels priorities",
        "scores": "scores weights costs",
        "major minor": "major minor | first second | high low",
        "keys": "keys sort_keys codes",
        "counts": "counts tally per_group",
        "i": "i tid item",
        "kernel": "make_sort_keys build_keys pack_keys",
    },
)
def sort_key_packing(c):
    """A key for each item that sorts by {MAJOR}, {ORDER}, then by {MINOR}{GIVEN}."""
    n = c.size()
    MAJOR = c.meaning("material", "depth", "grid row", "distance from the eye")
    MINOR = c.meaning("index", "layer", "score")
    ORDER = c.meaning("smallest first", "largest first")
    GIVEN = c.meaning("", ", with counts of each first part", ", hidden items last")
    DEEPEST, CELL = c.constant(3.0, 6.0), c.constant(0.2, 0.6)

    def quantised(x: float) -> int:
        """Four bits for a number in [0, 1]."""
        return wp.clamp(int(x * 16.0), 0, 15)

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
        if MAJOR == "depth":
            p = points[i]
            major = quantised(p[2] / DEEPEST)
        elif MAJOR == "grid row":
            p = points[i]
            major = wp.clamp(int(p[1] / CELL), 0, 15)
        elif MAJOR == "distance from the eye":
            away = wp.length(points[i] - eye)
            # near things differ more
            major = quantised(away / (1.0 + away))
        else:
            major = materials[i]
        if MINOR == "layer":
            minor = layers[i]
        elif MINOR == "score":
            minor = quantised(scores[i])
        if ORDER == "largest first":
            major = 15 - major
        if GIVEN == ", hidden items last":
            leading = (hidden[i] << 4) | major
        else:
            leading = major
        if MINOR == "index":
            keys[i] = leading * keys.shape[0] + i
        else:
            keys[i] = (leading << 4) | minor
        if GIVEN == ", with counts of each first part":
            wp.atomic_add(counts, major, 1)


@idiom(
    level=2,
    names={
        "starts stops": "starts stops | heads tails | lefts rights",
        "points": "points positions samples",
        "ids": "ids labels members",
        "a b": "a b | u v | first second",
        "low high": "low high | least most | small large",
        "key": "key code pair",
        "keys": "keys codes pairs_out",
        "i": "i tid e",
        "kernel": "pair_codes edge_keys encode_pairs",
    },
)
def pair_key(c):
    """One number for {WHOSE} by {PAIRING} pairing, {ORDER}{GIVEN}."""
    n = c.size()
    PAIRING = c.meaning("Cantor's", "Szudzik's", "triangular", "row-major")
    WHOSE = c.meaning("the ends of each edge", "the cell of each point", "each label and the next one")
    GIVEN = c.meaning("", ", counted by bucket")
    if PAIRING == "triangular":
        # of a cell, column and row are two things
        WHOSE = "the ends of each edge" if WHOSE == "the cell of each point" else WHOSE
        ORDER = "unordered"
    elif WHOSE == "the cell of each point":
        ORDER = "ordered"
    else:
        ORDER = c.meaning("ordered", "unordered")
    if ORDER == "ordered":
        c.names({"low high": "p q | x y | left right"})
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
            a = starts[i]
            b = stops[i]
        elif WHOSE == "the cell of each point":
            p = points[i]
            a = int(p[0] / CELL)
            b = int(p[1] / CELL)
        else:
            a = ids[i]
            b = ids[(i + 1) % ids.shape[0]]
        if ORDER == "ordered":
            low, high = a, b
        else:
            low, high = wp.min(a, b), wp.max(a, b)
        if PAIRING == "Cantor's":
            key = (low + high) * (low + high + 1) // 2 + high
        elif PAIRING == "Szudzik's":
            # squares grow round the pairs that are there
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
    """Probes {TABLE} once for each query, by {PROBE}, and {GIVEN}."""
    n, count = c.size(), c.size(8, 12)
    PROBE = c.meaning("bisection", "interpolation", "geometric bisection", "weighted bisection")
    TABLE = c.meaning("a rising table", "a rising table read from its end", "a row of its own")
    GIVEN = c.meaning(
        "moves its bracket", "moves its bracket and gives the new width", "gives the probe and its miss"
    )
    MOVED, TURNED = GIVEN != "gives the probe and its miss", TABLE == "a rising table read from its end"
    if MOVED:
        c.names({"kernel": "narrow_brackets search_step move_brackets"})
    elif PROBE != "interpolation":
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
        if OWN:
            end = tables.shape[1] - 1
        else:
            end = table.shape[0] - 1
        if PROBE == "interpolation":
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
            probe = low + int(share * float(high - low))
        elif PROBE == "geometric bisection":
            probe = int(wp.sqrt(float((low + 1) * (high + 1)))) - 1
        elif PROBE == "weighted bisection":
            # the low end is where queries mostly are
            probe = low + int(NEAR * float(high - low))
        else:
            probe = (low + high) // 2
        probe = wp.clamp(probe, 0, end)
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
            if GIVEN == "moves its bracket and gives the new width":
                widths[q] = new_high - new_low
        else:
            probes[q] = probe
            misses[q] = wanted - found
