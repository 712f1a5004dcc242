"""Reads assignments: to new or existing locals, and to other places."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ... import ir, walks
from ...types import INT, Array, Several, Type, Value
from . import rows
from .calls import Calls
from .expressions import Local
from .modules import Module
from .namespaces import Namespace
from .refusals import at, describe, kind_of, quoted

_PLACES = (ast.Name, ast.Subscript, ast.Attribute)


class Assignments(Calls):
    """Reads assignments, and records the local variables."""

    def __init__(
        self, module: Module, namespace: Namespace, parameters: Sequence[ir.Name], *, in_kernel: bool
    ) -> None:
        scope = {name.name: Local(name) for name in parameters}
        super().__init__(module, namespace, scope, in_kernel=in_kernel)
        self.types: dict[str, Type] = {name.name: name.type for name in parameters}
        self.varying: set[int] = set()  # definitions whose local is assigned later

    def assignment(self, node: ast.Assign, target: ast.expr, value: ast.expr) -> list[ir.Stmt]:
        self.alone = value
        match target:
            case ast.Tuple(elts=targets):
                return self.unpacked(node, targets, value)
            case ast.Name() if self._is_thread_index(value):
                return [ir.ThreadIndex((self.define(target, target.id, INT),))]
            case ast.Name(id=name):
                found = self.any_expression(value)
                if isinstance(found.type, Several) and found.type.types:
                    unpacking = self.unpack(target, self.parts_of(target, len(found.type.types)), found)
                    self.parts[name] = unpacking.targets
                    return [unpacking]
                return [self.bound(target, name, self.one(value, found))]
            case ast.Subscript() | ast.Attribute():
                assigned = self.expression(value)
                place = self.place(target)
                self._check_type(target, place.type, assigned.type)
                return [ir.Assign(place, assigned)]
            case _:
                raise at(target, f"an assignment to {kind_of(target)}")

    def unpacked(self, node: ast.Assign, targets: list[ast.expr], value: ast.expr) -> list[ir.Stmt]:
        names = [target for target in targets if isinstance(target, ast.Name)]
        if len(names) < len(targets):
            raise at(node, "several values for anything but names")
        if self._is_thread_index(value):
            return [ir.ThreadIndex(tuple(self.define(name, name.id, INT) for name in names))]
        if isinstance(value, ast.Tuple):
            if len(value.elts) != len(names):
                raise at(node, f"{len(value.elts)} values for {len(names)} names")
            return self.simultaneous(names, value.elts)
        if isinstance(value, ast.Name) and len(parts := self.parts.get(value.id, ())) == len(names):
            return [self.bound(name, name.id, part) for name, part in zip(names, parts, strict=True)]
        call = self.any_expression(value)
        if not isinstance(call.type, Several) or len(call.type.types) != len(names):
            raise at(node, f"{quoted(value)} does not give {len(names)} values")
        return [self.unpack(node, [name.id for name in names], call)]

    def unpack(self, node: ast.stmt | ast.expr, names: Sequence[str], call: ir.Expr) -> ir.Unpack:
        """The results of a call, for new or existing locals."""
        assert isinstance(call, (ir.Call, ir.Apply)) and isinstance(call.type, Several)
        targets = []
        for name, type in zip(names, call.type.types, strict=True):
            local = self.scope.get(name)
            if local is not None and not local.ended:
                self._check_type(node, local.name.type, type)
                self.varies(local)
                targets.append(local.name)
            else:
                targets.append(self.define(node, name, type))
        return ir.Unpack(tuple(targets), call)

    def parts_of(self, target: ast.Name, count: int) -> list[str]:
        """The locals for several values under one name. Warp allows no other value for that name."""
        if target.id in self.scope or target.id in self.parts:
            raise at(target, f"{count} values for {target.id}, which has a value already")
        return [self.module.fresh(f"{target.id}_{number}") for number in range(count)]

    def simultaneous(self, names: list[ast.Name], nodes: list[ast.expr]) -> list[ir.Stmt]:
        """``a, b = x, y``: one after the other, through temporaries if a value would be read after its name
        has changed."""
        self.alone = None
        values = [self.expression(node) for node in nodes]
        for place, name in enumerate(names):
            later = {
                inner.name for inner in walks.walk(tuple(values[place + 1 :])) if isinstance(inner, ir.Name)
            }
            if name.id in later:
                temporaries = [self.fresh("held", type=value.type) for value in values]
                lets = [ir.Let(target, value) for target, value in zip(temporaries, values, strict=True)]
                return [*lets, *(self.bound(n, n.id, h) for n, h in zip(names, temporaries, strict=True))]
        return [self.bound(name, name.id, value) for name, value in zip(names, values, strict=True)]

    def bound(self, node: ast.expr, name: str, value: ir.Expr) -> ir.Stmt:
        """An assignment to a new or existing local."""
        local = self.scope.get(name)
        if local is not None and not local.ended:
            self._check_type(node, local.name.type, value.type)
            self.varies(local)
            return ir.Assign(local.name, value)
        target = self.define(node, name, value.type)
        statement = ir.Let(target, value)
        self.module.kept.append(statement)  # its id stays its own
        self.scope[name].definitions.append(statement)
        if isinstance(value.type, Array) and (owner := walks.root(value)) is not None:
            self.aliases[name] = self.aliases.get(owner, owner)
        return statement

    def accumulation(self, node: ast.AugAssign) -> ir.Accumulate:
        place = self.place(node.target)
        value = self.expression(node.value)
        result = self.infix(node.target, node.op, [ir.Name("", place.type), value])
        self._check_type(node, place.type, result.type)
        return ir.Accumulate(place, rows.INFIX[type(node.op)], value)

    def place(self, node: ast.expr) -> ir.Place:
        """The target of an assignment."""
        found = self._place(node)
        if not isinstance(found, ir.Place):
            raise at(node, f"an assignment to {quoted(node)}")
        owner = walks.root(found)
        if walks.element(found) is None and owner is not None:
            self.varies(self.scope[owner])
        return found

    def _place(self, node: ast.expr) -> ir.Expr | ir.Place:
        match node:
            case ast.Name(id=name):
                if name not in self.scope:
                    raise at(node, f"{name} is changed before it has a value")
                return self.scope[name].name
            case ast.Subscript(value=value):
                base = self._place(value) if isinstance(value, _PLACES) else self.expression(value)
                if isinstance(base.type, Array) and not isinstance(base, ir.Component):
                    return self.element(node, base, base.type)
                return self.component(node, base)
            case ast.Attribute(value=value):
                of = self._place(value)
                if isinstance(of, ir.Component):
                    raise at(node, "an assignment to a letter of a row")
                return self.member(node, of)
            case _:
                raise at(node, f"an assignment to {kind_of(node)}")

    def component(self, node: ast.Subscript, of: ir.Expr | ir.Place) -> ir.Component:
        index = self.index(node.slice)
        shape = of.type.shape if isinstance(of.type, Value) else ()
        if not isinstance(of, ir.Place) or not 1 <= len(index) <= len(shape):
            raise at(node, f"an assignment to a component of {describe(of.type)}")
        part = self.applied(node, rows.PARTS, [ir.Name("", of.type), *index], "[...]")
        return ir.Component(of, index, part.type)

    # ---- names

    def define(self, node: ast.stmt | ast.expr, name: str, type: Type) -> ir.Name:
        if name in self.parts:
            raise at(node, f"one value for {name}, which is {len(self.parts[name])} elsewhere")
        if self.types.setdefault(name, type) != type:
            raise at(node, f"{name} is {describe(self.types[name])} elsewhere, and {describe(type)} here")
        local = ir.Name(name, type)
        self.scope[name] = Local(local)
        return local

    def varies(self, local: Local) -> None:
        self.varying.update(map(id, local.definitions))

    def _check_type(self, node: ast.expr | ast.stmt, type: Type, found: Type) -> None:
        if type != found:
            raise at(node, f"{describe(found)} for what is {describe(type)}")

    def _is_thread_index(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call) or self.import_path(node.func) != "warp.tid" or node.args:
            return False
        if not self.in_kernel:
            raise at(node, "a thread index in a function")
        return True
