"""Reads the functions of a module, each for the operand types of its calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ... import ir
from ...types import Several, Type
from .annotations import Open
from .modules import Definition, Module
from .namespaces import Namespace
from .refusals import at, describe
from .statements import Statements


def statements(
    module: Module,
    namespace: Namespace,
    parameters: Sequence[ir.Name],
    node: ast.FunctionDef,
    *,
    in_kernel: bool,
) -> Statements:
    """The reader of the body of a function or a kernel."""
    return Statements(module, namespace, parameters, module.comments.reader(node), in_kernel=in_kernel)


def function(module: Module, definition: Definition, types: tuple[Type, ...]) -> ir.Function:
    """A function for these types of operands. Raises `Unreadable`."""
    node = definition.node
    if len(node.decorator_list) != 1:
        raise at(node, f"{definition.name} has decorators other than wp.func")
    parameters = tuple(ir.Name(a.arg, t) for a, t in zip(node.args.args, types, strict=True))
    reader = statements(module, definition.namespace, parameters, node, in_kernel=False)
    reader.generic = any(isinstance(type, Open) for type in _declared(module, definition))
    docstring, body = reader.body(node)
    type = _result(module, definition, reader)
    return ir.Function(definition.name, parameters, body, type, docstring, reader.generic)


def _declared(module: Module, definition: Definition) -> Iterator[Type | Open]:
    """Yields the declared types of a function's parameters. That of a method's first parameter is left out:
    it is ``Any``, as the struct is not defined yet inside of its own class."""
    first = int("." in definition.name)
    for parameter in definition.node.args.args[first:]:
        if parameter.annotation is not None:
            yield module.annotations.annotation(parameter.annotation, definition.namespace)


def _result(module: Module, definition: Definition, reader: Statements) -> Type:
    """The type that a function returns: that of its first return; all others must have the same."""
    first = reader.returned[0][1] if reader.returned else ()
    for statement, types in reader.returned:
        if types != first:
            before = describe(Several(first))
            raise at(statement, f"{definition.name} returns {describe(Several(types))} here, {before} before")
    declared = definition.node.returns
    if declared is not None and len(first) == 1:
        type = module.annotations.annotation(declared, definition.namespace)
        if not isinstance(type, Open) and type != first[0]:
            raise at(declared, f"{definition.name} returns {describe(first[0])}")
    return first[0] if len(first) == 1 else Several(first)
