"""Ranks of entries, and how far data are from order."""

from __future__ import annotations

from ...pages.page import given, idiom, result, wp


@idiom(
    level=2,
    names={
        "x": "x keys values scores",
        "out": "out ranks places",
        "rank": "rank place position",
        "mine": "mine key value",
        "kernel": "count_ranks enumeration_sort",
    },
)
def rank_by_counting(c):
    """The rank of each entry among {AMONG}, counting {COUNTED} ones, ties {TIES}{GIVEN}."""
    n = c.size()
    AMONG = c.meaning("all entries", "its group", "the active entries")
    COUNTED = c.meaning("smaller", "larger")
    TIES = c.meaning("broken by index", "counted half", "sharing a rank")
    GIVEN = c.meaning("", ", as a fraction of their number") if AMONG == "all entries" else ""
    WHOLE = not GIVEN and TIES != "counted half"

    @c.kernel(n)
    def kernel(
        x: wp.array[int] = given(n, low=0, high=8),
        group: wp.array[int] = given(n, low=0, high=2),
        active: wp.array[int] = given(n, low=0, high=1),
        out: wp.array[int if WHOLE else float] = result(n, of="value"),
    ):
        i = wp.tid()
        mine = x[i]
        rank = int(0) if WHOLE else float(0.0)
        for j in range(x.shape[0]):
            if AMONG == "its group":
                if group[j] != group[i]:
                    continue
            elif AMONG == "the active entries":
                if active[j] == 0:
                    continue
            other = x[j]
            if TIES == "broken by index":
                ahead = other < mine if COUNTED == "smaller" else other > mine
                if ahead or (other == mine and j < i):
                    rank += 1 if WHOLE else 1.0
            elif TIES == "counted half":
                if other == mine and j != i:
                    rank += 0.5
                if other < mine if COUNTED == "smaller" else other > mine:
                    rank += 1.0
            else:
                if other < mine if COUNTED == "smaller" else other > mine:
                    rank += 1 if WHOLE else 1.0
        out[i] = rank / float(x.shape[0]) if GIVEN else rank


@idiom(
    level=3,
    names={
        "x": "x values series data",
        "out": "out disorder measures",
        "row": "row tid i",
        "count": "count total score",
        "width": "width cols length",
        "kernel": "measure_disorder disorder_of_rows",
    },
)
def inversion_count(c):
    """The {MEASURE} of each row{PAIRS}{WEIGHT}."""
    rows, cols = c.size(5, 9), c.count(5, 8)
    MEASURE = c.meaning("number of inversions", "Kendall score against a partner", "Spearman footrule")
    if MEASURE == "Spearman footrule":
        PAIRS, WEIGHT = "", c.meaning("", ", squared", ", normalised")
    else:
        PAIRS = c.meaning("", ", over near pairs", ", over active entries")
        WEIGHT = c.meaning("", ", weighted by the gap", ", weighted by nearness")
    REACH = c.count(2, 3)
    if MEASURE != "number of inversions":
        c.names({"kernel": "measure_disorder disorder_of_rows", "count": "total score"})
    if "Kendall" in MEASURE:
        c.names({"kernel": "kendall_scores score_rows", "out": "out scores concordance"})

    @c.kernel(rows)
    def kernel(
        x: wp.array2d[float] = given(rows, cols, low=-2.0, high=2.0),
        y: wp.array2d[float] = given(rows, cols, low=-2.0, high=2.0),
        active: wp.array[int] = given(cols, low=0, high=1),
        out: wp.array[float] = result(rows, of="value"),
    ):
        row = wp.tid()
        width = x.shape[1]
        count = float(0.0)
        for i in range(width):
            if PAIRS == ", over active entries":
                if active[i] == 0:
                    continue
            if MEASURE == "Spearman footrule":
                place = float(0.0)
                for j in range(width):
                    if x[row, j] < x[row, i]:
                        place += 1.0
                # how far the entry is from where it belongs
                moved = wp.abs(place - float(i))
                count += moved * moved if WEIGHT == ", squared" else moved
            else:
                for j in range(i + 1, width):
                    if PAIRS == ", over active entries":
                        if active[j] == 0:
                            continue
                    elif PAIRS == ", over near pairs":
                        if j - i > REACH:
                            break
                    gap = x[row, j] - x[row, i]
                    if WEIGHT == ", weighted by the gap":
                        weight = wp.abs(gap)
                    elif WEIGHT == ", weighted by nearness":
                        weight = 1.0 / float(j - i)
                    else:
                        weight = float(1.0)
                    if MEASURE == "number of inversions":
                        if gap < 0.0:
                            count += weight
                    else:
                        other = y[row, j] - y[row, i]
                        # a tie on either side says nothing
                        if gap * other > 0.0:
                            count += weight
                        elif gap * other < 0.0:
                            count -= weight
        if WEIGHT == ", normalised":
            out[row] = count / float(width * width // 2)
        else:
            out[row] = count


@idiom(
    level=2,
    names={
        "x": "x values series keys",
        "out": "out flags marks",
        "i": "i tid k",
        "kernel": "check_order mark_breaks",
        "here": "here value mine",
    },
)
def sortedness_check(c):
    """{MAKES} {WHAT} of a list by {KEY}{HOW}."""
    n = c.size()
    WHAT = c.meaning("descents", "local peaks", "entries out of order", "run starts", "near repeats")
    KEY = c.meaning("value", "magnitude", "length")
    MAKES = c.meaning("Marks", "Counts")
    HOW = ""
    NEAR = c.constant(0.3, 0.7)
    if MAKES == "Marks" and WHAT in ("descents", "local peaks"):
        HOW = c.meaning("", " with the size of the step")

    Item = c.vec(2) if KEY == "length" else float
    thing = {
        "descents": "descents",
        "local peaks": "peaks",
        "entries out of order": "breaks",
        "run starts": "runs",
        "near repeats": "repeats",
    }[WHAT]
    c.names({"kernel": f"mark_{thing} flag_{thing}" if MAKES == "Marks" else f"count_{thing}"})

    def key(x: wp.array[Item], i: int) -> float:
        k = wp.clamp(i, 0, x.shape[0] - 1)
        if KEY == "magnitude":
            return wp.abs(x[k])
        elif KEY == "length":
            return wp.length(x[k])
        else:
            return x[k]

    @c.kernel(n)
    def kernel(
        x: wp.array[Item] = given(n, low=-2.0, high=3.0),
        out: wp.array[float if HOW == " with the size of the step" else int] = result(n),
        count: wp.array[int] = result(1),
    ):
        i = wp.tid()
        here = key(x, i)
        if WHAT != "entries out of order":
            step = here - key(x, i - 1)
        if WHAT == "descents":
            marked = step < 0.0
        elif WHAT == "local peaks":
            marked = step > 0.0 and key(x, i + 1) < here
        elif WHAT == "run starts":
            # a run goes on while it does not turn
            before = key(x, i - 1) - key(x, i - 2)
            marked = i == 0 or step * before < 0.0
        elif WHAT == "near repeats":
            marked = i > 0 and wp.abs(step) < NEAR
        else:
            marked = bool(False)
            for j in range(i):
                if key(x, j) > here:
                    marked = True
                    break
        if MAKES == "Counts":
            if marked:
                wp.atomic_add(count, 0, 1)
        elif HOW == " with the size of the step":
            out[i] = wp.where(marked, step, 0.0)
        else:
            out[i] = wp.where(marked, 1, 0)


@idiom(
    level=2,
    names={
        "ranks": "ranks places positions",
        "ties": "ties tied repeats",
        "p": "p share probability",
        "rank": "rank r place",
        "out": "out scores marks",
        "i": "i tid k",
        "kernel": "plotting_positions rank_to_probability score_ranks",
    },
)
def percentile_rank(c):
    """The {SCORE} of each rank {COUNTED}, by {RULE} plotting positions."""
    n = c.size()
    SCORE = c.meaning("share", "return period", "log odds", "Gumbel variate", "arcsine score")
    RULE = c.meaning("Weibull's", "Hazen's", "shifted")
    COUNTED = c.meaning("from the bottom", "from the top", "with its ties")
    SHIFT = c.constant(0.3, 0.45)
    if SCORE != "share":
        c.names({"kernel": "score_ranks plotting_scores"})

    @c.kernel(n)
    def kernel(
        ranks: wp.array[int] = given(n, low=1, high=n - 3),
        ties: wp.array[int] = given(n, low=0, high=3),
        out: wp.array[float] = result(n),
    ):
        i = wp.tid()
        count = float(ranks.shape[0])
        if COUNTED == "from the top":
            rank = count + 1.0 - float(ranks[i])
        elif COUNTED == "with its ties":
            # tied entries share the middle of their ranks
            rank = float(ranks[i]) + 0.5 * float(ties[i])
        else:
            rank = float(ranks[i])
        if RULE == "Weibull's":
            p = rank / (count + 1.0)
        elif RULE == "Hazen's":
            p = (rank - 0.5) / count
        else:
            p = (rank - SHIFT) / (count + 1.0 - 2.0 * SHIFT)
        if SCORE == "return period":
            out[i] = 1.0 / (1.0 - p)
        elif SCORE == "log odds":
            out[i] = wp.log(p / (1.0 - p))
        elif SCORE == "Gumbel variate":
            out[i] = -wp.log(-wp.log(p))
        elif SCORE == "arcsine score":
            out[i] = wp.asin(wp.sqrt(p))
        else:
            out[i] = p


@idiom(
    level=3,
    names={
        "home away": "home away | first second | whites blacks",
        "ratings": "ratings strengths skill",
        "a b": "a b | i j | one other",
        "expected": "expected chance predicted",
        "gained": "gained change step",
        "changes": "changes gains delta",
        "game": "game tid match_id",
    },
)
def elo_update(c):
    """The {GIVEN} by {MODEL}{ADVANTAGE}{SCORED}{STEP}."""
    n, games = c.size(6, 9), c.size(9, 13)
    MODEL = c.meaning("Elo's curve", "a logistic curve", "a normal curve", "the Bradley-Terry model")
    ADVANTAGE = c.meaning("", " with a home advantage")
    GIVEN = c.meaning("expected score of each game", "changes of players’ ratings")
    RATE, EDGE, SPREAD = c.constant(0.1, 0.5), c.constant(0.1, 0.4), c.constant(0.8, 2.0)
    EXPECTED = GIVEN == "expected score of each game"
    if EXPECTED:
        SCORED, STEP = "", c.meaning(", with its Brier score", ", with its log loss in bits")
    else:
        SCORED = c.meaning(" from results", " from shares of goals", " from wins of the first")
        STEP = c.meaning("", ", smaller with experience", ", weighted by game")
    c.names({"kernel": "predict_games expected_scores" if EXPECTED else "rate_games update_ratings"})

    def expected_score(mine: float, theirs: float) -> float:
        """The chance that one player beats another."""
        if MODEL == "the Bradley-Terry model":
            return mine / (mine + theirs)
        elif MODEL == "Elo's curve":
            return 1.0 / (1.0 + wp.pow(10.0, (theirs - mine) / SPREAD))
        elif MODEL == "a logistic curve":
            return 1.0 / (1.0 + wp.exp(theirs - mine))
        else:
            return 0.5 + 0.5 * wp.erf((mine - theirs) / SPREAD)

    @c.kernel(games)
    def kernel(
        home: wp.array[int] = given(games, low=0, high=n - 1),
        away: wp.array[int] = given(games, low=0, high=n - 1),
        ratings: wp.array[float] = given(n, low=0.5, high=2.5),
        results: wp.array[float] = given(games, low=0.0, high=1.0),
        goals: wp.array[wp.vec2] = given(games, low=0.2, high=4.0),
        played: wp.array[int] = given(n, low=1, high=9),
        weights: wp.array[float] = given(games, low=0.3, high=1.5),
        changes: wp.array[float] = result(n),
        chances: wp.array[float] = result(games),
        surprise: wp.array[float] = result(games),
    ):
        game = wp.tid()
        a = home[game]
        b = away[game]
        mine = ratings[a] + EDGE if ADVANTAGE else ratings[a]
        expected = expected_score(mine, ratings[b])
        if EXPECTED:
            score = results[game]
            chances[game] = expected
            if STEP == ", with its Brier score":
                surprise[game] = (score - expected) * (score - expected)
            else:
                surprise[game] = -score * wp.log2(expected) - (1.0 - score) * wp.log2(1.0 - expected)
        else:
            if SCORED == " from results":
                score = results[game]
            elif SCORED == " from shares of goals":
                score = goals[game][0] / (goals[game][0] + goals[game][1])
            else:
                score = 1.0
            if STEP == ", smaller with experience":
                gained = RATE * (score - expected) / float(played[a] + played[b])
            elif STEP == ", weighted by game":
                gained = RATE * weights[game] * (score - expected)
            else:
                gained = RATE * (score - expected)
            # what one player wins the other loses
            wp.atomic_add(changes, a, gained)
            wp.atomic_sub(changes, b, gained)
