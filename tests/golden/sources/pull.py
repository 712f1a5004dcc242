import warp as wp

quadruple = wp.types.vector(length=4, dtype=wp.float32)


@wp.struct
class Body:
    mass: wp.float32
    velocity: wp.vec3


@wp.func
def soften(distance: float, epsilon: float) -> float:
    """Keeps the force finite."""
    return wp.sqrt(distance * distance + epsilon)


@wp.kernel
def pull(
    positions: wp.array(dtype=wp.vec3),
    masses: wp.array(dtype=float),
    weights: wp.array(dtype=quadruple),
    gain: float,
    forces: wp.array(dtype=float),
):
    i = wp.tid()
    body = Body()
    body.mass = masses[i]  # kilograms
    body.velocity = positions[i] * -0.5
    total = float(0.0)
    for k in range(4):
        if k % 2 == 0 and total < 3.0:
            total += soften(body.velocity[k % 3], 0.01) * body.mass
        elif not total > -1.5:
            total = total - gain
        else:
            total = wp.where(total > 0.0, total, 0.25)
    total += weights[i][3]
    forces[i] = wp.dot(body.velocity, wp.vec3(1.0, 0.0, 2.0)) + total / 3.0
