"""Programs that cannot be written as plain CUDA are refused with one line, never written incorrectly."""

from __future__ import annotations


class NoPlainForm(Exception):
    """A program that is not written as plain CUDA; the message names what stands in the way."""
