"""The dataset straight into TRL: a tiny, randomly initialised model learns to write CUDA from Warp kernels;
or kernels from words, by `python examples/sft.py spec_to_warp`.

Run it from the top of the checkout, after `pip install ".[train]"`; a CPU is enough, nothing is downloaded.
For a real model pass its name instead and drop the tokenizer, but keep `max_length`: TRL's own is 1024.
"""

from __future__ import annotations

import argparse
import sys
import tempfile

try:
    from datasets import load_dataset
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import SFTConfig, SFTTrainer
except ImportError as error:
    print(f'{error}: pip install ".[train]" at the top of the checkout adds it', file=sys.stderr)
    sys.exit(2)

from warp_ir_dataset.common.configs import tasks

STEPS = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("config", nargs="?", default="cuda", choices=[task.name for task in tasks()])
    dataset = load_dataset("./warp_ir_dataset", parser.parse_args().config)
    texts = [row["prompt"] + row["completion"] for row in dataset["train"]]

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=2000, special_tokens=["<pad>", "<end>"]))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, pad_token="<pad>", eos_token="<end>")

    lengths = sorted(len(tokens) for tokens in tokenizer(texts)["input_ids"])
    max_length = lengths[len(lengths) * 9 // 10]  # nine rows in ten are whole
    print(f"tokens: median {lengths[len(lengths) // 2]}, longest {lengths[-1]}; max_length {max_length}")

    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **sizes))
    common = {"use_cpu": True, "bf16": False, "save_strategy": "no", "report_to": "none"}
    settings = SFTConfig(
        **common,
        output_dir=tempfile.mkdtemp(),
        max_length=max_length,
        max_steps=STEPS,
        per_device_train_batch_size=1,
        gradient_checkpointing=False,
        learning_rate=5e-3,
        logging_steps=STEPS // 4,
    )
    trainer = SFTTrainer(model, settings, train_dataset=dataset["train"], processing_class=tokenizer)
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    print(f"loss {losses[0]:.2f} -> {losses[-1]:.2f}")


if __name__ == "__main__":
    main()
