"""Tells what a build holds: the numbers and tables of the report that come from its rows and its manifest."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import reduce

import numpy as np
from row_contents import CONSTRUCTS, Contents

from warp_ir_dataset.builds.request import DEFAULT_KERNELS
from warp_ir_dataset.common.configs import SPLITS
from warp_ir_dataset.common.outcomes import Reason
from warp_ir_dataset.evaluation.measure import share_interval
from warp_ir_dataset.publishing import markdown, tables
from warp_ir_dataset.publishing.facts import HELD_OUT, ConfigFacts, Facts
from warp_ir_dataset.publishing.markdown import notes, number, table
from warp_ir_dataset.publishing.similarity import THRESHOLDS

# Of the tables that cards and reports have, those that this report has too.
SHARED = ("compared", "removed")
LIMITS = (2048, 4096, 8192)  # tokens
FORWARD = ("cpu", "cuda", "warp_to_cuda", "spec_to_warp", "repair")
MAIN = ("cuda", "cuda_backward")  # whose numbers the text cites
SHORT = re.compile(r"(vec|mat)([234])([234]?)([fd])")  # vec3f, mat22d
NUMBERS = {"f": "float32", "d": "float64"}


def figures(facts: Facts, rows: Mapping[str, Contents]) -> dict[str, str]:
    configs = facts.configs.values()
    main = replace(facts, configs={name: facts.configs[name] for name in MAIN})
    found = {f"table:{name}": tables.OF_FACTS[name](main) for name in SHARED}
    found |= {
        "table:tokens": tokens(facts),
        "table:constructs": constructs(facts, {name: rows[name] for name in MAIN}),
        "table:draws": draws(main),
        "table:near": near(main),
        "table:rejections": rejections(facts),
        "repair.rows_of_a_kind": mistakes(rows),
        "rows.shared": shared(facts),
        "rows.total": number(sum(config.total for config in configs)),
        "rows.splits": ", ".join(f"{number(facts.configs['cuda'].rows[split])} {split}" for split in SPLITS),
        "rows.kernels": number(len(np.unique(np.concatenate([ids(config) for config in configs])))),
        "rows.megabytes": number(sum(config.stored for config in configs) / 1e6),
        "rows.default_tokens": f"{default_tokens(configs) / 1e6:.1f} million",
        "cuda.types_explained": types_explained(facts.configs["cuda"]),
    }
    for name in MAIN:
        found |= of_config(facts.configs[name], rows[name])
    return found


def of_config(config: ConfigFacts, own: Contents) -> dict[str, str]:
    """Numbers of one config, that sentences cite."""
    failed = config.rejections.total()
    found = {
        "purposes": number(len(own.purposes)),
        "with_purpose": share(own.purposes.total(), config.total),
        "lines": number(tables.quantiles(config.lengths["python_source"].lines)[0]),
        "builtins": number(len(config.builtins)),
        "failed_share": share(failed, failed + config.total),
    }
    if config.name == "cuda":
        found["without_purpose"] = share(config.total - own.purposes.total(), config.total)
        found["three_cases"] = share(own.cases[3], config.total)
        found["most_cases"] = number(max(own.cases, default=0))
        found["depth"] = number(float(np.median(sorted(own.depths.elements()))))
        found["deepest"] = number(max(own.depths, default=0))
        found["branches"] = number(own.branches)
        found["branches_left"] = share(own.branches - own.branches_run, own.branches)
        found["fused"] = share(config.instruction_rows["fma"], config.total)
    else:
        found["total"] = number(config.total)
        found["gradients"] = number(own.gradients)
    return {f"{config.name}.{key}": value for key, value in found.items()}


def share(part: float, whole: float) -> str:
    """A percentage as the text writes it, with a space."""
    return markdown.share(part, whole).replace("%", " %")


def interval(count: int, of: int) -> str:
    """The bounds of a share, with a confidence of 95 %, in percent."""
    if not of:
        return "-"
    low, high = share_interval(count, of)
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def default_tokens(configs: Collection[ConfigFacts]) -> float:
    """How many tokens a default build has, if its rows are as long as these in the mean."""
    return DEFAULT_KERNELS * sum(float(config.pair_tokens.mean()) for config in configs)


def ids(config: ConfigFacts) -> np.ndarray:
    return np.concatenate(list(config.ids.values()))


def shared(facts: Facts) -> str:
    """The share of the kernels of `cuda` that all configs without an adjoint have."""
    every = [ids(facts.configs[name]) for name in FORWARD]
    return share(len(reduce(np.intersect1d, every)), facts.configs["cuda"].total)


def tokens(facts: Facts) -> str:
    """How many tokens prompt and completion have together, and which share of rows is whole at a limit."""
    cells = []
    for config in facts.configs.values():
        whole = [share(int(np.count_nonzero(config.pair_tokens <= limit)), config.total) for limit in LIMITS]
        spread = map(number, tables.quantiles(config.pair_tokens))
        cells.append([f"`{config.name}`", *spread, *whole, number(config.pair_tokens.sum())])
    heads = ["config", "median", "90 %", "99 %", "longest", *(f"whole at {limit:,}" for limit in LIMITS)]
    return table([*heads, "all rows"], cells)


def constructs(facts: Facts, rows: Mapping[str, Contents]) -> str:
    """The share of rows whose kernel has something."""
    cells = (
        [what, *(share(own.constructs[what], facts.configs[name].total) for name, own in rows.items())]
        for what in CONSTRUCTS
    )
    return table(["a kernel has", *(f"`{name}`" for name in rows)], cells)


def types_explained(config: ConfigFacts) -> str:
    """What the names of the most frequent vector and of the most frequent matrix mean, in one sentence."""
    told = []
    for kind in ("vec", "mat"):
        names = [name for name in config.types if (short := SHORT.fullmatch(name)) and short[1] == kind]
        if names:
            told.append(explained(min(names, key=lambda name: (-config.types[name], name))))
    return " and ".join(told) + "." if told else "No argument is a vector or a matrix."


def explained(name: str) -> str:
    """`vec3f` or `mat22d` in words."""
    short = SHORT.fullmatch(name)
    assert short is not None
    kind, rows, columns, scalar = short.groups()
    size = f"a matrix of {rows} by {columns}" if kind == "mat" else f"a vector of {rows}"
    return f"`{name}` is {size} numbers of type {NUMBERS[scalar]}"


# ---- candidates


def draws(facts: Facts) -> str:
    """What became of every program that was drawn: each stands in one column."""
    cells = []
    for config in facts.configs.values():
        parts = [config.duplicates, config.barred, config.rejections.total(), config.total]
        drawn = config.draws or sum(parts)
        cells.append([f"`{config.name}`", *map(number, (drawn, *parts, max(0, drawn - sum(parts))))])
    head = ["config", "drawn", "repeats a skeleton", "barred", "failed a proof", "became a row", "not needed"]
    return table(head, cells)


def rejections(facts: Facts) -> str:
    """Why candidates failed their proof, config by config: the reasons that occurred."""
    configs = list(facts.configs.values())
    found = [reason.value for reason in Reason if any(c.rejections[reason.value] for c in configs)]
    cells = [
        [f"`{reason}`", notes()["reasons"][reason], *(number(c.rejections[reason]) for c in configs)]
        for reason in found
    ]
    cells.append(["all", "", *(number(c.rejections.total()) for c in configs)])
    return table(["reason", "meaning", *(f"`{c.name}`" for c in configs)], cells, text_columns=2)


def near(facts: Facts) -> str:
    """How many held-out rows have a near duplicate in train, with intervals, and what removal leaves."""
    cells = []
    for config in facts.configs.values():
        compared = sum(len(config.nearest[split]) for split in HELD_OUT)
        counts = [sum(config.near(split, limit) for split in HELD_OUT) for limit in THRESHOLDS]
        told = [f"{number(count)} ({interval(count, compared)})" for count in counts]
        left = share(config.survivors[THRESHOLDS[0]], config.removed)
        cells.append([f"`{config.name}`", number(compared), *told, left])
    head = ["config", "held-out rows", *(f"near one of train at {limit}" for limit in THRESHOLDS)]
    return table([*head, f"rows left by removal at {THRESHOLDS[0]}"], cells)


def mistakes(rows: Mapping[str, Contents]) -> str:
    """The fewest and the most rows of `repair` that a kind of mistake has, of the kinds that occur."""
    counts = rows["repair"].kinds.values()
    return f"{min(counts):,} to {max(counts):,}"
