"""Texts of kernels do not follow how Python happens to hash strings."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TEXTS = '''
from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.language.cuda.refusals import NoPlainForm
from warp_ir_dataset.language.cuda.render import render
from warp_ir_dataset.builds.handwritten.passes.table import TWIN_PASSES
from warp_ir_dataset.language.passes.table import PASSES
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.specification.write import specify
from warp_ir_dataset.synthesis.categories import CATEGORIES
from warp_ir_dataset.synthesis.sampling import address_of, sample

HOISTED = """
import warp as wp

@wp.kernel
def hoisted(a: wp.array(dtype=float), o: wp.array(dtype=float)):
    i = wp.tid()
    if a[i] > 0.5:
        low = 0.1
        high = a[i]
        middle = 0.3
    else:
        low = a[i]
        high = 0.9
        middle = 0.6
    o[i] = middle * (high - low)
"""
for program in [read(HOISTED), *(sample(address_of(3, category, 5)).program for category in CATEGORIES[::4])]:
    print(write(program), specify(program))
    for name, change in {**PASSES, **TWIN_PASSES}.items():
        made = change(program, Rng(name))
        print(name, made and write(made))
    try:
        print(render(program).completion)
    except NoPlainForm as error:
        print(error)
'''


@pytest.mark.process
def test_texts_are_the_same_whatever_strings_hash_to() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", TEXTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert outputs[0] == outputs[1] == outputs[2] and "hoisted" in outputs[0]
