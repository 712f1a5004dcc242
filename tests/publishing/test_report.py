from __future__ import annotations

import re
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from toys.folders import plotting
from toys.rows import TASKS

from warp_ir_dataset import cli
from warp_ir_dataset.publishing import plots
from warp_ir_dataset.publishing.facts import measure
from warp_ir_dataset.publishing.report import markdown, terminal

pytestmark = pytest.mark.folder


@pytest.fixture(scope="module")
def reported(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with plots, which take seconds. Not to be changed."""
    out = tmp_path_factory.mktemp("reported") / "report"
    with plotting():
        assert cli.main(["report", str(built), "--out", str(out)]) == 0
    return out


def test_the_report_shows_every_plot_it_names(reported: Path) -> None:
    text = (reported / "report.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\((.*?)\)", text))
    assert shown == {path.name for path in reported.glob("*.png")} == {plot.file for plot in plots.PLOTS}
    for name in shown:
        width, height = struct.unpack("!II", (reported / name).read_bytes()[16:24])
        assert width >= 800 and 200 <= height <= 1200


def test_the_report_has_the_tables_of_the_card(built: Path, reported: Path) -> None:
    card = (built / "README.md").read_text(encoding="utf-8")
    report = (reported / "report.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", report, re.MULTILINE)
    assert len(tables) >= 14
    for table in tables:
        assert table in card
    for heading, text in re.findall(r"^## (.*)\n\n(.*)$", report, re.MULTILINE):
        assert text.strip() and not text.startswith("#"), heading


def test_equal_builds_have_equal_plots(built: Path, reported: Path) -> None:
    for path in reported.glob("*.png"):
        assert path.read_bytes() == (built / "plots" / path.name).read_bytes()


@pytest.mark.parametrize("name", ["report.md", "lengths.png"])
def test_files_of_somebody_elses_are_left_alone(
    name: str, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text("# Mine\n\nVersions differ.\n")
    assert cli.main(["report", str(built), "--out", str(tmp_path)]) == 2
    assert f"{tmp_path / name} " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_terminal_view(built: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["report", str(built), "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert terminal(measure(built)) in shown
    *lines, last = shown.splitlines()
    assert len(lines) < 50 and max(map(len, lines)) <= 80
    assert str(tmp_path / "report.md") in last
    facts = measure(built)
    for name in TASKS:
        config = facts.configs[name]
        sizes, contents, near = (line.split()[1:] for line in lines if line.split()[:1] == [name])
        median = int(np.percentile(config.pair_tokens, 50, method="inverted_cdf"))
        assert sizes[:3] == ["35", "2", "3"] and sizes[4] == f"{median:,}"
        assert sum(map(int, contents[:5])) == 40
        assert contents[5:] == [
            str(len(config.families)),
            str(len(config.builtins)),
            str(len(config.types)),
            str(config.rejections.total()),
        ]
        assert "".join(near) == "1of21of20of30of3"
    told = [line.strip() for line in lines if line.startswith("  ")]
    assert "near_zero" not in shown and any(line.startswith("30  an output is zero") for line in told)


@pytest.mark.usefixtures("plotted")
def test_a_config_without_ptx_has_no_ptx_section(built: Path, tmp_path: Path) -> None:
    facts = measure(built)
    alone = type(facts)(facts.folder, facts.manifest, facts.manifest_sha256, {"cpu": facts.configs["cpu"]})
    shown = plots.save(alone, tmp_path)
    assert "instructions.png" not in shown and not (tmp_path / "instructions.png").exists()
    assert "## PTX" not in markdown(alone, shown) and "PTX" not in terminal(alone)


def test_without_matplotlib_the_tables_are_there_and_a_line_says_what_adds_plots(
    built: Path, reported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shutil.copytree(reported, tmp_path / "report")
    assert cli.main(["report", str(built), "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert terminal(measure(built)) in captured.out and captured.err == ""
    assert captured.out.splitlines()[-1].endswith(
        '(for plots, pip install ".[report]" in the checkout adds matplotlib).'
    )
    text = (out / "report.md").read_text(encoding="utf-8")
    assert "## Families" in text and "![" not in text
    assert [path.name for path in out.iterdir()] == ["report.md"]  # no plots of an earlier call


def test_a_folder_without_a_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"warp-ir: error: {tmp_path} holds no build") and error.count("\n") == 1
