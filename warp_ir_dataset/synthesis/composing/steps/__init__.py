"""Step templates: short templates without a purpose, which occur only before or after others in one
kernel."""

from __future__ import annotations

from ...templates.template import templates_of
from . import grids, materials, numbers, particles, samples, training

STEPS = tuple(
    template
    for module in (grids, materials, numbers, particles, samples, training)
    for template in templates_of(module)
)
