"""What a kernel made of two does, out of what each of them does."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..pages.part import Part
from .links import Link

# A sentence that begins with a verb says what is done; any other one, what is found.
_VERB = re.compile(r"(?!Corrections|Points|Particles|Histograms|This|Its)[A-Z][a-z]+s ")
_MADE = re.compile(r"(One|An?) ")
_NAME = re.compile(r"`(\w+)`")


def both_told(
    first: Part, then: Part, names: Mapping[str, str], found: tuple[Link, ...], handed: Mapping[str, str]
) -> str:
    """Two sentences: what is done first, what that gives is called, and what is done with it."""
    given = [link for link in found if link.kind == "fed"]
    earlier = {link.first.name: handed.get(link.then.name, link.then.name) for link in given}
    told = _done(_under(first.sentence, {**names, **earlier}))
    done = _done(_under(then.sentence, handed))
    results = [f"`{name}`" for name in earlier.values()]
    if given and not all(result in told for result in results):
        return f"{told.removesuffix('.')}, as {_listed(results)}; then {done[:1].lower()}{done[1:]}"
    return f"{told} Then {done[:1].lower()}{done[1:]}"


def mentioned(sentence: str) -> set[str]:
    """The names that a sentence speaks of."""
    return set(_NAME.findall(sentence))


def _done(sentence: str) -> str:
    """A sentence that says what is done."""
    if _VERB.match(sentence) or " Then " in sentence or "; then " in sentence:
        return sentence
    verb = "Makes" if _MADE.match(sentence) else "Finds"
    return f"{verb} {sentence[:1].lower()}{sentence[1:]}"


def _under(sentence: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda found: f"`{names.get(found[1], found[1])}`", sentence)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
