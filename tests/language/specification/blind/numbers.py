"""Arithmetic as the notes of a specification explain it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .tokens import Undefined

Value = Any


def is_vector(value: Value) -> bool:
    return isinstance(value, np.ndarray)


def _to_float(value: Value) -> Value:
    return value.astype(float) if is_vector(value) else float(value)


def _unsigned(value: Value) -> np.dtype | None:
    found = getattr(value, "dtype", None)
    return found if found is not None and found.kind == "u" else None


def _paired(a: Value, b: Value) -> tuple[Value, Value]:
    """Both as unsigned integers of one width where one of them is."""
    width = _unsigned(a) or _unsigned(b)
    if width is None:
        return a, b
    mask = (1 << (8 * width.itemsize)) - 1
    return tuple(
        value if _unsigned(value) else value.astype(width) if is_vector(value)
        else width.type(int(value) & mask) if isinstance(value, int | np.integer) else value
        for value in (a, b)
    )  # fmt: skip


def add(a: Value, b: Value) -> Value:
    a, b = _paired(a, b)
    return a + b


def subtract(a: Value, b: Value) -> Value:
    a, b = _paired(a, b)
    return a - b


def multiply(a: Value, b: Value) -> Value:
    if is_vector(a) and is_vector(b):
        if a.shape == b.shape == (7,):
            return np.array([*(_rotate(a[3:], b[:3]) + a[:3]), *hamilton(a[3:], b[3:])])
        return hamilton(a, b) if a.shape == b.shape == (4,) else a @ b
    a, b = _paired(a, b)
    return a * b


def divide(a: Value, b: Value) -> Value:
    return np.divide(a, b)


def by_component(function: Any, a: Value, b: Value) -> Value:
    return function(a, b)


def negate(a: Value) -> Value:
    return subtract(0, a) if _unsigned(a) else -a


def modulo(a: Value, b: Value) -> Value:
    a, b = _paired(a, b)
    return np.fmod(a, b)


def power(a: Value, b: Value) -> Value:
    return np.power(float(a), b)


def bits(sign: str, a: Value, b: Value) -> Value:
    a, b = _paired(a, b)
    whole = [value if is_vector(value) or _unsigned(value) else int(value) for value in (a, b)]
    functions = {
        "bitand": np.bitwise_and,
        "bitor": np.bitwise_or,
        "bitxor": np.bitwise_xor,
        "<<": np.left_shift,
        ">>": np.right_shift,
    }
    return functions[sign](*whole)


def floor(a: Value) -> Value:
    return np.floor(a) if is_vector(a) or not math.isfinite(a) else math.floor(a)


def ceiling(a: Value) -> Value:
    return math.ceil(a) if math.isfinite(a) else a


def whole(a: Value) -> Value:
    if not np.all(np.isfinite(a)):
        raise Undefined(f"the integer {a}")
    return np.trunc(a).astype(np.int64) if is_vector(a) else int(a)


def unsigned(name: str) -> Any:
    width = np.dtype(name)
    mask = (1 << (8 * width.itemsize)) - 1

    def converted(a: Value) -> Value:
        return np.trunc(a).astype(np.int64).astype(width) if is_vector(a) else width.type(int(a) & mask)

    return converted


def signed(name: str) -> Any:
    width = np.dtype(name)

    def converted(a: Value) -> Value:
        narrow = np.asarray(a, np.int64).astype(width).astype(np.int64)
        return narrow if is_vector(a) else int(narrow)

    return converted


def vector(parts: list[Value]) -> Value:
    """Numbers or rows in brackets; several results where they are of different kinds."""
    alike = not any(isinstance(part, dict | tuple) for part in parts) and len({*map(np.shape, parts)}) == 1
    return np.array(parts) if alike else tuple(parts)


def truth(value: Value) -> bool:
    return bool(value)


def cross_matrix(v: Value) -> Value:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def hamilton(p: Value, q: Value) -> Value:
    """The product of two quaternions (x, y, z, w)."""
    vector_part = p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3])
    return np.array([*vector_part, p[3] * q[3] - np.dot(p[:3], q[:3])])


def _rotate(q: Value, v: Value) -> Value:
    u, w = q[:3], q[3]
    return v * (2 * w * w - 1) + 2 * u * np.dot(u, v) + 2 * w * np.cross(u, v)


def _turned_axes(q: Value) -> Value:
    """The matrix of a rotation: its columns are the axes, rotated."""
    return np.array([_rotate(q, axis) for axis in np.eye(3)]).T


def _undone(t: Value) -> Value:
    back = np.array([*-t[3:6], t[6]])
    return np.array([*-_rotate(back, t[:3]), *back])


def _half_up(x: Value) -> Value:
    return math.trunc(x + math.copysign(0.5, x)) if math.isfinite(x) else x


def _smoothstep(a: Value, b: Value, x: Value) -> Value:
    t = min(max((x - a) / (b - a), 0.0), 1.0)
    return t * t * (3 - 2 * t)


def _normalize(v: Value) -> Value:
    length = math.sqrt(float((v * v).sum()))
    return np.asarray(v, float) / length if length > 0 else np.zeros(np.shape(v))


def _cbrt(x: Value) -> Value:
    return float(np.cbrt(x))


def _lower_bound(a: Value, start: int, stop: int, x: Value) -> int:
    return next((index for index in range(start, stop) if a[index] >= x), stop - 1)


FUNCTIONS: dict[str, Any] = {
    "sqrt": np.sqrt,
    "cbrt": _cbrt,
    "exp": np.exp,
    "ln": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "erf": lambda x: math.erf(x),
    "erfc": lambda x: math.erfc(x),
    "degrees": lambda x: x * 180 / math.pi,
    "radians": lambda x: x * math.pi / 180,
    "lerp": lambda a, b, t: a * (1 - t) + b * t,
    "smoothstep": _smoothstep,
    "round": _half_up,
    "rint": np.rint,
    "trunc": np.trunc,
    "frac": lambda x: x - np.trunc(x),
    "sign": lambda x: np.where(np.asarray(x) < 0, -1, 1)[()],
    "step": lambda x: 1 if x < 0 else 0,
    "nonzero": lambda x: 0 if x == 0 else 1,
    "copysign": np.copysign,
    "abs": np.abs,
    "min": lambda a, b: np.minimum(*_paired(a, b)),
    "max": lambda a, b: np.maximum(*_paired(a, b)),
    "int": whole,
    "float": _to_float,
    "bitnot": np.invert,
    "bit_count": lambda x: bin(int(x)).count("1"),
    "dot": np.dot,
    "cross": np.cross,
    "length": lambda v: math.sqrt(float((v * v).sum())),
    "normalize": _normalize,
    "smallest": np.min,
    "largest": np.max,
    "argmin": np.argmin,
    "argmax": np.argmax,
    "norm1": lambda v: np.abs(v).sum(),
    "det": np.linalg.det,
    "trace": np.trace,
    "ddot": lambda a, b: (a * b).sum(),
    "outer": np.outer,
    "diag": np.diag,
    "diagonal": np.diagonal,
    "skew": cross_matrix,
    "identity": lambda n: np.eye(int(n)),
    "isfinite": lambda x: bool(np.isfinite(x).all()),
    "isnan": lambda x: bool(np.isnan(x).any()),
    "isinf": lambda x: bool(np.isinf(x).any()),
    "div_approx": np.divide,
    "quaternion": lambda *parts: np.array([float(x) for part in parts for x in np.ravel(part)]),
    "transform": lambda *parts: np.array([float(x) for part in parts for x in np.ravel(part)]),
    "quat_rotate": _rotate,
    "transform_inverse": _undone,
    "quat_rotate_inv": lambda q, v: _rotate(np.array([*-q[:3], q[3]]), v),
    "quat_inverse": lambda q: np.array([*-q[:3], q[3]]),
    "wp.quat_to_matrix": _turned_axes,
    "quat_from_axis_angle": lambda a, t: np.array([*(math.sin(t / 2) * a), math.cos(t / 2)]),
    "transform_vector": lambda t, x: _rotate(t[3:], x) if t.shape == (7,) else (t @ [*x, 0.0])[:3],
    "transform_point": lambda t, x: _rotate(t[3:], x) + t[:3] if t.shape == (7,) else (t @ [*x, 1.0])[:3],
    "lower_bound": lambda a, *x: _lower_bound(a, *(x if x[1:] else (0, len(a), *x))),
    **dict.fromkeys(("float16", "float32", "float64"), _to_float),
    "matrix_from_rows": lambda *rows: np.array(rows),
    "matrix_from_columns": lambda *columns: np.array(columns).T,
    **{f"uint{n}": unsigned(f"uint{n}") for n in (8, 16, 32, 64)},
    **{f"int{n}": signed(f"int{n}") for n in (8, 16, 32, 64)},
}
