"""Writes a request as a path, for URLs and for the cache on disk, and parses it.

    generator-1.3.0/warp-1.19.0/seed-0/kernels-1200/sm_80/cuda/train-00000-of-00008.parquet

Everything that can change a row is in the path, so equal paths hold equal bytes. Difficulty and
categories are there only where they are not the default: ``sm_80/difficulty-2-4/categories-math+atomic/``.
Kernels that are collected depend on none of these, but on what was written about them:

    generator-1.3.0/warp-1.19.0/texts-0123456789abcdef/sm_80/handwritten/test-00000-of-00003.parquet
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ..builds.handwritten.texts import digest
from ..builds.plan.sizes import file_name, shard_counts, split_sizes
from ..builds.request import DEFAULT_CATEGORIES, DIFFICULTIES, Request
from ..common.configs import CONFIGS, SPLITS
from ..common.errors import UserError
from ..common.versions import GENERATOR_VERSION, warp_version

PROTOCOL = "warpir"

_FOLDER = re.compile(
    r"generator-(?P<generator>[^/]+)/warp-(?P<warp>[^/]+)"
    r"/(?:seed-(?P<seed>[^/]+)/kernels-(?P<kernels>[^/]+)|texts-(?P<texts>[^/]+))"
    r"/(?P<arch>sm_[^/]+)(/difficulty-(?P<easiest>[^/-]+)-(?P<hardest>[^/-]+))?"
    r"(/categories-(?P<categories>[^/]+))?"
)
_FILE = re.compile(r"(?P<split>[a-z]+)-(?P<index>[0-9]{5})-of-(?P<count>[0-9]{5})\.parquet")
_SHAPE = "generator-<version>/warp-<version>/seed-<n>/kernels-<n>/<arch>/<config>/<split>-*.parquet"


@dataclass(frozen=True)
class Shard:
    """One file of a build: part `index` of `count` of a split."""

    request: Request
    split: str
    index: int
    count: int

    @property
    def name(self) -> str:
        return file_name(self.split, self.index, self.count)

    @property
    def rows(self) -> int:
        """How many it holds: those of its split are dealt to the files in turn."""
        return len(range(self.index, split_sizes(self.request)[self.split], self.count))

    @property
    def path(self) -> str:
        return f"{encode(self.request)}/{self.name}"


def encode(request: Request, warp: str | None = None) -> str:
    """The folder of a request's shards, config last; `warp` may be a pattern such as ``1.19.*``."""
    parts = [
        f"generator-{GENERATOR_VERSION}",
        f"warp-{warp or warp_version()}",
    ]
    if not CONFIGS[request.config].drawn:
        return "/".join([*parts, f"texts-{digest()}", request.arch, request.config])
    parts += [f"seed-{request.seed}", f"kernels-{request.num_kernels}", request.arch]
    if request.difficulty != DIFFICULTIES:
        parts.append("difficulty-{}-{}".format(*request.difficulty))
    if request.categories != DEFAULT_CATEGORIES:
        parts.append("categories-" + "+".join(request.categories))
    return "/".join([*parts, request.config])


def decode(folder: str) -> Request:
    """The request of a folder that `encode` wrote; its Warp version may be a pattern that fits the
    installed one. Raises `UserError` for a path that says anything else."""
    above, _, config = folder.strip("/").rpartition("/")
    match = _FOLDER.fullmatch(above)
    if match is None:
        raise UserError(f"{PROTOCOL}://{folder} is not a path of this dataset: it must look like {_SHAPE}")
    _check_versions(match["generator"], match["warp"])
    if match["texts"]:
        request = Request(config, arch=match["arch"])
        _check_spelling(folder, request, match["warp"])
        return request
    categories = tuple(match["categories"].split("+")) if match["categories"] else DEFAULT_CATEGORIES
    levels = (_whole(match["easiest"]), _whole(match["hardest"])) if match["easiest"] else DIFFICULTIES
    kernels, seed = _whole(match["kernels"]), _whole(match["seed"])
    request = Request(config, kernels, seed, match["arch"], categories, levels)
    _check_spelling(folder, request, match["warp"])
    return request


def decode_shard(path: str) -> Shard:
    """The shard of a file's path. Raises `UserError` for a path that is none, `FileNotFoundError` for
    a shard that its request does not have."""
    folder, _, name = path.strip("/").rpartition("/")
    match = _FILE.fullmatch(name)
    if match is None or match["split"] not in SPLITS:
        raise UserError(f"{PROTOCOL}://{path} is not a file of this dataset: it must look like {_SHAPE}")
    shard = Shard(decode(folder), match["split"], int(match["index"]), int(match["count"]))
    if shard not in shards(shard.request):
        raise FileNotFoundError(f"{PROTOCOL}://{path}: no such shard")
    return shard


def shards(request: Request) -> list[Shard]:
    """All files of a request, in order; cheap, nothing is planned."""
    counts = shard_counts(request)
    return [Shard(request, split, i, counts[split]) for split in SPLITS for i in range(counts[split])]


def _check_versions(generator: str, warp: str) -> None:
    if generator != GENERATOR_VERSION:
        raise UserError(
            f"these rows belong to generator {generator}, but {GENERATOR_VERSION} is installed: "
            "install the checkout that they come from, or use the card of the installed one"
        )
    if not fnmatchcase(warp_version(), warp):
        raise UserError(
            f"these rows belong to warp-lang {warp}, but {warp_version()} is installed: "
            f"pip install 'warp-lang=={warp}'"
        )


def _check_spelling(folder: str, request: Request, warp: str) -> None:
    """Two spellings of one request would be two caches."""
    if encode(request, warp) != folder.strip("/"):
        raise UserError(f"{PROTOCOL}://{folder} must be spelled {PROTOCOL}://{encode(request)}")


def _whole(text: str) -> Any:
    """A number, or the text where it is none: `Request` says what it must be."""
    return int(text) if re.fullmatch(r"[0-9]{1,40}", text) else text
