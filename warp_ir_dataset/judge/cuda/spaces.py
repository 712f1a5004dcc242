"""Reads clang's errors about host and device code, from compiling plain CUDA as CUDA.

Other errors are ignored, since clang refuses some code that nvcc accepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ERROR = re.compile(r": (?:fatal )?error: (?P<said>.+)")
_ON_DEVICE = r".*__(?:device|global)__ function"
_OF_HOST = re.compile(rf"reference to __host__ (?:function|variable) '.+' in {_ON_DEVICE}")
_AT_START = re.compile("dynamic initialization is not supported for __device__")
_NOTE = re.compile(rf": note: candidate .*: (?P<said>call to __host__ function from {_ON_DEVICE})")
_WORDS = "const volatile bool char short int long signed unsigned float double"
_BUILT_IN = frozenset(_WORDS.split())
# Without a note, and of a class it says the same: as C++ the answer has such an operator.
_NO_OPERATOR = re.compile(r"invalid argument type '(?P<type>[^']+)' to unary expression")
_OPERANDS = re.compile(r"invalid (?:operands|argument type)\b")
_OPERATOR = re.compile(r"\boperator\s*[^\s\w()]+\((?P<given>.*)\)")
_CALLED = re.compile(r'warning: call to (?P<name>.+) marked "dontcall-warn"')


def misplaced(log: str) -> list[str]:
    """What is of the host and used on the device, and what of the device only the host could give a value,
    one line each."""
    return list(_misplaced(log))


def also_run(lines: list[str], log: str) -> list[str]:
    """Those of the `lines` that name a function which is called when the code runs, and not by the compiler
    alone: the `log` warns of each."""
    names = [found["name"] for found in _CALLED.finditer(log)]
    called = {word for name in names for word in _words(name.partition("(")[0])}
    # Of an operator a line has no name, but what it is for.
    operands = {word for name in names for given in _OPERATOR.findall(name) for word in _words(given)}
    return [
        line
        for line in lines
        if not called.isdisjoint(_quoted(line))
        or (_OPERANDS.match(line) and not operands.isdisjoint(_quoted(line) - _BUILT_IN))
    ]


def _misplaced(log: str) -> Iterator[str]:
    error = ""
    for line in log.splitlines():
        if found := _ERROR.search(line):
            error = found["said"]
            if _OF_HOST.match(error) or _AT_START.match(error):
                yield error
            elif (unary := _NO_OPERATOR.match(error)) and not _BUILT_IN.issuperset(_words(unary["type"])):
                yield f"{error}: its operator is a __host__ function"
        elif (found := _NOTE.search(line)) and error:
            yield f"{error}: {found['said']}"
            error = ""


def _quoted(line: str) -> set[str]:
    return {word for quoted in re.findall(r"'(.+?)'", line) for word in _words(quoted)}


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)
