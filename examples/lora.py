"""An instruct model learns to write kernels from words: LoRA, on messages with Warp's primer as the system's.

Run it from the top of the checkout, after `pip install ".[train]"`, where a GPU is:

    python examples/lora.py Qwen/Qwen2.5-Coder-1.5B-Instruct OUT

OUT gets the adapter. The prompt does not count in the loss: TRL masks it where it is messages of its own.
"""

from __future__ import annotations

import argparse
import sys

try:
    import torch
    from datasets import load_dataset
    from peft import LoraConfig
    from trl import SFTConfig, SFTTrainer
except ImportError as error:
    print(f'{error}: pip install ".[train]" at the top of the checkout adds it', file=sys.stderr)
    sys.exit(2)

import warp_ir_dataset

MAX_LENGTH = 4352  # the longest default row takes 2,333 tokens of Qwen2.5, the primer 1,876


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model", help="a chat model: its name on the Hub, or a folder")
    parser.add_argument("out", help="where the adapter goes")
    parser.add_argument("--steps", type=int, help="instead of two epochs")
    options = parser.parse_args()
    if options.steps is not None and options.steps < 1:
        parser.error(f"--steps must be at least 1, not {options.steps}")

    rows = load_dataset("./warp_ir_dataset", "spec_to_warp", columns=["prompt", "completion"])
    messages = warp_ir_dataset.chat(rows, system=warp_ir_dataset.primer())
    gpu = torch.cuda.is_available()
    settings = SFTConfig(
        output_dir=options.out,
        max_length=MAX_LENGTH,
        num_train_epochs=2,
        max_steps=options.steps or -1,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=8,
        learning_rate=2e-4,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=not gpu,
        bf16=gpu,
    )
    adapter = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
    trainer = SFTTrainer(options.model, settings, train_dataset=messages["train"], peft_config=adapter)
    trainer.train()
    trainer.save_model(options.out)
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    print(f"loss {losses[0]:.2f} -> {losses[-1]:.2f}")


if __name__ == "__main__":
    main()
