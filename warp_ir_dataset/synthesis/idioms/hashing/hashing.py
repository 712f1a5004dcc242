"""Bits of whole numbers: codes, counts, checksums, hashes and hash tables."""

from __future__ import annotations

from ...templates.template import idiom, inout, input, output, wp


@idiom(
    level=3,
    names={
        "points": "points positions particles",
        "codes": "codes keys out",
        "cell": "cell quantised grid_cell",
        "bits": "bits b spread_bits",
        "kernel": "encode_cells cell_codes spatial_keys",
        "tid": "tid i p",
    },
)
def morton_code(c):
    """The {CODE} of each {SOURCE}{BITS}{RETURNED}.

    Give each {THING} in {dimensions} dimensions {A_CODE}. {CELLS} {FORMULA} {KEY} Write it to {codes}.
    """
    n = c.size()
    DIM = c.meaning(2, 3)
    SOURCE = c.meaning("point clamped to the unit box", "cell of a grid", "point of the periodic unit box")
    CODE = c.meaning("Morton code", "Gray-coded Morton code", "row-major index", "index by bricks")
    BITS = c.meaning(", its bits spread by masks", ", spread bit by bit")
    RETURNED = c.meaning("", ", with its own index in the low 16 bits")
    c.once("ends of the domain", "periodic" in SOURCE)
    SIDE, WIDTH = (8, 3) if DIM == 3 and "bit by bit" in BITS else (32, 5)
    Vec = c.vec(DIM)
    if CODE in ("row-major index", "index by bricks"):
        BITS = ""
    if "Morton" not in CODE:
        c.names({"kernel": "encode_cells cell_codes"})

    def spread(x: wp.uint32) -> wp.uint32:
        """Leaves room for the other coordinates between the bits of one."""
        if BITS == ", spread bit by bit":
            bits = wp.uint32(0)
            for k in range(WIDTH):
                bits = bits | (((x >> wp.uint32(k)) & wp.uint32(1)) << wp.uint32(DIM * k))
            return bits
        elif DIM == 2:
            bits = (x | (x << wp.uint32(4))) & wp.uint32(0x0F0F)
            bits = (bits | (bits << wp.uint32(2))) & wp.uint32(0x3333)
            return (bits | (bits << wp.uint32(1))) & wp.uint32(0x5555)
        else:
            bits = (x | (x << wp.uint32(8))) & wp.uint32(0xF00F)
            bits = (bits | (bits << wp.uint32(4))) & wp.uint32(0xC30C3)
            return (bits | (bits << wp.uint32(2))) & wp.uint32(0x249249)

    def cell_of(p: float) -> wp.uint32:
        """The cell of one coordinate."""
        if SOURCE == "point of the periodic unit box":
            # what is left of a coordinate may be rounded up to one
            return wp.uint32(wp.clamp(int((p - wp.floor(p)) * float(SIDE)), 0, SIDE - 1))
        else:
            return wp.uint32(wp.clamp(int(p * float(SIDE)), 0, SIDE - 1))

    def gray(x: wp.uint32) -> wp.uint32:
        """The Gray code, of which neighbours differ in one bit."""
        return x ^ (x >> wp.uint32(1))

    def joined(x: wp.uint32, y: wp.uint32) -> wp.uint32:
        """One number for two coordinates of a cell."""
        if CODE == "row-major index":
            return y * wp.uint32(SIDE) + x
        elif CODE == "index by bricks":
            # bricks of four by four, and the cells of each, row by row
            brick = (y >> wp.uint32(2)) * wp.uint32(SIDE // 4) + (x >> wp.uint32(2))
            return brick * wp.uint32(16) + (y & wp.uint32(3)) * wp.uint32(4) + (x & wp.uint32(3))
        elif CODE == "Gray-coded Morton code":
            return spread(gray(x)) | (spread(gray(y)) << wp.uint32(1))
        else:
            return spread(x) | (spread(y) << wp.uint32(1))

    THING = "cell of a grid" if SOURCE == "cell of a grid" else "point"
    dimensions = "three" if DIM == 3 else "two"
    COORDINATES = "x, y and z" if DIM == 3 else "x and y"
    A_CODE = "an " + CODE if CODE[0] in "aei" else "a " + CODE
    HELD = f"The coordinates {COORDINATES} of a cell, from 0 to {SIDE - 1}, are its row of {{cells}}."
    if SOURCE != "cell of a grid":
        UNIT = "the unit box" if "clamped" in SOURCE else "the periodic unit box"
        HELD = (
            f"{UNIT.capitalize()} has {SIDE} cells along each axis. The cell of a point of "
            f"{{points}} has the coordinates "
        )
        HELD = (
            f"{UNIT.capitalize()} has {SIDE} cells along each axis. The cell of a point of "
            f"{{points}} has the coordinates "
        )
        HELD += f"{COORDINATES}, each {SIDE} times the point's one"
        if "clamped" in SOURCE:
            HELD += f", cut to a whole number towards zero and clamped to [0, {SIDE - 1}]."
        else:
            HELD += f" less its floor, cut to a whole number, at most {SIDE - 1}."
    CELLS = "{HELD}"
    GRAY = " of their Gray codes, c XOR ⌊c / 2⌋ for a coordinate c" if "Gray" in CODE else ""
    if CODE == "row-major index":
        FORMULA = f"The index is y·{SIDE} + x" + (f", plus z·{SIDE * SIDE}." if DIM == 3 else ".")
    elif CODE == "index by bricks":
        FORMULA = (
            f"{'In each layer z, b' if DIM == 3 else 'B'}ricks of 4 × 4 cells are numbered row by "
            "row, x first, with "
        )
        FORMULA += (
            f"{SIDE // 4} bricks to a row; so are the cells of a brick. The index is 16 times the "
            "number of the brick "
        )
        FORMULA += "plus the number of the cell in it"
        FORMULA += f", plus z·{SIDE * SIDE}." if DIM == 3 else "."
    else:
        FORMULA = f"The code interleaves the bits{GRAY}, "
        if DIM == 3:
            FORMULA += "x lowest: bit k of x, y and z is bit 3·k, 3·k + 1 and 3·k + 2 of the code. "
        else:
            FORMULA += "x lowest: bit k of x and y is bit 2·k and 2·k + 1 of the code. "
        if "masks" in BITS and DIM == 2:
            FORMULA += (
                "Spread the bits of a coordinate by shifts of 4, 2 and 1 and the masks 0x0F0F "
                "(3855), 0x3333 (13107) and "
            )
            FORMULA += "0x5555 (21845)."
        elif "masks" in BITS:
            FORMULA += (
                "Spread the bits of a coordinate by shifts of 8, 4 and 2 and the masks 0xF00F "
                "(61455), 0xC30C3 (798915) and "
            )
            FORMULA += "0x249249 (2396745)."
        else:
            FORMULA += f"Spread the {WIDTH} bits of a coordinate one by one."
    KEY = "So that keys are unique, multiply it by 65536 and add the item's own index."
    KEY = KEY if RETURNED else ""

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = input(n, low=-0.6, high=1.6, of="position"),
        cells: wp.array2d[wp.uint32] = input(n, DIM, low=0, high=SIDE - 1),
        codes: wp.array[wp.uint32] = output(n, of="code"),
    ):
        tid = wp.tid()
        if SOURCE == "cell of a grid":
            x = cells[tid, 0]
            y = cells[tid, 1]
            if DIM == 3:
                z = cells[tid, 2]
        else:
            p = points[tid]
            x = cell_of(p[0])
            y = cell_of(p[1])
            if DIM == 3:
                z = cell_of(p[2])
        if DIM == 3:
            if CODE == "row-major index" or CODE == "index by bricks":
                code = z * wp.uint32(SIDE * SIDE) + joined(x, y)
            elif CODE == "Gray-coded Morton code":
                code = joined(x, y) | (spread(gray(z)) << wp.uint32(2))
            else:
                code = joined(x, y) | (spread(z) << wp.uint32(2))
        else:
            code = joined(x, y)
        if RETURNED:
            # so that no two keys are the same
            codes[tid] = code * wp.uint32(65536) + wp.uint32(tid)
        else:
            codes[tid] = code


@idiom(
    level=2,
    differentiable=False,
    names={
        "words": "words x values masks",
        "others": "others y partner_words",
        "out": "out counts result",
        "word": "word w v",
        "count": "count total ones",
    },
)
def bit_tricks(c):
    """The {WANTED} of {OF}, found by {METHOD}{NONE}.

    For each word k, find the {FOUND} of {BITS_OF}, by {METHOD}. {CASES} Write it to {out}.
    """
    n = c.size()
    WANTED = c.meaning(
        "number of set bits",
        "parity",
        "position of the top bit",
        "number of bit changes (from a leading zero)",
    )
    METHOD = c.meaning(
        "clearing the lowest set bit in turn", "shifting bit by bit", "adding neighbouring fields"
    )
    OF = c.meaning("each word", "each word XOR its partner", "each word AND its partner", "each masked word")
    if WANTED == "position of the top bit":
        METHOD = c.meaning("shifting bit by bit", "halving the width", "comparing with powers of two")
    NONE = ", or -1 where no bit is set" if WANTED == "position of the top bit" else ""
    if METHOD == "halving the width" and OF in ("each word", "each word XOR its partner"):
        NONE = ""
    c.names(
        {
            "number of set bits": {"kernel": "count_bits population_count"},
            "parity": {"kernel": "word_parity parity_bits", "out": "out parity result"},
            "position of the top bit": {
                "kernel": "top_bits find_top_bit",
                "count": "place position top",
                "out": "out positions result",
            },
            "number of bit changes (from a leading zero)": {
                "kernel": "count_changes bit_changes",
                "out": "out changes result",
            },
        }[WANTED]
    )
    FOUND = {
        "number of set bits": "number of set bits",
        "parity": "parity, 1 if the number of set bits is odd and 0 otherwise,",
        "position of the top bit": "position of the highest set bit",
        "number of bit changes (from a leading zero)": "number of changes between neighbouring bits, "
        "a 0 standing before the highest bit,",
    }[WANTED]
    BITS_OF = {
        "each word": "`{words}[k]`", "each word XOR its partner": "`{words}[k]` XOR `{others}[k]`",
        "each word AND its partner": "`{words}[k]` AND `{others}[k]`",
        "each masked word": "`{words}[k]` AND {mask}",
    }[OF]  # fmt: skip
    CASES = "Words have 16 bits."
    if METHOD == "adding neighbouring fields":
        CASES = (
            "Words have 16 bits; fields are 1, 2, 4 and 8 bits wide, with the masks 0x5555 "
            "(21845), 0x3333 (13107), 0x0F0F (3855) and 0x00FF (255)."
        )
    if WANTED == "position of the top bit":
        CASES += " The lowest bit has position 0."
        CASES += " The result is -1 if no bit is set." if METHOD != "halving the width" or NONE else ""
        if METHOD == "halving the width" and OF == "each word XOR its partner":
            CASES += " It is 0 also if no bit is set."
        CASES += " The widths are 8, 4, 2 and 1." if METHOD == "halving the width" else ""

    @c.kernel(n)
    def kernel(
        words: wp.array[int] = input(n, low=1, high=65535, of="code"),
        others: wp.array[int] = input(n, low=1, high=65535),
        mask: int = input(low=255, high=65535),
        out: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        if OF == "each word XOR its partner":
            word = words[tid] ^ others[tid]
        elif OF == "each word AND its partner":
            word = words[tid] & others[tid]
        elif OF == "each masked word":
            word = words[tid] & mask
        else:
            word = words[tid]
        if WANTED == "number of bit changes (from a leading zero)":
            word = word ^ (word >> 1)
        if METHOD != "adding neighbouring fields":
            if METHOD == "halving the width":
                # a word without bits has no top one
                count = wp.where(word == 0, -1, 0) if NONE else int(0)
            else:
                count = int(-1 if WANTED == "position of the top bit" else 0)
        if METHOD == "clearing the lowest set bit in turn":
            while word != 0:
                # the lowest set bit goes
                word = word & (word - 1)
                count += 1
        elif METHOD == "adding neighbouring fields":
            word = (word & 0x5555) + ((word >> 1) & 0x5555)
            word = (word & 0x3333) + ((word >> 2) & 0x3333)
            word = (word & 0x0F0F) + ((word >> 4) & 0x0F0F)
            count = (word & 0x00FF) + (word >> 8)
        elif METHOD == "halving the width":
            for step in (8, 4, 2, 1):
                if word >> step > 0:
                    word = word >> step
                    count += step
        elif METHOD == "comparing with powers of two":
            power = int(1)
            while power <= word:
                power = power * 2
                count += 1
        else:
            if WANTED == "position of the top bit":
                while word > 0:
                    word = word >> 1
                    count += 1
            else:
                while word > 0:
                    count += word & 1
                    word = word >> 1
        if WANTED == "parity":
            out[tid] = count % 2
        else:
            out[tid] = count


@idiom(
    level=4,
    differentiable=False,
    names={
        "keys": "keys items elements",
        "filter": "filter_bytes bitmap filter_bits",
        "place": "place position index",
        "h": "h hashed digest",
        "out": "out hits present",
        "word": "byte at",
        "kernel": "bloom_step probe_filter",
    },
)
def bloom_filter_probe(c):
    """{ACTION} in a {LAYOUT} by {PROBES}, mixing with {HASH}.

    {PURPOSE}. All numbers are unsigned. The hash h(s) of a key with the salt s starts with the lower 16 bits
    of key + 977·s (65535 is their mask); {MIX}

    Probe k, counted from 0 to {probes} - 1, has the place {PLACE}. {BIT} {RESULT}
    """
    n, words = c.size(), c.size(4, 7)
    ACTION = c.meaning("Sets flags of keys", "Tallies keys", "Looks keys up", "Counts matching bits of keys")
    PROBES = c.meaning("double hashing", "a hash for each bit", "shifts of one hash")
    HASH = c.meaning("multiplication", "xor and shift", "the middle of the square")
    if ACTION == "Tallies keys":
        LAYOUT = "counting Bloom filter"
        c.names({"filter": "counters filter_counts tallies", "word": "counter at"})
    else:
        LAYOUT = c.meaning("Bloom filter", "blocked Bloom filter")
    ADDS = ACTION in ("Sets flags of keys", "Tallies keys")
    if ADDS:
        c.names({"kernel": "add_keys fill_filter bloom_insert"})
    elif ACTION != "Looks keys up":
        c.names({"out": "out matches bits_found"})
    if ACTION == "Sets flags of keys":
        c.names({"filter": "flags filter_flags present", "word": "flag at"})
        # a block is eight flags
        words = 8 * c.count(2, 3)
    MULTIPLIER = c.count(20000, 30000) * 2 + 1

    def mixed(key: wp.uint32, salt: wp.uint32) -> wp.uint32:
        """A hash of 16 bits."""
        h = (key + salt * wp.uint32(977)) & wp.uint32(0xFFFF)
        if HASH == "multiplication":
            h = (h * wp.uint32(MULTIPLIER)) & wp.uint32(0xFFFF)
            return h ^ (h >> wp.uint32(8))
        elif HASH == "xor and shift":
            h = h ^ ((h << wp.uint32(7)) & wp.uint32(0xFFFF))
            h = h ^ (h >> wp.uint32(5))
            return h ^ ((h << wp.uint32(3)) & wp.uint32(0xFFFF))
        else:
            return ((h * h) >> wp.uint32(8)) & wp.uint32(0xFFFF)

    PURPOSE = {
        "Sets flags of keys": "Add keys to a {LAYOUT} of flags", "Tallies keys": "Add keys to a {LAYOUT}",
        "Looks keys up": "Look keys up in a {LAYOUT}",
        "Counts matching bits of keys": "Probe a {LAYOUT} for keys",
    }[ACTION] + ", by {PROBES}"  # fmt: skip
    MIX = {
        "multiplication": "this is multiplied by {MULTIPLIER} and cut to 16 bits, giving m, and h(s) "
        "is m XOR (m >> 8).",
        "xor and shift": "it takes three steps, v to v XOR (v << 7), v XOR (v >> 5) and v XOR (v << "
        "3), each cut to 16 bits.",
        "the middle of the square": "h(s) is the middle of its square, (square >> 8) cut to 16 bits.",
    }[HASH]
    PLACE = {
        "double hashing": "h(1) + k · (h(2) OR 1)",
        "a hash for each bit": "h(k + 3)",
        "shifts of one hash": "h(1) >> (2·k)",
    }[PROBES]  # fmt: skip
    COUNT = "the number of entries of {filter}"
    if ADDS:
        BIT = f"The probe falls on the entry place mod {COUNT}."
        if "blocked" in LAYOUT:
            BIT = (
                "All flags of a key lie in one block of 8 entries, block h(9) mod (1/8 of "
                f"{COUNT}); the probe falls on entry "
            )
            BIT += "place mod 8 (AND 7) of the block."
        RESULT = "Each probe adds 1 to its entry of {filter}."
        if ACTION == "Sets flags of keys":
            RESULT = "The entry's lowest bit is set to 1 by OR."
        RESULT += " The keys are in {keys}."
    else:
        BIT = (
            "The probe falls on bit place mod 8 (AND 7), 0 being the lowest, of byte (place >> 3) mod "
            f"{COUNT}."
        )
        if "blocked" in LAYOUT:
            BIT = (
                f"All bits of a key lie in byte h(9) mod {COUNT}; the probe falls on bit place mod "
                "8 (AND 7) of it, 0 being the lowest."
            )
        RESULT = "For each key of {keys}, {out} is the number of probes that find a 1."
        if ACTION == "Looks keys up":
            RESULT = "For each key of {keys}, {out} is 1 if all probes find a 1, otherwise 0."

    @c.kernel(n)
    def kernel(
        keys: wp.array[wp.uint32] = input(n, low=0, high=50000, of="code"),
        filter: wp.array[wp.uint32 if ADDS else wp.uint8] = (
            inout(words, low=0, high=1 if ACTION == "Sets flags of keys" else 30)
            if ADDS
            else input(words, low=0, high=255)
        ),
        probes: int = input(low=2, high=4),
        out: wp.array[int] = output(n),
    ):
        tid = wp.tid()
        key = keys[tid]
        if PROBES != "a hash for each bit":
            h = mixed(key, wp.uint32(1))
        if LAYOUT == "blocked Bloom filter":
            if ADDS:
                # all flags of a key lie in one stretch of eight
                block = int(mixed(key, wp.uint32(9)) % wp.uint32(filter.shape[0] // 8))
            else:
                # all bits of a key lie in one byte
                word = int(mixed(key, wp.uint32(9)) % wp.uint32(filter.shape[0]))
        if PROBES == "double hashing":
            stride = mixed(key, wp.uint32(2)) | wp.uint32(1)
        if not ADDS:
            found = int(0)
        for k in range(probes):
            if PROBES == "double hashing":
                place = h + wp.uint32(k) * stride
            elif PROBES == "a hash for each bit":
                place = mixed(key, wp.uint32(k + 3))
            else:
                place = h >> wp.uint32(2 * k)
            if ADDS:
                if LAYOUT == "blocked Bloom filter":
                    word = 8 * block + int(place & wp.uint32(7))
                else:
                    word = int(place % wp.uint32(filter.shape[0]))
                if ACTION == "Tallies keys":
                    wp.atomic_add(filter, word, wp.uint32(1))
                else:
                    wp.atomic_or(filter, word, wp.uint32(1))
            else:
                if LAYOUT == "Bloom filter":
                    word = int((place >> wp.uint32(3)) % wp.uint32(filter.shape[0]))
                if (wp.uint32(filter[word]) >> (place & wp.uint32(7))) & wp.uint32(1) == wp.uint32(1):
                    found += 1
        if ACTION == "Looks keys up":
            out[tid] = wp.where(found == probes, 1, 0)
        elif ACTION == "Counts matching bits of keys":
            out[tid] = found
