"""Answers in CUDA, and others that the machine runs: what is refused, and how they are launched."""
