"""Where functions are zero: iterations of one and of two unknowns, brackets, roots of polynomials."""
