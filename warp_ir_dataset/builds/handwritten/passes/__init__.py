"""Rewrites that twins of human-written kernels are made with; `table.py` lists them."""
