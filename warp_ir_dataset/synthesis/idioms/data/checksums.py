"""Hash tables, checksums and streams of pseudo-random numbers."""

from __future__ import annotations

from ...pages.choices import Constant
from ...pages.page import given, idiom, result, wp
from .parts.words import check_digit, random_in_range

__all__ = ["check_digit", "random_in_range"]


@idiom(
    level=5,
    names={
        "keys": "keys items ids",
        "table": "table slots_of keys_stored",
        "slot": "slot place bucket",
        "probe": "probe attempt step",
        "kernel": "insert_keys build_table",
        "before": "before previous occupant",
    },
)
def hash_table_insert(c):
    """Inserts {KEYS}, hashed by {HASH}, into a table with {PROBING}, storing {STORED}{REPORT}."""
    n = c.size(7, 10)
    KEYS = c.meaning("keys", "pairs of numbers", "cells of points")
    PROBING = c.meaning("linear probing", "quadratic probing", "double hashing")
    HASH = c.meaning("multiplication", "remainder", "shift and xor")
    # Probing ends in every place: nobody is turned away who came first in another order of threads.
    places = {"quadratic probing": 16, "double hashing": 13}.get(PROBING, c.size(11, 14))
    STORED = c.meaning("sums", "counts", "largest values")
    REPORT = c.meaning("", " and which keys were new", " and how many keys there are")

    def hashed(key: int) -> int:
        """A hash of at most 15 bits."""
        if HASH == "multiplication":
            return (key * 25173 + 13849) & 32767
        elif HASH == "shift and xor":
            return (key ^ (key >> 5) ^ (key << 3)) & 32767
        else:
            return key % 9973

    def key_of(a: int, b: int) -> int:
        """One number for two, none of them zero."""
        return 1 + a + 97 * b

    def probed(key: int, probe: int, room: int) -> int:
        """Where a key is looked for at an attempt."""
        start = hashed(key)
        if PROBING == "quadratic probing":
            return (start + probe * (probe + 1) // 2) % room
        elif PROBING == "double hashing":
            stride = 1 + key % (room - 1)
            return (start + probe * stride) % room
        else:
            return (start + probe) % room

    @c.kernel(n)
    def kernel(
        keys: wp.array[int] = given(n, low=1, high=24, of="code"),
        pairs: wp.array2d[int] = given(n, 2, low=0, high=3),
        points: wp.array[wp.vec2] = given(n, low=0.0, high=4.0),
        values: wp.array[float] = given(n, low=0.2, high=2.0),
        table: wp.array[int] = result(places),
        sums: wp.array[float] = result(places),
        counts: wp.array[int] = result(places),
        largest: wp.array[float] = result(places),
        fresh: wp.array[int] = result(n),
        distinct: wp.array[int] = result(1),
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
        inserted = bool(False)
        while probe < room:
            slot = probed(key, probe, room)
            # an empty slot holds zero
            before = wp.atomic_cas(table, slot, 0, key)
            if before == 0 or before == key:
                if REPORT == " and which keys were new":
                    if before == 0:
                        fresh[tid] = 1
                elif REPORT:
                    if before == 0:
                        wp.atomic_add(distinct, 0, 1)
                inserted = True
                break
            probe += 1
        # a full table turns keys away
        if not inserted:
            return
        if STORED == "sums":
            wp.atomic_add(sums, slot, values[tid])
        elif STORED == "counts":
            wp.atomic_add(counts, slot, 1)
        else:
            wp.atomic_max(largest, slot, values[tid])


@idiom(
    level=4,
    names={
        "data": "data message bytes_in",
        "row": "row tid message_id",
        "out": "out checksums digests",
        "check": "check state checksum",
        "kernel": "checksum_rows digest_rows",
    },
)
def checksum_of_rows(c):
    """The {CHECK} checksum of each row of {DATA}{SPAN}{FINAL}."""
    rows, width = c.size(5, 8), c.size(5, 8)
    CHECK = c.meaning("Adler-style", "Fletcher-16", "CRC-8", "CRC-16", "FNV-1a-style", "XOR")
    DATA = c.meaning("bytes", "the low bytes of words", "values rounded to bytes")
    SPAN = c.meaning("", " up to its length", " up to the first zero byte")
    FINAL = c.meaning("", ", complemented", ", XORed with the expected one")
    # those in use; with eight bits, 0x07 and 0xD5 begin with zeros
    DIVISOR = 0x1021 if CHECK == "CRC-16" else c.spelling(0x07, 0x1D, 0x2F, 0x31, 0x9B, 0xD5)
    POLYNOMIAL = Constant(DIVISOR, DIVISOR, DIVISOR, 1)
    ROUNDED = DATA == "values rounded to bytes"
    HIGHEST = {"bytes": 255, "the low bytes of words": 9999}.get(DATA, 300)
    wide = CHECK in ("Adler-style", "Fletcher-16", "CRC-16", "FNV-1a-style")

    START = {"CRC-16": 65535, "FNV-1a-style": 40389}.get(CHECK, 0)
    if CHECK == "CRC-8" and DIVISOR not in (0x07, 0xD5):
        START = 255

    def absorbed(check: int, byte: int) -> int:
        """The state after one more byte."""
        if CHECK == "CRC-8":
            state = check ^ byte
            bits = int(8)
            while bits > 0:
                # wherever a bit leaves at the top, the polynomial is taken away
                state = ((state << 1) & 255) ^ ((state >> 7) * POLYNOMIAL)
                bits -= 1
            return state
        elif CHECK == "CRC-16":
            state = check ^ (byte << 8)
            bits = int(8)
            while bits > 0:
                # wherever a bit leaves at the top, the polynomial is taken away
                state = ((state << 1) & 65535) ^ (((state >> 8) >> 7) * POLYNOMIAL)
                bits -= 1
            return state
        elif CHECK == "FNV-1a-style":
            return ((check ^ byte) * 403) & 65535
        else:
            return check ^ byte

    @c.kernel(rows)
    def kernel(
        data: wp.array2d[float if ROUNDED else int] = given(
            rows,
            width,
            low=-30 if ROUNDED else 0,
            high=24 if SPAN == " up to the first zero byte" and not ROUNDED else HIGHEST,
        ),
        lengths: wp.array[int] = given(rows, low=2, high=width),
        expected: wp.array[int] = given(rows, low=0, high=65535 if wide else 255),
        out: wp.array[int] = result(rows, of="code"),
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
                # the second sum holds every partial first one
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
            out[row] = (65535 if wide else 255) - check
        elif FINAL == ", XORed with the expected one":
            out[row] = check ^ expected[row]
        else:
            out[row] = check


@idiom(
    level=3,
    names={
        "seeds": "seeds states start",
        "state": "state x word",
        "out": "out numbers samples",
        "kernel": "draw_streams generate_numbers",
        "sampled": "sampled drawn value",
    },
)
def counter_random(c):
    """Advances a {GENERATOR} generator from each seed by {STEPS} and gives {GIVEN}."""
    n = c.size()
    GENERATOR = c.meaning(
        "Lehmer", "linear congruential", "Fibonacci LFSR", "Galois LFSR", "xorshift", "Weyl sequence"
    )
    STEPS = c.meaning("one step", "its own number of steps", "a given number of steps")
    GIVEN = c.meaning("the state", "a share of its range", "a die roll")
    c.names({"kernel": "draw_streams generate_numbers advance_generators"})

    def advanced(state: int) -> int:
        if GENERATOR == "Lehmer":
            return (state * 75) % 65537
        elif GENERATOR == "linear congruential":
            return (state * 4005 + 12345) & 65535
        elif GENERATOR == "Fibonacci LFSR":
            # taps of a maximal register of 16 bits
            bit = (state ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1
            return (state >> 1) | (bit * 32768)
        elif GENERATOR == "xorshift":
            word = state ^ ((state << 1) & 65535)
            word = word ^ (word >> 5)
            return word ^ ((word << 2) & 65535)
        elif GENERATOR == "Galois LFSR":
            return (state >> 1) ^ ((state & 1) * 46080)
        else:
            # an odd step, near the golden ratio of the range
            return (state + 40503) & 65535

    @c.kernel(n)
    def kernel(
        seeds: wp.array[int] = given(n, low=1, high=65535, of="code"),
        counts: wp.array[int] = given(n, low=1, high=6),
        steps: int = given(low=2, high=6),
        out: wp.array[float if GIVEN == "a share of its range" else int] = result(n, of="code"),
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
        if GIVEN == "a share of its range":
            out[tid] = float(state) / 65536.0
        elif GIVEN == "a die roll":
            out[tid] = 1 + state % 6
        else:
            out[tid] = state


@idiom(
    level=3,
    names={
        "points": "points positions particles",
        "slots": "slots buckets bins",
        "h": "h hashed mixed",
        "counts": "counts fill occupancy",
        "period": "period side resolution",
        "tid": "tid i p",
        "kernel": "hash_cells hash_positions spatial_hash",
    },
)
def cell_hash(c):
    """Hashes {WHICH} of each point on {EDGE} to {TO} by {MIXING}{GIVEN}."""
    n, buckets = c.size(), c.size(9, 16)
    DIM = c.meaning(2, 3)
    WHICH = c.meaning("the cell", "the nearest corner")
    MIXING = c.meaning("a sum of prime multiples", "the XOR of prime multiples", "mixing its indices in turn")
    EDGE = c.meaning("a grid of positive coordinates", "a periodic grid")
    GIVEN = c.meaning("", ", and counts the points of each")
    TO = "a bucket" if GIVEN else c.meaning("a bucket", "a number in [0, 1)")
    if TO != "a bucket":
        c.names({"slots": "numbers fractions values"})
    SIZE = c.constant(0.3, 0.8)
    Vec = c.vec(DIM)

    def cell(x: float) -> int:
        """The index along one axis."""
        if WHICH == "the nearest corner":
            return int(wp.floor(x / SIZE + 0.5))
        else:
            return int(wp.floor(x / SIZE))

    def absorb(h: int, k: int) -> int:
        """The hash with one more number in it."""
        return ((h ^ (k * 613)) * 1181) & 65535

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = given(n, low=0.0, high=5.0, of="position"),
        period: int = given(low=4, high=7),
        room: int = given(low=9, high=16),
        slots: wp.array[int if TO == "a bucket" else float] = result(n),
        counts: wp.array[int] = result(buckets),
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
            h = 73 * x + 179 * y + 283 * z if DIM == 3 else 73 * x + 179 * y
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
