"""Names for renamed human-written kernels (`THEMES`), kernels of one operation (`PLAIN`), and threads.

Chains take all other names from their subjects (`chains/subjects`) and steps. A test checks that no name here
is a Python keyword or built-in, a name of the ``wp`` namespace, or a C++ keyword or macro: Warp copies names
into C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..common.rng import Rng


@dataclass(frozen=True)
class Theme:
    """Names that go together: those of one field of work."""

    element: str  # the item of one thread
    subjects: tuple[str, ...]  # what kernels are about
    fields: tuple[str, ...]  # arrays of floats
    vectors: tuple[str, ...]  # arrays of vectors
    matrices: tuple[str, ...]  # arrays of matrices
    counts: tuple[str, ...]  # arrays of integers
    values: tuple[str, ...]  # scalar arguments that are floats
    results: tuple[str, ...]  # outputs


# Each with its words in the order of the fields of `Theme`.
THEMES = (
    Theme(
        "particle",
        ("particles", "motion", "energy", "momentum", "collisions", "drag"),
        ("mass", "density", "pressure", "charge", "temperature", "viscosity", "radius", "potential",
         "stiffness"),
        ("positions", "velocities", "forces", "accelerations", "momenta", "directions", "displacements"),
        ("inertia", "rotations", "stress", "strain", "frames", "deformation"),
        ("neighbors", "species", "cells", "phases", "contacts"),
        ("dt", "gravity", "damping", "friction", "cutoff", "coupling", "rest_length", "drag"),
        ("energies", "impulses", "updated", "flux", "work_done", "corrections", "drift"),
    ),
    Theme(
        "pixel",
        ("pixels", "image", "contrast", "edges", "tones", "highlights"),
        ("brightness", "intensity", "luminance", "depth", "opacity", "coverage", "saturation", "shading"),
        ("colors", "gradients", "texels", "tints", "samples", "flow"),
        ("filters", "color_transforms", "warps", "projections", "bases"),
        ("labels", "bins", "levels", "regions", "masks"),
        ("exposure", "gamma", "gain", "bias", "threshold", "softness", "tint", "mix_ratio"),
        ("filtered", "blended", "toned", "responses", "shaded", "composited"),
    ),
    Theme(
        "sample",
        ("signal", "spectrum", "samples", "envelope", "echo", "harmonics"),
        ("amplitude", "signal", "frequency", "noise_level", "envelope", "waveform", "carrier", "baseline"),
        ("phasors", "readings", "channels", "axes", "components"),
        ("mixing", "responses", "transfers", "covariances", "couplings"),
        ("taps", "ticks", "slots", "windows", "codes"),
        ("rate", "cutoff", "attack", "decay", "resonance", "detune", "depth", "feedback"),
        ("filtered", "output_signal", "loudness", "smoothed", "modulated", "residual"),
    ),
    Theme(
        "unit",
        ("activations", "weights", "scores", "gradients", "logits", "losses"),
        ("weights", "activations", "logits", "targets", "scores", "errors", "scales", "momentum_terms"),
        ("embeddings", "features", "queries", "keys", "hidden", "anchors"),
        ("kernels", "projections", "attention", "layers", "whitening"),
        ("tokens", "classes", "heads", "ranks", "buckets"),
        ("learning_rate", "epsilon", "temperature", "margin", "momentum", "slope", "shrinkage", "offset"),
        ("outputs", "losses", "updates", "penalties", "normalized", "predictions"),
    ),
    Theme(
        "cell",
        ("grid", "heat", "diffusion", "waves", "rainfall", "erosion"),
        ("terrain", "heat", "moisture", "concentration", "salinity", "porosity", "elevation", "wind_speed"),
        ("currents", "winds", "slopes", "fluxes", "headings", "offsets"),
        ("tensors", "diffusivity", "permeability", "metrics", "jacobians"),
        ("zones", "soils", "layers_below", "seasons", "basins"),
        ("diffusion_rate", "conductivity", "spacing", "evaporation", "inflow", "albedo", "relaxation",
         "runoff"),
        ("next_heat", "runoff_total", "levels_out", "balance", "transport", "eroded"),
    ),
    Theme(
        "vertex",
        ("vertices", "mesh", "surface", "curvature", "normals", "cloth"),
        ("curvature", "area", "thickness", "distance", "elasticity", "tension", "height_field", "roughness"),
        ("vertices", "normals", "tangents", "edges", "centers", "rays"),
        ("transforms", "poses", "shears", "bones", "orientations"),
        ("faces", "corners", "groups", "patches", "materials"),
        ("stretch", "bend", "smoothing", "tolerance", "inflate", "falloff", "pull", "blend"),
        ("projected", "lengths", "distances", "bent", "deformed", "areas"),
    ),
    Theme(
        "account",
        ("prices", "returns", "risk", "portfolio", "interest", "demand"),
        ("price", "volume_traded", "volatility", "yield_rate", "balance", "demand", "exposure", "premium"),
        ("factors", "positions_held", "shocks", "allocations", "forecasts"),
        ("correlations", "loadings", "sensitivities", "scenarios"),
        ("sectors", "ratings", "terms", "tiers", "quarters"),
        ("interest", "discount", "fee", "growth", "tax_rate", "leverage", "spread", "inflation"),
        ("valuation", "payoff", "profit", "risk_score", "interest_due", "returns_out"),
    ),
)  # fmt: skip

# Names for kernels of a single operation, which have no subject.
PLAIN = Theme(
    "element",
    ("values", "elements", "entries", "terms", "items"),
    ("x", "a", "b", "values", "data", "inputs", "numbers", "coefficients", "weights", "terms_in"),
    ("vectors", "points", "directions", "v", "p", "offsets", "axes"),
    ("matrices", "transforms", "mats", "rotations", "bases"),
    ("indices", "labels", "keys", "ids", "codes", "counts", "slots"),
    ("scale", "factor", "alpha", "beta", "gain", "shift", "bias"),
    ("out", "out", "result", "results", "outputs", "dst", "y_out"),
)

LOCALS = (
    "value", "term", "current", "base", "change", "level", "estimate", "reference", "target", "response",
    "weight", "share", "rest", "amount", "part", "factor", "start", "adjusted", "corrected", "result_value",
)  # fmt: skip
VECTOR_LOCALS = (
    "direction", "offset_vector", "velocity", "axis", "normal", "arm", "heading", "push", "step_vector",
    "tangent", "impulse", "relative", "midpoint", "side", "pull_vector", "facing", "drift_vector", "edge",
)  # fmt: skip
MATRIX_LOCALS = (
    "rotation", "basis", "transform_matrix", "shear_matrix", "gram", "projection", "frame", "mixing_matrix",
    "tensor", "metric", "stretch_matrix", "coupling_matrix",
)  # fmt: skip
INTEGER_LOCALS = (
    "slot", "shift_count", "parity", "bucket", "digit", "code", "cell_id", "steps_taken", "tally",
    "rank_value", "stride", "key", "ticket", "lane", "hits", "position_index",
)  # fmt: skip
FLAGS = ("inside", "active", "above", "is_large", "crossed", "saturated", "accepted", "visible", "is_edge")
FUNCTIONS = (
    "mix_terms", "combine_terms", "weigh", "transform_value", "response_curve", "adjust", "adjusted_value",
    "evaluate_term", "compute_term", "shape_value",
)  # fmt: skip
STRUCTS = ("State", "Sample", "Probe", "Entry", "Record", "Body", "Site", "Node", "Cell", "Summary")
# Scalar arguments that are integers.
WHOLE_VALUES = ("count", "repeats", "rounds", "limit", "repetitions")
THREADS = (("i",), ("tid",), ("idx",), ("thread",)), (("i", "j"), ("row", "col"), ("x", "y"), ("u", "v"))

_LISTS = {
    "local": LOCALS,
    "vector_local": VECTOR_LOCALS,
    "matrix_local": MATRIX_LOCALS,
    "integer_local": INTEGER_LOCALS,
    "flag": FLAGS,
    "function": FUNCTIONS,
    "struct": STRUCTS,
    "whole_value": WHOLE_VALUES,
}
_QUALIFIERS = (
    "first", "second", "other", "inner", "outer", "new", "old", "local", "upper", "lower", "left", "right",
)  # fmt: skip


class Namer:
    """Hands out each name once within a kernel."""

    def __init__(self, rng: Rng, theme: Theme) -> None:
        self.rng = rng
        self.theme = theme
        self.taken: set[str] = set()

    def take(self, kind: str) -> str:
        """A fresh name; `kind` is an attribute of `Theme`, or a list of this module ("local", ...)."""
        pool = _LISTS.get(kind) or getattr(self.theme, kind)
        free = [name for name in pool if name not in self.taken]
        # A qualified name ("inner_gap") follows once the plain ones are gone.
        free = free or [f"{q}_{n}" for q in _QUALIFIERS for n in pool if f"{q}_{n}" not in self.taken]
        return self.claim(self.rng.pick(free))

    def claim(self, name: str) -> str:
        self.taken.add(name)
        return name
