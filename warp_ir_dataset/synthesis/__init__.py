"""Makes kernels: samples a program at an address (seed, purpose or kind, number)."""
