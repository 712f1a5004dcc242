"""Gravity: sums over bodies, potentials, tides, orbits, trees."""
