"""Diffusion of heat, dye and chemicals on lines, grids and volumes."""
