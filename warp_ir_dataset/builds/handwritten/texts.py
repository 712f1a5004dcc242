"""Reads the description and the specification of each human-written kernel, by topic and id.

A file of `texts/` is a topic:

    # particles
    ## warp.examples.sim.example_x:integrate
    id: 0123456789abcdef
    > One sentence.

    The specification, until the next kernel.

No code of anybody's is kept here. A text holds for the kernel of its id, and for no other. A line ``twin: 1``
below the id asks for another twin, where the usual one comes near to training rows.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "texts"

_TOPIC = re.compile(r"# ([a-z][a-z0-9_]*)\n")
_KERNEL = re.compile(
    r"## (?P<module>[\w.]+):(?P<kernel>\w+)\n"
    r"id: (?P<id>[0-9a-f]{16})\n"
    r"(?:twin: (?P<twin>[1-9][0-9]?)\n)?"
    r"(?P<description>(?:> [^\n]+\n)+)"
    r"\n(?P<specification>.+)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Text:
    """A kernel, by the module that makes it and its name there, and what was written about it."""

    topic: str
    module: str
    kernel: str
    id: str
    description: str
    specification: str
    twin: int = 0

    @property
    def seed(self) -> str:
        """What its twin is drawn from."""
        return f"{self.id} {self.twin}" if self.twin else self.id


@functools.cache
def topics(folder: Path = FOLDER) -> dict[str, tuple[Text, ...]]:
    """All texts, by topic. Raises `ValueError` for a file that is not as it should be, and for an id that
    stands in two places."""
    found = {
        path.stem: tuple(parsed(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.md"))
    }
    ids = [text.id for texts in found.values() for text in texts]
    if twice := [id for id in ids if ids.count(id) > 1]:
        raise ValueError(f"there are two texts for {twice[0]}")
    for topic, texts in found.items():
        if any(text.topic != topic for text in texts):
            raise ValueError(f"{topic}.md says that its topic is {texts[0].topic}")
    return found


@functools.cache
def digest() -> str:
    """Another one for other texts: rows depend on them."""
    whole = [astuple(text) for texts in topics().values() for text in texts]
    return hashlib.sha256(repr(whole).encode()).hexdigest()[:16]


def parsed(content: str) -> Iterator[Text]:
    """The texts of a file. Raises `ValueError`."""
    title = _TOPIC.match(content)
    if title is None:
        raise ValueError(f"a file of texts begins with its topic, not with {content[:40]!r}")
    before, *parts = re.split(r"^(?=## )", content[title.end() :], flags=re.MULTILINE)
    if before.strip():
        raise ValueError(f"{before.strip()[:40]!r} belongs to no kernel")
    for part in parts:
        match = _KERNEL.fullmatch(part)
        if match is None or not match["specification"].strip():
            raise ValueError(f"{part.partition(chr(10))[0]!r} needs an id, a description and a specification")
        yield Text(
            title[1],
            match["module"],
            match["kernel"],
            match["id"],
            " ".join(line[2:].strip() for line in match["description"].splitlines()),
            match["specification"].strip(),
            int(match["twin"] or 0),
        )
