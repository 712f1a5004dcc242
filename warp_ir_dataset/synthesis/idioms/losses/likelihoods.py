"""Longer templates of losses: classes, teachers, alignments."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=4,
    names={
        "x": "x logits scores",
        "labels": "labels targets classes",
        "loss": "loss losses nll",
        "dx": "dx grad_logits adj_x",
        "peak": "peak row_max largest",
        "total": "total denominator exp_sum",
        "lse": "lse log_total log_z",
        "row k": "row k | i j | token word",
        "kernel": "cross_entropy softmax_cross_entropy nll_kernel",
    },
)
def cross_entropy_loss(c):
    """The cross entropy of each row of {x}{SOFT}{Z}{GIVES}{MISSING}.

    Compute the softmax cross entropy of each row of {x} and its class in {labels}{SOFT_Z}. With the
    log-sum-exp L of the row, the loss is {FORMULA}. {PUT} {MISSES}
    """
    FIXED = c.style(True, False)
    n, classes = c.size(6, 10), c.size(3, 4) if FIXED else c.size(4, 7)
    MISSING = c.meaning("", ", zero for negative labels", ", reporting labels out of range")
    GIVES = c.meaning("", ", and its gradient", ", added to a total")
    GRADIENT = GIVES == ", and its gradient"
    SOFTS = ("", " with label smoothing", " with class weights", " with focal weighting")
    SOFT = c.meaning(*(SOFTS[:3] if GRADIENT else SOFTS))
    Z = "" if GRADIENT else c.meaning("", f"{' and' if SOFT else ' with'} a z-loss")
    SMOOTHING, PENALTY, FOCUS = c.constant(0.05, 0.3), c.constant(0.05, 0.2), c.constant(1.0, 3.0)
    NEGATIVE = MISSING == ", zero for negative labels"
    c.once("mask of samples", NEGATIVE)
    c.once("weight of samples", SOFT in (" with class weights", " with focal weighting"))
    SUMMED, REPORTS = GIVES == ", added to a total", MISSING.startswith(", reporting")
    low, high = 0 if MISSING == "" else -1, classes if REPORTS else classes - 1
    if NEGATIVE and SUMMED:
        MISSING = ", without negative labels"
    if REPORTS and not SUMMED:
        MISSING += " and giving them no loss"
    SOFT_Z = SOFT + Z
    FORMULA = "L less the logit of the class"
    if "smoothing" in SOFT:
        FORMULA = (
            "L less the mixed logit, (1 - {SMOOTHING}) times the logit of the class plus "
            "{SMOOTHING} times the mean of the row"
        )
    elif "class weights" in SOFT:
        FORMULA = "L less the logit of the class, times the class's entry of {weights}"
    elif "focal" in SOFT:
        FORMULA = "c · (1 - exp(-c) + 1e-6)^{FOCUS}, where c is L less the logit of the class"
    if Z:
        FORMULA += "; the z-loss adds {PENALTY}·L²"
    PUT = (
        "Add the losses of all rows to {loss}, which need not be zero before."
        if SUMMED
        else "Write it to {loss}."
    )
    if GRADIENT:
        PUT += " Also write its gradient with respect to the logits to {dx}: the softmax of the row, minus "
        if "smoothing" in SOFT:
            PUT += (
                "{SMOOTHING} / (number of classes) in every entry, and minus another (1 - {SMOOTHING}) in "
                "the entry of the class."
            )
        else:
            PUT += (
                "1 in the entry of the class; all of it times the class's weight."
                if "class weights" in SOFT
                else "1 in the entry of the class."
            )
    BOTH = "loss and gradient are 0" if GRADIENT else "the loss is 0"
    MISSES = ""
    if NEGATIVE:
        MISSES = "Rows with a negative label do not count." if SUMMED else "If the label is negative, {BOTH}."
    elif REPORTS:
        MISSES = (
            "If there is no such class, print the line `row %d has no class %d` with the row and the label"
        )
        MISSES += "; the row does not count." if SUMMED else "; {BOTH}."

    @c.kernel(n)
    def kernel(
        x: wp.array2d[float] = input(n, classes, low=-3.0, high=3.0),
        labels: wp.array[int] = input(n, low=low, high=high),
        weights: wp.array[float] = input(classes, low=0.3, high=2.0),
        loss: wp.array[float] = inout(1, low=0.0, high=1.0, of="loss") if SUMMED else output(n, of="loss"),
        dx: wp.array2d[float] = output(n, classes),
    ):
        row = wp.tid()
        if not FIXED:
            width = x.shape[1]
        label = labels[row]
        if NEGATIVE:
            if label < 0:
                if not SUMMED:
                    loss[row] = 0.0
                if GRADIENT:
                    for k in range(classes if FIXED else width):
                        dx[row, k] = 0.0
                return
        elif REPORTS:
            if label < 0 or label >= (classes if FIXED else width):
                wp.printf("row %d has no class %d\n", row, label)
                if not SUMMED:
                    loss[row] = 0.0
                if GRADIENT:
                    for k in range(classes if FIXED else width):
                        dx[row, k] = 0.0
                return
        peak = x[row, 0]
        for k in range(1, classes if FIXED else width):
            peak = wp.max(peak, x[row, k])
        total = float(0.0)
        if SOFT == " with label smoothing":
            logit_sum = float(0.0)
        for k in range(classes if FIXED else width):
            total += wp.exp(x[row, k] - peak)
            if SOFT == " with label smoothing":
                logit_sum += x[row, k]
        lse = peak + wp.log(total)
        value = lse - x[row, label]
        if SOFT == " with label smoothing":
            # a part of the target is spread over all classes
            value = (1.0 - SMOOTHING) * value + SMOOTHING * (
                lse - logit_sum / float(classes if FIXED else width)
            )
        elif SOFT == " with class weights":
            value *= weights[label]
        elif SOFT == " with focal weighting":
            # rows that are sure of their label count less
            value *= wp.pow(1.0 - wp.exp(-value) + 1.0e-6, FOCUS)
        if Z != "":
            value += PENALTY * lse * lse
        if SUMMED:
            wp.atomic_add(loss, 0, value)
        else:
            loss[row] = value
        if GRADIENT:
            for k in range(classes if FIXED else width):
                d = wp.exp(x[row, k] - lse)
                if SOFT == " with label smoothing":
                    d -= SMOOTHING / float(classes if FIXED else width)
                    if k == label:
                        d -= 1.0 - SMOOTHING
                    dx[row, k] = d
                else:
                    if k == label:
                        d -= 1.0
                    dx[row, k] = weights[label] * d if SOFT == " with class weights" else d


@idiom(
    level=3,
    names={
        "student": "student student_logits s",
        "teacher": "teacher teacher_logits t",
        "loss": "loss losses cost",
        "labels": "labels targets classes",
        "gap": "gap mismatch distance",
        "row k": "row k | i j | sample class_index",
        "kernel": "distill knowledge_distillation match_teacher",
    },
)
def distillation_loss(c):
    """{FORM} in each row{TIMES}{HARD}{SHARE}.

    Compute a distillation loss for each row: {NAME}. {FORMULA} {HARDER} {WEIGHT} {PUT}
    """
    FIXED = c.style(True, False)
    n, classes = c.size(6, 10), 3 if FIXED else c.size(4, 7)
    FORM = c.meaning(
        "The cross entropy of student under teacher at a temperature",
        "The Kullback-Leibler divergence of student from teacher at a temperature",
        "The mean squared gap between the centred logits of student and teacher",
        "The cosine distance between the logits of student and teacher",
        "The ranking loss of student against teacher over neighbouring classes",
    )
    HARD = c.meaning("", ", blended with the cross entropy of its label", ", zero where the teacher is wrong")
    SHARE = c.meaning("", ", times the weight of the sample")
    TEMPERATURE, MIX, SPACING = c.constant(1.5, 4.0), c.constant(0.2, 0.8), c.constant(0.2, 0.8)
    ENTROPY, DIVERGENCE = FORM.startswith("The cross"), FORM.startswith("The Kullback")
    SQUARED, COSINE = FORM.startswith("The mean"), FORM.startswith("The cosine")
    SOFT = ENTROPY or DIVERGENCE
    TIMES = ", times the squared temperature" if SOFT else ""
    if SOFT:
        c.names({"gap": "soft_loss mismatch value"})
    elif not SQUARED and not COSINE:
        c.names({"gap": "violation value"})

    def log_sum(x: wp.array2d[float], row: int, temperature: float) -> float:
        """the log-sum-exp of a row at a temperature."""
        peak = x[row, 0]
        for k in range(1, classes if FIXED else x.shape[1]):
            peak = wp.max(peak, x[row, k])
        total = float(0.0)
        for k in range(classes if FIXED else x.shape[1]):
            total += wp.exp((x[row, k] - peak) / temperature)
        return peak / temperature + wp.log(total)

    NAME = "the " + FORM[4:].replace("at a temperature", "at temperature {TEMPERATURE}")
    if SOFT:
        LOGITS = (
            "Let p and q be the softmax of the logits {teacher} and {student}, each divided by "
            "{TEMPERATURE}. The loss is "
        )
        LOGITS += "{TEMPERATURE}² times the sum of "
        FORMULA = "{LOGITS}" + ("p·ln(p / q)" if DIVERGENCE else "-p·ln(q)") + " over the classes."
    elif SQUARED:
        FORMULA = (
            "With d the difference {student} - {teacher} of each class less the mean difference of "
            "the row, the loss is the mean of d²."
        )
    elif COSINE:
        FORMULA = (
            "The loss is 1 less the dot product of the rows of {student} and {teacher} over √((A + 1e-6) "
            "· (B + 1e-6)), where A and B are "
        )
        FORMULA += "the sums of the squares of the two rows."
    else:
        FORMULA = (
            "For each class but the first, let d be its logit in {student} less that of the class "
            "before. If {teacher} ranks the "
        )
        FORMULA += (
            "class above the one before, it costs max({SPACING} - d, 0), otherwise max({SPACING} + "
            "d, 0). The loss is the sum."
        )
    HARDER = ""
    if "blended" in HARD:
        HARDER = (
            "Blend it with the cross entropy h of the student's logits (at temperature 1) with "
            "the class in {labels}: "
        )
        HARDER += "(1 - {MIX}) · loss + {MIX} · h."
    elif HARD:
        HARDER = "The loss is 0 if some logit of the teacher exceeds that of the class in {labels}."
    WEIGHT = "Multiply the loss by the row's entry of {weights}." if SHARE else ""
    PUT = "Write it to {loss}."

    @c.kernel(n)
    def kernel(
        student: wp.array2d[float] = input(n, classes, low=-3.0, high=3.0),
        teacher: wp.array2d[float] = input(n, classes, low=-3.0, high=3.0),
        labels: wp.array[int] = input(n, low=0, high=classes - 1),
        weights: wp.array[float] = input(n, low=0.3, high=2.0),
        loss: wp.array[float] = output(n, of="loss"),
    ):
        row = wp.tid()
        if not FIXED:
            width = student.shape[1]
        if HARD == ", zero where the teacher is wrong":
            for k in range(classes if FIXED else width):
                if teacher[row, k] > teacher[row, labels[row]]:
                    loss[row] = 0.0
                    return
        if not COSINE:
            gap = float(0.0)
        if SOFT:
            teacher_log_z = log_sum(teacher, row, TEMPERATURE)
            student_log_z = log_sum(student, row, TEMPERATURE)
            for k in range(classes if FIXED else width):
                log_p = teacher[row, k] / TEMPERATURE - teacher_log_z
                log_q = student[row, k] / TEMPERATURE - student_log_z
                if DIVERGENCE:
                    gap += wp.exp(log_p) * (log_p - log_q)
                else:
                    gap -= wp.exp(log_p) * log_q
            # for the gradients, which shrink with the square of the temperature
            gap *= TEMPERATURE * TEMPERATURE
        elif SQUARED:
            shift = float(0.0)
            for k in range(classes if FIXED else width):
                shift += student[row, k] - teacher[row, k]
            shift /= float(classes if FIXED else width)
            for k in range(classes if FIXED else width):
                d = student[row, k] - teacher[row, k] - shift
                gap += d * d
            gap /= float(classes if FIXED else width)
        elif COSINE:
            dot = float(0.0)
            ss = float(1.0e-6)
            tt = float(1.0e-6)
            for k in range(classes if FIXED else width):
                dot += student[row, k] * teacher[row, k]
                ss += student[row, k] * student[row, k]
                tt += teacher[row, k] * teacher[row, k]
            gap = 1.0 - dot / wp.sqrt(ss * tt)
        else:
            for k in range(1, classes if FIXED else width):
                # by how much the student ranks a class above the one before
                lead = student[row, k] - student[row, k - 1]
                if teacher[row, k] > teacher[row, k - 1]:
                    gap += wp.max(SPACING - lead, 0.0)
                else:
                    gap += wp.max(SPACING + lead, 0.0)
        if HARD == ", blended with the cross entropy of its label":
            hard_loss = log_sum(student, row, 1.0) - student[row, labels[row]]
            blended = wp.lerp(gap, hard_loss, MIX)
            loss[row] = weights[row] * blended if SHARE != "" else blended
        else:
            loss[row] = weights[row] * gap if SHARE != "" else gap


@idiom(
    level=5,
    differentiable=False,
    names={
        "log_p": "log_p log_probs log_likelihoods",
        "labels": "labels targets symbols",
        "alpha": "alpha path_scores state_scores",
        "frames": "frames lengths n_frames",
        "arriving": "arriving incoming best",
        "sample": "sample b text",
        "s": "s state place",
        "t": "t frame step_index",
        "kernel": "forward_recursion alignment_kernel forward_scores",
    },
)
def alignment_recursion(c):
    """Runs the {WAY} recursion of {SCORES} through {STATES} over {FRAMES} of {INPUT}{LOSS}.

    Run the {WAY} recursion of {SCORES} through {STATES} for each sequence b. State s of it has the symbol
    `{labels}[b, s]`{BLANKS}. Its emission e(s) at frame t is {EMISSION}. `{alpha}[b, s]` holds the scores;
    they are given for {OUTSIDE} and updated in place.

    {RECURSION} {SKIP} Joining takes {JOIN}. All scores of a frame come from those of the frame {BEFORE} it.
    {ENDS}
    """
    batch, steps, symbols, count = c.size(3, 5), c.size(3, 5), c.size(4, 5), c.size(4, 6)
    STATES = c.meaning("CTC states", "left-to-right states", "left-to-right states with skips")
    BEST = c.meaning(False, True)
    FORWARD = c.meaning(True, False)
    INPUT = c.meaning("log-probabilities", "logits")
    FRAMES = c.meaning("all frames", "each sequence's frames")
    LOSS = c.meaning("", ", and gives the loss")
    CTC, SKIPS = STATES == "CTC states", STATES != "left-to-right states"
    SCORES = "best path scores" if BEST else "log path sums"
    WAY = "forward" if FORWARD else "backward"
    if not FORWARD:
        c.names(
            {
                "alpha": "beta path_scores state_scores",
                "kernel": "backward_recursion alignment_kernel backward_scores",
            }
        )
    if INPUT == "logits":
        c.names({"log_p": "logits frame_logits emissions"})
    if not BEST:
        c.names({"arriving": "arriving incoming into_state"})
    BLANK = 0

    def better(a: float, b: float) -> float:
        """the better of two path scores."""
        return wp.max(a, b)

    def log_added(a: float, b: float) -> float:
        """the log of the sum of what two logs stand for."""
        top = wp.max(a, b)
        return top + wp.log(1.0 + wp.exp(wp.min(a, b) - top))

    JOINED = better if BEST else log_added

    def log_norm(scores: wp.array3d[float], sequence: int, frame: int) -> float:
        """the log-sum-exp over the symbols of a frame."""
        total = float(0.0)
        for k in range(scores.shape[2]):
            total += wp.exp(scores[sequence, frame, k])
        return wp.log(total)

    BLANKS = ", 0 being the blank" if CTC else ""
    EMISSION = "the entry of {log_p} for b, t and its symbol"
    if INPUT == "logits":
        EMISSION += ", less the log-sum-exp of the logits of all symbols there"
    OUTSIDE = "the time before the first frame" if FORWARD else "the time after the last frame"
    BEFORE = "before" if FORWARD else "after"
    WHICH = "frame" if FRAMES == "all frames" else "of the first `{frames}[b]` frames"
    JUMP, OTHER = ("s - 2", "s - 1") if FORWARD else ("s + 2", "s + 1")
    if FORWARD:
        RECURSION = (
            "For each {WHICH}, in order, the new score of state s joins the old scores of the "
            "states s and {OTHER}, as far as "
        )
        RECURSION += "they exist, plus e(s)."
    else:
        RECURSION = (
            "For each {WHICH}, from the last to the first, the new score of state s joins old "
            "score plus emission of the states "
        )
        RECURSION += "s and {OTHER}, as far as they exist."
    SKIP = ""
    if CTC:
        LATER = "s" if FORWARD else "s + 2"
        SKIP = (
            "If state {JUMP} exists, its score is joined as well, provided that the symbol of state "
            "{LATER} is not the blank and differs from that of state "
        )
        SKIP += "s - 2." if FORWARD else "s."
    elif SKIPS:
        SKIP = "If state {JUMP} exists, its score is joined as well."
    JOIN = "the maximum" if BEST else "the logarithm of the sum of exponentials"
    ENDS = ""
    if LOSS and FORWARD:
        ENDS = "{loss} is minus the final score of the last state."
        if CTC:
            ENDS = "{loss} is minus the join of the final scores of the last two states."
    elif LOSS:
        ENDS = "{loss} is minus the final score of state 0."

    @c.kernel(batch)
    def kernel(
        log_p: wp.array3d[float] = input(batch, steps, symbols, low=-3.0, high=-0.1),
        labels: wp.array2d[int] = input(batch, count, low=0, high=symbols - 1),
        frames: wp.array[int] = input(batch, low=1, high=steps),
        alpha: wp.array2d[float] = inout(batch, count, low=-6.0, high=-1.0),
        loss: wp.array[float] = output(batch, of="loss"),
    ):
        sample = wp.tid()
        count = alpha.shape[1]
        if FRAMES == "each sequence's frames" and not FORWARD:
            last = frames[sample] - 1
        for t in (
            (range(frames[sample]) if FRAMES == "each sequence's frames" else range(log_p.shape[1]))
            if FORWARD
            else (
                range(last, -1, -1)
                if FRAMES == "each sequence's frames"
                else range(log_p.shape[1] - 1, -1, -1)
            )
        ):
            if INPUT == "logits":
                norm = log_norm(log_p, sample, t)
            if FORWARD:
                # from the last state down, so that predecessors still hold the frame before
                for s in range(count - 1, -1, -1):
                    symbol = labels[sample, s]
                    arriving = alpha[sample, s]
                    if s > 0:
                        arriving = JOINED(arriving, alpha[sample, s - 1])
                    if CTC:
                        # the blank between two different labels may be left out
                        if s > 1 and symbol != BLANK:
                            if symbol != labels[sample, s - 2]:
                                arriving = JOINED(arriving, alpha[sample, s - 2])
                    elif SKIPS:
                        if s > 1:
                            arriving = JOINED(arriving, alpha[sample, s - 2])
                    if INPUT == "logits":
                        arriving -= norm
                    alpha[sample, s] = arriving + log_p[sample, t, symbol]
            else:
                # from the first state up, so that successors still hold the frame after
                for s in range(count):
                    leaving = alpha[sample, s] + log_p[sample, t, labels[sample, s]]
                    if s < count - 1:
                        leaving = JOINED(
                            leaving, alpha[sample, s + 1] + log_p[sample, t, labels[sample, s + 1]]
                        )
                    if SKIPS:
                        if s < count - 2:
                            after = labels[sample, s + 2]
                            if CTC:
                                # the blank between two different labels may be left out
                                if after != BLANK and after != labels[sample, s]:
                                    leaving = JOINED(leaving, alpha[sample, s + 2] + log_p[sample, t, after])
                            else:
                                leaving = JOINED(leaving, alpha[sample, s + 2] + log_p[sample, t, after])
                    alpha[sample, s] = leaving - norm if INPUT == "logits" else leaving
        if LOSS != "":
            if FORWARD:
                if CTC:
                    loss[sample] = -JOINED(alpha[sample, count - 1], alpha[sample, count - 2])
                else:
                    loss[sample] = -alpha[sample, count - 1]
            else:
                # before the first frame all paths are in the first state
                loss[sample] = -alpha[sample, 0]
