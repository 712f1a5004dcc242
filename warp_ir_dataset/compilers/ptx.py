"""Cuts the PTX of one kernel out of the PTX of a unit that several were compiled in.

A slice holds the header, the kernel's entries, and every item that they name, directly or through one
another: shared memory, constants, strings, functions that were not inlined. Names and numbers that come
from the unit are replaced; it assembles on its own. PTX is described at
https://docs.nvidia.com/cuda/parallel-thread-execution/.

So a slice is nearly always the same, whichever kernels are in its unit. There are exceptions: of 1,200
kernels with adjoints, two had an instruction, or the operands of a sum, in another place when they were
compiled beside some other kernels, with which they share nothing. To get the same bytes, compile the same
units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

HEADER = (".version", ".target", ".address_size")

# The namespaces that mangled names get: of a kernel's own functions, and of what has internal linkage,
# which otherwise carries a file name and a hash of the unit.
NAMESPACE = "kernel"
INTERNAL = "_INTERNAL_"

# A kernel for the end of every unit. The compiler never inlines float64 `pow`; where all calls in a unit pass
# the same exponent, it makes a `pow` for that exponent. This call, with any exponent, keeps it from doing so:
# what becomes of a kernel must not depend on which others are in the unit.
GUARD = """
extern "C" __global__ void warp_ir_guard(double* values)
{
    values[0] = pow(values[1], values[2]);
}
"""

_INTERNAL_OF_UNIT = re.compile(r"\d+_INTERNAL_[0-9a-f]{8}_\d+_\w+?_cu_[0-9a-f]{8}")
_DATA_NAME = re.compile(r"([\w$]+)\s*(?:\[\d*\]\s*)*(?:=|;)")
_FUNCTION_NAME = re.compile(r"(?:\.func|\.entry)\s+(?:\([^()]*\)\s*)?([\w$]+)")
_FUNCTION_NUMBER = re.compile(r"(?:\$L__BB|__local_depot)(\d+)")
# A shared variable that a single function of the unit uses is moved into that function.
_DEMOTED = re.compile(r"\t// demoted variable\n\t(\.[^\n]*;)\n")
# Counted through the unit: calls, types of indirect calls, jump tables.
_COUNTED = re.compile(r"(\bcallseq |\bprototype_|\$L_brx_)(\d+)")
_STRING = re.compile(r"\$str(?:\$\d+)?(?![\w$])")


@dataclass(frozen=True)
class Kernel:
    """The C++ namespace of a kernel's code in the unit, and its entries: name there -> final name."""

    namespace: str
    entries: Mapping[str, str]


@dataclass(frozen=True)
class _Item:
    """A declaration or a definition at the top level of a unit."""

    name: str
    text: str
    is_function: bool

    @property
    def has_body(self) -> bool:
        return self.is_function and self.text.endswith("}")


def slices(ptx: str, kernels: Sequence[Kernel]) -> list[str]:
    """The PTX of each kernel. Raises `KeyError` where the unit has no entry of that name."""
    header: list[str] = []
    items: dict[str, _Item] = {}
    # NVRTC's text ends with a NUL byte.
    for text in _blocks(_promoted(ptx.rstrip("\0"))):
        if text.startswith(HEADER):
            header.append(text)
            continue
        item = _item(text)
        # A function may be declared first; its definition is what counts.
        if item.name not in items or item.has_body:
            items[item.name] = item
    entries = {name: items.pop(name) for kernel in kernels for name in kernel.entries}
    return [_slice(header, [entries[name] for name in kernel.entries], items, kernel) for kernel in kernels]


# ---- reading


def _promoted(ptx: str) -> str:
    """All variables at the top level, whether or not the rest of the unit uses them."""
    if "// demoted variable" not in ptx:
        return ptx
    return "\n".join([_DEMOTED.sub("\n", ptx), *_DEMOTED.findall(ptx)])


def _blocks(ptx: str) -> Iterator[str]:
    """The directives, declarations and definitions: each starts with a dot in the first column."""
    lines: list[str] = []
    for line in ptx.splitlines():
        if not lines and not line.startswith("."):
            continue  # comments and empty lines between items
        lines.append(line)
        if _starts_function(lines[0]):
            ended = line in ("}", ";")
        else:
            ended = line.endswith(";") or line.startswith(HEADER)
        if ended:
            yield "\n".join(lines)
            lines = []


def _starts_function(line: str) -> bool:
    return ".func" in line or ".entry" in line


def _item(text: str) -> _Item:
    is_function = _starts_function(text.partition("\n")[0])
    match = (_FUNCTION_NAME if is_function else _DATA_NAME).search(text)
    if match is None:
        raise ValueError(f"not an item of PTX: {text[:80]}")
    return _Item(match.group(1), text, is_function)


# ---- cutting


def _slice(header: list[str], entries: list[_Item], items: dict[str, _Item], kernel: Kernel) -> str:
    needed: dict[str, _Item] = {}
    for entry in entries:
        _add_named(entry, items, needed)
    functions = [item for item in needed.values() if item.is_function]
    data = [item.text for item in needed.values() if not item.is_function]
    bodies = [*entries, *(item for item in functions if item.has_body)]
    parts = [
        "\n".join(header),
        "\n".join([*map(_declaration, functions), *data]),
        *(_numbered(item.text, number) for number, item in enumerate(bodies)),
    ]
    return _renamed("\n\n".join(part for part in parts if part), needed, kernel) + "\n"


def _add_named(user: _Item, items: dict[str, _Item], needed: dict[str, _Item]) -> None:
    """Add what `user` names, in the order in which it does; what those name comes before them, since
    data must be declared before it is used."""
    places = {name: _place(name, user.text) for name in items if name != user.name and name in user.text}
    for name in sorted((name for name, place in places.items() if place >= 0), key=places.__getitem__):
        if name not in needed:
            item = items[name]
            if item.is_function:  # declared up front, so two may call each other
                needed[name] = item
            _add_named(item, items, needed)
            needed[name] = item


def _place(name: str, text: str) -> int:
    match = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text)
    return match.start() if match else -1


def _declaration(function: _Item) -> str:
    """Spelled as NVRTC declares a function that it defines further down."""
    head = function.text.partition("\n{")[0] if function.has_body else function.text.rstrip("\n;")
    return head.replace(f"{function.name}(", f"{function.name}\n(", 1) + "\n;"


# ---- renaming


def _numbered(text: str, number: int) -> str:
    """A function's labels and its stack carry its own number in the unit."""
    match = _FUNCTION_NUMBER.search(text)
    if match is None:
        return text
    old = match.group(1)
    text = text.replace(f"$L__BB{old}_", f"$L__BB{number}_")
    return re.sub(rf"__local_depot{old}(?!\d)", f"__local_depot{number}", text)


def _renamed(text: str, needed: Mapping[str, _Item], kernel: Kernel) -> str:
    """Final names and numbers. Plain searches come first: most slices need few of these, and regular
    expressions over the whole text would cost more than all the rest."""
    for old, new in kernel.entries.items():
        text = text.replace(_mangled(old), _mangled(new)).replace(old, new)
    if INTERNAL in text:
        text = _INTERNAL_OF_UNIT.sub(_mangled(INTERNAL), text)
    if kernel.namespace in text:
        text = re.sub(rf"(?<!\d){_mangled(kernel.namespace)}", _mangled(NAMESPACE), text)
    strings = [name for name in needed if _STRING.fullmatch(name)]
    if strings:
        final = {name: f"$str${number}" if number else "$str" for number, name in enumerate(strings)}
        text = _STRING.sub(lambda match: final[match.group()], text)
    if any(word in text for word in ("callseq ", "prototype_", "$L_brx_")):
        numbers: dict[str, int] = {}
        text = _COUNTED.sub(lambda match: _counted(match, numbers), text)
    return text


def _mangled(name: str) -> str:
    """As C++ mangles a name that is part of a longer one: its length comes first."""
    return f"{len(name)}{name}"


def _counted(match: re.Match[str], numbers: dict[str, int]) -> str:
    """Count from zero in order of first appearance; calls and their types share one count."""
    kind = "jump table" if match.group(1).startswith("$") else "call"
    name = f"{kind} {match.group(2)}"
    number = numbers.setdefault(name, sum(other.startswith(kind) for other in numbers))
    return f"{match.group(1)}{number}"
