"""Small programs, one for each construct of the plain language; by the construct's name."""

from __future__ import annotations

from warp_ir_dataset.language import ir

from .arrays import ARRAYS
from .flow import FLOW
from .functions import FUNCTIONS
from .structs import STRUCTS
from .values import VALUES

PROGRAMS: dict[str, ir.Program] = {**VALUES, **FUNCTIONS, **STRUCTS, **ARRAYS, **FLOW}
