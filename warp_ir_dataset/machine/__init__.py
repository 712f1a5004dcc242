"""A CUDA machine on the CPU: runs a plain CUDA text and tells which of CUDA's rules it breaks.

A text is read and refused (`text`), compiled twice, by NVRTC as a gatekeeper and by clang with every access
announced (`unit`), loaded (`objects`) and run by threads that are fibres (`runtime.cpp`, `machine`).
`check` is the side of who asks: it packs arrays, and makes sentences (`findings`) of what the machine saw.
The package knows no rows and no sandbox: whoever runs a hostile text does it in one.
"""
