"""Atomics for types that CUDA's own do not support; each returns the old value."""

from __future__ import annotations

from collections.abc import Iterator

from .piece import Piece

# By type: its definition in CUDA, and the word of the same size that CUDA's own atomics accept. If int64_t
# were that word itself, pieces with its name would call themselves.
_WORDS = {"int64_t": ("long", "long long"), "uint64_t": ("unsigned long", "unsigned long long")}
_BITS = "unsigned long long"

_DIRECT = """inline __device__ {type} {name}({type}* p, {type} value)
{{
    return ({type}){name}(({word}*)p, ({word})value);
}}"""
_SUB_WHOLE = """inline __device__ {type} atomicSub({type}* p, {type} value)
{{
    return ({type})atomicAdd(({word}*)p, ({word})0 - ({word})value);
}}"""
_SUB = """inline __device__ {type} atomicSub({type}* p, {type} value)
{{
    return atomicAdd(p, -value);
}}"""
_CAS_WHOLE = """inline __device__ {type} atomicCAS({type}* p, {type} compare, {type} value)
{{
    return ({type})atomicCAS(({word}*)p, ({word})compare, ({word})value);
}}"""
_EXTREME = """// Tried again until nobody else was faster.
inline __device__ {type} {name}({type}* p, {type} value)
{{
    {bits}* place = ({bits}*)p;
    {bits} now = *place, seen;
    do {{
        seen = now;
        now = atomicCAS(place, seen, {to_bits}({function}({of_bits}(seen), value)));
    }} while (now != seen);
    return {of_bits}(now);
}}"""
_CAS = """inline __device__ {type} atomicCAS({type}* p, {type} compare, {type} value)
{{
    return {of_bits}(atomicCAS(({bits}*)p, {to_bits}(compare), {to_bits}(value)));
}}"""
_EXCH = """inline __device__ {type} atomicExch({type}* p, {type} value)
{{
    return {of_bits}(atomicExch(({bits}*)p, {to_bits}(value)));
}}"""
_VALUE = """template <{parameters}> __device__ {type} {name}({type}* p, {type} value)
{{
    for (int i = 0; i < {count}; ++i)
        {part} = {name}(&p->{part_of}, {part});
    return value;
}}"""

_FLOATS = {
    "float": {"bits": "int", "to_bits": "__float_as_int", "of_bits": "__int_as_float", "f": "f"},
    "double": {
        "bits": _BITS,
        "to_bits": f"({_BITS})__double_as_longlong",
        "of_bits": "__longlong_as_double",
        "f": "",
    },
}


def _of_words() -> Iterator[Piece]:
    for type, (own, signed) in _WORDS.items():
        word = _BITS
        for name in ("atomicAdd", "atomicExch"):
            yield Piece(f"{name}({type})", _DIRECT.format(type=own, name=name, word=word))
        yield Piece(f"atomicSub({type})", _SUB_WHOLE.format(type=own, word=word))
        for name in ("atomicMin", "atomicMax"):
            yield Piece(f"{name}({type})", _DIRECT.format(type=own, name=name, word=signed))
        for name in ("atomicAnd", "atomicOr", "atomicXor"):
            yield Piece(f"{name}({type})", _DIRECT.format(type=own, name=name, word=word))
        yield Piece(f"atomicCAS({type})", _CAS_WHOLE.format(type=own, word=word))


def _of_floats() -> Iterator[Piece]:
    for type, how in _FLOATS.items():
        yield Piece(f"atomicSub({type})", _SUB.format(type=type))
        for name, function in (("atomicMin", "fmin"), ("atomicMax", "fmax")):
            text = _EXTREME.format(type=type, name=name, function=function + how["f"], **how)
            yield Piece(f"{name}({type})", text)
        yield Piece(f"atomicCAS({type})", _CAS.format(type=type, **how))
        if type == "double":
            yield Piece(f"atomicExch({type})", _EXCH.format(type=type, **how))


# For values of several numbers: their declaration, their count, and the expression of number i.
_VALUES = {
    "vec": ("int N, typename T", "vec<N, T>", "N", "c[i]"),
    "mat": ("int M, int N, typename T", "mat<M, N, T>", "M", "r[i]"),
    "quat": ("typename T", "quat_t<T>", "4", "c[i]"),
    "transform": ("typename T", "transform_t<T>", "7", "at(i)"),
}


def of_values(kind: str) -> Iterator[Piece]:
    """The pieces for one kind of values; they belong after its type."""
    parameters, type, count, part = _VALUES[kind]
    for name in ("atomicAdd", "atomicSub", "atomicMin", "atomicMax"):
        text = _VALUE.format(
            parameters=parameters, type=type, name=name, count=count, part=f"value.{part}", part_of=part
        )
        yield Piece(f"{name}({kind})", text, (kind, *([f"{name}(vec)"] if kind == "mat" else [])))


PIECES = (*_of_words(), *_of_floats())
