"""Bits of whole numbers: codes, counts, checksums, hashes and hash tables."""
