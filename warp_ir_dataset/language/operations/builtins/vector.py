"""Vector operations: scaling, products, lengths, components."""

from __future__ import annotations

import numpy as np

from ... import domains
from ...types import FLOATS, NUMBERS, SIGNED
from .. import meanings
from ..bounds import (
    blend,
    divisible,
    dot,
    first,
    fixed,
    length,
    literal_index,
    of_equal_parts,
    on,
    spread,
    squares,
)
from ..meanings import each, scaling
from ..row import Operation
from ..signatures import built, like, mixed, only, reduced, repeated, scaled, taken
from ..spelling import PRODUCT, Function, Infix, Subscript

# fmt: off
ROWS = (
    Operation("scale_left", "vector", Infix("*", PRODUCT), scaled(first=True), on(domains.mul),
              scaling(np.multiply), derivative="bilinear", words="{1} scaled by {0}"),
    Operation("scale_right", "vector", Infix("*", PRODUCT), scaled(first=False), on(domains.mul),
              scaling(np.multiply), derivative="bilinear", words="{0} scaled by {1}"),
    Operation("shrink", "vector", Infix("/", PRODUCT), scaled(first=False), on(domains.div),
              scaling(np.divide), requires=divisible, derivative="quotient", words="{0} divided by {1}"),
    Operation("dot", "vector", Function("wp.dot"), reduced(FLOATS, 1, 2), dot,
              each(lambda a, b: (a * b).sum(-1)), derivative="bilinear", alike=True,
              words="the dot product of {0} and {1}"),
    Operation("cross", "vector", Function("wp.cross"), only((3,), operands=2),
              on(lambda a, b: domains.sub(domains.mul(a, b), domains.mul(a, b))), each(np.cross),
              derivative="bilinear", words="the cross product of {0} and {1}"),
    Operation("length", "vector", Function("wp.length"), reduced(FLOATS, 1, 1), length,
              each(lambda a: np.sqrt((a * a).sum(-1))), words="the length of {0}"),
    Operation("length_sq", "vector", Function("wp.length_sq"), reduced(FLOATS, 1, 1), squares,
              each(lambda a: (a * a).sum(-1)), words="the squared length of {0}"),
    Operation("normalize", "vector", Function("wp.normalize"), only((2,), (3,), (4,)), fixed(-1.0, 1.0),
              meanings.direction, settled=of_equal_parts, words="the direction of {0}"),
    Operation("cw_mul", "vector", Function("wp.cw_mul"), like(FLOATS, (1, 2), 2), on(domains.mul),
              each(np.multiply), derivative="bilinear", words="the componentwise product of {0} and {1}"),
    Operation("cw_div", "vector", Function("wp.cw_div"), like(FLOATS, (1,), 2), on(domains.div),
              each(np.divide), requires=divisible, derivative="quotient",
              words="the componentwise quotient of {0} and {1}"),
    Operation("vector_abs", "vector", Function("wp.abs"), like(SIGNED, (1,), 1), on(domains.absolute),
              each(np.abs), words="the componentwise absolute value of {0}"),
    Operation("vector_min", "vector", Function("wp.min"), like(NUMBERS, (1,), 2), on(domains.minimum),
              each(np.minimum), derivative="operands", words="the componentwise minimum of {0} and {1}"),
    Operation("vector_max", "vector", Function("wp.max"), like(NUMBERS, (1,), 2), on(domains.maximum),
              each(np.maximum), derivative="operands", words="the componentwise maximum of {0} and {1}"),
    Operation("smallest", "vector", Function("wp.min"), reduced(NUMBERS, 1, 1), first,
              each(lambda a: a.min(-1)), settled=of_equal_parts, words="the smallest component of {0}"),
    Operation("largest", "vector", Function("wp.max"), reduced(NUMBERS, 1, 1), first,
              each(lambda a: a.max(-1)), settled=of_equal_parts, words="the largest component of {0}"),
    Operation("vector_lerp", "vector", Function("wp.lerp"), mixed, on(blend),
              each(lambda a, b, t: a + (b - a) * t[..., None]), words="a blend of {0} and {1} by {2}"),
    Operation("build", "vector", Function(""), built, spread, meanings.assemble, derivative="linear",
              words="the components ({})"),
    Operation("splat", "vector", Function(""), repeated, first, meanings.spread, derivative="linear",
              words="a vector of {0}"),
    Operation("component", "component", Subscript(), taken, first, meanings.pick, requires=literal_index,
              derivative="linear", words="component {1} of {0}"),
)
# fmt: on
