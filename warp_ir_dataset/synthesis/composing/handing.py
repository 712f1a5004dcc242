"""Passes a value from the first kernel's statements to the second's, in a local if possible."""

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
from .links import Link, Unfit


@dataclass(frozen=True)
class Bodies:
    """The statements of the first kernel and those of the second, which name one array the same."""

    earlier: Body
    later: Body


def handed_over(
    bodies: Bodies, link: Link, own: tuple[ir.Name, ...], words: Sequence[str], module: Set[str], rng: Rng
) -> tuple[Bodies, str, str | None]:
    """The bodies with the element of the thread (`own` are its indices) in a local between them, named with
    one of `words` that is no name of the `module`; the local's name, and what the first kernel called it.
    Raises `Unfit` where a thread may end before its element can be stored.
    """
    array, type = link.then.reference, link.then.type
    taken = names_in((bodies.earlier, bodies.later)) | module
    free = [word for word in words if word not in taken]
    spare = ir.Name(rng.pick(free) if free else fresh(taken, words[0]), type)
    element = ir.Load(array, own, type)
    before = element if link.kind == "kept" else _zero(type)
    last = _only_store(bodies.later, array)
    stored_later = any(_stores(s, array) for s in statements(bodies.later))
    called = _called(bodies.earlier, array)
    if stored_later and (last is None or _may_leave(bodies.later[:last])):
        later = (
            *elements_substituted(without_returns(bodies.later), {array.name: spare}),
            ir.Assign(element, spare),
        )
        return Bodies(_held(bodies.earlier, array, spare, before), later), spare.name, called
    local, later = _received(bodies.later, last, array, spare)
    kept = element if link.kind in ("kept", "stored") and not stored_later else None
    return Bodies(_held(bodies.earlier, array, local, before, kept), later), local.name, called


def _called(earlier: Body, array: ir.Name) -> str | None:
    """The local that is stored in the array's element, if one is that keeps its value."""
    store = _only_store(earlier, array)
    if store is None or not isinstance(statement := earlier[store], ir.Assign):
        return None
    born = [s for s in earlier if isinstance(s, ir.Let | ir.Variable) and s.target == statement.value]
    rest = tuple(statements(earlier[store:]))
    later = changes(rest) | {name.name for s in rest for name in defined(s)}
    return born[0].target.name if born and born[0].target.name not in later else None


def _held(
    earlier: Body, array: ir.Name, local: ir.Name, before: ir.Expr, kept: ir.Load | None = None
) -> Body:
    """The first kernel's statements with a local for an element, which is stored at last if it is kept."""
    store = _only_store(earlier, array)
    if store is not None:
        return _given(earlier, store, array, local, kept is not None)
    end = () if kept is None else (ir.Assign(kept, local),)
    return (ir.Variable(local, before), *elements_substituted(earlier, {array.name: local}), *end)


def _stores(statement: ir.Stmt, array: ir.Name) -> bool:
    place = stored(statement)
    return place is not None and place.array == array


def _loads(node: object, array: ir.Name) -> int:
    return sum(isinstance(n, ir.Load) and n.array == array for n in walk(node))


def _only_store(body: Body, array: ir.Name) -> int | None:
    """Where the array's element is stored, if that is once, as a whole, on the way of every thread, and
    nothing is done with it afterwards."""
    there = [at for at, s in enumerate(body) if any(_stores(inner, array) for inner in statements((s,)))]
    if len(there) != 1:
        return None
    match body[there[0]]:
        case ir.Assign(ir.Load(), _) if not _loads(body[there[0] + 1 :], array):
            return there[0]
    return None


def _may_leave(body: Body) -> bool:
    return any(isinstance(s, ir.Return) for s in statements(body))


def _received(later: Body, store: int | None, array: ir.Name, spare: ir.Name) -> tuple[ir.Name, Body]:
    """The second kernel's statements with a local for the element: its own one, if it loads the element into
    one at first, or `spare`."""
    local = spare
    for at, statement in enumerate(later):
        match statement:
            case ir.Let(target, ir.Load(loaded, _)) | ir.Variable(target, ir.Load(loaded, _)) if (
                loaded == array
            ):
                # A variable is another value later on.
                if isinstance(statement, ir.Let) or _loads(later, array) - (store is not None) == 1:
                    local, later = target, _dropped(later, at)
                break
    put = {array.name: local}
    made: list[ir.Stmt] = []
    for statement in later:
        if isinstance(statement, ir.Assign) and _stores(statement, array):
            made.append(replace(statement, value=elements_substituted(statement.value, put)))
        else:
            made.append(elements_substituted(statement, put))
    return local, tuple(made)


def _given(earlier: Body, store: int, array: ir.Name, local: ir.Name, kept: bool) -> Body:
    """The first kernel's statements with what it stores in a local, the one it has if there is one."""
    statement = earlier[store]
    assert isinstance(statement, ir.Assign)
    value = statement.value
    called = _called(earlier, array)
    if called is not None:
        return renamed(earlier if kept else _dropped(earlier, store), {called: local.name})
    kept_too = (replace(statement, value=local),) if kept else ()
    return (*earlier[:store], ir.Let(local, value), *kept_too, *earlier[store + 1 :])


def _dropped(body: Body, at: int) -> Body:
    """The statements without one, and without the comments that go with it."""
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
    raise Unfit("a result that is stored here and there begins as no zero")


# ---- returns


def without_returns(body: Body) -> Body:
    """The statements with what comes after ``if outside: return`` in its other branch. Raises `Unfit` where a
    thread ends in another way."""
    made = tuple(_joined(body))
    if _may_leave(made):
        raise Unfit("a thread of the first one ends early")
    return made


def _joined(body: Body) -> Iterator[ir.Stmt]:
    for at, statement in enumerate(body):
        match statement:
            case ir.If(condition, (*before, ir.Return()), orelse):
                rest = tuple(_joined((*orelse, *body[at + 1 :])))
                if not all(isinstance(s, ir.Comment) for s in before):
                    yield ir.If(condition, tuple(before), rest)
                elif rest:  # comments describe a branch that is gone
                    # What does not end in finite numbers is no kernel.
                    yield ir.If(negated(condition, finite=True), rest)
                return
            case ir.Return():
                return
        yield statement
