"""Checks the Python of an answer's module: the statements that it may execute, and names that it may not use.

Like `gate`, this is not a security boundary: the sandbox executes the module. But a module that changed Warp
would also change the code that Warp generates, so statements that no kernel needs are refused. Statements
that the kernel does not use are neither executed nor checked: an answer may add a launch, with arrays and
printing.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What kernels are written with.
_MODULES = _words("""
    warp numpy math cmath enum typing typing_extensions dataclasses functools itertools collections numbers
    fractions decimal statistics abc __future__
""")
_BUILTINS = _words("exec eval compile globals locals setattr delattr getattr")
# Also names that a kernel may give to what is its own.
_SHADOWED = _words("open input vars breakpoint memoryview exit quit")
# Of objects, what leads to the interpreter's own, and on to every other object.
_FRAMES = _words("""
    f_back f_globals f_locals f_builtins f_code gi_frame gi_code cr_frame cr_code ag_frame ag_code tb_frame
    tb_next func_globals func_code mro
""")
# Of modules, what is no part of a kernel: what makes its text, reads files, evaluates text, or gives objects
# other attributes. Then those that a struct may have as members.
_INSIDES = _words("""
    _src codegen build_dll sys os ctypes ctypeslib f2py distutils memmap fromfile loadtxt genfromtxt savez
    tofile get_type_hints ForwardRef evaluate_forward_ref builtins bltns inspect linecache exec eval compile
    setattr delattr getattr format format_map modules body_forward body_reverse CodeType FunctionType
    ModuleType update_wrapper wraps
""")
# What tells where, when or how a module runs: an answer could be right for the judge alone.
_SURROUNDINGS = _words("""
    datetime64 is_cuda_available get_device get_devices get_cuda_device get_cuda_devices get_cuda_device_count
    get_preferred_device
""")
_MEMBERS = _words("build bin native context load save lib core random operator testing")
_METHODS = _words("__init__ __post_init__ __call__ __repr__ __str__ __len__ __iter__ __getitem__")
_NATIVE = _words("func_native add_builtin native_snippet adj_native_snippet replay_snippet native_func")
_OWN = frozenset(["__doc__", "__version__"])  # of a module, that it may name; how it is run is not among them
_HARMLESS = _OWN | {"__name__"}  # of any object
_KERNELS = frozenset(["kernel", "func", "func_grad", "func_replay"])
_FILLING = _words("append extend insert add update setdefault sort reverse fill remove discard pop")
_FILLING_FIRST = _words("fill_diagonal put copyto place putmask")  # numpy's, their first argument
_CLOCK = re.compile(r"datetime64|[<>=|]?M8\b")  # types of numpy that the text "now" is a number of
_LONGEST_LINE = 10_000  # which is written anew for each statement in it that goes


_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Forbidden(Exception):
    """A module says what no kernel needs; the message names it."""


class NotPython(Exception):
    """A text that is no module; the message is one line that says why."""


def allowed(source: str, kernel: str) -> str:
    """A module without the statements that its kernel does not use, each line in its place. Raises
    `Forbidden`, `NotPython`."""
    try:
        left = needed(source, kernel)
        what = forbidden(left)
    except SyntaxError as error:
        raise NotPython(f"line {error.lineno}: {error.msg}") from None
    except ValueError as error:  # a null byte, a number of too many digits
        raise NotPython(str(error)) from None
    except (RecursionError, MemoryError):  # Python's parser says MemoryError of its own stack
        raise NotPython("the module is nested too deep") from None
    if what is not None:
        raise Forbidden(what)
    return left


def needed(source: str, kernel: str) -> str:
    """What `allowed` returns, whatever is in it."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    module = ast.Module([part for s in ast.parse(source).body for part in _parts(s)], [])
    kept = used(module, kernel)
    if len(kept) == len(module.body):
        return source
    whole = ast.Module(kept, [])
    if max(map(len, source.split("\n"))) <= _LONGEST_LINE:
        left_in = set(map(id, kept))
        blank = _without(source, [statement for statement in module.body if id(statement) not in left_in])
        # Of several statements in a line, one may have taken more of them.
        with contextlib.suppress(SyntaxError):
            left = [s for s in ast.parse(blank).body if not _is_blank(s)]
            if ast.dump(ast.Module(left, [])) == ast.dump(whole):
                return blank
    return f"{ast.unparse(whole)}\n"


def forbidden(source: str) -> str | None:
    """The name of what is forbidden in a module; None if nothing is."""
    module = ast.parse(source)
    fields = {
        s.target.id
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef)
        for s in node.body
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name) and not _is_dunder(s.target.id)
    }
    return next(_said(module, fields, frozenset(), None), None)


def _said(
    node: ast.AST, fields: set[str], own: frozenset[str], values: frozenset[str] | None
) -> Iterator[str]:
    """What is forbidden in a node: `fields` are members of the module's own structs, `own` names those of the
    functions around it. In what Warp alone reads, members are given values, and `values` are the names that
    stand for such, and for no module; in Python's hands it is None."""
    in_kernel = values is not None
    match node:
        case ast.Import() | ast.ImportFrom():
            yield from _of_import(node)
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str() as name), *_]):
            yield from _said(_attribute(name), fields, own, values)
            for part in [*node.args, *node.keywords]:
                yield from _said(part, fields, own, values)
            return
        case ast.Call(func=ast.Attribute(attr="static") | ast.Name(id="static")) if in_kernel:
            yield from _said(node, fields, own, None)  # Python evaluates it
            return
        case ast.Constant(value=str() as text) if not in_kernel and _CLOCK.search(text):
            yield "a clock"
        case ast.keyword(arg="ptr") if not in_kernel:
            yield "an address"
        case ast.keyword(arg=str() as name) if name in _NATIVE:
            yield "native code"
        case ast.MatchClass(patterns=places, kwd_attrs=names):
            if places:  # of attributes that the class names
                yield "a pattern of a class's places"
            for name in names:
                yield from _said(_attribute(name), fields, own, values)
        case ast.Name(id=name):
            if name in _BUILTINS or name in _SHADOWED - own or (_is_dunder(name) and name not in _OWN):
                yield f"the name {name}"
        case ast.Attribute(attr=name):
            yield from _insides([name], fields if values and _is_value(node, values) else ())
            if not in_kernel and name == "adj":
                yield "what Warp makes of a kernel"
            if not in_kernel and not isinstance(node.ctx, ast.Load):
                yield "a change of an attribute outside of a kernel"
        case ast.FunctionDef():
            if _is_dunder(node.name) and node.name not in _METHODS:
                yield f"a method {node.name}"
            around = [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
            for part in filter(None, around):
                yield from _said(part, fields, own, None)
            for annotation in filter(None, [node.returns, *(a.annotation for a in _arguments(node.args))]):
                yield from _of_annotation(annotation, fields, own)
            inside = values
            if in_kernel or any(_is_kernel(decorator) for decorator in node.decorator_list):
                inside = (values or frozenset()) | _values(node)
            within = own | own_names(node)
            for statement in node.body:
                yield from _said(statement, fields, within, inside)
            return
        case ast.AnnAssign():
            yield from _of_annotation(node.annotation, fields, own)
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        yield from _said(child, fields, own, values)


def _of_import(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        modules, inner = [node.module or ""], names
    else:
        modules, inner = names, []
    is_relative = isinstance(node, ast.ImportFrom) and node.level
    if is_relative or any(module.partition(".")[0] not in _MODULES for module in modules):
        yield "an import of what is not used in kernels"
    yield from _insides([*(part for module in modules for part in module.split(".")[1:]), *inner])


def _attribute(name: str) -> ast.Attribute:
    """One that is read in other words."""
    return ast.Attribute(ast.Constant(None), name, ast.Load())


def _insides(names: Sequence[str], members: Collection[str] = ()) -> Iterator[str]:
    """What is forbidden of names, but for those of a struct's `members`."""
    for name in names:
        if name in _NATIVE:
            yield "native code"
        elif name not in _HARMLESS and (
            _is_dunder(name)
            or name in _FRAMES | _INSIDES | _SURROUNDINGS
            or ((name.startswith("_") or name in _MEMBERS) and name not in members)
        ):
            yield f"an attribute {name}"


def _is_value(attribute: ast.Attribute, values: frozenset[str]) -> bool:
    """Whether an attribute is that of a value in a kernel: its chain begins with a name of such, or with what
    a function returns, and not with a module, or what else a name from elsewhere may stand for."""
    part: ast.expr = attribute
    while isinstance(part, ast.Attribute | ast.Subscript):
        part = part.value
    match part:
        case ast.Name(id=name):
            return name in values
        case ast.Call(func=ast.Attribute(attr="static") | ast.Name(id="static")):
            return False
    return isinstance(part, ast.Call)


def _values(function: ast.FunctionDef) -> frozenset[str]:
    """The names of a kernel's own that stand for values: its arguments, and what it computes. One that is
    given what a name from elsewhere stands for may be a module."""
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args]
    by_default = given[len(given) - len(arguments.defaults) :] + arguments.kwonlyargs
    found = own_names(function) - {argument.arg for argument in by_default}
    pairs: list[tuple[set[str], set[str]]] = []
    for node in ast.walk(function):
        match node:
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr() | ast.AugAssign() if node.value:
                pairs.append((bound(node), _bare(node.value)))
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                pairs.append((bound(target), _bare(value)))
            case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.ClassDef() | ast.With():
                pairs.append((bound(node) if node is not function else set(), {""}))
            case ast.match_case():
                pairs.append((bound(node), {""}))
    while gone := {name for names, of in pairs if not of <= found for name in names & found}:
        found -= gone
    return found


def _bare(value: ast.expr) -> set[str]:
    """The names of what an expression may be or hold as it is: not of what a function makes of it."""
    if isinstance(value, ast.Call):
        return set()
    found = {value.id} if isinstance(value, ast.Name) else set()
    return found.union(*(_bare(part) for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)))


def _of_annotation(annotation: ast.expr, fields: set[str], own: frozenset[str]) -> Iterator[str]:
    """Annotations are evaluated, strings in them too."""
    yield from _said(annotation, fields, own, None)
    for text in _strings(annotation):
        yield from _said(text, fields, own, None)


def _strings(annotation: ast.expr) -> Iterator[ast.expr]:
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                text = ast.parse(node.value.strip(), mode="eval").body
            except SyntaxError:  # it is no annotation then
                continue
            yield text
            yield from _strings(text)


def _is_kernel(decorator: ast.expr) -> bool:
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (isinstance(name, ast.Attribute) and name.attr in _KERNELS) or (
        isinstance(name, ast.Name) and name.id in _KERNELS
    )


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


# ---- what a kernel uses


def used(module: ast.Module, kernel: str) -> list[ast.stmt]:
    """The statements of a module that give a kernel, or what these use in turn, its name."""
    body = module.body
    # By name, and for the calls of a function by ``f()``: statements, and more of these.
    givers: defaultdict[str, list[int | str]] = defaultdict(list)
    # ``np.append(a, 1)`` fills no module.
    imported = set[str]().union(*(bound(s) for s in body if isinstance(s, ast.Import | ast.ImportFrom)))
    fills = {s.name: _filled_arguments(s) for s in body if isinstance(s, ast.FunctionDef)}
    for at, statement in enumerate(body):
        if _is_main(statement):
            continue
        for name in bound(statement):
            givers[name].append(at)
        match statement:
            case ast.FunctionDef():
                place: int | str = f"{statement.name}()"
            case ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case _:
                place = at
        changed, called = _changed(statement, fills)
        for name in changed - imported:
            givers[name].append(place)
        for name in called:
            givers[f"{name}()"].append(place)
    kept: set[int] = set()
    waiting = [at for at, s in enumerate(body) if _is_kept(s)] + givers.pop(kernel, [])
    while waiting:
        place = waiting.pop()
        if isinstance(place, str):
            waiting += givers.pop(place, [])
        elif place not in kept:
            kept.add(place)
            for name in free(body[place]):
                waiting += givers.pop(name, [])
    return [body[at] for at in sorted(kept)]


def _parts(statement: ast.stmt) -> list[ast.stmt]:
    """An import of several modules as several, of which some may be needed."""
    if isinstance(statement, ast.Import) and len(statement.names) > 1:
        return [ast.copy_location(ast.Import([alias]), statement) for alias in statement.names]
    return [statement]


def _is_kept(statement: ast.stmt) -> bool:
    """An import that gives any names, and one that says how the rest is read; also what must stay before
    that."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__" or any(alias.name == "*" for alias in statement.names)
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_main(statement: ast.stmt) -> bool:
    """``if __name__ == "__main__":``, which is not the case."""
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(statement.test)
    )


def bound(statement: ast.AST) -> set[str]:
    """The names that a statement gives something, in the module, class or function that it stands in."""
    found: set[str] = set()
    waiting = [statement]
    while waiting:
        match waiting.pop():
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found.update((alias.asname or alias.name).partition(".")[0] for alias in names)
            case ast.Name(id=name, ctx=ctx):
                found.update([] if isinstance(ctx, ast.Load) else [name])
            case ast.Lambda():
                pass
            case node:
                if isinstance(node, ast.ExceptHandler) and node.name:
                    found.add(node.name)
                waiting += ast.iter_child_nodes(node)
    return found


def _changed(statement: ast.stmt, fills: Mapping[str, Sequence[bool]]) -> tuple[set[str], set[str]]:
    """The names of the module that a statement changes, whole or in part, ``table.append(1)``, but for those
    it binds at the module's top; and of the functions it calls, each of which `fills` some of its arguments.
    Of a function, what its call does."""
    changed, called = set(), set()
    for node in ast.walk(statement):
        match node:
            case ast.Global(names=names):
                changed.update(names)
            case ast.Call(func=ast.Name(id=name), args=args):
                called.add(name)
                for argument, filled in zip(args, fills.get(name, ()), strict=False):
                    changed |= _root(argument) if filled else set()
            case _:
                changed |= _part(node)
    if isinstance(statement, ast.FunctionDef):
        changed -= own_names(statement)
    return changed, called


def _filled_arguments(function: ast.FunctionDef) -> list[bool]:
    """Which of a function's arguments it changes a part of."""
    filled = set[str]().union(*map(_part, ast.walk(function)))
    return [argument.arg in filled for argument in [*function.args.posonlyargs, *function.args.args]]


def _part(node: ast.AST) -> set[str]:
    """The name of what a part of is changed: ``t[0] = 1``, ``t.append(1)``, ``np.put(t, 0, 1)``."""
    match node:
        case ast.Subscript(ctx=ast.Store() | ast.Del()):
            return _root(node)
        case ast.Call(func=ast.Attribute(attr=attr, value=value)) if attr in _FILLING:
            return _root(value)
        case ast.Call(func=ast.Attribute(attr=attr), args=[first, *_]) if attr in _FILLING_FIRST:
            return _root(first)
    return set()


def _root(node: ast.expr) -> set[str]:
    """The name of what a part is of, as many as are between."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def own_names(function: _Function) -> frozenset[str]:
    """The names of a function's own."""
    own = {argument.arg for argument in _arguments(function.args)}
    if isinstance(function, ast.Lambda):
        return frozenset(own)
    waiting: list[ast.AST] = [*function.body]
    elsewhere: set[str] = set()
    while waiting:
        match waiting.pop():
            case ast.Global(names=names):
                elsewhere.update(names)
            case ast.stmt() | ast.ExceptHandler() | ast.match_case() as node if not isinstance(
                node, _Function
            ):
                waiting += ast.iter_child_nodes(node)
    return frozenset(own.union(*map(bound, function.body)) - elsewhere)


def free(statement: ast.AST) -> set[str]:
    """The names that a statement uses of those around it."""
    found: set[str] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        match waiting.pop():
            case ast.Name(id=name, ctx=ctx):
                found.update([] if isinstance(ctx, ast.Store) else [name])
            case ast.Constant(value=str() as text):  # it may be an annotation
                with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                    tree = ast.parse(text.strip(), mode="eval")
                    found.update(part.id for part in ast.walk(tree) if isinstance(part, ast.Name))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() as function:
                body = [function.body] if isinstance(function, ast.Lambda) else function.body
                waiting += filter(None, [*function.args.defaults, *function.args.kw_defaults])
                if not isinstance(function, ast.Lambda):
                    annotations = (argument.annotation for argument in _arguments(function.args))
                    waiting += filter(None, [*function.decorator_list, function.returns, *annotations])
                found |= set[str]().union(*map(free, body)) - own_names(function)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                found.add(name)
                waiting.append(value)
            case node:
                waiting += ast.iter_child_nodes(node)
    return found


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    extra = filter(None, [arguments.vararg, arguments.kwarg])
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


# ---- what is left of the text


def _without(source: str, statements: Sequence[ast.stmt]) -> str:
    """The text with a lone 0 in place of each of some statements: what follows a semicolon stays right."""
    lines = [line.encode() for line in source.split("\n")]
    for statement in reversed(statements):
        first, start = min(
            (part.lineno, part.col_offset) for part in (statement, *getattr(statement, "decorator_list", ()))
        )
        if getattr(statement, "decorator_list", ()):
            start = 0  # the decorator's sign stands before it
        last, end = statement.end_lineno or first, statement.end_col_offset or 0
        before, behind = lines[first - 1][:start], lines[last - 1][end:]
        for at in range(first - 1, last):
            lines[at] = b""
        lines[last - 1] = behind
        at = first - 1 if before.strip() else last - 1
        lines[at] = before + b"0" + lines[at]
    return b"\n".join(lines).decode()


def _is_blank(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value == 0
        and isinstance(statement.value.value, int)
    )
