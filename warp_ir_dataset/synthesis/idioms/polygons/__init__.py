"""Polygons in the plane: points inside, areas, and clipping."""
