"""Advection by random turbulence, which is modelled and not resolved."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    differentiable=False,
    names={
        "x": "x positions particle_q",
        "p": "p x_i here",
        "state": "state rng generator",
        "ramp": "ramp fade envelope",
        "out": "out shifts path_lengths",
        "kernel": "drift_in_noise stir_by_noise",
    },
)
def curl_noise_drift(c):
    """Carries tracers in place along {LIFTED}curl noise{WHERE}, by {SCHEME}{EDGE}.

    Carry tracers along divergence-free noise, updating {x} in place by {SCHEME} of length {dt}. The velocity
    at a point p is {STRENGTH}·{NOISE}{LIFTING}{BLOWN}; n(p) stands for wp.curlnoise(wp.rand_init({seed}),
    p).{HOW}{BOX}
    """
    n = c.size()
    SIDES = c.meaning(2, 3)
    WHERE = c.meaning("", " and a wind", " that dies down at a ball", " of two scales")
    WIND = c.meaning("", " with lift") if SIDES == 3 else ""
    LIFTED = "a lift and " if WIND else ""
    SCHEME = c.meaning("an Euler step", "a midpoint step", "a Heun step")
    EDGE = c.meaning("", ", clamped to a box", ", and stores how far they moved")
    Vec = c.vec(SIDES)
    STRENGTH, SCALE, LIFT, SIDE, RADIUS = (
        c.constant(0.3, 1.2), c.constant(0.5, 1.5), c.constant(0.1, 0.6), c.constant(1.2, 1.4),
        c.constant(0.7, 0.9),
    )  # fmt: skip

    def flow(state: wp.uint32, p: Vec) -> Vec:
        """The velocity at a point."""
        curl = wp.curlnoise(state, SCALE * p)
        if WHERE == " that dies down at a ball":
            # there is no noise on the ball and in it
            ramp = wp.clamp(wp.length(p) - RADIUS, 0.0, 1.0)
            velocity = STRENGTH * ramp * curl
        elif WHERE == " of two scales":
            # half as fast at half the scale
            velocity = STRENGTH * (curl + 0.5 * wp.curlnoise(state, 2.0 * SCALE * p))
        else:
            # a curl has no divergence, so nothing gathers
            velocity = STRENGTH * curl
        if WIND:
            velocity.z += LIFT
        return velocity

    NOISE = {
        "": "n({SCALE}·p)",
        " and a wind": "n({SCALE}·p)",
        " that dies down at a ball": "R·n({SCALE}·p), where R is |p| - {RADIUS} clamped to [0, 1]",
        " of two scales": "(n({SCALE}·p) + ½·n(2·{SCALE}·p))",
    }[WHERE]
    LIFTING = ", with {LIFT} added to its z component" if WIND else ""
    BLOWN = ", plus {wind}" if WHERE == " and a wind" else ""
    HOW = {
        "an Euler step": "",
        "a midpoint step": (
            " The step takes the velocity at the point that an Euler step of half the length reaches."
        ),
        "a Heun step": (
            " The step takes the mean of the velocities at the start and at the point that a full Euler "
            "step reaches."
        ),
    }[SCHEME]
    BOX = {
        "": "",
        ", clamped to a box": " Then clamp every coordinate to [-{SIDE}, {SIDE}].",
        ", and stores how far they moved": " {out} gets the distance between the old and the new position.",
    }[EDGE]

    @c.kernel(n)
    def kernel(
        x: wp.array[Vec] = inout(n, low=-1.5, high=1.5, of="position"),
        wind: Vec = input(low=-1.0, high=1.0),
        seed: int = input(low=1, high=1000),
        dt: float = input(low=0.02, high=0.2),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        state = wp.rand_init(seed)
        p = x[tid]
        if WHERE == " and a wind":
            u = flow(state, p) + wind
            if SCHEME == "a midpoint step":
                u = flow(state, p + 0.5 * dt * u) + wind
            elif SCHEME == "a Heun step":
                u = 0.5 * (u + flow(state, p + dt * u) + wind)
        else:
            u = flow(state, p)
            if SCHEME == "a midpoint step":
                u = flow(state, p + 0.5 * dt * u)
            elif SCHEME == "a Heun step":
                u = 0.5 * (u + flow(state, p + dt * u))
        moved = p + dt * u
        if EDGE == ", clamped to a box":
            for k in range(SIDES):
                moved[k] = wp.clamp(moved[k], -SIDE, SIDE)
        elif EDGE == ", and stores how far they moved":
            out[tid] = wp.length(moved - p)
        x[tid] = moved
