"""Tells what a build holds: the figures and tables of the report that come from its rows and its manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import numpy as np
from row_contents import CONSTRUCTS, Contents

from warp_ir_dataset.publishing import tables
from warp_ir_dataset.publishing.facts import HELD_OUT, ConfigFacts, Facts
from warp_ir_dataset.publishing.markdown import notes, number, share, table
from warp_ir_dataset.publishing.similarity import THRESHOLDS

# Of the tables that cards and reports have, those that this report has too.
SHARED = ("sizes", "draws", "near", "compared", "removed")
LIMITS = (2048, 4096, 8192)  # tokens
FORWARD = ("cpu", "cuda", "warp_to_cuda", "spec_to_warp", "repair")
MAIN = ("cuda", "cuda_backward")  # whose figures the text cites


def figures(facts: Facts, rows: Mapping[str, Contents]) -> dict[str, str]:
    main = replace(facts, configs={name: facts.configs[name] for name in MAIN})
    found = {f"table:{name}": tables.OF_FACTS[name](facts if name == "sizes" else main) for name in SHARED}
    found |= {
        "table:levels": levels({name: rows[name] for name in MAIN}),
        "table:tokens": tokens(facts),
        "table:constructs": constructs(facts, rows),
        "table:rejections": rejections(facts),
        "repair.rows_of_a_kind": mistakes(rows),
        "rows.shared": shared(facts),
        "rows.total": number(sum(config.total for config in facts.configs.values())),
        "rows.megabytes": number(sum(config.stored for config in facts.configs.values()) / 1e6),
    }
    for name in MAIN:
        found |= of_config(facts.configs[name], rows[name])
    return found


def of_config(config: ConfigFacts, own: Contents) -> dict[str, str]:
    """Figures of one config, that sentences cite."""
    median = int(np.median(config.pair_tokens))
    lines = config.lengths["python_source"].lines
    found = {
        "purposes": number(len(own.purposes)),
        "with_purpose": share(own.purposes.total(), config.total),
        "tokens": number(median),
        "lines": number(float(np.median(lines))),
        "builtins": number(len(config.builtins)),
        "drawn": number(config.draws or 0),
        "survive": share(config.survivors[THRESHOLDS[0]], config.removed),
        "failed": number(config.rejections.total()),
    }
    if config.name == "cuda":
        near = sum(config.near(split, THRESHOLDS[0]) for split in HELD_OUT)
        found["failed_share"] = share(config.rejections.total(), config.rejections.total() + config.total)
        found["cases"] = f"{own.cases / config.total:.2f}"
        found["depth"] = number(float(np.median(sorted(own.depths.elements()))))
        found["deepest"] = number(max(own.depths, default=0))
        found["branches"] = number(own.branches)
        found["branches_run"] = share(own.branches_run, own.branches)
        found["near"] = f"{number(near)} of {number(sum(len(config.nearest[split]) for split in HELD_OUT))}"
    else:
        found["total"] = number(config.total)
        found["gradients"] = number(own.gradients)
        found["barred"] = number(config.barred)
    return {f"{config.name}.{key}": value for key, value in found.items()}


def levels(rows: Mapping[str, Contents]) -> str:
    """The share of rows of each level of difficulty."""
    every = sorted({level for own in rows.values() for level in own.levels})
    cells = (
        [f"`{name}`", *(share(own.levels[level], own.levels.total()) for level in every)]
        for name, own in rows.items()
    )
    return table(["config", *(f"level {level}" for level in every)], cells)


def shared(facts: Facts) -> str:
    """The share of the kernels of `cuda` that all configs without an adjoint have."""
    every = [np.concatenate(list(facts.configs[name].ids.values())) for name in FORWARD]
    return share(len(reduce(np.intersect1d, every)), facts.configs["cuda"].total)


def tokens(facts: Facts) -> str:
    """How many tokens prompt and completion have together, and which share of rows is whole at a limit."""
    cells = []
    for config in facts.configs.values():
        whole = [share(int(np.count_nonzero(config.pair_tokens <= limit)), config.total) for limit in LIMITS]
        cells.append([f"`{config.name}`", *map(number, tables.quantiles(config.pair_tokens)), *whole])
    heads = ["config", "median", "90 %", "99 %", "longest", *(f"whole at {limit:,}" for limit in LIMITS)]
    return table(heads, cells)


def constructs(facts: Facts, rows: Mapping[str, Contents]) -> str:
    """The share of rows whose kernel has something."""
    cells = (
        [what, *(share(own.constructs[what], facts.configs[name].total) for name, own in rows.items())]
        for what in CONSTRUCTS
    )
    return table(["a kernel has", *(f"`{name}`" for name in rows)], cells)


def rejections(facts: Facts) -> str:
    """Why candidates failed their proof, in all configs together, the most frequent reason first."""
    counts = sum((config.rejections for config in facts.configs.values()), Counter[str]())
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    cells = [[f"`{reason}`", notes()["reasons"][reason], number(count)] for reason, count in ordered if count]
    cells.append(["all", "", number(counts.total())])
    return table(["reason", "meaning", "candidates"], cells, text_columns=2)


def mistakes(rows: Mapping[str, Contents]) -> str:
    """The fewest and the most rows of `repair` that a kind of mistake has, of the kinds that occur."""
    counts = rows["repair"].kinds.values()
    return f"{min(counts):,} to {max(counts):,}"
