"""Small programs, one for each construct of the plain language; by the construct's name."""

from __future__ import annotations

from warp_ir_dataset.language.program import Program

from .arrays import ARRAYS
from .flow import FLOW
from .functions import FUNCTIONS
from .structs import STRUCTS
from .values import VALUES

PROGRAMS: dict[str, Program] = {**VALUES, **FUNCTIONS, **STRUCTS, **ARRAYS, **FLOW}
