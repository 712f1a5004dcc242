"""Cameras: points to pixels, what is seen, and what covers a pixel."""
