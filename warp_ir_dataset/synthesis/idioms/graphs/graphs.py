"""Steps of algorithms on graphs, over edges or over the neighbours of a vertex."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "rank": "rank scores mass",
        "offsets": "offsets row_ptr starts",
        "sources": "sources neighbours incoming",
        "degree": "degree out_degree fanout",
        "out_weights": "out_weights total_weights weight_sums",
        "v": "v node tid vertex",
        "total": "total inflow acc",
        "out": "rank_next out updated",
        "updated_rank": "updated_rank new_rank",
        "home": "home teleport restart",
        "kernel": "propagate_rank rank_vertices power_step",
    },
)
def pagerank_step(c):
    """{WALK} over {EDGES}, {SHARED}{DANGLING}{REPORT}.

    {PURPOSE}. {NEIGHBOURS} {RULE} {CHANGE}
    """
    n, m = c.size(6, 9), 14
    EDGES = c.meaning("incoming edges", "an edge list", "padded neighbour lists")
    if EDGES == "an edge list":
        WALK = c.meaning("One PageRank push without teleport", "One step of a lazy random walk")
        DANGLING = REPORT = ""
        c.names({"sources targets": "sources targets | tails heads | from_vertex to_vertex"})
    else:
        WALK = c.meaning(
            "One PageRank step",
            "One personalised PageRank step",
            "One step of Katz centrality",
            "One step of a lazy random walk",
        )
        DANGLING = "" if "Katz" in WALK else c.meaning("", ", dangling mass spread evenly")
        REPORT = c.meaning("", ", with the summed change")
    if "Katz" in WALK:
        SHARED = "by edge weight"
    else:
        SHARED = c.meaning("shared by out-degree", "shared by edge weight")
    if "lazy" in WALK:
        c.names(
            {
                "kernel": "walk_step lazy_walk spread_walkers",
                "rank": "mass probability walkers",
                "out": "out next_mass arrived",
                "updated_rank": "new_mass new_share",
            }
        )
    elif "Katz" in WALK:
        c.names(
            {
                "kernel": "katz_step score_vertices power_step",
                "rank": "scores centrality",
                "out": "out next_scores updated",
                "updated_rank": "score new_score",
                "DAMPING": "ATTENUATION DAMPING",
            }
        )
    elif EDGES == "an edge list":
        c.names({"kernel": "push_rank propagate_rank pagerank_push", "out": "out received inflow"})
    DAMPING = c.constant(0.6, 0.9)
    width = 3
    PURPOSE = {
        "One PageRank push without teleport": "Push PageRank along the edges of a graph once, without "
        "teleport",
        "One PageRank step": "Do one step of PageRank, the power iteration",
        "One personalised PageRank step": "Do one step of personalised PageRank",
        "One step of Katz centrality": "Do one step of Katz centrality",
        "One step of a lazy random walk": "Do one step of a lazy random walk on a graph",
    }[WALK]
    PASSES = "`{rank}[u]` / `{degree}[u]`"
    if EDGES == "an edge list":
        NEIGHBOURS = "Edge k goes from vertex u = `{sources}[k]` to vertex `{targets}[k]`."
        if SHARED == "shared by edge weight":
            PASSES = "`{rank}[u]` · `{weights}[k]` / `{out_weights}[u]`"
        RULE = (
            f"Edge k passes on {{DAMPING}} times {PASSES}. {{out}} is the sum of all that a vertex receives."
        )
        if "lazy" in WALK:
            RULE = (
                f"The share of the edge is {PASSES}: one half of it arrives at the target, the "
                "other half stays at "
            )
            RULE += "u. {out} is the sum of all that arrives and stays at each vertex."
    else:
        PLACE = "k" if EDGES == "incoming edges" else "v, k"
        NEIGHBOURS = "The incoming edges of vertex v are all k from `{offsets}[v]` up to but not including "
        NEIGHBOURS += "`{offsets}[v + 1]`, and edge k comes from vertex u = `{sources}[k]`."
        W = "{weights}"
        if EDGES == "padded neighbour lists":
            NEIGHBOURS = (
                "The incoming edges of vertex v come from the vertices u = `{lists}[v, k]`; "
                "negative entries of "
            )
            NEIGHBOURS += "a row are padding and do not count."
            W = "{share}"
        if "Katz" in WALK:
            PASSES = f"`{W}[{PLACE}]` · `{{rank}}[u]`"
        elif SHARED == "shared by edge weight":
            PASSES = f"`{{rank}}[u]` · `{W}[{PLACE}]` / `{{out_weights}}[u]`"
        RULE = f"Let t be the sum of {PASSES} over the incoming edges of v"
        if DANGLING:
            RULE += ", plus its equal part of the dangling mass, {lost} over the number of vertices in {rank}"
        RULE += (
            ". With n vertices in {rank}, `{out}[v]` is now "
            if WALK == "One PageRank step"
            else ". `{out}[v]` is now "
        )
        RULE += {
            "One PageRank step": "(1 - {DAMPING}) / n + {DAMPING} · t.",
            "One personalised PageRank step": "(1 - {DAMPING}) · `{home}[v]` + {DAMPING} · t.",
            "One step of Katz centrality": "1 + {DAMPING} · t.",
            "One step of a lazy random walk": "the mean of `{rank}[v]` and t.",
        }[WALK]
    CHANGE = "{change} is the sum of the magnitudes of all changes from {rank}." if REPORT else ""

    @c.kernel(m if EDGES == "an edge list" else n)
    def kernel(
        rank: wp.array[float] = input(n, low=0.1, high=1.0),
        offsets: wp.array[int] = input(n + 1, low=0, high=m, trait="offsets"),
        sources: wp.array[int] = input(m, low=0, high=n - 1),
        targets: wp.array[int] = input(m, low=0, high=n - 1),
        lists: wp.array2d[int] = input(n, width, low=-1, high=n - 1),
        weights: wp.array[float] = input(m, low=0.1, high=0.6),
        share: wp.array2d[float] = input(n, width, low=0.1, high=0.6),
        degree: wp.array[int] = input(n, low=1, high=4),
        out_weights: wp.array[float] = input(n, low=0.6, high=2.0),
        home: wp.array[float] = input(n, low=0.0, high=0.5),
        lost: float = input(low=0.05, high=0.6),
        out: wp.array[float] = output(n, of=None if "Katz" in WALK else "probability"),
        change: wp.array[float] = output(1),
    ):
        if EDGES == "an edge list":
            e = wp.tid()
            u = sources[e]
            if SHARED == "shared by edge weight":
                passed = weights[e] / out_weights[u] * rank[u]
            else:
                passed = rank[u] / float(degree[u])
            if "lazy" in WALK:
                # half of each share stays at its source
                passed *= 0.5
                wp.atomic_add(out, u, passed)
            else:
                passed *= DAMPING
            wp.atomic_add(out, targets[e], passed)
        else:
            v = wp.tid()
            total = float(0.0)
            if EDGES == "incoming edges":
                for k in range(offsets[v], offsets[v + 1]):
                    u = sources[k]
                    if "Katz" in WALK:
                        total += weights[k] * rank[u]
                    elif SHARED == "shared by edge weight":
                        total += weights[k] / out_weights[u] * rank[u]
                    else:
                        total += rank[u] / float(degree[u])
            else:
                for k in range(lists.shape[1]):
                    u = lists[v, k]
                    if u < 0:
                        continue
                    if "Katz" in WALK:
                        total += share[v, k] * rank[u]
                    elif SHARED == "shared by edge weight":
                        total += share[v, k] / out_weights[u] * rank[u]
                    else:
                        total += rank[u] / float(degree[u])
            if DANGLING:
                total += lost / float(rank.shape[0])
            if WALK == "One PageRank step":
                updated_rank = (1.0 - DAMPING) / float(rank.shape[0]) + DAMPING * total
            elif WALK == "One personalised PageRank step":
                updated_rank = (1.0 - DAMPING) * home[v] + DAMPING * total
            elif "Katz" in WALK:
                updated_rank = 1.0 + DAMPING * total
            else:
                updated_rank = 0.5 * (rank[v] + total)
            out[v] = updated_rank
            if REPORT:
                wp.atomic_add(change, 0, wp.abs(updated_rank - rank[v]))


@idiom(
    level=4,
    differentiable=False,
    names={
        "sources targets": "sources targets | tails heads | edge_u edge_v",
        "level": "level next_level distance",
        "e": "e edge tid",
        "u v": "u v | tail head | a b",
        "parent": "parent predecessor came_from",
        "kernel": "expand_frontier bfs_level visit_edges",
    },
)
def frontier_expansion(c):
    """Follows the {WHERE} out of {FRONTIER}, {CLAIM}{COUNTING}.

    {PURPOSE}. Edge k goes from `{sources}[k]` to `{targets}[k]`{WAYS}. It is followed from u to v if {FRONT}.

    {RESULT}
    """
    WHERE = c.meaning("edges", "edges in both directions", "open edges")
    n, m = c.size(8, 11), c.size(30, 36) if WHERE == "open edges" else c.size(20, 24)
    FRONTIER = c.meaning("the current level", "marked vertices", "vertices within reach")
    LEVELS = FRONTIER == "the current level"
    CLAIM = c.meaning(
        "making the highest source of each unvisited end its parent",
        "lowering the level of each unvisited end to one past the source",
        "collecting each unvisited end once",
        "marking each unvisited end",
    )
    COUNTING = c.meaning("", ", and counts what is new")
    if WHERE == "edges in both directions":
        c.names({"e": "e edge", "way": "way half_edge"})
    if CLAIM == "collecting each unvisited end once":
        COUNTING = " in order of arrival"
    elif CLAIM == "marking each unvisited end" and LEVELS and COUNTING == "":
        CLAIM = "marking each unvisited end with the next level"

    def first_visit(parent: wp.array[int], u: int, v: int) -> int:
        """One if {v} had no parent before, else zero. Parents count from one."""
        before = wp.atomic_max(parent, v, u + 1)
        if before == 0:
            return 1
        return 0

    def lower(level: wp.array[int], depth: int, v: int) -> int:
        """One if {v} was not reached before, else zero."""
        before = wp.atomic_min(level, v, depth + 1)
        # a path is shorter than there are vertices: so high a level says that nobody was there
        if before >= level.shape[0]:
            return 1
        return 0

    def mark(marks: wp.array[int], v: int) -> int:
        """One if {v} bore no mark before, else zero."""
        before = wp.atomic_exch(marks, v, 1)
        return 1 if before == 0 else 0

    PURPOSE = "Expand the frontier of a breadth-first search over the edges of a graph"
    WAYS = ""
    if WHERE == "edges in both directions":
        WAYS = " and is followed both ways, each by a thread of its own"
    elif WHERE == "open edges":
        WAYS = ", but if `{blocked}[k]` is 1, it is closed and does not count"
    FRONT = {
        "the current level": "u has the depth {current} in {depths} and v is unvisited, with a "
        "negative depth",
        "marked vertices": "{marked} is not 0 for u and {visited} is false for v",
        "vertices within reach": "the {cost} of u is at most {reach} and {visited} is false for v",
    }[FRONTIER]
    NEW = "{count} is the number of vertices that are marked."
    if CLAIM == "making the highest source of each unvisited end its parent":
        RESULT = (
            "Write to `{parent}[v]` the highest u from which v is reached, plus 1, and 0 if there is none."
        )
        NEW = "{count} is the number of vertices that got a parent."
    elif CLAIM == "lowering the level of each unvisited end to one past the source":
        RESULT = "`{level}[v]` is lowered to `{depths}[u]` + 1 for each such u, if that is less."
        NEW = (
            "{count} is the number of vertices reached whose level was at least the number of "
            "vertices before, which"
        )
        NEW += " means that nobody had come there."
    elif CLAIM == "collecting each unvisited end once":
        RESULT = (
            "Every v that is reached is appended to {queue} once, in order of arrival, and gets "
            "the mark 1 in "
        )
        RESULT += "{marks}; {count} is their number. Everything else in {queue} and {marks} stays 0."
    else:
        RESULT = "Every v that is reached gets the mark 1 in {marks}; the others stay 0."
        if LEVELS and not COUNTING:
            RESULT = (
                "Every v that is reached gets the next level, `{depths}[u]` + 1, in {marks}; the "
                "others stay 0."
            )
    if COUNTING and CLAIM != "collecting each unvisited end once":
        RESULT += " {NEW}"

    @c.kernel(2 * m if WHERE == "edges in both directions" else m)
    def kernel(
        sources: wp.array[int] = input(m, low=0, high=n - 1),
        targets: wp.array[int] = input(m, low=0, high=n - 1),
        blocked: wp.array[int] = input(m, low=0, high=1),
        depths: wp.array[int] = input(n, low=-1 if LEVELS else 0, high=1 if LEVELS else 3),
        visited: wp.array[bool] = input(n, low=0, high=1),
        marked: wp.array[int] = input(n, low=0, high=1),
        cost: wp.array[float] = input(n, low=0.0, high=2.0),
        current: int = input(low=0, high=1),
        reach: float = input(low=0.1, high=1.9),
        level: wp.array[int] = inout(n, low=1, high=2 * n),
        parent: wp.array[int] = output(n),
        marks: wp.array[int] = output(n),
        queue: wp.array[int] = output(n),
        count: wp.array[int] = output(1),
    ):
        if WHERE == "edges in both directions":
            # two threads for each edge, one for each way
            way = wp.tid()
            e = way // 2
        else:
            e = wp.tid()
        if WHERE == "open edges":
            if blocked[e] == 1:
                return
        u = sources[e]
        v = targets[e]
        if WHERE == "edges in both directions":
            if way % 2 == 1:
                u = targets[e]
                v = sources[e]
        if LEVELS:
            # vertices that nobody has come to are at a depth of -1
            if depths[u] != current or depths[v] >= 0:
                return
        elif FRONTIER == "marked vertices":
            if marked[u] == 0 or visited[v]:
                return
        else:
            if cost[u] > reach or visited[v]:
                return
        if CLAIM == "collecting each unvisited end once":
            # only whoever marks a vertex first appends it
            if mark(marks, v) == 1:
                slot = wp.atomic_add(count, 0, 1)
                if slot >= 0 and slot < queue.shape[0]:
                    queue[slot] = v
        elif COUNTING:
            if CLAIM == "making the highest source of each unvisited end its parent":
                found = first_visit(parent, u, v)
            elif CLAIM == "lowering the level of each unvisited end to one past the source":
                found = lower(level, depths[u], v)
            else:
                found = mark(marks, v)
            if found == 1:
                wp.atomic_add(count, 0, 1)
        else:
            if CLAIM == "making the highest source of each unvisited end its parent":
                # the highest of several becomes the parent, counted from one
                wp.atomic_max(parent, v, u + 1)
            elif CLAIM == "lowering the level of each unvisited end to one past the source":
                wp.atomic_min(level, v, depths[u] + 1)
            else:
                wp.atomic_max(marks, v, 1 + depths[u] if LEVELS else 1)


@idiom(
    level=4,
    differentiable=False,
    names={
        "offsets": "offsets row_ptr starts",
        "neighbours": "neighbours adjacency targets",
        "a b": "a b | u v | s t",
        "common": "common shared in_both",
        "out": "out per_edge counts",
        "kernel": "intersect_neighbours compare_neighbourhoods",
        "e": "e edge tid",
        "j": "j q cursor",
    },
)
def triangle_count(c):
    """The {WANTED} of the two ends of each edge by {METHOD}{THIRD}.

    For each edge k with the ends a = `{starts}[k]` and b = `{ends}[k]`, find {SCORE}, by {WAY}. The list of
    vertex v consists of the entries of {neighbours} from `{offsets}[v]` up to but not including
    `{offsets}[v + 1]`; its length is the degree of v. The common neighbours are the entries w of the list of
    a that are in that of b as well; an entry counts as often as the list of a has it. {BUT} {FORMULA}
    """
    n, m, edges = c.size(5, 7), 14, c.size(8, 12)
    WANTED = c.meaning(
        "number of common neighbours",
        "Jaccard similarity",
        "Adamic-Adar score",
        "summed weight of common neighbours",
    )
    METHOD = c.meaning(
        "comparing all pairs", "bisection in sorted lists", "a bit set", "merging sorted lists"
    )
    if WANTED == "Jaccard similarity":
        # a share of whole lists
        THIRD = ""
    else:
        THIRD = c.meaning("", ", only those numbered above the first end", ", the ends themselves left out")
    whole = WANTED == "number of common neighbours"
    if WANTED != "number of common neighbours":
        c.names({"kernel": "intersect_neighbours compare_neighbourhoods", "out": "out per_edge scores"})

    def contains(neighbours: wp.array[int], start: int, stop: int, wanted: int) -> bool:
        """Whether a sorted stretch of neighbours holds a vertex."""
        low = int(start)
        high = int(stop)
        while low < high:
            mid = (low + high) // 2
            if neighbours[mid] < wanted:
                low = mid + 1
            else:
                high = mid
        if low >= stop:
            return False
        return neighbours[low] == wanted

    SCORE = {
        "number of common neighbours": "the number of common neighbours",
        "Jaccard similarity": "the Jaccard similarity of their neighbours",
        "Adamic-Adar score": "the Adamic-Adar score",
        "summed weight of common neighbours": "the summed weight of common neighbours",
    }[WANTED]
    WAY = {
        "comparing all pairs": "comparing all pairs of entries",
        "bisection in sorted lists": "bisection, as lists are sorted",
        "a bit set": "a set of bits in one 32-bit word (no vertex has a number above 31)",
        "merging sorted lists": "merging the two lists, which are sorted",
    }[METHOD]  # fmt: skip
    BUT = {
        "": "", ", only those numbered above the first end": "Only those with w > a count.",
        ", the ends themselves left out": "The ends themselves, a and b, do not count.",
    }[THIRD]  # fmt: skip
    FORMULA = {
        "number of common neighbours": "Write how many there are to {out}.",
        "Jaccard similarity": "With c the number of common neighbours and s the sum of the degrees of "
        "a and b, {out} is c / max(s - c, 1).",
        "Adamic-Adar score": "{out} is the sum of 1 / ln(max(degree of w, 2)) over them.",
        "summed weight of common neighbours": "{out} is the sum of their {weights}.",
    }[WANTED]

    @c.kernel(edges)
    def kernel(
        offsets: wp.array[int] = input(n + 1, low=0, high=m, trait="offsets"),
        neighbours: wp.array[int] = input(
            m, low=0, high=n - 1, trait=None if METHOD in ("comparing all pairs", "a bit set") else "sorted"
        ),
        starts: wp.array[int] = input(edges, low=0, high=n - 1),
        ends: wp.array[int] = input(edges, low=0, high=n - 1),
        weights: wp.array[float] = input(n, low=0.2, high=1.5),
        out: wp.array[int if whole else float] = output(edges),
    ):
        e = wp.tid()
        a = starts[e]
        b = ends[e]
        if whole:
            common = int(0)
        else:
            common = float(0.0)
        if METHOD == "a bit set":
            # a bit for each vertex, of which there are fewer than 32
            members = int(0)
            for k in range(offsets[b], offsets[b + 1]):
                members = members | (1 << neighbours[k])
        elif METHOD == "merging sorted lists":
            j = offsets[b]
        for k in range(offsets[a], offsets[a + 1]):
            w = neighbours[k]
            if THIRD == ", only those numbered above the first end":
                if w <= a:
                    continue
            elif THIRD == ", the ends themselves left out":
                if w == a or w == b:
                    continue
            if METHOD == "a bit set":
                found = (members >> w) & 1 == 1
            elif METHOD == "bisection in sorted lists":
                found = contains(neighbours, offsets[b], offsets[b + 1], w)
            elif METHOD == "merging sorted lists":
                while j < offsets[b + 1]:
                    if neighbours[j] >= w:
                        break
                    j += 1
                found = bool(False)
                if j < offsets[b + 1]:
                    found = neighbours[j] == w
            else:
                found = bool(False)
                for j in range(offsets[b], offsets[b + 1]):
                    if neighbours[j] == w:
                        found = True
            if found:
                if WANTED == "Adamic-Adar score":
                    # popular vertices tell little
                    degree = float(offsets[w + 1] - offsets[w])
                    common += 1.0 / wp.log(wp.max(degree, 2.0))
                elif WANTED == "summed weight of common neighbours":
                    common += weights[w]
                else:
                    common += 1 if whole else 1.0
        if WANTED == "Jaccard similarity":
            degrees = float(offsets[a + 1] - offsets[a] + offsets[b + 1] - offsets[b])
            # the sum of the degrees counts twice what both have
            out[e] = common / wp.max(degrees - common, 1.0)
        else:
            out[e] = common
