"""Passes of twins that change annotations and single expressions, and move nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....language import ir
from ....language.analysis.effects import Effects
from ....language.operations.traits import COMMUTATIVE, COMPONENTS, SHORT, TURNED
from ....language.passes.syntax import PARTS, has_component, place_variants
from ....language.rewrite import body_variants, program_variants
from ....language.types import INT


def restyled(program: ir.Program) -> Iterator[ir.Program]:
    """Types throughout in each of the other styles."""
    for subscripts in (False, True):
        for full_names in (False, True):
            style = ir.Style(subscripts, full_names)
            if style != program.style:
                yield replace(program, style=style)


def commuted(program: ir.Program) -> Iterator[ir.Program]:
    """Operands that may change places, changed; of ``and`` and ``or`` where the second one has a value
    whatever the first one is."""
    effects = Effects(program, in_kernel=False)

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.Apply) and node.operation in COMMUTATIVE and len(node.operands) == 2:
            left, right = node.operands
            may = effects.total(right) if node.operation in SHORT else effects.pure(node)
            if left != right and may:
                yield replace(node, operands=(right, left))

    yield from program_variants(program, lambda body: body_variants(body, offer))


def turned(program: ir.Program) -> Iterator[ir.Program]:
    """A comparison read from its other side: ``a < b`` as ``b > a``; a chain of them as a whole."""
    effects = Effects(program, in_kernel=False)

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if not effects.pure(node):
            return
        match node:
            case ir.Apply(operation, (left, right)) if operation in TURNED and left != right:
                yield ir.Apply(TURNED[operation], (right, left), node.type)
            case ir.Chain(comparisons, given) if all(c in TURNED for c in comparisons):
                yield ir.Chain(tuple(TURNED[c] for c in comparisons[::-1]), given[::-1], node.type)

    yield from program_variants(program, lambda body: body_variants(body, offer))


def numbered_parts(program: ir.Program) -> Iterator[ir.Program]:
    """``v.x`` as ``v[0]``, read or written."""

    def offer(node: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(node, ir.Member) and (place := _numbered(node)) is not None:
            yield ir.Apply(COMPONENTS[1], (node.of, place), node.type)

    def place(target: ir.Place) -> Iterator[ir.Place]:
        if isinstance(target, ir.Member) and (number := _numbered(target)) is not None:
            assert isinstance(target.of, ir.Place)
            yield ir.Component(target.of, (number,), target.type)

    yield from program_variants(program, lambda body: body_variants(body, offer))
    yield from place_variants(program, place)


def _numbered(node: ir.Member) -> ir.Literal | None:
    fits = (
        node.member in PARTS and len(node.member) == 1 and has_component(node.of.type, node.member, node.type)
    )
    return ir.Literal(PARTS.index(node.member), INT) if fits else None
