"""Proves a finished build again, from its files alone."""
