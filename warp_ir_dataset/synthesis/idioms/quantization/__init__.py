"""Quantization: floats as small integers, and back."""
