"""Lets clang compile CUDA C++ for the CPU, so that the exact text of a row runs there, thread by thread.

The text is not touched. `__global__` is a calling convention, by which clang tells a kernel from any other
function; CUDA's built-in variables become plain ones, which the text cannot write; and each kernel gets a C
entry with the calling convention of Warp's CPU entries, which calls it once per thread of a grid. Most
kernels walk their grid in steps of the whole grid, so a thread does exactly the work item with its own
number. Where a block more than needed is launched, a kernel that does not end at the last item leaves its
arrays.

Threads come first to last, or last to first, in the `Grid` that the caller gives. It may have fewer threads
than there are items, so that each thread does several, a whole grid apart. A kernel without a grid-stride
loop does one item per thread: its grid has a thread for each item.

What a text may not reach ends in a token: for one that is judged, in one that it cannot know.

Not covered: what needs several threads at once (shared memory, barriers, tiles over a block).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .warp import Translation

THREADS = 32  # of a block
BLOCK = 4  # in the other order
MORE = 1  # blocks beyond the last one that has an item: a launch is rounded up to blocks of hundreds
OWN = "_on_cpu"  # the token where nobody wants to reach what it is for
# Of units that the machine runs: the variables and the table that it looks for, the bytes and the number of
# jumps there; the names by which it finds sections of data; and the bytes of the slot in which it passes a
# parameter.
INDEX, THUNKS, SECTIONS = "wm_index", "wm_thunks", "wm_sections"
THUNK, MOST_THUNKS, SLOT = 16, 256, 1024
FIRSTS = "wm_firsts"  # a variable that code beside a text may have
# In Warp's headers, as the machine changes them.
OBJECT, NUMBER, TILES = "wm_one_atomic", "wm_is_atomic", "wm_tiles"
# What a text may not name, as it could call its own accesses atomic.
ANNOUNCING = frozenset(["wm_atomic_begins", "wm_atomic_ends", "wm_in_turn", "wm_race", OBJECT, NUMBER, TILES])
ANCHORS = tuple(f"wm_section_{i}" for i in range(24))
_NAME = re.compile(r'"[^"]*"|[A-Za-z_]\w*')
_OF_WARP = re.compile(r"(?<![\w:])wp::")

# Macros that Warp defines one way for CPU text and another way for CUDA text are defined again here.
_MACROS = """
#undef builtin_tid1d
#undef builtin_tid2d
#undef builtin_tid3d
#undef builtin_tid4d
#define builtin_tid1d() wp::tid(_idx, dim)
#define builtin_tid2d(x, y) wp::tid(x, y, _idx, dim)
#define builtin_tid3d(x, y, z) wp::tid(x, y, z, _idx, dim)
#define builtin_tid4d(x, y, z, w) wp::tid(x, y, z, w, _idx, dim)
#define __device__
#define __host__
"""

# Hints to the compiler about speed: CUDA's own, and Warp's macros for them.
HINTS = """
#undef WP_CLUSTER_DIMS
#undef WP_MAXNREG
#undef WP_ENABLE_SMEM_SPILLING
#define WP_CLUSTER_DIMS(...)
#define WP_MAXNREG(...)
#define WP_ENABLE_SMEM_SPILLING()
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__
"""

GLOBAL = """
#undef __global__
#define __global__ __attribute__((preserve_most))
"""

# A kernel must take the blocks that Warp launches: a device does not run it otherwise.
_LAUNCHED = """
template <long N> struct launched{token}
{{
    static_assert(N >= 256, "Warp launches 256 threads a block, and __launch_bounds__ allows fewer");
    enum {{ value = 16 }};
}};
template <typename... A> constexpr long first{token}(long n, A...) {{ return n; }}
#undef __launch_bounds__
#define __launch_bounds__(...) __attribute__((aligned(launched{token}<first{token}(__VA_ARGS__)>::value)))
"""

# What the machine's texts in CUDA have beside these: words of CUDA's, and the number that Warp gives to a
# device's tiles.
_ON_MACHINE = """
#undef WP_TILE_BLOCK_DIM
#define WP_TILE_BLOCK_DIM 256
#define __constant__ const
#define __align__(n) __attribute__((aligned(n)))
#define warpSize 32
#undef assert
#define assert(...) ((__VA_ARGS__) ? (void)0 : __trap())
"""

# What clang has beyond C++17, which NVRTC refuses.
_BEYOND = """
vla-extension gnu-statement-expression gnu-label-as-value gnu-conditional-omitted-operand gnu-case-range
zero-length-array flexible-array-extensions c99-extensions gnu-designator c++20-extensions c++23-extensions
gnu-imaginary-constant register dollar-in-identifier-extension increment-bool
"""
_STRICT = "".join(f'#pragma clang diagnostic error "-W{group}"\n' for group in _BEYOND.split())
_STRICT += '#pragma clang diagnostic ignored "-Wc++20-attribute-extensions"\n'

# Instantiates these templates, so that no later text can specialize them.
_BOUNDS = "".join(f'static_assert(sizeof(wp::launch_bounds_t<{n}>), "");\n' for n in range(1, 5))


QUIET = '__attribute__((no_sanitize("thread", "coverage")))'  # of functions that are not announced
# What `told` asks with.
_TOLD = """
template <typename F, typename... A> struct is_kernel{token} {{ static const bool value = false; }};
template <typename... A> struct is_kernel{token}<void __attribute__((preserve_most)) (A...), A...>
{{
    static const bool value = true;
}};
template <typename... A> struct is_copied{token}
{{
    static const bool value = (__is_trivially_copyable(A) && ... && true);
}};
"""


@dataclass(frozen=True)
class Grid:
    """How a kernel is launched: the number of blocks, and of threads in each; and the order."""

    blocks: int
    threads: int = THREADS
    backwards: bool = False

    @property
    def words(self) -> tuple[int, int, int]:
        """What a kernel's entry takes behind its arguments."""
        return self.blocks, self.threads, int(self.backwards)


_WORDS = ("unsigned int blocks", "unsigned int threads", "int backwards")


def grid(token: str) -> str:
    """CUDA's built-in variables, as constants; what a kernel is told by; and what calls a thread of each
    number. It may stand in a namespace."""
    return f"""
struct grid_index {{ unsigned int x, y, z; }};
static grid_index block_size{token} = {{1, 1, 1}}, grid_size{token} = {{1, 1, 1}};
static grid_index block{token} = {{0, 0, 0}}, thread{token} = {{0, 0, 0}};
static const grid_index &blockDim = block_size{token}, &gridDim = grid_size{token};
static const grid_index &blockIdx = block{token}, &threadIdx = thread{token};

{_TOLD.format(token=token)}
template <typename Thread>
static void for_each_thread{token}(unsigned int blocks, unsigned int threads, int backwards, Thread thread)
{{
    block_size{token}.x = threads;
    grid_size{token}.x = blocks;
    const unsigned int all = blocks * threads;
    for (unsigned int n = 0; n < all; ++n) {{
        const unsigned int number = backwards ? all - 1 - n : n;
        block{token}.x = number / threads;
        thread{token}.x = number % threads;
        thread();
    }}
}}
"""


def prelude(token: str = OWN) -> str:
    return _MACROS + HINTS + GLOBAL + _BOUNDS + grid(token)


def prelude_on_machine(token: str) -> str:
    """What stands before a CUDA text that the machine runs."""
    hints = HINTS + _LAUNCHED.format(token=token)
    told = _TOLD.format(token=token)
    return f"{_MACROS}{hints}{GLOBAL}{_BOUNDS}{on_machine()}{told}{_ON_MACHINE}{_STRICT}"


def on_machine() -> str:
    """What stands before any text that the machine (`machine`) runs. It changes the built-in variables
    itself, of which a text has the size of a block, and puts jumps to what the text calls outside of itself
    into a table."""
    return f"""
extern "C" {{
uint3 {INDEX}[4];
__attribute__((section(".{THUNKS}"))) char {THUNKS}[{THUNK * MOST_THUNKS}] = {{1}};
extern char {", ".join(ANCHORS)};
char* {SECTIONS}[] = {{{", ".join(f"&{anchor}" for anchor in ANCHORS)}}};
}}
static const uint3 &threadIdx = {INDEX}[0], &blockIdx = {INDEX}[1];
static const dim3 &blockDim = reinterpret_cast<const dim3&>({INDEX}[2]);
static const dim3 &gridDim = reinterpret_cast<const dim3&>({INDEX}[3]);
#undef builtin_block_dim
#define builtin_block_dim() ((int)blockDim.x)
"""


def last_first(size: int, blocks: int) -> list[int]:
    """The other order: the work items of a launch as they come with so many blocks, a thread's own one after
    the other."""
    threads = blocks * BLOCK
    return [item for thread in reversed(range(threads)) for item in range(thread, size, threads)]


def enough(size: int, threads: int = BLOCK, more: int = MORE) -> int:
    """How many blocks have a thread for each of so many items, and so many blocks more."""
    return -(-size // threads) + more


def entries(
    translation: Translation,
    symbols: tuple[str, str | None],
    namespace: str,
    token: str = OWN,
    *,
    on_machine: bool = False,
) -> str:
    """C entries that run the kernels of `translation.cuda`, which stand in `namespace`, named `symbols`
    (forward, adjoint or None); `token` is that of the unit's prelude.

    They take pointers to the launch bounds, to the arguments and, for the adjoint, to the arguments'
    adjoints, in the struct that Warp's CPU text of the same kernel declares. It is declared once more: its
    members may be structs, and those are the CUDA text's own. Behind these they take a `Grid.words`. Those
    for the machine run one thread, and take the address of slots with these pointers.
    """
    forward, backward = symbols
    text = _arguments(translation)
    calls = called_on_machine if on_machine else called
    text += _entry(translation, forward, "forward", ("args",), namespace, token, calls)
    if backward is not None:
        text += _entry(translation, backward, "backward", ("args", "adjoints"), namespace, token, calls)
    return text if token == OWN else unhidden(text)


def unhidden(text: str) -> str:
    """`text` behind one that is not ours, whose macros do not change it: no word of it is one."""
    words = {word for word in _NAME.findall(text) if not word.startswith('"')}
    return "".join(f"#undef {word}\n" for word in sorted(words)) + text


def told(name: str, kernel: str, types: Sequence[str], token: str, shown: Sequence[str] = ()) -> str:
    """What clang says unless `kernel`, which the text calls `name`, is a kernel that takes the very `types`,
    which may be `shown` in other words. Others would do for a call, and work on the host as they convert, as
    those do that are copied by a function."""
    says = f"{name} is not defined as __global__ void {name}({', '.join(shown or types)})"
    found = ", ".join([f"decltype({kernel})", *types])
    copied = f"a parameter of {name} has a constructor or destructor that copies need"
    return (
        f'static_assert(is_kernel{token}<{found}>::value, "{says}");\n'
        f'static_assert(is_copied{token}<{", ".join(types)}>::value, "{copied}");\n'
    )


def called(parameters: Sequence[str], call: str, symbol: str, token: str) -> str:
    """The entry of that name, which takes these parameters and a `Grid.words`, and makes the call for each
    thread."""
    return (
        f'extern "C" void {symbol}({", ".join((*parameters, *_WORDS))})\n'
        f"{{\n    for_each_thread{token}(blocks, threads, backwards, [&] {{ {call}; }});\n}}\n"
    )


def called_on_machine(parameters: Sequence[str], call: str, symbol: str, token: str) -> str:
    """The entry of that name, which takes the address of slots with these parameters and makes the call."""
    types = [each.rpartition(" ")[0] for each in parameters]
    passed = "".join(
        f"    {each} = *({type}*)(slots + {SLOT * place});\n"
        for place, (each, type) in enumerate(zip(parameters, types, strict=True))
    )
    return f'extern "C" {QUIET} void {symbol}(char* slots)\n{{\n{passed}    {call};\n}}\n'


def item_on_machine(kernel: str, symbol: str, token: str) -> str:
    """The entry of that name of a CPU text, which stands in a namespace of its own: each thread does the item
    of its number, if there is one."""
    return f"""
template <auto N, typename A> {QUIET}
static void item{token}(void (*kernel)(wp::launch_bounds_t<N>, size_t, A*), char* slots)
{{
    wp::launch_bounds_t<N>* dim = *(wp::launch_bounds_t<N>**)slots;
    const size_t item = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= dim->size) return;
    wp::tile_shared_storage_t tiles;
    kernel(*dim, item, *(A**)(slots + {SLOT}));
}}
extern "C" {QUIET} void {symbol}(char* slots) {{ item{token}(&{kernel}, slots); }}
"""


def _arguments(translation: Translation) -> str:
    start = translation.cpu.index(f"struct wp_args_{translation.name} {{")
    end = translation.cpu.index("};", start)
    return _OF_WARP.sub("::wp::", translation.cpu[start:end]) + "};\n"


def _entry(
    translation: Translation,
    symbol: str,
    direction: str,
    structs: tuple[str, ...],
    namespace: str,
    token: str,
    calls: Callable[[Sequence[str], str, str, str], str],
) -> str:
    name = f"{translation.name}_cuda_kernel_{direction}"
    passed = ["*dim", *(f"{struct}->{label}" for struct in structs for label, *_ in translation.parameters)]
    kernel = f"::{namespace}::{namespace}_kernel_{direction}"  # as the unit has it
    arguments = f"wp_args_{translation.name}"
    bounds = f"::wp::launch_bounds_t<{translation.tid_dims}>"
    types = [f"decltype({arguments}::{label})" for label, *_ in translation.parameters] * len(structs)
    members = _arguments(translation).replace("::wp::", "wp::").splitlines()[1:-1]
    shown = [member.rpartition(" ")[0].strip() for member in members] * len(structs)
    parameters = [f"{bounds}* dim", *(f"{arguments}* {struct}" for struct in structs)]
    checked = told(name, kernel, [bounds, *types], token, [bounds.strip(":"), *shown])
    return checked + calls(parameters, f"{kernel}({', '.join(passed)})", symbol, token)
