"""Longer templates of normalization: groups of channels, and gradients."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=4,
    names={
        "x": "x inputs features",
        "y": "y out normed",
        "gain": "gain gamma weight",
        "bias": "bias beta shift",
        "mean": "mean mu average",
        "sample group": "sample group | n g | b g",
        "m k": "m k | member pixel | ch s",
        "kernel": "normalize_groups group_norm",
    },
)
def group_normalization(c):
    """Normalizes {GROUPS} of each sample {PASSES}{AFFINE}{PLACED}.

    Apply {METHOD}: bring {ITEMS} to mean 0 and variance 1. {LAYOUT}

    Each entry becomes (entry - M) / √(V + {EPS}), where M is the mean of {SCOPE} and V their variance, the
    mean of the squared differences from M. Find these {STATED}.{AFFINED} Store the result {STORED}.
    """
    FIXED, samples, groups = c.style(True, False), c.size(3, 4), c.size(3, 4)
    each, length = (2, c.size(2, 3)) if FIXED else (c.size(2, 3), c.size(4, 6))
    GROUPS = c.meaning("groups of channels", "each channel", "interleaved groups of channels")
    if GROUPS == "each channel":
        c.names(
            {
                "kernel": "instance_norm normalize_channels",
                "sample group": "sample channel | n c | b c",
            }
        )
    PASSES = c.meaning("in two passes", "in one pass", "by Welford's algorithm")
    EACH = "channel" if GROUPS == "each channel" else "group"
    STYLED = f", with a gain and bias for each sample and {EACH}"
    AFFINE = c.meaning("", f", with a gain and bias for each {EACH}", STYLED)
    IN_PLACE = c.meaning(False, True)
    PLACED = ", in place" if IN_PLACE else ""
    if GROUPS == "each channel" and FIXED:
        length = c.size(3, 5)
    ONE, WELFORD = GROUPS == "each channel", PASSES == "by Welford's algorithm"
    INNER = GROUPS == "groups of channels"
    shape = (samples, groups, each, length) if INNER else (samples, each, groups, length)
    shape = (samples, groups, length) if ONE else shape
    EPS = c.constant(0.00001, 0.001, step=0.00099)
    METHOD = "instance norm" if ONE else "group norm"
    ITEMS = "each channel of each sample" if ONE else "each group of channels of each sample"
    LAYOUT = "The entries of {x} are indexed by sample, channel and pixel."
    SCOPE = "all entries of its channel in its sample" if ONE else "all entries of its group in its sample"
    if INNER:
        LAYOUT = "The entries of {x} are indexed by sample, group, channel in the group and pixel."
    elif not ONE:
        LAYOUT = (
            "The entries of {x} are indexed by sample, channel in the group, group and pixel, as groups"
            " are interleaved."
        )
    STATED = {
        "in two passes": "in two passes, the mean first",
        "in one pass": "in one pass, from the sums of entries and of squares",
        "by Welford's algorithm": "by Welford's algorithm",
    }[PASSES]
    AFFINED = ""
    if AFFINE == STYLED:
        AFFINED = (
            " Then multiply by 1 + the first component of the {EACH}'s entry of {style} and add the"
            " second one."
        )
    elif AFFINE:
        AFFINED = " Then multiply by the {EACH}'s entry of {gain} and add that of {bias}."
    STORED = "in place" if IN_PLACE else "in {y}"

    @c.kernel(samples, groups)
    def kernel(
        gain: wp.array[float] = input(groups, low=0.5, high=1.5),
        bias: wp.array[float] = input(groups, low=-1.0, high=1.0),
        style: wp.array2d[wp.vec2] = input(samples, groups, low=-1.0, high=1.5),
        x: (wp.array3d[float] if ONE else wp.array4d[float]) = inout(*shape, low=-2.0, high=2.0)
        if IN_PLACE
        else input(*shape, low=-2.0, high=2.0),
        y: (wp.array3d[float] if ONE else wp.array4d[float]) = output(*shape),
    ):
        sample, group = wp.tid()
        if not FIXED:
            if not ONE:
                members = x.shape[2] if INNER else x.shape[1]
            pixels = x.shape[2] if ONE else x.shape[3]
        mean = float(0.0)
        square = float(0.0)
        if WELFORD:
            seen = float(0.0)
        if ONE:
            for k in range(length if FIXED else pixels):
                v = x[sample, group, k]
                if WELFORD:
                    seen += 1.0
                    delta = v - mean
                    mean += delta / seen
                    square += delta * (v - mean)
                else:
                    mean += v
                    if PASSES == "in one pass":
                        square += v * v
        else:
            for m in range(each if FIXED else members):
                for k in range(length if FIXED else pixels):
                    v = x[sample, group, m, k] if INNER else x[sample, m, group, k]
                    if WELFORD:
                        seen += 1.0
                        delta = v - mean
                        mean += delta / seen
                        square += delta * (v - mean)
                    else:
                        mean += v
                        if PASSES == "in one pass":
                            square += v * v
        if not WELFORD:
            if ONE:
                count = float(length if FIXED else pixels)
            else:
                count = float(each * length if FIXED else members * pixels)
            mean /= count
        if PASSES == "in one pass":
            # rounding must not make the variance negative
            variance = wp.max(square / count - mean * mean, 0.0)
        else:
            if PASSES == "in two passes":
                if ONE:
                    for k in range(length if FIXED else pixels):
                        d = x[sample, group, k] - mean
                        square += d * d
                else:
                    for m in range(each if FIXED else members):
                        for k in range(length if FIXED else pixels):
                            d = (x[sample, group, m, k] if INNER else x[sample, m, group, k]) - mean
                            square += d * d
            variance = square / seen if WELFORD else square / count
        scale = 1.0 / wp.sqrt(variance + EPS)
        if AFFINE == STYLED:
            # the style holds what is added to a gain of one, and a bias
            s = style[sample, group]
            scale *= 1.0 + s[0]
            shift = s[1] - scale * mean
        elif AFFINE != "":
            scale *= gain[group]
            shift = bias[group] - scale * mean
        if ONE:
            for k in range(length if FIXED else pixels):
                z = (
                    scale * x[sample, group, k] + shift
                    if AFFINE != ""
                    else (x[sample, group, k] - mean) * scale
                )
                if IN_PLACE:
                    x[sample, group, k] = z
                else:
                    y[sample, group, k] = z
        else:
            for m in range(each if FIXED else members):
                for k in range(length if FIXED else pixels):
                    v = x[sample, group, m, k] if INNER else x[sample, m, group, k]
                    z = scale * v + shift if AFFINE != "" else (v - mean) * scale
                    if IN_PLACE and INNER:
                        x[sample, group, m, k] = z
                    elif IN_PLACE:
                        x[sample, m, group, k] = z
                    elif INNER:
                        y[sample, group, m, k] = z
                    else:
                        y[sample, m, group, k] = z


@idiom(
    level=5,
    names={
        "x": "x inputs hidden",
        "dy": "dy grad_out adj_y",
        "dx": "dx grad_in adj_x",
        "gain": "gain gamma weight",
        "dgain": "dgain grad_gamma adj_gain",
        "mean": "mean mu average",
        "rstd": "rstd inv_std scale",
        "row k": "row k | i j | token channel",
        "kernel": "backward_rows backward_pass",
    },
)
def normalization_backward(c):
    """Backpropagates through {NORM}{AFFINE}, given its {SAVED}{KEEP}.

    Backpropagate through {METHOD} of rows. {FORWARD}

    {GAINED}With G = {UPSTREAM}, the gradient by the input is {FORMULA}, with {MEANS}. {STORED}
    """
    FIXED = c.style(True, False)
    n, width = c.size(5, 8), c.size(3, 4) if FIXED else c.size(4, 7)
    NORM = c.meaning("layer norm", "RMS norm", "L2 normalization", "softmax")
    SAVED = "outputs" if NORM == "softmax" else c.meaning("inputs and scales", "inputs")
    AFFINE = "" if NORM == "softmax" else c.meaning("", " to its inputs and gains")
    if NORM == "layer norm":
        AFFINE = c.meaning("", " to its inputs and gains", " to its inputs, gains and biases")
    SCALES = SAVED == "inputs and scales"
    if SCALES and NORM == "layer norm":
        SAVED = "inputs, means and scales"
    KEEP = c.meaning("", ", accumulating the input gradients", ", in place")
    ADDED, IN_PLACE = KEEP.startswith(", accumulating"), KEEP == ", in place"
    if IN_PLACE:
        c.names({"dx": "grads grad adj"})
    EPS = c.constant(0.00001, 0.001, step=0.00099)
    if NORM == "softmax":
        c.names({"kernel": "softmax_backward backward_rows"})
    elif NORM == "L2 normalization":
        c.names({"rstd": "inv_norm scale", "rstds": "inv_norms scales"})
    elif NORM == "RMS norm":
        c.names({"rstd": "inv_rms scale", "rstds": "inv_rms_saved scales"})
    CENTRED = NORM == "layer norm"
    GAINS = AFFINE != ""
    BIASES = AFFINE.endswith("biases")
    target = output(n, width) if not KEEP else inout(n, width, low=-1.0, high=1.0)
    METHOD = "the softmax" if NORM == "softmax" else NORM
    GIVEN = "{dx} as it is before" if IN_PLACE else "{dy}"
    FORWARD = "The outputs were {p}, and the gradient by them is {GIVEN}."
    FORMULA, MEANS = "{p}·(G - S)", "S the sum of {p}·G over the row"
    ROW_SCALE = {
        "layer norm": (
            "1 / √(variance + {EPS}) of the row, with the mean of squared differences as the variance"
        ),
        "RMS norm": "1 / √(mean square of the row + {EPS})",
        "L2 normalization": "1 / √(sum of squares of the row + {EPS})",
        "softmax": "",
    }[NORM]
    if NORM != "softmax":
        CENTRE = "{means}, the mean of the row," if SCALES else "the mean of the row"
        SCALED = "R = {rstds}" if SCALES else "R = {ROW_SCALE}"
        NORMED = "({x} - M)·R" if CENTRED else "{x}·R"
        CENTRES = "where M is {CENTRE} and " if CENTRED else "where "
        FORWARD = (
            "The inputs {x} were normalized to Z = {NORMED}, {CENTRES}{SCALED}{TIMES}. The gradient by"
            " the outputs is {GIVEN}."
        )
        FORMULA = "R·(G - A - B·Z)" if CENTRED else "R·(G - B·Z)"
        MEANS = "B the {REDUCED} of G·Z over the row"
        if CENTRED:
            MEANS = "A and B the means of G and G·Z over the row"
    TIMES = ", and then multiplied by {gain} of its column" if GAINS else ""
    TIMES += "; then a bias was added" if BIASES else ""
    REDUCED = "sum" if NORM == "L2 normalization" else "mean"
    UPSTREAM = "{GIVEN} times {gain}" if GAINS else "{GIVEN}"
    GAINED = ""
    if GAINS:
        GAINED = "Add to each column's {dgain} the sum of the gradient by the outputs times Z over all rows. "
    if BIASES:
        GAINED = (
            "Add to each column's {dgain} the sum of the gradient by the outputs times Z over all rows,"
            " and to {dbias} the sum of that gradient itself. "
        )
    STORED = "Store it in {dx}."
    if ADDED:
        STORED = "Add it to {dx}."
    elif IN_PLACE:
        STORED = "Store it in {dx}, in place of the gradient by the outputs."

    @c.kernel(n)
    def kernel(
        x: wp.array2d[float] = input(n, width, low=-2.0, high=2.0),
        means: wp.array[float] = input(n, low=-0.5, high=0.5),
        rstds: wp.array[float] = input(n, low=0.6, high=1.5),
        p: wp.array2d[float] = input(n, width, low=0.02, high=0.5),
        gain: wp.array[float] = input(width, low=0.5, high=1.5),
        dy: wp.array2d[float] = input(n, width, low=-1.0, high=1.0),
        dx: wp.array2d[float] = target,
        dgain: wp.array[float] = inout(width, low=-1.0, high=1.0),
        dbias: wp.array[float] = inout(width, low=-1.0, high=1.0),
    ):
        row = wp.tid()
        if not FIXED:
            cols = dx.shape[1]
        if NORM == "softmax":
            along = float(0.0)
            for k in range(width if FIXED else cols):
                along += p[row, k] * (dx[row, k] if IN_PLACE else dy[row, k])
            for k in range(width if FIXED else cols):
                if IN_PLACE:
                    dx[row, k] = p[row, k] * (dx[row, k] - along)
                elif ADDED:
                    dx[row, k] += p[row, k] * (dy[row, k] - along)
                else:
                    dx[row, k] = p[row, k] * (dy[row, k] - along)
        else:
            if SCALES:
                rstd = rstds[row]
                if CENTRED:
                    mean = means[row]
            else:
                if CENTRED:
                    mean = float(0.0)
                    for k in range(width if FIXED else cols):
                        mean += x[row, k]
                    mean /= float(width if FIXED else cols)
                square = float(0.0)
                for k in range(width if FIXED else cols):
                    d = x[row, k] - mean if CENTRED else x[row, k]
                    square += d * d
                if NORM == "L2 normalization":
                    rstd = 1.0 / wp.sqrt(square + EPS)
                else:
                    rstd = 1.0 / wp.sqrt(square / float(width if FIXED else cols) + EPS)
            along = float(0.0)
            if CENTRED:
                mean_g = float(0.0)
            for k in range(width if FIXED else cols):
                z = (x[row, k] - mean) * rstd if CENTRED else x[row, k] * rstd
                g = dx[row, k] if IN_PLACE else dy[row, k]
                if GAINS:
                    wp.atomic_add(dgain, k, g * z)
                    if BIASES:
                        wp.atomic_add(dbias, k, g)
                    g *= gain[k]
                along += g * z
                if CENTRED:
                    mean_g += g
            if NORM != "L2 normalization":
                along /= float(width if FIXED else cols)
            if CENTRED:
                mean_g /= float(width if FIXED else cols)
            for k in range(width if FIXED else cols):
                z = (x[row, k] - mean) * rstd if CENTRED else x[row, k] * rstd
                g = dx[row, k] if IN_PLACE else dy[row, k]
                if GAINS:
                    g *= gain[k]
                # the statistics of the row depend on its entries too
                d = g - mean_g - along * z if CENTRED else g - along * z
                if ADDED:
                    dx[row, k] += rstd * d
                else:
                    dx[row, k] = rstd * d


@idiom(
    level=3,
    names={
        "v": "v directions weight_v",
        "gain": "gain g magnitude",
        "w": "w weights weight",
        "dw": "dw grad_w adj_w",
        "dv": "dv grad_v adj_v",
        "along": "along inner projection",
        "row k": "row k | i j | unit source",
        "kernel": "reparametrize weight_norm_kernel",
    },
)
def weight_norm(c):
    """{WHAT} of each {AXIS}{FORM}{ALSO}.

    {PURPOSE} of each {AXIS}. D is the {AXIS} of {v}{LESS}, and N = √(the sum of D² + 1e-6) is its
    norm.{NORMED} {FORMULA}{KEPT}
    """
    FIXED = c.style(True, True, False)
    rows, cols = (c.size(3, 5), c.size(3, 5)) if FIXED else (c.size(5, 8), c.size(5, 8))
    FORWARD, AXIS = c.meaning(True, False), c.meaning("row", "column")
    KIND = c.meaning("gain", "exponential", "centred", "alone")
    EXPONENTIAL, CENTRED = KIND == "exponential", KIND == "centred"
    COLUMN, ALONE = AXIS == "column", KIND == "alone"
    ALSO = c.meaning("", ", and keeps its norm") if FORWARD else c.meaning("", " and its gain")
    ALSO = "" if ALONE and not FORWARD else ALSO
    GAIN = "" if ALONE else " times the exponential of its log gain" if EXPONENTIAL else " times its gain"
    if FORWARD:
        WHAT, FORM = f"Weight norm: stores the {'centred ' if CENTRED else ''}unit direction", GAIN
        if ALONE:
            WHAT = "Stores the unit direction"
            c.names({"kernel": "unit_directions normalize_weights"})
    else:
        WHAT = f"Backpropagates from the {'centred ' if CENTRED else ''}unit direction"
        FORM = f"{GAIN} to its entries"
        ALSO = " and its log gain" if ALSO and EXPONENTIAL else ALSO
        c.names({"kernel": "backprop_directions" if ALONE else "weight_norm_backward backprop_directions"})
    if COLUMN:
        # a thread's index is that of a column
        c.names({"row k": "col row | j i | unit source"})
    if EXPONENTIAL:
        c.names({"gain": "log_gain log_scale log_magnitude", "dgain": "dlog_gain grad_log_gain"})
    count, length = (cols, rows) if COLUMN else (rows, cols)
    PURPOSE = "Apply weight norm: find the weights from the direction and the " + (
        "log gain" if EXPONENTIAL else "gain"
    )
    if ALONE:
        PURPOSE = "Find the unit direction"
    if not FORWARD:
        PURPOSE = "Backpropagate through weight norm"
        if ALONE:
            PURPOSE = "Backpropagate through the unit direction"
    LESS = ", less its mean" if CENTRED else ""
    SCALE = "1 / N" if ALONE else "exp({gain}) / N" if EXPONENTIAL else "{gain} / N"
    FORMULA = "Store D times {SCALE} in {w}."
    NORMED = ""
    if not FORWARD:
        NORMED = (
            " The weights were W = D times {SCALE}, and the gradient by them is {dw}. S is the sum of"
            " D·{dw} over the {AXIS}."
        )
        SHIFTED = "{dw} - the mean of {dw} in the {AXIS}" if CENTRED else "{dw}"
        FORMULA = "The gradient by {v} is ({SHIFTED} - S·D / N²) times {FACTOR}; store it in {dv}."
        FACTOR = "the same factor"
    KEPT = ""
    if ALSO and FORWARD:
        KEPT = " Store N in {norms}."
    elif ALSO:
        KEPT = (
            " The gradient by the log gain, S times that factor, goes to {dgain}."
            if EXPONENTIAL
            else " The gradient by the gain, S / N, goes to {dgain}."
        )

    @c.kernel(count)
    def kernel(
        gain: wp.array[float] = input(
            count, low=-0.8 if EXPONENTIAL else 0.3, high=0.8 if EXPONENTIAL else 1.5
        ),
        v: wp.array2d[float] = input(rows, cols, low=-2.0, high=2.0),
        dw: wp.array2d[float] = input(rows, cols, low=-1.0, high=1.0),
        w: wp.array2d[float] = output(rows, cols),
        norms: wp.array[float] = output(count),
        dv: wp.array2d[float] = output(rows, cols),
        dgain: wp.array[float] = output(count),
    ):
        row = wp.tid()
        if not FIXED:
            entries = v.shape[0] if COLUMN else v.shape[1]
        if CENTRED:
            mean = float(0.0)
            for k in range(length if FIXED else entries):
                mean += v[k, row] if COLUMN else v[row, k]
            mean /= float(length if FIXED else entries)
        # a direction of zeros must not be divided by zero
        square = float(1.0e-6)
        if not FORWARD:
            along = float(0.0)
            if CENTRED:
                drift = float(0.0)
        for k in range(length if FIXED else entries):
            d = v[k, row] if COLUMN else v[row, k]
            if CENTRED:
                d -= mean
            square += d * d
            if not FORWARD:
                along += d * (dw[k, row] if COLUMN else dw[row, k])
                if CENTRED:
                    drift += dw[k, row] if COLUMN else dw[row, k]
        norm = wp.sqrt(square)
        if ALONE:
            scale = 1.0 / norm
        elif EXPONENTIAL:
            scale = wp.exp(gain[row]) / norm
        else:
            scale = gain[row] / norm
        if not FORWARD:
            if ALSO != "":
                dgain[row] = scale * along if EXPONENTIAL else along / norm
            # a longer direction gives the same, so the gradient along it is taken off
            along /= square
            if CENTRED:
                # a shift of all entries changes nothing, so the mean gradient is taken off
                drift /= float(length if FIXED else entries)
        for k in range(length if FIXED else entries):
            d = v[k, row] if COLUMN else v[row, k]
            if CENTRED:
                d -= mean
            if FORWARD:
                if COLUMN:
                    w[k, row] = scale * d
                else:
                    w[row, k] = scale * d
            elif COLUMN:
                dv[k, row] = scale * (dw[k, row] - drift - along * d if CENTRED else dw[k, row] - along * d)
            else:
                dv[row, k] = scale * (dw[row, k] - drift - along * d if CENTRED else dw[row, k] - along * d)
        if ALSO == ", and keeps its norm":
            norms[row] = norm
