"""Chooses the rows and spares of one family out of its streams, for each split."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ...common.configs import CONFIGS, SPLITS
from ...common.errors import UserError
from ...language.identity import purpose_group, split_of
from ...synthesis.idioms import IDIOMS
from ..request import Request
from .candidate_scan import CandidateScan, StreamKey
from .sizes import PARTS
from .stream import Pick, Stream, Taken

# Candidates in a row that give nothing, after which a purpose, or a kind at one level, counts as dry.
PURPOSE_PATIENCE = 20
RANDOM_PATIENCE = 200

# The levels that give spares, and the rows that the hardest level lacks. Middle levels have the most to
# spare.
SPARE_LEVELS = (4, 3, 5)
REFILL = (*SPARE_LEVELS, 2, 1)

LEAST_SERVING = 0.2  # a lower bound for the part of candidates that serve, so that no scan is far too long
TRUST = 10  # candidates that would serve, as many as are counted beside those that were read

Picks = dict[str, list[Pick]]  # by split


class Family:
    """What every family has: its streams, and what was chosen of them. `shortfalls` are the rows that a level
    was to give and could not."""

    def __init__(self, request: Request, category: str) -> None:
        self.request = request
        self.category = category
        self.streams: list[Stream] = []
        self.rows: Picks = {split: [] for split in SPLITS}
        self.spares: Picks = {split: [] for split in SPLITS}
        self.shortfalls: Counter[int] = Counter()

    def levels(self, split: str) -> Counter[int]:
        """The rows of each difficulty that were chosen for a split."""
        return Counter(pick.level for pick in self.rows[split])


class PurposeFamily(Family):
    """A family of purposes, which take turns in the split that each one's name decides.

    Purposes of another difficulty than the request's take no part, nor do kernels of theirs that are more
    difficult because others are put together with them; nor, where there are adjoints, those that are not
    differentiable.
    """

    def __init__(self, request: Request, category: str, scan: CandidateScan, taken: Taken) -> None:
        super().__init__(request, category)
        low, high = request.difficulty
        adjoint = CONFIGS[request.config].adjoint
        self._turns: dict[str, deque[Stream]] = {split: deque() for split in SPLITS}
        self._new = self._near = 0
        for template in IDIOMS[category]:
            if low <= template.level <= high and (template.differentiable or not adjoint):
                key = StreamKey(category, template.level, template.purpose)
                stream = Stream(key, scan.facts(key), request, taken, PURPOSE_PATIENCE)
                self.streams.append(stream)
                self._turns[split_of(purpose_group(template.purpose))].append(stream)
        self._splits = {split: tuple(turns) for split, turns in self._turns.items()}

    def share(self, split: str) -> Fraction:
        """The part of the family's purposes that are in a split."""
        return Fraction(len(self._splits[split]), len(self.streams)) if self.streams else Fraction(0)

    def lone_purposes(self, split: str) -> set[str | None]:
        """Purposes with a single row in a split, where all its purposes have one: if its kernel fails, the
        build lacks the purpose unless the file of the row has a spare of it."""
        rows = Counter(pick.address.purpose for pick in self.rows[split])
        if len(rows) < len(self._splits[split]):
            return set()
        return {purpose for purpose, count in rows.items() if count == 1}

    def fill(self, wanted: Mapping[str, int]) -> Counter[str]:
        """Choose so many rows of each split, or what there is; returns how many there are too few."""
        lacking: Counter[str] = Counter()
        for split, count in wanted.items():
            self.rows[split] += self._take(split, count)
            lacking[split] = count - len(self.rows[split])
        if lacking.total():
            hardest = max(template.level for template in IDIOMS[self.category])
            self.shortfalls[hardest] += lacking.total()
        return lacking

    def fill_spares(self, wanted: Mapping[str, int]) -> None:
        """Choose so many spares of each split, or what there is."""
        for split, count in wanted.items():
            self.spares[split] += self._take(split, count)

    def missing(self) -> Iterator[tuple[StreamKey, int]]:
        """How many more candidates to scan."""
        serving = _serving(self.streams)
        for stream in self.streams:
            if lacking := stream.lacking.total():
                yield stream.key, _more(stream, lacking / serving)

    def _take(self, split: str, count: int) -> list[Pick]:
        """The next new kernels of a split's purposes, one candidate of each in turn, until all are dry."""
        found: list[Pick] = []
        turns = self._turns[split]
        while turns and len(found) < count:
            stream = turns.popleft()
            if (pick := stream.read(split)) is not None:
                found.append(pick)
            if not stream.dry:
                turns.append(stream)
        self._new += len(found)
        return found + self._take_near(split, count - len(found))

    def _take_near(self, split: str, count: int) -> list[Pick]:
        """Near duplicates, one of each purpose in turn: better than another family's rows, as long as there
        are not more of them than of the others."""
        found: list[Pick] = []
        turns = deque(self._splits[split])
        while turns and len(found) < min(count, self._new - self._near):
            stream = turns.popleft()
            if (pick := stream.take_near(split)) is not None:
                found.append(pick)
                turns.append(stream)
        self._near += len(found)
        return found


class RandomFamily(Family):
    """A family of random programs, with a stream for each level. A kernel's skeleton decides its split."""

    def __init__(self, request: Request, category: str, scan: CandidateScan, taken: Taken) -> None:
        super().__init__(request, category)
        low, high = request.difficulty
        for level in range(low, high + 1):
            key = StreamKey(category, level, None)
            self.streams.append(Stream(key, scan.facts(key), request, taken, RANDOM_PATIENCE))
        self._by_level = {stream.key.level: stream for stream in self.streams}

    def share(self, split: str) -> Fraction:
        """The part of the family's kernels that are in a split."""
        return Fraction(PARTS[split], sum(PARTS.values()))

    def fill(self, wanted: Mapping[str, Counter[int]]) -> None:
        """Choose `wanted[split][level]` rows; what a dry level lacks is asked of the next. Raises `UserError`
        if all are dry."""
        need: Counter[str] = Counter()
        for level, stream in self._by_level.items():
            for split, levels in wanted.items():
                found = stream.take(split, need[split] + levels[level])
                need[split] += levels[level] - len(found)
                self.rows[split] += found
            if lacking := need.total():
                self.shortfalls[level] += lacking
        for split, count in need.items():
            found = self._refill(split, count)
            found += self._take_near(split, count - len(found))
            self.rows[split] += found
            if len(found) < count:
                low, high = self.request.difficulty
                raise UserError(
                    f"family {self.category!r} has too few distinct kernels of difficulty {low} to {high} "
                    f"for num_kernels {self.request.num_kernels}: ask for fewer, for more categories or "
                    "for a wider difficulty span"
                )

    def fill_spares(self, wanted: Mapping[str, int]) -> None:
        """Choose so many spares of each split, or what there is."""
        for split, count in wanted.items():
            self.spares[split] += self._refill(split, count)

    def missing(self) -> Iterator[tuple[StreamKey, int]]:
        """How many more candidates to scan."""
        for stream in self.streams:
            if stream.lacking:
                most = max(lacking / self.share(split) for split, lacking in stream.lacking.items())
                yield stream.key, _more(stream, float(most) / _serving([stream]))

    def _refill(self, split: str, count: int) -> list[Pick]:
        """First what waits at the usual levels, then whatever any level still gives."""
        found: list[Pick] = []
        for level in SPARE_LEVELS:
            if level in self._by_level:
                found += self._by_level[level].take_waiting(split, count - len(found))
        for level in REFILL:
            if level in self._by_level:
                found += self._by_level[level].take(split, count - len(found))
        return found

    def _take_near(self, split: str, count: int) -> list[Pick]:
        """Near duplicates, if there is nothing else: better than no build."""
        found: list[Pick] = []
        for stream in self.streams:
            while len(found) < count and (pick := stream.take_near(split)) is not None:
                found.append(pick)
        return found


def _serving(streams: Sequence[Stream]) -> float:
    """The part of candidates that serve, by those that were read; at first nearly all are thought to."""
    read = sum(stream.position for stream in streams)
    useless = sum(stream.useless for stream in streams)
    return max(LEAST_SERVING, (read - useless + TRUST) / (read + TRUST))


def _more(stream: Stream, expected: float) -> int:
    """How many candidates to scan beyond those scanned, if so many are expected to be enough.

    A stream that seems to run dry is scanned in few steps to where it would be dry, and no further.
    """
    more = max(1, round(expected), stream.vain // 2)
    return min(more, stream.patience - stream.vain) if stream.vain >= stream.patience // 4 else more
