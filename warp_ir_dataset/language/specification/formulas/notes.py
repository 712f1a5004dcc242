"""Explanations of less common notation: one line each, added to texts that use it."""

from __future__ import annotations

from collections.abc import Mapping

from .parts import listed

# The order in which they are told.
NOTES: Mapping[str, str] = {
    "real": "a / b is the quotient of real numbers, also where a and b are integers.",
    "int": "int(x) is x without its fraction: int(-1.5) = -1.",
    "mod": "a mod b has the sign of a: (-3) mod 4 = -3.",
    "wrap": "Arithmetic of unsigned integers wraps around.",
    "unsigned": "uint32(x) and the like make an unsigned integer of x, without its fraction.",
    "float": "float(n) is n as a real number.",
    "size": "float32(x) and the like are x as a number of that size.",
    "narrow": "int32(x) and the like are the integer x in that size: its lowest bits.",
    "bitand": "a bitand b has the bits that are 1 in both.",
    "bitor": "a bitor b has the bits that are 1 in a, in b or in both.",
    "bitxor": "a bitxor b has the bits that are 1 in one of a and b.",
    "shift": "x << k and x >> k move the bits of x by k to the left and to the right.",
    "invert": "bitnot(x) flips every bit of x.",
    "bit_count": "bit_count(x) is the number of bits that are 1 in x.",
    "raw": "bits(x) is the integer with the bits of the float32 x; float_of_bits(n) is the reverse.",
    "sign": "sign(x) is -1 for x < 0 and 1 otherwise, also for 0.",
    "step": "step(x) is 1 for x < 0 and 0 otherwise.",
    "nonzero": "nonzero(x) is 0 for x = 0 and 1 otherwise.",
    "copysign": "copysign(a, b) is |a| with the sign of b.",
    "round": "round(x) is the nearest whole number; halves go away from 0.",
    "rint": "rint(x) is the nearest whole number; halves go to the even one.",
    "trunc": "trunc(x) is x without its fraction: trunc(-1.5) = -1.",
    "frac": "frac(x) is x minus its whole part, so it has the sign of x: frac(-1.25) = -0.25.",
    "degrees": "degrees(x) is x·180 / π.",
    "radians": "radians(x) is x·π / 180.",
    "lerp": "lerp(a, b, t) is a·(1 - t) + b·t.",
    "smoothstep": "smoothstep(a, b, x) is t·t·(3 - 2·t), where t is (x - a) / (b - a) kept within 0 and 1.",
    "erf": "erf is the error function.",
    "erfc": "erfc(x) is 1 - erf(x), where erf is the error function.",
    "erfinv": "erfinv is the inverse of the error function.",
    "erfcinv": "erfcinv(x) is y with 1 - erf(y) = x, where erf is the error function.",
    "finite": "isfinite(v): all components are; isnan(v), isinf(v): any component is.",
    "⊙": "⊙ multiplies component by component.",
    "⊘": "⊘ divides component by component.",
    "spread": "A number in front of ⊘ is divided by each component.",
    "each": "A number divided by a vector or matrix is divided by each component.",
    "normalize": "normalize(v) is v / ‖v‖, and 0 where v = 0.",
    "direction": "normalize(q) of a quaternion is q / ‖q‖, and (0, 0, 0, 1) where q = 0.",
    "smallest": "smallest(v) is the smallest component of v.",
    "largest": "largest(v) is the largest component of v.",
    "argmin": "argmin(v) is the first place of the smallest component of v, counted from 0.",
    "argmax": "argmax(v) is the first place of the largest component of v, counted from 0.",
    "norm1": "norm1(v) is the sum of the magnitudes of the components of v.",
    "huber": "huber(v, d) is ‖v‖² / 2 where ‖v‖ ≤ d, otherwise d·(‖v‖ - d / 2).",
    "pseudo_huber": "pseudo_huber(v, d) is d·sqrt(1 + ‖v‖² / d²).",
    "smooth": "smooth_normalize(v, d) is v / (d·sqrt(1 + ‖v‖² / d²)).",
    "entry": "m[r, c] is the entry of the matrix m in row r and column c, counted from 0.",
    "row": "m[r] is row r of the matrix m, counted from 0.",
    "outer": "outer(a, b) is the matrix with a[r]·b[c] in row r and column c.",
    "diag": "diag(v) is the diagonal matrix of v.",
    "diagonal": "diagonal(m) is the diagonal of m as a vector.",
    "skew": "skew(v) is the matrix with skew(v)·w = cross(v, w).",
    "ddot": "ddot(a, b) is the sum of the products of the entries of a and b in the same places.",
    "rows": "Matrices are written row by row.",
    "row_vector": "A vector times a matrix is a row vector times it.",
    "quaternion": "Quaternions are (x, y, z, w), w the real part.",
    "hamilton": "p·q of quaternions is their Hamilton product.",
    "rotate": "quat_rotate(q, v) rotates v: (2·w² - 1)·v + 2·dot(u, v)·u + 2·w·cross(u, v), for q = (u, w).",
    "rotate_inv": "quat_rotate_inv(q, v) rotates v back: (2·w² - 1)·v + 2·dot(u, v)·u - 2·w·cross(u, v),"
    " for q = (u, w).",
    "conjugate": "quat_inverse(q) is the conjugate (-x, -y, -z, w) of q.",
    "axis_angle": "quat_from_axis_angle(a, t) is (sin(t / 2)·a, cos(t / 2)).",
    "transform": "A transform t has a position t.p and a rotation t.q, a quaternion (x, y, z, w).",
    "after": "t·u of transforms is u first, then t: transform(quat_rotate(t.q, u.p) + t.p, t.q·u.q).",
    "moved": "transform_point(t, x) is quat_rotate(t.q, x) + t.p; of a 4×4 matrix its product with (x, 1).",
    "turned": "transform_vector(t, x) is quat_rotate(t.q, x); of a 4×4 matrix its product with (x, 0).",
    "undone": "transform_inverse(t) is transform(-quat_rotate(c, t.p), c) with c = quat_inverse(t.q).",
    "top": "spatial_top(s) is the vector of the first three components of s.",
    "bottom": "spatial_bottom(s) is the vector of the last three components of s.",
    "approx": "div_approx(a, b) is a / b, and may be a fast approximation.",
    "lower_bound": "lower_bound(a, x) is the first index of the sorted array a with a[index] ≥ x,"
    " or its last index if there is none; lower_bound(a, start, end, x) is that among the indices from start"
    " to end - 1.",
    "random": "Random functions advance the state that they are given, in a formula from left to right.",
    "identity": "identity(n) is the n×n identity matrix.",
    "empty": "A struct that is made of nothing, as S(), has zero in all its members.",
    "given": "An array is given unless a launch has None in its place.",
    "slice": "In an index, a:b are the indices from a to b - 1, and : are all.",
    "shape": "a.shape[d] is the size of a in dimension d, counted from 0.",
}


def told(used: set[str], builtins: set[str]) -> list[str]:
    """The notes for what was used, in their order: keys of `NOTES`, and with a ``*`` behind it what is used
    component by component. `builtins` are functions that go by Warp's own names."""
    lines = [text for key, text in NOTES.items() if key in used]
    spread = sorted(key[:-1] for key in used if key.endswith("*"))
    if spread:
        lines.append(
            f"{listed(spread)} of vectors {'work' if len(spread) > 1 else 'works'} component by component."
        )
    if builtins:
        lines.append(f"{listed(sorted(builtins))} {'are' if len(builtins) > 1 else 'is'} Warp's own.")
    return lines
