"""Writes trees as Warp's Python, and reads them back without executing the source; also the primer for
prompts."""
