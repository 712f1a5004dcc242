"""Tells what a build holds: the figures and tables of the report that come from its rows and its manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
from row_contents import CONSTRUCTS, Contents

from warp_ir_dataset.publishing import tables
from warp_ir_dataset.publishing.facts import HELD_OUT, ConfigFacts, Facts
from warp_ir_dataset.publishing.markdown import notes, number, share, table
from warp_ir_dataset.publishing.similarity import THRESHOLDS

# Of the tables that cards and reports have, those that this report has too.
SHARED = (*("sizes", "fitting", "draws", "near", "survivors", "compared", "removed"),)
MAIN = ("cuda", "cuda_backward")  # whose figures the text cites
ERRORS = {
    "numpy_error": "Warp's run and numpy in float64",
    "rounding_error": "numpy, and numpy rounded otherwise",
    "cuda_text_error": "CUDA text and Warp's own run",
    "adjoint_error": "gradients of the CUDA text and of Warp's own run",
    "finite_difference_error": "gradients and central differences",
}


def figures(facts: Facts, rows: Mapping[str, Contents]) -> dict[str, str]:
    found = {f"table:{name}": tables.OF_FACTS[name](facts) for name in SHARED}
    found |= {
        "table:levels": levels(rows),
        "table:tokens": tokens(facts),
        "table:constructs": constructs(facts, rows),
        "table:depth": depths(rows),
        "table:errors": errors(rows),
        "table:rejections": rejections(facts),
        "repair.rows_of_a_kind": mistakes(rows),
        "rows.total": number(sum(config.total for config in facts.configs.values())),
        "rows.megabytes": number(sum(config.stored for config in facts.configs.values()) / 1e6),
    }
    for name in MAIN:
        if name in facts.configs:
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
        "failed": number(config.rejections.total()),
    }
    if config.name == "cuda":
        near = sum(config.near(split, THRESHOLDS[0]) for split in HELD_OUT)
        found["failed_share"] = share(config.rejections.total(), config.rejections.total() + config.total)
        found["cases"] = f"{own.cases / config.total:.2f}"
        found["branches"] = number(own.branches)
        found["branches_run"] = share(own.branches_run, own.branches)
        found["near"] = f"{number(near)} of {number(sum(len(config.nearest[split]) for split in HELD_OUT))}"
        found["survive"] = share(config.survivors[THRESHOLDS[0]], config.removed)
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


def tokens(facts: Facts) -> str:
    """How many tokens prompt and completion have together, and how many lines the kernel's source."""
    cells = []
    for config in facts.configs.values():
        lines = np.median(config.lengths["python_source"].lines)
        spread = tables.quantiles(config.pair_tokens)
        cells.append([f"`{config.name}`", *map(number, (*spread, lines))])
    heads = ["config", "tokens, median", "90 %", "99 %", "longest", "lines of source, median"]
    return table(heads, cells)


def constructs(facts: Facts, rows: Mapping[str, Contents]) -> str:
    """The share of rows whose kernel has something."""
    cells = (
        [what, *(share(own.constructs[what], facts.configs[name].total) for name, own in rows.items())]
        for what in CONSTRUCTS
    )
    return table(["a kernel has", *(f"`{name}`" for name in rows)], cells)


def depths(rows: Mapping[str, Contents]) -> str:
    """How deep the deepest expression of a kernel is."""
    cells = []
    for name, own in rows.items():
        every = np.array(sorted(own.depths.elements()))
        cells.append([f"`{name}`", *map(number, tables.quantiles(every))])
    return table(["config", "median", "90 %", "99 %", "deepest"], cells)


def errors(rows: Mapping[str, Contents]) -> str:
    """The largest errors of rows, of all configs together: the median, the ninety-ninth of a hundred, the
    largest."""
    cells = []
    for name, words in ERRORS.items():
        counts = sum((own.errors.get(name, Counter()) for own in rows.values()), Counter[float]())
        every = np.array(sorted(counts.elements()) or [np.nan])
        found = np.percentile(every, (50, 99, 100), method="inverted_cdf")
        cells.append([words, number(counts.total()), *(f"{error:g}" for error in found)])
    return table(["what is compared", "rows", "median", "99 %", "largest"], cells)


def rejections(facts: Facts) -> str:
    """Why candidates failed their proof, in all configs together, the most frequent reason first."""
    counts = sum((config.rejections for config in facts.configs.values()), Counter[str]())
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    cells = [[f"`{reason}`", notes()["reasons"][reason], number(count)] for reason, count in ordered if count]
    cells.append(["all", "", number(counts.total())])
    return table(["reason", "meaning", "candidates"], cells, text_columns=2)


def mistakes(rows: Mapping[str, Contents]) -> str:
    """The fewest and the most rows of `repair` that a kind of mistake has, of the kinds that occur."""
    counts = rows["repair"].kinds.values() if "repair" in rows else [0]
    return f"{min(counts):,} to {max(counts):,}"
