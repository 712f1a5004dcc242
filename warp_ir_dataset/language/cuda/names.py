"""Renames names of a program that are reserved in C++ or CUDA."""

from __future__ import annotations

from collections.abc import Iterable

from .. import ir
from ..rewrite import fresh, names_of
from ..types import Struct
from ..walks import walk
from .pieces.library import DECLARED

# Keywords, and names that headers define as macros.
_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq
threadIdx blockIdx blockDim gridDim warpSize dim3 main std
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t
EPSILON assert errno NULL EOF stdin stdout stderr INFINITY NAN HUGE_VAL HUGE_VALF linux unix i386 offsetof
M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
INT_MIN INT_MAX UINT_MAX LONG_MIN LONG_MAX FLT_MIN FLT_MAX FLT_EPSILON DBL_MIN DBL_MAX DBL_EPSILON
"""
KEYWORDS = frozenset(_KEYWORDS.split())
SUFFIX = "_"


class Names:
    """The C++ name of each name of a program.

    `used` are the functions and types that the text uses: a local of such a name would hide it.
    """

    def __init__(self, program: ir.Program, used: Iterable[str] = ()) -> None:
        self._made: dict[str, str] = {}
        self._taken = {_plain(name) for name in names_of(program)} | KEYWORDS | set(used)
        whole = {program.name, *(s.name for s in program.structs)}
        whole |= {function.name for function in program.functions}
        whole |= {constant.name for constant in program.constants}
        reserved = KEYWORDS | set(used)
        for name in sorted(whole):
            self._define(name, reserved | DECLARED)
        for name in sorted(_locals(program) - whole):
            self._define(name, reserved | {self._made[other] for other in whole})

    def _define(self, name: str, reserved: frozenset[str] | set[str]) -> None:
        plain = _plain(name)
        if plain in reserved or plain != name:
            clashes = plain in reserved
            plain = fresh(self._taken if clashes else reserved, plain + SUFFIX * clashes)
            self._taken.add(plain)
        self._made[name] = plain

    def of(self, name: str) -> str:
        return self._made.get(name, name)

    def new(self, base: str) -> str:
        """A name that neither the program nor an earlier call has."""
        name = fresh(self._taken, base)
        self._taken.add(name)
        return name


def _plain(name: str) -> str:
    """The name with letters of C++ only; that of a method begins with its struct's."""
    text = name.replace(".", "_")
    return text if text.isascii() else "".join(c if c.isascii() else f"u{ord(c):04x}" for c in text)


def _locals(program: ir.Program) -> set[str]:
    """Arguments, parameters, locals and members."""
    found = {node.name for node in walk(program) if isinstance(node, ir.Name)}
    found |= {node.name for node in walk(program) if isinstance(node, ir.Argument)}
    structs: tuple[Struct, ...] = program.structs
    return found | {member for struct in structs for member, _ in struct.members}
