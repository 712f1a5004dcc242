"""A whole specification: its header, its steps, its functions; and a launch of what it describes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import formulas as f
from .clauses import Done, cases, chosen
from .kinds import NOTHING, of_kind, of_member, shape_of
from .sentences import Line, block
from .tokens import Tokens, Unreadable

Structs = Mapping[str, dict[str, str]]

_OPENING = re.compile(
    r"Write a kernel (\w+)\. Its threads (?:have (?:an index|indices) ([\w, ]+), counted from 0|use no index)"
    r"(?:; the example launch has ([\d× ]+) threads)?\."
)
_STEP = re.compile(r"(\s*)((?:\d+\.)+) (.*)$")
_ARGUMENT = re.compile(r"- ([\w, ]+): (.*)$")


@dataclass(frozen=True)
class Argument:
    """`shape` is the array's own, then that of its elements. `role` is empty for plain values. `members` are
    the sizes of the arrays in a struct. `fixed` are dimensions that have one size in any launch, of the array
    ("") or of a member."""

    name: str
    kind: str
    shape: tuple[int, ...]
    role: str
    members: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    fixed: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True)
class Specification:
    name: str
    indices: tuple[str, ...]
    launch: tuple[int, ...]
    arguments: tuple[Argument, ...]
    steps: Callable[[dict[str, Any]], None]
    functions: Mapping[str, Callable[..., Any]]
    structs: Mapping[str, dict[str, str]]

    def launched(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The outputs of a launch, by the names of arguments. Raises `Unreadable` for what it knows not."""
        given: dict[str, Any] = {"functions": self.functions}
        for argument in self.arguments:
            given[argument.name] = _given(argument, inputs, self.structs)
        with np.errstate(all="ignore"):
            for thread in itertools.product(*map(range, self.launch)):
                names = given | dict(zip(self.indices, thread, strict=False))
                with suppress(Done):
                    self.steps(names)
        outputs: dict[str, np.ndarray] = {}
        for argument in self.arguments:
            if argument.role and not argument.role.startswith("input"):
                outputs |= _leaves(argument.name, given[argument.name])
        return outputs


class Records:
    """An array of structs, as an array for each member."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members

    @property
    def shape(self) -> tuple[int, ...]:
        return next(iter(self.members.values())).shape

    def __getitem__(self, place: tuple[int, ...]) -> dict[str, Any]:
        return {name: f.at(member, place) for name, member in self.members.items()}

    def __setitem__(self, place: tuple[int, ...], value: dict[str, Any]) -> None:
        for name, member in self.members.items():
            member[place] = value[name]


def _leaves(name: str, value: Any) -> dict[str, np.ndarray]:
    members = value.members if isinstance(value, Records) else value
    if not isinstance(members, dict):
        return {name: value}
    found: dict[str, np.ndarray] = {}
    for member, inner in members.items():
        found |= _leaves(f"{name}.{member}", inner)
    return found


def _given(argument: Argument, inputs: Mapping[str, np.ndarray], structs: Structs) -> Any:
    struct = structs.get(argument.kind.split(",")[0].rpartition("of ")[2])
    if struct is None:
        return _numbers(argument, inputs)
    if argument.shape and any("array" in kind for kind in struct.values()):
        raise Unreadable(f"structs with arrays in an array: {argument.kind}")
    members = {}
    for name, kind in struct.items():
        shape = (*argument.shape, *argument.members.get(name, ()), *shape_of(kind))
        inner = Argument(f"{argument.name}.{name}", kind, shape, argument.role)
        members[name] = _given(inner, inputs, structs)
    return Records(members) if argument.shape else members


def _numbers(argument: Argument, inputs: Mapping[str, np.ndarray]) -> Any:
    if argument.role.startswith("output"):
        return np.zeros(argument.shape, _carrier(argument.kind))
    value = np.array(inputs[argument.name])
    if value.dtype.kind != "u":
        value = value.astype({"i": np.int64, "b": bool}.get(value.dtype.kind, float))
    return value if value.shape else f.plain_number(value[()])


def _carrier(kind: str) -> Any:
    scalar = re.findall(r"u?int\d+|float\d+|bool", kind)
    if not scalar:
        raise Unreadable(f"an output that is {kind}")
    name = scalar[-1]
    if name.startswith("u") or name == "bool":
        return name
    return np.int64 if name.startswith("int") else np.float64


def read(text: str) -> Specification:
    """Read a specification. Raises `Unreadable`."""
    lines = text.rstrip("\n").split("\n")
    found = _OPENING.match(lines[0])
    if found is None:
        raise Unreadable(lines[0])
    indices = tuple(found[2].split(", ")) if found[2] else ()
    launch = tuple(map(int, found[3].split(" × "))) if found[3] else ()
    sections = _sections(lines[1:])
    header = sections["Arguments, in order:"]
    arguments = [argument for line in header for argument in _arguments(line, launch)]
    structs = dict(_struct(line) for line in header if " is a struct " in line)
    functions: dict[str, Callable[..., Any]] = {}
    for name, function in _functions(sections.get("Functions:", []), structs, functions):
        functions[name] = _either(functions[name], function) if name in functions else function
    for struct in structs:
        functions[struct] = _maker(struct, structs)
    steps = block(_outline(sections["Each thread:"]), structs)
    return Specification(found[1], indices, launch, tuple(arguments), steps, functions, structs)


def _sections(lines: list[str]) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    heading = ""
    for line in lines:
        if line in ("Arguments, in order:", "Each thread:", "Functions:", "Notation:"):
            heading = line
            sections[heading] = []
        elif line.strip():
            sections[heading].append(line)
    return sections


def _arguments(line: str, launch: tuple[int, ...]) -> Iterator[Argument]:
    found = _ARGUMENT.match(line)
    if found is None:
        return
    what, _, role = found[2].partition("; ")
    names = found[1].split(", ")
    if "array" not in what:
        inner = re.split(r"(?:, with |, (?=\w+ of )| and )(\w+) of ", what)
        members = {member: _sizes(text) for member, text in zip(inner[1::2], inner[2::2], strict=True)}
        fixed = {(member, axis) for member, (_, some) in members.items() for axis in some}
        shapes = {member: shape for member, (shape, _) in members.items()}
        for name in names:
            yield Argument(name, what.removesuffix(" each"), (), role, shapes, frozenset(fixed))
        return
    element = shape_of(what)
    if "one entry per thread" in what:
        outer, some = launch, set[int]()
    elif row := re.search(r"a (?:row|block)( of exactly [\d× ]+)? per thread \((.*)\)$", what):
        outer, some = _sizes(row[2])
        some |= set(range(len(launch), len(outer))) if row[1] else set()
    else:
        outer, some = _sizes(what.partition(", ")[2])
    for name in names:
        yield Argument(name, what, (*outer, *element), role, {}, frozenset(("", axis) for axis in some))


def _sizes(text: str) -> tuple[tuple[int, ...], set[int]]:
    """The sizes of an array, and those of its dimensions in which it has them in any launch."""
    found = re.fullmatch(r"(exactly )?(\d+(?: × \d+)*)(?: entry| entries)?( in the example)?(.*)", text)
    if found is None or bool(found[1]) == bool(found[3]):
        raise Unreadable(text)
    shape = tuple(map(int, found[2].split(" × ")))
    fixed = re.findall(r", exactly (\d+) in dimension (\d+)", found[4])
    if any(shape[int(axis)] != int(size) for size, axis in fixed):
        raise Unreadable(text)
    return shape, set(range(len(shape))) if found[1] else {int(axis) for _, axis in fixed}


def _struct(line: str) -> tuple[str, dict[str, str]]:
    found = re.match(r"An? (\w+) is a struct of (.*)\.$", line)
    assert found is not None
    return found[1], dict(re.findall(r"(\w+) \(([^()]+)\)", found[2]))


def _maker(struct: str, structs: Structs) -> Callable[..., dict[str, Any]]:
    """What makes a struct of values for all its members, or of none: then they are zero."""
    zeros = of_member(struct, structs)
    return lambda *values: dict(zip(structs[struct], values, strict=True)) if values else zeros(NOTHING)


def _outline(lines: list[str]) -> list[Line]:
    """Numbered lines as a tree, by their numbers."""
    top: list[Line] = []
    levels: dict[int, list[Line]] = {0: top}
    last = None
    for text in lines:
        if found := _STEP.match(text):
            last, depth = Line(found[3]), found[2].count(".") - 1
            levels[depth].append(last)
            levels[depth + 1] = last.inner
        elif last is not None and text.strip().startswith("- "):
            last.cases.append(text.strip()[2:])
        else:
            raise Unreadable(text)
    return top


_FUNCTION = re.compile(r"- ([\w.]+)\(([^()]*)\)(?:, an? [^,:]+?)?(,? is\b|:)(.*)$")


def _functions(
    lines: list[str], structs: dict[str, dict[str, str]], known: Mapping[str, Callable[..., Any]]
) -> Iterator[tuple[str, Callable[..., Any]]]:
    groups: list[list[str]] = []
    for line in lines:
        if line.startswith("- "):
            groups.append([])
        groups[-1].append(line)
    for head, *inner in groups:
        found = _FUNCTION.match(head)
        if found is None:
            raise Unreadable(head)
        parameters = [part.partition(": ")[::2] for part in found[2].split(", ")] if found[2] else []
        if found[3].endswith("is"):
            if inner:
                value = cases([line.strip()[2:] for line in inner])
            else:
                t = Tokens(found[4])
                value = chosen(t)
                t.expect(".")
            yield found[1], _called(parameters, structs, known, value)
        else:
            yield found[1], _called(parameters, structs, known, _run(block(_outline(inner), structs)))


def _run(steps: Callable[[dict[str, Any]], None]) -> f.Formula:
    def value(names: dict[str, Any]) -> Any:
        try:
            steps(names)
        except Done as done:
            return done.result
        return None

    return value


def _called(parameters: list, structs: Any, known: Any, value: f.Formula) -> Callable[..., Any]:
    converts = [(name, _parameter(kind, structs)) for name, kind in parameters]

    def call(*given: Any) -> Any:
        names = {name: convert(v) for (name, convert), v in zip(converts, given, strict=True)}
        return value(names | {"functions": known})

    return call


def _either(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    """Functions of one name: the first one whose parameters the values fit."""

    def call(*given: Any) -> Any:
        try:
            return first(*given)
        except (TypeError, ValueError):
            return second(*given)

    return call


def _parameter(kind: str, structs: Any) -> Callable[[Any], Any]:
    if "array" in kind:
        return lambda value: value
    return of_kind(kind or None, structs)
