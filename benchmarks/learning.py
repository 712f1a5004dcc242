"""What a small model learns from rows: trained on some from nothing, it writes answers, which the judge runs.

    python benchmarks/learning.py prepare PREPARED --rows OUT --handwritten OUT
    python learning.py train PREPARED RUNS --device cuda --compile
    python benchmarks/learning.py judge PREPARED RUNS --rows OUT --handwritten OUT

`train` needs this file, the folder PREPARED, torch 2.9 or later and numpy: no package, no tokenizer and no
network. It trains a transformer for each number of rows, on the same budget of tokens, and answers every
question with it. What is in RUNS is not done again, so that the same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
import time
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

# mypy skips torch, which [dev] does not install: its classes have no types, hence the ignores.
import torch
from torch import nn
from torch.nn import functional as F

NOTHING = -1  # a target that the loss leaves out
WARM = 0.03  # the part of the training in which the rate rises; from there it falls to nothing
FREE = 3  # steps that the clock does not count: in them torch compiles
TRAINING = 0.75  # of a run's share of the minutes; the rest is for its answers
AHEAD = 4096  # rows that are packed together
GLANCE = 32  # steps of answering between two looks at who has ended
STRIDE = 64  # positions that a cache is looked at and grows by
Turn = tuple[torch.Tensor, torch.Tensor]
Notify = Callable[[float], None]


@dataclass(frozen=True)
class Setting:
    """How large a model is, and how it is trained. `budget` is in tokens, prompts included and padding not;
    `batch` is windows a step, each of as many tokens as the context has."""

    layers: int = 10
    width: int = 640
    head: int = 64  # components of a head
    budget: int = 60_000_000
    batch: int = 24
    rate: float = 3e-3


# ---- what was prepared


class Prepared:
    """Rows to train on and questions, as tokens: what `support/lessons.py` wrote."""

    def __init__(self, folder: Path) -> None:
        digest = hashlib.sha256()
        for name in ("prepared.json", "tokens.npz"):
            digest.update((folder / name).read_bytes())
        self.fingerprint = digest.hexdigest()[:16]
        told = json.loads((folder / "prepared.json").read_text(encoding="utf-8"))
        self.context, self.end, self.count = told["context"], told["end"], told["kernels"]
        self.tasks, self.questions = told["tasks"], told["questions"]
        self._pieces = [piece.encode("latin-1") for piece in told["vocabulary"]]
        with np.load(folder / "tokens.npz") as arrays:
            self.firsts, self._kernels, self._tasks = (arrays[n] for n in ("firsts", "kernels", "tasks"))
            self.lengths = arrays["lengths"].astype(np.int64)
            self._rows = np.split(arrays["rows"], np.cumsum(self.lengths)[:-1])
            self.asked = np.split(arrays["asked"], np.cumsum(arrays["asked_lengths"])[:-1])

    @property
    def vocabulary(self) -> int:
        return len(self._pieces)

    def text(self, tokens: Sequence[int]) -> str:
        return b"".join(self._pieces[token] for token in tokens).decode("utf-8", "replace")

    def drawn(self, size: int, seed: int) -> np.ndarray:
        """The rows of `size` kernels, among them those of every smaller size."""
        if not 0 < size <= self.count:
            raise SystemExit(f"{size:,} rows of each task cannot be drawn: there are {self.count:,}")
        chosen = np.random.default_rng(seed).permutation(self.count)[:size]
        return np.flatnonzero(np.isin(self._kernels, chosen))

    def by_task(self, rows: np.ndarray) -> dict[str, int]:
        counts = np.bincount(self._tasks[rows], minlength=len(self.tasks))
        return dict(zip(self.tasks, counts.tolist(), strict=True))

    def batches(
        self, rows: np.ndarray, batch: int, seed: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
        """Windows without end, what is to be said at each of their places, and how many tokens of rows are in
        them. A prompt's own tokens are not to be said."""
        packed = windows(self.lengths[rows], self.context, np.random.default_rng([seed, 1]))
        while True:
            tokens = np.full((batch, self.context), self.end, dtype=np.int64)
            targets, read = np.full_like(tokens, NOTHING), 0
            for line, target in zip(tokens, targets, strict=True):
                start = 0
                for row in rows[next(packed)]:
                    said, first = self._rows[row], self.firsts[row]
                    line[start : start + len(said)] = said
                    target[start + first - 1 : start + len(said) - 1] = said[first:]
                    start += len(said)
                read += start
            yield tokens, targets, read


def windows(lengths: np.ndarray, room: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """The places of rows that go into a window together, none in part: all of them once, then again."""
    while True:
        order = rng.permutation(len(lengths)).tolist()
        for start in range(0, len(order), AHEAD):
            found: list[list[int]] = []
            left: list[tuple[int, int]] = []  # room in a window, and its number
            for row in sorted(order[start : start + AHEAD], key=lambda row: -lengths[row]):
                place = bisect_left(left, (lengths[row], -1))
                if place == len(left):
                    left.append((room, len(found)))
                    found.append([])
                free, number = left.pop(place)
                found[number].append(row)
                insort(left, (free - int(lengths[row]), number))
            for number in rng.permutation(len(found)):
                yield rng.permutation(found[number]).tolist()


# ---- the model


class Cache:
    """Keys and values of sequences of different lengths, with room for what is still to be written."""

    def __init__(self, room: int) -> None:
        self._room, self._parts = room, dict[int, Turn]()
        self.reach = 0  # positions that are looked at

    def attended(
        self, layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, at: torch.Tensor | None
    ) -> torch.Tensor:
        """Of prompts, which all begin at position 0; or of one token more for each sequence, at its position.
        What stands behind a sequence's end is never looked at, and overwritten when it gets there."""
        if at is None:
            more = (0, 0, 0, self._room - k.shape[2])
            self._parts[layer] = F.pad(k, more), F.pad(v, more)
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        keys, values = self._parts[layer]
        every = torch.arange(len(at), device=at.device)
        keys[every, :, at], values[every, :, at] = k[:, :, 0], v[:, :, 0]
        seen = torch.arange(self.reach, device=at.device) <= at[:, None]
        keys, values = keys[:, :, : self.reach], values[:, :, : self.reach]
        return F.scaled_dot_product_attention(q, keys, values, attn_mask=seen[:, None, None])

    def keep(self, which: torch.Tensor) -> None:
        for layer, (keys, values) in self._parts.items():
            self._parts[layer] = keys[which], values[which]


class Block(nn.Module):  # type: ignore[misc]
    """Attention with rotary positions and normalized queries and keys, then two layers."""

    def __init__(self, layer: int, width: int, head: int) -> None:
        super().__init__()
        self.layer, self.head = layer, head
        self.before_attention, self.before_layer = nn.RMSNorm(width), nn.RMSNorm(width)
        self.into, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(
        self, x: torch.Tensor, turn: Turn, cache: Cache | None = None, at: torch.Tensor | None = None
    ) -> torch.Tensor:
        count, length, width = x.shape
        split = self.into(self.before_attention(x)).view(count, length, 3, -1, self.head)
        q, k, v = split.permute(2, 0, 3, 1, 4)
        q, k = (turned(F.rms_norm(part, (self.head,)), turn).type_as(v) for part in (q, k))
        if cache is None:
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            attended = cache.attended(self.layer, q, k, v, at)
        x = x + self.out(attended.transpose(1, 2).reshape(count, length, width))
        return x + self.down(F.relu(self.up(self.before_layer(x))).square())


def turned(x: torch.Tensor, turn: Turn) -> torch.Tensor:
    """Rotary positions: pairs of components turned by the position's angles."""
    a, b = x.chunk(2, dim=-1)
    cos, sin = turn
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


class Model(nn.Module):  # type: ignore[misc]
    cos: torch.Tensor
    sin: torch.Tensor

    def __init__(self, setting: Setting, vocabulary: int, context: int) -> None:
        super().__init__()
        if setting.width % setting.head or setting.head % 2:
            raise SystemExit(f"a width of {setting.width} is no number of heads of {setting.head}")
        self.setting, self.context = setting, context
        self.embed = nn.Embedding(vocabulary, setting.width)
        blocks = (Block(layer, setting.width, setting.head) for layer in range(setting.layers))
        self.blocks = nn.ModuleList(blocks)
        self.last, self.head = nn.RMSNorm(setting.width), nn.Linear(setting.width, vocabulary, bias=False)
        rates = 10_000.0 ** (-torch.arange(0, setting.head, 2) / setting.head)
        angles = torch.arange(context)[:, None] * rates
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def start(self, seed: int) -> None:
        """All weights as they are before any training; what writes to the sum of all blocks adds nothing."""
        torch.manual_seed(seed)
        for name, weight in self.named_parameters():
            if weight.ndim == 1:
                nn.init.ones_(weight)
            elif name.split(".")[-2] in ("out", "down", "head"):
                nn.init.zeros_(weight)
            else:
                nn.init.normal_(weight, std=0.02 if weight is self.embed.weight else weight.shape[1] ** -0.5)

    def hidden(
        self, tokens: torch.Tensor, cache: Cache | None = None, at: torch.Tensor | None = None
    ) -> torch.Tensor:
        places = slice(tokens.shape[1]) if at is None else at[:, None, None]
        turn = (self.cos[places], self.sin[places])
        x = F.rms_norm(self.embed(tokens), (self.setting.width,))
        for block in self.blocks:
            x = block(x, turn, cache, at)
        return self.last(x)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.hidden(tokens))

    def loss(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        said = self(tokens).flatten(0, 1).float()
        return F.cross_entropy(said, targets.flatten(), ignore_index=NOTHING)

    @property
    def size(self) -> int:
        return sum(weight.numel() for weight in self.parameters())

    @property
    def work(self) -> float:
        """Floating-point operations of training on a token: six for each weight that it is multiplied with,
        and those of attention, half of which is masked."""
        attention = 6 * self.setting.layers * self.context * self.setting.width
        operations: float = 6.0 * (self.size - self.embed.weight.numel()) + attention
        return operations


# ---- training and answering


def trained(
    model: Model,
    loss: Callable[..., torch.Tensor],
    prepared: Prepared,
    rows: np.ndarray,
    seed: int,
    budget: int,
    until: float,
    notify: Notify,
) -> dict[str, Any]:
    """Train a model from nothing until it has read the budget, or the clock shows `until`; the rate
    falls with what comes first. Tells what was done. On the CPU the same seed gives the same weights."""
    model.start(seed)
    setting, device, started = model.setting, model.embed.weight.device, time.monotonic()
    optimizers, begun, read, steps, losses = _optimizers(model), started, 0, 0, []
    for tokens, targets, count in prepared.batches(rows, setting.batch, seed):
        now = time.monotonic()
        begun = now if steps <= FREE else begun
        part = max(read / budget, (now - begun) / max(until - begun, 1e-9) if steps > FREE else 0.0)
        if part >= 1 or (steps and now >= until):
            break
        rate = setting.rate * min(1.0, (part + 0.1 * WARM) / WARM, (1 - part) / (1 - WARM))
        with half(device):
            found = loss(*(torch.from_numpy(each).to(device) for each in (tokens, targets)))
        found.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            optimizer.zero_grad()
        losses.append(found.detach())
        read, steps = read + count, steps + 1
        notify(part)
    last = torch.stack(losses[-max(1, steps // 20) :]).mean().item()
    seconds = time.monotonic() - started
    done = steps * setting.batch * prepared.context * model.work
    return {
        "tokens": read,
        "steps": steps,
        "passes": round(read / int(prepared.lengths[rows].sum()), 2),
        "loss": round(last, 4),
        "seconds": round(seconds, 1),
        "teraflops": round(done / seconds / 1e12, 2),
    }


def _optimizers(model: Model) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of blocks, Adam for all else, at one rate."""
    matrices = [weight for weight in model.blocks.parameters() if weight.ndim == 2]
    known = set(map(id, matrices))
    others = [weight for weight in model.parameters() if id(weight) not in known]
    muon = torch.optim.Muon(matrices, momentum=0.95, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    return [muon, torch.optim.AdamW(others, betas=(0.9, 0.95), weight_decay=0.0)]


def half(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """bfloat16 where a GPU multiplies, float32 on the CPU."""
    return torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else contextlib.nullcontext()


@torch.no_grad()  # type: ignore[untyped-decorator]
def answers(
    model: Model,
    asked: Sequence[np.ndarray],
    limits: Sequence[int],
    end: int,
    together: int,
    until: float,
    notify: Notify,
) -> list[list[int]]:
    """The most probable tokens after each prompt, up to and with `end`; without it where an answer is longer
    than its limit, or is not written by `until`. Answers that may be long come first, and together."""
    found: list[list[int]] = [[] for _ in asked]
    order = sorted(range(len(asked)), key=lambda place: -(len(asked[place]) + limits[place]))
    with half(model.embed.weight.device):
        for start in range(0, len(order), together):
            some = order[start : start + together]
            told = [asked[place] for place in some], [limits[place] for place in some]
            for place, tokens in zip(some, _together(model, *told, end, until), strict=True):
                found[place] = tokens
            notify((start + len(some)) / len(order))
    return found


def _together(
    model: Model, asked: Sequence[np.ndarray], limits: Sequence[int], end: int, until: float
) -> list[list[int]]:
    device, longest, most = model.embed.weight.device, max(map(len, asked)), max(limits)
    tokens = torch.zeros((len(asked), longest), dtype=torch.long)
    for line, prompt in zip(tokens, asked, strict=True):
        line[: len(prompt)] = torch.from_numpy(prompt.astype(np.int64))
    at, allowed = (torch.tensor(each, device=device) for each in ([*map(len, asked)], limits))
    which = torch.arange(len(asked), device=device)
    cache = Cache(_whole(longest + most))
    last = model.hidden(tokens.to(device), cache)[which, at - 1]
    said = torch.full((len(asked), most), NOTHING, device=device)
    going = torch.ones_like(which, dtype=torch.bool)
    for step in range(most):
        token = model.head(last).argmax(-1)
        said[which, step] = torch.where(going, token, NOTHING)  # nothing here waits for a GPU
        going &= (token != end) & (allowed > step + 1)
        if step % GLANCE == 0:
            left = int(going.sum())
            if not left or time.monotonic() >= until:
                break
            if 2 * left <= len(going):
                cache.keep(going)
                which, token, at, allowed, going = (x[going] for x in (which, token, at, allowed, going))
        cache.reach = _whole(longest + step + 1)
        last = model.hidden(token[:, None], cache, at)[:, 0]
        at = (at + 1).clamp(max=model.context - 1)  # of those that have ended
    return [[token for token in line if token != NOTHING] for line in said.tolist()]


def _whole(positions: int) -> int:
    return -(-positions // STRIDE) * STRIDE


# ---- the command


class Bar:
    """How far all runs are: a line of a terminal, and a line for each tenth where there is none."""

    def __init__(self, runs: int) -> None:
        self.run, self._runs, self._seen, self._tenths = 0, runs, 0.0, -1
        self._is_terminal = sys.stderr.isatty()

    def show(self, words: str, before: float, share: float, part: float) -> None:
        """How much of a run's `share` is done, and what was done `before` it."""
        part, now = (self.run + before + share * min(part, 1.0)) / self._runs, time.monotonic()
        if self._is_terminal and now - self._seen > 0.5:
            self._seen = now
            print(
                f"\r{part:4.0%} |{'#' * round(30 * part):30}| {words:50}", end="", file=sys.stderr, flush=True
            )
        elif not self._is_terminal and int(10 * part) > self._tenths:
            self._tenths = int(10 * part)
            print(f"{part:4.0%} {words}", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._is_terminal:
            print(file=sys.stderr)


def train(options: argparse.Namespace) -> None:
    """Do the runs that are not there yet, from few rows to many."""
    end = time.monotonic() + 60 * options.minutes
    prepared, device = Prepared(options.prepared), torch.device(options.device)
    setting = Setting(**{field.name: getattr(options, field.name) for field in fields(Setting)})
    same = {"prepared": prepared.fingerprint, "setting": asdict(setting), "seed": options.seed}
    torch.set_float32_matmul_precision("high")
    model = Model(setting, prepared.vocabulary, prepared.context).to(device)
    loss = torch.compile(model.loss, dynamic=False) if options.compile else model.loss
    places = {size: options.folder / f"seed-{options.seed}" / f"rows-{size}" for size in sorted(options.rows)}
    drawn = {size: prepared.drawn(size, options.seed) for size in places}
    done = {size: told for size, place in places.items() if (told := finished(place, same))}
    missing = [size for size in places if size not in done]
    bar = Bar(len(missing))
    for bar.run, size in enumerate(missing):
        words, now = f"{size:,} rows of each task", time.monotonic()
        share = (end - now) / (len(missing) - bar.run)
        # What the clock took from one run is taken from those after it too: all read as much.
        budget = min([setting.budget, *(told["tokens"] for told in done.values())])
        shown = partial(bar.show, f"{words}: training", 0.0, TRAINING)
        told = trained(
            model, loss, prepared, drawn[size], options.seed, budget, now + TRAINING * share, shown
        )
        shown = partial(bar.show, f"{words}: answering", TRAINING, 1 - TRAINING)
        told |= answered(model, prepared, places[size], options.together, now + share, shown)
        done[size] = same | {
            "rows": size,
            "by_task": prepared.by_task(drawn[size]),
            "parameters": model.size,
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
            "torch": torch.__version__,
            "compiled": options.compile,
            "budget": budget,
            **told,
        }
        part = places[size] / "run.part"
        part.write_text(json.dumps(done[size], indent=1), encoding="utf-8")
        part.replace(places[size] / "run.json")  # last of all: a run is whole, or is done again
    bar.close()
    for size, told in sorted(done.items()):
        print(
            f"{size:,} rows: {told['tokens']:,} tokens ({told['passes']} passes) in {told['seconds']} s at "
            f"{told['teraflops']} TFLOPS, loss {told['loss']}; {told['answers']:,} answers in "
            f"{told['answering']} s, {told['unended']:,} of them without an end"
        )


def finished(place: Path, same: dict[str, Any]) -> dict[str, Any] | None:
    """What a run told of itself when it ended here. Raises `SystemExit` for a run of another kind."""
    path = place / "run.json"
    if not path.exists():
        return None
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if different := [name for name, value in same.items() if told[name] != value]:
        raise SystemExit(f"{place} is a run with another {different[0]}: choose another folder")
    return told


def answered(
    model: Model, prepared: Prepared, place: Path, together: int, until: float, notify: Notify
) -> dict[str, Any]:
    """Write the answers to all questions, a file for each kind, as `warp-ir score` reads them."""
    started, lines = time.monotonic(), dict[str, list[str]]()
    limits = [question["limit"] for question in prepared.questions]
    found = answers(model, prepared.asked, limits, prepared.end, together, until, notify)
    for question, tokens in zip(prepared.questions, found, strict=True):
        text = prepared.text([token for token in tokens if token != prepared.end])
        line = json.dumps({"id": question["id"], "completion": text})
        lines.setdefault(question["file"], []).append(line + "\n")
    place.mkdir(parents=True, exist_ok=True)
    for name, each in lines.items():
        (place / name).write_text("".join(each), encoding="utf-8")
    unended = sum(tokens[-1:] != [prepared.end] for tokens in found)
    return {"answering": round(time.monotonic() - started, 1), "answers": len(found), "unended": unended}


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    if options.step == "train":
        train(options)
    elif options.step == "prepare":
        from support.lessons import prepare

        prepare(
            options.prepared, options.rows, options.handwritten, options.context, options.vocabulary,
            options.questions,
        )  # fmt: skip
    else:
        from support.learned_table import table_of

        print(table_of(options.prepared, options.folder, options.rows, options.handwritten, options.workers))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    shows = argparse.ArgumentDefaultsHelpFormatter
    one = steps.add_parser("prepare", help="rows and questions as tokens, in a folder", formatter_class=shows)
    one.add_argument("prepared", type=Path, metavar="PREPARED", help="a new folder")
    one.add_argument("--rows", type=Path, nargs="+", required=True, metavar="OUT",
                     help="what warp-ir build wrote; questions are of the first")  # fmt: skip
    one.add_argument("--handwritten", type=Path, metavar="OUT", help="a build of handwritten")
    one.add_argument("--context", type=int, default=2048, help="tokens of the longest row that is taken")
    one.add_argument("--vocabulary", type=int, default=8192)
    one.add_argument("--questions", type=int, default=300, help="of each task, of held-out purposes")

    two = steps.add_parser("train", help="models, and their answers", formatter_class=shows)
    two.add_argument("prepared", type=Path, metavar="PREPARED")
    two.add_argument("folder", type=Path, metavar="RUNS", help="where answers go; may hold runs already")
    two.add_argument("--rows", type=int, nargs="+", default=[1000, 5000, 20_000], help="of each task")
    two.add_argument("--seed", type=int, default=0)
    two.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    two.add_argument("--compile", action="store_true", help="by torch.compile, which needs a C compiler")
    two.add_argument("--minutes", type=float, default=11.0, help="by when all runs end, answers included")
    two.add_argument("--together", type=int, default=256, help="questions that are answered at once")
    for field in fields(Setting):
        kind = {"int": int, "float": float}[str(field.type)]
        two.add_argument(f"--{field.name}", type=kind, default=field.default, help=" ")

    three = steps.add_parser("judge", help="answers become a table", formatter_class=shows)
    three.add_argument("prepared", type=Path, metavar="PREPARED")
    three.add_argument("folder", type=Path, metavar="RUNS")
    three.add_argument("--rows", type=Path, required=True, metavar="OUT", help="the first that was prepared")
    three.add_argument("--handwritten", type=Path, metavar="OUT")
    three.add_argument("--workers", type=int, help="processes; all cores if not given")
    return parser


if __name__ == "__main__":
    main()
