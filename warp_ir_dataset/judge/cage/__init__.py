"""The sandbox in which answers are compiled and run."""
