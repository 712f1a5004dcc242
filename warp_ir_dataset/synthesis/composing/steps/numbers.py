"""Step templates for one number of each thread: calibration, running statistics, filters, alarms, weights.

They occur only in kernels of several parts, and never as a row of their own.
"""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

X = {"x": "x readings samples", "out": "out output results"}


@idiom(level=2, names=X | {"raw": "raw r reading", "v": "v corrected calibrated"})
def calibrated_reading(c):
    """Corrects each of {x} for {ERRORS}{CURVE}{RANGE}.

    Calibrate {x} and store the corrected reading in {out}: {CORRECTED}.{BENT}{CUT}
    """
    n = c.size(5, 14)
    ERRORS = c.meaning("its offset and a common gain", "its offset and gain", "its offset and drift with age")
    CURVE = c.meaning("", ", adds a square term", ", takes out a dead band", ", compresses large values")
    RANGE = c.meaning("", " and clamps it to its range", " and saturates it softly at its range")
    if CURVE and RANGE == "":
        CURVE = f" and{CURVE[1:]}"
    GAIN, DRIFT = c.constant(0.8, 1.3), c.constant(0.05, 0.3)
    BAND, BEND = c.constant(0.05, 0.2), c.constant(0.05, 0.3)
    CORRECTED = {
        "its offset and a common gain": "subtract its offset in {offsets} and multiply by the gain {GAIN}",
        "its offset and gain": "subtract its offset in {offsets} and multiply by its gain in {gains}",
        "its offset and drift with age": (
            "subtract its offset in {offsets} and divide by 1 + {DRIFT}·{age}, as it drifts with age"
        ),
    }[ERRORS]
    BENT = ""
    if "square" in CURVE:
        BENT = " Then add {BEND} times its square."
    elif "band" in CURVE:
        BENT = " Then take out a dead band: bring it {BAND} closer to 0, or to 0 if it is no farther away."
    elif "large" in CURVE:
        BENT = " Then compress large values: divide by 1 + {BEND} times its absolute value."
    CUT = ""
    if RANGE:
        CUT = " Finally, clamp it to [-{limit}, {limit}]."
    if "softly" in RANGE:
        CUT = " Finally, saturate it softly: it becomes {limit}·tanh(reading / {limit})."

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-2.0, high=4.0, of="value"),
        offsets: wp.array[float] = input(n, low=-0.2, high=0.2),
        gains: wp.array[float] = input(n, low=0.8, high=1.2),
        age: wp.array[float] = input(n, low=0.1, high=1.0),
        limit: float = input(low=1.5, high=3.0),
        out: wp.array[float] = output(n, of="value"),
    ):
        i = wp.tid()
        raw = x[i] - offsets[i]
        if ERRORS == "its offset and a common gain":
            v = GAIN * raw
        elif ERRORS == "its offset and gain":
            v = gains[i] * raw
        else:
            # it reads too much as it gets older
            v = raw / (1.0 + DRIFT * age[i])
        if "square" in CURVE:
            v += BEND * v * v
        elif "band" in CURVE:
            size = wp.max(wp.abs(v) - BAND, 0.0)
            v = wp.sign(v) * size
        elif "large" in CURVE:
            v = v / (1.0 + BEND * wp.abs(v))
        if "clamps" in RANGE:
            v = wp.clamp(v, -limit, limit)
        elif "softly" in RANGE:
            v = limit * wp.tanh(v / limit)
        out[i] = v


@idiom(
    level=2,
    names=X | {"delta": "delta deviation", "mean": "mean means running_mean", "count": "count counts n_seen"},
)
def running_statistics(c):
    """Updates the running mean and {SPREAD} of each of {x} with {AVERAGE} and gives {WANTED}{CUT}.

    Update the running mean {mean} and {OTHER} {spread} with the new value {x}, in place{SEEN}. With its
    difference d from the mean before, the mean grows by {SHARE}·d, and the {OTHER} becomes {WIDER}.

    Store in {out} {GIVEN}.
    """
    n = c.size(5, 14)
    SPREAD = c.meaning("variance", "mean deviation")
    WANTED = c.meaning("its standard score", "its difference from the mean", "a bound two deviations above")
    if WANTED == "its standard score" and SPREAD != "variance":
        WANTED = "how many deviations it is out"
    AVERAGE = c.meaning("equal weights", "fading weights")
    SCORE = WANTED in ("its standard score", "how many deviations it is out")
    CUT = c.meaning("", ", clamped") if SCORE else ""
    FADE, CUTOFF = c.constant(0.05, 0.3), c.constant(1.2, 3.0)
    c.once("difference to what is expected", WANTED != "a bound two deviations above")
    OTHER = "variance" if SPREAD == "variance" else "mean absolute deviation"
    SEEN = ", with equal weights: the share w of the new value is 1 / {count} after adding 1 to {count}"
    SHARE = "w"
    if AVERAGE != "equal weights":
        SEEN = ", by exponential averages"
        SHARE = "{FADE}"
    WIDER = (
        "(1 - {SHARE})·({spread} + {SHARE}·d²)"
        if SPREAD == "variance"
        else "{spread} + {SHARE}·(|d| - {spread})"
    )
    DEVIATION = "the square root of the new variance" if SPREAD == "variance" else "the new deviation"
    GIVEN = {
        "its difference from the mean": "the difference {x} - {mean} from the new mean",
        "a bound two deviations above": "the new mean plus 2 times {DEVIATION}",
    }.get(
        WANTED, "the score d / ({DEVIATION} + 0.001){CLAMPED}, still with the difference from the mean before"
    )
    CLAMPED = ", clamped to [-{CUTOFF}, {CUTOFF}]" if CUT else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-2.0, high=4.0, of="value"),
        count: wp.array[int] = inout(n, low=2, high=9),
        mean: wp.array[float] = inout(n, low=-1.0, high=2.0),
        spread: wp.array[float] = inout(n, low=0.3, high=2.0),
        out: wp.array[float] = output(n, of="value"),
    ):
        i = wp.tid()
        delta = x[i] - mean[i]
        if AVERAGE == "equal weights":
            count[i] = count[i] + 1
            share = 1.0 / float(count[i])
        else:
            share = FADE
        # both follow the difference from the mean before
        middle = mean[i] + share * delta
        if SPREAD == "variance":
            wide = (1.0 - share) * (spread[i] + share * delta * delta)
        else:
            wide = spread[i] + share * (wp.abs(delta) - spread[i])
        mean[i] = middle
        spread[i] = wide
        if SCORE:
            z = delta / (wp.sqrt(wide) + 0.001) if SPREAD == "variance" else delta / (wide + 0.001)
            if CUT != "":
                z = wp.clamp(z, -CUTOFF, CUTOFF)
            out[i] = z
        elif WANTED == "its difference from the mean":
            out[i] = x[i] - middle
        else:
            out[i] = middle + 2.0 * (wp.sqrt(wide) if SPREAD == "variance" else wide)


@idiom(level=2, names=X | {"state": "state states on", "v": "v reading"})
def alarm_with_hysteresis(c):
    """Sets the state of each of {x}{SIDE}: on above one level, off below another{HOLD}{COUNT}.

    Update the alarm {state}, 1 for on and 0 for off, from the level {LEVEL} with hysteresis: an alarm that is
    off goes on above {UPPER}, one that is on goes off below {LOWER}, and otherwise it stays.{KEPT}{NOTED}
    """
    n = c.size(5, 14)
    HOLD = c.meaning("", ", each kept for some steps")
    COUNT = c.meaning("", ", counting changes", ", adding up what is above the lower one")
    SIDE = c.meaning(" by its size", "")
    UPPER, LOWER = c.constant(0.8, 1.4), c.constant(0.3, 0.7)
    LEVEL = "|{x}|" if SIDE else "{x}"
    KEPT = ""
    if HOLD:
        KEPT = (
            " While {held} is above 0, it stays whatever the level is. {held} becomes 3 when the alarm"
            " changes, and otherwise falls by 1, but not below 0."
        )
    NOTED = {
        "": "",
        ", counting changes": " Add the number of all alarms that change to {changes}.",
        ", adding up what is above the lower one": (
            " Add to {total}, for all alarms that are on after this, how far the level is above"
            " {LOWER}{NEVER}."
        ),
    }[COUNT]
    NEVER = ", or 0 if it is below" if HOLD else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-1.0, high=2.0, of="value"),
        state: wp.array[int] = inout(n, low=0, high=1),
        held: wp.array[int] = inout(n, low=0, high=4),
        changes: wp.array[int] = inout(1, low=0, high=9),
        total: wp.array[float] = inout(1, low=0.0, high=1.0),
    ):
        i = wp.tid()
        v = wp.abs(x[i]) if SIDE != "" else x[i]
        before = state[i]
        after = before
        if before == 0 and v > UPPER:
            after = 1
        elif before == 1 and v < LOWER:
            after = 0
        if HOLD != "":
            if after != before and held[i] > 0:
                after = before
            held[i] = wp.max(held[i] - 1, 0) if after == before else 3
        state[i] = after
        if COUNT == ", counting changes" and after != before:
            wp.atomic_add(changes, 0, 1)
        elif COUNT == ", adding up what is above the lower one" and after == 1:
            if HOLD != "":
                # an alarm that is kept may be below
                wp.atomic_add(total, 0, wp.max(v - LOWER, 0.0))
            else:
                wp.atomic_add(total, 0, v - LOWER)


@idiom(level=2, names=X | {"trend": "trend slope rate", "level": "level smooth estimate"})
def trend_smoothing(c):
    """Smooths {x} by {METHOD}{BOUND} and gives {WANTED}.

    Smooth {x} by {NAMED} and update {level} and {trend} in place. With the drift D = {FORMER}, the value
    {level} + D is expected, and the surprise is {x} less that{CUT}. The new level is the expected value plus
    {ALPHA} times the surprise, and the new trend is D plus {BETA} times {GROWN}.

    Store in {out} {GIVEN}.
    """
    n = c.size(5, 14)
    METHOD = c.meaning("a level and a trend", "a level with a damped trend", "an alpha-beta filter")
    BOUND = c.meaning("", ", large jumps cut down,")
    WANTED = c.meaning("the next value expected", "the value that was expected", "what it smooths away")
    ALPHA, BETA, DAMP = c.constant(0.2, 0.8), c.constant(0.05, 0.4), c.constant(0.6, 0.95)
    JUMP = c.constant(0.5, 1.5)
    c.once("difference to what is expected", WANTED == "what it smooths away")
    NAMED = {
        "a level and a trend": "Holt's double exponential smoothing",
        "a level with a damped trend": "Holt's method with a damped trend",
        "an alpha-beta filter": "an alpha-beta filter",
    }[METHOD]
    FORMER = "{DAMP}·{trend}" if METHOD == "a level with a damped trend" else "{trend}"
    CUT = ", clamped to [-{JUMP}, {JUMP}]" if BOUND else ""
    GROWN = "the surprise"
    if METHOD != "an alpha-beta filter":
        GROWN = "(the rise of the level in this step - D)"
    GIVEN = {
        "the next value expected": "the next value expected, the new level plus the new trend",
        "the value that was expected": "the value that was expected",
        "what it smooths away": "the part smoothed away, {x} less the new level",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-2.0, high=4.0, of="value"),
        level: wp.array[float] = inout(n, low=-1.0, high=2.0),
        trend: wp.array[float] = inout(n, low=-0.5, high=0.5),
        out: wp.array[float] = output(n, of="value"),
    ):
        i = wp.tid()
        drift = DAMP * trend[i] if METHOD == "a level with a damped trend" else trend[i]
        expected = level[i] + drift
        surprise = x[i] - expected
        if BOUND != "":
            surprise = wp.clamp(surprise, -JUMP, JUMP)
        smooth = expected + ALPHA * surprise
        if METHOD == "an alpha-beta filter":
            drift += BETA * surprise
        else:
            drift += BETA * (smooth - level[i] - drift)
        level[i] = smooth
        trend[i] = drift
        if WANTED == "the next value expected":
            out[i] = smooth + drift
        elif WANTED == "the value that was expected":
            out[i] = expected
        else:
            out[i] = x[i] - smooth


@idiom(level=3, names=X | {"history": "history window past", "newest": "newest latest"})
def windowed_reading(c):
    """Puts each of {x} into its window of {WIDTH} and gives the {WANTED} of the window.

    Push {x} into its window of {WIDTH} values, its row of {history}, in place: all values move one place to
    the front, the first drops out, and {x} is the last. Store in {out} {GIVEN}.
    """
    n, WIDTH = c.size(5, 14), c.count(4, 7)
    WANTED = c.meaning(
        "mean",
        "range",
        "linearly weighted mean",
        "root mean square",
        "mean absolute change",
        "excess over the mean",
    )
    GIVEN = {
        "mean": "the mean of the new window",
        "range": "the largest less the smallest value of the new window",
        "linearly weighted mean": (
            "the mean of the new window, weighted 1, 2, 3 and so on from the oldest to the newest"
        ),
        "root mean square": "the root mean square of the new window",
        "mean absolute change": "the mean absolute change from one value to the next in the new window",
        "excess over the mean": "the excess of {x} over the mean of the new window",
    }[WANTED]

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-2.0, high=4.0, of="value"),
        history: wp.array2d[float] = inout(n, WIDTH, low=-1.0, high=3.0),
        out: wp.array[float] = output(n, of="value"),
    ):
        i = wp.tid()
        newest = x[i]
        for k in range(WIDTH - 1):
            history[i, k] = history[i, k + 1]
        history[i, WIDTH - 1] = newest
        if WANTED == "range":
            low = float(newest)
            high = float(newest)
            for k in range(WIDTH - 1):
                low = wp.min(low, history[i, k])
                high = wp.max(high, history[i, k])
            out[i] = high - low
        elif WANTED == "mean absolute change":
            way = float(0.0)
            for k in range(WIDTH - 1):
                way += wp.abs(history[i, k + 1] - history[i, k])
            out[i] = way / float(WIDTH - 1)
        else:
            total = float(0.0)
            for k in range(WIDTH):
                if WANTED == "linearly weighted mean":
                    total += float(k + 1) * history[i, k]
                elif WANTED == "root mean square":
                    total += history[i, k] * history[i, k]
                else:
                    total += history[i, k]
            if WANTED == "root mean square":
                out[i] = wp.sqrt(total / float(WIDTH))
            elif WANTED == "linearly weighted mean":
                # the weights are 1, 2, 3 and so on up to the newest
                out[i] = 2.0 * total / float(WIDTH * (WIDTH + 1))
            elif WANTED == "mean":
                out[i] = total / float(WIDTH)
            else:
                out[i] = newest - total / float(WIDTH)


@idiom(level=2, names=X | {"r": "r residual off", "w": "w weight trust"})
def robust_weighting(c):
    """Weights each of {x} by {FORM} of its distance from its {CENTRE} and adds it to {SUMS}.

    Weight {x} robustly by its distance from its {MIDDLE}: with u, the size of that over {WIDTH}, {NAMED}. Add
    weight times {x} to `{sums}[0]`, and {SECOND} to `{sums}[1]`.
    """
    n = c.size(5, 14)
    FORM = c.meaning("the Huber weight", "the Tukey weight", "the Cauchy weight", "a Gaussian")
    CENTRE = c.meaning("expected value", "group's centre")
    SUMS = c.meaning("a sum, and its weight to another", "a sum and a sum of squares")
    WIDTH = c.constant(0.6, 2.0)
    c.once("difference to what is expected")
    MIDDLE = "expected value {expected}"
    if CENTRE == "group's centre":
        MIDDLE = "group's centre, the entry of {centres} for its {group}"
    NAMED = {
        "the Huber weight": "the Huber weight is 1 / max(u, 1)",
        "the Tukey weight": "the Tukey weight is (1 - u²)² if u < 1, otherwise 0",
        "the Cauchy weight": "the Cauchy weight is 1 / (1 + u²)",
        "a Gaussian": "the weight is the Gaussian exp(-½·u²)",
    }[FORM]
    SECOND = "the weight" if SUMS == "a sum, and its weight to another" else "weight times the square of {x}"

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-2.0, high=4.0, of="value"),
        expected: wp.array[float] = input(n, low=-1.0, high=2.0),
        group: wp.array[int] = input(n, low=0, high=2),
        centres: wp.array[float] = input(3, low=-1.0, high=2.0),
        sums: wp.array[float] = inout(2, low=0.5, high=1.0),
    ):
        i = wp.tid()
        v = x[i]
        r = v - expected[i] if CENTRE == "expected value" else v - centres[group[i]]
        u = wp.abs(r) / WIDTH
        if FORM == "the Huber weight":
            w = 1.0 / wp.max(u, 1.0)
        elif FORM == "the Tukey weight":
            w = (1.0 - u * u) * (1.0 - u * u) if u < 1.0 else 0.0
        elif FORM == "the Cauchy weight":
            w = 1.0 / (1.0 + u * u)
        else:
            w = wp.exp(-0.5 * u * u)
        wp.atomic_add(sums, 0, w * v)
        if SUMS == "a sum, and its weight to another":
            wp.atomic_add(sums, 1, w)
        else:
            wp.atomic_add(sums, 1, w * v * v)
