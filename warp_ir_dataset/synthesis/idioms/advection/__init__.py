"""What flows carry: tracers, momentum and sediment on grids."""
