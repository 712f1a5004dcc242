"""Mistakes in types, in numbers of operands and of indices, that Warp refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..source import CASTS, Edit, Module, is_atomic, of_warp

# What an argument's type is taken for.
_TAKEN_FOR = {
    "wp.uint32": ("int",),
    "wp.int64": ("int",),
    "wp.float64": ("float",),
    "wp.vec2": ("float", "wp.vec3"),
    "wp.vec3": ("float",),
    "wp.vec4": ("wp.vec3",),
    "wp.vec3d": ("wp.vec3",),
    "wp.vec2d": ("wp.vec2",),
    "wp.quat": ("wp.vec4",),
    "wp.array2d": ("wp.array",),
    "wp.array3d": ("wp.array2d",),
    "wp.array4d": ("wp.array3d",),
}
_WHOLE = {"int": "float", "wp.int32": "wp.float32"}  # of elements of an array
_PLAIN = ("int", "float", "wp.int32", "wp.float32", "wp.float64", "wp.vec2", "wp.vec3")
_VECTORS = {"vec2": 2, "vec3": 3, "vec4": 4, "vec2d": 2, "vec3d": 3, "vec4d": 4}
_NEED_ALL = ("clamp", "lerp", "where", "smoothstep")  # those whose last operand is forgotten


# ---- how many operands


def forgotten_operands(module: Module) -> Iterator[Edit]:
    """A call of three operands or more without the last one, or without the array that is the first one."""
    own = {function.name for function in module.functions}
    for call in module.calls():
        name = of_warp(call.func)
        texts = [module.text(operand) for operand in call.args]
        called = isinstance(call.func, ast.Name) and call.func.id in own
        if call.keywords or len(texts) < 3:
            continue
        if called and _is_array(module, call, call.args[0]):
            yield _with_operands(module, call, texts[1:])
        if name in _NEED_ALL or called or _VECTORS.get(name or "") == len(texts):
            yield _with_operands(module, call, texts[:-1])
        if is_atomic(call) and len(texts) == 3:
            yield _with_operands(module, call, [texts[0], texts[2]])


def too_many_operands(module: Module) -> Iterator[Edit]:
    """``wp.min(a, b, c)`` for two calls, ``wp.length(a, b)`` for ``wp.length(a - b)``."""
    for call in module.calls():
        name = of_warp(call.func)
        if name in ("min", "max"):
            inner = [one for one in call.args if isinstance(one, ast.Call) and of_warp(one.func) == name]
            if len(inner) == 1:
                parts = [p for one in call.args for p in (one.args if one is inner[0] else [one])]
                yield _with_operands(module, call, [module.text(part) for part in parts])
        if name in ("length", "length_sq") and isinstance(call.args[0], ast.BinOp):
            difference = call.args[0]
            if isinstance(difference.op, ast.Sub):
                yield _with_operands(
                    module, call, [module.text(difference.left), module.text(difference.right)]
                )
        if name == "atan2" and len(call.args) == 2:
            first, second = (module.operand(one, ast.Div) for one in call.args)
            yield module.put(call, f"wp.atan({module.text(call.args[0])}, {module.text(call.args[1])})")
            yield _with_operands(module, call, [f"{first} / {second}"])


def _is_array(module: Module, call: ast.Call, operand: ast.expr) -> bool:
    arguments = module.function_of(call).args.args
    arrays = {a.arg for a in arguments if a.annotation and "array" in module.text(a.annotation)}
    return isinstance(operand, ast.Name) and operand.id in arrays


def _with_operands(module: Module, call: ast.Call, texts: Sequence[str]) -> Edit:
    return module.put(call, f"{module.text(call.func)}({', '.join(texts)})")


# ---- how many indices


def forgotten_indices(module: Module) -> Iterator[Edit]:
    """``grid[i]`` for ``grid[i, j]``."""
    for node in module.elements:
        if isinstance(node.slice, ast.Tuple):
            texts = [module.text(part) for part in node.slice.elts]
            yield module.put(node.slice, ", ".join(texts[:-1]))


def other_layouts(module: Module) -> Iterator[Edit]:
    """``x[i, j]`` for ``x[i * n + j]``, and ``x[i * x.shape[1] + j]`` for ``x[i, j]``."""
    for node in module.elements:
        index = node.slice
        match index:
            case ast.Tuple([ast.Name(row), ast.Name(column)]):
                yield module.put(index, f"{row} * {module.text(node.value)}.shape[1] + {column}")
            case ast.BinOp(ast.BinOp(row_of, ast.Mult(), _), ast.Add(), column_of):
                yield module.put(index, f"{module.text(row_of)}, {module.text(column_of)}")


def surplus_indices(module: Module) -> Iterator[Edit]:
    """``x[i, j]`` for ``x[i]``, of what two threads or two loops count."""
    for node in module.elements:
        counters = module.counters(node)
        if isinstance(node.slice, ast.Name) and node.slice.id in counters:
            for other in counters[counters.index(node.slice.id) + 1 :]:
                yield module.put(node.slice, f"{node.slice.id}, {other}")


def whole_arrays(module: Module) -> Iterator[Edit]:
    """``x`` for ``x[i]``, and ``x.shape`` for ``x.shape[0]``, where it is calculated with."""
    for node in module.body:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            inside = isinstance(module.parent(node), ast.BinOp | ast.Call | ast.Compare)
            array = isinstance(node.value, ast.Name) and node in module.elements
            shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
            if inside and (array or shape):
                yield module.put(node, module.text(node.value))


# ---- which type


def other_annotations(module: Module) -> Iterator[Edit]:
    """An argument of a type that is easily taken for its own."""
    for function in module.functions:
        for argument in function.args.args:
            if argument.annotation is None:
                continue
            for node in ast.walk(argument.annotation):
                text = module.text(node) if isinstance(node, ast.Name | ast.Attribute) else ""
                yield from (module.put(node, other) for other in _TAKEN_FOR.get(text, ()))
                if text in _WHOLE and node is not argument.annotation:
                    yield module.put(node, _WHOLE[text])
                if isinstance(node, ast.keyword) and node.arg == "ndim":
                    start, end = module.span(node)
                    if module.between(start - 2, start) == ", ":
                        yield Edit(((start - 2, end, ""),))


def missing_annotations(module: Module) -> Iterator[Edit]:
    """An argument of the kernel that is no array, without its type."""
    for argument in module.kernel.args.args:
        if argument.annotation is not None and module.text(argument.annotation) in _PLAIN:
            yield module.put(argument, argument.arg)


def missing_conversions(module: Module) -> Iterator[Edit]:
    """``count * x`` for ``float(count) * x``; not of a literal."""
    for call in module.calls():
        if module.text(call.func) in CASTS and len(call.args) == 1:
            (operand,) = call.args
            if not _is_literal(operand):
                yield module.put_part(call, operand)


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def mutated_constants(module: Module) -> Iterator[Edit]:
    """``total = 0.0`` for ``total = float(0.0)``."""
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call = node.value
            if module.text(call.func) in CASTS and len(call.args) == 1 and _is_literal(call.args[0]):
                yield module.put(call, module.text(call.args[0]))


def integer_literals(module: Module) -> Iterator[Edit]:
    """``2 * x`` for ``2.0 * x``, ``wp.clamp(x, 0, 1)`` for ``wp.clamp(x, 0.0, 1.0)``."""
    for node in module.body:
        if isinstance(node, ast.BinOp | ast.Compare):
            sides = [node.left, *(node.comparators if isinstance(node, ast.Compare) else [node.right])]
            for side in sides:
                if _is_whole(side):
                    yield module.put(side, _whole(side))
    for call in module.calls():
        literals = [one for one in call.args if isinstance(one, ast.Constant)]
        signed = any(isinstance(one, ast.UnaryOp) and _is_literal(one) for one in call.args)
        if literals and not signed and all(map(_is_whole, literals)) and module.text(call.func) not in CASTS:
            made = module.put(literals[0], _whole(literals[0]))
            for other in literals[1:]:
                made = made + module.put(other, _whole(other))
            yield made


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value == int(node.value)


def _whole(node: ast.expr) -> str:
    assert isinstance(node, ast.Constant) and isinstance(node.value, float)
    return str(int(node.value))
