"""Activations: curves for single units, gates, slopes that are learned, and their gradients."""
