"""Hash tables, checksums and streams of pseudo-random numbers."""

from __future__ import annotations

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
    """Hashes {KEYS} by {HASH} into a table with {PROBING}, storing {STORED} {REPORT}."""
    n, room = c.size(7, 10), c.count(11, 14)
    KEYS = c.meaning("keys", "pairs of numbers", "cells of points")
    PROBING = c.meaning("linear probing", "quadratic probing", "double hashing", "two choices")
    HASH = c.meaning("multiplication", "remainder", "folding")
    STORED = c.meaning("sums", "counts", "first places")
    REPORT = c.meaning("alone", "and slots", "and probes")

    def hashed(key: int) -> int:
        """A hash of 15 bits."""
        if HASH == "multiplication":
            return (key * 25173 + 13849) & 32767
        elif HASH == "folding":
            return (key ^ (key >> 5) ^ (key << 3)) & 32767
        else:
            return key % 9973

    def key_of(a: int, b: int) -> int:
        """One number for two, none of them zero."""
        return 1 + a + 97 * b

    def probed(key: int, probe: int) -> int:
        """Where a key is looked for at an attempt."""
        start = hashed(key)
        if PROBING == "quadratic probing":
            return (start + probe * (probe + 1) // 2) % room
        elif PROBING == "double hashing":
            stride = 1 + key % (room - 1)
            return (start + probe * stride) % room
        elif PROBING == "two choices":
            if probe % 2 == 0:
                return (start + probe // 2) % room
            return (hashed(key + 1) + probe // 2) % room
        else:
            return (start + probe) % room

    @c.kernel(n)
    def kernel(
        keys: wp.array[int] = given(n, low=1, high=24, of="code"),
        pairs: wp.array2d[int] = given(n, 2, low=0, high=3),
        points: wp.array[wp.vec2] = given(n, low=0.0, high=4.0),
        values: wp.array[float] = given(n, low=0.2, high=2.0),
        table: wp.array[int] = result(room),
        sums: wp.array[float] = result(room),
        counts: wp.array[int] = result(room),
        firsts: wp.array[int] = result(room),
        slots: wp.array[int] = result(n),
        probes: wp.array[int] = result(n),
    ):
        tid = wp.tid()
        if KEYS == "keys":
            key = keys[tid]
        elif KEYS == "pairs of numbers":
            key = key_of(pairs[tid, 0], pairs[tid, 1])
        else:
            p = points[tid]
            key = key_of(wp.clamp(int(p[0]), 0, 3), wp.clamp(int(p[1]), 0, 3))
        slot = int(0)
        probe = int(0)
        inserted = bool(False)
        while probe < room:
            slot = probed(key, probe)
            # an empty slot holds zero
            before = wp.atomic_cas(table, slot, 0, key)
            if before == 0 or before == key:
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
            wp.atomic_max(firsts, slot, n - tid)
        if REPORT == "and slots":
            slots[tid] = slot
        elif REPORT == "and probes":
            probes[tid] = probe + 1


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
    """The {CHECK} checksum of each row of {DATA}, {SPAN}{FINAL}."""
    rows, width = c.size(5, 8), c.size(5, 8)
    CHECK = c.meaning("Adler", "Fletcher", "CRC-8", "CRC-16", "FNV-style", "parity")
    DATA = c.meaning("bytes", "digits of whole numbers", "rounded values")
    SPAN = c.meaning("over all entries", "up to each row's length", "ended by a zero")
    FINAL = c.meaning("", ", complemented", ", compared with what is expected")
    POLYNOMIAL = c.count(10, 120) * 2 + 1
    wide = CHECK in ("Adler", "Fletcher", "CRC-16", "FNV-style")

    def absorbed(check: int, byte: int) -> int:
        """The state after one more byte."""
        if CHECK == "CRC-8":
            state = check ^ byte
            bits = int(8)
            while bits > 0:
                state = ((state << 1) & 255) ^ ((state >> 7) * POLYNOMIAL)
                bits -= 1
            return state
        elif CHECK == "CRC-16":
            state = check ^ (byte << 8)
            bits = int(8)
            while bits > 0:
                state = ((state << 1) & 65535) ^ (((state >> 8) >> 7) * 4129)
                bits -= 1
            return state
        elif CHECK == "FNV-style":
            return ((check ^ byte) * 403) & 65535
        else:
            return check ^ byte

    @c.kernel(rows)
    def kernel(
        data: wp.array2d[float if DATA == "rounded values" else int] = given(
            rows, width, low=0, high=9999 if DATA == "digits of whole numbers" else 255
        ),
        lengths: wp.array[int] = given(rows, low=2, high=width),
        expected: wp.array[int] = given(rows, low=0, high=65535 if wide else 255),
        out: wp.array[int] = result(rows, of="code"),
    ):
        row = wp.tid()
        if CHECK == "Adler" or CHECK == "Fletcher":
            low = int(1 if CHECK == "Adler" else 0)
            high = int(0)
        else:
            check = int(255 if wide else 0)
        for k in range(data.shape[1]):
            if SPAN == "up to each row's length":
                if k >= lengths[row]:
                    break
            if DATA == "rounded values":
                byte = wp.clamp(int(wp.round(data[row, k])), 0, 255)
            elif DATA == "digits of whole numbers":
                byte = data[row, k] % 10 + 16 * (data[row, k] // 1000)
            else:
                byte = data[row, k]
            if SPAN == "ended by a zero":
                if byte < 12:
                    break
            if CHECK == "Adler":
                # the second sum holds every partial first one
                low = (low + byte) % 251
                high = (high + low) % 251
            elif CHECK == "Fletcher":
                low = (low + byte) % 255
                high = (high + low) % 255
            else:
                check = absorbed(check, byte)
        if CHECK == "Adler" or CHECK == "Fletcher":
            check = high * 256 + low
        if FINAL == ", complemented":
            out[row] = (65535 if wide else 255) - check
        elif FINAL == ", compared with what is expected":
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
    """Advances the {GENERATOR} stream of each thread by {STEPS} and gives {GIVEN}."""
    n = c.size()
    GENERATOR = c.meaning(
        "Lehmer", "linear congruential", "shift-register", "xorshift", "middle-square", "lagged"
    )
    STEPS = c.meaning("one step", "its own number of steps", "a few steps")
    GIVEN = c.meaning("the state", "a fraction", "a die roll")
    FEW = c.count(3, 6)

    def advanced(state: int) -> int:
        if GENERATOR == "Lehmer":
            return (state * 75) % 65537
        elif GENERATOR == "linear congruential":
            return (state * 4005 + 12345) & 65535
        elif GENERATOR == "shift-register":
            # taps of a maximal register of 16 bits
            bit = (state ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1
            return (state >> 1) | (bit * 32768)
        elif GENERATOR == "xorshift":
            word = state ^ ((state << 1) & 65535)
            word = word ^ (word >> 5)
            return word ^ ((word << 2) & 65535)
        elif GENERATOR == "middle-square":
            low = state % 10000
            return low * low // 100 % 10000 + 1
        else:
            return (state + (state >> 7) * 31 + 17) & 65535

    @c.kernel(n)
    def kernel(
        seeds: wp.array[int] = given(n, low=1, high=65535, of="code"),
        counts: wp.array[int] = given(n, low=1, high=6),
        out: wp.array[float if GIVEN == "a fraction" else int] = result(n, of="code"),
    ):
        tid = wp.tid()
        if STEPS == "one step":
            state = advanced(seeds[tid])
        else:
            state = seeds[tid]
            if STEPS == "a few steps":
                for k in range(FEW):
                    state = advanced(state)
            else:
                for k in range(counts[tid]):
                    state = advanced(state)
        if GIVEN == "a fraction":
            out[tid] = float(state) / 65536.0
        elif GIVEN == "a die roll":
            out[tid] = 1 + state % 6
        else:
            out[tid] = state


@idiom(
    level=3,
    names={
        "points": "points positions particles",
        "slots": "slots buckets cells",
        "h": "h hashed bucket",
        "counts": "counts fill occupancy",
        "tid": "tid i p",
        "kernel": "hash_cells hash_positions bucket_points",
    },
)
def cell_hash(c):
    """Hashes {WHICH} of points to {TO}, {MIXING}, {EDGE}, {GIVEN}."""
    n, buckets = c.size(), c.count(9, 16)
    DIM = c.meaning(2, 3)
    WHICH = c.meaning("the cell", "the nearest corner", "the jittered cell")
    MIXING = c.meaning("by sums of primes", "by products", "in turn")
    EDGE = c.meaning("reflected", "periodic")
    TO = c.meaning("a bucket", "a fraction")
    GIVEN = c.meaning("for each point", "summed over points")
    SIZE, PERIOD = c.constant(0.3, 0.8), c.count(4, 7)
    Vec = c.vec(DIM)
    if GIVEN == "summed over points":
        TO = "a bucket"

    def cell(x: float) -> int:
        """The cell along one axis."""
        if WHICH == "the nearest corner":
            k = int(wp.floor(x / SIZE + 0.5))
        else:
            k = int(wp.floor(x / SIZE))
        if EDGE == "periodic":
            return wp.clamp((k + 10 * PERIOD) % PERIOD, 0, PERIOD - 1)
        else:
            return wp.clamp(wp.abs(k), 0, 100)

    def absorb(h: int, k: int) -> int:
        """The hash with one more number in it."""
        return ((h ^ (k * 613)) * 1181) & 65535

    @c.kernel(n)
    def kernel(
        points: wp.array[Vec] = given(n, low=-2.0, high=2.0, of="position"),
        jitter: wp.array[float] = given(n, low=-0.5, high=0.5),
        slots: wp.array[float if TO == "a fraction" else int] = result(n),
        counts: wp.array[int] = result(buckets),
    ):
        tid = wp.tid()
        p = points[tid]
        if WHICH == "the jittered cell":
            x = cell(p[0] + jitter[tid])
            y = cell(p[1] - jitter[tid])
        else:
            x = cell(p[0])
            y = cell(p[1])
        if DIM == 3:
            z = cell(p[2])
        if MIXING == "by products":
            h = (x * 7919) ^ (y * 2477)
            if DIM == 3:
                h = h ^ (z * 3307)
        elif MIXING == "by sums of primes":
            h = 73 * x + 179 * y + 283 * z if DIM == 3 else 73 * x + 179 * y
        else:
            h = absorb(absorb(5381, x), y)
            if DIM == 3:
                h = absorb(h, z)
        if GIVEN == "summed over points":
            wp.atomic_add(counts, h % buckets, 1)
        elif TO == "a fraction":
            slots[tid] = float(h & 4095) / 4096.0
        else:
            slots[tid] = h % buckets
