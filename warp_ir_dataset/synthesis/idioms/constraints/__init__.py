"""Position based dynamics: constraints of length, bending, volume and shape, and their corrections."""
