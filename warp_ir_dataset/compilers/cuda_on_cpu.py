"""CUDA text on the CPU: what clang needs in order to run the very text of a CUDA row, thread by thread.

The text is not touched. `__global__` is defined away, CUDA's built-in variables become plain ones, and
each kernel gets a C entry with the calling convention of Warp's CPU entries, which calls it once per
thread of a grid. Every kernel walks its grid in steps of the whole grid, so a thread does exactly the
work item with its own number.

Not covered: what needs several threads at once (shared memory, barriers, tiles over a block).
"""

from __future__ import annotations

from .warp import Translation

# Macros that Warp defines one way for CPU text and another way for CUDA text are defined again here.
PRELUDE = """
#undef builtin_tid1d
#undef builtin_tid2d
#undef builtin_tid3d
#undef builtin_tid4d
#define builtin_tid1d() wp::tid(_idx, dim)
#define builtin_tid2d(x, y) wp::tid(x, y, _idx, dim)
#define builtin_tid3d(x, y, z) wp::tid(x, y, z, _idx, dim)
#define builtin_tid4d(x, y, z, w) wp::tid(x, y, z, w, _idx, dim)

#define __global__

struct grid_index { unsigned int x, y, z; };
static grid_index blockDim = {32, 1, 1};
static grid_index gridDim = {1, 1, 1};
static grid_index blockIdx = {0, 0, 0};
static grid_index threadIdx = {0, 0, 0};

template <typename Thread> static void for_each_thread(size_t size, Thread thread)
{
    gridDim.x = (unsigned int)((size + blockDim.x - 1) / blockDim.x);
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)
            thread();
}
"""


def entries(translation: Translation, symbols: tuple[str, str | None]) -> str:
    """C entries that run the kernels of `translation.cuda`, named `symbols` (forward, adjoint or None).

    They take pointers to the launch bounds, to the arguments and, for the adjoint, to the arguments'
    adjoints, in the struct that Warp's CPU text of the same kernel declares. It is declared once more: its
    members may be structs, and those are the CUDA text's own.
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
    parameters += [f"wp_args_{name}* {struct}" for struct in structs]
    passed = ["*dim", *(f"{struct}->{label}" for struct in structs for label, *_ in translation.parameters)]
    call = f"{name}_cuda_kernel_{direction}({', '.join(passed)})"
    return (
        f'extern "C" void {symbol}({", ".join(parameters)})\n'
        f"{{\n    for_each_thread(dim->size, [&] {{ {call}; }});\n}}\n"
    )
