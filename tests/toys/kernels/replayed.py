"""Kernels with loops that Warp does not run again: whose gradients are right, and whose are wrong."""

from __future__ import annotations

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.types import FLOAT, INT

LAUNCH = (4,)


def signature() -> ir.Signature:
    unit, size = Interval(-1.0, 1.0), (13,)
    arguments = (
        ir.Argument("x", FLOAT, "input", size, unit),
        ir.Argument("y", FLOAT, "input", size, unit),
        ir.Argument("c", INT, "output", size, Interval(0, 1)),
        ir.Argument("n", INT, "input", (), Interval(3, 5)),
        ir.Argument("o", FLOAT, "output", size, unit),
    )
    return ir.Signature("k", arguments, LAUNCH)


KERNEL = """import warp as wp


@wp.func
def count(n: int) -> float:
    a = float(5.0)
    for j in range(n):
        a += 1.0
    return a


@wp.kernel
def k(x: wp.array[float], y: wp.array[float], c: wp.array[int], n: int, o: wp.array[float]):
    i = wp.tid()
    c[i + 4] = i + 1
"""


def kernel(body: str) -> str:
    return KERNEL + "\n".join(f"    {line}" for line in body.strip("\n").split("\n")) + "\n"


RIGHT = {
    "a sum": """
a = float(0.0)
for j in range(n):
    a = a + 2.0 * x[j]
o[i] = a""",
    "what was computed from a sum's start": """
a = float(3.0)
b = (a + 1.0) * x[i]
if a > 1.0:
    b += y[i]
for j in range(n):
    a += x[j]
o[i] = a + b""",
    "a sum's start that is another variable": """
a = float(3.0)
b = a * x[i]
a = float(1.0)
for j in range(n):
    a += x[j]
o[i] = a + b""",
    "what is computed anew in every iteration": """
a = float(0.0)
t = float(0.0)
for j in range(n):
    t = x[j] * y[j]
    a += t * t
o[i] = a""",
    "what is assigned anew behind the loop": """
a = float(0.0)
for j in range(n):
    a += 1.0
a = y[i]
o[i] = a * x[i]""",
    "a product with what a function's loop gives": "o[i] = count(n) * x[i]",
    "a count that only compares": """
a = float(0.0)
for j in range(n):
    a += x[j]
if a * x[i] > 1.0:
    c[i] = 1
o[i] = x[i]""",
    "a search for a whole number, left by break": """
for j in range(n):
    if x[j] > 0.5:
        c[i] = j
        break
o[i] = x[i] * x[i]""",
    "a while loop that adds up": """
a = x[i] * y[i]
j = int(0)
while j < n:
    a += 2.0
    j += 1
o[i] = a""",
    "a continue before any work": """
a = float(0.0)
for j in range(n):
    if j == i:
        continue
    a += x[j] * x[j]
o[i] = a""",
    "a dividend that a loop changes": """
a = x[i]
b = a / (y[i] + 3.0)
for j in range(n):
    a += 1.0
o[i] = a + b""",
    "a function's operand that a loop changes": """
a = x[i]
b = wp.exp(a)
for j in range(n):
    a += 1.0
o[i] = a + b""",
    "a short loop that is unrolled": """
a = float(1.0)
for j in range(12):
    a = a * x[j]
o[i] = a""",
}
WRONG = {
    "a sum's start, a factor before the loop": """
a = float(3.0)
b = a * x[i]
for j in range(n):
    a += x[j]
o[i] = a + b""",
    "an index before the loop that counts": """
m = int(0)
b = x[m] * y[i]
for j in range(n):
    m += 1
c[i] = m
o[i] = b""",
    "a product with a sum beside a stiff term": """
a = float(0.0)
for j in range(n):
    a += x[0]
o[i] = 20000.0 * x[i + 1] + a * x[0]""",
    "the number of iterations of a loop": """
m = int(0)
for j in range(n):
    m += 1
a = float(0.0)
for j in range(m):
    a += x[j]
o[i] = a""",
    "where an output is stored": """
m = int(0)
for j in range(n):
    m += 1
o[m] = x[i]""",
    "where an atomic adds": """
m = int(0)
for j in range(n):
    m += 1
wp.atomic_add(o, m, x[i])""",
    "a flag": """
done = int(0)
a = float(0.0)
for j in range(n):
    if done == 0:
        a += x[j] * x[j]
    if x[j] > 0.5:
        done = 1
o[i] = a""",
    "a divisor that a loop changes": """
a = x[i] + 3.0
b = y[i] / a
for j in range(n):
    a += 1.0
o[i] = a + b""",
    "a condition that a loop changes": """
above = x[i] > 0.0
b = wp.where(above, 2.0 * x[i], y[i])
for j in range(n):
    above = not above
o[i] = b
c[i] = wp.where(above, 1, 0)""",
    "the end of one iteration in the next": """
last = float(0.0)
a = float(0.0)
for j in range(n):
    a += x[j] * last
    last = y[j]
o[i] = a""",
}
