"""What has no plain form: said in one line, never written wrong."""

from __future__ import annotations


class NoPlainForm(Exception):
    """A program that is not written as plain CUDA; the message names what stands in the way."""
