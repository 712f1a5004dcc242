"""Generated names are safe in Python, in Warp and in C++."""

from __future__ import annotations

import builtins
import keyword

import pytest

from warp_ir_dataset.common.rng import Rng
from warp_ir_dataset.synthesis import names
from warp_ir_dataset.synthesis.chains.subjects import SUBJECTS
from warp_ir_dataset.synthesis.names import PLAIN, THEMES, Namer

# C++ keywords, and macros and functions of the headers that Warp compiles against, which are no Python names.
CPP_WORDS = """
alignas alignof asm auto bool break case catch char class const constexpr delete do double enum
explicit export extern false float friend goto inline int long mutable namespace new operator
private protected public register short signed sizeof static struct switch template this throw true
typedef typeid typename union unsigned using virtual void volatile while xor rhs ret dim task_index
j0 j1 jn y0 y1 yn signbit NULL INFINITY NAN M_PI
"""


def theme_words() -> set[str]:
    fields = (
        field for theme in (*THEMES, PLAIN) for field in vars(theme).values() if isinstance(field, tuple)
    )
    return {word for field in fields for word in field}


def every_word() -> set[str]:
    words = theme_words()
    words |= {word for pool in names._LISTS.values() for word in pool}
    words |= {word for group in names.THREADS for letters in group for word in letters}
    return words | subject_words()


def subject_words() -> set[str]:
    words: list[str] = []
    for subject in SUBJECTS:
        words += [word for group in subject.groups for word in group]
        words += [choices for beginning in subject.beginnings for choices in beginning.names]
        for key, quantity in subject.quantities.items():
            words += [key, quantity.arrays, *(c for each in quantity.transitions for c in each.names)]
    return {word for choices in words for word in choices.split()}


def test_no_keyword_and_no_builtin():
    assert not {
        word
        for word in every_word()
        if keyword.iskeyword(word) or hasattr(builtins, word) or word in CPP_WORDS.split()
    }


@pytest.mark.compile
def test_no_name_of_warp():
    import warp

    assert not {word for word in every_word() if hasattr(warp, word)}


def test_names_do_not_run_out_and_never_repeat():
    namer = Namer(Rng("x"), THEMES[0])
    taken = [namer.take("local") for _ in range(200)]
    assert len(set(taken)) == 200


def test_struct_members_are_no_attributes_of_arrays():
    """In a skeleton, the component `v.x` of a vector looks like a member `x`."""
    reserved = {"x", "y", "z", "w", "shape", "dtype"}
    pools = (names.LOCALS, names.VECTOR_LOCALS, names.MATRIX_LOCALS)
    assert not reserved & {word for pool in pools for word in pool}
