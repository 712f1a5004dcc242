"""GRPO with the judge as reward: a tiny model that can write two kernels learns which of them is asked for.

Run it from the top of the checkout, after `pip install ".[train]"`; a CPU is enough, nothing is downloaded.
For a real model pass its name to GRPOTrainer, drop the tokenizer and what is done before it, take all rows.
"""

import argparse
import sys
import tempfile

try:
    from datasets import concatenate_datasets, load_dataset
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
    from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
except ImportError as error:
    print(f'{error}: pip install ".[train]" at the top of the checkout adds it', file=sys.stderr)
    sys.exit(2)

from warp_ir_dataset import rewards


def main() -> None:
    argparse.ArgumentParser(description=__doc__.split("\n\n")[0]).parse_args()
    set_seed(0)
    rows = load_dataset("./warp_ir_dataset", "spec_to_warp", split="train")
    rows = rows.select(sorted(range(len(rows)), key=lambda place: len(rows[place]["completion"]))[:2])
    answers = list(rows["completion"])
    texts = [*rows["prompt"], *answers]
    swapped = rows.remove_columns("completion").add_column("completion", answers[::-1])

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=2000, special_tokens=["<pad>", "<end>"]))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, pad_token="<pad>", eos_token="<end>")
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    special = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **sizes, **special))
    common = {"use_cpu": True, "bf16": False, "save_strategy": "no", "report_to": "none"}
    common |= {"output_dir": tempfile.mkdtemp(), "gradient_checkpointing": False, "logging_steps": 1}
    common |= {"lr_scheduler_type": "constant"}
    first = SFTConfig(**common, max_length=2048, max_steps=160, learning_rate=5e-3)
    mostly = concatenate_datasets([rows, rows, swapped])  # right two times in three
    SFTTrainer(model, first, train_dataset=mostly, processing_class=tokenizer).train()

    longest = max(map(len, tokenizer(answers)["input_ids"])) + 8
    batch = {"per_device_train_batch_size": 32, "num_generations": 16, "max_completion_length": longest}
    settings = GRPOConfig(**common, **batch, max_steps=36, learning_rate=4e-4)
    trainer = GRPOTrainer(model, rewards.correct, settings, train_dataset=rows, processing_class=tokenizer)
    trainer.train()
    means = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    print(f"reward {sum(means[:4]) / 4:.2f} -> {sum(means[-4:]) / 4:.2f}")


if __name__ == "__main__":
    main()
