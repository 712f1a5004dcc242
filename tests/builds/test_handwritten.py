"""Kernels that people wrote: their texts, their plan, their twins, and what workers make of them."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from toys.engines import HerePool

from warp_ir_dataset.builds.filling import fill
from warp_ir_dataset.builds.handwritten import collect as collect_module
from warp_ir_dataset.builds.handwritten import installed, plan, texts, withheld
from warp_ir_dataset.builds.handwritten.collect import collect
from warp_ir_dataset.builds.handwritten.plan import chosen, collected
from warp_ir_dataset.builds.handwritten.stand_ins import stand_ins
from warp_ir_dataset.builds.handwritten.texts import Text, parsed, topics
from warp_ir_dataset.builds.handwritten.twin import Twin, twin_of
from warp_ir_dataset.builds.plan import facts
from warp_ir_dataset.builds.plan.candidate_scan import StreamKey
from warp_ir_dataset.builds.plan.plan import Candidate
from warp_ir_dataset.builds.plan.stream import Stream, Taken
from warp_ir_dataset.builds.request import Request
from warp_ir_dataset.builds.row import schema
from warp_ir_dataset.common.address import Address
from warp_ir_dataset.common.configs import CONFIGS, DEFAULT_CONFIG, SPLITS, tasks
from warp_ir_dataset.common.outcomes import Outcome, Reason, Rejected
from warp_ir_dataset.language import ir
from warp_ir_dataset.language.analysis.interpreter import interpret
from warp_ir_dataset.language.identity import identify, identify_normal_form
from warp_ir_dataset.language.python.read import read
from warp_ir_dataset.language.python.write import write
from warp_ir_dataset.language.rewrite import names_of
from warp_ir_dataset.proof.inputs import make_inputs
from warp_ir_dataset.synthesis.sampling import sample
from warp_ir_dataset.workers.progress import Bar
from warp_ir_dataset.workers.task import Task

NAME = "handwritten"
ENTRY = "## warp.examples.x:step\nid: 0123456789abcdef\n> Does it.\n> Twice.\n\nWrite it.\n\nSo.\n"


# ---- texts


def test_a_text_is_read() -> None:
    (text,) = parsed(f"# waves\n{ENTRY}")
    assert text == Text(
        "waves", "warp.examples.x", "step", "0123456789abcdef", "Does it. Twice.", "Write it.\n\nSo."
    )


def test_another_twin_may_be_asked_for() -> None:
    usual, other = (
        next(parsed(f"# waves\n{ENTRY.replace(old, old + new)}"))
        for old, new in (("", ""), ("cdef\n", "twin: 3\n"))
    )
    assert replace(other, twin=0) == usual and usual.seed == usual.id != other.seed


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (ENTRY, "topic.*'## warp.examples.x:step"),
        ("# Two Words\n" + ENTRY, "topic.*'# Two Words"),
        ("# waves\nHello.\n" + ENTRY, r"'Hello\.'"),
        ("# waves\n" + ENTRY.replace("id: 0", "id: "), "id.*description.*specification"),
        ("# waves\n" + ENTRY.replace("> ", ""), "id.*description.*specification"),
        ("# waves\n" + ENTRY.replace("Write it.\n\nSo.\n", " \n"), "id.*description.*specification"),
    ],
)
def test_a_text_that_is_none_is_refused(content: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        list(parsed(content))


def test_an_id_has_one_text_and_a_file_one_topic(tmp_path: Path) -> None:
    (tmp_path / "waves.md").write_text(f"# waves\n{ENTRY}")
    assert list(topics(tmp_path)) == ["waves"]
    topics.cache_clear()
    (tmp_path / "cloth.md").write_text(f"# cloth\n{ENTRY}")
    with pytest.raises(ValueError, match=r"0123456789abcdef$"):
        topics(tmp_path)
    (tmp_path / "cloth.md").write_text(f"# sails\n{ENTRY.replace('0123', '4567')}")
    with pytest.raises(ValueError, match=r"cloth\.md .*sails$"):
        topics(tmp_path)
    topics.cache_clear()


def test_texts_are_of_modules_that_are_taken() -> None:
    every = [text for of_topic in topics().values() for text in of_topic]
    assert every
    assert all(text.module.startswith("warp.") for text in every)
    # These want several processes.
    assert not any(text.module.startswith("warp.examples.distributed") for text in every)
    # What is written of a kernel holds none of its code.
    assert not any(re.search(r"@wp\.|^import |^def ", text.specification, re.M) for text in every)


# ---- plan


def test_all_texts_are_planned_each_with_its_twin_and_nothing_else() -> None:
    found = collected(Request(NAME))
    assert found == replace(collected(Request(NAME, 40, 3)), request=Request(NAME))
    assert {shard.split for shard in found.shards} == {"test"} and not any(s.spares for s in found.shards)
    candidates = [c for shard in found.shards for queue in shard.queues for c in queue.candidates]
    assert all(len(q.candidates) == q.quota for shard in found.shards for q in shard.queues)
    wanted = Counter((text, twin) for of in topics().values() for text in of for twin in (False, True))
    assert Counter(chosen(candidate.address) for candidate in candidates) == wanted
    assert sum(found.draws.values()) == found.rows == len(candidates)


def test_texts_are_dealt_to_several_files_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "shard_counts", lambda request: {"test": 3})
    found = collected(Request(NAME))
    rows = [shard.rows for shard in found.shards]
    assert len(rows) == 3 and max(rows) - min(rows) <= 2 and sum(rows) == found.rows
    for shard in found.shards:
        for queue in shard.queues:
            pairs = [candidate.address.draw for candidate in queue.candidates]
            assert pairs[1::2] == [draw + 1 for draw in pairs[::2]]


def half(items: list[Candidate], notify: object) -> list[Outcome]:
    row = {"seed": None, "category": "", "difficulty": None, "draw": None}
    return [
        Rejected(Reason.NO_TWIN, "none") if item.address.draw % 2 else {**row, "id": str(item)}
        for item in items
    ]


def test_a_file_holds_those_that_pass() -> None:
    found = collected(Request(NAME))
    pool = HerePool(Task(f"{__name__}:half"))
    bar = Bar("", found.rows, spares=False, quiet=True)
    filled = list(fill(pool, found.shards, bar.seen, batch_size=3, module_size=1))  # type: ignore[arg-type]
    assert sum(len(shard.rows) for shard in filled) == found.rows // 2 == bar.total == bar.done
    assert sum((shard.rejections for shard in filled), Counter()) == {Reason.NO_TWIN: found.rows // 2}
    assert bar.is_whole
    again = list(fill(HerePool(pool.task), found.shards, batch_size=2, module_size=1))  # type: ignore[arg-type]
    assert [shard.rows for shard in again] == [shard.rows for shard in filled]


# ---- twins

SOURCE = '''
import warp as wp

SOFTNESS = 0.25


@wp.struct
class Body:
    mass: float
    speed: wp.vec3


@wp.func
def pull(mass: float, away: wp.vec3):
    """Toward it."""
    return away * mass / (wp.dot(away, away) + SOFTNESS)


@wp.kernel
def attract(bodies: wp.array[Body], places: wp.array[wp.vec3], a: float, out: wp.array[wp.vec3]):
    """Everything attracts everything."""
    i = wp.tid()
    total = wp.vec3()
    for j in range(8):
        # not itself
        if i != j:
            total += pull(bodies[j].mass, places[j] - places[i])
    out[i] = bodies[i].speed + total * a
'''  # fmt: skip


def launched(program: ir.Program) -> ir.Program:
    shapes = {"bodies": (8,), "places": (8,), "out": (8,)}
    arguments = tuple(
        replace(argument, shape=shapes.get(argument.name, ())) for argument in program.arguments
    )
    return replace(program, signature=replace(program.signature, arguments=arguments, launch_dim=(8,)))


@pytest.fixture(scope="module")
def original() -> ir.Program:
    return launched(read(SOURCE))


@pytest.fixture(scope="module")
def twin(original: ir.Program) -> Twin:
    found = twin_of(original, "seed", "Let total be a sum.")
    assert found is not None
    return found


def test_a_twin_has_no_name_and_no_word_of_its_original(original: ir.Program, twin: Twin) -> None:
    text = write(twin.program)
    assert not names_of(twin.program) & names_of(original)
    for word in ("attract", "Body", "mass", "pull", "SOFTNESS", "Everything", "Toward", "itself"):
        assert word not in text
    assert len(set(twin.names.values())) == len(twin.names) and "sum" not in twin.names.values()
    assert identify(twin.program).id != identify(original).id


def test_a_twin_means_the_same(original: ir.Program, twin: Twin) -> None:
    inputs, same = (
        {name: array[None] for name, array in make_inputs(program.signature, "seed").items()}
        for program in (original, twin.program)
    )
    for one, other in zip(inputs.values(), same.values(), strict=True):
        np.testing.assert_array_equal(one, other)
    outputs, of_twin = (
        interpret(program, given, 1) for program, given in ((original, inputs), (twin.program, same))
    )
    for one, other in zip(outputs.values(), of_twin.values(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_seed_gives_one_twin(original: ir.Program, twin: Twin) -> None:
    assert twin_of(original, "seed", "Let total be a sum.") == twin
    assert twin_of(original, "other", "") != twin


def test_a_kernel_without_another_spelling_has_no_twin() -> None:
    source = "import warp as wp\n\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[wp.tid()] = 1.0\n"
    assert twin_of(read(source), "seed", "") is None


@pytest.mark.parametrize("number", range(12))
def test_drawn_kernels_have_twins(number: int) -> None:
    program = sample(Address(5, ("combined", "control_flow", "atomic")[number % 3], number)).program
    made = twin_of(program, "seed", "")
    assert made is not None and not names_of(made.program) & names_of(program)
    again = read(write(made.program), made.program.signature)
    assert identify(again).id == identify(made.program).id


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("A kernel `attract` adds a part of it.", "A kernel `{attract}` adds a part of it."),
        ("- a: a single float32, input", "- {a}: a single float32, input"),
        ("- places, out: arrays, each as places", "- {places}, {out}: arrays, each as {places}"),
        ("Store a·places[i] in out[i].", "Store {a}·{places}[i] in {out}[i]."),
        ("Let p be the places around; out", "Let p be the places around; {out}"),
        ("bodies[i].mass + total", "{bodies}[i].{mass} + total"),
        ("amass, mass_of, outer", "amass, mass_of, outer"),
        ("1 / a and (a + 1)", "1 / {a} and ({a} + 1)"),
    ],
)  # fmt: skip
def test_what_was_written_is_told_of_the_twin(twin: Twin, told: str, wanted: str) -> None:
    assert twin.told(told) == wanted.format(**twin.names)


# ---- what is found, and proved


def test_packages_are_replaced_while_a_module_is_imported() -> None:
    import pyarrow

    with stand_ins():
        import numpy
        import pyarrow as replaced
        import somebodys.renderer as missing  # type: ignore[import-not-found]

        assert numpy is np and replaced is not pyarrow
        assert missing.Window(width=3).anything is not None
    assert sys.modules["pyarrow"] is pyarrow and "somebodys" not in sys.modules


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    found = collected(Request(NAME))
    candidates = [c for shard in found.shards for queue in shard.queues for c in queue.candidates]
    asked = [c for c in candidates if c.address.category in ("particles", "arrays")][:12]
    return collect(asked, CONFIGS[NAME], "sm_80", lambda index: None)


@pytest.mark.compile
def test_kernels_of_the_installed_warp_become_rows(outcomes: list[Outcome]) -> None:
    rows = [row for row in outcomes if isinstance(row, dict)]
    originals = {row["id"]: row for row in rows if row["twin_of"] is None}
    twins = [row for row in rows if row["twin_of"] is not None]
    assert len(originals) >= 4 and twins and len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert list(row) == schema(NAME).names
        assert row["prompts"][DEFAULT_CONFIG] == row["prompt"]
        assert row["completions"][DEFAULT_CONFIG] == row["completion"] and row["ptx"]
        assert set(row["prompts"]) == set(row["completions"]) <= {task.name for task in tasks()}
        assert row["license"] == "Apache-2.0" and row["modified"].startswith("Modified: ")
        assert row["file"] == row["module"].replace(".", "/") + ".py"
        assert row["specification"] and row["draw"] is row["difficulty"] is row["seed"] is None
    for row in twins:
        first = originals[row["twin_of"]]
        assert not {a["name"] for a in row["arguments"]} & {a["name"] for a in first["arguments"]}
        assert first["kernel_name"] not in row["specification"] and row["kernel_name"] in row["specification"]
        assert row["description"] == first["description"]


@pytest.mark.compile
def test_a_twin_that_gives_something_else_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(program: ir.Program, seed: str, written: str) -> Twin:
        changed = read(write(program).replace(" + ", " - "), program.signature)
        return Twin(changed, {})

    monkeypatch.setattr(collect_module, "twin_of", other)
    _, found = collected_of("saxpy", "arrays")
    assert found == Rejected(Reason.NO_TWIN, "saxpy: output y of its twin is another")


@pytest.mark.compile
@pytest.mark.parametrize(
    ("kernel", "topic", "why"),
    [
        ("_fill_iota_kernel", "arrays", "CONSTANT_OUTPUT"),
        ("compute_neg_mse", "optimization", "ONLY_COPIES"),
    ],
)
def test_a_kernel_that_gives_what_was_there_is_no_row(kernel: str, topic: str, why: str) -> None:
    """The judge could not tell who wrote one from who wrote nothing."""
    for found in collected_of(kernel, topic):
        assert isinstance(found, Rejected) and found.reason is Reason[why], found


@pytest.mark.compile
@pytest.mark.parametrize(
    ("kernel", "topic"),
    [
        ("_find_invalid_index", "arrays"),
        ("_emit_faces_kernel", "voxels"),
    ],
)
def test_inputs_that_a_kernel_changes_come_first(kernel: str, topic: str) -> None:
    row = collected_of(kernel, topic)[0]
    assert isinstance(row, dict)
    first, *others = ({**e["inputs"], **e["outputs"]} != e["inputs"] for e in json.loads(row["examples"]))
    assert first and not all(others)


@pytest.mark.compile
def test_a_kernel_that_steps_one_counter_is_launched_with_one_thread() -> None:
    """All threads would do the same to it, and race."""
    for found in collected_of("accumulate_cdf", "meshes"):
        assert isinstance(found, dict) and found["launch_dim"] == [1]


@pytest.mark.compile
@pytest.mark.parametrize(
    ("kernel", "topic", "divisor"),
    [
        ("_prepare_node_sort_kernel", "finite_elements", "divisor"),
        ("_compute_environment_offsets_from_starts", "voxels", "alignment"),
    ],
)
def test_what_a_kernel_divides_by_is_not_zero_on_any_inputs(kernel: str, topic: str, divisor: str) -> None:
    row = collected_of(kernel, topic)[0]
    assert isinstance(row, dict)
    assert {argument["name"]: argument["low"] for argument in row["arguments"]}[divisor] == 1


def collected_of(kernel: str, topic: str) -> list[Outcome]:
    """What becomes of a kernel, and of its twin."""
    (number,) = (n for n, text in enumerate(topics()[topic]) if text.kernel == kernel)
    candidates = [Candidate(Address(0, topic, 2 * number + twin)) for twin in (0, 1)]
    return collect(candidates, CONFIGS[NAME], "sm_80", lambda index: None)


def text_of(change: dict[str, str]) -> Text:
    text = next(text for of in topics().values() for text in of)
    return replace(text, **change)


@pytest.mark.compile
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"id": "f" * 16}, "makes no kernel .* of this id"),
        ({"kernel": "nobody"}, "makes no kernel nobody"),
        ({"module": "warp.examples.nobody"}, "there is no module"),
    ],
)
def test_a_kernel_that_is_another_by_now_is_a_rejection(change: dict[str, str], says: str) -> None:
    found = installed.found(text_of(change))
    assert isinstance(found, Rejected) and found.reason is Reason.CHANGED
    assert re.search(says, found.detail)


def test_a_file_under_another_licence_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.py").write_text("# SPDX-License-Identifier: MIT\n")
    monkeypatch.setattr(installed, "_file", lambda module: tmp_path / "x.py")
    monkeypatch.setattr(installed, "_kernels", lambda module: pytest.fail("imported"))
    found = installed.found(text_of({}))
    assert isinstance(found, Rejected) and "does not say that it is under Apache-2.0" in found.detail


@pytest.mark.long
@pytest.mark.compile
def test_every_text_is_of_a_kernel_of_the_installed_warp_and_no_two_of_one_meaning() -> None:
    meanings: Counter[tuple[str, str]] = Counter()
    sources = []
    for text in (text for of in topics().values() for text in of):
        kernel = installed.found(text)
        assert not isinstance(kernel, Rejected), kernel
        sources.append((text.id, kernel.source))
        if kernel.program is not None:
            types = str([argument.type for argument in kernel.program.arguments])
            meanings[identify_normal_form(kernel.program).id, types] += 1
    assert meanings and max(meanings.values()) == 1
    held = withheld.FILE.read_text(encoding="utf-8").splitlines(keepends=True)
    assert [line for line in held if line.split()[0] in dict(sources)] == list(withheld.lines(sources))


def test_other_texts_have_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    first = texts.digest()
    monkeypatch.setattr(texts, "topics", lambda: {"waves": tuple(parsed(f"# waves\n{ENTRY}"))})
    texts.digest.cache_clear()
    assert texts.digest() != first
    monkeypatch.undo()
    texts.digest.cache_clear()
    assert texts.digest() == first


# ---- short kernels that no row may come near

SHORT = """import warp as wp

@wp.kernel
def brighten(grey: wp.array[float], gain: float, out: wp.array[float]):
    i = wp.tid()
    out[i] = {value}
"""


@pytest.mark.parametrize(
    ("value", "near"),
    [("gain * grey[i]", True), ("grey[i] * gain  # too", True), ("wp.atan2(gain, grey[i] + 1.0)", False)],
)
def test_a_short_kernel_that_people_wrote_is_withheld(value: str, near: bool) -> None:
    assert withheld.is_withheld(read(SHORT.format(value=value), kernel="brighten")) is near


def test_a_longer_kernel_is_not() -> None:
    """Though it holds a short one: it says more."""
    sums = "\n    ".join(f"out[i + {k}] = wp.sin(out[i + {k}]) - gain" for k in range(1, 9))
    program = read(f"{SHORT.format(value='gain * grey[i]').rstrip()}\n    {sums}\n", kernel="brighten")
    assert not withheld.is_withheld(program)


def test_a_family_passes_over_what_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    key, request = StreamKey("math", 3, None), Request(config="cuda")
    scanned = [facts.facts_of(key.address(0, 0), request.num_kernels)]
    monkeypatch.setattr(facts, "is_near_withheld", lambda fingerprint: True)
    monkeypatch.setattr(facts, "may_be_withheld", lambda program: True)
    scanned.append(facts.facts_of(key.address(0, 1), request.num_kernels))
    assert [each and each.withheld for each in scanned] == [False, True]
    stream = Stream(key, scanned, request, Taken(request.num_kernels), 200)
    picks = [pick for split in SPLITS for pick in stream.take(split, 1) if not stream.lacking[split]]
    assert [pick.address for pick in picks] == [key.address(0, 0)] and stream.duplicates == 1


def test_the_file_of_short_kernels_is_made_of_a_build(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=f"^{tmp_path} .*handwritten$"):
        withheld.sources_of(tmp_path)
    short, longer = (SHORT.format(value=value) for value in ("gain * grey[i]", "gain * gain - grey[i]"))
    many = SHORT.format(value=" + ".join(f"wp.{name}(grey[i])" for name in dir(math) if name.isalpha()))
    assert len(withheld.fingerprint(many)) > withheld.LONGEST
    found = list(withheld.lines([("b" * 16, short), ("c" * 16, many), ("a" * 16, longer)]))
    assert [line.split()[0] for line in found] == ["a" * 16, "b" * 16]
    assert set(found[1].split()[1:]) == withheld.fingerprint(short)


def test_ids_of_the_file_are_those_of_texts_or_of_twins() -> None:
    ids = [line.split()[0] for line in withheld.FILE.read_text(encoding="utf-8").splitlines()]
    known = {text.id for of in topics().values() for text in of}
    assert len(ids) == len(set(ids)) and 40 < len(known & set(ids)) < len(ids)
