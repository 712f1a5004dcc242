"""Rigid bodies: their motion in one time step."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp

NAMES = {
    "i": "i tid body",
    "x": "x positions body_pos centres",
    "rotations": "rotations orientations body_rot quats",
    "v": "v velocities linear_velocities body_v",
    "w": "w omegas angular_velocities body_w",
    "mass": "mass masses body_mass",
    "q": "q rot orientation",
    "forces": "forces body_f f",
    "torques": "torques body_t tau",
}


@idiom(
    level=5,
    names=NAMES
    | {
        "kernel": "integrate_bodies step_rigid_bodies integrate_rigid_bodies",
        "offsets": "offsets body_com centres_of_mass",
        "inertia": "inertia body_inertia moments_of_inertia",
        "centre": "centre com x_com",
        "linear": "linear velocity vel",
        "spin": "spin omega w_world",
        "local": "local w_body omega_body",
        "torque": "torque t_body torque_body",
        "momentum": "momentum l_body angular_momentum",
    },
)
def rigid_body_step(c):
    """{PLACE} semi-implicit Euler step of rigid bodies under {LOAD}{MORE}, by {TURN}{REST}.

    Advance rigid bodies by one semi-implicit Euler step {dt} under {LOADED}. The state is {x}, {ORIGINS}, the
    rotations {rotations}, body to world, the velocities {v} and the spins {w} in the world; {PUT}.{STUCK}

    Add {dt} times the acceleration to the velocity: the total force over {mass}, with the weight, {gravity}
    times mass, along -y.{LEVERS} Turn spin and total torque into the body's frame, where the inertia is
    {MOMENTS}. There, the spin S gains {GAIN}{DAMPED}{DOZING}

    Turn S back to the world by the old rotation and turn the body by it: {TURNED}. {CENTRED} moves by {dt}
    times the new velocity.{FLOORED}{AROUND}{METERED}
    """
    n, pushes = c.size(), c.size(12, 20)
    GYRO = c.meaning("", "gyroscopic torque", "implicit gyroscopic torque")
    INERTIA = c.meaning("principal moments", "tensors") if "implicit" not in GYRO else "tensors"
    LOAD = c.meaning("weight, forces and torques", "weight and forces at points")
    DAMP = c.meaning("damping", "speed limits", "")
    TURN = c.meaning("the exponential map", "the quaternions' rates")
    FLOOR = c.meaning("", "a floor")
    CENTRE = c.meaning("", "offset centres of mass")
    PLACE = c.meaning("An in-place", "A")
    REST = c.meaning("; slow ones fall asleep", "; fixed ones stay", "; kinetic energies are stored")
    INPLACE, TRAITS = PLACE == "An in-place", [word for word in (CENTRE, GYRO, DAMP, FLOOR) if word]
    *FIRST, LAST = TRAITS or [""]
    MORE = f", with {', '.join(FIRST)} and {LAST}" if FIRST else f", with {LAST}" if LAST else ""
    if CENTRE:
        c.names({"x": "x positions body_pos origins"})
    LINEAR_DAMPING, ANGULAR_DAMPING = c.constant(0.1, 0.9), c.constant(0.2, 1.5)
    MAX_SPEED, MAX_SPIN = c.constant(1.5, 2.5), c.constant(2.0, 3.5)
    SLEEP_SPEED, SLEEP_TIME = c.constant(2.5, 4.0), c.constant(0.2, 0.6)
    Inertia = c.vec(3) if INERTIA == "principal moments" else c.mat(3)
    state = inout if INPLACE else input
    definite = None if INERTIA == "principal moments" else "positive definite"
    LOADED = "weight, {forces} and {torques}"
    if LOAD == "weight and forces at points":
        LOADED = (
            "weight and forces at points: those of body i are the entries of {push_forces}, acting at"
            " {push_points} in the world, from `{starts}[i]` up to but not including `{starts}[i + 1]`"
        )
    ORIGINS = "the bodies' origins" if CENTRE else "the centres of mass"
    PUT = (
        "update it in place"
        if INPLACE
        else "store the new one in {x_new}, {rotations_new}, {v_new} and {w_new}"
    )
    STUCK = ""
    if REST == "; fixed ones stay":
        STUCK = " Bodies with {fixed} 1 stay as they are" + (
            "." if INPLACE else ", with zero velocity and spin."
        )
    LEVERS = ""
    if CENTRE:
        LEVERS = " The centre of mass is the origin plus {offsets}, turned by the rotation."
    if LOAD == "weight and forces at points":
        LEVERS += " Torques are about the centre of mass."
    MOMENTS = (
        "diagonal, with the principal moments {inertia}"
        if INERTIA == "principal moments"
        else "the tensor {inertia}"
    )
    GAIN = "{dt} times inertia⁻¹·torque."
    if GYRO == "gyroscopic torque":
        GAIN = "{dt} times inertia⁻¹·(torque - S × (inertia·S)), the gyroscopic torque included."
    elif GYRO:
        GAIN = (
            "{dt} times inertia⁻¹·torque, and then the gyroscopic torque implicitly, by one step of"
            " Newton's method: with H = inertia·S, it loses J⁻¹·({dt}·(S × H)), where J = inertia +"
            " {dt}·([S]·inertia - [H]) and [a] is the matrix of the cross product, [a]·b = a × b."
        )
    DAMPED = {
        "": "",
        "damping": (
            " Then damp: divide the velocity by 1 + {LINEAR_DAMPING}·{dt} and S by 1 +"
            " {ANGULAR_DAMPING}·{dt}."
        ),
        "speed limits": (
            " Then limit them: a velocity longer than {MAX_SPEED} and an S longer than {MAX_SPIN} are"
            " shortened to that."
        ),
    }[DAMP]
    DOZING = ""
    if REST == "; slow ones fall asleep":
        DOZING = (
            " If the squares of velocity and S together are below {SLEEP_SPEED}², add {dt} to {idle}, and"
            " if it is then above {SLEEP_TIME}, both become zero; otherwise {idle} becomes 0."
        )
    TURNED = (
        "by the exponential map, multiply the rotation from the left by that about the spin by the angle"
        " {dt}·|spin|"
    )
    if TURN != "the exponential map":
        TURNED = "add {dt}/2 times the quaternion (spin, 0) · rotation to the rotation and normalize it"
    CENTRED = "The centre of mass" if CENTRE else "The position"
    FLOORED = ""
    if FLOOR:
        FLOORED = (
            " If its y is then below {floor}, it becomes {floor}, and a velocity that points down loses"
            " its y."
        )
    AROUND = ""
    if CENTRE:
        AROUND = " The new origin is the new centre of mass less {offsets}, turned by the new rotation."
    METERED = ""
    if REST == "; kinetic energies are stored":
        METERED = (
            " Store in {energy} the kinetic energy, ½·({mass}·velocity² + S·(inertia·S)), of the new state."
        )

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec3] = state(n, low=-2.0, high=2.0, of="position"),
        rotations: wp.array[wp.quat] = state(n, low=-1.0, high=1.0, trait="unit"),
        v: wp.array[wp.vec3] = state(n, low=-2.0, high=2.0, of="velocity"),
        w: wp.array[wp.vec3] = state(n, low=-3.0, high=3.0),
        forces: wp.array[wp.vec3] = input(n, low=-9.0, high=9.0, of="force"),
        torques: wp.array[wp.vec3] = input(n, low=-5.0, high=5.0),
        starts: wp.array[int] = input(n + 1, low=0, high=pushes, trait="offsets"),
        push_points: wp.array[wp.vec3] = input(pushes, low=-2.0, high=2.0),
        push_forces: wp.array[wp.vec3] = input(pushes, low=-5.0, high=5.0),
        mass: wp.array[float] = input(n, low=0.5, high=2.0, of="mass"),
        inertia: wp.array[Inertia] = input(n, low=0.4, high=2.0, trait=definite),
        offsets: wp.array[wp.vec3] = input(n, low=-0.5, high=0.5),
        fixed: wp.array[int] = input(n, low=0, high=1),
        gravity: float = input(low=5.0, high=15.0),
        dt: float = input(low=0.03, high=0.12),
        floor: float = input(low=-1.0, high=0.5),
        idle: wp.array[float] = inout(n, low=0.0, high=0.9),
        energy: wp.array[float] = output(n, of="energy"),
        x_new: wp.array[wp.vec3] = output(n, of="position"),
        rotations_new: wp.array[wp.quat] = output(n),
        v_new: wp.array[wp.vec3] = output(n, of="velocity"),
        w_new: wp.array[wp.vec3] = output(n),
    ):
        i = wp.tid()
        if REST == "; fixed ones stay":
            if fixed[i] == 1:
                if not INPLACE:
                    x_new[i] = x[i]
                    rotations_new[i] = rotations[i]
                    v_new[i] = wp.vec3()
                    w_new[i] = wp.vec3()
                return
        q = rotations[i]
        linear = v[i]
        m = mass[i]
        if CENTRE:
            centre = x[i] + wp.quat_rotate(q, offsets[i])
        elif LOAD == "weight and forces at points":
            centre = x[i]
        if LOAD == "weight and forces at points":
            force = wp.vec3(0.0, -gravity * m, 0.0)
            torque = wp.vec3()
            for k in range(starts[i], starts[i + 1]):
                force += push_forces[k]
                torque += wp.cross(push_points[k] - centre, push_forces[k])
            linear += dt / m * force
        else:
            torque = torques[i]
            linear += dt * (forces[i] / m - wp.vec3(0.0, gravity, 0.0))
        # Euler's equation in the frame of the body, where the inertia is constant
        local = wp.quat_rotate_inv(q, w[i])
        torque = wp.quat_rotate_inv(q, torque)
        moments = inertia[i]
        if INERTIA == "principal moments":
            if GYRO:
                momentum = wp.cw_mul(moments, local)
                torque -= wp.cross(local, momentum)
            local += dt * wp.cw_div(torque, moments)
        elif GYRO == "implicit gyroscopic torque":
            local += dt * (wp.inverse(moments) * torque)
            # one step of Newton's method from here
            momentum = moments * local
            residual = dt * wp.cross(local, momentum)
            jacobian = moments + dt * (wp.skew(local) * moments - wp.skew(momentum))
            local -= wp.inverse(jacobian) * residual
        else:
            if GYRO:
                momentum = moments * local
                torque -= wp.cross(local, momentum)
            local += dt * (wp.inverse(moments) * torque)
        if DAMP == "damping":
            linear *= 1.0 / (1.0 + LINEAR_DAMPING * dt)
            local *= 1.0 / (1.0 + ANGULAR_DAMPING * dt)
        elif DAMP:
            speed = wp.length(linear)
            if speed > MAX_SPEED:
                linear *= MAX_SPEED / speed
            rate = wp.length(local)
            if rate > MAX_SPIN:
                local *= MAX_SPIN / rate
        if REST == "; slow ones fall asleep":
            quiet = float(0.0)
            if wp.length_sq(linear) + wp.length_sq(local) < SLEEP_SPEED * SLEEP_SPEED:
                quiet = idle[i] + dt
                if quiet > SLEEP_TIME:
                    linear = wp.vec3()
                    local = wp.vec3()
            idle[i] = quiet
        spin = wp.quat_rotate(q, local)
        if TURN == "the exponential map":
            angle = dt * wp.length(spin)
            q = wp.quat_from_axis_angle(wp.normalize(spin), angle) * q
        else:
            q += 0.5 * dt * (wp.quat(spin, 0.0) * q)
            q = wp.normalize(q)
        if CENTRE:
            # the centre of mass moves straight, and the origin turns about it
            centre += dt * linear
            if FLOOR:
                if centre[1] < floor:
                    # nothing bounces
                    centre = wp.vec3(centre[0], floor, centre[2])
                    linear = wp.vec3(linear[0], wp.max(linear[1], 0.0), linear[2])
            origin = centre - wp.quat_rotate(q, offsets[i])
        else:
            origin = (centre if LOAD == "weight and forces at points" else x[i]) + dt * linear
            if FLOOR:
                if origin[1] < floor:
                    # nothing bounces
                    origin = wp.vec3(origin[0], floor, origin[2])
                    linear = wp.vec3(linear[0], wp.max(linear[1], 0.0), linear[2])
        if REST == "; kinetic energies are stored":
            rotational = wp.dot(
                local, wp.cw_mul(moments, local) if INERTIA == "principal moments" else moments * local
            )
            energy[i] = 0.5 * (m * wp.length_sq(linear) + rotational)
        if INPLACE:
            x[i] = origin
            rotations[i] = q
            v[i] = linear
            w[i] = spin
        else:
            x_new[i] = origin
            rotations_new[i] = q
            v_new[i] = linear
            w_new[i] = spin
