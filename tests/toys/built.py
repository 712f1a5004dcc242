"""A built folder of real kernels whose generated code is made up, as nothing is compiled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from toys.engines import ENGINE
from toys.rows import TASKS
from warp_ir_dataset.builds.output.build import opened
from warp_ir_dataset.builds.output.local_store import LocalStore
from warp_ir_dataset.builds.plan.plan import Plan, ShardPlan
from warp_ir_dataset.builds.repair.mistake import Mistake
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.builds.row import make_row
from warp_ir_dataset.builds.shards import Filled
from warp_ir_dataset.common.configs import CONFIGS
from warp_ir_dataset.common.outcomes import Reason, Row
from warp_ir_dataset.language.cuda.harness import Harness
from warp_ir_dataset.language.identity import identify
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write as write_source
from warp_ir_dataset.proof.checks import Checks
from warp_ir_dataset.proof.subject import PlainParts, Proof, Ran
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sample import Sample
from warp_ir_dataset.synthesis.sampling import address_of, sample

KERNELS = 40
SEED = 5
# Held-out rows; the others are train. Row 19 is a copy of the first row that has a number in it, under
# another name and with other numbers.
HELD_OUT = {9: "validation", 19: "validation", 29: "test", 39: "test", 14: "test"}
COPY = 19

# The entries of all targets, as a row of each has one.
ENTRIES = """
WP_API void {name}_cpu_forward() {{}}
extern "C" __global__ void {name}_cuda_kernel_forward() {{}}
__global__ void {name}() {{}}
"""
PTX = """.version 9.4
.target sm_80
.address_size 64

.visible .entry {name}_cuda_kernel_forward(
	.param .u64 p0
)
{{
	.reg .b32 	%r<3>;

	mov.u32 	%r1, %tid.x;
	@%p1 bra 	$L__BB0_2;
	{extra}
	{{ // callseq 0, 0
	.param .b64 param0;
	st.param.f64 	[param0], %fd1;
	call.uni (retval0),
	__internal_pow,
	(
	param0,
	param1
	);
	}}
$L__BB0_2:
	ret;
}}
"""


def rows(config: str) -> dict[str, list[Row]]:
    """`KERNELS` rows of a config, by split."""
    found: dict[str, list[Row]] = {"train": [], "validation": [], "test": []}
    for number in range(KERNELS):
        found[HELD_OUT.get(number, "train")].append(_row(number, config))
    return found


def _row(number: int, config: str) -> Row:
    drawn = _first_with_a_number() if number == COPY else _drawn(number)
    program = drawn.program
    source = write_source(program)
    if number == COPY:
        source = source.replace(program.name, "other_name").replace("0.", "3.")
        if CONFIGS[config].python:  # its prompt declares the kernel
            drawn = replace(
                drawn, program=replace(program, signature=replace(program.signature, name="other_name"))
            )
    cuda = CONFIGS[config].cuda
    proof = Proof(
        code="".join(f"// {line}\nvar_{at} = x[{at}];\n" for at, line in enumerate(source.split("\n")))
        + ENTRIES.format(name=program.name),
        ptx=PTX.format(name=program.name, extra="fma.rn.f32 \t%f1, %f2, %f3;" * (number % 3))
        if cuda
        else None,
        examples=tuple(
            {"launch_dim": list(program.launch_dim), "inputs": {"x": [x, number]}, "outputs": {}}
            for x in (1.5, 2.5, 3.5)
        ),
        checks=Checks(
            native_compile=True,
            warp_launch=True,
            cases=3,
            numpy_matches=True,
            numpy_error=number * 1e-9,
            ptx_compile=True if cuda else None,
            cuda_text_matches=True if cuda else None,
            cuda_text_error=number * 1e-9 if cuda else None,
        ),
        warp_version="1.19.0",
        plain=PlainParts(f"__global__ void {program.name}();\n", Harness("", "int main() { return 0; }\n"))
        if CONFIGS[config].plain
        else None,
        coverage=Ran(arms=4, arms_run=number % 2 + 3),
    )
    address = address_of(SEED, drawn.category, number)
    mistake = None
    if CONFIGS[config].broken:
        mistake = Mistake("wrong constant", source.replace("0.", "7."), f"It leaves {number} at out[0].")
    return make_row(CONFIGS[config], address, drawn, source, identify(read(source)), "sm_80", proof, mistake)


def _drawn(number: int) -> Sample:
    return sample(address_of(SEED, RANDOM_KINDS[number % len(RANDOM_KINDS)], number))


def _first_with_a_number() -> Sample:
    found = map(_drawn, range(COPY))
    return next(drawn for drawn in found if "0." in write_source(drawn.program))


def write(folder: Path) -> Path:
    """Build the folder, without its card; train has two files."""
    requests = [Request(config, KERNELS, SEED) for config in TASKS]
    with opened(LocalStore(folder), requests, ENGINE) as built:
        for request in requests:
            config, found = request.config, rows(request.config)
            counts = {split: 2 if split == "train" else 1 for split in found}
            shards = [ShardPlan(split, at, n, ()) for split, n in counts.items() for at in range(n)]
            plan = Plan(
                request,
                tuple(shards),
                draws=dict.fromkeys(RANDOM_KINDS, 7),
                duplicates=dict.fromkeys(RANDOM_KINDS, 0) | {"math": 3},
                non_differentiable=dict.fromkeys(RANDOM_KINDS, 2 if CONFIGS[config].adjoint else 0),
                shortfalls=(),
            )
            files = built.planned(request, lambda _, plan=plan: plan)
            for shard in shards:
                rejected = Counter(
                    {Reason.NEAR_ZERO: shard.index + 1, Reason.KINK: int(CONFIGS[config].adjoint)}
                )
                files.add(Filled(shard, found[shard.split][shard.index :: shard.count], rejected))
            built.take(files)
        built.finish(lambda _: None)
    return folder
