"""Rays against shapes."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=4,
    names={
        "origins": "origins ray_origins starts",
        "directions": "directions ray_dirs dirs",
        "balls": "balls spheres particles",
        "hit": "hit distance t_hit",
        "index": "index nearest hit_index",
        "kernel": "trace_balls cast_rays",
    },
)
def nearest_ball(c):
    """The {WANTED} at which each ray first meets one of the balls, or {MISS} where it meets none."""
    rays, count = c.size(9, 14), c.size(4, 7)
    WANTED, MISS = c.meaning("distance", "index", "point"), c.meaning("a large number", "minus one")
    INSIDE = c.meaning(True, False)
    FAR = c.count(50, 200) * 1.0

    class Ball:
        centre: wp.vec3
        radius: float

    def meet(ball: Ball, origin: wp.vec3, direction: wp.vec3) -> float:
        """The distance along a ray to a ball, negative for a miss."""
        to_origin = origin - ball.centre
        half = wp.dot(to_origin, direction)
        rest = half * half - wp.dot(to_origin, to_origin) + ball.radius * ball.radius
        if rest < 0.0:
            return -1.0
        root = wp.sqrt(rest)
        if INSIDE:
            # from within a ball it is the far side that counts
            if half + root > 0.0:
                return root - half
        return -half - root

    @c.kernel(rays)
    def kernel(
        origins: wp.array[wp.vec3] = given(rays, low=-3.0, high=3.0),
        directions: wp.array[wp.vec3] = given(rays, low=-1.0, high=1.0, trait="unit"),
        balls: wp.array[Ball] = given(count, low=0.4, high=2.0),
        hit: wp.array[wp.vec3 if WANTED == "point" else int if WANTED == "index" else float] = result(rays),
    ):
        tid = wp.tid()
        nearest = float(FAR)
        index = int(-1)
        for k in range(balls.shape[0]):
            t = meet(balls[k], origins[tid], directions[tid])
            if t > 0.0 and t < nearest:
                nearest = t
                if WANTED == "index":
                    index = k
        if WANTED == "index":
            hit[tid] = index
        elif WANTED == "point":
            hit[tid] = origins[tid] + nearest * directions[tid]
        else:
            if MISS == "minus one":
                hit[tid] = wp.where(nearest < FAR, nearest, -1.0)
            else:
                hit[tid] = nearest
