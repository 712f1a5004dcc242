"""Checks docstrings of public functions (arguments, result, exceptions) and of public classes (fields)."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import warp_ir_dataset

PACKAGE = Path(warp_ir_dataset.__file__).parent
# All public functions of these modules, and what `warp_ir_dataset` exports, are the API.
MODULES = ("api", "inspect_task", "rewards")
# So is what documents name of other modules, and what the API returns.
OTHERS = (
    "common.configs.tasks",
    "common.configs.whole_tasks",
    "compilers.extracting.extract.Extraction",
    "compilers.extracting.extract.Parameter",
    "evaluation.evaluation.Evaluation",
    "evaluation.predictions.read_predictions",
    "evaluation.validation.finding.Finding",
    "evaluation.validation.finding.Validation",
    "evaluation.validation.on_device.OnDevice",
    "evaluation.validation.on_device.Ran",
    "judge.answers.code_of",
    "judge.answers.wanted",
    "language.domains.Interval",
    "language.domains.falling",
    "language.ir.Argument",
    "language.ir.Signature",
    "language.operations.bounds.below",
    "language.operations.bounds.on",
    "language.operations.meanings.each",
    "language.operations.row.row",
    "language.python.read.kernels_of",
    "language.python.read.read",
    "language.python.read.read_kernel",
    "language.python.write.write",
    "language.specification.write.specify",
    "machine.findings.Checked",
    "machine.findings.Finding",
    "publishing.facts.Facts",
    "publishing.hub.push.Push",
    "publishing.summary.Planned",
    "publishing.summary.Spent",
)
# These raise no error of ours; a new public function that raises none is added here.
RAISE_NOTHING = {
    "common.configs.tasks",
    "common.configs.whole_tasks",
    "inspect_task.judge",
    "judge.answers.wanted",
    "language.domains.falling",
    "language.operations.bounds.below",
    "language.operations.bounds.on",
    "language.operations.meanings.each",
    "language.operations.row.row",
    "language.python.primer.primer",
    "language.python.write.write",
    "rewards.share",
}
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises):\n((?:    .*\n|\n)*)", re.MULTILINE)
ITEM = re.compile(r"^    (\w+): \S", re.MULTILINE)


@dataclass(frozen=True)
class Documented:
    """What a docstring documents: names of arguments, fields and exceptions, and whether a result is."""

    summary: str
    args: list[str]
    attributes: list[str]
    returns: bool
    raises: list[str]


def documented(docstring: str) -> Documented:
    sections = dict(SECTION.findall(docstring + "\n"))
    names = {name: ITEM.findall(text) for name, text in sections.items()}
    return Documented(
        docstring.partition("\n\n")[0],
        names.get("Args", []),
        names.get("Attributes", []),
        bool(sections.get("Returns", "").strip()),
        names.get("Raises", []),
    )


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse((PACKAGE / f"{module.replace('.', '/')}.py").read_text())


def definition(name: str) -> ast.FunctionDef | ast.ClassDef:
    """The class or function of that name, such as ``rewards.correct``; of overloads the last one."""
    module, _, last = name.rpartition(".")
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [node for node in tree_of(module).body if isinstance(node, kinds) and node.name == last][-1]


def public() -> Iterator[str]:
    for name in warp_ir_dataset.__all__:
        if not name.startswith("__"):
            home = import_module(getattr(warp_ir_dataset, name).__module__).__name__
            yield f"{home.removeprefix('warp_ir_dataset.')}.{name}"
    for module in MODULES:
        for node in tree_of(module).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield f"{module}.{node.name}"
    yield from OTHERS


def faults(node: ast.FunctionDef | ast.ClassDef, *, raises: bool) -> list[str]:
    """What the docstring of a definition lacks, and what it documents that is not there."""
    docstring = ast.get_docstring(node)
    if docstring is None:
        return ["it has no docstring"]
    said = documented(docstring)
    found = [] if said.summary.endswith(".") else ["its first paragraph is no sentence"]
    if isinstance(node, ast.ClassDef):
        return found + differences("Attributes", fields(node), said.attributes)
    found += differences("Args", parameters(node), said.args)
    returns = node.returns is not None and ast.unparse(node.returns) != "None"
    if returns != said.returns:
        found.append(f"Returns: is {'missing' if returns else 'there, and it returns nothing'}")
    if raises != bool(said.raises):
        found.append(f"Raises: is {'missing, or RAISE_NOTHING lacks it' if raises else 'there'}")
    return found + [f"Raises: {name} is no exception" for name in said.raises if name not in exceptions()]


def differences(section: str, names: list[str], said: list[str]) -> list[str]:
    lacking = [f"{section}: lacks {name}" for name in names if name not in said]
    return lacking + [f"{section}: {name} does not exist" for name in said if name not in names]


def parameters(node: ast.FunctionDef) -> list[str]:
    found = node.args
    every = [*found.posonlyargs, *found.args, found.vararg, *found.kwonlyargs, found.kwarg]
    return [each.arg for each in every if each is not None and not each.arg.startswith("_")]


def fields(node: ast.ClassDef) -> list[str]:
    """The annotated fields of a class: of a dataclass what its instances are made of."""
    return [
        each.target.id
        for each in node.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and not each.target.id.startswith("_")
    ]


@cache
def exceptions() -> frozenset[str]:
    """The names of the package's exceptions."""
    found = re.compile(r"^class (\w+)\(([\w, ]+)\):", re.MULTILINE)
    texts = [path.read_text() for path in PACKAGE.rglob("*.py")]
    bases = {name: set(above.split(", ")) for text in texts for name, above in found.findall(text)}
    known = {name for name in dir(builtins) if name.endswith(("Error", "Exception"))}
    while more := {name for name, above in bases.items() if above & known} - known:
        known |= more
    return frozenset(known)


@pytest.mark.parametrize("name", sorted(set(public())))
def test_a_public_name_has_a_whole_docstring(name: str) -> None:
    assert not faults(definition(name), raises=name not in RAISE_NOTHING)


WHOLE = '''
def halved(number, _cache=None, *, exact=False) -> int:
    """Halve a number.

    Args:
        number: The number.
        exact: Refuse an odd one,
            with one line.

    Returns:
        Half of it.

    Raises:
        UserError: If it is odd.
    """
'''


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("", "", None),
        ('"""', "#", "it has no docstring"),
        ("a number.\n\n", "a number\n\n", "its first paragraph is no sentence"),
        ("        number: The number.\n", "", "Args: lacks number"),
        ("        exact: R", "        exactly: R", "Args: lacks exact"),
        ("exact=False", "other=False", "Args: exact does not exist"),
        ("    Returns:\n        Half of it.\n\n", "", "Returns: is missing"),
        ("-> int", "-> None", "Returns: is there, and it returns nothing"),
        (
            "    Raises:\n        UserError: If it is odd.\n",
            "",
            "Raises: is missing, or RAISE_NOTHING lacks it",
        ),
        ("UserError:", "UsersError:", "Raises: UsersError is no exception"),
    ],
)
def test_what_a_docstring_lacks_is_found(old: str, new: str, fault: str | None) -> None:
    text = WHOLE.replace(old, new) if fault != "it has no docstring" else WHOLE[: WHOLE.index('"""')] + "pass"
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.FunctionDef)
    found = faults(node, raises=True)
    assert fault in found if fault else not found


POINT = '''
class Point:
    """A point.

    Attributes:
        x: To the right.
    """

    x: int
    y: int
'''


def test_a_field_without_its_line_is_found() -> None:
    (node,) = ast.parse(POINT).body
    assert isinstance(node, ast.ClassDef)
    assert faults(node, raises=False) == ["Attributes: lacks y"]
