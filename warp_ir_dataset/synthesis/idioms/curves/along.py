"""Along curves: lengths, even spacing, frames."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=4,
    names={
        "controls": "controls control_points ctrl",
        "lengths": "lengths out arc_lengths",
        "straight": "straight chords",
        "early late": "early late | near far",
        "kernel": "measure_curves integrate_speed",
    },
)
def bezier_length(c):
    """The length of each {DEGREE} Bezier curve in {DIM} dimensions{UPTO}, by {BY}{TOO}.

    Measure {DEGREE} Bezier curves. Row k of {controls} holds the control points of curve k. Store its length
    {FROM_TO} in `{lengths}[k]`, {AS}.{ENDS}
    """
    n, DIM = c.size(6, 10), c.meaning(2, 3)
    DEGREE, UPTO = c.meaning("quadratic", "cubic"), c.meaning("", " up to a parameter of its own")
    RULE = c.meaning("chords", "Simpson's rule", "the trapezoidal rule", "Gauss's rule")
    TOO = c.meaning("", "; the distance between its ends is stored too")
    if UPTO and TOO:
        TOO = "; the chord up to there is stored too"
    Vec, ORDER, PIECES = c.vec(DIM), 4 if DEGREE == "cubic" else 3, c.style(20, 24, 30, 32)
    BY = {
        "chords": f"{PIECES} chords",
        "Simpson's rule": f"Simpson's rule on {PIECES} pieces",
        "the trapezoidal rule": f"the trapezoidal rule on {PIECES} pieces",
        "Gauss's rule": "Gauss's rule with two nodes",
    }[RULE]
    if RULE == "chords":
        c.names({"kernel": "measure_curves sum_chords", "total": "total length travelled"})
    else:
        c.names({"total": "total speeds"})

    def point_at(controls: wp.array2d[Vec], curve: int, t: float) -> Vec:
        ab = wp.lerp(controls[curve, 0], controls[curve, 1], t)
        bc = wp.lerp(controls[curve, 1], controls[curve, 2], t)
        if DEGREE == "quadratic":
            return wp.lerp(ab, bc, t)
        cd = wp.lerp(controls[curve, 2], controls[curve, 3], t)
        return wp.lerp(wp.lerp(ab, bc, t), wp.lerp(bc, cd, t), t)

    def speed_at(controls: wp.array2d[Vec], curve: int, t: float) -> float:
        """The length of the first derivative."""
        ab = controls[curve, 1] - controls[curve, 0]
        bc = controls[curve, 2] - controls[curve, 1]
        if DEGREE == "quadratic":
            return 2.0 * wp.length(wp.lerp(ab, bc, t))
        cd = controls[curve, 3] - controls[curve, 2]
        return 3.0 * wp.length(wp.lerp(wp.lerp(ab, bc, t), wp.lerp(bc, cd, t), t))

    END = "`{params}[k]`" if UPTO else "1"
    FROM_TO = "up to the parameter {END}" if UPTO else "as a whole"
    AS = {
        "chords": "as the sum of {PIECES} chords between its points at equally spaced parameters from 0 to "
        "{END}",
        "Simpson's rule": "as the integral of its speed, the length of its derivative, over parameters "
        "from 0 to {END}, by Simpson's rule on each of {PIECES} equal pieces, its width / 6 times (speed "
        "at its start + 4·speed in its middle + speed at its end)",
        "the trapezoidal rule": "as the integral of its speed, the length of its derivative, over "
        "parameters from 0 to {END}, by the trapezoidal rule with {PIECES} equal intervals",
        "Gauss's rule": "as the integral of its speed, the length of its derivative, over parameters from "
        "0 to {END}, by Gauss's rule with two nodes, at 0.2113249 and 0.7886751 of the interval",
    }[RULE]
    ENDS = ""
    if TOO:
        ENDS = " `{straight}[k]` gets the straight distance of its start from its " + (
            "point there." if UPTO else "end."
        )

    @c.kernel(n)
    def kernel(
        controls: wp.array2d[Vec] = input(n, ORDER, low=-2.0, high=2.0),
        params: wp.array[float] = input(n, low=0.2, high=1.0),
        lengths: wp.array[float] = output(n, of="length"),
        straight: wp.array[float] = output(n),
    ):
        curve = wp.tid()
        if UPTO:
            end = params[curve]
        if RULE == "chords":
            total = float(0.0)
            last = controls[curve, 0]
            for k in range(1, PIECES + 1):
                point = point_at(controls, curve, (end * float(k) if UPTO else float(k)) / float(PIECES))
                total += wp.length(point - last)
                last = point
            lengths[curve] = total
        elif RULE == "the trapezoidal rule":
            total = 0.5 * (speed_at(controls, curve, 0.0) + speed_at(controls, curve, end if UPTO else 1.0))
            for k in range(1, PIECES):
                total += speed_at(controls, curve, (end * float(k) if UPTO else float(k)) / float(PIECES))
            lengths[curve] = (total * end if UPTO else total) / float(PIECES)
        elif RULE == "Simpson's rule":
            width = (end if UPTO else 1.0) / float(PIECES)
            total = float(0.0)
            for k in range(PIECES):
                t = width * float(k)
                total += speed_at(controls, curve, t) + 4.0 * speed_at(controls, curve, t + 0.5 * width)
                total += speed_at(controls, curve, t + width)
            lengths[curve] = total * width / 6.0
        else:
            # exact where the speed is a cubic
            early = speed_at(controls, curve, 0.2113249 * end if UPTO else 0.2113249)
            late = speed_at(controls, curve, 0.7886751 * end if UPTO else 0.7886751)
            lengths[curve] = (0.5 * end if UPTO else 0.5) * (early + late)
        if TOO:
            if UPTO:
                straight[curve] = wp.length(point_at(controls, curve, end) - controls[curve, 0])
            else:
                straight[curve] = wp.length(controls[curve, ORDER - 1] - controls[curve, 0])


@idiom(
    level=4,
    differentiable=False,
    names={
        "points": "points vertices polyline",
        "arc": "arc arc_lengths cumulative",
        "out": "out resampled samples",
        "target": "target goal s",
        "kernel": "resample_curve redistribute_points",
    },
)
def resample_polyline(c):
    """Resamples {SHAPE} polyline of known arc lengths {BETWEEN}, {SPACING}; segments are found by
    {SEARCH}.

    Resample {SHAPE} polyline. Its vertices are {points}, and `{arc}[k]` is the arc length from the first
    vertex to vertex k{CLOSING}. The arc lengths never decrease.

    Sample m goes to `{out}[m]` and lies at the arc length s = {PLACE}. Find its piece by {SEARCH}: the last
    piece that starts at s or before. With t = (s less the arc length at the start of the piece) / (the length
    of the piece{LEAST}), {INTERPOLATE}.
    """
    n, count, DIM = c.size(8, 12), c.size(8, 14), c.meaning(2, 3)
    SHAPE = c.meaning("a closed", "an open")
    CLOSED = SHAPE == "a closed"
    SPACING = c.meaning(
        "at equal arc lengths",
        "more densely towards its start",
        "at given arc lengths, " + ("wrapped around" if CLOSED else "held at its ends"),
    )
    BETWEEN, SEARCH = c.meaning("linearly", "by Catmull-Rom splines"), c.meaning("linear search", "bisection")
    Vec, GIVEN = c.vec(DIM), SPACING[:8] == "at given"
    knots = n + 1 if CLOSED else n
    if SPACING == "at equal arc lengths":
        c.names({"out": "out resampled even"})
    CLOSING = ""
    if CLOSED:
        CLOSING = "; its last entry, the total length L, closes the curve at the first vertex"
    TOTAL = "L" if CLOSED else "the last arc length"
    NUMBER = "the length of {out}" if CLOSED else "the length of {out} less 1"
    PLACE = "{TOTAL} · m / ({NUMBER})"
    if SPACING[:4] == "more":
        PLACE = "{TOTAL} · (m / ({NUMBER}))², more densely towards the start"
    elif GIVEN and CLOSED:
        PLACE = "`{wanted}[m]`, wrapped around into [0, L)"
    elif GIVEN:
        PLACE = "`{wanted}[m]`, clamped between 0 and the last arc length"
    LEAST = "" if CLOSED else ", but at least 0.0001"
    INTERPOLATE = "interpolate linearly between the ends of the piece"
    if BETWEEN != "linearly":
        INTERPOLATE = (
            "the sample is the point at t of the uniform Catmull-Rom cubic between the ends of the piece, "
            "whose derivatives there are half the vectors between the neighbours on both sides. {NEIGHBOURS}"
        )
    NEIGHBOURS = (
        "Neighbours wrap around"
        if CLOSED
        else "Beyond its ends the polyline repeats its first and its last vertex"
    )

    @c.kernel(count)
    def kernel(
        points: wp.array[Vec] = input(n, low=-2.0, high=2.0),
        arc: wp.array[float] = input(knots, low=0.0, high=6.0, trait="offsets"),
        wanted: wp.array[float] = input(count, low=-4.0 if CLOSED else -1.0, high=10.0 if CLOSED else 7.0),
        out: wp.array[Vec] = output(count, of="position"),
    ):
        tid = wp.tid()
        last = arc.shape[0] - 1
        if GIVEN:
            if CLOSED:
                target = wanted[tid] - arc[last] * wp.floor(wanted[tid] / arc[last])
            else:
                target = wp.clamp(wanted[tid], 0.0, arc[last])
        else:
            share = float(tid) / float(out.shape[0] if CLOSED else out.shape[0] - 1)
            if SPACING == "at equal arc lengths":
                target = arc[last] * share
            else:
                target = arc[last] * share * share
        low = int(0)
        if SEARCH == "linear search":
            # the last knot that is not beyond the wanted length
            for k in range(1, last):
                if arc[k] > target:
                    break
                low = k
        else:
            high = int(last)
            while high - low > 1:
                middle = (low + high) // 2
                if arc[middle] <= target:
                    low = middle
                else:
                    high = middle
        if CLOSED:
            t = (target - arc[low]) / (arc[low + 1] - arc[low])
        else:
            # the last piece may have no length
            t = (target - arc[low]) / wp.max(arc[low + 1] - arc[low], 1.0e-4)
        ahead = (low + 1) % points.shape[0] if CLOSED else low + 1
        p = points[low]
        q = points[ahead]
        if BETWEEN == "linearly":
            out[tid] = wp.lerp(p, q, t)
        else:
            if CLOSED:
                back = points[(low + points.shape[0] - 1) % points.shape[0]]
                beyond = points[(low + 2) % points.shape[0]]
            else:
                back = points[wp.max(low - 1, 0)]
                beyond = points[wp.min(low + 2, points.shape[0] - 1)]
            slope = 0.5 * (q - back)
            square = back - 2.5 * p + 2.0 * q - 0.5 * beyond
            cubic = 1.5 * (p - q) + 0.5 * (beyond - back)
            out[tid] = p + t * (slope + t * (square + t * cubic))


@idiom(
    level=4,
    differentiable=False,
    names={
        "points": "points centreline vertices",
        "normals": "normals directors reference_normals",
        "kernel": "transport_frames carry_normals",
    },
)
def transported_frames(c):
    """Carries {START} by {METHOD}{TURNED}{ALSO}.

    Carry a normal along curves {MANNER}. Row c of {points} is the polyline of curve c, the tangent of an edge
    is its unit direction, and `{normals}[c, k]` gets the unit normal of edge k, from vertex k to vertex k +
    1. {FIRST}

    From an edge with the tangent t to the next one with the tangent w, {CARRY}.{TWISTS}{EXTRA}
    """
    curves, n = c.size(5, 8), c.size(5, 8)
    METHOD = c.meaning("double reflection", "the minimal rotation", "projection")
    TURNED = c.meaning("", ", twisted by one angle at each vertex", ", twisted by given angles")
    ALSO = c.meaning("", "; binormals are stored too", "; the total turning angle is stored too")
    START = c.meaning("the first normal of each curve along it", "an arbitrary normal along each curve")
    GIVEN = START[:9] == "the first"
    TWIST, frames = c.constant(0.1, 0.6), inout if GIVEN else output
    given_normals = {"low": -1.0, "high": 1.0, "trait": "unit"} if GIVEN else {}
    MANNER = {
        "double reflection": "by double reflection",
        "the minimal rotation": "by minimal rotations (parallel transport)",
        "projection": "by projection",
    }[METHOD]
    FIRST = (
        "The normal of edge 0 is the normalized t × axis, where t is its tangent and axis is the x axis, or "
        "the y axis if |t_x| > 0.7."
    )
    if GIVEN:
        FIRST = (
            "That of edge 0 is given there: make it perpendicular to the edge by taking its part along the "
            "tangent away, and normalize it."
        )
    CARRY = {
        "double reflection": "mirror both t and the normal at the plane perpendicular to q, half the "
        "vector from the first vertex of the former edge to the last of the latter: a becomes a - "
        "2·(q·a)·q / |q|². Then mirror the new normal in the same way at the plane perpendicular to w less "
        "the mirrored t. Squared lengths that divide count as at least 1e-6",
        "the minimal rotation": "the normal takes part in the rotation about t × w that turns t into w",
        "projection": "the normal loses its part along w and is normalized",
    }[METHOD]
    TWISTS = ""
    if TURNED:
        TWISTS = (
            " After that, turn the normal about w by {ANGLE} (counterclockwise, in radians), before it is "
            "stored and carried on."
        )
    ANGLE = "{TWIST}" if "one angle" in TURNED else "`{angles}[c, k - 1]` for edge k"
    EXTRA = ""
    if "binormals" in ALSO:
        EXTRA = " {binormals} gets tangent × normal for each edge."
    elif ALSO:
        EXTRA = " `{turns}[c]` gets the sum of the angles between successive tangents."

    @c.kernel(curves)
    def kernel(
        points: wp.array2d[wp.vec3] = input(curves, n, low=-2.0, high=2.0),
        angles: wp.array2d[float] = input(curves, n - 2, low=-1.0, high=1.0),
        normals: wp.array2d[wp.vec3] = frames(curves, n - 1, **given_normals),
        binormals: wp.array2d[wp.vec3] = output(curves, n - 1),
        turns: wp.array[float] = output(curves),
    ):
        curve = wp.tid()
        tangent = wp.normalize(points[curve, 1] - points[curve, 0])
        if GIVEN:
            first = normals[curve, 0]
            normal = wp.normalize(first - wp.dot(first, tangent) * tangent)
        else:
            # an axis that the tangent is far from
            axis = wp.vec3(1.0, 0.0, 0.0)
            if wp.abs(tangent[0]) > 0.7:
                axis = wp.vec3(0.0, 1.0, 0.0)
            normal = wp.normalize(wp.cross(tangent, axis))
        normals[curve, 0] = normal
        if ALSO == "; binormals are stored too":
            binormals[curve, 0] = wp.cross(tangent, normal)
        elif ALSO == "; the total turning angle is stored too":
            turn = float(0.0)
        for k in range(1, points.shape[1] - 1):
            ahead = wp.normalize(points[curve, k + 1] - points[curve, k])
            if METHOD == "double reflection":
                # the first mirror stands between the middles of two edges, the second between the tangents
                way = 0.5 * (points[curve, k + 1] - points[curve, k - 1])
                scale = 2.0 / wp.max(wp.length_sq(way), 1.0e-6)
                mirrored = normal - scale * wp.dot(way, normal) * way
                image = tangent - scale * wp.dot(way, tangent) * way
                gap = ahead - image
                normal = mirrored - 2.0 / wp.max(wp.length_sq(gap), 1.0e-6) * wp.dot(gap, mirrored) * gap
            elif METHOD == "the minimal rotation":
                hinge = wp.cross(tangent, ahead)
                angle = wp.atan2(wp.length(hinge), wp.dot(tangent, ahead))
                normal = wp.quat_rotate(wp.quat_from_axis_angle(wp.normalize(hinge), angle), normal)
            else:
                normal = wp.normalize(normal - wp.dot(normal, ahead) * ahead)
            if ALSO == "; the total turning angle is stored too":
                if METHOD == "the minimal rotation":
                    turn += angle
                else:
                    turn += wp.atan2(wp.length(wp.cross(tangent, ahead)), wp.dot(tangent, ahead))
            tangent = ahead
            if TURNED == ", twisted by one angle at each vertex":
                normal = wp.quat_rotate(wp.quat_from_axis_angle(tangent, TWIST), normal)
            elif TURNED == ", twisted by given angles":
                normal = wp.quat_rotate(wp.quat_from_axis_angle(tangent, angles[curve, k - 1]), normal)
            normals[curve, k] = normal
            if ALSO == "; binormals are stored too":
                binormals[curve, k] = wp.cross(tangent, normal)
        if ALSO == "; the total turning angle is stored too":
            turns[curve] = turn
