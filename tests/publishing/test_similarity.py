from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from warp_ir_dataset.language.python.grams import grams, own_names, tokens
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.publishing.similarity import Corpus, Nearest, Vocabulary, chosen, survivors
from warp_ir_dataset.synthesis.categories import RANDOM_KINDS
from warp_ir_dataset.synthesis.sampling import address_of, sample

LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
LITERALS = {tokenize.NUMBER: "0", tokenize.STRING: "''"}

KERNEL = '''import warp as wp


@wp.kernel
def push(masses: wp.array(dtype=float), forces: wp.array(dtype=float)):
    """Pushes."""
    i = wp.tid()  # the thread
    if masses[i] >= 2.5e-1 and i != 3:
        forces[i] = masses[i] ** 2.0 // 0x10
'''


def kernels() -> list[str]:
    golden = sorted((Path(__file__).parents[1] / "golden" / "sources").glob("*.py"))
    return [path.read_text() for path in golden] + [
        write(sample(address_of(3, category, number)).program)
        for category in RANDOM_KINDS
        for number in range(8)
    ]


def words(source: str) -> Iterator[str]:
    """What `tokens` gives, by Python's own tokenizer."""
    own = own_names(source)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and token.string in own:
            yield "name"
        elif token.type not in LAYOUT:
            yield LITERALS.get(token.type, token.string)


def test_tokens_are_pythons() -> None:
    for source in [*(s for s in kernels()), KERNEL.replace("0x10", "16")]:
        assert list(tokens(source)) == list(words(source))


def test_names_literals_comments_and_layout_do_not_count() -> None:
    other = (
        KERNEL.replace("push", "pull")
        .replace("masses", "weights")
        .replace("2.5e-1", "7.0")
        .replace("i ", "thread ")
    )
    other = other.replace("[i]", "[thread]").replace("  # the thread", "").replace("i != 3", "thread != 3")
    assert grams(other.replace("and i ", "and thread ")) == grams(KERNEL)
    assert grams(KERNEL.replace(">=", "<=")) != grams(KERNEL)


def test_numbered_names_tell_arguments_apart() -> None:
    swapped = KERNEL.replace("forces[i] = masses[i]", "masses[i] = forces[i]")
    assert grams(swapped) == grams(KERNEL)
    assert grams(swapped, numbered=True) != grams(KERNEL, numbered=True)


def test_similarities_are_exact() -> None:
    sources = kernels()
    vocabulary = Vocabulary()
    corpus = Corpus([vocabulary.encode(source) for source in sources[::2]])
    others = [grams(source) for source in sources[::2]]
    for source in sources:
        mine = grams(source)
        expected = [len(mine & other) / len(mine | other) for other in others]
        assert corpus.similarities(vocabulary.encode(source)).tolist() == pytest.approx(expected, abs=1e-15)


def test_an_empty_corpus_has_no_neighbours() -> None:
    empty, source = Corpus([]), Vocabulary().encode(KERNEL)
    assert empty.similarities(source).size == 0 and survivors([], 0.7) == []
    assert Nearest([source]).similarities == [0.0]


def test_a_stream_is_compared_with_a_few_of_which_alone_words_are_kept() -> None:
    sources = kernels()
    vocabulary = Vocabulary()
    few = [vocabulary.encode(source) for source in sources[:9]]
    nearest = Nearest(few)
    for source in sources[9:]:
        known, size = vocabulary.known(source)
        assert known.max(initial=0) < len(set().union(*map(grams, sources[:9]))) and size == len(
            grams(source)
        )
        nearest.see(known, size)
    rest = Corpus([vocabulary.encode(source) for source in sources[9:]])
    assert nearest.similarities == [rest.similarities(source).max() for source in few]


def test_what_stands_for_all_is_chosen_by_ids_alone() -> None:
    ids = [f"{number:016x}" for number in range(1000)]
    some = {id for id, one in zip(ids, chosen(ids, 100), strict=True) if one}
    assert some == {id for id, one in zip(reversed(ids), chosen(ids[::-1], 100), strict=True) if one}
    assert len(some) == 100 and 30 < len(some & {*ids[:500]}) < 70
    assert chosen(ids, 1000).all() and not len(chosen([], 3))


@pytest.mark.parametrize("threshold", [0.25, 0.5, 0.7, 0.8, 1.0])
def test_whoever_is_alike_is_found(threshold: float) -> None:
    """Sets of few numbers, so that many are exactly as alike as asked, or have nothing in common."""
    chance = np.random.default_rng(5)
    sources = [chance.choice(40, chance.integers(1, 20), replace=False) for _ in range(200)]
    sources += [source[2:] for source in sources if len(source) > 2] + sources[:20]
    expected: list[int] = []
    for number, source in enumerate(sources):
        corpus = Corpus([sources[place] for place in expected])
        similarities = corpus.similarities(source)
        if not (similarities >= threshold).any():
            expected.append(number)
    assert survivors(sources, threshold) == expected
    assert len(expected) < len(sources) - 10


def test_survivors_are_not_near_an_earlier_one() -> None:
    vocabulary = Vocabulary()
    sources = kernels()
    sources += [KERNEL, KERNEL.replace("push", "pull"), *sources[:3]]
    left = survivors([vocabulary.encode(source) for source in sources], 0.7)
    expected: dict[int, frozenset] = {}
    for number, source in enumerate(sources):
        mine = frozenset(grams(source))
        if all(len(mine & other) / len(mine | other) < 0.7 for other in expected.values()):
            expected[number] = mine
    assert left == list(expected)
    assert len(sources) - 1 not in left and len(sources) - 5 in left and len(sources) - 4 not in left
