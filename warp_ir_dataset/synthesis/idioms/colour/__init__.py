"""Colour: grey values, tones, white balance, hues, layers and palettes."""
