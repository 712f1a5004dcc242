"""What vertices and edges of a graph do in one step: walks, colours, distances, trees."""

from __future__ import annotations

from ...pages.page import given, idiom, result, updated, wp
from .parts.edges import contagion_step

__all__ = ["contagion_step"]


@idiom(
    level=3,
    names={
        "offsets": "offsets row_ptr starts",
        "neighbours": "neighbours adjacency targets",
        "at": "at position current",
        "walker": "walker tid w",
        "kernel": "walk random_walks move_walkers",
    },
)
def walk_step(c):
    """Walks a graph by {STEPS}, {CHOICE}, {RETURN}, and {REPORT}."""
    walkers, n, m = c.size(), c.size(5, 8), 14
    STEPS = c.meaning("its own number of steps", "so many steps", "steps up to a mark")
    CHOICE = c.meaning("to any neighbour", "to the better of two", "lazily", "by acceptance", "in turn")
    OWN = STEPS == "its own number of steps"
    RETURN = c.meaning("never restarted", "with random restarts", "back at dead ends")
    REPORT = c.meaning("gives places", "counts visits", "gives places and lengths")
    RESTART, SEED = c.constant(0.1, 0.4), c.count(7, 99)

    @c.kernel(walkers)
    def kernel(
        offsets: wp.array[int] = given(n + 1, low=0, high=m, trait="offsets"),
        neighbours: wp.array[int] = given(m, low=0, high=n - 1),
        start: wp.array[int] = given(walkers, low=0, high=n - 1),
        worth: wp.array[float] = given(n, low=0.1, high=1.0),
        marked: wp.array[int] = given(n, low=0, high=1),
        counts: wp.array[int] = given(walkers, low=1, high=5),
        steps: int = given(low=2, high=5),
        places: wp.array[int] = result(walkers),
        lengths: wp.array[int] = result(walkers),
        visits: wp.array[int] = result(n),
    ):
        walker = wp.tid()
        if CHOICE != "in turn" or RETURN == "with random restarts":
            state = wp.rand_init(SEED, walker)
        at = start[walker]
        if REPORT == "gives places and lengths":
            length = int(0)
        for hop in range(counts[walker] if OWN else 8 if STEPS == "steps up to a mark" else steps):
            if STEPS == "steps up to a mark":
                if marked[at] == 1:
                    break
            if RETURN == "with random restarts":
                if wp.randf(state) < RESTART:
                    at = start[walker]
                    continue
            first = offsets[at]
            degree = offsets[at + 1] - first
            # no edge leaves here
            if degree <= 0:
                if RETURN == "back at dead ends":
                    at = start[walker]
                    continue
                else:
                    break
            if CHOICE == "lazily":
                if wp.randf(state) < 0.5:
                    continue
            if CHOICE == "in turn":
                # walkers that meet go different ways
                pick = first + (walker + hop) % degree
            else:
                pick = first + int(wp.randf(state) * float(degree))
            candidate = neighbours[wp.clamp(pick, 0, m - 1)]
            if CHOICE == "to the better of two":
                second = first + int(wp.randf(state) * float(degree))
                other = neighbours[wp.clamp(second, 0, m - 1)]
                if worth[other] > worth[candidate]:
                    candidate = other
            elif CHOICE == "by acceptance":
                if wp.randf(state) * worth[at] > worth[candidate]:
                    continue
            at = candidate
            if REPORT == "counts visits":
                wp.atomic_add(visits, at, 1)
            elif REPORT == "gives places and lengths":
                length += 1
        if REPORT != "counts visits":
            places[walker] = at
            if REPORT == "gives places and lengths":
                lengths[walker] = length


@idiom(
    level=3,
    names={
        "parent": "parent parents roots",
        "v": "v node tid vertex",
        "above": "above grand ancestor",
        "out": "out jumped labels",
        "kernel": "jump_pointers shorten_paths find_roots",
    },
)
def parent_pointer_jump(c):
    """Follows parents {FAR}, {WEIGHTS}, {BREAK}, and gives {GIVEN}."""
    n = c.size(8, 14)
    FAR = c.meaning("two steps", "to the root", "up to a mark", "its own steps")
    WEIGHTS = c.meaning("bare", "adding up lengths", "keeping the largest")
    BREAK = c.meaning("wherever they lead", "while numbers fall")
    GIVEN = c.meaning("the end", "the end and how far it is", "how many end where")

    @c.kernel(n)
    def kernel(
        parent: wp.array[int] = given(n, low=0, high=n - 1),
        lengths: wp.array[float] = given(n, low=0.2, high=1.5),
        marked: wp.array[int] = given(n, low=0, high=1),
        steps: wp.array[int] = given(n, low=0, high=4),
        out: wp.array[int] = result(n),
        far: wp.array[int] = result(n),
        sizes: wp.array[int] = result(n),
        gathered: wp.array[float] = result(n),
    ):
        v = wp.tid()
        at = int(v)
        if GIVEN == "the end and how far it is":
            depth = int(0)
        if WEIGHTS != "bare":
            total = float(0.0)
        for hop in range(2 if FAR == "two steps" else 4 if FAR != "to the root" else n):
            if FAR == "up to a mark":
                if marked[at] == 1:
                    break
            elif FAR == "its own steps":
                if hop >= steps[v]:
                    break
            above = parent[at]
            if BREAK == "while numbers fall":
                if above >= at:
                    break
            else:
                # a root is its own parent
                if above == at:
                    break
            if WEIGHTS == "adding up lengths":
                total += lengths[at]
            elif WEIGHTS == "keeping the largest":
                total = wp.max(total, lengths[at])
            at = above
            if GIVEN == "the end and how far it is":
                depth += 1
        if GIVEN == "how many end where":
            wp.atomic_add(sizes, at, 1)
        else:
            out[v] = at
            if GIVEN == "the end and how far it is":
                far[v] = depth
        if WEIGHTS != "bare":
            gathered[v] = total


@idiom(
    level=3,
    names={
        "sources targets": "sources targets | tails heads | edge_u edge_v",
        "lengths": "lengths weights costs",
        "distance": "distance dist tentative",
        "e": "e edge tid",
        "u v": "u v | tail head | a b",
        "offer": "offer candidate through",
        "kernel": "relax_edges bellman_ford_step",
    },
)
def edge_relaxation(c):
    """Relaxes each edge for the {PATH} path, {WAYS}, {LENGTH}{CHANGED}."""
    n, m = c.size(6, 9), c.size(11, 14)
    PATH = c.meaning("shortest", "widest", "most reliable", "least steep")
    WAYS = c.meaning("one way", "both ways", "one way where open")
    LENGTH = c.meaning("with lengths of edges", "with distances of points", "with entry costs")
    CHANGED = c.meaning("", ", counting gains")
    LEAST = 0.8 if PATH in ("shortest", "least steep") else 0.2

    def offered(distance: float, length: float) -> float:
        """What a path is worth with one more edge."""
        if PATH == "shortest":
            return distance + length
        elif PATH == "widest":
            return wp.min(distance, length)
        elif PATH == "most reliable":
            return distance * wp.exp(-length)
        else:
            return wp.max(distance, length)

    @c.kernel(m)
    def kernel(
        sources: wp.array[int] = given(m, low=0, high=n - 1),
        targets: wp.array[int] = given(m, low=0, high=n - 1),
        lengths: wp.array[float] = given(m, low=0.1, high=1.5),
        points: wp.array[wp.vec2] = given(n, low=-1.0, high=1.0),
        entry: wp.array[float] = given(n, low=0.1, high=1.0),
        closed: wp.array[int] = given(m, low=0, high=1),
        distance: wp.array[float] = given(n, low=0.2, high=2.0),
        improved: wp.array[float] = updated(n, low=LEAST, high=3.0 * LEAST),
        gains: wp.array[int] = result(1),
    ):
        e = wp.tid()
        if WAYS == "one way where open":
            if closed[e] == 1:
                return
        u = sources[e]
        v = targets[e]
        if LENGTH == "with lengths of edges":
            length = lengths[e]
        elif LENGTH == "with distances of points":
            length = wp.length(points[v] - points[u])
        else:
            length = entry[v] + 0.5 * lengths[e]
        offer = offered(distance[u], length)
        if CHANGED == ", counting gains":
            better = offer < distance[v] if LEAST == 0.8 else offer > distance[v]
            wp.atomic_add(gains, 0, wp.where(better, 1, 0))
        if LEAST == 0.8:
            wp.atomic_min(improved, v, offer)
            if WAYS == "both ways":
                wp.atomic_min(improved, u, offered(distance[v], length))
        else:
            wp.atomic_max(improved, v, offer)
            if WAYS == "both ways":
                wp.atomic_max(improved, u, offered(distance[v], length))


@idiom(
    level=5,
    names={
        "offsets": "offsets row_ptr starts",
        "neighbours": "neighbours adjacency targets",
        "colours": "colours colors labels",
        "v": "v node tid vertex",
        "out": "out recoloured next_colours",
        "kernel": "recolour resolve_conflicts colour_vertices",
    },
)
def colour_conflicts(c):
    """Settles a {KIND}: {RULE} yields and takes {TAKES}{COUNT}."""
    n, m, palette = c.size(6, 9), 14, c.count(4, 6)
    KIND = c.meaning("colouring", "partial colouring")
    RULE = c.meaning("the lower number", "the lower priority", "the smaller degree")
    TAKES = c.meaning("the first free one", "the rarest one", "the next free one")
    COUNT = c.meaning("", ", conflicts counted", ", movers marked")

    def degree(offsets: wp.array[int], v: int) -> int:
        return offsets[v + 1] - offsets[v]

    def gives_way_degree(offsets: wp.array[int], v: int, w: int) -> bool:
        mine = degree(offsets, v)
        theirs = degree(offsets, w)
        # ties go by number
        return mine < theirs or (mine == theirs and v < w)

    def first_free(used: int) -> int:
        """The lowest colour whose bit is not set, or the last one."""
        for k in range(palette):
            if (used >> k) & 1 == 0:
                return k
        return palette - 1

    def next_free(used: int, colour: int) -> int:
        """The next colour round the palette whose bit is not set."""
        for k in range(1, palette):
            candidate = (colour + k) % palette
            if (used >> candidate) & 1 == 0:
                return candidate
        return colour

    @c.kernel(n)
    def kernel(
        offsets: wp.array[int] = given(n + 1, low=0, high=m, trait="offsets"),
        neighbours: wp.array[int] = given(m, low=0, high=n - 1),
        colours: wp.array[int] = given(n, low=-1 if KIND == "partial colouring" else 0, high=2),
        priority: wp.array[float] = given(n, low=0.0, high=1.0),
        usage: wp.array[float] = given(palette, low=0.0, high=5.0),
        out: wp.array[int] = result(n),
        conflicts: wp.array[int] = result(1),
        moved: wp.array[int] = result(n),
    ):
        v = wp.tid()
        colour = colours[v]
        used = int(0)
        yields = bool(False)
        if KIND == "partial colouring":
            if colour < 0:
                yields = True
        for k in range(offsets[v], offsets[v + 1]):
            w = neighbours[k]
            if w == v:
                continue
            if KIND == "partial colouring":
                if colours[w] < 0:
                    continue
            used = used | (1 << wp.max(colours[w], 0))
            if colours[w] == colour:
                if COUNT == ", conflicts counted":
                    wp.atomic_add(conflicts, 0, 1)
                if RULE == "the lower number":
                    if v < w:
                        yields = True
                elif RULE == "the lower priority":
                    if priority[v] < priority[w]:
                        yields = True
                else:
                    if gives_way_degree(offsets, v, w):
                        yields = True
        if not yields:
            out[v] = colour
            return
        if TAKES == "the first free one":
            out[v] = first_free(used)
        elif TAKES == "the next free one":
            out[v] = next_free(used, wp.max(colour, 0))
        else:
            best = int(palette - 1)
            least = float(100.0)
            for k in range(usage.shape[0]):
                if (used >> k) & 1 == 0:
                    if usage[k] < least:
                        least = usage[k]
                        best = k
            out[v] = best
        if COUNT == ", movers marked":
            moved[v] = 1
