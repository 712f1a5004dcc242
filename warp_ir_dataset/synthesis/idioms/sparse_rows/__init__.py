"""Sparse matrices by rows: products, residuals, sweeps."""
