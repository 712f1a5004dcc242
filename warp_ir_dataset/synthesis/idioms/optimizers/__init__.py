"""Optimizers: steps of descent, what is done to gradients before, and to weights after."""
