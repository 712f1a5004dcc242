"""Algebraic laws of operations: which ones commute, and which comparison is the opposite of which."""

from __future__ import annotations

from collections.abc import Mapping

# Operands may change places; every result is the same to the bit. `and` and `or` are among them because
# operands have no effects.
COMMUTATIVE = frozenset(
    [
        *("add", "mul", "min", "max", "vector_min", "vector_max", "dot", "ddot", "cw_mul"),
        *("and", "or", "bit_and", "bit_or", "bit_xor"),
        *("eq", "ne", "float_eq", "float_ne", "bool_eq", "bool_ne", "mixed_eq", "mixed_ne"),
    ]
)
# The comparison between operands that have changed places.
_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
TURNED: Mapping[str, str] = _TURNED | {f"mixed_{one}": f"mixed_{other}" for one, other in _TURNED.items()}
# The comparison that holds where this one does not; of floats only where none is NaN.
OPPOSITE: Mapping[str, str] = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
# The comparison that differs from this one for equal operands alone.
_RELAXED = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}
RELAXED: Mapping[str, str] = _RELAXED | {f"mixed_{one}": f"mixed_{other}" for one, other in _RELAXED.items()}
ORDERS = ("lt", "le", "gt", "ge")  # what stands in a chain of comparisons
WAYS = (frozenset(("lt", "le")), frozenset(("gt", "ge")))  # those that a range is told by
NOT, BOTH, BELOW, ABOVE = "not", "and", "lt", "gt"
SHORT = ("and", "or")  # what may leave the second operand alone
CHOICES = ("conditional", "where")  # ``a if c else b`` and ``where(c, a, b)``, of operands (c, a, b)
# What keeps a number, or each component, within bounds.
MAGNITUDES = ("abs", "vector_abs")
CLAMP = "clamp"  # with both bounds
BOUNDING = frozenset(("min", "max", CLAMP, "vector_min", "vector_max", *MAGNITUDES))
# What jumps where its operand is zero, a whole number, or in the middle between two of these.
SIGNS = ("sign", "step")
TRUNCATING = ("trunc", "frac", "to_integer", "float_to_unsigned")  # nowhere between minus one and one
MIDDLE = ("round", "rint")
WHOLE = ("floor", "ceil", "trunc", *MIDDLE)  # what makes a number whole that stays one of its type
JUMPING = frozenset((*SIGNS, *WHOLE, *TRUNCATING))
# What gives one of its operands or a bound, or the same with another sign: nothing is rounded.
COPYING = BOUNDING.union(CHOICES, ("neg",))
# What an atomic operation does to an element, without the lock.
UNLOCKED: Mapping[str, str] = {f"atomic_{name}": name for name in ("add", "sub", "min", "max")}
# What reads a component by one index, an entry by two.
COMPONENTS: Mapping[int, str] = {1: "component", 2: "matrix_component"}
PLUS, MINUS, TIMES = "add", "sub", "mul"
POWERS = ("pow", "power")  # ``wp.pow(x, y)`` and ``x ** y``
# Operations that may leave operands other than the first one alone.
ALTERNATIVES = frozenset(("conditional", *SHORT))
