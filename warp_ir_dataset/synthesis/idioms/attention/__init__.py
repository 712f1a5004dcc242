"""Attention: scores, their softmax and other weights, positions, and weighted sums of values."""
