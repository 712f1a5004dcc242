"""The tree's own meaning: it agrees with Warp, and it sees what is degenerate."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace

import numpy as np
import pytest
from toys import texts
from toys.kernels.plain import BODIES, CASES, Case
from toys.programs import THREAD, argument, kernel, name, number, op, read, write

from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.common.outcomes import Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis import interpreter
from warp_ir_dataset.language.analysis.degenerate import is_degenerate
from warp_ir_dataset.language.analysis.interpreter import NonTerminating, interpret
from warp_ir_dataset.language.operations.bounds import first
from warp_ir_dataset.language.operations.meanings import atomically
from warp_ir_dataset.language.operations.row import row as table_row
from warp_ir_dataset.language.operations.table import TABLE
from warp_ir_dataset.language.python import read as python_read
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Array, Matrix, Scalar, Struct, numpy_type
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

A, B, OUT = argument("a"), argument("b"), argument("o", "output")


def outputs(program, **inputs):
    arrays = {key: np.asarray(value)[None] for key, value in inputs.items()}
    return {key: value[0] for key, value in interpret(program, arrays, 1).items()}


def test_break_continue_and_return():
    k, total = name("k", INT), name("total")
    skip = ir.If(op("eq", k, number(1, INT), type=BOOL), (ir.Continue(),))
    stop = ir.If(op("gt", k, number(3, INT), type=BOOL), (ir.Break(),))
    loop = ir.For(k, number(0, INT), number(8, INT), 1, (skip, stop, ir.Accumulate(total, "+", read("a"))))
    leave = ir.If(op("eq", THREAD, number(2, INT), type=BOOL), (ir.Return(),))
    program = kernel(ir.Variable(total, number(0.0)), loop, leave, write("o", total), arguments=(A, OUT))
    values = np.arange(8.0)
    expected = 3 * values
    expected[2] = 0
    assert np.array_equal(outputs(program, a=values)["o"], expected)


@pytest.mark.parametrize("statement", ["print(put(o, i, a[i]))", "assert put(o, i, a[i]) > 0.0"])
def test_a_function_that_is_called_in_a_print_or_an_assertion_stores(statement):
    source = f"""
import warp as wp

@wp.func
def put(o: wp.array(dtype=float), i: int, x: float) -> float:
    o[i] = x
    return x

@wp.kernel
def k(a: wp.array(dtype=float), o: wp.array(dtype=float)):
    i = wp.tid()
    {statement}
"""
    signature = kernel(write("o", read("a")), arguments=(A, OUT)).signature
    values = np.arange(1.0, 9.0)
    assert np.array_equal(
        outputs(python_read.read(source, replace(signature, name="k")), a=values)["o"], values
    )


def test_atomics_and_while():
    n = name("n", INT)
    step = (ir.Accumulate(n, "+", number(1, INT)),)
    count = ir.While(op("lt", n, THREAD, type=BOOL), step)
    add = ir.Do(op("atomic_add", ir.Name("o", Array(FLOAT, 1)), number(0, INT), op("to_float", n)))
    program = kernel(
        ir.Variable(n, number(0, INT)), count, add, arguments=(A, argument("o", "output", shape=(1,)))
    )
    assert outputs(program, a=np.ones(8))["o"][0] == sum(range(8))


def test_a_loop_that_does_not_end_is_told():
    forever = ir.While(op("gt", read("a"), number(0.0), type=BOOL), (write("o", read("a")),))
    program = kernel(forever, arguments=(A, OUT))
    with pytest.raises(NonTerminating, match="64"):
        outputs(program, a=np.ones(8))
    assert np.array_equal(outputs(program, a=np.zeros(8))["o"], np.zeros(8))
    assert is_degenerate(program, "x")


@pytest.mark.parametrize(
    ("value", "degenerate"),
    [
        (op("add", read("a"), read("b")), False),
        (op("sub", read("a"), read("a")), True),  # zero
        (op("mul", read("b"), number(0.0)), True),
        (op("max", read("a"), op("add", read("b"), number(9.0))), True),  # a never matters
        (op("mul", op("add", read("a"), read("b")), number(1e-3)), True),  # near zero
        (op("mul", op("add", read("a"), read("b")), number(1e-2)), False),
        (number(3.0), True),
        (op("div", read("a"), op("sub", read("b"), read("b"))), True),  # not finite
    ],
)
def test_degenerate(value, degenerate):
    assert is_degenerate(kernel(write("o", value), arguments=(A, B, OUT)), "x") is degenerate


# ---- the whole plain language

SETS = 4
UINT = Scalar("uint32")


def drawn(program, seed=0, sets=SETS):
    """Inputs by leaf; zeros for outputs."""
    rng, given = np.random.default_rng(seed), {}
    for a in program.arguments:
        for leaf in a.leaves:
            shape, (low, high) = (sets, *leaf.shape, *leaf.type.shape), (leaf.domain.lo, leaf.domain.hi)
            if a.role == "output":
                wide = leaf.type.scalar == "uint64"
                given[leaf.name] = np.zeros(
                    shape, float if leaf.type.is_float else np.uint64 if wide else int
                )
            elif leaf.type.is_float:
                given[leaf.name] = rng.uniform(low, high, shape)
            else:
                given[leaf.name] = rng.integers(int(low), int(high) + 1, shape)
    return given


def agree(found, expected, tolerance):
    """Whole numbers are equal or not."""
    if found.dtype.kind != "f":
        return np.array_equal(found, expected)
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.fixture
def launches(monkeypatch):
    """Whether threads ran side by side, launch by launch."""
    seen = []
    launch = interpreter._launch

    def watched(program, inputs, sets, together, *more):
        seen.append(together)
        return launch(program, inputs, sets, together, *more)

    monkeypatch.setattr(interpreter, "_launch", watched)
    return seen


@pytest.mark.parametrize("case", CASES)
def test_python_computes_the_same(case, launches):
    program = CASES[case].program()
    given = drawn(program)
    found = interpret(program, given, SETS)
    assert found and set(found) <= set(given)
    for number_ in range(SETS):
        expected = {key: values[number_].copy() for key, values in given.items()}
        CASES[case].plain(expected)
        for key, values in found.items():
            assert agree(values[number_], expected[key], 1e-9), key
    # Threads run one after another if they conflict, and one input at a time if it decides which arrays are
    # used.
    in_order = [False] if case in ("compacted", "prefix", "matrices", "views") else []
    assert launches == [True, *([False] * (1 + SETS) if case == "chosen" else in_order)]


def test_inputs_are_left_alone():
    program = CASES["prefix"].program()
    given = drawn(program)
    before = {key: values.copy() for key, values in given.items()}
    interpret(program, given, SETS)
    assert all(np.array_equal(given[key], values) for key, values in before.items())


@pytest.mark.parametrize(
    ("line", "together"),
    [
        ("o[i] = o[i] + a[i]", True),
        ("o[i] = o[i] + o[(i + 1) % 8]", False),
        ("o[7 - i] = o[7 - i] * a[i]", True),
        ("o[i // 2] = o[i // 2] * a[i]", False),
        ("o[i // 2] += a[i]", True),
        ("o[i // 2] *= a[i]", False),
        ("o[i // 2] = a[i]", True),
        ("bodies[i].x = bodies[(i + 1) % 8].inner.v[0]", True),
        ("bodies[i].x = bodies[(i + 1) % 8].x", False),
        ("bodies[i] = bodies[7 - i]", False),
        ("wp.atomic_add(o, 0, a[i])\n    wp.atomic_max(o, 0, a[i])", False),
        ("wp.atomic_add(o, 0, a[i])\n    o[1] -= a[i]\n    o[0] -= 1.0", True),
        ("o[i] = a[i]\n    o[8] += a[i]", True),
        ("o[i] = a[i]\n    o[8] += o[i // 2]", False),
        ("o[i] = a[i]\n    o[i] += o[8]", True),
        ("for k in range(4):\n        o[i % 4] = o[i % 4] + float(k)", False),
    ],
)
def test_threads_that_meet_run_in_order(line, together, launches):
    source = f"""{BODIES}
@wp.kernel
def k(a: wp.array(dtype=float), o: wp.array(dtype=float), bodies: wp.array(dtype=Body)):
    i = wp.tid()
    {line}
"""
    program = Case(source, lambda arrays: None, {"a": (8,), "o": (9,), "bodies": (8,)}).program()
    given = drawn(program)
    given = {leaf.name: given[leaf.name] for a in program.arguments for leaf in a.leaves}
    interpret(program, given, SETS)
    assert launches == ([True] if together else [True, False])


def test_what_goes_wrong_only_side_by_side_is_run_in_order():
    """Each thread finds where to write in what the one before it has left."""
    o, at = ir.Name("o", Array(INT, 1)), name("at", INT)
    slot = ir.Load(o, (number(0, INT),), INT)
    program = kernel(
        ir.Let(at, slot),
        ir.Assign(slot, op("add", op("mul", at, number(2, INT), type=INT), number(1, INT), type=INT)),
        ir.While(op("ne", at, slot, type=BOOL), (ir.Break(),)),
        ir.If(
            op("lt", THREAD, number(4, INT), type=BOOL),
            (ir.Assign(ir.Load(o, (op("sub", slot, at, type=INT),), INT), THREAD),),
        ),
        arguments=(argument("o", "inout", type=INT, shape=(9,)),),
    )
    expected = np.zeros(9, int)
    for i in range(8):
        before = expected[0]
        expected[0] = before * 2 + 1
        if i < 4:
            expected[expected[0] - before] = i
    assert np.array_equal(outputs(program, o=np.zeros(9, int))["o"], expected)


@pytest.mark.parametrize("index", [op("add", THREAD, number(1, INT), type=INT), number(-9, INT)])
def test_an_index_outside_is_told(index):
    with pytest.raises(IndexError):
        outputs(kernel(write("o", read("a", index=index)), arguments=(A, OUT)), a=np.ones(8))
    with pytest.raises(IndexError):
        outputs(kernel(write("o", read("a"), index), arguments=(A, OUT)), a=np.ones(8))


def test_an_index_outside_a_view_is_told():
    array = ir.Name("a", Array(FLOAT, 1))
    part = ir.View(array, (ir.Slice(number(2, INT), number(5, INT), None),), Array(FLOAT, 1))
    for index, inside in ((-3, True), (2, True), (3, False), (-4, False)):
        program = kernel(write("o", ir.Load(part, (number(index, INT),), FLOAT)), arguments=(A, OUT))
        if inside:
            assert outputs(program, a=np.arange(8.0))["o"][0] == np.arange(8.0)[2:5][index]
        else:
            with pytest.raises(IndexError):
                outputs(program, a=np.arange(8.0))


def test_a_matrix_without_an_inverse_disturbs_only_its_own_thread():
    mat = Matrix("float32", 2, 2)
    stored = ir.If(
        op("gt", op("determinant", read("m", mat)), number(0.5), type=BOOL),
        (write("o", op("inverse", read("m", mat), type=mat)),),
    )
    program = kernel(stored, arguments=(argument("m", type=mat), argument("o", "output", type=mat)))
    values = np.stack([np.eye(2) * (i % 2) * 4 for i in range(8)])
    assert np.array_equal(outputs(program, m=values)["o"], values / 16)


WAYS_AROUND = {
    "a branch": "if i > 0:\n    k = int(0)\n    while k < 3:\n        x = x * 2.0 + v[i][k]\n        k += 1",
    "a start": "k = 3 if i == 0 else 0\np = v[i]\nwhile k < 3:\n    x = x * 2.0 + p[k]\n    k += 1",
}


@pytest.mark.parametrize("way", WAYS_AROUND)
def test_a_component_is_that_of_each_threads_index(way):
    """Where the first thread goes round a loop, its index stays behind, or is none of the vector's."""
    program = texts.program(f"x = float(0.0)\n{WAYS_AROUND[way]}\no[i] = x")
    vectors = np.arange(24.0).reshape(8, 3)
    expected = vectors @ (4.0, 2.0, 1.0)
    expected[0] = 0
    assert np.array_equal(outputs(program, v=vectors)["o"], expected)


def test_bare_truth_in_arrays():
    flags = ir.Name("f", Array(BOOL, 1))
    flag = ir.Load(flags, (THREAD,), BOOL)
    program = kernel(
        ir.If(flag, (write("o", number(2.0)),), (write("o", number(3.0)),)),
        ir.Assign(flag, op("not", flag, type=BOOL)),
        arguments=(argument("f", "inout", type=BOOL), OUT),
    )
    values = np.arange(8) % 3 == 0
    found = outputs(program, f=values)
    assert np.array_equal(found["o"], np.where(values, 2.0, 3.0))
    assert np.array_equal(found["f"], ~values)


def test_unsigned_elements_wrap_below_zero():
    less = ir.Accumulate(ir.Load(ir.Name("o", Array(UINT, 1)), (number(0, INT),), UINT), "-", read("a", UINT))
    local = ir.Accumulate(name("x", UINT), "-", number(9, UINT))
    program = kernel(
        ir.Variable(name("x", UINT), read("a", UINT)),
        local,
        write("q", name("x", UINT)),
        less,
        arguments=tuple(
            argument(n, r, type=UINT) for n, r in (("a", "input"), ("q", "output"), ("o", "inout"))
        ),
    )
    found = outputs(program, a=np.arange(8), o=np.full(8, 5))
    assert found["o"][0] == 2**32 - 23
    assert found["q"].tolist() == [(i - 9) % 2**32 for i in range(8)]


def test_the_loop_variable_keeps_its_last_value():
    k = name("k", INT)
    leave = ir.If(op("eq", k, number(2, INT), type=BOOL), (ir.Break(),))
    program = kernel(
        ir.For(k, number(0, INT), THREAD, 1, (leave,)),
        ir.If(op("gt", THREAD, number(0, INT), type=BOOL), (write("o", k),)),
        arguments=(argument("o", "output", type=INT),),
    )
    assert outputs(program)["o"].tolist() == [0, 0, 1, 2, 2, 2, 2, 2]


def test_a_local_born_in_a_loop_is_that_of_each_threads_last_iteration():
    k, x = name("k", INT), name("x")
    body = (
        ir.Let(x, op("to_float", k)),
        ir.If(op("eq", k, THREAD, type=BOOL), (ir.Break(),)),
    )
    program = kernel(ir.For(k, number(0, INT), number(5, INT), 1, body), write("o", x), arguments=(OUT,))
    assert outputs(program)["o"].tolist() == [0, 1, 2, 3, 4, 4, 4, 4]


# ---- effects


def test_atomics_that_compare_and_exchange(monkeypatch, launches):
    """A lock-free stack: what each thread finds is what the one before it left."""
    exchange = table_row(
        "exchange(&array<D,I>, int32*D, I) -> I", "x", first, atomically(lambda old, new: new)
    )
    compared = table_row(
        "compared(&array<D,I>, int32*D, I, I) -> I",
        "x",
        first,
        atomically(lambda old, wanted, new: np.where(old == wanted, new, old)),
    )
    monkeypatch.setitem(TABLE, "exchange", exchange)
    monkeypatch.setitem(TABLE, "compared", compared)
    o = ir.Name("o", Array(INT, 1))
    swapped = ir.Apply("exchange", (o, number(0, INT), THREAD), INT)
    found = ir.Apply("compared", (o, number(1, INT), name("before", INT), THREAD), INT)
    program = kernel(
        ir.Let(name("before", INT), swapped),
        ir.If(
            op("ne", THREAD, number(3, INT), type=BOOL),
            (ir.Assign(ir.Load(ir.Name("q", Array(INT, 1)), (THREAD,), INT), found),),
        ),
        ir.Do(ir.Apply("exchange", (o, number(2, INT), THREAD), INT)),
        arguments=(argument("o", "inout", type=INT, shape=(3,)), argument("q", "output", type=INT)),
    )
    start, q = np.array([6, 0, 0]), np.zeros(8, int)
    result = outputs(program, o=start)
    for i in range(8):
        before, start[0] = start[0], i
        if i != 3:
            q[i] = start[1]
            start[1] = i if start[1] == before else start[1]
        start[2] = i
    assert np.array_equal(result["o"], start) and np.array_equal(result["q"], q)
    assert launches == [True, False]


def test_random_states_change(monkeypatch, launches):
    """A generator's row gives the number and the state behind it: that of the threads that ask for one."""

    def step(type, state):
        after = state * 5 + 1
        return after % 2**32 % 1000 / 1000.0, after

    monkeypatch.setitem(TABLE, "uniform", table_row("uniform(&uint32) -> float32", "x", first, step))
    state, x = name("state", UINT), name("x")
    call = ir.Apply("uniform", (state,), FLOAT)
    program = kernel(
        ir.Variable(state, read("a", UINT)),
        ir.Variable(x, call),
        ir.If(op("gt", THREAD, number(3, INT), type=BOOL), (ir.Assign(x, call),)),
        ir.Do(call),
        write("o", x),
        write("s", state),
        arguments=(argument("a", type=UINT), OUT, argument("s", "output", type=UINT)),
    )
    seeds = np.arange(8) * 10**9 % 2**32
    found = outputs(program, a=seeds)
    for i, seed in enumerate(seeds.tolist()):
        states = [seed]
        for _ in range(3):
            states.append((states[-1] * 5 + 1) % 2**32)
        asked = 2 if i > 3 else 1
        assert found["s"][i] == states[asked + 1], i
        assert found["o"][i] == states[asked] % 1000 / 1000, i
    assert launches == [True]


def test_structs_are_degenerate_by_argument():
    body = Struct("Body", (("x", FLOAT), ("spare", FLOAT)))
    bodies = ir.Name("a", Array(body, 1))
    value = ir.Member(ir.Load(bodies, (THREAD,), body), "x", FLOAT)
    arguments = (argument("a", type=body), OUT)
    doubled = op("mul", value, number(2.0))
    assert not is_degenerate(kernel(write("o", doubled), arguments=arguments), "x")
    assert is_degenerate(kernel(write("o", number(2.0)), arguments=arguments), "x")


# ---- against Warp


def launched(case, inputs, folder):
    """Outputs of Warp's CPU device for one input."""
    import warp as wp

    path = folder / f"{case.launch}.py"
    path.write_text(case.text)
    spec = importlib.util.spec_from_file_location(f"plain_{folder.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    wp.set_module_options({"enable_backward": False}, module)
    program = case.program()
    kernel_ = getattr(module, program.name)
    stored = {}
    given = [
        value_for_warp(a.reference.type, declared.type, a.name, a, inputs, stored)
        for a, declared in zip(program.arguments, kernel_.adj.args, strict=True)
    ]
    wp.launch(kernel_, case.launch, inputs=given, device="cpu")
    found = {}
    for leaf, (array, path_) in stored.items():
        values = array.numpy()
        for part in path_:
            values = values[part]
        found[leaf] = values
    return found


def value_for_warp(type, declared, path, argument_, inputs, stored):
    """A value of Warp for an argument or its member; `stored` gets the arrays, and where in them leaves
    are."""
    import warp as wp

    if not isinstance(type, (Array, Struct)):
        plain = np.asarray(inputs[path], numpy_type(type))
        return plain.item() if not type.shape else declared(*plain.ravel().tolist())
    if isinstance(type, Struct):
        value = declared()
        for member, inner in type.members:
            of = getattr(declared.vars[member], "type", None)
            setattr(value, member, value_for_warp(inner, of, f"{path}.{member}", argument_, inputs, stored))
        return value
    leaves = [leaf for leaf in argument_.leaves if f"{leaf.name}.".startswith(f"{path}.")]
    if not isinstance(type.element, Struct):
        array = wp.array(
            np.asarray(inputs[path], numpy_type(type.element)), dtype=declared.dtype, device="cpu"
        )
        stored[path] = (array, ())
        return array
    memory = np.zeros(argument_.shape, declared.dtype.numpy_dtype())
    places = {leaf.name: leaf.name.removeprefix(f"{path}.").split(".") for leaf in leaves}
    for leaf, place in places.items():
        target = memory
        for part in place:
            target = target[part]
        target[...] = inputs[leaf]
    array = wp.array(memory, dtype=declared.dtype, device="cpu")
    stored.update({leaf: (array, place) for leaf, place in places.items()})
    return array


@pytest.mark.compile
@pytest.mark.parametrize("case", CASES)
def test_warp_computes_the_same_of_the_plain_language(case, tmp_path):
    program = CASES[case].program()
    given = drawn(program, seed=1, sets=1)
    found = interpret(program, given, 1)
    warps = launched(CASES[case], {key: values[0] for key, values in given.items()}, tmp_path)
    assert found
    for key, values in found.items():
        assert agree(values[0], warps[key], 1e-4), key


@pytest.mark.compile
@pytest.mark.parametrize("category", RANDOM_KINDS)
def test_warp_computes_the_same(category):
    from warp_ir_dataset.builds.produce import produce

    candidates = [Candidate(address_of(11, category, number)) for number in range(20)]
    compared = 0
    for candidate, row in zip(
        candidates, produce(candidates, "cpu", "sm_80", lambda place: None), strict=True
    ):
        if isinstance(row, Rejected):
            continue
        for example in json.loads(row["examples"]):
            found = outputs(sample(candidate.address).program, **example["inputs"])
            for key, value in example["outputs"].items():
                expected = np.asarray(value, float)
                scale = np.abs(expected).max() + 1e-6
                assert np.allclose(found[key], expected, rtol=1e-2, atol=1e-2 * scale), candidate.address
        compared += 1
    assert compared >= 18
