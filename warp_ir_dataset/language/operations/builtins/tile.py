"""Tiles: values that the threads of a block hold and compute together.

These rows show the shape, and are not all of it: they mean what their native code computes, and `flow` knows
nothing of a tile, so that no program with one is legal yet. No row: what loads and stores tiles, whose shape
and storage are told by literals; what is told a function; what needs MathDx (products, solvers, transforms).
"""

from __future__ import annotations

from ... import ir
from ...domains import Interval
from ...types import SCALARS, Tile
from ..bounds import Of
from ..meanings import native
from ..row import row


def held(of: Of, tile: ir.Expr, *others: ir.Expr) -> Interval:
    """Anything that its type may hold."""
    assert isinstance(tile.type, Tile)
    return SCALARS[tile.type.element.scalar].limits


def a_place(of: Of, tile: ir.Expr) -> Interval:
    assert isinstance(tile.type, Tile)
    return Interval(0, tile.type.sizes[0] - 1)


# fmt: off
ROWS = (
    row("tile_sum(tile<N,T>) -> tile<1,T> for T in float32, float64, int32, uint32", "tile", held, native,
        derivative="linear", rounds="products"),
    row("tile_min(tile<N,T>) -> tile<1,T> for T in float32, float64, int32, uint32", "tile", held, native,
        derivative="flat", underived=(0,)),
    row("tile_max(tile<N,T>) -> tile<1,T> for T in float32, float64, int32, uint32", "tile", held, native,
        derivative="flat", underived=(0,)),
    row("tile_argmin(tile<N,T>) -> tile<1,int32> for T in float32, float64, int32, uint32", "tile", a_place,
        native, derivative="flat"),
    row("tile_argmax(tile<N,T>) -> tile<1,int32> for T in float32, float64, int32, uint32", "tile", a_place,
        native, derivative="flat"),
    row("tile_dot(tile<N,F>, tile<N,F>) -> tile<1,F> for F in float32, float64", "tile", held, native,
        derivative="bilinear", rounds="products"),
    row("tile_transpose(tile<M,N,T>) -> tile<N,M,T> for T in float32, float64, int32, uint32", "tile", held,
        native, derivative="linear"),
    row("tile_scan_inclusive(tile<N,T>) -> tile<N,T> for T in float32, int32, uint32", "tile", held, native,
        derivative="flat", underived=(0,), rounds="products"),
    row("tile_scan_exclusive(tile<N,T>) -> tile<N,T> for T in float32, int32, uint32", "tile", held, native,
        derivative="flat", underived=(0,), rounds="products"),
    row("tile_scan_max_inclusive(tile<N,T>) -> tile<N,T> for T in float32, int32, uint32", "tile", held,
        native, derivative="flat", underived=(0,)),
    row("tile_scan_min_inclusive(tile<N,T>) -> tile<N,T> for T in float32, int32, uint32", "tile", held,
        native, derivative="flat", underived=(0,)),
    row("tile_diag_add(tile<N,N,F>, tile<N,F>) -> tile<N,N,F> for F in float32, float64", "tile", held,
        native, derivative="flat", underived=(0, 1)),
    row("tile_extract(tile<N,T>, int32) -> T for T in float32, float64, int32, uint32", "tile", held, native,
        derivative="linear"),
)
# fmt: on
