from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from toys.engines import HereEngine
from toys.rows import make_plan

from warp_ir_dataset import api
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.outcomes import Reason
from warp_ir_dataset.publishing.summary import Planned, Spent, origin, summary


def figures(line: str) -> list[int]:
    """The figures of a sentence, without those in parentheses."""
    return [int(text.replace(",", "")) for text in re.findall(r"\d[\d,]*", re.sub(r"\(.*?\)", "", line))]


def test_the_figures_of_a_build_add_up_to_what_was_drawn(tmp_path: Path) -> None:
    requests = [Request(config, 1200, 3) for config in ("cuda", "cpu")]
    manifest = api.build(requests, tmp_path / "out", engine=HereEngine(), planner=make_plan, quiet=True)
    for name, config in manifest["configs"].items():
        plan = make_plan(Request(name, 1200, 3))
        tried = sum((Counter(file["rejections"]) for file in config["files"].values()), Counter())
        spares = sum(len(q.candidates) for shard in plan.shards for q in shard.queues) - 1200 - tried.total()
        drawn, *parts = figures(origin(name, config))
        assert drawn == sum(plan.draws.values()) == sum(parts)
        assert parts == [1200, tried.total(), spares] and tried.total() > 0


def config(**changes: Any) -> dict[str, Any]:
    file = {"split": "train", "rows": 60, "bytes": 10, "rejections": {}}
    given = {
        "files": {"a": file},
        "draws": {"math": 600, "atomic": 1041},
        "duplicates": {"math": 31},
        "barred": {"math": 0},
    }
    return {**given, **changes}


def test_it_says_in_words_what_became_of_each_program() -> None:
    assert origin("cpu", config()) == (
        "1,641 candidates were considered: 60 became rows, "
        "31 had the shape of an earlier one, "
        "1,550 were not needed (spares, or candidates of a split that was full)."
    )
    failed = {reason.value: 2 for reason in (Reason.NEAR_ZERO, Reason.KINK)}
    said = origin(
        "cpu", config(files={"a": {"rows": 60, "rejections": failed}}, barred={"math": 40, "atomic": 1})
    )
    assert "4 failed their proof," in said and "41 have no gradient to trust" in said
    drawn, *parts = figures(said)
    assert drawn == sum(parts)


def test_of_what_was_collected_there_are_no_spares() -> None:
    given = config(files={"a": {"rows": 1637, "rejections": {"no_twin": 3, "changed": 1}}})
    assert origin("handwritten", given) == (
        "1,641 kernels and twins collected: 1,637 became rows and 4 failed their proof."
    )


def test_the_summary_fits_a_terminal() -> None:
    manifest = json.loads(json.dumps({"configs": {"cpu": config(), "cuda_backward": config()}}))
    took = {"planning": 1.2, "proving": 20.0}
    spent = [Spent(name, 60, took, listed) for name, listed in manifest["configs"].items()]
    *lines, cpu, _, total = summary(manifest, spent, 25.4).splitlines()
    assert max(map(len, lines)) <= 80 and lines[1].split() == ["cpu", "60", "0", "0", "0.0"]
    assert cpu == "cpu: 60 rows made; 1 s of planning, 20 s of compiling and proving (3.0 rows a second)."
    assert total == "25 s in all."


def test_a_part_and_its_end_tell_what_they_know() -> None:
    files = {"files": {"a": {"split": "test", "rows": 60, "bytes": 10, "rejections": {"kink": 2}}}}
    assert origin("cpu", files) == "62 kernels tried: 60 became rows and 2 failed their proof."
    part = Spent("cpu", 40, {"proving": 20.0}, files)
    assert str(part) == "cpu: 40 rows made; 20 s of compiling and proving (2.0 rows a second)."
    assert part.as_json() == {
        "config": "cpu",
        "rows": 60,
        "made": 40,
        "files": 1,
        "bytes": 10,
        "planning_seconds": 0.0,
        "proving_seconds": 20.0,
        "checking_seconds": 0.0,
        "rejections": {"kink": 2},
    }
    assert str(Spent("cpu", 0, {"proving": 0.1}, files)) == "cpu: 0 rows made; 0 s of compiling and proving."
    end = Spent("cpu", 0, {"checking": 3.0}, config())
    assert str(end) == "cpu: 3 s of checking files." and end.as_json()["draws"] == 1641


def test_what_a_config_took_is_told_as_numbers_too() -> None:
    files = {
        "a": {"split": "train", "rows": 60, "bytes": 10, "rejections": {"kink": 2, "crash": 1}},
        "b": {"split": "test", "rows": 4, "bytes": 5, "rejections": {"kink": 1}},
    }
    spent = Spent("cpu", 64, {"proving": 8.00049, "checking": 1.0}, config(files=files))
    assert spent.as_json() == {
        "config": "cpu", "rows": 64, "made": 64, "files": 2, "bytes": 15, "planning_seconds": 0.0,
        "proving_seconds": 8.0, "checking_seconds": 1.0, "draws": 1641, "duplicates": 31, "barred": 0,
        "rejections": {"crash": 1, "kink": 3},
    }  # fmt: skip
    assert list(spent.as_json()["rejections"]) == ["crash", "kink"]
    assert str(spent) == (
        "cpu: 64 rows made; 8 s of compiling and proving, 1 s of checking files (8.0 rows a second)."
    )
    none = Spent("cpu", 0, {"checking": 1.0}, {"files": files})
    assert str(none) == "cpu: 1 s of checking files." and "draws" not in none.as_json()


def test_a_plan_is_told_in_words_and_numbers() -> None:
    plan = make_plan(Request("cuda", 40, 3))
    told = Planned(plan, 2.3456).as_json()
    candidates = sum(len(queue.candidates) for shard in plan.shards for queue in shard.queues)
    assert told == {
        "config": "cuda", "rows": 40, "files": 3, "candidates": candidates, "draws": sum(plan.draws.values()),
        "duplicates": sum(plan.duplicates.values()), "barred": sum(plan.non_differentiable.values()),
        "planning_seconds": 2.346,
    }  # fmt: skip
    assert figures(str(Planned(plan, 2.3))) == [40, candidates - 40, 3, told["draws"], 2]


def test_every_split_has_its_column() -> None:
    files = {
        split: {"split": split, "rows": rows, "bytes": 500_000, "rejections": {}}
        for split, rows in (("train", 4000), ("validation", 30), ("test", 2))
    }
    line = summary({"configs": {"cpu": config(files=files)}}, [], 1.0).splitlines()[1]
    assert line.split() == ["cpu", "4,000", "30", "2", "1.5"]
