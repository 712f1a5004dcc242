"""Looking values up in tables of knots, brackets and pieces."""
