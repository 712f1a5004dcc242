"""Writes the description and the task of a fused kernel from those of its two parts."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping

from ...language.specification.formulas.parts import listed
from ..templates.part import Part
from ..templates.task import NAME, QUOTED
from .links import Link

# A description either begins with a verb, or names the result: "The energy of each particle."
_NO_VERBS = "Corrections|Points|Particles|Histograms|This|Its"  # that begin one and end in "s"
_VERB = re.compile(rf"(?!{_NO_VERBS})[A-Z][a-z-]+s ")
_INDEFINITE = re.compile(r"(One|An?) ")  # "An image" is made, "The energy" is found
_NAME = re.compile(r"`(\w+)`")
_IN_PLACE = re.compile(r",? in place\b")
_STORES = re.compile(r"\bstores the\b")
# What `joined_description` adds to a sentence: the names of its results.
_RESULTS = re.compile(r", as (`\w+`(?:(?:, |,? and )`\w+`)*)\.")


def joined_description(
    first: Part, then: Part, names: Mapping[str, str], links: tuple[Link, ...], local_names: Mapping[str, str]
) -> str:
    """Describe a fused kernel: the sentences of the first part, then that of the second.

    A forwarded value is called by its quantity, "the energy", or by the name of its local if two forwarded
    values have that quantity.
    An array that the fused kernel has as an argument keeps its name.
    """
    forwarded = [link for link in links if link.kind == "forwarded"]
    quantities = [first.quantities[link.first.name] for link in forwarded]
    phrases = {
        link.then.name: f"the {quantity}"
        if quantities.count(quantity) == 1
        else f"`{local_names.get(link.then.name, link.then.name)}`"
        for link, quantity in zip(forwarded, quantities, strict=True)
    }
    results = {link.first.name: phrases[link.then.name] for link in forwarded}
    start = _as_action(_with_phrases(first.sentence, {a: f"`{b}`" for a, b in names.items()} | results))
    end = _as_action(_for_one_element(_with_phrases(then.sentence, phrases), phrases.values()))
    if any(link.then.role == "inout" for link in forwarded):  # a local changes, no array
        end = _IN_PLACE.sub("", end)
    if forwarded:
        start = _STORES.sub("finds the", start)
    missing = [name for name in mentioned(end) - mentioned(start) if f"`{name}`" in phrases.values()]
    if missing:
        start = f"{start.removesuffix('.')}, as {listed([f'`{name}`' for name in sorted(missing)])}."
    return f"{start} Then {end[:1].lower()}{end[1:]}"


def joined_task(
    first: Part, then: Part, names: Mapping[str, str], links: tuple[Link, ...], local_names: Mapping[str, str]
) -> str:
    """Ask for a fused kernel: both tasks, with a sentence between them; empty if one has no task.

    A forwarded value that the second kernel only reads has the name of its local. One that it changes has the
    name of the second kernel's argument.
    """
    if not (first.task and then.task):
        return ""
    passed = [link for link in links if link.kind != "shared"]
    locals_read = {
        link.then.name: local_names[link.then.name]
        for link in passed
        if link.kind == "forwarded" and link.then.role == "input"
    }
    results = {link.first.name: locals_read.get(link.then.name, link.then.name) for link in passed}
    arguments = sorted(link.then.name for link in passed if link.then.name not in locals_read)
    between = _transition(sorted(locals_read.values()), arguments)
    task = _with_names(first.task, dict(names) | results)
    return "\n\n".join((task, between, _with_names(then.task, locals_read)))


def _transition(locals_read: list[str], arguments: list[str]) -> str:
    """The sentences between two tasks. They name the results of the first kernel that the second one uses:
    those that are locals, and those that are arguments."""
    sentence = ""
    if locals_read:
        are = "is an intermediate result" if len(locals_read) == 1 else "are intermediate results"
        sentence = f"{listed([f'`{name}`' for name in locals_read])} {are} and no argument. "
    pronoun = [("it" if len(locals_read) == 1 else "them")] if locals_read else []
    results = listed([*pronoun, *(f"the new `{name}`" for name in arguments)])
    return f"{sentence}In the same kernel, go on with {results}:"


def _with_names(task: str, words: Mapping[str, str]) -> str:
    """The task with other names, which it mentions in backticks, alone or in formulas."""
    return QUOTED.sub(lambda quoted: NAME.sub(lambda name: words.get(name[0], name[0]), quoted[0]), task)


def without_missing_names(sentence: str, names: Container[str]) -> str:
    """The sentence with "the result" for a local that it names, if the kernel lost that name."""
    for results in _RESULTS.findall(sentence):
        lost = [name for name in _NAME.findall(results) if name not in names]
        if lost:
            sentence = sentence.replace(f", as {results}.", ".")
        for name in lost:
            phrase = "the result" if results == f"`{name}`" else f"the {name}"
            sentence = sentence.replace(f"`{name}`", phrase)
    return sentence


def mentioned(sentence: str) -> set[str]:
    """The names in a sentence, which stand in backticks."""
    return set(_NAME.findall(sentence))


def _as_action(sentence: str) -> str:
    """The sentence with a verb at its start."""
    if _VERB.match(sentence) or " Then " in sentence:
        return sentence
    verb = "Makes" if _INDEFINITE.match(sentence) else "Finds"
    return f"{verb} {sentence[:1].lower()}{sentence[1:]}"


def _with_phrases(sentence: str, phrases: Mapping[str, str]) -> str:
    """The sentence with phrases in place of names that it mentions."""
    return _NAME.sub(lambda found: phrases.get(found[1], found[0]), sentence)


def _for_one_element(sentence: str, phrases: Iterable[str]) -> str:
    """The sentence about one value, not about each element of an array: "the energy", not "each of the
    energy"."""
    for phrase in phrases:
        sentence = sentence.replace(f"each of {phrase}", phrase)
    return sentence
