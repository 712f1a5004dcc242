"""CUDA text on the CPU: what clang needs in order to run the very text of a CUDA row, thread by thread.

The text is not touched. `__global__` is defined away, CUDA's built-in variables become plain ones, and
each kernel gets a C entry with the calling convention of Warp's CPU entries, which calls it once per
thread of a grid. Every kernel walks its grid in steps of the whole grid, so a thread does exactly the
work item with its own number.

Threads come first to last, or last to first: in that other order the grid is of the size that the caller
says, so that where it is small each thread does several items, a whole grid apart.

Not covered: what needs several threads at once (shared memory, barriers, tiles over a block).
"""

from __future__ import annotations

from .warp import Translation

BLOCK = 4  # threads of a block, in the other order

# Macros that Warp defines one way for CPU text and another way for CUDA text are defined again here.
PRELUDE = f"""
#undef builtin_tid1d
#undef builtin_tid2d
#undef builtin_tid3d
#undef builtin_tid4d
#define builtin_tid1d() wp::tid(_idx, dim)
#define builtin_tid2d(x, y) wp::tid(x, y, _idx, dim)
#define builtin_tid3d(x, y, z) wp::tid(x, y, z, _idx, dim)
#define builtin_tid4d(x, y, z, w) wp::tid(x, y, z, w, _idx, dim)

#define __global__

struct grid_index {{ unsigned int x, y, z; }};
static grid_index blockDim = {{32, 1, 1}};
static grid_index gridDim = {{1, 1, 1}};
static grid_index blockIdx = {{0, 0, 0}};
static grid_index threadIdx = {{0, 0, 0}};

template <typename Thread> static void for_each_thread(size_t size, int backwards, Thread thread)
{{
    blockDim.x = backwards ? {BLOCK} : 32;
    gridDim.x = backwards ? backwards : (unsigned int)((size + blockDim.x - 1) / blockDim.x);
    const unsigned int threads = gridDim.x * blockDim.x;
    for (unsigned int n = 0; n < threads; ++n) {{
        const unsigned int number = backwards ? threads - 1 - n : n;
        blockIdx.x = number / blockDim.x;
        threadIdx.x = number % blockDim.x;
        thread();
    }}
}}
"""


def last_first(size: int, blocks: int) -> list[int]:
    """The other order: the work items of a launch as they come with so many blocks, a thread's own one after
    the other."""
    threads = blocks * BLOCK
    return [item for thread in reversed(range(threads)) for item in range(thread, size, threads)]


def entries(translation: Translation, symbols: tuple[str, str | None]) -> str:
    """C entries that run the kernels of `translation.cuda`, named `symbols` (forward, adjoint or None).

    They take pointers to the launch bounds, to the arguments and, for the adjoint, to the arguments'
    adjoints, in the struct that Warp's CPU text of the same kernel declares. It is declared once more: its
    members may be structs, and those are the CUDA text's own. Behind these they take an int: 0, or for the
    other order the number of blocks.
    """
    forward, backward = symbols
    text = _arguments(translation) + _entry(translation, forward, "forward", ("args",))
    if backward is not None:
        text += _entry(translation, backward, "backward", ("args", "adjoints"))
    return text


def _arguments(translation: Translation) -> str:
    start = translation.cpu.index(f"struct wp_args_{translation.name} {{")
    end = translation.cpu.index("};", start)
    return translation.cpu[start:end] + "};\n"


def _entry(translation: Translation, symbol: str, direction: str, structs: tuple[str, ...]) -> str:
    name = translation.name
    parameters = [f"wp::launch_bounds_t<{translation.tid_dims}>* dim"]
    parameters += [f"wp_args_{name}* {struct}" for struct in structs] + ["int backwards"]
    passed = ["*dim", *(f"{struct}->{label}" for struct in structs for label, *_ in translation.parameters)]
    call = f"{name}_cuda_kernel_{direction}({', '.join(passed)})"
    return (
        f'extern "C" void {symbol}({", ".join(parameters)})\n'
        f"{{\n    for_each_thread(dim->size, backwards, [&] {{ {call}; }});\n}}\n"
    )
