"""Trivial answers to a row, for `verdicts.py`: what computes nothing, or something else.

They are modules and trees, which `Asked` brings into the config's language.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from support.right_answers import Asked, NoAnswer
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.python.write import type_name, write
from warp_ir_dataset.language.rewrite import fresh, names_of, renamed
from warp_ir_dataset.language.types import Array, Matrix, Scalar, Struct, Transform, Type, Value
from warp_ir_dataset.language.walks import statements
from warp_ir_dataset.proof.bite import Bitten
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.proof.told import examples_of

BROKEN = "the broken module"
INPUTS = 6  # on which kernels are compared, before one counts as another one
NEAR = 1e-5  # of a number in an example
_HEAD = re.compile(r"^(?:extern .*)?__global__[^{]*", re.MULTILINE)
_SIZE = re.compile(r"\bint (\w+)")  # the parameters that come first are sizes of the launch
_ADJOINT = re.compile(r"^[ \t]*wp::adj_\w+\(.*\);\n", re.MULTILINE)


def beside(asked: Asked, neighbours: Sequence[ir.Program]) -> Iterator[tuple[str, str, str]]:
    """The answers to other questions that can be given to this one, with their way and kind: mostly they are
    wrong, and trivially had; but there are purposes with several algorithms for one thing."""
    own = asked.program
    inputs = [make_inputs(own.signature, f"{asked.row['id']}/verdicts/{n}") for n in range(INPUTS)]
    bitten = Bitten(own, inputs)
    for neighbour in neighbours:
        try:
            made = _moved_in(asked, neighbour)
            if not asked.fits(made, whole=False):
                continue
            text = asked.answer(made)
        except NoAnswer:
            continue
        if asked.config.plain:
            text = under_own_head(asked, text)
        if bitten.by(made).seen.any():
            yield "trivial", "a neighbour's answer", text
        elif not (asked.config.adjoint and gradient_bar(made)):
            yield "right", "a neighbour that means the same", text


def trivial(asked: Asked) -> Iterator[tuple[str, str]]:
    """Answers that compute nothing, by their kind. What cannot be said in the language is left out."""
    for kind, make in _Module(asked).kinds():
        try:
            text = asked.answer(make())
            yield kind, under_own_head(asked, text) if asked.config.plain else text
        except NoAnswer:
            continue
    if asked.config.adjoint:
        head, mark, backward = asked.own.partition("_cuda_kernel_backward(")
        yield "no gradients", head + mark + _ADJOINT.sub("", backward)
    if asked.config.broken:
        yield BROKEN, str(asked.row["broken"])


def under_own_head(asked: Asked, text: str) -> str:
    """The kernel with the parameters that are declared to the model: which sizes it asks for hangs on what it
    does, and how those of the launch are called on its locals."""
    own, made = _HEAD.search(asked.own), _HEAD.search(text)
    assert own is not None and made is not None
    launch = len(asked.program.launch_dim)
    old, new = (_SIZE.findall(head[0])[:launch] for head in (made, own))
    called = dict(zip(old, new, strict=True))
    text = re.sub(r"\b[A-Za-z_]\w*\b", lambda found: called.get(found[0], found[0]), text)
    return _HEAD.sub(lambda found: own[0], text)


def fitted(other: ir.Program, own: ir.Program) -> dict[str, str] | None:
    """Which arguments of `own` another kernel can be given for its own, by their names there: of the same
    type, all different, what it writes being all that `own` writes. None where it cannot be, or asks for
    other thread indices."""
    if _threads(other) != _threads(own):
        return None
    left = list(own.arguments)
    found: dict[str, str] = {}
    for argument in other.arguments:
        kind = (argument.reference.type, argument.role == "input")
        given = next((a for a in left if (a.reference.type, a.role == "input") == kind), None)
        if given is None:
            return None
        left.remove(given)
        found[argument.name] = given.name
    return None if any(argument.role != "input" for argument in left) else found


def _threads(program: ir.Program) -> int:
    """How many thread indices a kernel asks for."""
    return next((len(s.names) for s in statements(program.body) if isinstance(s, ir.ThreadIndex)), 0)


def _moved_in(asked: Asked, other: ir.Program) -> ir.Program:
    """Another program under the name, and with the arguments, of the row's own."""
    own, names = asked.program, fitted(other, asked.program)
    assert names is not None
    taken = names_of(other) | {argument.name for argument in own.arguments} | {own.name}
    given = {*(argument.name for argument in own.arguments), own.name}
    for clash in sorted((names_of(other) & given) - names.keys()):
        names[clash] = fresh(taken, f"{clash}_of_it")
        taken |= {names[clash]}
    called = {function.name for function in other.functions} | {value.name for value in other.constants}
    if called & names.keys():
        raise NoAnswer("a function or a constant has the name of an argument")
    theirs = {struct.name for struct in other.structs}
    structs = (*other.structs, *(struct for struct in own.structs if struct.name not in theirs))
    body = renamed(other.body, names)
    return replace(other, signature=own.signature, structs=structs, body=body, docstring=None)


@dataclass(frozen=True)
class _Place:
    """A number, or a value of several, of each element of a leaf: its text in a kernel, the names of the
    indices in it, and the sizes that they run up to."""

    leaf: ir.Argument
    text: str
    indices: tuple[str, ...]
    sizes: tuple[str, ...]

    @property
    def flat(self) -> str:
        found = "0"
        for index, size in zip(self.indices, self.sizes, strict=True):
            found = index if found == "0" else f"({found} * {size} + {index})"
        return found


@dataclass(frozen=True)
class _Value:
    """What is written to each element of an output, with counters in it that run with the elements, up to
    their sizes and from the start again: plain CUDA declares no division that a model could count on."""

    text: str
    counted: tuple[tuple[str, int], ...] = ()


Values = Callable[[_Place], _Value]


class _Module:
    """Modules that hold the kernel of a row with another body."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.program = asked, asked.program
        self.taken = names_of(self.program)
        self.outputs = [p for a in self.program.arguments if a.role != "input" for p in self._places(a)]
        self.outputs = [place for place in self.outputs if place.leaf.role != "input"]
        self.examples = examples_of(dict(asked.row))
        bare = replace(self.program, body=(ir.Pass(),), functions=(), constants=(), docstring=None)
        text = write(bare)
        self.head = text[: text.rindex("    pass")]
        names = [fresh(self.taken, f"thread{n}") for n in range(_threads(self.program))]
        self.first = [f"    {', '.join(names)} = wp.tid()"] if names else []

    def kinds(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """By their kinds, what writes them; that may raise `NoAnswer`."""
        outputs = [place.leaf.name for place in self.outputs]
        common = {name: self.commonest(name) for name in outputs}
        yield "empty", lambda: self.filled(None)
        yield "zeros", lambda: self.filled(self.zero)
        yield "a constant", lambda: self.filled(lambda place: self.same(place, 1))
        yield (
            "the commonest number",
            lambda: self.filled(lambda place: self.same(place, common[place.leaf.name])),
        )
        yield "the thread index", lambda: self.filled(lambda place: self.all_of(place, place.flat))
        for given in self._inputs():
            yield "an input copied out", partial(self.copied_out, given)
        yield "a table of one example", lambda: self.head + "\n".join(self._of_one()) + "\n"
        yield "a table of the examples", self.table

    def filled(self, values: Values | None) -> str:
        """A kernel whose threads each write all elements of all outputs; without `values` none of them."""
        lines = list(self.first)
        if values is not None:
            for place in self.outputs:
                lines += self._loop(place, values(place))
        return self.head + "\n".join(lines or ["    pass"]) + "\n"

    def copied_out(self, given: _Place) -> str:
        """An input copied to the outputs. Raises `NoAnswer` where no output takes its numbers."""
        return self.filled(self.copying(given))

    def table(self) -> str:
        """The outputs of each example, where the inputs are its own; else those of the first one."""
        conditions = next(filter(None, map(self._conditions, self._inputs())), None)
        if conditions is None:
            raise NoAnswer("no input tells the examples apart")
        lines = self._of_one()
        for example, condition in zip(self.examples[1:], conditions[1:], strict=True):
            lines += [f"    if {condition}:", *self._stored(example, 2)]
        return self.head + "\n".join(lines) + "\n"

    def _of_one(self) -> list[str]:
        return [*self.first, *self._stored(self.examples[0], 1)]

    # ---- what stands in an element

    def zero(self, place: _Place) -> _Value:
        return self.same(place, 0)

    def same(self, place: _Place, number: float) -> _Value:
        return self.all_of(place, repr(number))

    def all_of(self, place: _Place, number: str) -> _Value:
        """A value with one number in all its components."""
        return _Value(self.value(_value(place.leaf), [number] * _value(place.leaf).size))

    def value(self, type: Value, numbers: Sequence[str]) -> str:
        name = type_name(type, self.program.style)
        scalar = type_name(type.element, self.program.style)
        converted = [f"{scalar}({number})" for number in numbers]
        if isinstance(type, Scalar):
            return converted[0]
        if isinstance(type, Transform):
            kinds = {"float32": "f", "float64": "d", "float16": "h"}
            letter = kinds[type.scalar]
            place, turn = ", ".join(converted[:3]), ", ".join(converted[3:])
            return f"{name}(wp.vec3{letter}({place}), wp.quat{letter}({turn}))"
        return f"{name}({', '.join(converted)})"

    def commonest(self, leaf: str) -> float:
        numbers = [number for each in self.examples for number in _numbers(each["outputs"][leaf])]
        commonest: float = max(sorted(set(numbers)), key=numbers.count)
        return commonest

    def copying(self, given: _Place) -> Values:
        """An element of the input for each of the output's, from the start again where it has too few. Raises
        `NoAnswer` where no output takes its numbers."""
        if not any(_takes(_value(place.leaf), _value(given.leaf)) for place in self.outputs):
            raise NoAnswer("no output is of its kind")
        return lambda place: self._copied(given, place)

    def _copied(self, given: _Place, place: _Place) -> _Value:
        have, want = _value(given.leaf), _value(place.leaf)
        if not _takes(want, have):
            return self.zero(place)
        counted: tuple[tuple[str, int], ...] = ()
        indices = place.indices
        if given.leaf.shape != place.leaf.shape:
            indices = tuple(fresh(self.taken, f"{index}_of_it") for index in given.indices)
            counted = tuple(zip(indices, given.leaf.shape, strict=True))
        text = _put_in(given.text, dict(zip(given.indices, indices, strict=True)))
        first = "" if isinstance(have, Scalar) else "[0, 0]" if isinstance(have, Matrix) else "[0]"
        return _Value(text if have == want else self.all_of(place, text + first).text, counted)

    # ---- places

    def _inputs(self) -> Iterator[_Place]:
        for argument in self.program.arguments:
            if argument.role != "output":
                yield from self._places(argument)

    def _conditions(self, given: _Place) -> list[str] | None:
        """That the first number of an input is that of each example, where it tells them apart."""
        found = [_numbers(each["inputs"][given.leaf.name]) for each in self.examples]
        if not all(found) or len({numbers[0] for numbers in found}) < len(found):
            return None
        text, type = _put_in(given.text, dict.fromkeys(given.indices, "0")), _value(given.leaf)
        text += "" if isinstance(type, Scalar) else "[0, 0]" if isinstance(type, Matrix) else "[0]"
        scalar = type_name(type.element, self.program.style)
        if not type.is_float:
            return [f"{text} == {scalar}({numbers[0]!r})" for numbers in found]
        ends = [
            (numbers[0] - NEAR, numbers[0] + NEAR) for numbers in found
        ]  # an example's decimals are short
        return [f"{text} > {scalar}({low!r}) and {text} < {scalar}({high!r})" for low, high in ends]

    def _stored(self, example: Mapping[str, Any], depth: int) -> Iterator[str]:
        for place in self.outputs:
            numbers, type = _numbers(example["outputs"][place.leaf.name]), _value(place.leaf)
            elements = itertools.product(*map(range, place.leaf.shape))
            for at, element in enumerate(elements):
                text = _put_in(place.text, dict(zip(place.indices, map(str, element), strict=True)))
                parts = [repr(number) for number in numbers[at * type.size : (at + 1) * type.size]]
                yield f"{'    ' * depth}{text} = {self.value(type, parts)}"

    def _loop(self, place: _Place, value: _Value) -> Iterator[str]:
        for counter, _ in value.counted:
            yield f"    {counter} = int(0)"
        for depth, (index, size) in enumerate(zip(place.indices, place.sizes, strict=True)):
            yield f"{'    ' * (depth + 1)}for {index} in range({size}):"
        inside = "    " * (len(place.indices) + 1)
        yield f"{inside}{place.text} = {value.text}"
        for depth, (counter, bound) in enumerate(reversed(value.counted)):
            here = inside + "    " * depth
            yield f"{here}{counter} = {counter} + 1"
            yield f"{here}if {counter} == {bound}:"
            yield f"{here}    {counter} = 0"

    def _places(self, argument: ir.Argument) -> Iterator[_Place]:
        leaves = {leaf.name: leaf for leaf in argument.leaves}
        shapes = dict(argument.member_shapes)

        def walk(type: Type, path: str, text: str, indices: tuple[str, ...], sizes: tuple[str, ...]) -> Any:
            if isinstance(type, Array):
                shape = shapes.get(path.partition(".")[2], ()) if "." in path else argument.shape
                new = tuple(fresh(self.taken, f"at{len(indices) + n}") for n in range(type.ndim))
                # Sizes that are literals would be loops that Warp unrolls; in plain CUDA a size would be one
                # more parameter.
                own = [
                    str(n) if self.asked.config.plain else f"{text}.shape[{k}]" for k, n in enumerate(shape)
                ]
                inside = f"{text}[{', '.join(new)}]"
                yield from walk(type.element, path, inside, (*indices, *new), (*sizes, *own))
            elif isinstance(type, Struct):
                for member, inner in type.members:
                    yield from walk(inner, f"{path}.{member}", f"{text}.{member}", indices, sizes)
            else:
                yield _Place(leaves[path], text, indices, sizes)

        yield from walk(argument.reference.type, argument.name, argument.name, (), ())


def _takes(want: Value, have: Value) -> bool:
    """Whether numbers of one type are easily had of another one."""
    return have == want or isinstance(have, Scalar) or isinstance(want, Scalar)


def _put_in(text: str, indices: Mapping[str, str]) -> str:
    return re.sub(r"\w+", lambda found: indices.get(found[0], found[0]), text)


def _value(leaf: ir.Argument) -> Value:
    assert isinstance(leaf.type, Value)
    return leaf.type


def _numbers(nested: Any) -> list[Any]:
    return [number for each in nested for number in _numbers(each)] if isinstance(nested, list) else [nested]
