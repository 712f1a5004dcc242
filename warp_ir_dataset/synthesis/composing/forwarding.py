"""Hands an element, which the first of two fused kernels stores in an array, to the second one in a local."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from ...common.rng import Rng
from ...language import ir
from ...language.analysis.effects import changes, stored
from ...language.passes.branches import negated
from ...language.rewrite import Body, elements_substituted, fresh, names_in, renamed
from ...language.types import FLOAT, Type, Vector
from ...language.walks import defined, statements, walk
from .links import Incompatible, Link


@dataclass(frozen=True)
class Bodies:
    """The statements of the first kernel and those of the second; linked arrays have the same name in
    both."""

    earlier: Body
    later: Body


def forward_element(
    bodies: Bodies, link: Link, own: tuple[ir.Name, ...], words: Sequence[str], module: Set[str], rng: Rng
) -> tuple[Bodies, str, str | None]:
    """Put the element of a linked array in a local that the first kernel sets and the second reads.

    Args:
        bodies: The statements of both kernels.
        link: The arguments of both that hold the array.
        own: The indices of the thread, and of its element.
        words: Names for the local.
        module: Names that the local must not have.
        rng: Chooses among the names.

    Returns:
        The new bodies, the name of the local, and its old name if it was a local of the first kernel.

    Raises:
        Incompatible: A thread may end before its element can be stored.
    """
    array, type = link.then.reference, link.then.type
    taken = names_in((bodies.earlier, bodies.later)) | module
    free = [word for word in words if word not in taken]
    new_local = ir.Name(rng.pick(free) if free else fresh(taken, words[0]), type)
    element = ir.Load(array, own, type)
    initial = element if link.kind == "updated" else _zero(type)
    last = _only_store(bodies.later, array)
    stored_later = any(_stores(s, array) for s in statements(bodies.later))
    old_name = _stored_local(bodies.earlier, array)
    if stored_later and (last is None or _may_return(bodies.later[:last])):
        later = (
            *elements_substituted(without_returns(bodies.later), {array.name: new_local}),
            ir.Assign(element, new_local),
        )
        return Bodies(_with_local(bodies.earlier, array, new_local, initial), later), new_local.name, old_name
    local, later = _with_own_local(bodies.later, last, array, new_local)
    output = element if link.kind in ("updated", "stored") and not stored_later else None
    earlier = _with_local(bodies.earlier, array, local, initial, output)
    return Bodies(earlier, later), local.name, old_name


def _stored_local(earlier: Body, array: ir.Name) -> str | None:
    """The local that is stored in the array's element, if there is one and it does not change afterwards."""
    store = _only_store(earlier, array)
    if store is None or not isinstance(statement := earlier[store], ir.Assign):
        return None
    found = [s for s in earlier if isinstance(s, ir.Let | ir.Variable) and s.target == statement.value]
    rest = tuple(statements(earlier[store:]))
    later = changes(rest) | {name.name for s in rest for name in defined(s)}
    return found[0].target.name if found and found[0].target.name not in later else None


def _with_local(
    earlier: Body, array: ir.Name, local: ir.Name, initial: ir.Expr, output: ir.Load | None = None
) -> Body:
    """The first kernel's statements with a local in place of an element. If there is an `output`, they also
    store the local there."""
    store = _only_store(earlier, array)
    if store is not None:
        return _stored_in_local(earlier, store, array, local, output is not None)
    end = () if output is None else (ir.Assign(output, local),)
    return (ir.Variable(local, initial), *elements_substituted(earlier, {array.name: local}), *end)


def _stores(statement: ir.Stmt, array: ir.Name) -> bool:
    place = stored(statement)
    return place is not None and place.array == array


def _loads(node: object, array: ir.Name) -> int:
    return sum(isinstance(n, ir.Load) and n.array == array for n in walk(node))


def _only_store(body: Body, array: ir.Name) -> int | None:
    """The index of the statement that stores the array's element, if there is only one, every thread runs it,
    it stores the whole element, and no later statement loads it."""
    stores = [at for at, s in enumerate(body) if any(_stores(inner, array) for inner in statements((s,)))]
    if len(stores) != 1:
        return None
    match body[stores[0]]:
        case ir.Assign(ir.Load(), _) if not _loads(body[stores[0] + 1 :], array):
            return stores[0]
    return None


def _may_return(body: Body) -> bool:
    return any(isinstance(s, ir.Return) for s in statements(body))


def _with_own_local(
    later: Body, store: int | None, array: ir.Name, new_local: ir.Name
) -> tuple[ir.Name, Body]:
    """The second kernel's statements with a local in place of the element, and this local: the one into which
    they load the element first, or else `new_local`."""
    local = new_local
    for at, statement in enumerate(later):
        match statement:
            case ir.Let(target, ir.Load(loaded, _)) | ir.Variable(target, ir.Load(loaded, _)) if (
                loaded == array
            ):
                # A variable may change, so it can replace the element only if nothing else loads that.
                if isinstance(statement, ir.Let) or _loads(later, array) - (store is not None) == 1:
                    local, later = target, _dropped(later, at)
                break
    replaced = {array.name: local}
    made: list[ir.Stmt] = []
    for statement in later:
        if isinstance(statement, ir.Assign) and _stores(statement, array):
            made.append(replace(statement, value=elements_substituted(statement.value, replaced)))
        else:
            made.append(elements_substituted(statement, replaced))
    return local, tuple(made)


def _stored_in_local(earlier: Body, store: int, array: ir.Name, local: ir.Name, stores_too: bool) -> Body:
    """The first kernel's statements with the value that it stores in a local. If it has such a local, that
    gets the new name. If `stores_too`, the element is stored as well."""
    statement = earlier[store]
    assert isinstance(statement, ir.Assign)
    value = statement.value
    old_name = _stored_local(earlier, array)
    if old_name is not None:
        return renamed(earlier if stores_too else _dropped(earlier, store), {old_name: local.name})
    also = (replace(statement, value=local),) if stores_too else ()
    return (*earlier[:store], ir.Let(local, value), *also, *earlier[store + 1 :])


def _dropped(body: Body, at: int) -> Body:
    """The statements without one and its comments, above and beside it."""
    first, last = at, at + 1
    while first and isinstance(above := body[first - 1], ir.Comment) and not above.beside:
        first -= 1
    while last < len(body) and isinstance(beside := body[last], ir.Comment) and beside.beside:
        last += 1
    return (*body[:first], *body[last:])


def _zero(type: Type) -> ir.Expr:
    if type == FLOAT:
        return ir.Literal(0.0, FLOAT)
    if isinstance(type, Vector):
        return ir.Apply("vector_zero", (), type)
    raise Incompatible("a result that is stored in several places has a type without a zero")


# ---- returns


def without_returns(body: Body) -> Body:
    """The statements with those after ``if outside: return`` in the `else` branch. Raises `Incompatible` if a
    thread ends early in another way."""
    made = tuple(_with_nested_returns(body))
    if _may_return(made):
        raise Incompatible("a thread of the first one ends early")
    return made


def _with_nested_returns(body: Body) -> Iterator[ir.Stmt]:
    for at, statement in enumerate(body):
        match statement:
            case ir.If(condition, (*before, ir.Return()), orelse):
                rest = tuple(_with_nested_returns((*orelse, *body[at + 1 :])))
                if not all(isinstance(s, ir.Comment) for s in before):
                    yield ir.If(condition, tuple(before), rest)
                elif rest:  # without the comments in the branch that goes
                    # A negated comparison is another one for NaN, but kernels have finite numbers only.
                    yield ir.If(negated(condition, finite=True), rest)
                return
            case ir.Return():
                return
        yield statement
