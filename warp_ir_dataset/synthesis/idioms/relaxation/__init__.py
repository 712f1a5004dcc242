"""Poisson's equation by relaxation: sweeps, residuals, and the steps between coarse and fine grids."""
