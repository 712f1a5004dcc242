"""Mistakes in statements that Warp takes: one is missing, in another place, or does something else."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from ..source import (
    CASTS,
    INDENT,
    Edit,
    Module,
    block_of,
    is_atomic,
    is_elif,
    names_read,
    names_set,
    of_warp,
)
from .names import exchanged

_LEAVING = (ast.Return, ast.Break, ast.Continue)
_MOST = 3  # statements of a branch that is forgotten
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)


# ---- missing


def missing_stores(module: Module) -> Iterator[Edit]:
    """Without one of several statements that write to arrays."""
    for function in module.functions:
        stores = [n for n in ast.walk(function) if isinstance(n, ast.stmt) and _is_store(n)]
        if len(stores) > 1:
            yield from filter(None, map(module.removed, stores))


def missing_updates(module: Module) -> Iterator[Edit]:
    """Without a statement that changes a variable that there is."""
    for function in module.functions:
        defined: set[str] = set()
        for statement in _in_order(module, function):
            named = names_set(statement)
            updates = isinstance(statement, ast.AugAssign) or named <= defined
            if isinstance(statement, ast.Assign | ast.AugAssign) and named and updates:
                edit = module.removed(statement)
                if edit is not None:
                    yield edit
            defined |= named


def missing_branches(module: Module) -> Iterator[Edit]:
    """Without an ``if`` and what stands under it, or without an ``else``."""
    for node in module.body:
        if not isinstance(node, ast.If) or is_elif(module, node) or isinstance(node.body[-1], _LEAVING):
            continue
        if not node.orelse and len(node.body) <= _MOST and len(block_of(module.parent(node), node)) > 1:
            yield module.without(node)
        if node.orelse and not isinstance(node.orelse[0], ast.If):
            assert node.body[-1].end_lineno is not None and node.end_lineno is not None
            yield module.put_lines(node.body[-1].end_lineno + 1, node.end_lineno, "")


def _in_order(module: Module, function: ast.FunctionDef) -> list[ast.stmt]:
    found = [n for n in ast.walk(function) if isinstance(n, ast.Assign | ast.AugAssign | ast.For)]
    return sorted(found, key=lambda node: node.lineno)


def _is_store(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return isinstance(statement.targets[0], ast.Subscript)
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.target, ast.Subscript)
    return isinstance(statement, ast.Expr) and is_atomic(statement.value)


# ---- guards and exits


def lost_guards(module: Module) -> Iterator[Edit]:
    """What stands under a condition, without it; without all of it where it only leaves."""
    for node in module.body:
        if not isinstance(node, ast.If) or node.orelse or is_elif(module, node):
            continue
        if isinstance(node.body[-1], _LEAVING):
            if len(node.body) == 1 and len(block_of(module.parent(node), node)) > 1:
                yield module.without(node)
        else:
            assert node.end_lineno is not None and node.test.end_lineno is not None
            inner = module.lines(node.test.end_lineno + 1, node.end_lineno)
            yield module.put_lines(node.lineno, node.end_lineno, _dedented(inner))


def other_exits(module: Module) -> Iterator[Edit]:
    """``break`` for ``continue``, ``continue`` or ``break`` for ``return``."""
    for node in module.body:
        looped = any(isinstance(parent, ast.For | ast.While) for parent in module.parents(node))
        if isinstance(node, ast.Break):
            yield module.put(node, "continue")
        if isinstance(node, ast.Continue):
            yield module.put(node, "break")
        if isinstance(node, ast.Return) and node.value is None and looped:
            yield from (module.put(node, other) for other in ("continue", "break"))
        if isinstance(node, ast.Break | ast.Continue) and module.function_of(node) is module.kernel:
            yield module.put(node, "return")


# ---- what is kept, and what is overwritten


_KEPT: dict[type[ast.operator], str] = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.BitOr: "|="}


def overwritten_sums(module: Module) -> Iterator[Edit]:
    """``total = x`` for ``total += x``."""
    for node in module.body:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, tuple(_KEPT)):
            start, end = module.span(node.target)[1], module.span(node.value)[0]
            yield Edit(((start, end, module.between(start, end).replace(_KEPT[type(node.op)], "=")),))


def overwritten_elements(module: Module) -> Iterator[Edit]:
    """``x[i] = y`` for ``wp.atomic_add(x, i, y)``."""
    for node in module.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if is_atomic(call) and not call.keywords and len(call.args) > 2:
            array, *index, value = map(module.text, call.args)
            yield module.put(call, f"{array}[{', '.join(index)}] = {value}")


def other_starts(module: Module) -> Iterator[Edit]:
    """The value that a variable has before a loop that changes it."""
    for block in module.blocks():
        for place, statement in enumerate(block):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            if not isinstance(target, ast.Name) or not isinstance(statement, ast.Assign):
                continue
            loops = [s for s in block[place + 1 :] if isinstance(s, ast.For | ast.While)]
            if any(target.id in names_set(loop) for loop in loops):
                yield from _other_values(module, statement.value)


def _other_values(module: Module, value: ast.expr) -> Iterator[Edit]:
    casted = isinstance(value, ast.Call) and module.text(value.func) in CASTS and len(value.args) == 1
    if isinstance(value, ast.Subscript):
        yield module.put(value, "float(0.0)")
        yield module.put(value, "int(0)")
    number = value.args[0] if casted and isinstance(value, ast.Call) else value
    text = module.text(number)
    if not text.lstrip("-").replace(".", "", 1).replace("e", "", 1).isdigit():
        return
    zero, one = ("0.0", "1.0") if "." in text or "e" in text else ("0", "1")
    if float(text):
        yield module.put(number, zero)
    else:
        yield module.put(number, one)
    if abs(float(text)) > 1:
        yield module.put(number, text[1:] if text.startswith("-") else f"-{text}")


# ---- another order, another block


def other_orders(module: Module) -> Iterator[Edit]:
    """Two statements exchanged, of which one uses what the other one changes."""
    for block in module.blocks():
        for first, second in itertools.pairwise(block):
            if not isinstance(first, _SIMPLE) or not isinstance(second, _SIMPLE):
                continue
            if first.end_lineno == second.lineno - 1 and _bound(module, first, second):
                yield exchanged(module, first, second)


def _bound(module: Module, first: ast.stmt, second: ast.stmt) -> bool:
    one, other = _changed(first), _changed(second)
    return bool(one & (names_read(second) | other) or other & names_read(first))


def _changed(statement: ast.stmt) -> set[str]:
    """The names of what a statement changes, in whole or in part."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    found: set[str] = set()
    for target in targets:
        while isinstance(target, ast.Subscript | ast.Attribute):
            target = target.value
        if isinstance(target, ast.Tuple):
            found |= names_set(target)
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found


def left_the_block(module: Module) -> Iterator[Edit]:
    """The last statement of a loop or a branch, behind it."""
    for node in module.body:
        if not isinstance(node, ast.For | ast.While | ast.If) or node.orelse or len(node.body) < 2:
            continue
        before, last = node.body[-2:]
        if isinstance(last, _SIMPLE) and not (isinstance(node, ast.If) and is_elif(module, node)):
            assert before.end_lineno is not None and last.end_lineno is not None
            first = before.end_lineno + 1
            yield module.put_lines(first, last.end_lineno, _dedented(module.lines(first, last.end_lineno)))


def entered_the_block(module: Module) -> Iterator[Edit]:
    """The statement behind a loop or a branch, as the last one of it."""
    for block in module.blocks():
        for node, behind in itertools.pairwise(block):
            if not isinstance(node, ast.For | ast.While | ast.If) or node.orelse:
                continue
            if isinstance(behind, _SIMPLE) and not isinstance(node.body[-1], _LEAVING):
                assert node.end_lineno is not None and behind.end_lineno is not None
                first = node.end_lineno + 1
                text = module.lines(first, behind.end_lineno)
                lines = [
                    f"{INDENT}{line}" if line.strip() else line for line in text.splitlines(keepends=True)
                ]
                yield module.put_lines(first, behind.end_lineno, "".join(lines))


def started_in_the_loop(module: Module) -> Iterator[Edit]:
    """A variable that starts anew each time that the loop behind it runs."""
    for block in module.blocks():
        for start, loop in itertools.pairwise(block):
            if not isinstance(start, ast.Assign) or not isinstance(loop, ast.For | ast.While):
                continue
            assert start.end_lineno is not None
            if start.end_lineno == loop.lineno - 1 and names_set(start) & names_set(loop):
                head = module.lines(loop.lineno, loop.body[0].lineno - 1)
                moved = INDENT + module.lines(start.lineno, start.end_lineno)
                if start.lineno == start.end_lineno and head.count("\n") == 1:
                    yield module.put_lines(start.lineno, loop.lineno, head + moved)


def _dedented(text: str) -> str:
    return "".join(line.removeprefix(INDENT) for line in text.splitlines(keepends=True))


# ---- races


def races(module: Module) -> Iterator[Edit]:
    """``x[i] = x[i] + y`` for ``wp.atomic_add(x, i, y)`` and for ``x[i] += y``, which are atomic."""
    for node in module.body:
        match node:
            case ast.AugAssign(ast.Subscript() as place, ast.Add() | ast.Sub() as operator, value):
                yield module.put(node, _unlocked(module, module.text(place), operator, value))
        call = node.value if isinstance(node, ast.Expr) else None
        if is_atomic(call) and not call.keywords and len(call.args) > 2:
            array, *index = map(module.text, call.args[:-1])
            element, value = f"{array}[{', '.join(index)}]", call.args[-1]
            name = (of_warp(call.func) or "").removeprefix("atomic_")
            if name in ("min", "max"):
                yield module.put(node, f"{element} = wp.{name}({element}, {module.text(value)})")
            if name in ("add", "sub"):
                sign = ast.Add() if name == "add" else ast.Sub()
                yield module.put(node, _unlocked(module, element, sign, value))


def _unlocked(module: Module, element: str, operator: ast.Add | ast.Sub, value: ast.expr) -> str:
    sign = "+" if isinstance(operator, ast.Add) else "-"
    return f"{element} = {element} {sign} {module.operand(value, type(operator))}"
