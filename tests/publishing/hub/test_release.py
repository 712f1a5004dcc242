from __future__ import annotations

import pytest

from warp_ir_dataset.publishing.hub.release import belongs, is_shard, is_untouched, signed

CARD = "---\nlicense: mit\n---\n# Kernels\n\nWords.\n"


def test_a_signed_card_is_the_card_and_one_comment() -> None:
    card = signed(CARD)
    assert card.startswith(CARD) and card.count("\n") == CARD.count("\n") + 2
    assert is_untouched(card)
    assert signed(card) == card  # a card taken from the Hub can be signed again


@pytest.mark.parametrize(
    "edited",
    [
        CARD,
        signed(CARD).replace("Words", "Other words"),
        signed(CARD).replace("mit", "apache-2.0"),
        signed(CARD) + "More.\n",
        signed(CARD).rstrip("\n"),
        signed(CARD).replace("\n", "\r\n"),
        signed(CARD).replace("<!-- warp-ir", "<!-- mine"),
        "",
    ],
)
def test_any_edit_is_seen(edited: str) -> None:
    assert not is_untouched(edited)


@pytest.mark.parametrize(
    ("path", "shard", "ours"),
    [
        ("cuda/train-00000-of-00004.parquet", True, True),
        ("cuda_backward/validation-00012-of-00100.parquet", True, True),
        ("manifest.json", False, True),
        ("README.md", False, True),
        ("near_duplicates.json", False, True),
        ("plots/length.png", False, True),
        (".gitattributes", False, False),
        ("LICENSE", False, False),
        ("vulkan/train-00000-of-00001.parquet", False, False),
        ("cuda/notes.md", False, False),
        ("old/cuda/train-00000-of-00001.parquet", False, False),
    ],
)
def test_which_files_come_from_a_build(path: str, shard: bool, ours: bool) -> None:
    assert (is_shard(path), belongs(path)) == (shard, ours)
