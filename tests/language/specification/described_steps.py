"""Bodies of small kernels, and the steps that describe them."""

from __future__ import annotations

STEPS = {
    "small locals are folded in": (
        "x = a[i]\ny = x * 2.0\no[i] = y + 1.0",
        "1. Set o[i] to a[i]·2 + 1.",
    ),
    "a local that is used often stays": (
        "x = wp.sin(a[i])\no[i] = x * x + x",
        "1. Let x = sin(a[i]).\n2. Set o[i] to x·x + x.",
    ),
    "a sum": (
        "x = float(0.0)\nfor k in range(n):\n    x += a[k] - b[i]\no[i] = x",
        "1. Set o[i] to the sum, over k from 0 to n - 1, of (a[k] - b[i]).",
    ),
    "a sum over a triangle": (
        "x = float(0.0)\nfor k in range(3):\n    for j in range(k + 1):\n        x -= a[j]\no[i] = x",
        "1. Set o[i] to minus the sum, over k from 0 to 2 and j from 0 to k, of a[j].",
    ),
    "a sum that leaves some out": (
        "x = float(0.0)\nfor k in range(4):\n    if a[k] < 1.0 or b[k] < 0.7:\n        continue\n"
        "    x += a[k]\no[i] = x",
        "1. Set o[i] to the sum, over k from 0 to 3 except where a[k] < 1 or b[k] < 0.7, of a[k].",
    ),
    "a sum that leaves out what is no element": (
        "x = int(0)\nfor k in range(i - 1, i + 2):\n    if k < 0 or k >= 8:\n        continue\n"
        "    if k == i:\n        continue\n    if c[k] > 2:\n        x += 1\no[i] = float(x)",
        "1. Set o[i] to the number of k from i - 1 to i + 1 with not (k < 0 or k ≥ 8) and k ≠ i and "
        "c[k] > 2.",
    ),
    "a count with a guard": (
        "x = int(0)\nfor k in range(i - 2, i + 1):\n    if k < 0:\n        continue\n"
        "    if c[k] > 2:\n        x += 1\no[i] = float(x)",
        "1. Set o[i] to the number of k from i - 2 to i with k ≥ 0 and c[k] > 2.",
    ),
    "a sum that starts somewhere": (
        "x = b[i] * 2.0\nfor k in range(4):\n    x += a[k]\no[i] = x",
        "1. Let x = b[i]·2.\n2. For each k from 0 to 3, add a[k] to x.\n3. Set o[i] to x.",
    ),
    "a count": (
        "x = int(0)\nfor k in range(4):\n    if a[k] > 1.0:\n        x += 1\no[i] = float(x)",
        "1. Set o[i] to the number of k from 0 to 3 with a[k] > 1.",
    ),
    "a product": (
        "x = float(1.0)\nfor k in range(1, 4):\n    x *= a[k]\no[i] = x",
        "1. Set o[i] to the product, over k from 1 to 3, of a[k].",
    ),
    "an extreme": (
        "x = a[0]\nfor k in range(1, 8):\n    x = wp.max(x, a[k])\no[i] = x * x",
        "1. Let x be the largest of a[0] and, for every k from 1 to 7, a[k].\n2. Set o[i] to x·x.",
    ),
    "a search": (
        "x = int(9)\nfor k in range(8):\n    if a[k] > b[i]:\n        x = k\n        break\no[i] = float(x)",
        "1. Set o[i] to the first k from 0 to 7 with a[k] > b[i], or 9 if there is none.",
    ),
    "state that is carried": (
        "x = a[i]\nfor k in range(3):\n    x = x * 0.5 + b[k]\no[i] = x",
        "1. Let x = a[i].\n2. For each k from 0 to 2, in order, set x to x·0.5 + b[k].\n3. Set o[i] to x.",
    ),
    "an index nobody looks at": (
        "x = a[i]\nfor k in range(3):\n    x = wp.sin(x)\no[i] = x",
        "1. Let x = a[i].\n2. Repeat 3 times: set x to sin(x).\n3. Set o[i] to x.",
    ),
    "a bound that the loop changes": (
        "x = n\nfor k in range(x):\n    x -= 1\n    o[k] = float(x)",
        "1. Let the integer x = n.\n"
        "2. For each k from 0 to x - 1, in order, its end as it is before the loop:\n"
        "   2.1. Subtract 1 from x.\n   2.2. Set o[k] to x.",
    ),
    "loops in steps, and down": (
        "x = a[i]\nfor k in range(0, 7, 2):\n    x = x * b[k] + 1.0\n"
        "for j in range(n, -1, -3):\n    x = x * b[j] + 2.0\no[i] = x",
        "1. Let x = a[i].\n"
        "2. For each k from 0 in steps of 2 while below 7, in order, set x to x·b[k] + 1.\n"
        "3. For each j from n in steps of -3 while above -1, in order, set x to x·b[j] + 2.\n"
        "4. Set o[i] to x.",
    ),
    "loops from and to a remainder, or bits": (
        "x = a[i]\nfor k in range(n % 2, 8, 2):\n    x = x * b[k] + 1.0\n"
        "for j in range(c[i] & 3):\n    x = x * b[j] + 2.0\nfor _k in range(n % 3):\n    x = x * 0.5 + 1.0\n"
        "o[i] = x",
        "1. Let x = a[i].\n"
        "2. For each k from n mod 2 in steps of 2 while below 8, in order, set x to x·b[k] + 1.\n"
        "3. For each j from 0 to (c[i] bitand 3) - 1, in order, set x to x·b[j] + 2.\n"
        "4. Repeat n mod 3 times: set x to x·0.5 + 1.\n5. Set o[i] to x.",
    ),
    "while": (
        "x = a[i]\nk = int(0)\nwhile x > 0.3 and k < 5:\n    x *= 0.5\n    k += 1\no[i] = x + float(k)",
        "1. Let x = a[i].\n2. Let the integer k = 0.\n3. As long as x > 0.3 and k < 5, repeat:\n"
        "   3.1. Multiply x by 0.5.\n   3.2. Add 1 to k.\n4. Set o[i] to x + k.",
    ),
    "leaving loops": (
        "x = a[i]\nfor k in range(5):\n    if x > 1.4:\n        break\n"
        "    if b[k] < 1.0:\n        continue\n    x += b[k]\no[i] = x",
        "1. Let x = a[i].\n2. For each k from 0 to 4, in order:\n   2.1. If x > 1.4, leave the loop over k.\n"
        "   2.2. If b[k] < 1, go on with the next k.\n   2.3. Add b[k] to x.\n3. Set o[i] to x.",
    ),
    "guards": (
        "if i >= n:\n    return\no[i] = a[i]",
        "1. Threads with i ≥ n do nothing.\n2. Set o[i] to a[i].",
    ),
    "two cases": (
        "x = a[i]\nif b[i] > 1.0:\n    x = x * 2.0\no[i] = x",
        "1. Set o[i] to a[i]·2 if b[i] > 1, otherwise a[i].",
    ),
    "many cases": (
        "x = float(0.0)\nif c[i] == 0:\n    x = a[i]\nelif c[i] == 1:\n    if b[i] > 1.0:\n        x = 2.0\n"
        "    else:\n        x = 3.0\nelse:\n    x = b[i]\no[i] = x",
        "1. Set o[i] to\n   - if c[i] = 0: a[i]\n   - else if c[i] = 1 and b[i] > 1: 2\n"
        "   - else if c[i] = 1: 3\n   - otherwise: b[i]",
    ),
    "a local that is born in branches": (
        "if b[i] > 1.0:\n    x = a[i] * 2.0\nelif b[i] > 0.7:\n    x = 3.0\nelse:\n    x = b[i]\n"
        "o[i] = x * x",
        "1. Let x =\n   - if b[i] > 1: a[i]·2\n   - else if b[i] > 0.7: 3\n   - otherwise: b[i]\n"
        "2. Set o[i] to x·x.",
    ),
    "branches that do different things": (
        "if b[i] > 1.0:\n    o[i] = a[i]\nelse:\n    s[i] += a[i]\n    o[i] = 2.0",
        "1. If b[i] > 1, set o[i] to a[i].\n2. Otherwise:\n   2.1. Add a[i] to s[i].\n   2.2. Set o[i] to 2.",
    ),
    "atomics, and the thread's own element": (
        "s[i] += a[i]\ns[0] -= b[i]\nwp.atomic_max(s, 1, a[i])",
        "1. Add a[i] to s[i].\n2. Atomically subtract b[i] from s[0].\n"
        "3. Atomically set s[1] to max(itself, a[i]).",
    ),
    "few brackets": (
        "o[i] = -(a[i] * b[i]) / (a[i] / (b[i] + 1.0)) - (a[i] - b[i]) - (a[i] + (b[i] - 2.0)) * -3.0",
        "1. Set o[i] to -a[i]·b[i] / (a[i] / (b[i] + 1)) - (a[i] - b[i]) - (a[i] + b[i] - 2)·(-3).",
    ),
    "signs and bits": (
        "o[i] = float((c[i] % 3 + 1) & (c[i] | 4)) + wp.abs(wp.abs(a[i]) - 1.0)",
        "1. Set o[i] to (((c[i] mod 3) + 1) bitand (c[i] bitor 4)) + abs(|a[i]| - 1).",
    ),
    "a magnitude is taken once": (
        "x = wp.abs(a[i] - 1.0)\no[i] = wp.exp(-wp.abs(x))",
        "1. Set o[i] to exp(-|a[i] - 1|).",
    ),
    "an extreme that starts with a choice": (
        "x = a[0] if n > 3 else 0.7\nfor k in range(8):\n    x = wp.max(x, b[k])\no[i] = x",
        "1. Let x = a[0] if n > 3, otherwise 0.7.\n"
        "2. For each k from 0 to 7, in order, set x to max(x, b[k]).\n3. Set o[i] to x.",
    ),
    "truth values that are compared": (
        "if (a[i] > 1.0) != (b[i] > 1.0) and (c[i] == 2) == (i > 3):\n    o[i] = 1.0",
        "1. If (a[i] > 1) differs from (b[i] > 1) and (c[i] = 2) equals (i > 3), set o[i] to 1.",
    ),
    "a comparison that has a name": (
        "x = c[i] == 2\nif n > 5:\n    x = not x\nif x:\n    o[i] = 1.0\nif x or n == 3:\n    s[i] = 2.0",
        "1. Let the truth value x = (c[i] = 2).\n2. If n > 5, set x to not x.\n3. If x, set o[i] to 1.\n"
        "4. If x or n = 3, set s[i] to 2.",
    ),
    "logic": (
        "if not (a[i] > 1.0 and b[i] > 1.0) and (i < n or i == 5):\n    o[i] = 1.0",
        "1. If not (a[i] > 1 and b[i] > 1) and (i < n or i = 5), set o[i] to 1.",
    ),
    "scaling is no vector of one number": (
        "v[i] = wp.vec3(a[i]) + wp.vec3(1.0) + wp.cw_mul(v[i], wp.vec3(1.0, 2.0, 3.0))",
        "1. Set v[i] to a[i]·(1, 1, 1) + (1, 1, 1) + v[i] ⊙ (1, 2, 3).",
    ),
    "a search for whether there is one": (
        "x = 1.0\nfor k in range(8):\n    if a[k] > b[i]:\n        x = 0.0\n        break\no[i] = x",
        "1. Set o[i] to 0 if there is a k from 0 to 7 with a[k] > b[i], otherwise 1.",
    ),
    "a loop as often as an argument says": (
        "x = a[i]\nfor _k in range(n):\n    if x > 1.2:\n        break\n    if x < 0.6:\n        x += 0.3\n"
        "        continue\n    x *= 1.1\no[i] = x",
        "1. Let x = a[i].\n2. Repeat n times:\n   2.1. If x > 1.2, leave this loop.\n   2.2. If x < 0.6:\n"
        "      2.2.1. Add 0.3 to x.\n      2.2.2. Go on with the next round.\n   2.3. Multiply x by 1.1.\n"
        "3. Set o[i] to x.",
    ),
    "a loop whose times change in it": (
        "x = n\nfor _k in range(x):\n    x -= 2\n    s[i] += a[i]\no[i] = float(x)",
        "1. Let the integer x = n.\n"
        "2. For each _k from 0 to x - 1, its end as it is before the loop:\n"
        "   2.1. Subtract 2 from x.\n   2.2. Add a[i] to s[i].\n3. Set o[i] to x.",
    ),
    "an end of which only elements change": (
        "for k in range(s.shape[0]):\n    s[k] = s[k] * 0.5 + 1.0",
        "1. For each k from 0 to s.shape[0] - 1, set s[k] to s[k]·0.5 + 1.",
    ),
    "an end that is another array's afterwards": (
        "p = a\nfor k in range(p.shape[0]):\n    p = b\n    o[i] = p[k]",
        "1. Let the array of float32 p = a.\n"
        "2. For each k from 0 to p.shape[0] - 1, in order, its end as it is before the loop:\n"
        "   2.1. Set p to b.\n   2.2. Set o[i] to p[k].",
    ),
    "verbs for what a place becomes of itself": (
        "x = a[i]\nif b[i] > 1.0:\n    x = x / 2.0\n    x = x * (b[i] - 0.5)\n    s[i] = s[i] - x\no[i] = x",
        "1. Let x = a[i].\n2. If b[i] > 1:\n   2.1. Divide x by 2.\n"
        "   2.2. Multiply x by (b[i] - 0.5).\n   2.3. Subtract x from s[i].\n"
        "3. Set o[i] to x.",
    ),
    "what has no fraction stays as it is": (
        "o[i] = float(int(wp.floor(a[i] * 9.0)) % 4 + int(wp.round(b[i])) + int(a[i] * 5.0))",
        "1. Set o[i] to (⌊a[i]·9⌋ mod 4) + round(b[i]) + int(a[i]·5).",
    ),
    "what would be repeated often keeps its name": (
        "x = float(0.0)\nfor k in range(4):\n    t = a[k] - b[k]\n    if t > 0.1 and t < 0.9:\n"
        "        x += t\no[i] = x",
        "1. Let x = 0.\n2. For each k from 0 to 3:\n   2.1. Let t = a[k] - b[k].\n"
        "   2.2. If t > 0.1 and t < 0.9, add t to x.\n3. Set o[i] to x.",
    ),
    "random numbers where they are taken": (
        "state = wp.rand_init(n, i)\nx = wp.randf(state)\ny = wp.randf(state)\n"
        "v[i] = wp.vec3(x, y, 1.0) * 2.0\n"
        "z = wp.randn(state)\nif z < 0.5:\n    o[i] = z",
        "1. Let the uint32 state = wp.rand_init(n, i).\n"
        "2. Set v[i] to (wp.randf(state), wp.randf(state), 1)·2.\n3. Let z = wp.randn(state).\n"
        "4. If z < 0.5, set o[i] to z.",
    ),
    "random numbers that are taken in another order": (
        "state = wp.rand_init(n, i)\nx = wp.randf(state)\ny = wp.randf(state)\no[i] = y - x",
        "1. Let the uint32 state = wp.rand_init(n, i).\n2. Let x = wp.randf(state).\n"
        "3. Set o[i] to wp.randf(state) - x.",
    ),
    "a random number that is taken in a condition": (
        "state = wp.rand_init(n, i)\nx = wp.randf(state)\nif x < 0.5:\n    o[i] = wp.randf(state)",
        "1. Let the uint32 state = wp.rand_init(n, i).\n"
        "2. If wp.randf(state) < 0.5, set o[i] to wp.randf(state).",
    ),
    "a sorted array without what is looked for": (
        "o[i] = float(wp.lower_bound(a, 2.0) + 10 * wp.lower_bound(a, 2, 5, 9.0))",
        "1. Set o[i] to lower_bound(a, 2) + 10·lower_bound(a, 2, 5, 9).",
    ),
    "a sum that is written as an assignment": (
        "x = float(0.0)\nfor k in range(n):\n    x = a[k] * 0.5 + x\no[i] = x",
        "1. Set o[i] to the sum, over k from 0 to n - 1, of a[k]·0.5.",
    ),
    "scaling, but for matrices": (
        "q = wp.mat22(a[i], 1.0, b[i], 0.0)\nx = v[i]\nif a[i] < 1.0:\n    x = b[i] * x\n    q = q * q\n"
        "    q = q / 2.0\n    q *= q\nv[i] = x * q[0, 1]",
        "1. Let the 2×2 matrix q = ((a[i], 1), (b[i], 0)).\n2. Let the 3-vector x = v[i].\n3. If a[i] < 1:\n"
        "   3.1. Multiply x by b[i].\n   3.2. Set q to q·q.\n   3.3. Divide q by 2.\n   3.4. Set q to q·q.\n"
        "4. Set v[i] to x·q[0, 1].",
    ),
    "numbers that are drawn in order": (
        "state = wp.rand_init(i)\nfor k in range(3):\n    x = wp.randf(state)\n    s[k] = x * 0.0",
        "1. Let the uint32 state = wp.rand_init(i).\n"
        "2. For each k from 0 to 2, in order, set s[k] to wp.randf(state)·0.",
    ),
    "a sum of no vectors": (
        "x = wp.vec3(0.0, 0.0, 0.0)\nfor k in range(8):\n    if a[k] > 9.0:\n        x += v[k]\n"
        "v[i] = x * x[0]",
        "1. Let the 3-vector x be the sum, over k from 0 to 7 with a[k] > 9, of v[k].\n2. Set v[i] to x·x.x.",
    ),
    "a component that becomes something of itself": (
        "x = v[i]\nx.y = x.y - x[0]\nx[2] = 2.0 + x.z\nv[i] = x",
        "1. Let the 3-vector x = v[i].\n2. Subtract x.x from x.y.\n3. Add 2 to x.z.\n4. Set v[i] to x.",
    ),
    "what an earlier loop left behind": (
        "x = float(0.0)\nfor k in range(3):\n    y = a[k]\n    x += y * y + wp.sin(y)\nfor k in range(3):\n"
        "    z = y * 2.0\n    y = b[k]\n    x -= y + z * y\no[i] = x",
        "1. Let x = 0.\n2. For each k from 0 to 2, in order:\n   2.1. Let y = a[k].\n"
        "   2.2. Add y·y + sin(y) to x.\n"
        "3. For each k from 0 to 2, in order:\n   3.1. Let z = y·2.\n   3.2. Let y = b[k].\n"
        "   3.3. Subtract y + z·y from x.\n4. Set o[i] to x.",
    ),
    "elements that no other round touches": (
        "for k in range(3):\n    s[k] = s[k] * b[k] + 1.0\nfor k in range(3):\n    o[k] *= 0.0\n"
        "for k in range(3):\n    s[k] = s[k + 1] * 0.0",
        "1. For each k from 0 to 2, set s[k] to s[k]·b[k] + 1.\n"
        "2. For each k from 0 to 2, multiply o[k] by 0.\n"
        "3. For each k from 0 to 2, in order, set s[k] to s[k + 1]·0.",
    ),
}
