"""Modules that are executed as the project writes them, and those that Warp or Python takes otherwise."""

from __future__ import annotations

import ast

import pytest
from toys.judged import python_answer, row_at

from warp_ir_dataset.judge.python.rewritable import is_rewritable
from warp_ir_dataset.judge.verdict import Status

HEAD = "import warp as wp\n"


def k(
    body: str,
    args: str = "a: wp.array[float], n: int",
    head: str = "",
    deco: str = "@wp.kernel",
    after: str = "",
) -> str:
    return (
        HEAD
        + head
        + f"{deco}\ndef k({args}):\n"
        + "".join(f"    {line}\n" for line in body.split("\n"))
        + after
    )


PLAIN = {
    "plain": k("i = wp.tid()\na[i] = a[i] * 2.0"),
    "sum": k("s = float(0.0)\nfor j in range(n):\n    s += a[j]\na[0] = s"),
    "unpack": k("i, j = wp.tid()\na[i] = float(j)"),
    "const": k("a[0] = N", head="N = 3.0\n"),
    "wconst": k("a[0] = N", head="N = wp.constant(-3.0)\n"),
    "func": k("a[0] = f(a[1])", head="@wp.func\ndef f(x: float) -> float:\n    return x\n"),
    "struct": k(
        "a[0] = s.m",
        "s: S, a: wp.array(dtype=float)",
        head="@wp.struct\nclass S:\n    m: float\n    v: wp.vec3\n",
    ),
    "doc": '"""Doc."""\n' + k('"""What."""\na[0] = 0.1'),
    "alias": k(
        "v = V(1.0, 2.0, 3.0, 4.0, 5.0)\na[0] = v[0]",
        head="V = wp.types.vector(length=5, dtype=wp.float32)\n",
    ),
    "launch": k(
        "a[0] = 1.0",
        after="import numpy as np\na = wp.zeros(3)\nwp.launch(k, dim=3, inputs=[a, 1])\nprint(a.numpy())\n",
    ),
    "main": k("a[0] = 1.0", after="if __name__ == '__main__':\n    wp.launch(k, dim=3)\n"),
    "not": k("if not (n > 3):\n    a[0] = 1.0"),
    "where": k("a[0] = wp.where(n > 3, 1.0, 2.0)"),
    "assert": k("assert n > 0, 'x'\na[0] = 1.0"),
}
OTHER = {
    "swap": k("x, y = a[0], a[1]\na[0] = y\na[1] = x"),
    "lit": k("x, y = 0.0, 1.0\na[0] = x + y"),
    "pi": k("x = wp.pi\nfor j in range(n):\n    x += 1.0\na[0] = x"),
    "zero": k("x = 0.0\nfor j in range(n):\n    x += 1.0\na[0] = x"),
    "neg": k("x = - -1.0\nfor j in range(n):\n    x += 1.0\na[0] = x"),
    "static": k("x = wp.static(1.0)\na[0] = x"),
    "modconst": k("x = N\nfor j in range(n):\n    x += 1.0\na[0] = x", head="N = 1.0\n"),
    "vec3d": k("a[0] = float(wp.vec3d(0.1, 0.1, 0.2)[0])"),
    "notf": k("f = a[0]\nif not f:\n    a[0] = 1.0"),
    "ifexp": k("a[0] = 1.0 if a[1] else 2.0"),
    "wheref": k("a[0] = wp.where(a[1], 1.0, 2.0)"),
    "default": k("a[0] = f(1.0)", head="@wp.func\ndef f(x: float, y: float = 1):\n    return x + y\n"),
    "overload": k(
        "a[0] = f(1.0)",
        head="@wp.func\ndef f(x: float):\n    return x\n@wp.func\ndef f(x: int):\n    return x\n",
    ),
    "later": k("a[0] = 1.0", "v: V, a: wp.array[float]", after="V = wp.vec3\n"),
    "laterconst": k("a[0] = A", head="A = B\nB = 3.0\n"),
    "numpy": k("a[0] = N", head="import numpy as np\nN = np.sqrt(2.0)\n"),
    "enum": k("a[0] = float(M.A)", head="import enum\nclass M(enum.IntFlag):\n    A = enum.auto()\n"),
    "mutated": k("a[0] = V[0]", head="V = wp.vec3(1.0, 2.0, 3.0)\nV[0] = 5.0\n"),
    "walrus": k("a[0] = N", head="N = 5.0\nM = (N := 6.0)\n"),
    "match": k("a[0] = N", head="N = 5.0\nmatch 6.0:\n    case N:\n        pass\n"),
    "rebind": k("a[0] = N", head="N = 5.0\nif __name__ != '__main__':\n    N = 7.0\n"),
    "star": k("a[0] = N", head="from math import *\nN = 8.0\n"),
    "kfunc": k("a[0] = 1.0", deco="@wp.func\n@wp.kernel"),
    "kopt": k("a[0] = 1.0", deco="@wp.kernel(foo=3)"),
    "returns": (HEAD + "@wp.kernel\ndef k(a: wp.array[float], n: int) -> float:\n    a[0] = 1.0\n"),
    "noreturn": k("a[0] = 1.0\nf(1.0)", head="@wp.func\ndef f(a: float) -> float:\n    b = a\n"),
    "constant": k("x = wp.constant(5.0)\na[0] = x"),
    "types": k("v = wp.types.vector(length=3, dtype=float)(1.0, 2.0, 3.0)\na[0] = v[0]"),
    "array1": k("a[0] = 1.0", "a: wp.array1(dtype=float), n: int"),
    "array2dn": k("a[0] = 1.0", "a: wp.array2d(dtype=float, ndim=1), n: int"),
    "vec3i": k("a[0] = float(V[0])", head="V = wp.vec3i(1.5, 2.5, 3.5)\n"),
    "half": k("h = wp.float16(a[0])\nif h == 0.1:\n    a[0] = 1.0"),
    "method": k(
        "a[0] = Foo.bar(1.0)", head="class Foo:\n    @wp.func\n    def bar(x: float):\n        return x\n"
    ),
    "wp": "import warp as w\n@w.kernel\ndef k(a: w.array[float], n: int):\n    wp = n\n    a[0] = 1.0\n",
    "float": k("a[0] = float(1)", head="float = wp.float64\n"),
    "int": k("int = float\na[0] = int(n)"),
    "percent": k('print("100%s")'),
    "forelse": k("for j in range(n):\n    a[j] = 1.0\nelse:\n    a[0] = 2.0"),
    "typestr": k("a[0] = 1.0", "a: 'wp.array[float]', n: int"),
    "two": k("a[0] = 1.0", after="def k():\n    pass\n"),
    "alias01": k(
        "v = V(0.1, 2.0)\na[0] = float(v[0])", head="V = wp.types.vector(length=2, dtype=wp.float64)\n"
    ),
    "wpbound": k("a[0] = 1.0", head="wp = wp\n"),
}


@pytest.mark.parametrize("what", PLAIN)
def test_the_plainest_is_written_anew(what: str) -> None:
    assert is_rewritable(ast.parse(PLAIN[what]), "k")


@pytest.mark.parametrize("what", OTHER)
def test_all_else_is_executed_as_it_stands(what: str) -> None:
    assert not is_rewritable(ast.parse(OTHER[what]), "k")


ONE = "V = wp.vec3d(1.0, 2.0, 3.0)\n"
FLOAT = "flag = float(0.0)\n    if not flag:\n        results[i] ="
TWICE = """
@wp.func
def f(x: wp.float64):
    return wp.float64(0.0)

@wp.func
def f(x: wp.float64, y: float = 1.0):
    return wp.cosh(x)
"""


# Each was scored as right when it was read as it was meant.
@pytest.mark.compile
@pytest.mark.parametrize(
    ("module", "value", "store", "status"),
    [
        (f"{ONE}V[0] = 0.0\n", "wp.cosh(data[i]) * V[0]", "results[i] =", Status.WRONG_OUTPUT),
        ("", "wp.cosh(data[i])", FLOAT, Status.COMPILE_ERROR),
        (TWICE, "f(data[i])", "results[i] =", Status.WRONG_OUTPUT),
    ],
)
def test_what_warp_makes_of_an_answer_counts(
    judge, module: str, value: str, store: str, status: Status
) -> None:
    answer = python_answer(module, value, executed=False).replace("results[i] =", store)
    assert judge(row_at("spec_to_warp"), answer).status is status
