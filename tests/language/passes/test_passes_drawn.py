"""Every pass on drawn programs: legal, read back, the same numbers; and undone by the pass that undoes it."""

from __future__ import annotations

from functools import cache

import pytest
from passes import FIRST
from test_passes import same_numbers

from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.passes.table import PASSES, is_legal, settled
from warp_ir_dataset.language.program import Program
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.synthesis.draw import draw
from warp_ir_dataset.synthesis.families import CATEGORIES
