"""Position based dynamics: constraints of length, bending, volume and shape, and what is done about them."""
