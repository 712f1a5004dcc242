"""Words, numbers and signs of a sentence."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)
  | (?P<string>"(?:\\.|[^"\\])*")
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*|π)
  | (?P<sign><<|>>|⁻¹|[-+·×/⊙⊘^=≠<>≤≥()\[\]|‖⌊⌋⌈⌉.,:²ᵀ])
)""",
    re.VERBOSE,
)


class Unreadable(Exception):
    """What the reader has no rule for."""


class Undefined(Exception):
    """A whole number that is asked of infinity or of NaN."""


class Tokens:
    """A sentence, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items: list[tuple[str, str]] = []
        self.place = 0
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise Unreadable(f"{text[at : at + 20]!r} in {text!r}")
            kind = found.lastgroup or ""
            self.items.append((kind, found[kind]))
            at = found.end()

    def peek(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.items[place][1] if place < len(self.items) else ""

    def kind(self) -> str:
        return self.items[self.place][0] if self.place < len(self.items) else ""

    def next(self) -> str:
        found = self.peek()
        self.place += 1
        return found

    def sees(self, words: str) -> bool:
        """Whether these words or signs come next."""
        return all(self.peek(i) == word for i, word in enumerate(words.split()))

    def take(self, words: str) -> bool:
        """The same, and then they are passed over."""
        if not self.sees(words):
            return False
        self.place += len(words.split())
        return True

    def expect(self, words: str) -> None:
        if not self.take(words):
            raise Unreadable(f"{words!r} expected before {self.rest()!r} in {self.text!r}")

    def end(self) -> None:
        """Nothing may be left."""
        if not self.done:
            raise Unreadable(f"{self.rest()!r} is left of {self.text!r}")

    def rest(self) -> str:
        return " ".join(text for _, text in self.items[self.place :])

    @property
    def done(self) -> bool:
        return self.place >= len(self.items)
