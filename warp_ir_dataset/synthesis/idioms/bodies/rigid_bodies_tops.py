"""Spinning tops under gravity."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=5,
    names={
        "kernel": "spin_tops integrate_tops heavy_tops",
        "i": "i tid top",
        "axes": "axes symmetry_axes directions",
        "momenta": "momenta angular_momenta ang_momenta",
        "heights": "heights levers com_heights",
        "transverse axial": "transverse axial | inertia_1 inertia_3 | i1s i3s",
        "e": "e axis u",
        "momentum": "momentum am h",
        "lever": "lever moment torque_scale",
        "moved": "moved e_next next_axis",
        "azimuth": "azimuth turned phi",
        "nutation": "nutation nutations nutation_range",
        "precession": "precession precessions precession_rate",
    },
)
def top_precession(c):
    """Integrates heavy symmetric tops{PIVOT} in time by {METHOD}{DRAG}, and returns {WANTED}."""
    n, samples = c.size(6, 9), c.size(4, 7)
    METHOD = c.meaning(
        "the classical Runge-Kutta method", "Heun’s method", "the midpoint rule", "Kutta’s third-order method"
    )
    WANTED = c.meaning(
        "the path of the axis",
        "the mean rate of precession and the range of nutation",
        "the energy after each step",
        "the final axis and angular momentum",
    )
    # without drag the energy is conserved
    DRAG = ", in a viscous fluid" if "energy" in WANTED else c.meaning(", in a viscous fluid", "")
    PIVOT = c.meaning("", " on a shaken pivot")
    TRACED, METERED = WANTED == "the path of the axis", WANTED == "the energy after each step"
    GRAVITY, DRAG_COEFFICIENT = c.constant(5.0, 15.0), c.constant(0.5, 2.0)
    SHAKE, FREQUENCY = c.constant(3.0, 9.0), c.constant(5.0, 20.0)

    def angular_velocity(momentum: wp.vec3, e: wp.vec3, i1: float, i3: float) -> wp.vec3:
        """The angular velocity of a symmetric body by its angular momentum and axis."""
        along = wp.dot(momentum, e)
        return (momentum - along * e) / i1 + along / i3 * e

    def weight(time: float) -> float:
        """What gravity and the shaking of the pivot do to a unit mass."""
        return GRAVITY + SHAKE * wp.sin(FREQUENCY * time)

    @c.kernel(n)
    def kernel(
        axes: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, trait="unit"),
        momenta: wp.array[wp.vec3] = given(n, low=-3.0, high=3.0),
        mass: wp.array[float] = given(n, low=0.5, high=2.0),
        heights: wp.array[float] = given(n, low=0.2, high=0.6),
        transverse: wp.array[float] = given(n, low=0.5, high=1.5),
        axial: wp.array[float] = given(n, low=0.2, high=0.9),
        steps: int = given(low=3, high=8),
        dt: float = given(low=0.05, high=0.15),
        path: wp.array2d[wp.vec3] = result(n, samples),
        energies: wp.array2d[float] = result(n, samples),
        precession: wp.array[float] = result(n),
        nutation: wp.array[float] = result(n),
        axes_new: wp.array[wp.vec3] = result(n),
        momenta_new: wp.array[wp.vec3] = result(n),
    ):
        i = wp.tid()
        e = axes[i]
        momentum = momenta[i]
        i1 = transverse[i]
        if DRAG:
            i3 = axial[i]
        up = wp.vec3(0.0, 0.0, 1.0)
        if PIVOT:
            lever = mass[i] * heights[i]
        else:
            lever = GRAVITY * mass[i] * heights[i]
        if WANTED == "the mean rate of precession and the range of nutation":
            azimuth = float(0.0)
            lowest = e[2]
            highest = e[2]
        for k in range(path.shape[1] if TRACED else energies.shape[1] if METERED else steps):
            # the weight acts on the centre of mass, the tip is fixed
            if PIVOT:
                time = float(k) * dt
                l1 = lever * weight(time) * wp.cross(up, e)
            else:
                l1 = lever * wp.cross(up, e)
            if DRAG:
                w1 = angular_velocity(momentum, e, i1, i3)
                e1 = wp.cross(w1, e)
                l1 -= DRAG_COEFFICIENT * w1
            else:
                # the spin about the axis leaves it where it is
                e1 = wp.cross(momentum, e) / i1
            if METHOD == "Heun’s method":
                mid = e + dt * e1
                l_mid = momentum + dt * l1
            else:
                mid = e + 0.5 * dt * e1
                l_mid = momentum + 0.5 * dt * l1
            if PIVOT:
                if METHOD == "Heun’s method":
                    l2 = lever * weight(time + dt) * wp.cross(up, mid)
                else:
                    pull = lever * weight(time + 0.5 * dt)
                    l2 = pull * wp.cross(up, mid)
            else:
                l2 = lever * wp.cross(up, mid)
            if DRAG:
                w2 = angular_velocity(l_mid, mid, i1, i3)
                e2 = wp.cross(w2, mid)
                l2 -= DRAG_COEFFICIENT * w2
            else:
                e2 = wp.cross(l_mid, mid) / i1
            if METHOD == "the midpoint rule":
                turn = dt * e2
                momentum += dt * l2
            elif METHOD == "Heun’s method":
                turn = 0.5 * dt * (e1 + e2)
                momentum += 0.5 * dt * (l1 + l2)
            else:
                if METHOD == "the classical Runge-Kutta method":
                    late = e + 0.5 * dt * e2
                    l_late = momentum + 0.5 * dt * l2
                    l3 = (pull if PIVOT else lever) * wp.cross(up, late)
                else:
                    late = e + dt * (2.0 * e2 - e1)
                    l_late = momentum + dt * (2.0 * l2 - l1)
                    l3 = (lever * weight(time + dt) if PIVOT else lever) * wp.cross(up, late)
                if DRAG:
                    w3 = angular_velocity(l_late, late, i1, i3)
                    e3 = wp.cross(w3, late)
                    l3 -= DRAG_COEFFICIENT * w3
                else:
                    e3 = wp.cross(l_late, late) / i1
                if METHOD == "the classical Runge-Kutta method":
                    end = e + dt * e3
                    l_end = momentum + dt * l3
                    l4 = (lever * weight(time + dt) if PIVOT else lever) * wp.cross(up, end)
                    if DRAG:
                        w4 = angular_velocity(l_end, end, i1, i3)
                        e4 = wp.cross(w4, end)
                        l4 -= DRAG_COEFFICIENT * w4
                    else:
                        e4 = wp.cross(l_end, end) / i1
                    turn = dt / 6.0 * (e1 + 2.0 * e2 + 2.0 * e3 + e4)
                    momentum += dt / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)
                else:
                    turn = dt / 6.0 * (e1 + 4.0 * e2 + e3)
                    momentum += dt / 6.0 * (l1 + 4.0 * l2 + l3)
            moved = wp.normalize(e + turn)
            if TRACED:
                path[i, k] = moved
            elif METERED:
                kinetic = 0.5 * wp.dot(momentum, angular_velocity(momentum, moved, i1, i3))
                energies[i, k] = kinetic + (lever * GRAVITY if PIVOT else lever) * moved[2]
            elif WANTED == "the mean rate of precession and the range of nutation":
                # the angle about the vertical between the two horizontal parts
                azimuth += wp.atan2(e[0] * moved[1] - e[1] * moved[0], e[0] * moved[0] + e[1] * moved[1])
                lowest = wp.min(lowest, moved[2])
                highest = wp.max(highest, moved[2])
            e = moved
        if WANTED == "the mean rate of precession and the range of nutation":
            precession[i] = azimuth / (float(steps) * dt)
            nutation[i] = wp.acos(lowest) - wp.acos(highest)
        elif WANTED == "the final axis and angular momentum":
            axes_new[i] = e
            momenta_new[i] = momentum
