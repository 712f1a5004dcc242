"""Keys that are looked for among sorted ones."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


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
    """One step of {PROBE} for each query in {TABLE}, which {GIVEN}.

    Do one step of {PROBE} for each query. Query q looks for `{queries}[q]` between the places L = `{lows}[q]`
    and H = `{highs}[q]` of {KEYS}. It probes the place {FORMULA}.

    {OUTCOME}
    """
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
    KEYS = "the rising {table}, whose entry k is T(k)"
    if OWN:
        KEYS = "its own rising row of {tables}, whose entry k is T(k)"
    elif TURNED:
        KEYS = "the rising {table} read from its end, so that T(0) is its last entry and T falls"
    SHARE = "(`{queries}[q]` - T(L)) / max(T(H) - T(L), 1e-6)"
    if TURNED:
        SHARE = "(T(L) - `{queries}[q]`) / max(T(L) - T(H), 1e-6)"
    FORMULA = {
        "bisection": "P = ⌊(L + H) / 2⌋",
        "interpolation search": "P = ⌊L + S·(H - L)⌋, where S is {SHARE} clamped to [0, 1]",
        "geometric bisection": "P = ⌊√((L + 1)·(H + 1))⌋ - 1",
        "weighted bisection": "P = ⌊L + {NEAR}·(H - L)⌋",
    }[PROBE]
    OUTCOME = (
        "If T(P) {BELOW} `{queries}[q]`, P becomes the new L, in place, otherwise the new H; equal entries "
        "move H.{WIDTH}"
    )
    BELOW = ">" if TURNED else "<"
    WIDTH = " Store the new H - L in {widths}." if GIVEN.endswith("width") else ""
    if not MOVED:
        OUTCOME = "Store P in {probes} and the miss, `{queries}[q]` - T(P), in {misses}."

    @c.kernel(n)
    def kernel(
        table: wp.array[float] = input(count, low=0.5, high=6.0, trait="sorted"),
        tables: wp.array2d[float] = input(n, count, low=0.5, high=6.0, trait="sorted"),
        queries: wp.array[float] = input(n, low=1.0, high=5.5),
        lows: wp.array[int] = (
            inout(n, low=0, high=count // 2 - 1) if MOVED else input(n, low=0, high=count // 2 - 1)
        ),
        highs: wp.array[int] = (
            inout(n, low=count // 2 + 1, high=count - 1)
            if MOVED
            else input(n, low=count // 2 + 1, high=count - 1)
        ),
        widths: wp.array[int] = output(n),
        misses: wp.array[float] = output(n),
        probes: wp.array[int] = output(n),
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
