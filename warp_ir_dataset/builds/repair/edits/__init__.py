"""Functions that yield edits of a source, each one mistake; the same ones in the same order each time."""
