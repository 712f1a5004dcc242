"""Draw `pair.svg`, the README's picture of a pair, from a real kernel: python dataset_card/pair.py"""

from __future__ import annotations

import html
from pathlib import Path

from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.produce import produce
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.outcomes import Rejected

KERNEL = Address(0, "scalar_param", 43)
LINE, LETTER, PAD, TOP = 15, 6.65, 16, 44
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def main() -> None:
    row = produce([Candidate(KERNEL)], "cuda", "sm_80", lambda place: None)[0]
    assert not isinstance(row, Rejected), row
    source = row["python_source"].strip().splitlines()
    code = row["completion"].strip().splitlines()
    ptx = row["ptx"].splitlines()
    entry = next(number for number, line in enumerate(ptx) if ".visible .entry" in line)
    lines = (line.strip().expandtabs(4) for line in ptx[entry + 8 :])
    body = [_cut(line, 46) for line in lines if line and not line.startswith((".reg", "ld.param", "{"))]
    below = ["", "# what it gives for its inputs: examples", *_wrapped(row["examples"], 64)]
    columns = [
        ("Python, with Warp: python_source", source + below, 66),
        ("CUDA C++, by Warp: completion", [_cut(line, 78) for line in code], 79),
        ("PTX, by NVRTC: ptx", ["...", *body[: len(code) - 2], "..."], 46),
    ]
    Path(__file__).with_name("pair.svg").write_text(_svg(columns), encoding="utf-8")


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _wrapped(text: str, width: int) -> list[str]:
    return [text[start : start + width] for start in range(0, min(len(text), 8 * width), width)]


def _svg(columns: list[tuple[str, list[str], int]]) -> str:
    rows = max(len(lines) for _, lines, _ in columns)
    width = sum(letters * LETTER + 2 * PAD for _, _, letters in columns)
    height = TOP + rows * LINE + PAD
    box = f'viewBox="0 0 {width:.0f} {height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="{FONT}">',
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#0f172a"/>',
    ]
    left = 0.0
    for title, lines, letters in columns:
        parts.append(
            f'<text x="{left + PAD:.1f}" y="26" font-size="13" fill="#7dd3fc">{html.escape(title)}</text>'
        )
        for number, line in enumerate(lines):
            text = html.escape(line.rstrip()).replace(" ", "&#160;")
            colour = "#94a3b8" if line.lstrip().startswith(("//", "#")) else "#e2e8f0"
            place = f'x="{left + PAD:.1f}" y="{TOP + 8 + number * LINE}"'
            parts.append(f'<text {place} font-size="11" fill="{colour}">{text}</text>')
        left += letters * LETTER + 2 * PAD
        parts.append(
            f'<path d="M{left:.1f} 14V{height - 14:.0f}" stroke="#334155"/>' if left < width - 1 else ""
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    main()
