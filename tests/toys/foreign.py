"""Kernels as people define them: in functions, in classes, with constants and helpers of all kinds.

This is somebody's module: what it holds is extracted, and never executed again.
"""

import enum
import math
from typing import Any

import warp as wp
from warp import sin as sine

WIDTH = 4
AXIS = wp.constant(wp.vec3(0.0, 1.0, 0.0))
vec5 = wp.types.vector(length=5, dtype=float)
TABLE = (0.5, -0.25, 0.125)


class Limits:
    LARGEST = 3.5


class Mode(enum.IntEnum):
    SLOW = 1
    FAST = 2


@wp.func
def squared(x: Any):
    return x * x  # of any type


@wp.func
def scaled(x: float, by: float = 2.0):
    return squared(x) * by


@wp.func
def scaled(x: wp.vec3, by: float = 2.0):  # noqa: F811
    return x * by


@wp.func
def gated(x: float):
    return wp.max(x, 0.0)


@wp.func_grad(gated)
def adj_gated(x: float, adj_ret: float):
    wp.adjoint[x] += wp.where(x > 0.0, adj_ret, 0.1 * adj_ret)


@wp.func
def logged(x: float):
    return wp.log(x + float(WIDTH))


@wp.func_replay(logged)
def replay_logged(x: float):
    return x


@wp.func_native("return x + 1.0f;", adj_snippet="adj_x += adj_ret;")
def bumped(x: float) -> float: ...


@wp.struct
class Ball:
    center: wp.vec3
    radius: float
    hits: wp.array(dtype=int)

    @wp.func
    def area(self: Any, factor: float):
        return self.radius * self.radius * factor


@wp.kernel
def everything(balls: wp.array(dtype=Ball), x: wp.array(dtype=float), out: wp.array(dtype=float), ball: Ball):
    """Uses what a module can hold."""
    i = wp.tid()
    # The comment stays.
    sum = vec5()
    for k in range(WIDTH):
        sum[k] += x[i] * Limits.LARGEST
    if i == Mode.FAST:
        wp.atomic_add(ball.hits, 0, 1)
    turned = wp.dot(scaled(balls[i].center), AXIS) + sine(x[i]) + math.pi
    out[i] = scaled(gated(x[i])) + logged(x[i]) + bumped(turned) + Ball.area(balls[i], 2.0) + sum[0]


@wp.kernel
def unrolled(x: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    total = float(0.0)  # noqa: UP018
    for k in range(wp.static(len(TABLE))):
        total += wp.static(TABLE[k]) * x[i]
    out[i] = total + wp.static(-math.sqrt(2.0))


@wp.kernel
def generic(x: wp.array(dtype=Any), out: wp.array(dtype=Any)):
    i = wp.tid()
    out[i] = squared(x[i])


def make(factor: float, function: Any) -> Any:
    squared = function  # another meaning of the name than the module's

    @wp.kernel
    def made(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = squared(x[i]) * factor + scaled(x[i])

    return made


@wp.func
def cubed(x: float):
    return x * x * x


class Solver:
    """Kernels in a class, as simulations hold them."""

    @wp.kernel
    def step(x: wp.array(dtype=float), dt: float):
        i = wp.tid()
        x[i] = x[i] + dt * squared(x[i])


@wp.kernel(enable_backward=False)
def forward_only(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


@wp.kernel
def refused(x: wp.array(dtype=float)):
    x[wp.tid()] = unknown_function(1.0)  # noqa: F821


AnySize = wp.tile[float]
doubled_type = AnySize


@wp.func
def doubled(values: doubled_type) -> AnySize:
    return values * 2.0


doubled_type = None


@wp.kernel
def tiled(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    wp.tile_store(out, doubled(wp.tile_load(x, shape=16)))


def counting() -> list[Any]:
    """Kernels whose annotations name what has another value by now."""
    found = []
    for dims in (1, 2):

        @wp.kernel
        def count(x: wp.array(dtype=float, ndim=dims), out: wp.array(dtype=int)):
            out[wp.tid()] = x.shape[0]

        found.append(count)
    return found


@wp.kernel
def énergie(x: wp.array(dtype=float)):
    x[wp.tid()] = 2.0
