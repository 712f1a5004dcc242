"""The nearest place of a curve."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "targets": "targets queries points",
        "controls": "controls control_points ctrl",
        "best": "best nearest closest",
        "out": "out found projections",
        "kernel": "project_to_spline closest_on_curve",
    },
)
def nearest_on_spline(c):
    """The {SAYS}, by {METHOD} {START}.

    For each of the {targets}, find where {A_CURVE} comes nearest to it, and store {STORED} in {out}.
    {CURVE_OF}

    {BEGIN} {REFINE}
    """
    n, count, DIM = c.size(6, 9), c.size(5, 7), c.meaning(2, 3)
    WANTED = c.meaning("nearest point", "distance", "parameter", "tangent at the nearest point")
    PIECES = c.meaning("cubic piece", "quadratic Bezier piece", "piece of a quadratic B-spline")
    METHOD = c.meaning("up to 20 Gauss-Newton steps", "bisection", "golden-section search")
    START = c.meaning("from the nearest sample", "on the piece whose middle is nearest")
    SAMPLED, NEWTON = START == "from the nearest sample", METHOD[:5] == "up to"
    Vec = c.vec(DIM)
    Wanted = Vec if "nearest" in WANTED else float
    SAMPLES, SMALL = c.style(20, 25, 32), c.style(0.002, 0.005, 0.01, 0.02)
    SPLINE, ORDER = PIECES[:8] == "piece of", 4 if "cubic" in PIECES else 3
    CURVE = "a quadratic B-spline" if SPLINE else "a curve of quadratic Bezier pieces"
    if PIECES == "cubic piece":
        CURVE = "a curve of cubics given by coefficients"
        c.names({"controls": "coefficients coeffs cubics"})
    SAYS = {
        "nearest point": f"point of {CURVE} nearest to each target",
        "distance": f"distance from each target to {CURVE}",
        "parameter": f"parameter at which {CURVE} is nearest to each target",
        "tangent at the nearest point": f"tangent of {CURVE} where it is nearest to each target",
    }[WANTED]
    c.names(
        {
            "out": {
                "nearest point": "out found projections",
                "distance": "out dist distances",
                "parameter": "out params found",
                "tangent at the nearest point": "out tangents",
            }[WANTED]
        }
    )
    if WANTED != "nearest point":
        c.names(
            {
                "kernel": {
                    "distance": "distance_to_spline spline_distances",
                    "parameter": "nearest_params spline_params",
                    "tangent at the nearest point": "nearest_tangents tangents_on_spline",
                }[WANTED]
            }
        )

    def on_piece(controls: wp.array2d[Vec], k: int, t: float) -> Vec:
        """A point of the k-th piece."""
        if PIECES == "cubic piece":
            high = controls[k, 2] + t * controls[k, 3]
            return controls[k, 0] + t * (controls[k, 1] + t * high)
        first = wp.lerp(controls[k, 0], controls[k, 1], t)
        return wp.lerp(first, wp.lerp(controls[k, 1], controls[k, 2], t), t)

    def along_piece(controls: wp.array2d[Vec], k: int, t: float) -> Vec:
        """The first derivative."""
        if PIECES == "cubic piece":
            return controls[k, 1] + t * (2.0 * controls[k, 2] + 3.0 * t * controls[k, 3])
        return 2.0 * wp.lerp(controls[k, 1] - controls[k, 0], controls[k, 2] - controls[k, 1], t)

    def on_spline(controls: wp.array[Vec], k: int, t: float) -> Vec:
        """A point of the k-th piece."""
        a = controls[k]
        b = controls[k + 1]
        return 0.5 * (a + b) + t * (b - a) + 0.5 * t * t * (a - 2.0 * b + controls[k + 2])

    def along_spline(controls: wp.array[Vec], k: int, t: float) -> Vec:
        """The first derivative."""
        return wp.lerp(controls[k + 1] - controls[k], controls[k + 2] - controls[k + 1], t)

    point_at, velocity_at = (on_spline, along_spline) if SPLINE else (on_piece, along_piece)
    A_CURVE = (
        "a uniform quadratic B-spline"
        if SPLINE
        else "a curve of quadratic Bezier pieces"
        if "Bezier" in PIECES
        else "a curve of cubic pieces"
    )
    STORED = {
        "nearest point": "the point there",
        "distance": "the distance",
        "parameter": "the index of the piece plus its parameter",
        "tangent at the nearest point": "the unit tangent there (zero if the derivative is)",
    }[WANTED]
    CURVE_OF = "Row k of {controls} holds the control points of piece k."
    if SPLINE:
        CURVE_OF = (
            "There is a piece k for every three successive points a, b, c of {controls}; its points, for t "
            "in [0, 1], are ½·(a + b) + t·(b - a) + ½·t²·(a - 2·b + c)."
        )
    elif PIECES == "cubic piece":
        CURVE_OF = (
            "Row k of {controls} holds the coefficients of 1, t, t² and t³ of piece k, for t in [0, 1]."
        )
    BEGIN = "Take the piece whose point at t = ½ is nearest to the target; on ties the earlier one wins."
    if SAMPLED:
        BEGIN = (
            "Sample every piece at t = (s + ½) / {SAMPLES}, s = 0, 1, … below {SAMPLES}, and keep the "
            "nearest sample; on ties the earlier piece, then the smaller t wins."
        )
    INTERVAL = (
        "The interval starts at lo = max(t - 1/{SAMPLES}, 0) with the width w = min(2/{SAMPLES}, 1 - lo)."
        if SAMPLED
        else "The interval starts at lo = 0 with the width w = 1."
    )
    REFINE = {
        "bisection": "Stay on its piece and refine t by bisection. {INTERVAL} While w > {SMALL}, halve w, "
        "and if the curve still comes nearer at lo + w, that is, if (point - target)·derivative < 0 there, "
        "add the new w to lo. The answer is the middle, t = lo + w/2.",
        "golden-section search": "Stay on its piece and refine t by golden-section search. {INTERVAL} "
        "While w > {SMALL}, compare the points at lo + 0.381966·w and lo + 0.618034·w: if the first is "
        "farther away than the second, lo moves up by 0.381966·w; in any case w is multiplied by 0.618034. "
        "The answer is the middle, t = lo + w/2.",
    }.get(
        METHOD,
        "Stay on its piece and refine t{FROM} by at most 20 steps of Gauss and Newton: t falls by (point - "
        "target)·derivative / max(|derivative|², 0.001) and is then clamped to [0, 1]. A step of less than "
        "0.001, before the clamping, is the last.",
    )
    FROM = "" if SAMPLED else ", at first ½,"

    @c.kernel(n)
    def kernel(
        targets: wp.array[Vec] = input(n, low=-2.0, high=2.0, of="position"),
        controls: (wp.array[Vec] if SPLINE else wp.array2d[Vec]) = (
            input(count, low=-3.0, high=3.0) if SPLINE else input(count, ORDER, low=-1.5, high=1.5)
        ),
        out: wp.array[Wanted] = output(n),
    ):
        tid = wp.tid()
        target = targets[tid]
        best = float(1.0e6)
        index = int(0)
        if SAMPLED or NEWTON:
            t = float(0.5)
        for k in range(controls.shape[0] - 2 if SPLINE else controls.shape[0]):
            if SAMPLED:
                for s in range(SAMPLES):
                    trial = (float(s) + 0.5) / float(SAMPLES)
                    apart = wp.length_sq(point_at(controls, k, trial) - target)
                    if apart < best:
                        best = apart
                        index = k
                        t = trial
            else:
                apart = wp.length_sq(point_at(controls, k, 0.5) - target)
                if apart < best:
                    best = apart
                    index = k
        if NEWTON:
            for _step in range(20):
                offset = point_at(controls, index, t) - target
                velocity = velocity_at(controls, index, t)
                change = wp.dot(offset, velocity) / wp.max(wp.length_sq(velocity), 1.0e-3)
                t = wp.clamp(t - change, 0.0, 1.0)
                if wp.abs(change) < 1.0e-3:
                    break
        else:
            if SAMPLED:
                low = wp.max(t - 1.0 / float(SAMPLES), 0.0)
                width = wp.min(2.0 / float(SAMPLES), 1.0 - low)
            else:
                low = float(0.0)
                width = float(1.0)
            while width > SMALL:
                if METHOD == "golden-section search":
                    first = point_at(controls, index, low + 0.381966 * width)
                    second = point_at(controls, index, low + 0.618034 * width)
                    if wp.length(first - target) > wp.length(second - target):
                        low += 0.381966 * width
                    width *= 0.618034
                else:
                    width *= 0.5
                    offset = point_at(controls, index, low + width) - target
                    # the curve still comes nearer at the middle
                    if wp.dot(offset, velocity_at(controls, index, low + width)) < 0.0:
                        low += width
            t = low + 0.5 * width
        if WANTED == "nearest point":
            out[tid] = point_at(controls, index, t)
        elif WANTED == "distance":
            out[tid] = wp.length(point_at(controls, index, t) - target)
        elif WANTED == "parameter":
            out[tid] = float(index) + t
        else:
            out[tid] = wp.normalize(velocity_at(controls, index, t))
