"""Tells from what Warp makes of an answer in Python whether its threads surely meet nowhere.

Then nobody need watch it (`watched`). The text counts and not the answer: it is what is compiled, and the
answer's module may have had a hand in it. So every line has one of the few forms below, and whatever else a
text says leaves it unsettled, which costs time and is always right.

Threads meet nowhere if each array is only read; or used at the thread's own elements only, with all of the
thread's indices among theirs; or changed only by atomics of one kind that come in any order, whose results
nobody uses. That holds as long as every index is within its array, or its vector: an element beyond the end
of a row is the next row's, which is another thread's, and one beyond a vector is what else is on the stack.
So what is run of a settled text also ends where an index is not.
"""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

LONGEST = 200_000  # characters of a text that is looked at


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions whose arguments are values, which they leave as they are.
_PURE = _words("""
    add sub mul div mod floordiv neg pos unot invert bit_and bit_or bit_xor lshift rshift copy where extract
    float int bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 range
    max min abs clamp sign step nonzero sqrt cbrt exp log log2 log10 pow sin cos tan asin acos atan atan2
    sinh cosh tanh round rint trunc floor ceil frac isfinite isnan isinf radians degrees erf erfc erfinv
    erfcinv lerp smoothstep dot cross length length_sq normalize outer cw_mul cw_div ddot skew transpose
    inverse determinant trace diag get_diag identity matrix_from_cols matrix_from_rows argmin argmax
    quat_identity quat_from_axis_angle quat_inverse quat_rotate quat_rotate_inv quat_slerp quat_to_matrix
    quat_from_matrix quat_rpy transform_identity transform_get_translation transform_get_rotation
    transform_multiply transform_point transform_vector transform_inverse spatial_dot spatial_cross
    spatial_cross_dual spatial_top spatial_bottom rand_init noise pnoise curlnoise
""")
# Those that may change the first of their arguments, which are values all the same.
_CHANGING = _words("""
    iter_next randf randi randn randu poisson sample_triangle sample_unit_ring sample_unit_disk
    sample_unit_sphere_surface sample_unit_sphere sample_unit_hemisphere_surface sample_unit_hemisphere
    sample_unit_square sample_unit_cube assign
""")
_CHANGING_A_PART = _words("assign_inplace add_inplace sub_inplace")
# Atomics that come in any order among themselves.
_COMMUTING = tuple(map(frozenset, ({"add", "sub"}, {"min"}, {"max"}, {"and"}, {"or"}, {"xor"})))

_PARTS = r"(?:\d+, ){0,2}wp::u?(?:int|float)\d+"
_TYPE = (
    r"(?:bool|wp::(?:u?int(?:8|16|32|64)|float(?:16|32|64)|range_t|shape_t"
    rf"|(?:vec|mat|quat|transform)_t<{_PARTS}>))"
)
_ARRAY = rf"wp::array_t<{_TYPE}>"
_VAR, _NUMBER = r"(?:var|ret)_\w+", r"(?:-?\d+(?:\.\d+)?(?:e[-+]?\d+)?u?|true|false)"
_ONE = rf"(?:{_VAR}|{_NUMBER})"
_ARGUMENTS = rf"(?P<args>(?:{_ONE}(?:, {_ONE})*)?)"


def _line(form: str) -> re.Pattern[str]:
    return re.compile(form, re.ASCII)


_DECLARED = _line(
    rf"(?P<const>const )?(?P<type>{_TYPE})(?P<star>\*?) (?P<var>{_VAR})(?: = (?P<number>{_NUMBER}))?;"
)
_ARGUMENT = _line(rf"(?P<type>{_ARRAY}|{_TYPE}) (?P<var>{_VAR}) = _wp_args->(?P<member>\w+);")
_PARAMETER = _line(rf"(?P<type>{_ARRAY}|{_TYPE}) (?P<ref>& )?(?P<var>\w+)[,)]")
_INDEX = _line(
    rf"(?:(?P<one>{_VAR}) = builtin_tid1d\(\)|builtin_tid[234]d\((?P<more>{_VAR}(?:, {_VAR})+)\));"
)
_COMPARED = rf"\({_ONE} (?:[<>]=?|[=!]=) {_ONE}\)"
_VALUE = (
    rf"{_ONE}|{_COMPARED}|{_ONE}(?: (?:&&|\|\|) {_ONE})+|\({_COMPARED}(?: && {_COMPARED})+\)"
    rf"|(?:{_TYPE}|wp::(?P<pure>{'|'.join(sorted(_PURE))})(?:<{_PARTS}>)?)\({_ARGUMENTS}\)"
)
_GIVEN = _line(rf"(?P<var>{_VAR}) = (?:{_VALUE});")
_CALLED = _line(rf"(?:(?P<var>{_VAR}) = )?(?P<wp>wp::)?(?P<name>\w+)\({_ARGUMENTS}\);")
_SHAPE = _line(rf"(?P<var>{_VAR}) = &\((?P<array>{_VAR})\.shape\);")
_CONTROL = _line(
    rf"if \(!?{_VAR}\) \{{|\}}|(?:start|end)_\w+:;|goto (?:start|end)_\w+;"
    rf"|if \((?:iter_cmp\({_VAR}\) == 0|\(?{_VAR}\)? == false)\) goto end_\w+;|return(?: {_VAR})?;"
)
_HEAD = _line(rf"static (?:void|{_TYPE}) (?P<name>\w+_\d+)\(")

# What stands around a kernel's own lines.
_PACKED = rf"\(_wp_args->\w+\.strides\[0\] == \(int\)sizeof\({_TYPE}\)\)"
_BEFORE = r"""struct wp_args_NAME \{
(?:(?:ARRAY|TYPE) \w+;
)*\};
template <bool wp_linear_contiguous>
static void NAME_cpu_kernel_forward\(
wp::launch_bounds_t<DIMS> dim,
size_t task_index,
wp_args_NAME \*_wp_args\)
\{
static constexpr bool wp_linear_tid = wp_linear_contiguous;
(?:wp_args_NAME wp_contiguous_args;
if constexpr \(wp_linear_contiguous\)
\{
wp_contiguous_args = \*_wp_args;
(?:wp_contiguous_args\.\w+\.strides\[0\] = sizeof\(TYPE\);
)*_wp_args = &wp_contiguous_args;
\}
)?"""
_AFTER = r"""\}
template <bool wp_linear_contiguous>
static WP_FORCEINLINE void NAME_cpu_forward_tasks\(
wp::launch_bounds_t<DIMS> \*dim,
wp_args_NAME \*_wp_args\)
\{
for \(size_t task_index = 0; task_index < dim->size; \+\+task_index\)
\{
NAME_cpu_kernel_forward<wp_linear_contiguous>\(\*dim, task_index, _wp_args\);
\}
\}
static WP_FORCEINLINE void NAME_cpu_forward_dispatch\(
wp::launch_bounds_t<DIMS> \*dim,
wp_args_NAME \*_wp_args\)
\{
wp::tile_shared_storage_t tile_mem;
#if defined\(WP_ENABLE_TILES_IN_STACK_MEMORY\)
wp::shared_tile_storage = &tile_mem;
#endif
(?:const bool wp_linear_contiguous = dim->coord_mult == 1 && \((?:PACKED(?: & PACKED)*)\);
if \(wp_linear_contiguous\)
NAME_cpu_forward_tasks<true>\(dim, _wp_args\);
else
)?NAME_cpu_forward_tasks<false>\(dim, _wp_args\);
\}
extern "C" \{
WP_API void NAME_cpu_forward\(
wp::launch_bounds_t<DIMS> \*dim,
wp_args_NAME \*_wp_args\)
\{
NAME_cpu_forward_dispatch\(dim, _wp_args\);
\}
\} // extern C
"""


_MATRIX = _line(r"wp::mat_t<(\d+), (\d+), .*>")
_VECTOR = _line(r"wp::vec_t<(\d+), .*>")
_LENGTHS = {"wp::quat_t": 4, "wp::transform_t": 7, "wp::shape_t": 4}


class _Unsettled(Exception):
    """A text says something that has none of the forms."""


def _require(holds: object) -> None:
    if not holds:
        raise _Unsettled


def _matched(form: re.Pattern[str], line: str) -> re.Match[str]:
    found = form.fullmatch(line)
    if found is None:
        raise _Unsettled
    return found


def settled(text: str, kernel: str, dims: int) -> str | None:
    """What is run instead of a text in which threads meet nowhere: the same, which also ends where an index
    leaves its array. None where that does not show.

    `text` is what Warp makes of the `kernel`, which is launched over `dims` dimensions.
    """
    if len(text) > LONGEST or "\\" in text:
        return None
    lines = [line.strip(" \t") for line in text.split("\n")]
    whole = "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))
    before, after = _frame(kernel, dims)
    start = before.search(whole)
    end = after.search(whole, start.end()) if start else None
    if not start or not end or end.end() != len(whole):
        return None
    try:
        functions: dict[str, _Function] = {}
        for function in _functions(whole[: start.start()].split("\n")[:-1]):
            _require(function.name not in functions)
            functions[function.name] = function
            function.read(functions)
        own = _Function(kernel, dims=dims)
        own.body = whole[start.end() : end.start()].split("\n")[:-1]
        own.read(functions)
        _require(own.meets_nowhere())
    except _Unsettled:
        return None
    texts = [line for function in functions.values() for line in [*function.head, *function.left, "}"]]
    return (
        "".join(f"{line}\n" for line in texts) + start[0] + "".join(f"{line}\n" for line in own.left) + end[0]
    )


@functools.lru_cache(maxsize=32)
def _frame(kernel: str, dims: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands before a kernel's own lines, and after them."""

    def made(form: str) -> re.Pattern[str]:
        for word, instead in (("PACKED", _PACKED), ("ARRAY", _ARRAY), ("TYPE", _TYPE), ("DIMS", str(dims))):
            form = form.replace(word, instead)
        form = form.replace("NAME", kernel)
        return re.compile(f"^{form}", re.ASCII | re.MULTILINE)

    return made(_BEFORE), made(_AFTER)


@dataclass
class _Access:
    """One line that uses an array: `how` is "load", "store" or an atomic's kind; `places` are those of the
    thread's own indices, by dimension; `result` is the variable that gets what an atomic returns."""

    how: str
    places: tuple[int | None, ...]
    result: str | None = None


@dataclass
class _Function:
    """A function, or the kernel, which alone has `dims` of a launch.

    `parameters` tells the type of each, and whether it is a reference; `left` is what is left of the `body`,
    with a look at each index. Types are those of the text, "*" for any pointer. `own` are the thread's
    indices with their dimensions, `fresh` are pointers made since the last branch.
    """

    name: str
    head: list[str] = field(default_factory=list)
    parameters: list[tuple[str, bool]] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    dims: int = 0
    left: list[str] = field(default_factory=list)
    _types: dict[str, str] = field(default_factory=dict)
    _constants: dict[str, str] = field(default_factory=dict)
    _members: set[str] = field(default_factory=set)
    _own: dict[str, int] = field(default_factory=dict)
    _assigned: Counter[str] = field(default_factory=Counter)
    _fresh: set[str] = field(default_factory=set)
    _accesses: defaultdict[str, list[_Access]] = field(default_factory=lambda: defaultdict(list))
    _branched: bool = False

    def read(self, functions: Mapping[str, _Function]) -> None:
        """Raises `_Unsettled`."""
        depth = 0
        for line in self.body:
            if _CONTROL.fullmatch(line):
                depth += _deeper(line)
                _require(depth >= 0)
                self._branched = True
                self._fresh.clear()
                self.left.append(line)
            elif not self._declares(line):
                self._does(line, functions)
        _require(not depth)

    def declare(self, name: str, type: str) -> None:
        _require(name not in self._types)
        self._types[name] = type

    def meets_nowhere(self) -> bool:
        mentioned = Counter(re.findall(r"\w+", " ".join(self.body)))
        return all(self._assigned[name] == 1 for name in self._own) and all(
            self._is_apart(accesses, mentioned) for accesses in self._accesses.values()
        )

    def _is_apart(self, accesses: Sequence[_Access], mentioned: Mapping[str, int]) -> bool:
        hows = {access.how for access in accesses}
        if hows == {"load"}:
            return True
        unused = all(mentioned[access.result or ""] == 2 for access in accesses)  # declared, and given
        if unused and any(hows <= kind for kind in _COMMUTING):
            return True
        return all(
            set.intersection(*({k for k, d in enumerate(access.places) if d == dim} for access in accesses))
            for dim in range(self.dims)
        )

    def _declares(self, line: str) -> bool:
        if found := _DECLARED.fullmatch(line):
            self.declare(found["var"], found["star"] or found["type"])
            if found["const"] and found["number"]:
                self._constants[found["var"]] = found["number"]
        elif (found := _ARGUMENT.fullmatch(line)) and self.dims:
            _require(found["member"] not in self._members)
            self._members.add(found["member"])
            self.declare(found["var"], found["type"])
        elif (found := _INDEX.fullmatch(line)) and self.dims:
            names = (found["one"] or found["more"]).split(", ")
            _require(len(names) == self.dims and not self._branched)
            for dim, name in enumerate(names):
                _require(
                    self._types.get(name) == "wp::int32"
                )  # a smaller one is the same for several threads
                self._assign(name)
                self._own[name] = dim
        else:
            return False
        _require(not self._branched)
        self.left.append(line)
        return True

    def _does(self, line: str, functions: Mapping[str, _Function]) -> None:
        if found := _GIVEN.fullmatch(line):
            self._assign(found["var"])
            self._values(re.findall(_VAR, line))
            if found["pure"] == "extract":
                self._looks_inside(*found["args"].split(", "))
        elif found := _SHAPE.fullmatch(line):
            _require(self._is_array(found["array"]))
            self._point(found["var"])
        else:
            found = _matched(_CALLED, line)
            _require(found["args"])
            arguments = found["args"].split(", ")
            if found["wp"]:
                self._calls_warp(found["name"], found["var"], arguments)
            else:
                _require(found["name"] in functions)
                self._calls(functions[found["name"]], found["var"], arguments)
        self.left.append(line)

    def _calls_warp(self, name: str, target: str | None, arguments: list[str]) -> None:
        if name in _CHANGING or name in _CHANGING_A_PART:
            self._values(arguments)
            self._assign(arguments[0])
            if name in _CHANGING_A_PART:
                self._looks_inside(*arguments[:-1])
            if target:
                self._assign(target)
        elif name == "load":
            _require(arguments[0] in self._fresh and len(arguments) == 1)
            self._assign(target)
        elif name == "address":
            self._uses("load", arguments[0], arguments[1:])
            self._point(target)
        elif name == "array_store":
            _require(self.dims and not target)
            self._uses("store", arguments[0], arguments[1:-1])
            self._values(arguments[-1:])
        else:
            _require(self.dims and name.startswith("atomic_"))
            how = name.removeprefix("atomic_")
            values = 2 if how == "cas" else 1
            self._uses(how, arguments[0], arguments[1:-values], target)
            self._values(arguments[-values:])
            self._assign(target)

    def _calls(self, called: _Function, target: str | None, arguments: list[str]) -> None:
        _require(len(arguments) == len(called.parameters))
        for argument, (type, by_reference) in zip(arguments, called.parameters, strict=True):
            if _is_array(type):
                _require(self._is_array(argument))
                self._accesses[argument].append(_Access("load", ()))
            else:
                self._values([argument])
                if by_reference:
                    self._assign(argument)
        if target:
            self._assign(target)

    def _uses(self, how: str, array: str, indices: Sequence[str], result: str | None = None) -> None:
        _require(self._is_array(array) and indices)
        self._values(indices)
        places = tuple(map(self._own.get, indices))
        self._accesses[array].append(_Access(how, places, result))
        self._ends_beyond(indices, [f"{array}.shape[{k}]" for k in range(len(indices))])

    def _looks_inside(self, name: str, *indices: str) -> None:
        """At a part of a vector, or of what has parts as well."""
        type = self._types.get(name, "")
        sizes: Sequence[str] = ()
        if found := _MATRIX.fullmatch(type) or _VECTOR.fullmatch(type):
            sizes = found.groups()
        elif (size := _LENGTHS.get(type.partition("<")[0])) is not None:
            sizes = (str(size),)
        _require(0 < len(indices) <= len(sizes))
        within = [
            self._constants.get(index, index).isdecimal()
            and int(self._constants.get(index, index)) < int(size)
            for index, size in zip(indices, sizes, strict=False)
        ]
        if not all(within):
            self._ends_beyond(indices, sizes)

    def _ends_beyond(self, indices: Sequence[str], sizes: Sequence[str]) -> None:
        pairs = zip(indices, sizes, strict=False)
        beyond = " || ".join(f"(unsigned)(int){index} >= (unsigned){size}" for index, size in pairs)
        self.left.append(f"if ({beyond}) __builtin_trap();")

    def _is_array(self, name: str) -> bool:
        return _is_array(self._types.get(name, ""))

    def _is_value(self, name: str | None) -> bool:
        return name in self._types and self._types[name] != "*" and not self._is_array(name)

    def _values(self, names: Iterable[str]) -> None:
        for name in names:
            _require(self._is_value(name) or re.fullmatch(_NUMBER, name))

    def _assign(self, name: str | None) -> None:
        if name is None or not self._is_value(name):
            raise _Unsettled
        self._assigned[name] += 1

    def _point(self, name: str | None) -> None:
        if name is None or self._types.get(name) != "*":
            raise _Unsettled
        self._fresh.add(name)


def _deeper(line: str) -> int:
    return line.endswith("{") - (line == "}")


def _is_array(type: str) -> bool:
    return type.startswith("wp::array_t<")


def _functions(lines: Sequence[str]) -> Iterator[_Function]:
    """Raises `_Unsettled`."""
    rest = iter(lines)
    for line in rest:
        function = _Function(_matched(_HEAD, line)["name"], [line])
        while not function.head[-1].endswith(")"):
            function.head.append(next(rest, ""))
            parameter = _matched(_PARAMETER, function.head[-1])
            function.declare(parameter["var"], parameter["type"])
            function.parameters.append((parameter["type"], bool(parameter["ref"])))
        function.head.append(next(rest, ""))
        _require(function.head[-1] == "{")
        depth = 1
        for inside in rest:
            depth += _deeper(inside)
            if not depth:
                break
            function.body.append(inside)
        _require(not depth)
        yield function
