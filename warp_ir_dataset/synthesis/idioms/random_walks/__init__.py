"""Chance: random walks, Markov chains, and estimates from samples."""
