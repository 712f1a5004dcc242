"""Histograms: samples counted in bins, and statistics of the counts."""
