"""Finds constants of the host that plain CUDA uses on the device: clang accepts some that nvcc refuses.

nvcc takes the value of such a constant, or of a member of it, but knows no place in the host's memory:
nothing that an index or a pointer leads to. Of variables that are no constants clang says so itself
(`spaces`). What the text does not show plainly is not told: that a parameter is a reference, or that a method
is called.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

_PLACED = re.compile(
    r"\b(?:__(?:constant|device|managed)__|typedef|using|extern|struct|class|union|enum)(?!\w)"
)
_ON_DEVICE = re.compile(r"\b__(?:device|global)__(?!\w)")
_MEMORY = re.compile(r"\b__(?:device|constant)__(?!\w)")
_ARRAY = re.compile(r"[\w\s:*<>,]*?\b(?P<name>\w+)\s*\[")
_LAMBDA = re.compile(r"[^=\[(]*?\b(?P<name>\w+)\s*=\s*\[")
_OBJECT = re.compile(r"(?=[^={(]*\bconst(?:expr)?\b)[^={(*&,]*\s(?P<name>\w+)\s*[={(]")
_POINTER = re.compile(
    r"[\w\s:]*\*\s*(?:const\s+)?(?P<name>\w+)\s*=\s*(?:&\s*)?(?P<to>\w+)\s*(?:\[[\w\s]*\]\s*)?"
)
_STRUCT = re.compile(r"\s*(?:typedef\s+)?(?:struct|class)\b\s*(?P<name>\w*)[^{;]*\{(?P<inside>.*)\}", re.S)
_STATIC_ARRAY = re.compile(r"\bstatic\b[\w\s:=.,+-]{1,200}?\b(?P<name>\w+)\s*\[")

_ELEMENT = re.compile(r"\b(\w+)\s*\[")
_ELEMENT_OF_STRUCT = re.compile(r"\b(\w+)\s*::\s*(\w+)\s*\[")
_ELEMENT_OF_MEMBER = re.compile(r"(?<![.>])\b(\w+)\s*\.\s*(?:\w+\s*\.\s*)?(\w+)\s*\[")
# Of a function's body: what the compiler alone computes, and what is declared there.
_NOT_RUN = re.compile(r"\b(?:sizeof|decltype)\s*\([^()]*\)|\bconstexpr\s+\w[^;(){}=]{0,200}=[^;]{0,500};")
_LOCAL = re.compile(
    r"\b(?!(?:return|else|case|throw|goto|new|delete|do|and|or|not)\b)[A-Za-z_]\w*\s+(\w+)\s*(?=[=;\[{(,:)])"
    r"|[\w>]\s*[*&]+\s*(\w+)\s*(?=[=:][^=:]|[,)])"
)


def of_host(found: Iterable[tuple[str, str | None]], macros: Container[str]) -> str | None:
    """What is the host's and used on the device, in a line that a model may see. `found` are the declarations
    of a text; those that have one of the `macros` in them are not looked at."""
    bodies, heads = [], []
    for head, body in found:
        if body and _ON_DEVICE.search(head):
            text = _NOT_RUN.sub(" ", body)
            own = {name for names in _LOCAL.findall(text) for name in names} | {*_words(head)}
            bodies.append((text, own))
        elif body is None and not any(word in macros for word in _words(head)):
            heads.append(head)
    return next(_told(bodies, heads), None)


def _told(bodies: list[tuple[str, set[str]]], heads: list[str]) -> Iterator[str]:
    """`bodies` are those of functions for the device, with the names that they declare."""
    used = {word for text, own in bodies for word in _words(text) if word not in own}
    elements = {name for text, own in bodies for name in _ELEMENT.findall(text) if name not in own}
    of_structs = {pair for text, _ in bodies for pair in _ELEMENT_OF_STRUCT.findall(text)}
    of_members = {
        pair for text, own in bodies for pair in _ELEMENT_OF_MEMBER.findall(text) if pair[0] not in own
    }
    arrays, constants, members = set(), set(), set()
    for head in heads:
        if struct := _STRUCT.match(head):
            members |= {*_ELEMENT.findall(struct["inside"])}
            for static in _STATIC_ARRAY.finditer(struct["inside"]):
                if (struct["name"], static["name"]) in of_structs and not _MEMORY.search(static[0]):
                    yield _told_of(f"{struct['name']}::{static['name']}", "a static array of a struct")
        elif function := _LAMBDA.match(head):
            if function["name"] in used:
                yield _told_of(function["name"], "outside of functions a lambda")
        elif _PLACED.search(head):
            continue
        elif array := _ARRAY.match(head):
            arrays.add(array["name"])
            if array["name"] in used:
                yield _told_of(array["name"])
        elif constant := _OBJECT.match(head):
            constants.add(constant["name"])
    for name, member in sorted(of_members):
        if name in constants and member in members:
            yield _told_of(f"{name}.{member}")
    for head in heads:
        if pointer := _POINTER.fullmatch(head):
            to, name, on_device = pointer["to"], pointer["name"], _MEMORY.search(head)
            if (to in arrays and name in elements) or (on_device and to in arrays | constants):
                yield _told_of(f"{to}, where {name} points,")


def _told_of(name: str, what: str = "without __constant__ or __device__ it") -> str:
    return f"{name} is not there on the device: {what} is the host's"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
