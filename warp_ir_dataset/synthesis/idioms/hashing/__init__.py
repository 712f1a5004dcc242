"""Bits of whole numbers: codes, counts, checksums, hashes and what is built on them."""
