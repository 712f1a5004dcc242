"""Checks whether a folder is as a build left it."""
