"""Object files of clang's for x86-64: undefined symbols are bound, sections found, addresses become lines.

A thunk is a jump to an address that is known when the unit has been compiled and not yet loaded: what a
unit calls outside of itself is a symbol in a table of thunks that it holds. So no linker needs to know the
runtime.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..compilers.cuda_on_cpu import THUNK

_SECTION, _SYMBOL, _RELOCATION = (struct.Struct(form) for form in ("<IIQQQQIIQQ", "<IBBHQQ", "<QQq"))
_SYMBOL_TABLE, _NOBITS, _WITH_ADDEND = 2, 8, 4
_WRITABLE, _EXECUTED = 1, 4  # flags of sections
DATA, FUNCTION, _THREAD_LOCAL = 1, 2, 6  # kinds of symbols


class Symbol(NamedTuple):
    name: str
    section: int
    value: int
    size: int
    kind: int
    is_global: bool
    at: int  # of its record in the file


@dataclass(frozen=True)
class Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    at: int

    @property
    def is_constant(self) -> bool:
        """Whether code only reads it; addresses in it are filled in when it is loaded."""
        loaded, written = self.flags & 2, self.flags & (_WRITABLE | _EXECUTED)
        return bool(loaded) and (not written or self.name.startswith(".data.rel.ro"))


class Object:
    """An object file in memory, to be changed."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        (start,) = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        raw = [(_SECTION.unpack_from(data, start + 64 * i), start + 64 * i) for i in range(count)]
        strings = raw[names][0][4]
        self.sections = [
            Section(self._text(strings + r[0]), r[1], r[2], r[4], r[5], r[6], r[7], at) for r, at in raw
        ]
        table = next(each for each in self.sections if each.kind == _SYMBOL_TABLE)
        strings = self.sections[table.link].offset
        self.symbols = []
        for at in range(table.offset, table.offset + table.size, _SYMBOL.size):
            name, info, _, section, value, size = _SYMBOL.unpack_from(data, at)
            kind, bound = info & 15, info >> 4
            self.symbols.append(Symbol(self._text(strings + name), section, value, size, kind, bound > 0, at))

    def _text(self, at: int) -> str:
        return self.data[at : self.data.index(0, at)].decode()

    def undefined(self) -> list[Symbol]:
        return [each for each in self.symbols if each.section == 0 and each.name]

    def variables(self) -> list[Symbol]:
        """What code may write to: it keeps its value from call to call."""
        found = ((each, self.section(each)) for each in self.symbols if each.kind in (DATA, _THREAD_LOCAL))
        return [symbol for symbol, place in found if place is not None and place.flags & _WRITABLE]

    def section(self, symbol: Symbol) -> Section | None:
        """None for what is in no section, such as an absolute value."""
        return self.sections[symbol.section] if symbol.section < len(self.sections) else None

    def define(self, symbol: Symbol, section: int, value: int) -> None:
        """Let an undefined symbol be a place in the unit itself."""
        struct.pack_into("<HQ", self.data, symbol.at + 6, section, value)

    def thunks(self, table: Symbol, addresses: Mapping[str, int]) -> None:
        """Bind undefined symbols to `addresses`, by thunks in the place of `table`, which is data."""
        place = self.sections[table.section]
        struct.pack_into("<Q", self.data, place.at + 8, place.flags & ~_WRITABLE | _EXECUTED)
        # A linker that knows `sqrtf` itself takes no second one: they get names of their own.
        names = next(each for each in self.sections if each.kind == _SYMBOL_TABLE).link
        strings = self.sections[names]
        table_of_names = self.data[strings.offset : strings.offset + strings.size]
        for index, symbol in enumerate(each for each in self.undefined() if each.name in addresses):
            struct.pack_into("<I", self.data, symbol.at, len(table_of_names))
            table_of_names += f"wm_thunk_{symbol.name}".encode() + b"\0"
            value = table.value + THUNK * index
            if THUNK * (index + 1) > table.size:
                raise ValueError("the table of thunks is full")
            code = (
                b"\x48\xb8" + struct.pack("<Q", addresses[symbol.name]) + b"\xff\xe0"
            )  # mov rax, …; jmp rax
            self.data[place.offset + value : place.offset + value + len(code)] = code
            self.define(symbol, table.section, value)
        struct.pack_into("<QQ", self.data, strings.at + 24, len(self.data), len(table_of_names))
        self.data += table_of_names

    def lines(self, section_addresses: Mapping[int, int], file: str) -> Lines:
        """Where the instructions come from, once it is known where sections lie."""
        found = next((each for each in self.sections if each.name == ".debug_line"), None)
        if found is None:
            return Lines([])
        moved = {}
        for each in self.sections:
            if each.kind == _WITH_ADDEND and self.sections[each.info] == found:
                for at in range(each.offset, each.offset + each.size, _RELOCATION.size):
                    place, info, addend = _RELOCATION.unpack_from(self.data, at)
                    symbol = self.symbols[info >> 32]
                    if symbol.section in section_addresses:
                        moved[place] = section_addresses[symbol.section] + symbol.value + addend
        program = bytes(self.data[found.offset : found.offset + found.size])
        return Lines(_rows(program, moved, file))


class Lines:
    """Lines of the text, by address."""

    def __init__(self, rows: list[tuple[int, int]]) -> None:
        self._rows = sorted(rows)
        self._addresses = [address for address, _ in self._rows]

    def of(self, address: int) -> int | None:
        """None for what is not of the text."""
        at = bisect_right(self._addresses, address) - 1
        return (self._rows[at][1] or None) if at >= 0 else None


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, form: str) -> int:
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return int(value)

    def uleb(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.take("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def sleb(self) -> int:
        start = self.at
        value = self.uleb()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def text(self) -> bytes:
        end = self.data.index(0, self.at)
        found, self.at = self.data[self.at : end], end + 1
        return found


def _rows(data: bytes, moved: Mapping[int, int], file: str) -> list[tuple[int, int]]:
    """Addresses and lines by a DWARF 4 line program; line 0 for those of other files, and where a sequence
    ends."""
    rows: list[tuple[int, int]] = []
    reader = _Reader(data, 0)
    while reader.at < len(data):
        length = reader.take("I")
        end = reader.at + length
        if reader.take("H") != 4:
            reader.at = end
            continue
        header = reader.take("I")
        program = reader.at + header
        least = reader.take("B")
        reader.take("B")  # operations an instruction
        reader.take("B")
        base, span, first = reader.take("b"), reader.take("B"), reader.take("B")
        lengths = [reader.take("B") for _ in range(first - 1)]
        while reader.text():  # folders
            pass
        ours = set()
        index = 1
        while name := reader.text():
            if name.decode(errors="replace") == file:
                ours.add(index)
            for _ in range(3):
                reader.uleb()
            index += 1
        reader.at = program
        address, line, place = 0, 1, 1
        while reader.at < end:
            code = reader.take("B")
            if code >= first:
                address += (code - first) // span * least
                line += base + (code - first) % span
                rows.append((address, line if place in ours else 0))
            elif code == 0:
                size = reader.uleb()
                after = reader.at + size
                extended = reader.take("B")
                if extended == 1:
                    rows.append((address, 0))
                    address, line, place = 0, 1, 1
                elif extended == 2:
                    address = moved.get(reader.at, 0)
                reader.at = after
            elif code == 1:
                rows.append((address, line if place in ours else 0))
            elif code == 2:
                address += reader.uleb() * least
            elif code == 3:
                line += reader.sleb()
            elif code == 4:
                place = reader.uleb()
            elif code == 8:
                address += (255 - first) // span * least
            elif code == 9:
                address += reader.take("H")
            else:
                for _ in range(lengths[code - 1]):
                    reader.uleb()
    return rows
