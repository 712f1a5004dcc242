"""Springs between particles."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=3,
    names={
        "x": "x positions particle_q pos",
        "v": "v velocities particle_qd",
        "f": "f forces particle_f",
        "ends": "ends edges spring_indices",
        "rest": "rest rest_lengths",
        "s": "s tid spring",
        "kernel": "eval_springs apply_springs",
    },
)
def spring_force(c):
    """Adds the force of each spring between two particles to {f} ({LAW} law, {DAMP} damping)."""
    springs, particles = c.size(10, 14), c.size(6, 9)
    Vec = c.vec(c.meaning(2, 3))
    LAW, DAMP = c.meaning("linear", "relative", "tension-only"), c.meaning("no", "axial", "full")
    STIFFNESS, DAMPING = c.constant(5.0, 50.0), c.constant(0.1, 0.9)

    @c.kernel(springs)
    def kernel(
        x: wp.array[Vec] = given(particles, low=-2.0, high=2.0),
        v: wp.array[Vec] = given(particles, low=-1.0, high=1.0),
        ends: wp.array2d[int] = given(springs, 2, low=0, high=particles - 1),
        rest: wp.array[float] = given(springs, low=0.5, high=1.5),
        f: wp.array[Vec] = result(particles),
    ):
        s = wp.tid()
        a = ends[s, 0]
        b = ends[s, 1]
        d = x[b] - x[a]
        length = wp.length(d)
        # two particles at one point have no direction
        if length < 1.0e-4:
            return
        n = d / length
        if LAW == "relative":
            stretch = length / rest[s] - 1.0
        elif LAW == "tension-only":
            stretch = wp.max(length - rest[s], 0.0)
        else:
            stretch = length - rest[s]
        if DAMP == "axial":
            speed = wp.dot(v[b] - v[a], n)
            force = (STIFFNESS * stretch + DAMPING * speed) * n
        elif DAMP == "full":
            force = STIFFNESS * stretch * n + DAMPING * (v[b] - v[a])
        else:
            force = STIFFNESS * stretch * n
        wp.atomic_add(f, a, force)
        if c.spelling(True, False):
            wp.atomic_sub(f, b, force)
        else:
            wp.atomic_add(f, b, -force)
