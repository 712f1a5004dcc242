"""The quantities that arguments of templates may have, and the names of a single number of each."""

from __future__ import annotations

from collections.abc import Mapping

# By the name that a template gives in `of`: names for a local that holds one. An argument of one template is
# joined with one of another only if both are of the same quantity, so a quantity is what may stand for itself
# in another kernel: where a particle is, but not a corner of a polygon.
QUANTITIES: Mapping[str, tuple[str, ...]] = {
    "acceleration": ("acceleration", "accel", "pull"),
    "activation": ("activation", "hidden", "unit", "mixed"),
    "angle": ("angle", "theta", "turn"),
    "area": ("area", "size"),
    "code": ("code", "key", "word"),
    "colour": ("pixel", "tone", "shade"),
    "concentration": ("concentration", "amount"),
    "density": ("density", "rho_i"),
    "direction": ("direction", "heading"),
    "distance": ("distance", "gap", "sd"),
    "energy": ("energy", "e_i"),
    "field": ("level", "field", "local"),
    "field before": ("before", "old_level"),
    "force": ("force", "push", "load"),
    "gradient": ("gradient", "grad", "slope"),
    "inverse mass": ("inverse_mass", "inv_mass_i"),
    "length": ("length", "extent"),
    "loss": ("loss", "cost", "penalty"),
    "mass": ("mass", "m_i"),
    "normal": ("normal", "outward"),
    "number": ("number", "given", "wanted"),
    "position": ("position", "place", "spot", "site"),
    "position in a frame": ("local", "local_p", "in_frame"),
    "pressure": ("pressure", "p_i"),
    "probability": ("probability", "prob", "chance"),
    "radius": ("radius", "r_i"),
    "residual": ("residual", "defect", "source"),
    "score": ("score", "logit", "rating"),
    "speed": ("speed", "pace"),
    "step number": ("step", "count"),
    "stress": ("stress", "sigma_e"),
    "time step": ("dt", "h"),
    "value": ("value", "sample", "reading", "number"),
    "velocity": ("velocity", "vel"),
    "weight": ("weight", "coefficient"),
    "weights": ("weights", "w_i"),
}

# What of one thing nobody is given both.
EXCLUSIVE = frozenset(("mass", "inverse mass"))

# What may be taken for any number: a kernel that bins values bins distances too.
NUMBERS = (
    *("angle", "area", "concentration", "density", "distance", "energy", "length", "loss", "number"),
    *("pressure", "probability", "score", "speed", "stress"),
)


def fits(given: str, wanted: str) -> bool:
    """Whether what is of the quantity `given` can be taken where `wanted` is."""
    if wanted == "position":
        return given in ("position", "position in a frame")
    return given == wanted or (wanted == "value" and given in NUMBERS)
