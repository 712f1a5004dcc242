"""Answers in Python: which part of a module is executed, and whether its threads race."""
