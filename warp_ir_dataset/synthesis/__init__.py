"""Makes kernels: an address (seed, family, number) becomes a program."""
