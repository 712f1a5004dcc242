"""Cellular automata: elementary rules, rules like Life's, forest fires."""
