"""Correct kernels broken for the config `repair`, with the errors or wrong outputs that result."""
