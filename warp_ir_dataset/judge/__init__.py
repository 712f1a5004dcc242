"""Judges a model's answer: compiles it and runs it on hidden inputs in a sandbox."""
