"""Shading: microfacets, lists of lamps, fog."""
