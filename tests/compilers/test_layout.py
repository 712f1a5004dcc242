"""How Warp's types lie in memory, by what numpy and Warp themselves say."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import warp as wp

from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.compilers.architectures import capability
from warp_ir_dataset.compilers.cuda_on_cpu import last_first, unhidden
from warp_ir_dataset.compilers.extracting.definitions import Definitions, named
from warp_ir_dataset.compilers.layout import is_array, is_struct, members_of, of_arguments
from warp_ir_dataset.compilers.units import Member
from warp_ir_dataset.language.types import Array, Matrix, Quaternion, Scalar, Struct, Transform, Vector


@wp.struct
class Pair:
    near: wp.vec3
    count: wp.int8
    far: wp.array(dtype=wp.float64, ndim=2)


KINDS: dict[str, tuple[Any, Any, tuple[int, ...]]] = {
    "a float": (wp.float32, Scalar("float32"), ()),
    "Python's float": (float, Scalar("float32"), ()),
    "Python's int": (int, Scalar("int32"), ()),
    "Python's bool": (bool, Scalar("bool"), ()),
    "a half": (wp.float16, Scalar("float16"), ()),
    "a vector": (wp.vec3d, Vector("float64", 3), (3,)),
    "a matrix": (wp.mat22h, Matrix("float16", 2, 2), (2, 2)),
    "a quaternion": (wp.quat, Quaternion("float32"), (4,)),
    "a transform": (wp.transformd, Transform("float64"), (7,)),
}


def laid_out(**kinds: Any) -> Any:
    return of_arguments(SimpleNamespace(label=name, type=kind) for name, kind in kinds.items())


@pytest.mark.parametrize("name", KINDS)
def test_numbers_lie_as_their_type_says(name: str) -> None:
    kind, type, shape = KINDS[name]
    ((label, found),) = laid_out(x=kind).members
    assert label == "x" and found.members == () and found.element is None
    assert found.type == type and found.dtype.shape == shape


def test_what_the_language_has_not_has_its_own_name() -> None:
    ((_, found),) = laid_out(x=wp.uint64).members
    assert found.type == Scalar("uint64")
    ((_, found),) = laid_out(x=wp.indexedarray(dtype=float)).members
    assert found.type.scalar == "indexedarray"


def test_arguments_lie_one_behind_the_other_as_c_has_them() -> None:
    found = laid_out(a=wp.int8, b=wp.float64, c=wp.vec3, d=wp.array(dtype=wp.vec2, ndim=3))
    assert [found.dtype.fields[name][1] for name in "abcd"] == [0, 8, 16, 32]
    array = found.members[3][1]
    assert array.type == Array(Vector("float32", 2), 3) and array.element.type == Vector("float32", 2)
    assert array.dtype.fields["data"][1] == 0 and array.dtype["shape"].shape in ((3,), (4,))
    assert found.dtype.itemsize == 32 + array.dtype.itemsize


def test_a_struct_lies_as_warp_says() -> None:
    ((_, found),) = laid_out(pair=Pair).members
    assert isinstance(found.type, Struct) and found.type.name == "Pair"
    assert [name for name, _ in found.members] == [name for name, _ in found.type.members]
    assert [name for name, _ in found.members] == ["near", "count", "far"]
    assert found.members[2][1].element.type == Scalar("float64")
    theirs = np.dtype(Pair.numpy_dtype())
    for name in theirs.names or ():
        assert found.dtype.fields[name][1] == theirs.fields[name][1]  # type: ignore[index]
    assert found.dtype.itemsize == theirs.itemsize


def test_arrays_and_structs_are_told_from_numbers() -> None:
    assert is_array(wp.array(dtype=float)) and is_array(wp.array[float]) and is_array(wp.array2d(dtype=int))
    assert not any(map(is_array, (float, wp.vec3, Pair, wp.indexedarray(dtype=float))))
    assert is_struct(Pair) and not is_struct(wp.vec3) and not is_struct(wp.array(dtype=float))
    assert list(members_of(Pair)) == ["near", "count", "far"] and members_of(Pair)["count"] is wp.int8


# ---- names of a unit


def test_names_of_a_kernel_are_its_own_in_its_unit() -> None:
    forward: Any = SimpleNamespace(name="own", backward=False)
    both: Any = SimpleNamespace(name="own", backward=True)
    assert Member("k0", forward).cpu_symbols == ("k0_cpu_forward", None)
    assert Member("k1", both).cpu_symbols == ("k1_cpu_forward", "k1_cpu_backward")
    assert Member("k1", both).cuda_symbols == ("k1_cuda_forward", "k1_cuda_backward")
    assert Member("k0", forward).ptx.entries == {"k0_cuda_kernel_forward": "own_cuda_kernel_forward"}
    assert Member("k1", both).ptx.namespace == "k1_cuda"
    assert [*Member("k1", both).ptx.entries.values()] == [
        "own_cuda_kernel_forward",
        "own_cuda_kernel_backward",
    ]


def test_the_other_order_gives_every_item_once_and_each_thread_its_own() -> None:
    assert last_first(10, 1) == [3, 7, 2, 6, 1, 5, 9, 0, 4, 8]
    assert last_first(5, 2) == [4, 3, 2, 1, 0]
    assert last_first(0, 1) == []


def test_no_word_of_a_text_is_a_macro_of_another() -> None:
    text = 'int a = b; say("not this", a);\n'
    assert unhidden(text) == "#undef a\n#undef b\n#undef int\n#undef say\n" + text


def test_an_architecture_is_one_that_warp_knows() -> None:
    assert capability("sm_90", [80, 90]) == 90
    for arch, known in (("sm_90", []), ("sm_90", [80]), ("90", [90])):
        with pytest.raises(UserError):
            capability(arch, known)


# ---- definitions of a module that stands alone


def test_definitions_come_in_the_order_in_which_they_were_completed() -> None:
    all = Definitions()
    assert all.find("f") is None
    outer, inner = all.begin("f", "f"), all.begin("g", "g")
    assert all.find("f") == outer != inner == all.find("g")
    assert all.complete(inner, f"def {inner}(): ...") == inner
    all.complete(outer, f"def {outer}(): {inner}()")
    all.complete(inner, f"def {inner}(): {outer}()")  # again, longer
    names, texts = all.module()
    assert names == {outer: "f", inner: "g"} and texts == ["def g(): f()", "def f(): g()"]
    assert named(f"{inner} {outer}", names) == "g f"


@pytest.mark.parametrize(
    ("preferred", "chosen"),
    [("wp", "wp_2"), ("for", "for_2"), ("print", "print_2"), ("a.b", "a_b"), ("3d", "_3d"), ("", "value")],
)
def test_a_definition_has_a_name_that_is_free(preferred: str, chosen: str) -> None:
    all = Definitions()
    marks = [all.begin(number, preferred) for number in range(2)]
    for mark in marks:
        all.complete(mark, f"{mark} = 1")
    names, _ = all.module()
    assert names[marks[0]] == chosen and names[marks[1]] not in (chosen, preferred)


def test_a_name_is_free_where_it_is_used() -> None:
    all = Definitions()
    first, second = all.begin(1, "x"), all.begin(2, "x")
    for mark in (first, second):
        all.complete(mark, f"{mark} = 1")
    all.used_among(f"{first} + y", ["x", "x_2"])
    names, _ = all.module()
    assert names == {first: "x_3", second: "x"}
