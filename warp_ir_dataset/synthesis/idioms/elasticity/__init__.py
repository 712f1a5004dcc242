"""Elastic solids: finite elements that deform, their stresses and forces."""
