"""Mistakes in names that Warp refuses: what nothing defines, what another library has, what Warp lacks."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from ..source import (
    CASTS,
    INDENT,
    Edit,
    Module,
    is_atomic,
    is_call,
    is_number,
    names_read,
    names_set,
    of_warp,
)

_THREADS = ("i", "tid", "idx", "thread_id", "index")  # what people call the index of a thread
_CUDA_INDEX = "blockIdx.x * blockDim.x + threadIdx.x"
# What NumPy, GLSL, C or CUDA calls a function of Warp's; all stand behind ``wp.``.
_ELSEWHERE = {
    "abs": ("fabs",),
    "min": ("minimum", "fmin"),
    "max": ("maximum", "fmax"),
    "pow": ("power",),
    "clamp": ("clip",),
    "atan2": ("arctan2",),
    "asin": ("arcsin",),
    "acos": ("arccos",),
    "atan": ("arctan",),
    "length": ("norm", "magnitude"),
    "normalize": ("normalized",),
    "lerp": ("mix",),
    "atomic_add": ("atomicAdd",),
    "atomic_sub": ("atomicSub",),
    "atomic_min": ("atomicMin",),
    "atomic_max": ("atomicMax",),
    "inverse": ("inv",),
    "determinant": ("det",),
    "mod": ("fmod",),
    "identity": ("eye",),
    "randf": ("rand", "random"),
    "floor": ("floorf",),
    "exp": ("expf",),
    "sqrt": ("sqrtf",),
    "log": ("ln",),
    "sin": ("sinf",),
    "cos": ("cosf",),
    "sign": ("sgn", "signum"),
    "dot": ("inner",),
    "vec2": ("float2", "Vec2"),
    "vec3": ("float3", "Vec3"),
    "mat33": ("Mat33",),
}  # fmt: skip
# What NumPy calls a function of Warp's; Warp takes ``np.sqrt`` for its own, by the name.
_OF_NUMPY = {"min": "minimum", "max": "maximum", "clamp": "clip", "pow": "power", "atan2": "arctan2"}
_OF_NUMPY |= {"asin": "arcsin", "acos": "arccos", "length": "linalg.norm", "inverse": "linalg.inv"}
_METHODS = ("dot", "cross", "length", "normalize")  # of vectors, elsewhere
_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


# ---- what nothing defines


def missing_thread_indices(module: Module) -> Iterator[Edit]:
    """Without the line ``i = wp.tid()``, or with ``tid()``; Warp knows most functions without ``wp.``."""
    for function in module.functions:
        for statement in function.body:
            value = statement.value if isinstance(statement, ast.Assign) else None
            if isinstance(value, ast.Call) and of_warp(value.func) == "tid":
                yield module.without(statement)
                yield module.put(value.func, "tid")


def missing_accumulators(module: Module) -> Iterator[Edit]:
    """Without the line that gives a variable its first value, a literal, to which others are added."""
    for function in module.functions:
        for statement in function.body:
            if not isinstance(statement, ast.Assign):
                continue
            target, value = statement.targets[0], statement.value
            literal = isinstance(value, ast.Call) and all(isinstance(one, ast.Constant) for one in value.args)
            if isinstance(target, ast.Name) and literal:
                added = (n for n in ast.walk(function) if isinstance(n, ast.AugAssign))
                if any(isinstance(n.target, ast.Name) and n.target.id == target.id for n in added):
                    yield module.without(statement)


def missing_constants(module: Module) -> Iterator[Edit]:
    """Without a constant of the module."""
    used = set().union(*map(names_read, module.functions))
    for statement in module.tree.body:
        if isinstance(statement, ast.Assign) and names_set(statement) & used:
            last = statement.end_lineno or statement.lineno
            count = len(module.source.splitlines())
            # The blank lines before are enough for what is behind.
            while last < count and not module.lines(last + 1, last + 1).strip():
                last += 1
            yield module.put_lines(statement.lineno, last, "")


def used_before(module: Module) -> Iterator[Edit]:
    """A definition that has come behind the statement that uses it first."""
    for block in module.blocks():
        for first, second in itertools.pairwise(block):
            if not isinstance(first, ast.Assign) or not isinstance(second, ast.Assign | ast.AugAssign):
                continue
            defined = {name.id for name in first.targets if isinstance(name, ast.Name)}
            function = module.function_of(first)
            known = {name for line, name, _ in module.definitions(function) if line < first.lineno}
            known |= {argument.arg for argument in function.args.args}
            if defined & known or is_call(first.value, "tid"):
                continue
            if defined & names_read(second) and first.end_lineno == second.lineno - 1:
                yield exchanged(module, first, second)


def exchanged(module: Module, first: ast.stmt, second: ast.stmt) -> Edit:
    """Two statements, one on the lines behind the other, in the other order."""
    assert first.end_lineno is not None and second.end_lineno is not None
    one = module.lines(first.lineno, first.end_lineno)
    other = module.lines(second.lineno, second.end_lineno)
    return module.put_lines(first.lineno, second.end_lineno, other + one)


def other_spellings(module: Module) -> Iterator[Edit]:
    """A name as it might have been, at one place where it is read: in the singular, or without a word."""
    taken = {node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name)}
    taken |= {arg.arg for function in module.functions for arg in function.args.args}
    called = {id(call.func) for call in module.calls()}
    for node in module.body:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            for other in _respelled(node.id):
                if other not in taken and other.isidentifier() and node.id not in ("wp", "range"):
                    yield module.put(node, other)


def _respelled(name: str) -> Iterator[str]:
    if name in _THREADS:
        yield from (other for other in _THREADS[:3] if other != name)
        return
    words = name.split("_")
    if len(words) > 1 and all(words):
        yield "_".join(words[1:])
        yield "_".join(words[:-1])
    if len(name) > 4 and name.islower() and name.endswith("s") and not name.endswith(("ss", "us", "is")):
        yield f"{name[:-3]}y" if name.endswith("ies") else name[:-1]
    if name.isupper() and len(name) > 1:
        yield name.lower()


# ---- what another library has


def foreign_thread_indices(module: Module) -> Iterator[Edit]:
    """The thread's index as CUDA calculates it, and as other languages call it."""
    for call in module.calls():
        parent = module.parent(call)
        if of_warp(call.func) == "tid" and isinstance(parent, ast.Assign):
            if isinstance(parent.targets[0], ast.Name):
                yield module.put(call, _CUDA_INDEX)
            yield module.put(call, "wp.thread_id()")
            yield module.put(call, "wp.get_thread_id()")


def foreign_names(module: Module) -> Iterator[Edit]:
    """A function of Warp's by the name that it has elsewhere."""
    for call in module.calls():
        for other in _ELSEWHERE.get(of_warp(call.func) or "", ()):
            yield module.put(call.func, f"wp.{other}")


def former_names(module: Module) -> Iterator[Edit]:
    """``wp.select(c, b, a)``, which there was once, for ``wp.where(c, a, b)``."""
    for call in module.calls():
        if of_warp(call.func) == "where" and len(call.args) == 3:
            condition, chosen, other = map(module.text, call.args)
            yield module.put(call, f"wp.select({condition}, {other}, {chosen})")


def functions_of_numpy(module: Module) -> Iterator[Edit]:
    """A function of NumPy's, which is imported."""
    head = Edit(((0, 0, "import numpy as np\n"),))
    for call in module.calls():
        if (name := of_warp(call.func)) in _OF_NUMPY:
            yield head + module.put(call.func, f"np.{_OF_NUMPY[name]}")


# ---- what Warp's values lack


def methods(module: Module) -> Iterator[Edit]:
    """``a.dot(b)`` for ``wp.dot(a, b)``."""
    for call in module.calls():
        name = of_warp(call.func)
        if not call.args or not isinstance(call.args[0], _NAMED):
            continue
        first, *others = map(module.text, call.args)
        if name in _METHODS:
            yield module.put(call, f"{first}.{name}({', '.join(others)})")
        if name == "transpose":
            yield module.put(call, f"{first}.T")


def other_sizes(module: Module) -> Iterator[Edit]:
    """``x.size()`` and the like for ``x.shape[0]``, as of other arrays."""
    for node in module.body:
        match node:
            case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(0)):
                of = module.text(array)
                yield from (module.put(node, f"{of}.{one}") for one in ("size()", "length", "len()"))


def other_members(module: Module) -> Iterator[Edit]:
    """A member of a struct in the singular or plural, or without a word of its name."""
    structs = [node for node in module.tree.body if isinstance(node, ast.ClassDef)]
    declared = [part.target for struct in structs for part in struct.body if isinstance(part, ast.AnnAssign)]
    members = {target.id for target in declared if isinstance(target, ast.Name)}
    for node in module.body:
        if isinstance(node, ast.Attribute) and node.attr in members and isinstance(node.ctx, ast.Load):
            for other in _respelled(node.attr):
                if other not in members and other.isidentifier():
                    yield module.put(node, f"{module.text(node.value)}.{other}")


# ---- what Warp does not know of Python


def missing_decorators(module: Module) -> Iterator[Edit]:
    """A function without ``@wp.func``."""
    for function in module.functions:
        for decorator in function.decorator_list:
            if module.text(decorator) == "wp.func" and len(function.decorator_list) == 1:
                yield module.put_lines(decorator.lineno, decorator.lineno, "")


def returned_values(module: Module) -> Iterator[Edit]:
    """A kernel that returns its result, and does not store it."""
    last = module.kernel.body[-1]
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Subscript):
        yield module.put(last, f"return {module.text(last.value)}")


def loops_over_arrays(module: Module) -> Iterator[Edit]:
    """``for value in values`` for a loop that needs the index for nothing else."""
    for loop in module.body:
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            continue
        index = loop.target.id
        if not isinstance(loop.iter, ast.Call) or len(loop.iter.args) != 1:
            continue
        uses = [n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == index]
        read = [module.parent(use) for use in uses]
        elements = [n for n in read if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)]
        arrays = {module.text(n.value) for n in elements}
        whole = len(elements) == len(read) and all(isinstance(n.slice, ast.Name) for n in elements)
        if whole and len(arrays) == 1:
            (array,) = arrays
            if array.isidentifier():
                item = "value" if array != "value" else "item"
                made = module.put(loop.target, item) + module.put(loop.iter, array)
                for node in read:
                    made = made + module.put(node, item)
                yield made


def generator_sums(module: Module) -> Iterator[Edit]:
    """``total = sum(x[k] for k in range(n))`` for a loop that adds to ``float(0.0)``."""
    for block in module.blocks():
        for start, loop in itertools.pairwise(block):
            if not isinstance(start, ast.Assign) or not isinstance(loop, ast.For) or len(loop.body) > 1:
                continue
            added = loop.body[0]
            if not isinstance(added, ast.AugAssign) or not isinstance(added.op, ast.Add):
                continue
            zero = isinstance(start.value, ast.Call) and all(is_number(one, 0.0) for one in start.value.args)
            if zero and same_text(module, start.targets[0], added.target):
                each = (
                    f"{module.text(added.value)} for {module.text(loop.target)} in {module.text(loop.iter)}"
                )
                left = INDENT * (start.col_offset // len(INDENT))
                assert loop.end_lineno is not None
                text = f"{left}{module.text(added.target)} = sum({each})\n"
                yield module.put_lines(start.lineno, loop.end_lineno, text)


def same_text(module: Module, one: ast.AST, other: ast.AST) -> bool:
    return module.text(one) == module.text(other)


def lists(module: Module) -> Iterator[Edit]:
    """``[a, b, c]`` for ``wp.vec3(a, b, c)``."""
    for call in module.calls():
        if of_warp(call.func) in ("vec2", "vec3", "vec4", "vec2d", "vec3d") and len(call.args) > 1:
            yield module.put(call, f"[{', '.join(map(module.text, call.args))}]")


def memberships(module: Module) -> Iterator[Edit]:
    """``a in (1, 2)`` for ``a == 1 or a == 2``."""
    for node in module.body:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            parts = [p for p in node.values if isinstance(p, ast.Compare) and isinstance(p.ops[0], ast.Eq)]
            if len(parts) == len(node.values) and len({module.text(p.left) for p in parts}) == 1:
                values = ", ".join(module.text(p.comparators[0]) for p in parts)
                yield module.put(node, f"{module.text(parts[0].left)} in ({values})")


def chained_definitions(module: Module) -> Iterator[Edit]:
    """``a = b = float(0.0)`` for two lines."""
    for block in module.blocks():
        for first, second in itertools.pairwise(block):
            if not (isinstance(first, ast.Assign) and isinstance(second, ast.Assign)):
                continue
            if first.end_lineno != second.lineno - 1 or ast.dump(first.value) != ast.dump(second.value):
                continue
            casted = isinstance(first.value, ast.Call) and module.text(first.value.func) in CASTS
            if casted and all(isinstance(s.targets[0], ast.Name) for s in (first, second)):
                names = f"{module.text(first.targets[0])} = {module.text(second.targets[0])}"
                left = INDENT * (first.col_offset // len(INDENT))
                assert second.end_lineno is not None
                text = f"{left}{names} = {module.text(first.value)}\n"
                yield module.put_lines(first.lineno, second.end_lineno, text)


def unpacked_shapes(module: Module) -> Iterator[Edit]:
    """``rows, columns = x.shape`` for two lines."""
    for block in module.blocks():
        for first, second in itertools.pairwise(block):
            if not (isinstance(first, ast.Assign) and isinstance(second, ast.Assign)):
                continue
            one, other = module.text(first.value), module.text(second.value)
            if one.endswith(".shape[0]") and other == one.replace(".shape[0]", ".shape[1]"):
                names = f"{module.text(first.targets[0])}, {module.text(second.targets[0])}"
                left = INDENT * (first.col_offset // len(INDENT))
                assert second.end_lineno is not None
                text = f"{left}{names} = {one.removesuffix('[0]')}\n"
                yield module.put_lines(first.lineno, second.end_lineno, text)


def elements_given_to_atomics(module: Module) -> Iterator[Edit]:
    """``wp.atomic_add(x[i], y)``, as in CUDA, for ``wp.atomic_add(x, i, y)``."""
    for call in module.calls():
        if is_atomic(call) and len(call.args) > 2:
            array, *index, value = map(module.text, call.args)
            yield module.put(call, f"{module.text(call.func)}({array}[{', '.join(index)}], {value})")
