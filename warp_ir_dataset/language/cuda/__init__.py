"""Writes trees as plain CUDA, with a prelude, and a harness that tests the text."""
