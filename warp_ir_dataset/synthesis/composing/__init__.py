"""Composes several templates in one kernel: which may follow which (pipelines, quantities), and their
fusion."""
