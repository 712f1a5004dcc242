"""Kernels without a purpose that pass one quantity through common forms (sums, branches, loops)."""
