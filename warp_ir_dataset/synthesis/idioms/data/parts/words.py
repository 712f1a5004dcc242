"""Bits of words: mixed, packed, drawn from."""

from __future__ import annotations

from ....pages.page import given, idiom, result, updated, wp


@idiom(
    level=3,
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
    """Scrambles {SOURCE} by {MIXER} and gives {GIVEN}."""
    n = c.size()
    GIVEN = c.meaning("a slot", "a fraction", "a sign", "a direction", "a flag for a share of them")
    MIXER = c.meaning("multiplying and shifting", "adding and shifting", "rotating bits", "squaring halves")
    SOURCE = c.meaning("each key", "keys under a seed", "pairs of keys", "keys and their indices")
    FACTOR, SLOTS, SHARE = c.count(4000, 7900) * 2 + 1, c.count(7, 20), c.constant(0.2, 0.7)

    def turned(word: int) -> int:
        rotated = ((word << 8) | (word >> 8)) & 65535
        return (rotated + (rotated << 5) + FACTOR) & 65535

    def squared(half: int) -> int:
        return ((half + FACTOR) * (half + FACTOR) >> 8) & 255

    def mixed(h: int) -> int:
        """Sixteen bits, each of which hangs on all bits of the key."""
        if MIXER == "multiplying and shifting":
            once = ((h ^ (h >> 8)) * FACTOR) & 65535
            twice = ((once ^ (once >> 7)) * FACTOR) & 65535
            return twice ^ (twice >> 8)
        elif MIXER == "adding and shifting":
            once = (h + (h << 5)) & 65535
            folded = once ^ (once >> 6)
            twice = (folded + (folded << 3)) & 65535
            again = twice ^ (twice >> 8)
            thrice = (again + (again << 7)) & 65535
            return thrice ^ (thrice >> 8)
        elif MIXER == "rotating bits":
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
            wp.vec2 if GIVEN == "a direction" else float if GIVEN in ("a fraction", "a sign") else int
        ] = result(n),
    ):
        i = wp.tid()
        if SOURCE == "each key":
            h = mixed(keys[i])
        elif SOURCE == "keys under a seed":
            h = mixed(keys[i] ^ seed)
        elif SOURCE == "pairs of keys":
            # the order of the two must count
            h = mixed(mixed(keys[i]) ^ others[i])
        else:
            h = mixed((keys[i] + 977 * i) & 65535)
        if GIVEN == "a slot":
            out[i] = h % SLOTS
        elif GIVEN == "a fraction":
            out[i] = float(h) / 65536.0
        elif GIVEN == "a sign":
            out[i] = wp.where((h & 1) == 1, 1.0, -1.0)
        elif GIVEN == "a direction":
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
        "tint": "tint overlay target",
        "word": "word w texel",
        "i": "i tid k",
        "kernel": "pack_colours colour_words recode_pixels",
    },
)
def packed_colour_word(c):
    """{ACTION} of {LAYOUT} bits, coded {CODED}{GIVEN}."""
    n = c.size()
    ACTION = c.meaning("Packs colours into words", "Unpacks words", "Sets a channel in words", "Tints words")
    LAYOUT = c.meaning("3-3-2", "4-4-4")
    CODED = c.meaning("linearly", "with gamma 2", "as signed values")
    GIVEN = c.meaning("", ", and gives their luminance")
    c.names(
        {
            "Packs colours into words": {"kernel": "pack_colours colour_words"},
            "Unpacks words": {"kernel": "unpack_colours colours_of_words"},
            "Sets a channel in words": {"kernel": "set_channel replace_channel"},
            "Tints words": {"kernel": "tint_words recode_pixels"},
        }[ACTION]
    )
    FIRST, SECOND, MOST, LEAST = (5, 2, 7, 3) if LAYOUT == "3-3-2" else (8, 4, 15, 15)
    OTHERS = 227 if LAYOUT == "3-3-2" else 3855
    WORDS = 255 if LAYOUT == "3-3-2" else 4095
    AMOUNT = c.constant(0.2, 0.8)

    def level(x: float, most: int) -> int:
        """A number as one of so many levels."""
        if CODED == "with gamma 2":
            return int(wp.sqrt(wp.clamp(x, 0.0, 1.0)) * float(most) + 0.5)
        elif CODED == "as signed values":
            return int(wp.clamp(0.5 + 0.5 * x, 0.0, 1.0) * float(most) + 0.5)
        else:
            return int(wp.clamp(x, 0.0, 1.0) * float(most) + 0.5)

    def shade(part: int, most: int) -> float:
        x = float(part) / float(most)
        if CODED == "with gamma 2":
            return x * x
        elif CODED == "as signed values":
            return 2.0 * x - 1.0
        else:
            return x

    def packed(colour: wp.vec3) -> int:
        word = (level(colour[0], MOST) << FIRST) | (level(colour[1], MOST) << SECOND)
        return word | level(colour[2], LEAST)

    def unpacked(word: int) -> wp.vec3:
        green = shade((word >> SECOND) & MOST, MOST)
        return wp.vec3(shade(word >> FIRST, MOST), green, shade(word & LEAST, LEAST))

    @c.kernel(n)
    def kernel(
        colours: wp.array[wp.vec3] = given(n, low=0.05, high=1.0),
        levels: wp.array[float] = given(n, low=0.05, high=1.0),
        tint: wp.vec3 = given(low=0.1, high=0.9),
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
        elif ACTION == "Sets a channel in words":
            # the other two channels stay
            kept = words[i] & OTHERS
            word = kept | (level(levels[i], MOST) << SECOND)
            words[i] = word
            if GIVEN:
                colour = unpacked(word)
        else:
            colour = wp.lerp(unpacked(words[i]), tint, AMOUNT)
            words[i] = packed(colour)
        if GIVEN:
            brightness[i] = wp.dot(colour, wp.vec3(0.299, 0.587, 0.114))


@idiom(
    level=3,
    names={
        "seeds": "seeds words draws",
        "lows highs": "lows highs | starts stops | least most",
        "u": "u chance share",
        "out": "out samples numbers",
        "i": "i tid k",
        "kernel": "shape_draws map_to_range sample_distribution",
    },
)
def random_in_range(c):
    """Turns {WORDS} into a draw from the {SHAPE} distribution{PLACED}."""
    n = c.size()
    WORDS = c.meaning("random words", "the low bits of words", "a word and its index", "two words")
    SHAPE = c.meaning("uniform", "triangular", "exponential", "Weibull", "Pareto", "logistic")
    if SHAPE in ("uniform", "triangular"):
        PLACED = c.meaning("", ", between two bounds")
    else:
        PLACED = c.meaning("", ", with a scale of its own")
    if PLACED != ", between two bounds":
        c.names({"kernel": "shape_draws sample_distribution draw_samples"})
    RATE, POWER, SPREAD = c.constant(0.5, 2.0), c.constant(1.5, 3.0), c.constant(0.5, 2.0)

    def unit(word: int) -> float:
        """A number between 0 and 1, neither of them reached."""
        return (float(word) + 0.5) / 65536.0

    def shaped(u: float) -> float:
        if SHAPE == "triangular":
            return wp.where(u < 0.5, wp.sqrt(0.5 * u), 1.0 - wp.sqrt(0.5 * (1.0 - u)))
        elif SHAPE == "exponential":
            return -wp.log(u) / RATE
        elif SHAPE == "Weibull":
            return wp.pow(-wp.log(u), 1.0 / POWER)
        elif SHAPE == "Pareto":
            return wp.pow(u, -1.0 / POWER)
        elif SHAPE == "logistic":
            return SPREAD * wp.log(u / (1.0 - u))
        else:
            return u

    @c.kernel(n)
    def kernel(
        seeds: wp.array[int] = given(n, low=500, high=65000),
        others: wp.array[int] = given(n, low=500, high=65000),
        lows: wp.array[float] = given(n, low=-2.0, high=0.0),
        highs: wp.array[float] = given(n, low=0.5, high=4.0),
        scales: wp.array[float] = given(n, low=0.5, high=4.0),
        out: wp.array[float] = result(n),
    ):
        i = wp.tid()
        if WORDS == "the low bits of words":
            u = (float(seeds[i] & 1023) + 0.5) / 1024.0
        elif WORDS == "a word and its index":
            # neighbours are to have nothing in common
            u = unit((seeds[i] + 4057 * i) & 65535)
        elif WORDS == "two words":
            u = unit(seeds[i] ^ (others[i] >> 3))
        else:
            u = unit(seeds[i])
        if PLACED == ", between two bounds":
            out[i] = lows[i] + (highs[i] - lows[i]) * shaped(u)
        elif PLACED:
            out[i] = scales[i] * shaped(u)
        else:
            out[i] = shaped(u)


@idiom(
    level=2,
    names={
        "digits": "digits numbers codes",
        "total": "total weighted sum_of_digits",
        "check": "check last control",
        "out": "out checks results",
        "row": "row tid i",
        "kernel": "check_digits control_digits verify_codes",
    },
)
def check_digit(c):
    """The check digit of {CODE} by {WEIGHTS}, {REST}{GIVEN}."""
    n, places = c.size(), 4
    CODE = c.meaning("a row of four digits", "a number of four digits")
    WEIGHTS = c.meaning("Luhn doubling", "alternating weights", "given weights", "powers of a base")
    REST = c.meaning("modulo 10", "as the complement to 10", "modulo 11")
    GIVEN = c.meaning("", ", counted over all", ", as the difference from the stated one")

    def doubled(digit: int) -> int:
        """Twice a digit, with its own digits summed."""
        return 2 * digit % 10 + 2 * digit // 10

    @c.kernel(n)
    def kernel(
        digits: wp.array2d[int] = given(n, places, low=0, high=9),
        numbers: wp.array[int] = given(n, low=1000, high=9999),
        weights: wp.vec4i = given(low=1, high=9),
        base: int = given(low=2, high=9),
        stated: wp.array[int] = given(n, low=0, high=4),
        counts: wp.array[int] = result(11),
        out: wp.array[int] = result(n),
    ):
        row = wp.tid()
        if CODE == "a row of four digits":
            a, b = digits[row, 0], digits[row, 1]
            e, f = digits[row, 2], digits[row, 3]
        else:
            number = numbers[row]
            a, b = number // 1000, number // 100 % 10
            e, f = number // 10 % 10, number % 10
        if WEIGHTS == "Luhn doubling":
            total = a + doubled(b) + e + doubled(f)
        elif WEIGHTS == "alternating weights":
            total = a + e + 3 * (b + f)
        elif WEIGHTS == "given weights":
            total = weights[0] * a + weights[1] * b + weights[2] * e + weights[3] * f
        else:
            total = ((a * base + b) * base + e) * base + f
        if REST == "modulo 11":
            check = total % 11
        elif REST == "as the complement to 10":
            # a whole ten misses nothing
            check = (10 - total % 10) % 10
        else:
            check = total % 10
        if GIVEN == ", counted over all":
            wp.atomic_add(counts, check, 1)
        elif GIVEN == ", as the difference from the stated one":
            out[row] = check - stated[row]
        else:
            out[row] = check
