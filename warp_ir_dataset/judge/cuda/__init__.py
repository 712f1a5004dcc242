"""Answers in CUDA: what a CUDA compiler would refuse, and CUDA functions that clang lacks."""
