"""The error for programs that cannot be written as plain CUDA: they are refused, never written
incorrectly."""

from __future__ import annotations


class NoPlainForm(Exception):
    """A program cannot be written as plain CUDA; the message names the reason."""
