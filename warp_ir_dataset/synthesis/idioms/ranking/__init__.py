"""Ranks of entries, and how far data are from order."""
