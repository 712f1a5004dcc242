import warp as wp


@wp.struct
class Body:
    lift: float
    stretch_by: float


@wp.func
def transfer(falloff_term: float) -> float:
    return wp.length(wp.vec3(falloff_term))


@wp.kernel
def resolve_momentum(
    directions: wp.array2d[wp.vec3],
    momenta: wp.array2d[wp.vec3],
    positions: wp.array2d[wp.vec3],
    phases: wp.array2d[int],
    accelerations: wp.array[wp.vec3],
    energies: wp.array2d[wp.vec3],
):
    i, j = wp.tid()
    normal = -(directions[i, j] + momenta[i, j])
    pull_vector = positions[i, j] * float(i) + normal
    midpoint = accelerations[phases[i, j]]
    delta = Body()
    delta.lift = wp.max(positions[i, j])
    delta.stretch_by = wp.pow(wp.max(pull_vector[2], 0.1), wp.length(midpoint))
    wave = transfer(wp.length(pull_vector))
    portion = transfer(0.3 / wp.max(float(j), 0.2))
    relative = wp.normalize(
        wp.cw_mul(wp.max(wp.vec3(portion) - wp.vec3(wave), wp.vec3(delta.lift)), wp.vec3(2.1, delta.stretch_by, 3.0)),
    )
    if delta.stretch_by % 32.0 >= 2.3:
        relative = wp.min(relative, pull_vector)
    energies[i, j] = relative
