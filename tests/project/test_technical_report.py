"""The technical report: its script makes its page, of figures that the script makes and of no others."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from toys.folders import toy_folder

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "report"
TEMPLATE = (FOLDER / "template.md").read_text(encoding="utf-8")
PAGE = (DOCS / "report.md").read_text(encoding="utf-8")
TOLD = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))
FIGURES: dict[str, str] = TOLD["figures"]
MEASURED = sorted((FOLDER / "measured").glob("*.json"))
PICTURES = sorted(FOLDER.glob("*.svg"))
LARGEST = 100_000  # bytes of a picture

# Numbers that the text may have: no measurement changes them.
CONSTANTS = {"95 %": "the confidence of every interval", "256": "SHA-256, a name"}
NUMBER = re.compile(r"\d[\d,.]*\d?\s?%|\d[\d,]*\.\d+|\b\d[\d,]{2,}\b")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """`make.py`, with the modules beside it, which are forgotten again."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(FOLDER))
    import make

    yield make
    for name in set(sys.modules) - before:
        if str(FOLDER) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


# ---- the page


def test_the_page_is_the_template_with_its_figures(script: ModuleType) -> None:
    assert script.filled(TEMPLATE, FIGURES) == PAGE, "run docs/report/make.py BUILD"


def test_text_and_figures_have_the_same_names(script: ModuleType) -> None:
    assert list(script.faults(TEMPLATE, FIGURES)) == []


def test_the_page_can_be_read_in_an_hour() -> None:
    assert 500 <= PAGE.count("\n") <= 900


def prose(text: str) -> str:
    """The text without code, tables, placeholders, and addresses of links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"^\|.*$", "", text, flags=re.M)
    text = re.sub(r"`[^`]*`|\{[\w.:-]+\}|\]\([^)]*\)", "", text)
    return re.sub(r"\s+", " ", text)


def test_prose_has_no_number_of_its_own() -> None:
    assert [number for number in NUMBER.findall(prose(TEMPLATE)) if number not in CONSTANTS] == []


@pytest.mark.parametrize("number", ["0.5", "12 %", "12.5%", "1,200", "340"])
def test_a_number_in_prose_is_found(number: str) -> None:
    assert NUMBER.findall(prose(f"It is {number} of {{cuda.total}}, `0.7` and [this](a-0.5.md).\n")) == [
        number
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{a.b} {c:d}", None),
        ("{a.b} {c:d} {e.f}", "template.md asks for {e.f}, which no figure has"),
        ("{a.b} { c } {d}", "the figure c:d is in no text: use it in template.md, or do not make it"),
    ],
)
def test_what_a_template_lacks_is_said(text: str, fault: str | None, script: ModuleType) -> None:
    assert list(script.faults(text, {"a.b": "1", "c:d": "2"})) == ([fault] if fault else [])


# ---- pictures


def test_each_picture_is_there_in_both_themes() -> None:
    shown = set(re.findall(r'(?:src|srcset)="report/([\w-]+\.svg)"', PAGE))
    assert shown == {picture.name for picture in PICTURES}
    names = {name.rpartition("-")[0] for name in shown}
    assert shown == {f"{name}-{theme}.svg" for name in names for theme in ("light", "dark")}


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_a_picture_can_be_read_on_a_phone(picture: Path) -> None:
    """On 360 pixels its letters have 11 or more."""
    text = picture.read_text(encoding="utf-8")
    box = ElementTree.fromstring(text).attrib["viewBox"].split()
    letters = [float(size) for size in re.findall(r"font: (?:bold |\d+ )*([\d.]+)px", text)]
    letters += [float(size) for size in re.findall(r"font-size: ([\d.]+)px", text)]
    assert float(box[2]) == 360 and letters and min(letters) >= 11
    assert picture.stat().st_size <= LARGEST


# ---- the script


@pytest.mark.folder
def test_the_script_makes_the_same_figures_of_any_build(
    script: ModuleType, built: Path, plotted: None, tmp_path: Path
) -> None:
    """Here of a small one, whose code is made up."""
    assert script.main([str(built), "--out", str(tmp_path)]) == 0
    made = json.loads((tmp_path / "report" / "figures.json").read_text(encoding="utf-8"))
    assert made["figures"].keys() == FIGURES.keys() and made["stamp"].keys() == TOLD["stamp"].keys()
    assert not [name for name, text in made["figures"].items() if not text]
    assert {picture.name for picture in (tmp_path / "report").glob("*.svg")} == {p.name for p in PICTURES}
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert page == script.filled(TEMPLATE, made["figures"]) and f"seed {made['stamp']['seed']}" in page


@pytest.mark.folder
def test_nothing_is_written_where_a_figure_is_missing(
    script: ModuleType,
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "template.md").write_text(TEMPLATE + "\n{cuda.wonders}\n", encoding="utf-8")
    monkeypatch.setattr(script, "TEMPLATE", tmp_path / "template.md")
    assert script.main([str(built), "--out", str(tmp_path / "out")]) == 2
    assert "template.md asks for {cuda.wonders}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.folder
def test_a_build_without_all_configs_is_refused(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toy_folder(tmp_path / "toy", configs=["cpu", "cuda"])
    assert script.main([str(tmp_path / "toy")]) == 2
    assert "no rows of cuda_backward, warp_to_cuda, spec_to_warp, repair: " in capsys.readouterr().err


def test_a_folder_without_a_build_is_refused(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main([str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


# ---- what was measured before


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.stem)
def test_a_measured_file_says_how_it_was_made(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["command"] and content["record"] and content["versions"]
    assert all((DOCS.parent / page).exists() for page in re.findall(r"[\w/]+\.md", content["record"]))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", content["date"])


def test_a_measured_file_of_another_version_is_named(script: ModuleType) -> None:
    from measurements import Measured

    def measured(versions: Mapping[str, str]) -> Any:
        return Measured("cost", "run", "a page", versions, "0", "2026-01-01", {"rows": 1200}, {})

    now = {"generator": "1.33.0", "judge": "1.20.0"}
    assert list(script.warnings({"cost": measured({"generator": "1.33.0"})}, now)) == []
    (line,) = script.warnings({"cost": measured({"generator": "1.24.0", "torch": "2"})}, now)
    assert line == "measured/cost.json is of generator 1.24.0, and this is 1.33.0"
    other = measured({"generator": "1.24.0", "torch": "2"})
    assert other.stamp == "generator 1.24.0, torch 2, seed 0, 2026-01-01"
    assert other.figures() == {
        "cost.versions": "generator 1.24.0",
        "cost.rows": "1,200",
    }


def test_a_measured_file_with_other_keys_is_refused(script: ModuleType, tmp_path: Path) -> None:
    from measurements import read_measured

    (tmp_path / "cost.json").write_text('{"command": "run"}', encoding="utf-8")
    with pytest.raises(ValueError, match="its keys"):
        read_measured(tmp_path)


# ---- sources and excerpts

SOURCE = """import warp as wp


@wp.kernel
def scale(x: wp.array[float], total: wp.array[float]):
    i = wp.tid()
    for k in range(3):
        if x[i] > 0.5:
            wp.atomic_add(total, 0, wp.sin(x[i]) + 1.0)
"""


def test_the_shape_of_a_source(script: ModuleType) -> None:
    from row_contents import shape_of

    shape = shape_of(SOURCE)
    assert shape.depth == 4  # atomic_add, +, sin, x[i]
    assert shape.constructs == {"a condition", "a loop", "an atomic"}


def test_the_tree_of_the_last_statement(script: ModuleType) -> None:
    from followed import tree

    source = SOURCE.replace("    for k in range(3):\n        if x[i] > 0.5:\n            ", "    ")
    assert list(tree(source)) == [
        "Do",
        "    Apply atomic_add: float32",
        "        Name total: 1D array of float32",
        "        Literal 0: int32",
        "        Apply add: float32",
        "            Apply sin: float32",
        "                Load: float32",
        "                    Name x: 1D array of float32",
        "                    Name i: int32",
        "            Literal 1.0: float32",
    ]


CODE = """
    for (size_t _idx = start; _idx < dim.size; _idx += blockDim.x * gridDim.x)
    {
        // y[i] = 2.0 * x[i] <L 3>
        var_1 = wp::mul(var_0, var_2);
        wp::array_store(var_y, var_i, var_1);
        // return <L 4>
        return;
        //---------
        // reverse
        wp::adj_mul(var_0, var_2, adj_0, adj_2, adj_1);
        wp::adj_load(var_x, adj_x, adj_2);
        // adj: y[i] = 2.0 * x[i] <L 3>
        wp::adj_copy(var_0, adj_x, adj_2);
        // adj: i = wp.tid() <L 2>
        continue;
    }
"""


def test_excerpts_are_cut_from_the_code(script: ModuleType) -> None:
    import followed

    assert followed.under(CODE, "y[i] = 2.0 * x[i]").splitlines() == [
        "// y[i] = 2.0 * x[i] <L 3>",
        "var_1 = wp::mul(var_0, var_2);",
        "wp::array_store(var_y, var_i, var_1);",
    ]
    assert followed.head(CODE).endswith("gridDim.x)\n        ...")
    assert followed.reverse(CODE).startswith("// reverse\nwp::adj_mul(")
    ptx = "\tmul.f32 \t%f1, %f2;\n\tatom.global.add.f32 \t%f3, [%rd1], %f1;\n\tret;\n"
    assert followed.instructions(ptx).splitlines()[-2].startswith("atom.global.add")


def test_equal_bars_stand_in_the_order_of_their_names(script: ModuleType) -> None:
    from drawings import most_common

    assert most_common(Counter({"sin": 1, "exp": 1, "cos": 2})) == [("cos", 2), ("exp", 1), ("sin", 1)]


def test_a_kernel_with_a_wrong_gradient_stands_within_a_sentence_or_below(script: ModuleType) -> None:
    from wrong_gradients import FOLDER as CLASSES
    from wrong_gradients import shown

    assert shown(CLASSES / "builtins" / "frac.py") == (
        "Of `o[0] = wp.frac(x[0])`, with inputs `{'x': [2.25]}` Warp's gradient is `{'x': [0]}`, and "
        "`{'x': [1]}` would be right."
    )
    assert "`for j in range(n): a += x[j]`" in shown(CLASSES / "loops" / "square_of_a_result.py")
    below = shown(CLASSES / "jumps" / "continue_after_a_sum.py")
    assert below.startswith("Of the kernel below, with") and below.endswith("    o[0] = a\n```")


# ---- samples, intervals, words


def test_samples_are_chosen_and_cut(script: ModuleType) -> None:
    import samples

    plain = {"id": "a", "purpose": None, "python_source": "import warp as wp\n\n@wp.kernel\ndef k(): x = 1"}
    guarded = {"id": "b", "purpose": None, "python_source": "@wp.kernel\ndef k():\n    if y:\n        x = 1"}
    useful = {"id": "c", "purpose": "p", "python_source": "    if y:"}
    assert samples.chosen_program(iter([plain, guarded, useful])) is guarded
    assert samples.kernel(plain["python_source"] or "") == "def k(): x = 1"
    rows = [{"id": "d", "purpose": purpose, "message": "wrong", "broken": "x"} for purpose in (None, "p")]
    assert samples.shortest(iter(rows)) is rows[1]
    assert samples.span("a") == "`a`" and samples.span("`a` b") == "`` `a` b ``"
    assert samples.changed("a\nb\nc\nd\n", "a\nb\ne\nd\n").splitlines() == [" b", "-c", "+e", " d"]


def test_intervals_are_wilsons(script: ModuleType) -> None:
    from build_figures import interval

    assert interval(0, 30) == "0.0 to 11.4 %" and interval(6, 294) == "0.9 to 4.4 %"
    assert interval(30, 30) == "88.6 to 100.0 %" and interval(0, 0) == "-"


def test_names_of_types_are_explained(script: ModuleType) -> None:
    from build_figures import explained

    assert explained("vec3d") == "`vec3d` is a vector of 3 numbers of type float64"
    assert explained("mat43f") == "`mat43f` is a matrix of 4 by 3 numbers of type float32"


def test_what_became_one_instruction_is_counted(script: ModuleType) -> None:
    from followed import fused

    ptx = "\tfma.rn.f32 \t%f1, %f2, %f3, %f4;\n\tadd.f32 \t%f5, %f1, %f1;\n"
    assert fused(ptx, "...").startswith(
        "This kernel has 1 of them, none in the excerpt; the first is `fma.rn.f32 %f1,"
    )
    assert fused("\tret;\n", "...") == "This kernel has no such instruction"


# ---- paragraphs


def test_paragraphs_are_broken_anew(script: ModuleType) -> None:
    from paragraphs import WIDTH, rewrapped

    word, code = "word " * 40, "```text\n" + "x " * 90 + "\n```"
    text = f"# {word}\n\n{word}\n{word}\n- {word}\n- short\n\n| {word} |\n{code}\n> {word}\n"
    made = rewrapped(text)
    assert made.replace("> ", "").split() == text.replace("> ", "").split()
    lines = made.splitlines()
    assert f"# {word}" in lines and f"| {word} |" in lines and code in made and "- short" in lines
    assert max(map(len, (line for line in lines if line.startswith(("word", "- ", "  word", "> "))))) <= WIDTH
    assert (
        sum(line.startswith("  word") for line in lines) == 1
        and sum(line.startswith("> ") for line in lines) == 2
    )
    assert rewrapped(made) == made


@pytest.mark.parametrize("marker", ["- 1", "+ 1", "* 1", "1. then", "> 0", "# 1", "| 1", "<b> 1"])
def test_no_line_begins_as_something_else(marker: str, script: ModuleType) -> None:
    from paragraphs import WIDTH, rewrapped

    made = rewrapped("x" * (WIDTH - 3) + f" y {marker} {'z ' * 20}\n")
    assert made.splitlines()[1].startswith(f"y {marker}")


def test_the_page_has_no_line_of_prose_that_is_too_long() -> None:
    text = re.sub(r"^```.*?^```$", "", PAGE, flags=re.M | re.S)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#", "<"))]
    assert [line for line in lines if len(line) > 120] == []
