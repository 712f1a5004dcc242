"""Rays against solids that one formula describes."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp

RAYS = {
    "origins": "origins ray_origins starts",
    "directions": "directions ray_dirs dirs",
    "origin": "origin start ray_start",
    "direction": "direction ray_dir",
}
QUADRICS = {
    **RAYS,
    "met": "met is_hit",
    "kernel": "intersect_quadrics pierce_shapes",
}


@idiom(
    level=3,
    names={
        **RAYS,
        "enter leave": "enter leave | t_near t_far | t_min t_max",
        "kernel": "intersect_boxes slab_test",
    },
)
def ray_box_slabs(c):
    """The {WANTED} a box given by {GIVEN}, by the slab test; {MISS} for a miss.

    Intersect each ray with a box of its own by the slab test, {FORM}. Ray k goes from `{origins}[k]` in the
    unit direction `{directions}[k]`. {SOLID}. The ray is between the two planes of each axis over a range of
    distances. Let e be the greatest of the lower ends of the three ranges, at least 0, and l the least of the
    upper ends (below 1e6). It misses if e > l. {GETS}.
    """
    n = c.size(10, 14)
    GIVEN = c.meaning("two corners", "a pose and half its extents")
    AT = c.meaning("distance at which", "point at which", "length of", "last distance at which")
    POINT, CHORD, LEAVES = AT[:5] == "point", AT == "length of", AT[:4] == "last"
    ENTERS = AT[:8] == "distance"
    WANTED = f"{AT.removeprefix('last ')} each ray {'inside' if CHORD else 'leaves' if LEAVES else 'enters'}"
    FORM = c.meaning("one axis after the other", "all axes at once")
    # zero says that it starts inside
    MISS = "its start" if POINT else "minus one" if ENTERS else c.meaning("zero", "minus one")
    Wanted = c.vec(3) if POINT else float
    if LEAVES:
        c.names({"kernel": "exit_distances leave_boxes", "hit": "exits t_exit out"})
    else:
        HIT = "points entry_points out" if POINT else "lengths chords out" if CHORD else "distances t_hit out"
        c.names({"hit": HIT})
    SOLID = "Box k reaches from `{lower}[k]` to `{upper}[k]`"
    if GIVEN == "a pose and half its extents":
        SOLID = (
            "Box k is centred in its own frame, with half the sides `{extents}[k]` along the axes; "
            "`{poses}[k]` takes this frame to the world"
        )
    NONE = "-1" if MISS == "minus one" else "0"
    GETS = {
        "distance at which": "{hit} gets e, and -1 for a miss",
        "point at which": "{hit} gets the point at e, in the world, and for a miss the start of the ray",
        "length of": "{hit} gets l - e, and {NONE} for a miss",
        "last distance at which": "{hit} gets l, and {NONE} for a miss",
    }[AT]

    @c.kernel(n)
    def kernel(
        origins: wp.array[wp.vec3] = input(n, low=-2.0, high=2.0, of="position"),
        directions: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit", of="direction"),
        lower: wp.array[wp.vec3] = input(n, low=-1.5, high=0.0),
        upper: wp.array[wp.vec3] = input(n, low=0.0, high=1.5),
        poses: wp.array[wp.transform] = input(n, low=-1.0, high=1.0, trait="unit"),
        extents: wp.array[wp.vec3] = input(n, low=0.5, high=1.5),
        hit: wp.array[Wanted] = output(n, of="distance" if ENTERS else None),
    ):
        tid = wp.tid()
        if GIVEN == "a pose and half its extents":
            # in the frame of the box its sides lie along the axes
            to_box = wp.transform_inverse(poses[tid])
            origin = wp.transform_point(to_box, origins[tid])
            direction = wp.transform_vector(to_box, directions[tid])
            low = -extents[tid]
            high = extents[tid]
        else:
            origin = origins[tid]
            direction = directions[tid]
            low = lower[tid]
            high = upper[tid]
        if FORM == "all axes at once":
            first = wp.cw_div(low - origin, direction)
            second = wp.cw_div(high - origin, direction)
            enter = wp.max(wp.max(wp.min(first, second)), 0.0)
            leave = wp.min(wp.max(first, second))
        else:
            enter = float(0.0)
            leave = float(1.0e6)
            for axis in range(3):
                near = (low[axis] - origin[axis]) / direction[axis]
                far = (high[axis] - origin[axis]) / direction[axis]
                enter = wp.max(enter, wp.min(near, far))
                leave = wp.min(leave, wp.max(near, far))
        if POINT:
            hit[tid] = origins[tid] + wp.where(enter <= leave, enter, 0.0) * directions[tid]
        elif CHORD and MISS == "zero":
            hit[tid] = wp.max(leave - enter, 0.0)
        else:
            found = leave - enter if CHORD else leave if LEAVES else enter
            hit[tid] = wp.where(enter <= leave, found, 0.0 if MISS == "zero" else -1.0)


@idiom(level=4, differentiable=False, names=QUADRICS)
def ray_quadric(c):
    """The {WANTED} {WHERE} {SOLID} about the y axis{FRAME}; zero for a miss{CUT}{MISS}.

    Intersect each ray with {SOLID} about the y axis, the surface F = {EQUATION} = 0{PLACED}. Ray k goes from
    `{origins}[k]` in the unit direction `{directions}[k]`; t is the distance along it. It misses if F has no
    root along it.{STEEP} {GETS}{FLAGGED}.
    """
    n = c.size(10, 14)
    WANTED = c.meaning("distance", "point", "height", "chord")
    FRAME = c.meaning("", ", moved by a pose", ", moved to a centre")
    CHORD = WANTED == "chord"
    WHERE = "that each ray cuts out of" if CHORD else "where each ray meets"
    # a height may be zero for a hit as well
    FLAG = WANTED == "height"
    MISS = ", with a flag for hits" if FLAG else ""
    CUT = "" if CHORD else c.meaning("", " or a hit too high or too low")
    RADIUS, SLOPE, STRETCH = c.constant(0.8, 1.5), c.constant(0.7, 1.4), c.constant(0.7, 1.4)
    HEIGHT = c.constant(0.3, 1.2)
    c.names(
        {
            "hit": {
                "distance": "distances t_hit out",
                "point": "points hit_points out",
                "height": "heights out",
                "chord": "chords out",
            }[WANTED]
        }
    )
    Wanted = c.vec(3) if WANTED == "point" else float

    def cylinder(o: wp.vec3, d: wp.vec3) -> wp.vec3:
        p = wp.vec2(o[0], o[2])
        q = wp.vec2(d[0], d[2])
        return wp.vec3(wp.dot(q, q), wp.dot(p, q), wp.dot(p, p) - RADIUS * RADIUS)

    def cone(o: wp.vec3, d: wp.vec3) -> wp.vec3:
        shape = wp.vec3(1.0, -SLOPE * SLOPE, 1.0)
        p = wp.cw_mul(shape, o)
        q = wp.cw_mul(shape, d)
        return wp.vec3(wp.dot(q, d), wp.dot(p, d), wp.dot(p, o))

    def paraboloid(o: wp.vec3, d: wp.vec3) -> wp.vec3:
        p = wp.vec2(o[0], o[2])
        q = wp.vec2(d[0], d[2])
        return wp.vec3(wp.dot(q, q), wp.dot(p, q) - 0.5 * SLOPE * d[1], wp.dot(p, p) - SLOPE * o[1])

    def ellipsoid(o: wp.vec3, d: wp.vec3) -> wp.vec3:
        stretch = wp.vec3(1.0, 1.0 / STRETCH, 1.0)
        p = wp.cw_mul(o, stretch)
        q = wp.cw_mul(d, stretch)
        return wp.vec3(wp.dot(q, q), wp.dot(p, q), wp.dot(p, p) - RADIUS * RADIUS)

    SHAPE = c.meaning(cylinder, cone, paraboloid, ellipsoid)
    SOLID = {cone: "a double cone", ellipsoid: "an ellipsoid"}.get(SHAPE, f"a {SHAPE.__name__}")
    BOUNDED = SHAPE is ellipsoid
    EQUATION = {
        cylinder: "x² + z² - {RADIUS}²",
        cone: "x² + z² - {SLOPE}²·y²",
        paraboloid: "x² + z² - {SLOPE}·y",
        ellipsoid: "x² + (y / {STRETCH})² + z² - {RADIUS}²",
    }[SHAPE]
    PLACED = ""
    if FRAME == ", moved by a pose":
        PLACED = " in its own frame, which `{poses}[k]` takes to the world"
    elif FRAME == ", moved to a centre":
        PLACED = " relative to its centre `{centres}[k]`"
    STEEP = ""
    if not BOUNDED:
        STEEP = "a < 0.02" if CHORD else "|a| < 0.02"
        STEEP = (
            " It also misses if " + STEEP + ", where a is the coefficient of t² in F(origin + t·direction)."
        )
    if CHORD:
        GETS = (
            "{hit} gets max(f, 0) - max(n, 0) for the two roots n ≤ f of F along the ray, the length "
            "inside from its origin on, and 0 for a miss"
        )
    else:
        RESULT = {
            "distance": "t",
            "point": "the point there, in the world",
            "height": "the y there, in the frame of F",
        }[WANTED]
        GETS = (
            "Of the two roots n ≤ f of F along the ray, t = n if n > 0, and otherwise t = f; it misses "
            "if f < 0{HIGH}. {hit} gets {RESULT}, and 0 for a miss"
        )
    HIGH = ", or if |y| > {HEIGHT} there, in the frame of F" if CUT else ""
    FLAGGED = ". {met} gets 1 for a hit and 0 for a miss" if FLAG else ""

    @c.kernel(n)
    def kernel(
        origins: wp.array[wp.vec3] = input(n, low=-1.8, high=1.8, of="position"),
        directions: wp.array[wp.vec3] = input(n, low=-1.0, high=1.0, trait="unit", of="direction"),
        poses: wp.array[wp.transform] = input(n, low=-1.0, high=1.0, trait="unit"),
        centres: wp.array[wp.vec3] = input(n, low=-0.5, high=0.5),
        hit: wp.array[Wanted] = output(n, of="distance" if WANTED == "distance" else None),
        met: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        if FRAME == ", moved by a pose":
            to_shape = wp.transform_inverse(poses[tid])
            origin = wp.transform_point(to_shape, origins[tid])
            direction = wp.transform_vector(to_shape, directions[tid])
        else:
            origin = origins[tid] - centres[tid] if FRAME == ", moved to a centre" else origins[tid]
            direction = directions[tid]
        # zero until something is met
        if WANTED == "point":
            hit[tid] = wp.vec3()
        else:
            hit[tid] = 0.0
        if FLAG:
            met[tid] = 0
        # a t^2 + 2 b t + c = 0
        terms = SHAPE(origin, direction)
        rest = terms[1] * terms[1] - terms[0] * terms[2]
        if BOUNDED:
            if rest < 0.0:
                return
        elif CHORD:
            # what stays inside for ever has no chord
            if rest < 0.0 or terms[0] < 0.02:
                return
        elif rest < 0.0 or wp.abs(terms[0]) < 0.02:
            # nearly along the side there is one meeting at most, and far away
            return
        half = wp.sqrt(rest) / wp.abs(terms[0])
        middle = -terms[1] / terms[0]
        if CHORD:
            # a ray from within counts from its origin on
            hit[tid] = wp.max(middle + half, 0.0) - wp.max(middle - half, 0.0)
        else:
            near = middle - half
            far = middle + half
            # from within it is the far side that counts
            t = wp.where(near > 0.0, near, far)
            if t < 0.0:
                return
            if CUT or FLAG:
                level = origin[1] + t * direction[1]
            if CUT:
                if wp.abs(level) > HEIGHT:
                    return
            if WANTED == "point":
                hit[tid] = origins[tid] + t * directions[tid]
            else:
                hit[tid] = t if WANTED == "distance" else level
            if FLAG:
                met[tid] = 1


@idiom(
    level=4,
    differentiable=False,
    names={
        **RAYS,
        "balls": "balls spheres particles",
        "nearest": "nearest t_min best",
        "kernel": "trace_balls cast_rays",
    },
)
def nearest_ball(c):
    """The {SAID}, {MISS} for a miss; balls around its start {AROUND}.

    Find for each ray the ball that it meets first, by {BY}{OWN}. Ray k starts at `{origins}[k]` with the
    {LENGTH}. Each of {balls} has a `centre` and a `radius`. {MEETS} The least t below {FAR} counts, and on
    ties the first ball; if there is no such t, the ray misses. {GETS}.
    """
    rays, count = c.size(12, 14), c.size(4, 5)
    WANTED = c.meaning("distance", "index of the ball", "point", "normal")
    AROUND = c.meaning("are seen from within", "are passed over")
    METHOD = c.meaning("closest approach", "quadratic", "general quadratic")
    BUT = c.meaning("", " other than its own")
    UNIT = None if METHOD == "general quadratic" else "unit"
    FAR = c.style(100.0, 1000.0)
    if WANTED == "distance" and METHOD == "general quadratic":
        # along a direction of any length
        WANTED = "parameter"
    FIRST, ALONG = WANTED in ("distance", "parameter"), "parameter" if UNIT is None else "distance"
    if WANTED == "index of the ball":
        SAID = f"index of the ball{BUT} that each ray first meets"
    else:
        SAID = f"{WANTED} where each ray first meets a ball{BUT}"
    MISS = f"{FAR:g}" if FIRST else "minus one" if WANTED == "index of the ball" else "zero"
    c.names(
        {
            "hit": {
                "index of the ball": "indices ball_ids out",
                "point": "points hit_points out",
                "normal": "normals out",
            }.get(WANTED, "params t_hit out" if UNIT is None else "distances t_hit out")
        }
    )
    Wanted = float if FIRST else int if WANTED == "index of the ball" else c.vec(3)
    BY = {"closest approach": "closest approach to the centre", "quadratic": "the quadratic formula"}.get(
        METHOD, "the general quadratic formula"
    )
    LENGTH = (
        "direction `{directions}[k]`, and t counts in multiples of this vector"
        if UNIT is None
        else "unit direction `{directions}[k]`"
    )
    OWN = ", except for the ball with index `{owners}[k]`, which it cannot meet" if BUT else ""
    MEETS = "A ball is met at t where the ray enters it, if t > 0; a ball around the start is passed over."
    if AROUND == "are seen from within":
        MEETS = (
            "A ball is met at t where the ray enters it, if t > 0, and otherwise where it leaves it, if "
            "that is ahead: a ball around the start is seen from within."
        )
    GETS = {
        "index of the ball": "{hit} gets the index of the ball, and -1 for a miss",
        "point": "{hit} gets the point there, and (0, 0, 0) for a miss",
        "normal": "{hit} gets the outward unit normal of the ball there, and (0, 0, 0) for a miss",
    }.get(WANTED, "{hit} gets t, and {FAR} for a miss")

    class Ball:
        centre: wp.vec3
        radius: float

    def meet(ball: Ball, origin: wp.vec3, direction: wp.vec3) -> float:
        """The {ALONG} where a ray meets a ball, negative for a miss."""
        if METHOD == "general quadratic":
            # the direction may have any length
            offset = origin - ball.centre
            a = wp.length_sq(direction)
            b = 2.0 * wp.dot(offset, direction)
            rest = b * b - 4.0 * a * (wp.length_sq(offset) - ball.radius * ball.radius)
            if rest < 0.0:
                return -1.0
            root = wp.sqrt(rest)
            if AROUND == "are seen from within":
                near = (-b - root) / (2.0 * a)
                return near if near > 0.0 else (root - b) / (2.0 * a)
            return (-b - root) / (2.0 * a)
        if METHOD == "quadratic":
            offset = origin - ball.centre
            half = wp.dot(offset, direction)
            rest = half * half - wp.length_sq(offset) + ball.radius * ball.radius
            if rest < 0.0:
                return -1.0
            root = wp.sqrt(rest)
            if AROUND == "are seen from within":
                # from within a ball it is the far side that counts
                if half + root > 0.0:
                    return root - half
            return -half - root
        along = wp.dot(ball.centre - origin, direction)
        gap = wp.length(origin + along * direction - ball.centre)
        if gap > ball.radius:
            return -1.0
        half = wp.sqrt(ball.radius * ball.radius - gap * gap)
        if AROUND == "are seen from within":
            return wp.where(along > half, along - half, along + half)
        return along - half

    @c.kernel(rays)
    def kernel(
        origins: wp.array[wp.vec3] = input(rays, low=-0.5, high=2.9, of="position"),
        directions: wp.array[wp.vec3] = input(rays, low=-1.0, high=1.0, trait=UNIT, of="direction"),
        balls: wp.array[Ball] = input(count, low=0.4, high=2.0),
        owners: wp.array[int] = input(rays, low=0, high=count - 1),
        hit: wp.array[Wanted] = output(rays, of="distance" if WANTED == "distance" else None),
    ):
        tid = wp.tid()
        nearest = float(FAR)
        if WANTED == "index of the ball" or WANTED == "normal":
            index = int(-1)
        for k in range(balls.shape[0]):
            if BUT:
                if k == owners[tid]:
                    continue
            t = meet(balls[k], origins[tid], directions[tid])
            if t > 0.0 and t < nearest:
                nearest = t
                if WANTED == "index of the ball" or WANTED == "normal":
                    index = k
        if WANTED == "index of the ball":
            hit[tid] = index
        elif FIRST:
            hit[tid] = nearest
        elif WANTED == "point":
            if nearest < FAR:
                hit[tid] = origins[tid] + nearest * directions[tid]
            else:
                hit[tid] = wp.vec3()
        else:
            normal = wp.vec3()
            if index >= 0:
                ball = balls[index]
                normal = (origins[tid] + nearest * directions[tid] - ball.centre) / ball.radius
            hit[tid] = normal


@idiom(
    level=3,
    differentiable=False,
    names={
        "i j": "i j | row col | y x",
        "camera": "camera cam",
        "u v": "u v | sx sy | film_x film_y",
        "rays": "rays directions ray_dirs",
        "starts": "starts origins ray_origins",
        "kernel": "camera_rays generate_rays",
    },
)
def pixel_rays(c):
    """The {WANTED} the ray from {PIXEL} through {LENS}{APERTURE}.

    Generate a ray for each pixel of a camera with {LENS}, through {PIXEL}. {camera} holds a `frame` of the
    vectors `origin`, `right`, `up` and `ahead`, which may have any length, and {SHAPED}. For pixel (i, j), in
    row i, of a picture of h rows and w columns let {AT}. {START}The ray goes in the direction of {WAY}.
    {GETS}.
    """
    rows, cols = c.size(5, 8), c.size(5, 8)
    LENS = c.meaning("a pinhole", "a fisheye lens", "an orthographic lens", "a panorama's lens")
    MOVED = ("point at a distance along", "start and direction of")
    WANTED = c.meaning(*(MOVED if LENS == "an orthographic lens" else ("direction of", *MOVED)))
    PIXEL = c.meaning("each pixel's centre", "a random point of each pixel", "each pixel's upper left corner")
    FLAT = LENS in ("a pinhole", "an orthographic lens")
    APERTURE = (
        c.meaning("", ", moved to the right eye")
        if WANTED in MOVED and LENS != "an orthographic lens"
        else ""
    )
    if WANTED == "point at a distance along":
        c.names({"kernel": "points_on_rays focus_points", "rays": "points targets"})
    DISTANCE, OFFSET = c.constant(1.0, 4.0), c.constant(0.02, 0.2)
    AT = {
        "each pixel's centre": "u = (j + ½) / w - ½ and v = ½ - (i + ½) / h",
        "a random point of each pixel": "u = (j + r) / w - ½ and v = ½ - (i + s) / h, where r and then s "
        "come from `wp.randf` and the state `wp.rand_init({seed}, i·w + j)`",
        "each pixel's upper left corner": "u = j / w - ½ and v = ½ - i / h",
    }[PIXEL]
    WAY = {
        "a pinhole": "ahead + u·width·right + v·height·up",
        "an orthographic lens": "ahead",
        "a fisheye lens": "cos(a)·ahead + sin(a)·(u/r·right + v/r·up), where r = √(u² + v²), at least "
        "0.0001, and a = spread·r",
        "a panorama's lens": "cos(spread·v)·(cos(2π·u)·ahead + sin(2π·u)·right) + sin(spread·v)·up",
    }[LENS]
    SHAPED = "its `film` `width` and `height`" if FLAT else "its `spread`, an angle"
    START = "Its ray starts at origin{ASIDE}{EYE}. " if WANTED in MOVED else ""
    ASIDE = " + u·width·right + v·height·up" if LENS == "an orthographic lens" else ""
    EYE = " + {OFFSET}·right, for the right eye" if APERTURE else ""
    GETS = {
        "direction of": "{rays} gets the unit direction",
        "point at a distance along": "{rays} gets its point at distance {DISTANCE} from the start",
        "start and direction of": "{starts} gets the start and {rays} the unit direction",
    }[WANTED]

    class Frame:
        origin: wp.vec3
        right: wp.vec3
        up: wp.vec3
        ahead: wp.vec3

    class Film:
        width: float
        height: float

    class Camera:
        frame: Frame
        if FLAT:
            film: Film
        else:
            spread: float

    @c.kernel(rows, cols)
    def kernel(
        camera: Camera = input(low=0.3, high=1.4),
        seed: int = input(low=1, high=1000),
        starts: wp.array2d[wp.vec3] = output(rows, cols),
        rays: wp.array2d[wp.vec3] = output(rows, cols),
    ):
        i, j = wp.tid()
        if PIXEL == "a random point of each pixel":
            state = wp.rand_init(seed, i * rays.shape[1] + j)
            u = (float(j) + wp.randf(state)) / float(rays.shape[1]) - 0.5
            v = 0.5 - (float(i) + wp.randf(state)) / float(rays.shape[0])
        elif PIXEL == "each pixel's centre":
            u = (float(j) + 0.5) / float(rays.shape[1]) - 0.5
            v = 0.5 - (float(i) + 0.5) / float(rays.shape[0])
        else:
            u = float(j) / float(rays.shape[1]) - 0.5
            v = 0.5 - float(i) / float(rays.shape[0])
        if WANTED in MOVED:
            start = camera.frame.origin
        if LENS == "a pinhole":
            aside = u * camera.film.width * camera.frame.right
            way = camera.frame.ahead + aside + v * camera.film.height * camera.frame.up
        elif LENS == "an orthographic lens":
            aside = u * camera.film.width * camera.frame.right
            start = start + aside + v * camera.film.height * camera.frame.up
            way = camera.frame.ahead
        elif LENS == "a fisheye lens":
            # the angle off the axis grows with the distance from the centre
            r = wp.max(wp.sqrt(u * u + v * v), 1.0e-4)
            angle = camera.spread * r
            aside = (u / r) * camera.frame.right + (v / r) * camera.frame.up
            way = wp.cos(angle) * camera.frame.ahead + wp.sin(angle) * aside
        else:
            turn = 2.0 * wp.pi * u
            level = wp.cos(turn) * camera.frame.ahead + wp.sin(turn) * camera.frame.right
            way = wp.cos(camera.spread * v) * level + wp.sin(camera.spread * v) * camera.frame.up
        if APERTURE:
            start = start + OFFSET * camera.frame.right
        way = wp.normalize(way)
        if WANTED == "point at a distance along":
            rays[i, j] = start + DISTANCE * way
        else:
            rays[i, j] = way
            if WANTED == "start and direction of":
                starts[i, j] = start
