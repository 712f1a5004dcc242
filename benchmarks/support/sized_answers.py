"""Answers that are right at the sizes of a row's own launch alone, for `verdicts.py`.

Each is the row's own text with one simple edit: a size written as a number, the threads beyond it left out,
counted from the start again, or replaced by a loop. Edits are made in the tree, and written in the config's
language; but the loop over threads that Warp writes is edited as text, as are the sizes that plain CUDA is
given as parameters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from support.right_answers import Asked, NoAnswer
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.analysis.sizes import sizes
from warp_ir_dataset.language.cuda.render import THREAD, render
from warp_ir_dataset.language.operations.table import infix
from warp_ir_dataset.language.rewrite import Body, fresh, map_bodies, map_expressions, names_of, substituted
from warp_ir_dataset.language.types import BOOL, INT, Array
from warp_ir_dataset.language.walks import walk
from warp_ir_dataset.proof.told import examples_of

_EXTENT = re.compile(r"\bdim(?:\.|->)size\b")  # of the launch, in what Warp writes
_STRIDE = re.compile(r"for \(size_t _idx = [^;]*;\s+_idx < dim\.size;\s+_idx \+= [^;{]*\)\n")
_KERNEL = re.compile(r"^__global__[^{]*", re.MULTILINE)  # the head of one in plain CUDA


def of_one_size(asked: Asked) -> Iterator[tuple[str, str]]:
    """Answers to a row by their kind; those in which no size stands that may change are left out."""
    for kind, make in KINDS.items():
        try:
            text = make(asked)
        except NoAnswer:
            continue
        if text is not None and text != asked.own:
            yield kind, text


# ---- the sizes of a row


def _grows(program: ir.Program) -> bool:
    """Whether a launch may have other numbers of threads."""
    return any(size.launch for size in sizes(program))


def _shapes(program: ir.Program) -> Iterator[tuple[str, Array, tuple[int, ...]]]:
    """Arrays with their sizes: arguments, and members of structs by their path."""
    for argument in program.arguments:
        if isinstance(argument.reference.type, Array):
            yield argument.name, argument.reference.type, argument.shape
        for path, shape in argument.member_shapes:
            yield f"{argument.name}.{path}", _member(argument, path), shape


def _member(argument: ir.Argument, path: str) -> Array:
    type: Any = argument.type
    for part in path.split("."):
        type = dict(type.members)[part]
    assert isinstance(type, Array)
    return type


def _counts(asked: Asked) -> dict[str, int]:
    """Whole numbers among the arguments that are a size in every example."""
    sizes = {*asked.program.launch_dim, *(size for _, _, shape in _shapes(asked.program) for size in shape)}
    given = [example["inputs"] for example in examples_of(dict(asked.row))]
    found = {}
    for argument in asked.program.arguments:
        if argument.reference.type == INT:
            values = {inputs[argument.name] for inputs in given}
            if len(values) == 1 and values <= sizes:
                found[argument.name] = values.pop()
    return found


# ---- edits of trees


def _written(asked: Asked, made: ir.Program) -> str | None:
    if made == asked.program or not asked.fits(made) or (asked.config.adjoint and gradient_bar(made)):
        return None
    return asked.answer(made)


def _literal(asked: Asked) -> str | None:
    """Every size that the text asks for, or is given, as the number that it is, but for those that the row
    says stay: of these that is right."""
    if asked.config.plain:
        return _literal_parameters(asked)
    program, told = asked.program, asked.row["arguments"]
    shown = ((each["name"], each["shape"] or ()) for each in told)
    stays = {(name, axis) for name, shape in shown for axis, size in enumerate(shape) if size.isdigit()}
    shapes = [*_shapes(program)]
    by_name = {name: shape for name, _, shape in shapes}

    def known(node: ir.Expr, in_kernel: bool) -> ir.Expr:
        if not isinstance(node, ir.Shape):
            return node
        name = _path(node.array) if in_kernel else ""
        if (name, node.axis) in stays:
            return node
        here = by_name.get(name)
        among = [here] if here else [shape for _, type, shape in shapes if type == node.array.type]
        sizes = {shape[node.axis] for shape in among}
        return ir.Literal(sizes.pop(), INT) if len(sizes) == 1 else node

    made = map_bodies(
        program, lambda body: map_expressions(body, lambda node: known(node, body is program.body))
    )
    counts: Mapping[str, ir.Expr] = {name: ir.Literal(value, INT) for name, value in _counts(asked).items()}
    return _written(asked, replace(made, body=substituted(made.body, counts)))


def _path(node: ir.Expr) -> str:
    if isinstance(node, ir.Member):
        return f"{_path(node.of)}.{node.member}"
    return node.name if isinstance(node, ir.Name) else ""


def _threads(program: ir.Program) -> tuple[int, list[tuple[ir.Name, int]]]:
    """Where a kernel asks for its thread, and its indices, each with the size of the launch. Raises
    `NoAnswer` where it asks for other indices, or later."""
    for place, statement in enumerate(program.body):
        if isinstance(statement, ir.ThreadIndex) and len(statement.names) == len(program.launch_dim):
            return place, [*zip(statement.names, program.launch_dim, strict=True)]
    raise NoAnswer("the kernel asks for no thread index, or for another one")


def _with_body(program: ir.Program, place: int, *statements: ir.Stmt | Sequence[ir.Stmt]) -> ir.Program:
    """The statements before a place, and others."""
    more = [part for each in statements for part in (each if isinstance(each, Sequence) else (each,))]
    return replace(program, body=(*program.body[:place], *more))


def _all_of(operation: str, conditions: Sequence[ir.Expr]) -> ir.Expr:
    return reduce(lambda one, other: ir.Apply(operation, (one, other), BOOL), conditions)


def _first_threads(asked: Asked) -> str | None:
    """The launch's extent as a number, or a guard in front: ``if i >= 19: return``."""
    program = asked.program
    if not _grows(program):
        return None
    if not (asked.config.python or asked.config.plain):
        return _EXTENT.sub(str(math.prod(program.launch_dim)), asked.own)
    place, threads = _threads(program)
    beyond = [
        ir.Apply("ge", (name, ir.Literal(size, INT)), BOOL) for name, size in threads if name.name != "_"
    ]
    guard = ir.If(_all_of("or", beyond), (ir.Return(),))
    return _written(asked, _with_body(program, place, program.body[place], guard, program.body[place + 1 :]))


def _wrapped(asked: Asked) -> str | None:
    """``i = wp.tid() % 19``."""
    program = asked.program
    if not _grows(program):
        return None
    place, threads = _threads(program)
    taken, rest, modulo = names_of(program), infix("%", INT, INT), []
    given: list[ir.Name] = []
    assert rest is not None
    for name, size in threads:
        new = ir.Name(fresh(taken, f"thread{len(given)}"), INT)
        given.append(new if name.name != "_" else name)
        if name.name != "_":
            modulo.append(ir.Let(name, ir.Apply(rest, (new, ir.Literal(size, INT)), INT)))
    made = _with_body(program, place, ir.ThreadIndex(tuple(given)), modulo, program.body[place + 1 :])
    return _written(asked, made)


def _one_thread(asked: Asked) -> str | None:
    """The first thread in a loop over the indices of the row's own launch. On the CPU that is what
    `_first_threads` makes."""
    program, config = asked.program, asked.config
    if not _grows(program):
        return None
    if config.cuda:
        extent = math.prod(program.launch_dim)
        loop = f"if (blockIdx.x == 0 && threadIdx.x == 0) for (size_t _idx = 0; _idx < {extent}; ++_idx)\n"
        return _STRIDE.sub(loop, asked.own)
    if not (config.python or config.plain):
        return None
    place, threads = _threads(program)
    taken = names_of(program)
    given = tuple(ir.Name(fresh(taken, f"thread{axis}"), INT) for axis in range(len(threads)))
    body = _going_on(program.body[place + 1 :])
    zero = ir.Literal(0, INT)
    for axis, (name, size) in reversed([*enumerate(threads)]):
        target = name if name.name != "_" else ir.Name(fresh(taken, f"at{axis}"), INT)
        body = (ir.For(target, zero, ir.Literal(size, INT), 1, body),)
    first = _all_of("and", [ir.Apply("eq", (name, zero), BOOL) for name in given])
    return _written(asked, _with_body(program, place, ir.ThreadIndex(given), ir.If(first, body)))


def _going_on(body: Body) -> Body:
    """A kernel's statements in a loop: what ends a thread goes on with the next one. Raises `NoAnswer` where
    that is in a loop of the kernel's own."""

    def made(statement: ir.Stmt) -> ir.Stmt:
        if isinstance(statement, ir.Return):
            return ir.Continue()
        if isinstance(statement, ir.If):
            return replace(statement, then=_going_on(statement.then), orelse=_going_on(statement.orelse))
        if isinstance(statement, ir.For | ir.While) and any(
            isinstance(node, ir.Return) for node in walk(statement)
        ):
            raise NoAnswer("a thread ends in a loop")
        return statement

    return tuple(map(made, body))


# ---- edits of plain CUDA


def _literal_parameters(asked: Asked) -> str | None:
    head = _KERNEL.search(asked.own)
    assert head is not None
    shapes, counts = {name: shape for name, _, shape in _shapes(asked.program)}, _counts(asked)
    values = {}
    for parameter in render(asked.program).parameters:
        if parameter.part == "count" and _grows(asked.program):
            values[parameter.name] = asked.program.launch_dim[parameter.axis]
        elif parameter.part == "size":
            values[parameter.name] = shapes[parameter.argument][parameter.axis]
        elif parameter.argument in counts:
            values[parameter.name] = counts[parameter.argument]
    body = re.sub(
        r"\b[A-Za-z_]\w*\b", lambda word: str(values.get(word[0], word[0])), asked.own[head.end() :]
    )
    return asked.own[: head.end()] + body


def _one_block(asked: Asked) -> str | None:
    """The index in the block instead of that in the grid."""
    return asked.own.replace(THREAD, "threadIdx.x") if asked.config.plain else None


Making = Callable[[Asked], "str | None"]
KINDS: Mapping[str, Making] = {
    "sizes as numbers": _literal,
    "the first threads only": _first_threads,
    "threads from the start again": _wrapped,
    "one thread in a loop": _one_thread,
    "the index in the block": _one_block,
}
