"""The project at some commit, ready to run: what `same_rows.py` and `cpu_per_row.py` compare."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKING_TREE = "."


class CheckoutError(RuntimeError):
    """A commit that cannot be cloned or installed, or a command that failed there; the message says why."""


@dataclass(frozen=True)
class Checkout:
    """A tree of the project, and the Python that has what it needs."""

    name: str
    root: Path
    python: Path

    def run(self, command: Sequence[str], scratch: Path) -> str:
        """What ``python command`` prints, with caches in `scratch`. Raises `CheckoutError`."""
        scratch.mkdir(parents=True, exist_ok=True)
        caches = {
            "HF_HOME": str(scratch / "huggingface"),
            "WARP_CACHE_PATH": str(scratch / "warp"),
            "WARP_IR_CACHE": str(scratch / "warp_ir"),
        }
        # The tree itself comes first on the path, whatever the Python has installed. Torch, which only the
        # working tree's may have, would be imported by `datasets` wherever it streams; and modules would be
        # compiled by every process, where an environment that was not compiled must not write.
        plain = {"PYTHONPATH": str(self.root), "USE_TORCH": "0", "PYTHONDONTWRITEBYTECODE": ""}
        environment = {**os.environ, **caches, **plain}
        return _said([str(self.python), *command], cwd=scratch, env=environment)


def checkout(commit: str, folder: Path) -> Checkout:
    """A clone of `commit` in `folder` with a virtual environment of its own; ``.`` is the working tree as it
    is, with the Python that runs this. Raises `CheckoutError`."""
    if commit == WORKING_TREE:
        return Checkout("working tree", ROOT, Path(sys.executable))
    commit = _said(["git", "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"], cwd=ROOT).strip()
    folder = folder / commit[:12]
    root, venv = folder / "project", folder / "venv"
    if not folder.exists():
        _said(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(root)], cwd=ROOT)
        _said(["git", "checkout", "--quiet", "--detach", commit], cwd=root)
        _said([sys.executable, "-m", "venv", str(venv)], cwd=root)
        _said([str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "."], cwd=root)
    return Checkout(commit[:12], root, venv / "bin" / "python")


def _said(command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise CheckoutError(f"{' '.join(command)} (in {cwd}): {last}")
    return done.stdout
