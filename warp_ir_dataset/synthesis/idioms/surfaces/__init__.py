"""Surfaces: measures and curvature of meshes and patches, smoothing and coarsening."""
