"""Smoothed particle hydrodynamics: kernels, density, pressure, viscosity, surface tension, whole steps."""
