"""Atomic operations on an array element; each returns the old value.

Warp gives that value no derivative, nor an element that is exchanged; what is added, or is the smallest or
largest in the end, has one. An element that gave way to a smaller or larger one keeps its gradient, which is
wrong. Element types are those that Warp takes and that compile for both targets.
"""

from __future__ import annotations

import numpy as np

from ..bounds import element
from ..meanings import atomically
from ..row import row

# fmt: off
ROWS = (
    row("atomic_add(&array<D,X>, int32*D, X) -> X "
        "for X in T, vec<L,T>, mat<M,N,T>, mat66<T>, quat<T>, transform<T> "
        "for T in float16, float32, float64; "
        "atomic_add(&array<D,X>, int32*D, X) -> X for X in T, vec<L,T> for T in int32, int64, uint32, uint64",
        "atomic", element, atomically(np.add), derivative="operands", commutes=np.add, augments="+",
        unlocked="add", parameters="arr i value; arr i j value; arr i j k value; arr i j k l value",
        formula="atomically add {1} to {0}", cuda="atomicAdd"),
    row("atomic_sub(&array<D,X>, int32*D, X) -> X "
        "for X in T, vec<L,T>, mat<M,N,T>, mat66<T>, quat<T>, transform<T> "
        "for T in float16, float32, float64; "
        "atomic_sub(&array<D,X>, int32*D, X) -> X for X in T, vec<L,T> for T in int32, int64, uint32, uint64",
        "atomic", element, atomically(np.subtract), derivative="operands", commutes=np.subtract, augments="-",
        unlocked="sub", parameters="arr i value; arr i j value; arr i j k value; arr i j k l value",
        formula="atomically subtract {1} from {0}", cuda="atomicSub"),
    row("atomic_min(&array<D,X>, int32*D, X) -> X "
        "for X in T, vec<L,T>, mat<M,N,T>, mat66<T> for T in float32, float64; "
        "atomic_min(&array<D,X>, int32*D, X) -> X for X in T, vec<L,T> for T in int32, int64, uint32, uint64",
        "atomic", element, atomically(np.minimum), derivative="operands", underived=(0,), commutes=np.minimum,
        unlocked="min", parameters="arr i value; arr i j value; arr i j k value; arr i j k l value",
        formula="atomically set {0} to min(itself, {1})", cuda="atomicMin"),
    row("atomic_max(&array<D,X>, int32*D, X) -> X "
        "for X in T, vec<L,T>, mat<M,N,T>, mat66<T> for T in float32, float64; "
        "atomic_max(&array<D,X>, int32*D, X) -> X for X in T, vec<L,T> for T in int32, int64, uint32, uint64",
        "atomic", element, atomically(np.maximum), derivative="operands", underived=(0,), commutes=np.maximum,
        unlocked="max", parameters="arr i value; arr i j value; arr i j k value; arr i j k l value",
        formula="atomically set {0} to max(itself, {1})", cuda="atomicMax"),
    row("atomic_and(&array<D,T>, int32*D, T) -> T for T in int32, int64, uint32, uint64", "atomic", element,
        atomically(np.bitwise_and), derivative="flat", commutes=np.bitwise_and, augments="&",
        parameters="arr i value; arr i j value; arr i j k value; arr i j k l value",
        formula="atomically set {0} to itself bitand {1:power}", cuda="atomicAnd"),
    row("atomic_or(&array<D,T>, int32*D, T) -> T for T in int32, int64, uint32, uint64", "atomic", element,
        atomically(np.bitwise_or), derivative="flat", commutes=np.bitwise_or, augments="|",
        parameters="arr i value; arr i j value; arr i j k value; arr i j k l value",
        formula="atomically set {0} to itself bitor {1:power}", cuda="atomicOr"),
    row("atomic_xor(&array<D,T>, int32*D, T) -> T for T in int32, int64, uint32, uint64", "atomic", element,
        atomically(np.bitwise_xor), derivative="flat", commutes=np.bitwise_xor, augments="^",
        parameters="arr i value; arr i j value; arr i j k value; arr i j k l value",
        formula="atomically set {0} to itself bitxor {1:power}", cuda="atomicXor"),
    row("atomic_exch(&array<D,T>, int32*D, T) -> T "
        "for T in float32, float64, int32, int64, uint32, uint64", "atomic", element,
        atomically(lambda before, value: value), derivative="flat", underived=(0, -1),
        parameters="arr i value; arr i j value; arr i j k value; arr i j k l value",
        formula="atomically set {0} to {1}", cuda="atomicExch"),
    row("atomic_cas(&array<D,T>, int32*D, T, T) -> T "
        "for T in float32, float64, int32, int64, uint32, uint64", "atomic", element,
        atomically(lambda before, wanted, value: np.where(before == wanted, value, before)),
        derivative="flat", underived=(0, -1), parameters="arr i compare value; arr i j compare value; "
        "arr i j k compare value; arr i j k l compare value",
        formula="atomically set {0} to {2} if it equals {1}", cuda="atomicCAS"),
)
# fmt: on
