"""Describes a fused kernel, and asks for it, by the descriptions and the tasks of its two parts."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping

from ...language.specification.formulas.parts import listed
from ..templates.part import Part
from ..templates.task import NAME, QUOTED
from .links import Link

# A sentence that begins with a verb says what is done; any other one, what is found.
_VERB = re.compile(r"(?!Corrections|Points|Particles|Histograms|This|Its)[A-Z][a-z-]+s ")
_MADE = re.compile(r"(One|An?) ")
_NAME = re.compile(r"`(\w+)`")
_IN_PLACE = re.compile(r",? in place\b")
_STORED = re.compile(r"\bstores the\b")
_RESULT = re.compile(r", as `(\w+)`\.")


def both_told(
    first: Part, then: Part, names: Mapping[str, str], found: tuple[Link, ...], handed: Mapping[str, str]
) -> str:
    """Two sentences: what is done first, and what is done with what that gives.

    What is handed over in a local is told by what it is, "the energy"; by the local's name only where two of
    a kind are handed over. An array that both have is called by its own name, as it is there to be looked at.
    """
    given = [link for link in found if link.kind == "fed"]
    kinds = [first.quantities[link.first.name] for link in given]
    told_as = {
        link.then.name: f"the {kind}"
        if kinds.count(kind) == 1
        else f"`{handed.get(link.then.name, link.then.name)}`"
        for link, kind in zip(given, kinds, strict=True)
    }
    earlier = {link.first.name: told_as[link.then.name] for link in given}
    told = _done(_under(first.sentence, {old: f"`{new}`" for old, new in names.items()} | earlier))
    done = _done(_of_one(_under(then.sentence, told_as), told_as.values()))
    if any(link.then.role == "inout" for link in given):  # the first kernel's result is changed, not an array
        done = _IN_PLACE.sub("", done)
    if given:
        told = _STORED.sub("finds the", told)
    lost = [name for name in mentioned(done) - mentioned(told) if f"`{name}`" in told_as.values()]
    if lost:
        told = f"{told.removesuffix('.')}, as {listed([f'`{name}`' for name in sorted(lost)])}."
    return f"{told} Then {done[:1].lower()}{done[1:]}"


def both_asked(
    first: Part, then: Part, names: Mapping[str, str], found: tuple[Link, ...], handed: Mapping[str, str]
) -> str:
    """The first task, how the second goes on from it, and the second task; empty if one is missing.

    A result of the first that is no argument of both has the name of the local that hands it over.
    """
    if not (first.task and then.task):
        return ""
    passed = [link for link in found if link.kind != "shared"]
    local = {
        link.then.name: handed[link.then.name]
        for link in passed
        if link.kind == "fed" and link.then.role == "input"
    }
    earlier = dict(names) | {link.first.name: local.get(link.then.name, link.then.name) for link in passed}
    kept = sorted(link.then.name for link in passed if link.then.name not in local)
    between = _going_on(sorted(local.values()), kept)
    return "\n\n".join((_requoted(first.task, earlier), between, _requoted(then.task, local)))


def _going_on(local: list[str], kept: list[str]) -> str:
    """How a task goes on with results of the first kernel: some that are `local` to both, and some that are
    `kept` in arguments."""
    told = ""
    if local:
        are = "is an intermediate result" if len(local) == 1 else "are intermediate results"
        told = f"{listed([f'`{name}`' for name in local])} {are} and no argument. "
    them = [("it" if len(local) == 1 else "them")] if local else []
    return f"{told}In the same kernel, go on with {listed([*them, *(f'the new `{name}`' for name in kept)])}:"


def _requoted(task: str, words: Mapping[str, str]) -> str:
    """The task under new names, which it mentions in backticks, in formulas or alone."""
    return QUOTED.sub(lambda quoted: NAME.sub(lambda name: words.get(name[0], name[0]), quoted[0]), task)


def without_lost(sentence: str, names: Container[str]) -> str:
    """The sentence without names of results that the kernel, which has these names, has no local for."""
    for name in _RESULT.findall(sentence):
        if name not in names:
            sentence = sentence.replace(f", as `{name}`.", ".").replace(f"`{name}`", "the result")
    return sentence


def mentioned(sentence: str) -> set[str]:
    """The names that a sentence speaks of."""
    return set(_NAME.findall(sentence))


def _done(sentence: str) -> str:
    """A sentence that says what is done."""
    if _VERB.match(sentence) or " Then " in sentence:
        return sentence
    verb = "Makes" if _MADE.match(sentence) else "Finds"
    return f"{verb} {sentence[:1].lower()}{sentence[1:]}"


def _under(sentence: str, words: Mapping[str, str]) -> str:
    """The sentence with what stands for names that it mentions."""
    return _NAME.sub(lambda found: words.get(found[1], found[0]), sentence)


def _of_one(sentence: str, words: Iterable[str]) -> str:
    """What is said of each of an array, said of one number that stands for it."""
    for said in words:
        sentence = sentence.replace(f"each of {said}", said)
    return sentence
