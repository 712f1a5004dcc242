"""Keys of pairs."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


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
    """One number for {WHOSE} by {PAIRING} pairing{ORDER}{GIVEN}.

    {PURPOSE}. {PAIR} Its key is {KEY}. {PUT}
    """
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
    PURPOSE = "Encode pairs of numbers" if not GIVEN else "Count pairs in buckets"
    PURPOSE += {
        "Cantor's": " by Cantor's pairing",
        "Szudzik's": " by Szudzik's pairing",
        "triangular": " by triangular pairing",
        "row-major": " by row-major pairing",
    }[PAIRING]  # fmt: skip
    PAIR = {
        "the ends of each edge": "The pair of edge k is p = `{starts}[k]`, q = `{stops}[k]`.",
        "the cell of each point": "The pair of a point is the cell that holds it: p = ⌊y / {CELL}⌋, q "
        "= ⌊x / {CELL}⌋ for the point (x, y) in {points}, which has no "
        "negative coordinate.",
        "each label and the next one": "The pair of label k is p = `{ids}[k]` and q, the next label; "
        "the first one follows the last.",
    }[WHOSE]
    if ORDER:
        PAIR += " Swap them if p > q."
    KEY = {
        "Cantor's": "(p + q) · (p + q + 1) / 2 + q", "Szudzik's": "q² + p if p < q, otherwise p² + p + q",
        "triangular": "q · (q + 1) / 2 + p", "row-major": "16·p + q, as no number is above 15",
    }[PAIRING]  # fmt: skip
    PUT = "Write it to {keys}."
    if GIVEN:
        PUT = "`{counts}[b]` is the number of pairs with the key mod the length of {counts} equal to b."

    @c.kernel(n)
    def kernel(
        starts: wp.array[int] = input(n, low=0, high=15),
        stops: wp.array[int] = input(n, low=0, high=15),
        points: wp.array[wp.vec2] = input(n, low=0.0, high=4.0),
        ids: wp.array[int] = input(n, low=0, high=15),
        keys: wp.array[int] = output(n),
        counts: wp.array[int] = output(BUCKETS),
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
