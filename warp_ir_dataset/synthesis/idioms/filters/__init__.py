"""Filters of images: blurs, edges, medians, and filters that keep edges."""
