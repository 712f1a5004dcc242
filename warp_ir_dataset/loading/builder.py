"""A `datasets` builder that takes parameters (kernels, seed, families), the second way to load rows.

    builder = WarpIR("cuda", num_kernels=500, seed=7)
    builder.download_and_prepare()
    dataset = builder.as_dataset()

It reads the files that `filesystem` serves, so equal parameters give equal rows in both ways.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import datasets  # without types: hence the ignores below
import pyarrow.parquet as pq

from ..builds.request import (
    DEFAULT_ARCH,
    DEFAULT_CATEGORIES,
    DEFAULT_KERNELS,
    DEFAULT_SEED,
    DIFFICULTIES,
    Request,
)
from ..builds.row import features
from ..common.about import LICENSE, citation, description
from ..common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS
from ..common.errors import UserError
from ..common.files import writable
from ..common.given import choice, shown
from ..common.versions import DATASET_VERSION
from .filesystem import ShardFile, open_shard
from .urls import decode_shard, encode, shards


def _writing() -> AbstractContextManager[None]:
    return writable("to the cache of datasets", "set HF_HOME to a folder that can be written")


@dataclass
class WarpIRConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """One config of the dataset, and what decides its rows.

    Attributes:
        name: Name of the config: one of `CONFIGS`.
        version: The dataset's version.
        num_kernels: Rows of all splits together.
        seed: Each seed gives other kernels.
        arch: GPU architecture of the PTX, such as ``"sm_80"``.
        categories: Families of kernels; all by default.
        difficulty: An inclusive span of levels from 1 to 5, or one level.
    """

    name: str = DEFAULT_CONFIG
    version: datasets.Version = datasets.Version(DATASET_VERSION)  # noqa: RUF009 (immutable in effect)
    num_kernels: int = DEFAULT_KERNELS
    seed: int = DEFAULT_SEED
    arch: str = DEFAULT_ARCH
    categories: tuple[str, ...] = DEFAULT_CATEGORIES
    difficulty: tuple[int, int] = DIFFICULTIES

    @property
    def request(self) -> Request:
        """Raises `UserError` for parameters that cannot be."""
        return Request(self.name, self.num_kernels, self.seed, self.arch, self.categories, self.difficulty)

    def create_config_id(
        self, config_kwargs: dict[str, Any], custom_features: datasets.Features | None = None
    ) -> str:
        """Names the cache directory after everything that decides a row, defaults and versions among it."""
        what = encode(self.request)
        if custom_features is not None:
            what += datasets.fingerprint.Hasher.hash(custom_features)
        digest = hashlib.sha256(what.encode()).hexdigest()
        return f"{self.name}-{digest[:16]}"


class WarpIR(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
    """The builder of `datasets` for synthesized Warp kernels and the code that compilers make of them.

    It takes the name of a config, and the fields of `WarpIRConfig` as keywords.
    """

    BUILDER_CONFIG_CLASS = WarpIRConfig
    BUILDER_CONFIGS = [WarpIRConfig(name=config) for config in CONFIGS]  # noqa: RUF012 (the base class's way)
    DEFAULT_CONFIG_NAME = DEFAULT_CONFIG

    def __init__(self, config_name: str | None = None, dataset_name: str = "warp_ir", **kwargs: Any) -> None:
        if config_name is not None:
            Request(config_name)  # for a line that says what is allowed, like all others
        with _writing():
            super().__init__(config_name=config_name, dataset_name=dataset_name, **kwargs)

    def download_and_prepare(self, *args: Any, **kwargs: Any) -> None:
        """As `datasets` has it. Raises `UserError` where its cache cannot be written."""
        with _writing():
            super().download_and_prepare(*args, **kwargs)

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description=description(self.config.name),
            citation=citation(),
            license=LICENSE,
            features=features(self.config.name),
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        files = shards(self.config.request)
        if not dl_manager.is_streaming:
            # Here and under one bar: `datasets` wraps what is raised later in an error of its own. All cores
            # are at work, so the processes of `num_proc` have only to read.
            for shard in files:
                open_shard(shard, whole=True)
        return [
            datasets.SplitGenerator(
                name=split,
                gen_kwargs={
                    "paths": [shard.path for shard in files if shard.split == split],
                    "quiet": not dl_manager.is_streaming,  # there is a bar of `datasets` then
                },
            )
            for split in SPLITS
            if any(shard.split == split for shard in files)
        ]

    def _generate_examples(self, paths: list[str], quiet: bool) -> Iterator[tuple[str, dict[str, Any]]]:
        # The one list among the arguments is what `num_proc` divides.
        for path in paths:
            # A path would be opened by Python where `datasets` streams: it replaces `read_table` there.
            with ShardFile(str(open_shard(decode_shard(path), quiet=quiet))) as file:
                rows = pq.read_table(file).to_pylist()
            for row in rows:
                yield row["id"], row


def check_wanted(request: Request, split: object, streaming: bool, num_proc: object) -> None:
    """Raise `UserError` for what `datasets` would refuse when all rows are made."""
    if num_proc is not None and not (isinstance(num_proc, int) and num_proc >= 1):
        raise UserError(f"num_proc must be a whole number from 1, or None, not {num_proc!r}")
    if not isinstance(split, (str, datasets.NamedSplit)):
        if split is None or isinstance(split, (datasets.ReadInstruction, list, tuple, dict)):
            return
        raise UserError(f"split must be a name such as 'train', not {shown(split)}")
    names = list(dict.fromkeys(shard.split for shard in shards(request)))
    parts = [part.strip() if streaming else part.partition("[")[0] for part in str(split).split("+")]
    if not set(parts) <= {*names, "all"}:
        slices = "" if streaming else ", or slices of them such as 'test[:10]'"
        raise UserError(f"unknown split {str(split)!r}: {choice(str(split), names)}{slices}")
    if not streaming:
        try:
            datasets.ReadInstruction.from_spec(str(split))
        except ValueError as error:
            raise UserError(f"split {str(split)!r} cannot be read: {error}") from None
