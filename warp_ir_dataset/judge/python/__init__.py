"""Answers in Python: which part of a module is executed, and which tiles are judged."""
