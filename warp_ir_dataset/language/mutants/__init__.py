"""Programs with one plausible mistake, to measure how many mistakes the inputs of a row reveal."""
