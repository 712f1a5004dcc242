"""Check digits, and numbers in a range."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=3,
    names={
        "words": "words bits random_words",
        "lows highs": "lows highs | starts stops | least most",
        "u": "u chance",
        "out": "out samples numbers",
        "i": "i tid k",
        "kernel": "shape_draws map_to_range sample_distribution",
    },
)
def random_in_range(c):
    """Turns {WORDS} into a draw from the {SHAPE} distribution{OF}{PLACED}.

    Turn random words into draws from the {SHAPE} distribution by its quantile function. {CHANCE} {out} gets
    {RESULT}.
    """
    n = c.size()
    WORDS = c.meaning(
        "each random word",
        "the low ten bits of each random word",
        "each random word and its index",
        "each pair of random words",
    )
    FAMILY = c.meaning("uniform", "triangular", "exponential", "Weibull", "Pareto", "logistic")
    if FAMILY in ("uniform", "triangular"):
        PLACED = c.meaning(" on [0, 1]", " between two bounds")
    else:
        PLACED = c.meaning("", ", with a scale of its own")
    SHAPE = FAMILY
    if FAMILY == "triangular":
        SHAPE = "symmetric triangular"
    elif PLACED == "" and FAMILY in ("exponential", "logistic"):
        SHAPE = f"standard {FAMILY}"
    POWER = c.style(1.25, 2.0, 2.5, 4.0)
    EXPONENT = 1.0 / POWER
    OF = {"Weibull": f" of shape {POWER:g}", "Pareto": f" of tail exponent {POWER:g}"}.get(FAMILY, "")
    if PLACED != " between two bounds":
        c.names({"kernel": "shape_draws sample_distribution draw_samples"})

    def unit(word: int) -> float:
        """A number between 0 and 1, neither of them reached."""
        return (float(word) + 0.5) / 65536.0

    def shaped(u: float) -> float:
        """The quantile of the distribution at {u}."""
        if FAMILY == "triangular":
            return wp.where(u < 0.5, wp.sqrt(0.5 * u), 1.0 - wp.sqrt(0.5 * (1.0 - u)))
        elif FAMILY == "Weibull":
            # the exponent is one over the shape
            return wp.pow(-wp.log(1.0 - u), EXPONENT)
        elif FAMILY == "Pareto":
            return wp.exp(-wp.log(1.0 - u) / POWER)
        elif FAMILY == "logistic":
            return wp.log(u / (1.0 - u))
        else:
            return -wp.log(1.0 - u)

    UNIT = "The uniform number of draw k is u = (w + ½) / 65536, "
    CHANCE = {
        "each random word": UNIT + "where w is `{words}[k]`.",
        "the low ten bits of each random word": (
            "The uniform number of draw k is u = (w + ½) / 1024, where w is the lowest ten bits (& 1023) "
            "of `{words}[k]`."
        ),
        "each random word and its index": UNIT + "where w is (`{words}[k]` + 4057·k) & 65535.",
        "each pair of random words": UNIT + "where w is the XOR of `{words}[k]` and `{others}[k]` >> 3.",
    }[WORDS]
    QUANTILE = {
        "uniform": "u",
        "triangular": "q, which is √(u / 2) if u < ½ and 1 - √((1 - u) / 2) otherwise",
        "exponential": "-log(1 - u)",
        "Weibull": "(-log(1 - u))^(1/{POWER}), so the shape is {POWER}",
        "Pareto": "exp(-log(1 - u) / {POWER}), so the tail exponent is {POWER}",
        "logistic": "log(u / (1 - u))",
    }[FAMILY]
    RESULT = "{QUANTILE}"
    if PLACED == " between two bounds":
        RESULT = "{QUANTILE}, mapped linearly from [0, 1] to the bounds {lows} and {highs}"
        if FAMILY == "triangular":
            RESULT = (
                "the value q, mapped linearly from [0, 1] to the bounds {lows} and {highs}, where q is {HALF}"
            )
    elif PLACED == ", with a scale of its own":
        RESULT = "its entry of {scales} times {QUANTILE}"
    HALF = "√(u / 2) if u < ½ and 1 - √((1 - u) / 2) otherwise"
    if FAMILY == "triangular" and PLACED != " between two bounds":
        RESULT = HALF

    @c.kernel(n)
    def kernel(
        words: wp.array[int] = input(n, low=0, high=65535),
        others: wp.array[int] = input(n, low=0, high=65535),
        lows: wp.array[float] = input(n, low=-2.0, high=0.0),
        highs: wp.array[float] = input(n, low=0.5, high=4.0),
        scales: wp.array[float] = input(n, low=0.5, high=4.0),
        out: wp.array[float] = output(n),
    ):
        i = wp.tid()
        if WORDS == "the low ten bits of each random word":
            u = (float(words[i] & 1023) + 0.5) / 1024.0
        elif WORDS == "each random word and its index":
            # neighbours are to have nothing in common
            u = unit((words[i] + 4057 * i) & 65535)
        elif WORDS == "each pair of random words":
            u = unit(words[i] ^ (others[i] >> 3))
        else:
            u = unit(words[i])
        if FAMILY == "uniform":
            if PLACED == " between two bounds":
                out[i] = lows[i] + (highs[i] - lows[i]) * u
            else:
                out[i] = u
        elif PLACED == " between two bounds":
            out[i] = lows[i] + (highs[i] - lows[i]) * shaped(u)
        elif PLACED == ", with a scale of its own":
            out[i] = scales[i] * shaped(u)
        else:
            out[i] = shaped(u)


@idiom(
    level=2,
    differentiable=False,
    names={
        "digits": "digits numbers codes",
        "total": "total weighted weighted_sum",
        "check": "check computed control",
        "out": "out checks results",
        "row": "row tid i",
        "kernel": "check_digits control_digits",
    },
)
def check_digit(c):
    """The {KIND} of each {CODE} by {WEIGHTS}, {REST}{GIVEN}.

    Compute the {KIND} of codes of four digits each. {DIGITS} The sum is {FORMULA}. {MODULO} {STORE}
    """
    n, places = c.size(), 4
    CODE = c.meaning("row of four digits", "number of four digits")
    WEIGHTS = c.meaning(
        "Luhn doubling from the right", "weights 1 and 3 in turn", "given weights", "powers of a base"
    )
    if WEIGHTS in ("given weights", "powers of a base"):
        REST = c.meaning("as the complement to 10", "modulo 11", "as the complement to 11")
    else:
        REST = c.meaning("as the complement to 10", "modulo 10")
    GIVEN = c.meaning("", ", counted by its value", ", less the stated one")
    MODULUS = 11 if "11" in REST else 10
    KIND = "check digit" if "complement" in REST else "digit sum"
    if KIND == "digit sum":
        c.names({"check": "rest remainder", "kernel": "digit_sums weighted_digits"})
    if GIVEN == ", counted by its value":
        TALLIED = KIND.replace(" ", "_") + "s"
        c.names({"kernel": f"tally_{TALLIED} count_{TALLIED}"})
    elif GIVEN == ", less the stated one":
        c.names({"kernel": "verify_codes compare_with_stated", "out": "out errors deviations"})

    def doubled(digit: int) -> int:
        """Twice a digit, with its own digits summed."""
        return 2 * digit % 10 + 2 * digit // 10

    DIGITS = "Row r of {digits} holds the digits a, b, c and d, from left to right."
    if CODE == "number of four digits":
        DIGITS = "Each of {numbers} is 1000·a + 100·b + 10·c + d, with the decimal digits a, b, c and d."
    FORMULA = {
        "Luhn doubling from the right": (
            "a + D(b) + c + D(d), as in the Luhn algorithm; D doubles a digit and adds the digits of the "
            "result"
        ),
        "weights 1 and 3 in turn": "a + 3·b + c + 3·d",
        "given weights": "the dot product of the digits and {weights}",
        "powers of a base": "a·{base}³ + b·{base}² + c·{base} + d",
    }[WEIGHTS]
    MODULO = "The {KIND} is the sum modulo {MODULUS}."
    if KIND == "check digit":
        MODULO = (
            "The check digit completes it to a multiple of {MODULUS}; it is 0, not {MODULUS}, if nothing is "
            "missing."
        )
    STORE = {
        "": "Store it in {out}.",
        ", counted by its value": "`{counts}[v]` gets the number of codes for which it is v.",
        ", less the stated one": "{out} gets it less the code's entry of {stated}.",
    }[GIVEN]

    @c.kernel(n)
    def kernel(
        digits: wp.array2d[int] = input(n, places, low=0, high=9),
        numbers: wp.array[int] = input(n, low=1000, high=9999),
        weights: wp.vec4i = input(low=1, high=9),
        base: int = input(low=2, high=9),
        stated: wp.array[int] = input(n, low=0, high=MODULUS - 1),
        counts: wp.array[int] = output(MODULUS),
        out: wp.array[int] = output(n),
    ):
        row = wp.tid()
        if CODE == "row of four digits":
            d0, d1 = digits[row, 0], digits[row, 1]
            d2, d3 = digits[row, 2], digits[row, 3]
        else:
            number = numbers[row]
            d0, d1 = number // 1000, number // 100 % 10
            d2, d3 = number // 10 % 10, number % 10
        if WEIGHTS == "Luhn doubling from the right":
            total = d0 + doubled(d1) + d2 + doubled(d3)
        elif WEIGHTS == "weights 1 and 3 in turn":
            total = d0 + d2 + 3 * (d1 + d3)
        elif WEIGHTS == "given weights":
            total = weights[0] * d0 + weights[1] * d1 + weights[2] * d2 + weights[3] * d3
        else:
            # the first digit has the highest power
            total = ((d0 * base + d1) * base + d2) * base + d3
        if REST == "modulo 10" or REST == "modulo 11":
            check = total % MODULUS
        else:
            # where nothing is missing the check digit is zero
            check = (MODULUS - total % MODULUS) % MODULUS
        if GIVEN == ", counted by its value":
            wp.atomic_add(counts, check, 1)
        elif GIVEN == ", less the stated one":
            out[row] = check - stated[row]
        else:
            out[row] = check
