"""CUDA text on the CPU: what clang needs in order to run the very text of a CUDA row, thread by thread.

The text is not touched. `__global__` is a calling convention, by which clang tells a kernel from any other
function; CUDA's built-in variables become plain ones, which the text cannot write; and each kernel gets a C
entry with the calling convention of Warp's CPU entries, which calls it once per thread of a grid. Every
kernel walks its grid in steps of the whole grid, so a thread does exactly the work item with its own number.
A block more than needed is launched: a kernel that does not end at the last item leaves its arrays.

Threads come first to last, or last to first: in that other order the grid is of the size that the caller
says, so that where it is small each thread does several items, a whole grid apart.

What a text may not reach ends in a token: for one that is judged, in one that it cannot know.

Not covered: what needs several threads at once (shared memory, barriers, tiles over a block).
"""

from __future__ import annotations

from .warp import Translation

THREADS = 32  # of a block
BLOCK = 4  # in the other order
MORE = 1  # blocks beyond the last one that has an item: a launch is rounded up to blocks of hundreds
OWN = "_on_cpu"  # the token where nobody wants to reach what it is for
# Words that entries are written in.
_WRITTEN = "extern void int unsigned char struct static_assert decltype args adjoints dim backwards wp"

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
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__
"""

GLOBAL = """
#undef __global__
#define __global__ __attribute__((preserve_most))
"""


def grid(token: str) -> str:
    """CUDA's built-in variables, as constants; what a kernel is told by; and what calls a thread of each
    number. It may stand in a namespace."""
    return f"""
struct grid_index {{ unsigned int x, y, z; }};
static grid_index block_size{token} = {{1, 1, 1}}, grid_size{token} = {{1, 1, 1}};
static grid_index block{token} = {{0, 0, 0}}, thread{token} = {{0, 0, 0}};
static const grid_index &blockDim = block_size{token}, &gridDim = grid_size{token};
static const grid_index &blockIdx = block{token}, &threadIdx = thread{token};

template <typename F> struct is_kernel{token} {{ static const bool value = false; }};
template <typename... A> struct is_kernel{token}<void __attribute__((preserve_most)) (A...)>
{{
    static const bool value = true;
}};

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
    return _MACROS + GLOBAL + grid(token)


def last_first(size: int, blocks: int) -> list[int]:
    """The other order: the work items of a launch as they come with so many blocks, a thread's own one after
    the other."""
    threads = blocks * BLOCK
    return [item for thread in reversed(range(threads)) for item in range(thread, size, threads)]


def entries(
    translation: Translation, symbols: tuple[str, str | None], namespace: str, token: str = OWN
) -> str:
    """C entries that run the kernels of `translation.cuda`, which stand in `namespace`, named `symbols`
    (forward, adjoint or None); `token` is that of the unit's prelude.

    They take pointers to the launch bounds, to the arguments and, for the adjoint, to the arguments'
    adjoints, in the struct that Warp's CPU text of the same kernel declares. It is declared once more: its
    members may be structs, and those are the CUDA text's own. Behind these they take an int: 0, or for the
    other order the number of blocks.
    """
    forward, backward = symbols
    text = "" if token == OWN else unhidden("size")
    text += _arguments(translation) + _entry(translation, forward, "forward", ("args",), namespace, token)
    if backward is not None:
        text += _entry(translation, backward, "backward", ("args", "adjoints"), namespace, token)
    return text


def unhidden(*names: str) -> str:
    """No macro of the text for a word that its entries are written in."""
    return "".join(f"#undef {word}\n" for word in (*_WRITTEN.split(), *names))


def told(name: str, kernel: str, token: str) -> str:
    """What clang says unless `kernel`, which the text calls `name`, is a kernel."""
    says = f"{name} is not defined as __global__ void {name}(...)"
    return f'static_assert(is_kernel{token}<decltype({kernel})>::value, "{says}");\n'


def _arguments(translation: Translation) -> str:
    start = translation.cpu.index(f"struct wp_args_{translation.name} {{")
    end = translation.cpu.index("};", start)
    return translation.cpu[start:end] + "};\n"


def _entry(
    translation: Translation,
    symbol: str,
    direction: str,
    structs: tuple[str, ...],
    namespace: str,
    token: str,
) -> str:
    name = f"{translation.name}_cuda_kernel_{direction}"
    parameters = [f"::wp::launch_bounds_t<{translation.tid_dims}>* dim"]
    parameters += [f"wp_args_{translation.name}* {struct}" for struct in structs] + ["int backwards"]
    passed = ["*dim", *(f"{struct}->{label}" for struct in structs for label, *_ in translation.parameters)]
    kernel = f"::{namespace}::{name}"
    threads = f"backwards ? {BLOCK} : {THREADS}"
    blocks = f"backwards ? backwards : (unsigned int)((dim->size + {THREADS - 1}) / {THREADS}) + {MORE}"
    return (
        f"{told(name, kernel, token)}"
        f'extern "C" void {symbol}({", ".join(parameters)})\n'
        f"{{\n    for_each_thread{token}({blocks}, {threads}, backwards, [&] {{\n"
        f"        {kernel}({', '.join(passed)});\n    }});\n}}\n"
    )
