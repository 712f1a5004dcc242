from __future__ import annotations

import errno
import io
import random
import resource
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toys.acts import PROVE, row, toy

from warp_ir_dataset.builds.filling import Shortage, fill, ptx_modules, replay
from warp_ir_dataset.builds.plan.plan import Candidate, Queue, ShardPlan
from warp_ir_dataset.builds.shards import PARQUET, order, write_parquet
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.common.outcomes import Reason, Rejected
from warp_ir_dataset.workers.pool import Pool
from warp_ir_dataset.workers.task import Task

FAMILIES = ("arithmetic", "vector", "matrix")
SCHEMA = pa.schema([("category", pa.string()), ("draw", pa.int64()), ("text", pa.string())])


class InstantPool:
    """A pool without processes, which finishes batches in an order that `chance` decides."""

    def __init__(self, workers: int, chance: random.Random) -> None:
        self.workers = workers
        self.chance = chance
        self.batches: list[tuple[Any, Sequence[Any]]] = []
        self.proved: list[Any] = []
        self.sizes: list[int] = []

    @property
    def pending(self) -> int:
        return len(self.batches)

    def submit(self, tag: Any, candidates: Sequence[Any]) -> None:
        self.batches.append((tag, candidates))
        self.sizes.append(len(candidates))

    def results(self) -> Iterator[tuple[Any, list[Any]]]:
        while self.batches:
            tag, candidates = self.batches.pop(self.chance.randrange(len(self.batches)))
            self.proved.extend(candidates)
            yield tag, [outcome_of(candidate) for candidate in candidates]


def fill_at_once(shards: Iterable[ShardPlan], pool: InstantPool, **options: Any) -> Iterator[Any]:
    return fill(cast(Pool, pool), shards, **{"module_size": 1, **options})


def outcome_of(candidate: Any) -> Any:
    return Rejected(Reason.NEAR_ZERO, "as told") if candidate.running == "reject" else row(candidate)


def make_shards(chance: random.Random, count: int, spares: int = 50) -> list[ShardPlan]:
    """Shards whose candidates fail at random. Some families have far more spares than they need, some few."""
    draws = iter(range(1_000_000))
    shards = []
    for index in range(count):
        queues = []
        for family in FAMILIES:
            quota = chance.randrange(9)
            toys = [
                toy(next(draws), chance.choices(("pass", "reject"), (3, 1))[0], category=family)
                for _ in range(quota + chance.choice((0, 2, spares)))
            ]
            queues.append(Queue(family, quota, tuple(toys)))
        passing = tuple(toy(next(draws), category="math") for _ in range(1 + spares))
        queues.append(Queue("math", 1, passing))
        shards.append(ShardPlan("train", index, count, tuple(queues)))
    return shards


def model(shard: ShardPlan) -> tuple[list[dict[str, Any]], Counter[Reason], list[Any]]:
    """What a shard must hold, found by trying one candidate after the other: first those of each queue, then
    those that are left over, each of the queue that has most of them."""
    rows: list[dict[str, Any]] = []
    rejections: Counter[Reason] = Counter()
    tried: list[Any] = []

    def passes(candidate: Any) -> bool:
        tried.append(candidate)
        outcome = outcome_of(candidate)
        if isinstance(outcome, Rejected):
            rejections[outcome.reason] += 1
            return False
        rows.append(outcome)
        return True

    left = []
    for queue in shard.queues:
        candidates = list(queue.candidates)
        passed = 0
        while candidates and passed < queue.quota:
            passed += passes(candidates.pop(0))
        left.append(candidates)
    while len(rows) < shard.rows:
        most = max(map(len, left))
        passes(next(candidates for candidates in left if len(candidates) == most).pop(0))
    return order(rows, shard.split, shard.index), rejections, tried


@pytest.mark.parametrize("seed", range(60))
def test_a_shard_holds_the_first_candidates_that_pass(seed: int):
    chance = random.Random(seed)
    shards = make_shards(chance, count=chance.randrange(1, 6))
    pool = InstantPool(chance.randrange(1, 4), chance)
    heard: list[Any] = []
    filled = {
        shard.index: (rows, rejections)
        for shard, rows, rejections in fill_at_once(
            shards, pool, batch_size=chance.randrange(1, 30), on_outcome=lambda toy, _: heard.append(toy)
        )
    }
    tried = []
    for shard in shards:
        rows, rejections, of_shard = model(shard)
        assert filled[shard.index] == (rows, rejections)
        tried += of_shard
    # Nothing is tried in vain, whatever the batches.
    assert sorted(str(toy.address) for toy in pool.proved) == sorted(str(toy.address) for toy in tried)
    assert heard == pool.proved


def test_a_family_that_lacks_spares_is_helped_out_by_those_that_have_most():
    poor = Queue(
        "vector", 3, tuple(toy(draw, "pass" if draw else "reject", category="vector") for draw in (0, 1, 2))
    )
    some = Queue("math", 1, tuple(toy(draw, category="math") for draw in range(2)))
    rich = Queue("matrix", 1, tuple(toy(draw, category="matrix") for draw in range(3)))
    shard = ShardPlan("train", 0, 1, (poor, some, rich))
    ((_, rows, rejections),) = fill_at_once([shard], InstantPool(1, random.Random(0)), batch_size=3)
    assert Counter(row["category"] for row in rows) == {"vector": 2, "math": 1, "matrix": 2}
    assert sorted(row["draw"] for row in rows if row["category"] == "matrix") == [0, 1]
    assert rejections == {Reason.NEAR_ZERO: 1}


def test_batches_shrink_towards_the_end_so_that_workers_end_together():
    pool = InstantPool(2, random.Random(0))
    queue = Queue("vector", 64, tuple(toy(draw, category="vector") for draw in range(64)))
    list(fill_at_once([ShardPlan("train", 0, 1, (queue,))], pool, batch_size=20))
    assert pool.sizes == [20, 20, 12, 6, 5, 1]


def test_a_full_shard_is_given_before_later_ones_are_looked_at():
    chance = random.Random(1)
    shards = iter(make_shards(chance, count=200))
    next(fill_at_once(shards, InstantPool(1, chance), batch_size=4))
    assert len(list(shards)) > 150


@pytest.mark.parametrize("at_once", [1, 20])
def test_a_shard_whose_spares_run_out_is_an_error_that_says_which(at_once: int):
    toys = tuple(toy(draw, "reject" if draw else "pass", category="vector") for draw in range(4))
    good = Queue("matrix", 1, (toy(0, category="matrix"),))
    shard = ShardPlan("test", 1, 3, (good, Queue("vector", 2, toys)))
    with pytest.raises(Shortage) as shortage:
        list(fill_at_once([shard], InstantPool(1, random.Random(0)), batch_size=at_once))
    assert str(shortage.value) == (
        "shard 1 of 3 of test needs 3 rows, and too few of 5 candidates passed their proof: near zero (3)"
    )


@pytest.mark.parametrize(("workers", "batch_size"), [(1, 1), (2, 3), (3, 50)])
def test_what_becomes_ptx_together_is_in_one_batch(workers: int, batch_size: int):
    shards = make_shards(random.Random(7), count=6)
    pool = InstantPool(workers, random.Random(batch_size))
    seen: list[set[str]] = []
    submit = pool.submit

    def heard(tag: Any, candidates: Sequence[Any]) -> None:
        seen.append({each.module for each in candidates})
        submit(tag, candidates)

    pool.submit = heard  # type: ignore[method-assign]
    filled = list(fill_at_once(shards, pool, batch_size=batch_size, module_size=4))
    assert [rows for _, rows, _ in sorted(filled, key=lambda each: each[0].index)] == [
        model(shard)[0] for shard in shards
    ]
    assert sum(map(len, seen)) == len(set().union(*seen))
    planned = {address: name for shard in shards for address, name in ptx_modules(shard, 4).items()}
    assert all(each.module == planned[each.address] for each in pool.proved)
    spares = {each.address for each in pool.proved if each.module == str(each)}
    first = Counter(name for address, name in planned.items() if name != str(address))
    assert spares and max(first.values()) == 4 and first.total() == sum(shard.rows for shard in shards)


def test_two_workers_share_a_short_shard():
    queue = Queue("math", 7, tuple(Candidate(Address(7, "math", draw)) for draw in range(9)))
    named = ptx_modules(ShardPlan("train", 0, 1, (queue,)), 20)
    assert Counter(named.values()) == {
        "train-00000-of-00001.parquet 0": 4,
        "train-00000-of-00001.parquet 1": 3,
        "7/math/7": 1,
        "7/math/8": 1,
    }


@pytest.mark.parametrize("seed", range(6))
def test_what_failed_follows_from_what_is_there(seed: int):
    shards = make_shards(random.Random(seed), count=5)
    pool = InstantPool(2, random.Random(seed))
    for shard, rows, rejections in fill_at_once(shards, pool, batch_size=6):
        there = {Address.of(row) for row in rows}
        kept, failed = replay(shard, there)
        assert kept == there and len(failed) == rejections.total()
        assert all(each.running == "reject" for each in failed)  # type: ignore[attr-defined]
        _, more = replay(shard, there - {min(there, key=str)})
        assert len(more) > len(failed) or not shard.spares


@pytest.mark.process
@pytest.mark.parametrize(("workers", "batch_size"), [(1, 7), (2, 3)])
def test_shards_through_real_processes(workers: int, batch_size: int):
    shards = make_shards(random.Random(5), count=3)
    with Pool(workers, Task(PROVE, ("cpu", "x86_64"))) as pool:
        filled = list(fill(pool, shards, module_size=1, batch_size=batch_size))
    assert len(filled) == 3
    for shard, rows, rejections in filled:
        expected_rows, expected_rejections, _ = model(shard)
        assert rows == [{**expected, "target": "cpu x86_64"} for expected in expected_rows]
        assert rejections == expected_rejections


def make_rows(families: int = 10, per_family: int = 96, seed: int = 7) -> list[dict[str, Any]]:
    levels = [1] * 5 + [2] * 14 + [3] * 29 + [4] * 29 + [5] * 19
    return [
        {
            "seed": seed,
            "category": f"family {family}",
            "purpose": None,
            "draw": draw,
            "difficulty": levels[draw],
        }
        for family in range(families)
        for draw in range(per_family)
    ]


def test_any_prefix_is_a_fair_sample():
    rows = make_rows()
    ordered = order(rows, "train", 0)
    by_family: Counter[str] = Counter()
    by_level: Counter[int] = Counter()
    whole = Counter(row["difficulty"] for row in rows)
    for length, item in enumerate(ordered, 1):
        by_family[item["category"]] += 1
        by_level[item["difficulty"]] += 1
        assert all(abs(by_family[f"family {f}"] - length / 10) < 2 for f in range(10))
        assert all(abs(by_level[level] - length * whole[level] / len(rows)) < 10 for level in whole)
    assert len(by_family) == 10


def test_the_order_depends_on_what_the_rows_are_and_nothing_else():
    rows = make_rows(per_family=12)
    ordered = order(rows, "train", 0)
    assert sorted(ordered, key=str) == sorted(rows, key=str)
    shuffled = random.Random(0).sample(rows, len(rows))
    assert order([{**item, "completion": "other"} for item in shuffled], "train", 0) == [
        {**item, "completion": "other"} for item in ordered
    ]
    others = [
        order(rows, "train", 1),
        order(rows, "test", 0),
        [{**item, "seed": 7} for item in order(make_rows(per_family=12, seed=8), "train", 0)],
    ]
    assert all(other != ordered for other in others)


def test_families_do_not_follow_each_other_in_one_fixed_turn():
    ordered = order(make_rows(), "train", 0)
    turns = {tuple(item["category"] for item in ordered[at : at + 10]) for at in range(0, 960, 10)}
    assert len(turns) > 90


def table_rows(count: int = 300) -> list[dict[str, Any]]:
    return [{"category": "vector", "draw": draw, "text": f"{draw} " * 50} for draw in range(count)]


def test_parquet_holds_the_rows_and_its_bytes_are_always_the_same(tmp_path: Path):
    first, second = tmp_path / "first.parquet", tmp_path / "second.parquet"
    write_parquet(table_rows(), SCHEMA, first)
    write_parquet(table_rows(), SCHEMA, second)
    assert pq.read_table(first).to_pylist() == table_rows()
    assert pq.read_schema(first).equals(SCHEMA)
    assert pq.ParquetFile(first).metadata.row_group(0).column(0).compression == "ZSTD"
    assert first.read_bytes() == second.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.parquet", "second.parquet"]


def test_files_have_a_page_index(tmp_path: Path):
    write_parquet(table_rows(), SCHEMA, tmp_path / "rows.parquet")
    group = pq.ParquetFile(tmp_path / "rows.parquet").metadata.row_group(0)
    assert all(group.column(n).has_offset_index and group.column(n).has_column_index for n in range(2))


def test_files_are_compressed_well(tmp_path: Path):
    write_parquet(long_rows(), SCHEMA, tmp_path / "rows.parquet")
    assert (tmp_path / "rows.parquet").read_bytes() == parquet(long_rows(), **PARQUET)
    assert len(parquet(long_rows(), **PARQUET)) < len(
        parquet(long_rows(), **{**PARQUET, "compression_level": 1})
    )


@pytest.mark.parametrize("by_content", [True, False])
def test_pages_end_where_their_content_says(by_content: bool):
    """A row that is put in moves all that follows; most pages are the same nevertheless."""
    options = {
        **PARQUET,
        "use_content_defined_chunking": PARQUET["use_content_defined_chunking"] and by_content,
    }
    rows = long_rows()
    edited = [*rows[:500], {"category": "vector", "draw": -1, "text": "another row"}, *rows[500:]]
    old, new = pages(parquet(rows, **options)), pages(parquet(edited, **options))
    same = sum(map(len, set(old) & set(new))) / sum(map(len, old))
    assert len(old) > 9 if by_content else len(old) < 9
    assert same > 0.5 if by_content else same < 0.1


def parquet(rows: list[dict[str, Any]], **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), file, **options)
    return file.getvalue()


def pages(data: bytes) -> list[bytes]:
    """The compressed pages of a file, roughly: what zstd writes begins with the same four bytes each time."""
    return data.split(b"\x28\xb5\x2f\xfd")[1:]


def long_rows() -> list[dict[str, Any]]:
    """Some megabytes of what looks like code, more than pyarrow keeps as a dictionary."""
    chance = random.Random(1)
    calls = [f"wp::{chance.choice(('add', 'mul', 'sub', 'div'))}(var_{n}, var_{n % 17});" for n in range(90)]

    def text() -> str:
        return "\n".join(f"var_{chance.randrange(99)} = {chance.choice(calls)}" for _ in range(120))

    return [{"category": "vector", "draw": n, "text": text()} for n in range(1000)]


def test_a_full_disk_is_one_clear_line_and_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "rows.parquet"
    path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # as good as a disk of a thousand bytes
    try:
        with pytest.raises(UserError) as error:
            write_parquet(random_rows(), SCHEMA, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert isinstance(error.value.__cause__, OSError)
    assert error.value.__cause__.errno == errno.EFBIG
    assert str(error.value).endswith(f"{path}: File too large")
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.parquet"]
    assert path.read_text() == "old"


def random_rows() -> list[dict[str, Any]]:
    """Rows that compress badly."""
    chance = random.Random(0)
    return [{"category": "vector", "draw": n, "text": str(chance.random())} for n in range(5000)]


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path: Path):
    with pytest.raises(UserError, match=f"{tmp_path / 'nowhere'}.*: No such file or directory"):
        write_parquet(table_rows(), SCHEMA, tmp_path / "nowhere" / "rows.parquet")


def test_rows_that_do_not_fit_the_schema_leave_nothing_behind(tmp_path: Path):
    with pytest.raises(pa.ArrowInvalid):
        write_parquet([{"draw": "not a number"}], SCHEMA, tmp_path / "rows.parquet")
    assert list(tmp_path.iterdir()) == []
