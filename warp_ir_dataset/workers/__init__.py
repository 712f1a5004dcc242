"""Worker processes that survive crashing kernels, on one machine or, with Ray, on several."""
