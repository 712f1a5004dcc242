"""A small transformer and its tokenizer: trained on rows, asked how many bits a row costs. For `learning.py`.

Rows go through the model one by one, whole and from position 0, as they are judged. So nothing is padded, no
row is seen in pieces, and a budget of tokens is a budget of work. Needs the extra ``[train]``, and of torch
version 2.9, the first that has Muon.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers
from torch import nn
from torch.nn import functional as F

from support.row_texts import CLASSES, Row, classes_of, sizes_of

# A token lies in one line, its break and indentation before it; numbers are tokens of their own. So each
# token's bits belong to one line, and `var_12` is a word and a number.
PIECES = r"\n[ \t]*|\d{1,3}|[^\n\d]+"
END = "<|end|>"
HEAD = 64  # components of a head
WARM = 0.05  # the part of the budget in which the rate rises; from there it falls to nothing
Turn = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Setting:
    """How large a model is, and how it is trained. `window` and `budget` are counted in tokens, prompts
    included; `batch` in rows a step."""

    layers: int = 4
    width: int = 192
    vocabulary: int = 2048
    window: int = 3072
    budget: int = 700_000
    batch: int = 2
    rate: float = 8e-3
    bfloat16: bool = False


@dataclass(frozen=True)
class Judged:
    """Bytes and bits of a row's completion by class, or its bits as those of comments and of all else; none
    for a row that the window does not hold."""

    row: Row
    bytes: tuple[int, ...]
    bits: tuple[float, ...] | None


class Codec:
    """Byte-level pairs learned from rows. Raises `ValueError` for a vocabulary without room for all bytes."""

    def __init__(self, text: str) -> None:
        self.text = text  # what `saved` models keep
        self._tokenizer = Tokenizer.from_str(text)
        self.end = self._tokenizer.token_to_id(END)

    @classmethod
    def learned(cls, rows: Sequence[Row], vocabulary: int) -> Codec:
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        if vocabulary <= len(alphabet):
            raise ValueError(f"a vocabulary of {vocabulary} has no room for all bytes and an end")
        tokenizer = Tokenizer(models.BPE())
        split = pre_tokenizers.Split(Regex(PIECES), "isolated")
        levels = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, levels])
        trainer = trainers.BpeTrainer(
            vocab_size=vocabulary, initial_alphabet=alphabet, special_tokens=[END], show_progress=False
        )
        tokenizer.train_from_iterator((row.text for row in rows), trainer)
        return cls(tokenizer.to_str())

    def tokens(self, row: Row) -> tuple[torch.Tensor, int]:
        """A row's tokens between two that end rows, and how many stand before its completion."""
        asked, code = (self._tokenizer.encode(text).ids for text in (row.prompt, row.completion))
        return torch.tensor([self.end, *asked, *code, self.end]), 1 + len(asked)

    def widths(self, completion: str) -> list[int]:
        """Bytes of each token of a completion: byte-level tokens have a character for each."""
        return [len(token) for token in self._tokenizer.encode(completion).tokens]


class Block(nn.Module):
    """Attention with rotary positions, then two layers; both start by adding nothing."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before_attention, self.before_layer = nn.RMSNorm(width), nn.RMSNorm(width)
        self.into, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)
        for last in (self.out, self.down):
            nn.init.zeros_(last.weight)

    def forward(self, x: torch.Tensor, turn: Turn) -> torch.Tensor:
        length, width = x.shape
        q, k, v = self.into(self.before_attention(x)).view(length, 3, -1, HEAD).permute(1, 2, 0, 3)
        q, k = turned(F.rms_norm(q, (HEAD,)), turn), turned(F.rms_norm(k, (HEAD,)), turn)
        attended = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        x = x + self.out(attended.transpose(0, 1).reshape(length, width))
        return x + self.down(F.relu(self.up(self.before_layer(x))).square())


def turned(x: torch.Tensor, turn: Turn) -> torch.Tensor:
    """Rotary positions: pairs of components turned by the position's angles."""
    a, b = x.chunk(2, dim=-1)
    cos, sin = turn
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


class SmallModel(nn.Module):
    angles: torch.Tensor

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.embed = nn.Embedding(setting.vocabulary, setting.width)
        nn.init.normal_(self.embed.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(setting.width) for _ in range(setting.layers))
        self.last = nn.RMSNorm(setting.width)
        rates = 10_000.0 ** (-torch.arange(HEAD // 2) / (HEAD // 2))
        self.register_buffer("angles", torch.arange(setting.window)[:, None] * rates, persistent=False)

    def forward(self, tokens: torch.Tensor, first: int) -> torch.Tensor:
        """What the tokens from number `first` on cost, in nats, each given all before it."""
        angles = self.angles[: len(tokens) - 1]
        turn = (angles.cos(), angles.sin())
        x = F.rms_norm(self.embed(tokens[:-1]), (self.embed.embedding_dim,))
        for block in self.blocks:
            x = block(x, turn)
        logits = F.linear(self.last(x[first - 1 :]), self.embed.weight)
        return F.cross_entropy(logits.float(), tokens[first:], reduction="none")


def trained(
    rows: Sequence[Row], setting: Setting, seed: int, device: str, notify: Callable[[int], None]
) -> tuple[Codec, SmallModel, int]:
    """A model that has read completions after their prompts until the budget is spent, and how many rows.

    Rows are read in a new order each time through, a longer one than the window as far as it goes. `notify`
    is told the tokens of each step. The same on one machine for the same seed and number of threads. Raises
    `ValueError` where no prompt fits.
    """
    torch.manual_seed(seed)
    codec, model = Codec.learned(rows, setting.vocabulary), SmallModel(setting).to(device)
    texts = [codec.tokens(row) for row in rows]
    texts = [
        (tokens[: setting.window].to(device), first) for tokens, first in texts if first < setting.window
    ]
    if not texts:
        raise ValueError(f"no row has a prompt that a window of {setting.window} tokens holds")
    optimizers = _optimizers(model, setting.rate)
    order, spent, read = _forever(texts, seed), 0, 0
    while spent < setting.budget:
        batch = [next(order) for _ in range(setting.batch)]
        part, before = spent / setting.budget, spent
        scored = sum(len(tokens) - first for tokens, first in batch)
        for tokens, first in batch:
            with torch.autocast(device, torch.bfloat16, enabled=setting.bfloat16):
                loss = model(tokens, first).sum() / scored
            loss.backward()
            spent += len(tokens)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, rate in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (part + 0.1 * WARM) / WARM, (1 - part) / (1 - WARM))
            optimizer.step()
            optimizer.zero_grad()
        read += len(batch)
        notify(spent - before)
    return codec, model.eval(), read


def _forever(texts: Sequence[tuple[torch.Tensor, int]], seed: int) -> Iterator[tuple[torch.Tensor, int]]:
    rng = random.Random(f"order {seed}")
    while True:
        yield from rng.sample(texts, len(texts))


def _optimizers(model: SmallModel, rate: float) -> list[tuple[torch.optim.Optimizer, float]]:
    """Muon for the matrices of blocks, Adam for all else: at few steps it learns twice as much."""
    matrices = [p for p in model.blocks.parameters() if p.ndim == 2]
    known = set(map(id, matrices))
    others = [p for p in model.parameters() if id(p) not in known]
    muon = torch.optim.Muon(matrices, momentum=0.95, weight_decay=0.0)
    return [(muon, 7 * rate), (torch.optim.AdamW(others, betas=(0.9, 0.95), weight_decay=0.0), rate)]


@torch.no_grad()
def judge(codec: Codec, model: SmallModel, rows: Sequence[Row], common: frozenset[str]) -> Iterator[Judged]:
    """What each row's completion costs after its prompt; the token that ends a row is left out."""
    device = model.embed.weight.device
    for row in rows:
        classes, sizes = classes_of(row.completion, common), sizes_of(row.completion, common)
        tokens, first = codec.tokens(row)
        if len(tokens) - 1 > len(model.angles):
            yield Judged(row, sizes, None)
            continue
        nats = model(tokens[:-1].to(device), first).double().cpu().numpy()
        starts = np.cumsum([0, *codec.widths(row.completion)])[:-1]
        bits = np.bincount(classes[starts], nats / np.log(2), minlength=len(CLASSES))
        yield Judged(row, sizes, tuple(bits.tolist()))


def save(path: Path, codec: Codec, model: SmallModel, read: int) -> None:
    """Write a model whole or not at all."""
    part = path.with_suffix(".part")
    torch.save({"codec": codec.text, "weights": model.state_dict(), "read": read}, part)
    part.replace(path)


def saved(path: Path, setting: Setting, device: str) -> tuple[Codec, SmallModel, int]:
    """What `save` wrote."""
    kept = torch.load(path, map_location=device, weights_only=True)
    model = SmallModel(setting).to(device)
    model.load_state_dict(kept["weights"])
    return Codec(kept["codec"]), model.eval(), kept["read"]
