"""Shallow water by finite volumes: fluxes through faces, wetting and drying."""
