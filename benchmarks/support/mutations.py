"""Small faults in code: mutmut's operators, and four of ours, applied to one place of a file at a time.

Ours are a branch taken always or never, a statement that only calls something left out, and a float ten times
as large. Left out are text of messages (strings with a space; what is raised, asserted, printed or warned;
options of commands), annotations, decorators and templates of kernels, which are never run.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_if_exp, operator_string

PROJECT = "warp_ir_dataset"
NEVER_RUN = ("synthesis/idioms/", "synthesis/composing/steps/")
CALLS = {"print", "warn", "warning", "info", "debug", "assert_never", "isinstance", "len"}  # left out
WORDS = {"help", "description"}  # and calls that have these arguments
SKIPPED = (cst.Raise, cst.Assert, cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom)
STATEMENTS = (cst.BaseSmallStatement, cst.BaseCompoundStatement)


@dataclass
class Mutant:
    """One change of one file."""

    name: str  # without line numbers: an edit elsewhere in the file keeps it
    path: str  # from the top of the project
    lines: range  # from the first line of its statement
    old: cst.CSTNode
    new: cst.CSTNode
    text: str = ""  # of the whole file, of those in the sample

    @property
    def order(self) -> str:
        return hashlib.sha256(self.name.encode()).hexdigest()

    def difference(self, original: str) -> str:
        """`file:line: - old + new`"""
        lines = difflib.unified_diff(original.splitlines(), self.text.splitlines(), n=0)
        changed = [f"{line[0]} {line[1:].strip()}" for line in list(lines)[2:] if line[0] in "+-"]
        return f"{self.path}:{self.lines[-1]}: {'  '.join(changed)}"


class Finder(cst.CSTVisitor):  # type: ignore[misc]  # [dev] does not install libcst
    """Every mutant of a file."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, path: str, source: str, salt: str) -> None:
        super().__init__()
        self.path, self.salt = path, salt
        self.module = cst.parse_module(source)
        self.found: list[Mutant] = []
        self._names: Counter[str] = Counter()
        self._scope: list[str] = []
        self._statements: list[int] = []
        MetadataWrapper(self.module, unsafe_skip_copy=True).visit(self)

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _is_left_out(node):
            return False
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._scope.append(node.name.value)
        if isinstance(node, STATEMENTS):
            self._statements.append(self.get_metadata(PositionProvider, node).start.line)
        for old, new in _changes(node):
            code = self.module.code_for_node
            name = f"{self.salt}{self.path}:{'.'.join(self._scope)}: {code(old)} -> {code(new)}"
            self._names[name] += 1
            lines = range(self._statements[-1], self.get_metadata(PositionProvider, old).end.line + 1)
            self.found.append(Mutant(f"{name} ({self._names[name]})", self.path, lines, old, new))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if _is_left_out(original_node):
            return
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)):
            self._scope.pop()
        if isinstance(original_node, STATEMENTS):
            self._statements.pop()

    def write(self, mutant: Mutant) -> None:
        changed = self.module.deep_replace(mutant.old, mutant.new)
        assert isinstance(changed, cst.Module)
        mutant.text = changed.code


def _is_left_out(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Call):
        name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
        if isinstance(name, cst.Name) and name.value in CALLS:
            return True
        return any(argument.keyword is not None and argument.keyword.value in WORDS for argument in node.args)
    return isinstance(node, SKIPPED) or (
        isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString)
    )


def _changes(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind) and operator is not operator_string:
            yield from ((node, new) for new in operator(node))
    if isinstance(node, cst.SimpleString) and " " not in node.value:
        yield from ((node, new) for new in list(operator_string(node))[:1])
    if isinstance(node, cst.Float):
        yield node, node.with_changes(value=repr(node.evaluated_value * 10))
    if isinstance(node, cst.If) and not (
        isinstance(node.test, cst.Name) and node.test.value == "TYPE_CHECKING"
    ):
        yield from ((node.test, new.test) for new in operator_if_exp(node))
    if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        yield node.value, cst.Name("None")


def sample(root: Path, package: str, number: int, salt: str) -> list[Mutant]:
    """The mutants of a package whose names have the smallest hashes."""
    folder = root / PROJECT
    best: list[Mutant] = []
    for file in sorted(folder.glob("*.py") if package == "top" else (folder / package).rglob("*.py")):
        path = file.relative_to(root).as_posix()
        if not any(part in path for part in NEVER_RUN):
            finder = Finder(path, file.read_text(), salt)
            best = heapq.nsmallest(number, [*best, *finder.found], key=lambda mutant: mutant.order)
            for mutant in best:
                if mutant.path == path:
                    finder.write(mutant)
    return [mutant for mutant in best if _is_python(mutant.text)]


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
