"""Turns a template with its choices made into the text of a module and the signature of its kernel."""

from __future__ import annotations

import ast
import inspect
import keyword
import re
import string
import textwrap
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...common.rng import Rng
from ...language.cuda.names import KEYWORDS
from ...language.python.nodes import Transformer, nodes
from .choices import Choices, Constant
from .fold import Fold
from .template import Given, Template
from .text import Definition, definition_of, definitions, docstring_of, without_marks

# What names are that templates use throughout; a template's own words come first.
COMMON_NAMES = {
    "tid": "tid i tid idx",
    "out": "out output result",
    "i j": "i j | i j | row col | y x",
}
# Where a constant stands, in parts of a hundred; one that a helper function uses is never an argument.
PLACES = (("argument", 40), ("module", 30), ("literal", 30))
LEAST_SEEN = 0.01  # a constant below this is no argument
COMMENTED, DOCUMENTED = 0.8, 0.35  # many templates have no comment
SENTENCE = 92  # characters of a docstring's line
RESERVED = KEYWORDS | set(keyword.kwlist)  # Warp copies names into C++
# Which attribute of a node is a name of the template's.
_NAMING: Mapping[type[ast.AST], str] = {
    ast.Name: "id",
    ast.arg: "arg",
    ast.keyword: "arg",
    ast.FunctionDef: "name",
    ast.ClassDef: "name",
}


@dataclass(frozen=True)
class Written:
    """A module of one kernel.

    `given` tells of each argument, in order; `others` are what a name might have been as well. `task` asks
    for the kernel in prose. `folded` says that constants are literals, and may be folded into other numbers.
    """

    text: str
    kernel: str
    given: Mapping[str, Given]
    launch: tuple[int, ...]
    sentence: str
    task: str
    others: Mapping[str, tuple[str, ...]]
    folded: bool


def written(template: Template, choices: Choices, rng: Rng) -> Written:
    """What a template says with these choices. Raises `Unfoldable` for a template that cannot be."""
    template.function(choices)
    kernel = choices.chosen
    if kernel is None:
        raise ValueError(f"{template.purpose} has no kernel: mark one with @c.kernel(...)")
    parts = _parts(template, choices)
    places = _places(parts, rng)
    given = _used({name: p.default for name, p in inspect.signature(kernel).parameters.items()}, parts.kernel)
    given = _with_arguments(parts, places, given)
    told = choices.words | {key: words for key, words in template.names.items() if key not in choices.words}
    kernels = [*([] if "kernel" in choices.words else [template.purpose]), *told.pop("kernel", "").split()]
    names = _renamed(parts, given, kernels, told, rng)
    words = _Words(choices.locals, places, names)
    kernel_name = names[parts.kernel.name]
    return Written(
        _text(template, parts, places, names, words, rng),
        kernel_name,
        {names.get(name, name): _with_quantity(name, value) for name, value in given.items()},
        choices.launch,
        words.put_in(template.sentence),
        _task(template, choices.locals, places, names),
        {names.get(key, key): tuple(options.split()) for key, options in told.items()},
        "literal" in places.values(),
    )


def bare_task(template: Template, choices: Choices) -> str:
    """The template's task once its choices are made, with the names that the template itself uses: all that
    is left to differ is what the task says of the choices."""
    return _task(template, choices.locals, {}, {})


def _task(
    template: Template, bound: Mapping[str, Any], places: Mapping[str, str], names: Mapping[str, str]
) -> str:
    """The template's task with its fields put in. A constant is its number, unless it is an argument: whoever
    reads a task does not see the module."""
    told = {name: "literal" if place == "module" else place for name, place in places.items()}
    return re.sub(" +", " ", _Words(bound, told, names).put_in(template.task)).strip()


def _with_quantity(name: str, value: Given) -> Given:
    """A scalar argument named ``dt`` is a quantity of its own, a time step, in every template."""
    return replace(value, of="time step") if name.lower() == "dt" and not value.shape else value


@dataclass(frozen=True)
class _Parts:
    """What is left of a template: the kernel, and the definitions and constants that it needs, in the
    template's order. `inside` names the constants that helper functions use."""

    kernel: ast.FunctionDef
    others: tuple[Definition, ...]
    constants: Mapping[str, Constant]
    inside: frozenset[str]


def _used(given: Mapping[str, Given], kernel: ast.FunctionDef) -> dict[str, Given]:
    """The arguments that the choices left a use for; the others go."""
    names = {n.id for s in kernel.body for n in nodes(s) if isinstance(n, ast.Name)}
    kernel.args.args = [a for a in kernel.args.args if a.arg in names]
    return {name: value for name, value in given.items() if name in names}


def _parts(template: Template, choices: Choices) -> _Parts:
    """Fold the kernel, and all that it uses, one after the other."""
    assert choices.chosen is not None
    fold = Fold(choices.locals, choices)
    kernel = fold.definition(definition_of(template, choices.chosen))
    assert isinstance(kernel, ast.FunctionDef)
    constants: dict[str, Constant] = {}
    found: dict[str, tuple[int, Definition]] = {}
    waiting = dict(fold.used)
    inside: set[str] = set()
    while waiting:
        name, thing = waiting.popitem()
        if isinstance(thing, Constant):
            constants[name] = thing
            continue
        if name in found:
            continue
        fold = Fold(choices.locals, choices)
        node = definition_of(template, thing)
        found[name] = definitions(template).index(node), fold.definition(node)
        inside |= {used for used, value in fold.used.items() if isinstance(value, Constant)}
        waiting |= fold.used
    ordered = dict(sorted(constants.items(), key=lambda pair: pair[1].order))
    others = tuple(node for _, node in sorted(found.values(), key=lambda pair: pair[0]))
    return _Parts(kernel, others, ordered, frozenset(inside))


# ---- constants


def _places(parts: _Parts, rng: Rng) -> dict[str, str]:
    """Where each constant stands. Those of one kernel stand together; where one has to be a name, so that the
    others would be numbers beside it, all are."""
    usual = rng.weighted(PLACES)
    taken = _names_in(parts)
    if usual == "literal" and any(constant.value < 0 for constant in parts.constants.values()):
        usual = "module"  # a sign reads badly in a sum
    places = {}
    for name, constant in parts.constants.items():
        # Helper functions know no arguments, and an argument needs a name and an effect that shows.
        hidden = name in parts.inside or name.lower() in taken or constant.high < LEAST_SEEN
        places[name] = "module" if usual == "argument" and hidden else usual
    return places


def _names_in(parts: _Parts) -> set[str]:
    """Every name that the definitions use."""
    found = [told for outer in (parts.kernel, *parts.others) for told in _naming(outer)]
    return {name for _, _, name in found}


def _naming(outer: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """The nodes of a tree that hold a name, under which attribute, and the name."""
    for node in nodes(outer):
        key = _NAMING.get(type(node))
        if key is not None and (name := getattr(node, key)) is not None:
            yield node, key, name


def _with_arguments(parts: _Parts, places: Mapping[str, str], given: Mapping[str, Given]) -> dict[str, Given]:
    """The kernel's arguments, with constants among them: before the first array that is written."""
    node = parts.kernel
    arguments = [name for name, place in places.items() if place == "argument"]
    at = next((k for k, g in enumerate(given.values()) if g.role == "output"), len(given))
    node.args.args[at:at] = [ast.arg(name, ast.Name(_kind(parts.constants[name]))) for name in arguments]
    order = list(given.items())
    order[at:at] = [
        (name, Given((), "input", parts.constants[name].low, parts.constants[name].high))
        for name in arguments
    ]
    return dict(order)


def _kind(constant: Constant) -> str:
    return "float" if isinstance(constant.value, float) else "int"


# ---- names


def _renamed(
    parts: _Parts, given: Mapping[str, Given], kernels: Sequence[str], told: Mapping[str, str], rng: Rng
) -> dict[str, str]:
    """New names by old ones, each used once: one of `kernels` for the kernel, and words that are `told`."""
    taken = set(parts.constants) | set(given) | _names_in(parts)
    names = {parts.kernel.name: kernels[0]}
    for name in parts.constants:
        if name in given:
            names[name] = name.lower()
    for key, words in [*told.items(), *COMMON_NAMES.items()]:
        olds = key.split()
        options = words.split("|") if len(olds) > 1 else words.split()
        news = rng.pick([option.split() for option in options])
        if any(old not in taken or old in names for old in olds):
            continue
        free = taken - set(olds) | set(names.values())
        if not any(new in free or new in RESERVED for new in news):
            names |= dict(zip(olds, news, strict=True))
    options = [o for o in kernels[1:] if o not in taken | set(names.values())]
    names[parts.kernel.name] = rng.pick([kernels[0], *options])
    for name in taken:
        if names.get(name, name) in RESERVED - {"float", "int", "bool"}:
            raise ValueError(f"{kernels[0]} has a name that C++ has another use for: {name}")
    return names


def _rename(definition: Definition, names: Mapping[str, str], arrays: Container[str] = ()) -> None:
    """Give what a definition names its new names. Members of structs keep theirs, as they do where they are
    read, and so do parameters of a helper function that are one element of what `arrays` names."""
    if isinstance(definition, ast.ClassDef):
        definition.name = names.get(definition.name, definition.name)
        return
    plain = {a.arg for a in definition.args.args if not _is_array(a)}
    names = {old: new for old, new in names.items() if old not in plain or old not in arrays}
    for node, key, name in _naming(definition):
        if name in names:
            setattr(node, key, names[name])


def _is_array(parameter: ast.arg) -> bool:
    """Whether it is declared as ``wp.array[float]``, ``wp.array2d(dtype=float)`` or the like."""
    declared = parameter.annotation
    if isinstance(declared, ast.Call):
        declared = declared.func
    elif isinstance(declared, ast.Subscript):
        declared = declared.value
    return isinstance(declared, ast.Attribute) and declared.attr.startswith("array")


# ---- words


@dataclass(frozen=True)
class _Words:
    """Puts what was chosen into sentences: ``{NAME}`` is a choice of the template's, or a name of the
    kernel."""

    bound: Mapping[str, Any]
    places: Mapping[str, str]
    names: Mapping[str, str]

    def put_in(self, text: str, quoted: bool = False) -> str:
        """The text with words for its fields; those of texts that are choices are put in as well. A name is
        put in backticks, but not where it is `quoted` already."""
        pieces: list[str] = []
        for literal, field, _, _ in string.Formatter().parse(text):
            pieces.append(literal)
            quoted ^= literal.count("`") % 2 == 1
            if field:
                pieces.append(self.word(field, quoted))
        return "".join(pieces)

    def word(self, name: str, quoted: bool = False) -> str:
        value = self.bound.get(name)
        if isinstance(value, Constant) and self.places.get(name) == "literal":
            return f"{value.value:g}"
        if isinstance(value, Constant) or name not in self.bound:
            known = self.names.get(name, name)
            return known if quoted else f"`{known}`"
        if callable(value):
            said = inspect.cleandoc(value.__doc__ or "").partition("\n")[0].rstrip(".")
            return said or value.__name__.replace("_", " ")
        if isinstance(value, str):
            return self.put_in(value, quoted)
        return f"{value:g}" if isinstance(value, float) else str(value)


# ---- text


def _text(
    template: Template,
    parts: _Parts,
    places: Mapping[str, str],
    names: dict[str, str],
    words: _Words,
    rng: Rng,
) -> str:
    commented, documented = rng.chance(COMMENTED), rng.chance(DOCUMENTED)
    enumerated = any(isinstance(node, ast.ClassDef) and node.bases for node in parts.others)
    blocks = ["from enum import IntEnum\n\nimport warp as wp" if enumerated else "import warp as wp"]
    named = [name for name, place in places.items() if place == "module"]
    if named:
        lines = [f"{names.get(n, n)} = wp.constant({parts.constants[n].value!r})" for n in named]
        blocks.append("\n".join(lines))
    literals = {name: c.value for name, c in parts.constants.items() if places[name] == "literal"}
    arrays = {a.arg for a in parts.kernel.args.args if _is_array(a)}
    for node in (*parts.others, parts.kernel):
        made = _Literals(literals).visit(node)
        _rename(made, names, () if node is parts.kernel else arrays)
        blocks.append("\n".join(_definition(made, parts.kernel, words, commented, documented, template)))
    return "\n\n\n".join(blocks) + "\n"


class _Literals(Transformer):
    """Replaces names of constants by their numbers. Then drops factors and divisors that are 1.0, and
    computes sums, differences and products of two floats."""

    def __init__(self, values: Mapping[str, float | int]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self.values[node.id]) if node.id in self.values else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.BinOp(ast.expr() as kept, ast.Mult() | ast.Div(), ast.Constant(float(1.0))):
                return kept
            case ast.BinOp(ast.Constant(float(1.0)), ast.Mult(), ast.expr() as kept):
                return kept
            case ast.BinOp(
                ast.Constant(float(a)), ast.Add() | ast.Sub() | ast.Mult() as sign, ast.Constant(float(b))
            ):
                made = {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}[type(sign)]
                return ast.Constant(float(f"{made:.6g}"))
            case _:
                return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("float"), [ast.Constant(int(value))]) if not isinstance(value, bool):
                return ast.Constant(float(value))
            case _:
                return node


def _definition(
    node: Definition,
    kernel: ast.FunctionDef,
    words: _Words,
    commented: bool,
    documented: bool,
    template: Template,
) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield "@wp.kernel" if node is kernel else "@wp.func"
        node.body = list(_documented(node, kernel, words, documented, template))
    elif not node.bases:
        yield "@wp.struct"
    yield without_marks(ast.unparse(node), words.put_in if commented else None)


def _documented(
    node: ast.FunctionDef, kernel: ast.FunctionDef, words: _Words, documented: bool, template: Template
) -> Iterator[ast.stmt]:
    """A function's statements, with its docstring or without; a kernel's is the template's sentence."""
    told = docstring_of(node)
    body: Sequence[ast.stmt] = node.body[1:] if told is not None else node.body
    told = words.put_in(template.sentence if node is kernel else told or "")
    told = told[:1].upper() + told[1:]
    if documented and told:
        yield ast.Expr(ast.Constant(as_docstring(told)))
    yield from body


def as_docstring(sentence: str) -> str:
    """The sentence in lines of a docstring's width, broken between words alone."""
    return textwrap.fill(sentence, SENTENCE, break_on_hyphens=False)
