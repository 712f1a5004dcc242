"""Rewrites that change how a kernel is written, but not its outputs; `table.py` lists them."""
