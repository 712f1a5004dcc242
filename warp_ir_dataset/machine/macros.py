"""The preprocessor of a CUDA text: its macros and conditions are settled here, and no compiler has its own.

C++'s rules, and no more: each macro of the text is replaced, and a condition asks only for what the text
itself defines, or for constants that CUDA has everywhere. All else is refused.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from ..common.errors import UserError

LONGEST = 1 << 17  # characters
DEEPEST = 100  # macros in arguments of macros


class Refused(UserError):
    """The text is not for this machine, or for no compiler; the message is one line, and names the place."""


class Broken(Refused):
    """It is no C++."""


class Lacking(Refused):
    """It uses a part of CUDA that the machine does not have."""


class Token(NamedTuple):
    kind: str  # of `_TOKEN`'s; or "include" or "pragma", whose words are what they say
    word: str
    line: int
    is_made: bool = False  # by a macro
    hidden: frozenset[str] = frozenset()  # macros that it comes from, and is none of


@dataclass(frozen=True)
class _Macro:
    parameters: tuple[str, ...] | None  # None for one without parentheses
    is_variadic: bool
    body: tuple[Token, ...]


_KEYWORDS = """
    alignas alignof auto bool break case char char16_t char32_t class const const_cast constexpr
    continue decltype default do double else enum explicit extern false final float for friend goto
    if inline int long mutable namespace noexcept nullptr operator override private protected public
    reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
    template this true typedef typename union unsigned using void volatile wchar_t while and or not
    xor bitand bitor compl and_eq or_eq xor_eq not_eq
    asm thread_local typeid dynamic_cast virtual new delete throw try catch export register
"""
KEYWORDS = frozenset(_KEYWORDS.split())
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\\n])*")
    |(?P<character>'(?:\\.|[^'\\\n])+')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'(?=[0-9a-zA-Z])|[0-9a-zA-Z_.])*)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<newline>\n)
    |(?P<blank>[ \t]+)
    |(?P<mark>\.\.\.|<<<|>>>|::|->\*?|\.\*|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\#\#
        |[-+*/%&|^<>=!~?:;,.(){}\[\]\#])""",
    re.VERBOSE | re.DOTALL,
)
_DIGRAPH = re.compile(r"%:|<%|%>|<:(?!:[^:>])|:>")
_TRIGRAPH = re.compile(r"\?\?[=/'()!<>-]")
_SPACED_SPLICE = re.compile(r"\\[ \t\r\f\v]+\n")
_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f]")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_RESERVED = re.compile(r"__|_[A-Z]")
# Names that compilers, the C library and CUDA's headers may have for macros.
_OTHERS = re.compile(
    r"\w+_(?:MAX|MIN|WIDTH|DIG|EXP|C|EPSILON|SUBNORM|RADIX|METHOD|ROUNDS)"
    r"|(?:FP|M|CUDART|CUDA|CU|HUGE|EXIT|SEEK|CLOCKS?|STA|ADJ|MOD|TIMER?|RENAME|MATH|NVCC|NVRTC|WIN32|BC)_\w+"
    r"|CUDA\w*|cuda\w*|SNAN\w*|W[A-Z]+|FD_\w+|L_\w+|P_tmpdir|[bl]e\w+toh|hto[bl]e\w+|(?:strn?|)dupa"
    r"|NULL|EOF|BUFSIZ|INFINITY|NAN|MAXFLOAT|NZERO|NFDBITS|\w+_ENDIAN|BYTE_ORDER|PIPE_BUF|WORD_BIT|LONG_BIT"
    r"|linux|unix|i386|assert|errno|alloca|offsetof|major|minor|makedev|complex|I|stdin|stdout|stderr"
    r"|is(?:nan|inf|finite|normal|less|greater|unordered)\w*|signbit|fpclassify|math_errhandling"
    r"|EXPR_NEST_\w+|ENOTSUP|ENOANO|EWOULDBLOCK"
)
_BLANKS = ("blank", "newline")
_STUCK = [{word, text} for word in ("name", "number") for text in ("string", "character")]


def preprocessed(text: str, constants: Mapping[str, Collection[str]], most: int = LONGEST) -> Iterator[Token]:
    """A text without comments, macros and conditions, which may have `most` tokens of macros. `constants` are
    the macros that CUDA's headers have, by their names, and those that it always has, without one. Raises
    `Refused`."""
    return _Preprocessor(constants, most, frozenset(re.findall(r"#\s*define\s+(\w+)", text))).of(text)


class _Preprocessor:
    def __init__(self, constants: Mapping[str, Collection[str]], most: int, ever: frozenset[str]) -> None:
        self.headers, self.left, self.ever = constants, most, ever
        self.constants = {*constants[""]}
        self.macros: dict[str, _Macro] = {}
        self.undone: set[str] = set()
        self.doubted: frozenset[str] = frozenset()  # macros that C++ lets be replaced in two ways
        self.branches: list[bool] = []  # of open conditions: whether this branch counts
        self.elses: list[bool] = []  # and whether it is the last one
        self.line = 1

    def of(self, text: str) -> Iterator[Token]:
        group: list[Token] = []  # up to the next directive
        directive: list[Token] | None = None
        is_fresh = True  # whether nothing but blanks is in the line
        for token in _tokens(text):
            if directive is not None:
                if token.kind != "newline":
                    directive.append(token)
                    continue
                self.line = directive[0].line
                yield from self._directive(directive)
                directive, is_fresh = None, True
                group = [token]
            elif is_fresh and token.word == "#":
                yield from self._replaced(group, is_last=False)
                group, directive = [], [token]
            else:
                if token.kind != "blank":
                    is_fresh = token.kind == "newline"
                if token.kind == "newline" or all(self.branches):
                    group.append(token)
        yield from self._replaced(group)
        if self.branches:
            self._refuse("the text ends in the middle of something", Broken)

    def _refuse(self, why: str, kind: type[Refused] = Refused) -> NoReturn:
        raise kind(f"line {self.line}: {why}")

    # ---- directives

    def _directive(self, tokens: list[Token]) -> Iterator[Token]:
        rest = _trimmed(tokens[1:])
        word = rest[0].word if rest and rest[0].kind == "name" else ""
        rest, counts = rest[1:] if word else rest, all(self.branches)
        if word.startswith(("if", "el", "end")):
            self._condition(word, _trimmed(rest))
        elif not counts:
            return
        elif word == "define":
            self._define(rest)
        elif word == "undef":
            self._undefine(_trimmed(rest))
        elif word == "include":
            said = "".join(each.word for each in _trimmed(rest))
            self.constants |= {*self.headers.get(said[1:-1], ())}
            yield Token("include", said, self.line)
        elif word == "pragma":
            said = "".join(each.word for each in self._expanded(_trimmed(rest)))
            if said != "once":
                yield Token("pragma", " ".join(said.split()), self.line)
        elif word or rest:
            self._refuse(f"#{word or rest[0].word}: the machine does not have that")

    def _condition(self, word: str, rest: list[Token]) -> None:
        """Decided here, so that the compilers see one text; in branches that do not count as well."""
        if word in ("else", "endif"):
            if not self.branches or rest or (word == "else" and self.elses[-1]):
                self._refuse(f"#{word} without a condition, or with more behind it", Broken)
            if word == "endif":
                self.branches.pop()
                self.elses.pop()
            else:
                self.branches[-1], self.elses[-1] = not self.branches[-1], True
            return
        said = "".join(each.word for each in rest)
        if word == "if" and said in ("0", "1"):
            holds = said == "1"
        elif word in ("ifdef", "ifndef") and len(rest) == 1 and rest[0].kind == "name":
            holds = (not all(self.branches) or self._is_defined(word, said)) == (word == "ifdef")
        else:
            self._refuse(
                f"#{word} {said[:40]}: no conditions but #ifdef and #ifndef of the text's own names, and"
                " #if 0, since two compilers would see two texts"
            )
        self.branches.append(holds)
        self.elses.append(False)

    def _is_defined(self, word: str, name: str) -> bool:
        if name in self.macros or name in self.undone:
            return name in self.macros
        if name in self.constants:
            return True
        if _RESERVED.match(name) or _OTHERS.fullmatch(name) or name in errno.errorcode.values():
            self._refuse(f"#{word} {name[:40]}: no conditions on names that compilers or headers may have")
        if name not in self.ever:
            self._refuse(f"#{word} {name[:40]}: the text does not define {name[:40]}: it is two programs")
        return False

    def _define(self, rest: list[Token]) -> None:
        rest = _trimmed(rest)
        if not rest or rest[0].kind != "name":
            self._refuse("define without a name", Broken)
        name = rest[0].word
        if name in KEYWORDS or _RESERVED.match(name):
            self._refuse(f"{name} is C++'s or CUDA's own name, and cannot be a macro")
        parameters: tuple[str, ...] | None = None
        body, is_variadic = rest[1:], False
        if body and body[0].word == "(":
            end = next((i for i, each in enumerate(body) if each.word == ")"), None)
            if end is None:
                self._refuse(f"{name}: parentheses without an end", Broken)
            said = "".join(each.word for each in body[1:end] if each.kind != "blank")
            parameters = tuple(said.split(",")) if said else ()
            if is_variadic := bool(parameters) and parameters[-1] == "...":
                parameters = (*parameters[:-1], "__VA_ARGS__")
            named = parameters[:-1] if is_variadic else parameters
            unique = len({*named}) == len(named)
            if not unique or any(not _NAME.fullmatch(each) or _RESERVED.match(each) for each in named):
                self._refuse(f"{name}: parameters must be names", Broken)
            body = body[end + 1 :]
        elif body and body[0].kind != "blank":
            self._refuse(f"{name}: a blank must end a macro's name", Broken)
        new = _Macro(parameters, is_variadic, tuple(_trimmed(body)))
        shown = [[each.word for each in macro.body] for macro in (new, self.macros.get(name, new))]
        if name in self.macros and (shown[0] != shown[1] or self.macros[name].parameters != parameters):
            self._refuse(f"{name} is defined twice, in two ways", Broken)
        self.macros[name] = new
        self.undone.discard(name)

    def _undefine(self, rest: list[Token]) -> None:
        name = "".join(each.word for each in rest)
        if len(rest) != 1 or name not in self.ever:
            self._refuse(f"undef {name[:40]}: it is no macro of the text")
        self.macros.pop(name, None)
        self.undone.add(name)

    # ---- macros

    def _replaced(self, group: list[Token], is_last: bool = True) -> list[Token]:
        found = self._expanded(group) if self.macros else group
        last = next((each for each in reversed(found) if each.kind not in _BLANKS), None)
        macro = self.macros.get(last.word) if last else None
        if last and macro and macro.parameters is not None and not is_last:
            self.line = last.line
            self._refuse(f"a directive behind {last.word}, which may have arguments there")
        return found

    def _expanded(self, tokens: list[Token], depth: int = 0) -> list[Token]:
        """Replaces macros, by the algorithm of Dave Prosser's that the standard's words come from."""
        if depth > DEEPEST:
            self._refuse("macros within macros: make the text simpler")
        out: list[Token] = []
        todo = tokens[::-1]
        while todo:
            token = todo.pop()
            macro = self.macros.get(token.word) if token.kind == "name" else None
            if macro is not None and token.is_made and token.word in self.doubted:
                self._refuse(f"{token.word}: C++ leaves open whether this macro is replaced here")
            if macro is None or token.word in token.hidden:
                out.append(token)
                continue
            self.line = token.line
            if macro.parameters is None:
                todo += self._body(macro, [], token, token.hidden | {token.word}, depth)[::-1]
                continue
            found = self._arguments(macro, token, todo)
            if found is None:
                out.append(token)
                continue
            arguments, end = found
            self.doubted |= token.hidden - end.hidden
            hidden = (token.hidden & end.hidden) | {token.word}
            todo += self._body(macro, arguments, token, hidden, depth)[::-1]
        return out

    def _arguments(
        self, macro: _Macro, token: Token, todo: list[Token]
    ) -> tuple[list[list[Token]], Token] | None:
        """What stands in parentheses behind a macro's name, and the last of these; None if there are none."""
        at = len(todo) - 1
        while at >= 0 and todo[at].kind in _BLANKS:
            at -= 1
        if at < 0 or todo[at].word != "(":
            return None
        del todo[at:]
        parameters = macro.parameters or ()
        arguments: list[list[Token]] = [[]]
        depth = 1
        while todo:
            each = todo.pop()
            if each.kind == "newline":
                each = Token("blank", " ", each.line)
            depth += (each.word == "(") - (each.word == ")")
            if depth == 0:
                break
            is_last = macro.is_variadic and len(arguments) == len(parameters)
            if each.word == "," and depth == 1 and not is_last:
                arguments.append([])
            else:
                arguments[-1].append(each)
        if depth:
            self._refuse(f"{token.word}: parentheses without an end", Broken)
        arguments = [_trimmed(each) for each in arguments]
        if not parameters and arguments == [[]]:
            arguments = []
        if macro.is_variadic and len(arguments) == len(parameters) - 1:
            arguments.append([])
        if len(arguments) != len(parameters):
            self._refuse(f"{token.word} takes {len(parameters)} arguments, not {len(arguments)}", Broken)
        return arguments, each

    def _body(
        self, macro: _Macro, arguments: list[list[Token]], token: Token, hidden: frozenset[str], depth: int
    ) -> list[Token]:
        places = {name: i for i, name in enumerate(macro.parameters or ())}
        out: list[Token] = []
        body, at = macro.body, 0
        while at < len(body):
            each = body[at]
            at += 1
            if each.word == "#" and macro.parameters is not None:
                while at < len(body) and body[at].kind == "blank":
                    at += 1
                if at == len(body) or body[at].word not in places:
                    self._refuse(f"{token.word}: # without a parameter", Broken)
                out.append(Token("string", _quoted(arguments[places[body[at].word]]), token.line))
                at += 1
                continue
            after = _next(body, at)
            pastes = after is not None and body[after].word == "##"
            if each.word == "##":
                following = _next(body, at)
                if following is None or not any(one.kind != "blank" for one in out):
                    self._refuse(f"{token.word}: ## at an end", Broken)
                one = body[following]
                right = list(arguments[places[one.word]]) if one.word in places else [one]
                if one.word == "__VA_ARGS__" or one.word == "#":
                    self._refuse(f"{token.word}: ## before {one.word}: the machine does not have that")
                self._paste(out, right, token)
                at = following + 1
            elif each.kind == "name" and each.word in places:
                given = arguments[places[each.word]]
                nothing = [Token("empty", "", token.line)]
                out += (given or nothing) if pastes else self._expanded(given, depth + 1)
            else:
                out.append(each)
        self.left -= len(out)
        if self.left < 0:
            self._refuse("macros make the text too long: make it simpler")
        return [
            Token(each.kind, each.word, token.line, True, each.hidden | hidden)
            for each in out
            if each.kind != "empty"
        ]

    def _paste(self, out: list[Token], right: list[Token], token: Token) -> None:
        while out[-1].kind == "blank":
            out.pop()
        left = out.pop()
        right = right or [Token("empty", "", token.line)]
        word = left.word + right[0].word
        found = _TOKEN.fullmatch(word)
        kind = str(found.lastgroup) if found else ""
        if word and (kind not in ("name", "number", "mark") or word in ("#", "##")):
            self._refuse(f"{token.word}: {word[:40]} is not one word", Broken)
        out.append(Token(kind or "empty", word, token.line, True, left.hidden & right[0].hidden))
        out += right[1:]


def _next(body: tuple[Token, ...], at: int) -> int | None:
    """The next token that is no blank."""
    return next((i for i in range(at, len(body)) if body[i].kind != "blank"), None)


def _trimmed(tokens: list[Token]) -> list[Token]:
    first = next((i for i, each in enumerate(tokens) if each.kind not in _BLANKS), len(tokens))
    last = next((i for i in range(len(tokens), first, -1) if tokens[i - 1].kind not in _BLANKS), first)
    return tokens[first:last]


def _quoted(argument: list[Token]) -> str:
    """A text of an argument."""
    words = []
    for each in argument:
        if each.kind == "blank":
            words.append(" ")
        elif each.kind in ("string", "character"):
            words.append(each.word.replace("\\", "\\\\").replace('"', '\\"'))
        else:
            words.append(each.word)
    return '"' + "".join(words) + '"'


def _tokens(text: str) -> Iterator[Token]:
    """Raises `Refused`."""
    text = text.replace("\r\n", "\n")
    if len(text) > LONGEST:
        raise Refused(f"the text must have at most {LONGEST:,} characters, not {len(text):,}")
    for pattern, why in (
        (_SPACED_SPLICE, "a backslash before blanks at the end of a line"),
        (_CONTROL, "a control character"),
        (_TRIGRAPH, "a trigraph"),
    ):
        if found := pattern.search(text):
            raise Refused(f"line {text.count(chr(10), 0, found.start()) + 1}: {why}")
    text = _spliced(text)
    at, line, before = 0, 1, ""
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Broken(f"line {line}: {text[at]!a} does not belong to CUDA")
        kind, word = str(match.lastgroup), match[0]
        if kind == "mark" and _DIGRAPH.match(text, at):
            raise Refused(f"line {line}: a digraph")
        if {kind, before} in _STUCK:
            raise Refused(f"line {line}: a string or character with a prefix or a suffix")
        # Ends of lines within a comment end no directive.
        yield Token("blank", " ", line) if kind == "comment" else Token(kind, word, line)
        at, before = match.end(), kind
        line += word.count("\n")
    yield Token("newline", "", line)


def _spliced(text: str) -> str:
    """Joins lines that end in a backslash with the next ones, which are empty then."""
    if "\\\n" not in text:
        return text
    out, held = [], 0
    for line in text.split("\n"):
        if line.endswith("\\"):
            out.append(line[:-1])
            held += 1
        else:
            out.append(line + "\n" * (held + 1))
            held = 0
    return "".join(out)[:-1]
