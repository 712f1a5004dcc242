"""The kernel language: a typed tree, its table of operations, and the code that reads, writes and checks it.

Only `compilers` imports Warp; this package needs no compiler.
"""
