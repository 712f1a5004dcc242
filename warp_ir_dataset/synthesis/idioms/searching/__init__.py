"""Searching sorted tables, merging sorted rows, choosing the largest."""
