"""Renders a template: makes its choices, and writes the text of a module with one kernel."""

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
from .choices import Choices, ChosenConstant
from .fold import Fold
from .source import Definition, definition_of, definitions, docstring_of, without_marks
from .template import ArgumentSpec, Template

# Names to choose from for names that most templates use; a template's own come first.
COMMON_NAMES = {
    "tid": "tid i tid idx",
    "out": "out output result",
    "i j": "i j | i j | row col | y x",
}
# Where constants stand, with weights. A constant that a helper function uses is never an argument.
PLACES = (("argument", 40), ("module", 30), ("literal", 30))
LEAST_SEEN = 0.01  # a smaller constant is no argument: tests would hardly notice its value
COMMENTED, DOCUMENTED = 0.8, 0.35  # shares of kernels with comments, and with docstrings
DOCSTRING_WIDTH = 92
RESERVED = KEYWORDS | set(keyword.kwlist)  # Warp copies names into C++
# The attribute of each kind of node that holds a name.
_NAMING: Mapping[type[ast.AST], str] = {
    ast.Name: "id",
    ast.arg: "arg",
    ast.keyword: "arg",
    ast.FunctionDef: "name",
    ast.ClassDef: "name",
}


@dataclass(frozen=True)
class RenderedModule:
    """The text of a module with one kernel.

    `arguments` are those of the kernel, in order. `synonyms` are the names that each name was chosen from.
    `sentence` describes the kernel, `task` asks for it in prose. If `has_literal_constants`, constants are
    literals, and may be folded into other numbers.
    """

    text: str
    kernel: str
    arguments: Mapping[str, ArgumentSpec]
    launch: tuple[int, ...]
    sentence: str
    task: str
    synonyms: Mapping[str, tuple[str, ...]]
    has_literal_constants: bool


def render(template: Template, choices: Choices, rng: Rng) -> RenderedModule:
    """Make the choices of a template and write its module. Raises `UnfoldableTemplate` if its text names a
    value that cannot stand in a kernel, and `ValueError` for other faults of a template."""
    template.function(choices)
    kernel = choices.kernel_function
    if kernel is None:
        raise ValueError(f"{template.purpose} has no kernel: mark one with @c.kernel(...)")
    folded = _folded(template, choices)
    places = _places(folded, rng)
    declared = {name: parameter.default for name, parameter in inspect.signature(kernel).parameters.items()}
    arguments = _with_constants(folded, places, _without_unused(declared, folded.kernel))
    options = choices.words | {
        key: words for key, words in template.names.items() if key not in choices.words
    }
    kernels = options.pop("kernel", "").split()
    if "kernel" not in choices.words:
        kernels = [template.purpose, *kernels]
    names = _chosen_names(folded, arguments, kernels, options, rng)
    fields = _Fields(choices.locals, places, names)
    kernel_name = names[folded.kernel.name]  # before `_module_text` renames the tree
    return RenderedModule(
        _module_text(template, folded, places, names, fields, rng),
        kernel_name,
        {names.get(name, name): _with_quantity(name, value) for name, value in arguments.items()},
        choices.launch,
        fields.fill(template.sentence),
        _task(template, choices.locals, places, names),
        {names.get(key, key): tuple(words.split()) for key, words in options.items()},
        "literal" in places.values(),
    )


def bare_task(template: Template, choices: Choices) -> str:
    """The template's task with its choices, but with the template's own names, so that two tasks differ only
    if they describe choices differently."""
    return _task(template, choices.locals, {}, {})


def _task(
    template: Template, bound: Mapping[str, Any], places: Mapping[str, str], names: Mapping[str, str]
) -> str:
    """The template's task with its fields filled. A constant that is no argument is written as its number:
    readers of a task do not see the module."""
    as_read = {name: "literal" if place == "module" else place for name, place in places.items()}
    return re.sub(" +", " ", _Fields(bound, as_read, names).fill(template.task)).strip()


def _with_quantity(name: str, argument: ArgumentSpec) -> ArgumentSpec:
    """The argument; a scalar named ``dt`` has the quantity "time step" in every template."""
    is_time_step = name.lower() == "dt" and not argument.shape
    return replace(argument, of="time step") if is_time_step else argument


@dataclass(frozen=True)
class _Folded:
    """A folded template: the kernel, and the definitions and constants that it needs, in the template's
    order.

    `in_helpers` names the constants that helper functions use.
    """

    kernel: ast.FunctionDef
    helpers: tuple[Definition, ...]
    constants: Mapping[str, ChosenConstant]
    in_helpers: frozenset[str]


def _without_unused(
    arguments: Mapping[str, ArgumentSpec], kernel: ast.FunctionDef
) -> dict[str, ArgumentSpec]:
    """The arguments that the folded kernel uses. Removes the others from its parameters."""
    names = {n.id for s in kernel.body for n in nodes(s) if isinstance(n, ast.Name)}
    kernel.args.args = [a for a in kernel.args.args if a.arg in names]
    return {name: value for name, value in arguments.items() if name in names}


def _folded(template: Template, choices: Choices) -> _Folded:
    """Fold the kernel, and the definitions that it needs."""
    assert choices.kernel_function is not None
    fold = Fold(choices.locals, choices)
    kernel = fold.definition(definition_of(template, choices.kernel_function))
    assert isinstance(kernel, ast.FunctionDef)
    constants: dict[str, ChosenConstant] = {}
    found: dict[str, tuple[int, Definition]] = {}
    waiting = dict(fold.used)
    in_helpers: set[str] = set()
    while waiting:
        name, thing = waiting.popitem()
        if isinstance(thing, ChosenConstant):
            constants[name] = thing
            continue
        if name in found:
            continue
        fold = Fold(choices.locals, choices)
        node = definition_of(template, thing)
        found[name] = definitions(template).index(node), fold.definition(node)
        in_helpers |= {used for used, value in fold.used.items() if isinstance(value, ChosenConstant)}
        waiting |= fold.used
    ordered = dict(sorted(constants.items(), key=lambda pair: pair[1].order))
    helpers = tuple(node for _, node in sorted(found.values(), key=lambda pair: pair[0]))
    return _Folded(kernel, helpers, ordered, frozenset(in_helpers))


# ---- constants


def _places(folded: _Folded, rng: Rng) -> dict[str, str]:
    """The place of each constant: "argument", "module" or "literal". Those of one kernel share a place, but
    one that cannot be an argument is a constant of the module."""
    usual = rng.weighted(PLACES)
    taken = _names_in(folded)
    if usual == "literal" and any(constant.value < 0 for constant in folded.constants.values()):
        usual = "module"  # a sign reads badly in a sum
    places = {}
    for name, constant in folded.constants.items():
        # A helper function sees no arguments. An argument needs a free name, and a value that shows.
        hidden = name in folded.in_helpers or name.lower() in taken or constant.high < LEAST_SEEN
        places[name] = "module" if usual == "argument" and hidden else usual
    return places


def _names_in(folded: _Folded) -> set[str]:
    """Every name that the definitions use."""
    return {name for outer in (folded.kernel, *folded.helpers) for _, _, name in _naming(outer)}


def _naming(outer: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """The nodes of a tree that hold a name, each with the attribute that holds it, and the name."""
    for node in nodes(outer):
        key = _NAMING.get(type(node))
        if key is not None and (name := getattr(node, key)) is not None:
            yield node, key, name


def _with_constants(
    folded: _Folded, places: Mapping[str, str], arguments: Mapping[str, ArgumentSpec]
) -> dict[str, ArgumentSpec]:
    """The kernel's arguments, with constants that are arguments before the first output. Adds these to its
    parameters."""
    added = {name: folded.constants[name] for name, place in places.items() if place == "argument"}
    at = next((k for k, a in enumerate(arguments.values()) if a.role == "output"), len(arguments))
    parameters = [ast.arg(name, ast.Name(_kind(constant))) for name, constant in added.items()]
    folded.kernel.args.args[at:at] = parameters
    order = list(arguments.items())
    order[at:at] = [(name, ArgumentSpec((), "input", c.low, c.high)) for name, c in added.items()]
    return dict(order)


def _kind(constant: ChosenConstant) -> str:
    return "float" if isinstance(constant.value, float) else "int"


# ---- names


def _chosen_names(
    folded: _Folded,
    arguments: Mapping[str, ArgumentSpec],
    kernels: Sequence[str],
    options: Mapping[str, str],
    rng: Rng,
) -> dict[str, str]:
    """New names by old ones, no two the same: one of `kernels` for the kernel, one of the `options` for
    others."""
    taken = set(folded.constants) | set(arguments) | _names_in(folded)
    names = {folded.kernel.name: kernels[0]}
    for name in folded.constants:
        if name in arguments:
            names[name] = name.lower()
    for key, words in [*options.items(), *COMMON_NAMES.items()]:
        olds = key.split()
        sets = words.split("|") if len(olds) > 1 else words.split()
        news = rng.pick([option.split() for option in sets])
        if any(old not in taken or old in names for old in olds):
            continue
        free = taken - set(olds) | set(names.values())
        if not any(new in free or new in RESERVED for new in news):
            names |= dict(zip(olds, news, strict=True))
    unused = [name for name in kernels[1:] if name not in taken | set(names.values())]
    names[folded.kernel.name] = rng.pick([kernels[0], *unused])
    for name in taken:
        if names.get(name, name) in RESERVED - {"float", "int", "bool"}:
            raise ValueError(f"{kernels[0]} uses a name that C++ reserves: {name}")
    return names


def _rename(definition: Definition, names: Mapping[str, str], arrays: Container[str] = ()) -> None:
    """Rename the names in a definition. Members of structs keep their names, and so do parameters of a helper
    function that are one element of an array of the same name."""
    if isinstance(definition, ast.ClassDef):
        definition.name = names.get(definition.name, definition.name)
        return
    plain = {a.arg for a in definition.args.args if not _is_array(a)}
    names = {old: new for old, new in names.items() if old not in plain or old not in arrays}
    for node, key, name in _naming(definition):
        if name in names:
            setattr(node, key, names[name])


def _is_array(parameter: ast.arg) -> bool:
    """Whether a parameter is declared as ``wp.array[float]``, ``wp.array2d(dtype=float)`` or the like."""
    declared = parameter.annotation
    if isinstance(declared, ast.Call):
        declared = declared.func
    elif isinstance(declared, ast.Subscript):
        declared = declared.value
    return isinstance(declared, ast.Attribute) and declared.attr.startswith("array")


# ---- words


@dataclass(frozen=True)
class _Fields:
    """Fills the fields of sentences: ``{NAME}`` is a choice of the template, or a name in the kernel."""

    bound: Mapping[str, Any]
    places: Mapping[str, str]
    names: Mapping[str, str]

    def fill(self, text: str, quoted: bool = False) -> str:
        """The text with its fields filled, also fields of texts that fill fields. A name is put in backticks,
        unless it is `quoted` already."""
        pieces: list[str] = []
        for literal, field, _, _ in string.Formatter().parse(text):
            pieces.append(literal)
            quoted ^= literal.count("`") % 2 == 1
            if field:
                pieces.append(self.word(field, quoted))
        return "".join(pieces)

    def word(self, name: str, quoted: bool = False) -> str:
        value = self.bound.get(name)
        if isinstance(value, ChosenConstant) and self.places.get(name) == "literal":
            return f"{value.value:g}"
        if isinstance(value, ChosenConstant) or name not in self.bound:
            known = self.names.get(name, name)
            return known if quoted else f"`{known}`"
        if callable(value):
            said = inspect.cleandoc(value.__doc__ or "").partition("\n")[0].rstrip(".")
            return said or value.__name__.replace("_", " ")
        if isinstance(value, str):
            return self.fill(value, quoted)
        return f"{value:g}" if isinstance(value, float) else str(value)


# ---- text


def _module_text(
    template: Template,
    folded: _Folded,
    places: Mapping[str, str],
    names: dict[str, str],
    fields: _Fields,
    rng: Rng,
) -> str:
    commented, documented = rng.chance(COMMENTED), rng.chance(DOCUMENTED)
    enumerated = any(isinstance(node, ast.ClassDef) and node.bases for node in folded.helpers)
    blocks = ["from enum import IntEnum\n\nimport warp as wp" if enumerated else "import warp as wp"]
    named = [name for name, place in places.items() if place == "module"]
    if named:
        lines = [f"{names.get(n, n)} = wp.constant({folded.constants[n].value!r})" for n in named]
        blocks.append("\n".join(lines))
    literals = {name: c.value for name, c in folded.constants.items() if places[name] == "literal"}
    arrays = {a.arg for a in folded.kernel.args.args if _is_array(a)}
    for node in (*folded.helpers, folded.kernel):
        made = _Literals(literals).visit(node)
        _rename(made, names, () if node is folded.kernel else arrays)
        blocks.append("\n".join(_definition(made, folded.kernel, fields, commented, documented, template)))
    return "\n\n\n".join(blocks) + "\n"


class _Literals(Transformer):
    """Replaces names of constants by their numbers, drops factors and divisors that are 1.0, and computes
    sums, differences and products of two floats."""

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
    fields: _Fields,
    commented: bool,
    documented: bool,
    template: Template,
) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield "@wp.kernel" if node is kernel else "@wp.func"
        node.body = list(_documented(node, kernel, fields, documented, template))
    elif not node.bases:
        yield "@wp.struct"
    yield without_marks(ast.unparse(node), fields.fill if commented else None)


def _documented(
    node: ast.FunctionDef, kernel: ast.FunctionDef, fields: _Fields, documented: bool, template: Template
) -> Iterator[ast.stmt]:
    """A function's statements, after its docstring if it is `documented`. A kernel's is the template's
    sentence."""
    own = docstring_of(node)
    body: Sequence[ast.stmt] = node.body[1:] if own is not None else node.body
    sentence = fields.fill(template.sentence if node is kernel else own or "")
    if documented and sentence:
        yield ast.Expr(ast.Constant(as_docstring(sentence[:1].upper() + sentence[1:])))
    yield from body


def as_docstring(sentence: str) -> str:
    """The sentence in lines of a docstring's width, broken between words only."""
    return textwrap.fill(sentence, DOCSTRING_WIDTH, break_on_hyphens=False)
