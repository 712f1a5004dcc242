"""Scalar arithmetic: floats of both precisions, signed and unsigned integers, shifts and remainders."""

from __future__ import annotations

from ...language.operations.table import apply
from ...language.program import INT, Accumulate, Assign, Expr, For, If, Literal, Name, Range, Type
from ..blocks import accumulate, bindings, branch, fold, gather, helper, neighbours, record
from ..draft import Sketch
from ..family import SATURATING, Family, conclude
from ..grow import tame

INTEGER_TYPES = (INT, Type("int64"), Type("uint32"))


def integers(s: Sketch) -> None:
    """Locals of one integer type."""
    wanted = s.rng.pick(INTEGER_TYPES)
    for _ in range(s.rng.integer(1, 2)):
        value = s.let(s.moving(wanted, s.rng.integer(1, 3)))
    s.tell(f"works out `{value.name}` in whole numbers")


def result(s: Sketch) -> Type:
    return s.rng.weighted([(s.float, 4.0), (INT, 2.0), (Type("int64"), 1.0), (Type("uint32"), 1.0)])


def digits(s: Sketch) -> None:
    """Digit sum (or alternating digit sum) of whole numbers in a small base."""
    base = s.rng.pick((2, 3, 5, 8, 10))
    source = s.array(INT, span=Range(0, s.rng.pick((500, 999, 4000))))
    rest = s.declare(s.read(source), source.range, "integer_local")
    steps = s.rng.integer(3, 6)
    total = s.declare(Literal(0, INT), Range(0, steps * base * 4), "accumulator")
    index = Name(s.names.take("loop"), INT, Range(0, steps - 1))
    with s.inner() as body:
        digit = s.let(apply("mod", rest, Literal(base, INT)))
        weight = apply("mod", index, Literal(s.rng.integer(2, 3), INT))
        term = apply("mul", digit, apply("add", weight, Literal(1, INT))) if s.rng.chance(0.5) else digit
        s.emit(Accumulate(total, "+", term))
        s.emit(Assign(rest, apply("floordiv", rest, Literal(base, INT))))
    s.emit(For(index, Literal(0, INT), Literal(steps, INT), 1, steps, tuple(body)))
    s.publish(total)
    s.tell(f"adds up the base-{base} digits of `{source.name}`")
    wanted = s.rng.pick((INT, s.float))
    conclude(s, tame(s.rng, s.combine(wanted, s.rng.integer(0, 2))))


def hash_mix(s: Sketch) -> None:
    """Rounds of shifts, masks and multiplications, as integer hashes are built."""
    u32 = Type("uint32")
    start = apply("bit_and", s.moving(u32, 0), Literal(s.rng.pick((255, 1023, 65535)), u32))
    state = s.declare(start, Range(0, 2**16 - 1), "integer_local")
    for _ in range(s.rng.integer(2, 4)):
        s.emit(Assign(state, _round(s, state, u32)))
    s.publish(state)
    s.tell(f"mixes bits into `{state.name}`")
    conclude(s, s.combine(s.rng.pick((u32, s.float)), s.rng.integer(0, 1)))


def _round(s: Sketch, state: Name, u32: Type) -> Expr:
    """One reversible-looking step that stays within sixteen bits."""
    mask = Literal(65535, u32)
    shift = Literal(s.rng.integer(1, 7), u32)
    kind = s.rng.pick(("xor_right", "xor_left", "multiply", "add"))
    if kind == "xor_right":
        return apply("bit_xor", state, apply("rshift", state, shift))
    if kind == "xor_left":
        return apply("bit_and", apply("bit_xor", state, apply("lshift", state, shift)), mask)
    if kind == "multiply":
        factor = Literal(s.rng.pick((3, 5, 9, 17, 33, 97, 257)), u32)
        return apply("bit_and", apply("mul", state, factor), mask)
    other = apply("bit_and", s.leaf(u32), mask)
    return apply("bit_and", apply("add", state, other), mask)


def modular_power(s: Sketch) -> None:
    """Square and multiply modulo a small number."""
    modulus = s.rng.pick((97, 101, 251, 509))
    base_values = s.array(INT, span=Range(2, 90))
    exponents = s.array(INT, span=Range(1, 63))
    outcome = s.declare(Literal(1, INT), Range(0, modulus - 1), "integer_local")
    base = s.declare(
        apply("mod", s.read(base_values), Literal(modulus, INT)), Range(0, modulus - 1), "integer_local"
    )
    exponent = s.declare(s.read(exponents), Range(0, 63), "integer_local")
    index = Name(s.names.take("loop"), INT, Range(0, 5))
    with s.inner() as body:
        with s.inner() as odd:
            s.emit(Assign(outcome, apply("mod", apply("mul", outcome, base), Literal(modulus, INT))))
        s.emit(If(apply("eq", apply("mod", exponent, Literal(2, INT)), Literal(1, INT)), tuple(odd)))
        s.emit(Assign(base, apply("mod", apply("mul", base, base), Literal(modulus, INT))))
        s.emit(Assign(exponent, apply("floordiv", exponent, Literal(2, INT))))
    s.emit(For(index, Literal(0, INT), Literal(6, INT), 1, 6, tuple(body)))
    s.publish(outcome)
    s.tell(f"raises `{base_values.name}` to `{exponents.name}` modulo {modulus} by repeated squaring")
    conclude(s, s.combine(s.rng.pick((INT, s.float)), s.rng.integer(0, 2)))


FAMILY = Family(
    name="arithmetic",
    verbs=("compute", "combine", "evaluate", "adjust", "scale", "shift", "merge"),
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
    single_types=(Type("float32"), Type("float64"), *INTEGER_TYPES),
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
