"""The plan of the config `handwritten`: each human-written kernel with its twin, and no spares."""

from __future__ import annotations

from ...common.address import Address
from ..plan.plan import Candidate, Plan, Queue, ShardPlan
from ..plan.sizes import shard_counts
from ..request import Request
from .texts import Text, topics

SPLIT = "test"


def collected(request: Request) -> Plan:
    """All texts, dealt to the files in turn. Of a request only its config and its architecture count."""
    count = shard_counts(request)[SPLIT]
    queues = [_queues(index, count) for index in range(count)]
    shards = tuple(ShardPlan(SPLIT, index, count, own, spares=False) for index, own in enumerate(queues))
    draws = {topic: 2 * len(texts) for topic, texts in topics().items()}
    return Plan(request, shards, draws, {}, {}, ())


def chosen(address: Address) -> tuple[Text, bool]:
    """The text of a candidate's address, and whether its twin is meant."""
    number, twin = divmod(address.draw, 2)
    return topics()[address.category][number], bool(twin)


def _queues(index: int, count: int) -> tuple[Queue, ...]:
    """A file's queues, one for each topic: a twin follows its original, as one process has both at less
    cost."""
    queues, place = [], 0
    for topic, texts in topics().items():
        mine = [number for number in range(len(texts)) if (place + number) % count == index]
        place += len(texts)
        if mine:
            candidates = tuple(Candidate(Address(0, topic, 2 * n + twin)) for n in mine for twin in (0, 1))
            queues.append(Queue(topic, len(candidates), candidates))
    return tuple(queues)
