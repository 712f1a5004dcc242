"""Kernels that people wrote: found in the installed Warp, proved, described by texts that are kept here."""
