"""Entries some places away."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    names={
        "x": "x values field",
        "source": "source origin taken_from",
        "shifts": "shifts offsets lags",
        "count": "count length size",
        "out": "out moved rolled",
        "i": "i tid k",
        "kernel": "shift_field gather_shifted",
    },
)
def shifted_copy(c):
    """The entry {SHIFT} ahead of each, {SAID}{TAKEN}.

    {PURPOSE}. For each k, take the entry of {x} {AHEAD}. {OUTSIDE} {PUT}
    """
    n = c.size(8, 12)
    SHIFT = c.meaning("a given shift", "its own shift", "half the length")
    EDGE = c.meaning("periodic", "held at the ends", "mirrored at the ends", "zero outside")
    TAKEN = c.meaning("", ", subtracted from readings in place", ", times its weight")
    SAID = EDGE.replace("ends", "end") if SHIFT == "half the length" else EDGE
    if EDGE != "periodic":
        c.names({"out": "out moved shifted"})
    if "subtracted" in TAKEN:
        c.names({"out": "readings measured residual", "kernel": "subtract_shifted lagged_differences"})
    PURPOSE = "Subtract shifted entries from readings" if "subtracted" in TAKEN else "Shift a field"
    AHEAD = {
        "a given shift": "at k + {shift}", "its own shift": "at k + `{shifts}[k]`",
        "half the length": "half the length ahead of k, half an odd length being rounded down",
    }[SHIFT]  # fmt: skip
    ENDS = "Past the end" if SHIFT == "half the length" else "Beyond the ends"
    OUTSIDE = {
        "periodic": "{x} is periodic.",
        "held at the ends": "{ENDS}, take the entry at the {SIDE}.",
        "mirrored at the ends": "{ENDS}, {x} is mirrored about its {LAST_ENTRY}, which is not repeated.",
        "zero outside": "{ENDS}, take 0.",
    }[EDGE]
    SIDE = "end" if SHIFT == "half the length" else "nearest end"
    LAST_ENTRY = "last entry" if SHIFT == "half the length" else "first or last entry"
    PUT = {
        "": "Write it to {out}.", ", times its weight": "Write it, times `{weights}[k]`, to {out}.",
        ", subtracted from readings in place": "Subtract it from `{out}[k]`.",
    }[TAKEN]  # fmt: skip

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-1.0, high=3.0),
        shift: int = input(low=-3, high=3),
        shifts: wp.array[int] = input(n, low=-3, high=3),
        weights: wp.array[float] = input(n, low=0.3, high=1.5),
        out: wp.array[float] = inout(n, low=0.0, high=2.0)
        if TAKEN == ", subtracted from readings in place"
        else output(n),
    ):
        i = wp.tid()
        count = x.shape[0]
        if SHIFT == "a given shift":
            source = i + shift
        elif SHIFT == "its own shift":
            source = i + shifts[i]
        else:
            source = i + count // 2
        if SHIFT == "half the length":
            if EDGE == "periodic":
                value = x[source % count]
            elif EDGE == "held at the ends":
                value = x[wp.min(source, count - 1)]
            elif EDGE == "mirrored at the ends":
                value = x[count - 1 - wp.abs(count - 1 - source)]
            else:
                value = float(0.0)
                if source < count:
                    value = x[source]
        else:
            if EDGE == "periodic":
                # a remainder has the sign of what is divided
                value = x[(source + count) % count]
            elif EDGE == "held at the ends":
                value = x[wp.clamp(source, 0, count - 1)]
            elif EDGE == "mirrored at the ends":
                value = x[count - 1 - wp.abs(count - 1 - wp.abs(source))]
            else:
                value = float(0.0)
                if source >= 0 and source < count:
                    value = x[source]
        if TAKEN == ", subtracted from readings in place":
            out[i] -= value
        elif TAKEN == ", times its weight":
            out[i] = weights[i] * value
        else:
            out[i] = value
