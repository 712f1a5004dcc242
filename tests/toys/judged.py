"""Rows to be judged, and answers to them that are none: made without NVRTC and without a proof."""

from __future__ import annotations

from functools import cache
from typing import Any

from warp_ir_dataset.builds.row import prompt
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.compilers import warp
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.cuda.render import render
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.sampling import sample

# A kernel of one dimension that reads one array of float64 and writes another: what attacks are aimed at.
PLAIN = ("math", 1939787)


@cache
def program_at(category: str, draw_number: int, purpose: str | None = None) -> ir.Program:
    return sample(Address(0, category, draw_number, purpose)).program


@cache
def row_at(
    config: str, category: str = PLAIN[0], draw_number: int = PLAIN[1], purpose: str | None = None
) -> dict[str, Any]:
    """The columns that the judge reads, of the row at an address of seed 0."""
    program, facts = program_at(category, draw_number, purpose), CONFIGS[config]
    source = write(program)
    interface = render(program).interface if facts.plain else None
    return {
        "id": identify(program).id,
        "kernel_name": program.name,
        "category": category,
        "purpose": purpose,
        "seed": 0,
        "draw": draw_number,
        "python_source": source,
        "prompt": prompt(facts, source, interface),
        "completion": completion(config, program, source),
    }


def completion(config: str, program: ir.Program, source: str) -> str:
    """An answer to a program's row that does what `source` does, in the language of a config."""
    facts = CONFIGS[config]
    if facts.python:
        return source
    if facts.plain:
        return render(read(source, program.signature)).completion
    text = warp.translate(source, program.name, backward=facts.adjoint, cuda=facts.cuda)
    return text.cuda if facts.cuda else text.cpu


def cpu_kernel(body: str, before: str = "") -> str:
    """An answer to the plain row for the CPU: `body` sees the launch's `size`, and the arrays `in` and
    `out`."""
    program = program_at(*PLAIN)
    first, second = (argument.name for argument in program.arguments)
    name = program.name
    return f"""
{before}
struct wp_args_{name} {{ wp::array_t<double> in; wp::array_t<double> out; }};  // {first}, {second}
extern "C" WP_API void {name}_cpu_forward(wp::launch_bounds_t<1>* dim, wp_args_{name}* _wp_args)
{{
    double* in = _wp_args->in.data;
    double* out = _wp_args->out.data;
    int size = (int)dim->size;
    {body}
}}
"""


def python_answer(module: str, value: str = "0.0") -> str:
    """An answer to the plain row in Python, which the project itself does not read: `module` is what stands
    before the kernel, `value` what it stores."""
    return f"""
import warp as wp
{module}

def one():
    return 1.0

@wp.kernel
def {program_at(*PLAIN).name}(data: wp.array[wp.float64], results: wp.array[wp.float64]):
    i = wp.tid()
    results[i] = wp.float64({value}) * wp.float64(wp.static(one()))
"""
