"""Hash tables, checksums and streams of pseudo-random numbers."""

from __future__ import annotations

from ...templates.choices import ChosenConstant
from ...templates.template import idiom, input, output, wp


@idiom(
    level=5,
    differentiable=False,
    names={
        "keys": "keys items ids",
        "table": "table slot_keys table_keys",
        "slot": "slot place bucket",
        "probe": "probe attempt step",
        "room": "room capacity",
        "kernel": "insert_keys build_table",
        "before": "before previous occupant",
    },
)
def hash_table_insert(c):
    """Inserts {KEYS} into a hash table with {PROBING}, hashed by {HASH}, and {STORED}{REPORT}.

    Insert {KEYS} into a hash table of R slots. {table} holds a key for each slot, 0 at the start, which means
    empty. {KEY} Look for its slot by {PROBING}: attempt t, from 0 up to R - 1, tries slot {PLACE}, where home
    = {HOME} mod R. The first slot that holds the key already or is empty is taken; an empty one gets the key,
    atomically (compare-and-swap), since others insert at the same time. {STORE}{TOLD}
    """
    n = c.size(7, 10)
    KEYS = c.meaning("keys", "pairs of numbers", "the cells of points")
    PROBING = c.meaning("linear probing", "quadratic probing", "double hashing")
    HASH = c.meaning("multiplication", "remainder", "shift and xor")
    # Probing ends in every place: nobody is turned away who came first in another order of threads.
    places = {"quadratic probing": 16, "double hashing": 13}.get(PROBING, c.size(11, 14))
    STORED = c.meaning(
        "sums the values of each key", "counts how often each comes", "keeps the largest value of each key"
    )
    REPORT = c.meaning("", ", flagging what is new", ", counting the distinct ones")

    def key_of(a: int, b: int) -> int:
        """One key for two numbers, never zero."""
        return 1 + a + 97 * b

    def home_of(key: int, room: int) -> int:
        """The slot where a key is looked for first."""
        if HASH == "multiplication":
            # the upper bits of the product are the well mixed ones
            return (((key * 20251) & 32767) >> 5) % room
        elif HASH == "shift and xor":
            return ((key ^ (key >> 5) ^ (key << 3)) & 32767) % room
        else:
            return key % room

    def probed(key: int, probe: int, room: int) -> int:
        """The slot of a key at an attempt."""
        home = home_of(key, room)
        if PROBING == "quadratic probing":
            # triangular steps reach every slot of a table whose size is a power of two
            return (home + probe * (probe + 1) // 2) % room
        elif PROBING == "double hashing":
            # every stride reaches every slot of a table whose size is prime
            stride = 1 + key % (room - 1)
            return (home + probe * stride) % room
        else:
            return (home + probe) % room

    CODE = "The key of item k is 1 + a + 97·b, "
    KEY = {
        "keys": "The key of item k is `{keys}[k]`.",
        "pairs of numbers": CODE + "where a and b are `{pairs}[k, 0]` and `{pairs}[k, 1]`.",
        "the cells of points": CODE
        + ("where a and b are the coordinates of `{points}[k]`, truncated to integers."),
    }[KEYS]
    PLACE = {
        "linear probing": "(home + t) mod R",
        "quadratic probing": "(home + t·(t + 1) / 2) mod R",
        "double hashing": "(home + t·(1 + key mod (R - 1))) mod R",
    }[PROBING]
    HOME = {
        "multiplication": "((key·20251 & 32767) >> 5)",
        "remainder": "key",
        "shift and xor": "((key ^ (key >> 5) ^ (key << 3)) & 32767)",
    }[HASH]
    STORE = {
        "sums the values of each key": "Add `{values}[k]` to {sums} at its slot.",
        "counts how often each comes": "{counts} gets the number of items in each slot.",
        "keeps the largest value of each key": (
            "{largest} gets the largest of `{values}[k]` in each slot; it starts at 0, and all values "
            "are positive."
        ),
    }[STORED]
    TOLD = ""
    if REPORT == ", flagging what is new":
        TOLD = " `{fresh}[k]` becomes 1 if the slot was empty before, and stays 0 otherwise."
    elif REPORT:
        TOLD = " Count the slots that were empty before in {distinct}."

    @c.kernel(n)
    def kernel(
        keys: wp.array[int] = input(n, low=1, high=24, of="code"),
        pairs: wp.array2d[int] = input(n, 2, low=0, high=3),
        points: wp.array[wp.vec2] = input(n, low=0.0, high=4.0),
        values: wp.array[float] = input(n, low=0.2, high=2.0),
        table: wp.array[int] = output(places),
        sums: wp.array[float] = output(places),
        counts: wp.array[int] = output(places),
        largest: wp.array[float] = output(places),
        fresh: wp.array[int] = output(n),
        distinct: wp.array[int] = output(1),
    ):
        tid = wp.tid()
        if KEYS == "keys":
            key = keys[tid]
        elif KEYS == "pairs of numbers":
            key = key_of(pairs[tid, 0], pairs[tid, 1])
        else:
            p = points[tid]
            key = key_of(int(p[0]), int(p[1]))
        room = table.shape[0]
        slot = int(0)
        probe = int(0)
        while probe < room:
            slot = probed(key, probe, room)
            # an empty slot holds zero
            before = wp.atomic_cas(table, slot, 0, key)
            if before == 0 or before == key:
                if REPORT == ", flagging what is new":
                    if before == 0:
                        fresh[tid] = 1
                elif REPORT:
                    if before == 0:
                        wp.atomic_add(distinct, 0, 1)
                break
            probe += 1
        if STORED == "sums the values of each key":
            wp.atomic_add(sums, slot, values[tid])
        elif STORED == "counts how often each comes":
            wp.atomic_add(counts, slot, 1)
        else:
            wp.atomic_max(largest, slot, values[tid])


@idiom(
    level=4,
    differentiable=False,
    names={
        "data": "data message bytes_in",
        "row": "row tid message_id",
        "out": "out checksums digests",
        "check": "check state checksum",
        "kernel": "checksum_rows digest_rows",
    },
)
def checksum_of_rows(c):
    """The {CHECK} checksum{BEGUN} of each row of {DATA}{SPAN}{FINAL}.

    Compute the {CHECK} checksum of the bytes in each row of {data}. {BYTES} {ALGORITHM} {RESULT}
    """
    rows, width = c.size(5, 8), c.size(5, 8)
    CHECK = c.meaning("Adler-style", "Fletcher-16", "CRC-8", "CRC-16", "FNV-1a-style", "XOR")
    DATA = c.meaning("bytes", "the low bytes of words", "values rounded to bytes")
    SPAN = c.meaning("", " up to its length", " up to the first zero byte")
    FINAL = c.meaning("", ", complemented", ", XORed with the expected one so that zero means a match")
    if "expected" in FINAL:
        c.names({"kernel": "verify_rows compare_checksums", "out": "out mismatches differences"})
    # those in use; with eight bits, 0x07 and 0xD5 begin with zeros
    DIVISOR = 0x1021 if CHECK == "CRC-16" else c.style(0x07, 0x1D, 0x2F, 0x31, 0x9B, 0xD5)
    POLYNOMIAL = ChosenConstant(DIVISOR, DIVISOR, DIVISOR, 1)
    ROUNDED = DATA == "values rounded to bytes"
    LOWEST, HIGHEST = {"bytes": (0, 255), "the low bytes of words": (0, 9999)}.get(DATA, (-30, 300))
    if SPAN == " up to the first zero byte" and not ROUNDED:
        # so that zeros are frequent
        LOWEST, HIGHEST = (0, 24) if DATA == "bytes" else (500, 524)
    wide = CHECK in ("Adler-style", "Fletcher-16", "CRC-16", "FNV-1a-style")

    START = {"CRC-16": 65535, "FNV-1a-style": 40389}.get(CHECK, 0)
    if CHECK == "CRC-8" and DIVISOR not in (0x07, 0xD5):
        START = 255
    BEGUN = (", begun with all ones," if START else ", begun with zero,") if CHECK[:3] == "CRC" else ""

    def absorbed(check: int, byte: int) -> int:
        """The state after one more byte."""
        if CHECK == "CRC-8":
            state = check ^ byte
            bits = int(8)
            while bits > 0:
                # where a one leaves at the top, the polynomial is subtracted modulo two
                state = ((state << 1) & 255) ^ ((state >> 7) * POLYNOMIAL)
                bits -= 1
            return state
        elif CHECK == "CRC-16":
            state = check ^ (byte << 8)
            bits = int(8)
            while bits > 0:
                leaving = state & 32768
                state = (state << 1) & 65535
                # where a one left at the top, the polynomial is subtracted modulo two
                if leaving != 0:
                    state = state ^ POLYNOMIAL
                bits -= 1
            return state
        elif CHECK == "FNV-1a-style":
            return ((check ^ byte) * 403) & 65535
        else:
            return check ^ byte

    BYTES = {
        "bytes": "Each entry is a byte",
        "the low bytes of words": "The byte of an entry is its lowest eight bits (& 255)",
        "values rounded to bytes": (
            "The byte of an entry is its value, rounded (halves away from 0) and clamped to 0 … 255"
        ),
    }[DATA]
    BYTES += {
        "": "; they are taken in order.",
        " up to its length": "; they are taken in order, and only as many as {lengths} says.",
        " up to the first zero byte": (
            "; they are taken in order, up to the first that is 0, which does not count."
        ),
    }[SPAN]
    SHIFTS = (
        "shifted left by one, eight times, and each time that a 1 leaves at the top ({TOP}), the polynomial "
        "{POLYNOMIAL} is XORed to it"
    )
    TOP = "bit 7, & 255 keeps the rest" if CHECK == "CRC-8" else "32768, & 65535 keeps the rest"
    MODULO = 251 if CHECK == "Adler-style" else 255
    FIRST = 1 if CHECK == "Adler-style" else 0
    SUMS = (
        "A sum that starts at {FIRST} adds up the bytes, and a second that starts at 0 adds up the first "
        "one after each "
        "byte, both modulo {MODULO}. The checksum is 256 times the second plus the first."
    )
    ALGORITHM = {
        "Adler-style": SUMS,
        "Fletcher-16": SUMS,
        "CRC-8": (
            "A register of 8 bits starts at {START}. For each byte, the register is XORed with the byte "
            "and then "
            "{SHIFTS}."
        ),
        "CRC-16": (
            "A register of 16 bits starts at {START}. For each byte, the register is XORed with the byte "
            "<< 8 and then {SHIFTS}."
        ),
        "FNV-1a-style": (
            "The checksum starts at {START}; for each byte, the checksum is XORed with the byte and "
            "multiplied by 403, and its lowest 16 bits (& 65535) are kept."
        ),
        "XOR": "The checksum is the XOR of all bytes, and 0 if there are none.",
    }[CHECK]
    MASK = 65535 if wide else 255
    RESULT = "Store the checksum in {out}."
    if FINAL == ", complemented":
        RESULT = "Store the complement of the checksum, which is its XOR with {MASK}, in {out}."
    elif FINAL:
        RESULT = "{out} gets the XOR of the checksum with {expected}, which is 0 if they match."

    @c.kernel(rows)
    def kernel(
        data: wp.array2d[float if ROUNDED else int] = input(
            rows,
            width,
            low=LOWEST,
            high=HIGHEST,
        ),
        lengths: wp.array[int] = input(rows, low=2, high=width),
        expected: wp.array[int] = input(rows, low=0, high=65535 if wide else 255),
        out: wp.array[int] = output(rows, of="code"),
    ):
        row = wp.tid()
        if CHECK == "Adler-style" or CHECK == "Fletcher-16":
            low = int(1 if CHECK == "Adler-style" else 0)
            high = int(0)
        else:
            check = int(START)
        for k in range(data.shape[1]):
            if SPAN == " up to its length":
                if k >= lengths[row]:
                    break
            if ROUNDED:
                byte = wp.clamp(int(wp.round(data[row, k])), 0, 255)
            elif DATA == "the low bytes of words":
                byte = data[row, k] & 255
            else:
                byte = data[row, k]
            if SPAN == " up to the first zero byte":
                if byte == 0:
                    break
            if CHECK == "Adler-style":
                # the high sum adds up all states of the low one, so that order counts
                low = (low + byte) % 251
                high = (high + low) % 251
            elif CHECK == "Fletcher-16":
                low = (low + byte) % 255
                high = (high + low) % 255
            else:
                check = absorbed(check, byte)
        if CHECK == "Adler-style" or CHECK == "Fletcher-16":
            check = high * 256 + low
        if FINAL == ", complemented":
            out[row] = check ^ (65535 if wide else 255)
        elif FINAL:
            out[row] = check ^ expected[row]
        else:
            out[row] = check


@idiom(
    level=3,
    differentiable=False,
    names={
        "seeds": "seeds states starts",
        "state": "state x word",
        "out": "out numbers samples",
        "kernel": "draw_streams generate_numbers",
        "sampled": "sampled drawn value",
    },
)
def counter_random(c):
    """Advances {GENERATOR} from each seed by {STEPS} and gives {GIVEN}.

    Draw a pseudo-random number from each of {seeds} by {GENERATOR}. The seed is the first state; advance it
    by {MANY}. A step takes state x to {NEXT}. {out} gets {RESULT}.
    """
    n = c.size()
    GENERATOR = c.meaning(
        "a Lehmer generator",
        "a linear congruential generator",
        "a Fibonacci LFSR",
        "a Galois LFSR",
        "a xorshift generator",
        "a Weyl sequence",
    )
    STEPS = c.meaning("one step", "its own number of steps", "a given number of steps")
    GIVEN = c.meaning("the state", "the state as a fraction of its range", "a die roll")
    RANGE = 65537.0 if GENERATOR == "a Lehmer generator" else 65536.0
    c.names({"kernel": "draw_streams generate_numbers advance_generators"})

    def advanced(state: int) -> int:
        """The state one step later."""
        if GENERATOR == "a Lehmer generator":
            return (state * 75) % 65537
        elif GENERATOR == "a linear congruential generator":
            return (state * 4005 + 12345) & 65535
        elif GENERATOR == "a Fibonacci LFSR":
            # with these taps a register of 16 bits takes every state but zero
            bit = (state ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1
            return (state >> 1) | (bit * 32768)
        elif GENERATOR == "a xorshift generator":
            word = state ^ ((state << 1) & 65535)
            word = word ^ (word >> 5)
            return word ^ ((word << 2) & 65535)
        elif GENERATOR == "a Galois LFSR":
            # the mask of the taps: such a register takes every state but zero
            return (state >> 1) ^ ((state & 1) * 0xB400)
        else:
            # an odd step, near the golden section of the range
            return (state + 40503) & 65535

    MANY = {
        "one step": "one step",
        "its own number of steps": "its own number of steps in {counts}",
        "a given number of steps": "{steps} steps",
    }[STEPS]
    NEXT = {
        "a Lehmer generator": "75·x mod 65537",
        "a linear congruential generator": "(4005·x + 12345) & 65535",
        "a Fibonacci LFSR": "(x >> 1) | 32768·b with the bit b = (x ^ (x >> 2) ^ (x >> 3) ^ (x >> 5)) & 1",
        "a Galois LFSR": "(x >> 1) ^ 46080·(x & 1)",
        "a xorshift generator": ("w ^ (w << 2 & 65535), where w = v ^ (v >> 5) and v = x ^ (x << 1 & 65535)"),
        "a Weyl sequence": "(x + 40503) & 65535",
    }[GENERATOR]
    RESULT = {
        "the state": "the last state",
        "the state as a fraction of its range": "the last state divided by {WHOLE}",
        "a die roll": "a die roll, 1 + (x mod 6) for the last state x",
    }[GIVEN]
    WHOLE = f"{RANGE:.0f}"

    @c.kernel(n)
    def kernel(
        seeds: wp.array[int] = input(n, low=1, high=65535, of="code"),
        counts: wp.array[int] = input(n, low=1, high=6),
        steps: int = input(low=2, high=6),
        out: wp.array[float if GIVEN == "the state as a fraction of its range" else int] = output(
            n, of="code" if GIVEN == "the state" else None
        ),
    ):
        tid = wp.tid()
        if STEPS == "one step":
            state = advanced(seeds[tid])
        else:
            state = seeds[tid]
            if STEPS == "a given number of steps":
                for k in range(steps):
                    state = advanced(state)
            else:
                for k in range(counts[tid]):
                    state = advanced(state)
        if GIVEN == "the state as a fraction of its range":
            out[tid] = float(state) / RANGE
        elif GIVEN == "a die roll":
            out[tid] = 1 + state % 6
        else:
            out[tid] = state


@idiom(
    level=3,
    differentiable=False,
    names={
        "points": "points positions particles",
        "slots": "slots buckets bins",
        "room": "room table_size capacity",
        "h": "h hashed mixed",
        "counts": "counts fill occupancy",
        "period": "period side resolution",
        "tid": "tid i p",
        "kernel": "hash_cells hash_positions spatial_hash",
    },
)
def cell_hash(c):
    """Hashes {WHICH} each point of positive coordinates on {EDGE} to {TO} by {MIXING}{GIVEN}.

    Hash the {PLACES} of {points} on {GRID} of spacing {SIZE}. Along each axis, the index of a point is
    ⌊{INDEX}⌋ for its coordinate c{WRAPPED}. With the indices {LETTERS}, the hash is {FORMULA}. {STORE}
    """
    n, buckets = c.size(), c.size(9, 16)
    DIM = c.meaning(2, 3)
    WHICH = c.meaning("the cell of", "the corner nearest to")
    MIXING = c.meaning("a sum of prime multiples", "the XOR of prime multiples", "mixing its indices in turn")
    EDGE = c.meaning("an open grid", "a periodic grid")
    GIVEN = c.meaning("", ", and counts the points in each")
    TO = "a bucket" if GIVEN else c.meaning("a bucket", "a number in [0, 1)")
    if TO != "a bucket":
        c.names({"slots": "numbers fractions values"})
    if WHICH != "the cell of":
        c.names(
            {"cell": "nearest_corner corner", "kernel": "hash_corners hash_positions hash_nearest_corners"}
        )
    if GIVEN:
        c.names({"kernel": "count_hashed count_in_buckets bucket_counts"})
    SIZE = c.constant(0.3, 0.8)
    Vec = c.vec(DIM)

    def cell(x: float) -> int:
        """The index of {WHICH} a point along one axis."""
        if WHICH == "the cell of":
            return int(wp.floor(x / SIZE))
        else:
            return int(wp.floor(x / SIZE + 0.5))

    def absorb(h: int, k: int) -> int:
        """The hash with one more number in it."""
        return ((h ^ (k * 613)) * 1181) & 65535

    PLACES = "cells" if WHICH == "the cell of" else "nearest corners"
    GRID = EDGE
    INDEX = "c / {SIZE}" if WHICH == "the cell of" else "c / {SIZE} + ½"
    WRAPPED = ", modulo {period}" if EDGE == "a periodic grid" else ""
    LETTERS = "i, j and k" if DIM == 3 else "i and j"
    TURNS = "((state ^ 613·index) · 1181) & 65535"
    FORMULA = {
        "a sum of prime multiples": "7919·i + 2477·j" + (" + 3307·k" if DIM == 3 else ""),
        "the XOR of prime multiples": "7919·i ^ 2477·j"
        + (" ^ 3307·k" if DIM == 3 else "")
        + ", with ^ for XOR",
        "mixing its indices in turn": (
            "a state that starts at 5381 and takes each index in turn to become {TURNS}, with ^ for XOR"
        ),
    }[MIXING]
    STORE = "{slots} gets the hash modulo {room}."
    if GIVEN:
        STORE = (
            "The bucket of a point is the hash modulo the size of {counts}, which gets the number of points "
            "in each bucket."
        )
    elif TO != "a bucket":
        STORE = "{slots} gets a number in [0, 1), the lowest 12 bits of the hash (& 4095) divided by 4096."

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = input(n, low=0.0, high=5.0, of="position"),
        period: int = input(low=4, high=7),
        room: int = input(low=9, high=16),
        slots: wp.array[int if TO == "a bucket" else float] = output(n),
        counts: wp.array[int] = output(buckets),
    ):
        tid = wp.tid()
        p = points[tid]
        x = cell(p[0])
        y = cell(p[1])
        if DIM == 3:
            z = cell(p[2])
        if EDGE == "a periodic grid":
            x = x % period
            y = y % period
            if DIM == 3:
                z = z % period
        if MIXING == "the XOR of prime multiples":
            h = (x * 7919) ^ (y * 2477)
            if DIM == 3:
                h = h ^ (z * 3307)
        elif MIXING == "a sum of prime multiples":
            h = 7919 * x + 2477 * y + 3307 * z if DIM == 3 else 7919 * x + 2477 * y
        else:
            h = absorb(absorb(5381, x), y)
            if DIM == 3:
                h = absorb(h, z)
        if GIVEN:
            wp.atomic_add(counts, h % counts.shape[0], 1)
        elif TO == "a bucket":
            slots[tid] = h % room
        else:
            slots[tid] = float(h & 4095) / 4096.0
