"""The strong canonical form: the computation of a kernel in any spelling.

A kernel is run once with names for its arguments in place of numbers: what it leaves in each array is a value
of a graph (`graph`), whose hash (`colors`) is the form. So nothing of statements is left but what they
compute: locals, functions, guards, augmented assignments, forms of branches and loops, structs of locals are
gone with the running. Short loops between literals are run as often as they run.

Two programs of one form compute the same, rounding included, if no value is NaN or out of bounds where it is
not used, and if no two arrays overlap. That two programs compute the same does not mean that they have one
form: nothing of floats is rearranged, and of whole numbers only sums, products and comparisons.

Not told apart: a kernel all in float32 and one all in float64 or float16; arguments on their own and in a
struct, and the order of arguments of different types. Not in it: `print` and `assert`, the launch, names and
roles of arguments.
"""

from __future__ import annotations

from ..program import Program
from ..types import FLOATS, Array, Struct, Type
from .colors import Colors
from .held import Held, Record, Reference, State
from .running import Running


def strong_words(program: Program) -> tuple[list[str], list[str]]:
    """The form as words, with literals and without."""
    return _Kernel(program).words_of_all()


class _Kernel(Running):
    """Runs a kernel when it is made."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.arguments: list[str] = []  # their types
        self.names: list[str] = []
        self.state = State(self.fresh_locals(), {})
        for argument in program.arguments:
            self.state.locals[argument.name] = self.argument(argument.reference.type)
        self.found = dict(self.state.memory)
        self.arrays = tuple(self.found)
        self.block(program.body, self.state)

    def argument(self, type: Type) -> Held:
        if isinstance(type, Struct):
            return Record(tuple(self.argument(inner) for _, inner in type.members))
        word = self.word(type)
        name = f"{word}#{self.arguments.count(word)}"
        number = len(self.arguments)
        self.arguments.append(word)
        self.names.append(name)
        self.floats.update(scalar for scalar in FLOATS if scalar in word)
        named = self.graph.leaf(name)
        if not isinstance(type, Array):
            return named
        self.state.memory[number] = self.graph.leaf(f"memory {name}")
        return Reference((number,), named)

    def words_of_all(self) -> tuple[list[str], list[str]]:
        memory = self.state.memory
        changed = [number for number in memory if memory[number] != self.found[number]]
        narrowed = next(iter(self.floats)) if len(self.floats) == 1 else ""
        colors = Colors(self.graph, [memory[number] for number in changed], narrowed)
        header = [*self.arguments, *(f"{self.names[number]}=" for number in changed)]
        header = [word.replace(narrowed, "float") if narrowed else word for word in header]
        plain, arrays = header[: len(self.arguments)], header[len(self.arguments) :]
        found = [colors.of[memory[number]] for number in changed]
        exact = [name + color.exact for name, color in zip(arrays, found, strict=True)]
        masked = [name + color.masked for name, color in zip(arrays, found, strict=True)]
        exact += colors.circles[0]
        masked += colors.circles[1]
        return sorted(plain) + sorted(exact), sorted(plain) + sorted(masked)
