"""Rigid bodies: their motion in one time step."""
