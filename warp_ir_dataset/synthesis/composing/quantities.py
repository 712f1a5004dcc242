"""The quantities that arguments of templates may have, such as "mass", and names for one value of each."""

from __future__ import annotations

from collections.abc import Mapping

# By quantity (`of` in a template): names for a local that holds one value of it. Arguments of two templates
# are joined only if the quantity of one can supply that of the other (see `can_supply`), so a quantity must
# mean the same in every kernel: the position of a particle is one, a corner of a polygon is none.
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
    # One without a unit, such as an integral, a root or a solution. `NUMBERS` are what a "value" may be.
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
    # A weight is that of a neighbour or a sample; weights are the parameters of a model.
    "weight": ("weight", "coefficient"),
    "weights": ("weights", "w_i"),
}

# No kernel has both as arguments.
EXCLUSIVE = frozenset(("mass", "inverse mass"))

# Each of these can supply a "value": a kernel that bins values bins distances too.
NUMBERS = (
    "angle", "area", "concentration", "density", "distance", "energy", "length", "loss", "number", "pressure",
    "probability", "score", "speed", "stress",
)  # fmt: skip


def can_supply(produced: str, consumed: str) -> bool:
    """Whether a result of the quantity `produced` can supply an argument of the quantity `consumed`."""
    if consumed == "position":
        return produced in ("position", "position in a frame")
    return produced == consumed or (consumed == "value" and produced in NUMBERS)
