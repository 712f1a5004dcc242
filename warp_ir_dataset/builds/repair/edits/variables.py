"""Mistakes in variables that Warp takes: another one of the same sort is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..source import Edit, Module, is_call, of_warp


def other_counters(module: Module) -> Iterator[Edit]:
    """``x[i]`` for ``x[j]``, of what threads and loops count."""
    for node in _read(module):
        counters = module.counters(node)
        if node.id in counters:
            yield from (module.put(node, other) for other in counters if other != node.id)


def other_arguments(module: Module) -> Iterator[Edit]:
    """An argument for another one that is declared alike."""
    for node in _read(module):
        arguments = module.function_of(node).args.args
        types = {a.arg: module.text(a.annotation) for a in arguments if a.annotation}
        if node.id in types:
            for other, type in types.items():
                if other != node.id and type == types[node.id] and _alike(node.id, other):
                    yield module.put(node, other)


def other_locals(module: Module) -> Iterator[Edit]:
    """A local for another one that is named alike."""
    for node in _read(module):
        before = _defined(module, node)
        if node.id in before and not _is_index(module, node):
            for other in before:
                if other != node.id and _alike(node.id, other):
                    yield module.put(node, other)


def former_values(module: Module) -> Iterator[Edit]:
    """``x`` where ``y = f(x)`` is due: the value before the last step."""
    for node in _read(module):
        defined = _defined(module, node).get(node.id)
        if defined is not None and not isinstance(defined, ast.Call):
            continue
        if defined is not None and of_warp(defined.func) not in ("tid", None):
            first = defined.args[0] if defined.args else None
            if isinstance(first, ast.Name):
                yield module.put(node, first.id)


def _read(module: Module) -> Iterator[ast.Name]:
    called = {id(call.func) for call in module.calls()}
    for node in module.body:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or id(node) in called:
            continue
        if node.id not in ("wp", "range") and not _is_static(module, node):
            yield node


def _is_static(module: Module, node: ast.AST) -> bool:
    """Whether Python evaluates it, or whether the compiler does."""
    calls = (parent for parent in module.parents(node) if isinstance(parent, ast.Call))
    return any(of_warp(call.func) == "static" for call in calls)


def _is_index(module: Module, node: ast.AST) -> bool:
    return any(
        isinstance(p, ast.Subscript) and p.slice in (node, *module.parents(node))
        for p in module.parents(node)
    )


def _alike(one: str, other: str) -> bool:
    """Whether two names are easily taken for each other: both short, or with a word in common."""
    if len(one) <= 2 and len(other) <= 2:
        return True
    words, others = set(one.split("_")), set(other.split("_"))
    return bool({w for w in words & others if len(w) > 1}) or (len(one) > 3 and one[:3] == other[:3])


def _defined(module: Module, node: ast.Name) -> dict[str, ast.expr]:
    """The locals that a function defines before the line of a node, and their first values."""
    found: dict[str, ast.expr] = {}
    for line, name, value in module.definitions(module.function_of(node)):
        if line < node.lineno and not is_call(value, "tid"):
            found.setdefault(name, value)
    return found
