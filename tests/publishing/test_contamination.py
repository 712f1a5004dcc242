"""How near training rows come to collected kernels: a planted copy is found, and said wherever it must be."""

from __future__ import annotations

from pathlib import Path

import pytest
from toys import rows as toy_rows
from toys.folders import toy_folder

from warp_ir_dataset.builds.check.folder import check
from warp_ir_dataset.builds.output.manifest import published
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.publishing.card import write_card
from warp_ir_dataset.publishing.contamination import Contamination, Neighbour, Source
from warp_ir_dataset.publishing.facts import measure
from warp_ir_dataset.publishing.report import markdown, terminal
from warp_ir_dataset.publishing.similarity import Vocabulary
from warp_ir_dataset.publishing.tables import worst

KERNEL = """import warp as wp


@wp.kernel
def {name}({a}: wp.array(dtype=float), {b}: wp.array(dtype=float)):
    i = wp.tid()
    {b}[i] = wp.sqrt({a}[i]) * 2.0 + wp.sin({a}[i]) / 3.0
"""
OURS = "import warp as wp\n\n\n@wp.kernel\ndef drawn(x: wp.array(dtype=int)):\n    x[0] = x[1] - x[2] // 2\n"
NOTICE = "handwritten/NOTICE"


def test_the_nearest_row_is_named_the_nearest_kernel_first() -> None:
    vocabulary = Vocabulary()

    def source(id: str, text: str) -> Source:
        return Source(id, id, vocabulary.encode(text))

    far, copied = (
        source("far", "a = 1\nwhile a < 3: a += 1"),
        source("copied", KERNEL.format(name="k", a="x", b="y")),
    )
    rows = [source("ours", OURS), source("copy", KERNEL.format(name="other", a="mass", b="speed"))]

    def contamination(kernels: list[Source], rows: list[Source]) -> tuple[Neighbour, ...]:
        found = Contamination(kernels)
        for row in rows:
            found.see(row.id, row.name, row.grams, len(row.grams))
        return found.found()

    first, second = contamination([far, copied], [*rows, rows[0]])
    assert (first.kernel, first.row, first.similarity) == (copied, "copy", 1.0)
    assert second.kernel is far and second.similarity < 0.3
    assert contamination([far], []) == () == contamination([], rows)


def folder_with(monkeypatch: pytest.MonkeyPatch, place: Path, copied: int) -> Path:
    """Toy rows of our own, and collected ones; row `copied` of ours is a copy of all of those."""
    made = toy_rows.row

    def row(address: object, config: str, arch: str) -> dict:
        found = made(address, config, arch)  # type: ignore[arg-type]
        theirs = config == "handwritten" or found["draw"] == copied
        text = KERNEL.format(name=found["kernel_name"], a="x", b="y") if theirs else OURS
        return found | {"python_source": text}

    monkeypatch.setattr(toy_rows, "row", row)
    return toy_folder(place, configs=("cpu", "cuda", "handwritten"))


@pytest.mark.folder
def test_a_planted_copy_is_said_in_report_card_and_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(monkeypatch, tmp_path / "planted", copied=3)
    facts = measure(folder)
    theirs = facts.configs["handwritten"].rows["test"]
    assert len(facts.contamination) == theirs > 0
    assert {near.row for near in facts.contamination} == {f"{3:08x}{3:08x}"}
    said = f"{theirs} at 0.7 or more and {theirs} at 0.8 or more (wanted: 0)."
    assert said in worst(facts) and "similarity of 1.000" in worst(facts)
    assert said in " ".join(terminal(facts).split())
    report = markdown(facts, {}).partition("## Contamination")[2]
    assert said in report and report.count(f"`{3:08x}{3:08x}` | 1.000 |") == theirs
    assert said in (folder / "README.md").read_text()
    assert facts.configs["handwritten"].near("test", 0.7) == theirs


@pytest.mark.folder
def test_rows_that_are_no_copies_are_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = measure(folder_with(monkeypatch, tmp_path / "far", copied=-1))
    assert facts.contamination and facts.contamination[0].similarity < 0.7
    assert "; 0 at 0.7 or more and 0 at 0.8 or more (wanted: 0)." in worst(facts)


@pytest.mark.folder
def test_collected_rows_have_a_notice_and_others_have_none(tmp_path: Path) -> None:
    ours = toy_folder(tmp_path / "ours", configs=("cuda",))
    assert NOTICE not in published(ours) and "people's" not in (ours / "README.md").read_text()
    theirs = toy_folder(tmp_path / "theirs", configs=("cuda", "handwritten"))
    assert NOTICE in published(theirs)
    for word in ("Copyright", "NVIDIA", "Apache License", "modified"):
        assert word in (theirs / NOTICE).read_text()
    check(theirs, finished=True)
    (theirs / NOTICE).write_text("Mine.")
    with pytest.raises(UserError, match=f"^{theirs / NOTICE} .*warp-ir build"):
        check(theirs)
    (theirs / NOTICE).unlink()
    with pytest.raises(UserError, match=f"^{theirs / NOTICE} .*warp-ir build"):
        check(theirs)
    write_card(theirs)
    check(theirs, finished=True)
    card = (theirs / "README.md").read_text()
    assert (
        f"`{NOTICE}` says whose they are" in card and "collected from anywhere, but for `handwritten`" in card
    )
