"""Rays against shapes."""
