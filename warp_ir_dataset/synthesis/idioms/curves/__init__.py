"""Curves: splines, polylines, their lengths, frames and bends."""
