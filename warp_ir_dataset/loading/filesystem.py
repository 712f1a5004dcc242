"""A read-only file system for `load_dataset`, whose Parquet files are synthesized when they are opened.

`datasets` resolves ``warpir://`` data files through fsspec, which finds this class by its entry point.
`info`, `ls` and `glob` are cheap and never synthesize; `open` is safe under threads and processes.
"""

from __future__ import annotations

import shutil
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

# pyarrow and fsspec have no types: hence the ignores below.
import pyarrow as pa
from fsspec import AbstractFileSystem
from fsspec.callbacks import DEFAULT_CALLBACK

from ..builds.request import Request
from ..common.configs import CONFIGS
from ..common.errors import UserError
from . import cache
from .urls import PROTOCOL, Shard, decode, decode_shard, encode, shards

# `datasets` opens 16 or more files of a split in 16 threads, unless the first is at least this large.
LARGE = 20 << 20
MANY = 16


def open_shard(shard: Shard, *, whole: bool = False, quiet: bool = False) -> Path:
    """The local file of a shard, synthesized first where the cache does not hold it. `whole` says that all
    shards of its config are wanted."""
    from datasets.utils import are_progress_bars_disabled

    return cache.fetch(shard, quiet=quiet or are_progress_bars_disabled(), whole=whole)


class ShardFile(pa.OSFile):  # type: ignore[misc]
    """A shard that is being read, by pyarrow without Python.

    Threads of pyarrow's own read ahead. Where they have to call a file object of Python's and the interpreter
    is on its way out, it ends them by an exception that they do not let through, and the process aborts:
    https://github.com/apache/arrow/issues/45214. (A subclass, as `datasets` sets `read` of what it opens.)
    """


class WarpIRFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """``warpir://<request>/<config>/<split>-0000i-of-0000n.parquet``; see `urls` for the request's spelling.

    Any request can be opened by name; what `ls` walks down to from the root is the default one.
    """

    protocol = PROTOCOL
    root_marker = ""

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        """The entries below a folder, or the file itself."""
        path = self._strip_protocol(path).strip("/")
        entries = [self._file(decode_shard(path))] if path.endswith(".parquet") else self._below(path)
        return entries if detail else [entry["name"] for entry in entries]

    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        """What fsspec says of a file or a folder: its name, type and size."""
        path = self._strip_protocol(path).strip("/")
        if path.endswith(".parquet"):
            return self._file(decode_shard(path))
        self._below(path)  # raises for a folder that cannot be
        return _folder(path)

    def glob(self, path: str, maxdepth: int | None = None, **kwargs: Any) -> Any:
        """The files that a pattern names. Its Warp version and its file name may hold wildcards, the
        rest may not: there are as many seeds as numbers, so a pattern cannot walk over them."""
        pattern = self._strip_protocol(path).strip("/")
        folder, _, name = pattern.rpartition("/")
        request = decode(folder)
        found = [self._file(shard) for shard in shards(request) if fnmatchcase(shard.name, name)]
        return (
            {entry["name"]: entry for entry in found} if kwargs.get("detail") else [e["name"] for e in found]
        )

    def get_file(self, rpath: str, lpath: Any, callback: Any = DEFAULT_CALLBACK, **kwargs: Any) -> None:
        """Copy a shard, synthesized if need be, to a local path.

        `datasets` does so with all of a config before it reads any. `callback` is not told: it would draw a
        bar of a download, and leave a line, for every file.
        """
        shutil.copyfile(open_shard(decode_shard(self._strip_protocol(rpath)), whole=True), lpath)

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        if mode != "rb":
            raise UserError(f"{PROTOCOL}:// is read-only: it cannot be opened in mode {mode!r}")
        return ShardFile(str(open_shard(decode_shard(path))), "rb")

    def _file(self, shard: Shard) -> dict[str, Any]:
        size = cache.size(shard)
        if size is None and shard.count >= MANY:
            size = LARGE
        return {"name": shard.path, "size": size, "type": "file"}

    def _below(self, path: str) -> list[dict[str, Any]]:
        above = f"{path}/" if path else ""
        default = [encode(Request(config)) for config in CONFIGS]
        deeper = [folder.removeprefix(above).split("/")[0] for folder in default if folder.startswith(above)]
        if deeper:
            return [_folder(f"{above}{name}") for name in dict.fromkeys(deeper)]
        if path.rpartition("/")[2] in CONFIGS:
            return [self._file(shard) for shard in shards(decode(path))]
        collected = path.rpartition("/")[0].rpartition("/")[2].startswith("texts-")
        configs = [config for config in CONFIGS.values() if config.drawn != collected]
        decode(f"{path}/{configs[0].name}")  # raises for a folder that cannot be
        return [_folder(f"{path}/{config.name}") for config in configs]


def _folder(path: str) -> dict[str, Any]:
    return {"name": path, "size": 0, "type": "directory"}
