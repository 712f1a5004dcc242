"""Signals: filters of samples in time, with the state that they keep."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "ch": "ch channel c",
        "t": "t n sample",
        "s": "s section stage",
        "sos": "sos sections coefficients",
        "signal": "signal x audio samples",
        "y": "y filtered output",
        "freq": "freq frequencies cutoffs",
        "q": "q quality q_factors",
        "state": "state memory delays",
        "u v": "u v | x0 y0 | value filtered_value",
        "cosine": "cosine cos_w0 cw",
        "w0": "w0 omega w",
        "z1 z2": "z1 z2 | d1 d2 | s1 s2",
        "kernel": "biquad_filter filter_channels run_biquads",
    },
)
def biquad_cascade(c):
    """Filters each channel{PLACE} through a cascade of {KIND}biquads in {FORM}{AFTER}.

    Filter each channel through a cascade of {KIND}biquads, each of which filters the output of the one
    before. With U its input, a section has the output Y[t] = b0·U[t] + b1·U[t - 1] + b2·U[t - 2] - a1·Y[t -
    1] - a2·Y[t - 2]. {COEFFICIENTS}

    {KEPT}

    {INPUT}{MIXED}{LOUD_ONES}{TARGET}{MEASURED}
    """
    channels, sections, samples = c.size(4, 6), c.count(2, 3), c.size(10, 14)
    KIND = c.meaning("", "low-pass ", "high-pass ", "band-pass ", "notch ", "peaking ")
    FORM = c.meaning("direct form I", "direct form II", "transposed direct form II")
    MODE = (
        c.meaning("", "mixes it with the dry signal")
        if KIND == ""
        else c.meaning("", ", forward and backward,")
    )
    CLIP = c.meaning("", "clips it to full scale, counts the clipped samples", "saturates it softly")
    LEVELS = ("", "measures its RMS level", "measures its peak level")
    # the peak of what is clipped is full scale
    LEVEL = c.meaning(*(LEVELS[:2] if CLIP else LEVELS))
    BOTH = MODE.endswith("backward,")
    AFTER = "".join(f", {said}" for said in (MODE if KIND == "" else "", CLIP, LEVEL) if said)
    AFTER = " and".join(AFTER.rsplit(",", 1))
    PLACE = "" if KIND == "" else f" in place{MODE}"
    TURNS = (False, True) if BOTH else (False,)
    LOUD = 5.0 if CLIP and KIND in ("", "band-pass ") else 2.0
    RATE = c.style(8000.0, 16000.0, 44100.0, 48000.0)
    ONE, RMS, SOFTLY = FORM == "direct form I", LEVEL.endswith("RMS level"), "saturates it softly"
    COEFFICIENTS = "Row s of {sos} holds b0, b1, b2, a1 and a2 of section s."
    DESIGN = {
        "low-pass ": "b = (½·(1 - c), 1 - c, ½·(1 - c))",
        "high-pass ": "b = (½·(1 + c), -(1 + c), ½·(1 + c))",
        "band-pass ": "b = (α, 0, -α)",
        "notch ": "b = (1, -2·c, 1)",
        "peaking ": "b = (1 + α·A, -2·c, 1 - α·A)",
    }.get(KIND, "")
    POLES = "(1 + α, -2·c, 1 - α)"
    if KIND == "peaking ":
        POLES = "(1 + α / A, -2·c, 1 - α / A), where A = 10^({gain_db} / 40)"
    if KIND != "":
        COEFFICIENTS = (
            "With ω = 2·π·{freq} / {sample_rate}, c = cos(ω) and α = sin(ω) / (2·{q}) of the section, "
            "{DESIGN} and a = {POLES}, all divided by the first of the a."
        )
    STATES = {
        "direct form I": "U[t - 1], U[t - 2], Y[t - 1] and Y[t - 2]",
        "direct form II": "W[t - 1] and W[t - 2] of direct form II, where W[t] = U[t] - a1·W[t - 1] - a2·W[t "
        "- 2] and Y[t] = b0·W[t] + b1·W[t - 1] + b2·W[t - 2]",
        "transposed direct form II": "Z1 and Z2 of the transposed direct form II, where Y[t] = b0·U[t] + Z1, "
        "and then Z1 becomes b1·U[t] - a1·Y[t] + Z2 and Z2 becomes b2·U[t] - a2·Y[t]",
    }[FORM]
    KEPT = "`{state}[channel, section]` keeps, from call to call, {STATES}."
    if BOTH:
        KEPT = (
            "Each section runs forward over the whole channel, then backward over the result, both times "
            "from rest (zeros before the first sample), in {FORM}."
        )
    INPUT, TARGET = "The channels are the rows of {signal}.", " The result replaces them."
    if KIND == "":
        INPUT, TARGET = "The channels are the rows of {x}.", " Store the result in {y}."
    MIXED = (
        " The result is lerp(the input, the output of the last section, {wet})." if MODE and not KIND else ""
    )
    LOUD_ONES = ""
    if CLIP == SOFTLY:
        LOUD_ONES = " In the end each sample V becomes tanh(V)."
    elif CLIP:
        LOUD_ONES = " In the end clip the samples to [-1, 1], and count those beyond in {clipped}."
    MEASURED = ""
    if LEVEL:
        MEASURED = " {level} is the root of the mean square of the results."
        if not RMS:
            MEASURED = " {level} is the largest absolute value of a result."

    @c.kernel(channels)
    def kernel(
        sos: wp.array2d[float] = input(sections, 5, low=-0.48, high=0.48),
        x: wp.array2d[float] = input(channels, samples, low=-LOUD, high=LOUD),
        freq: wp.array[float] = input(sections, low=0.03 * RATE, high=0.3 * RATE),
        q: wp.array[float] = input(sections, low=0.6, high=2.0),
        gain_db: wp.array[float] = input(sections, low=-9.0, high=9.0),
        wet: float = input(low=0.3, high=0.8),
        sample_rate: float = input(low=0.95 * RATE, high=1.05 * RATE),
        signal: wp.array2d[float] = inout(channels, samples, low=-LOUD, high=LOUD),
        state: wp.array3d[float] = inout(channels, sections, 4 if ONE else 2, low=-0.5, high=0.5),
        y: wp.array2d[float] = output(channels, samples),
        level: wp.array[float] = output(channels),
        clipped: wp.array[int] = output(channels),
    ):
        ch = wp.tid()
        if RMS:
            power = float(0.0)
        elif LEVEL:
            peak = float(0.0)
        if CLIP and CLIP != SOFTLY:
            count = int(0)
        if KIND == "":
            for t in range(x.shape[1]):
                u = x[ch, t]
                for s in range(sos.shape[0]):
                    b0 = sos[s, 0]
                    b1 = sos[s, 1]
                    b2 = sos[s, 2]
                    a1 = sos[s, 3]
                    a2 = sos[s, 4]
                    if ONE:
                        x1 = state[ch, s, 0]
                        x2 = state[ch, s, 1]
                        y1 = state[ch, s, 2]
                        y2 = state[ch, s, 3]
                        v = b0 * u + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
                        state[ch, s, 0] = u
                        state[ch, s, 1] = x1
                        state[ch, s, 2] = v
                        state[ch, s, 3] = y1
                    else:
                        z1 = state[ch, s, 0]
                        z2 = state[ch, s, 1]
                        if FORM == "direct form II":
                            w = u - a1 * z1 - a2 * z2
                            v = b0 * w + b1 * z1 + b2 * z2
                            state[ch, s, 0] = w
                            state[ch, s, 1] = z1
                        else:
                            v = b0 * u + z1
                            state[ch, s, 0] = b1 * u - a1 * v + z2
                            state[ch, s, 1] = b2 * u - a2 * v
                    # what one section gives, the next one takes
                    u = v
                if MODE:
                    u = wp.lerp(x[ch, t], u, wet)
                if CLIP == SOFTLY:
                    u = wp.tanh(u)
                elif CLIP:
                    if wp.abs(u) > 1.0:
                        count += 1
                        u = wp.sign(u)
                if RMS:
                    power += u * u
                elif LEVEL:
                    peak = wp.max(peak, wp.abs(u))
                y[ch, t] = u
        else:
            for s in range(freq.shape[0]):
                w0 = 2.0 * wp.PI * freq[s] / sample_rate
                cosine = wp.cos(w0)
                alpha = wp.sin(w0) / (2.0 * q[s])
                if KIND == "peaking ":
                    amplitude = wp.pow(10.0, gain_db[s] / 40.0)
                    a0 = 1.0 + alpha / amplitude
                    b0 = (1.0 + alpha * amplitude) / a0
                    b1 = -2.0 * cosine / a0
                    b2 = (1.0 - alpha * amplitude) / a0
                    a2 = (1.0 - alpha / amplitude) / a0
                else:
                    a0 = 1.0 + alpha
                    if KIND == "low-pass ":
                        b0 = 0.5 * (1.0 - cosine) / a0
                        b1 = (1.0 - cosine) / a0
                        b2 = b0
                    elif KIND == "high-pass ":
                        b0 = 0.5 * (1.0 + cosine) / a0
                        b1 = -(1.0 + cosine) / a0
                        b2 = b0
                    elif KIND == "band-pass ":
                        # 0 dB at the centre
                        b0 = alpha / a0
                        b2 = -alpha / a0
                    else:
                        b0 = 1.0 / a0
                        b1 = -2.0 * cosine / a0
                        b2 = 1.0 / a0
                    a2 = (1.0 - alpha) / a0
                a1 = -2.0 * cosine / a0
                for back in TURNS:
                    if BOTH:
                        # each way from rest
                        if ONE:
                            x1 = float(0.0)
                            x2 = float(0.0)
                            y1 = float(0.0)
                            y2 = float(0.0)
                        else:
                            z1 = float(0.0)
                            z2 = float(0.0)
                    elif ONE:
                        x1 = state[ch, s, 0]
                        x2 = state[ch, s, 1]
                        y1 = state[ch, s, 2]
                        y2 = state[ch, s, 3]
                    else:
                        z1 = state[ch, s, 0]
                        z2 = state[ch, s, 1]
                    for k in range(signal.shape[1]):
                        t = signal.shape[1] - 1 - k if back else k
                        u = signal[ch, t]
                        if ONE:
                            if KIND == "band-pass ":
                                v = b0 * u + b2 * x2 - a1 * y1 - a2 * y2
                            else:
                                v = b0 * u + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
                            x2 = x1
                            x1 = u
                            y2 = y1
                            y1 = v
                        elif FORM == "direct form II":
                            w = u - a1 * z1 - a2 * z2
                            v = b0 * w + b2 * z2 if KIND == "band-pass " else b0 * w + b1 * z1 + b2 * z2
                            z2 = z1
                            z1 = w
                        else:
                            v = b0 * u + z1
                            z1 = z2 - a1 * v if KIND == "band-pass " else b1 * u - a1 * v + z2
                            z2 = b2 * u - a2 * v
                        signal[ch, t] = v
                if not BOTH:
                    if ONE:
                        state[ch, s, 0] = x1
                        state[ch, s, 1] = x2
                        state[ch, s, 2] = y1
                        state[ch, s, 3] = y2
                    else:
                        state[ch, s, 0] = z1
                        state[ch, s, 1] = z2
            if CLIP or LEVEL:
                for t in range(signal.shape[1]):
                    u = signal[ch, t]
                    if CLIP == SOFTLY:
                        u = wp.tanh(u)
                        signal[ch, t] = u
                    elif CLIP:
                        if wp.abs(u) > 1.0:
                            count += 1
                            u = wp.sign(u)
                            signal[ch, t] = u
                    if RMS:
                        power += u * u
                    elif LEVEL:
                        peak = wp.max(peak, wp.abs(u))
        if RMS:
            level[ch] = wp.sqrt(power / float(signal.shape[1] if KIND else x.shape[1]))
        elif LEVEL:
            level[ch] = peak
        if CLIP and CLIP != SOFTLY:
            clipped[ch] = count


@idiom(
    level=5,
    differentiable=False,
    names={
        "frame": "frame f i",
        "signal": "signal x samples",
        "tones": "tones frequencies freqs",
        "begin": "begin start offset",
        "best": "best strongest peak_power",
        "found": "found detected tone_index",
        "s0 s1 s2": "s0 s1 s2 | v v1 v2",
        "k": "k tone m",
        "t": "t n j",
        "coeff": "coeff turn two_cos",
        "energy": "energy total_energy",
        "kernel": "detect_tones goertzel goertzel_frames",
    },
)
def goertzel_tones(c):
    """Runs the Goertzel algorithm over {WINDOW}frames{CENTRED} and finds {WANTED}{MEASURE}.

    Look for {tones} in frames of {signal} by the Goertzel algorithm. Frame f starts at sample f·{hop} and has
    L samples V{MEANLESS}{TAPERED}; L is {LENGTH}. A tone of frequency F has the power P = |sum of
    V[t]·exp(-i·ω·t)|², where ω = 2·π·F / {sample_rate}.

    {RESULT}
    """
    frames, tone_count = c.size(6, 8), c.count(4, 6)
    longest, farthest = c.count(16, 24), c.count(6, 9)
    WINDOW = c.meaning("", "Hann-windowed ", "Hamming-windowed ", "Blackman-windowed ", "windowed ")
    CENTRED = c.meaning("", " without their mean")
    WANTED = c.meaning("the strongest tone", "the DTMF key", "the amplitude of each tone")
    if WANTED == "the strongest tone":
        MEASURE = c.meaning(" with its share of the energy", " with its amplitude", " with its level in dB")
    elif WANTED == "the DTMF key":
        MEASURE = c.meaning("", " with its twist in dB", " with its share of the energy")
    else:
        MEASURE = c.meaning("", " with its phase at the last sample")
    KEY, EACH = WANTED == "the DTMF key", WANTED == "the amplitude of each tone"
    SHARE = c.constant(0.25, 0.45) if KEY else c.constant(0.1, 0.3)
    TWIST = c.constant(4.0, 9.0)
    WINDOWED, TABLE = WINDOW != "", WINDOW == "windowed "
    PHASE, OF_ENERGY, DECIBELS = (MEASURE.endswith(word) for word in ("last sample", "energy", "level in dB"))
    told = (
        "shares energy_share"
        if OF_ENERGY
        else "twists twist_db"
        if KEY
        else "levels_db levels"
        if DECIBELS
        else ""
    )
    c.names({"measure": told or "amplitudes strengths"})
    if not EACH:
        MEASURE = f"{MEASURE}, or -1 where the frame holds none"
    count = 8 if KEY else tone_count
    n = (frames - 1) * farthest + longest

    def taper(t: int, length: int) -> float:
        """The window at one sample of a frame."""
        turn = 2.0 * wp.PI * float(t) / float(length)
        if WINDOW == "Hann-windowed ":
            return 0.5 - 0.5 * wp.cos(turn)
        elif WINDOW == "Hamming-windowed ":
            return 0.54 - 0.46 * wp.cos(turn)
        else:
            return 0.42 - 0.5 * wp.cos(turn) + 0.08 * wp.cos(2.0 * turn)

    LENGTH = "the number of entries of {window}" if TABLE else "{frame_length}"
    MEANLESS = ", less their mean" if CENTRED else ""
    SHAPES = {
        "": "",
        "Hann-windowed ": "0.5 - 0.5·cos(2·π·t / L)",
        "Hamming-windowed ": "0.54 - 0.46·cos(2·π·t / L)",
        "Blackman-windowed ": "0.42 - 0.5·cos(2·π·t / L) + 0.08·cos(4·π·t / L)",
        "windowed ": "`{window}[t]`",
    }[WINDOW]
    TAPERED = ", each multiplied by its weight in the window, {SHAPES}" if WINDOWED else ""
    SIZE = "2·√P / L"
    if WINDOWED:
        SIZE = "2·√P divided by the sum of the weights"
    FRACTION = "2·P / (L·E), where E is 1e-9 plus the sum of V²"
    if WINDOWED:
        FRACTION = (
            "2·P·(sum of squared weights) / (G²·E), where G is the sum of the weights, and E is 1e-9 plus "
            "the sum of V²"
        )
    if KEY:
        FRACTION = FRACTION.replace("2·P", "2·(A + B)", 1)
    REPORT = ""
    if EACH:
        RESULT = "Store the amplitude of each tone, {SIZE}, in {amplitudes}.{TURNED}"
    elif KEY:
        RESULT = (
            "The first half of {tones} belongs to the rows of a telephone keypad, the second half to its "
            "columns. Find the tone of the largest power in each half, A for the row and B for the "
            "column; both powers count as at least 1e-9, and the first of equals wins. The twist is "
            "10·log10(B / A) dB, the share of the energy is {FRACTION}. {found} is row·(number of columns) + "
            "column if the share is above {SHARE} and |twist| < {TWIST}, and -1 otherwise.{REPORT}"
        )
        REPORT = " Store the twist in {measure}." if "twist" in MEASURE else REPORT
    else:
        RESULT = (
            "{found} is the first tone with the largest power P if its share of the energy, {FRACTION}, is "
            "above {SHARE}, and -1 otherwise.{REPORT}"
        )
        REPORT = " {measure} is its amplitude, {SIZE}, in either case."
        if DECIBELS:
            REPORT = (
                " {measure} is its level 20·log10(max(A, 1e-6)) with the amplitude A = {SIZE}, in either "
                "case."
            )
    if OF_ENERGY:
        REPORT = " Store the share in {measure}, in either case."
    TURNED = ""
    if PHASE:
        TURNED = (
            " {phases} is the phase at the last sample: that of the sum of V[t]·exp(i·ω·(L - 1 - t)), by "
            "atan2."
        )

    @c.kernel(frames)
    def kernel(
        signal: wp.array[float] = input(n, low=-1.0, high=1.0),
        tones: wp.array[float] = input(count, low=500.0, high=3500.0),
        window: wp.array[float] = input(longest, low=0.1, high=1.0),
        sample_rate: float = input(low=7900.0, high=8100.0),
        hop: int = input(low=farthest - 3, high=farthest),
        frame_length: int = input(low=longest - 4, high=longest),
        found: wp.array[int] = output(frames),
        measure: wp.array[float] = output(frames),
        amplitudes: wp.array2d[float] = output(frames, count),
        phases: wp.array2d[float] = output(frames, count),
    ):
        frame = wp.tid()
        begin = frame * hop
        length = window.shape[0] if TABLE else frame_length
        if CENTRED:
            mean = float(0.0)
            for t in range(length):
                mean += signal[begin + t]
            mean /= float(length)
        if WINDOWED:
            gain = float(0.0)
        if not EACH:
            # a little, so that silence does not divide by zero
            energy = float(1.0e-9)
            if WINDOWED:
                squares = float(0.0)
        if WINDOWED or not EACH:
            for t in range(length):
                if WINDOWED:
                    w = window[t] if TABLE else taper(t, length)
                    gain += w
                    if not EACH:
                        squares += w * w
                        x = w * (signal[begin + t] - mean) if CENTRED else w * signal[begin + t]
                else:
                    x = signal[begin + t] - mean if CENTRED else signal[begin + t]
                if not EACH:
                    energy += x * x
        if KEY:
            half = tones.shape[0] // 2
            low_power = float(1.0e-9)
            high_power = float(1.0e-9)
            row = int(0)
            column = int(0)
        elif not EACH:
            best = float(0.0)
            tone = int(0)
        for k in range(tones.shape[0]):
            omega = 2.0 * wp.PI * tones[k] / sample_rate
            coeff = 2.0 * wp.cos(omega)
            s1 = float(0.0)
            s2 = float(0.0)
            for t in range(length):
                x = signal[begin + t] - mean if CENTRED else signal[begin + t]
                if TABLE:
                    x *= window[t]
                elif WINDOWED:
                    x *= taper(t, length)
                s0 = x + coeff * s1 - s2
                s2 = s1
                s1 = s0
            # |X|^2 at this frequency
            power = s1 * s1 + s2 * s2 - coeff * s1 * s2
            if EACH:
                amplitudes[frame, k] = 2.0 * wp.sqrt(power) / (gain if WINDOWED else float(length))
                if PHASE:
                    real = s1 - s2 * wp.cos(omega)
                    imag = s2 * wp.sin(omega)
                    phases[frame, k] = wp.atan2(imag, real)
            elif KEY:
                if k < half:
                    if power > low_power:
                        low_power = power
                        row = k
                elif power > high_power:
                    high_power = power
                    column = k - half
            elif power > best:
                best = power
                tone = k
        if not EACH:
            total = low_power + high_power if KEY else best
            if WINDOWED:
                share = 2.0 * total * squares / (gain * gain * energy)
            else:
                share = 2.0 * total / (float(length) * energy)
            if KEY:
                twist = 10.0 * wp.log10(high_power / low_power)
                if share > SHARE and wp.abs(twist) < TWIST:
                    found[frame] = row * half + column
                else:
                    found[frame] = -1
                if "twist" in MEASURE:
                    measure[frame] = twist
            else:
                # most of a frame of noise is not in one tone
                found[frame] = tone if share > SHARE else -1
                if DECIBELS:
                    amplitude = 2.0 * wp.sqrt(best) / (gain if WINDOWED else float(length))
                    measure[frame] = 20.0 * wp.log10(wp.max(amplitude, 1.0e-6))
                elif not OF_ENERGY:
                    measure[frame] = 2.0 * wp.sqrt(best) / (gain if WINDOWED else float(length))
            if OF_ENERGY:
                measure[frame] = share
