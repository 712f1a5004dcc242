"""Writes facts as Markdown tables, for the card and the report.

No table is empty: without facts the text is empty, and the caller leaves out its section."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

from ..builds.row import CHECKS, PLAIN_CHECKS
from ..common.configs import CONFIGS, SPLITS
from ..common.outcomes import Reason
from .facts import COMPARED, HELD_OUT, REMOVED, ConfigFacts, Facts, grouped
from .markdown import notes, number, share, table
from .similarity import THRESHOLDS

LIMITS = (1024, 2048, 4096, 8192, 16384)
QUANTILES = (50, 90, 99, 100)
INSTRUCTIONS_SHOWN = 20


def _names(facts: Facts) -> list[str]:
    return [f"`{name}`" for name in facts.configs]


def _per_config(facts: Facts, cell: Callable[[ConfigFacts], str]) -> list[str]:
    return [cell(config) for config in facts.configs.values()]


# ---- what there is


def sizes(facts: Facts) -> str:
    """Rows per split and megabytes of Parquet."""
    rows = (
        [
            f"`{c.name}`",
            *(number(c.rows[split]) for split in SPLITS),
            number(c.total),
            f"{c.stored / 1e6:.1f}",
        ]
        for c in facts.configs.values()
    )
    return table(["config", *SPLITS, "rows", "MB"], rows)


def families(facts: Facts) -> str:
    """Rows per family and difficulty, config by config; configs that do not differ share a table."""
    blocks = []
    for group in grouped(facts.configs.values()):
        config = group[0]
        levels = config.levels
        rows = []
        for family in config.families:
            counts = [config.cells.get((family, level), 0) for level in levels]
            rows.append([f"`{family}`", *map(number, counts), number(config.of_family(family))])
        sums = [sum(n for (_, at), n in config.cells.items() if at == level) for level in levels]
        rows.append(["all", *map(number, sums), number(config.total)])
        names = " and ".join(f"`{c.name}`" for c in group)
        head = [f"family, {names}", *(f"difficulty {level}" for level in levels), "rows"]
        blocks.append(table(head, rows))
    return "\n\n".join(blocks)


def types(facts: Facts) -> str:
    """In how many rows some argument has a type."""
    return _counts(facts, "argument type", lambda config: config.types)


def builtins(facts: Facts) -> str:
    """How many rows call each built-in."""
    return _counts(facts, "built-in", lambda config: config.builtins)


def _counts(facts: Facts, what: str, counter: Callable[[ConfigFacts], Mapping[str, int]]) -> str:
    totals: dict[str, int] = {}
    for config in facts.configs.values():
        for name, count in counter(config).items():
            totals[name] = totals.get(name, 0) + count
    order = sorted(totals, key=lambda name: (-totals[name], name))
    rows = ([f"`{name}`", *_per_config(facts, lambda c: number(counter(c).get(name, 0)))] for name in order)  # noqa: B023
    return table([what, *_names(facts)], rows)


def coverage(facts: Facts) -> str:
    """How many built-ins there are, how many of them often, and how many a row calls."""
    rows = (
        [
            f"`{c.name}`",
            number(len(c.builtins)),
            number(sum(n >= c.total / 100 for n in c.builtins.values())),
            *(number(value) for value in (np.median(c.calls), c.calls.max())),
        ]
        for c in facts.configs.values()
    )
    head = [
        "config",
        "built-ins called",
        "in one row of a hundred or more",
        "median per row",
        "most in a row",
    ]
    return table(head, rows)


# ---- how long it is


def lengths(facts: Facts) -> str:
    """Median, 90th and 99th percentile and longest, in lines, characters and tokens."""
    rows = []
    for config in facts.configs.values():
        for column, measured in config.lengths.items():
            if measured.lines.size:
                kinds = (measured.lines, measured.characters, measured.tokens)
                rows.append([f"`{config.name}`", f"`{column}`", *map(_spread, kinds)])
        tokens = _spread(config.pair_tokens)
        rows.append([f"`{config.name}`", "`prompt` and `completion`", "", "", tokens])
    return table(["config", "text", "lines", "characters", "tokens"], rows, text_columns=2)


def quantiles(values: np.ndarray) -> list[int]:
    """The values that `QUANTILES` percent of `values` do not exceed; all of them occur."""
    return [int(v) for v in np.percentile(values, QUANTILES, method="inverted_cdf")]


def _spread(values: np.ndarray) -> str:
    return " / ".join(map(number, quantiles(values)))


def fitting(facts: Facts) -> str:
    """The share of rows whose prompt and completion fit into so many tokens."""
    rows = (
        [f"`{c.name}`", *(share(int(np.count_nonzero(c.pair_tokens <= limit)), c.total) for limit in LIMITS)]
        for c in facts.configs.values()
    )
    return table(["config", *(f"{limit:,} tokens" for limit in LIMITS)], rows)


# ---- PTX


def instructions(facts: Facts) -> str:
    """The most frequent PTX instructions: their share of all, and of the rows that use them."""
    configs = [config for config in facts.configs.values() if config.instructions]
    if not configs:
        return ""
    totals = sum((config.instructions for config in configs), start=type(configs[0].instructions)())
    names = sorted(totals, key=lambda name: (-totals[name], name))[:INSTRUCTIONS_SHOWN]
    head = ["instruction"]
    for config in configs:
        head += [f"of all, `{config.name}`", f"of rows, `{config.name}`"]
    rows = []
    for name in names:
        row = [f"`{name}`"]
        for config in configs:
            row.append(share(config.instructions[name], config.instructions.total()))
            row.append(share(config.instruction_rows[name], config.total))
        rows.append(row)
    return table(head, rows)


def ptx_versions(facts: Facts) -> str:
    """What the PTX says about itself: its version of the language, and its target."""
    rows = []
    for config in facts.configs.values():
        if config.ptx_versions:
            cells = (", ".join(sorted(found)) for found in (config.ptx_versions, config.ptx_targets))
            kinds = (config.instructions, config.instructions.total())
            rows.append([f"`{config.name}`", *cells, number(len(kinds[0])), number(kinds[1])])
    return table(["config", "PTX version", "target", "instructions", "occurrences"], rows, text_columns=3)


# ---- proofs and rejections


def rejections(facts: Facts) -> str:
    """Candidates that were compiled and are no row, by reason: every reason, also those that never came."""
    if all(config.draws is None for config in facts.configs.values()):
        return ""
    rows = [
        [
            f"`{reason.value}`",
            notes()["reasons"][reason.value],
            *_per_config(facts, lambda c: number(c.rejections[reason.value])),  # noqa: B023
        ]
        for reason in Reason
    ]
    rows.append(["all", "", *_per_config(facts, lambda c: number(c.rejections.total()))])
    return table(["reason", "meaning", *_names(facts)], rows, text_columns=2)


def draws(facts: Facts) -> str:
    """From programs drawn to rows."""
    configs = [config for config in facts.configs.values() if config.draws is not None]
    rows = (
        [f"`{c.name}`", *map(number, (c.draws or 0, c.duplicates, c.barred, c.rejections.total(), c.total))]
        for c in configs
    )
    head = ["config", "drawn", "skeleton seen before", "not differentiable", "failed a proof", "rows"]
    return table(head, rows)


def proofs(facts: Facts) -> str:
    """How many rows passed each proof, and the largest error it measured."""
    rows = []
    plain = any(CONFIGS[name].plain for name in facts.configs)
    for field in PLAIN_CHECKS if plain else CHECKS:
        name = field.name
        if name.endswith("_error"):
            cells = _per_config(facts, lambda c: f"{c.errors[name]:g}" if name in c.errors else "-")  # noqa: B023
        elif pa.types.is_integer(field.type):
            continue
        else:
            cells = _per_config(facts, lambda c: number(c.passed[name]) if name in c.passed else "-")  # noqa: B023
        rows.append([f"`{name}`", notes()["checks"][name], *cells])
    return table(["in `checks`", "proof", *_names(facts)], rows, text_columns=2)


# ---- splits


def skeletons(facts: Facts) -> str:
    """Distinct kernels and skeletons of each split, and skeletons that two splits share."""
    rows = []
    for config in facts.configs.values():
        for split in SPLITS:
            if not config.rows[split]:
                continue
            others = np.concatenate([found for at, found in config.skeletons.items() if at != split])
            counts = (
                config.rows[split],
                len(config.ids[split]),
                len(config.skeletons[split]),
                len(np.intersect1d(config.skeletons[split], others)),
            )
            rows.append([f"`{config.name}`", split, *map(number, counts)])
    head = ["config", "split", "rows", "distinct `id`", "distinct `skeleton`", "also in another split"]
    return table(head, rows, text_columns=2)


def near(facts: Facts) -> str:
    """How many held-out rows have a near neighbour in train."""
    rows = []
    for config in facts.configs.values():
        for split in HELD_OUT:
            if compared := len(config.nearest[split]):
                counts = [config.near(split, threshold) for threshold in THRESHOLDS]
                cells = [f"{number(count)} ({share(count, compared)})" for count in counts]
                some = [number(compared)] if facts.sampled else []
                rows.append([f"`{config.name}`", split, number(config.rows[split]), *some, *cells])
    some = ["compared"] if facts.sampled else []
    neighbours = (f"neighbour in train at {threshold}" for threshold in THRESHOLDS)
    return table(["config", "split", "rows", *some, *neighbours], rows, text_columns=2)


def compared(facts: Facts) -> str:
    """Which rows that table is about."""
    if not facts.sampled:
        return "every held-out row is compared with every row of train"
    return (
        f"held-out rows are compared with every row of train: all of a split or, where there are more, "
        f"{number(COMPARED)} of them, chosen by a hash of their ids"
    )


def contaminated(facts: Facts) -> str:
    """The nearest training row of each collected kernel, the nearest first."""
    rows = (
        [f"`{near.kernel.name}`", f"`{near.kernel.id}`", f"`{near.row_name}`", f"`{near.row}`",
         f"{near.similarity:.3f}"]
        for near in facts.contamination
    )  # fmt: skip
    head = ["collected kernel", "`id`", "nearest training row", "its `id`", "similarity"]
    return table(head, rows, text_columns=4)


def worst(facts: Facts) -> str:
    """How near training rows come to collected kernels at most, and how many are too near: none should be."""
    near = facts.contamination
    if not near:
        return ""
    counts = (f"{number(sum(n.similarity >= t for n in near))} at {t} or more" for t in THRESHOLDS)
    return (
        f"Of {number(len(near))} collected kernels and twins the nearest to a training row has a similarity "
        f"of {near[0].similarity:.3f}; {' and '.join(counts)} (wanted: 0)."
    )


def survivors(facts: Facts) -> str:
    """How many rows near-duplicate removal would leave."""
    rows = []
    for config in facts.configs.values():
        counts = [config.survivors[threshold] for threshold in THRESHOLDS]
        cells = [f"{number(count)} ({share(count, config.removed)})" for count in counts]
        some = [number(config.removed)] if facts.thinned else []
        rows.append([f"`{config.name}`", number(config.total), *some, *cells])
    some = ["compared"] if facts.thinned else []
    return table(["config", "rows", *some, *(f"left at {threshold}" for threshold in THRESHOLDS)], rows)


def removed(facts: Facts) -> str:
    """Which rows that table is about."""
    if not facts.thinned:
        return "the whole config"
    return (
        f"a config or, where it has more rows, from {number(REMOVED)} of them, chosen by a hash of their "
        "ids; of more rows a smaller share would remain"
    )


# Every table of a build, under the name that it has in the card's template.
OF_FACTS: Mapping[str, Callable[[Facts], str]] = {
    make.__name__: make
    for make in (
        *(sizes, families, types, builtins, coverage, lengths, fitting, instructions, ptx_versions),
        *(rejections, draws, proofs, skeletons, near, compared, survivors, removed, worst),
    )
}
