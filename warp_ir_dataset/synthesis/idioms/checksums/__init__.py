"""Hash tables, checksums and streams of pseudo-random numbers."""
