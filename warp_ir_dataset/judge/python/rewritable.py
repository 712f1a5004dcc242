"""Tells whether an answer's module may be rewritten by this project: whether Warp reads it in the same way.

The project reads Python as people mean it. Warp reads some of it in another way, or refuses it: ``x, y = y,
x`` names references and copies nothing, ``not f`` of a float has no function, and of two functions of one
name Warp takes the first that fits. If a module contains any of that, it is executed unchanged, which is
slower and always right. So this check may refuse too much, but must not accept too much.
"""

from __future__ import annotations

import ast
import ctypes
import re
from collections import Counter
from collections.abc import Sequence

from .module import bound, free, own_names, used

WARP = "wp"
_VARIANTS = frozenset({"array", "array1d", "array2d", "array3d", "array4d"})
# Python's names, of types and of what makes a variable or tells a number; a module must not give them.
_GIVEN = frozenset({"int", "float", "bool", "None", "len", "range", "min", "max", "abs", "round", "print"})
_NOT_IN_FUNCTIONS = (
    ast.AnnAssign | ast.AsyncFor | ast.AsyncFunctionDef | ast.AsyncWith | ast.Await | ast.ClassDef
    | ast.Delete | ast.Dict | ast.DictComp | ast.FunctionDef | ast.GeneratorExp | ast.Global | ast.Import
    | ast.ImportFrom | ast.JoinedStr | ast.Lambda | ast.List | ast.ListComp | ast.Match | ast.NamedExpr
    | ast.Nonlocal | ast.Raise | ast.Set | ast.SetComp | ast.Starred | ast.Try | ast.With | ast.Yield
    | ast.YieldFrom
)  # fmt: skip
_ANYWHERE = ast.Global | ast.NamedExpr | ast.Match  # what may give a name of the module another value
_WIDE = re.compile(r"(?:vec\d|mat\d\d|quat|transform|spatial_\w+)d|vector|matrix|quaternion|transformation")
_HALF = re.compile(r"float16|half|(?:vec\d|mat\d\d|quat|transform|spatial_\w+)h")
_NUMBERS_OF_PYTHON = frozenset({"static", "constant", "types"})  # Warp's, which Python evaluates
_OF_A_NUMBER = frozenset({"constant", "float32", "float64"})
_CHOICES = frozenset({"where", "select"})
_MODULES = frozenset({WARP, "math"})


def is_rewritable(tree: ast.Module, kernel: str) -> bool:
    """Whether what a module's kernel uses is of the plainest."""
    if any(isinstance(node, _ANYWHERE) for node in ast.walk(tree)):
        return False
    kept = used(tree, kernel)
    given = Counter(name for statement in tree.body for name in bound(statement))
    seen: set[str] = set()
    for statement in kept:
        names = set() if isinstance(statement, ast.Import) else bound(statement)
        if names & _GIVEN or any(given[name] > 1 for name in names):
            return False
        if not _is_plain(statement) or not _evaluated(statement) <= seen | _GIVEN:
            return False
        seen |= bound(statement)
    functions = [statement for statement in kept if isinstance(statement, ast.FunctionDef)]
    constants = set().union(*(bound(s) for s in kept if isinstance(s, ast.Assign)))
    return WARP in seen and all(_is_plain_function(function, constants) for function in functions)


# ---- a module


def _is_plain(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import(names=names):
            return all((alias.name, alias.asname) in (("warp", WARP), ("math", None)) for alias in names)
        case ast.ImportFrom(module=module, names=names):
            return module == "__future__" or (module, [n.name for n in names]) == ("typing", ["Any"])
        case ast.FunctionDef(decorator_list=[decorator], args=arguments):
            extra = [*arguments.posonlyargs, *arguments.kwonlyargs, *arguments.defaults]
            return (
                _of_warp(decorator) in ("kernel", "func")
                and not extra
                and arguments.vararg is arguments.kwarg is None
                and all(map(_is_type, (argument.annotation for argument in arguments.args)))
                and _returns_what_it_says(statement, _of_warp(decorator) == "kernel")
            )
        case ast.ClassDef(decorator_list=[decorator], bases=[], keywords=[], body=body):
            return _of_warp(decorator) == "struct" and all(map(_is_member, body))
        case ast.Assign(targets=[ast.Name()], value=value):
            return _is_number(value) or _is_type(value)
        case _:
            return _does_nothing(statement)


def _evaluated(statement: ast.stmt) -> set[str]:
    """The names that a statement needs when it is executed, and not only when its kernel is made."""
    if _does_nothing(statement):
        return set()
    if not isinstance(statement, ast.FunctionDef):
        return free(statement)
    annotations = [statement.returns, *(argument.annotation for argument in statement.args.args)]
    return set().union(*map(free, filter(None, [*statement.decorator_list, *annotations])))


def _returns_what_it_says(function: ast.FunctionDef, is_kernel: bool) -> bool:
    if function.returns is None or (
        isinstance(function.returns, ast.Constant) and function.returns.value is None
    ):
        return True
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return not is_kernel and _is_type(function.returns) and bool(returned) and None not in returned


def _is_member(statement: ast.stmt) -> bool:
    match statement:
        case ast.AnnAssign(target=ast.Name(), value=None, annotation=annotation):
            return _is_type(annotation)
        case _:
            return isinstance(statement, ast.Pass) or _does_nothing(statement)


def _does_nothing(statement: ast.stmt) -> bool:
    """Such as a text that documents."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_number(node: ast.expr) -> bool:
    """A number, which may be negative, of a type of Warp's, and said to be a constant."""
    match node:
        case ast.Call(func=function, args=[number], keywords=[]):
            return _of_warp(function) in _OF_A_NUMBER and _is_number(number)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as number) | (ast.Constant() as number):
            return type(number.value) in (int, float)
    return False


def _is_type(node: ast.expr | None) -> bool:
    """``float``, ``wp.vec3``, ``Body``, ``wp.array[float]``, ``wp.array2d(dtype=Body)``, and the like."""
    match node:
        case ast.Name():
            return True
        case ast.Subscript(value=value, slice=inner):
            return _of_warp(value) in _VARIANTS and _is_type(inner)
        case ast.Call(func=function, args=[], keywords=[keyword]) if _of_warp(function) in _VARIANTS:
            return keyword.arg == "dtype" and _is_type(keyword.value)
        case ast.Call(func=function, args=[], keywords=keywords) if _of_warp(function) == "array":
            found = {keyword.arg: keyword.value for keyword in keywords}
            return (
                found.keys() == {"dtype", "ndim"} and _is_type(found["dtype"]) and _is_number(found["ndim"])
            )
        case ast.Call(func=ast.Attribute(value=types), args=[], keywords=keywords) if (
            _of_warp(types) == "types"
        ):
            return all(_is_part_of_type(keyword.value) for keyword in keywords)
    name = _of_warp(node)
    return name is not None and not _HALF.fullmatch(name)


def _is_part_of_type(node: ast.expr) -> bool:
    """A length, a shape or a type."""
    return (
        all(map(_is_number, node.elts)) if isinstance(node, ast.Tuple) else _is_number(node) or _is_type(node)
    )


def _of_warp(node: ast.expr | None) -> str | None:
    """The name in ``wp.name``."""
    match node:
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module == WARP:
            return name
    return None


# ---- a function


def _is_plain_function(function: ast.FunctionDef, constants: set[str]) -> bool:
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    own = own_names(function)
    if own & (_GIVEN | {WARP}) or any(isinstance(node, _NOT_IN_FUNCTIONS) for node in nodes):
        return False
    return all(_is_plain_node(node) for node in nodes) and not _changes_a_constant(nodes, own, constants)


def _is_plain_node(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=[ast.Tuple()], value=value):
            return isinstance(value, ast.Call)
        case ast.Assign(targets=targets):
            return len(targets) == 1
        case ast.For(orelse=[_, *_]) | ast.While(orelse=[_, *_]):
            return False
        case ast.UnaryOp(op=ast.Not(), operand=truth) | ast.IfExp(test=truth):
            return _is_truth(truth)
        case ast.Attribute(attr=name):
            return name not in _NUMBERS_OF_PYTHON and _HALF.fullmatch(name) is None
        case ast.Call(func=function, args=arguments):
            called = function.id if isinstance(function, ast.Name) else _of_warp(function)
            return called is not None and _is_plain_call(called, isinstance(function, ast.Name), arguments)
    return True


def _is_plain_call(name: str, is_bare: bool, arguments: Sequence[ast.expr]) -> bool:
    if name in _CHOICES:
        return bool(arguments) and _is_truth(arguments[0])
    if name == "print":
        return not any(isinstance(text, ast.Constant) and "%" in str(text.value) for text in arguments)
    # Of members in double precision. A name of the module's may be that of such a type.
    wide = _WIDE.fullmatch(name) or (is_bare and name not in _GIVEN)
    return not (wide and any(map(_is_inexact, arguments)))


def _is_truth(node: ast.expr) -> bool:
    """Whether it is true or false by its form."""
    return isinstance(node, ast.Compare | ast.BoolOp) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def _is_inexact(node: ast.expr) -> bool:
    """Whether a number is written there that no float32 is, or one of a module's that may be none."""
    if isinstance(node, ast.UnaryOp):
        return _is_inexact(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return ctypes.c_float(node.value).value != node.value
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in _MODULES


def _changes_a_constant(nodes: Sequence[ast.AST], own: frozenset[str], constants: set[str]) -> bool:
    """Whether a name that was given a constant is given something in a loop: Warp refuses that."""
    given = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _is_constant(node.value, own, constants)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    loops = (node for node in nodes if isinstance(node, ast.For | ast.While))
    return not given.isdisjoint(
        name for loop in loops for statement in loop.body for name in bound(statement)
    )


def _is_constant(node: ast.expr, own: frozenset[str], constants: set[str]) -> bool:
    match node:
        case ast.UnaryOp(operand=operand):
            return _is_constant(operand, own, constants)
        case ast.Name(id=name):
            return name in constants
        case ast.Attribute():
            root: ast.expr = node
            while isinstance(root, ast.Attribute):
                root = root.value
            return not (isinstance(root, ast.Name) and root.id in own)
        case ast.Call(func=ast.Name(id="len")):
            return True
    return isinstance(node, ast.Constant)
