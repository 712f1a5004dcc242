"""Cloth of triangles: forces in its plane, the wind on it."""
