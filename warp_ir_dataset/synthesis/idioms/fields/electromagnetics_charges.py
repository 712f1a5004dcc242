"""Charges and the fields that they make."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp
from .electromagnetics import NAMES


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
        "y x_cell": "y x_cell | cell_i cell_j | yi xj",
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
        x: wp.array[wp.vec2] = given(n, low=0.0, high=4.9),
        q: wp.array[float] = given(n, low=0.5, high=2.0),
        v: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0),
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
            amount = q[tid]
        if AREA:
            amount /= CELL * CELL
        if SHAPE == "linear":
            i0 = int(wp.floor(place[1]))
            j0 = int(wp.floor(place[0]))
        elif SHAPE == "nearest":
            i0 = int(wp.round(place[1]))
            j0 = int(wp.round(place[0]))
        else:
            i0 = int(wp.floor(place[1] + 0.5)) - 1
            j0 = int(wp.floor(place[0] + 0.5)) - 1
        if SHAPE == "nearest":
            if EDGE == "periodic":
                i = i0 % density.shape[0]
                j = j0 % density.shape[1]
            else:
                i = wp.min(i0, density.shape[0] - 1)
                j = wp.min(j0, density.shape[1] - 1)
            wp.atomic_add(density, i, j, amount)
            if WHAT == "the charge and current":
                wp.atomic_add(current, i, j, amount * v[tid])
        else:
            # the shape reaches over {WIDTH} cells a side
            for y in range(i0, i0 + WIDTH):
                for x_cell in range(j0, j0 + WIDTH):
                    weight = share(place[1] - float(y)) * share(place[0] - float(x_cell))
                    if EDGE == "periodic":
                        i = (y + density.shape[0]) % density.shape[0]
                        j = (x_cell + density.shape[1]) % density.shape[1]
                    else:
                        i = wp.clamp(y, 0, density.shape[0] - 1)
                        j = wp.clamp(x_cell, 0, density.shape[1] - 1)
                    wp.atomic_add(density, i, j, weight * amount)
                    if WHAT == "the charge and current":
                        wp.atomic_add(current, i, j, weight * amount * v[tid])


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
        points: wp.array[wp.vec3] = given(n, low=0.1, high=2.0),
        charges: wp.array[Charge] = given(count, low=0.2, high=1.5),
        background: wp.vec3 = given(low=-1.0, high=1.0),
        out: wp.array[Wanted] = result(n),
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
