"""Polygons in the plane: what they hold, how large they are, and what is cut off them."""
