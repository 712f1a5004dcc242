"""Step templates for distances, energies, probabilities, losses and codes.

They occur only in kernels of several parts, and never as a row of their own.
"""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(level=2, names={"gap": "gap distance d", "out": "out occupancy cover", "s": "s inside"})
def soft_occupancy(c):
    """Turns each signed distance into {WANTED}{BLEND}.

    Turn the signed distance {gap}, negative inside, into {SOFT}, stored in {out}. The cover of the shape is
    {RAMP}.{MADE}{LAID}
    """
    n = c.size(5, 14)
    EDGE = c.meaning("a linear ramp", "a smooth step", "a logistic ramp")
    WANTED = c.meaning("a cover by " + EDGE, "an opacity by " + EDGE, "a rim by " + EDGE)
    BLEND = c.meaning("", ", laid over what was there")
    WIDTH, DENSE = c.constant(0.1, 0.4), c.constant(0.5, 3.0)
    if WANTED[:2] == "an":
        c.names({"out": "out opacity alpha", "s": "s a"})
    elif WANTED[:5] == "a rim":
        c.names({"out": "out rim outline", "s": "s r"})
    SOFT, MADE = "a soft cover", ""
    if WANTED[:2] == "an":
        SOFT, MADE = "an opacity", " The opacity is 1 - exp(-{DENSE}·cover)."
    elif WANTED[:5] == "a rim":
        SOFT, MADE = "a rim", " The rim is 4·cover·(1 - cover), largest at the surface."
    RAMP = {
        "a linear ramp": "½ - ½·{gap} / {WIDTH}, clamped to [0, 1]",
        "a smooth step": "t²·(3 - 2·t), where t is ½ - ½·{gap} / {WIDTH}, clamped to [0, 1]",
        "a logistic ramp": "1 / (1 + exp({gap} / {WIDTH}))",
    }[EDGE]
    LAID = ""
    if BLEND:
        LAID = " Lay it over {before}: add {before} times (1 - itself)."

    @c.kernel(n)
    def kernel(
        gap: wp.array[float] = input(n, low=-2.0, high=3.0, of="distance"),
        before: wp.array[float] = input(n, low=0.1, high=0.8),
        out: wp.array[float] = output(n, of="value"),
    ):
        i = wp.tid()
        d = gap[i]
        if EDGE == "a linear ramp":
            s = wp.clamp(0.5 - 0.5 * d / WIDTH, 0.0, 1.0)
        elif EDGE == "a smooth step":
            t = wp.clamp(0.5 - 0.5 * d / WIDTH, 0.0, 1.0)
            s = t * t * (3.0 - 2.0 * t)
        else:
            s = 1.0 / (1.0 + wp.exp(d / WIDTH))
        if WANTED[:2] == "an":
            s = 1.0 - wp.exp(-DENSE * s)
        elif WANTED[:5] == "a rim":
            # largest at the surface
            s = 4.0 * s * (1.0 - s)
        if BLEND != "":
            s += (1.0 - s) * before[i]
        out[i] = s


@idiom(level=2, names={"gap": "gap distance d", "out": "out contact_force push"})
def contact_response(c):
    """The {WANTED} of contact within a margin of each sphere, by {LAW}{CAP}{WORK}.

    Find the contact {WANTED} of each sphere and store it in {out}. The depth is {MARGIN} + {radius} - {gap},
    for a contact margin around the sphere. There is contact if the depth is above 0, and then the {WANTED} is
    given {LAWFUL}{CAPPED}; without contact it is 0.{COUNTED}
    """
    n = c.size(5, 14)
    WANTED = c.meaning("force", "energy")
    LAW = c.meaning("a spring", "Hertz's law", "a logarithmic barrier", "a spring that stiffens")
    CAP = c.meaning("", ", no more than a cap") if WANTED == "force" else ""
    WORK = c.meaning("", "; contacts are counted")
    STIFF, MARGIN, MOST = c.constant(2.0, 9.0), c.constant(0.3, 0.8), c.constant(1.0, 4.0)
    if WANTED == "energy":
        c.names({"push": "penalty energy", "out": "out contact_energy energies"})
    FORCES = {
        "a spring": "by a spring, {STIFF}·depth",
        "Hertz's law": "by Hertz's law, {STIFF}·depth^(3/2)",
        "a logarithmic barrier": (
            "by a logarithmic barrier, {STIFF}·u / (1 - u), where u is depth / {MARGIN}, at most 0.95"
        ),
        "a spring that stiffens": "by a spring that stiffens, {STIFF}·depth·(1 + depth²)",
    }
    ENERGIES = {
        "a spring": "by a spring, ½·{STIFF}·depth²",
        "Hertz's law": "by Hertz's law, 0.4·{STIFF}·depth^(5/2)",
        "a logarithmic barrier": (
            "by a logarithmic barrier, -{STIFF}·{MARGIN}·(ln(1 - u) + u), where u is depth / {MARGIN}, at"
            " most 0.95"
        ),
        "a spring that stiffens": "by a spring that stiffens, {STIFF}·depth²·(½ + ¼·depth²)",
    }
    LAWFUL = (FORCES if WANTED == "force" else ENERGIES)[LAW]
    CAPPED = ", but at most {MOST}" if CAP else ""
    COUNTED = " {contacts}, zero at the start, gets the number of contacts." if WORK else ""

    @c.kernel(n)
    def kernel(
        gap: wp.array[float] = input(n, low=-1.0, high=2.0, of="distance"),
        radius: wp.array[float] = input(n, low=0.1, high=0.5, of="radius"),
        out: wp.array[float] = output(n, of="value" if WANTED == "force" else "energy"),
        contacts: wp.array[int] = output(1),
    ):
        i = wp.tid()
        depth = MARGIN + radius[i] - gap[i]
        push = float(0.0)
        if depth > 0.0:
            if LAW == "a spring":
                push = STIFF * depth if WANTED == "force" else 0.5 * STIFF * depth * depth
            elif LAW == "Hertz's law":
                root = wp.sqrt(depth)
                push = STIFF * depth * root if WANTED == "force" else 0.4 * STIFF * depth * depth * root
            elif LAW == "a logarithmic barrier":
                # no more than nineteen twentieths of the margin are used up
                used = wp.min(depth / MARGIN, 0.95)
                if WANTED == "force":
                    push = STIFF * used / (1.0 - used)
                else:
                    push = -STIFF * MARGIN * (wp.log(1.0 - used) + used)
            else:
                square = depth * depth
                if WANTED == "force":
                    push = STIFF * depth * (1.0 + square)
                else:
                    push = STIFF * square * (0.5 + 0.25 * square)
            if CAP != "":
                push = wp.min(push, MOST)
            if WORK != "":
                wp.atomic_add(contacts, 0, 1)
        out[i] = push


@idiom(level=2, names={"e": "e energies cost", "out": "out weights boltzmann", "w": "w factor weight"})
def thermal_weight(c):
    """The {WANTED} each of {e} at {HEAT}{TOTAL}.

    Find the {WANTED} each energy {e}, and store it in {out}. With the rise R = ({e} - {old}) / {DEGREES}, the
    energy over {old} in units of temperature, it is {FORMULA}.{ADDED}
    """
    n = c.size(5, 14)
    WANTED = c.meaning("Boltzmann weight of", "Metropolis chance of a move to", "Glauber chance of a move to")
    TOTAL = c.meaning("", ", added up", ", added up with the energies so weighted")
    CHANCE = WANTED != "Boltzmann weight of"
    if CHANCE:
        c.names({"out": "out acceptance chances", "w": "accepted chance p"})
    else:
        c.names({"old": "reference zero_level ground"})
    HEAT = c.meaning("one temperature", "its own temperature")
    TEMPERATURE = c.constant(0.5, 2.0)
    DEGREES = "{TEMPERATURE}" if HEAT == "one temperature" else "{temperatures}"
    FORMULA = {
        "Boltzmann weight of": "exp(-R)",
        "Metropolis chance of a move to": "min(1, exp(-R))",
        "Glauber chance of a move to": "1 / (1 + exp(R))",
    }[WANTED]
    ADDED = ""
    if TOTAL == ", added up":
        ADDED = " Add all of them up in {sums}, on top of the value it has."
    elif TOTAL:
        ADDED = " Add all of them to `{sums}[0]`, and all of them times {e} to `{sums}[1]`."

    @c.kernel(n)
    def kernel(
        e: wp.array[float] = input(n, low=-2.0, high=3.0, of="energy"),
        old: wp.array[float] = input(n, low=-1.0, high=1.0),
        temperatures: wp.array[float] = input(n, low=0.5, high=2.0),
        out: wp.array[float] = output(n, of="probability" if CHANCE else None),
        sums: wp.array[float] = inout(2 if "energies" in TOTAL else 1, low=0.1, high=1.0),
    ):
        i = wp.tid()
        rise = e[i] - old[i]
        x = rise / TEMPERATURE if HEAT == "one temperature" else rise / temperatures[i]
        if WANTED == "Boltzmann weight of":
            w = wp.exp(-x)
        elif WANTED == "Metropolis chance of a move to":
            # downhill always
            w = wp.exp(-wp.max(x, 0.0))
        else:
            w = 0.5 - 0.5 * wp.tanh(0.5 * x)
        if TOTAL != "":
            wp.atomic_add(sums, 0, w)
        if TOTAL == ", added up with the energies so weighted":
            wp.atomic_add(sums, 1, w * e[i])
        out[i] = w


@idiom(level=2, names={"losses": "losses loss cost", "w": "w share weight", "bad": "bad failures large"})
def weighted_loss(c):
    """Adds up {losses}{CLIP}, weighted by {WEIGHT}{WHAT}{WHERE}.

    Add up {losses}, weighted: add weight times loss, over all samples, to {ENTRY}.{CLIPPED} The weight of a
    sample is {WEIGHTED}.{NOTED}{LEFT}
    """
    n = c.size(5, 14)
    WEIGHT = c.meaning("sample", "group", "hardness")
    CLIP = c.meaning("", ", each up to a cap")
    WHAT = c.meaning("", ", and the weights", ", and counts those above a level")
    WHERE = c.meaning("", ", masked samples left out")
    HARD, MOST, BAD = c.constant(0.5, 2.0), c.constant(1.0, 3.0), c.constant(0.4, 0.9)
    c.once("mask of samples", WHERE)
    c.once("weight of samples")
    CLIPPED = " Each loss counts as at most {MOST}." if CLIP else ""
    ENTRY = "`{sums}[0]`, and the weights to `{sums}[1]`" if WHAT == ", and the weights" else "{sums}"
    WEIGHTED = {
        "sample": "its own in {weights}",
        "group": "that of its group in {groups}, an index into {group_weights}",
        "hardness": "its hardness, 1 - exp(-{HARD}·loss), so that easy samples count for less",
    }[WEIGHT]
    NOTED = " Add the number of losses above {BAD} to {bad}." if "counts" in WHAT else ""
    LEFT = " Samples with {valid} 0 are left out of everything." if WHERE else ""

    @c.kernel(n)
    def kernel(
        losses: wp.array[float] = input(n, low=0.0, high=3.0, of="loss"),
        weights: wp.array[float] = input(n, low=0.2, high=1.5),
        groups: wp.array[int] = input(n, low=0, high=3),
        group_weights: wp.array[float] = input(4, low=0.3, high=1.5),
        valid: wp.array[int] = input(n, low=0, high=1),
        sums: wp.array[float] = inout(2 if WHAT == ", and the weights" else 1, low=0.0, high=1.0),
        bad: wp.array[int] = inout(1, low=0, high=3),
    ):
        i = wp.tid()
        if WHERE != "" and valid[i] == 0:
            return
        loss = wp.min(losses[i], MOST) if CLIP != "" else losses[i]
        if WEIGHT == "sample":
            w = weights[i]
        elif WEIGHT == "group":
            w = group_weights[groups[i]]
        else:
            # easy samples count for less
            w = 1.0 - wp.exp(-HARD * loss)
        wp.atomic_add(sums, 0, w * loss)
        if WHAT == ", and the weights":
            wp.atomic_add(sums, 1, w)
        elif WHAT != "" and loss > BAD:
            wp.atomic_add(bad, 0, 1)


@idiom(level=2, names={"p": "p probs chances", "out": "out information score"})
def information_of_chance(c):
    """The {WANTED} of each of {p}, {FLOOR}{TOTAL}.

    Find the {NAMED} of the probability {p} and store it in {out}. {KEPT} {FORMULA}{ADDED}
    """
    n = c.size(5, 14)
    WANTED = c.meaning("surprise", "share in the entropy", "log odds", "Brier score to its label")
    LOCAL, OUT = {
        "surprise": ("surprise nats", "out information surprises"),
        "share in the entropy": ("term share", "out entropy_terms information"),
        "log odds": ("logit log_odds", "out logits odds"),
        "Brier score to its label": ("miss squared_error", "out brier scores"),
    }[WANTED]
    c.names({"found": LOCAL, "out": OUT})
    FLOOR = c.meaning("kept away from 0 and 1", "smoothed towards one half")
    TOTAL = c.meaning("", ", added up")
    SMALL = c.constant(0.05, 0.15)
    NAMED = WANTED if "label" not in WANTED else "Brier score"
    KEPT = "First clamp the probability to [{SMALL}, 1 - {SMALL}]."
    if FLOOR == "smoothed towards one half":
        KEPT = "First smooth the probability towards one half: it becomes {SMALL} + (1 - 2·{SMALL})·{p}."
    FORMULA = {
        "surprise": "The surprise is minus its natural logarithm.",
        "share in the entropy": "The share is minus the probability times its natural logarithm.",
        "log odds": "The log odds are ln(P / (1 - P)) of this probability P.",
        "Brier score to its label": "The score is the square of its difference from {labels}.",
    }[WANTED]
    ADDED = " Add all of them up in {total}, on top of the value it has." if TOTAL else ""

    @c.kernel(n)
    def kernel(
        p: wp.array[float] = input(n, low=0.02, high=0.98, of="probability"),
        labels: wp.array[int] = input(n, low=0, high=1),
        out: wp.array[float] = output(n, of="score"),
        total: wp.array[float] = inout(1, low=0.0, high=1.0),
    ):
        i = wp.tid()
        if FLOOR == "smoothed towards one half":
            chance = SMALL + (1.0 - 2.0 * SMALL) * p[i]
        else:
            chance = wp.clamp(p[i], SMALL, 1.0 - SMALL)
        if WANTED == "surprise":
            found = -wp.log(chance)
        elif WANTED == "share in the entropy":
            found = -chance * wp.log(chance)
        elif WANTED == "log odds":
            found = wp.log(chance / (1.0 - chance))
        else:
            off = chance - float(labels[i])
            found = off * off
        if TOTAL != "":
            wp.atomic_add(total, 0, found)
        out[i] = found
