"""Steps: short pages that are never drawn alone, to come before and after others in one kernel."""

from __future__ import annotations

from ...pages.page import pages_of
from . import grids, materials, numbers, particles, samples, training

STEPS = tuple(
    page for module in (grids, materials, numbers, particles, samples, training) for page in pages_of(module)
)
