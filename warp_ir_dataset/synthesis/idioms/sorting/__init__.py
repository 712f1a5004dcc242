"""Putting in order, and searching what is in order."""
