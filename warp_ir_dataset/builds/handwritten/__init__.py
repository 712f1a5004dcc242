"""Kernels that people wrote: found in the installed Warp, proved, and described by texts in this folder."""
