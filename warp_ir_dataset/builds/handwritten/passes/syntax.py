"""Passes of twins that change annotations and single expressions, and move nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....language.analysis.effects import Effects
from ....language.operations.laws import COMMUTATIVE, COMPONENTS, SHORT, TURNED
from ....language.passes.spelling import PARTS, has_part, place_variants
from ....language.program import Apply, Chain, Component, Expr, Literal, Member, Place, Program, Style
from ....language.rewrite import body_variants, program_variants
from ....language.types import INT


def restyled(program: Program) -> Iterator[Program]:
    """Types throughout in each of the other styles."""
    for subscripts in (False, True):
        for full_names in (False, True):
            style = Style(subscripts, full_names)
            if style != program.style:
                yield replace(program, style=style)


def commuted(program: Program) -> Iterator[Program]:
    """Operands that may change places, changed; of ``and`` and ``or`` where the second one has a value
    whatever the first one is."""
    effects = Effects(program, in_kernel=False)

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, Apply) and node.operation in COMMUTATIVE and len(node.operands) == 2:
            left, right = node.operands
            may = effects.total(right) if node.operation in SHORT else effects.pure(node)
            if left != right and may:
                yield replace(node, operands=(right, left))

    yield from program_variants(program, lambda body: body_variants(body, offer))


def turned(program: Program) -> Iterator[Program]:
    """A comparison read from its other side: ``a < b`` as ``b > a``; a chain of them as a whole."""
    effects = Effects(program, in_kernel=False)

    def offer(node: Expr) -> Iterator[Expr]:
        if not effects.pure(node):
            return
        match node:
            case Apply(operation, (left, right)) if operation in TURNED and left != right:
                yield Apply(TURNED[operation], (right, left), node.type)
            case Chain(comparisons, given) if all(c in TURNED for c in comparisons):
                yield Chain(tuple(TURNED[c] for c in comparisons[::-1]), given[::-1], node.type)

    yield from program_variants(program, lambda body: body_variants(body, offer))


def numbered_parts(program: Program) -> Iterator[Program]:
    """``v.x`` as ``v[0]``, read or written."""

    def offer(node: Expr) -> Iterator[Expr]:
        if isinstance(node, Member) and (place := _numbered(node)) is not None:
            yield Apply(COMPONENTS[1], (node.of, place), node.type)

    def place(target: Place) -> Iterator[Place]:
        if isinstance(target, Member) and (number := _numbered(target)) is not None:
            assert isinstance(target.of, Place)
            yield Component(target.of, (number,), target.type)

    yield from program_variants(program, lambda body: body_variants(body, offer))
    yield from place_variants(program, place)


def _numbered(node: Member) -> Literal | None:
    fits = node.member in PARTS and len(node.member) == 1 and has_part(node.of.type, node.member, node.type)
    return Literal(PARTS.index(node.member), INT) if fits else None
