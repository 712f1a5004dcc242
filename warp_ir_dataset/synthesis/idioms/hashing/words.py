"""Bits of words: mixed and packed."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


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
    """Scrambles {SOURCE} by {MIXER} and {GIVEN}.

    {PURPOSE}. Mix {INPUT}. {STEPS} {GIVE}
    """
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

    PURPOSE = {
        "gives a slot": "Hash keys to slots", "gives a fraction of one": "Hash keys to fractions in [0, 1)",
        "gives a random sign": "Hash keys to random signs",
        "flags a share of them": "Flag a share of keys by a hash",
        "gives a direction in the plane": "Hash keys to directions in the plane",
    }[GIVEN]  # fmt: skip
    INPUT = {
        "each key": "the 16 bits of each entry of {keys} to a hash h",
        "keys under a seed": "`{keys}[k]` XOR {seed} for each k, 16 bits, to a hash h",
        "pairs of keys": "the 16 bits of `{keys}[k]`, and mix the result XOR `{others}[k]` once more, "
        "to a hash h",
        "keys and their indices": "the lower 16 bits (65535) of `{keys}[k]` + 977·k for each k to a hash h",
    }[SOURCE]
    STEPS = {
        "multiplying and folding": "To mix v, multiply v XOR (v >> 8) by {FACTOR} and keep the lower "
        "16 bits of it (65535), giving a; multiply a XOR (a >> 7) by "
        "{FACTOR} and keep the lower 16 bits, giving b; the result is b "
        "XOR (b >> 8).",
        "shifting, adding and folding": "To mix v, do this for (i, j) = (5, 6), (3, 8) and (7, 8) in "
        "turn: take v + (v << i), cut it to 16 bits (65535), and XOR "
        "the result with itself shifted right by j.",
        "rotating and adding": "To mix v, do this three times: let w be v with its two bytes exchanged "
        "(rotated by 8 bits), and replace v by w + (w << 5) + {FACTOR}, cut to 16 bits (65535).",
        "squaring halves": "To mix v, let a be its upper byte and b its lower one, and s(c) = ((c + "
        "{FACTOR})² >> 8) cut to 8 bits (255). Replace a by a XOR s(b), then b by "
        "b XOR s(a), then a by a XOR s(b), then b by b XOR s(a); the result is a "
        "<< 8 with b below it.",
    }[MIXER]
    GIVE = {
        "gives a slot": "{out} is h mod {SLOTS}.",
        "gives a fraction of one": "{out} is h / 65536.",
        "gives a random sign": "{out} is 1 if h is odd, otherwise -1.",
        "gives a direction in the plane": "{out} is the unit vector at angle 2·π·h / 65536 from "
        "the x axis towards y.",
        "flags a share of them": "{out} is 1 if h < {SHARE} · 65536, otherwise 0.",
    }[GIVEN]

    @c.kernel(n)
    def kernel(
        keys: wp.array[int] = input(n, low=0, high=65535),
        others: wp.array[int] = input(n, low=0, high=65535),
        seed: int = input(low=1, high=65535),
        out: wp.array[
            wp.vec2
            if GIVEN == "gives a direction in the plane"
            else float
            if GIVEN in ("gives a fraction of one", "gives a random sign")
            else int
        ] = output(n),
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
    """{ACTION} of {LAYOUT} bits, coded {CODED}{GIVEN}.

    {PURPOSE}. A word has {DEPTHS}. {CODE} {DO} {LUMA}
    """
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

    PURPOSE = {
        "Packs colours into words": "Pack colours into words", "Unpacks words": "Unpack the colours of words",
        "Sets the green of words": "Replace the green of packed colours",
        "Raises the contrast of words": "Raise the contrast of packed colours",
    }[ACTION]  # fmt: skip
    DEPTHS = "red in bits 5 to 7, green in bits 2 to 4 and blue in bits 0 and 1"
    if LAYOUT == "4-4-4":
        DEPTHS = "red in bits 8 to 11, green in bits 4 to 7 and blue in bits 0 to 3"
    MOSTS = "The largest code m of a channel is " + ("15." if LAYOUT == "4-4-4" else "7, 7 or 3.")
    ENCODE, DECODE = {
        "linearly": ("⌊c·m + ½⌋ after c was clamped to [0, 1]", "j / m"),
        "with finer steps in the dark": (
            "⌊m · c · (1 + {BEND}) / (1 + {BEND} · c) + ½⌋ after c was clamped to [0, 1]",
            "t / (1 + {BEND} · (1 - t)), where t = j / m",
        ),
        "in equal bins": ("⌊c · (m + 1)⌋, clamped to [0, m]", "the middle of its bin, (j + ½) / (m + 1)"),
    }[CODED]
    ENCODES = ACTION != "Unpacks words"
    DECODES = ACTION == "Unpacks words" or "contrast" in ACTION or ("green" in ACTION and GIVEN)
    CODE = "{MOSTS}"
    if ENCODES:
        CODE += " The code of a channel's value c is {ENCODE}."
    if DECODES:
        CODE += " The value of a code j is {DECODE}."
    DO = {
        "Packs colours into words": "Write the word of each colour of {colours} to {words}.",
        "Unpacks words": "Write the colour of each word of {words} to {out}.",
        "Sets the green of words": "Replace the green bits of {words} by the code of {levels}, in "
        "place; the other bits (mask {OTHERS}) stay.",
        "Raises the contrast of words": "Unpack {words}, move each colour away from {middle}, to "
        "{middle} + {CONTRAST} · (colour - {middle}), and pack it in "
        "place.",
    }[ACTION]
    LUMA = ""
    if GIVEN:
        OF = {
            "Packs colours into words": "the colour as it was given", "Unpacks words": "the colour",
        }.get(ACTION, "the colour that the new word stands for")  # fmt: skip
        LUMA = "{brightness} is the luminance 0.299·r + 0.587·g + 0.114·b of {OF}."

    @c.kernel(n)
    def kernel(
        colours: wp.array[wp.vec3] = input(n, low=-0.1, high=1.2),
        levels: wp.array[float] = input(n, low=-0.1, high=1.2),
        middle: wp.vec3 = input(low=0.3, high=0.7),
        words: wp.array[int] = (
            output(n)
            if ACTION == "Packs colours into words"
            else input(n, low=0, high=WORDS)
            if ACTION == "Unpacks words"
            else inout(n, low=0, high=WORDS)
        ),
        out: wp.array[wp.vec3] = output(n),
        brightness: wp.array[float] = output(n),
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
