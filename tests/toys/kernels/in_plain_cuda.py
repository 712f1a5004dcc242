"""Programs in plain CUDA: one-operation ones, for rows of the table, and any of them beside Warp's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from toys.native import Case
from warp_ir_dataset.compilers import plain, units, warp
from warp_ir_dataset.compilers.units import Member
from warp_ir_dataset.compilers.warp import CompileError
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.cuda.render import PlainCuda, render
from warp_ir_dataset.language.domains import Interval
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.types import INT, SCALARS, Array, Type, numpy_type
from warp_ir_dataset.proof import verify
from warp_ir_dataset.proof.run import Runner
from warp_ir_dataset.proof.subject import Arrays

I = ir.Name("i", INT)  # noqa: E741


@dataclass(frozen=True)
class Tried:
    """A program with what it is run on; `title` is what it is called in a failure."""

    title: str
    program: ir.Program
    inputs: tuple[Arrays, ...]


def one_operation(case: Case, name: str) -> Tried:
    """A kernel that loads operands, applies the operation, and stores the result and what it changed."""
    node, count = case.sample.node, max((v.shape[1] for v in case.sample.values), default=1)
    arguments: list[ir.Argument] = []
    body: list[ir.Stmt] = [ir.ThreadIndex((I,))]
    inputs: dict[str, np.ndarray] = {}
    for k, operand in enumerate(node.operands):
        values = case.sample.values[k][0]
        if isinstance(operand, ir.Literal):
            continue
        if isinstance(operand.type, Array):
            kept = values[0].astype(numpy_type(operand.type.element))
            shape = kept.shape[: operand.type.ndim]
            role = "inout" if k in case.row.changed else "input"
            arguments.append(_argument(f"x{k}", operand.type.element, role, shape))
            inputs[f"x{k}"] = kept
            continue
        arguments.append(_argument(f"a{k}", operand.type, "input", (count,)))
        inputs[f"a{k}"] = values.astype(numpy_type(operand.type))
        body.append(ir.Variable(ir.Name(f"x{k}", operand.type), _at(f"a{k}", operand.type)))
    results = tuple(ir.Name(f"r{k}", type) for k, type in enumerate(case.results))
    body.append(_applied(node, results))
    for output, type in case.outputs.items():
        arguments.append(_argument(output, type, "output", (count,)))
        source = ir.Name(output.replace("out", "r").replace("changed", "x"), type)
        body.append(ir.Assign(_at(output, type), source))
    signature = ir.Signature(name, tuple(arguments), (count,))
    return Tried(str(case), ir.Program(signature, tuple(body)), (inputs,))


def _applied(node: ir.Apply, results: tuple[ir.Name, ...]) -> ir.Stmt:
    if not results:
        return ir.Do(node)
    return ir.Let(results[0], node) if len(results) == 1 else ir.Unpack(results, node)


def _argument(name: str, type: Type, role: ir.Role, shape: tuple[int, ...]) -> ir.Argument:
    return ir.Argument(name, type, role, shape, Interval(-100.0, 100.0))


def _at(name: str, type: Type) -> ir.Load:
    return ir.Load(ir.Name(name, Array(type, 1)), (I,), type)


def differences(batch: Sequence[Tried], texts: Sequence[PlainCuda] | None = None) -> list[str]:
    """A line for each program whose plain CUDA (or the text given for it) does other than Warp's code."""
    members = []
    for number, tried in enumerate(batch):
        program = tried.program
        made = warp.translate(write(program), program.name, backward=False, cuda=False)
        made = replace(made, cpu=made.cpu.replace("_tasks<true>(", "_tasks<false>("))
        text = texts[number] if texts else render(program)
        prefix = f"k{number}"
        members.append(Member(prefix, made, plain.runnable(text, program.signature, prefix)))
    try:
        library = warp.compile_native(units.native_unit(members))
    except CompileError as error:
        if len(batch) == 1:
            return [f"{batch[0].title}: {error}"]
        half = len(batch) // 2
        first, second = (texts[:half], texts[half:]) if texts else (None, None)
        return differences(batch[:half], first) + differences(batch[half:], second)
    found = []
    for tried, member in zip(batch, members, strict=True):
        runner = Runner(tried.program.signature, member, library, cuda=False)
        for inputs in tried.inputs:
            got, wanted = runner.run_plain(inputs).outputs, runner.run(inputs).outputs
            found += [f"{tried.title}: {line}" for line in _unequal(got, wanted)]
    library.unload()
    return found


def _unequal(got: Arrays, wanted: Arrays) -> list[str]:
    """Results may be what no row may have, such as infinities: they are then the same."""
    lines = []
    for name, value in wanted.items():
        known = np.isfinite(value) if value.dtype.kind == "f" else np.ones(value.shape, bool)
        same = np.array_equal(got[name][~known], value[~known], equal_nan=True) if (~known).any() else True
        masked = [np.where(known, side, 0).astype(value.dtype) for side in (got[name], value)]
        tolerance = SCALARS[value.dtype.name].tolerance
        if not same or not verify.relative_error(*masked) <= tolerance:
            at = np.argwhere(masked[0] != masked[1])[:1].tolist()
            lines.append(f"{name} is {got[name].ravel()[:4]} instead of {value.ravel()[:4]} ({at})")
    return lines
