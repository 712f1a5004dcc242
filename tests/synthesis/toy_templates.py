"""Small templates for tests of templates and their composition."""

from __future__ import annotations

from enum import IntEnum

from warp_ir_dataset.synthesis.templates.template import idiom, inout, input, output, wp


@idiom(level=3, names={"x": "x values", "i j": "p q | r s", "kernel": "blend blended"})
def blended(c):
    """Each {WHAT} of {x} blended by {WEIGHT} with {HOW}."""
    n, m = c.size(4, 6), c.size(4, 6)
    WHAT = c.meaning("entry", "row", "column")
    HOW = c.meaning("nothing", "its square")
    WEIGHT = c.constant(0.1, 0.9)
    TAPS = (0.25, 0.5, 0.25)

    def square(v: float) -> float:
        """A number times itself."""
        return v * v

    @c.kernel(n, m)
    def kernel(
        x: wp.array2d[float] = input(n, m, low=0.5, high=1.5),
        unused: wp.array[float] = input(n, low=0.0, high=1.0),
        out: wp.array2d[float] = output(n, m),
    ):
        i, j = wp.tid()
        # the weighted {x}
        total = WEIGHT * x[i, j]
        if WHAT == "row":
            for k in range(m):
                total += x[i, k]  # all of the row
        elif WHAT == "column":
            for k, tap in ((0, 0.5), (1, 2.0)):
                total += tap * x[k, j]
        if HOW == "its square" and not (WHAT == "entry"):
            total = total + square(x[i, j])
        else:
            total = TAPS[1] * total
        out[i, j] = total if HOW == "nothing" else square(total)


@idiom(level=3, names={"v": "pace rate"})
def flown(c):
    """How far each of {points} flies."""
    n = c.size(4, 6)

    class Point:
        v: float

    def reach(v: float) -> float:
        """How far a point flies."""
        if c.meaning(True, True):
            # no less than one
            return wp.max(v, 1.0)

    @c.kernel(n)
    def kernel(
        points: wp.array[Point] = input(n, low=0.5, high=1.5),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        out[tid] = reach(points[tid].v)


@idiom(level=2)
def doubled(c):
    """Twice each entry of {x}."""
    n = c.size(4, 6)

    @c.kernel(n)
    def kernel(x: wp.array[float] = inout(n, low=0.5, high=1.5)):
        tid = wp.tid()
        x[tid] = 2.0 * x[tid]


@idiom(level=2)
def idle(c):
    """Nothing of any use."""
    n = c.size(4, 6)

    @c.kernel(n)
    def kernel(x: wp.array[float] = input(n, low=0.5, high=1.5), out: wp.array[float] = output(n)):
        tid = wp.tid()
        out[tid] = x[tid] - x[tid]


@idiom(level=2)
def badly_named(c):
    """A name that C++ has another use for."""
    n = c.size(4, 6)

    @c.kernel(n)
    def kernel(new: wp.array[float] = inout(n, low=0.5, high=1.5)):
        tid = wp.tid()
        new[tid] = 2.0 * new[tid]


@idiom(level=2)
def without_kernel(c):
    """A template that forgot its kernel."""
    c.size()


@idiom(level=2)
def out_of_bounds(c):
    """The next entry of {x}, which the last thread has none of."""
    n = c.size(4, 6)

    @c.kernel(n)
    def kernel(x: wp.array[float] = input(n, low=0.5, high=1.5), out: wp.array[float] = output(n)):
        tid = wp.tid()
        out[tid] = x[tid + 1]


@idiom(level=3)
def finite_by_sampling(c):
    """The logarithm of a sum that intervals cannot see to be positive."""
    n = c.size(4, 6)

    @c.kernel(n)
    def kernel(x: wp.array[float] = input(n, low=1.0, high=2.0), out: wp.array[float] = output(n)):
        tid = wp.tid()
        shifted = x[tid] - 2.0 * x[tid]
        out[tid] = wp.log(-shifted)


@idiom(level=2)
def told_at_length(c):
    """The square of each element, of which so much can be said that no line of a kernel has room for all the words that it takes."""  # noqa: E501
    n = c.size()

    @c.kernel(n)
    def kernel(x: wp.array[float] = input(n, low=0.5, high=2.0), out: wp.array[float] = output(n)):
        tid = wp.tid()
        out[tid] = x[tid] * x[tid]


@idiom(level=2)
def returned_early(c):
    """The {WHAT} of each element."""
    n = c.size()
    WHAT = c.meaning("square", "root")
    LIMIT = c.constant(0.5, 2.0)

    def capped(v: float) -> float:
        return wp.min(v, LIMIT)

    def changed(v: float) -> float:
        if WHAT == "square":
            return v * v
        root = wp.sqrt(v)
        return capped(root)

    @c.kernel(n)
    def kernel(x: wp.array[float] = input(n, low=0.5, high=2.0), out: wp.array[float] = output(n)):
        tid = wp.tid()
        out[tid] = changed(x[tid])


@idiom(level=2)
def scaled(c):
    """Each entry of {x} times {GAIN}, over it."""
    n = c.size(4, 6)
    GAIN = c.meaning(1.0, 2.0)

    @c.kernel(n)
    def kernel(x: wp.array[float] = input(n, low=0.5, high=1.5), out: wp.array[float] = output(n)):
        i = wp.tid()
        out[i] = GAIN * x[i] / GAIN + x[i] * GAIN


@idiom(level=2, names={"x": "values", "y": "square power", "kernel": "square_entries"})
def named_by_choice(c):
    """The {WHAT} of each entry of {x}, and a little."""
    n = c.size(4, 6)
    WHAT = c.meaning("square", "root")
    EPS = c.constant(0.001, 0.009, step=0.001)
    if WHAT == "root":
        c.names({"y": "root", "kernel": "take_roots"})

    def lessened(x: float) -> float:
        return x * (1.0 - EPS)

    @c.kernel(n)
    def kernel(x: wp.array[float] = input(n, low=0.5, high=1.5), out: wp.array[float] = output(n)):
        i = wp.tid()
        y = x[i] * x[i] if WHAT == "square" else wp.sqrt(x[i])
        out[i] = lessened(y)


@idiom(level=2)
def unrolled(c):
    """The sum of {x}'s first {TERMS} entries, squared."""
    TERMS = c.meaning(12, 14, 16)

    @c.kernel(4)
    def kernel(x: wp.array[float] = input(16, low=0.5, high=1.5), out: wp.array[float] = output(4)):
        i = wp.tid()
        total = float(0.0)
        for k in range(TERMS):
            total += x[k] * x[k] + x[k] * x[i] + x[i]
        out[i] = total


# ---- templates that go together: five points each


@idiom(level=2)
def gap_of_points(c):
    """The gap of each point."""

    def half(v: float) -> float:
        return 0.5 * v

    def curve(v: float) -> float:
        return v - 1.0

    @c.kernel(5)
    def kernel(
        x: wp.array[float] = input(5, low=-1.0, high=1.0),
        size: float = input(low=0.4, high=1.0, of="radius"),
        gaps: wp.array[float] = output(5, of="distance"),
    ):
        tid = wp.tid()
        v = half(x[tid])
        gaps[tid] = curve(v) + size


@idiom(level=3)
def gap_by_functions(c):
    """The gap of each point, by functions that have all the names of one."""

    def distance(v: float) -> float:
        return 1.0 + v * v

    def gap(v: float) -> float:
        return v + 2.0

    def sd(v: float) -> float:
        return 0.5 * v

    @c.kernel(5)
    def kernel(
        x: wp.array[float] = input(5, low=-1.0, high=1.0),
        gaps: wp.array[float] = output(5, of="distance"),
    ):
        tid = wp.tid()
        if x[tid] < 0.1:
            gaps[tid] = 1.0
        else:
            gaps[tid] = sd(gap(distance(x[tid])))


@idiom(level=3)
def push_of_gaps(c):
    """The push of each of {gaps}."""

    def half(v: float) -> float:
        return 0.5 * v

    def curve(v: float) -> float:
        return v * v

    @c.kernel(5)
    def kernel(
        gaps: wp.array[float] = input(5, low=-1.5, high=2.0, of="distance"),
        size: float = input(low=0.3, high=0.9, of="radius"),
        out: wp.array[float] = output(5),
    ):
        i = wp.tid()
        v = gaps[i]
        out[i] = size * curve(v) + half(v)


@idiom(level=2)
def guarded_gaps(c):
    """The gap of each point that is not behind."""

    @c.kernel(5)
    def kernel(
        x: wp.array[float] = input(5, low=-1.0, high=2.0),
        gaps: wp.array[float] = output(5, of="distance"),
    ):
        i = wp.tid()
        if x[i] < 0.0:
            # behind there is none
            return
        gaps[i] = 1.0 + x[i]


@idiom(level=2)
def smoothed_gaps(c):
    """Each gap and the next."""

    @c.kernel(5)
    def kernel(
        gaps: wp.array[float] = input(5, low=-2.0, high=2.0, of="distance"),
        out: wp.array[float] = output(5),
    ):
        i = wp.tid()
        out[i] = gaps[i] + gaps[(i + 1) % 5]


@idiom(level=2)
def root_of_gaps(c):
    """The root of each gap."""

    @c.kernel(5)
    def kernel(
        gaps: wp.array[float] = input(5, low=0.1, high=2.0, of="distance"),
        out: wp.array[float] = output(5),
    ):
        i = wp.tid()
        out[i] = wp.sqrt(gaps[i])


@idiom(level=2)
def moved_points(c):
    """Moves points."""

    @c.kernel(5)
    def kernel(
        x: wp.array[wp.vec2] = inout(5, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = input(5, low=-1.0, high=1.0, of="velocity"),
        dt: float = input(low=0.1, high=0.5),
    ):
        i = wp.tid()
        x[i] = x[i] + dt * v[i]


@idiom(level=2)
def points_ahead(c):
    """Finds where points will be."""

    @c.kernel(5)
    def kernel(
        x: wp.array[wp.vec2] = input(5, low=-1.0, high=1.0, of="position"),
        v: wp.array[wp.vec2] = input(5, low=-1.0, high=1.0, of="velocity"),
        dt: float = input(low=0.1, high=0.5),
        ahead: wp.array[wp.vec2] = output(5, of="position"),
    ):
        i = wp.tid()
        ahead[i] = x[i] + dt * v[i]


@idiom(level=2)
def heights_of_points(c):
    """Finds the height of each point."""

    @c.kernel(5)
    def kernel(
        x: wp.array[wp.vec2] = input(5, low=-1.0, high=1.0, of="position"),
        height: wp.array[float] = output(5),
    ):
        i = wp.tid()
        p = x[i]
        height[i] = p[1]


@idiom(level=2)
def closed_gaps(c):
    """Closes gaps, in place."""

    @c.kernel(5)
    def kernel(gaps: wp.array[float] = inout(5, low=-1.0, high=1.0, of="distance")):
        i = wp.tid()
        gaps[i] = 0.25 * gaps[i]


@idiom(level=2)
def damped_gaps(c):
    """Damps gaps."""
    c.once("damping")
    c.once("nothing", "")

    @c.kernel(5)
    def kernel(
        gaps: wp.array[float] = input(5, low=-1.0, high=1.0, of="distance"),
        out: wp.array[float] = output(5, of="distance"),
    ):
        i = wp.tid()
        out[i] = 0.5 * gaps[i]


@idiom(level=2)
def differences_of_points(c):
    """Finds how far each point is from another one."""

    @c.kernel(5)
    def kernel(
        x: wp.array[wp.vec2] = input(5, low=-1.0, high=1.0, of="position"),
        y: wp.array[wp.vec2] = input(5, low=-1.0, high=1.0, of="position"),
        out: wp.array[float] = output(5),
    ):
        i = wp.tid()
        out[i] = wp.length(x[i] - y[i])


@idiom(level=2)
def mirrored_points(c):
    """Mirrors points."""

    @c.kernel(5)
    def kernel(
        x: wp.array[wp.vec2] = input(5, low=-1.0, high=1.0, of="position"),
        mirrored: wp.array[wp.vec2] = output(5, of="position"),
    ):
        i = wp.tid()
        mirrored[i] = -x[i]


@idiom(level=2)
def kinds(c):
    """Each first half of a row by its kind."""
    n, HALF = c.size(4, 6), c.count(2, 3)

    class Kind(IntEnum):
        EMPTY = 0
        HALVED = 1 if HALF == 2 else 2

    def total(values: wp.array[float]) -> float:
        found = float(0.0)
        for k in range(values.shape[0]):
            found += values[k]
        return found

    @c.kernel(n)
    def kernel(
        kind: wp.array[int] = input(n, low=0, high=2),
        x: wp.array2d[float] = input(n, 6, low=0.5, high=1.5),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if kind[tid] == Kind.EMPTY:
            pass  # stays zero
        elif kind[tid] == Kind.HALVED:
            out[tid] = total(x[tid, :HALF])
        else:
            out[tid] = total(x[tid])


@idiom(level=2, names={"x": "x values", "out": "out results"})
def joining(c):
    """The {WHAT} of each of {x}, for a kernel that has them."""
    n = c.size(5, 14)
    WHAT = c.meaning("square", "sine", "half")

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=-2.0, high=4.0, of="value"),
        out: wp.array[float] = output(n, of="value"),
    ):
        i = wp.tid()
        if WHAT == "square":
            out[i] = x[i] * x[i]
        elif WHAT == "sine":
            out[i] = wp.sin(x[i])
        else:
            out[i] = 0.5 * x[i]


def stretched(c):
    """A template that gets its task from tests."""
    n = c.size(8, 8)
    FACTOR = c.constant(5.1, 5.9)
    SHIFTED = c.meaning(True, False)
    HOW = "by {FACTOR}"
    WHERE = ", then moved by `{shift}[k]`" if SHIFTED else ""

    @c.kernel(n)
    def kernel(
        x: wp.array[float] = input(n, low=0.0, high=1.0),
        shift: wp.array[float] = input(n, low=0.0, high=1.0),
        out: wp.array[float] = output(n),
    ):
        tid = wp.tid()
        if SHIFTED:
            out[tid] = FACTOR * x[tid] + shift[tid]
        else:
            out[tid] = 7.5 * x[tid] + FACTOR
