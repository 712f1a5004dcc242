"""Keys of pairs."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


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
