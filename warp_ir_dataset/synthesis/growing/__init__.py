"""Kernels without a purpose: expressions grown from the table of operations, repaired until legal."""
