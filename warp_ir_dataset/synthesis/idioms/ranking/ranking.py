"""Ranks of entries, and how far data are from order."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=2,
    differentiable=False,
    names={
        "x": "x keys values scores",
        "out": "out ranks places",
        "rank": "rank place position",
        "mine": "mine key value",
        "kernel": "count_ranks compute_ranks rank_entries",
    },
)
def rank_by_counting(c):
    """Ranks each entry{AMONG} from the {ORDER}, with ties {TIES}{GIVEN}.

    Rank every entry of {x} from the {ORDER}, counted from 0, against {AGAINST}. Its rank is the number of
    those that are {AHEAD}{TIED}.{ENDS}
    """
    n = c.size()
    AMONG = c.meaning("", " within its group", " among the active ones")
    ORDER = c.meaning("smallest up", "largest down")
    TIES = c.meaning("broken by index", "counted half", "sharing the lowest rank")
    SHARE, MARKED = ", and divides by the length of the list", "; inactive ones get -1"
    GIVEN = ""
    if AMONG != " within its group":
        GIVEN = c.meaning("", MARKED if AMONG else SHARE)
    WHOLE = GIVEN != SHARE and TIES != "counted half"
    AGAINST = {
        "": "all the others",
        " within its group": "the others with the same entry of {group}",
        " among the active ones": "the others whose {active} is not 0",
    }[AMONG]
    AHEAD = "smaller" if ORDER == "smallest up" else "larger"
    TIED = {
        "broken by index": ", plus the number of equal ones with a lower index",
        "counted half": ", plus half the number of equal ones",
        "sharing the lowest rank": "; equal ones share the lowest rank",
    }[TIES]
    if GIVEN == SHARE:
        ENDS = " {out} gets the rank divided by the length of {x}."
    elif GIVEN == MARKED:
        ENDS = " {out} gets the rank, and -1 for entries whose {active} is 0."
    else:
        ENDS = (
            " {out} gets the rank, of inactive entries too."
            if AMONG == " among the active ones"
            else " {out} gets the rank."
        )

    @c.kernel(n)
    def kernel(
        x: wp.array[int] = input(n, low=0, high=8),
        group: wp.array[int] = input(n, low=0, high=2),
        active: wp.array[int] = input(n, low=0, high=1),
        out: wp.array[int if WHOLE else float] = output(n, of="value"),
    ):
        i = wp.tid()
        if GIVEN == MARKED:
            if active[i] == 0:
                out[i] = -1 if WHOLE else -1.0
                return
        mine = x[i]
        rank = int(0) if WHOLE else float(0.0)
        for j in range(x.shape[0]):
            if AMONG == " within its group":
                if group[j] != group[i]:
                    continue
            elif AMONG:
                if active[j] == 0:
                    continue
            other = x[j]
            if TIES == "broken by index":
                ahead = other < mine if ORDER == "smallest up" else other > mine
                if ahead or (other == mine and j < i):
                    rank += 1 if WHOLE else 1.0
            elif TIES == "counted half":
                if other == mine and j != i:
                    rank += 0.5
                if other < mine if ORDER == "smallest up" else other > mine:
                    rank += 1.0
            else:
                if other < mine if ORDER == "smallest up" else other > mine:
                    rank += 1 if WHOLE else 1.0
        out[i] = rank / float(x.shape[0]) if GIVEN == SHARE else rank


@idiom(
    level=3,
    names={
        "x": "x values series data",
        "y": "y partner others",
        "out": "out disorder measures",
        "row": "row tid i",
        "count": "count inversions total",
        "width": "width cols length",
        "kernel": "count_inversions disorder_of_rows",
    },
)
def inversion_count(c):
    """The {MEASURE}{WEIGHT}{PAIRS}.

    Compute the {ASKED}. {DO}.
    """
    rows, cols = c.size(5, 9), c.count(5, 8)
    MEASURE = c.meaning(
        "number of inversions of each row",
        "Kendall score of each row against a partner",
        "Spearman footrule between each row and its sorted order",
    )
    KENDALL, FOOTRULE = "Kendall" in MEASURE, "footrule" in MEASURE
    REACH, WORD = c.style((2, "two"), (3, "three"))
    if FOOTRULE:
        PAIRS, WEIGHT = "", ""
        FORM = c.meaning("summed", "divided", "squared", "correlated")
        MEASURE = {
            "summed": MEASURE,
            "divided": f"{MEASURE}, as a share of the largest possible",
            "squared": "sum of squared moves that would sort each row",
            "correlated": "Spearman rank correlation of each row with its sorted order",
        }[FORM]
    else:
        FORM = "summed"
        PAIRS = c.meaning("", f", over pairs at most {WORD} apart", ", over active entries")
        WEIGHTS = ("", ", weighted by the gap", ", weighted by the inverse of their distance")
        if KENDALL and not PAIRS:
            WEIGHT = c.meaning(*WEIGHTS, ", divided by the number of pairs")
        else:
            WEIGHT = c.meaning(*WEIGHTS)
    if WEIGHT == ", divided by the number of pairs":
        FORM, WEIGHT, MEASURE = "mean", "", f"{MEASURE}{WEIGHT}"
    WHOLE = not WEIGHT and FORM in ("summed", "squared")
    if KENDALL:
        c.names({"kernel": "kendall_scores score_rows", "count": "total score", "out": "scores concordance"})
    elif FORM == "correlated":
        c.names({"kernel": "rank_correlations spearman_rows", "count": "squares total", "out": "rho rhos"})
    elif FOOTRULE:
        MOVES = "squares total" if FORM == "squared" else "moves total"
        c.names({"kernel": "sum_moves disorder_of_rows", "count": MOVES, "out": "out disorder moved"})
    elif WEIGHT:
        c.names({"kernel": "weigh_inversions disorder_of_rows", "count": "total score"})
    APART = {
        "": "all pairs of columns i < j",
        ", over active entries": "all pairs of columns i < j whose {active} is not 0",
    }.get(PAIRS, "all pairs of columns i < j that are at most {REACH} apart")
    WEIGHED = {
        "": "1",
        ", weighted by the gap": "|`{x}[r, j]` - `{x}[r, i]`|",
        ", weighted by the inverse of their distance": "1 / (j - i)",
    }[WEIGHT]
    if FOOTRULE:
        TOTAL = {
            "summed": "{out} gets the sum of |m| over the row",
            "divided": "{out} gets the sum of |m| over the row divided by ⌊w²/2⌋, which is its largest "
            "possible value in a row of w entries",
            "squared": "{out} gets the sum of m² over the row",
            "correlated": "{out} gets 1 - 6·(the sum of m² over the row) / (w·(w² - 1)) for rows of w "
            "entries",
        }[FORM]
        DO = (
            "Let m be the way of an entry to its place in the sorted row: the number of entries of the "
            "row that are smaller than this one, less its own column. {TOTAL}"
        )
    elif KENDALL:
        DO = (
            "In row r, go over {APART}. A pair adds {WEIGHED} if {x} and {y} both rise or both fall from "
            "i to j, subtracts as much if one rises and the other falls, and does not count if either "
            "has a tie. {out} gets the sum{SHARED}"
        )
    else:
        DO = (
            "In row r, go over {APART}. A pair is an inversion if `{x}[r, j]` < `{x}[r, i]`, and then "
            "counts {WEIGHED}. {out} gets the sum"
        )
    ASKED = MEASURE.replace("each row", "each row of {x}", 1).replace("a partner", "its partner in {y}")
    SHARED = ", divided by the number of pairs, w·(w - 1)/2 in a row of w entries" if FORM == "mean" else ""

    @c.kernel(rows)
    def kernel(
        x: wp.array2d[float] = input(rows, cols, low=-2.0, high=2.0),
        y: wp.array2d[float] = input(rows, cols, low=-2.0, high=2.0),
        active: wp.array[int] = input(cols, low=0, high=1),
        out: wp.array[int if WHOLE else float] = output(rows, of="value"),
    ):
        row = wp.tid()
        width = x.shape[1]
        count = float(0.0) if WEIGHT else int(0)
        for i in range(width):
            if PAIRS == ", over active entries":
                if active[i] == 0:
                    continue
            if FOOTRULE:
                place = int(0)
                for j in range(width):
                    if x[row, j] < x[row, i]:
                        place += 1
                # how far the entry is from where it belongs
                move = place - i
                count += wp.abs(move) if FORM in ("summed", "divided") else move * move
            else:
                for j in range(i + 1, width):
                    if PAIRS == ", over active entries":
                        if active[j] == 0:
                            continue
                    elif PAIRS:
                        if j - i > REACH:
                            break
                    if WEIGHT == ", weighted by the gap":
                        weight = wp.abs(x[row, j] - x[row, i])
                    elif WEIGHT:
                        weight = 1.0 / float(j - i)
                    if not KENDALL:
                        if x[row, j] < x[row, i]:
                            count += weight if WEIGHT else 1
                    else:
                        gap = x[row, j] - x[row, i]
                        partner_gap = y[row, j] - y[row, i]
                        # a tie on either side says nothing
                        if gap * partner_gap > 0.0:
                            count += weight if WEIGHT else 1
                        elif gap * partner_gap < 0.0:
                            count -= weight if WEIGHT else 1
        if FORM == "divided":
            # the sum of a row in falling order, which is the largest
            out[row] = float(count) / float(width * width // 2)
        elif FORM == "mean":
            out[row] = float(count) / float(width * (width - 1) // 2)
        elif FORM == "correlated":
            out[row] = 1.0 - 6.0 * float(count) / float(width * (width * width - 1))
        else:
            out[row] = count


@idiom(
    level=2,
    names={
        "x": "x values series keys",
        "out": "out flags marks",
        "i": "i tid k",
        "here": "here mine current",
        "step": "step rise change",
    },
)
def sortedness_check(c):
    """{MAKES} the entries of a list {WHICH}{HOW}.

    Find the {THINGS} in the list {x}. The key of an entry is {KEYED}. An entry counts if {RULE}. {GETS}.
    """
    n = c.size()
    WHAT = c.meaning("descents", "local peaks", "entries out of order", "run starts", "near repeats")
    KEY = c.meaning("value", "magnitude", "length")
    MAKES = c.meaning("Marks", "Counts")
    NEAR = c.constant(0.3, 0.7)
    HOW = ""
    if MAKES == "Marks" and WHAT in ("descents", "local peaks"):
        HOW = c.meaning("", ", each by the step that leads to it")
    SMALLER, LARGER = {
        "value": ("smaller", "larger"),
        "magnitude": ("smaller in magnitude", "larger in magnitude"),
        "length": ("shorter", "longer"),
    }[KEY]
    WHICH, THING = {
        "descents": (f"that are {SMALLER} than the one before", "descents"),
        "local peaks": (f"that are {LARGER} than both neighbours", "peaks"),
        "entries out of order": (f"that are {SMALLER} than some entry before them", "out_of_order"),
        "run starts": (f"at which a run of rising or falling {KEY}s begins", "run_starts"),
        "near repeats": (f"that nearly repeat the {KEY} of the one before", "near_repeats"),
    }[WHAT]
    c.names({"kernel": f"mark_{THING} flag_{THING}" if MAKES == "Marks" else f"count_{THING}"})
    Item = c.vec(2) if KEY == "length" else float
    if KEY == "length":
        c.names({"x": "x vectors arrows"})
    if HOW:
        c.names({"out": "out steps jumps"})
    KEYED = {
        "value": "the entry itself",
        "magnitude": "its absolute value",
        "length": "its length as a vector",
    }[KEY]
    RULE = {
        "descents": "its key is less than the key of the entry before; the first never does",
        "local peaks": "its key is greater than those of both neighbours; the two ends never do",
        "entries out of order": "some entry before it has a greater key",
        "run starts": "it is the first, or if the step of keys to it and the step before that have "
        "opposite signs (neither is 0)",
        "near repeats": "its key differs by less than {NEAR} from the key of the entry before; the first "
        "never does",
    }[WHAT]
    THINGS = THING.replace("_", " ").replace("out of order", "entries out of order")
    GETS = (
        "`{count}[0]` gets the number of entries that count"
        if MAKES == "Counts"
        else "{out} gets 1 for entries that count, and 0 for the others"
    )
    if HOW:
        GETS = "{out} gets, for entries that count, its key less the key before it, and 0 for the others"

    def key(x: wp.array[Item], i: int) -> float:
        return wp.abs(x[i]) if KEY == "magnitude" else wp.length(x[i])

    @c.kernel(n)
    def kernel(
        x: wp.array[Item] = input(n, low=-2.0, high=3.0),
        out: wp.array[float if HOW else int] = output(n),
        count: wp.array[int] = output(1),
    ):
        i = wp.tid()
        here = x[i] if KEY == "value" else key(x, i)
        if WHAT == "entries out of order":
            marked = bool(False)
            for j in range(i):
                if (x[j] if KEY == "value" else key(x, j)) > here:
                    marked = True
                    break
        else:
            step = here - (x[wp.max(i - 1, 0)] if KEY == "value" else key(x, wp.max(i - 1, 0)))
        if WHAT == "descents":
            # the first entry takes no step
            marked = step < 0.0
        elif WHAT == "local peaks":
            last = x.shape[0] - 1
            after = x[wp.min(i + 1, last)] if KEY == "value" else key(x, wp.min(i + 1, last))
            marked = step > 0.0 and after < here
        elif WHAT == "run starts":
            if KEY == "value":
                step_before = x[wp.max(i - 1, 0)] - x[wp.max(i - 2, 0)]
            else:
                step_before = key(x, wp.max(i - 1, 0)) - key(x, wp.max(i - 2, 0))
            # a run ends where it turns
            marked = i == 0 or step * step_before < 0.0
        elif WHAT == "near repeats":
            marked = i > 0 and wp.abs(step) < NEAR
        if MAKES == "Counts":
            if marked:
                wp.atomic_add(count, 0, 1)
        elif HOW:
            out[i] = wp.where(marked, step, 0.0)
        else:
            out[i] = wp.where(marked, 1, 0)


@idiom(
    level=2,
    differentiable=False,
    names={
        "ranks": "ranks places positions",
        "ties": "ties tied repeats",
        "p": "p share probability",
        "rank": "rank r place",
        "out": "out scores marks",
        "i": "i tid k",
        "kernel": "plotting_positions rank_to_probability",
    },
)
def percentile_rank(c):
    """The {SCORE} of each rank{COUNTED} by {RULE} plotting positions.

    Turn ranks into {SCORES} by {RULE} plotting positions. For rank k in a list of n ranks, let {COUNT_OF}
    and {POSITION}. {out} gets {GETS}.
    """
    n = c.size()
    SCORE = c.meaning("probability", "return period", "log odds", "Gumbel variate", "arcsine transform")
    RULE = c.meaning("Weibull's", "Hazen's", "shifted")
    COUNTED = c.meaning("", " counted from the top", " averaged over its ties")
    SHIFT = c.constant(0.3, 0.45, step=0.05)
    if SCORE == "probability":
        c.names({"out": "out probabilities positions"})
    else:
        c.names({"kernel": "score_ranks plotting_scores"})
        if SCORE == "return period":
            c.names({"out": "out periods return_periods"})
    COUNT_OF = {
        "": "r = `{ranks}[k]`",
        " counted from the top": "r = n + 1 - `{ranks}[k]`, counted from the top,",
        " averaged over its ties": "r = `{ranks}[k]` + ½·`{ties}[k]`, the middle of the ranks that tied "
        "entries share,",
    }[COUNTED]
    SCORES = {"probability": "probabilities", "log odds": "log odds"}.get(SCORE, f"{SCORE}s")
    POSITION = {
        "Weibull's": "p = r / (n + 1)",
        "Hazen's": "p = (r - ½) / n",
        "shifted": "p = (r - {SHIFT}) / (n + 1 - 2·{SHIFT})",
    }[RULE]
    GETS = {
        "probability": "p",
        "return period": "1 / (1 - p)",
        "log odds": "ln(p / (1 - p))",
        "Gumbel variate": "-ln(-ln(p))",
        "arcsine transform": "arcsin(√p)",
    }[SCORE]

    @c.kernel(n)
    def kernel(
        ranks: wp.array[int] = input(n, low=1, high=n - 3),
        ties: wp.array[int] = input(n, low=0, high=3),
        out: wp.array[float] = output(n),
    ):
        i = wp.tid()
        count = float(ranks.shape[0])
        if COUNTED == " counted from the top":
            rank = count + 1.0 - float(ranks[i])
        elif COUNTED == " averaged over its ties":
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
        elif SCORE == "arcsine transform":
            out[i] = wp.asin(wp.sqrt(p))
        else:
            out[i] = p


@idiom(
    level=3,
    names={
        "home away": "home away | firsts seconds | whites blacks",
        "ratings": "ratings skills levels",
        "a b": "a b | one other",
        "expected": "expected chance predicted",
        "gained": "gained change step",
        "changes": "changes gains delta",
        "game": "game tid match_id",
    },
)
def elo_update(c):
    """The {GIVEN} expected by {MODEL}{ADVANTAGE}{STEP}.

    {ASKED} {MODEL}. Game g has the players `{home}[g]` and `{away}[g]`, with the entries A and B of
    {ratings}. The first player's expected score is e = {CURVE}{EDGED}; the actual score is s = {SCORE}. {DO}.
    """
    n, games = c.size(6, 9), c.size(9, 13)
    MODEL = c.meaning("Elo's curve", "a logistic curve", "a normal curve", "the Bradley-Terry model")
    GIVEN = c.meaning("score of each game", "changes of players' ratings")
    EXPECTED = GIVEN == "score of each game"
    RATE, EDGE, SPREAD = c.constant(0.1, 0.5), c.constant(0.1, 0.4), c.constant(0.8, 2.0)
    if EXPECTED:
        SCORED, STEP = "", c.meaning(", with its Brier score", ", with its log loss in bits")
    else:
        SCORED = c.meaning("results", "shares of the points scored", "wins")
        STEP = c.meaning("", ", divided by the games both have played", ", weighted by game")
    # who has won is not told by where
    ADVANTAGE = "" if SCORED == "wins" else c.meaning("", " with a home advantage")
    STRENGTH = MODEL == "the Bradley-Terry model"
    RATES = "rate_games strength_changes" if STRENGTH else "rate_games rating_changes"
    c.names({"kernel": "predict_games expected_scores" if EXPECTED else RATES})
    if not EXPECTED:
        # a strength grows by factors
        KIND = "log strengths" if STRENGTH else "ratings"
        GIVEN = f"changes of players' {KIND} from {SCORED} against those"
    if STRENGTH:
        c.names({"ratings": "strengths abilities"})
    if ADVANTAGE:
        c.names({"home away": "home away | hosts guests", "a b": "a b | host guest"})
    elif SCORED == "wins":
        c.names({"home away": "winners losers", "a b": "a b | winner loser"})
    CURVE = {
        "Elo's curve": "1 / (1 + 10^((B - A) / {SPREAD}))",
        "a logistic curve": "1 / (1 + exp(B - A))",
        "a normal curve": "½ + ½·erf((A - B) / {SPREAD})",
        "the Bradley-Terry model": "A / (A + B)",
    }[MODEL]
    EDGED = ""
    if ADVANTAGE:
        EDGED = (
            ", where A counts (1 + {EDGE}) times for the home advantage"
            if STRENGTH
            else ", where {EDGE} is added to A for the home advantage"
        )
    SCORE = {
        "results": "`{results}[g]`",
        "shares of the points scored": "p / (p + q), with the two entries p and q of `{points}[g]`",
        "wins": "1, as the first player has won the game",
    }.get(SCORED if not EXPECTED else "results", "")
    GAIN = {
        "": "{RATE}·(s - e)",
        ", divided by the games both have played": "{RATE}·(s - e) divided by the sum of both players' "
        "entries of {played}",
        ", weighted by game": "{RATE}·(s - e)·`{weights}[g]`",
    }.get(STEP, "")
    if EXPECTED:
        LOSS = "(s - e)²" if "Brier" in STEP else "-s·log₂(e) - (1 - s)·log₂(1 - e)"
        ASKED = "Predict the scores of games by"
        DO = "{chances} gets e, and {surprise} the loss {LOSS}"
    else:
        ASKED = "Compute how games change the players' {KIND}, with scores expected from"
        DO = (
            "The gain {GAIN} is added to the first player's entry of {changes} and subtracted from the "
            "second's"
        )

    def expected_score(mine: float, theirs: float) -> float:
        """The score that one player can expect against another."""
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
        home: wp.array[int] = input(games, low=0, high=n // 2 - 1),
        away: wp.array[int] = input(games, low=n // 2, high=n - 1),
        ratings: wp.array[float] = input(n, low=0.5, high=2.5),
        results: wp.array[float] = input(games, low=0.0, high=1.0),
        points: wp.array[wp.vec2] = input(games, low=1.0, high=9.0),
        played: wp.array[int] = input(n, low=1, high=9),
        weights: wp.array[float] = input(games, low=0.3, high=1.5),
        changes: wp.array[float] = output(n),
        chances: wp.array[float] = output(games),
        surprise: wp.array[float] = output(games),
    ):
        game = wp.tid()
        a = home[game]
        b = away[game]
        if ADVANTAGE:
            mine = (1.0 + EDGE) * ratings[a] if STRENGTH else ratings[a] + EDGE
            expected = expected_score(mine, ratings[b])
        else:
            expected = expected_score(ratings[a], ratings[b])
        if EXPECTED:
            score = results[game]
            chances[game] = expected
            if STEP == ", with its Brier score":
                surprise[game] = (score - expected) * (score - expected)
            else:
                surprise[game] = -score * wp.log2(expected) - (1.0 - score) * wp.log2(1.0 - expected)
        else:
            if SCORED == "results":
                surplus = results[game] - expected
            elif SCORED == "wins":
                surplus = 1.0 - expected
            else:
                # every game here has points
                scored = points[game]
                surplus = scored[0] / (scored[0] + scored[1]) - expected
            if STEP == ", divided by the games both have played":
                # this game is counted, so the sum is not zero
                gained = RATE * surplus / float(played[a] + played[b])
            elif STEP == ", weighted by game":
                gained = RATE * weights[game] * surplus
            else:
                gained = RATE * surplus
            # what one player wins the other loses
            wp.atomic_add(changes, a, gained)
            wp.atomic_sub(changes, b, gained)
