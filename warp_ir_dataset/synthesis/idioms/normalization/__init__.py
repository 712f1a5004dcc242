"""Normalization: of rows, of channels over a batch, of groups of channels, of weights."""
