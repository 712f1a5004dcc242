"""Rewrites that change how a kernel is written but not what it computes; `table.py` lists them."""
