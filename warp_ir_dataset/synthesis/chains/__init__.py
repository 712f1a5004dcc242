"""Random programs that apply common steps (sums, branches, loops) to one quantity after another."""
