"""Spinning tops under gravity."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "kernel": "spin_tops integrate_tops heavy_tops",
        "i": "i tid top",
        "axes": "axes symmetry_axes directions",
        "momenta": "momenta angular_momenta ang_momenta",
        "heights": "heights levers com_heights",
        "transverse axial": "transverse axial | inertia_1 inertia_3 | i1s i3s",
        "e": "e axis u",
        "momentum": "momentum am h",
        "lever": "lever first_moment",
        "e_mid am_mid": "e_mid am_mid | mid_axis mid_momentum",
        "moved": "moved e_next next_axis",
        "azimuth": "azimuth turned phi",
        "nutation": "nutation nutations nutation_range",
        "precession": "precession precessions precession_rate",
        "fell": "fell down_at fallen_at",
    },
)
def top_precession(c):
    """Integrates heavy symmetric tops{PIVOT} by {METHOD}{DRAG}, and returns {WANTED}{FALLEN}.

    Integrate heavy symmetric tops through {COUNT}, by {SCHEME}. A top has an axis E, a unit vector that
    starts as its entry of {axes}, and an angular momentum L that starts as its entry of {momenta}. The rates
    are {RATE} and L' = {LEVER}·(Z × E){DRAGGED}.{SHAKEN} After each step normalize E{ALSO}.

    {RESULT}{FELL}
    """
    n, samples = c.size(6, 9), c.size(4, 7)
    METHOD = c.meaning(
        "the classical Runge-Kutta method", "Heun's method", "the midpoint rule", "Kutta's third-order method"
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
    FALLEN = c.meaning("", ", and when each first leans below a height (-1: never)")
    HEUN = METHOD == "Heun's method"
    if HEUN:
        c.names({"e_mid am_mid": "e_ahead am_ahead | guess am_guess"})
    if PIVOT == "":
        c.names({"lever": "mgh torque_scale"})
    TRACED, METERED = WANTED == "the path of the axis", WANTED == "the energy after each step"
    GRAVITY, DRAG_COEFFICIENT = c.constant(9.81, 9.81, step=0.01), c.constant(0.5, 2.0)
    LEAST_HEIGHT = c.constant(0.1, 0.5)
    SHAKE, OMEGA = c.constant(3.0, 9.0), c.constant(4.0, 9.0)

    def angular_velocity(momentum: wp.vec3, e: wp.vec3, i1: float, i3: float) -> wp.vec3:
        """The angular velocity of a symmetric body by its angular momentum and axis."""
        along = wp.dot(momentum, e)
        return (momentum - along * e) / i1 + along / i3 * e

    def felt_gravity(time: float) -> float:
        """The acceleration of gravity in the frame of the pivot, which goes up and down."""
        return GRAVITY + SHAKE * wp.sin(OMEGA * time)

    COUNT = "{steps} steps of {dt}"
    if TRACED:
        COUNT = "a step of {dt} for each entry of its row of {path}"
    elif METERED:
        COUNT = "a step of {dt} for each entry of its row of {energies}"
    SCHEME = {
        "the classical Runge-Kutta method": (
            "the classical fourth-order Runge-Kutta method (weights 1/6, 1/3, 1/3, 1/6)"
        ),
        "Heun's method": "Heun's method (the mean of the rates at the start and after a full Euler step)",
        "the midpoint rule": "the explicit midpoint rule",
        "Kutta's third-order method": (
            "Kutta's third-order method (stages at 0, ½ and 1, the third from the start plus a step by"
            " 2·second - first rates; weights 1/6, 4/6, 1/6)"
        ),
    }[METHOD]
    LEVER = "{mass}·{heights}·g(t)" if PIVOT else "{gravity}·{mass}·{heights}"
    RATE = "E' = L × E / {transverse}"
    DRAGGED = ", with Z = (0, 0, 1)"
    if DRAG:
        RATE = "E' = W × E"
        DRAGGED = (
            " - {DRAG_COEFFICIENT}·W, with Z = (0, 0, 1) and the angular velocity W = (L - (L·E)·E) /"
            " {transverse} + ((L·E) / {axial})·E"
        )
    SHAKEN = ""
    if PIVOT:
        SHAKEN = (
            " The pivot is shaken: g(t) = {GRAVITY} + {SHAKE}·sin({OMEGA}·t), and step k, from 0, begins"
            " at t = k·{dt}."
        )
    ALSO = ", and also the predicted E within a step" if HEUN else ""
    RESULT = {
        "the path of the axis": "Store E after each step in that row.",
        "the mean rate of precession and the range of nutation": (
            "{precession} is the mean rate of precession: the sum of the angles about the vertical, in"
            " (-π, π], by which the horizontal part of E turns in each step, over the whole time."
            " {nutation} is the range of nutation, acos(least z of E) - acos(greatest z of E), the start"
            " included."
        ),
        "the energy after each step": (
            "Store the energy after each step, ½·L·W + {WEIGHT}·(z of E), in that row."
        ),
        "the final axis and angular momentum": (
            "Store the final E in {axes_new} and the final L in {momenta_new}."
        ),
    }[WANTED]
    WEIGHT = "{GRAVITY}·{mass}·{heights}" if PIVOT else "{gravity}·{mass}·{heights}"
    FELL = ""
    if FALLEN:
        FELL = (
            " Store in {falls} the number, from 0, of the first step after which the z of E is below"
            " {LEAST_HEIGHT}, or -1."
        )

    @c.kernel(n)
    def kernel(
        axes: wp.array[wp.vec3] = input(n, low=0.1, high=1.0, trait="unit"),
        momenta: wp.array[wp.vec3] = input(n, low=-3.0, high=3.0),
        mass: wp.array[float] = input(n, low=0.5, high=2.0),
        heights: wp.array[float] = input(n, low=0.2, high=0.6),
        transverse: wp.array[float] = input(n, low=1.0, high=2.0),
        axial: wp.array[float] = input(n, low=0.2, high=0.6),
        gravity: float = input(low=9.0, high=11.0),
        steps: int = input(low=3, high=8),
        dt: float = input(low=0.05, high=0.12),
        path: wp.array2d[wp.vec3] = output(n, samples),
        energies: wp.array2d[float] = output(n, samples),
        precession: wp.array[float] = output(n),
        nutation: wp.array[float] = output(n, of="angle"),
        axes_new: wp.array[wp.vec3] = output(n),
        momenta_new: wp.array[wp.vec3] = output(n),
        falls: wp.array[int] = output(n),
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
            lever = gravity * mass[i] * heights[i]
        if WANTED == "the mean rate of precession and the range of nutation":
            azimuth = float(0.0)
            lowest = e[2]
            highest = e[2]
        if FALLEN:
            fell = int(-1)
        for k in range(path.shape[1] if TRACED else energies.shape[1] if METERED else steps):
            if PIVOT:
                time = float(k) * dt
                torque1 = lever * felt_gravity(time) * wp.cross(up, e)
            else:
                torque1 = lever * wp.cross(up, e)
            if DRAG:
                w1 = angular_velocity(momentum, e, i1, i3)
                rate1 = wp.cross(w1, e)
                torque1 -= DRAG_COEFFICIENT * w1
            else:
                # spinning about the axis does not move the axis
                rate1 = wp.cross(momentum, e) / i1
            if HEUN:
                # the whole step by the rates at its start
                e_mid = wp.normalize(e + dt * rate1)
                am_mid = momentum + dt * torque1
            else:
                e_mid = e + 0.5 * dt * rate1
                am_mid = momentum + 0.5 * dt * torque1
            if PIVOT:
                if HEUN:
                    torque2 = lever * felt_gravity(time + dt) * wp.cross(up, e_mid)
                else:
                    pull = lever * felt_gravity(time + 0.5 * dt)
                    torque2 = pull * wp.cross(up, e_mid)
            else:
                torque2 = lever * wp.cross(up, e_mid)
            if DRAG:
                w2 = angular_velocity(am_mid, e_mid, i1, i3)
                rate2 = wp.cross(w2, e_mid)
                torque2 -= DRAG_COEFFICIENT * w2
            else:
                rate2 = wp.cross(am_mid, e_mid) / i1
            if METHOD == "the midpoint rule":
                turn = dt * rate2
                momentum += dt * torque2
            elif HEUN:
                turn = 0.5 * dt * (rate1 + rate2)
                momentum += 0.5 * dt * (torque1 + torque2)
            else:
                if METHOD == "the classical Runge-Kutta method":
                    e_late = e + 0.5 * dt * rate2
                    am_late = momentum + 0.5 * dt * torque2
                    torque3 = (pull if PIVOT else lever) * wp.cross(up, e_late)
                else:
                    e_late = e + dt * (2.0 * rate2 - rate1)
                    am_late = momentum + dt * (2.0 * torque2 - torque1)
                    torque3 = (lever * felt_gravity(time + dt) if PIVOT else lever) * wp.cross(up, e_late)
                if DRAG:
                    w3 = angular_velocity(am_late, e_late, i1, i3)
                    rate3 = wp.cross(w3, e_late)
                    torque3 -= DRAG_COEFFICIENT * w3
                else:
                    rate3 = wp.cross(am_late, e_late) / i1
                if METHOD == "the classical Runge-Kutta method":
                    e_end = e + dt * rate3
                    am_end = momentum + dt * torque3
                    torque4 = (lever * felt_gravity(time + dt) if PIVOT else lever) * wp.cross(up, e_end)
                    if DRAG:
                        w4 = angular_velocity(am_end, e_end, i1, i3)
                        rate4 = wp.cross(w4, e_end)
                        torque4 -= DRAG_COEFFICIENT * w4
                    else:
                        rate4 = wp.cross(am_end, e_end) / i1
                    turn = dt / 6.0 * (rate1 + 2.0 * rate2 + 2.0 * rate3 + rate4)
                    momentum += dt / 6.0 * (torque1 + 2.0 * torque2 + 2.0 * torque3 + torque4)
                else:
                    turn = dt / 6.0 * (rate1 + 4.0 * rate2 + rate3)
                    momentum += dt / 6.0 * (torque1 + 4.0 * torque2 + torque3)
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
            if FALLEN:
                # the first time counts
                if fell < 0 and moved[2] < LEAST_HEIGHT:
                    fell = k
            e = moved
        if WANTED == "the mean rate of precession and the range of nutation":
            precession[i] = azimuth / (float(steps) * dt)
            nutation[i] = wp.acos(lowest) - wp.acos(highest)
        elif WANTED == "the final axis and angular momentum":
            axes_new[i] = e
            momenta_new[i] = momentum
        if FALLEN:
            falls[i] = fell
