"""Signals, the third part: filters that learn from their own error, and delays that move."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "ch": "ch channel c",
        "t": "t n sample",
        "k j": "k j | tap other | i m",
        "weights": "weights coefficients fir",
        "w": "w filter_now current",
        "kernels": "kernels filters weights",
        "x": "x reference signal",
        "d": "d desired target",
        "estimate": "estimate predicted y",
        "error": "error residual e",
        "mu": "mu step_size rate",
        "squares": "squares loss error_energy",
        "P inverse": "P inverse | covariance p",
        "gain direction": "gain direction | k_gain pu",
        "kernel": "adapt_filters adaptive_filter adapt_weights",
    },
)
def adaptive_filter(c):
    """Adapts the FIR filter of each channel {BY} so that it {TASK}{PAUSED}{TAIL}.

    Adapt the FIR filter of each channel, one in each row of {SIGNALS}, {BY}{AIM}. From the first sample t
    with a whole history on, that is from t = n - 1 with n taps, the output is Y = sum of W[k]·U[t - k] over
    the taps k, and the error is E = {WANTED} - Y. Here U is {HEARD}, and W are the {FILTER}.

    After each sample {CHANGE}.{PAUSES}{OUTPUT}{MEASURED}
    """
    channels, samples, taps = c.size(4, 6), c.size(14, 18), c.count(3, 4)
    BY = c.meaning(
        "by LMS",
        "by normalized LMS",
        "by sign-error LMS",
        "by leaky LMS",
        "by recursive least squares",
        "by block LMS",
    )
    SQUARES, BLOCK = BY == "by recursive least squares", BY == "by block LMS"
    NORMALIZED = BY == "by normalized LMS"
    TASK = c.meaning(
        "follows the desired signal", "predicts the next sample", "recovers what was sent some samples ago"
    )
    AHEAD, INVERSE = TASK == "predicts the next sample", TASK.startswith("recovers")
    if INVERSE:
        c.names({"x": "sent x source", "d": "received d observed"})
    elif AHEAD:
        c.names({"x": "x signal samples"})
    PAUSED = (
        ""
        if BLOCK
        else c.meaning("", ", pausing where the signal is quiet", ", pausing where the error is large")
    )
    QUIET, LARGE = PAUSED.endswith("quiet"), PAUSED.endswith("large")
    GIVES = c.meaning("", "its output", "the errors")
    MEASURE = c.meaning("", "the mean squared error", "the gain over no filter in dB")
    TAIL = (
        ", and gives " + " and ".join(said for said in (GIVES, MEASURE) if said) if GIVES or MEASURE else ""
    )
    POWER = NORMALIZED or QUIET
    LOUD = MEASURE.endswith("dB")
    SIGNALS = "{x}" if AHEAD else "{x} and {d}"
    AIM = {
        "follows the desired signal": "",
        "predicts the next sample": ", to predict the next sample (the last t is the last but one)",
        "recovers what was sent some samples ago": ", to recover the signal sent {delay} samples ago",
    }[TASK]
    WANTED = "`{x}[t + 1]`" if AHEAD else "`{x}[t - {delay}]`" if INVERSE else "`{d}[t]`"
    HEARD = "{d}" if INVERSE else "{x}"
    FILTER = "three weights of the channel in {kernels}" if SQUARES else "weights of the channel in {weights}"
    CHANGE = {
        "by LMS": "add {mu}·E·U[t - k] to each W[k]",
        "by normalized LMS": "add {mu}·E·U[t - k] / (Q + 0.01) to each W[k], where Q is the sum of U[t - k]² "
        "over the taps",
        "by sign-error LMS": "add {mu}·sign(E)·U[t - k] to each W[k], where sign(0) = 1",
        "by leaky LMS": "each W[k] becomes (1 - {leak})·W[k] + {mu}·E·U[t - k]",
        "by recursive least squares": "let u = (U[t], U[t - 1], U[t - 2]), Z = {P}·u and G = Z / "
        "({forgetting} + u·Z) for the matrix {P} of the channel; then W grows by E·G, and {P} becomes ({P} - "
        "G·Zᵀ) / {forgetting}",
        "by block LMS": "add E·U[t - k] to `{gradient}[k]` of the channel. If t + 1 is a multiple of "
        "{block}, then add {mu}·{gradient} / {block} to W and set {gradient} to zero",
    }[BY]
    PAUSES = ""
    if QUIET:
        PAUSES = " Do so only if the sum of U[t - k]² over the taps is above {floor}."
    elif LARGE:
        PAUSES = " Do so only if |E| < {limit}."
    OUTPUT = ""
    if GIVES:
        OUTPUT = " Store Y in {filtered}" if GIVES == "its output" else " Store E in {errors}"
        OUTPUT += ", which stays zero at other t."
    MEASURED = ""
    if LOUD:
        MEASURED = (
            " {improvement} is 10·log10 of the quotient of the sum of {WANTED}² and that of E², each plus "
            "1e-6, over all these t."
        )
    elif MEASURE:
        MEASURED = " {mse} is the mean of E² over all these t."

    @c.kernel(channels)
    def kernel(
        x: wp.array2d[float] = input(channels, samples, low=-1.0, high=1.0),
        d: wp.array2d[float] = input(channels, samples, low=-1.0, high=1.0),
        mu: float = input(low=0.05, high=0.3),
        leak: float = input(low=0.01, high=0.1),
        forgetting: float = input(low=0.9, high=0.99),
        floor: float = input(low=0.3, high=0.8),
        limit: float = input(low=0.3, high=0.9),
        delay: int = input(low=1, high=2),
        block: int = input(low=3, high=5),
        weights: wp.array2d[float] = inout(channels, taps, low=-0.5, high=0.5),
        kernels: wp.array[wp.vec3] = inout(channels, low=-0.5, high=0.5),
        P: wp.array[wp.mat33] = inout(channels, low=0.1, high=0.9, trait="positive definite"),
        gradient: wp.array2d[float] = inout(channels, taps, low=-0.2, high=0.2),
        filtered: wp.array2d[float] = output(channels, samples),
        errors: wp.array2d[float] = output(channels, samples),
        mse: wp.array[float] = output(channels),
        improvement: wp.array[float] = output(channels),
    ):
        ch = wp.tid()
        if SQUARES:
            w = kernels[ch]
            inverse = P[ch]
            taps = 3
        else:
            taps = weights.shape[1]
        if MEASURE:
            squares = float(0.0)
        if LOUD:
            plain = float(0.0)
        # the first sample with a whole history
        for t in range(taps - 1, x.shape[1] - 1 if AHEAD else x.shape[1]):
            if SQUARES:
                if INVERSE:
                    u = wp.vec3(d[ch, t], d[ch, t - 1], d[ch, t - 2])
                else:
                    u = wp.vec3(x[ch, t], x[ch, t - 1], x[ch, t - 2])
                estimate = wp.dot(w, u)
                if QUIET:
                    power = wp.length_sq(u)
            else:
                estimate = float(0.0)
                if POWER:
                    power = float(0.0)
                for k in range(taps):
                    if POWER:
                        v = d[ch, t - k] if INVERSE else x[ch, t - k]
                        power += v * v
                        estimate += weights[ch, k] * v
                    elif INVERSE:
                        estimate += weights[ch, k] * d[ch, t - k]
                    else:
                        estimate += weights[ch, k] * x[ch, t - k]
            if AHEAD:
                wanted = x[ch, t + 1]
            elif INVERSE:
                wanted = x[ch, t - delay]
            else:
                wanted = d[ch, t]
            error = wanted - estimate
            if SQUARES:
                if not PAUSED or (power > floor if QUIET else wp.abs(error) < limit):
                    direction = inverse * u
                    gain = direction / (forgetting + wp.dot(u, direction))
                    w += error * gain
                    inverse = (inverse - wp.outer(gain, direction)) / forgetting
            elif BLOCK:
                for k in range(taps):
                    slope = error * (d[ch, t - k] if INVERSE else x[ch, t - k])
                    gradient[ch, k] = gradient[ch, k] + slope
                # the weights move once for each block
                if (t + 1) % block == 0:
                    for k in range(taps):
                        weights[ch, k] += mu * gradient[ch, k] / float(block)
                        gradient[ch, k] = 0.0
            else:
                if NORMALIZED:
                    # silence has no power to divide by
                    step = mu * error / (power + 0.01)
                elif BY == "by sign-error LMS":
                    step = mu * wp.sign(error)
                else:
                    step = mu * error
                if not PAUSED or (power > floor if QUIET else wp.abs(error) < limit):
                    for k in range(taps):
                        if BY == "by leaky LMS":
                            kept = (1.0 - leak) * weights[ch, k]
                            weights[ch, k] = kept + step * (d[ch, t - k] if INVERSE else x[ch, t - k])
                        else:
                            weights[ch, k] += step * (d[ch, t - k] if INVERSE else x[ch, t - k])
            if GIVES == "its output":
                filtered[ch, t] = estimate
            elif GIVES:
                errors[ch, t] = error
            if MEASURE:
                squares += error * error
            if LOUD:
                plain += wanted * wanted
        if SQUARES:
            kernels[ch] = w
            P[ch] = inverse
        if LOUD:
            improvement[ch] = 10.0 * wp.log10((plain + 1.0e-6) / (squares + 1.0e-6))
        elif MEASURE:
            count = x.shape[1] - taps + 1
            mse[ch] = squares / float(count - 1 if AHEAD else count)


@idiom(
    level=5,
    names={
        "ch": "ch channel c",
        "t": "t n sample",
        "x": "x dry signal",
        "line": "line ring delay_line",
        "lag": "lag delay shift",
        "depth": "depth width excursion",
        "wet": "wet mix blend",
        "whole frac": "whole frac | i0 a | start weight",
        "echo": "echo delayed tap",
        "position": "position read_at",
        "kernel": "modulated_delay sweep_delay moving_delay",
    },
)
def modulated_delay(c):
    """Passes each channel through {KIND} whose delay is swept by a {WAVE}{READ}{DAMPED}{OUT}.

    Pass each channel of {x} through {KIND} whose delay moves. At sample t of N samples{CLOCK}, the delay is
    {MIDDLE} + {depth}·{OSCILLATION}. {READING}{DULLED}

    {OUTPUT}{LATER} Store it in {y}.{PEAKED}
    """
    channels, samples, longest = c.size(4, 6), c.size(14, 18), c.count(8, 10)
    KIND = c.meaning(
        "a flanger", "a flanger with feedback", "a vibrato", "a chorus of voices", "an allpass filter"
    )
    WAVE = c.meaning("sine", "triangle", "sine of each channel's own phase", "given curve")
    READ = c.meaning("", ", read by cubic interpolation", ", read at the nearest sample")
    CHORUS, ALLPASS, FED = (
        KIND == "a chorus of voices",
        KIND == "an allpass filter",
        KIND == "a flanger with feedback",
    )
    DAMPED = c.meaning("", ", with echoes dulled by a one-pole filter") if FED or KIND == "a flanger" else ""
    # what is only delayed begins in silence
    FADES = () if KIND == "a vibrato" else (", and fades in",)
    OUT = c.meaning("", ", and measures its peak", *FADES)
    KEPT, CURVE, OWN = FED or ALLPASS, WAVE == "given curve", WAVE.endswith("own phase")
    PAST = "A sample of the ring." if KEPT else "A sample of the past, silent before the first."
    BETWEEN = (
        "The sample nearest to a position." if READ.endswith("sample") else "The signal between two samples."
    )
    RATE = c.constant(0.05, 0.2)
    MIDDLE = c.constant(4.0, 4.5)
    c.names({"line": "line ring delay_line" if KEPT else "line samples track"})

    def sweep(t: int) -> float:
        """Where the oscillator is, from -1 to 1."""
        turn = RATE * float(t)
        if WAVE == "triangle":
            return 4.0 * wp.abs(wp.frac(turn) - 0.5) - 1.0
        else:
            return wp.sin(2.0 * wp.PI * turn)

    def sweep_from(t: int, phase: float) -> float:
        """Where the oscillator is, from -1 to 1, if it starts at a phase."""
        turn = RATE * float(t) + phase
        if WAVE == "triangle":
            return 4.0 * wp.abs(wp.frac(turn) - 0.5) - 1.0
        else:
            return wp.sin(2.0 * wp.PI * turn)

    def before(line: wp.array2d[float], ch: int, n: int) -> float:
        """{PAST}"""
        if KEPT:
            return line[ch, (n + line.shape[1]) % line.shape[1]]
        else:
            if n < 0:
                return 0.0
            return line[ch, n]

    def read(line: wp.array2d[float], ch: int, position: float) -> float:
        """{BETWEEN}"""
        if READ.endswith("nearest sample"):
            return before(line, ch, int(wp.round(position)))
        else:
            floor = wp.floor(position)
            whole = int(floor)
            frac = position - floor
            y0 = before(line, ch, whole)
            y1 = before(line, ch, whole + 1)
            if READ:
                p = before(line, ch, whole - 1)
                q = before(line, ch, whole + 2)
                slope = 0.5 * (y1 - p)
                bend = p - 2.5 * y0 + 2.0 * y1 - 0.5 * q
                rest = 0.5 * (q - p) + 1.5 * (y0 - y1)
                return ((rest * frac + bend) * frac + slope) * frac + y0
            else:
                return wp.lerp(y0, y1, frac)

    CLOCK = ", number n = {begin} + t since the ring was started" if KEPT else ""
    NUMBER = "n" if KEPT else "t"
    OSCILLATION = {
        "sine": "sin(2·π·{RATE}·{NUMBER})",
        "triangle": "(4·|frac({RATE}·{NUMBER}) - ½| - 1), a triangle",
        "sine of each channel's own phase": "sin(2·π·({RATE}·{NUMBER} + p)), with the channel's p in "
        "{phases}",
        "given curve": "`{curve}[t]`",
    }[WAVE]
    if CHORUS:
        OSCILLATION = {
            "sine": "sin(2·π·({RATE}·t + m/M)) for voice m of the M = {voices}",
            "triangle": "(4·|frac({RATE}·t + m/M) - ½| - 1) for voice m of the M = {voices}, a triangle",
            "sine of each channel's own phase": "sin(2·π·({RATE}·t + p + m/M)) for voice m of the M = "
            "{voices}, with the channel's p in {phases}",
            "given curve": "`{curve}[(t + ⌊m·N/M⌋) mod N]` for voice m of the M = {voices}",
        }[WAVE]
    WHERE = "the ring {line} at n less the delay; sample n has its place at n mod the ring's length"
    if not KEPT:
        WHERE = "{x} at t less the delay; it is silent before its first sample"
    HOW = {
        "": "linearly between two samples",
        ", read by cubic interpolation": "by a Catmull-Rom cubic through four samples",
        ", read at the nearest sample": "at the nearest sample, rounding halves away from 0",
    }[READ]
    READING = "Read the echo from {WHERE}. Read {HOW}."
    DULLED = ""
    if DAMPED:
        DULLED = (
            " Then dull it by a one-pole filter: its state, at first 0, moves by {dulling} of the way to the "
            "echo and is used in place of this."
        )
    OUTPUT = {
        "a flanger": "The output is the input plus {wet} times the echo.",
        "a flanger with feedback": "The output is the input plus {wet} times the echo. In the ring, sample n "
        "becomes the input plus {feedback} times the echo.",
        "a vibrato": "The output is the echo.",
        "a chorus of voices": "The output is lerp(the input, the mean echo of all voices, {wet}).",
        "an allpass filter": "In the ring, sample n becomes W = the input - {feedback}·echo, and the output "
        "is {feedback}·W + echo.",
    }[KIND]
    LATER = " Multiply the output by min(t / {fade}, 1), to fade in." if OUT == ", and fades in" else ""
    PEAKED = " {peaks} is the largest absolute value of an output." if OUT.endswith("peak") else ""

    @c.kernel(channels)
    def kernel(
        x: wp.array2d[float] = input(channels, samples, low=-1.0, high=1.0),
        phases: wp.array[float] = input(channels, low=0.0, high=1.0),
        curve: wp.array[float] = input(samples, low=-1.0, high=1.0),
        voices: int = input(low=2, high=3),
        depth: float = input(low=0.6, high=1.4),
        feedback: float = input(low=0.3, high=0.7),
        wet: float = input(low=0.2, high=0.8),
        dulling: float = input(low=0.2, high=0.7),
        fade: int = input(low=4, high=8),
        begin: int = input(low=0, high=40),
        line: wp.array2d[float] = inout(channels, longest, low=-1.0, high=1.0),
        y: wp.array2d[float] = output(channels, samples),
        peaks: wp.array[float] = output(channels),
    ):
        ch = wp.tid()
        if DAMPED:
            dull = float(0.0)
        if OUT == ", and measures its peak":
            peak = float(0.0)
        for t in range(x.shape[1]):
            if CHORUS:
                total = float(0.0)
                for voice in range(voices):
                    if CURVE:
                        lag = MIDDLE + depth * curve[(t + voice * x.shape[1] // voices) % x.shape[1]]
                    else:
                        share = float(voice) / float(voices)
                        if OWN:
                            lag = MIDDLE + depth * sweep_from(t, phases[ch] + share)
                        else:
                            lag = MIDDLE + depth * sweep_from(t, share)
                    total += read(x, ch, float(t) - lag)
                v = wp.lerp(x[ch, t], total / float(voices), wet)
            else:
                if KEPT and CURVE:
                    # the ring goes on from where the samples before these ended
                    now = begin + t
                elif KEPT:
                    # ring and oscillator go on from where the samples before these ended
                    now = begin + t
                if CURVE:
                    lag = MIDDLE + depth * curve[t]
                elif OWN:
                    lag = MIDDLE + depth * sweep_from(now if KEPT else t, phases[ch])
                else:
                    lag = MIDDLE + depth * sweep(now if KEPT else t)
                if KEPT:
                    echo = read(line, ch, float(now) - lag)
                else:
                    echo = read(x, ch, float(t) - lag)
                if DAMPED:
                    dull += dulling * (echo - dull)
                if ALLPASS:
                    w = x[ch, t] - feedback * echo
                    line[ch, now % line.shape[1]] = w
                    v = feedback * w + echo
                elif FED:
                    line[ch, now % line.shape[1]] = x[ch, t] + feedback * (dull if DAMPED else echo)
                    v = x[ch, t] + wet * (dull if DAMPED else echo)
                elif KIND == "a vibrato":
                    v = echo
                else:
                    v = x[ch, t] + wet * (dull if DAMPED else echo)
            if OUT == ", and fades in":
                v *= wp.min(float(t) / float(fade), 1.0)
            elif OUT:
                peak = wp.max(peak, wp.abs(v))
            y[ch, t] = v
        if OUT == ", and measures its peak":
            peaks[ch] = peak
