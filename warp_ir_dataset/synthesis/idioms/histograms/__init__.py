"""Counting samples into bins, and what is read off the counts."""
