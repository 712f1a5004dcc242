"""Entries looked up among candidates."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=2,
    differentiable=False,
    names={
        "points": "points queries features",
        "centres": "centres centers prototypes",
        "best": "best nearest_so_far records",
        "second": "second runner_up next_best",
        "labels": "labels owners matches",
        "better": "better closer wins",
        "i": "i tid item",
        "kernel": "update_best keep_nearest match_candidates",
    },
)
def best_match_update(c):
    """Compares each point with {CANDIDATE} and keeps the {KEPT} in place, {MARKED}.

    Compare each of {points} with {OTHER} and keep the {MANY} {MEASURE} distance{PLURAL} seen so far. The
    distance is {FORMULA}. If it is below {best}, it replaces that{NEXT}.{ELSE} {TOLD}
    """
    n = c.size()
    MANY = c.meaning("least", "two least")
    MEASURE = c.meaning("Euclidean", "city-block", "cosine", "Chebyshev")
    CANDIDATE = c.meaning("a new centre", "a new centre of its own")
    MARKED = c.meaning("with the label of the nearest", "counting the points that come nearer")
    KEPT = f"{MANY} {MEASURE} distance{'s' if MANY == 'two least' else ''}"

    def measure(a: wp.vec3, b: wp.vec3) -> float:
        if MEASURE == "city-block":
            return wp.abs(a[0] - b[0]) + wp.abs(a[1] - b[1]) + wp.abs(a[2] - b[2])
        elif MEASURE == "cosine":
            return 1.0 - wp.dot(wp.normalize(a), wp.normalize(b))
        elif MEASURE == "Chebyshev":
            return wp.max(wp.abs(a - b))
        else:
            return wp.length(a - b)

    FAR = {"cosine": 1.2, "Chebyshev": 2.0, "Euclidean": 3.0, "city-block": 4.0}[MEASURE]
    OTHER = "a new centre, {centre}," if CANDIDATE == "a new centre" else "its own new centre in {centres}"
    PLURAL = "s" if MANY == "two least" else ""
    FORMULA = {
        "city-block": "the sum of the absolute differences of the components",
        "cosine": "1 less the cosine of the angle between the two vectors",
        "Chebyshev": "the largest absolute difference of the components",
        "Euclidean": "the length of their difference",
    }[MEASURE]
    NEXT, ELSE = "", ""
    if MANY == "two least":
        NEXT = ", and the old one moves to {second}"
        ELSE = " If not, it replaces {second} if it is below that."
    TOLD = "{labels} becomes {label} for the points that have it as their nearest now; others keep theirs."
    if "label" not in MARKED:
        TOLD = "Count in `{changed}[0]`, from zero, the points whose {best} changes."

    @c.kernel(n)
    def kernel(
        points: wp.array[wp.vec3] = input(n, low=-1.0, high=2.0),
        centre: wp.vec3 = input(low=-1.0, high=2.0),
        centres: wp.array[wp.vec3] = input(n, low=-1.0, high=2.0),
        label: int = input(low=10, high=30),
        best: wp.array[float] = inout(n, low=0.2 * FAR, high=0.8 * FAR),
        second: wp.array[float] = inout(n, low=0.8 * FAR, high=1.2 * FAR),
        labels: wp.array[int] = inout(n, low=0, high=9),
        changed: wp.array[int] = output(1),
    ):
        i = wp.tid()
        if CANDIDATE == "a new centre":
            d = measure(points[i], centre)
        else:
            d = measure(points[i], centres[i])
        better = d < best[i]
        if MANY == "two least":
            # what was best may be second now
            second[i] = wp.where(better, best[i], wp.min(second[i], d))
        if "label" in MARKED:
            labels[i] = wp.where(better, label, labels[i])
        else:
            wp.atomic_add(changed, 0, wp.where(better, 1, 0))
        best[i] = wp.where(better, d, best[i])
