"""Pushes a build, or datasets in memory, to the Hub."""
