"""Programs as answers in any config's language, and right ones that are not a row's text, for `verdicts.py`.

All are written for one row: as a tree or as a Python module, which Warp, the renderer or nobody turns into
what the config asks for. So an answer in CUDA has the parameters that a CUDA answer must have, and compiles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from support import arithmetic
from support.arithmetic import fused
from support.respelling import commented, documented
from warp_ir_dataset.builds.handwritten.passes.table import TWIN_PASSES
from warp_ir_dataset.builds.handwritten.twin import wordless
from warp_ir_dataset.common.configs import Config
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.gradients import gradient_bar
from warp_ir_dataset.language.cuda.refusals import NoPlainForm
from warp_ir_dataset.language.cuda.render import PlainCuda, render
from warp_ir_dataset.language.passes.table import Pass as Change
from warp_ir_dataset.language.python.read import Unreadable, read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.rewrite import fresh, names_of, renamed
from warp_ir_dataset.language.walks import statements

_ENTRY = re.compile(r"(\w+)_(?:cpu|cuda)_kernel_forward\(")
_REMARK = re.compile(r"^[ \t]*//.*\n|[ \t]+//.*$", re.MULTILINE)
_LOCAL = re.compile(r"\b(var|adj)_(\d+)\b")


class NoAnswer(Exception):
    """There is no such answer in this language; the message says why."""


@dataclass(frozen=True)
class Asked:
    """A row, the program at its address, and the config it is of."""

    config: Config
    row: Mapping[str, Any]
    program: ir.Program

    @property
    def own(self) -> str:
        text = self.row["completion"]
        assert isinstance(text, str)
        return text

    def answer(self, made: ir.Program | str, options: Mapping[str, Any] | None = None) -> str:
        """A program, or a module that has the kernel, in the config's language; `options` are Warp's, for the
        module. Raises `NoAnswer`."""
        if self.config.python:
            return made if isinstance(made, str) else write(made)
        if self.config.plain:
            return self._plain(made if isinstance(made, ir.Program) else self._read(made)).completion
        source = made if isinstance(made, str) else write(made)
        return self._generated(source, dict(options or {}))

    def _read(self, source: str) -> ir.Program:
        try:
            return read(source, self.program.signature)
        except Unreadable as error:
            raise NoAnswer(str(error)) from error

    def _plain(self, made: ir.Program) -> PlainCuda:
        try:
            return render(made)
        except NoPlainForm as error:
            raise NoAnswer(str(error)) from error

    def _generated(self, source: str, options: dict[str, Any]) -> str:
        backward = self.config.adjoint or options.pop("adjoint", False)
        warp.start()  # silent, where a module is not executed before
        try:
            kernel = warp.define(source, self.program.name)
            kernel.module.options |= options
            made = warp.translated(kernel, backward=backward, cuda=self.config.cuda)
        except Exception as error:  # executing a module raises anything
            raise NoAnswer(str(error)) from error
        entry = _ENTRY.search(self.own)
        assert entry is not None, "an answer of Warp's has an entry"
        text = made.cuda if self.config.cuda else made.cpu
        # A kernel in a closure is called after it, and its answer after what the row's own is called.
        return re.sub(
            rf"\b(wp_args_)?{re.escape(made.name)}(_c\w+_(?:for|back)ward\w*)?\b",
            rf"\g<1>{entry[1]}\g<2>",
            text or "",
        )

    def fits(self, made: ir.Program, whole: bool = True) -> bool:
        """Whether a program's text in plain CUDA calls no more than is declared to the model, and takes the
        parameters that are, or if not `whole` no others: which sizes it asks for hangs on what it does."""
        if not self.config.plain:
            return True
        try:
            own, other = render(self.program), render(made)
        except NoPlainForm:
            return False
        (known, _, _), (called, _, _) = (one.interface.partition("__global__") for one in (own, other))
        less = set(other.parameters) <= set(own.parameters)
        taken = own.parameters == other.parameters if whole else less
        return taken and set(called.splitlines()) <= set(known.splitlines())


# ---- right answers


def right(asked: Asked, seed: str, count: int) -> Iterator[tuple[str, str]]:
    """Up to `count` answers that mean the same as the row's own, and what was done to it: different changes,
    in an order of the seed's. At most half of them are of words and layout alone, which all rows have."""
    made: list[str] = []
    for name in Rng(seed).shuffled(CHANGES):
        if len(made) == count:
            return
        if name in WORDS and 2 * len(WORDS.intersection(made)) >= count:
            continue
        try:
            text = _CHANGES[name](asked, Rng(f"{seed}/{name}"))
        except NoAnswer:
            continue
        if text is not None and text != asked.own:
            made.append(name)
            yield name, text


Making = Callable[[Asked, Rng], "str | None"]


def rounded(asked: Asked, seed: str) -> Iterator[tuple[str, str]]:
    """All answers that mean the same as the row's own and compute it in another order, as they may be rounded
    otherwise; each text once."""
    made = {asked.own}
    for name, change in ROUNDED.items():
        try:
            text = change(asked, Rng(f"{seed}/{name}"))
        except NoAnswer:
            continue
        if text is not None and text not in made:
            made.add(text)
            yield name, text


def _passed(row: Change) -> Making:
    return lambda asked, rng: _respelled(asked, row(asked.program, rng))


def _respelled(asked: Asked, made: ir.Program | None) -> str | None:
    """A program's text; of adjoints only those that Warp gets right, which hangs on the spelling."""
    if made is None or made == asked.program or not asked.fits(made):
        return None
    if asked.config.adjoint and gradient_bar(made):
        return None
    return asked.answer(made)


def _computed_otherwise(change: Callable[[ir.Program], ir.Program]) -> Making:
    return lambda asked, rng: _respelled(asked, change(asked.program))


def _fused(asked: Asked, rng: Rng) -> str | None:
    """Products and sums in one step, as nvcc makes of what it compiles."""
    return None if asked.config.python or asked.config.plain else fused(asked.own)


def _renamed(asked: Asked, rng: Rng) -> str | None:
    """Every local of the kernel by another name."""
    program = asked.program
    taken, names = names_of(program), dict[str, str]()
    for statement in statements(program.body):
        if isinstance(statement, ir.Let | ir.Variable):
            names.setdefault(statement.target.name, fresh(taken, f"value_{len(names)}"))
    return _respelled(asked, replace(program, body=renamed(program.body, names)))


def _without_remarks(asked: Asked, rng: Rng) -> str | None:
    return None if asked.config.python else _REMARK.sub("", asked.own)


def _numbered(asked: Asked, rng: Rng) -> str | None:
    """Warp's numbered locals by other names."""
    if asked.config.python or asked.config.plain:
        return None
    return _LOCAL.sub(lambda found: f"{'value' if found[1] == 'var' else 'slope'}{found[2]}_", asked.own)


def _fenced(asked: Asked, rng: Rng) -> str:
    mark = "python" if asked.config.python else "cpp"
    return f"<think>\nWhat is asked for?\n</think>\nHere:\n\n```{mark}\n{asked.own}```\n\nIt is complete.\n"


def _flag(**options: Any) -> Making:
    """Of adjoints, no other settings for loops: Warp's gradients are right of many a loop only because it is
    unrolled."""
    settled = {"adjoint", "max_unroll"} & options.keys()

    def change(asked: Asked, rng: Rng) -> str | None:
        if asked.config.python or asked.config.plain or (asked.config.adjoint and settled):
            return None
        return asked.answer(str(asked.row["python_source"]), options)

    return change


# Those that compute in another order, and may be rounded otherwise.
ROUNDED: Mapping[str, Making] = {
    **{name: _computed_otherwise(change) for name, change in arithmetic.CHANGES.items()},
    "products and sums fused": _fused,
}
_CHANGES: Mapping[str, Making] = {
    **{name: _passed(row) for name, row in TWIN_PASSES.items()},
    **ROUNDED,
    "rename locals": _renamed,
    "drop words": lambda asked, rng: _respelled(asked, wordless(asked.program)),
    "add a comment": _passed(Change("add a comment", commented)),
    "add a docstring": _passed(Change("add a docstring", documented)),
    "strip comments": _without_remarks,
    "rename Warp's locals": _numbered,
    "prose, thinking and a fence": _fenced,
    "Warp without unrolling": _flag(max_unroll=0),
    "Warp without a grid-stride loop": _flag(default_grid_stride=False),
    "Warp with the adjoint beside": _flag(adjoint=True),
}
CHANGES = tuple(_CHANGES)
# Those after which the same is computed in the same way.
WORDS = frozenset(
    [
        *("restyle", "drop words", "add a comment", "add a docstring", "rename locals", "strip comments"),
        *("rename Warp's locals", "prose, thinking and a fence"),
    ]
)
