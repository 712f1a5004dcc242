"""Extracts kernels from a user's modules: their generated code, and a source that stands alone."""
