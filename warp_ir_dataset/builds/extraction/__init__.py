"""Modules of anybody's become rows: imported in a child, every kernel extracted, each failure told."""
