"""Analyses of a tree: intervals, legality, gradients, coverage, threads; an interpreter on numpy."""
