"""Attention: scores, what makes weights of them, positions, and the sums of values."""
