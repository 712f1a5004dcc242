"""Reads a CUDA text before any compiler does: refuses what lets two compilers see two programs, and renames.

Each identifier that is neither C++'s nor CUDA's gets a suffix. So a text finds no name that one compiler
knows and the other does not, none of the C library, and none of our own headers.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from zlib import crc32

from .macros import KEYWORDS, Broken, Lacking, Refused, Token, preprocessed

SUFFIX = "_u"
HEADERS = {"device.h": "for clang", "both.h": "for both compilers"}
# All that they hold is given to every text, so that the line itself is left out.
GIVEN = """
    assert.h cassert cfloat climits cmath cstdint cstdio cstdlib cstring cuda.h cuda_runtime.h
    device_launch_parameters.h float.h limits limits.h math.h math_constants.h stddef.h cstddef
    stdint.h stdio.h stdlib.h string.h algorithm utility type_traits cuda_runtime_api.h device_functions.h
    sm_30_intrinsics.h device_atomic_functions.h vector_types.h math_functions.h
"""
# Headers of ours that become a part of the text, in its place, with the files that they are made of.
PARTS = {
    "cuda_fp16.h": "half.h",
    "cuda_bf16.h": "half.h",
    "cooperative_groups.h": "cooperative_groups.h",
}
_IN_OTHERS = {"cooperative_groups/reduce.h": "cooperative_groups.h"}
# What CUDA's headers of these names have and ours lack.
_PARTS_LACK = {
    "half.h": r"__h\w+|__\w*(?:half|bfloat16)\w*|h2?(?:exp10|tanh\w*|log2|log10|exp2|floor|ceil|trunc|rint)"
    r"|CUDART_\w+_(?:FP|BF)16",
    "cooperative_groups.h": "this_grid|grid_group|this_cluster|cluster_group|this_multi_grid|multi_grid_group"
    "|labeled_partition|binary_partition|memcpy_async|wait_prior|invoke_one|invoke_one_broadcast"
    "|(?:in|ex)clusive_scan(?:_update)?|reduce_(?:store|update)_async|block_tile_memory|barrier_(?:arrive|wait)",
}

_LIBRARIES = re.compile(r"cooperative_groups|(?:cub|thrust|cuda)/|cuda_(?:fp|bf)|mma\.h|curand")
_LACKING = {  # namespaces
    "nvcuda": "wmma and other matrix units",
    "cub": "CUB",
    "thrust": "Thrust",
}
_REFUSED = {
    "asm": "assembly",
    "thread_local": "thread_local",
    "typeid": "typeid",
    "dynamic_cast": "dynamic_cast",
    "virtual": "virtual functions",
    "new": "new",
    "delete": "delete",
    "throw": "exceptions",
    "try": "exceptions",
    "catch": "exceptions",
    "export": "modules",
    "register": "register",
}
# Of names that are reserved, those that are CUDA's and no function of device.h.
_SPECIFIERS = """
    __global__ __device__ __host__ __shared__ __constant__ __restrict__ __restrict __launch_bounds__
    __forceinline__ __noinline__ __inline__ __align__ __builtin_expect
"""
# Words of our headers that they declare nothing by: their parameters, and what clang's attributes are made
# of.
_INCIDENTAL = """
    A B C I T a aligned alignment all always_inline array at b bounds by bytes c constant coverage d
    define device divide e f global h has here high holds host i integer kcfi kernel l ll local low
    m mask most n no_sanitize noinline o of out p parameter pointer r s safe shared slots stack
    thread u ul ull v width words x_ zero
    all10 big bits bits10 block_size bss clang e0 e1 e2 e3 from grid_size is_plus is_real least
    lifetimebound most nodebug nothing one plus q real section to whole
"""
# Of the compilers.
_COMPILERS = """
    __attribute__ __is_arithmetic __is_floating_point __is_integral __is_same __is_trivially_copyable
    __is_unsigned __make_integer_seq __int128 __VA_ARGS__ __suffix __CUDACC_RTC__
"""
# Of CUDA's functions and specifiers.
_LACKING_NAMES = re.compile(
    r"__v\w+[24]|__vi\w+|__\w+_r[duz]|__dp2a_\w+|__fns|__prof_trigger|__pipeline_\w+|__cvta_\w+"
    r"|__is(?:Global|Shared|Constant|Local|GridConstant)|__nv_\w+|__managed__|__grid_constant__"
    r"|__cluster_dims__|__block_size__|__maxnreg__"
)
_ATTRIBUTES = ("fallthrough", "likely", "maybe_unused", "nodiscard", "unlikely")

_NUMBER = re.compile(
    r"""(?:0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlL]{0,3}
    |(?:[0-9][0-9']*\.?[0-9']*|\.[0-9][0-9']*)(?:[eE][+-]?[0-9]+)?[fF]?
    |0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+[fF]?""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Text:
    """A text as both compilers get it; clang's has gaps between arrays in shared memory."""

    nvrtc: str
    clang: str
    dynamic: frozenset[str]  # arrays in dynamic shared memory


@functools.cache
def header(name: str) -> str:
    """A header of this folder, without its comments: the fewer bytes, the sooner it is read."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return "\n".join(line for line in re.sub(r"//[^\n]*", "", text).split("\n") if line.strip()) + "\n"


@functools.cache
def _part(include: str) -> str:
    """A header of `PARTS` as it is written, with the names of its own."""
    code = header(PARTS[include])
    if include != "cuda_bf16.h":
        return code
    code = re.sub(r"\b(?:__)?half(2?)\b", lambda type: type[0].replace("half", "nv_bfloat16"), code)
    return re.sub(r"half(?!ves)", "bfloat16", code).replace("<5, 10>", "<8, 7>")


@functools.cache
def part(include: str) -> tuple[str, str]:
    """The same in one line, for NVRTC and for clang. Its names become the text's own; its functions have no
    lines, so that what they do counts as done where they are called."""

    def own(word: re.Match[str]) -> str:
        return word[0] if word[0] in known() else word[0] + SUFFIX

    one = " ".join(re.sub(r"\b[A-Za-z_]\w*", own, _part(include)).split())
    return one, one.replace("__forceinline__", "__forceinline__ __attribute__((nodebug))")


@functools.cache
def _lent() -> frozenset[str]:
    """Reserved names of `PARTS` that a text may use."""
    words = frozenset[str]().union(*map(_part_words, PARTS))
    return frozenset(word for word in words if word.startswith("__") and not word.startswith("__wm_"))


@functools.cache
def _part_words(include: str) -> frozenset[str]:
    return frozenset(re.findall(r"\b[A-Za-z_]\w*", _part(include)))


@functools.cache
def known() -> frozenset[str]:
    """C++'s words, and all that our headers declare: what a text may use of names that it does not make."""
    text = "".join(header(name) for name in HEADERS)
    names = set(re.findall(r"[A-Za-z_]\w*", _pasted(text)))
    ours = {name for name in names if name.startswith(("wm_", "WM_", "__builtin"))} | {*_INCIDENTAL.split()}
    theirs = names - ours - {*_COMPILERS.split()}
    return frozenset(theirs | (KEYWORDS - {*_REFUSED}) | {*_SPECIFIERS.split()})


@functools.cache
def of_libm() -> frozenset[str]:
    """The mathematical functions that device.h leaves to the C library; a unit calls them ``wm_c_`` and so
    on."""
    code = _pasted(header("device.h"))
    return frozenset(re.findall(r"__host__ __device__ \w+ wm_c_(\w+)\([^()]*\);", code))


# Macros for numbers that CUDA has only where a text includes these, and all that it has anywhere.
_OF_HEADERS = {
    "cfloat float.h": r"(?:FLT|DBL)_\w+",
    "math_constants.h": r"CUDART_\w+",
    "cstdint stdint.h": r"U?INT\d+_\w+",
    "": r"\w+",
}


@functools.cache
def constants() -> dict[str, frozenset[str]]:
    """The macros that stand for numbers, by the headers that have them: a text may ask for them."""
    left = frozenset(re.findall(r"^#define ((?!WM_)\w+) ", header("both.h"), re.MULTILINE))
    found: dict[str, frozenset[str]] = {}
    for names, pattern in _OF_HEADERS.items():
        theirs = frozenset(name for name in left if re.fullmatch(pattern, name))
        found |= dict.fromkeys(names.split() or [""], theirs)
        left -= theirs
    return found


@functools.cache
def functions() -> Counter[str]:
    """How many functions of a name device.h has."""
    return Counter(re.findall(r"(\w+)\([^()]*\) (?:\{|//)", _pasted(header("device.h"))))


def _pasted(text: str) -> str:
    """The headers with their own macros expanded, since these make names by ``##``."""
    text = text.replace("\\\n", " ")
    macros = re.findall(r"^#define (WM_\w+)\(([^)]*)\) (.*)$", text, re.MULTILINE)
    bodies = {name: (re.findall(r"\w+", parameters), body) for name, parameters, body in macros}

    def expanded(call: re.Match[str]) -> str:
        parameters, body = bodies.get(call[1], ([], ""))
        arguments = [each.strip() for each in re.split(r",(?![^()]*\))", call[2])]
        values = dict(zip(parameters, arguments, strict=False))
        return re.sub(r"[A-Za-z_]\w*", lambda word: values.get(word[0], word[0]), body).replace("##", "")

    code = re.sub(r"^#define (WM_\w+)\(.*$", "", text, flags=re.MULTILINE)
    for _ in range(4):  # a macro within a macro within a macro
        code = re.sub(r"\b(WM_\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", expanded, code)
    return code


_ONES = re.compile(r"(?:[{,=?:)]|\b(?:return|define\s+\w+))[\s(]*(?:-\s*1\b|~|255|0[xX][fF]+|\w+_MAX\b)")


def may_fill_with_ones(read: Text) -> bool:
    """Whether a text might fill local arrays with bytes of ones, as clang does for those of floating point
    that have no values."""
    return _ONES.search(read.clang) is not None


def renamed(name: str) -> str:
    """An expression that names a kernel, such as ``saxpy`` or ``scale<float>``, as the compilers know it.

    Raises `Refused`."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_:<>, ]*", name):
        raise Refused(f"kernel must be a name, such as saxpy or scale<float>, not {name[:60]!a}")
    return renamed_type(name)


def renamed_type(type: str) -> str:
    """A type, such as ``const float*``, as the compilers know it. Raises `Refused`."""
    return re.sub(r"[A-Za-z_]\w*", lambda word: _name(word[0], 0), type)


def named_back(said: str) -> str:
    """What a compiler says, with the names that the text gave."""
    return re.sub(rf"\b([A-Za-z_]\w*?){SUFFIX}\b", r"\1", said)


def _name(word: str, line: int) -> str:
    where = f"line {line}: " if line else ""
    if word in known():
        return word
    if word in _REFUSED:
        raise Refused(f"{where}{_REFUSED[word]} ({word}): the machine does not have that")
    if _LACKING_NAMES.fullmatch(word) and word not in _lent():
        raise Lacking(f"{where}{word}: the machine does not have that")
    if (word.startswith("__") and word not in _lent()) or re.match(r"_[A-Z]", word):
        raise Refused(f"{where}{word} is a reserved name, and none of CUDA's that the machine has")
    return word + SUFFIX


def read(text: str) -> Text:
    """A text, checked and renamed, line by line where it was, without macros. Raises `Refused`."""
    return _Reader(list(preprocessed(text, constants())), crc32(text.encode("utf-8", "replace"))).read()


_OF_TYPES = {"struct", "class", "union", "enum"}
_ALIGNED = ("alignas", "__align__", "__launch_bounds__")
# CUDA's functions that a text must call where it names them: elsewhere, clang would know several. No variable
# has such a name.
_CALLED = re.compile(
    r"__[a-z]\w*[a-z0-9]|atomic[A-Z]\w*|clock64|printf|l?labs|sincos(?:pi)?|r?norm[34]d|l?lrint"
    r"|l?lround"
)


@dataclass
class _Reader:
    tokens: list[Token]
    key: int  # of the text
    line: int = 1
    out: list[str] = field(default_factory=list)
    clang: list[str] = field(default_factory=list)
    braces: list[str] = field(default_factory=list)  # "space", "class" or "code", outermost first
    statement: list[str] = field(default_factory=list)  # words since the last ; { or }
    parentheses: int = 0
    sharing: list[tuple[int, int]] = field(default_factory=list)  # where declarations of shared memory end
    variable: tuple[int, str] | None = None  # where that of a device variable may end, and its memory
    gaps: int = 0
    dynamic: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)  # headers that are a part of the text by now
    after: list[str] = field(default_factory=list)  # words behind this one

    def read(self) -> Text:
        words = [each for each in self.tokens if each.kind not in ("blank", "newline")]
        place, was_made = 0, False
        for token in self.tokens:
            if token.line > self.line:
                self._emit("\n" * (token.line - self.line))
                self.line = token.line
            if token.kind == "newline":
                continue
            if token.kind == "blank" or token.is_made or was_made:
                self._emit(" ")
            was_made = token.is_made
            if token.kind != "blank":
                place += 1
                self.after = [each.word for each in words[place : place + 3]]
                self._take(token)
        if self.sharing or self.braces:
            self._refuse("the text ends in the middle of something", Broken)
        return Text("".join(self.out), "".join(self.clang), frozenset(self.dynamic))

    def _refuse(self, why: str, kind: type[Refused] = Refused) -> NoReturn:
        raise kind(f"line {self.line}: {why}")

    def _emit(self, word: str) -> None:
        self.out.append(word)
        self.clang.append(word)

    def _take(self, token: Token) -> None:
        kind, word = token.kind, token.word
        if kind == "name":
            self._word(word)
        elif kind == "number":
            if not _NUMBER.fullmatch(word):
                long = bool(_NUMBER.fullmatch(word.rstrip("lL"))) and word[-1] in "lL"
                why = f"{word[:40]} is a long double, which is no type of a GPU's" if long else ""
                self._refuse(why or f"{word[:40]} is no number", Refused if long else Broken)
            self._emit(word)
            self.statement.append("0")
        elif kind in ("string", "character"):
            self._text(kind, word)
        elif kind == "include":
            self._include(word)
        elif kind == "pragma":
            self._pragma(word)
        else:
            self._mark(word)

    def _text(self, kind: str, word: str) -> None:
        if "\\u" in word or "\\U" in word or (kind == "character" and not word.isascii()):
            self._refuse("a character that is not ASCII's")
        if re.search(r"\\[^\x00-\x7f]", word):
            self._refuse("a backslash before a character that is not ASCII's")
        try:
            self._emit("".join(c if c.isascii() else _octal(c) for c in word))
        except UnicodeEncodeError:
            self._refuse("a character that is none", Broken)
        self.statement.append('"')

    def _word(self, word: str) -> None:
        follows = self.after[:1] or [""]
        if word in _LACKING and ("namespace" in self.statement or follows == ["::"]):
            self._refuse(f"{_LACKING[word]} ({word}): the machine does not have that", Lacking)
        if self._lacks(word):
            self._refuse(f"{word}: the machine does not have that", Lacking)
        if word == "_Pragma":
            self._pragma_operator()
            return
        if word == "noexcept" and follows == ["("]:
            self._refuse("noexcept with an expression, of which the compilers think otherwise than CUDA")
        is_attribute = word in _ATTRIBUTES and self.statement[-2:] == ["[", "["]
        # Attributes' names mean the same to both compilers.
        new = word if is_attribute else _name(word, self.line)
        inner = self.braces[-1] if self.braces else "space"
        is_static = word == "__shared__" and "extern" not in [*self.statement, *self.after]
        if is_static:
            if inner == "space":
                self._refuse("__shared__ outside of a function: the machine does not have that")
            self.sharing.append((len(self.braces), self.parentheses))
        if word in ("__device__", "__constant__") and inner == "space":
            self.variable = len(self.braces), word
        if word in ("long", "double"):
            self._check_long(word)
        self._emit(new)
        if is_static:
            said = "static" in [*self.statement, *self.after]
            self.clang.append(" WM_STATIC" if said else " static WM_STATIC")
        if new == word in functions() and follows != ["("] and self.statement[-1:] not in (["."], ["->"]):
            if _CALLED.fullmatch(word):
                self._refuse(f"{word} is named and not called: the machine does not have that", Lacking)
            if functions()[word] == 1 and word.endswith("f"):
                self.clang.append("<>")  # clang's is a template
        self.statement.append(word)

    def _check_long(self, word: str) -> None:
        said = [each for each in _bare(self.statement) if each not in _SPECIFYING and each[:2] != "__"]
        if said and {said[-1], word} == {"long", "double"}:
            self._refuse("long double is no type of a GPU's")

    def _lacks(self, word: str) -> bool:
        """Whether it is in a header of CUDA's that the text includes, and not in ours of that name."""
        asked = [name for name in self.parts if re.fullmatch(_PARTS_LACK[PARTS[name]], word)]
        return bool(asked) and not any(word in known() or word in _part_words(name) for name in asked)

    def _mark(self, word: str) -> None:
        if word in ("#", "##"):
            self._refuse(f"{word} within a line")
        if word == "<<<":
            self._refuse("a launch: give the kernel alone, the machine launches it")
        if word == "[" and self.statement[-1:] == ["["]:
            name, *ends = self.after
            if name not in _ATTRIBUTES or ends != ["]", "]"]:
                self._refuse(f"an attribute that is none of {', '.join(_ATTRIBUTES)}")
        self._emit(word)
        if word == "[" and {"extern", "__shared__"} <= set(self.statement):
            self.dynamic.add(_name(self.statement[-1], self.line))
        if word in ("(", "["):
            self.parentheses += 1
        elif word in (")", "]"):
            self.parentheses -= 1
        elif word == "{":
            self._open()
        elif word == "}":
            if not self.braces:
                self._refuse("a brace too many", Broken)
            self.braces.pop()
            self.statement.clear()
        elif word == ";":
            self._end_statement()
        if word not in ("{", "}", ";"):
            self.statement.append(word)

    def _open(self) -> None:
        said = self.statement
        if "namespace" in said or ("extern" in said and '"' in said and "(" not in said):
            kind = "space"
        elif _OF_TYPES & {*_bare(said)} and not {"(", "=", "["} & {*_bare(said)}:
            kind = "class"
        else:
            kind = "code"
            if self.variable and self.variable[0] == len(self.braces) and "(" in said:
                self.variable = None  # a function
            self._check_words(in_code=bool(self.braces) and self.braces[-1] == "code")
        self.braces.append(kind)
        self.statement.clear()

    def _end_statement(self) -> None:
        self._check_words(in_code=bool(self.braces) and self.braces[-1] == "code")
        if self.sharing and self.sharing[-1] == (len(self.braces), self.parentheses):
            self.sharing.pop()
            self.gaps += 1
            self.clang.append(f" static __shared__ WM_STATIC char wm_gap{self.gaps}[64];")
        if self.variable and self.variable[0] == len(self.braces) and not self.parentheses:
            self.gaps += 1
            # Two texts may stand in one unit, each with its gaps.
            name = f"{self.variable[1]} __align__(1) char wm_gap{self.gaps}_{self.key:x}"
            self.clang.append(
                f" {name}[64] = {{1}}; {name}_[64];"
            )  # beside what has values, and what has none
            self.variable = None
        self.statement.clear()

    def _check_words(self, in_code: bool) -> None:
        said = self.statement
        if "static" in said and in_code and not _is_settled(said):
            self._refuse("a static variable in a function: CUDA has one for all threads, the machine none")
        if "extern" in said and "__shared__" not in said and '"' not in said:
            self._refuse("extern: a text must hold all that it uses")

    def _include(self, said: str) -> None:
        found = re.fullmatch(r'[<"]([\w./]+)[>"]', said)
        name = found[1] if found else ""
        name = _IN_OTHERS.get(name, name)
        if name in PARTS:
            if name not in self.parts:
                nvrtc, clang = part(name)
                self.out.append(nvrtc)
                self.clang.append(clang)
            self.parts.add(name)
        elif name not in GIVEN.split():
            kind = Lacking if _LIBRARIES.match(name) else Refused
            self._refuse(
                f"include {said[:40]}: the machine has <cmath>, <cstdint>, <cuda_runtime.h> and the like",
                kind,
            )

    def _pragma(self, said: str) -> None:
        self._emit(f"#pragma {self._unrolling(said)}")

    def _pragma_operator(self) -> None:
        if self.after[:1] != ["("] or self.after[2:] != [")"] or self.after[1][:1] != '"':
            self._refuse("_Pragma without a text")
        self._emit("_Pragma")
        self._unrolling(self.after[1][1:-1])
        self.statement.append("_Pragma")

    def _unrolling(self, said: str) -> str:
        found = re.fullmatch(r"(no)?unroll\b\s*(\(?)\s*(\w*)\s*(\)?)", said)
        if found is None or (found[1] and found[3]) or (found[2] == "(") != (found[4] == ")"):
            self._refuse(f"pragma {said[:40]}: only unroll is CUDA's")
        count = _name(found[3], self.line) if re.match(r"[A-Za-z_]", found[3]) else found[3]
        return "unroll 1" if found[1] else f"unroll {found[2]}{count}{found[4]}"


_SPECIFYING = {"const", "volatile", "static", "constexpr", "inline", "extern", "mutable", "typedef", "signed"}


def _octal(character: str) -> str:
    """Its bytes in UTF-8, which is what a string has of it."""
    return "".join(f"\\{byte:03o}" for byte in character.encode())


def _bare(said: list[str]) -> list[str]:
    """Words without those in <>, and without what says how something is aligned."""
    out: list[str] = []
    angles, depth, aligned = 0, 0, False
    for word in said:
        if word in _ALIGNED and not angles:
            aligned = True
        elif aligned:
            depth += (word == "(") - (word == ")")
            aligned = depth > 0
        elif word in ("<", ">", ">>"):
            angles = max(0, angles + {"<": 1, ">": -1, ">>": -2}[word])
        elif not angles:
            out.append(word)
    return out


def _is_settled(said: list[str]) -> bool:
    """Whether a declaration is of a constant, of a function or of shared memory, and the word static in it
    changes nothing."""
    words = _bare(said)
    if "static" not in words:
        return False
    at = words.index("static")
    start = max((i + 1 for i, word in enumerate(words[:at]) if word in ("(", ",")), default=0)
    behind = (i for i, word in enumerate(words) if i > at and word in ("=", "(", "[", "{", ","))
    end = next(behind, len(words))
    specifiers = words[start:end]
    if "__shared__" in specifiers:
        return "__device__" not in specifiers
    return "constexpr" in specifiers or ("const" in specifiers and not {"*", "&", "&&"} & {*specifiers})
