"""Descent at rates that change from step to step."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "w": "w weights params",
        "grads": "grads gradients dw",
        "plan": "plan schedule lr_plan",
        "step": "step iteration t",
        "m": "m first velocity",
        "rate": "rate lr eta",
        "i j": "i j | row col | layer unit",
        "kernel": "train_step apply_gradients scheduled_update",
    },
)
def scheduled_descent_step(c):
    """One step of {RULE} at a rate that {WARM}{FALL}{WITH}.

    Take one step of {RULE} on the weights {w}, in place, a row being a layer; their gradients are in {grads}.
    The rate is P · (F + (1 - F)·s){WARMED}, where P and F are the fields peak and floor of {plan} and s =
    {COURSE}.

    {BEFORE}A weight loses rate times {MOVE}.
    """
    layers, width = c.size(4, 7), c.size(4, 7)
    FALL = c.meaning(
        "falls along a cosine", "falls linearly", "falls exponentially", "halves in stages", "cycles linearly"
    )
    WARM = c.meaning("", "warms up and ")
    RULE = c.meaning("gradient descent", "momentum descent", "Adam without bias correction", "sign descent")
    DECAY = c.meaning("", "decoupled weight decay")
    LIMIT = c.meaning("", "clipped layer gradients") if RULE != "sign descent" else ""
    WITH = " and ".join(word for word in (DECAY, LIMIT) if word)
    WITH = f", with {WITH}" if WITH else ""
    ADAM = RULE.startswith("Adam")
    # gradients of this range are about as often longer as shorter
    LARGEST = c.constant(0.9, 1.4) if width < 6 else c.constant(1.2, 1.7)
    MOMENTUM, SHRINK = c.constant(0.5, 0.9), c.constant(0.1, 0.5)
    SLOWER, EPS, STAGES = c.constant(0.91, 0.99), c.constant(1.0e-4, 1.0e-3, step=9.0e-4), c.count(3, 6)
    if ADAM:
        c.names({"m": "m first mean"})

    class Plan:
        peak: float
        floor: float

    def warmed(step: int, warmup: int) -> float:
        """the share of the peak rate that a young run is given."""
        return wp.min(float(step + 1) / float(warmup), 1.0)

    def share(step: int, total: int) -> float:
        """how far the rate is above its floor, as a share of the way to its peak."""
        if FALL == "falls along a cosine":
            progress = wp.min(float(step) / float(total), 1.0)
            return 0.5 * (1.0 + wp.cos(wp.PI * progress))
        elif FALL == "falls linearly":
            return wp.max(1.0 - float(step) / float(total), 0.0)
        elif FALL == "falls exponentially":
            # a tenth is left at the end
            return wp.pow(0.1, float(step) / float(total))
        elif FALL == "halves in stages":
            return wp.pow(0.5, float(step * STAGES // total))
        else:
            # up and down in each cycle
            phase = float(step % total) / float(total)
            return 1.0 - wp.abs(2.0 * phase - 1.0)

    WARMED = ", times min(({step} + 1) / {warmup}, 1) for a warm-up" if WARM else ""
    COURSE = {
        "falls along a cosine": "½ · (1 + cos(π · min({step} / {total}, 1)))",
        "falls linearly": "max(1 - {step} / {total}, 0)",
        "falls exponentially": "0.1^({step} / {total})",
        "halves in stages": "½^⌊{step} · {STAGES} / {total}⌋",
        "cycles linearly": "1 - |2·({step} mod {total}) / {total} - 1|",
    }[FALL]
    BEFORE = (
        "First scale the gradients of a layer by {LARGEST} / max(their norm, {LARGEST}). " if LIMIT else ""
    )
    MOVE = "its gradient"
    if RULE == "momentum descent":
        BEFORE += "{m} becomes {MOMENTUM} times itself plus the gradient. "
        MOVE = "{m}"
    elif ADAM:
        BEFORE += (
            "{m} becomes {MOMENTUM}·{m} + (1 - {MOMENTUM}) times the gradient, and {v} becomes "
            "{SLOWER}·{v} + (1 - {SLOWER}) times "
        )
        BEFORE += "the squared gradient. "
        MOVE = "{m} / (√{v} + {EPS})"
    elif RULE == "sign descent":
        MOVE = "the sign of its gradient (1 for 0)"
    if DECAY:
        MOVE = "(" + MOVE + " + {SHRINK}·weight)"

    @c.kernel(layers)
    def kernel(
        plan: Plan = input(low=0.1, high=0.8),
        step: int = input(low=3, high=18),
        total: int = input(low=12, high=24),
        warmup: int = input(low=9, high=20),
        grads: wp.array2d[float] = input(layers, width, low=-1.0, high=1.0),
        w: wp.array2d[float] = inout(layers, width, low=-1.0, high=1.0),
        m: wp.array2d[float] = inout(layers, width, low=-0.5, high=0.5),
        v: wp.array2d[float] = inout(layers, width, low=0.1, high=1.0),
    ):
        i = wp.tid()
        # the floor is a share of the peak
        rate = plan.peak * (plan.floor + (1.0 - plan.floor) * share(step, total))
        if WARM != "":
            rate *= warmed(step, warmup)
        if LIMIT != "":
            square = float(0.0)
            for j in range(w.shape[1]):
                square += grads[i, j] * grads[i, j]
            scale = LARGEST / wp.max(wp.sqrt(square), LARGEST)
        for j in range(w.shape[1]):
            g = scale * grads[i, j] if LIMIT != "" else grads[i, j]
            if RULE == "momentum descent":
                m[i, j] = MOMENTUM * m[i, j] + g
                move = m[i, j]
            elif ADAM:
                m[i, j] = wp.lerp(g, m[i, j], MOMENTUM)
                v[i, j] = wp.lerp(g * g, v[i, j], SLOWER)
                move = m[i, j] / (wp.sqrt(v[i, j]) + EPS)
            elif RULE == "sign descent":
                move = wp.sign(g)
            else:
                move = g
            if DECAY != "":
                move += SHRINK * w[i, j]
            w[i, j] = w[i, j] - rate * move
