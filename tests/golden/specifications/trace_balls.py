import warp as wp


@wp.struct
class Ball:
    centre: wp.vec3
    radius: float


@wp.func
def meet(ball: Ball, origin: wp.vec3, direction: wp.vec3) -> float:
    """The distance along a ray to a ball, negative for a miss."""
    to_origin = origin - ball.centre
    half = wp.dot(to_origin, direction)
    rest = half * half - wp.dot(to_origin, to_origin) + ball.radius * ball.radius
    if rest < 0.0:
        return -1.0
    root = wp.sqrt(rest)
    if half + root > 0.0:
        return root - half
    return -half - root


@wp.kernel
def trace_balls(
    origins: wp.array(dtype=wp.vec3),
    dirs: wp.array(dtype=wp.vec3),
    balls: wp.array(dtype=Ball),
    hit: wp.array(dtype=int),
):
    """The index at which each ray first meets one of the balls, or minus one where it meets none."""
    tid = wp.tid()
    nearest = float(110.0)
    index = int(-1)
    for k in range(balls.shape[0]):
        t = meet(balls[k], origins[tid], dirs[tid])
        if t > 0.0 and t < nearest:
            nearest = t
            index = k
    hit[tid] = index
