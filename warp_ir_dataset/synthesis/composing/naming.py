"""Renames in the first of two kernels that are fused: linked arguments get one name, other names differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ...common.rng import Rng
from ...language import ir
from ...language.rewrite import fresh, map_bodies, map_expressions, names_in, renamed
from ...language.walks import defined, statements
from ..templates.module import RESERVED
from ..templates.part import Part
from .links import Incompatible, Link, threads

# By name of a variable, other names that people give to the same variable.
SYNONYMS = {
    "i": "j m",
    "j": "m",
    "k": "j m",
    "d": "delta",
    "v": "u",
    "total": "acc",
    "t": "s",
    "drawn": "draw variate",
    "here": "own at_i",
    "p": "point q",
    "speed": "pace rate",
    "normal": "surface_normal facing",
    "g": "grad slope",
    "seed": "base_seed key",
    "state": "rng generator",
    "level": "step_level stage",
    "share": "part fraction",
    "step": "stride delta",
    "loss": "cost penalty",
    "value": "entry own",
    "cost": "penalty loss",
    "low": "lowest least",
    "high": "highest most",
    "width": "span extent",
}


@dataclass(frozen=True)
class Renamed:
    """The first of two kernels, without names that clash with those of the second. `names` are its new names
    by the old ones."""

    program: ir.Program
    names: Mapping[str, str]


def rename_clashes(first: Part, then: Part, links: tuple[Link, ...], prefix: str, rng: Rng) -> Renamed:
    """Rename the first of two kernels so that the second can follow it in one body.

    Thread indices and linked arguments take the names of the second kernel. Functions, structs and constants
    that both define are left to the second. Any other name that clashes becomes a synonym, or gets the
    prefix if there is none. Raises `Incompatible` if two different structs have one name.
    """
    program, second = first.program, then.program
    linked = {link.first.name: link.then.name for link in links}
    linked |= {old.name: new.name for old, new in zip(threads(program), threads(second), strict=True)}
    taken = _names(second) | set(linked.values())
    program, common = _without_shared(program, second)
    mine = _names(program) - linked.keys() - common
    loops = _loops_only(program) & _loops_only(second)
    names = dict(linked)
    for name in sorted((mine & taken) - loops - {s.name for s in program.structs}):
        options = [*first.synonyms.get(name, ()), *SYNONYMS.get(name, "").split()]
        free = [o for o in options if o not in taken | mine | set(names.values()) | RESERVED]
        start = prefix.upper() if name.isupper() else prefix
        prefixed = fresh(taken | mine | set(names.values()), f"{start}_{name}".lstrip("_"))
        names[name] = rng.pick(free) if free else prefixed
    return Renamed(_renamed_program(program, names), names)


def _names(program: ir.Program) -> set[str]:
    """The names in a kernel's body, and those of its module."""
    named: Iterable[ir.Argument | ir.Constant | ir.Function] = (
        *program.arguments,
        *program.constants,
        *program.functions,
    )
    return names_in(program.body) | {each.name for each in named} | {s.name for s in program.structs}


def _loops_only(program: ir.Program) -> set[str]:
    """Names of loop variables only, which another loop may use again."""
    found = [(n.name, isinstance(s, ir.For)) for s in statements(program.body) for n in defined(s)]
    known = {argument.name for argument in program.arguments}
    return {name for name, _ in found} - {name for name, loop in found if not loop} - known


def _without_shared(program: ir.Program, second: ir.Program) -> tuple[ir.Program, set[str]]:
    """The program without functions, structs and constants that the second one has too, and the names of the
    functions and constants removed."""
    if any(s.name in {o.name for o in second.structs} and s not in second.structs for s in program.structs):
        raise Incompatible("they have different structs of one name")
    made = replace(
        program,
        functions=tuple(f for f in program.functions if f not in second.functions),
        structs=tuple(s for s in program.structs if s not in second.structs),
        constants=tuple(c for c in program.constants if c not in second.constants),
    )
    after = {f.name for f in made.functions} | {c.name for c in made.constants}
    before = {f.name for f in program.functions} | {c.name for c in program.constants}
    return made, before - after


def _renamed_program(program: ir.Program, names: Mapping[str, str]) -> ir.Program:
    """The program with other names. Parameters and locals of functions keep theirs."""
    constants = {c.name: names[c.name] for c in program.constants if c.name in names}
    functions = {f.name: names[f.name] for f in program.functions if f.name in names}
    made = replace(
        program,
        body=renamed(program.body, names),
        functions=tuple(
            replace(f, name=functions.get(f.name, f.name), body=renamed(f.body, constants))
            for f in program.functions
        ),
        constants=tuple(
            replace(c, name=constants.get(c.name, c.name), value=renamed(c.value, constants))
            for c in program.constants
        ),
        signature=replace(
            program.signature,
            arguments=tuple(replace(a, name=names.get(a.name, a.name)) for a in program.arguments),
        ),
    )

    def called(node: ir.Expr) -> ir.Expr:
        if isinstance(node, ir.Call) and node.function in functions:
            return replace(node, function=functions[node.function])
        return node

    return map_bodies(made, lambda body: map_expressions(body, called))
