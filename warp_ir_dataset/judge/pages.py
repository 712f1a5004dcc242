"""Places a kernel's arguments in memory that the judge shares with a sandboxed process.

Each block of memory (`proof.memory.Plan`) has pages of its own, and unmapped ones on both sides. In every
other case its end is the end of a page, and in the rest its start is the start of one: one element too far
ends the process. Memory that a kernel only reads is mapped read-only. This module decides the addresses at
which the sandboxed process maps the pages, so that the headers of arrays are right without its help.
"""

from __future__ import annotations

import ctypes
import fcntl
import math
import mmap
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..compilers import warp
from ..compilers.cuda_on_cpu import Grid
from ..compilers.layout import ARGUMENTS, Layout
from ..language import ir
from ..machine.check import Memory
from ..proof.memory import Plan, has_floats
from ..proof.run import Result
from ..proof.subject import Arrays
from .cage.job import Segment

# Where pages may begin: between programs and libraries, where Linux puts nothing by itself.
FIRST, ROOM = 0x6600_0000_0000, 0x0800_0000_0000
PAGE = mmap.PAGESIZE


class _Walled(Plan):
    """`at_end` says on which side a block meets the end of its pages."""

    def __init__(self, signature: ir.Signature, arguments: Layout, at_end: bool) -> None:
        self._at_end = at_end
        super().__init__(signature, arguments)

    def reserve(self, size: int) -> int:
        start = self.size + PAGE
        pages = _pages(size)
        self.size = start + pages
        return start + (pages - size if self._at_end and size else 0)


def _pages(size: int) -> int:
    return max(-(-size // PAGE), 1) * PAGE


@dataclass(frozen=True)
class Case:
    """Where one case lies in the file, and the addresses that the kernel's entries are given for it; `starts`
    is what inputs' gradients hold before the `adjoint` runs, if it does. CUDA code runs it in a `grid`."""

    signature: ir.Signature
    plan: _Walled
    base: int  # the address of the file's first byte, if all of it was mapped
    work: int  # offsets in the file
    gradients: int | None
    bounds: int
    starts: Arrays
    adjoint: bool
    grid: Grid

    @property
    def forward(self) -> tuple[int, ...]:
        return (self.base + self.bounds, self.base + self._arguments(self.work))

    @property
    def backward(self) -> tuple[int, ...]:
        assert self.gradients is not None
        return (*self.forward, self.base + self._arguments(self.gradients))

    def _arguments(self, memory: int) -> int:
        return memory + self.plan.blocks[ARGUMENTS].offset


class Pages:
    """All cases of one kernel: `image` is what the file holds at the start, `segments` what is mapped.

    All addresses are `base` and an offset in the file. `base` is drawn, so that no text knows it.

    First each of the `inputs` with gradients that hold nothing before; then those with `starts` once more,
    whose gradients hold these; and where adjoints run, all of them for the forward pass alone.
    """

    def __init__(
        self,
        signatures: Sequence[ir.Signature],
        arguments: Layout,
        tid_dims: int,
        inputs: Sequence[Arrays],
        output_gradients: Sequence[Arrays],
        starts: Sequence[Arrays],
        grids: Callable[[Sequence[int]], Sequence[Grid]],
    ) -> None:
        """`signatures` say how each case is launched, `grids` how in CUDA, by the numbers of items of all;
        there are no `output_gradients` where no adjoint is judged."""
        self._leaves = [leaf for argument in signatures[0].arguments for leaf in argument.leaves]
        judged = bool(output_gradients)
        nothing: Arrays = {}
        runs = [(number, nothing, judged) for number in range(len(inputs))]
        runs += [(number, start, judged) for number, start in enumerate(starts) if start]
        runs += [(number, nothing, False) for number in range(len(inputs)) if judged]
        self.base = FIRST + secrets.randbelow(ROOM // PAGE) * PAGE
        self.cases: list[Case] = []
        launched = grids([math.prod(signatures[number].launch_dim) for number, *_ in runs])
        size = 0
        for (number, start, adjoint), grid in zip(runs, launched, strict=True):
            signature = signatures[number]
            plan = _Walled(signature, arguments, at_end=not number % 2)
            gradients = size + plan.size if judged else None
            bounds = size + plan.size * (1 if gradients is None else 2) + PAGE
            self.cases.append(Case(signature, plan, self.base, size, gradients, bounds, start, adjoint, grid))
            size = bounds + 2 * PAGE
        memory = np.zeros(size, np.uint8)
        for case, (number, start, _) in zip(self.cases, runs, strict=True):
            seeds = output_gradients[number] if output_gradients else {}
            self._fill(memory, case, inputs[number], {**seeds, **start})
            self._put_bounds(memory, case, tid_dims)
        self.image = memory.tobytes()
        self.segments = tuple(segment for case in self.cases for segment in self._segments(case))

    def _fill(self, memory: np.ndarray, case: Case, inputs: Arrays, seeds: Arrays) -> None:
        plan = case.plan
        work = memory[case.work : case.work + plan.size]
        gradient = None if case.gradients is None else memory[case.gradients : case.gradients + plan.size]
        for name, block in plan.blocks.items():
            if name == ARGUMENTS:
                continue
            if gradient is None or case.gradients is None or not has_floats(block.layout):
                plan.point(work, block, self.base + case.work, 0)
                continue
            plan.point(work, block, self.base + case.work, self.base + case.gradients)
            if block.header.block == ARGUMENTS:
                plan.point(gradient, block, self.base + case.gradients, 0)
        views = plan.views(work)
        for name, value in inputs.items():
            views[name][...] = value
        if gradient is not None:
            views = plan.views(gradient)
            for name, value in seeds.items():
                views[name][...] = value

    def _put_bounds(self, memory: np.ndarray, case: Case, tid_dims: int) -> None:
        bounds = warp.launch_bounds(case.signature.launch_dim, tid_dims)
        size = ctypes.sizeof(bounds)
        memory[case.bounds : case.bounds + size] = np.frombuffer(bytes(bounds), np.uint8)

    def _segments(self, case: Case) -> Iterator[Segment]:
        yield self._segment(case.bounds, PAGE, writable=False)
        for name, block in case.plan.blocks.items():
            yield self._segment(case.work + block.offset, block.bytes, self._written(name))
            if case.gradients is not None:
                yield self._segment(case.gradients + block.offset, block.bytes, name != ARGUMENTS)

    def _segment(self, offset: int, size: int, writable: bool) -> Segment:
        start = offset // PAGE * PAGE
        return Segment(self.base + start, _pages(size), start, writable)

    def _written(self, block: str) -> bool:
        """Whether the kernel may write to an array, or to one of its members."""
        names = (block, f"{block}.")
        return any(
            leaf.role != "input" and (leaf.name == names[0] or leaf.name.startswith(names[1]))
            for leaf in self._leaves
        )

    def record(self, case: Case) -> bytes:
        """The arguments of a case, laid out as the kernel takes them."""
        block = case.plan.blocks[ARGUMENTS]
        start = case.work + block.offset
        return self.image[start : start + block.bytes]

    def memory(self, case: Case, *, arguments: bool = False, gradients: bool = False) -> list[Memory]:
        """The arrays of a case as the machine knows them; the arguments' record and gradients if asked."""
        found = []
        for name, block in case.plan.blocks.items():
            if (name == ARGUMENTS and not arguments) or not block.bytes:
                continue
            size, item = block.bytes, block.layout.dtype.itemsize
            found.append(Memory(name, self.base + case.work + block.offset, size, item, self._written(name)))
            if gradients and case.gradients is not None:
                at = self.base + case.gradients + block.offset
                found.append(Memory(f"the gradient of {name}", at, size, item, changes=True))
        return found

    def file(self, more: int = 0) -> int:
        """A descriptor of a new file in memory that holds the image, and behind it so many bytes; nobody can
        make it shorter or longer."""
        descriptor = os.memfd_create("pages", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        with open(descriptor, "wb", closefd=False) as file:
            file.write(self.image)
            file.truncate(len(self.image) + more)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
        return descriptor

    def left(self, descriptor: int) -> list[Result]:
        """What a process left in the file, case by case. Raises `Spoiled` where it wrote beside its
        arrays."""
        image = os.pread(descriptor, len(self.image), 0)
        self._look_beside(image)
        memory = np.frombuffer(image, np.uint8)
        return [self._result(memory, case) for case in self.cases]

    def _look_beside(self, image: bytes) -> None:
        for number, case in enumerate(self.cases):
            for name, block in case.plan.blocks.items():
                for start in (case.work, case.gradients):
                    if start is None:
                        continue
                    first, last = start + block.offset, start + block.offset + block.bytes
                    page = first // PAGE * PAGE
                    for beside in (slice(page, first), slice(last, page + _pages(block.bytes))):
                        if image[beside] != self.image[beside]:
                            raise Spoiled(f"case {number}: something is written beside {name}")

    def _result(self, memory: np.ndarray, case: Case) -> Result:
        views = case.plan.views(memory[case.work : case.work + case.plan.size])
        outputs = {leaf.name: views[leaf.name].copy() for leaf in self._leaves if leaf.role != "input"}
        if case.gradients is None:
            return Result(outputs, {})
        views = case.plan.views(memory[case.gradients : case.gradients + case.plan.size])
        floats = [leaf for leaf in self._leaves if leaf.ndim and leaf.type.is_float]
        left = {leaf.name: views[leaf.name].copy() for leaf in floats}
        gradients = {leaf.name: left[leaf.name] for leaf in floats if leaf.role != "output"}
        return Result(outputs, gradients, {n: array for n, array in left.items() if n not in gradients})


class Spoiled(Exception):
    """A kernel wrote to memory that is not its own; the message is one line."""
