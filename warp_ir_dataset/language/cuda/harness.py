"""Makes a rendered kernel a complete program: adds the prelude before it, and a `main` after it.

`main` has the cases of a row, launches the kernel on each, compares its outputs, prints PASS or FAIL and
returns 0 or 1. nvcc compiles it for a GPU, and with the shim any C++ compiler for a CPU. Outputs are compared
number by number, those whose elements may come in any order as multisets of their elements.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import ir
from ..types import SCALARS, Array, Scalar, Struct, Type, Value, holds_arrays
from .prelude import prelude
from .render import PlainCuda
from .typenames import INT_BYTES, scalar_name, type_name, width

Case = Mapping[str, Mapping[str, Any]]  # "inputs" and "outputs", each by leaf

INCLUDES = "#include <assert.h>\n#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n\n"
THREADS = 256
PER_LINE = 10  # numbers

_SUPPORT = """
// Memory that both processors see: numbers, or zeros.
template <typename T> T* {managed}(int count, const T* values = nullptr)
{{
    T* data = nullptr;
    if (cudaMallocManaged(&data, (count ? count : 1) * sizeof(T)) != cudaSuccess) {{
        printf("no memory\\n");
        return nullptr;
    }}
    for (int k = 0; k < count; ++k)
        data[k] = values ? values[k] : T{{}};
    return data;
}}

// Whole numbers exactly; others within a share of their own size and of the largest.
template <typename T> bool {equal}(const char* name, const T* got, const T* wanted, int count, double share)
{{
    double largest = 0.0;
    for (int k = 0; k < count; ++k)
        largest = fmax(largest, fabs(double(wanted[k])));
    for (int k = 0; k < count; ++k) {{
        double allowed = share * (fabs(double(wanted[k])) + largest);
        if (got[k] != wanted[k] && !(fabs(double(got[k]) - double(wanted[k])) <= allowed && share > 0.0)) {{
            printf("%s: number %d is %.9g instead of %.9g\\n", name, k, double(got[k]), double(wanted[k]));
            return false;
        }}
    }}
    return true;
}}
"""

# With floats close to each other, a greedy choice could take the only match of another element.
_ANY_ORDER = """
// Elements in any order: sets differ[w][g] where element g of those there is not the wanted element w.
template <typename T, int count>
void {tell_apart}(bool (&differ)[count][count], const T* got, const T* wanted, int size, double share)
{{
    double largest = 0.0;
    for (int k = 0; k < count * size; ++k)
        largest = fmax(largest, fabs(double(wanted[k])));
    for (int w = 0; w < count; ++w)
        for (int g = 0; g < count; ++g)
            for (int k = 0; k < size; ++k) {{
                T one = got[g * size + k], other = wanted[w * size + k];
                double allowed = share * (fabs(double(other)) + largest);
                if (one != other && !(fabs(double(one) - double(other)) <= allowed && share > 0.0))
                    differ[w][g] = true;
            }}
}}

// Takes an element for the wanted one, w: a free one, or one whose taker finds another.
template <int count>
bool {find}(int w, const bool (&differ)[count][count], int (&taken_by)[count], bool (&tried)[count])
{{
    for (int k = 0; k < count; ++k) {{
        int g = (w + k) % count;
        if (differ[w][g] || tried[g])
            continue;
        tried[g] = true;
        if (taken_by[g] < 0 || {find}(taken_by[g], differ, taken_by, tried)) {{
            taken_by[g] = w;
            return true;
        }}
    }}
    return false;
}}

// Whether each wanted element is there, once for each time it is wanted.
template <int count> bool {all_there}(const char* name, const bool (&differ)[count][count])
{{
    int taken_by[count];
    for (int g = 0; g < count; ++g)
        taken_by[g] = -1;
    for (int w = 0; w < count; ++w) {{
        bool tried[count] = {{}};
        if (!{find}(w, differ, taken_by, tried)) {{
            printf("%s: element %d of the wanted ones is missing\\n", name, w);
            return false;
        }}
    }}
    return true;
}}
"""


@dataclass(frozen=True)
class Harness:
    """The parts of a program around the completion: `prelude` before it, and `main` after it."""

    prelude: str
    main: str


@dataclass(frozen=True)
class _Leaf:
    """The numbers of a leaf: the member `path` of each element of the memory `block`."""

    block: str
    path: str
    type: Value
    count: int


def harness(
    plain: PlainCuda,
    signature: ir.Signature,
    cases: Sequence[Case],
    unordered: Collection[str] = (),
    together: Iterable[Collection[str]] = (),
) -> Harness:
    """The harness of a kernel. `cases` have numpy arrays, or lists, by leaf. `unordered` are the outputs
    whose elements may come in any order; in a group of `together`, elements of one index stay together."""
    with_views = any(holds_arrays(a.type) for a in signature.arguments)
    used = replace(plain.used, pieces=plain.used.pieces | ({"view"} if with_views else set()))
    support = {name: plain.names.new(name) for name in ("managed", "equal")}
    parts = [_SUPPORT.format(**support)]
    groups = [set(group) for group in together if set(unordered) >= set(group)]
    groups += [{name} for name in unordered if not any(name in group for group in groups)]
    if groups:
        support |= {name: plain.names.new(name) for name in ("tell_apart", "find", "all_there")}
        parts.append(_ANY_ORDER.format(**support))
    names = [plain.names.new(f"case_{number}") for number in range(len(cases))]
    for name, case in zip(names, cases, strict=True):
        parts.append("\n".join(_Case(plain, signature, case, support, groups).lines(name)) + "\n")
    parts.append(
        "int main()\n{\n"
        f"    bool passed = {' && '.join(f'{name}()' for name in names)};\n"
        f'    printf("%s {plain.name}\\n", passed ? "PASS" : "FAIL");\n'
        "    return passed ? 0 : 1;\n}\n"
    )
    return Harness(INCLUDES + prelude(used), "\n".join(parts))


class _Case:
    """Writes the function of one case."""

    def __init__(
        self,
        plain: PlainCuda,
        signature: ir.Signature,
        case: Case,
        support: Mapping[str, str],
        groups: Sequence[Collection[str]],
    ) -> None:
        self.plain, self.signature, self.case, self.support = plain, signature, case, support
        self.groups = groups  # of outputs in any order
        self.body: list[str] = []
        self.leaves: dict[str, _Leaf] = {}
        self.roles = {leaf.name: leaf.role for a in signature.arguments for leaf in a.leaves}
        self.shapes = {
            f"{a.name}.{name}": shape for a in signature.arguments for name, shape in a.member_shapes
        }

    def lines(self, name: str) -> list[str]:
        values = {a.name: self.argument(a) for a in self.signature.arguments}
        self.launch(values)
        outputs = [leaf for leaf, role in self.roles.items() if role != "input"]
        tests = []
        while outputs:
            group = next((group for group in self.groups if outputs[0] in group), ())
            same = [leaf for leaf in outputs if leaf in group]
            tests.append(self.test_any_order(same) if same else self.test(outputs[0]))
            outputs = [leaf for leaf in outputs[1:] if leaf not in same]
        self.body.append(f"return {' && '.join(tests)};")
        return [
            f"static bool {name}()",
            "{",
            *(line if line.startswith("#") else f"    {line}" for line in self.body),
            "}",
        ]

    def type(self, type: Type) -> str:
        return type_name(type, self.plain.names, self.plain.used)

    def new(self, base: str) -> str:
        return self.plain.names.new(base.replace(".", "_"))

    # ---- memory

    def argument(self, argument: ir.Argument) -> str:
        """The argument's text in the launch."""
        block = self.block(argument.name, argument.type, math.prod(argument.shape))
        return block if argument.ndim else f"*{block}"

    def block(self, name: str, type: Type, count: int) -> str:
        """Memory for `count` elements, filled; returns the pointer to it."""
        pointer = self.new(f"{name}_data")
        if isinstance(type, Struct):
            self.body.append(
                f"{self.type(type)}* {pointer} = {self.support['managed']}<{self.type(type)}>({count});"
            )
            filled = list(self.members(pointer, name, type, "", count))
            self.body += [f"for (int k = 0; k < {count}; ++k) {{", *(f"    {line}" for line in filled), "}"]
            return pointer
        assert isinstance(type, Value)
        self.leaves[name] = _Leaf(pointer, "", type, count)
        scalar, numbers = scalar_name(type.scalar), count * type.size
        values = self.numbers(f"{name}_in", type.scalar, self.case["inputs"].get(name), numbers)
        made = f"{self.support['managed']}<{scalar}>({numbers}{f', {values}' if values else ''})"
        cast = "" if isinstance(type, Scalar) else f"({self.type(type)}*)"
        self.body.append(f"{self.type(type)}* {pointer} = {cast}{made};")
        return pointer

    def members(self, pointer: str, name: str, struct: Struct, path: str, count: int) -> Iterator[str]:
        """Lines that fill the k-th struct."""
        for member, type in struct.members:
            leaf, place = f"{name}.{member}", f"{path}.{self.plain.names.of(member)}"
            if isinstance(type, Array):
                shape = self.shapes.get(leaf, (0,) * type.ndim)
                inner = self.block(leaf, type.element, count * math.prod(shape))
                sizes = ", ".join(map(str, shape))
                yield f"{pointer}[k]{place} = view({inner} + k * {math.prod(shape)}, {sizes});"
            elif isinstance(type, Struct):
                yield from self.members(pointer, leaf, type, place, count)
            else:
                assert isinstance(type, Value)
                self.leaves[leaf] = _Leaf(pointer, place, type, count)
                values = self.case["inputs"].get(leaf)
                array = self.numbers(f"{leaf}_in", type.scalar, values, count * type.size)
                if array:
                    value = f"{array}[k]" if isinstance(type, Scalar) else f"(({self.type(type)}*){array})[k]"
                    yield f"{pointer}[k]{place} = {value};"

    def numbers(self, name: str, scalar: str, values: Any, count: int) -> str:
        """The name of a constant array of numbers; empty if there are none."""
        if values is None or not count:
            return ""
        array = self.new(name)
        texts = [_number(value, Scalar(scalar)) for value in np.ravel(values).tolist()]
        rows = [", ".join(texts[at : at + PER_LINE]) for at in range(0, count, PER_LINE)]
        inside = rows[0] if len(rows) == 1 else "\n        " + ",\n        ".join(rows)
        self.body.append(f"static {scalar_name(scalar)} {array}[{count}] = {{{inside}}};")
        return array

    # ---- launch and comparison

    def launch(self, values: Mapping[str, str]) -> None:
        operands = []
        for parameter in self.plain.parameters:
            if parameter.part == "count":
                operands.append(str(self.signature.launch_dim[parameter.axis]))
            elif parameter.part == "size":
                argument = next(a for a in self.signature.arguments if a.name == parameter.argument)
                operands.append(str(argument.shape[parameter.axis]))
            else:
                operands.append(values[parameter.argument])
        call, blocks = ", ".join(operands), -(-math.prod(self.signature.launch_dim) // THREADS)
        self.body += [
            "#ifdef CUDA_ON_CPU",
            f"for_each_thread({blocks}, {THREADS}, [&] {{ {self.plain.name}({call}); }});",
            "#else",
            f"{self.plain.name}<<<{blocks}, {THREADS}>>>({call});",
            "#endif",
            "cudaError_t launched = cudaGetLastError(), ended = cudaDeviceSynchronize();",
            "if (launched != cudaSuccess || ended != cudaSuccess) {",
            '    printf("%s\\n", cudaGetErrorString(launched != cudaSuccess ? launched : ended));',
            "    return false;",
            "}",
        ]

    def test(self, name: str) -> str:
        wanted, got, share = self.sides(name)
        if not wanted:
            return "true"
        leaf = self.leaves[name]
        return f'{self.support["equal"]}("{name}", {got}, {wanted}, {leaf.count * leaf.type.size}, {share!r})'

    def test_any_order(self, names: Sequence[str]) -> str:
        """Outputs of one length, whose elements of one index are one element."""
        count = self.leaves[names[0]].count
        if not count:
            return "true"
        differ = self.new(f"{'_'.join(names)}_differ")
        self.body.append(f"static bool {differ}[{count}][{count}];")
        for name in names:
            wanted, got, share = self.sides(name)
            size = self.leaves[name].type.size
            self.body.append(f"{self.support['tell_apart']}({differ}, {got}, {wanted}, {size}, {share!r});")
        return f'{self.support["all_there"]}("{", ".join(names)}", {differ})'

    def sides(self, name: str) -> tuple[str, str, float]:
        """The expected numbers of an output (empty if there are none), its actual numbers, and the
        tolerance."""
        leaf = self.leaves[name]
        scalar, block = leaf.type.scalar, leaf.block
        wanted = self.numbers(f"{name}_out", scalar, self.case["outputs"][name], leaf.count * leaf.type.size)
        if wanted and leaf.path:
            block = self.new(f"{name}_got")
            self.body += [
                f"static {self.type(leaf.type)} {block}[{leaf.count}];",
                f"for (int k = 0; k < {leaf.count}; ++k)",
                f"    {block}[k] = {leaf.block}[k]{leaf.path};",
            ]
        cast = "" if isinstance(leaf.type, Scalar) else f"({scalar_name(scalar)}*)"
        return wanted, f"{cast}{block}", SCALARS[scalar].tolerance


def _number(value: float | int | bool, type: Scalar) -> str:
    kind = SCALARS[type.scalar].kind
    if kind == "truth":
        return "true" if value else "false"
    if kind != "float":
        if value == -(2**63):
            return f"{value + 1}ll - 1"
        return f"{value}{'u' * (kind == 'unsigned')}{'ll' * (abs(value) >= 2**31)}"
    if width(type) == INT_BYTES:
        return f"{float(str(np.float32(value)))!r}f"
    return repr(float(value))
