"""The counter of constructs finds each where it is, and nowhere else."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import constructs as counter
from constructs import ASKED, constructs

BODY = """
import warp as wp
@wp.kernel
def k(a: wp.array[float], m: wp.array2d[float], n: int, v: wp.array[wp.vec3], c: wp.array[int]):
    i = wp.tid()
"""
FUNCTION = """
import warp as wp
@wp.func
def f({}):
{}
@wp.kernel
def k(a: wp.array[float]):
    i = wp.tid()
    a[i] = 1.0
"""
STRUCTS = """
@wp.struct
class Inner:
    size: float
    parts: wp.array[int]
@wp.struct
class Outer:
    inner: Inner
    count: int
    @wp.func
    def area(self: Any) -> float:
        return self.count
"""
# What is found in the statements of a kernel.
IN_BODY = [
    ("a[i] = a[i] + 1.0", set()),
    ("a[i] += 1.0", {"a[i] += x"}),
    ("x = a[i]\nx += 1.0", set()),
    ("x = v[i]\nx[0] += 1.0", {"v[i] = x"}),
    ("x = v[i]\nx[0] = x.y", {"v[i] = x", "v.x"}),
    ("x = v[i]\nx *= 2.0", {"*="}),
    ("x = a[i] ** 2.0", {"**"}),
    ("x = wp.mat33()\nx[0, 1] = wp.PI", {"matrix constructor", "m[i, j] = x", "wp.PI and kin"}),
    ("m[i, 0] = wp.inf", set()),
    ("x = wp.identity(n=3, dtype=float)", {"identity", "keyword argument"}),
    ("if 0.0 < a[i] < 1.0 and n > 3:\n    pass", {"chained comparison", "pass"}),
    ("x = wp.float32(n) + float(n)", {"wp.float32(x)"}),
    ("x = wp.static(3)\ny = type(x)(2)", {"wp.static", "type(x)(...)"}),
    ("row = m[i]\nrow[0] = 1.0", {"view"}),
    ("row = m[i, 1:]\nrow[0] = 1.0", {"slice"}),
    ("j, p, q = wp.tid()", {"three thread indices"}),
    ("j, p, q, r = wp.tid()", {"four thread indices"}),
    ("x, y = wp.min(v[i])", {"tuple unpacking"}),
    ("for j in range(n):\n    a[j] = 0.0", set()),
    ("for j in range(c[i]):\n    a[j] = 0.0", {"loop bound from an element or a member"}),
    ("end = c[i] + 1\nfor j in range(0, end):\n    a[j] = 0.0", {"loop bound from an element or a member"}),
    ("for j in range(a.shape[0]):\n    a[j] = 0.0", set()),
    ("while True:\n    break", {"while True"}),
    ("while n > 1:\n    break", set()),
    ('wp.printf("%d", n)\nprint(n)', {"wp.printf"}),
    ("x = wp.atomic_exch(c, i, 1)\ny = wp.atomic_cas(c, i, 0, 1)", {"wp.atomic_exch", "wp.atomic_cas"}),
    ("s = wp.rand_init(n)\nx = wp.noise(s, a[i])", {"random numbers", "noise"}),
    ("t = wp.transform(v[i], wp.quat_identity())", {"transform", "quaternion", "identity"}),
]
# What is found in a module with one function: its parameters and its body.
IN_FUNCTION = [
    ("x: float", "return x", set()),
    ("x: Any", "return x", {"parameter of any type"}),
    ("x: wp.array(dtype=Any, ndim=2)", "return x[0, 0]", {"array of any type", "function takes an array"}),
    ("x: float", "y = x", {"function returns nothing"}),
    ("x: float", "return x, x", {"function returns several values"}),
    ("q: wp.quat", "return q", {"quaternion"}),
]


def body(text: str, before: str = "", arguments: str = "") -> str:
    head = BODY.replace("@wp.kernel", f"{before}\n@wp.kernel").replace("):\n", f"{arguments}):\n")
    return head + textwrap.indent(text, "    ") + "\n"


@pytest.mark.parametrize(("text", "found"), IN_BODY)
def test_in_a_body(text, found):
    assert constructs(body(text)) == found


@pytest.mark.parametrize(("parameters", "text", "found"), IN_FUNCTION)
def test_in_a_function(parameters, text, found):
    assert constructs(FUNCTION.format(parameters, textwrap.indent(text, "    "))) == found


def test_in_structs():
    used = constructs(body("a[i] = o.inner.size + Outer.area(o)", STRUCTS, ", o: Outer"))
    assert used == {"struct as argument", "member of a member", "method of a struct"}
    used = constructs(body("for j in range(o[i].count):\n    a[j] = 1.0", STRUCTS, ", o: wp.array[Outer]"))
    assert used == {"array of structs", "loop bound from an element or a member"}


def test_constants_by_where_they_stand():
    enumeration = "from enum import IntEnum\nclass Mode(IntEnum):\n    FAST = 1\n"
    assert constructs(body("a[i] = float(Mode.FAST)", enumeration)) == {"enumeration"}
    assert constructs(body("a[i] = G", "G = wp.constant(2.0)")) == {"constant of the module"}
    assert constructs(body("a[i] = 1.0", "G = wp.constant(2.0)")) == set()
    kernel = "@wp.kernel\ndef k(a: wp.array[float]):\n    a[wp.tid()] = G\n"
    closure = (
        f"import warp as wp\ndef create():\n    G = 2.0\n{textwrap.indent(kernel, '    ')}    return k\n"
    )
    assert constructs(closure) == {"constant of a closure"}


def test_every_construct_is_found_somewhere():
    found = set().union(*(found for _, found in IN_BODY), *(found for _, _, found in IN_FUNCTION))
    of_structs = {"struct as argument", "member of a member", "method of a struct", "array of structs"}
    assert set(ASKED) == found | of_structs | {
        "enumeration", "constant of the module", "constant of a closure"
    }  # fmt: skip


def test_the_command_says_what_is_short(tmp_path, monkeypatch, capsys):
    everything = body("\n".join(text for text, _ in IN_BODY))
    for rows, status in ((counter.ROWS, 1), (3, 0)):
        pq.write_table(pa.table({"python_source": [everything] * rows}), tmp_path / "rows.parquet")
        monkeypatch.setattr(sys, "argv", ["constructs.py", str(tmp_path / "rows.parquet")])
        monkeypatch.setattr(counter, "constructs", lambda text: {"**", "pass"})
        assert counter.main() == status
    printed = capsys.readouterr().out
    assert "5000.0  **\n" in printed
    assert "0.0  *=  (asked: 20)" in printed


def test_what_is_no_file_of_rows_is_told_in_a_line(tmp_path, monkeypatch, capsys):
    for named, told in (
        (tmp_path, f"{tmp_path} is a folder: name the files in it"),
        ("gone.parquet", "no Parquet"),
    ):
        monkeypatch.setattr(sys, "argv", ["constructs.py", str(named)])
        with pytest.raises(SystemExit) as ended:
            counter.main()
        assert ended.value.code == 2 and told in capsys.readouterr().err
