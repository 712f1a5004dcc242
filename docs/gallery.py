"""A kernel of every family with its words, and all purposes: what docs/gallery.md holds.

    python docs/gallery.py > docs/gallery.md

The kernels are those of the first draws of seed 0 that are short enough for a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.synthesis.categories import CATEGORIES, GROWN
from warp_ir_dataset.synthesis.draw import draw
from warp_ir_dataset.synthesis.drawn import Drawn
from warp_ir_dataset.synthesis.idioms import IDIOMS, SUBJECTS
from warp_ir_dataset.synthesis.pages.perform import Barren, perform

LINES = 34  # of a kernel that is shown
VARIED = 4  # kernels of one purpose
PLAIN = "Kernels without a purpose"


def shown(family: str) -> Drawn:
    """The first draw that fits, or else the shortest of the first ones."""
    draws = []
    for number in range(10):
        with suppress(Barren):
            draws.append(draw(Address(0, family, number)))
    lengths = [write(each.program).count("\n") for each in draws]
    return next(
        (each for each, length in zip(draws, lengths, strict=True) if 10 < length <= LINES),
        draws[lengths.index(min(lengths))],
    )


def kernel(drawn: Drawn, *, told: bool = True) -> str:
    """A kernel with its description, and its specification too if that is to be told."""
    text = f"{drawn.description}\n\n```python\n{write(drawn.program)}```\n"
    return text + (f"\n```text\n{specify(drawn.program).rstrip()}\n```\n" if told else "")


def contents() -> Iterator[str]:
    """Links to all families, by subject."""
    for subject, families in SUBJECTS.items():
        yield f"- {_link(subject)}: {', '.join(map(_link, families.split()))}"
    yield f"- {_link(PLAIN)}: {', '.join(map(_link, GROWN))}\n"


def _link(heading: str) -> str:
    return f"[{heading}](gallery.md#{heading.lower().replace(' ', '-')})"


def gallery() -> Iterator[str]:
    count = sum(map(len, IDIOMS.values()))
    yield "# A kernel of every family\n"
    yield f"Written by `docs/gallery.py`. {len(CATEGORIES)} families: {len(IDIOMS)} of idioms, with {count}"
    yield f"purposes, and {len(GROWN)} of kernels without a purpose, generated from the table of operations."
    yield "Each kernel is followed by its specification.\n"
    yield from contents()
    yield "## One purpose, several kernels\n"
    family, page = next((f, p) for f, pages in IDIOMS.items() for p in pages if p.level == 3)
    yield f"The first {VARIED} kernels of `{page.purpose}` ({family}).\n"
    for number in range(VARIED):
        yield kernel(perform(page, family, number, f"0/{family}"), told=False)
    yield "## Idioms\n"
    for subject, families in SUBJECTS.items():
        yield f"### {subject.capitalize()}\n"
        for name in families.split():
            purposes = ", ".join(f"`{each.purpose}`" for each in IDIOMS[name])
            yield f"#### {name}\n\nPurposes: {purposes}.\n"
            yield kernel(shown(name))
    yield f"## {PLAIN}\n"
    for name in GROWN:
        yield f"#### {name}\n"
        yield kernel(shown(name))


def main() -> None:
    print("\n".join(gallery()).rstrip())


if __name__ == "__main__":
    main()
