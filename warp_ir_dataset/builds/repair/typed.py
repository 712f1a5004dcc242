"""Says whether an edited source looks as if a person had typed it: no edit may betray the tool behind it."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from .source import of_warp, same

_LEAVING = (ast.Return, ast.Break, ast.Continue)
_SUM = (ast.Add, ast.Sub)
_OF_TWO = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)  # with twice the same operand the result is 0 or 1
_DISTINCT = ("min", "max", "where", "clamp", "lerp", "cross", "atan2")
_LONGEST = 120  # characters of a line


def looks_typed(right: str, broken: str) -> bool:
    """Whether a broken source has nothing that nobody types and that the right one has not: an empty block,
    parentheses around parentheses, ``x - x``, ``+ 1 - 1``, what comes behind a ``return``. False for what is
    no Python, or means the same."""
    try:
        tree = ast.parse(broken)
    except SyntaxError:
        return False
    if ast.dump(tree) == _meaning(right) or _longest(broken) > max(_LONGEST, _longest(right)):
        return False
    return not _oddities(broken) - _oddities(right)


def _longest(source: str) -> int:
    return max(map(len, source.splitlines()))


@lru_cache(maxsize=16)
def _meaning(source: str) -> str:
    return ast.dump(ast.parse(source))


@lru_cache(maxsize=16)
def _oddities(source: str) -> Counter[str]:
    """What nobody types: texts of statements and expressions, and how often each occurs."""
    nodes = list(ast.walk(ast.parse(source)))
    found = Counter(ast.unparse(node) for node in nodes if _is_odd_statement(node) or _is_odd(node))
    found["unreachable statement"] = sum(_leaves_early(block) for node in nodes for block in _blocks(node))
    found["doubled parentheses"] = _doubled_parentheses(source)
    return found


def _is_odd_statement(node: ast.AST) -> bool:
    match node:
        case ast.Pass():
            return True
        case ast.Assign([target], value):
            return ast.unparse(target) == ast.unparse(value)
    return False


def _is_odd(node: ast.AST) -> bool:
    """Whether an expression repeats an operand, or computes what everybody knows."""
    match node:
        case ast.BinOp():
            return _is_odd_operation(node)
        case ast.UnaryOp(ast.USub(), ast.UnaryOp(ast.USub())):  # ``--x``
            return True
        case ast.Compare(left, _, [right, *_]):
            return same(left, right)
        case ast.BoolOp(_, values):
            return len(set(map(ast.dump, values))) < len(values)
        case ast.IfExp(_, body, orelse):
            return same(body, orelse)
        case ast.Call(ast.Name("range"), [start, stop]):
            return same(start, stop)
        case ast.Call(func, args) if of_warp(func) in _DISTINCT:
            return any(same(one, other) for one, other in itertools.pairwise(args))
        case ast.Subscript(_, ast.Tuple(parts)):
            named = [ast.dump(part) for part in parts if not isinstance(part, ast.Constant)]
            return len(set(named)) < len(named)
    return False


def _is_odd_operation(node: ast.BinOp) -> bool:
    left, op, right = node.left, node.op, node.right
    match node:
        case ast.BinOp(ast.Constant(), _, ast.Constant()):  # ``2 * 3``
            return True
        case ast.BinOp(_, ast.Add() | ast.Sub(), ast.UnaryOp(ast.USub())):  # ``x - -y``
            return True
        case ast.BinOp(_, ast.Add(), ast.Constant(value=0)):  # ``x + 0``
            return True
        case ast.BinOp(_, ast.Mult() | ast.Div(), ast.Constant(value=1)):  # ``x * 1``
            return True
        case ast.BinOp(
            ast.BinOp(_, ast.Add() | ast.Sub(), inner), ast.Add() | ast.Sub(), ast.Constant(value=1)
        ):
            if isinstance(inner, ast.Constant) and inner.value == 1:  # ``x + 1 - 1``
                return True
    if isinstance(op, _OF_TWO) and same(left, right):  # ``x - x``
        return True
    match left:
        case ast.BinOp(_, inner_op, before) if isinstance(inner_op, _SUM) and isinstance(op, _SUM):
            return type(inner_op) is not type(op) and same(before, right)  # ``a + x - x``
        case ast.UnaryOp(ast.USub(), before):
            return isinstance(op, ast.Add) and same(before, right)  # ``-x + x``
    return False


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _leaves_early(block: list[ast.stmt]) -> bool:
    """Whether statements follow behind one that leaves the block."""
    return any(isinstance(statement, _LEAVING) for statement in block[:-1])


def _doubled_parentheses(source: str) -> int:
    """How often parentheses stand around nothing but parentheses."""
    code = "\n".join(line.partition("#")[0] for line in source.splitlines())
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
