"""What is read off histograms: thresholds, quantiles, distances."""
