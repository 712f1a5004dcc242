"""Judges answers to a whole split (pass@k), and proves a finished build again (`validation`)."""
