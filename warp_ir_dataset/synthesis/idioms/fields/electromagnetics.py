"""Electric and magnetic fields on grids, and the charges that make and feel them."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp

NAMES = {
    "q": "q charge charges",
    "v": "v velocity velocities",
    "E": "E electric E_field",
    "B": "B magnetic B_field",
    "dt": "dt time_step h",
    "out": "out result field_out",
    "force": "force F push",
    "curl": "curl circulation curl_h",
    "here": "here own_x pos",
    "total": "total field_sum summed",
    "i j k": "i j k | x y z",
    "nx ny nz": "nx ny nz | width depth height",
}


@idiom(
    level=2,
    names=NAMES
    | {"mass": "mass m masses", "gamma": "gamma lorentz g_factor", "kernel": "lorentz charge_force"},
)
def lorentz_force(c):
    """The {WANTED} of each charge in {FIELDS}{EXTRA}, {SPEED}."""
    n = c.size()
    WANTED, FIELDS = (
        c.meaning("force", "acceleration", "kick"),
        c.meaning("uniform fields", "fields of its own", "a magnet"),
    )
    EXTRA, SPEED = (
        c.meaning("", " and gravity", " and a drag"),
        c.meaning("from its velocity", "from its momentum"),
    )
    DRAG, GRAVITY = c.constant(0.2, 0.9), c.constant(1.0, 9.0)

    @c.kernel(n)
    def kernel(
        q: wp.array[float] = given(n, low=-2.0, high=2.0),
        v: wp.array[wp.vec3] = given(n, low=-2.0, high=2.0, of="velocity"),
        mass: wp.array[float] = given(n, low=0.5, high=2.0, of="mass"),
        E: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        B: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0),
        E0: wp.vec3 = given(low=-1.0, high=1.0),
        B0: wp.vec3 = given(low=-1.0, high=1.0),
        dt: float = given(low=0.2, high=0.9),
        out: wp.array[wp.vec3] = result(n, of="force" if WANTED == "force" else None),
    ):
        tid = wp.tid()
        if SPEED == "from its momentum":
            # in units of the speed of light
            gamma = wp.sqrt(1.0 + wp.length_sq(v[tid]))
            speed = v[tid] / gamma
        else:
            speed = v[tid]
        if FIELDS == "uniform fields":
            force = q[tid] * (E0 + wp.cross(speed, B0))
        elif FIELDS == "a magnet":
            force = q[tid] * wp.cross(speed, B[tid])
        else:
            force = q[tid] * (E[tid] + wp.cross(speed, B[tid]))
        if EXTRA == " and gravity":
            force -= wp.vec3(0.0, 0.0, mass[tid] * GRAVITY)
        elif EXTRA == " and a drag":
            force -= DRAG * speed
        if WANTED == "force":
            out[tid] = force
        elif WANTED == "kick":
            out[tid] = dt * force
        else:
            out[tid] = force / mass[tid]


@idiom(
    level=3,
    names=NAMES
    | {
        "rows cols": "rows cols | ny nx",
        "i j": "i j | row col | y x",
        "hx hy": "hx hy | Hx Hy | mag_x mag_y",
        "ex ey": "ex ey | Ex Ey",
        "hz": "hz Hz mag_z",
        "ez": "ez Ez elec_z",
        "step": "step factor coefficient",
        "permeability": "permeability mu mu_r",
        "kernel": "update_h yee_h faraday",
    },
)
def magnetic_field_update(c):
    """Steps the {MODE} magnetic field in place, {EDGE} edges{MEDIUM}{LOSS}{DRIVE}."""
    rows, cols = c.size(5, 8), c.size(5, 8)
    MODE, EDGE = c.meaning("TM", "TE"), c.meaning("periodic", "closed")
    MEDIUM, LOSS = c.meaning("", ", magnetic cells"), c.meaning("", ", losses")
    DRIVE = c.meaning("", ", an incoming wave")
    STEP, LOSS_RATE = c.constant(0.2, 0.7), c.constant(0.1, 0.5)

    def at(u: wp.array2d[float], i: int, j: int) -> float:
        if EDGE == "periodic":
            return u[i % u.shape[0], j % u.shape[1]]
        else:
            if i >= u.shape[0] or j >= u.shape[1]:
                return 0.0
            return u[i, j]

    @c.kernel(rows, cols)
    def kernel(
        ez: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        ex: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        ey: wp.array2d[float] = given(rows, cols, low=-1.0, high=1.0),
        permeability: wp.array2d[float] = given(rows, cols, low=1.0, high=4.0),
        incoming: wp.array[float] = given(rows, low=-1.0, high=1.0),
        hx: wp.array2d[float] = updated(rows, cols, low=-1.0, high=1.0),
        hy: wp.array2d[float] = updated(rows, cols, low=-1.0, high=1.0),
        hz: wp.array2d[float] = updated(rows, cols, low=-1.0, high=1.0),
    ):
        i, j = wp.tid()
        if MODE == "TM":
            dedy = at(ez, i + 1, j) - ez[i, j]
            dedx = at(ez, i, j + 1) - ez[i, j]
            if DRIVE:
                if j == 0:
                    # the scattered field ends here
                    dedx -= incoming[i]
            if MEDIUM:
                dedy /= permeability[i, j]
                dedx /= permeability[i, j]
            if LOSS:
                hx[i, j] = (1.0 - LOSS_RATE) * hx[i, j] - STEP * dedy
                hy[i, j] = (1.0 - LOSS_RATE) * hy[i, j] + STEP * dedx
            else:
                hx[i, j] -= STEP * dedy
                hy[i, j] += STEP * dedx
        else:
            curl = at(ey, i, j + 1) - ey[i, j] - at(ex, i + 1, j) + ex[i, j]
            if DRIVE:
                if j == 0:
                    curl -= incoming[i]
            if MEDIUM:
                curl /= permeability[i, j]
            if LOSS:
                hz[i, j] = (1.0 - LOSS_RATE) * hz[i, j] - STEP * curl
            else:
                hz[i, j] -= STEP * curl


@idiom(
    level=4,
    names=NAMES
    | {
        "E": "E electric fields",
        "H": "H magnetic mag",
        "current": "current J source_current",
        "curl_x curl_y curl_z": "curl_x curl_y curl_z | cx cy cz",
        "eps": "eps permittivity eps_r",
        "sigma": "sigma conductivity losses",
        "keep": "keep ca decay",
        "gain": "gain cb factor",
        "kernel": "update_e yee_e ampere",
    },
)
def electric_field_update(c):
    """Steps the electric field in place in {MEDIUM}, {EDGE} sides{CURRENT}{WHICH}."""
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    MEDIUM = c.meaning("a vacuum", "dielectrics", "conductors")
    EDGE, CURRENT = c.meaning("periodic", "metal"), c.meaning("", ", currents")
    WHICH = c.meaning("", ", upright part only")
    STEP = c.constant(0.1, 0.5)

    def at(H: wp.array4d[float], axis: int, i: int, j: int, k: int) -> float:
        """A component of the magnetic field, around the grid where need be."""
        nx = H.shape[1]
        ny = H.shape[2]
        nz = H.shape[3]
        return H[axis, (i + nx) % nx, (j + ny) % ny, (k + nz) % nz]

    @c.kernel(nx, ny, nz)
    def kernel(
        H: wp.array4d[float] = given(3, nx, ny, nz, low=-1.0, high=1.0),
        current: wp.array4d[float] = given(3, nx, ny, nz, low=-1.0, high=1.0),
        eps: wp.array3d[float] = given(nx, ny, nz, low=1.0, high=4.0),
        sigma: wp.array3d[float] = given(nx, ny, nz, low=0.1, high=1.0),
        E: wp.array4d[float] = updated(3, nx, ny, nz, low=-1.0, high=1.0),
    ):
        i, j, k = wp.tid()
        if EDGE == "metal":
            # no field along a metal wall
            if i == 0 or j == 0 or k == 0:
                return
        curl_z = H[1, i, j, k] - at(H, 1, i - 1, j, k) - H[0, i, j, k] + at(H, 0, i, j - 1, k)
        if CURRENT:
            curl_z -= current[2, i, j, k]
        if not WHICH:
            curl_x = H[2, i, j, k] - at(H, 2, i, j - 1, k) - H[1, i, j, k] + at(H, 1, i, j, k - 1)
            curl_y = H[0, i, j, k] - at(H, 0, i, j, k - 1) - H[2, i, j, k] + at(H, 2, i - 1, j, k)
            if CURRENT:
                curl_x -= current[0, i, j, k]
                curl_y -= current[1, i, j, k]
        if MEDIUM == "conductors":
            loss = 0.5 * STEP * sigma[i, j, k] / eps[i, j, k]
            keep = (1.0 - loss) / (1.0 + loss)
            gain = STEP / (eps[i, j, k] * (1.0 + loss))
            E[2, i, j, k] = keep * E[2, i, j, k] + gain * curl_z
            if not WHICH:
                E[0, i, j, k] = keep * E[0, i, j, k] + gain * curl_x
                E[1, i, j, k] = keep * E[1, i, j, k] + gain * curl_y
        elif MEDIUM == "dielectrics":
            gain = STEP / eps[i, j, k]
            E[2, i, j, k] += gain * curl_z
            if not WHICH:
                E[0, i, j, k] += gain * curl_x
                E[1, i, j, k] += gain * curl_y
        else:
            E[2, i, j, k] += STEP * curl_z
            if not WHICH:
                E[0, i, j, k] += STEP * curl_x
                E[1, i, j, k] += STEP * curl_y


@idiom(
    level=4,
    names=NAMES
    | {
        "particles": "particles charges electrons",
        "p": "p particle one",
        "minus prime plus": "minus prime plus | before turning after | v_minus v_prime v_plus",
        "t": "t half_turn tangent",
        "field": "field fields lab",
        "gamma": "gamma lorentz g_factor",
        "kernel": "push_particles boris move_charges",
        "box": "box size domain_length",
    },
)
def boris_push(c):
    """Pushes {particles} in place by {SCHEME} in {FIELDS}{SPEED}{WALLS}."""
    n = c.size()
    SCHEME = c.meaning("Boris's scheme", "exact turns", "plain leapfrog")
    FIELDS = c.meaning("uniform fields", "fields of their own")
    SPEED = c.meaning("", ", relativistically")
    WALLS = c.meaning("", ", around a periodic box", ", between mirrors")
    BOX = c.constant(0.7, 1.1)

    class Particle:
        pos: wp.vec3
        vel: wp.vec3
        ratio: float

    class Fields:
        electric: wp.vec3
        magnetic: wp.vec3

    def inside(x: wp.vec3, box: float) -> wp.vec3:
        """Back on the other side."""
        return x - box * wp.vec3(wp.floor(x[0] / box), wp.floor(x[1] / box), wp.floor(x[2] / box))

    @c.kernel(n)
    def kernel(
        particles: wp.array[Particle] = updated(n, low=0.2, high=1.0),
        fields: wp.array[Fields] = given(n, low=-1.0, high=1.0),
        lab: Fields = given(low=-1.0, high=1.0),
        dt: float = given(low=0.3, high=0.9),
    ):
        tid = wp.tid()
        p = particles[tid]
        half = 0.5 * dt * p.ratio
        if FIELDS == "uniform fields":
            kick = half * lab.electric
            t = half * lab.magnetic
        else:
            field = fields[tid]
            kick = half * field.electric
            t = half * field.magnetic
        minus = p.vel + kick
        if SPEED:
            t /= wp.sqrt(1.0 + wp.length_sq(minus))
        if SCHEME == "plain leapfrog":
            plus = minus + 2.0 * wp.cross(minus, t)
        elif SCHEME == "exact turns":
            turn = wp.quat_from_axis_angle(wp.normalize(t), -2.0 * wp.length(t))
            plus = wp.quat_rotate(turn, minus)
        else:
            prime = minus + wp.cross(minus, t)
            # a rotation: the speed stays what it is
            plus = minus + 2.0 / (1.0 + wp.length_sq(t)) * wp.cross(prime, t)
        p.vel = plus + kick
        if SPEED:
            p.pos = p.pos + dt / wp.sqrt(1.0 + wp.length_sq(p.vel)) * p.vel
        else:
            p.pos = p.pos + dt * p.vel
        if WALLS == ", around a periodic box":
            p.pos = inside(p.pos, BOX)
        elif WALLS == ", between mirrors":
            if p.pos[2] < 0.0 or p.pos[2] > BOX:
                p.vel = wp.vec3(p.vel[0], p.vel[1], -p.vel[2])
        particles[tid] = p


@idiom(
    level=3,
    names=NAMES
    | {
        "x": "x positions particle_x",
        "density": "density rho charge_grid",
        "current": "current J flow_grid",
        "weight": "weight share portion",
        "place": "place at_cell scaled",
        "i0 j0": "i0 j0 | left bottom | ix iy",
        "di dj": "di dj | oi oj",
        "wx wy": "wx wy | sx sy",
        "kernel": "deposit scatter_charge p2g",
    },
)
def deposit_charge(c):
    """Deposits {WHAT} on a grid by {SHAPE} shapes, {EDGE} edges{AREA}{SKIP}."""
    n, rows, cols = c.size(8, 14), c.size(5, 7), c.size(5, 7)
    WHAT = c.meaning("the charge", "the charge and current", "the number")
    SHAPE, EDGE = c.meaning("nearest", "linear", "quadratic"), c.meaning("periodic", "clamped")
    AREA, SKIP = c.meaning("", ", by area"), c.meaning("", ", none that are lost")
    CELL = c.constant(0.3, 0.9)
    WIDTH = {"nearest": 1, "linear": 2, "quadratic": 3}[SHAPE]

    def share(d: float) -> float:
        """What a cell at this distance gets."""
        if SHAPE == "linear":
            return wp.max(1.0 - wp.abs(d), 0.0)
        elif SHAPE == "quadratic":
            far = wp.abs(d)
            if far < 0.5:
                return 0.75 - far * far
            if far < 1.5:
                return 0.5 * (1.5 - far) * (1.5 - far)
            return 0.0
        else:
            return 1.0

    @c.kernel(n)
    def kernel(
        x: wp.array[wp.vec2] = given(n, low=0.0, high=4.9, of="position"),
        q: wp.array[float] = given(n, low=0.5, high=2.0),
        v: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0, of="velocity"),
        alive: wp.array[int] = given(n, low=0, high=1),
        density: wp.array2d[float] = result(rows, cols),
        current: wp.array2d[wp.vec2] = result(rows, cols),
    ):
        tid = wp.tid()
        if SKIP:
            if alive[tid] == 0:
                return
        place = x[tid]
        if WHAT == "the number":
            amount = float(1.0)
        else:
            amount = float(q[tid])
        if AREA:
            amount /= CELL * CELL
        if SHAPE == "linear":
            i0 = int(wp.floor(place[1]))
            j0 = int(wp.floor(place[0]))
        else:
            i0 = int(wp.floor(place[1] + 0.5))
            j0 = int(wp.floor(place[0] + 0.5))
        if SHAPE == "nearest":
            if EDGE == "periodic":
                i = i0 % rows
                j = j0 % cols
            else:
                i = wp.min(i0, rows - 1)
                j = wp.min(j0, cols - 1)
            wp.atomic_add(density, i, j, amount)
            if WHAT == "the charge and current":
                wp.atomic_add(current, i, j, amount * v[tid])
        else:
            # the shape reaches over {WIDTH} cells a side
            for di in range(WIDTH):
                for dj in range(WIDTH):
                    if SHAPE == "linear":
                        y = i0 + di
                        x_cell = j0 + dj
                    else:
                        y = i0 + di - 1
                        x_cell = j0 + dj - 1
                    weight = share(place[1] - float(y)) * share(place[0] - float(x_cell))
                    if EDGE == "periodic":
                        i = (y + rows) % rows
                        j = (x_cell + cols) % cols
                    else:
                        i = wp.clamp(y, 0, rows - 1)
                        j = wp.clamp(x_cell, 0, cols - 1)
                    wp.atomic_add(density, i, j, weight * amount)
                    if WHAT == "the charge and current":
                        wp.atomic_add(current, i, j, weight * amount * v[tid])


@idiom(
    level=3,
    names=NAMES
    | {
        "energy": "energy density u_em",
        "flux": "flux poynting S",
        "total": "total energy_sum budget",
        "electric magnetic": "electric magnetic | e h | e_here h_here",
        "eps": "eps permittivity eps_r",
        "kernel": "energy_and_flux poynting em_energy",
    },
)
def field_energy_flux(c):
    """The {WANTED} in each cell of a {GRID} grid{MEDIUM}{SUM}."""
    nx, ny, nz = c.size(4, 5), c.size(4, 5), c.size(4, 5)
    WANTED = c.meaning("energy density", "energy flux", "energy density and flux", "momentum density")
    GRID, MEDIUM = c.meaning("collocated", "staggered"), c.meaning("", " of dielectrics")
    SUM = c.meaning("", ", and their sum")
    Whole = float if WANTED == "energy density" else c.vec(3)

    @c.kernel(nx, ny, nz)
    def kernel(
        E: wp.array4d[float] = given(3, nx + 1, ny + 1, nz + 1, low=-1.0, high=1.0),
        H: wp.array4d[float] = given(3, nx + 1, ny + 1, nz + 1, low=-1.0, high=1.0),
        eps: wp.array3d[float] = given(nx, ny, nz, low=1.0, high=4.0),
        energy: wp.array3d[float] = result(nx, ny, nz, of="energy"),
        flux: wp.array3d[wp.vec3] = result(nx, ny, nz),
        total: wp.array[Whole] = result(1),
    ):
        i, j, k = wp.tid()
        if GRID == "staggered":
            # each component is moved to the middle of the cell
            ex = 0.5 * (E[0, i, j, k] + E[0, i + 1, j, k])
            ey = 0.5 * (E[1, i, j, k] + E[1, i, j + 1, k])
            ez = 0.5 * (E[2, i, j, k] + E[2, i, j, k + 1])
            electric = wp.vec3(ex, ey, ez)
        else:
            electric = wp.vec3(E[0, i, j, k], E[1, i, j, k], E[2, i, j, k])
        magnetic = wp.vec3(H[0, i, j, k], H[1, i, j, k], H[2, i, j, k])
        if WANTED == "energy density" or WANTED == "energy density and flux":
            if MEDIUM:
                stored = eps[i, j, k] * wp.length_sq(electric) + wp.length_sq(magnetic)
            else:
                stored = wp.length_sq(electric) + wp.length_sq(magnetic)
            energy[i, j, k] = 0.5 * stored
            if SUM:
                if WANTED == "energy density":
                    wp.atomic_add(total, 0, 0.5 * stored)
        if WANTED != "energy density":
            power = wp.cross(electric, magnetic)
            if WANTED == "momentum density":
                if MEDIUM:
                    power *= eps[i, j, k]
            flux[i, j, k] = power
            if SUM:
                wp.atomic_add(total, 0, power)


@idiom(
    level=3,
    names=NAMES
    | {
        "points": "points targets probes",
        "charges": "charges sources ions",
        "source": "source charge_k one",
        "to_point": "to_point offset d",
        "r": "r distance dist",
        "kernel": "sum_charges coulomb_field",
    },
)
def electric_field_of_charges(c):
    """The {WANTED} at {points} by {LAW}{GROUND}{BACKGROUND}{REACH}."""
    n, count = c.size(8, 12), c.size(5, 9)
    WANTED, LAW = (
        c.meaning("potential", "electric field"),
        c.meaning("Coulomb's law", "screening", "soft cores"),
    )
    GROUND, BACKGROUND = c.meaning("", " over a plate"), c.meaning("", " and a uniform field")
    REACH = c.meaning("", ", cut off")
    SOFT, LENGTH, CUTOFF = c.constant(0.2, 0.8), c.constant(0.5, 2.0), c.constant(1.5, 3.0)
    Wanted = float if WANTED == "potential" else c.vec(3)

    class Charge:
        at: wp.vec3
        charge: float

    def share(q: float, to_point: wp.vec3) -> Wanted:
        """What one charge adds."""
        if LAW == "soft cores":
            r = wp.sqrt(wp.length_sq(to_point) + SOFT * SOFT)
        else:
            # on the charge itself there is no field
            r = wp.max(wp.length(to_point), 0.1)
        if WANTED == "potential":
            if LAW == "screening":
                return q * wp.exp(-r / LENGTH) / r
            else:
                return q / r
        else:
            if LAW == "screening":
                return q * wp.exp(-r / LENGTH) * (1.0 + r / LENGTH) / (r * r * r) * to_point
            else:
                return q / (r * r * r) * to_point

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = given(n, low=0.1, high=2.0, of="position"),
        charges: wp.array[Charge] = given(count, low=0.2, high=1.5),
        background: wp.vec3 = given(low=-1.0, high=1.0),
        out: wp.array[Wanted] = result(n, of="force" if WANTED == "electric field" else None),
    ):
        tid = wp.tid()
        here = points[tid]
        if WANTED == "potential":
            total = float(0.0)
        else:
            total = wp.vec3(0.0, 0.0, 0.0)
        for k in range(charges.shape[0]):
            source = charges[k]
            to_point = here - source.at
            if REACH:
                if wp.length(to_point) > CUTOFF:
                    continue
            total += share(source.charge, to_point)
            if GROUND:
                # its image below the plate
                image = here - wp.vec3(source.at[0], source.at[1], -source.at[2])
                total -= share(source.charge, image)
        if BACKGROUND:
            if WANTED == "potential":
                total -= wp.dot(background, here)
            else:
                total += background
        out[tid] = total


@idiom(
    level=5,
    names=NAMES
    | {
        "x0 v0": "x0 v0 | start_x start_v | positions velocities",
        "x v": "x v | pos vel | r u",
        "ratio": "ratio charge_to_mass q_over_m",
        "steps": "steps count n_steps",
        "k1 k2 k3 k4": "k1 k2 k3 k4 | a1 a2 a3 a4",
        "magnetic": "magnetic b_field field_at",
        "acceleration": "acceleration lorentz rate",
        "kernel": "trace_orbits follow_charge integrate_orbit",
    },
)
def particle_orbit(c):
    """Follows charges in {magnetic}{ELECTRIC} by {SCHEME} to {WANTED}{STOP}."""
    n, steps = c.size(6, 10), c.count(4, 9)
    SCHEME = c.meaning("Boris steps", "midpoint steps", "Runge-Kutta steps")
    WANTED = c.meaning("where they end", "how far they got", "their last velocity")
    Found = float if WANTED == "how far they got" else c.vec(3)
    ELECTRIC, STOP = c.meaning("", " and a pull"), c.meaning("", ", up to a wall")
    STRENGTH, SLOPE = c.constant(0.5, 2.0), c.constant(0.1, 0.6)
    FIELD, WALL = c.constant(0.2, 1.5), c.constant(1.2, 2.5)

    def dipole(x: wp.vec3) -> wp.vec3:
        """a dipole field"""
        r = wp.max(wp.length(x), 0.5)
        along = x[2] / r
        return STRENGTH / (r * r * r) * (3.0 * along / r * x - wp.vec3(0.0, 0.0, 1.0))

    def mirror(x: wp.vec3) -> wp.vec3:
        """a magnetic mirror"""
        squeeze = SLOPE * x[2]
        return STRENGTH * wp.vec3(-squeeze * x[0], -squeeze * x[1], 1.0 + squeeze * x[2])

    def torus(x: wp.vec3) -> wp.vec3:
        """a toroidal field"""
        squared = wp.max(x[0] * x[0] + x[1] * x[1], 0.1)
        return STRENGTH / squared * wp.vec3(-x[1], x[0], 0.0)

    def sheet(x: wp.vec3) -> wp.vec3:
        """a current sheet"""
        return STRENGTH * wp.vec3(wp.tanh(x[2]), 0.0, SLOPE)

    magnetic = c.meaning(dipole, mirror, torus, sheet)

    def acceleration(x: wp.vec3, v: wp.vec3, ratio: float) -> wp.vec3:
        if ELECTRIC:
            return ratio * (wp.vec3(0.0, 0.0, FIELD) + wp.cross(v, magnetic(x)))
        else:
            return ratio * wp.cross(v, magnetic(x))

    @c.kernel(n)
    def kernel(
        x0: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="position"),
        v0: wp.array[wp.vec3] = given(n, low=-1.0, high=1.0, of="velocity"),
        ratio: wp.array[float] = given(n, low=-1.5, high=1.5),
        dt: float = given(low=0.05, high=0.15),
        out: wp.array[Found] = result(n),
    ):
        tid = wp.tid()
        x = x0[tid]
        v = v0[tid]
        for _ in range(steps):
            if SCHEME == "Boris steps":
                if ELECTRIC:
                    kick = 0.5 * dt * ratio[tid] * wp.vec3(0.0, 0.0, FIELD)
                    minus = v + kick
                else:
                    minus = v
                t = 0.5 * dt * ratio[tid] * magnetic(x)
                prime = minus + wp.cross(minus, t)
                plus = minus + 2.0 / (1.0 + wp.length_sq(t)) * wp.cross(prime, t)
                if ELECTRIC:
                    v = plus + kick
                else:
                    v = plus
                x += dt * v
            elif SCHEME == "midpoint steps":
                halfway = v + 0.5 * dt * acceleration(x, v, ratio[tid])
                v += dt * acceleration(x + 0.5 * dt * v, halfway, ratio[tid])
                x += dt * halfway
            else:
                a1 = acceleration(x, v, ratio[tid])
                v2 = v + 0.5 * dt * a1
                a2 = acceleration(x + 0.5 * dt * v, v2, ratio[tid])
                v3 = v + 0.5 * dt * a2
                a3 = acceleration(x + 0.5 * dt * v2, v3, ratio[tid])
                v4 = v + dt * a3
                a4 = acceleration(x + dt * v3, v4, ratio[tid])
                x += dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
                v += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
            if STOP:
                # a lost charge stays where it struck
                if wp.length(x) > WALL:
                    break
        if WANTED == "where they end":
            out[tid] = x
        elif WANTED == "how far they got":
            out[tid] = wp.length(x - x0[tid])
        else:
            out[tid] = v
