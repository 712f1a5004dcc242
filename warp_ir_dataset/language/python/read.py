"""Reads Python source as a program: the inverse of `write`, for all that the typed tree can express.

The source is never executed. The reader takes one kernel, and the constants, structs and functions that it
uses; it ignores the rest of the module. It infers types from annotations and from the table of operations.
Unknown syntax is refused in one line, with its position where there is one; nothing is guessed. The signature
has the facts that the text lacks: which arrays are read or written, their shapes in a launch, the domains of
their elements. Not covered: constructs that `ir` cannot express; options of decorators; comments outside of
functions.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from .. import ir, walks
from ..types import Array, Struct, Type
from .nodes import nodes
from .reading.annotations import Open
from .reading.comments import Comments
from .reading.folding import MOST_BITS
from .reading.functions import function, statements
from .reading.modules import Module
from .reading.namespaces import KernelDefinition, kernels, module_namespace
from .reading.refusals import Unreadable, at
from .reading.roles import signature as signature_of

__all__ = ["Unreadable", "kernels_of", "read", "read_kernel"]


def read(
    source: str,
    signature: ir.Signature | None = None,
    *,
    kernel: str | None = None,
    types: Mapping[str, Type] | None = None,
) -> ir.Program:
    """Read a module's kernel as a program, without executing it.

    Args:
        source: A Python module.
        signature: Facts that the text lacks: roles, shapes in a launch, domains. If None they are inferred:
            roles from the uses of the arguments, sizes 0, domains as wide as the types.
        kernel: Name of the kernel, if there is no signature; not needed if the module has only one.
        types: Types of arguments that the source leaves open (``Any``), by name.

    Returns:
        The typed tree.

    Raises:
        Unreadable: If the module has no such kernel, its arguments differ from the signature, or it uses
            constructs that the tree cannot express.
    """
    wanted = signature.name if signature is not None else kernel
    return read_kernel(source, _chosen(source, wanted), signature, types)


def kernels_of(source: str) -> list[KernelDefinition]:
    """Find every kernel of a module, in its order.

    Args:
        source: A Python module.

    Returns:
        The definitions, each of which `read_kernel` takes.

    Raises:
        Unreadable: If the source is not Python.
    """
    try:
        return list(kernels(module_namespace(_parsed(source))))
    except (RecursionError, MemoryError):  # Python's parser raises MemoryError when its own stack is full
        raise Unreadable("the module is nested too deep") from None


def read_kernel(
    source: str,
    found: KernelDefinition,
    signature: ir.Signature | None = None,
    types: Mapping[str, Type] | None = None,
) -> ir.Program:
    """Read one of a module's kernels as a program; see `read`.

    Args:
        source: The module.
        found: The kernel, as `kernels_of` returns it.
        signature: Facts that the text lacks; inferred if None.
        types: Types of arguments that the source leaves open, by name.

    Returns:
        The typed tree.

    Raises:
        Unreadable: As in `read`.
    """
    try:
        return _read(source, found, signature, types or {})
    except (RecursionError, MemoryError):
        raise Unreadable("the module is nested too deep") from None


def _parsed(source: str) -> ast.Module:
    try:
        module = ast.parse(source)
    except SyntaxError as error:
        place = f"line {error.lineno}, column {error.offset}: " if error.lineno else ""
        raise Unreadable(f"{place}not Python: {error.msg}") from None
    except ValueError as error:  # a null byte, in some versions of Python
        raise Unreadable(f"not Python: {error}") from None
    for node in nodes(module):
        # No type is that wide, and Python refuses to print integers of some thousand digits.
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value.bit_length() > MOST_BITS:
            raise at(node, f"a number of more than {MOST_BITS} bits")
    return module


def _chosen(source: str, wanted: str | None) -> KernelDefinition:
    found = [k for k in kernels_of(source) if wanted in (None, k.node.name)]
    if not found:
        raise Unreadable("the module has no kernel" + (f" {wanted}" if wanted else ""))
    if len(found) > 1:
        names = ", ".join(dict.fromkeys(k.node.name for k in found))
        raise at(found[1].node, f"a second kernel; there are {names}")
    return found[0]


def _read(
    source: str, found: KernelDefinition, signature: ir.Signature | None, types: Mapping[str, Type]
) -> ir.Program:
    module = Module(found.module, Comments(source), function)
    node = found.node
    parameters = _arguments(module, found, types)
    if signature is not None and [(a.name, a.type) for a in parameters] != [
        (a.name, a.reference.type) for a in signature.arguments
    ]:
        raise at(node, f"{node.name} takes other arguments than its signature says")
    docstring, body = statements(module, found.namespace, parameters, node, in_kernel=True).body(node)
    functions = module.ordered()
    signature = signature or signature_of(node.name, parameters, body, functions)
    style = ir.Style(_mostly(module.annotations.subscripts), _mostly(module.annotations.full_names))
    program = ir.Program(signature, body, functions, (), module.used_constants(), docstring, style)
    return ir.Program(
        signature, body, functions, _structs(module, program), module.used_constants(), docstring, style
    )


def _arguments(module: Module, found: KernelDefinition, types: Mapping[str, Type]) -> tuple[ir.Name, ...]:
    args = found.node.args
    if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults:
        raise at(found.node, f"{found.node.name} has arguments other than plain ones")
    parameters = []
    for argument in args.args:
        if argument.annotation is None:
            raise at(argument, f"{argument.arg} does not say what type it is")
        type = module.annotations.annotation(argument.annotation, found.namespace)
        if isinstance(type, Open):
            if argument.arg not in types or not type.takes(types[argument.arg]):
                raise at(argument, f"{argument.arg} may be of any type, and none is given")
            type = types[argument.arg]
        parameters.append(ir.Name(argument.arg, type))
    return tuple(parameters)


def _structs(module: Module, program: ir.Program) -> tuple[Struct, ...]:
    """The structs that a program uses, in source order."""
    used: set[Struct] = set()
    stack: list[object] = [argument.type for argument in program.arguments]
    stack += [getattr(node, "type", None) for node in walks.walk(program)]
    while stack:
        match stack.pop():
            case Array(element):
                stack.append(element)
            case Struct() as struct if struct not in used:
                used.add(struct)
                stack += [type for _, type in struct.members]
    return tuple(sorted(used, key=lambda struct: module.annotations.lines.get(struct.name, 0)))


def _mostly(choices: list[bool]) -> bool:
    return 2 * sum(choices) > len(choices)
