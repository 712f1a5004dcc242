"""Statistics of histograms: thresholds, quantiles, distances."""
