"""Kernels whose threads meet nowhere by Warp's own text of them, and those of which that cannot be said."""

from __future__ import annotations

import re
import textwrap
from functools import cache

import pytest

from warp_ir_dataset.compilers import warp
from warp_ir_dataset.judge.python.settled import LONGEST, settled

pytestmark = pytest.mark.compile

ARGUMENTS = {
    "a": "wp.array[float]", "b": "wp.array2d[float]", "c": "wp.array[int]", "v": "wp.array[wp.vec3]",
    "n": "int", "x": "float", "o": "wp.array[float]", "p": "wp.array2d[float]", "q": "wp.array[int]",
    "w": "wp.array[wp.vec3]", "s": "wp.array[Pair]",
}  # fmt: skip
BEFORE = """
@wp.struct
class Pair:
    first: float
    second: float

@wp.func
def near(a: wp.array[float], k: int):
    return a[wp.max(k - 1, 0)]

@wp.func
def put(o: wp.array[float], k: int, x: float):
    o[k] = x

@wp.func
def add_to(o: wp.array[float], k: int, x: float):
    return wp.atomic_add(o, k, x)

@wp.func
def both(x: float, k: int):
    return x * 2.0, k + 1
"""
TWO = "i, j = wp.tid()\n"


@cache
def text_of(body: str) -> str:
    """What Warp makes of a kernel with this body, behind ``i = wp.tid()`` if it asks for none."""
    body = body if "wp.tid()" in body else f"i = wp.tid()\n{body}"
    named = re.findall(r"(?<![.\w])[a-z](?!\w)", body)
    arguments = ", ".join(f"{name}: {kind}" for name, kind in ARGUMENTS.items() if name in named)
    source = (
        f"import warp as wp\n{BEFORE}\n@wp.kernel\ndef k({arguments}):\n{textwrap.indent(body, '    ')}\n"
    )
    return warp.translate(source, "k", backward=False, cuda=False).cpu


def found(body: str) -> str | None:
    return settled(text_of(body), "k", 2 if TWO in body else 1)


APART = {
    "its own element": "o[i] = a[i]",
    "its own element, where it has one": "if i < n:\n    o[i] = a[i] * x",
    "none for some": "if i >= n:\n    return\no[i] = a[i]",
    "its own in two dimensions": f"{TWO}p[i, j] = b[j, i]",
    "its own the other way round": f"{TWO}p[j, i] = b[i, j]",
    "its own row": "for k in range(n):\n    p[i, k] = b[i, k]",
    "any of its own row": "p[i, c[i]] = 1.0",
    "its own in place": "o[i] = o[i] * 2.0",
    "its own, added to": "o[i] += a[i]",
    "its own, added to, and read": "o[i] += a[i]\np[i, 0] = o[i]",
    "its own row in place": "for k in range(n - 1):\n    p[i, k + 1] += p[i, k]",
    "sums": "for k in range(n):\n    wp.atomic_add(o, k, a[i])",
    "sums and differences": "wp.atomic_add(o, c[i], a[i])\nwp.atomic_sub(o, 0, a[i])",
    "a maximum": "wp.atomic_max(q, 0, c[i])",
    "a neighbour, by a function": "o[i] = near(a, i)",
    "several results": "y, k = both(a[i], i)\nif k < n:\n    o[i] = y",
    "a search": "t = float(0.0)\nk = int(0)\nwhile k < n and a[k] < x:\n    t += a[k]\n    k += 1\no[i] = t",
    "random numbers": "r = wp.rand_init(n, i)\no[i] = wp.randf(r)",
    "vectors": "u = v[i]\nu[1] = x\nw[i] = wp.normalize(u)",
    "an index that is copied": "k = int(i)\nq[i] = k",
    "a part of a vector": "u = v[i]\nfor k in range(n):\n    u[k] = u[k - 1] + x\nw[i] = u",
}  # fmt: skip

MEET = {
    "one place": "o[0] = a[i]",
    "one place, which is an argument": "o[n] = a[i]",
    "no index at all": "k = 0 * wp.tid()\no[k] = 1.0",
    "pairs": "o[i / 2] = a[i]",
    "pairs, rounded down": "o[i // 2] = a[i]",
    "a cycle": "o[i % n] = a[i]",
    "any place": "o[c[i]] = a[i]",
    "the next one as well": "o[i] = a[i]\nif i + 1 < n:\n    o[i + 1] = 0.0",
    "later ones": "for k in range(i, n):\n    o[k] = a[i]",
    "a neighbour in place": "o[i] = o[wp.max(i - 1, 0)] + a[i]",
    "a neighbour in place, by a function": "o[i] = near(o, i)",
    "its own and a sum of all": "o[i] = a[i]\nwp.atomic_add(o, 0, a[i])",
    "a sum that is read": "wp.atomic_add(o, 0, a[i])\np[i, 0] = o[0]",
    "a sum that is read before": "t = o[0]\nwp.atomic_add(o, 0, t)",
    "a sum whose result is used": "k = wp.atomic_add(q, 0, 1)\no[k] = a[i]",
    "a sum whose result is used elsewhere": "t = wp.atomic_add(o, 0, a[i])\np[i, 0] = t",
    "a sum and a maximum": "wp.atomic_add(q, 0, c[i])\nwp.atomic_max(q, 0, c[i])",
    "a minimum and a maximum": "wp.atomic_min(q, 0, c[i])\nwp.atomic_max(q, 0, c[i])",
    "an exchange": "wp.atomic_exch(q, 0, c[i])",
    "an exchange that may fail": "wp.atomic_cas(q, 0, 0, c[i])",
    "a store in a function": "put(o, i, a[i])",
    "a store anywhere in a function": "put(o, 0, a[i])",
    "an atomic in a function": "p[i, 0] = add_to(o, 0, a[i])",
    "one index of two": f"{TWO}o[i] = b[i, j]",
    "one index of two, twice": f"{TWO}p[i, i] = b[i, j]",
    "two indices in two orders": f"{TWO}p[i, j] = 1.0\np[j, i] = 2.0",
    "two indices in one": f"{TWO}o[i * n + j] = b[i, j]",
    "an index that overflows": "o[i * 65536 * 65536] = a[i]",
    "its own row, and a column": "p[i, 0] = a[i]\np[0, i] = a[i]",
    "an index that a loop changes": "for k in range(n):\n    i += 1\no[i] = a[0]",
    "an index that a branch changes": "if n > 3:\n    i = 0\no[i] = a[0]",
    "an index that a loop sets": "for k in range(n):\n    i = k\n    o[i] = a[0]",
    "an index of a part": "k = wp.uint8(i)\no[int(k)] = a[0]",
    "a view": "t = o[0:]\nt[0] = a[i]",
    "a view in place": "t = o[1:]\no[i] = t[i]",
    "a view of a row": f"{TWO}t = p[i]\nt[0] = a[j]",
    "one of two arrays": "t = o\nif n > 3:\n    t = a\nt[i] = 1.0\na[0] = 2.0",
    "structs": "t = s[i]\nt.first = a[i]\ns[0] = t",
    "a component": "w[0][1] = a[i]",
    "a component is added": "w[0][1] += a[i]",
    "a tile": "t = wp.tile_load(a, shape=1)\nwp.tile_store(o, t)",
    "a tile of single threads": "t = a[i] * x\nwp.tile_atomic_add(o, wp.tile_sum(wp.tile(t)))",
    "what is printed": "wp.printf('%d', i)\no[i] = a[i]",
    "what is asserted": "assert i >= 0, 'a'\no[i] = a[i]",
    "what is looked up": "o[wp.lower_bound(a, x)] = a[i]",
    "in half of the threads": "if i % 2 == 0:\n    o[i + 1] = a[i]\no[i] = 0.0",
}  # fmt: skip


@pytest.mark.parametrize("how", APART)
def test_what_meets_nowhere_is_settled(how: str) -> None:
    """And what is run instead is the same text, without comments, with what ends it in between."""
    text, made = text_of(APART[how]), found(APART[how])
    assert made is not None
    lines = [line.strip() for line in text.split("\n")]
    own = [line for line in lines if line and not line.startswith("//")]
    left = [line for line in made.split("\n") if line and "__builtin_trap" not in line]
    assert left == own
    accesses = len(re.findall(r"wp::(?:address|array_store|atomic_\w+)\(", made))
    parts = 2 if how == "a part of a vector" else 0  # the other parts are those that there are
    assert made.count("__builtin_trap()") == accesses + parts > 0


@pytest.mark.parametrize("how", MEET)
def test_what_may_meet_is_not_settled(how: str) -> None:
    assert found(MEET[how]) is None


def test_the_launch_has_as_many_indices() -> None:
    """Else several threads have one index."""
    text = text_of("o[i] = a[i]")
    assert settled(text, "k", 1) is not None
    assert settled(text, "k", 2) is None and settled(text, "other", 1) is None


OWN = "wp::array_store(var_o, var_0, var_2);"
FORGED = {  # what is changed in the text of ``o[i] = a[i]``, whose index is `var_0`
    "a comment that goes on": ("// o[i] = a[i]", "// o[i] = a[i] \\"),
    "a directive": (OWN, f"{OWN}\n#define var_0 0"),
    "a line of two": (OWN, f"{OWN} var_o.data[0] = 1.0f;"),
    "a pointer": (OWN, f"{OWN}\n    var_o.data[0] = 1.0f;"),
    "an index given before": ("var_0 = builtin_tid1d();", "var_0 = 0;\n    var_0 = builtin_tid1d();"),
    "an index given later": (OWN, f"var_0 = 0;\n    {OWN}"),
    "an index assigned": (OWN, f"wp::assign(var_0, var_0);\n    {OWN}"),
    "an index that is drawn": (OWN, f"wp::randi(var_0);\n    {OWN}"),
    "a small index": ("wp::int32 var_0;", "wp::uint8 var_0;"),
    "an index of a branch": ("var_0 = builtin_tid1d();", "if (var_3) {\n    var_0 = builtin_tid1d();\n    }"),
    "an index of a loop": ("var_0 = builtin_tid1d();", "start_for_0:;\n    var_0 = builtin_tid1d();"),
    "another variable of that name": (OWN, f"if (var_2) {{\n    wp::int32 var_0;\n    {OWN}\n    }}"),
    "a variable that stays": ("wp::int32 var_0;", "static wp::int32 var_0;"),
    "one array by two names": (
        "wp::array_t<wp::float32> var_o = _wp_args->o;",
        "wp::array_t<wp::float32> var_o = _wp_args->a;"),
    "an array that is copied": (OWN, f"var_a = var_o;\n    {OWN}"),
    "a pointer from before": ("var_1 = wp::address(var_a, var_0);", "if (var_2) {\n"
        "    var_1 = wp::address(var_a, var_0);\n    }"),
    "a constant of more": ("wp::int32 var_0;", "const bool var_9 = sizeof(k);\n    wp::int32 var_0;"),
    "a brace too many": (OWN, f"{OWN}\n    }}"),
    "a brace too few": (OWN, f"{OWN}\n    if (var_2) {{"),
    "a brace before": (OWN, f"}}\n    {OWN}\n    if (var_2) {{"),
    "no end": ("task_index < dim->size", "task_index < 2 * dim->size"),
    "an end before": ("size_t task_index = 0;", "size_t task_index = 1;"),
    "something behind": ("} // extern C", "} // extern C\nint a;"),
    "a template of ours": ("struct wp_args_k", "template <> int f<0>() { return 1; }\nstruct wp_args_k"),
    "a carriage return": (OWN, f"{OWN}\r"),
    "a page": (OWN, f"{OWN}\f"),
    "another letter": (OWN, OWN.replace("var_2", "var_２")),
    "a long text": (OWN, f"{OWN}\n// {'a' * LONGEST}"),
}  # fmt: skip


def test_the_forged_text_is_right_but_for_what_is_changed() -> None:
    text = text_of("o[i] = a[i]")
    assert all(text.count(was) == 1 for was, _ in FORGED.values())
    assert settled(text.replace(OWN, f"{OWN}\n    // more"), "k", 1) is not None


@pytest.mark.parametrize("how", FORGED)
def test_what_has_another_form_is_not_settled(how: str) -> None:
    assert settled(text_of("o[i] = a[i]").replace(*FORGED[how]), "k", 1) is None
