"""Scalar arithmetic: floats of both precisions, signed and unsigned integers, shifts and remainders."""

from __future__ import annotations

from ...language.domains import Interval
from ...language.program import Accumulate, Assign, Expr, For, If, Literal, Name
from ...language.types import INT, USUAL_INTEGERS, USUAL_NUMBERS, Scalar, Type
from ..blocks import accumulate, bindings, branch, fold, gather, helper, neighbours, record
from ..growing.draft import Draft
from ..growing.family import SATURATING, Family, conclude
from ..growing.repair import tame

INTEGER_TYPES = tuple(map(Scalar, USUAL_INTEGERS))


def integers(s: Draft) -> None:
    """Locals of one integer type."""
    wanted = s.rng.pick(INTEGER_TYPES)
    for _ in range(s.rng.integer(1, 2)):
        value = s.let(s.moving(wanted, s.rng.integer(1, 3)))
    s.tell(f"works out `{value.name}` in whole numbers")


def result(s: Draft) -> Type:
    return s.rng.weighted([(s.float, 4.0), *((t, 2.0 if t == INT else 1.0) for t in INTEGER_TYPES)])


def digits(s: Draft) -> None:
    """Digit sum (or alternating digit sum) of whole numbers in a small base."""
    base = s.rng.pick((2, 3, 5, 8, 10))
    source = s.array(INT, span=Interval(0, s.rng.pick((500, 999, 4000))))
    rest = s.declare(s.read(source), source.domain, "integer_local")
    steps = s.rng.integer(3, 6)
    total = s.declare(Literal(0, INT), Interval(0, steps * base * 4), "accumulator")
    index = s.loop_index(steps)
    with s.inner() as body:
        digit = s.let(s.apply("mod", rest, Literal(base, INT)))
        weight = s.apply("mod", index, Literal(s.rng.integer(2, 3), INT))
        term = s.apply("mul", digit, s.apply("add", weight, Literal(1, INT))) if s.rng.chance(0.5) else digit
        s.emit(Accumulate(total, "+", term))
        s.emit(Assign(rest, s.apply("floordiv", rest, Literal(base, INT))))
    s.emit(For(index, Literal(0, INT), Literal(steps, INT), 1, tuple(body)))
    s.publish(total)
    s.tell(f"adds up the base-{base} digits of `{source.name}`")
    wanted = s.rng.pick((INT, s.float))
    conclude(s, tame(s, s.combine(wanted, s.rng.integer(0, 2))))


def hash_mix(s: Draft) -> None:
    """Rounds of shifts, masks and multiplications, as integer hashes are built."""
    u32 = Scalar("uint32")
    start = s.apply("bit_and", s.moving(u32, 0), Literal(s.rng.pick((255, 1023, 65535)), u32))
    state = s.declare(start, Interval(0, 2**16 - 1), "integer_local")
    for _ in range(s.rng.integer(2, 4)):
        s.emit(Assign(state, _round(s, state, u32)))
    s.publish(state)
    s.tell(f"mixes bits into `{state.name}`")
    conclude(s, s.combine(s.rng.pick((u32, s.float)), s.rng.integer(0, 1)))


def _round(s: Draft, state: Name, u32: Scalar) -> Expr:
    """One reversible-looking step that stays within sixteen bits."""
    mask = Literal(65535, u32)
    shift = Literal(s.rng.integer(1, 7), u32)
    kind = s.rng.pick(("xor_right", "xor_left", "multiply", "add"))
    if kind == "xor_right":
        return s.apply("bit_xor", state, s.apply("rshift", state, shift))
    if kind == "xor_left":
        return s.apply("bit_and", s.apply("bit_xor", state, s.apply("lshift", state, shift)), mask)
    if kind == "multiply":
        factor = Literal(s.rng.pick((3, 5, 9, 17, 33, 97, 257)), u32)
        return s.apply("bit_and", s.apply("mul", state, factor), mask)
    other = s.apply("bit_and", s.leaf(u32), mask)
    return s.apply("bit_and", s.apply("add", state, other), mask)


def modular_power(s: Draft) -> None:
    """Square and multiply modulo a small number."""
    modulus = s.rng.pick((97, 101, 251, 509))
    base_values = s.array(INT, span=Interval(2, 90))
    exponents = s.array(INT, span=Interval(1, 63))
    outcome = s.declare(Literal(1, INT), Interval(0, modulus - 1), "integer_local")
    base = s.declare(
        s.apply("mod", s.read(base_values), Literal(modulus, INT)), Interval(0, modulus - 1), "integer_local"
    )
    exponent = s.declare(s.read(exponents), Interval(0, 63), "integer_local")
    index = s.loop_index(6)
    with s.inner() as body:
        with s.inner() as odd:
            s.emit(Assign(outcome, s.apply("mod", s.apply("mul", outcome, base), Literal(modulus, INT))))
        s.emit(If(s.apply("eq", s.apply("mod", exponent, Literal(2, INT)), Literal(1, INT)), tuple(odd)))
        s.emit(Assign(base, s.apply("mod", s.apply("mul", base, base), Literal(modulus, INT))))
        s.emit(Assign(exponent, s.apply("floordiv", exponent, Literal(2, INT))))
    s.emit(For(index, Literal(0, INT), Literal(6, INT), 1, tuple(body)))
    s.publish(outcome)
    s.tell(f"raises `{base_values.name}` to `{exponents.name}` modulo {modulus} by repeated squaring")
    conclude(s, s.combine(s.rng.pick((INT, s.float)), s.rng.integer(0, 2)))


FAMILY = Family(
    name="arithmetic",
    pool={
        **SATURATING,
        "arithmetic": 3.0,
        "integer": 2.0,
        "neg": 0.8,
        "choice": 0.3,
        "floor": 0.3,
        "trunc": 0.2,
    },
    singles={
        "arithmetic": 2.0,
        "integer": 2.0,
        "floor": 1.0,
        "ceil": 1.0,
        "trunc": 0.5,
        "round": 0.5,
        "convert": 1.0,
    },
    single_types=tuple(map(Scalar, USUAL_NUMBERS)),
    results=result,
    menus={
        3: (
            (branch,),
            (accumulate,),
            (integers, branch),
            (fold,),
            (integers, accumulate),
            (neighbours, branch),
            (gather, branch),
        ),
        4: (
            (helper, branch),
            (record, branch),
            (helper, accumulate),
            (record, accumulate),
            (integers, helper),
            (bindings, record, helper),
        ),
        5: (
            (helper, branch, accumulate),
            (record, accumulate, branch),
            (integers, helper, fold),
            (neighbours, record, branch),
            (gather, helper, accumulate),
        ),
    },
    algorithms=(digits, hash_mix, modular_power),
    options={"max_inputs": 4},
)
