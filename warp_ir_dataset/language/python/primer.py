"""A short reference of Warp's kernel language for prompts."""

from __future__ import annotations

from pathlib import Path


def primer() -> str:
    """Return the facts about Warp that a model needs to write a kernel: 1,876 tokens of Qwen2.5's tokenizer.

    They are for a system message, or the top of a prompt: arrays and thread indices, types, control flow,
    functions, structs, vectors, atomics, random numbers, and common compile errors. Launches are left out,
    and features that no row has, such as tiles, textures and meshes. The blocks of Python are one module,
    which compiles and stores the values in its comments.

    Returns:
        Markdown.
    """
    return Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
