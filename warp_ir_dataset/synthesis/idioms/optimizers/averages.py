"""Weights between steps: averages, slow copies, shrinkage."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    differentiable=False,
    names={
        "fast": "fast weights params",
        "slow": "slow anchor slow_weights",
        "gap": "gap delta drift",
        "speed": "speed momentum_buffer velocity",
        "moved": "moved new_slow updated",
        "i": "i tid idx",
        "kernel": "sync_slow_weights lookahead pull_together",
    },
)
def lookahead_weights(c):
    """Moves slow weights {WAY} the fast ones{PULL}{BACK}{MEASURE}.

    Move the slow weights {slow} {WAY} the fast ones {fast}, as Lookahead does. With the gap fast -
    slow{NOTED}, the part is {PART}; {MOVE}.{SHRUNK}{FAST_THEN}
    """
    n = c.size()
    WAY = c.meaning("a share of the way to", "with momentum towards", "by a limited step towards")
    PULL = c.meaning("", ", each by its own share", ", then shrinks the slow ones")
    BACK = c.meaning(", and resets the fast ones", "", ", and pulls the fast ones part of the way back")
    MEASURE = c.meaning("", ", and stores the former gap")
    LIMITED = WAY.startswith("by a limited")
    SHARE, MOMENTUM = c.constant(0.4, 0.8) if LIMITED else c.constant(0.2, 0.8), c.constant(0.4, 0.9)
    MOST = c.constant(0.2, 0.5)
    DECAY, TIE = c.constant(0.02, 0.2), c.constant(0.1, 0.5)
    Value = c.style(float, float, c.vec(3)) if not LIMITED else float
    NOTED = ", which is written to {gaps}" if MEASURE else ""
    PART = "{shares} times the gap" if "own share" in PULL else "{SHARE} times the gap"
    MOVE = "the slow weight grows by the part"
    if WAY == "with momentum towards":
        MOVE = "{speed} becomes {MOMENTUM} times itself plus the part, and the slow weight grows by that"
    elif LIMITED:
        MOVE = "the slow weight grows by the part, clamped to [-{MOST}, {MOST}]"
    SHRUNK = " Then the slow weight is multiplied by 1 - {DECAY}." if "shrinks" in PULL else ""
    FAST_THEN = ""
    if "resets" in BACK:
        FAST_THEN = " The fast weight becomes the new slow one."
    elif BACK:
        FAST_THEN = " The fast weight moves by {TIE} of the way to the new slow one."

    @c.kernel(n)
    def kernel(
        shares: wp.array[float] = input(n, low=0.1, high=0.9),
        fast: wp.array[Value] = (input if BACK == "" else inout)(n, low=-1.5, high=1.5),
        slow: wp.array[Value] = inout(n, low=-1.5, high=1.5),
        speed: wp.array[Value] = inout(n, low=-0.5, high=0.5),
        gaps: wp.array[Value] = output(n),
    ):
        i = wp.tid()
        gap = fast[i] - slow[i]
        if MEASURE != "":
            gaps[i] = gap
        part = shares[i] * gap if PULL == ", each by its own share" else SHARE * gap
        if WAY == "with momentum towards":
            speed[i] = MOMENTUM * speed[i] + part
            moved = slow[i] + speed[i]
        elif LIMITED:
            moved = slow[i] + wp.clamp(part, -MOST, MOST)
        else:
            moved = slow[i] + part
        if PULL == ", then shrinks the slow ones":
            moved *= 1.0 - DECAY
        slow[i] = moved
        if BACK == ", and resets the fast ones":
            fast[i] = moved
        elif BACK == ", and pulls the fast ones part of the way back":
            # the two may stay apart, but not drift
            fast[i] = fast[i] + TIE * (moved - fast[i])


@idiom(
    level=2,
    differentiable=False,
    names={
        "w": "w weights params",
        "grads": "grads gradients dw",
        "v": "v moved trial",
        "size": "size magnitude",
        "fresh": "fresh shrunk new_w",
        "i": "i tid idx",
        "kernel": "proximal_step prox shrink",
    },
)
def proximal_shrinkage(c):
    """Takes a gradient step{HOW}, then the proximal step of {PENALTY}{GIVES}.

    Take a gradient step{HOW}, then the proximal step of {PENALTY}, for each weight p in {w}. The first leads
    to v = {STEP}{KEPT}; the new weight is {SHRUNK}. {STORES}
    """
    n = c.size()
    PENALTY = c.meaning(
        "the L1 norm",
        "the elastic net",
        "the L0 norm",
        "a box constraint",
        "the squared L2 norm",
        "the nonnegative L1 norm",
        "the minimax concave penalty",
    )
    HOWS = ("", " with Nesterov extrapolation", " divided by the curvature")
    HOW = c.meaning(*(HOWS[:2] if PENALTY == "the minimax concave penalty" else HOWS))
    ZEROS = PENALTY not in ("the elastic net", "a box constraint", "the squared L2 norm")
    GIVES = c.meaning("", ", and stores the move", *((", and marks zeros",) if ZEROS else ()))
    RATE, THRESHOLD, MU = c.constant(0.2, 0.8), c.constant(0.15, 0.4), c.constant(0.2, 0.9)
    RIDGE, BOX = c.constant(0.1, 0.8), c.constant(0.3, 0.9)
    STEEP = HOW == " divided by the curvature"
    if PENALTY == "a box constraint":
        c.names({"kernel": "proximal_step projected_step prox", "fresh": "fresh clipped new_w"})
    SIZED = PENALTY in ("the L1 norm", "the elastic net", "the L0 norm", "the minimax concave penalty")
    STEP = "p - {RATE} · {grads}"
    KEPT = ""
    if STEEP:
        STEP = "p - {RATE} · {grads} / c, where c is the {curvature}"
    elif HOW:
        STEP = "p + {MU} · (p - {before}) - {RATE} · {grads}"
        KEPT = ", and {before} becomes p"
    LEVEL = "{THRESHOLD} / c" if STEEP else "{THRESHOLD}"
    RIDGED = "(1 + {RIDGE} / c)" if STEEP else "(1 + {RIDGE})"
    SHRUNK = {
        "the L1 norm": "v with its magnitude reduced by {LEVEL}, but not below 0",
        "the elastic net": "v with its magnitude reduced by {LEVEL}, but not below 0, over {RIDGED}",
        "the L0 norm": "v if |v| > {LEVEL}, otherwise 0",
        "a box constraint": "v clamped to [-{BOX}, {BOX}]",
        "the squared L2 norm": "v / {RIDGED}",
        "the nonnegative L1 norm": "max(v - {LEVEL}, 0)",
        "the minimax concave penalty": "v with the magnitude min(|v|, 2 · max(|v| - {LEVEL}, 0)) and "
        "the sign of v",
    }[PENALTY]
    if STEEP and PENALTY == "the L0 norm":
        LEVEL = "{THRESHOLD} / √c"
    STORES = ""
    if "move" in GIVES:
        STORES = "{moves} is the new weight less p."
    elif GIVES:
        STORES = "{zeros} is 1 if the new weight is 0, otherwise 0."

    @c.kernel(n)
    def kernel(
        grads: wp.array[float] = input(n, low=-1.0, high=1.0),
        curvature: wp.array[float] = input(n, low=0.5, high=2.0),
        before: wp.array[float] = inout(n, low=-1.0, high=1.0),
        w: wp.array[float] = inout(n, low=-1.5, high=1.5),
        moves: wp.array[float] = output(n),
        zeros: wp.array[int] = output(n),
    ):
        i = wp.tid()
        old = w[i]
        if STEEP:
            # where the loss curves much, the step is small
            bend = curvature[i]
            v = old - RATE * grads[i] / bend
        elif HOW == " with Nesterov extrapolation":
            # the gradients were taken at the extrapolated point
            v = old + MU * (old - before[i]) - RATE * grads[i]
            before[i] = old
        else:
            v = old - RATE * grads[i]
        if SIZED:
            size = wp.abs(v)
        if PENALTY == "the L1 norm":
            # what is smaller than the threshold becomes zero
            fresh = wp.sign(v) * wp.max(size - (THRESHOLD / bend if STEEP else THRESHOLD), 0.0)
        elif PENALTY == "the elastic net":
            fresh = wp.sign(v) * wp.max(size - (THRESHOLD / bend if STEEP else THRESHOLD), 0.0)
            fresh /= 1.0 + (RIDGE / bend if STEEP else RIDGE)
        elif PENALTY == "the L0 norm":
            fresh = wp.where(size > (THRESHOLD / wp.sqrt(bend) if STEEP else THRESHOLD), v, 0.0)
        elif PENALTY == "a box constraint":
            fresh = wp.clamp(v, -BOX, BOX)
        elif PENALTY == "the squared L2 norm":
            fresh = v / (1.0 + (RIDGE / bend if STEEP else RIDGE))
        elif PENALTY == "the nonnegative L1 norm":
            fresh = wp.max(v - (THRESHOLD / bend if STEEP else THRESHOLD), 0.0)
        else:
            # from twice the threshold on, nothing is taken away
            fresh = wp.sign(v) * wp.min(size, 2.0 * wp.max(size - THRESHOLD, 0.0))
        w[i] = fresh
        if GIVES == ", and stores the move":
            moves[i] = fresh - old
        elif GIVES != "":
            zeros[i] = wp.where(fresh == 0.0, 1, 0)
