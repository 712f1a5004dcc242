import warp as wp


@wp.kernel
def eval_springs(
    x: wp.array[wp.vec3],
    velocities: wp.array[wp.vec3],
    edges: wp.array2d[int],
    rest_lengths: wp.array[float],
    stiffness: float,
    damping: float,
    f: wp.array[wp.vec3],
):
    """Adds the force of each spring between two particles to `f` (tension-only law, full damping)."""
    spring = wp.tid()
    a = edges[spring, 0]
    b = edges[spring, 1]
    d = x[b] - x[a]
    length = wp.length(d)
    if length < 0.0001:
        return
    n = d / length
    stretch = wp.max(length - rest_lengths[spring], 0.0)
    force = stiffness * stretch * n + damping * (velocities[b] - velocities[a])
    wp.atomic_add(f, a, force)
    wp.atomic_add(f, b, -force)
