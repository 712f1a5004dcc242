import warp as wp

mat23 = wp.types.matrix(shape=(2, 3), dtype=wp.float64)
HALF = wp.constant(0.5)


@wp.kernel
def project(frames: wp.array(dtype=mat23), points: wp.array(dtype=wp.vec3d), out: wp.array(dtype=wp.vec2d)):
    i = wp.tid()
    frame = frames[i]
    frame[0, 1] = wp.float64(-1.0)
    point = points[i]
    out[i] = frame * point * wp.float64(HALF) + wp.vec2d(point.x, point[1])
