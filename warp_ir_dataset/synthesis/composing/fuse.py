"""Fuses two kernels: each thread does the work of the first, then that of the second with its results.

What the first stores and the second loads becomes a local. Arguments that are the same thing become one, and
names that clash are told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...common.rng import Rng
from ...language import ir
from ...language.passes.binding import without_aliases
from ...language.python.read import read
from ...language.python.write import write
from ...language.rewrite import Body, substituted
from ...language.walks import without_index
from ..pages.module import as_docstring
from ..pages.part import HARDEST, Part
from .handing import Bodies, handed_over, without_returns
from .links import Link, Unfit, joint, links
from .naming import told_apart
from .quantities import QUANTITIES
from .sentences import both_asked, both_told, mentioned

BOTH_NAMED = 0.3  # kernels named for what both do: `diffuse_and_clamp`
LONGEST_NAME = 36


def fused(first: Part, then: Part, rng: Rng, main: Part) -> Part:
    """The kernel that does what both do, one after the other; `main` is the one of the two that it is for.
    Raises `Unfit` where there is none."""
    if first.program.launch_dim != then.program.launch_dim:
        raise Unfit("they are launched over different threads")
    found = links(first, then)
    passed = next(link for link in found if link.kind != "shared")
    quantity = first.quantities[passed.first.name]
    # What is left of the first one is told apart by what it is for, or by what it gives.
    word = first.purposes[0].partition("_")[0] if len(first.purposes) == 1 else quantity.replace(" ", "_")
    apart = told_apart(first, then, found, word, rng)
    (_, earlier), (own, later) = (without_index(each.body) for each in (apart.program, then.program))
    bodies = Bodies(without_returns(earlier), later)
    # A local of a function's name would hide the function.
    both = (apart.program, then.program)
    module = {f.name for p in both for f in p.functions} | {s.name for p in both for s in p.structs}
    handed: dict[str, str] = {}  # locals by the arguments that they stand for
    renames: dict[str, str] = {}  # of the first one's locals
    for link in found:
        if link.kind == "shared":
            bodies = _loaded_once(bodies, link)
            continue
        words = QUANTITIES[first.quantities[link.first.name]]
        bodies, handed[link.then.name], called = handed_over(bodies, link, own, words, module, rng)
        if called is not None:
            renames[called] = handed[link.then.name]
    # Arrays, numbers, results: not those of one kernel and then those of the other.
    together = _arguments(apart.program, then.program, found)
    arguments = tuple(sorted(together, key=lambda a: (a.role == "output", not a.ndim)))
    new_names = _after(apart.names, renames)
    sentence = both_told(first, then, new_names, found, handed)
    task = both_asked(first, then, new_names, found, handed)
    name = _name(first.program.name, then.program.name, main.program.name, rng)
    program = ir.Program(
        replace(then.program.signature, name=name, arguments=arguments),
        (ir.ThreadIndex(own), *bodies.earlier, *bodies.later),
        (*apart.program.functions, *then.program.functions),
        (*apart.program.structs, *then.program.structs),
        (*apart.program.constants, *then.program.constants),
        None if main.program.docstring is None else as_docstring(sentence),
    )
    written = write(without_aliases(program, mentioned(sentence)))
    renewed = read(written, program.signature)
    return _part(first, then, apart.names, renewed, sentence, task)


def _part(
    first: Part, then: Part, names: Mapping[str, str], program: ir.Program, sentence: str, task: str
) -> Part:
    """The program that two parts became, with what is known of it; `names` are the first one's new ones."""
    there = {argument.name for argument in program.arguments}
    quantities = {names.get(n, n): q for n, q in first.quantities.items()} | dict(then.quantities)
    return Part(
        program,
        sentence,
        task,
        raised(first, then),
        (*first.purposes, *then.purposes),
        {n: q for n, q in quantities.items() if n in there},
        {names.get(n, n): told for n, told in first.others.items()} | dict(then.others),
        first.moves or then.moves,
        first.work | then.work,
    )


def raised(first: Part, then: Part) -> int:
    """The difficulty of two kernels that are one."""
    return min(HARDEST, max(first.level, then.level) + 1)


def _after(names: Mapping[str, str], later: Mapping[str, str]) -> dict[str, str]:
    """New names by the first ones, through both."""
    return dict(later) | {old: later.get(new, new) for old, new in names.items()}


def _loaded_once(bodies: Bodies, link: Link) -> Bodies:
    """The bodies with one local for an element that both load into one and none changes."""
    if "inout" in (link.first.role, link.then.role):
        return bodies
    mine = {let.value: let.target for let in _loads(bodies.earlier, link.then)}
    twice = {let: mine[let.value] for let in _loads(bodies.later, link.then) if let.value in mine}
    later = tuple(s for s in bodies.later if s not in twice)
    return Bodies(bodies.earlier, substituted(later, {let.target.name: name for let, name in twice.items()}))


def _loads(body: Body, argument: ir.Argument) -> Iterator[ir.Let]:
    for statement in body:
        match statement:
            case ir.Let(_, ir.Load(array, _)) if array == argument.reference:
                yield statement


def _arguments(first: ir.Program, then: ir.Program, found: tuple[Link, ...]) -> Iterator[ir.Argument]:
    """The arguments of both, those that are linked once and where the first kernel has them."""
    linked = {link.then.name: link for link in found}
    for argument in first.arguments:
        link = linked.get(argument.name)
        if link is None:
            yield argument
        elif link.kind == "shared":
            both = joint(link.first, link.then)
            assert both is not None
            role: ir.Role = "inout" if "inout" in (link.first.role, link.then.role) else "input"
            yield replace(link.then, domain=both, role=role)
        elif link.kind in ("kept", "stored"):
            yield replace(link.first, name=link.then.name)
        elif link.then.role == "inout":
            yield replace(link.then, role="output", domain=argument.domain, trait=None)
    yield from (argument for argument in then.arguments if argument.name not in linked)


def _name(first: str, then: str, main: str, rng: Rng) -> str:
    both = f"{first}_and_{then}"
    return both if rng.chance(BOTH_NAMED) and len(both) <= LONGEST_NAME else main
