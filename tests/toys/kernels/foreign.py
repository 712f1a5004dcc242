"""Kernels that no generator made: those of the examples that Warp's wheel carries, cut out and proved.

Nothing of them is kept here: files are read where they are installed. A kernel is cut out with the functions,
structs and constants of its module that it uses. Its signature comes from what Warp finds in it and from its
syntax. ``PYTHONPATH=tests python tests/toys/kernels/foreign.py`` tries all and tells what became of each.
"""

from __future__ import annotations

import ast
import builtins
import os
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.domains import TRUTH, Interval
from warp_ir_dataset.language.types import SCALARS, Array, Struct, Type, full_name
from warp_ir_dataset.proof.subject import Proof, Subject
from warp_ir_dataset.workers.pool import Pool
from warp_ir_dataset.workers.task import Task

TASK = Task("toys.kernels.foreign:attempt")
IMPORTS = {"wp": "import warp as wp", "np": "import numpy as np", "math": "import math"}
SIDES = {1: 64, 2: 16, 3: 10, 4: 6}  # of an array, by its dimensions
THREADS = 8  # in each dimension of a launch
FLOATS, INTEGERS = Interval(0.1, 1.0), Interval(0, 7)
OF_GRADIENTS = (Reason.WRONG_GRADIENT, Reason.NO_GRADIENT, Reason.KINK, Reason.ADJOINT_DIFFERS)


@dataclass(frozen=True)
class Foreign:
    """A kernel of a file, and a module of its own that holds it; or why there is none."""

    file: str
    name: str
    source: str = ""
    adjoint: bool = True  # its module leaves Warp's adjoint switched on
    fault: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.name}"


@dataclass(frozen=True)
class Tried:
    """What became of a kernel. `fault` says why it was not tried; where `gradient` is a refusal, `outcome` is
    that of its forward pass alone."""

    outcome: Proof | Rejected | None = None
    gradient: Rejected | None = None
    fault: str = ""
    inputs: int = 0  # floating-point arrays that are read
    outputs: int = 0  # floating-point arrays that are written


# ---- from files to modules


def examples() -> Iterator[Foreign]:
    """Every kernel that stands at the top of a module of Warp's examples."""
    spec = find_spec("warp")
    assert spec is not None and spec.origin is not None
    root = Path(spec.origin).parent / "examples"
    for path in sorted(root.rglob("*.py")):
        yield from _Module(path.relative_to(root).as_posix(), path.read_text()).kernels()


class _Module:
    def __init__(self, file: str, text: str) -> None:
        self.file, self.lines, body = file, text.splitlines(), ast.parse(text).body
        self.adjoint = '"enable_backward": False' not in text
        self.defined: dict[str, ast.stmt] = {}
        self.imported: set[str] = set()
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.defined[node.name] = node
            elif isinstance(node, ast.Assign):
                self.defined |= {t.id: node for t in node.targets if isinstance(t, ast.Name)}
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imported |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}

    def kernels(self) -> Iterator[Foreign]:
        for name, node in self.defined.items():
            decorators = [ast.unparse(d) for d in getattr(node, "decorator_list", ())]
            if any(text.startswith("wp.kernel") for text in decorators):
                adjoint = self.adjoint and "enable_backward=False" not in "".join(decorators)
                yield self._cut(name, adjoint)

    def _cut(self, kernel: str, adjoint: bool) -> Foreign:
        needed, waiting = {kernel}, [kernel]
        imports = {"wp"}
        while waiting:
            for name in _free_names(self.defined[waiting.pop()]):
                if name in self.defined and name not in needed:
                    needed.add(name)
                    waiting.append(name)
                elif name in self.imported:
                    if name not in IMPORTS:
                        return Foreign(self.file, kernel, fault=f"uses {name} of another module")
                    imports.add(name)
        nodes = {self.defined[name].lineno: self.defined[name] for name in needed}
        parts = ["\n".join(IMPORTS[name] for name in IMPORTS if name in imports)]
        parts += [self._text(nodes[line]) for line in sorted(nodes)]
        return Foreign(self.file, kernel, "\n\n\n".join(parts) + "\n", adjoint)

    def _text(self, node: ast.stmt) -> str:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        return "\n".join(self.lines[first - 1 : node.end_lineno])


def _free_names(node: ast.AST) -> set[str]:
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    return {n.id for n in names} - own - set(vars(builtins))


# ---- signatures


def written(source: str, name: str) -> dict[str, bool]:
    """The parameters of a function that it stores to or changes atomically, itself or in functions that it
    hands them to, and whether their old content has a say in that."""
    functions = {n.name: n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)}
    function = functions[name]
    parameters = {argument.arg for argument in function.args.args}
    stored: set[str] = set()
    read: set[str] = set()
    plain_calls = {id(n.value) for n in ast.walk(function) if isinstance(n, ast.Expr)}
    targets: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            stored |= _root(node)
            targets |= {id(n) for n in ast.walk(node.value)}
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
            stored |= _root(node.target)
            read |= _root(node.target)
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.startswith(("wp.atomic_", "wp.tile_store", "wp.tile_atomic")):
                stored |= _root(node.args[0])
                if id(node) in plain_calls:  # nobody looks at the value that it returns
                    targets |= {id(n) for n in ast.walk(node.args[0])}
            elif called in functions and called != name:
                inner = written(source, called)
                for parameter, value in zip(functions[called].args.args, node.args, strict=False):
                    if parameter.arg in inner:
                        stored |= _root(value)
                        targets |= set() if inner[parameter.arg] else {id(n) for n in ast.walk(value)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in targets:
            read.add(node.id)
    return {parameter: parameter in read for parameter in stored & parameters}


def _root(node: ast.AST) -> set[str]:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def signature_of(kernel: Foreign) -> ir.Signature | str:
    """How a kernel is launched here; or, where proof has no type for an argument, which one."""
    from warp_ir_dataset.compilers import warp

    found = warp.translate(kernel.source, kernel.name, backward=False, cuda=False)
    changes = written(kernel.source, kernel.name)
    arguments = []
    for label, type in found.parameters:
        element, ndim = (type.element, type.ndim) if isinstance(type, Array) else (type, 0)
        if not _known(element) or (not isinstance(element, Struct) and label in changes and not ndim):
            return f"argument {label} is of type {full_name(element)}"
        role: ir.Role = "input"
        if label in changes:
            role = "inout" if changes[label] else "output"
        shape = (SIDES[ndim],) * ndim if ndim else ()
        arguments.append(ir.Argument(label, element, role, shape, _domain(element), tuple(_arrays(element))))
    if not arguments:
        return "it has no arguments"
    return ir.Signature(kernel.name, tuple(arguments), (THREADS,) * found.tid_dims)


def _known(type: Type) -> bool:
    if isinstance(type, Struct):
        return all(_known(member) for _, member in type.members)
    return _known(type.element) if isinstance(type, Array) else type.scalar in SCALARS


def _arrays(type: Type, prefix: str = "") -> Iterator[tuple[str, tuple[int, ...]]]:
    """The shapes of a struct's members that are arrays."""
    for name, member in type.members if isinstance(type, Struct) else ():
        if isinstance(member, Array):
            yield prefix + name, (SIDES[member.ndim],) * member.ndim
            member = member.element
        yield from _arrays(member, f"{prefix}{name}.")


def _domain(type: Type) -> Interval:
    if type.is_float or isinstance(type, Struct):
        return FLOATS
    return TRUTH if type.scalar == "bool" else INTEGERS


# ---- proof


def attempt(kernels: Sequence[Foreign], notify: Callable[[int], None]) -> list[Tried]:
    """The function of a `Task`: it runs in a worker, whose memory a kernel may damage."""
    (kernel,) = kernels
    try:
        return [_attempt(kernel, notify)]
    except Exception:
        traceback.print_exc()  # nothing in a damaged process can be trusted
        os.abort()


def _attempt(kernel: Foreign, notify: Callable[[int], None]) -> Tried:
    from warp_ir_dataset.compilers.warp import CompileError
    from warp_ir_dataset.proof.inputs import draw_cases
    from warp_ir_dataset.proof.prove import prove

    try:
        signature = signature_of(kernel)
    except CompileError as error:
        return Tried(Rejected(Reason.COMPILE_ERROR, str(error)))
    if isinstance(signature, str):
        return Tried(fault=signature)
    leaves = [leaf for argument in signature.arguments for leaf in argument.leaves]
    floats = [leaf for leaf in leaves if leaf.ndim and leaf.type.is_float]
    counts = {
        "inputs": sum(a.role != "output" for a in floats),
        "outputs": sum(a.role != "input" for a in floats),
    }
    cases = draw_cases(signature, str(kernel))
    subject = Subject(kernel.source, signature, cases, must_tell=False)
    (outcome,) = prove([subject], CONFIGS["cuda_backward" if kernel.adjoint else "cuda"], "sm_80", notify)
    if isinstance(outcome, Rejected) and outcome.reason in OF_GRADIENTS:
        (forward,) = prove([subject], CONFIGS["cuda"], "sm_80", notify)
        return Tried(forward, outcome, **counts)
    return Tried(outcome, **counts)


def tried(kernels: Sequence[Foreign], workers: int = 2) -> Iterator[tuple[Foreign, Tried]]:
    """What becomes of each, in any order; a process that dies is a rejection too."""
    cut = [kernel for kernel in kernels if not kernel.fault]
    yield from ((kernel, Tried(fault=kernel.fault)) for kernel in kernels if kernel.fault)
    with Pool[Foreign](workers, TASK, skip_faults=True) as pool:
        for kernel in cut:
            pool.submit(kernel, [kernel])
        for kernel, (outcome,) in pool.results():
            found: Tried | Rejected = outcome  # type: ignore[assignment]
            yield kernel, Tried(found) if isinstance(found, Rejected) else found


def told(found: Tried) -> str:
    """One word or two for a table."""
    if found.fault:
        return "left out"
    if isinstance(found.outcome, Rejected):
        return found.outcome.reason.value
    return f"forward only: {found.gradient.reason.value}" if found.gradient else "passed"


def main() -> None:
    counts: Counter[str] = Counter()
    for kernel, found in sorted(tried(list(examples())), key=lambda pair: (told(pair[1]), str(pair[0]))):
        counts[told(found)] += 1
        why = found.fault or (found.gradient.detail if found.gradient else "")
        if isinstance(found.outcome, Rejected):
            why = found.outcome.detail
        if isinstance(found.outcome, Proof):
            checks = found.outcome.checks
            measured = (checks.cuda_text_error, checks.adjoint_error, checks.finite_difference_error)
            why = f"{measured} of {checks.gradients_checked} {why}"
        print(f"{told(found):<32} {kernel!s:<70} {why[:150]}")
    for what, count in counts.most_common():
        print(f"{count:>4} {what}")


if __name__ == "__main__":
    from toys.kernels import foreign  # what workers unpickle has to be of a module that they can import

    foreign.main()
