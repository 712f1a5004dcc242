"""Names of operands: those by which Warp knows them."""

from __future__ import annotations

import pytest

from warp_ir_dataset.language.operations.parameters import PARAMETERS, parameters


def test_operands_by_name() -> None:
    assert parameters("clamp", 1, ("high", "low")) == ("low", "high")
    assert parameters("atomic_add", 1, ("value", "i")) == ("i", "value")
    assert parameters("clamp", 1, ("low", "top")) == ()
    assert parameters("clamp", 2, ("low", "high")) == ()
    assert parameters("nothing", 0, ("x",)) == ()


@pytest.mark.compile
def test_warp_names_them_so() -> None:
    from warp._src.context import builtin_functions

    for name, known in PARAMETERS.items():
        function = builtin_functions[name]
        overloads = getattr(function, "overloads", None) or [function]
        assert set(known) <= {tuple(overload.input_types) for overload in overloads}, name
