"""Bits of words: mixed, packed, drawn from."""

from __future__ import annotations

from ....pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
    differentiable=False,
    names={
        "keys": "keys ids codes",
        "others": "others partners labels",
        "h": "h word bits",
        "mixed": "mixed scrambled digest",
        "seed": "seed salt stream",
        "out": "out hashed result",
        "i": "i tid k",
        "kernel": "scramble_keys hash_keys mix_bits",
    },
)
def avalanche_mix(c):
    """Scrambles {SOURCE} by {MIXER} and {GIVEN}."""
    n = c.size()
    GIVEN = c.meaning(
        "gives a slot",
        "gives a fraction of one",
        "gives a random sign",
        "gives a direction in the plane",
        "flags a share of them",
    )
    MIXER = c.meaning(
        "multiplying and folding", "shifting, adding and folding", "rotating and adding", "squaring halves"
    )
    SOURCE = c.meaning("each key", "keys under a seed", "pairs of keys", "keys and their indices")
    c.names(
        {
            "gives a random sign": {"kernel": "random_signs hashed_signs", "out": "out signs result"},
            "gives a direction in the plane": {
                "kernel": "random_directions hashed_directions",
                "out": "out directions result",
            },
            "flags a share of them": {"kernel": "flag_share select_by_hash", "out": "out flags selected"},
        }.get(GIVEN, {})
    )
    FACTOR, SLOTS, SHARE = c.count(4000, 7900) * 2 + 1, c.count(7, 20), c.constant(0.2, 0.7)

    def turned(word: int) -> int:
        rotated = ((word << 8) | (word >> 8)) & 65535
        return (rotated + (rotated << 5) + FACTOR) & 65535

    def squared(half: int) -> int:
        return ((half + FACTOR) * (half + FACTOR) >> 8) & 255

    def mixed(h: int) -> int:
        """Sixteen bits, each of which depends on all bits of the key."""
        if MIXER == "multiplying and folding":
            once = ((h ^ (h >> 8)) * FACTOR) & 65535
            twice = ((once ^ (once >> 7)) * FACTOR) & 65535
            return twice ^ (twice >> 8)
        elif MIXER == "shifting, adding and folding":
            # sums carry upwards, folding brings the upper bits down
            once = (h + (h << 5)) & 65535
            once = once ^ (once >> 6)
            twice = (once + (once << 3)) & 65535
            twice = twice ^ (twice >> 8)
            thrice = (twice + (twice << 7)) & 65535
            return thrice ^ (thrice >> 8)
        elif MIXER == "rotating and adding":
            return turned(turned(turned(h)))
        else:
            # the square of one half goes into the other
            left = (h >> 8) ^ squared(h & 255)
            right = (h & 255) ^ squared(left)
            upper = left ^ squared(right)
            lower = right ^ squared(upper)
            return (upper << 8) | lower

    @c.kernel(n)
    def kernel(
        keys: wp.array[int] = given(n, low=0, high=65535),
        others: wp.array[int] = given(n, low=0, high=65535),
        seed: int = given(low=1, high=65535),
        out: wp.array[
            wp.vec2
            if GIVEN == "gives a direction in the plane"
            else float
            if GIVEN in ("gives a fraction of one", "gives a random sign")
            else int
        ] = result(n),
    ):
        i = wp.tid()
        if SOURCE == "each key":
            h = mixed(keys[i])
        elif SOURCE == "keys under a seed":
            h = mixed(keys[i] ^ seed)
        elif SOURCE == "pairs of keys":
            # the order of the two keys must count
            h = mixed(mixed(keys[i]) ^ others[i])
        else:
            h = mixed((keys[i] + 977 * i) & 65535)
        if GIVEN == "gives a slot":
            out[i] = h % SLOTS
        elif GIVEN == "gives a fraction of one":
            out[i] = float(h) / 65536.0
        elif GIVEN == "gives a random sign":
            out[i] = wp.where((h & 1) == 1, 1.0, -1.0)
        elif GIVEN == "gives a direction in the plane":
            angle = float(h) * wp.TAU / 65536.0
            out[i] = wp.vec2(wp.cos(angle), wp.sin(angle))
        else:
            out[i] = wp.where(float(h) < SHARE * 65536.0, 1, 0)


@idiom(
    level=3,
    names={
        "colours": "colours colors pixels",
        "words": "words packed texels",
        "levels": "levels greens channel",
        "middle": "middle pivot grey",
        "word": "word w texel",
        "i": "i tid k",
        "kernel": "pack_colours colour_words recode_pixels",
    },
)
def packed_colour_word(c):
    """{ACTION} of {LAYOUT} bits, coded {CODED}{GIVEN}."""
    n = c.size()
    ACTION = c.meaning(
        "Packs colours into words",
        "Unpacks words",
        "Sets the green of words",
        "Raises the contrast of words",
    )
    LAYOUT = c.meaning("3-3-2", "4-4-4")
    CODED = c.meaning("linearly", "with finer steps in the dark", "in equal bins")
    GIVEN = c.meaning("", ", and gives their luminance")
    c.names(
        {
            "Packs colours into words": {"kernel": "pack_colours colour_words"},
            "Unpacks words": {"kernel": "unpack_colours colours_of_words"},
            "Sets the green of words": {"kernel": "set_green replace_channel"},
            "Raises the contrast of words": {"kernel": "raise_contrast recode_pixels"},
        }[ACTION]
    )
    FIRST, SECOND, MOST, LEAST = (5, 2, 7, 3) if LAYOUT == "3-3-2" else (8, 4, 15, 15)
    OTHERS = 227 if LAYOUT == "3-3-2" else 3855
    WORDS = 255 if LAYOUT == "3-3-2" else 4095
    CONTRAST, BEND = c.constant(1.2, 2.0), c.constant(1.0, 4.0)

    def level(x: float, most: int) -> int:
        """The code of a number, from zero to the most."""
        if CODED == "with finer steps in the dark":
            t = wp.clamp(x, 0.0, 1.0)
            # steep near zero, and from zero to one
            return int(t * (1.0 + BEND) / (1.0 + BEND * t) * float(most) + 0.5)
        elif CODED == "in equal bins":
            return wp.clamp(int(x * float(most + 1)), 0, most)
        else:
            return int(wp.clamp(x, 0.0, 1.0) * float(most) + 0.5)

    def shade(part: int, most: int) -> float:
        """The number that a code stands for."""
        if CODED == "in equal bins":
            # the middle of the bin
            return (float(part) + 0.5) / float(most + 1)
        elif CODED == "with finer steps in the dark":
            t = float(part) / float(most)
            return t / (1.0 + BEND * (1.0 - t))
        else:
            return float(part) / float(most)

    def packed(colour: wp.vec3) -> int:
        """Red in the upper bits, blue in the lower ones."""
        word = (level(colour[0], MOST) << FIRST) | (level(colour[1], MOST) << SECOND)
        return word | level(colour[2], LEAST)

    def unpacked(word: int) -> wp.vec3:
        green = shade((word >> SECOND) & MOST, MOST)
        return wp.vec3(shade(word >> FIRST, MOST), green, shade(word & LEAST, LEAST))

    @c.kernel(n)
    def kernel(
        colours: wp.array[wp.vec3] = given(n, low=-0.1, high=1.2),
        levels: wp.array[float] = given(n, low=-0.1, high=1.2),
        middle: wp.vec3 = given(low=0.3, high=0.7),
        words: wp.array[int] = (
            result(n)
            if ACTION == "Packs colours into words"
            else given(n, low=0, high=WORDS)
            if ACTION == "Unpacks words"
            else updated(n, low=0, high=WORDS)
        ),
        out: wp.array[wp.vec3] = result(n),
        brightness: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if ACTION == "Packs colours into words":
            colour = colours[i]
            words[i] = packed(colour)
        elif ACTION == "Unpacks words":
            colour = unpacked(words[i])
            out[i] = colour
        elif ACTION == "Sets the green of words":
            # red and blue stay
            kept = words[i] & OTHERS
            word = kept | (level(levels[i], MOST) << SECOND)
            words[i] = word
            if GIVEN:
                colour = unpacked(word)
        else:
            # away from the middle
            word = packed(wp.lerp(middle, unpacked(words[i]), CONTRAST))
            words[i] = word
            if GIVEN:
                colour = unpacked(word)
        if GIVEN:
            brightness[i] = wp.dot(colour, wp.vec3(0.299, 0.587, 0.114))


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
    """Turns {WORDS} into a draw from the {SHAPE} distribution{OF}{PLACED}."""
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
    POWER = c.spelling(1.25, 2.0, 2.5, 4.0)
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

    @c.kernel(n)
    def kernel(
        words: wp.array[int] = given(n, low=0, high=65535),
        others: wp.array[int] = given(n, low=0, high=65535),
        lows: wp.array[float] = given(n, low=-2.0, high=0.0),
        highs: wp.array[float] = given(n, low=0.5, high=4.0),
        scales: wp.array[float] = given(n, low=0.5, high=4.0),
        out: wp.array[float] = result(n),
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
    """The {KIND} of each {CODE} by {WEIGHTS}, {REST}{GIVEN}."""
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

    @c.kernel(n)
    def kernel(
        digits: wp.array2d[int] = given(n, places, low=0, high=9),
        numbers: wp.array[int] = given(n, low=1000, high=9999),
        weights: wp.vec4i = given(low=1, high=9),
        base: int = given(low=2, high=9),
        stated: wp.array[int] = given(n, low=0, high=MODULUS - 1),
        counts: wp.array[int] = result(MODULUS),
        out: wp.array[int] = result(n),
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
