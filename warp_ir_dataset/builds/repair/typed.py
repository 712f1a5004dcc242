"""Says whether an edited source looks as if a person had typed it: no edit may betray the tool behind it."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from functools import lru_cache

from .source import of_warp, same

_LEAVING = (ast.Return, ast.Break, ast.Continue)
_APART = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)
_DIFFERENCE = re.compile(r"([\w.]+(?:\[[^\[\]]*\])?) - \1(?![\w.\[])")  # ``x - x``
_NOTHING = re.compile(r"- ([\w.]+(?:\[[^\[\]]*\])?) \+ \1(?![\w.\[])")  # ``- x + x``
_DISTINCT = ("min", "max", "where", "clamp", "lerp", "cross", "atan2")
_NUMBERS = re.compile(r"[+-] 1 [+-] 1\b|[+-] -|--|[+] 0(?:\.0)?\b(?!\.)|[*/] 1(?:\.0)?\b(?!\.)")
_LONGEST = 120  # characters of a line


def looks_typed(right: str, broken: str) -> bool:
    """Whether a broken source has nothing that nobody types and that the right one has not: an empty block,
    parentheses around parentheses, ``x - x``, ``+ 1 - 1``, what comes behind a ``return``. False for what is
    no Python, or means the same."""
    try:
        tree = ast.parse(broken)
    except SyntaxError:
        return False
    if ast.dump(tree) == _meaning(right) or len(max(broken.splitlines(), key=len)) > _LONGEST:
        return False
    return _oddities(broken) <= _oddities(right)


@lru_cache(maxsize=16)
def _meaning(source: str) -> str:
    return ast.dump(ast.parse(source))


@lru_cache(maxsize=16)
def _oddities(source: str) -> int:
    code = "\n".join(line.partition("#")[0] for line in source.splitlines())
    found = sum(len(pattern.findall(code)) for pattern in (_NUMBERS, _DIFFERENCE, _NOTHING))
    return found + _doubled_parentheses(code) + sum(sum(_odd(node)) for node in ast.walk(ast.parse(source)))


def _doubled_parentheses(code: str) -> int:
    """How often parentheses stand around nothing but parentheses."""
    found, opened, closed = 0, [], {}
    for place, character in enumerate(code):
        if character == "(":
            opened.append(place)
        elif character == ")" and opened:
            closed[opened.pop()] = place
    for start, end in closed.items():
        called = start > 0 and (code[start - 1].isalnum() or code[start - 1] in "_])")
        inner = closed.get(start + 1)
        found += inner == end - 1 if inner is not None else False
        found += (not called) and end == start + 1
    return found


def _odd(node: ast.AST) -> Iterator[bool]:
    match node:
        case ast.Pass():
            yield True
        case ast.BinOp(left, op, right):
            yield isinstance(op, _APART) and same(left, right)
            yield isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
        case ast.Compare(left, _, [right, *_]):
            yield same(left, right)
        case ast.BoolOp(_, values):
            yield len(set(map(ast.dump, values))) < len(values)
        case ast.IfExp(_, body, orelse):
            yield same(body, orelse)
        case ast.Call(ast.Name("range"), [start, stop]):
            yield same(start, stop)
        case ast.Call(func, args) if of_warp(func) in _DISTINCT:
            yield any(same(one, other) for one, other in itertools.pairwise(args))
        case ast.Subscript(_, ast.Tuple(parts)):
            named = [ast.dump(part) for part in parts if not isinstance(part, ast.Constant)]
            yield len(set(named)) < len(named)
        case ast.Assign([target], value):
            yield ast.unparse(target) == ast.unparse(value)
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield any(isinstance(statement, _LEAVING) for statement in block[:-1])
