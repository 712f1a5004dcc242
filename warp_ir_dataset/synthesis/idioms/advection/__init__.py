"""Advection: flows that carry tracers, momentum and sediment on grids."""
