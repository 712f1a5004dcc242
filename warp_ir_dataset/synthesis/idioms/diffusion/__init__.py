"""What spreads: heat, dye and chemicals on lines, grids and volumes."""
