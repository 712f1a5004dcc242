"""Records the plans of a planned folder, so that files of two plans are never mixed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...common.configs import CONFIGS
from ...common.versions import source
from ..plan.plan import Plan
from ..plan.saved import load
from .folder import batch_key, digest_of


@dataclass(frozen=True)
class Index:
    """The source that planned, and the SHA-256 of each config's plan."""

    source: str
    plans: dict[str, str]

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Index:
        """That of plans as `saved.dump` tells them, by config."""
        return cls(source(), {config: digest_of(text) for config, text in texts.items()})

    @classmethod
    def load(cls, text: str) -> Index:
        """What `dump` wrote. Raises `ValueError` for anything else."""
        try:
            digest, _, rest = text.partition("\n")
            index = cls(**json.loads(rest))
            if digest != digest_of(rest) or not index.plans or not {*index.plans} <= {*CONFIGS}:
                raise ValueError("it is not as it was written")
            return index
        except (TypeError, AttributeError, RecursionError) as error:
            raise ValueError("this is not an index") from error

    def dump(self) -> str:
        text = json.dumps(asdict(self), sort_keys=True)
        return f"{digest_of(text)}\n{text}"

    @property
    def configs(self) -> list[str]:
        """In the order in which their shards are counted."""
        return sorted(self.plans)

    def plan(self, config: str, text: str) -> Plan:
        """A config's plan. Raises `ValueError` for a text that is not the one that was written."""
        if digest_of(text) != self.plans[config]:
            raise ValueError("it is another plan")
        return load(text)

    def stamp(self, manifest: Mapping[str, Any], name: str) -> str:
        """What says that a shard was made from these plans, for these parameters and versions."""
        config = name.partition("/")[0]
        return digest_of(f"{self.source} {self.plans[config]} {batch_key(manifest, config)} {name}")
