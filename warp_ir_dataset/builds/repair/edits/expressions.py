"""Mistakes in expressions that Warp takes: another operator, operand, function, constant or bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..source import Edit, Module, is_call, is_number, is_one, of_warp, same

_OTHER_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
}
_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_OTHER_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "%"),
    ast.Mod: ("%", "//"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
# Functions of Warp's that are taken for each other.
_TAKEN_FOR = {
    "sin": ("cos",),
    "cos": ("sin",),
    "asin": ("acos",),
    "acos": ("asin",),
    "sinh": ("cosh",),
    "cosh": ("sinh",),
    "tan": ("atan",),
    "tanh": ("tan",),
    "min": ("max",),
    "max": ("min",),
    "floor": ("ceil", "round"),
    "ceil": ("floor",),
    "round": ("floor",),
    "rint": ("floor",),
    "trunc": ("floor",),
    "log": ("log2", "log10"),
    "log2": ("log",),
    "log10": ("log",),
    "length": ("length_sq",),
    "length_sq": ("length",),
    "argmin": ("argmax",),
    "argmax": ("argmin",),
    "quat_rotate": ("quat_rotate_inv",),
    "quat_rotate_inv": ("quat_rotate",),
    "transform_point": ("transform_vector",),
    "transform_vector": ("transform_point",),
    "inverse": ("transpose",),
    "transpose": ("inverse",),
    "atomic_min": ("atomic_max",),
    "atomic_max": ("atomic_min",),
    "atomic_add": ("atomic_sub",),
    "atomic_sub": ("atomic_add",),
    "radians": ("degrees",),
    "degrees": ("radians",),
}
# Functions whose operands are exchanged by mistake: by name, the places of two of them.
_ORDERED = {
    "clamp": ((1, 2),),
    "where": ((1, 2),),
    "lerp": ((0, 1),),
    "smoothstep": ((0, 1),),
    "atan2": ((0, 1),),
    "pow": ((0, 1),),
    "cross": ((0, 1),),
    "outer": ((0, 1),),
    "mod": ((0, 1),),
}
_VECTORS = ("vec2", "vec3", "vec4", "vec2d", "vec3d", "vec4d", "quat")
_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)
_PARTS = "xyzw"
_NEIGHBOURS = {"x": "yz", "y": "xz", "z": "yx", "w": "z"}


# ---- one more, one less


def bounds_off_by_one(module: Module) -> Iterator[Edit]:
    """A loop that runs once less or once more, at its start or at its end."""
    for node in module.body:
        call = node.iter if isinstance(node, ast.For) else None
        if not isinstance(call, ast.Call) or not call.args or len(call.args) > 2:
            continue
        stop = call.args[-1]
        if isinstance(stop, ast.Constant) and isinstance(stop.value, int):
            yield module.put(stop, str(stop.value + 1))
            if stop.value > 2:
                yield module.put(stop, str(stop.value - 1))
        elif isinstance(stop, _ATOMS):
            yield module.put(stop, f"{module.text(stop)} - 1")
            yield module.put(stop, f"{module.text(stop)} + 1")
        yield from _other_starts(module, call)


def _other_starts(module: Module, call: ast.Call) -> Iterator[Edit]:
    texts = [module.text(one) for one in call.args]
    if len(texts) == 1:
        yield module.put(call, f"range(1, {texts[0]})")
    elif texts[0] == "1":
        yield module.put(call, f"range({texts[1]})")
    elif isinstance(call.args[0], _ATOMS) and not isinstance(call.args[0], ast.Constant):
        yield module.put(call, f"range({texts[0]} + 1, {texts[1]})")


def forgotten_ones(module: Module) -> Iterator[Edit]:
    """``n`` for ``n - 1``."""
    for node in module.binary():
        if isinstance(node.op, ast.Add | ast.Sub) and is_one(node.right):
            yield module.put_part(node, node.left)


def other_neighbours(module: Module) -> Iterator[Edit]:
    """``x[i + 1]`` for ``x[i]``, where the kernel also reads other neighbours."""
    beside = {
        module.text(node.value)
        for node in module.body
        if isinstance(node, ast.Subscript) and any(map(_is_shifted, ast.walk(node.slice)))
    }
    for node in module.body:
        if isinstance(node, ast.Subscript) and module.text(node.value) in beside:
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for part in parts:
                if isinstance(part, ast.Name):
                    yield module.put(part, f"{part.id} + 1")
                    yield module.put(part, f"{part.id} - 1")


def _is_shifted(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and is_one(node.right)


# ---- conditions


def other_comparisons(module: Module) -> Iterator[Edit]:
    """``a <= b`` and ``a > b`` for ``a < b``, ``a != b`` for ``a == b``."""
    for node in module.body:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            old = _COMPARISONS.get(type(node.ops[0]))
            if old is not None:
                start = (module.grouped(node.left) or module.span(node.left))[1]
                end = (module.grouped(node.comparators[0]) or module.span(node.comparators[0]))[0]
                between = module.between(start, end)
                for new in _OTHER_COMPARISONS[type(node.ops[0])]:
                    yield Edit(((start, end, between.replace(old, new)),))


def forgotten_conditions(module: Module) -> Iterator[Edit]:
    """``a`` for ``a and b``."""
    for node in module.body:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) and len(node.values) == 2:
            for value in node.values:
                yield module.put_part(node, value)


def lost_choices(module: Module) -> Iterator[Edit]:
    """``x / d`` for ``x / d if d > 0.0 else 0.0``, and the same of ``wp.where``."""
    for node in module.body:
        if isinstance(node, ast.IfExp):
            arms = node.body, node.orelse
        elif isinstance(node, ast.Call) and of_warp(node.func) == "where" and len(node.args) == 3:
            arms = node.args[1], node.args[2]
        else:
            continue
        for arm, other in (arms, arms[::-1]):
            if is_number(other) and not is_number(arm):
                yield module.put_part(node, arm)


# ---- operators and operands


def other_operators(module: Module) -> Iterator[Edit]:
    """``a + b`` for ``a - b``, ``a % b`` for ``a // b``."""
    for node in module.binary():
        if type(node.op) in _OTHER_OPERATORS:
            old, new = _OTHER_OPERATORS[type(node.op)]
            idle = new == "+" and module.grouped(node.right) is not None  # ``a + (b + c)``
            if not idle:
                yield module.put_operator(node, old, new)


def other_updates(module: Module) -> Iterator[Edit]:
    """``x -= y`` for ``x += y``."""
    for node in module.body:
        if isinstance(node, ast.AugAssign) and type(node.op) in _OTHER_OPERATORS:
            old, new = _OTHER_OPERATORS[type(node.op)]
            start, end = module.span(node.target)[1], module.span(node.value)[0]
            yield Edit(((start, end, module.between(start, end).replace(old, new)),))


def other_signs(module: Module) -> Iterator[Edit]:
    """``x`` for ``-x``."""
    for node in module.body:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not is_number(node.operand):
            yield module.put_part(node, node.operand)


def other_junctions(module: Module) -> Iterator[Edit]:
    """``a or b`` for ``a and b``."""
    for node in module.body:
        if isinstance(node, ast.BoolOp) and len(node.values) == 2:
            old, new = (" and ", " or ") if isinstance(node.op, ast.And) else (" or ", " and ")
            start = (module.grouped(node.values[0]) or module.span(node.values[0]))[1]
            end = (module.grouped(node.values[1]) or module.span(node.values[1]))[0]
            between = module.between(start, end)
            if old in between:
                yield Edit(((start, end, between.replace(old, new)),))


def lost_parentheses(module: Module) -> Iterator[Edit]:
    """``a + b * c`` for ``(a + b) * c``."""
    for node in module.binary():
        span, parent = module.grouped(node), module.parent(node)
        if (
            span is not None
            and isinstance(parent, ast.BinOp | ast.UnaryOp)
            and "\n" not in module.between(*span)
        ):
            yield Edit(((*span, module.text(node)),))


def swapped_operands(module: Module) -> Iterator[Edit]:
    """``b - a`` for ``a - b``, but not ``2.0 - x`` for ``x - 2.0``."""
    for node in module.binary():
        if not isinstance(node.op, ast.Sub | ast.Div) or module.grouped(node.right) is not None:
            continue
        fixed = is_number(node.right) or (isinstance(node.op, ast.Div) and is_number(node.left))
        if isinstance(node.left, _ATOMS) and isinstance(node.right, _ATOMS) and not fixed:
            yield exchanged(module, node.left, node.right)


def swapped_arguments(module: Module) -> Iterator[Edit]:
    """``wp.atan2(x, y)`` for ``wp.atan2(y, x)``; of the module's own functions, neighbours of one type."""
    own = {function.name: function.args.args for function in module.functions}
    for call in module.calls():
        name, parts = of_warp(call.func), call.args
        if call.keywords:
            continue
        pairs: Sequence[tuple[int, int]] = _ORDERED.get(name or "", ())
        if name in _VECTORS and not all(map(is_number, parts)):
            pairs = [(place, place + 1) for place in range(len(parts) - 1)]
        if isinstance(call.func, ast.Name) and call.func.id in own:
            types = [module.text(one.annotation) if one.annotation else "" for one in own[call.func.id]]
            places = range(min(len(types), len(parts)) - 1)
            pairs = [(place, place + 1) for place in places if types[place] == types[place + 1]]
        for first, second in pairs:
            if second < len(parts) and not same(parts[first], parts[second]):
                if name == "clamp" and _is_literal(parts[first]) and _is_literal(parts[second]):
                    continue
                yield exchanged(module, parts[first], parts[second])


def swapped_choices(module: Module) -> Iterator[Edit]:
    """``b if c else a`` for ``a if c else b``."""
    for node in module.body:
        if isinstance(node, ast.IfExp) and not isinstance(node.orelse, ast.IfExp):
            yield exchanged(module, node.body, node.orelse)


def exchanged(module: Module, first: ast.expr, second: ast.expr) -> Edit:
    return module.put(first, module.text(second)) + module.put(second, module.text(first))


def missing_terms(module: Module) -> Iterator[Edit]:
    """``a`` for ``a + b``, and ``x`` for ``0.5 * x``."""
    for node in module.binary():
        kept: list[ast.expr] = []
        if isinstance(node.op, ast.Add | ast.Mult):
            kept = [node.left, node.right]
        elif isinstance(node.op, ast.Sub | ast.Div):
            kept = [node.left]
        for part in kept:
            if not _is_literal(part) and not (isinstance(node.op, ast.Add | ast.Sub) and is_one(node.right)):
                yield module.put_part(node, part)


def _is_literal(node: ast.expr) -> bool:
    """Whether it is a number, also under a sign or in a conversion."""
    while isinstance(node, ast.UnaryOp | ast.Call):
        if isinstance(node, ast.Call) and len(node.args) != 1:
            return False
        node = node.operand if isinstance(node, ast.UnaryOp) else node.args[0]
    return is_number(node)


def missing_calls(module: Module) -> Iterator[Edit]:
    """``x`` for ``wp.sqrt(x)``, ``wp.normalize(x)``, ``wp.max(x, 0.0)`` and ``wp.clamp(x, 0.0, 1.0)``."""
    own = {function.name for function in module.functions}
    for call in module.calls():
        name = of_warp(call.func)
        called = isinstance(call.func, ast.Name) and call.func.id in own
        if len(call.args) == 1 and (name is not None or called):
            yield module.put_part(call, call.args[0])
        if name == "clamp" and len(call.args) == 3:
            yield module.put_part(call, call.args[0])
        if name in ("min", "max") and len(call.args) == 2:
            first, second = call.args
            if is_number(second):
                yield module.put_part(call, first)
            if is_number(first):
                yield module.put_part(call, second)


def other_functions(module: Module) -> Iterator[Edit]:
    """``wp.sin(x)`` for ``wp.cos(x)``."""
    for call in module.calls():
        for other in _TAKEN_FOR.get(of_warp(call.func) or "", ()):
            yield module.put(call.func, f"wp.{other}")


# ---- components and axes


def other_components(module: Module) -> Iterator[Edit]:
    """``v.y`` for ``v.x``, ``v[1]`` for ``v[0]``, ``triangles[t, 1]`` for ``triangles[t, 0]``."""
    for node in module.body:
        if isinstance(node, ast.Attribute) and node.attr in _NEIGHBOURS and isinstance(node.ctx, ast.Load):
            for other in _NEIGHBOURS[node.attr]:
                end = module.span(node)[1]
                yield Edit(((end - 1, end, other),))
        if isinstance(node, ast.Subscript) and not _is_shape(node.value) and isinstance(node.ctx, ast.Load):
            if node in module.elements and not isinstance(node.slice, ast.Tuple):
                continue  # an element of an array is no component
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for part in parts:
                if isinstance(part, ast.Constant) and isinstance(part.value, int) and part.value < 4:
                    for value in (part.value - 1, part.value + 1):
                        if value >= 0:
                            yield module.put(part, str(value))


def other_axes(module: Module) -> Iterator[Edit]:
    """``x[j, i]`` for ``x[i, j]``, ``x.shape[1]`` for ``x.shape[0]``, ``j, i = wp.tid()``."""
    for node in module.body:
        if isinstance(node, ast.Subscript):
            if _is_shape(node.value) and isinstance(node.slice, ast.Constant):
                axis = node.slice.value
                assert isinstance(axis, int), "an axis is a whole number"
                yield from (
                    module.put(node.slice, str(other)) for other in (axis - 1, axis + 1) if other >= 0
                )
            elif isinstance(node.slice, ast.Tuple):
                yield from _turned(module, node.slice)
        match node:
            case ast.Assign([ast.Tuple() as targets], call) if is_call(call, "tid"):
                yield from _turned(module, targets)


def _turned(module: Module, parts: ast.Tuple) -> Iterator[Edit]:
    for first, second in zip(parts.elts, parts.elts[1:], strict=False):
        if not same(first, second) and not is_number(first) and not is_number(second):
            yield exchanged(module, first, second)


def _is_shape(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


# ---- numbers


def other_constants(module: Module) -> Iterator[Edit]:
    """``2.0`` for ``0.5`` as a factor, ``0.5`` for ``0.05``, ``4.0`` for ``3.0``, ``1020`` for ``1002``: in
    bodies, and in constants of the module."""
    named = [n for s in module.tree.body if isinstance(s, ast.Assign) for n in ast.walk(s.value)]
    for node in [*named, *module.body]:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and not _counts(module, node):
            factor = isinstance(parent := module.parent(node), ast.BinOp) and isinstance(parent.op, ast.Mult)
            if factor and node.value in (0.5, 2.0):
                yield module.put(node, "2.0" if node.value == 0.5 else "0.5")
            # Of the types that the test above lets through.
            for other in _misread(module.text(node), node.value):  # type: ignore[arg-type]
                yield module.put(node, other)


def _misread(text: str, value: float) -> Iterator[str]:
    """What a number is taken for: a fraction with the point one place aside, a small whole float that is one
    more or less, a number of more digits with the last two exchanged."""
    whole, _, fraction = text.partition(".")
    if not text.replace(".", "", 1).isdigit():
        return
    if value != int(value) and value != 0.5:
        yield repr(float(f"{value * 10:.9g}"))
        yield repr(float(f"{value / 10:.9g}"))
    elif isinstance(value, float) and 2 < value < 10:
        yield repr(value - 1.0)
        yield repr(value + 1.0)
    elif len(whole) > 1 and whole[-1] != whole[-2] and whole[:-2] + whole[-1] != "0":
        swapped = f"{whole[:-2]}{whole[-1]}{whole[-2]}".lstrip("0")
        yield f"{swapped}.{fraction}" if fraction else swapped


def _counts(module: Module, node: ast.AST) -> bool:
    """Whether a number is an index, a bound of a loop, or the value that a variable starts with."""
    for parent in module.parents(node):
        if isinstance(parent, ast.Subscript):
            return True
        if isinstance(parent, ast.Call) and module.text(parent.func) in ("range", "float", "int"):
            return True
    return False
