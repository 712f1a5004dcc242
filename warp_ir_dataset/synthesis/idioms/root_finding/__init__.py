"""Root finding: iterations of one and of two unknowns, brackets, roots of polynomials."""
