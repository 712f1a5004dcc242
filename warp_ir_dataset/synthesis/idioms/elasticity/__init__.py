"""Elastic solids: finite elements that deform, and what their stress amounts to."""
