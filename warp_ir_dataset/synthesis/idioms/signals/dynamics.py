"""More on signals: loudness and sample rates."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "ch": "ch channel c",
        "t": "t n sample",
        "x": "x audio samples",
        "y": "y output compressed",
        "reduction": "reduction gain_reduction attenuation",
        "target": "target wanted_reduction static_reduction",
        "level": "level level_db input_db",
        "over": "over excess above",
        "bent": "bent past_knee",
        "rise fall": "rise fall | attack_coeff release_coeff | alpha_a alpha_r",
        "THRESHOLD": "THRESHOLD THRESHOLD_DB",
        "kernel": "dynamics dynamics_processor process_dynamics",
    },
)
def compress_dynamics(c):
    """Runs a {KNEE}{DETECTOR} {TYPE} with {AHEAD}{BALLISTICS} over each {WHAT}{KEYED}{MADE_UP} and
    {METER}.

    Run a {TYPE} over each {WHAT} of {x}. All smoothing is by one pole: a value moves from V to A·V + (1 -
    A)·(new one), where A = exp(-1000 / (time·{sample_rate})) for a time in milliseconds.

    The detector hears {HEARD}.{PASSED} Its level in dB is {MEASURED}. With F = {EXCESS}, the wanted reduction
    is R = {CURVE}{KNEED}.

    {SMOOTHED} The gain in dB is G = {GAIN}, and {y} is 10^(G/20) times {DELAYED}{METERED}
    """
    channels, samples, ahead = c.size(4, 6), c.size(16, 20), c.count(2, 4)
    AHEAD = c.meaning("lookahead, ", "")
    TYPE = c.meaning("compressor", "limiter", "downward expander")
    METER = c.meaning("meters the gain", "keeps the largest gain reduction")
    WHAT = c.meaning("channel", "linked stereo pair")
    BALLISTICS = c.meaning("attack and release", "decoupled attack and release")
    if TYPE == "downward expander":
        BALLISTICS = "attack and release"
    KNEE = c.meaning("soft-knee ", "hard-knee ")
    STEREO = WHAT != "channel"
    KEYED = "" if STEREO else c.meaning(" keyed by its high-passed signal", " keyed by a side chain", "")
    # no limiter waits for an average
    DETECTOR = "peak" if TYPE == "limiter" else c.meaning("peak", "RMS")
    RMS, DOWN, HIGH = DETECTOR == "RMS", TYPE == "downward expander", KEYED.endswith("high-passed signal")
    THRESHOLD = c.constant(-14.0, -10.0, step=0.5) if RMS else c.constant(-16.0, -10.0, step=0.5)
    RATIO, KNEE_WIDTH = c.constant(2.0, 8.0, step=0.5), c.constant(6.0, 12.0, step=0.5)
    MAKEUP = c.constant(1.0, 6.0, step=0.5)
    MAKES_UP = TYPE == "compressor"
    MADE_UP = ", adds make-up gain" if MAKES_UP else ""
    DECOUPLED = BALLISTICS.startswith("decoupled")
    Sample = c.vec(2) if STEREO else float
    if TYPE != "compressor":
        processed = "y output limited" if TYPE == "limiter" else "y output expanded"
        c.names({"kernel": "dynamics_processor process_dynamics", "y": processed})
    if DOWN:
        c.names({"over": "under shortfall below"})
    HEARD = "{key}" if KEYED.endswith("chain") else "both channels" if STEREO else "{x}"
    PASSED = ""
    if HIGH:
        PASSED = (
            " This is high-passed first: H becomes {corner}·(H + the sample - the one before), starting with "
            "0, and the first sample has itself before it."
        )
    SOUND = "H" if HIGH else "the sample"
    MEASURED = "20·log10(max(|{SOUND}|, 0.00001))"
    if STEREO:
        MEASURED = "20·log10(max(P, 0.00001)), P the larger absolute value of the two samples"
    if RMS:
        MEASURED = (
            "10·log10(max(Q, 1e-10)), where Q, kept in {squares}, is the square of {SOUND}, smoothed with "
            "{averaging_ms}"
        )
        if STEREO:
            MEASURED = (
                "10·log10(max(Q, 1e-10)), where Q, kept in {squares}, is the mean of both squared samples, "
                "smoothed with {averaging_ms}"
            )
    EXCESS = "{THRESHOLD} - level" if DOWN else "level - ({THRESHOLD})"
    CURVE = {
        "compressor": "(1 - 1 / {RATIO})·B",
        "limiter": "B",
        "downward expander": "({RATIO} - 1)·B",
    }[TYPE] + " with B = max(F, 0)"
    KNEED = ""
    if KNEE == "soft-knee ":
        KNEED = ", or B = (F + ½·{KNEE_WIDTH})² / (2·{KNEE_WIDTH}) if 2·|F| < {KNEE_WIDTH}, the soft knee"
    SMOOTHED = (
        "The reduction, kept in {reductions}, moves to R with the time {attack_ms} if R exceeds it, and "
        "otherwise with {release_ms}."
    )
    if DECOUPLED:
        SMOOTHED = (
            "First the released reduction, kept in {releases}, becomes the larger of R and of itself moved "
            "to R with the time {release_ms}. Then the reduction, kept in {reductions}, moves to the "
            "released one with the time {attack_ms}."
        )
    elif DOWN:
        SMOOTHED = (
            "The reduction, kept in {reductions}, moves to R with the time {attack_ms} if R is below it, and "
            "otherwise with {release_ms}."
        )
    GAIN = "{MAKEUP} - the reduction" if MAKES_UP else "minus the reduction"
    DELAYED = "{x}."
    if AHEAD:
        DELAYED = (
            "{x} delayed by D samples, the length of a row of {tail}: the first D samples come from {tail}, "
            "which gets the last D of {x} in the end."
        )
    METERED = " {gain_db} gets G of each sample."
    if METER.endswith("reduction"):
        METERED = " {largest} is the largest reduction."

    @c.kernel(channels)
    def kernel(
        x: wp.array2d[Sample] = input(channels, samples, low=-0.5, high=0.5),
        key: wp.array2d[float] = input(channels, samples, low=-0.5, high=0.5),
        attack_ms: float = input(low=0.1, high=0.4),
        release_ms: float = input(low=0.5, high=2.0),
        averaging_ms: float = input(low=0.1, high=0.4),
        sample_rate: float = input(low=8000.0, high=16000.0),
        corner: float = input(low=0.5, high=0.9),
        reductions: wp.array[float] = inout(channels, low=0.0, high=9.0),
        releases: wp.array[float] = inout(channels, low=0.0, high=9.0),
        squares: wp.array[float] = inout(channels, low=0.0, high=0.2),
        tail: wp.array2d[Sample] = inout(channels, ahead, low=-0.5, high=0.5),
        y: wp.array2d[Sample] = output(channels, samples),
        gain_db: wp.array2d[float] = output(channels, samples),
        largest: wp.array[float] = output(channels),
    ):
        ch = wp.tid()
        rise = wp.exp(-1000.0 / (attack_ms * sample_rate))
        fall = wp.exp(-1000.0 / (release_ms * sample_rate))
        reduction = reductions[ch]
        if RMS:
            average = wp.exp(-1000.0 / (averaging_ms * sample_rate))
            square = squares[ch]
        if DECOUPLED:
            released = releases[ch]
        if AHEAD:
            delay = tail.shape[1]
        if HIGH:
            high = float(0.0)
            before = x[ch, 0]
        if METER.endswith("reduction"):
            most = float(0.0)
        for t in range(x.shape[1]):
            u = key[ch, t] if KEYED.endswith("chain") else x[ch, t]
            if HIGH:
                # bass would pump the gain
                high = corner * (high + u - before)
                before = u
            if RMS:
                if STEREO:
                    square = average * square + 0.5 * (1.0 - average) * wp.dot(u, u)
                elif HIGH:
                    square = average * square + (1.0 - average) * high * high
                else:
                    square = average * square + (1.0 - average) * u * u
                level = 10.0 * wp.log10(wp.max(square, 1.0e-10))
            else:
                if STEREO:
                    peak = wp.max(wp.abs(u[0]), wp.abs(u[1]))
                else:
                    peak = wp.abs(high if HIGH else u)
                level = 20.0 * wp.log10(wp.max(peak, 1.0e-5))
            over = THRESHOLD - level if DOWN else level - THRESHOLD
            bent = wp.max(over, 0.0)
            if KNEE == "soft-knee ":
                if 2.0 * wp.abs(over) < KNEE_WIDTH:
                    # a parabola joins both straight parts
                    inside = over + 0.5 * KNEE_WIDTH
                    bent = 0.5 * inside * inside / KNEE_WIDTH
            if TYPE == "compressor":
                target = (1.0 - 1.0 / RATIO) * bent
            elif DOWN:
                target = (RATIO - 1.0) * bent
            else:
                target = bent
            if DECOUPLED:
                # the release has a state of its own, which the attack follows
                released = wp.max(target, fall * released + (1.0 - fall) * target)
                reduction = rise * reduction + (1.0 - rise) * released
            elif DOWN:
                # an expander opens with the attack, and closes with the release
                smooth = rise if target < reduction else fall
                reduction = smooth * reduction + (1.0 - smooth) * target
            elif target > reduction:
                reduction = rise * reduction + (1.0 - rise) * target
            else:
                reduction = fall * reduction + (1.0 - fall) * target
            gain = wp.pow(10.0, ((MAKEUP - reduction) if MAKES_UP else -reduction) / 20.0)
            if AHEAD:
                # the signal comes late, so that the gain is there before a peak
                if t < delay:
                    y[ch, t] = gain * tail[ch, t]
                else:
                    y[ch, t] = gain * x[ch, t - delay]
            else:
                y[ch, t] = gain * x[ch, t]
            if METER.endswith("gain"):
                gain_db[ch, t] = MAKEUP - reduction if MAKES_UP else -reduction
            else:
                most = wp.max(most, reduction)
        reductions[ch] = reduction
        if DECOUPLED:
            releases[ch] = released
        if RMS:
            squares[ch] = square
        if AHEAD:
            for k in range(delay):
                tail[ch, k] = x[ch, x.shape[1] - delay + k]
        if METER.endswith("reduction"):
            largest[ch] = most


@idiom(
    level=5,
    names={
        "ch": "ch channel c",
        "m": "m out_index j",
        "k": "k n source",
        "x": "x signal samples",
        "y": "y resampled output",
        "place": "place position centre",
        "cutoff": "cutoff bandwidth fc",
        "reach": "reach support half_width",
        "total": "total acc filtered",
        "norm": "norm weight_sum total_weight",
        "weight": "weight w tap",
        "kernel": "sinc_resample resample interpolate_bandlimited",
    },
)
def resample_channels(c):
    """Resamples each channel{SAMPLES} {RATE} with {FILTER}{NORM}, {EDGE}{INTO}.

    Resample each channel of {x} with {FILTER}. Output m lies at the place p = {PLACE}. It is the sum of the
    samples k times their weights{LISTED}.{DIVIDED} {WEIGHTS}

    {OUTSIDE} {STORED}
    """
    channels, count, outputs = c.size(3, 5), c.size(12, 16), c.size(10, 14)
    EDGE = c.meaning(
        "taking zeros beyond its ends",
        "holding its end samples",
        "mirroring it at its ends",
        "repeating it periodically",
        "normalized over the samples inside",
    )
    SAMPLES = c.meaning("", " of complex samples")
    INTO = (
        c.meaning(
            "", ", to 16-bit codes, counting clipped ones", ", to dithered 8-bit codes, counting clipped ones"
        )
        if SAMPLES == ""
        else c.meaning("", ", with the power of each")
    )
    FILTER = c.meaning(
        "a Kaiser-windowed sinc", "a polyphase filter bank", "a Lanczos filter", "a Blackman-windowed sinc"
    )
    RATE = c.meaning("to another rate", "at given places", "at a linearly growing step")
    BANK = FILTER == "a polyphase filter bank"
    # what lies inside is a part of the weights, whose sum is then needed
    NORM = "" if EDGE == "normalized over the samples inside" else c.meaning("", " of normalized weights")
    TAPS = c.count(3, 5)
    FULL = 127.0 if "8-bit" in INTO else 32767.0
    LOUD = 1.8 if "codes" in INTO else 1.0
    SQUARE = c.constant(9.0, 64.0, step=0.5)  # of the shape parameter
    COMPLEX, NORMED = SAMPLES != "", NORM != "" or EDGE == "normalized over the samples inside"
    Sample = c.vec(2) if COMPLEX else float

    def bessel_i0(square: float) -> float:
        """The modified Bessel function of order zero, by its power series in the square of the argument."""
        term = float(1.0)
        total = float(1.0)
        for k in range(1, 9):
            term *= 0.25 * square / float(k * k)
            total += term
        return total

    PLACE = {
        "to another rate": "{phase} + m·{rate_in} / {rate_out}",
        "at given places": "`{places}[m]`",
        "at a linearly growing step": "{phase} + m·{rate_in} / {rate_out} + ½·{sweep}·m²",
    }[RATE]
    LISTED = ", for all k with |p - k| ≤ {taps} / C"
    CUTOFF = {
        "to another rate": "min(1, {rate_out} / {rate_in})",
        "at given places": "{bandwidth}",
        "at a linearly growing step": "min(1, 1 / ({rate_in} / {rate_out} + {sweep}·m))",
    }[RATE]
    WINDOW = {
        "a Lanczos filter": "sinc(π·t)",
        "a Blackman-windowed sinc": "(0.42 + 0.5·cos(π·t) + 0.08·cos(2·π·t))",
        "a Kaiser-windowed sinc": "I({SQUARE}·(1 - t²)) / I({SQUARE}); I(q) is the sum of (0.25·q)^i / (i!)² "
        "for i = 0 … 8, the Bessel function I0 of √q",
    }.get(FILTER, "")
    WEIGHTS = (
        "With the cutoff C = {CUTOFF} and t = (p - k)·C / {taps}, the weight is C·sinc(π·C·(p - "
        "k))·{WINDOW}. Here sinc(q) = sin(q) / q, which is 1 for |q| below 0.0001."
    )
    if BANK:
        LISTED = ", for the k from ⌊p⌋ - n/2 + 1 on that the n columns of {bank} stand for, in order"
        WEIGHTS = (
            "With r rows, f = (p - ⌊p⌋)·(r - 1) and b = ⌊f⌋, but at most r - 2, the weights are "
            "lerp(`{bank}[b]`, `{bank}[b + 1]`, f - b)."
        )
    DIVIDED = " Divide it by the sum of the weights." if NORM else ""
    OUTSIDE = {
        "taking zeros beyond its ends": "Beyond its ends a channel is zero.",
        "holding its end samples": "Beyond its ends a channel holds its first and its last sample.",
        "mirroring it at its ends": "Beyond its ends a channel is mirrored at its end samples, which are not "
        "repeated.",
        "repeating it periodically": "Beyond its ends a channel is repeated periodically.",
        "normalized over the samples inside": "Take the samples inside the channel alone, and divide the sum "
        "by the sum of their weights, if this is larger than 0.0001 in absolute value.",
    }[EDGE]
    if EDGE == "taking zeros beyond its ends" and NORM:
        OUTSIDE = "Beyond its ends a channel is zero, but these zeros have weights too."
    STORED = "Store it in {y}."
    if COMPLEX and INTO:
        STORED = "Store it in {y}, and its squared length in {power}."
    elif "codes" in INTO:
        STORED = (
            "Store {FULL} times that{NOISE}, rounded to an integer, halves away from 0, in {codes}. One "
            "beyond ±{FULL} is clipped to it, and {clipped} counts these in each channel."
        )
    NOISE = ""
    if "dithered" in INTO:
        NOISE = (
            " plus a dither, the first less the second `randf` of a generator from `rand_init({seed}, "
            "channel·w + m)` for w columns in {codes}"
        )

    @c.kernel(channels, outputs)
    def kernel(
        x: wp.array2d[Sample] = input(channels, count, low=-LOUD, high=LOUD),
        places: wp.array[float] = input(outputs, low=-1.0, high=count),
        rate_in: float = input(low=8.0, high=12.0),
        rate_out: float = input(low=7.0, high=15.0),
        seed: int = input(low=1, high=1000),
        bandwidth: float = input(low=0.5, high=1.0),
        phase: float = input(low=0.0, high=1.0),
        sweep: float = input(low=0.005, high=0.03),
        bank: wp.array2d[float] = input(TAPS + 2, 2 * TAPS, low=-0.3, high=1.0),
        taps: int = input(low=TAPS, high=TAPS + 2),
        y: wp.array2d[Sample] = output(channels, outputs),
        power: wp.array2d[float] = output(channels, outputs),
        codes: wp.array2d[int] = output(channels, outputs),
        clipped: wp.array[int] = output(channels),
    ):
        ch, m = wp.tid()
        count = x.shape[1]
        if RATE == "at given places":
            place = places[m]
        else:
            ratio = rate_in / rate_out
            if RATE == "to another rate":
                place = phase + ratio * float(m)
            else:
                place = phase + ratio * float(m) + 0.5 * sweep * float(m * m)
        if BANK:
            middle = wp.floor(place)
            # the filter for this fraction of a sample lies between two of the bank
            fine = (place - middle) * float(bank.shape[0] - 1)
            branch = wp.clamp(int(fine), 0, bank.shape[0] - 2)
            blend = fine - float(branch)
            first = int(middle) - bank.shape[1] // 2 + 1
        else:
            if RATE == "at given places":
                cutoff = bandwidth
            else:
                # below the lower one of both Nyquist frequencies
                if RATE == "to another rate":
                    cutoff = wp.min(1.0, 1.0 / ratio)
                else:
                    cutoff = wp.min(1.0, 1.0 / (ratio + sweep * float(m)))
            reach = float(taps) / cutoff
            first = int(wp.ceil(place - reach))
            last = int(wp.floor(place + reach))
        total = Sample() if COMPLEX else float(0.0)
        if NORMED:
            norm = float(0.0)
        for j in range(bank.shape[1]) if BANK else range(first, last + 1):
            k = first + j if BANK else j
            if EDGE == "holding its end samples":
                source = wp.clamp(k, 0, count - 1)
            elif EDGE == "mirroring it at its ends":
                period = 2 * count - 2
                source = (k % period + period) % period
                if source >= count:
                    source = period - source
            elif EDGE == "repeating it periodically":
                source = (k % count + count) % count
            elif not NORMED or EDGE == "normalized over the samples inside":
                if k < 0 or k >= count:
                    continue
            if BANK:
                weight = wp.lerp(bank[branch, j], bank[branch + 1, j], blend)
            else:
                distance = place - float(k)
                t = distance / reach
                angle = wp.PI * cutoff * distance
                sinc = float(1.0)
                if wp.abs(angle) > 1.0e-4:
                    sinc = wp.sin(angle) / angle
                if FILTER == "a Blackman-windowed sinc":
                    window = 0.42 + 0.5 * wp.cos(wp.PI * t) + 0.08 * wp.cos(2.0 * wp.PI * t)
                elif FILTER == "a Lanczos filter":
                    window = float(1.0)
                    if wp.abs(t) > 1.0e-4:
                        window = wp.sin(wp.PI * t) / (wp.PI * t)
                else:
                    window = bessel_i0(SQUARE * (1.0 - t * t)) / bessel_i0(SQUARE)
                weight = cutoff * sinc * window
            if NORMED:
                norm += weight
            if EDGE == "taking zeros beyond its ends" and NORMED:
                # the zeros beyond the ends have weights too
                if k >= 0 and k < count:
                    total += weight * x[ch, k]
            elif EDGE == "taking zeros beyond its ends" or EDGE == "normalized over the samples inside":
                total += weight * x[ch, k]
            else:
                total += weight * x[ch, source]
        if EDGE == "normalized over the samples inside":
            if wp.abs(norm) > 1.0e-4:
                total /= norm
        elif NORMED:
            total /= norm
        if "codes" in INTO:
            if "dithered" in INTO:
                # triangular noise of up to one step either way
                rng = wp.rand_init(seed, ch * codes.shape[1] + m)
                dither = wp.randf(rng) - wp.randf(rng)
                code = wp.round(FULL * total + dither)
            else:
                code = wp.round(FULL * total)
            if wp.abs(code) > FULL:
                code = FULL * wp.sign(code)
                wp.atomic_add(clipped, ch, 1)
            codes[ch, m] = int(code)
        else:
            y[ch, m] = total
            if COMPLEX and INTO != "":
                power[ch, m] = wp.dot(total, total)
