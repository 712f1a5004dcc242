"""Steps of graph algorithms over vertices and edges: walks, colours, distances, trees."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    differentiable=False,
    names={
        "offsets": "offsets row_ptr starts",
        "neighbours": "neighbours adjacency targets",
        "at": "at position current",
        "walker": "walker tid w",
    },
)
def walk_step(c):
    """{REPORT} walks on a graph {CHOICE}, {STEPS}{RETURN}.

    Let walkers walk on a graph. The neighbours of vertex v are the entries of {neighbours} from
    `{offsets}[v]` up to but not including `{offsets}[v + 1]`. Walker k begins at `{start}[k]` and does
    {LENGTH}.{RANDOM}

    In each step {ORDER}

    {RESULT}
    """
    walkers, n, m = c.size(), c.size(5, 8), 24
    STEPS = c.meaning("of a number of steps each", "of a given number of steps", "up to a marked vertex")
    CHOICE = c.meaning(
        "to random neighbours",
        "to the better of two random neighbours",
        "that rest half of the time",
        "with Metropolis acceptance by worth",
        "to neighbours in turn",
    )
    OWN, MARKED = STEPS == "of a number of steps each", STEPS == "up to a marked vertex"
    TURNS = CHOICE == "to neighbours in turn"
    RETURN = c.meaning("", ", back to the start at dead ends", ", with random restarts")
    REPORT = c.meaning(
        "The end vertices of", "How often vertices are entered by", "The end vertices and lengths of"
    )
    VISITS, LENGTHS = REPORT == "How often vertices are entered by", "lengths" in REPORT
    if MARKED:
        STEPS = "up to a marked vertex or as many steps as vertices"
    c.names({"kernel": "walk_in_turn move_walkers" if TURNS else "walk random_walks move_walkers"})
    if "better" not in CHOICE and "Metropolis" not in CHOICE:
        c.names({"candidate": "chosen next_vertex"})
    RESTART, SEED = c.constant(0.1, 0.4), c.count(7, 99)
    LENGTH = "{steps} steps"
    if OWN:
        LENGTH = "`{counts}[k]` steps"
    elif MARKED:
        LENGTH = (
            "at most as many steps as there are vertices; it ends as soon as it is at a vertex whose "
            "{marked} is 1, be it the start"
        )
    RANDOM = ""
    if not TURNS or RETURN == ", with random restarts":
        RANDOM = (
            " Its random numbers come from one generator R = `rand_init({SEED}, k)`, and are drawn in the "
            "order in which they are named here."
        )
    ORDER = ""
    if RETURN == ", with random restarts":
        ORDER = (
            "it first draws u = `randf(R)`; if u < {RESTART}, it goes back to its start, and that is all for "
            "this step. Otherwise "
        )
    ORDER += "it looks at the edges that leave its vertex. If there are none, {DEAD}. {REST}{MOVES}"
    DEAD = "the walk ends"
    if RETURN == ", back to the start at dead ends":
        DEAD = "it goes back to its start, and that is all for this step"
    REST = "It rests in this step if a draw of `randf(R)` is below ½. " if "rest half" in CHOICE else ""
    PICK = (
        "the entry of {neighbours} at `randf(R, a, b)`, rounded down but at most b - 1, for the offsets a "
        "and b of its vertex"
    )
    MOVES = {
        "to random neighbours": "It moves to {PICK}.",
        "that rest half of the time": "Otherwise it moves to {PICK}.",
        "to neighbours in turn": "With d edges, step h (from 0) of walker k goes to neighbour (k + h) mod d "
        "of the list.",
        "to the better of two random neighbours": "It draws {PICK}, and then another one in the same way, "
        "and moves to the second if its {worth} is larger, and to the first otherwise.",
        "with Metropolis acceptance by worth": "It draws {PICK}. With W and d the {worth} of a vertex and "
        "the number of edges that leave it, and g another `randf(R)`, the walker stays if g·W·(d of the "
        "neighbour) > (W of the neighbour)·d, with W and d of its own vertex; otherwise it moves there.",
    }[CHOICE]
    RESULT = "Store the vertex where each walk ends in {places}."
    if VISITS:
        RESULT = (
            "{visits}, zero at the start, counts for each vertex how often a walker moves to it along an "
            "edge. Starts, rests and returns to the start do not count."
        )
    elif LENGTHS:
        RESULT = (
            "Store the vertex where each walk ends in {places}, and in {lengths} its number of moves along "
            "edges."
        )

    @c.kernel(walkers)
    def kernel(
        offsets: wp.array[int] = input(n + 1, low=0, high=m, trait="offsets"),
        neighbours: wp.array[int] = input(m, low=0, high=n - 1),
        start: wp.array[int] = input(walkers, low=0, high=n - 1),
        worth: wp.array[float] = input(n, low=0.1, high=1.0),
        marked: wp.array[int] = input(n, low=0, high=1),
        counts: wp.array[int] = input(walkers, low=1, high=5),
        steps: int = input(low=3, high=9),
        places: wp.array[int] = output(walkers),
        lengths: wp.array[int] = output(walkers),
        visits: wp.array[int] = output(n),
    ):
        walker = wp.tid()
        if not TURNS or RETURN == ", with random restarts":
            state = wp.rand_init(SEED, walker)
        at = start[walker]
        if LENGTHS:
            length = int(0)
        for hop in range(counts[walker] if OWN else marked.shape[0] if MARKED else steps):
            if MARKED:
                if marked[at] == 1:
                    break
            if RETURN == ", with random restarts":
                if wp.randf(state) < RESTART:
                    at = start[walker]
                    continue
            first = offsets[at]
            if TURNS:
                degree = offsets[at + 1] - first
            else:
                end = offsets[at + 1]
            # no edge leaves here
            if degree <= 0 if TURNS else end <= first:
                if RETURN == ", back to the start at dead ends":
                    at = start[walker]
                    continue
                else:
                    break
            if CHOICE == "that rest half of the time":
                if wp.randf(state) < 0.5:
                    continue
            if TURNS:
                # each walker begins elsewhere in the lists of neighbours
                pick = first + (walker + hop) % degree
                candidate = neighbours[wp.min(pick, neighbours.shape[0] - 1)]
            else:
                # rounding may lead to the end itself
                pick = wp.min(int(wp.randf(state, float(first), float(end))), end - 1)
                candidate = neighbours[pick]
            if CHOICE == "to the better of two random neighbours":
                second = wp.min(int(wp.randf(state, float(first), float(end))), end - 1)
                other = neighbours[second]
                if worth[other] > worth[candidate]:
                    candidate = other
            elif CHOICE == "with Metropolis acceptance by worth":
                # a vertex of many edges is proposed more often
                ahead = offsets[candidate + 1] - offsets[candidate]
                if wp.randf(state) * worth[at] * float(ahead) > worth[candidate] * float(end - first):
                    continue
            at = candidate
            if VISITS:
                wp.atomic_add(visits, at, 1)
            elif LENGTHS:
                length += 1
        if not VISITS:
            places[walker] = at
            if LENGTHS:
                lengths[walker] = length


@idiom(
    level=3,
    differentiable=False,
    names={
        "parent": "parent parents roots",
        "v": "v node tid vertex",
        "above": "above next_up ancestor",
        "out": "out jumped labels",
        "kernel": "jump_pointers shorten_paths find_roots",
    },
)
def parent_pointer_jump(c):
    """Follows parent pointers {FAR}{BREAK}{WEIGHTS}, and gives {GIVEN}.

    Follow parent pointers from each vertex v: a step leads from a vertex to its {parent}. Do {HOW_FAR}, but
    end before {ENDS}.{COLLECTED}

    {RESULT}
    """
    n = c.size(8, 14)
    FAR = c.meaning("two steps", "to the root", "up to a marked vertex", "by a number of steps each")
    WEIGHTS = c.meaning("", ", adding up lengths", ", keeping the largest length")
    if "largest" in WEIGHTS:
        c.names({"total": "longest greatest", "gathered": "longest_out largest_out"})
    BREAK = c.meaning("", " while vertex numbers fall")
    GIVEN = c.meaning("the end", "the end and the steps to it", "how many end at each")
    if FAR == "to the root" and not BREAK:
        c.names({"depth": "depth level", "far": "depths levels"})
    else:
        c.names({"depth": "hops taken", "far": "hop_counts steps_taken"})
    c.names(
        {
            "kernel": {
                "two steps": "jump_pointers shorten_paths",
                "to the root": "find_roots follow_to_root",
                "up to a marked vertex": "find_marked climb_to_mark",
                "by a number of steps each": "climb follow_parents",
            }[FAR]
        }
    )
    HOW_FAR = {
        "two steps": "two steps",
        "to the root": "as many steps as there are vertices",
        "up to a marked vertex": "as many steps as there are vertices",
        "by a number of steps each": "`{steps}[v]` steps",
    }[FAR]
    ENDS = "a step that leads to the same vertex, a root"
    if BREAK:
        ENDS = "a step that does not lead to a lower vertex number"
    if FAR == "up to a marked vertex":
        ENDS += ", or at a vertex with {marked} 1"
    COLLECTED = {
        "": "",
        ", adding up lengths": " {gathered} is the sum of the {lengths} of the vertices that the walk "
        "leaves.",
        ", keeping the largest length": " {gathered} is the largest of the {lengths} of the vertices that "
        "the walk leaves, or 0.",
    }[WEIGHTS]
    RESULT = {
        "the end": "Store the vertex reached in {out}.",
        "the end and the steps to it": "Store the vertex reached in {out}, and the number of steps done in "
        "{far}.",
        "how many end at each": "{sizes}, zero at the start, counts how many of these walks end at each "
        "vertex.",
    }[GIVEN]

    @c.kernel(n)
    def kernel(
        parent: wp.array[int] = input(n, low=0, high=n - 1, trait="sorted"),
        lengths: wp.array[float] = input(n, low=0.2, high=1.5),
        marked: wp.array[int] = input(n, low=0, high=1),
        steps: wp.array[int] = input(n, low=0, high=4),
        out: wp.array[int] = output(n),
        far: wp.array[int] = output(n),
        sizes: wp.array[int] = output(n),
        gathered: wp.array[float] = output(n),
    ):
        v = wp.tid()
        at = int(v)
        if GIVEN == "the end and the steps to it":
            depth = int(0)
        if WEIGHTS:
            total = float(0.0)
        for hop in range(
            2 if FAR == "two steps" else steps[v] if FAR == "by a number of steps each" else parent.shape[0]
        ):
            if FAR == "up to a marked vertex":
                if marked[at] == 1:
                    break
            above = parent[at]
            if BREAK:
                if above >= at:
                    break
            else:
                # a root is its own parent
                if above == at:
                    break
            if WEIGHTS == ", adding up lengths":
                total += lengths[at]
            elif WEIGHTS == ", keeping the largest length":
                total = wp.max(total, lengths[at])
            at = above
            if GIVEN == "the end and the steps to it":
                depth += 1
        if GIVEN == "how many end at each":
            wp.atomic_add(sizes, at, 1)
        else:
            out[v] = at
            if GIVEN == "the end and the steps to it":
                far[v] = depth
        if WEIGHTS:
            gathered[v] = total


@idiom(
    level=3,
    differentiable=False,
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
    """Relaxes each edge for {PATH} paths {WAYS}, {SAID}{CHANGED}.

    Relax the edges of a graph once, for {PATH} paths, as Bellman and Ford do. Edge e leads from
    `{sources}[e]` to `{targets}[e]`{BACK}. {LONG} A path to a vertex v has the {WORTH} `{distance}[v]` so
    far; one more edge makes it {OFFER}. {improved} of the vertex that the edge enters becomes the {EXTREME}
    of itself and of that, in place.{GAINED}
    """
    n, m = c.size(6, 9), c.size(11, 14)
    PATH = c.meaning("shortest", "widest", "most reliable", "minimax")
    WAYS = c.meaning("one way", "both ways", "one way unless it is closed")
    if PATH == "widest":
        LENGTH = c.meaning("by edge lengths", "by entry costs")
        SAID = "by edge widths" if LENGTH == "by edge lengths" else "by the widths of edges and entries"
        c.names({"lengths": "widths capacities", "length": "width capacity"})
    else:
        LENGTH = c.meaning("by edge lengths", "by distances of points", "by entry costs")
        SAID = "by edge lengths plus entry costs" if LENGTH == "by entry costs" else LENGTH
        if PATH == "most reliable":
            SAID += " over which reliability fades"
    CHANGED = c.meaning("", ", counting improvements", ", marking vertices that improve")
    FALLS = PATH in ("shortest", "minimax")
    MOST = 1.0 if PATH == "most reliable" else 2.0
    LOWEST, HIGHEST = (0.8, 2.4) if FALLS else (0.2, 0.6)
    DISTANCE, HELPER, WORTH = {
        "shortest": ("distance dist tentative", "extended path_length", "length"),
        "widest": ("path_width best_width", "narrowed width_with_edge", "width"),
        "most reliable": ("reliability chance best", "faded path_reliability", "reliability"),
        "minimax": ("bottleneck cost highest", "raised path_bottleneck", "largest edge cost"),
    }[PATH]
    c.names({"distance": DISTANCE, "offered": HELPER})

    def offered(so_far: float, length: float) -> float:
        """The {WORTH} of a path with one more edge."""
        if PATH == "shortest":
            return so_far + length
        elif PATH == "widest":
            return wp.min(so_far, length)
        elif PATH == "most reliable":
            return so_far * wp.exp(-length)
        else:
            return wp.max(so_far, length)

    BACK = {
        "one way": "",
        "both ways": ", and back as well",
        "one way unless it is closed": ", unless `{closed}[e]` is 1: then it does nothing",
    }[WAYS]
    LONG = {
        "by edge lengths": "Its {SIZE} L is `{lengths}[e]`.",
        "by distances of points": "Its length L is the distance of both ends in {points}.",
        "by entry costs": "Its length L is `{lengths}[e]` plus the {entry} of the vertex that it enters.",
    }[LENGTH]
    SIZE = "length"
    if PATH == "widest":
        SIZE = "width"
        if LENGTH == "by entry costs":
            LONG = (
                "Its width L is the smaller of `{lengths}[e]` and of the {entry} of the vertex that it "
                "enters."
            )
    OFFER = {
        "shortest": "`{distance}[u]` + L, where u is the vertex that the edge leaves",
        "widest": "min(`{distance}[u]`, L), where u is the vertex that the edge leaves",
        "most reliable": "`{distance}[u]`·exp(-L), where u is the vertex that the edge leaves",
        "minimax": "max(`{distance}[u]`, L), where u is the vertex that the edge leaves",
    }[PATH]
    EXTREME, BEYOND = ("smaller", "below") if FALLS else ("larger", "above")
    GAINED = ""
    if CHANGED == ", counting improvements":
        GAINED = (
            " `{gains}[0]`, zero at the start, counts the offers that are {BEYOND} the {distance} of their "
            "vertex."
        )
    elif CHANGED:
        GAINED = " {active} is 1 for vertices with an offer {BEYOND} their {distance}, and 0 otherwise."

    @c.kernel(m)
    def kernel(
        sources: wp.array[int] = input(m, low=0, high=n - 1),
        targets: wp.array[int] = input(m, low=0, high=n - 1),
        lengths: wp.array[float] = input(m, low=0.1, high=1.5),
        points: wp.array[wp.vec2] = input(n, low=-1.0, high=1.0),
        entry: wp.array[float] = input(n, low=0.1, high=1.0),
        closed: wp.array[int] = input(m, low=0, high=1),
        distance: wp.array[float] = input(n, low=0.2, high=MOST),
        improved: wp.array[float] = inout(n, low=LOWEST, high=HIGHEST),
        gains: wp.array[int] = output(1),
        active: wp.array[int] = output(n),
    ):
        e = wp.tid()
        if WAYS == "one way unless it is closed":
            if closed[e] == 1:
                return
        u = sources[e]
        v = targets[e]
        if LENGTH == "by edge lengths":
            length = lengths[e]
        elif LENGTH == "by distances of points":
            length = wp.length(points[v] - points[u])
        else:
            length = wp.min(entry[v], lengths[e]) if PATH == "widest" else entry[v] + lengths[e]
        if WAYS == "both ways":
            if LENGTH == "by entry costs":
                # the way back enters the other end
                back = wp.min(entry[u], lengths[e]) if PATH == "widest" else entry[u] + lengths[e]
        offer = offered(distance[u], length)
        if WAYS == "both ways":
            offer_back = offered(distance[v], back if LENGTH == "by entry costs" else length)
        if CHANGED:
            better = offer < distance[v] if FALLS else offer > distance[v]
            if WAYS == "both ways":
                better_back = offer_back < distance[u] if FALLS else offer_back > distance[u]
        if CHANGED == ", counting improvements":
            wp.atomic_add(gains, 0, wp.where(better, 1, 0))
            if WAYS == "both ways":
                wp.atomic_add(gains, 0, wp.where(better_back, 1, 0))
        elif CHANGED:
            if better:
                wp.atomic_max(active, v, 1)
            if WAYS == "both ways":
                if better_back:
                    wp.atomic_max(active, u, 1)
        if FALLS:
            wp.atomic_min(improved, v, offer)
            if WAYS == "both ways":
                wp.atomic_min(improved, u, offer_back)
        else:
            wp.atomic_max(improved, v, offer)
            if WAYS == "both ways":
                wp.atomic_max(improved, u, offer_back)


@idiom(
    level=5,
    differentiable=False,
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
    """Recolours vertices in conflict{GAPS}: of two alike, {RULE} takes {TAKES}{COUNT}.

    Repair a colouring of the vertices of a graph, once for all vertices at the same time. The neighbours of
    vertex v, itself left out, are the entries of {neighbours} from `{offsets}[v]` up to but not including
    `{offsets}[v + 1]`. If a neighbour w has the same colour in {colours}, v is in conflict with it, and gives
    way if {RULED}.{BARE}

    A vertex that gives way to one or more neighbours{OR_BARE} takes {FRESH}. A colour is free if no neighbour
    has it. All others keep their colour. Store the colours in {out}.{TOLD}
    """
    GAPS = c.meaning("", " or without a colour")
    RULE = c.meaning(
        "the lower number", "the lower priority", "the smaller degree", "the lower random priority"
    )
    TAKES = c.meaning(
        "the first free colour, if any", "the rarest free colour", "the next free colour, if any"
    )
    COUNT = c.meaning("", ", counting conflicts", ", marking those that change")
    RAREST, n = TAKES == "the rarest free colour", c.size(6, 9)
    # of the rarest there is always one, of few colours not
    palette, m = (c.count(4, 6), 14) if RAREST else (3, 24)
    SEED = c.count(7, 99)
    COUNTING, MARKING = COUNT == ", counting conflicts", COUNT == ", marking those that change"

    def degree(offsets: wp.array[int], v: int) -> int:
        return offsets[v + 1] - offsets[v]

    def random_priority(v: int) -> float:
        state = wp.rand_init(SEED, v)
        return wp.randf(state)

    def gives_way_degree(offsets: wp.array[int], v: int, w: int) -> bool:
        mine = degree(offsets, v)
        theirs = degree(offsets, w)
        # ties go by number
        return mine < theirs or (mine == theirs and v < w)

    def first_free(used: int, colour: int) -> int:
        """The lowest colour whose bit is not set, or the present one if all are."""
        # {palette} colours in all
        for k in range(palette):
            if (used >> k) & 1 == 0:
                return k
        return colour

    def next_free(used: int, colour: int) -> int:
        """The next colour round the palette whose bit is not set, or the present one if all are."""
        # {palette} colours in all
        for k in range(palette):
            candidate = (colour + 1 + k) % palette
            if (used >> candidate) & 1 == 0:
                return candidate
        return colour

    RULED = {
        "the lower number": "v < w",
        "the lower priority": "`{priority}[v]` < `{priority}[w]`",
        "the smaller degree": "the list of v is shorter than that of w, or as long and v < w",
        "the lower random priority": (
            "its random priority is lower than that of w; the priority of v is the first `randf` of a "
            "generator from `rand_init({SEED}, v)`"
        ),
    }[RULE]
    BARE = " A negative colour means none." if GAPS else ""
    OR_BARE = ", or that has no colour," if GAPS else ""
    FRESH = {
        "the first free colour, if any": "the lowest free one of the {palette} colours, and keeps its own if "
        "there is none",
        "the next free colour, if any": "the first free one of the {palette} colours that comes after its "
        "own (0 follows the last), and keeps its own if there is none",
        "the rarest free colour": "the free colour with the least {usage}, the lowest one if there are "
        "several",
    }[TAKES]
    TOLD = ""
    if COUNTING:
        TOLD = (
            " `{conflicts}[0]`, zero at the start, counts the neighbours w that are listed for a vertex v, "
            "are in conflict "
        )
        TOLD += "with it and have v < w."
    elif MARKING:
        TOLD = " {moved} is 1 for vertices whose colour changes, and 0 for others."

    @c.kernel(n)
    def kernel(
        offsets: wp.array[int] = input(n + 1, low=0, high=m, trait="offsets"),
        neighbours: wp.array[int] = input(m, low=0, high=n - 1),
        colours: wp.array[int] = input(n, low=-1 if GAPS else 0, high=2),
        priority: wp.array[float] = input(n, low=0.0, high=1.0),
        usage: wp.array[float] = input(palette, low=0.0, high=5.0),
        out: wp.array[int] = output(n),
        conflicts: wp.array[int] = output(1),
        moved: wp.array[int] = output(n),
    ):
        v = wp.tid()
        colour = colours[v]
        used = int(0)
        yields = bool(False)
        if GAPS:
            if colour < 0:
                # a vertex without a colour takes one
                yields = True
        for k in range(offsets[v], offsets[v + 1]):
            w = neighbours[k]
            if w == v:
                continue
            theirs = colours[w]
            if GAPS:
                if theirs < 0:
                    continue
            used = used | (1 << theirs)
            if theirs == colour:
                if COUNTING and RULE != "the lower number":
                    # one of the two ends counts it
                    if v < w:
                        wp.atomic_add(conflicts, 0, 1)
                if RULE == "the lower number":
                    if v < w:
                        yields = True
                        if COUNTING:
                            # one of the two ends counts it
                            wp.atomic_add(conflicts, 0, 1)
                elif RULE == "the lower priority":
                    if priority[v] < priority[w]:
                        yields = True
                elif RULE == "the lower random priority":
                    if random_priority(v) < random_priority(w):
                        yields = True
                else:
                    if gives_way_degree(offsets, v, w):
                        yields = True
        if not yields:
            out[v] = colour
            if MARKING:
                moved[v] = 0
            return
        if TAKES == "the first free colour, if any":
            fresh = first_free(used, colour)
        elif TAKES == "the next free colour, if any":
            fresh = next_free(used, colour)
        else:
            rarest = int(0)
            # more than any colour is used
            least = float(1.0e30)
            for k in range(usage.shape[0]):
                if (used >> k) & 1 == 0:
                    if usage[k] < least:
                        least = usage[k]
                        rarest = k
            out[v] = rarest
        if not RAREST:
            out[v] = fresh
        if MARKING:
            moved[v] = 1 if RAREST else wp.where(fresh != colour, 1, 0)
