"""The broken kernel of a row: one mistake, and Warp's error or the wrong output."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """`kind` is one of `kinds.KINDS`, `source` the whole broken module, `message` what Warp said when it
    refused it, or what a run of it gave."""

    kind: str
    source: str
    message: str
