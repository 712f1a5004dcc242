"""What planning costs beside looking at kernels: ``python recorded.py CONFIG ROWS``.

Runs in any version that has surveys. Looks are made up, as often new, repeated and barred as those of some
thousands of kernels that were drawn. So what is counted is choosing alone. Prints JSON: microseconds of CPU a
row, the most megabytes the process ever held, looks a row, and rounds. Linux only, for the memory.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from warp_ir_dataset.builds.plan.look import Look
from warp_ir_dataset.builds.plan.plan import make_plan
from warp_ir_dataset.builds.plan.survey import Found, Survey
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.synthesis.difficulty import difficulty_of
from warp_ir_dataset.synthesis.idioms import IDIOMS

# Of a thousand draws, with a purpose and without: 8,800 and 660 draws of seed 3, generator 1.7.0.
BARREN = 2  # hold no kernel
REPEATED = 25  # have the skeleton of another draw of their family
BARRED = {True: 573, False: 244}

SIZE = 16  # of what is told at once
MASK = 2**64 - 1


class Recorded:
    """Answers of workers that look at nothing, and how much CPU time they took of this process."""

    def __init__(self) -> None:
        self.numbers = {family: number + 1 for number, family in enumerate(sorted(IDIOMS))}
        self.levels = {family: [page.level for page in pages] for family, pages in IDIOMS.items()}
        self.rounds = self.looks = 0
        self.seconds = 0.0

    def looked(self, wanted: Sequence[Address]) -> Iterator[Found]:
        self.rounds += 1
        self.looks += len(wanted)
        for start in range(0, len(wanted), SIZE):
            began = time.process_time()
            found = {address: self.look(address) for address in wanted[start : start + SIZE]}
            self.seconds += time.process_time() - began
            yield found

    def look(self, address: Address) -> Look | None:
        family = self.numbers.setdefault(address.category, len(self.numbers) + 1)
        number = _mixed(family << 40 | address.draw)
        chance, other = number % 1000, number // 1000 % 1000
        if chance < BARREN:
            return None
        if levels := self.levels.get(address.category):
            level = levels[address.draw % len(levels)]
        else:
            level = difficulty_of(address.draw)
        if chance < BARREN + REPEATED:
            number = _mixed(family << 40 | number % 100)
        skeleton = f"{number:016x}"
        return Look(level, skeleton, skeleton, other < BARRED[bool(levels)], False, "")


def _mixed(number: int) -> int:
    """A number of 64 bits that looks drawn: the mixing of splitmix64."""
    number = number * 0x9E3779B97F4A7C15 & MASK
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


def most_held() -> int:
    """The most kilobytes that this process ever held. `getrusage` counts what the one that started it held,
    too."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["VmHWM"].split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("config")
    parser.add_argument("rows", type=int)
    options = parser.parse_args()
    request = Request(options.config, options.rows)
    recorded = Recorded()
    began = time.process_time()
    plan = make_plan(request, Survey(request, recorded.looked))
    seconds = time.process_time() - began - recorded.seconds
    held = most_held() / 1024
    assert plan.rows == request.num_kernels
    looks = recorded.looks / plan.rows
    told = {"microseconds": seconds / plan.rows * 1e6, "megabytes": held, "looks": looks}
    print(json.dumps(told | {"rounds": recorded.rounds}))


if __name__ == "__main__":
    main()
