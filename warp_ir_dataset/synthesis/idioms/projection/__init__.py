"""Cameras: projection of points to pixels, visibility, and coverage of a pixel."""
