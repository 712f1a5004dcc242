"""Optimizers: steps of descent, changes of gradients before, and of weights after."""
