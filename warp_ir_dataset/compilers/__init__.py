"""Turns Python source into C++, CUDA and PTX with Warp's own code generator, clang and NVRTC.

The only package that imports Warp.
"""
