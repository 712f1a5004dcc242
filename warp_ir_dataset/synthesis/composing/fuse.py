"""Fuses two kernels: each thread runs the first, then the second with the results of the first.

An element that the first stores and the second loads becomes a local. Linked arguments become one, and names
that clash are changed.
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
from ..templates.module import as_docstring
from ..templates.part import HARDEST, Part
from .forwarding import Bodies, forward_element, without_returns
from .links import Incompatible, Link, links, shared_domain
from .naming import rename_clashes
from .quantities import QUANTITIES
from .sentences import joined_description, joined_task, mentioned

BOTH_NAMED = 0.3  # of fused kernels are named after both: `diffuse_and_clamp`
LONGEST_NAME = 36


def fuse(first: Part, then: Part, rng: Rng, main: Part) -> Part:
    """Fuse two kernels.

    Args:
        first: The kernel that runs first.
        then: The kernel that uses its results.
        rng: Chooses among names.
        main: One of the two, after which the fused kernel is named. It has a docstring if this one has.

    Returns:
        The fused kernel.

    Raises:
        Incompatible: They cannot be fused.
    """
    if first.program.launch_dim != then.program.launch_dim:
        raise Incompatible("they are launched over different threads")
    found = links(first, then)
    passed = next(link for link in found if link.kind != "shared")
    quantity = first.quantities[passed.first.name]
    # The prefix of names that clash: the first kernel's purpose, or its result if it has several purposes.
    prefix = first.purposes[0].partition("_")[0] if len(first.purposes) == 1 else quantity.replace(" ", "_")
    renamed = rename_clashes(first, then, found, prefix, rng)
    both = (renamed.program, then.program)
    (_, earlier), (own, later) = (without_index(each.body) for each in both)
    bodies = Bodies(without_returns(earlier), later)
    # A local with a function's name would hide the function.
    module = {f.name for p in both for f in p.functions} | {s.name for p in both for s in p.structs}
    local_names: dict[str, str] = {}  # by the arguments of the second kernel that become locals
    renames: dict[str, str] = {}  # of the first kernel's locals
    for link in found:
        if link.kind == "shared":
            bodies = _merge_loads(bodies, link)
            continue
        words = QUANTITIES[first.quantities[link.first.name]]
        bodies, local_names[link.then.name], old = forward_element(bodies, link, own, words, module, rng)
        if old is not None:
            renames[old] = local_names[link.then.name]
    # First arrays, then scalars, then outputs, whichever kernel they are from.
    arguments = tuple(sorted(_arguments(*both, found), key=lambda a: (a.role == "output", not a.ndim)))
    new_names = _composition(renamed.names, renames)
    sentence = joined_description(first, then, new_names, found, local_names)
    task = joined_task(first, then, new_names, found, local_names)
    name = _name(first.program.name, then.program.name, main.program.name, rng)
    program = ir.Program(
        replace(then.program.signature, name=name, arguments=arguments),
        (ir.ThreadIndex(own), *bodies.earlier, *bodies.later),
        (*renamed.program.functions, *then.program.functions),
        (*renamed.program.structs, *then.program.structs),
        (*renamed.program.constants, *then.program.constants),
        None if main.program.docstring is None else as_docstring(sentence),
    )
    # Reading its text again makes the program what a reader of the row gets.
    program = read(write(without_aliases(program, mentioned(sentence))), program.signature)
    return _part(first, then, renamed.names, program, sentence, task)


def _part(
    first: Part, then: Part, names: Mapping[str, str], program: ir.Program, sentence: str, task: str
) -> Part:
    """The part of a fused program; `names` are the new names of the first part's arguments."""
    arguments = {argument.name for argument in program.arguments}
    quantities = {names.get(n, n): q for n, q in first.quantities.items()} | dict(then.quantities)
    return Part(
        program,
        sentence,
        task,
        fused_level(first, then),
        (*first.purposes, *then.purposes),
        {n: q for n, q in quantities.items() if n in arguments},
        {names.get(n, n): others for n, others in first.synonyms.items()} | dict(then.synonyms),
        first.advances_time or then.advances_time,
        first.unique_steps | then.unique_steps,
    )


def fused_level(first: Part, then: Part) -> int:
    """The difficulty of two fused kernels."""
    return min(HARDEST, max(first.level, then.level) + 1)


def _composition(names: Mapping[str, str], later: Mapping[str, str]) -> dict[str, str]:
    """One renaming that does two, one after the other."""
    return dict(later) | {old: later.get(new, new) for old, new in names.items()}


def _merge_loads(bodies: Bodies, link: Link) -> Bodies:
    """The bodies with one local for an element that both kernels load into a local and neither changes."""
    if "inout" in (link.first.role, link.then.role):
        return bodies
    loaded = {let.value: let.target for let in _loads(bodies.earlier, link.then)}
    twice = {let: loaded[let.value] for let in _loads(bodies.later, link.then) if let.value in loaded}
    later = tuple(s for s in bodies.later if s not in twice)
    return Bodies(bodies.earlier, substituted(later, {let.target.name: name for let, name in twice.items()}))


def _loads(body: Body, argument: ir.Argument) -> Iterator[ir.Let]:
    for statement in body:
        match statement:
            case ir.Let(_, ir.Load(array, _)) if array == argument.reference:
                yield statement


def _arguments(first: ir.Program, then: ir.Program, found: tuple[Link, ...]) -> Iterator[ir.Argument]:
    """The arguments of both kernels; linked ones once, in the place of the first kernel's."""
    linked = {link.then.name: link for link in found}
    for argument in first.arguments:
        link = linked.get(argument.name)
        if link is None:
            yield argument
        elif link.kind == "shared":
            domain = shared_domain(link.first, link.then)
            assert domain is not None
            role: ir.Role = "inout" if "inout" in (link.first.role, link.then.role) else "input"
            yield replace(link.then, domain=domain, role=role)
        elif link.kind in ("updated", "stored"):
            yield replace(link.first, name=link.then.name)
        elif link.then.role == "inout":
            yield replace(link.then, role="output", domain=argument.domain, trait=None)
    yield from (argument for argument in then.arguments if argument.name not in linked)


def _name(first: str, then: str, main: str, rng: Rng) -> str:
    both = f"{first}_and_{then}"
    return both if rng.chance(BOTH_NAMED) and len(both) <= LONGEST_NAME else main
