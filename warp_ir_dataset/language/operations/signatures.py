"""Signatures of operations: operand types, result type and Python syntax, in one line each.

    sin(F) -> F                                            wp.sin of any float
    smallest: min(vec<L,T>) -> T                           the row `smallest`, written wp.min
    add: X + X -> X for X in T, vec<L,T>, mat<M,N,F>       one line for each X
    component: vec<L,T>[index] -> T                        `index` is a literal int32
    conditional: X if bool else X -> X for X in T          operands (condition, a, b)
    to_float: F(X) -> F for X in I, F'                     the constructor of the result; F' is another float
    build: vec<N,T>(T*N) -> vec<N,T>                       N operands
    pi: wp.PI -> float32                                   a constant
    quat_rotate(quat<F>, vec3<F>) -> vec3<F>
    qr3(mat33<F>) -> mat33<F>, mat33<F>                    two results: q, r = wp.qr3(m)
    touch(&vec3<F>) -> ()                                  none
    identity(n=N, dtype=F) -> mat<N,N,F>                   wp.identity(n=3, dtype=float), by the result
    quat_identity(dtype?=F) -> quat<F>                     the same, left out where it is float32
    randf(&uint32) -> float32                              `&`: the operation changes this operand
    atomic_add(&array<D,T>, int32*D, T) -> T               an array of D dimensions, and D indices
    tile_sum(tile<N,T>) -> tile<1,T>                       tiles, which a block of threads shares
    mesh_get_point(mesh, int32) -> vec3<float32>           the number of a mesh: one of `HANDLES`

A letter stands for the same thing wherever it occurs in a line, and for each of a set in turn: a scalar type
of `SCALAR_LETTERS`, or a length of `LENGTH_LETTERS`. A letter with a prime (``F'``) stands for something of
the same set that differs from what the letter alone stands for. A variable of `for` is replaced by each of
what follows `in`; so is a letter, where it is the variable (``for F in float32, float64``). Lines may be
joined by ``;``.

`signature` raises `ValueError` for an error in the syntax, and `instances`, at its first use, for an error in
the types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

from ..types import (
    FLOATS,
    HANDLES,
    INT,
    INTEGERS,
    NUMBERS,
    SCALARS,
    SIGNED,
    SIGNED_INTEGERS,
    UNSIGNED_INTEGERS,
    Array,
    Handle,
    Matrix,
    Quaternion,
    Scalar,
    Several,
    Tile,
    Transform,
    Type,
    Value,
    Vector,
)
from .spelling import INFIX, PREFIX, Conditional, Constant, Function, Spelling, Subscript

SCALAR_LETTERS: Mapping[str, tuple[str, ...]] = {
    "F": FLOATS,
    "Z": SIGNED_INTEGERS,
    "U": UNSIGNED_INTEGERS,
    "I": INTEGERS,
    "S": SIGNED,
    "T": NUMBERS,
}
# Sides of vectors and matrices; L also of spatial vectors. D are the dimensions of an array.
LENGTH_LETTERS: Mapping[str, tuple[int, ...]] = {
    "L": (2, 3, 4, 6),
    "M": (2, 3, 4),
    "N": (2, 3, 4),
    "K": (2, 3, 4),
    "D": (1, 2, 3, 4),
}

Operand = Value | Array | Tile | Handle
Operands = tuple[Type, ...]
Result = Value | Several | Tile | Handle
Binding = Mapping[str, str | int]


@dataclass(frozen=True)
class Pattern:
    """An operand as it stands in a signature: a type with letters, and how often it is repeated."""

    text: str
    changed: bool = False
    times: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """One line without `for` and ``;``."""

    operands: tuple[Pattern, ...]
    result: str

    def instances(self) -> Iterator[tuple[Operands, Result]]:
        """Operand types and the result type, for each meaning of the letters; square matrices first."""
        text = " ".join([self.result, *(" ".join((o.text, *o.times)) for o in self.operands)])
        letters = list(dict.fromkeys(re.findall(r"\b[A-Z]\b'?", text)))
        sets = [_meanings(letter) for letter in letters]
        found = []
        for chosen in product(*sets):
            binding: dict[str, str | int] = dict(zip(letters, chosen, strict=True))
            if all(binding.get(letter + "'") != value for letter, value in binding.items()):
                operands = tuple(t for o in self.operands for t in _expanded(o, binding))
                found.append((operands, _result(self.result, binding)))
        yield from sorted(found, key=lambda pair: not all(map(_square, pair[0])))


@dataclass(frozen=True)
class Signature:
    """A signature, parsed: `name` is the key of its row, `changed` the operands that the operation changes,
    `literal` those that must be literals."""

    text: str
    name: str
    spelling: Spelling
    lines: tuple[Line, ...]
    changed: tuple[int, ...]
    literal: tuple[int, ...]

    @cached_property
    def instances(self) -> tuple[tuple[Operands, Result], ...]:
        """All operand types that the operation takes, each with the type of the result. Raises
        `ValueError`."""
        return tuple(dict.fromkeys(pair for line in self.lines for pair in line.instances()))

    @cached_property
    def _by_result(self) -> dict[Type, tuple[Operands, ...]]:
        found: dict[Type, list[Operands]] = {}
        for operands, result in self.instances:
            found.setdefault(result, []).append(operands)
        return {result: tuple(choices) for result, choices in found.items()}

    @cached_property
    def _by_operands(self) -> dict[Operands, tuple[Result, ...]]:
        found: dict[Operands, list[Result]] = {}
        for operands, result in self.instances:
            found.setdefault(operands, []).append(result)
        return {operands: tuple(results) for operands, results in found.items()}

    def takes(self, result: Type) -> tuple[Operands, ...]:
        """The operand types that give a result type."""
        return self._by_result.get(result, ())

    def gives(self, operands: Operands) -> tuple[Result, ...]:
        """The result types that operands of these types may give: several for a constructor."""
        return self._by_operands.get(operands, ())


# ---- reading


@cache
def signature(text: str) -> Signature:
    """Parses a signature. Raises `ValueError` for its syntax; `instances` looks at its types."""
    name, _, rest = text.rpartition(": ")
    read = [_line(line) for part in rest.split("; ") for line in _unrolled(part)]
    spellings = {spelling for spelling, _ in read}
    if len(spellings) != 1:
        raise ValueError(f"one signature is written in {len(spellings)} ways: {text}")
    (spelling,) = spellings
    if not name:
        name = spelling.name.removeprefix("wp.") if isinstance(spelling, Function) else ""
    if not name:
        raise ValueError(f"a signature without a name: {text}")
    lines = tuple(line for _, line in read)
    first = lines[0].operands
    last = max((place for place, o in enumerate(first) if o.changed or o.text == "index"), default=0)
    if any(operand.times for operand in first[:last]):
        raise ValueError(f"a repeated operand before one that is changed or literal: {text}")
    changed = tuple(place for place, operand in enumerate(first) if operand.changed)
    literal = tuple(place for place, operand in enumerate(first) if operand.text == "index")
    return Signature(text, name, spelling, lines, changed, literal)


def _unrolled(text: str) -> list[str]:
    """The lines that `for` stands for; its last clause is the outermost."""
    head, *clauses = text.split(" for ")
    lines = [head]
    for clause in clauses:
        variable, _, choices = clause.partition(" in ")
        pattern = re.compile(rf"\b{variable}\b")
        lines = [pattern.sub(choice.strip(), line) for choice in _parts(choices) for line in lines]
    return lines


def _parts(text: str) -> list[str]:
    """Split at commas that stand in no brackets."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


_ANGLES = re.compile(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>")
_OPERATORS = [re.escape(symbol) for symbol in sorted(INFIX, key=len, reverse=True)]
_INFIX = re.compile(rf"^(\S+) ({'|'.join(_OPERATORS)}) (\S+)$")
_PREFIX = re.compile(rf"^({'|'.join(map(re.escape, PREFIX))})(\S+)$")


def _line(text: str) -> tuple[Spelling, Line]:
    left, arrow, result = text.strip().rpartition(" -> ")
    if not arrow:
        raise ValueError(f"a signature without a result: {text}")
    spelling, operands = _spelled(left, result)
    return spelling, Line(tuple(map(_pattern, operands)), result)


def _spelled(left: str, result: str) -> tuple[Spelling, list[str]]:
    # Spaces within angle brackets would look like those around an operator.
    left = _ANGLES.sub(lambda match: match[0].replace(" ", ""), left)
    if left.endswith(")"):
        head, _, inside = left[:-1].partition("(")
        if head == result.replace(" ", ""):
            return Function(""), _parts(inside)
        named = tuple(part.partition("=")[0] for part in _parts(inside) if "=" in part)
        return Function(f"wp.{head}", named), [part for part in _parts(inside) if "=" not in part]
    if left.endswith("]"):
        head, _, inside = left[:-1].partition("[")
        return Subscript(), [head, *_parts(inside)]
    if match := re.fullmatch(r"(\S+) if (\S+) else (\S+)", left):
        return Conditional(), [match[2], match[1], match[3]]
    if match := _INFIX.match(left):
        return INFIX[match[2]], [match[1], match[3]]
    if match := _PREFIX.match(left):
        return PREFIX[match[1]], [match[2]]
    if re.fullmatch(r"wp\.\w+", left):
        return Constant(left), []
    raise ValueError(f"not a way to write an operation: {left}")


def _pattern(text: str) -> Pattern:
    base, *times = text.removeprefix("&").split("*")
    return Pattern(base, text.startswith("&"), tuple(times))


# ---- letters and types


def _meanings(letter: str) -> tuple[str | int, ...]:
    found = SCALAR_LETTERS.get(letter[0]) or LENGTH_LETTERS.get(letter[0])
    if found is None:
        raise ValueError(f"{letter} stands for nothing")
    return found


def _expanded(pattern: Pattern, binding: Binding) -> tuple[Operand, ...]:
    count = 1
    for factor in pattern.times:
        count *= _length(factor, binding)
    return (_operand(pattern.text, binding),) * count


def _operand(text: str, binding: Binding) -> Operand:
    if match := re.fullmatch(r"array<(\w+),(.+)>", text.replace(" ", "")):
        return Array(_value(match[2], binding), _length(match[1], binding))
    if match := re.fullmatch(r"tile<(.+),([^,]+)>", text.replace(" ", "")):
        sizes = tuple(_length(size, binding) for size in match[1].split(","))
        return Tile(Scalar(_scalar(match[2], binding)), sizes)
    if text in HANDLES:
        return Handle(text)
    return INT if text == "index" else _value(text, binding)


def _result(text: str, binding: Binding) -> Result:
    """One value, or several: their types, divided by commas, and ``()`` where there is none."""
    several = () if text.strip() == "()" else tuple(_operand(part, binding) for part in _parts(text))
    if len(several) != 1:
        return Several(several)
    if isinstance(several[0], Array):
        raise ValueError(f"an array as a result: {text}")
    return several[0]


_TYPE = re.compile(r"(vec|mat|quat|transform)(\d*)<(.+)>")


@cache
def _made(kind: str, scalar: str, lengths: tuple[int, ...]) -> Value:
    match kind, lengths:
        case "", ():
            return Scalar(scalar)
        case "vec", (length,):
            return Vector(scalar, length)
        case "mat", (rows, columns):
            return Matrix(scalar, rows, columns)
        case "quat", ():
            return Quaternion(scalar)
        case "transform", ():
            return Transform(scalar)
    raise ValueError(f"{kind} of {len(lengths)} lengths")


def _value(text: str, binding: Binding) -> Value:
    """``T``, ``float32``, ``vec3<F>``, ``vec<N,F>``, ``mat33<F>``, ``mat<M,N,F>``, ``quat<F>``."""
    match = _TYPE.fullmatch(text.replace(" ", ""))
    if match is None:
        return _made("", _scalar(text, binding), ())
    *lengths, scalar = match[3].split(",")
    sides = [*match[2], *lengths]
    return _made(match[1], _scalar(scalar, binding), tuple(_length(side, binding) for side in sides))


def _scalar(text: str, binding: Binding) -> str:
    found = binding.get(text, text)
    if found not in SCALARS:
        raise ValueError(f"no scalar type: {text}")
    return str(found)


def _length(text: str, binding: Binding) -> int:
    return int(binding.get(text, text))


def _square(type: Type) -> bool:
    return not isinstance(type, Matrix) or type.rows == type.columns
