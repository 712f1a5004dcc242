"""Losses: of residuals, margins, classes, distributions and alignments."""
