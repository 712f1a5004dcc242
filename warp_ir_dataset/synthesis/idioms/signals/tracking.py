"""Signals tracked through noise."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "track": "track i target_index",
        "t": "t n step",
        "z": "z measurements observations",
        "pos vel": "pos vel | x v | level trend",
        "p00 p01 p11": "p00 p01 p11 | c_xx c_xv c_vv",
        "k0 k1": "k0 k1 | gain_x gain_v | kx kv",
        "innovation": "innovation residual surprise",
        "s": "s spread innovation_var",
        "estimates": "estimates filtered out",
        "kicked": "noise_vv added_vv",
        "kernel": "kalman_filter filter_tracks",
    },
)
def kalman_track(c):
    """Runs a Kalman filter for {MODEL} over each row
    of measurements{MEASURED}{TIMES}{START}{SKIPS}{LIKELY}.

    Track targets with a Kalman filter for {MODEL}. Each row of {z} holds the measured positions of one
    target, {CLOCK}. {BEGIN}

    For each measurement{FROM}, predict first: {PREDICTION} {USED} With Y = M - X and S = {P00} + R, where R =
    {measurement_noise}, {JUDGED} {CORRECTION}{SECOND} In any case {estimates} gets X{SPREADS}.

    {FINAL}{LIKELIHOODS}
    """
    tracks, count = c.size(4, 6), c.size(8, 12)
    MODEL = c.meaning(
        "nearly constant velocity",
        "a random walk",
        "piecewise constant acceleration",
        "an Ornstein-Uhlenbeck velocity",
    )
    WALK = MODEL == "a random walk"
    START = "" if WALK else c.meaning("", ", started from the first two")
    MEASURED = "" if WALK or START else c.meaning("", " of position and velocity")
    TIMES = c.meaning("", " at uneven times")
    MISSING = c.meaning("", "missing ones")
    GATED = "" if MEASURED else c.meaning("", "outliers")
    LIKELY = c.meaning("", ", and sums its log-likelihood", ", and keeps the variances")
    LIKELIHOOD, VARIANCES = LIKELY.endswith("likelihood"), LIKELY.endswith("variances")
    OU = MODEL == "an Ornstein-Uhlenbeck velocity"
    SKIPS = " and ".join(said for said in (MISSING, GATED) if said)
    SKIPS = f", skipping {SKIPS}" if SKIPS else ""
    if GATED:
        SKIPS = f"{SKIPS}, which it counts"
    Q = "{process_noise}"
    CLOCK = "one every H = {dt}"
    if TIMES:
        CLOCK = "taken at {times}"
        if not START:
            CLOCK += " from the second one on (the first is the time of the state)"
        CLOCK += "; H is the time from one to the next"
    P00 = "P" if WALK else "p00"
    BEGIN = (
        "The state is the position X and the velocity V, from {state}, with the covariance P = ((p00, p01), "
    )
    BEGIN += "(p01, p11)) from {covariance}."
    if WALK:
        BEGIN = "The state is the position X, from {level}, with the variance P, from {variance}."
    elif START:
        BEGIN = (
            "The state is the position X and the velocity V, with the covariance P = ((p00, p01), (p01, "
            "p11)). The first two measurements M0 and M1, always valid, start it: X = M1, V = (M1 - M0) / D, "
            "p00 = R, p01 = R / D and p11 = 2·R / D², where D = {FIRST_STEP}. For them {estimates} holds M0 "
            "and M1{R_FIRST}."
        )
    FIRST_STEP = "max(H, 0.05)" if TIMES else "H"
    R_FIRST = ", and {variances} holds R" if VARIANCES else ""
    FROM = " after these" if START else ""
    PREDICTION = {
        "a random walk": "P grows by {Q}·H.",
        "nearly constant velocity": "X grows by H·V, and P becomes F·P·Fᵀ + Q with F = ((1, H), (0, 1)) and "
        "Q = {Q}·((H³/3, H²/2), (H²/2, H)).",
        "piecewise constant acceleration": "X grows by H·V, and P becomes F·P·Fᵀ + Q with F = ((1, H), (0, "
        "1)) and Q = {Q}·((H⁴/4, H³/2), (H³/2, H²)).",
        "an Ornstein-Uhlenbeck velocity": "with T = {relaxation}, A = exp(-H / T) and B = T·(1 - A), X grows "
        "by B·V, V is multiplied by A, and P becomes F·P·Fᵀ + Q with F = ((1, B), (0, A)), Q11 = ½·{Q}·T·(1 "
        "- A²), Q01 = ½·{Q}·B² and Q00 = T²·({Q}·(H - 2·B) + Q11).",
    }[MODEL]
    USED = "Then use the measurement M."
    if MISSING:
        USED = (
            "Then use the measurement M if {valid} is 1 for it; otherwise it is missing, and the prediction "
            "stands."
        )
    JUDGED = "correct the state:"
    if GATED:
        JUDGED = (
            "it is an outlier unless Y² < {gate}²·S: an outlier changes nothing, but {rejected} counts it. "
            "Otherwise correct the state:"
        )
    CORRECTION = "(X, V) grows by K·Y with the gain K = (p00, p01) / S, and P becomes (I - K·(1, 0))·P."
    if WALK:
        CORRECTION = "with the gain K = P / S, X grows by K·Y, and P is multiplied by 1 - K."
    SECOND = ""
    if MEASURED:
        SECOND = (
            " After that, use the measured velocity in {velocities} in the same way: now Y is that less V, S "
            "= p11 + {velocity_noise}, K = (p01, p11) / S, and P becomes (I - K·(0, 1))·P."
        )
    SPREADS = ", and {variances} gets {P00}" if VARIANCES else ""
    FINAL = "In the end X and V replace {state}, and P replaces {covariance}."
    if WALK:
        FINAL = "In the end X replaces {level}, and P replaces {variance}."
    elif START:
        FINAL = "In the end {final_state} gets X and V, and {final_covariance} gets P."
    LIKELIHOODS = ""
    if LIKELIHOOD:
        LIKELIHOODS = (
            " {log_likelihood} is the sum of -½·(Y² / S + ln(2·π·S)) over all corrections, with Y and S "
            "before them."
        )

    @c.kernel(tracks)
    def kernel(
        z: wp.array2d[float] = input(tracks, count, low=-2.0, high=2.0),
        velocities: wp.array2d[float] = input(tracks, count, low=-1.0, high=1.0),
        valid: wp.array2d[int] = input(tracks, count, low=0, high=1),
        times: wp.array[float] = input(count if START else count + 1, low=0.0, high=6.0, trait="sorted"),
        dt: float = input(low=0.1, high=0.6),
        process_noise: float = input(low=0.1, high=1.0),
        measurement_noise: float = input(low=0.1, high=0.8),
        velocity_noise: float = input(low=0.1, high=0.8),
        relaxation: float = input(low=0.8, high=3.0),
        gate: float = input(low=1.0, high=2.0),
        level: wp.array[float] = inout(tracks, low=-0.8, high=0.8),
        variance: wp.array[float] = inout(tracks, low=0.2, high=1.0),
        state: wp.array2d[float] = inout(tracks, 2, low=-0.8, high=0.8),
        covariance: wp.array[wp.mat22] = inout(tracks, low=0.1, high=0.9, trait="positive definite"),
        estimates: wp.array2d[float] = output(tracks, count),
        variances: wp.array2d[float] = output(tracks, count),
        final_state: wp.array2d[float] = output(tracks, 2),
        final_covariance: wp.array[wp.mat22] = output(tracks),
        log_likelihood: wp.array[float] = output(tracks),
        rejected: wp.array[int] = output(tracks),
    ):
        track = wp.tid()
        if WALK:
            pos = level[track]
            p00 = variance[track]
        elif START:
            # the first two measurements must be there
            first = z[track, 0]
            pos = z[track, 1]
            if TIMES:
                # two measurements at one time would tell no velocity
                gap = wp.max(times[1] - times[0], 0.05)
            else:
                gap = dt
            vel = (pos - first) / gap
            p00 = measurement_noise
            p01 = measurement_noise / gap
            p11 = 2.0 * measurement_noise / (gap * gap)
            estimates[track, 0] = first
            estimates[track, 1] = pos
            if VARIANCES:
                variances[track, 0] = measurement_noise
                variances[track, 1] = measurement_noise
        else:
            pos = state[track, 0]
            vel = state[track, 1]
            P = covariance[track]
            p00 = P[0, 0]
            p01 = P[0, 1]
            p11 = P[1, 1]
        if LIKELIHOOD:
            total = float(0.0)
        if GATED:
            outliers = int(0)
        if OU and not TIMES:
            decay = wp.exp(-dt / relaxation)
            lag = relaxation * (1.0 - decay)
        for t in range(2, z.shape[1]) if START else range(z.shape[1]):
            if TIMES and START:
                step = times[t] - times[t - 1]
            elif TIMES:
                # the state is that of the time before the first measurement
                step = times[t + 1] - times[t]
            if WALK:
                p00 += process_noise * (step if TIMES else dt)
            elif OU:
                if TIMES:
                    decay = wp.exp(-step / relaxation)
                    lag = relaxation * (1.0 - decay)
                # predict: the velocity relaxes toward zero
                pos += lag * vel
                vel *= decay
                p00 += lag * (2.0 * p01 + lag * p11)
                p01 = decay * (p01 + lag * p11)
                p11 *= decay * decay
                kicked = 0.5 * process_noise * relaxation * (1.0 - decay * decay)
                p00 += (
                    relaxation * relaxation * (process_noise * ((step if TIMES else dt) - 2.0 * lag) + kicked)
                )
                p01 += 0.5 * process_noise * lag * lag
                p11 += kicked
            else:
                h = step if TIMES else dt
                # predict
                pos += h * vel
                p00 += h * (2.0 * p01 + h * p11)
                p01 += h * p11
                if MODEL == "nearly constant velocity":
                    p00 += process_noise * h * h * h / 3.0
                    p01 += process_noise * h * h / 2.0
                    p11 += process_noise * h
                else:
                    p00 += process_noise * h * h * h * h / 4.0
                    p01 += process_noise * h * h * h / 2.0
                    p11 += process_noise * h * h
            if not MISSING or valid[track, t] == 1:
                innovation = z[track, t] - pos
                s = p00 + measurement_noise
                if not GATED or innovation * innovation < gate * gate * s:
                    # correct
                    k0 = p00 / s
                    pos += k0 * innovation
                    if not WALK:
                        k1 = p01 / s
                        vel += k1 * innovation
                        p11 -= k1 * p01
                        p01 *= 1.0 - k0
                    p00 *= 1.0 - k0
                    if LIKELIHOOD:
                        total -= 0.5 * (innovation * innovation / s + wp.log(2.0 * wp.PI * s))
                    if MEASURED:
                        surprise = velocities[track, t] - vel
                        spread = p11 + velocity_noise
                        g0 = p01 / spread
                        g1 = p11 / spread
                        pos += g0 * surprise
                        vel += g1 * surprise
                        p00 -= g0 * p01
                        p01 *= 1.0 - g1
                        p11 *= 1.0 - g1
                        if LIKELIHOOD:
                            total -= 0.5 * (surprise * surprise / spread + wp.log(2.0 * wp.PI * spread))
                else:
                    outliers += 1
            estimates[track, t] = pos
            if VARIANCES:
                variances[track, t] = p00
        if WALK:
            level[track] = pos
            variance[track] = p00
        elif START:
            final_state[track, 0] = pos
            final_state[track, 1] = vel
            final_covariance[track] = wp.mat22(p00, p01, p01, p11)
        else:
            state[track, 0] = pos
            state[track, 1] = vel
            covariance[track] = wp.mat22(p00, p01, p01, p11)
        if LIKELIHOOD:
            log_likelihood[track] = total
        if GATED:
            rejected[track] = outliers
