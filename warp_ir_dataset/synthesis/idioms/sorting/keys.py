"""Keys to sort by."""

from __future__ import annotations

from ...templates.template import idiom, input, output, wp


@idiom(
    level=2,
    differentiable=False,
    names={
        "keys": "keys codes ids",
        "values": "values scores depths",
        "digit": "digit bucket d",
        "digits": "digits buckets out",
        "counts": "counts histogram tally",
        "shift": "shift bit first_bit",
        "i": "i tid item",
        "kernel": "extract_digits radix_pass_digits digits_of_keys",
    },
)
def radix_digit(c):
    """{SAID}, for one pass of a radix sort{ORDER}.

    {PURPOSE}, for one pass of a radix sort{BACKWARDS}. {NUMBER} Its digit is {PART}. {RESULT}
    """
    n = c.size()
    KEY = c.meaning("key", "key, the largest first", "signed key", "fixed-point value")
    DIGIT = c.meaning("digit from a given bit up", "lowest digit", "decimal digit")
    GIVEN = c.meaning("digit", "counts", "packed", "marks")
    MASK, BITS = c.style((3, "two-bit"), (7, "three-bit"), (15, "four-bit"))
    MOST, OFFSET, SCALE = 1023, 512, c.constant(50.0, 90.0)
    ORDER = ", the largest keys first" if KEY == "key, the largest first" else ""
    WHOSE = "key" if ORDER else KEY
    WHICH = {
        "digit from a given bit up": f"{BITS} digit from a given bit up",
        "lowest digit": f"lowest {BITS} digit",
        "decimal digit": "decimal digit at a given place",
    }[DIGIT]
    SAID = {
        "digit": f"The {WHICH} of each {WHOSE}",
        "counts": f"Counts how often each {WHICH} occurs among {WHOSE}s",
        "packed": f"Packs the {WHICH} of each {WHOSE} with its index",
        "marks": f"Marks each {WHOSE} whose {WHICH} is that of a given bucket",
    }[GIVEN]
    if GIVEN == "packed":
        c.names({"digits": "packed digit_keys", "kernel": "pack_digits digits_with_indices"})
    elif GIVEN == "marks":
        c.names({"digits": "flags marks", "kernel": "mark_bucket flag_digits"})
    elif GIVEN == "counts":
        c.names({"kernel": "count_digits digit_histogram radix_count"})
    PURPOSE = {
        "digit": "Extract the digits of keys",
        "counts": "Count the digits of keys",
        "packed": "Pack the digits of keys with their indices",
        "marks": "Mark the keys with a given digit",
    }[GIVEN]
    BACKWARDS = " that puts the largest keys first" if ORDER else ""
    NUMBER = {
        "key": "The number of item i is `{keys}[i]`.",
        "key, the largest first": "The number of item i is {MOST} - `{keys}[i]`.",
        "signed key": "Keys may be negative: the number of item i is `{keys}[i]` + {OFFSET}.",
        "fixed-point value": "The number of item i is {SCALE}·`{values}[i]`, rounded down.",
    }[KEY]
    PART = {
        "digit from a given bit up": "the {BITS} one from bit {shift} up (bit 0 is the lowest), from 0 to "
        "{MASK}",
        "lowest digit": "the lowest {BITS} one, from 0 to {MASK}",
        "decimal digit": "the decimal digit (of base 10) at {place}, where 0 stands for the ones, 1 for the "
        "tens, and so on",
    }[DIGIT]
    RESULT = {
        "digit": "Store the digit in {digits}.",
        "counts": "{counts} starts at zero and gets for each digit how many items have it.",
        "packed": "Store (the digit)·(length of {digits}) + i in {digits}.",
        "marks": "{digits} gets 1 if the digit equals {bucket}, and 0 otherwise.",
    }[GIVEN]

    @c.kernel(n)
    def kernel(
        keys: wp.array[int] = input(n, low=-500 if KEY == "signed key" else 0, high=500),
        values: wp.array[float] = input(n, low=0.0, high=8.0),
        shift: int = input(low=1, high=4),
        place: int = input(low=0, high=2),
        bucket: int = input(low=0, high=2),
        digits: wp.array[int] = output(n),
        counts: wp.array[int] = output(MASK + 1 if DIGIT != "decimal digit" else 10),
    ):
        i = wp.tid()
        if KEY == "key, the largest first":
            # from the largest key of ten bits
            key = MOST - keys[i]
        elif KEY == "signed key":
            # negative keys come before all others
            key = keys[i] + OFFSET
        elif KEY == "fixed-point value":
            key = int(SCALE * values[i])
        else:
            key = keys[i]
        if DIGIT == "decimal digit":
            for k in range(place):
                key = key // 10
            digit = key % 10
        elif DIGIT == "digit from a given bit up":
            digit = (key >> shift) & MASK
        else:
            digit = key & MASK
        if GIVEN == "counts":
            wp.atomic_add(counts, digit, 1)
        elif GIVEN == "packed":
            digits[i] = digit * digits.shape[0] + i
        elif GIVEN == "marks":
            digits[i] = wp.where(digit == bucket, 1, 0)
        else:
            digits[i] = digit


@idiom(
    level=3,
    differentiable=False,
    names={
        "materials": "materials material_ids",
        "points": "points positions centres",
        "layers": "layers layer_ids",
        "scores": "scores ratings",
        "major minor": "major minor | primary secondary | high low",
        "keys": "keys sort_keys codes",
        "counts": "counts tally per_group",
        "i": "i tid item",
        "kernel": "make_sort_keys build_keys pack_keys",
    },
)
def sort_key_packing(c):
    """A key that sorts items by {MAJOR}, {ORDER}{THEN}{GIVEN}.

    Make integer keys that sort items by {BY}, then by {MINOR}. The major number is {FIRST}{TURNED}. {HIDE}The
    key, stored in {keys}, is {LEADING}·{PACKED}.{TALLY}
    """
    n = c.size()
    MAJOR = c.meaning("material", "depth in sixteen slices", "grid row", "distance from the eye")
    MINOR = c.meaning("index", "layer", "score")
    if MAJOR == "distance from the eye" or "depth" in MAJOR:
        ORDER = c.meaning("nearest first", "farthest first")
    else:
        ORDER = c.meaning("lowest first", "highest first")
    GIVEN = c.meaning("", "counted", "; hidden items last")
    THEN = f", then by {MINOR}{' in sixteenths' if MINOR == 'score' else ''}"
    DEEPEST, CELL = c.constant(1.5, 2.5), c.constant(0.2, 0.6)
    if GIVEN == "counted":
        KIND = {"material": "material", "grid row": "row", "distance from the eye": "step"}
        GIVEN = f"; counts the items of each {KIND.get(MAJOR, 'slice')}"
    if MAJOR == "distance from the eye":
        MAJOR = "distance d from the eye in sixteen steps of d / (1 + d)"

    def quantised(x: float) -> int:
        """Four bits for a number from 0 up to 1."""
        return wp.min(int(x * 16.0), 15)

    BY, FIRST = "material", "`{materials}[i]`"
    if "depth" in MAJOR:
        BY, FIRST = "depth", "⌊16·z / {DEEPEST}⌋, at most 15, of its point in {points}"
    elif MAJOR == "grid row":
        BY, FIRST = "grid row", "⌊y / {CELL}⌋ of its point in {points}"
    elif "eye" in MAJOR:
        BY, FIRST = "distance", "⌊16 - 16 / (1 + d)⌋, with the distance d of its point in {points} from {eye}"
    if "depth" in MAJOR or "eye" in MAJOR:
        BY += ", the farthest" if ORDER == "farthest first" else ", the nearest"
    else:
        BY += ", the highest" if ORDER == "highest first" else ", the lowest"
    BY += " first"
    TURNED = "; take 15 less this" if ORDER in ("farthest first", "highest first") else ""
    HIDE = "Add 16 if {hidden} is 1, so that hidden items come last. " if "hidden" in GIVEN else ""
    LEADING = "this number" if "hidden" in GIVEN else "the major number"
    PACKED = {
        "index": "n + i for item i, with the length n of {keys}",
        "layer": "16 + `{layers}[i]`",
        "score": "16 + ⌊16·`{scores}[i]`⌋, the last term at most 15",
    }[MINOR]
    TALLY = ""
    if "counts" in GIVEN:
        TALLY = " {counts} starts at zero and gets the number of items with each major number."

    @c.kernel(n)
    def kernel(
        materials: wp.array[int] = input(n, low=0, high=15),
        points: wp.array[wp.vec3] = input(n, low=0.1, high=3.0),
        eye: wp.vec3 = input(low=-0.5, high=0.5),
        layers: wp.array[int] = input(n, low=0, high=15),
        scores: wp.array[float] = input(n, low=0.0, high=1.0),
        hidden: wp.array[int] = input(n, low=0, high=1),
        keys: wp.array[int] = output(n),
        counts: wp.array[int] = output(16),
    ):
        i = wp.tid()
        if "depth" in MAJOR:
            p = points[i]
            major = quantised(p[2] / DEEPEST)
        elif MAJOR == "grid row":
            p = points[i]
            major = int(p[1] / CELL)
        elif "eye" in MAJOR:
            away = wp.length(points[i] - eye)
            # finer steps for what is near
            major = int(16.0 - 16.0 / (1.0 + away))
        else:
            major = materials[i]
        if MINOR == "layer":
            minor = layers[i]
        elif MINOR == "score":
            minor = quantised(scores[i])
        if ORDER in ("farthest first", "highest first"):
            major = 15 - major
        if GIVEN == "; hidden items last":
            leading = (hidden[i] << 4) | major
        else:
            leading = major
        if MINOR == "index":
            keys[i] = leading * keys.shape[0] + i
        else:
            keys[i] = (leading << 4) | minor
        if "counts" in GIVEN:
            wp.atomic_add(counts, major, 1)
