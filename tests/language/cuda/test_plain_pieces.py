"""The prelude: pieces by what they are for, only those that are needed, and what is declared of them."""

from __future__ import annotations

import re

import pytest
from toys.constructs import PROGRAMS

from warp_ir_dataset.language.cuda.pieces.piece import pieces
from warp_ir_dataset.language.cuda.pieces.table import GROUPS, PIECES
from warp_ir_dataset.language.cuda.prelude import chosen, declarations, prelude
from warp_ir_dataset.language.cuda.render import render
from warp_ir_dataset.language.cuda.used import Used
from warp_ir_dataset.language.types import Vector


def test_each_piece_has_one_text_and_stands_behind_what_it_needs() -> None:
    assert sum(len(group.PIECES) for group in GROUPS) == len(PIECES)
    places = {key: place for place, key in enumerate(PIECES)}
    for key, piece in PIECES.items():
        assert all(places[need] < places[key] for need in piece.needs), key


def test_a_text_gets_what_it_uses_and_no_more() -> None:
    assert render(PROGRAMS["comparisons in a row"]).prelude == ""
    used = Used(pieces={"normalize(vec)"}, types={Vector("float64", 3)})
    assert chosen(used) == [
        "vec",
        "vec / scalar",
        "dot(vec, vec)",
        "length(vec)",
        "normalize(vec)",
    ]
    assert prelude(used).endswith("using vec3d = vec<3, double>;\n\n")


def test_what_is_declared_is_what_a_text_may_call() -> None:
    used = Used(pieces={"normalize(vec)", "pcg", "PI"}, types={Vector("float64", 3)})
    text = declarations(used)
    assert "template <int N, typename T> __device__ vec<N, T> normalize(vec<N, T> v);\n" in text
    assert "__device__ uint32_t pcg(uint32_t state);\nusing vec3d = vec<3, double>;\n" in text
    assert "    static __host__ __device__ vec all(T x);\n};\n" in text
    assert text.startswith(
        "constexpr float PI = 3.141592653589793f;\ntemplate <int N, typename T> struct vec {\n"
    )
    assert "length(" not in text and "return" not in text


@pytest.mark.parametrize("key", PIECES)
def test_declarations_are_whole(key: str) -> None:
    text = declarations(Used(pieces={key}))
    assert text.count("(") == text.count(")") and text.count("{") == text.count("}")
    assert "return" not in text and ";;" not in text
    assert all(re.search(r"[;{},(>]$", line) for line in text.rstrip().split("\n"))


@pytest.mark.parametrize("title", [title for title in PROGRAMS if title != "half precision"])
def test_the_interface_declares_the_kernel(title: str) -> None:
    plain = render(PROGRAMS[title])
    head = plain.interface[plain.interface.index("__global__") :].rstrip().removesuffix(";")
    assert f"{head}\n{{" in plain.completion and head.startswith(f"__global__ void {plain.name}(")


def test_needs_may_go_on_in_a_line_of_their_own() -> None:
    (found,) = pieces("//: a(vec) <- b;\n//+ c; d\nint a();")
    assert (found.key, found.needs, found.text) == ("a(vec)", ("b", "c", "d"), "int a();")


def test_no_piece_names_warp() -> None:
    assert not [key for key, piece in PIECES.items() if re.search(r"\bwp\b|warp", piece.text, re.IGNORECASE)]
