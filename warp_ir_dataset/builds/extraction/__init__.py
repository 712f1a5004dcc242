"""Makes rows from a user's module: imports it in a child process, extracts its kernels, reports failures."""
