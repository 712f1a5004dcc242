"""Kernels of anybody's modules: their source, alone in a module, is what Warp makes the same code of."""

from __future__ import annotations

import importlib.util
import json
import linecache
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp
from toys import foreign
from warp._src.types import scalar_types

from warp_ir_dataset import extract_ir
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.compilers.extracting.definitions import Definitions
from warp_ir_dataset.compilers.extracting.extract import Extraction, Parameter
from warp_ir_dataset.compilers.extracting.same import anonymous
from warp_ir_dataset.compilers.warp import translate

pytestmark = pytest.mark.compile

KERNELS = {
    "everything": foreign.everything,
    "unrolled": foreign.unrolled,
    "in a function": foreign.make(2.5, foreign.cubed),
    "in a class": foreign.Solver.step,
    "of types given": wp.overload(foreign.generic, [wp.array(dtype=wp.float64), wp.array(dtype=wp.float64)]),
    "forward only": foreign.forward_only,
    "tiled": foreign.tiled,
    "not in ASCII": foreign.énergie,
}


@pytest.fixture(scope="module")
def extracted() -> dict[str, Extraction]:
    return {name: extract_ir(kernel, arch=None) for name, kernel in KERNELS.items()}


@pytest.mark.parametrize("name", KERNELS)
def test_nothing_is_missing_but_what_was_not_asked_for(extracted, name):
    assert extracted[name].missing == {"ptx": "not asked for", "ptx_backward": "not asked for"}


@pytest.mark.parametrize("name", KERNELS)
def test_the_code_is_that_of_the_source(extracted, name):
    """In a process that has seen nothing else of the module."""
    found = extracted[name]
    script = (
        "import sys, json\n"
        "from warp_ir_dataset.compilers.warp import translate\n"
        "source, name = json.load(sys.stdin)\n"
        "one = translate(source, name, backward=False, cuda=False)\n"
        "two = translate(source, name, backward=True, cuda=True)\n"
        "print(json.dumps([one.cpu, two.cuda]))"
    )
    given = json.dumps([found.python_source, found.name])
    done = subprocess.run([sys.executable, "-c", script], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [found.cpp, found.cuda_backward]


def test_a_source_reads_as_it_was_written(extracted):
    source = extracted["everything"].python_source
    assert source is not None
    for kept in (
        '"""Uses what a module can hold."""',
        "    # The comment stays.",
        "return x * x  # of any type",
        "class Mode(enum.IntEnum):",
        "class Limits:\n    LARGEST = 3.5",
        "WIDTH = 4",
        "import math\n",
        "wp.sin(x[i]) + math.pi",
        "AXIS = wp.vec3(0.0, 1.0, 0.0)",
        "vec5 = wp.types.vector(length=5, dtype=float)",
        "@wp.func_grad(gated)",
        "@wp.func_replay(logged)",
        '@wp.func_native(snippet="""return x + 1.0f;""", adj_snippet="""adj_x += adj_ret;""")',
        "x: wp.array(dtype=float)",
    ):
        assert kept in source
    assert "cubed" not in source and "unrolled" not in source


def test_one_name_may_mean_two_things(extracted):
    source = extracted["in a function"].python_source
    assert source is not None
    assert "out[i] = cubed(x[i]) * factor + scaled(x[i])" in source and "factor = 2.5" in source


def test_types_given_stand_in_the_source(extracted):
    source = extracted["of types given"].python_source
    assert source is not None and "def generic(x: wp.array[wp.float64], out: wp.array[wp.float64]):" in source


def test_an_annotation_is_what_it_meant():
    one, two = (extract_ir(kernel, arch=None) for kernel in foreign.counting())
    assert one.python_source is not None and two.python_source is not None
    assert "x: wp.array[float]," in one.python_source and one.signature[0].ndim == 1
    assert two.signature[0].ndim == 2


def test_a_type_keeps_the_name_that_its_annotation_gives_it(tmp_path):
    """It is not defined under a name of ours too, and one that is written out there gets no name."""
    path = tmp_path / "names_of_types.py"
    path.write_text(
        "import warp as wp\n"
        "Stencil = wp.types.vector(length=5, dtype=float)\n"
        "@wp.func\n"
        "def turned(s: Stencil) -> Stencil:\n"
        "    return -s\n"
        "@wp.kernel\n"
        "def gather(s: Stencil, m: wp.types.matrix(shape=(2, 3), dtype=float), x: wp.array(dtype=float)):\n"
        "    x[wp.tid()] = turned(s)[0] + m[0, 0]\n"
    )
    source = extract_ir(from_file(path).gather, arch=None).python_source
    assert source is not None
    assert "Stencil = wp.types.vector(length=5, dtype=float)" in source
    assert "def turned(s: Stencil) -> Stencil:" in source and "vec5" not in source
    assert "def gather(s: Stencil, m: wp.types.matrix(shape=(2, 3), dtype=float)," in source
    assert "mat23" not in source


def test_a_type_whose_name_is_gone_gets_one_of_ours(tmp_path):
    path = tmp_path / "names_that_are_gone.py"
    path.write_text(
        "import warp as wp\n"
        "Stencil = wp.types.vector(length=5, dtype=float)\n"
        "@wp.kernel\n"
        "def gather(s: Stencil, x: wp.array(dtype=float)):\n"
        "    x[wp.tid()] = s[0]\n"
        "del Stencil\n"
    )
    source = extract_ir(from_file(path).gather, arch=None).python_source
    assert source is not None
    assert "vec5 = wp.types.vector(length=5, dtype=float)" in source and "def gather(s: vec5," in source


def test_a_default_is_what_it_was(tmp_path):
    path = tmp_path / "defaults_of_ours.py"
    path.write_text(
        "import warp as wp\n"
        "LIMIT = float('inf')\n"
        "@wp.func\n"
        "def capped(x: float, most: float = LIMIT, least: float = -1.0):\n"
        "    return wp.max(wp.min(x, most), least)\n"
        "LIMIT = float('nan')\n"
        "@wp.kernel\n"
        "def cap(x: wp.array(dtype=float)):\n"
        "    x[wp.tid()] = capped(x[wp.tid()])\n"
    )
    found = extract_ir(from_file(path).cap, arch=None)
    assert found.python_source is not None
    assert 'most: float = wp.static(float("inf")), least: float = -1.0' in found.python_source.replace(
        'most: float = float("inf")', 'most: float = wp.static(float("inf"))'
    )


def test_a_name_is_that_of_the_source(extracted):
    found = extracted["not in ASCII"]
    assert found.name == "énergie" and "def énergie(" in (found.python_source or "")


def test_values_of_static_expressions_take_their_place(extracted):
    source = extracted["unrolled"].python_source
    assert source is not None
    assert "range(3)" in source and "wp.static(-1.4142135623730951)" in source
    assert "TABLE = (0.5, -0.25, 0.125)" in source and "wp.static(TABLE[k])" in source


def roles(found: Extraction) -> dict[str, str]:
    return {parameter.name: parameter.role for parameter in found.signature}


def test_a_signature_says_what_a_kernel_does_with_its_arguments(extracted):
    assert extracted["in a function"].signature == (
        Parameter("x", "float32", 1, "input"),
        Parameter("out", "float32", 1, "output"),
    )
    assert roles(extracted["in a class"]) == {"x": "inout", "dt": "input"}


def test_roles_are_cautious_where_a_source_cannot_be_read(extracted):
    """Arrays that are written may have been read before; those in structs, or in tiles, may be written."""
    assert roles(extracted["everything"]) == dict.fromkeys(("balls", "x", "out", "ball"), "inout")
    assert roles(extracted["tiled"]) == {"x": "inout", "out": "inout"}


def test_ptx_is_the_kernels_own():
    found = extract_ir(foreign.Solver.step, arch="sm_90")
    assert found.missing == {} and found.arch == "sm_90"
    assert found.ptx is not None and found.ptx_backward is not None
    assert ".target sm_90" in found.ptx and ".entry step_cuda_kernel_forward(" in found.ptx
    assert ".entry step_cuda_kernel_backward(" in found.ptx_backward


def test_a_kernel_is_left_as_it_was():
    kernel, module = foreign.forward_only, foreign.forward_only.module
    before = dict(module.options), dict(kernel.options), kernel.hash, dict(vars(kernel.adj)), wp.config.mode
    registered = set(wp._src.context.user_modules)
    extract_ir(kernel, arch=None)
    assert before == (
        dict(module.options),
        dict(kernel.options),
        kernel.hash,
        dict(vars(kernel.adj)),
        wp.config.mode,
    )
    assert set(wp._src.context.user_modules) == registered


PROCESS = """
import sys
import warp as wp
from warp_ir_dataset import extract_ir

def make():
    @wp.func
    def f(x: float):
        return x + {plus}
    @wp.kernel
    def k(x: wp.array(dtype=float)):
        x[wp.tid()] = f(x[wp.tid()])
    return k

level = wp.config.log_level
one = make()
extract_ir(one, arch=None)
assert wp.config.log_level == level and "caches_of_mine" in wp.config.kernel_cache_dir
mine = wp.get_module("kernel")
two = make()
extract_ir(two, arch=None)
assert wp.get_module("kernel") is mine
x = wp.zeros(2, dtype=float, device="cpu")
wp.launch(one, 2, inputs=[x], device="cpu")
wp.launch(two, 2, inputs=[x], device="cpu")
print(x.numpy().tolist())
"""


@pytest.mark.process
def test_what_a_process_does_afterwards_is_as_before(tmp_path):
    """Launches, names of functions and of modules, caches and settings."""
    script = tmp_path / "mine.py"
    script.write_text(PROCESS.replace("{plus}", "1.0"))
    own = {"PYTHONPATH": str(Path(__file__).parents[2]), "WARP_CACHE_PATH": str(tmp_path / "caches_of_mine")}
    environment = {**os.environ, **own}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[2.0, 2.0]"


def test_settings_of_a_process_do_not_change_the_text(monkeypatch):
    usual = extract_ir(foreign.unrolled, arch=None)
    monkeypatch.setattr(wp.config, "mode", "debug")
    monkeypatch.setattr(wp.config, "line_directives", True)
    assert extract_ir(foreign.unrolled, arch=None) == usual


def test_an_option_that_decides_the_code_stands_in_the_source(monkeypatch):
    usual = extract_ir(foreign.everything, arch=None)
    monkeypatch.setitem(foreign.everything.module.options, "max_unroll", 2)
    found = extract_ir(foreign.everything, arch=None)
    # The same where it was the process's, as modules that are made later take it over.
    monkeypatch.setattr(wp.config, "max_unroll", 2)
    assert extract_ir(foreign.everything, arch=None) == found
    assert found.python_source is not None and found.cpp != usual.cpp
    assert "wp.set_module_options({'max_unroll': 2})" in found.python_source


def from_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_structs_of_two_modules_may_share_a_name(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "theirs_of_two.py").write_text(
        "import warp as wp\n"
        "@wp.struct\n"
        "class State:\n"
        "    x: float\n"
        "@wp.func\n"
        "def use(s: State):\n"
        "    return s.x\n"
    )
    path = tmp_path / "ours_of_two.py"
    path.write_text(
        "import warp as wp\n"
        "import theirs_of_two\n"
        "@wp.struct\n"
        "class State:\n"
        "    y: wp.vec2\n"
        "@wp.kernel\n"
        "def both(s: State, o: theirs_of_two.State, x: wp.array(dtype=float)):\n"
        "    x[wp.tid()] = s.y[0] + theirs_of_two.use(o)\n"
    )
    found = extract_ir(from_file(path).both, arch=None)
    assert found.python_source is not None
    assert "class State:" in found.python_source and "class State_2:" in found.python_source
    assert "struct State\n" in found.cpp and "struct State_2\n" in found.cpp


def test_a_kernel_whose_text_is_in_memory_alone(monkeypatch):
    """As in a notebook, or where `exec` made it."""
    text = (
        "import warp as wp\n"
        "GAIN = 4.0\n"
        "@wp.kernel\n"
        "def told(x: wp.array(dtype=float)):\n"
        "    x[wp.tid()] = GAIN\n"
    )
    monkeypatch.setitem(linecache.cache, "<cell 1>", (len(text), None, text.splitlines(True), "<cell 1>"))
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, "<cell 1>", "exec"), names)
    found = extract_ir(names["told"], arch=None)
    assert found.python_source is not None and "GAIN = 4.0" in found.python_source


def test_a_source_without_a_module_of_its_own_says_so(tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(
        "import warp as wp\n"
        "class Anything:\n"
        "    pass\n"
        "held = Anything()\n"
        "@wp.struct\n"
        "class Pair:\n"
        "    a: float\n"
        "    b: float\n"
        "pair = Pair()\n"
        "@wp.kernel\n"
        "def odd(x: wp.array(dtype=float)):\n"
        "    p = wp.static(pair)\n"
        "    x[wp.tid()] = p.a\n"
    )
    found = extract_ir(from_file(path).odd, arch=None)
    assert found.python_source is None
    assert found.missing["python_source"].startswith("it cannot stand alone: ")
    assert "odd_cpu_kernel_forward" in found.cpp and found.cuda and found.cuda_backward


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (foreign.squared, "extract_ir .*@wp.kernel .* squared"),
        (3, "extract_ir .*@wp.kernel .* int$"),
        (foreign.generic, r"kernel generic .*wp\.overload\("),
        (foreign.refused, "Warp .* refused: "),
    ],
    ids=["a function", "a number", "generic", "refused"],
)
def test_what_cannot_be_extracted_is_one_line(given, said):
    with pytest.raises(UserError) as caught:
        extract_ir(given, arch=None)
    assert re.search(said, str(caught.value)) and "\n" not in str(caught.value)


def test_an_unknown_architecture_is_one_line():
    with pytest.raises(UserError, match=r"NVRTC.*'sm_1'"):
        extract_ir(foreign.unrolled, arch="sm_1")


# Modules of a kernel `k`, and what its source must hold.
STANDING = {
    "a float32 of numpy's": (
        """
        EPS = wp.float32(np.finfo(np.float32).eps)
        @wp.kernel
        def k(x: wp.array(dtype=float)):
            x[wp.tid()] = wp.max(x[wp.tid()], EPS)
        """,
        "EPS = wp.float32(1.1920929e-07)\n",
    ),
    "a number of Python's own in a table": (
        """
        TABLE = (np.float32(0.1), np.float32(0.2))
        @wp.kernel
        def k(x: wp.array(dtype=float)):
            for n in range(2):
                x[n] = wp.static(float(TABLE[n]))
        """,
        "TABLE = (0.10000000149011612, 0.20000000298023224)\n",
    ),
    "a function hung on another": (
        """
        @wp.func
        def centre(x: float):
            return x * 0.5
        @wp.func
        def _fallback(x: float):
            return x * 0.25
        @wp.struct
        class Pair:
            a: float
        centre.fallback = _fallback
        centre.Pair = Pair
        @wp.kernel
        def k(x: wp.array(dtype=float)):
            p = centre.Pair()
            x[wp.tid()] = centre.fallback(centre(x[wp.tid()])) + p.a
        """,
        "p = Pair()\n    x[wp.tid()] = _fallback(centre(x[wp.tid()])) + p.a\n",
    ),
    "a function in an enumeration": (
        """
        class Mode(enum.IntEnum):
            SLOW = 0
            FAST = 1
            def speed(self):
                return 2.0 * self
            @staticmethod
            @wp.func
            def is_fast(mode: int):
                return mode == 1
        @wp.kernel
        def k(x: wp.array(dtype=float), mode: int):
            if Mode.is_fast(mode) or mode == Mode.SLOW:
                x[wp.tid()] = wp.static(Mode.FAST.speed())
        """,
        "    if is_fast(mode) or mode == Mode.SLOW:\n        x[wp.tid()] = 2.0\n",
    ),
    "a function in a vector's type": (
        """
        class Yield(wp.types.vector(length=6, dtype=float)):
            @wp.func
            def of(a: float):
                return Yield(a, 1.0, 2.0, 3.0, 4.0, 5.0)
        @wp.kernel
        def k(x: wp.array(dtype=float)):
            y = Yield.of(x[wp.tid()])
            x[wp.tid()] = y[0]
        """,
        "    y = of(x[wp.tid()])\n",
    ),
    "an assertion of what gets another name": (
        """
        @wp.kernel
        def k(x: wp.array(dtype=wp.vec3)):
            i = wp.tid()
            assert wp.norm_l2(x[i]) > 0.0, "too short"
            x[i] = wp.normalize(x[i])
        """,
        '    assert norm_l2(x[i]) > 0.0, "too short"\n',
    ),
    "static values of what is defined below": (
        """
        @wp.kernel
        def k(x: wp.array(dtype=float)):
            x[wp.tid()] = wp.static(below)(x[wp.tid()]) * wp.static(python(3)) + wp.static(HELD["gain"])
        @wp.func
        def below(x: float):
            return x + 1.0
        def python(n):
            return n * 0.5
        HELD = {"gain": 2.0}
        """,
        "    x[wp.tid()] = below(x[wp.tid()]) * 1.5 + 2.0\n",
    ),
    "functions of other libraries that Warp takes for its own": (
        """
        from math import radians as turned
        @wp.kernel
        def k(x: wp.array(dtype=float)):
            i = wp.tid()
            x[i] = math.radians(x[i]) + np.sin(x[i]) + np.float32(i) + max(x[i], math.pi)
        """,
        "    x[i] = wp.radians(x[i]) + wp.sin(x[i]) + wp.float32(i) + max(x[i], math.pi)\n",
    ),
}


@pytest.mark.parametrize("name", STANDING)
def test_a_source_stands_alone_whatever_its_module_is_made_with(tmp_path, name):
    text, held = STANDING[name]
    path = tmp_path / f"standing_{list(STANDING).index(name)}.py"
    head = "import enum\nimport math\nimport numpy as np\nimport warp as wp\n"
    path.write_text(head + textwrap.dedent(text))
    found = extract_ir(from_file(path).k, arch=None)
    assert found.missing == {"ptx": "not asked for", "ptx_backward": "not asked for"}
    assert held in (found.python_source or "")


@pytest.mark.parametrize("kind", sorted({kind.__name__ for kind in scalar_types} & np.sctypeDict.keys()))
def test_a_number_of_numpys_is_as_long_as_its_type(kind):
    """Warp takes one only in a number of its own."""
    value = getattr(np, kind)(1.1 if kind.startswith("float") else 101)
    constant = getattr(wp, kind)(value)

    @wp.kernel
    def k(x: wp.array(dtype=float)):
        x[wp.tid()] = float(constant)

    source = extract_ir(k, arch=None).python_source
    assert source is not None and f"constant = wp.{kind}({value!s})\n" in source


# ---- names


def test_names_avoid_what_is_something_else_where_they_are_used():
    definitions = Definitions()
    one = definitions.complete(definitions.begin("a", "scale"), "1")
    two = definitions.complete(definitions.begin("b", "scale"), "2")
    three = definitions.complete(definitions.begin("c", "range"), "3")
    definitions.used_among(f"x = {one}", {"scale"})
    names, _ = definitions.module()
    assert names == {one: "scale_2", two: "scale", three: "range_2"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("float a = b + 1;", "float c = d + 1;", True),
        ("a = a + b;", "a = b + b;", False),
        ("x = wp::add(a, b);", "x = wp::sub(a, b);", False),
        ("x = 1.0;", "x = 2.0;", False),
        ('f("assert wp.g(a)", a);', 'f("assert g(a)", a);', True),
        ('f("assert a", a);', 'f("other a", a);', False),
        ("x = 1u;", "x = 1;", True),
        ("x = 1e+10;", "x = 10000000000.0;", True),
        ("x = 1e+10;", "x = 1e-10;", False),
        ("x = 1.0f;", "x = 1.0;", False),
        ("x = 1.0;", "x = 1;", False),
        ("a;\n// a comment\n", "a;", True),
        ("wp::float x;", "wp::float32 x;", True),
        ("wp::float64 x;", "wp::float32 x;", False),
        ("return a;", "goto a;", False),
        ("x = INFINITY;", "x = NAN;", False),
        ("x = true;", "x = false;", False),
    ],
)
def test_texts_are_the_same_but_for_names(one, other, same):
    assert (anonymous(one) == anonymous(other)) == same


def test_the_comparison_would_notice_another_source(extracted):
    found = extracted["unrolled"]
    assert found.python_source is not None
    changed = found.python_source.replace("0.125", "0.25")
    code = translate(changed, found.name, backward=False, cuda=False).cpu
    assert anonymous(code) != anonymous(found.cpp)
