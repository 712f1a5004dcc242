"""Kernels of the plain language, each with the same written as ordinary Python: what it leaves for one input.

The Python functions change the arrays they are given, by leaf (``bodies.inner.v``), as threads one after
another would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from textwrap import dedent

import numpy as np

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.read import read

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """`shapes` of array arguments, and of member arrays by their dotted names; `domains` are [-2, 2] unless
    told."""

    source: str
    plain: Callable[[Arrays], None]
    shapes: Mapping[str, tuple[int, ...]]
    launch: tuple[int, ...] = (8,)
    domains: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "import warp as wp\n" + dedent(self.source)

    def program(self) -> ir.Program:
        program = read(self.text)
        arguments = tuple(
            replace(
                a,
                shape=self.shapes.get(a.name, ()),
                domain=Interval(*self.domains.get(a.name, (-2, 2))),
                member_shapes=tuple(
                    (name.removeprefix(f"{a.name}."), shape)
                    for name, shape in self.shapes.items()
                    if name.startswith(f"{a.name}.")
                ),
            )
            for a in program.arguments
        )
        signature = replace(program.signature, arguments=arguments, launch_dim=self.launch)
        return replace(program, signature=signature)


# ---- structs

BODIES = """
@wp.struct
class Inner:
    v: wp.vec3
    n: int

@wp.struct
class Body:
    x: float
    inner: Inner
"""

COPIES = (
    BODIES
    + """
@wp.func
def touch(b: Body) -> float:
    b.x = 100.0
    b.inner.v[0] = 7.0
    return b.x + b.inner.v[0]

@wp.kernel
def copies(bodies: wp.array(dtype=Body), o: wp.array2d(dtype=float)):
    i = wp.tid()
    s = Body()
    s.x = bodies[i].x
    b = s
    b.x = 5.0
    p = bodies[i]
    p.x = 9.0
    p.inner.v[1] += 2.0
    inner = p.inner
    inner.n = 70
    o[i, 0] = s.x + b.x
    o[i, 1] = bodies[i].x
    o[i, 2] = touch(p)
    o[i, 3] = p.x + p.inner.v[1] + p.inner.v[0]
    o[i, 4] = float(p.inner.n + inner.n + s.inner.n)
    bodies[i].inner.v[2] = 6.0
    bodies[i].inner.n += 4
    if i % 2 == 0:
        bodies[i] = p
    else:
        bodies[i].inner = inner
    p = bodies[i]
    o[i, 5] = p.inner.v[2]
"""
)


def copies(g: Arrays) -> None:
    x, v, n, o = g["bodies.x"], g["bodies.inner.v"], g["bodies.inner.n"], g["o"]
    for i in range(8):
        p_x, p_v, p_n = 9.0, v[i].copy(), n[i]
        p_v[1] += 2.0
        o[i, :5] = [x[i] + 5.0, x[i], 107.0, p_x + p_v[1] + p_v[0], p_n + 70]
        v[i, 2] = 6.0
        n[i] += 4
        if i % 2 == 0:
            x[i], v[i], n[i] = p_x, p_v, p_n
        else:
            v[i], n[i] = p_v, 70
        o[i, 5] = v[i, 2]


NEIGHBOURS = (
    BODIES
    + """
@wp.kernel
def neighbours(bodies: wp.array(dtype=Body), count: int):
    i = wp.tid()
    push = wp.vec3(0.0, 0.0, 0.0)
    for j in range(count):
        if j != i:
            push[0] += bodies[j].x - bodies[i].x
            push[j % 3] = push[j % 3] * 0.5
    bodies[i].inner.v += push
    bodies[i].inner.v[1] -= 1.0
    bodies[i].inner.v[2] *= 3.0
"""
)


def neighbours(g: Arrays) -> None:
    x, v = g["bodies.x"], g["bodies.inner.v"]
    for i in range(8):
        push = [0.0, 0.0, 0.0]
        for j in range(int(g["count"])):
            if j != i:
                push[0] += x[j] - x[i]
                push[j % 3] *= 0.5
        v[i] += push
        v[i, 1] -= 1.0
        v[i, 2] *= 3.0


GRIDS = """
@wp.struct
class Grid:
    cells: wp.array2d(dtype=float)
    marks: wp.array(dtype=wp.vec2)
    width: int
    scale: float

@wp.func
def total(grid: Grid, row: int) -> float:
    result = float(0.0)
    for column in range(grid.width):
        result += grid.cells[row, column]
    grid.marks[row][1] = result
    return result

@wp.kernel
def scaled(grid: Grid, other: wp.array(dtype=float), o: wp.array(dtype=float)):
    row = wp.tid()
    grid.cells[row, 0] = grid.cells[row, 1] * grid.scale
    o[row] = total(grid, row)
    local = Grid()
    local.marks = grid.marks
    local.cells = grid.cells
    local.width = 2
    o[row] += total(local, row) + float(local.marks.shape[0])
"""


def scaled(g: Arrays) -> None:
    cells, marks, width, o = g["grid.cells"], g["grid.marks"], int(g["grid.width"]), g["o"]
    for row in range(4):
        cells[row, 0] = cells[row, 1] * g["grid.scale"]
        o[row] = sum(cells[row, :width])
        marks[row, 1] = sum(cells[row, :2])
        o[row] += marks[row, 1] + 4.0


# ---- functions

FUNCTIONS = """
@wp.func
def put(target: wp.array(dtype=float), at: int, value: float):
    if value < 0.0:
        return
    target[at] = value

@wp.func
def halves(x: float, k: int):
    if k > 2:
        return x, k - 1
    return x * 0.5, k

@wp.func
def twice(x: float) -> float:
    return x + x

@wp.func
def twice(v: wp.vec2) -> wp.vec2:
    v[0] = v[0] + v[0]
    return v + wp.vec2(0.0, v[1])

@wp.kernel
def functions(a: wp.array(dtype=float), o: wp.array(dtype=float), q: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    x, k = halves(a[i], i)
    x, n = halves(x, k)
    v = wp.vec2(x, float(n))
    q[i] = twice(v) + v
    put(o, i, twice(x))
    if a[i] > 1.0:
        put(o, i, 50.0)
"""


def functions(g: Arrays) -> None:
    def halves(x: float, k: int) -> tuple[float, int]:
        return (x, k - 1) if k > 2 else (x * 0.5, k)

    for i in range(8):
        x, k = halves(g["a"][i], i)
        x, k = halves(x, k)
        g["q"][i] = [3 * x, 3 * k]
        if x >= 0:
            g["o"][i] = 2 * x
        if g["a"][i] > 1.0:
            g["o"][i] = 50.0


# ---- views

VIEWS = """
@wp.kernel
def views(m: wp.array2d(dtype=float), a: wp.array(dtype=float), o: wp.array2d(dtype=float), n: int):
    i = wp.tid()
    row = m[i]
    row[0] = row[1] + row[-1]
    part = a[i:n]
    o[i, 0] = float(part.shape[0])
    if part.shape[0] > 0:
        o[i, 1] = part[0] + part[-1]
    column = m[:, i % 3]
    o[i, 2] = column[2] * float(column.shape[0])
    back = a[6:0:-2]
    o[i, 3] = back[1] + float(back.shape[0])
    inner = a[1:100:2]
    last = inner[-2:]
    o[i, 4] = last[0] + float(last.shape[0] + a.shape[0] + m.shape[1])
    box = m[1:3, 1:]
    o[i, 5] = box[1, 0] + float(box.shape[1])
"""


def views(g: Arrays) -> None:
    m, a, o, n = g["m"], g["a"], g["o"], int(g["n"])
    for i in range(4):
        m[i, 0] = m[i, 1] + m[i, -1]
        part = a[i:n]
        o[i, 0] = len(part)
        if len(part):
            o[i, 1] = part[0] + part[-1]
        o[i, 2] = m[2, i % 3] * 4
        o[i, 3] = a[4] + 3
        o[i, 4] = a[1:100:2][-2] + 2 + 8 + 3
        o[i, 5] = m[2, 1] + 2


# ---- augmented assignment

OPERATORS = """
@wp.kernel
def operators(
    a: wp.array(dtype=float), k: wp.array(dtype=int), o: wp.array(dtype=float), p: wp.array2d(dtype=int)
):
    i = wp.tid()
    x = a[i]
    x += 1.5
    x *= 2.0
    x -= 0.25
    x /= 4.0
    x **= 2.0
    o[i] = x
    o[i] *= 3.0
    o[i] -= a[i]
    o[i] /= 2.0
    n = k[i]
    n += 7
    n *= 3
    n -= 40
    p[i, 0] = n
    n //= 4
    p[i, 1] = n
    p[i, 2] = k[i]
    p[i, 2] %= 3
    n &= 13
    n |= 2
    n ^= 7
    n <<= 2
    p[i, 3] = n
    n >>= 1
    p[i, 4] = n
    p[i, 5] = 9
    p[i, 5] //= 2
    p[i, 5] <<= 3
    v = wp.vec3(x, x, x)
    v *= 2.0
    v += wp.vec3(1.0, 2.0, 3.0)
    o[i] += v[2]
"""


def operators(g: Arrays) -> None:
    a, k, o, p = g["a"], g["k"], g["o"], g["p"]
    for i in range(8):
        x = (((a[i] + 1.5) * 2 - 0.25) / 4) ** 2
        o[i] = (x * 3 - a[i]) / 2 + 2 * x + 3
        n = (int(k[i]) + 7) * 3 - 40
        p[i, :3] = [n, n // 4, np.fmod(k[i], 3)]
        n = ((((n // 4) & 13) | 2) ^ 7) << 2
        p[i, 3:] = [n, n >> 1, 32]


SHARED = """
@wp.kernel
def shared(
    a: wp.array(dtype=float), o: wp.array(dtype=float), q: wp.array(dtype=wp.vec2), bits: wp.array(dtype=int)
):
    i = wp.tid()
    o[i % 3] += a[i]
    o[3] -= a[i] * 2.0
    q[i % 2][1] += a[i]
    q[0][0] -= 1.0
    q[2] += wp.vec2(a[i], 1.0)
    if a[i] > 0.0:
        bits[0] |= 1 << i
        bits[1] ^= i
        wp.atomic_add(o, 4, 1.0)
    wp.atomic_max(o, 5, a[i])
    wp.atomic_min(q, 3, wp.vec2(a[i], -a[i]))
"""


def shared(g: Arrays) -> None:
    a, o, q, bits = g["a"], g["o"], g["q"], g["bits"]
    for i in range(8):
        o[i % 3] += a[i]
        o[3] -= a[i] * 2.0
        q[i % 2, 1] += a[i]
        q[0, 0] -= 1.0
        q[2] += [a[i], 1.0]
        if a[i] > 0:
            bits[0] |= 1 << i
            bits[1] ^= i
            o[4] += 1
        o[5] = max(o[5], a[i])
        q[3] = np.minimum(q[3], [a[i], -a[i]])


# ---- threads that meet

COMPACTED = """
@wp.kernel
def compacted(
    a: wp.array(dtype=float),
    count: wp.array(dtype=int),
    kept: wp.array(dtype=int),
    seen: wp.array(dtype=float),
):
    i = wp.tid()
    if a[i] > 0.0:
        slot = wp.atomic_add(count, 0, 1)
        kept[slot] = i
    before = float(0.0)
    before = wp.atomic_max(seen, 8, a[i])
    seen[i] = before
    left = wp.atomic_sub(count, 1, i)
    if left > -6:
        count[2] += 1
"""


def compacted(g: Arrays) -> None:
    a, count, kept, seen = g["a"], g["count"], g["kept"], g["seen"]
    for i in range(8):
        if a[i] > 0:
            kept[count[0]] = i
            count[0] += 1
        seen[i] = seen[8]
        seen[8] = max(seen[8], a[i])
        count[2] += count[1] > -6
        count[1] -= i


PREFIX = """
@wp.kernel
def prefix(a: wp.array(dtype=float), o: wp.array(dtype=float)):
    i = wp.tid()
    if i > 0:
        o[i] = o[i - 1] + a[i]
    else:
        o[i] = a[i]
    o[8] = o[i]
    o[8] *= 2.0
"""


def prefix(g: Arrays) -> None:
    for i in range(8):
        g["o"][i] = (g["o"][i - 1] if i else 0.0) + g["a"][i]
    g["o"][8] = g["o"][7] * 2.0


CHOSEN = """
@wp.kernel
def chosen(a: wp.array(dtype=float), b: wp.array(dtype=float), n: int, o: wp.array(dtype=float)):
    i = wp.tid()
    x = a
    if i > n:
        x = b
    o[i] = x[i] * 2.0
"""


def chosen(g: Arrays) -> None:
    for i in range(8):
        g["o"][i] = g["b" if i > g["n"] else "a"][i] * 2.0


# ---- control flow

LOOPS = """
@wp.kernel
def loops(k: wp.array(dtype=int), o: wp.array2d(dtype=int)):
    i = wp.tid()
    total = int(0)
    for j in range(10, k[i], -3):
        if j == 4:
            continue
        total += j
    o[i, 0] = total
    n = k[i] + 3
    steps = int(0)
    for j in range(n):
        n = 1
        steps += j
        if steps > 4:
            break
    o[i, 1] = steps * 10 + n
    value = int(1)
    while True:
        value = value * 2 + i
        if value > 40:
            break
        if value % 3 == 0:
            continue
        o[i, 2] += 1
    for j in range(k[i] + 3):
        for t in range(j, 5):
            if t == i:
                break
            o[i, 3] += t
    while value > k[i]:
        value -= 7
    o[i, 4] = value
    for j in range(i, 40):
        if j * j > 30 + k[i]:
            o[i, 5] = j
            return
    o[i, 5] = -1
"""


def loops(g: Arrays) -> None:
    k, o = g["k"], g["o"]
    for i in range(8):
        o[i, 0] = sum(j for j in range(10, k[i], -3) if j != 4)
        steps, n = 0, k[i] + 3
        for j in range(n):
            n = 1
            steps += j
            if steps > 4:
                break
        o[i, 1] = steps * 10 + n
        value = 1
        while value <= 40:
            value = value * 2 + i
            o[i, 2] += value <= 40 and value % 3 != 0
        for j in range(k[i] + 3):
            for t in range(j, 5):
                if t == i:
                    break
                o[i, 3] += t
        while value > k[i]:
            value -= 7
        o[i, 4] = value
        o[i, 5] = next(j for j in range(i, 40) if j * j > 30 + k[i])


MASKED = """
@wp.kernel
def masked(a: wp.array(dtype=float), k: wp.array(dtype=int), o: wp.array(dtype=float)):
    i = wp.tid()
    x = a[i + 1] if i < 7 else -5.0
    if i > 2 and a[i - 3] > 0.0:
        x += a[i - 3]
    if i >= 6 or a[i + 2] < 0.0:
        x += 10.0
    if i < 6:
        x += a[i + 2]
        if k[i] != 0:
            x += float(12 / k[i])
            v = wp.vec2(x, 1.0)
            v[k[i] % 2] = 3.0
            x = v[0]
    j = i
    while j < 8 and a[j] < 1.0:
        j += 1
    o[i] = x + float(j) * 100.0
"""


def masked(g: Arrays) -> None:
    a, k = g["a"], g["k"]
    for i in range(8):
        x = a[i + 1] if i < 7 else -5.0
        if i > 2 and a[i - 3] > 0:
            x += a[i - 3]
        if i >= 6 or a[i + 2] < 0:
            x += 10.0
        if i < 6:
            x += a[i + 2]
            if k[i] != 0:
                x += 12 // k[i]
                x = x if k[i] % 2 else 3.0
        j = i
        while j < 8 and a[j] < 1:
            j += 1
        g["o"][i] = x + j * 100


# ---- numbers

UNSIGNED = """
@wp.func
def mixed(state: wp.uint32) -> wp.uint32:
    word = state * wp.uint32(747796405) + wp.uint32(12345)
    return (word >> wp.uint32(5)) ^ (word << wp.uint32(7))

@wp.kernel
def unsigned(k: wp.array(dtype=int), o: wp.array2d(dtype=wp.uint32), s: wp.array(dtype=int)):
    i = wp.tid()
    x = wp.uint32(k[i])
    o[i, 0] = x
    o[i, 1] = mixed(x)
    o[i, 2] = x + wp.uint32(4294967290)
    o[i, 3] += wp.uint32(4294967290)
    o[8, 0] += wp.uint32(1073741825)
    x *= wp.uint32(65537)
    x *= wp.uint32(65537)
    o[i, 4] = x
    o[i, 5] = ~x
    s[i] = wp.int32(mixed(x))
"""


def unsigned(g: Arrays) -> None:
    end = 2**32

    def mixed(state: int) -> int:
        word = (state * 747796405 + 12345) % end
        return (word >> 5) ^ (word << 7) % end

    for i in range(8):
        x, o = int(g["k"][i]) % end, g["o"]
        o[i, :3] = [x, mixed(x), (x - 6) % end]
        o[i, 3] = (o[i, 3] + 2**32 - 6) % end
        o[8, 0] = (o[8, 0] + 2**30 + 1) % end
        x = x * 65537**2 % end
        o[i, 4:] = [x, end - 1 - x]
        g["s"][i] = (mixed(x) + end // 2) % end - end // 2


NARROW = """
@wp.kernel
def narrow(
    k: wp.array(dtype=int),
    b: wp.array2d(dtype=wp.uint8),
    h: wp.array2d(dtype=wp.uint16),
    w: wp.array2d(dtype=wp.uint64),
    s: wp.array2d(dtype=wp.int8),
):
    i = wp.tid()
    x = wp.uint8(k[i])
    b[i, 0] = x * x
    b[i, 1] = x + wp.uint8(200)
    b[i, 2] = (x << wp.uint8(3)) ^ ~x
    b[i, 3] += wp.uint8(k[i])
    b[i, 4] = x // wp.uint8(7) + x % wp.uint8(7)
    y = wp.uint16(x) * wp.uint16(3001)
    h[i, 0] = y
    y += wp.uint16(k[i])
    h[i, 1] = y >> wp.uint16(2)
    z = wp.uint64(k[i]) * wp.uint64(2654435761)
    z = z * z + wp.uint64(12345)
    w[i, 0] = z
    w[i, 1] = (z >> wp.uint64(33)) ^ (z << wp.uint64(7))
    w[i, 2] = z % wp.uint64(1000003)
    s[i, 0] = wp.int8(k[i])
    s[i, 1] = wp.int8(wp.uint8(k[i]) + wp.uint8(100))
"""


def narrow(g: Arrays) -> None:
    for i, k in enumerate(g["k"].tolist()):
        x, b, h, w = k % 256, g["b"], g["h"], g["w"]
        b[i, 3] = (b[i, 3] + k) % 256
        b[i, :3] = [x * x % 256, (x + 200) % 256, (x << 3) % 256 ^ (255 - x)]
        b[i, 4] = x // 7 + x % 7
        y = x * 3001 % 2**16
        h[i] = [y, (y + k) % 2**16 >> 2]
        z = k * 2654435761 % 2**64
        z = (z * z + 12345) % 2**64
        w[i] = [z, (z >> 33) ^ (z << 7) % 2**64, z % 1000003]
        g["s"][i] = [(k + 128) % 256 - 128, (k + 100 + 128) % 256 - 128]


MATRICES = """
@wp.kernel
def matrices(a: wp.array(dtype=float), o: wp.array(dtype=wp.mat22), q: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    m = wp.mat22(a[0], a[1], a[2], a[i])
    m[0] = wp.vec2(a[3], a[4])
    m[1, i % 2] = 7.0
    m[i % 2, 1] += 1.0
    n = m
    n[0, 0] = 50.0
    o[i] = m
    o[i][1] = wp.vec2(0.5, 0.25)
    o[i][0, 1] *= 2.0
    o[i] += n
    v = wp.vec3(a[i], 1.0, 2.0)
    v[i % 3] = a[7]
    v.y += 3.0
    q[i] = v
    q[i].x = v.z + q[i].y
"""


def matrices(g: Arrays) -> None:
    a, o, q = g["a"], g["o"], g["q"]
    for i in range(2):
        for _ in range(3):  # a launch of 2 by 3, and one name for its first dimension
            m = np.array([[a[3], a[4]], [a[2], a[i]]])
            m[1, i] = 7.0
            m[i, 1] += 1.0
            n = m.copy()
            n[0, 0] = 50.0
            o[i] = [[m[0, 0], m[0, 1] * 2], [0.5, 0.25]]
            o[i] += n
            v = np.array([a[i], 1.0, 2.0])
            v[i] = a[7]
            v[1] += 3.0
            q[i] = [v[2] + v[1], v[1], v[2]]


POSES = """
@wp.struct
class Link:
    pose: wp.transform
    turn: wp.quat

@wp.kernel
def poses(a: wp.array(dtype=wp.transform), links: wp.array(dtype=Link), o: wp.array(dtype=float)):
    i = wp.tid()
    t = a[i]
    t.p = t.p * 2.0
    t.p = t.p + wp.vec3(0.0, 0.5, 0.0)
    q = t.q
    q.x = 0.25
    q.y = 0.75
    links[i].pose = t
    links[i].turn = q
    links[i].pose.p.x += 3.0
    links[i].pose.q.z = t.q.w
    o[i] = t.p[1] + q.w + links[i].turn.x
    a[i].p = wp.vec3(o[i], 1.0, 2.0)
"""


def poses(g: Arrays) -> None:
    a, pose, turn, o = g["a"], g["links.pose"], g["links.turn"], g["o"]
    for i in range(8):
        t = a[i].copy()
        t[:3] *= 2
        t[1] += 0.5
        turn[i] = [0.25, 0.75, t[5], t[6]]
        pose[i] = t
        pose[i, 0] += 3.0
        pose[i, 5] = t[6]
        o[i] = t[1] + t[6] + 0.25
        a[i, :3] = [o[i], 1.0, 2.0]


REST = """
from enum import IntEnum

SCALE = wp.constant(2.5)
SIZE = 3

class Mode(IntEnum):
    SLOW = 2
    FAST = 5

@wp.kernel
def rest(a: wp.array(dtype=float), o: wp.array(dtype=float)):
    # where it is
    i = wp.tid()
    x = a[i] * SCALE + float(Mode.FAST)
    if -1.0 < a[i] <= 1.0 < x:
        pass
    else:
        x += 100.0
    assert x > -1000.0
    for j in range(SIZE):
        x += float(j)
    if i < 0:
        wp.printf("%d\\n", i)
    o[i] = x
"""


def rest(g: Arrays) -> None:
    for i in range(8):
        x = g["a"][i] * 2.5 + 5
        if not -1.0 < g["a"][i] <= 1.0 < x:
            x += 100.0
        g["o"][i] = x + 3


CASES: Mapping[str, Case] = {
    "copies": Case(COPIES, copies, {"bodies": (8,), "o": (8, 6)}),
    "neighbours": Case(NEIGHBOURS, neighbours, {"bodies": (8,)}, domains={"count": (3, 8)}),
    "grids": Case(
        GRIDS,
        scaled,
        {"grid.cells": (4, 3), "grid.marks": (4,), "other": (2,), "o": (4,)},
        (4,),
        {"grid": (1, 3)},
    ),
    "functions": Case(FUNCTIONS, functions, {"a": (8,), "o": (8,), "q": (8,)}),
    "views": Case(VIEWS, views, {"m": (4, 3), "a": (8,), "o": (4, 6)}, (4,), {"n": (-3, 9)}),
    "operators": Case(
        OPERATORS, operators, {"a": (8,), "k": (8,), "o": (8,), "p": (8, 6)}, domains={"k": (-9, 9)}
    ),
    "shared": Case(
        SHARED, shared, {"a": (8,), "o": (6,), "q": (4,), "bits": (2,)}, domains={"bits": (0, 99)}
    ),
    "compacted": Case(
        COMPACTED,
        compacted,
        {"a": (8,), "count": (3,), "kept": (8,), "seen": (9,)},
        domains={"count": (0, 0)},
    ),
    "prefix": Case(PREFIX, prefix, {"a": (8,), "o": (9,)}),
    "chosen": Case(CHOSEN, chosen, {"a": (8,), "b": (8,), "o": (8,)}, domains={"n": (0, 7)}),
    "loops": Case(LOOPS, loops, {"k": (8,), "o": (8, 6)}),
    "masked": Case(MASKED, masked, {"a": (8,), "k": (8,), "o": (8,)}, domains={"k": (0, 3)}),
    "unsigned": Case(
        UNSIGNED, unsigned, {"k": (8,), "o": (9, 6), "s": (8,)}, domains={"k": (-5, 9**9), "o": (0, 9)}
    ),
    "narrow": Case(
        NARROW,
        narrow,
        {"k": (8,), "b": (8, 5), "h": (8, 2), "w": (8, 3), "s": (8, 2)},
        domains={"k": (0, 9**9), "b": (0, 255)},
    ),
    "poses": Case(POSES, poses, {"a": (8,), "links": (8,), "o": (8,)}),
    "matrices": Case(MATRICES, matrices, {"a": (8,), "o": (2,), "q": (2,)}, (2, 3)),
    "rest": Case(REST, rest, {"a": (8,), "o": (8,)}),
}
