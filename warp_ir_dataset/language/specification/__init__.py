"""Describes trees in words: a complete specification, a one-sentence description, and formulas."""
