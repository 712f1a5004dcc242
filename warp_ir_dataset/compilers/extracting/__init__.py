"""Kernels that exist already, in modules of anybody's: their code text, and a source that stands alone."""
