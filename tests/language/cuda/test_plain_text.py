"""Plain CUDA as text: a rule of the renderer each, and the traps."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from toys.constructs import PROGRAMS

from warp_ir_dataset.language import ir
from warp_ir_dataset.language.cuda.refusals import NoPlainForm
from warp_ir_dataset.language.cuda.render import PlainCuda, render
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.types import BOOL, FLOAT, INT, Scalar

ARRAYS = "a: wp.array(dtype=float), o: wp.array(dtype=float)"


def plain(body: str, arguments: str = ARRAYS, above: str = "") -> PlainCuda:
    """The kernel ``k`` of these lines, behind ``i = wp.tid()``, in plain CUDA."""
    lines = indent(dedent(body).strip(), "    ")
    source = (
        f"import warp as wp\n{dedent(above)}\n@wp.kernel\ndef k({arguments}):\n    i = wp.tid()\n{lines}\n"
    )
    return render(read(source, kernel="k"))


def line(body: str, arguments: str = ARRAYS, above: str = "") -> str:
    """The last statement of the kernel."""
    return plain(body, arguments, above).completion.rstrip().split("\n")[-2].strip()


def of(type: str, text: str) -> str:
    """A value of operands ``x[i]``, ``y[i]`` and ``z[i]`` of one type, as it is stored."""
    arrays = ", ".join(f"{name}: wp.array(dtype={type})" for name in ("x", "y", "z", "o"))
    return line(f"o[i] = {text}", arrays).removeprefix("o[i] = ").removesuffix(";")


# ---- the kernel


def test_one_thread_does_one_item_and_the_rest_returns() -> None:
    assert plain("o[i] = a[i] * 2.0").completion == dedent("""\
        __global__ void k(int n, const float* a, float* o)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n)
                return;
            o[i] = a[i] * 2.0f;
        }
        """)


def test_several_dimensions_are_counted_out_of_one_number() -> None:
    text = render(PROGRAMS["a launch of three dimensions"]).completion
    for part in (
        "if (thread >= n0 * n1 * n2)",
        "int i = thread / (n1 * n2);",
        "int j = thread / n2 % n1;",
        "int k = thread % n2;",
        "a[(i * a_dim1 + j) * a_dim2 + k] * b[k * b_cols + j]",
    ):
        assert part in text, part


def test_a_kernel_that_asks_for_its_index_late() -> None:
    source = """
        import warp as wp

        @wp.kernel
        def k(o: wp.array(dtype=int), limit: int):
            double = limit * 2
            i = wp.tid()
            o[i] = double
        """
    text = render(read(dedent(source))).completion
    assert "int thread = blockIdx.x * blockDim.x + threadIdx.x;\n    if (thread >= n)\n" in text
    assert "int i = thread;" in text and "int double_ = limit * 2;" in text


def test_const_is_what_nobody_writes() -> None:
    text = plain("wp.atomic_add(s, 0, a[i])\no[i] = a[i]", f"{ARRAYS}, s: wp.array(dtype=float)").completion
    assert "(int n, const float* a, float* o, float* s)" in text
    assert "__restrict__" not in text  # a launch may give one array twice


def test_sizes_are_parameters_where_they_are_needed() -> None:
    two = "a: wp.array2d(dtype=float), o: wp.array(dtype=float)"
    assert "const float* a, int a_cols, float* o)" in plain("o[i] = a[i, 1]", two).completion
    asked = plain("o[i] = float(a.shape[0] + o.shape[0])", two).completion
    assert "const float* a, int a_rows, float* o, int o_size)" in asked


def test_comments_and_the_docstring_stay() -> None:
    text = render(PROGRAMS["print, assert, pass and comments"]).completion
    assert text.startswith("// Tell what comes in.\n__global__")
    assert "    // What comes in is never negative,\n    // and never large.\n    assert(" in text
    assert "o[i] = a[i] * sinf(a[i]);  // done" in text


def test_a_backslash_does_not_join_the_next_line() -> None:
    assert "// to C:\\ .\n" in plain("# to C:\\\no[i] = a[i]").completion


# ---- numbers


@pytest.mark.parametrize(
    ("type", "text", "wanted"),
    [
        ("float", "wp.sqrt(x[i])", "sqrtf(x[i])"),
        ("wp.float64", "wp.sqrt(x[i])", "sqrt(x[i])"),
        ("float", "x[i] % y[i]", "fmodf(x[i], y[i])"),
        ("int", "x[i] % y[i]", "x[i] % y[i]"),
        ("int", "x[i] // y[i]", "floor_div(x[i], y[i])"),
        ("wp.uint32", "x[i] // y[i]", "x[i] / y[i]"),
        ("float", "x[i] // y[i]", "floor_ratio(x[i], y[i])"),
        ("float", "x[i] ** y[i]", "powf(x[i], y[i])"),
        ("float", "wp.min(x[i], y[i])", "fminf(x[i], y[i])"),
        ("wp.float64", "wp.max(x[i], y[i])", "fmax(x[i], y[i])"),
        ("int", "wp.min(x[i], y[i])", "min(x[i], y[i])"),
        ("float", "wp.abs(x[i])", "fabsf(x[i])"),
        ("int", "wp.abs(x[i])", "abs(x[i])"),
        ("float", "wp.sign(x[i])", "sign(x[i])"),
        ("float", "wp.where(x[i] < y[i], x[i], z[i])", "x[i] < y[i] ? x[i] : z[i]"),
        ("float", "x[i] if x[i] < y[i] else z[i]", "x[i] < y[i] ? x[i] : z[i]"),
        ("float", "wp.div_approx(x[i], y[i])", "x[i] / y[i]"),
        ("wp.int8", "x[i] + y[i] * z[i]", "int8_t(x[i] + int8_t(y[i] * z[i]))"),
        ("wp.uint16", "~x[i]", "uint16_t(~x[i])"),
        ("wp.int64", "x[i] + wp.int64(3)", "x[i] + int64_t(3)"),
        ("wp.uint32", "x[i] * wp.uint32(2654435761)", "x[i] * 2654435761u"),
        ("wp.float64", "x[i] * wp.float64(0.1)", "x[i] * 0.1"),
        ("float", "x[i] * 1.0e-6", "x[i] * 1e-6f"),
        ("float", "x[i] * wp.PI", "x[i] * PI"),
        ("wp.vec3", "wp.cross(x[i], y[i]) * 2.0", "cross(x[i], y[i]) * 2.0f"),
        ("wp.vec3", "wp.vec3(1.0, 2.0, x[i][2])", "vec3{1.0f, 2.0f, x[i][2]}"),
        ("wp.vec3", "wp.vec3(0.5)", "vec3::all(0.5f)"),
        ("wp.quat", "wp.quat_inverse(x[i]) * y[i]", "quat_inverse(x[i]) * y[i]"),
    ],
)
def test_operations(type: str, text: str, wanted: str) -> None:
    assert of(type, text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(x[i] & y[i]) + z[i]", "(x[i] & y[i]) + z[i]"),
        ("x[i] & (y[i] + z[i])", "x[i] & (y[i] + z[i])"),
        ("x[i] << (y[i] - z[i])", "x[i] << (y[i] - z[i])"),
        ("x[i] - (y[i] - z[i])", "x[i] - (y[i] - z[i])"),
        ("(x[i] - y[i]) - z[i]", "x[i] - y[i] - z[i]"),
        ("-(-x[i])", "-(-x[i])"),
        ("int((x[i] & y[i]) == z[i])", "int((x[i] & y[i]) == z[i])"),
        (
            "int(x[i] < y[i] or x[i] < z[i] and y[i] < z[i])",
            "int(x[i] < y[i] || (x[i] < z[i] && y[i] < z[i]))",
        ),
        ("int(not x[i] < y[i])", "int(!(x[i] < y[i]))"),
        ("int(x[i] <= y[i] < z[i])", "int(x[i] <= y[i] && y[i] < z[i])"),
    ],
)
def test_brackets(text: str, wanted: str) -> None:
    assert of("int", text) == wanted


def test_what_does_not_fit_a_literal() -> None:
    def written(value: float, type: Scalar) -> str:
        body = (ir.ThreadIndex((ir.Name("i", INT),)), ir.Let(ir.Name("x", type), ir.Literal(value, type)))
        text = render(ir.Program(ir.Signature("k", (), (1,)), body)).completion
        return text.split(" = ")[-1].split(";")[0]

    assert written(float("inf"), FLOAT) == "INFINITY" and written(float("-inf"), FLOAT) == "-INFINITY"
    assert written(float("nan"), Scalar("float64")) == "double(NAN)"
    assert written(-(2**31), INT) == "int(-2147483647 - 1)"
    assert written(2**40, Scalar("int64")) == "int64_t(1099511627776ll)"
    assert written(2, FLOAT) == "2.0f" and written(True, BOOL) == "true"


# ---- arrays


def test_a_literal_below_zero_counts_from_the_end() -> None:
    assert line("o[i] = a[-1]") == "o[i] = a[a_size - 1];"
    assert line("o[i] = a[i, -2]", "a: wp.array2d(dtype=float), o: wp.array(dtype=float)") == (
        "o[i] = a[i * a_cols + (a_cols - 2)];"
    )
    assert line("v = wp.vec3(a[i])\no[i] = v[-1]") == "o[i] = v[2];"


def test_rows_and_slices_are_arrays_of_their_own() -> None:
    assert "Array<float, 1> row = fixed<0>(view(rows, rows_rows, rows_cols), i);" in (
        render(PROGRAMS["a row of an array"]).completion
    )
    assert "sliced<0>(view(a, a_size), 1, 7, 2)(1)" in render(PROGRAMS["slices"]).completion


def test_functions_take_arrays_that_know_their_sizes() -> None:
    text = render(PROGRAMS["functions that take arrays"]).completion
    assert "__device__ float square_of(Array<float, 1> source, int spot)" in text
    assert "copy_square(view(a, a_size), view(o, o_size), i);" in text


@pytest.mark.parametrize(
    ("type", "text", "wanted"),
    [
        ("float", "o[0] += a[i]", "atomicAdd(&o[0], a[i]);"),
        ("float", "o[0] -= a[i]", "atomicSub(&o[0], a[i]);"),
        ("int", "o[0] |= a[i]", "atomicOr(&o[0], a[i]);"),
        ("int", "o[i] *= a[i]", "o[i] *= a[i];"),
        ("int", "o[i] //= a[i]", "o[i] = floor_div(o[i], a[i]);"),
        ("wp.int8", "o[i] += a[i]", "o[i] += a[i];"),
        ("wp.vec3", "o[0] += a[i]", "atomicAdd(&o[0], a[i]);"),
        ("wp.vec3", "o[i][1] += a[i][0]", "atomicAdd(&o[i][1], a[i][0]);"),
    ],
)
def test_an_augmented_element_is_an_atomic_where_warp_makes_one(type: str, text: str, wanted: str) -> None:
    assert line(text, f"a: wp.array(dtype={type}), o: wp.array(dtype={type})") == wanted


def test_atomics_that_cuda_has_not_come_with_the_prelude() -> None:
    both = "a: wp.array(dtype={0}), o: wp.array(dtype={0})"
    own = plain("wp.atomic_max(o, 0, a[i])", both.format("int"))
    assert own.prelude == ""
    tried = plain("wp.atomic_max(o, 0, a[i])", both.format("float"))
    assert "atomicCAS(place, seen, __float_as_int(fmaxf(__int_as_float(seen), value)))" in tried.prelude
    cast = plain("wp.atomic_add(o, 0, a[i])", both.format("wp.int64"))
    assert "(long)atomicAdd((unsigned long long*)p, (unsigned long long)value)" in cast.prelude


# ---- statements


def test_loops_up_and_down() -> None:
    text = plain("""
        x = float(0.0)
        for k in range(3, -1, -1):
            x += a[k]
        for k in range(0, 8, 2):
            x += a[k]
        o[i] = x
        """).completion
    assert "for (int k = 3; k > -1; --k) {" in text and "for (int k = 0; k < 8; k += 2) {" in text


def test_a_bound_that_the_loop_changes_is_taken_once() -> None:
    text = plain("""
        n = int(a[i])
        x = float(0.0)
        for k in range(n):
            n = n - 1
            x += a[k]
        o[i] = x
        """).completion
    assert "int k_end = n;\n    for (int k = 0; k < k_end; ++k) {" in text
    assert "(int n_2, const float* a" in text and "if (i >= n_2)" in text


def test_an_index_that_the_body_assigns_does_not_steer_the_loop() -> None:
    k, x = ir.Name("k", INT), ir.Name("x", INT)
    body = (
        ir.ThreadIndex((ir.Name("i", INT),)),
        ir.Variable(x, ir.Literal(0, INT)),
        ir.For(k, ir.Literal(0, INT), ir.Literal(4, INT), 1, (ir.Accumulate(k, "+", ir.Literal(1, INT)),)),
        ir.Assign(x, k),
    )
    text = render(ir.Program(ir.Signature("kernel", (), (1,)), body)).completion
    assert "int k = {};" in text  # it is used behind the loop
    assert "for (int k_next = 0; k_next < 4; ++k_next) {\n        k = k_next;\n        k += 1;" in text


def test_a_local_of_both_arms_is_declared_above_them() -> None:
    x, a = ir.Name("x", INT), ir.Name("a", INT)
    flag = ir.Apply("lt", (a, ir.Literal(0, INT)), BOOL)
    branch = ir.If(flag, (ir.Let(x, ir.Literal(1, INT)),), (ir.Let(x, ir.Literal(2, INT)),))
    argument = ir.Argument("a", INT, "input", (), ir.Interval(0, 1))
    body = (ir.ThreadIndex((ir.Name("i", INT),)), branch, ir.Print(None, (x,)))
    text = render(ir.Program(ir.Signature("k", (argument,), (1,)), body)).completion
    assert text.index("int x = {};") < text.index("x = 1;") < text.index("x = 2;")


def test_several_results_go_to_places() -> None:
    text = render(PROGRAMS["a function of two results"]).completion
    assert "__device__ void ends(float x, float& out, float& out_2)\n{\n    out = x * 0.5f;" in text
    assert "float low, high;\n    ends(a[i], low, high);" in text


def test_functions_of_one_name_and_methods() -> None:
    text = render(PROGRAMS["overloads"]).completion
    assert "__device__ float measure(float x)" in text and "__device__ float measure(vec3 x)" in text
    assert "Spring_force(spring, a[i])" in render(PROGRAMS["a method"]).completion


def test_structs_are_declared_with_what_they_hold() -> None:
    text = render(PROGRAMS["arrays in a struct"]).completion
    assert "struct Grid {\n    float gain;\n    Array<float, 2> cells;\n    Array<float, 1> sums;\n};" in text
    assert "grid.cells(i, 1)" in text and "atomicAdd(&grid.sums(i), " in text


def test_constants_of_every_place() -> None:
    assert render(PROGRAMS["a constant of the module"]).completion.startswith("constexpr float SCALE = 2.5f;")
    vector = render(PROGRAMS["a vector that is a constant"]).completion
    assert vector.startswith("__constant__ vec3 WIND = vec3{0.5f, -1.0f, 2.0f};")
    assert "if (mode == Mode_FAST) {" in render(PROGRAMS["an enumeration"]).completion
    assert "constexpr float stretch = 1.5f;" in render(PROGRAMS["a constant of a closure"]).completion


# ---- names


@pytest.mark.parametrize("name", ["double", "signed", "template", "INFINITY", "linux", "blockIdx", "int32_t"])
def test_a_name_that_cpp_has_another_use_for(name: str) -> None:
    found = plain(f"o[i] = {name}[i]", f"{name}: wp.array(dtype=float), o: wp.array(dtype=float)")
    assert f"const float* {name}_, float* o)" in found.completion
    assert f"o[i] = {name}_[i];" in found.completion


def test_a_local_does_not_hide_what_the_text_calls() -> None:
    hidden = "length = wp.length(wp.vec3(a[i]))\no[i] = length"
    assert "float length_ = length(vec3::all(a[i]));" in plain(hidden).completion
    assert "float length = a[i];" in plain("length = a[i]\no[i] = length").completion
    assert "float sinf_ = sinf(a[i]);" in plain("sinf = wp.sin(a[i])\no[i] = sinf").completion


def test_a_function_is_not_one_of_the_library() -> None:
    above = """
        @wp.func
        def lerp(a: float, b: float, t: float):
            return a + b * t

        @wp.func
        def gamma(x: float):
            return x
        """
    text = plain("o[i] = lerp(gamma(a[i]), 2.0, wp.lerp(a[i], 1.0, 0.5))", above=above).completion
    assert "__device__ float lerp_(float a, float b, float t)" in text and "lerp(a[i], 1.0f, 0.5f)" in text
    assert "__device__ float gamma_(float x)" in text


# ---- what is refused


def test_half_precision_is_named() -> None:
    with pytest.raises(NoPlainForm, match=r"^float16 "):
        render(PROGRAMS["half precision"])


def test_an_operation_without_a_piece_is_named() -> None:
    arguments = ", ".join(f"{name}: wp.array(dtype=wp.vec3)" for name in "abcdef")
    with pytest.raises(NoPlainForm, match=r"^intersect_tri_tri "):
        plain(
            "o[i] = wp.intersect_tri_tri(a[i], b[i], c[i], d[i], e[i], f[i])",
            f"{arguments}, o: wp.array(dtype=int)",
        )


WRITES = """
    @wp.func
    def bump(o: wp.array(dtype=float), i: int):
        o[i] = o[i] + 1.0
        return o[i]
    """


def test_a_call_with_effects_stands_alone_or_is_refused() -> None:
    assert line("o[i] = bump(o, i) * 2.0", above=WRITES) == "o[i] = bump(view(o, o_size), i) * 2.0f;"
    for text in ("bump(o, i) + o[i]", "wp.where(a[i] > 0.0, bump(o, i), 0.0)", "bump(o, i) - bump(o, 0)"):
        with pytest.raises(NoPlainForm, match=r"\bbump\b.*effects"):
            plain(f"o[i] = {text}", above=WRITES)
