"""Reads a CUDA text before any compiler does: refuses what lets two compilers see two programs, and renames.

Each identifier that is neither C++'s nor CUDA's gets a suffix. So a text finds no name that one compiler
knows and the other does not, none of the C library, and none of our own headers.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from zlib import crc32

from ..common.errors import UserError

SUFFIX = "_u"
LONGEST = 1 << 17  # characters
HEADERS = {"device.h": "for clang", "both.h": "for both compilers"}
# All that they hold is given to every text, so that the line itself is left out.
GIVEN = """
    assert.h cassert cfloat climits cmath cstdint cstdio cstdlib cstring cuda.h cuda_runtime.h
    device_launch_parameters.h float.h limits limits.h math.h math_constants.h stddef.h cstddef
    stdint.h stdio.h stdlib.h algorithm utility cuda_runtime_api.h device_functions.h
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

_KEYWORDS = """
    alignas alignof auto bool break case char char16_t char32_t class const const_cast constexpr
    continue decltype default do double else enum explicit extern false final float for friend goto
    if inline int long mutable namespace noexcept nullptr operator override private protected public
    reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
    template this true typedef typename union unsigned using void volatile wchar_t while and or not
    xor bitand bitor compl and_eq or_eq xor_eq not_eq
"""
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
    __forceinline__ __noinline__ __inline__ __align__
"""
# Words of our headers that they declare nothing by: their parameters, and what clang's attributes are made
# of.
_INCIDENTAL = """
    A B C I T a aligned alignment all always_inline array at b bounds by bytes c constant coverage d
    define device divide e f global h has here high holds host i integer kcfi kernel l ll local low
    m mask most n no_sanitize noinline o of out p parameter pointer r s safe shared slots stack
    thread type u ul ull v value width words x_ zero
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
_ATTRIBUTES = ("fallthrough", "likely", "maybe_unused", "nodiscard", "noreturn", "unlikely")

_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\\n])*")
    |(?P<character>'(?:\\.|[^'\\\n])+')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'(?=[0-9a-zA-Z])|[0-9a-zA-Z_.])*)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<splice>\\\n)
    |(?P<newline>\n)
    |(?P<blank>[ \t]+)
    |(?P<mark><<<|>>>|::|->\*?|\+\+|--|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\#\#|[-+*/%&|^<>=!~?:;,.(){}\[\]\#])""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(
    r"""(?:0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlL]{0,3}
    |(?:[0-9][0-9']*\.?[0-9']*|\.[0-9][0-9']*)(?:[eE][+-]?[0-9]+)?[fFlL]?
    |0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+[fFlL]?""",
    re.VERBOSE,
)
_DIGRAPH = re.compile(r"%:|<%|%>|<:|:>|\?\?[=/'()!<>-]")
_SPACED_SPLICE = re.compile(r"\\[ \t\r\f\v]+\n")


class Refused(UserError):
    """The text is not for this machine, or for no compiler; the message is one line, and names the place."""


class Broken(Refused):
    """It is no C++."""


class Lacking(Refused):
    """It uses a part of CUDA that the machine does not have."""


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
    return frozenset((names - ours - {*_COMPILERS.split()}) | {*_KEYWORDS.split()} | {*_SPECIFIERS.split()})


@functools.cache
def of_libm() -> frozenset[str]:
    """The mathematical functions that device.h declares and leaves to the C library. A text may declare
    them as well, so that those that write by a pointer have another name for it."""
    code = _pasted(header("device.h"))
    return frozenset(re.findall(r"__host__ __device__ \w+ (\w+)\([^()]*\);", code))


@functools.cache
def constants() -> frozenset[str]:
    """The macros that stand for numbers: a text may ask for them, and define them once more."""
    return frozenset(re.findall(r"^#define ((?!WM_)\w+) ", header("both.h"), re.MULTILINE))


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
    """A text, checked and renamed, line by line where it was. Raises `Refused`."""
    return _Reader(text).read()


@dataclass
class _Reader:
    text: str
    line: int = 1
    out: list[str] = field(default_factory=list)
    clang: list[str] = field(default_factory=list)
    braces: list[str] = field(default_factory=list)  # "space", "class" or "code", outermost first
    statement: list[str] = field(default_factory=list)  # words since the last ; { or }
    parentheses: int = 0
    sharing: list[tuple[int, int]] = field(default_factory=list)  # where declarations of shared memory end
    variable: tuple[int, str] | None = None  # where that of a device variable may end, and its memory
    gaps: int = 0
    before: str = ""  # the last word or mark
    dynamic: set[str] = field(default_factory=set)
    macros: set[str] = field(default_factory=set)
    arms: list[bool] = field(default_factory=list)  # of open conditions: whether this arm counts
    elses: list[bool] = field(default_factory=list)  # and whether it is the last one
    parts: set[str] = field(default_factory=set)  # headers that are a part of the text by now

    def read(self) -> Text:
        self._refuse_bytes()
        at, fresh = 0, True
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                self._refuse(f"{self.text[at]!a} does not belong to CUDA", Broken)
            kind, word = found.lastgroup, found[0]
            at = found.end()
            if fresh and word == "#":
                at = self._directive(at)
                continue
            if kind not in ("blank", "comment"):
                fresh = kind == "newline"
            if all(self.arms):
                self._take(str(kind), word, at)
            else:
                self._skip(word)
        if self.sharing or self.braces or self.arms:
            self._refuse("the text ends in the middle of something", Broken)
        return Text("".join(self.out), "".join(self.clang), frozenset(self.dynamic))

    def _refuse(self, why: str, kind: type[Refused] = Refused) -> NoReturn:
        raise kind(f"line {self.line}: {why}")

    def _refuse_bytes(self) -> None:
        self.text = self.text.replace("\r\n", "\n")
        if len(self.text) > LONGEST:
            raise Refused(f"the text must have at most {LONGEST:,} characters, not {len(self.text):,}")
        for pattern, what in (
            (_SPACED_SPLICE, "a backslash before blanks at the end of a line"),
            (re.compile(r"[\0-\x08\x0b-\x1f\x7f]"), "a control character"),
            (_DIGRAPH, "a digraph or trigraph"),
        ):
            if found := pattern.search(self.text):
                if (
                    pattern is _DIGRAPH
                    and found[0] == "<:"
                    and self.text[found.start() : found.end() + 1] == "<::"
                ):
                    continue
                self.line = self.text.count("\n", 0, found.start()) + 1
                self._refuse(what)

    def _emit(self, word: str) -> None:
        self.out.append(word)
        self.clang.append(word)

    def _skip(self, word: str) -> None:
        self._emit("\n" * word.count("\n"))
        self.line += word.count("\n")

    def _take(self, kind: str, word: str, after: int) -> None:
        if kind == "comment":
            lines = word.count("\n")
            self._emit("\n" * lines or " ")
            self.line += lines
        elif kind == "newline":
            self._emit("\n")
            self.line += 1
        elif kind == "splice":
            self._refuse("a line that goes on after a backslash, outside of a macro")
        elif kind == "name":
            self._emit(self._word(word, after))
        elif kind == "number":
            if not _NUMBER.fullmatch(word):
                self._refuse(f"{word[:40]} is no number", Broken)
            self._emit(word)
            self.statement.append("0")
        elif kind in ("string", "character"):
            self._text(word)
        else:
            self._mark(word, after)
        if kind not in ("blank", "comment", "newline"):
            self.before = word

    def _text(self, word: str) -> None:
        if self.clang and re.search(r"\w$", self.clang[-1]):
            self._refuse("a string or character with a prefix or a suffix")
        if not word.isascii() or "\\\n" in word or "\\u" in word or "\\U" in word:
            self._refuse("a string with other characters than ASCII's")
        self._emit(word)
        self.statement.append('"')

    def _word(self, word: str, after: int) -> str:
        if self.clang and self.clang[-1].endswith(('"', "'")):
            self._refuse("a string or character with a prefix or a suffix")
        named = "namespace" in self.statement or re.compile(r"\s*::").match(self.text, after)
        if word in _LACKING and named:
            self._refuse(f"{_LACKING[word]} ({word}): the machine does not have that", Lacking)
        if self._lacks(word):
            self._refuse(f"{word}: the machine does not have that", Lacking)
        # Attributes' names mean the same to both compilers.
        new = word if word in _ATTRIBUTES and self.before == "[" else _name(word, self.line)
        inner = self.braces[-1] if self.braces else "space"
        if word == "__shared__" and "extern" not in self.statement:
            if inner == "space":
                self._refuse("__shared__ outside of a function: the machine does not have that")
            self.sharing.append((len(self.braces), self.parentheses))
        if word in ("__device__", "__constant__") and inner == "space":
            self.variable = len(self.braces), word
        if word in ("const", "constexpr", "__shared__", "__device__") and "static" in self.statement:
            self.statement.append("settled")
        self.statement.append(word)
        return new

    def _lacks(self, word: str) -> bool:
        """Whether it is in a header of CUDA's that the text includes, and not in ours of that name."""
        asked = [name for name in self.parts if re.fullmatch(_PARTS_LACK[PARTS[name]], word)]
        return bool(asked) and not any(word in known() or word in _part_words(name) for name in asked)

    def _mark(self, word: str, after: int) -> None:
        if word == "##":
            self._refuse("## in a macro: the machine does not have that")
        if word == "#":
            self._refuse("# within a line")
        if word == "<<<":
            self._refuse("a launch: give the kernel alone, the machine launches it")
        if word == "[" and self.before == "[":
            attribute = re.compile(r"\s*(\w+)\s*\]\s*\]").match(self.text, after)
            if attribute is None or attribute[1] not in _ATTRIBUTES:
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
        elif {"struct", "class", "union", "enum"} & set(said) and "(" not in said:
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
            self.clang.append(f" __shared__ char wm_gap{self.gaps}[64];")
        if self.variable and self.variable[0] == len(self.braces) and not self.parentheses:
            self.gaps += 1
            # Two texts may stand in one unit, each with its gaps.
            name = f"{self.variable[1]} __align__(1) char wm_gap{self.gaps}_{crc32(self.text.encode()):x}"
            self.clang.append(
                f" {name}[64] = {{1}}; {name}_[64];"
            )  # beside what has values, and what has none
            self.variable = None
        self.statement.clear()

    def _check_words(self, in_code: bool) -> None:
        said = self.statement
        if "static" in said and in_code and "settled" not in said:
            self._refuse("a static variable in a function: CUDA has one for all threads, the machine none")
        if "extern" in said and "__shared__" not in said and '"' not in said:
            self._refuse("extern: a text must hold all that it uses")

    def _directive(self, at: int) -> int:
        """Past a directive, after ``#``."""
        found = re.compile(r"(?:\\\n|/\*.*?\*/|//[^\n]*|[^\n])*", re.DOTALL).match(self.text, at)
        assert found is not None  # it matches nothing too
        whole = found[0]
        body = (
            re.sub(r"/\*.*?\*/|//(?:\\\n|[^\n])*", " ", whole, flags=re.DOTALL).replace("\\\n", " ").strip()
        )
        split = re.match(r"(\w*)\s*(.*)", body, re.DOTALL)
        assert split is not None
        word, rest = split[1], split[2].strip()
        if word in ("ifdef", "ifndef", "else", "endif"):
            self._condition(word, rest)
            new = ""
        elif not all(self.arms):
            new = ""
        elif word == "include":
            new = ""
            self._include(rest)
        elif word == "define":
            new = self._define(rest)
        elif word == "undef":
            if not re.fullmatch(r"[A-Za-z_]\w*", rest) or rest in known():
                self._refuse(f"undef {rest[:40]}")
            new = f"#undef {_name(rest, self.line)}"
            self.macros.discard(rest)
        elif word == "pragma":
            new = self._pragma(rest)
        elif word == "":
            new = ""
        else:
            self._refuse(
                f"#{word}: no conditions but #ifdef and #ifndef, since two compilers would see two texts"
            )
        lines = whole.count("\n")
        self._emit(new + "\n" * lines)
        self.line += lines
        return found.end()

    def _include(self, rest: str) -> None:
        found = re.fullmatch(r'[<"]([\w./]+)[>"]', rest)
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
                f"include {rest[:40]}: the machine has <cmath>, <cstdint>, <cuda_runtime.h> and the like",
                kind,
            )

    def _condition(self, word: str, rest: str) -> None:
        """Whether a macro is defined is decided here, so that the compilers see one text."""
        if word in ("else", "endif"):
            if not self.arms or (word == "else" and self.elses[-1]):
                self._refuse(f"#{word} without a condition", Broken)
            if word == "endif":
                self.arms.pop()
                self.elses.pop()
            else:
                self.arms[-1], self.elses[-1] = not self.arms[-1], True
            return
        if not re.fullmatch(r"[A-Za-z_]\w*", rest) or re.match(r"__|_[A-Z]", rest):
            self._refuse(f"#{word} {rest[:40]}: no conditions on names that compilers have")
        self.arms.append((rest in self.macros or rest in constants()) == (word == "ifdef"))
        self.elses.append(False)

    def _define(self, rest: str) -> str:
        found = re.match(r"([A-Za-z_]\w*)(\([^)]*\))?", rest)
        if found is None:
            self._refuse("define without a name")
        self.macros.add(found[1])
        if (found[1] in known() and (found[1] not in constants() or found[2])) or found[1] in _REFUSED:
            self._refuse(f"{found[1]} is C++'s or CUDA's own name, and cannot be a macro")
        head = found[0]
        if "..." in head:
            self._refuse("a macro of any number of arguments: the machine does not have that")
        body = rest[found.end() :]
        for bad, why in (
            ("#", "# in a macro"),
            ("[[", "an attribute in a macro"),
            ("__shared__", "__shared__ in a macro"),
        ):
            if bad in body:
                self._refuse(f"{why}: the machine does not have that")
        for word in ("static", "extern", "namespace", "struct", "class"):
            if re.search(rf"\b{word}\b", body):
                self._refuse(f"{word} in a macro: the machine does not have that")
        return "#define " + self._replaced(head) + " " + self._replaced(body)

    def _replaced(self, code: str) -> str:
        new = []
        at = 0
        while at < len(code):
            found = _TOKEN.match(code, at)
            if found is None or found.lastgroup in ("splice", "newline"):
                self._refuse("a character in a macro that does not belong to CUDA")
            at = found.end()
            word = found[0]
            if found.lastgroup == "name":
                word = _name(word, self.line)
            elif found.lastgroup == "number" and not _NUMBER.fullmatch(word):
                self._refuse(f"{word[:40]} is no number")
            elif found.lastgroup in ("string", "character") and (
                not word.isascii() or "\\u" in word or "\\U" in word
            ):
                self._refuse("a string with other characters than ASCII's")
            new.append(word)
        return "".join(new)

    def _pragma(self, rest: str) -> str:
        if rest == "once":
            return ""
        found = re.fullmatch(r"unroll\b\s*(\(?\s*\w*\s*\)?)", rest)
        if found is None:
            self._refuse(f"pragma {rest[:40]}: only unroll is CUDA's")
        return f"#pragma unroll {self._replaced(found[1])}"
