"""Draw `pair.svg`, README's picture of one row of the default config `cuda`: python dataset_card/pair.py

Renderers of SVG disagree about white space: many collapse spaces, and few still honour `xml:space`. So each
line is indented by the `x` at which its text starts, and no text has two spaces in a row.
"""

from __future__ import annotations

import html
import json
import textwrap
from pathlib import Path
from typing import Any

from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.produce import produce
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.outcomes import Rejected

KERNEL = Address(0, "quantization", 3, "dequantize_weights")
LINE, LETTER, PAD, TOP = 16, 6.65, 16, 46  # pixels; a letter of a monospaced font of 11 pixels is 6.6 wide
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
NARROW, WIDE, PTX_WIDTH = 56, 66, 39  # letters
GREY, WHITE, BLUE = "#94a3b8", "#e2e8f0", "#7dd3fc"

Line = tuple[int, str]  # how many letters it is indented, and its text
Part = tuple[str, list[Line]]  # a heading, and what stands below it


def main() -> None:
    row = produce([Candidate(KERNEL)], "cuda", "sm_80", lambda place: None)[0]
    assert not isinstance(row, Rejected), row
    code = _lines(row["python_source"].strip())
    generated = _generated(row["completion"].strip().splitlines())
    columns = [
        ([("A Warp kernel (python_source)", code), ("Of its other columns", _about(row))], NARROW),
        ([("Its CUDA C++, by Warp (completion)", generated)], WIDE),
        ([("Its PTX, by NVRTC (ptx)", _instructions(row["ptx"], len(generated)))], PTX_WIDTH),
    ]
    Path(__file__).with_name("pair.svg").write_text(_svg(columns), encoding="utf-8")


def _about(row: dict[str, Any]) -> list[Line]:
    """The row's purpose and description, and from its first example the first row of every array."""
    example = json.loads(row["examples"])[0]
    shown = []
    for name, values in {**example["inputs"], **example["outputs"]}.items():
        label, numbers = (f"{name}[0]", values[0]) if isinstance(values[0], list) else (name, values)
        shown.append((2, f"{label} = {', '.join(f'{number:.4g}' for number in numbers)}"))
    heads = [f"purpose: {row['purpose']}", *textwrap.wrap(f"description: {row['description']}", NARROW)]
    return [*((0, line) for line in [*heads, "examples, the first one:"]), *shown]


def _generated(lines: list[str]) -> list[Line]:
    """Generated code without the start of its loop's body, which resets memory and declares locals."""
    start = lines.index("    {") + 1
    body = next(number for number, line in enumerate(lines) if line.strip() == "// forward")
    return _lines("\n".join([*lines[:start], "        ...", *lines[body:]]))


def _instructions(ptx: str, count: int) -> list[Line]:
    """As many instructions as there is room for, from the kernel's first read of an array on."""
    lines = [line for line in ptx.splitlines() if line.strip()]
    first = next(number for number, line in enumerate(lines) if "ld.global" in line)
    return [(4, "..."), *_lines("\n".join(lines[first:][: count - 2]).expandtabs(4)), (4, "...")]


def _lines(text: str) -> list[Line]:
    return [(len(line) - len(line.lstrip()), " ".join(line.split())) for line in text.splitlines()]


def _svg(columns: list[tuple[list[Part], int]]) -> str:
    width = sum(letters * LETTER + 2 * PAD for _, letters in columns)
    height = max(sum(TOP + len(lines) * LINE for _, lines in parts) for parts, _ in columns) + PAD
    box = f'viewBox="0 0 {width:.0f} {height:.0f}"'
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="{FONT}">',
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#0f172a"/>',
    ]
    left = 0.0
    for column, letters in columns:
        if left:
            drawn.append(f'<path d="M{left:.1f} 14V{height - 14:.0f}" stroke="#334155"/>')
        top = 0
        for title, lines in column:
            drawn.append(_text(left + PAD, top + 26, 13, BLUE, title))
            for number, (indent, line) in enumerate(lines):
                colour = GREY if line.startswith(("//", "...")) else WHITE
                x, y = left + PAD + indent * LETTER, top + TOP + 8 + number * LINE
                drawn.append(_text(x, y, 11, colour, _cut(line, letters - indent)))
            top += TOP + len(lines) * LINE
        left += letters * LETTER + 2 * PAD
    return "\n".join([*drawn, "</svg>", ""])


def _text(x: float, y: float, size: int, colour: str, text: str) -> str:
    escaped = html.escape(text, quote=False)
    return f'<text x="{x:.1f}" y="{y}" font-size="{size}" fill="{colour}">{escaped}</text>'


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"


if __name__ == "__main__":
    main()
