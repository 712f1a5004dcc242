"""Optimizers whose rates adapt to earlier gradients."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, wp


@idiom(
    level=4,
    differentiable=False,
    names={
        "w": "w weights params",
        "grads": "grads gradients dw",
        "first second": "first second | exp_avg exp_avg_sq | moment1 moment2",
        "m": "m mean_g mean",
        "v": "v mean_square g_square",
        "hyper": "hyper options config",
        "kernel": "moment_step adaptive_step adaptive_update",
    },
)
def adaptive_moment_step(c):
    """One step of {FORM}{SPACE}{WITH}.

    Take one step of {FORM}{SPACE}{WITH}, in place. For a {ITEM} p in {w}, g is its gradient in
    {grads}{DECAYED}; the rate η, β₁ and β₂ are the fields rate, beta1 and beta2 of {hyper}. {MOMENTS}{KEPT}
    {CORRECTED} {MOVED}
    """
    n = c.size()
    FORM = c.meaning("Adam", "AMSGrad", "AdaMax", "Nesterov Adam", "AdaBelief")
    DECAY = c.meaning("", "weight decay", "decoupled weight decay")
    CORRECT = c.meaning("", "bias correction")
    SPACE = c.meaning("", " on weight vectors")
    WITH = " and ".join(word for word in (DECAY, CORRECT) if word)
    WITH = f", with {WITH}" if WITH else ""
    VECTOR = SPACE != ""
    EPS = c.constant(1.0e-6, 1.0e-5, step=9.0e-6)  # one or the other
    Value = c.vec(3) if VECTOR else float
    MAXIMUM, BELIEF, TOP = FORM == "AMSGrad", FORM == "AdaBelief", FORM == "AdaMax"
    NESTEROV = FORM == "Nesterov Adam"
    if TOP:
        c.names(
            {
                "first second": "first norms | exp_avg exp_inf | means norms",
                "v": "v g_norm peak",
            }
        )
    elif BELIEF:
        c.names(
            {"v": "v variance spread", "first second": "first second | exp_avg exp_avg_var | means variances"}
        )

    class Hyper:
        rate: float
        beta1: float
        beta2: float

    ITEM = "weight vector" if VECTOR else "weight"
    DECAYED = " plus {decay}·p" if DECAY == "weight decay" else ""
    SQUARE = "|g|²" if VECTOR else "g²"
    GAP = "|g - m|²" if VECTOR else "(g - m)²"
    MOMENTS = "The first moment m in {first} becomes β₁·m + (1 - β₁)·g, "
    if TOP:
        MOMENTS += "and the norm v in {second} max(β₂·v, |g|)."
    elif BELIEF:
        MOMENTS += "and the second one v in {second} β₂·v + (1 - β₂)·{GAP}, with the new m."
    else:
        MOMENTS += "and the second one v in {second} β₂·v + (1 - β₂)·{SQUARE}."
    KEPT = ""
    if MAXIMUM:
        KEPT = " {largest} becomes the larger of itself and v, and takes the place of v from here on."
    CORRECTED = ""
    if NESTEROV and CORRECT:
        CORRECTED = (
            "With t = {step}, the corrected moments are M = β₁·m / (1 - β₁^(t + 1)) + (1 - β₁)·g / "
            "(1 - β₁^t) and "
        )
        CORRECTED += "V = v / (1 - β₂^t); m and v are stored without correction."
    elif NESTEROV:
        CORRECTED = "The Nesterov moment is M = β₁·m + (1 - β₁)·g; m is stored as it is."
    elif CORRECT:
        CORRECTED = (
            "With t = {step}, the corrected moments are M = m / (1 - β₁^t) and V = v / (1 - β₂^t); "
            "m and v are stored without "
        )
        CORRECTED += "correction."
        if TOP:
            CORRECTED = (
                "With t = {step}, the corrected moment is M = m / (1 - β₁^t); m is stored without correction."
            )
    UPPER = "M" if NESTEROV or CORRECT else "m"
    LOWER = "V" if CORRECT and not TOP else "v"
    RATIO = "{UPPER} / (v + {EPS})" if TOP else "{UPPER} / (√{LOWER} + {EPS})"
    MOVED = "Then p loses η times {RATIO}."
    if DECAY == "decoupled weight decay":
        MOVED = "Then p loses η · ({RATIO} + {decay}·p)."

    @c.kernel(n)
    def kernel(
        hyper: Hyper = input(low=0.2, high=0.9),
        step: int = input(low=1, high=6, of="step number"),
        grads: wp.array[Value] = input(n, low=-1.0, high=1.0, of="gradient"),
        w: wp.array[Value] = inout(n, low=-1.0, high=1.0, of="weights"),
        first: wp.array[Value] = inout(n, low=-0.5, high=0.5),
        second: wp.array[float] = inout(n, low=0.3, high=2.0) if TOP else inout(n, low=0.1, high=0.8),
        largest: wp.array[float] = inout(n, low=0.1, high=1.0),
        decay: float = input(low=0.05, high=0.3),
    ):
        i = wp.tid()
        g = grads[i]
        if DECAY == "weight decay":
            g += decay * w[i]
        m = hyper.beta1 * first[i] + (1.0 - hyper.beta1) * g
        if TOP:
            v = wp.max(hyper.beta2 * second[i], wp.length(g) if VECTOR else wp.abs(g))
        elif BELIEF:
            # how far the gradient is from what was expected of it
            d = g - m
            v = hyper.beta2 * second[i] + (1.0 - hyper.beta2) * (wp.dot(d, d) if VECTOR else d * d)
        else:
            v = hyper.beta2 * second[i] + (1.0 - hyper.beta2) * (wp.dot(g, g) if VECTOR else g * g)
        first[i] = m
        second[i] = v
        if MAXIMUM:
            largest[i] = wp.max(largest[i], v)
            v = largest[i]
        if NESTEROV and CORRECT != "":
            # the momentum of the next step, and the gradient of this one
            ahead = hyper.beta1 * m / (1.0 - wp.pow(hyper.beta1, float(step + 1)))
            m = ahead + (1.0 - hyper.beta1) * g / (1.0 - wp.pow(hyper.beta1, float(step)))
        elif NESTEROV:
            m = hyper.beta1 * m + (1.0 - hyper.beta1) * g
        if CORRECT != "":
            if not NESTEROV:
                m /= 1.0 - wp.pow(hyper.beta1, float(step))
            if not TOP:
                v /= 1.0 - wp.pow(hyper.beta2, float(step))
        if TOP:
            move = m / (v + EPS)
        else:
            move = m / (wp.sqrt(v) + EPS)
        if DECAY == "decoupled weight decay":
            w[i] = w[i] - hyper.rate * (move + decay * w[i])
        else:
            w[i] = w[i] - hyper.rate * move


@idiom(
    level=3,
    differentiable=False,
    names={
        "w": "w weights params",
        "grads": "grads gradients dw",
        "square": "square mean_square v",
        "average": "average mean_g g_avg",
        "speed": "speed momentum_buffer velocity",
        "kernel": "rmsprop rmsprop_update scale_and_step",
        "i j": "i j | row col",
    },
)
def rmsprop_step(c):
    """One step of {FORM} with {FLOOR}{SHARED}{SKIP}.

    Take one step of {FORM} with {FLOOR}{SHARED}{SKIP}, in place. {MEANS}{CENTRE} The step of a weight in {w}
    is {SCALE} times its gradient in {grads}{CUT}. {MOVED}
    """
    rows, cols = c.size(5, 8), c.size(4, 7)
    FORM = c.meaning(
        "RMSprop", "centred RMSprop", "RMSprop under momentum", "RMSprop relative to the weights"
    )
    FLOOR = c.meaning("epsilon inside the root", "epsilon outside the root")
    SHARED = c.meaning("", "one mean square per row")
    SKIP = c.meaning("", "clipped steps")
    ROWS, CENTRED = SHARED != "", FORM == "centred RMSprop"
    if SHARED and SKIP:
        FLOOR, SHARED, SKIP = f"{FLOOR}, ", SHARED, f" and {SKIP}"
    elif SHARED or SKIP:
        FLOOR += " and "
    RATE, DECAY, EPS = c.constant(0.3, 0.9), c.constant(0.5, 0.9), c.constant(1.0e-4, 1.0e-3, step=9.0e-4)
    MOMENTUM, MOST = c.constant(0.4, 0.9), c.constant(0.1, 0.4)
    SUBJECT = "the mean of the squared gradients of the row" if ROWS else "its squared gradient"
    MEANS = "The mean square v of {WHOSE} becomes {DECAY}·v + (1 - {DECAY}) times {SUBJECT}."
    WHOSE = "each row, in {row_square}," if ROWS else "each weight, in {square},"
    CENTRE = ""
    if CENTRED and ROWS:
        CENTRE = (
            " The average a, in {row_average}, follows the mean gradient of the row in the same "
            "way; v less a², but at least 0, "
        )
        CENTRE += "is used for v below."
    elif CENTRED:
        CENTRE = (
            " The average a, in {average}, follows the gradient in the same way; v less a², but at "
            "least 0, is used for v below."
        )
    SCALE = "{RATE} / (√v + {EPS})" if "outside" in FLOOR else "{RATE} / √(v + {EPS})"
    CUT = ", clamped to [-{MOST}, {MOST}]" if SKIP else ""
    MOVED = "The weight loses the step."
    if FORM == "RMSprop under momentum":
        MOVED = "{speed} becomes {MOMENTUM} times itself plus the step, and the weight loses that."
    elif FORM == "RMSprop relative to the weights":
        MOVED = "The weight loses the step times its own magnitude, which counts as at least 0.1."

    @c.kernel(*((rows,) if ROWS else (rows, cols)))
    def kernel(
        grads: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0, of="gradient"),
        w: wp.array2d[float] = inout(rows, cols, low=-1.0, high=1.0, of="weights"),
        square: wp.array2d[float] = inout(rows, cols, low=0.2, high=0.8),
        row_square: wp.array[float] = inout(rows, low=0.2, high=0.8),
        average: wp.array2d[float] = inout(rows, cols, low=-0.5, high=0.5),
        row_average: wp.array[float] = inout(rows, low=-0.5, high=0.5),
        speed: wp.array2d[float] = inout(rows, cols, low=-0.5, high=0.5),
    ):
        if ROWS:
            i = wp.tid()
            power = float(0.0)
            if CENTRED:
                total = float(0.0)
            for j in range(w.shape[1]):
                power += grads[i, j] * grads[i, j]
                if CENTRED:
                    total += grads[i, j]
            v = DECAY * row_square[i] + (1.0 - DECAY) * power / float(w.shape[1])
            row_square[i] = v
            if CENTRED:
                a = DECAY * row_average[i] + (1.0 - DECAY) * total / float(w.shape[1])
                row_average[i] = a
        else:
            i, j = wp.tid()
            g = grads[i, j]
            v = DECAY * square[i, j] + (1.0 - DECAY) * g * g
            square[i, j] = v
            if CENTRED:
                a = wp.lerp(g, average[i, j], DECAY)
                average[i, j] = a
        if CENTRED:
            # what is left is the variance
            v = wp.max(v - a * a, 0.0)
        if FLOOR.startswith("epsilon inside"):
            scale = RATE / wp.sqrt(v + EPS)
        else:
            scale = RATE / (wp.sqrt(v) + EPS)
        if ROWS:
            for j in range(w.shape[1]):
                move = scale * grads[i, j]
                if SKIP != "":
                    move = wp.clamp(move, -MOST, MOST)
                if FORM == "RMSprop under momentum":
                    speed[i, j] = MOMENTUM * speed[i, j] + move
                    w[i, j] = w[i, j] - speed[i, j]
                elif FORM == "RMSprop relative to the weights":
                    # weights near zero must be able to move
                    w[i, j] = w[i, j] - wp.max(wp.abs(w[i, j]), 0.1) * move
                else:
                    w[i, j] = w[i, j] - move
        else:
            move = scale * g
            if SKIP != "":
                move = wp.clamp(move, -MOST, MOST)
            if FORM == "RMSprop under momentum":
                speed[i, j] = MOMENTUM * speed[i, j] + move
                w[i, j] = w[i, j] - speed[i, j]
            elif FORM == "RMSprop relative to the weights":
                # weights near zero must be able to move
                w[i, j] = w[i, j] - wp.max(wp.abs(w[i, j]), 0.1) * move
            else:
                w[i, j] = w[i, j] - move


@idiom(
    level=3,
    differentiable=False,
    names={
        "w": "w weights params embeddings",
        "grads": "grads gradients dw",
        "total": "total accumulator sum_sq",
        "touched": "touched counts used",
        "row k": "row k | i j | token channel",
        "kernel": "update_rows adaptive_rows accumulate_and_step",
    },
)
def adagrad_step(c):
    """One step of {FORM} on {ROWS}{PER}{SHRINK}.

    Take one step of {FORM} on {ROWS}{PER}, in place. {WHICH} {SUMS} A weight in {w} moves by -s·g, where
    {SCALE}. {AFTER}
    """
    n, width = c.size(6, 9), c.size(4, 7)
    FORM = c.meaning("Adagrad", "Adadelta", "decayed Adagrad")
    ROWS = c.meaning(
        "the rows of a table",
        "the rows that were touched",
        "the rows that were touched, by their mean gradients",
    )
    PER = c.meaning("", ", at one rate per row") if FORM != "Adadelta" else ""
    SHRINK = c.meaning("", ", then soft-thresholded", ", then projected onto a ball")
    SPARSE, BALL = SHRINK.endswith("thresholded"), SHRINK.endswith("ball")
    RATE, FADE, EPS = c.constant(0.2, 0.8), c.constant(0.6, 0.95), c.constant(1.0e-4, 1.0e-3, step=9.0e-4)
    PULL, RADIUS = c.constant(0.1, 0.3), c.constant(1.0, 1.6)
    TOUCHED, SHARED, MEAN = ROWS != "the rows of a table", PER != "", ROWS.endswith("gradients")
    if FORM == "Adadelta":
        c.names(
            {
                "total": "mean_square accumulator square_avg",
                "moved": "acc_delta mean_sq_move moved_square",
                "kernel": "adadelta adadelta_step update_rows",
            }
        )
    elif FORM == "decayed Adagrad":
        c.names({"total": "total accumulator faded_sum"})
    AS_GIVEN = "g is the gradient of a weight, in {grads}"
    if MEAN:
        AS_GIVEN += ", divided by the row's count in {touched}"
    WHICH = AS_GIVEN + "."
    if TOUCHED:
        WHICH = "Rows whose {touched} is 0 stay as they are. " + WHICH
    WHICH = WHICH.replace("g is the", "Let g be the")
    GROWS = "becomes {FADE} times itself plus" if FORM == "decayed Adagrad" else "grows by"
    if FORM == "Adadelta":
        SUMS = "The mean square e in {total} becomes {FADE}·e + (1 - {FADE})·g²."
        SCALE = (
            "s = √((d + {EPS}) / (e + {EPS})) with the mean square d of earlier moves in {moved}; "
            "after that, d becomes "
        )
        SCALE += "{FADE}·d + (1 - {FADE})·(s·g)²"
    elif SHARED:
        SUMS = "The row's sum S in {row_total} {GROWS} the mean of g² over the row."
        SCALE = "s = {RATE} / (√S + {EPS}), with the new S"
    else:
        SUMS = "The sum S in {total} {GROWS} g²."
        SCALE = "s = {RATE} / (√S + {EPS}), with the new S"
    AFTER = ""
    if SPARSE:
        AFTER = "Then the weight is soft-thresholded: its magnitude shrinks by {PULL}·s, but not below 0."
    elif BALL:
        STEPPED = "each touched row" if TOUCHED else "each row"
        AFTER = "Finally, {STEPPED} of {w} that is longer than {RADIUS} is scaled down to length {RADIUS}."

    @c.kernel(n)
    def kernel(
        grads: wp.array2d[float] = input(n, width, low=-1.0, high=1.0),
        touched: wp.array[int] = input(n, low=0, high=3),
        w: wp.array2d[float] = inout(n, width, low=-1.0, high=1.0),
        total: wp.array2d[float] = inout(n, width, low=0.1, high=1.0),
        row_total: wp.array[float] = inout(n, low=0.1, high=1.0),
        moved: wp.array2d[float] = inout(n, width, low=0.1, high=1.0),
    ):
        row = wp.tid()
        if TOUCHED:
            if touched[row] == 0:
                return
        width = w.shape[1]
        if SHARED:
            power = float(0.0)
            for k in range(width):
                power += grads[row, k] * grads[row, k]
            if MEAN:
                power /= float(touched[row] * touched[row])
            if FORM == "decayed Adagrad":
                row_total[row] = FADE * row_total[row] + power / float(width)
            else:
                row_total[row] = row_total[row] + power / float(width)
            scale = RATE / (wp.sqrt(row_total[row]) + EPS)
        if BALL:
            square = float(0.0)
        for k in range(width):
            g = grads[row, k]
            if MEAN:
                g /= float(touched[row])
            if FORM == "Adadelta":
                total[row, k] = FADE * total[row, k] + (1.0 - FADE) * g * g
                scale = wp.sqrt((moved[row, k] + EPS) / (total[row, k] + EPS))
                move = scale * g
                moved[row, k] = FADE * moved[row, k] + (1.0 - FADE) * move * move
                after = w[row, k] - move
            else:
                if not SHARED:
                    if FORM == "decayed Adagrad":
                        total[row, k] = FADE * total[row, k] + g * g
                    else:
                        total[row, k] = total[row, k] + g * g
                    scale = RATE / (wp.sqrt(total[row, k]) + EPS)
                after = w[row, k] - scale * g
            if SPARSE:
                # the proximal step of an L1 penalty, at the same rate
                after = wp.sign(after) * wp.max(wp.abs(after) - PULL * scale, 0.0)
            w[row, k] = after
            if BALL:
                square += after * after
        if BALL:
            length = wp.sqrt(square)
            if length > RADIUS:
                for k in range(width):
                    w[row, k] = w[row, k] * (RADIUS / length)


@idiom(
    level=4,
    differentiable=False,
    names={
        "w": "w weights params",
        "grads": "grads gradients dw",
        "before": "before last_grad previous",
        "pace": "pace step_sizes deltas",
        "turned": "turned sign_change product",
        "kernel": "rprop rprop_step rprop_update",
    },
)
def resilient_step(c):
    """One step of Rprop, {TURN} where the gradient changes its sign{GROW}{WITH}.

    Take one step of Rprop for each weight p in {w}, in place. {GRADIENT} It is a turn if g times {before},
    {KEEPS} of the last step, is negative. {AT_TURN}

    Otherwise {pace}, if that product is positive, grows {FACTOR}, but to at most {MAX_STEP}; p moves by
    {pace} against the sign of g (1 for 0){NOTED}. {before} becomes {NEW}.
    """
    n = c.size()
    TURN = c.meaning("stepping back", "stepping back if the loss rose", "standing still", "going on")
    GROW = c.meaning("", ", growing by given factors")
    SHRINK = c.meaning(False, True)
    SIGNS = c.meaning(True, False)
    WITH = ", with weight decay" if SHRINK else ""
    UP, DOWN = c.constant(1.2, 1.5), c.constant(0.4, 0.6)
    MAX_STEP, MIN_STEP, DECAY = c.constant(0.5, 0.55), c.constant(0.08, 0.12), c.constant(0.3, 0.9)
    BACK, CHECKED = TURN.startswith("stepping"), TURN.endswith("rose")
    if SIGNS:
        WITH += ", keeping signs only" if WITH or GROW else ", keeping only signs of gradients"
        c.names({"before": "before last_sign previous_sign"})

    def slower(pace: float) -> float:
        """a shorter pace, but no shorter than allowed."""
        return wp.max(DOWN * pace, MIN_STEP)

    GRADIENT = "Let g be its gradient in {grads}" + (" plus {DECAY}·p." if SHRINK else ".")
    KEEPS = "the sign of g" if SIGNS else "g"
    NEW = "the sign of g" if SIGNS else "g"
    FACTOR = "by a factor of {UP}" if GROW == "" else "by its factor in {factors}"
    NOTED = ", which is kept in {moves}" if BACK else ""
    AT_TURN = "At a turn {pace} is multiplied by {DOWN}, but is at least {MIN_STEP}"
    if BACK:
        AT_TURN += "; p takes back its last move, in {moves}{CONDITION}, and {moves} and {before} become 0."
    elif TURN == "standing still":
        AT_TURN += "; p stays, and {before} becomes 0."
    else:
        AT_TURN += "; p moves by the new {pace} against the sign of g, and {before} becomes {NEW}."
    CONDITION = ", but only if {loss_change} is positive" if CHECKED else ""

    @c.kernel(n)
    def kernel(
        grads: wp.array[float] = input(n, low=-1.0, high=1.0, of="gradient"),
        factors: wp.array[float] = input(n, low=1.2, high=1.6),
        w: wp.array[float] = inout(n, low=-1.0, high=1.0, of="weights"),
        before: wp.array[float] = inout(n, low=-1.0, high=1.0),
        moves: wp.array[float] = inout(n, low=-0.5, high=0.5),
        pace: wp.array[float] = inout(n, low=0.12, high=0.5),
        loss_change: float = input(low=-1.0, high=1.0),
    ):
        i = wp.tid()
        g = grads[i] + DECAY * w[i] if SHRINK else grads[i]
        turned = g * before[i]
        if turned < 0.0:
            pace[i] = slower(pace[i])
            if BACK:
                if CHECKED:
                    if loss_change > 0.0:
                        w[i] = w[i] - moves[i]
                else:
                    w[i] = w[i] - moves[i]
                moves[i] = 0.0
                # so that the next step does not count as a turn
                before[i] = 0.0
            elif TURN == "standing still":
                # so that the next step does not count as a turn
                before[i] = 0.0
            else:
                w[i] = w[i] - wp.sign(g) * pace[i]
                before[i] = wp.sign(g) if SIGNS else g
        else:
            if turned > 0.0:
                pace[i] = wp.min((factors[i] if GROW != "" else UP) * pace[i], MAX_STEP)
            if BACK:
                moves[i] = -wp.sign(g) * pace[i]
                w[i] = w[i] + moves[i]
            else:
                w[i] = w[i] - wp.sign(g) * pace[i]
            before[i] = wp.sign(g) if SIGNS else g
