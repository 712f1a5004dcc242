"""Areas under curves: rules for samples and for functions, in one dimension and in more, and moments."""
