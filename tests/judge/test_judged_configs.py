"""Every config: a row's own answer is right, and one that is wrong in one place is not."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from toys.judged import program_at, row_at

from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.judge.hidden import expect
from warp_ir_dataset.judge.question import question_of
from warp_ir_dataset.judge.verdict import Status
from warp_ir_dataset.language.analysis.threads.order import order_dependent
from warp_ir_dataset.language.cuda.render import render
from warp_ir_dataset.language.types import INT

pytestmark = [pytest.mark.process, pytest.mark.compile]

JUDGED = ("cpu", "cuda", "cuda_backward", "warp_to_cuda", "spec_to_warp", "repair")
# Rows of several kinds: structs, in-place arrays, vectors, matrices, atomics, branches, two indices,
# purposes.
PLACES = [
    ("math", 1), ("math", 3), ("vector", 1), ("matrix", 2), ("atomic", 3), ("control_flow", 141),
    ("nested_loop", 4), ("relaxation", 0, "jacobi_poisson_sweep"), ("tables", 1, "piecewise_curve"),
]  # fmt: skip


@pytest.mark.parametrize("config", JUDGED)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_rows_own_answer_is_right(judge, config, place):
    row = row_at(config, *place)
    verdict = judge(row, f"```\n{row['completion']}```")
    assert (verdict.status, verdict.value) == (Status.CORRECT, 1.0), verdict.feedback


STORE = "wp::array_store(var_results, var_0, var_2);"
OUTPUT, REFUSED, GRADIENT = Status.WRONG_OUTPUT, Status.COMPILE_ERROR, Status.WRONG_GRADIENT

EDITS = {
    "nothing is stored": (STORE, "", OUTPUT),
    "another function": ("= wp::cosh(", "= wp::sinh(", OUTPUT),
    "one element is left out": (STORE, f"if (var_0 != 3) {STORE}", OUTPUT),
    "the neighbour's element": ("var_1 = wp::address(var_data, var_0)",
                                "var_1 = wp::address(var_data, var_0 ? var_0 - 1 : 0)", OUTPUT),
    "one index too far": (STORE, "wp::array_store(var_results, var_0 + 1, var_2);", Status.CRASH),
    "not a number": (STORE, "wp::array_store(var_results, var_0, wp::sqrt(-var_2));", Status.NOT_FINITE),
    "a typing error": (STORE, "wp::array_stor(var_results, var_0, var_2);", REFUSED),
    "another name": ("_forward(", "_forwards(", REFUSED),
    "barely wrong": (STORE, "wp::array_store(var_results, var_0, var_2 * 1.0000000001);", OUTPUT),
}  # fmt: skip


@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward"])
@pytest.mark.parametrize("edit", EDITS)
def test_one_wrong_place_is_enough(judge, config, edit):
    row, (old, new, status) = row_at(config), EDITS[edit]
    assert old in row["completion"]
    if status is Status.CRASH and config != "cpu":  # the machine never does what leaves an array
        status = OUTPUT
    verdict = judge(row, row["completion"].replace(old, new))
    assert (verdict.status, verdict.value) == (status, 0.0)


ADJOINT = "wp::adj_cosh(var_3, adj_1, adj_2);"
ADDED = "wp::adj_address(var_data, var_0, adj_data, adj_0, adj_1);"
ADJOINTS = {
    "a gradient that is stored": (ADDED, "var_data.grad[var_0] = adj_1;", GRADIENT),
    "stored where nothing is": (
        ADDED,
        "if (var_data.grad[var_0] == 0.0) var_data.grad[var_0] = adj_1;",
        GRADIENT,
    ),
    "a gradient that arrives is cut": (ADJOINT, f"adj_2 = wp::clamp(adj_2, -1.0, 1.0); {ADJOINT}", GRADIENT),
    "not a number where none arrives": (
        ADJOINT,
        f"adj_2 = adj_2 * adj_2 / adj_2; {ADJOINT}",
        Status.NOT_FINITE,
    ),
    "a tenth of what is there is lost": (ADDED, f"var_data.grad[var_0] *= 0.9; {ADDED}", GRADIENT),
    "added to less than a thousand": (
        ADDED,
        f"if (wp::abs(var_data.grad[var_0]) < 1000.0) {ADDED}",
        GRADIENT,
    ),
    "mended with what is there": (
        ADDED,
        "var_data.grad[var_0] += var_data.grad[var_0] != 0.0 ? 4.0 * var_data.grad[var_0] : 0.27 * adj_1;",
        GRADIENT,
    ),
    "no gradient": (ADJOINT, "", GRADIENT),
    "twice the gradient": (ADJOINT, 2 * ADJOINT, GRADIENT),
    "not a number": (ADJOINT, "adj_1 += wp::sqrt(-var_3 * var_3 - 1.0);", Status.NOT_FINITE),
    "no adjoint": ("_cuda_kernel_backward(", "_cuda_kernel_other(", REFUSED),
    "the adjoint spoils an output": (ADJOINT, f"{ADJOINT} var_results.data[0] = 0.0;", OUTPUT),
    "it spoils a gradient that arrives": (ADDED, f"{ADDED} adj_results.data[var_0] = 12345.0;", GRADIENT),
}


@pytest.mark.parametrize("edit", ADJOINTS)
def test_a_wrong_adjoint_is_no_answer(judge, edit):
    row, (old, new, status) = row_at("cuda_backward"), ADJOINTS[edit]
    assert old in row["completion"]
    verdict = judge(row, row["completion"].replace(old, new))
    assert (verdict.status, verdict.value) == (status, 0.0)


def passes(row: dict[str, Any]) -> tuple[str, str]:
    """The texts of a row's forward pass and of its adjoint."""
    entry = 'extern "C" __global__ void '
    forward, adjoint = row["completion"].split(entry)[1:]
    return entry + forward, entry + adjoint


def test_an_adjoint_does_not_do_the_work_of_the_forward_pass(judge):
    forward, adjoint = passes(row_at("cuda_backward"))
    assert STORE in forward and f"// {STORE}" in adjoint
    late = forward.replace(STORE, "") + adjoint.replace(f"// {STORE}", STORE)
    assert judge(row_at("cuda_backward"), late).status is OUTPUT


def test_a_forward_pass_and_its_adjoint_share_the_arrays_alone(judge):
    forward, adjoint = passes(row_at("cuda_backward"))
    loaded = "var_3 = wp::load(var_1);"
    assert loaded in forward and loaded in adjoint
    kept = forward.replace(loaded, f"{loaded} kept[_idx] = var_3;")
    for other in (adjoint, adjoint.replace(loaded, "var_3 = kept[_idx];")):
        text = f"__device__ double kept[4096];\n{kept}{other}"
        assert judge(row_at("cuda_backward"), text).status is REFUSED
    early = forward.replace(STORE, f"{STORE} var_data.grad[var_0] += 0.0;")
    assert judge(row_at("cuda_backward"), early + adjoint).status is OUTPUT


def test_a_gradient_that_is_added_in_other_words_is_right(judge):
    row = row_at("cuda_backward")
    assert judge(row, row["completion"].replace(ADDED, "var_data.grad[var_0] += adj_1;")).value == 1.0


def slots(config: str) -> dict[str, Any]:
    """A row whose threads take slots from an atomic counter, for whole numbers."""
    places = (("gathering", number, "stream_compaction") for number in range(150))
    return next(
        row_at(config, *place)
        for place in places
        if order_dependent(kernel := program_at(*place))
        and all(a.type == INT for a in kernel.arguments if a.role != "input")
    )


def test_an_answer_may_hand_out_slots_in_another_order(judge):
    row = slots("cuda")  # and threads come last to first in every other case
    assert expect(question_of(row, CONFIGS["cuda"]), 0).unordered
    assert judge(row, row["completion"]).status is Status.CORRECT
    others = re.sub(r"(wp::array_store\(.*), (\w+)\);", r"\1, \2 + 1);", row["completion"])
    assert others != row["completion"] and judge(row, others).status is OUTPUT


def test_what_belongs_to_one_slot_stays_together(judge):
    """A hash table's keys and what is kept for each: only those that collide may change places."""
    row = row_at("spec_to_warp", "checksums", 1, "hash_table_insert")
    kept = "wp.atomic_max(largest, slot,"
    assert kept in row["completion"]
    elsewhere = row["completion"].replace("probe = int(0)", "probe = int(1)")
    assert elsewhere != row["completion"]
    for answer, status in (
        (row["completion"], Status.CORRECT),
        (elsewhere, OUTPUT),
        (row["completion"].replace(kept, "wp.atomic_max(largest, (slot + 1) % room,"), OUTPUT),
    ):
        assert judge(row, answer).status is status


@pytest.mark.parametrize(
    ("number", "kept", "wrong"),
    [
        (11, "kept[slot] = items[i]", "kept[i] = items[i]"),
        (2, "packed[block, at]", "packed[packed.shape[0] - 1 - block, at]"),
    ],
)
def test_only_what_another_order_moves_may_lie_elsewhere(judge, number: int, kept: str, wrong: str):
    """Slots are those that the counter hands out, of each block its own."""
    row = row_at("spec_to_warp", "gathering", number, "stream_compaction")
    code = row["completion"]
    assert kept in code and "i = wp.tid()\n" in code
    for turn in ("items.shape[0] - 1 - wp.tid()", "(wp.tid() * (items.shape[0] - 1) + 3) % items.shape[0]"):
        assert judge(row, code.replace("wp.tid()", turn)).value == 1.0
    assert judge(row, code.replace(kept, wrong)).status in (OUTPUT, Status.CRASH)


def test_what_is_right_in_one_order_of_threads_only_is_wrong(judge):
    row = row_at("cuda")
    told = "static unsigned calls = 0; if (calls++ % dim.size == _idx)"
    assert judge(row, row["completion"].replace(STORE, f"{told} {STORE}")).status is REFUSED
    turn = "if (var_0 + 1 < dim.size) wp::array_store(var_results, var_0 + 1, 0.0);"
    assert judge(row, row["completion"].replace(STORE, f"{turn} {STORE}")).status is OUTPUT
    assert judge(row, row["completion"].replace(STORE, f"if (dim.size) {STORE}")).value == 1.0


def launched(config: str, how: str) -> str:
    """The plain row's code, which is right in some grids only."""
    code = row_at(config)["completion"]
    if how == "in small blocks":
        return code.replace("threadIdx.x", "(blockDim.x > 64 ? 1u << 30 : threadIdx.x)")
    if how == "in a block of one warp":
        return code.replace("threadIdx.x", "(threadIdx.x & 31)")
    assert how == "with an idle block"
    return code.replace("blockIdx.x", "(blockIdx.x ? blockIdx.x - 1 : 1u << 20)")


EVERY_CUDA = ("cuda", "cuda_backward", "warp_to_cuda")
WAYS = ("in small blocks", "in a block of one warp", "with an idle block")
IN_GRIDS = [(config, how) for config in EVERY_CUDA for how in WAYS]


@pytest.mark.parametrize(("config", "how"), IN_GRIDS)
def test_what_is_right_in_some_grids_only_is_wrong(judge, config: str, how: str) -> None:
    assert judge(row_at(config), launched(config, how)).status is OUTPUT


def serial(name: str, *, template: str = "static") -> str:
    """A function of the host that does all of the plain row's work."""
    return (
        f"{template} void {name}(wp::launch_bounds_t<1> dim, wp::array_t<wp::float64> in,"
        " wp::array_t<wp::float64> out)\n"
        "{ for (size_t i = 0; i < dim.size; ++i) out.data[i] = wp::cosh(in.data[i]); }\n"
    )


KERNEL = f"{program_at('math', 1939787).name}_cuda_kernel_forward"
EMPTY = (
    f'extern "C" __global__ void {KERNEL}(wp::launch_bounds_t<1> dim, wp::array_t<wp::float64> in,'
    " wp::array_t<wp::float64> out) {}\n"
)
GLOBAL = 'extern "C" __global__'
ONCE = "template <typename T> static void {}(size_t size, int backwards, T thread) {{ thread(); }}\n"
ENTRY = """struct Args { wp::array_t<wp::float64> in, out; };
extern "C" void k0_cuda_forward(wp::launch_bounds_t<1>* dim, Args* args, int)
{ host(*dim, args->in, args->out); }
"""
VALUE = "#define value value + 1\n"
# A word of the entry that calls something else as well.
TWICE = """#define B0 results
#define B1 results), host(*dim, args->data, args->results
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define results JOIN(B, __COUNTER__)
"""
CONVERTED = (
    "static wp::array_t<wp::float64> in;\n"
    "struct D { D(wp::array_t<wp::float64> p) { in = p; } };\n"
    "struct R { R(wp::array_t<wp::float64> r)"
    " { for (int i = 0; i < r.shape[0]; ++i) r.data[i] = wp::cosh(in.data[i]); } };\n"
    f'extern "C" __global__ void {KERNEL}(wp::launch_bounds_t<1> dim, D data, R results) {{}}\n'
)
# Warp's array said anew, where the kernel has been declared: copying one is work on the host.
ANEW = (
    EMPTY.replace("{}", ";")
    + """}
namespace wp { template <> struct array_t<double>
{
    double *data, *grad; int shape[4], strides[4], ndim;
    array_t(const array_t& o)
    {
        static const array_t* in;
        if (in)
            for (int i = 0; i < o.shape[0]; ++i) o.data[i] = wp::cosh(in->data[i]);
        in = in ? 0 : &o;
    }
}; }
namespace other {
"""
    + EMPTY
)
HOST, NOT, MACRO = serial("host"), "not defined as __global__ void", "a macro may not have the name"

# What each makes of the row's text, and what it is told. All leave what is right where nothing holds them up.
CUDA_ATTACKS = {
    "no kernel": (lambda text: text.replace("__global__", ""), NOT),
    "a function of the host": (lambda text: text.replace(GLOBAL, "static"), NOT),
    "serial, by a grid of its own": (
        lambda text: ONCE.format("for_each_thread") + serial(KERNEL, template=""), NOT),
    "a macro for the kernel": (lambda text: f"{HOST}{EMPTY}#define {KERNEL}(...) host(__VA_ARGS__)\n", MACRO),
    "the kernel's name undone": (
        lambda text: f"{HOST}{EMPTY}#undef {KERNEL}\n#define \\\n{KERNEL} host\n", MACRO),
    "another __global__": (lambda text: f"#define __global__\n{text}", MACRO),
    "its own entry": (lambda text: f"{EMPTY}}}\n{HOST}{ENTRY}namespace other {{\n", "the output results"),
    "the grid is empty": (lambda text: f"static int empty = (gridDim.x = 0);\n{text}", "const-qualified"),
    "the thread is another one": (
        lambda text: text.replace(STORE, f"threadIdx.x += 0; {STORE}"), "const-qualified"),
    "a macro for what says whether it is a kernel": (
        lambda text: text.replace(GLOBAL, "static") + VALUE, NOT),
    "a macro of a parameter's name": (lambda text: HOST + EMPTY + TWICE, "a name made of two"),
    "parameters that convert": (lambda text: CONVERTED, f"{KERNEL}(wp::launch_bounds_t<1>, wp::array_t<"),
    "a type that is copied by the host": (lambda text: ANEW, "has a constructor or destructor that copies"),
    "a shared array": (lambda text: f"__shared__ double together[8];\n{text}", "shared memory is not judged"),
}  # fmt: skip


def is_not_rewarded(judge, row, made, told):
    verdict = judge(row, made(row["completion"]))
    statuses = [OUTPUT] if "output" in told else [REFUSED, Status.FORBIDDEN]
    assert verdict.status in statuses and verdict.value == 0.0
    assert told in verdict.feedback


@pytest.mark.parametrize("attack", CUDA_ATTACKS)
def test_no_attack_on_the_grid_is_rewarded(judge, attack):
    is_not_rewarded(judge, row_at("cuda"), *CUDA_ATTACKS[attack])


def test_the_words_that_entries_are_written_in_may_be_macros(judge):
    row = row_at("cuda")
    before = "#define args 1\n#define static_assert(...)\n#define for_each_thread(...) ((void)0)\n"
    assert judge(row, before + row["completion"]).value == 1.0
    assert judge(row, before + row["completion"].replace("__global__", "")).status is REFUSED


def test_what_an_answer_is_told_is_the_same_each_time(judge):
    """What stands around it has names that nobody can know."""
    row = row_at("cuda")
    wrong = row["completion"].replace(GLOBAL, "static").replace(KERNEL, f"{KERNEL}s", 1) + f"int {KERNEL};"
    assert judge(row, wrong) == judge(row, wrong)


def test_a_right_answer_in_other_words_is_right(judge):
    row = row_at("cuda")
    other = row["completion"].replace("= wp::cosh(var_3);", "= 0.5 * (wp::exp(var_3) + wp::exp(-var_3));")
    assert other != row["completion"]
    assert judge(row, other).value == 1.0


PLAIN_STORE = "results[idx] = cosh(data[idx]);"

PLAIN_EDITS = {
    "nothing is stored": (PLAIN_STORE, "", OUTPUT),
    "one index too far": (PLAIN_STORE, PLAIN_STORE.replace("[idx] =", "[idx + 1] ="), OUTPUT),
    "no guard": ("return;", ";", OUTPUT),
    "an input is written": (PLAIN_STORE, f"{PLAIN_STORE} ((double*)data)[idx] = 0.0;", OUTPUT),
    "not a number": ("cosh(", "sqrt(-1.0 - ", Status.NOT_FINITE),
    "a typing error": ("cosh(", "cosch(", REFUSED),
    "another name": ("__global__ void ", "__global__ void other_", REFUSED),
    "its own entry": ("__g", '} extern "C" void k0_plain(void*, void*) {} namespace x { __g', REFUSED),
    "no kernel": ("__global__ ", "", REFUSED),
    "a kernel that returns": ("__global__ void", "__global__ int", REFUSED),
    "the thread is another one": ("int idx", "threadIdx.x += 0; int idx", REFUSED),
    "a macro for the kernel": ("__g", f"#define {program_at('math', 1939787).name} other\n__g", REFUSED),
    "a macro for a function": ("__global__", "#define cosh(x) sinh(x)\n__global__", Status.WRONG_OUTPUT),
}  # fmt: skip


@pytest.mark.parametrize("edit", PLAIN_EDITS)
def test_one_wrong_place_in_plain_cuda_is_enough(judge, edit):
    row, (old, new, status) = row_at("warp_to_cuda"), PLAIN_EDITS[edit]
    assert old in row["completion"], row["completion"]
    verdict = judge(row, row["completion"].replace(old, new, 1))
    assert (verdict.status, verdict.value) == (status, 0.0), verdict.feedback


PLAIN_HOST = (
    "static void host(int n, const double* data, double* results)\n"
    "{ for (int i = 0; i < n; ++i) results[i] = cosh(data[i]); }\n"
)
PLAIN_EMPTY = "__global__ void cosh_of_values(int n, const double* data, double* results) {}\n"
CONST = "#define const const double**)(args + 0), *(double**)(args + 16)); host(20, *(const\n"
PLAIN_CONVERTED = """static int N; static const double* in;
struct A { A(int n) { N = n; } };
struct D { D(const double* p) { in = p; } };
struct R { R(double* r) { for (int i = 0; i < N; ++i) r[i] = cosh(in[i]); } };
__global__ void cosh_of_values(A n, D data, R results) {}
"""
DECLARED = "not defined as __global__ void cosh_of_values(int, const double*, double*)"
PLAIN_ATTACKS = {
    "a macro for what says whether it is a kernel": (
        lambda text: text.replace("__global__ ", "static ") + VALUE, DECLARED),
    "a macro for a word of a type": (lambda text: PLAIN_HOST + PLAIN_EMPTY + CONST, "const is "),
    "parameters that convert": (lambda text: PLAIN_CONVERTED, DECLARED),
    "a parameter of another type": (lambda text: text.replace("int n", "const int& n"), DECLARED),
}  # fmt: skip


@pytest.mark.parametrize("attack", PLAIN_ATTACKS)
def test_no_attack_on_the_entry_of_plain_cuda_is_rewarded(judge, attack):
    row, (made, told) = row_at("warp_to_cuda"), PLAIN_ATTACKS[attack]
    verdict = judge(row, made(row["completion"]))
    assert verdict.value == 0.0 and told in verdict.feedback


def test_declared_parameters_may_have_other_names_and_be_constants(judge):
    row = row_at("warp_to_cuda")
    told = "(int n, const double* data, double* results)"
    assert told in row["completion"]
    other = "(const int n, const double* const __restrict__ data, double results[])"
    assert judge(row, row["completion"].replace(told, other)).value == 1.0


def test_plain_cuda_in_other_words_is_right(judge):
    row = row_at("warp_to_cuda")
    helper = "__device__ double half_sum(double x) { return 0.5 * (exp(x) + exp(-x)); }\n"
    assert judge(row, helper + row["completion"].replace("cosh(", "half_sum(")).value == 1.0


@pytest.mark.parametrize(
    "place", [("advection", 1, "apply_face_fluxes"), ("filters", 1, "channel_shuffle")], ids=str
)
def test_threads_beyond_the_last_item_are_launched_even_where_blocks_are_full(judge, place):
    row = row_at("warp_to_cuda", *place)
    assert math.prod(program_at(*place).launch_dim) % 32 == 0
    unguarded, guards = re.subn(
        r"    if \([^\n]*>= [^\n]*\)\n        return;\n", "", row["completion"], count=1
    )
    assert guards == 1
    assert judge(row, row["completion"]).value == 1.0
    assert judge(row, unguarded).status in (Status.CRASH, OUTPUT)


def test_a_warp_kernel_ends_at_the_last_item(judge):
    row = row_at("cuda")
    loop = re.compile(r"for \(size_t _idx = ([^;]*);\s*_idx < dim\.size;[^)]*\)[^)]*\)[^{]*\{")
    once, loops = loop.subn(
        r"for (size_t _idx = \1, end = _idx + 1; _idx < end; ++_idx) {", row["completion"]
    )
    assert loops == 1, row["completion"]
    assert judge(row, once).status is OUTPUT
    assert judge(row, once.replace("_idx < end", "_idx < end && _idx < dim.size")).value == 1.0


# ---- forms of answers that are right


CHAIN = ("springs", 0, "hanging_chain_force")  # with constants of its own
REPEATED = [("vector", 1), ("random_walks", 0, "area_by_darts"), CHAIN]  # the others: a type, functions


@pytest.mark.parametrize("place", REPEATED, ids=str)
@pytest.mark.parametrize("spaced", ["as it is", "on one line"])
def test_what_a_prompt_declares_may_be_repeated(judge, place, spaced):
    row, interface = row_at("warp_to_cuda", *place), render(program_at(*place)).interface
    assert interface in row["prompt"]
    told = interface if spaced == "as it is" else " ".join(interface.split())
    answer = (
        f"#pragma once\n#include <cstdint>\n#include <cuda_runtime.h>\n{told}\n// my own\n{row['completion']}"
    )
    assert judge(row, answer).status is Status.CORRECT
    wrong = answer.rpartition(" = ")  # what is repeated is dropped, and nothing else
    assert judge(row, f"{wrong[0]} = 3 + {wrong[2]}").value == 0.0
    if "struct vec" in told:
        verdict = judge(row, answer.replace("T c[N];", "T c[N + 1];"))
        assert verdict.status is REFUSED and "vec" in verdict.feedback


@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward", "warp_to_cuda"])
def test_common_headers_are_dropped(judge, config):
    row = row_at(config)
    head = "#pragma once  // a header\n#include <cstdint>\n  #include <math.h> /* cosh */\n"
    assert judge(row, f"{head}{row['completion']}").status is Status.CORRECT
    for line in (
        "#include <fstream>",
        '#include "/etc/passwd"',
        "#pragma clang optimize off",
        "#pragma once x",
    ):
        assert judge(row, f"{line}\n{row['completion']}").status is Status.FORBIDDEN


@pytest.mark.parametrize("config", ["cpu", "cuda", "cuda_backward"])
def test_an_answer_in_python_is_called_that(judge, config):
    row = row_at(config)
    verdict = judge(row, row["python_source"])
    assert verdict.status is Status.FORBIDDEN
    assert verdict.feedback == f"the answer is Python, and {config} asks for C++"


AROUND = {
    "a fence and the end": "```\n{}\n```<|im_end|>",
    "a tag": "So: <code>{}</code>",
    "a call": '<tool_call>\n{{"name": "f", "arguments": {{"code": {json}}}}}\n</tool_call>',
    "and a wrong one": "```\n{}\n```\nThis would be wrong:\n```\n{other}\n```",
}


@pytest.mark.parametrize("form", AROUND)
@pytest.mark.parametrize("config", ["cpu", "cuda", "warp_to_cuda", "spec_to_warp", "repair"])
def test_right_and_wrong_answers_in_other_forms(judge, config, form):
    row = row_at(config)
    right, wrong = row["completion"], row["completion"].replace("cosh(", "sinh(")
    assert right != wrong
    for code, other, value in ((right, wrong, 1.0), (wrong, right, 0.0)):
        answer = AROUND[form].format(code, other=other, json=json.dumps(code))
        assert judge(row, answer, config).value == value


@pytest.mark.parametrize("config", ["warp_to_cuda", "spec_to_warp"])
def test_constants_in_a_block_of_their_own(judge, config):
    row = row_at(config, *CHAIN)
    text = row["completion"]
    if config == "warp_to_cuda":
        constants, rest = text.split("\n\n", maxsplit=1)
        assert constants.startswith("constexpr float")
    else:  # which need the import that stands in the other block
        constants = "\n".join(re.findall(r"^[A-Z_]+ = .*$", text, re.MULTILINE))
        rest = re.sub(r"^[A-Z_]+ = .*\n", "", text, flags=re.MULTILINE)
    assert constants and rest != text
    answer = f"The constants:\n```\n{constants}\n```\nand the kernel:\n```\n{rest}\n```"
    assert judge(row, answer).status is Status.CORRECT
    other = re.sub(r"= ([\w.(]*\d)", r"= 7 + \1", constants)
    assert other != constants and judge(row, answer.replace(constants, other)).value == 0.0
