"""Surfaces: what meshes and patches measure, how they bend, and how they are made smooth or coarse."""
