"""Waves on strings, sheets, volumes and water."""
